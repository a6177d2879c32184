"""Tasks in memory: replayed once, and then told only what was recorded since."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, select

from podium.labelling.questions import Event
from podium.labelling.task import TopK
from podium.store.leases import Lease
from podium.store.rows import EVENT_FIELDS, event_of
from podium.store.tables import EVENTS, INPUTS

__all__ = ["LiveTask", "LiveTasks", "read_events", "read_settings"]

_EVENTS_AFTER = (
    select(*(EVENTS.c[name] for name in EVENT_FIELDS))
    .where(EVENTS.c.task == bindparam("of_task"), EVENTS.c.number > bindparam("after"))
    .order_by(EVENTS.c.number)
)


def read_settings(connection: Connection, number: int) -> dict[str, Any]:
    """What the task was made with, as :meth:`podium.labelling.TopK.settings` says it."""
    settings: dict[str, Any] = json.loads(connection.execute(select(INPUTS.c.settings).where(INPUTS.c.task == number)).scalar_one())
    return settings


def read_events(connection: Connection, number: int, *, after: int = 0) -> list[Event]:
    """The events of a task, in order, from the one that follows number ``after``."""
    rows = connection.execute(_EVENTS_AFTER, {"of_task": number, "after": after})
    return [event_of(row) for row in rows.all()]


class LiveTask:
    """One task as this process last saw it. Whoever uses it holds its lock, and to change it the database's lock on the task too."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._task: TopK | None = None
        self._events = 0

    def catch_up(self, connection: Connection, number: int, events: int) -> TopK:
        """The task with so many events, which the database has; with more, if others recorded some since they were counted."""
        if self._task is None or self._events > events:
            self._task, self._events = TopK(**read_settings(connection, number)), 0
        if self._events < events:
            for event in read_events(connection, number, after=self._events):
                self._task.record(event)
                self._events += 1
        return self._task

    def told(self, events: int) -> None:
        """The task was given events beyond those that were read: it has so many now."""
        self._events = events

    def hold(self, leases: Iterable[Lease]) -> None:
        """Make these, and no others, the task's open questions."""
        assert self._task is not None
        self._task.release_all()
        for lease in leases:
            self._task.hold(lease.question, lease.assessor, lease.seat)

    def forget(self) -> None:
        """Replay it when it is next needed: what it was told may not have been committed."""
        self._task, self._events = None, 0


class LiveTasks:
    """The tasks that were used last, at most so many."""

    def __init__(self, most: int = 2048) -> None:
        self._most, self._lock = most, threading.Lock()
        self._tasks: OrderedDict[int, LiveTask] = OrderedDict()

    def __getitem__(self, number: int) -> LiveTask:
        with self._lock:
            task = self._tasks.setdefault(number, LiveTask())
            self._tasks.move_to_end(number)
            while len(self._tasks) > self._most:  # who still uses one that goes here is kept right by the database's lock
                self._tasks.popitem(last=False)
            return task
