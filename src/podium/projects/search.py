"""The search for a member's next question, over the tasks that they may work on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial

from podium.projects.choosing import Beaten, Candidate, claim, find_candidates, in_order
from podium.projects.facts import Member
from podium.projects.history import History
from podium.store.store import Asked, Store

__all__ = ["Found", "Search"]

_MOST = 200_000  # tasks without a question that are remembered, over all members


@dataclass(frozen=True)
class Found:
    """A question, and the task it is of."""

    candidate: Candidate
    asked: Asked


class Search:
    """Finds questions, and remembers where there are none: by votes, a member waits for others in every query that they have voted on."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._barren: OrderedDict[tuple[int, int, bool], int] = OrderedDict()  # a member, a task: no question at so many events

    def find(self, member: Member, history: History, now: str) -> tuple[Found | None, bool]:
        """The question of the first task, in order, that has one for the member; and whether some task is not finished.

        What the member set aside is put again only when no task has anything else for them, that of the task they left longest ago first.
        """
        with self._store.database.reading() as connection:
            candidates = find_candidates(connection, member, now)
        with history.lock:
            last, has_skips, turns = history.last_task, history.has_skips, history.turns()
        order, was_beaten = in_order(candidates, last), False
        for candidate in order:
            try:
                asked = (
                    self._take(member, candidate, now) if candidate.is_free else self._ask(member, candidate, with_skipped=not has_skips)
                )
            except Beaten:
                was_beaten = True
                continue
            if asked is not None:
                return Found(candidate, asked), True
        if was_beaten:  # what is free and what is not has changed meanwhile
            return self.find(member, history, now)
        for candidate in sorted(order, key=lambda each: turns.get(each.task, -1)) if has_skips else ():
            if not candidate.is_free and (asked := self._ask(member, candidate, with_skipped=True)) is not None:
                return Found(candidate, asked), True
        return None, bool(candidates)

    def _take(self, member: Member, candidate: Candidate, now: str) -> Asked | None:
        """Ask the first question of a free copy, which is the member's from then on."""
        return self._store.ask(candidate.task, member.name, before=partial(claim, member=member, task=candidate.task, now=now))

    def _ask(self, member: Member, candidate: Candidate, *, with_skipped: bool) -> Asked | None:
        """The question of a task; most that have none are known without a look, and none is written to for a look."""
        key = member.number, candidate.task, with_skipped
        if not candidate.is_mine:
            if self._barren.get(key) == candidate.events:
                return None
            look = self._store.look(candidate.task, member.name, with_skipped=with_skipped)
            if not look.has_question:
                if not look.is_held:  # what others hold they may give back, and no event tells of it
                    self._remember(key, look.events)
                return None
        return self._store.ask(candidate.task, member.name, with_skipped=with_skipped)

    def _remember(self, key: tuple[int, int, bool], events: int) -> None:
        with self._lock:
            self._barren[key] = events
            self._barren.move_to_end(key)
            while len(self._barren) > _MOST:
                self._barren.popitem(last=False)
