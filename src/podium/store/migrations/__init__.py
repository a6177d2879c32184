"""Bringing a store up to date: one file a version below ``versions``, run by Alembic when a store is opened that lacks them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, MetaData, text

from podium.store.tables import VERSION_TABLE

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

__all__ = ["HEAD", "Found", "look", "scripts", "upgrade"]

HEAD = "0002"  # the newest version; known here so that opening a store of today does not load Alembic, which takes half a second
_TABLES = {  # SQLAlchemy's inspector takes several milliseconds to ask the same
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p') "
    "AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())",
}


def scripts() -> ScriptDirectory:
    """The versions there are, as Alembic reads them."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(__file__).parent))


class Found(NamedTuple):
    """What a database turned out to be; ``problem`` says why it cannot be used as a store."""

    is_current: bool
    problem: str = ""
    is_empty: bool = False


def look(connection: Connection) -> Found:
    """Is this a store of today, or can it be made one? Changes nothing."""
    tables = connection.execute(text(_TABLES[connection.dialect.name])).scalars().all()
    if VERSION_TABLE not in tables:
        return Found(False, _foreign(tables) if tables else "", is_empty=not tables)
    version = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    is_known = version in (None, HEAD) or version in {script.revision for script in scripts().walk_revisions()}
    return Found(version == HEAD, "" if is_known else _newer(version))


def _foreign(tables: Sequence[str]) -> str:
    return f"is a database of something else, not a store: it has tables ({', '.join(sorted(tables)[:3])}); name a new or empty one"


def _newer(version: object) -> str:
    return f"is a store made by a newer Podium (its version is {version}, this one knows up to {HEAD}); update Podium to open it"


def upgrade(connection: Connection, version: str = HEAD) -> None:
    """Run the versions that are missing, all within the connection's transaction."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext

    script = scripts()

    def steps(current: Any, _: Any) -> Any:
        return script._upgrade_revs(version, current)

    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=MetaData(), version_table=VERSION_TABLE)
        environment.run_migrations()
