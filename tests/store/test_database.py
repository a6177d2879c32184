"""Opening: what is a store, what is not, and what nobody may see."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect
from tests.store.raw import engine, rows

from podium.errors import DataError, FileError, MissingDependency, PodiumError
from podium.pool import Pool
from podium.store import Store, migrations, open_store, project_tables  # noqa: F401  the tables of projects belong to METADATA once they are imported
from podium.store.database import open_database
from podium.store.rows import EVENT_FIELDS
from podium.store.tables import EVENTS, METADATA, VERSION_TABLE


def test_the_migrations_give_exactly_the_tables_that_the_code_expects(place: str) -> None:
    open_store(place).close()
    with contextlib.closing(engine(place).connect()) as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_server_default": True})
        assert compare_metadata(context, METADATA) == []
        assert sorted(inspect(connection).get_table_names()) == sorted([*METADATA.tables, VERSION_TABLE])


def test_every_field_of_an_event_has_a_column() -> None:
    assert [column.name for column in EVENTS.columns] == ["task", "number", *EVENT_FIELDS]


def test_the_newest_version_is_the_one_the_code_names() -> None:
    assert migrations.scripts().get_heads() == [migrations.HEAD]


def test_a_store_is_opened_again_without_alembic(place: str) -> None:
    open_store(place).close()
    program = "import sys; from podium.store import open_store; open_store(sys.argv[1]).close(); sys.exit('alembic' in sys.modules)"
    subprocess.run([sys.executable, "-c", program, place], check=True)


def test_a_store_of_a_newer_podium_is_refused_and_left_alone(place: str) -> None:
    open_store(place).close()
    rows(place, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(FileError, match=r"made by a newer Podium .*9999.*update Podium"):
        open_store(place)
    assert rows(place, f"SELECT version_num FROM {VERSION_TABLE}") == [("9999",)]


def test_a_database_of_something_else_is_refused_and_left_alone(place: str) -> None:
    rows(place, "CREATE TABLE recipes (name TEXT)")
    before = Path(place).read_bytes() if "://" not in place else b""
    with pytest.raises(FileError, match=r"database of something else, not a store: it has tables \(recipes\)"):
        open_store(place)
    with contextlib.closing(engine(place).connect()) as connection:
        assert inspect(connection).get_table_names() == ["recipes"]
    if before:
        assert Path(place).read_bytes() == before
        assert [path.name for path in Path(place).parent.iterdir()] == [Path(place).name]


def test_a_store_that_must_exist_is_not_made(place: str) -> None:
    is_file = "://" not in place
    with pytest.raises(FileError, match="there is no such store" if is_file else "is empty, and no store"):
        open_store(place, must_exist=True)
    if is_file:
        assert not Path(place).exists()
        Path(place).touch()
        with pytest.raises(FileError, match="is empty, and no store; podium serve and podium label make one"):
            open_store(place, must_exist=True)
        assert [(path.name, path.read_bytes()) for path in Path(place).parent.iterdir()] == [(Path(place).name, b"")]
    with contextlib.closing(engine(place).connect()) as connection:
        assert inspect(connection).get_table_names() == []
    open_store(place).close()
    open_store(place, must_exist=True).close()


def test_a_migration_that_fails_leaves_nothing(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("podium.store.tables.VERSION_TABLE", "elsewhere")
        patched.setattr("podium.store.migrations.upgrade", _half_an_upgrade)
        with pytest.raises(RuntimeError, match="power cut"):
            open_store(place)
    with contextlib.closing(engine(place).connect()) as connection:
        assert inspect(connection).get_table_names() == []
    with open_store(place) as store:
        assert store.tasks() == []


_upgrade = migrations.upgrade


def _half_an_upgrade(connection: object) -> None:
    _upgrade(connection)  # type: ignore[arg-type]
    raise RuntimeError("power cut")


# ---- SQLite ----


@pytest.mark.parametrize(
    "content", [b"not a database\n", b"SQLite format 3", b"\x1f\x8b", b"SQLite format 3\x00 and then nothing of the kind" * 99]
)
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"notes\.txt: (is not a store|the database says: file is not a database)"):
        open_store(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_file_becomes_a_store(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "labels.db"
    path.touch()
    with open_store(path) as store:
        store.add(pool)
    with open_store(path) as store:
        assert [task.query_id for task in store.tasks()] == [pool.query_id]


def test_a_folder_and_a_file_in_no_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"):
        open_store(tmp_path)
    with pytest.raises(FileError, match="its folder does not exist"):
        open_store(tmp_path / "no" / "labels.db")
    assert list(tmp_path.iterdir()) == []


def test_a_new_store_waits_for_a_lock_and_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(FileError, match=r"labels\.db: .*database is locked"):
            open_store(path, busy_seconds=0.01)


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    with contextlib.closing(open_database(tmp_path / "labels.db", busy_seconds=12)) as database, database.reading() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert settings == ["wal", 2, 1, 12_000]  # 2 is FULL


def test_a_writer_locks_sqlite_from_the_beginning_and_readers_go_on(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    with contextlib.closing(open_database(path)) as one, contextlib.closing(open_database(path, busy_seconds=0.01)) as other:
        with one.writing():
            with other.reading() as connection:
                assert connection.exec_driver_sql("SELECT COUNT(*) FROM tasks").scalar() == 0
            with pytest.raises(FileError, match=r"labels\.db: the database says: database is locked"), other.writing():
                raise AssertionError("two writers at once")
        with other.writing():
            pass


def test_a_damaged_store_is_an_error_that_names_it(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "labels.db"
    with open_store(path) as store:
        store.add(pool)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(FileError, match=r"labels\.db: the database says: .*malformed"), open_store(path) as store:
        store.tasks()


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "labels.db"
    with open_store(path) as store:
        number = store.add(pool)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TRIGGER full BEFORE INSERT ON leases BEGIN SELECT RAISE(ABORT, 'full'); END")
        with pytest.raises(Exception, match="full"):
            store.ask(number)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TRIGGER full")
        assert store.ask(number) is not None


@pytest.mark.parametrize("name", ["a b.db", "ü?x=1#%20.db", "file:x.db", "postgresql.db", "memory"])
def test_any_name_of_a_file_is_that_file(tmp_path: Path, name: str, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store(name) as store:
        store.add(pool)
        assert name in os.listdir()  # noqa: PTH208
        assert repr(store) == f"Store({name!r})"
    with open_store(Path(name)) as store:
        assert len(store.tasks()) == 1


def test_a_store_in_memory_is_refused_and_no_file_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"kept in a file, not in memory, got :memory:; name a file such as labels\.db"):
        open_store(":memory:")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(params=["file", "file and folder"])
def write_protected(request: pytest.FixtureRequest, tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store with one task; protected also from root, whom the rights of a file do not bind."""
    folder = tmp_path / "ü #1"
    folder.mkdir()
    path = folder / "labels.db"
    with open_store(path) as store:
        store.add(pool)
    protected = [path] if request.param == "file" else [path, folder]
    monkeypatch.setattr("os.access", lambda what, _: Path(what) not in protected)
    for each in protected:
        each.chmod(0o444 if each is path else 0o555)
    yield path
    folder.chmod(0o755)


