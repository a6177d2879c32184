"""The two databases that a store may live in: how each is opened, begins to write, and says what went wrong."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc, make_url, text

from podium.errors import DataError, FileError, MissingDependency
from podium.store import migrations
from podium.store.fair_lock import FairLock

__all__ = ["Database", "open_database", "postgresql_url", "read_only_options", "sqlite_path"]

_WRITES = "podium_writes"
_MIGRATION_LOCK = 0x706F6469756D  # "podium"; an advisory lock of PostgreSQL has a number
_SQLITE_HEADER = b"SQLite format 3\x00"
_NOT_OURS = (exc.OperationalError, exc.DatabaseError, exc.InternalError)  # locked, full, unreachable, damaged; others are mistakes of ours
_NOT_ALLOWED = "42501"  # PostgreSQL's code for a right that the user lacks
_URL = "postgresql://user:password@host:port/database"
_SQLITE_POOL: dict[str, Any] = {  # no thread waits for a connection: it is a file that is open, and most stay idle
    "pool_size": 40,
    "max_overflow": -1,
    "pool_use_lifo": True,
}
_POSTGRESQL_POOL = {"pool_size": 10, "max_overflow": 10}  # each is a process of the server's, which has 100 for all who use it
_ALMOST_A_URL = re.compile(r"postgres(ql)?(\+\w+)?(:|//)", re.IGNORECASE)


def _machine_time() -> datetime:
    return datetime.now(UTC)


class Database:
    """An open database. ``where`` names it in messages and never holds a password."""

    def __init__(
        self, engine: Engine, where: str, secrets: Sequence[str] = (), *, is_read_only: bool = False, busy_seconds: float = 30.0
    ) -> None:
        self.where, self.is_read_only, self._secrets = where, is_read_only, [secret for secret in secrets if secret]
        self._lock, self._busy_seconds = FairLock(), busy_seconds
        self._engine, self._writer = engine, engine.execution_options(**{_WRITES: True})

    @property
    def is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def __repr__(self) -> str:
        return f"Database({self.where!r})"

    def time(self, connection: Connection) -> datetime:
        """Now, by one clock for all who use the database: that of the server, or of the one machine that SQLite's users share."""
        if self.is_sqlite:
            return _machine_time()
        now: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        return now.astimezone(UTC)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self._problems_named(), self._engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is committed at the end of the block, or undone by an error. SQLite is locked from its beginning.

        A thread that begins another one inside the block would wait for itself in SQLite: an ``AssertionError``.
        """
        self._check_writable()
        with self._turn(), self._problems_named(), self._writer.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """SQLite has one writer at a time. Whoever finds it locked sleeps and tries again, up to 100 ms a time and in no order; threads of
        one process therefore queue here first. PostgreSQL has queues of its own."""
        if not self.is_sqlite:
            yield
            return
        if not self._lock.acquire(seconds=self._busy_seconds):
            problem = f"the database is locked: other threads of this process were writing for {self._busy_seconds:g} s; try again"
            raise FileError(self.where, None, problem)
        try:
            yield
        finally:
            self._lock.release()

    def close(self) -> None:
        self._engine.dispose()

    def prepare(self, *, must_exist: bool = False) -> None:
        """Make an empty database a store, and an older store a store of today; anything else is refused and left as it is.

        An empty one, too, if it ``must_exist``.
        """
        with self._problems_named((*_NOT_OURS, exc.ProgrammingError)):  # as of an option in a URL that PostgreSQL does not know
            with self._engine.connect() as connection:
                self._check_encoding(connection)
                is_current = self._is_current(connection, must_exist=must_exist)
            if self.is_sqlite and not self.is_read_only:
                self._keep_wal()
            if is_current:
                return
            self._check_writable()
            with self._writer.begin() as connection:
                if not self.is_sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATION_LOCK})
                if not self._is_current(connection):  # another process may have done it since
                    migrations.upgrade(connection)

    def _check_writable(self) -> None:
        if self.is_read_only:
            raise FileError(
                self.where, None, "can only be read, as the file or its folder is write-protected; to change it, copy it elsewhere"
            )

    def _check_encoding(self, connection: Connection) -> None:
        if self.is_sqlite:
            return
        driver: Any = connection.connection.driver_connection
        encoding = driver.info.parameter_status("server_encoding")  # the server said so when it was connected to: no question to it
        if encoding not in (None, "UTF8"):
            raise FileError(
                self.where, None, f"must keep its text as UTF8 to be a store, not {encoding}; CREATE DATABASE … ENCODING 'UTF8'"
            )

    def _is_current(self, connection: Connection, *, must_exist: bool = False) -> bool:
        found = migrations.look(connection)
        if must_exist and found.is_empty:
            raise FileError(self.where, None, "is empty, and no store; podium serve and podium label make one")
        if found.problem:
            raise FileError(self.where, None, found.problem)
        return found.is_current

    def _keep_wal(self, patience: float = 30.0) -> None:
        """Write-ahead logging is a property of the file; only a new one lacks it. SQLite does not wait for a lock here, so we do."""
        until = time.monotonic() + patience
        while True:
            try:
                with contextlib.closing(self._engine.raw_connection()) as connection:
                    (mode,) = connection.cursor().execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
                if not is_busy or time.monotonic() > until:
                    raise FileError(self.where, None, f"cannot be opened ({error})") from None
                time.sleep(0.01)
                continue
            if mode != "wal":
                raise FileError(self.where, None, "cannot use write-ahead logging, which a store needs; is it on a network disk?")
            return

    @contextlib.contextmanager
    def _problems_named(self, kinds: tuple[type[exc.DBAPIError], ...] = _NOT_OURS) -> Iterator[None]:
        """Turn what only the database knows into one line that names it; the statement and what was written stay out of it."""
        try:
            yield
        except exc.TimeoutError:
            raise FileError(self.where, None, "too many threads use the store at once: none of its connections became free") from None
        except exc.DBAPIError as error:
            is_not_allowed = getattr(error.orig, "sqlstate", None) == _NOT_ALLOWED
            if type(error) not in kinds and not is_not_allowed:
                raise
            said = " ".join(str(error.orig).split())
            for secret in self._secrets:
                said = said.replace(secret, "***")
            advice = "; its owner can grant the right to read and write its tables" if is_not_allowed else ""
            raise FileError(self.where, None, f"the database says: {said}{advice}") from None


def open_database(place: str | os.PathLike[str], *, busy_seconds: float = 30.0, must_exist: bool = False) -> Database:
    """Open a database by a path (SQLite) or a URL that begins with ``postgresql://``, and make sure that it is a store."""
    if must_exist and "://" not in str(place) and not sqlite_path(place).exists():
        raise FileError(place, None, "there is no such store; podium serve and podium label make one")
    database = _postgresql(str(place)) if "://" in str(place) else _sqlite(sqlite_path(place), busy_seconds)
    try:
        database.prepare(must_exist=must_exist)
    except BaseException:
        database.close()
        raise
    return database


