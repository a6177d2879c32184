"""What was judged in each task, counted. A task is read again only when its log has grown, so that watching a project costs little."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, select

from podium.labelling.log import standing
from podium.labelling.questions import Event
from podium.projects.rows import pools_of
from podium.store.live import read_events
from podium.store.project_tables import PROJECT_TASKS
from podium.store.store import Store
from podium.store.tables import TASKS

__all__ = ["MOST_TIMES", "Share", "Tallies", "Tally", "tallies_of"]

MOST_TIMES = 2000  # of an assessor's answers, the last ones: enough for a median
_MOST = 20_000  # tasks and queries of which something is remembered


@dataclass(frozen=True)
class Share:
    """What one assessor did in one task: answers that stand, by day; how long the last of them took; when the last was given."""

    by_day: Mapping[str, int]
    seconds: Sequence[float]
    last_at: str

    @property
    def judgments(self) -> int:
        return sum(self.by_day.values())


@dataclass(frozen=True)
class Tally:
    """What a log of so many events comes to, by assessor."""

    events: int
    shares: Mapping[str, Share]


def tally(events: Sequence[Event]) -> Tally:
    """Count the answers that stand.

    >>> log = [Event(left="a", right="b", answer="left", assessor="ann", at="2026-11-16T09:00:00+00:00"), Event("undo", target=1)]
    >>> tally(log[:1]).shares["ann"].judgments, tally(log).shares
    (1, {})
    """
    answers: dict[str, list[Event]] = {}
    for event in standing(events):
        if event.action == "answer":
            answers.setdefault(event.assessor, []).append(event)
    return Tally(len(events), {assessor: _share(own) for assessor, own in answers.items()})


def _share(answers: Sequence[Event]) -> Share:
    by_day: dict[str, int] = {}
    for event in answers:
        by_day[event.at[:10]] = by_day.get(event.at[:10], 0) + 1
    seconds = [event.seconds for event in answers if event.seconds is not None]
    return Share(by_day, tuple(seconds[-MOST_TIMES:]), max(event.at for event in answers))


class Tallies:
    """What this process has counted in one store. Threads may share it: at worst they count the same twice."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tallies: OrderedDict[int, Tally] = OrderedDict()
        self._left: OrderedDict[int, tuple[int, int]] = OrderedDict()  # at how many events, about how many are left
        self._queries: OrderedDict[tuple[int, str], str] = OrderedDict()

    def of(self, connection: Connection, project: int) -> dict[int, Tally]:
        """The tally of each task of a project."""
        counts = select(TASKS.c.number, TASKS.c.events).join(PROJECT_TASKS, PROJECT_TASKS.c.task == TASKS.c.number)
        found = {}
        for task, events in connection.execute(counts.where(PROJECT_TASKS.c.project == project)).all():
            known = self._tallies.get(task)
            if known is None or known.events != events:
                known = tally(read_events(connection, task)) if events else Tally(0, {})
                self._keep(self._tallies, task, known)
            found[task] = known
        return found

    def about_left(self, store: Store, task: int, events: int) -> int:
        """About how many judgments a task of so many events still needs."""
        known = self._left.get(task)
        if known is None or known[0] != events:
            known = (events, store.about_left(task))
            self._keep(self._left, task, known)
        return known[1]

    def queries(self, connection: Connection, project: int, query_ids: Iterable[str]) -> dict[str, str]:
        """The texts of queries, which never change; they stand among their documents, which take long to read."""
        query_ids = list(query_ids)
        if new := [query_id for query_id in query_ids if (project, query_id) not in self._queries]:
            texts = {query_id: pool.query for query_id, pool in pools_of(connection, project, new).items()}
            for query_id, text in texts.items():
                self._keep(self._queries, (project, query_id), text)
        else:
            texts = {}
        return {query_id: texts.get(query_id) or self._queries.get((project, query_id), "") for query_id in query_ids}

    def _keep(self, kept: OrderedDict[Any, Any], key: object, value: object) -> None:
        with self._lock:
            kept[key] = value
            while len(kept) > _MOST:
                kept.popitem(last=False)


def tallies_of(store: Store) -> Tallies:
    """The tallies of a store, which go when it goes."""
    return _tallies_of(weakref.ref(store))


@lru_cache(maxsize=64)
def _tallies_of(_: weakref.ref[Store]) -> Tallies:
    return Tallies()