def test_a_write_protected_store_can_be_looked_at_and_is_not_changed(write_protected: Path, pool: Pool) -> None:
    before = write_protected.read_bytes()
    with open_store(write_protected) as store:
        assert store.pool(1) == pool
        assert store.events(1) == []
        assert store.about_left(1) > 0
        calls: list[Callable[[], object]] = [lambda: store.ask(1), lambda: store.add(pool, name="new"), lambda: store.release(1)]
        for call in calls:
            with pytest.raises(FileError, match=r"labels\.db: can only be read, as .* write-protected; to change it, copy it"):
                call()
        with store.database.reading() as connection, pytest.raises(Exception, match="readonly database"):
            connection.exec_driver_sql("DELETE FROM tasks")
        assert list(write_protected.parent.iterdir()) == [
            write_protected
        ]  # a second file of the reader's would keep the owner from writing
    assert write_protected.read_bytes() == before


def test_a_write_protected_file_that_is_no_store_yet_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labels.db"
    path.touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(FileError, match=r"labels\.db: can only be read"):
        open_store(path)
    assert path.read_bytes() == b""


def test_the_last_answers_of_a_write_protected_store_are_seen_while_another_has_it_open(
    tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labels.db"
    with open_store(path) as writer:
        number = writer.add(pool)
        monkeypatch.setattr("os.access", lambda *_: False)
        with open_store(path) as reader:
            for place in range(2):
                asked = writer.ask(number)
                assert asked is not None
                writer.answer(number, asked.token, "left")
                assert len(reader.events(number)) == place + 1


# ---- PostgreSQL ----

SECRET = "s3cr3t%40word"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{SECRET}@localhost:1/labels",
        f"postgresql://ann:{SECRET}@localhost:port/labels",
        f"postgresql://ann:{SECRET}@[::1/labels",
        f"postgresql://ann:{SECRET}@no.such.host.invalid/labels?sslpassword={SECRET}",
        f"postgresql://ann@localhost:1/labels?password={SECRET}",
        f"postgresql://ann:{SECRET}@localhost:1/labels?{SECRET}=1",
        f"mysql://ann:{SECRET}@localhost/labels",
        f"postgresql+nodriver://ann:{SECRET}@localhost:1/labels",
        f"://ann:{SECRET}@localhost:1/labels",
        f"postgresql:ann:{SECRET}@localhost:1/labels",
        f"postgresql//ann:{SECRET}@localhost:1/labels",
    ],
)
def test_a_password_is_never_shown(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "2")
    with pytest.raises(PodiumError) as caught:
        open_store(url)
    error: BaseException | None = caught.value
    while error is not None:
        for secret in (SECRET, SECRET.replace("%40", "@"), "s3cr3t"):
            assert secret not in f"{error} {error!r}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_a_store_says_where_it_is_without_the_password(postgresql: object, new_place: object) -> None:
    place = new_place("postgresql")  # type: ignore[operator]
    with open_store(place.replace("postgres:@", f"postgres:{SECRET}@")) as store:
        assert store.where.startswith("postgresql://postgres@")
        assert "s3cr3t" not in store.where + repr(store) + repr(store.database)
        assert repr(store).startswith("Store('postgresql://postgres@")
        with pytest.raises(DataError, match="has no task 3") as caught:
            store.info(3)
        assert "s3cr3t" not in str(caught.value)


