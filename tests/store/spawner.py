"""Forks workers on demand from a process that has everything loaded, so that killing and replacing one costs little.

Reads one JSON object a line, forks a child that does it, and writes the child's process id. A child opens the store itself: connections
must not be shared across a fork.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from typing import Any

import psycopg  # noqa: F401  so that no child has to load it
import sqlalchemy.dialects.postgresql.psycopg
import sqlalchemy.dialects.sqlite.pysqlite  # noqa: F401

from podium.store import Store, open_store


def better(left: str, right: str) -> str:
    """The oracle: the smaller id is better."""
    return "left" if left < right else "right"


def label(place: str, slot: int, acknowledged: str, seed: int) -> None:
    """Answer questions of the first unfinished task for ever; note each answer after the store has acknowledged it."""
    chance = random.Random(seed)
    notes = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open_store(place) as store:
        while True:
            for task in [info.number for info in store.tasks() if not info.is_finished][:2]:
                _answer_one(store, task, f"assessor {slot}", notes, chance)


def _answer_one(store: Store, task: int, assessor: str, notes: int, chance: random.Random) -> None:
    asked = store.ask(task, assessor)
    if asked is None:
        time.sleep(0.002)
        return
    said = better(asked.question.left, str(asked.question.right))
    for _ in range(1 + (chance.random() < 0.2)):  # now and then the same answer is sent twice
        event = store.answer(task, asked.token, said, assessor=assessor)
    os.write(notes, f"{json.dumps([task, event.to_dict()])}\n".encode())


def answer(place: str, task: int, token: str, said: str, at: float, result: str) -> None:
    """Answer one token at a given moment."""
    with open_store(place) as store:
        store.info(task)
        time.sleep(max(0.0, at - time.time()))
        event = store.answer(task, token, said, assessor="ann")
    _write(result, event.to_dict())


def make(place: str, at: float, result: str) -> None:
    """Open a store that is perhaps not there yet, at a given moment."""
    time.sleep(max(0.0, at - time.time()))
    with open_store(place) as store:
        _write(result, len(store.tasks()))


def _write(path: str, value: Any) -> None:
    with open(path, "w") as file:  # noqa: PTH123
        json.dump(value, file)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(0)
            os.close(1)  # who waits for the end of this output does not wait for the children
            globals()[order.pop("do")](**order)
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
