"""The server killed without warning, again and again, under load: what it acknowledged is there, once, and assessors simply go on."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from benchmarks.serve_client import Connection, free_port
from tests.databases import new_place, postgresql  # noqa: F401
from tests.kills import IS_WHOLE, kills

from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings
from podium.projects.office import open_office

_ASSESSORS, _DOCUMENTS, _K = 6, 40, 10


@dataclass
class Load:
    """What the assessors were told: every token that was acknowledged, with its answer, and how often the server was gone."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    lost_contacts: int = 0
    is_over: bool = False


def make_project(place: str, queries: int) -> tuple[int, list[str]]:
    documents = tuple(Document(f"d{item:02d}", text=f"text {item}") for item in range(_DOCUMENTS))
    pools = [Pool(f"q{number}", "which?", documents) for number in range(queries)]
    with open_office(place) as office:
        project = office.projects.create("killed", ProjectSettings(k=_K), pools).number
        tokens = []
        for number in range(_ASSESSORS):
            person = office.people.add(f"assessor {number}", "judge")
            office.projects.add_member(project, person.number, "judge")
            tokens.append(office.people.token(person.number, role="judge", project=project)[0])
    return project, tokens


async def persist(load: Load, connection: Connection, method: str, path: str, body: dict[str, object]) -> dict[str, object] | None:
    """Send the same request until the server answers it, as the page does; None when the test is over."""
    while not load.is_over:
        try:
            reply = await connection.call(method, path, body)
        except OSError:
            load.lost_contacts += 1
            await asyncio.sleep(0.02)
            continue
        if reply.status == 429 or reply.status >= 502:
            await asyncio.sleep(0.05)
            continue
        assert reply.status == 200, reply.body
        return dict(reply.json())
    return None


async def judge(load: Load, port: int, project: int, token: str, number: int) -> None:
    connection, base = Connection(port, f"Bearer {token}"), f"/api/v1/projects/{project}"
    offer = await persist(load, connection, "POST", f"{base}/next", {"desk": f"desk {number}"})
    while offer is not None:
        question = offer["question"]
        if not isinstance(question, dict):  # others hold what is left
            await asyncio.sleep(0.05)
            offer = await persist(load, connection, "POST", f"{base}/next", {"desk": f"desk {number}"})
            continue
        answer = "left" if question["left"]["id"] < question["right"]["id"] else "right"
        said = {"task": question["task"], "token": question["token"], "answer": answer, "seconds": 0.0, "desk": f"desk {number}"}
        offer = await persist(load, connection, "POST", f"{base}/answers", said)
        if offer is not None:
            load.acknowledged[question["token"]] = answer
    connection.close()


async def judge_all(load: Load, port: int, project: int, tokens: list[str]) -> None:
    await asyncio.gather(*(judge(load, port, project, token, number) for number, token in enumerate(tokens)))


def start(place: str, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "podium", "serve", "--store", place, "--port", str(port)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(is_so: Callable[[], bool], patience: float = 120.0) -> None:
    until = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < until, "the server did not come back, or nobody went on"
        time.sleep(0.005)


@pytest.mark.parametrize(("kind", "most", "seed"), [("sqlite", 25, 0), ("postgresql", 15, 1), *([("sqlite", 25, 2)] if IS_WHOLE else [])])
def test_nothing_acknowledged_is_lost_when_the_server_is_killed_under_load(
    new_place: Callable[[str], str],  # noqa: F811
    kind: str,
    most: int,
    seed: int,
) -> None:
    place, port, draw, load = new_place(kind), free_port(), random.Random(seed), Load()
    number = kills(most)
    project, tokens = make_project(place, queries=number + 60)
    process = start(place, port)
    assessors = threading.Thread(target=lambda: asyncio.run(judge_all(load, port, project, tokens)))
    assessors.start()
    try:
        for _ in range(number):
            before = len(load.acknowledged)
            enough = before + draw.randint(3, 40)
            wait_for(lambda enough=enough: len(load.acknowledged) >= enough)  # type: ignore[misc]
            kill(process)
            process = start(place, port)
        enough = max(len(load.acknowledged) + 50, _ASSESSORS * 4 * _DOCUMENTS)  # and somebody has finished a task
        wait_for(lambda: len(load.acknowledged) >= enough)  # they went on after the last restart, on the same connections' terms
    finally:
        load.is_over = True
        assessors.join(timeout=60)
        kill(process)
    assert not assessors.is_alive()
    assert load.lost_contacts >= number
    check_logs(place, load)


def check_logs(place: str, load: Load) -> None:
    with open_office(place) as office:
        tasks = office.store.tasks()
        logs = [office.store.events(task.number) for task in tasks]
        events = [event for log in logs for event in log]
        keys = Counter(event.key for event in events)
        assert max(keys.values()) == 1, "an answer was recorded twice"
        said = {event.key: event.answer for event in events}
        assert {token: said.get(token) for token in load.acknowledged} == load.acknowledged
        assert len(events) - len(load.acknowledged) <= _ASSESSORS  # what was under way at the end: before, all was sent until it was heard
        judged = [(number, event.question.pair, event.assessor) for number, log in enumerate(logs) for event in log]
        assert len(judged) == len(set(judged)), "somebody judged a pair twice"
        finished = [office.store.result(task.number).top for task in tasks if task.is_finished]
    assert finished
    assert all(top == tuple(f"d{item:02d}" for item in itertools.islice(itertools.count(), _K)) for top in finished)
