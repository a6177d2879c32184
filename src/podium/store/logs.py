"""Logs as JSONL: a task with its documents and everything that was answered, to be read anywhere and taken up again in any store.

The first line tells what the task was made from, every other line is an event::

    {"podium": "task", "version": 1, "name": "7", "pool": {"query_id": "7", ...}, "settings": {"k": 10, ...}}
    {"action": "answer", "left": "d2", "right": "d1", "answer": "left", "assessor": "ann", ...}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from podium.errors import DataError, FileError, PodiumError
from podium.labelling.questions import Event
from podium.labelling.task import TopK
from podium.pool import Pool
from podium.store.rows import pool_from, pool_to
from podium.store.store import Store

__all__ = ["export_log", "import_log"]

_Path = str | os.PathLike[str]
_VERSION = 1


def export_log(store: Store, number: int, path: _Path) -> None:
    """Write a task and its log as JSONL; the file appears whole or not at all, compressed if it ends so (``.gz``)."""
    from podium.sources.streams import atomic_file  # with it comes Numba, which a store has no use for otherwise

    head = {"podium": "task", "version": _VERSION, "name": store.info(number).name}
    head |= {"pool": pool_to(store.pool(number)), "settings": store.settings(number)}
    with atomic_file(path) as file:
        for line in (head, *(event.to_dict() for event in store.events(number))):
            file.write(json.dumps(line).encode() + b"\n")


def import_log(store: Store, path: _Path, *, name: str | None = None) -> int:
    """Take up the task of a file that :func:`export_log` wrote, and return its number; ``name`` gives it another name.

    If the store has the task already, only the events that it lacks are added: importing a file twice changes nothing. A file in which
    anything is wrong is refused as a whole.
    """
    from podium.sources.lines import json_lines

    lines = json_lines(path)
    named, pool, task = _head(path, lines)
    for line, values in lines:
        try:
            event, before = Event.from_dict(values), len(task.log)
            if task.record(event) <= before:
                raise DataError(f"the key {event.key!r} occurs twice")
        except PodiumError as error:
            raise FileError(path, line, str(error)) from None
    settings = {key: value for key, value in task.settings().items() if key != "items"}
    number = store.add(pool, **{**settings, "name": named if name is None else name})
    store.extend(number, task.log)
    return number


def _head(path: _Path, lines: Iterator[tuple[int, dict[str, Any]]]) -> tuple[str, Pool, TopK]:
    line, head = next(lines, (1, {}))
    if head.get("podium") != "task":
        raise FileError(path, line, 'must begin with a line {"podium": "task", ...}; is it a log that Podium exported?')
    if head.get("version") != _VERSION:
        raise FileError(path, line, f"must be of version {_VERSION}, the newest this Podium knows", got=str(head.get("version")))
    try:
        return _name(head), (pool := pool_from(head.get("pool"))), _task(head, pool)
    except PodiumError as error:
        raise FileError(path, line, str(error)) from None


def _name(head: Mapping[str, Any]) -> str:
    if not isinstance(head.get("name"), str):
        raise DataError(f"field 'name' must be text, got {head.get('name')!r}")
    return str(head["name"])


def _task(head: Mapping[str, Any], pool: Pool) -> TopK:
    settings = head.get("settings")
    if not isinstance(settings, dict) or {"log", "self"} & set(settings):
        raise DataError(f"field 'settings' must be those of a task, got {settings!r}")
    if settings.get("items") != list(pool.items):
        raise DataError("the items of the settings must be the documents of the pool, in the same order")
    try:
        return TopK(**settings)
    except TypeError as error:  # a number where a list should be
        raise DataError(f"field 'settings' cannot be understood ({error})") from None