def test_a_server_that_acknowledges_too_early_is_told_not_to(new_place: object) -> None:
    place = new_place("postgresql")  # type: ignore[operator]
    for careless, careful in (("off", "on"), ("local", "local")):
        with (
            contextlib.closing(open_database(f"{place}%20-csynchronous_commit%3D{careless}")) as database,
            database.writing() as connection,
        ):
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == careful


def test_a_connection_that_was_cut_is_opened_anew(new_place: object, pool: Pool) -> None:
    place = new_place("postgresql")  # type: ignore[operator]
    with open_store(place) as store:
        number = store.add(pool)
        rows(place, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        asked = store.ask(number)
        assert asked is not None
        store.answer(number, asked.token, "left")


@pytest.mark.parametrize(
    "place", ["postgresql:geheim@host", "postgres:geheim@host", "PostgreSQL:/geheim", "postgresql+psycopg:geheim", "postgresql//geheim/x"]
)
def test_half_a_url_is_refused_and_no_file_made(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for each in [place, *([Path(place)] if ":" in place else [])]:  # as a path, two strokes are one
        with pytest.raises(DataError, match="URL such as postgresql://user:password@host:port/database, got one without ://") as caught:
            open_store(each)
        assert "geheim" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("default", ["repeatable%5C%20read", "serializable"])
def test_a_server_whose_default_is_a_stricter_isolation_is_told_ours(new_place: Callable[[str], str], default: str) -> None:
    place = f"{new_place('postgresql')}%20-cdefault_transaction_isolation%3D{default}"
    assert rows(place, "SHOW default_transaction_isolation") == [(default.replace("%5C%20", " "),)]
    with contextlib.closing(open_database(place)) as database:
        for kind in (database.writing, database.reading):
            with kind() as connection:
                assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"


def test_text_is_sent_as_utf8_whatever_the_environment_says(
    new_place: Callable[[str], str], pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with open_store(new_place("postgresql")) as store:
        assert store.info(store.add(pool, name="名")).name == "名"


def test_a_database_that_is_not_in_utf8_is_refused_and_left_alone(postgresql: Any) -> None:
    with psycopg.connect(postgresql.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    place = postgresql.get_uri(database="latin")
    with pytest.raises(FileError, match="/latin: must keep its text as UTF8 to be a store, not LATIN1; CREATE DATABASE") as caught:
        open_store(place)
    assert "\n" not in str(caught.value)
    assert rows(place, "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_a_user_without_the_right_to_write_may_look_and_is_told_in_one_line(new_place: Callable[[str], str], pool: Pool) -> None:
    place, empty = new_place("postgresql"), new_place("postgresql")
    with open_store(place) as store:
        number = store.add(pool)
    rows(place, "CREATE ROLE reader LOGIN")
    for each in (place, empty):
        schema = each.rpartition("%3D")[2]
        rows(each, f"GRANT USAGE ON SCHEMA {schema} TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader")
    with open_store(place.replace("postgres:@", "reader:@")) as store:
        assert store.pool(number) == pool
        calls: list[Callable[[], object]] = [lambda: store.ask(number), lambda: store.add(pool, name="new"), lambda: store.release(number)]
        for call in calls:
            with pytest.raises(
                FileError, match=r"^postgresql://reader@.*: permission denied for .*; its owner can grant the right"
            ) as caught:
                call()
            assert "\n" not in str(caught.value)
    with pytest.raises(FileError, match=r"^postgresql://reader@.*permission denied for .*; its owner can grant the right"):
        open_store(empty.replace("postgres:@", "reader:@"))


# ---- the clock ----


def test_time_is_told_by_the_server_of_postgresql_and_by_the_machine_for_sqlite(
    place: str, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = datetime(2001, 2, 3, tzinfo=UTC)
    monkeypatch.setattr("podium.store.database._machine_time", lambda: slow)
    is_sqlite = "://" not in place
    earliest = slow if is_sqlite else rows(place, "SELECT clock_timestamp()")[0][0]
    with open_store(place) as store:
        number = store.add(pool)
        asked = store.ask(number)
        assert asked is not None
        times = [
            asked.opened_at,
            *(datetime.fromisoformat(each.at) for each in (store.answer(number, asked.token, "left"), store.undo(number))),
        ]
    latest = slow if is_sqlite else rows(place, "SELECT clock_timestamp()")[0][0]
    assert [earliest, *times, latest] == sorted([earliest, *times, latest])
    assert asked.opened_at.tzinfo is UTC


# ---- what is not installed ----


def test_a_driver_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingDependency, match=r"psycopg is needed to keep a store in PostgreSQL; .* 'podium\[postgres\]'"):
        open_store("postgresql://localhost/labels")


def test_a_store_is_closed_at_the_end_of_its_block(store: Store, pool: Pool) -> None:
    with store as same:
        assert same is store
    assert store.database._engine.pool.checkedin() == 0