def sqlite_path(place: str | os.PathLike[str]) -> Path:
    """The path of a store in SQLite, whose file is of that kind if it is there."""
    if _ALMOST_A_URL.match(str(place)):  # it may hold a password: not shown, and not the name of a file
        raise DataError(f"a store in PostgreSQL is named by a URL such as {_URL}, got one without ://")
    if str(place) == ":memory:":
        raise DataError("a store is kept in a file, not in memory, got :memory:; name a file such as labels.db")
    _check_file(Path(place))
    return Path(place)


def _sqlite(path: Path, busy_seconds: float) -> Database:
    options = read_only_options(path)
    is_read_only = bool(options)
    _make_private(path)
    query = {"uri": "true", **options} if is_read_only else {}
    name = f"file:{quote(str(path.absolute()))}" if is_read_only else str(path.absolute())
    url = URL.create("sqlite+pysqlite", database=name, query=query)
    engine = create_engine(url, connect_args={"timeout": busy_seconds}, hide_parameters=True, **_SQLITE_POOL)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return Database(engine, str(path), is_read_only=is_read_only, busy_seconds=busy_seconds)


def _make_private(path: Path) -> None:
    """Make a new file that only its owner can read, for SQLite to fill: it and what SQLite puts beside it hold what others must not see."""
    with contextlib.suppress(OSError):  # it is there, or cannot be made, which SQLite will tell
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _has_wal(path: Path) -> bool:
    return Path(f"{path.resolve()}-wal").exists()


