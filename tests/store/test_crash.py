"""What many processes do to one store at once, and what is left when they are killed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.store.raw import rows

from podium.labelling import Event
from podium.pool import Document, Pool
from podium.store import Store, open_store

N_WORKERS, N_KILLS = 8, 200


class Spawner:
    """The process that forks workers; see spawner.py."""

    def __init__(self) -> None:
        program = [sys.executable, str(Path(__file__).with_name("spawner.py"))]
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, do: str, **order: Any) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **order}) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with contextlib.closing(Spawner()) as spawner:
        yield spawner


def big_pool(number: int) -> Pool:
    return Pool(f"q{number}", "query", tuple(Document(f"d{item:02d}", text="text") for item in range(40)))


def add_work(store: Store, least: int = 3) -> None:
    tasks = store.tasks()
    for number in range(len(tasks), len(tasks) + least - sum(not task.is_finished for task in tasks)):
        store.add(big_pool(number), k=8, strategy=("adaptive", "heap", "tournament", "insertion")[number % 4], seed=number)


def finish(store: Store, number: int) -> None:
    """Answer what is left, in the name of those who were killed: their questions are still held for them."""
    while not store.info(number).is_finished:
        for slot in range(N_WORKERS):
            asked = store.ask(number, f"assessor {slot}")
            if asked is not None:
                said = "left" if asked.question.left < str(asked.question.right) else "right"
                store.answer(number, asked.token, said, assessor=f"assessor {slot}")


def test_what_was_acknowledged_survives_200_kills_exactly_once_and_every_task_ends_right(
    place: str, tmp_path: Path, spawner: Spawner
) -> None:
    chance = random.Random(5)
    notes = [tmp_path / f"acknowledged-{slot}" for slot in range(N_WORKERS)]

    def start(slot: int) -> int:
        return spawner.start("label", place=place, slot=slot, acknowledged=str(notes[slot]), seed=chance.randrange(2**32))

    with open_store(place) as store:
        add_work(store)
        workers = [start(slot) for slot in range(N_WORKERS)]
        try:
            for kill in range(N_KILLS):
                _await_more_than(kill, notes)  # they get to work between the kills, however slow the machine
                time.sleep(chance.uniform(0, 0.06))
                slot = chance.randrange(N_WORKERS)
                os.kill(workers[slot], signal.SIGKILL)  # fails if it is gone already: a worker that met an error
                workers[slot] = start(slot)
                add_work(store)
        finally:
            for worker in workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
        _await_the_end_of(workers)
        acknowledged = [json.loads(line) for path in notes if path.exists() for line in path.read_text().splitlines()]
        logs = {task.number: store.events(task.number) for task in store.tasks()}
        assert len(acknowledged) >= N_KILLS
        for number, event in acknowledged:
            assert logs[number].count(Event.from_dict(event)) == 1
        for number, log in logs.items():
            finish(store, number)
            ended = store.events(number)
            assert ended[: len(log)] == log
            assert len({event.key for event in ended}) == len(ended)
            assert store.result(number).top == tuple(f"d{item:02d}" for item in range(8))
            assert store.info(number).events == len(ended)  # the counters were committed with the events
            assert rows(place, f"SELECT number FROM events WHERE task = {number} ORDER BY number") == [(n + 1,) for n in range(len(ended))]


def _await_more_than(lines: int, notes: list[Path]) -> None:
    until = time.monotonic() + 60
    while sum(path.read_bytes().count(b"\n") for path in notes if path.exists()) <= lines:
        assert time.monotonic() < until, "nobody gets an answer acknowledged any more"
        time.sleep(0.002)


def _await_the_end_of(processes: list[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.kill(process, 0)
                time.sleep(0.005)


def test_a_token_that_two_processes_send_at_once_is_recorded_once_and_acknowledged_to_both(
    place: str, tmp_path: Path, spawner: Spawner
) -> None:
    with open_store(place) as store:
        number = store.add(big_pool(1), k=8)
        for turn in range(5):
            asked = store.ask(number, "ann")
            assert asked is not None
            results = [tmp_path / f"{turn}-{process}" for process in range(2)]
            order = {"place": place, "task": number, "token": asked.token, "said": "left", "at": time.time() + 0.15}
            for result in results:
                spawner.start("answer", result=str(result), **order)
            first, second = [_awaited(result) for result in results]
            assert first == second == store.events(number)[turn].to_dict()
            assert len(store.events(number)) == turn + 1


def test_a_new_store_can_be_opened_by_many_processes_at_once(place: str, tmp_path: Path, spawner: Spawner) -> None:
    at = time.time() + 0.1
    results = [tmp_path / str(process) for process in range(N_WORKERS)]
    for result in results:
        spawner.start("make", place=place, at=at, result=str(result))
    assert [_awaited(result) for result in results] == [0] * N_WORKERS


def _awaited(path: Path) -> Any:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(OSError, ValueError):
            return json.loads(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"the process that should write {path.name} did not")
