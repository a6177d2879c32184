"""Opening: what is a store, what is not, and what nobody may see."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect
from tests.store.raw import engine, rows

from podium.errors import DataError, FileError, MissingDependency, PodiumError
from podium.pool import Pool
from podium.store import Store, migrations, open_store
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


@pytest.mark.parametrize("name", ["a b.db", "ü?x=1#%20.db", "file:x.db", ":memory:"])
def test_any_name_of_a_file_is_that_file(tmp_path: Path, name: str, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store(name) as store:
        store.add(pool)
        assert name in os.listdir()  # noqa: PTH208
        assert repr(store) == f"Store({name!r})"
    with open_store(Path(name)) as store:
        assert len(store.tasks()) == 1


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
        assert "s3cr3t" not in repr(store) + repr(store._database)
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


# ---- what is not installed ----


def test_a_driver_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingDependency, match=r"psycopg is needed to keep a store in PostgreSQL; .* 'podium\[postgres\]'"):
        open_store("postgresql://localhost/labels")


def test_a_store_is_closed_at_the_end_of_its_block(store: Store, pool: Pool) -> None:
    with store as same:
        assert same is store
    assert store._database._engine.pool.status().startswith("Pool size: 5  Connections in pool: 0")