def _is_writable(path: Path) -> bool:
    """Whoever writes makes a second file beside the first, if it is not there already."""
    return os.access(path, os.W_OK) and (_has_wal(path) or os.access(path.resolve().parent, os.W_OK))


def read_only_options(path: Path) -> dict[str, str]:
    """How SQLite is told to open a file that is write-protected; nothing if it is not.

    SQLite's documentation, "Write-Ahead Logging", section 5: a reader, too, makes a second file, unless the first is said not to change.
    A second file that was made by someone who may only read would keep the owner from writing.
    """
    if not path.exists() or _is_writable(path):
        return {}
    return {"mode": "ro"} if _has_wal(path) else {"mode": "ro", "immutable": "1"}


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise FileError(path, None, "is a folder; name a file in it, such as labels.db")
    if not path.parent.is_dir():
        raise FileError(path, None, "cannot be made: its folder does not exist")
    try:
        if path.exists():
            with path.open("rb") as file:
                header = file.read(len(_SQLITE_HEADER))
            if header and header != _SQLITE_HEADER:
                raise FileError(path, None, "is not a store but a file of another kind; name a new file, or one that Podium made")
    except OSError as error:
        raise FileError(path, None, f"cannot be opened: {(error.strerror or str(error)).lower()}") from None


# SQLAlchemy's documentation, "Enabling Non-Legacy SQLite Transactional Modes": the driver's own transactions are switched off, as they
# begin too late, and BEGIN is sent when SQLAlchemy begins. IMMEDIATE, since a reader that becomes a writer cannot wait for another one.


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None
    for setting in ("foreign_keys = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get(_WRITES) else "BEGIN")


def postgresql_url(place: str) -> URL:
    """The URL of a store in PostgreSQL, checked; whatever is wrong with it, the password is not shown."""
    try:
        url = make_url(place)
    except (exc.ArgumentError, ValueError):  # their messages may show the password
        raise DataError(f"the URL of the store cannot be understood; write {_URL}, signs such as @ in the password as %40") from None
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise DataError(f"a store is a file or a URL such as {_URL}, got one that begins with {url.drivername}://")
    return url


def _postgresql(place: str) -> Database:
    url = postgresql_url(place)
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingDependency("psycopg", "postgres", "keep a store in PostgreSQL") from None
    url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(
        url,
        pool_pre_ping=True,
        hide_parameters=True,
        use_native_hstore=False,  # to ask the server for it takes time
        isolation_level="READ COMMITTED",  # whoever waited for a row must see what was committed meanwhile
        connect_args={"client_encoding": "utf8"},  # whatever the environment says
        **_POSTGRESQL_POOL,
    )
    event.listen(engine, "connect", _prepare_postgresql)
    host = url.host or url.query.get("host") or "localhost"
    where = f"postgresql://{url.username or ''}@{host}{f':{url.port}' if url.port else ''}/{url.database or ''}"
    return Database(engine, where, [str(url.password or ""), *(str(url.query.get(name, "")) for name in ("password", "sslpassword"))])


def _prepare_postgresql(connection: Any, _: Any) -> None:
    connection.autocommit = True
    # A server may be set to acknowledge before the disk has it.
    connection.execute("SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
    connection.autocommit = False
