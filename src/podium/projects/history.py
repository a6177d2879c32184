"""What one member did in a project: read once, and then only what was recorded since; never the whole log for every question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from podium.projects.facts import Member
from podium.store.leases import as_text
from podium.store.project_tables import PROJECT_TASKS
from podium.store.tables import EVENTS

__all__ = ["Act", "Histories", "History"]

_SAYS = ("answer", "skip")
_OVERLAP = timedelta(seconds=3)  # two tabs that answer at once may commit in another order than that of their times
_TOTAL = select(func.count()).where(EVENTS.c.assessor == bindparam("assessor"))  # by an index alone
_ALL = (
    select(
        *(EVENTS.c[name] for name in ("task", "number", "action", "target", "at", "key")),
        PROJECT_TASKS.c.project,
        PROJECT_TASKS.c.is_dropped,
    )
    .outerjoin(PROJECT_TASKS, PROJECT_TASKS.c.task == EVENTS.c.task)
    .where(EVENTS.c.assessor == bindparam("assessor"))
    .order_by(EVENTS.c.task, EVENTS.c.number)
)
_SINCE = _ALL.where(EVENTS.c.at >= bindparam("since"))


@dataclass(frozen=True)
class Act:
    """An event of the member's own, as far as it matters to what comes next. Corrections do not: they belong to reviewing."""

    task: int
    number: int
    action: str
    target: int | None
    at: str
    key: str


class History:
    """The acts of one member; whoever uses it holds its lock.

    Of acts in several tasks the later one is that which was read later: clocks may be set back. Only what is read in one go, as after a
    start, goes by its times.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        self._known: set[tuple[int, int]] = set()  # events of this name, in whatever project
        self._since = ""
        self._acts: dict[tuple[int, int], Act] = {}  # in the order in which they came
        self._standing: dict[tuple[int, int], Act] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._latest: Act | None = None
        self.judgments = 0  # answers that stand

    def catch_up(self, connection: Connection, member: Member) -> None:
        """Take in what was recorded since: usually what is not older than the last; everything, if that cannot be all."""
        total = int(connection.execute(_TOTAL, {"assessor": member.name}).scalar_one())
        if total == len(self._known):
            return
        new = self._new(connection.execute(_SINCE, {"assessor": member.name, "since": self._since})) if self._known else []
        if len(self._known) + len(new) < total:  # a first look, or the clock was set back
            new = self._new(connection.execute(_ALL, {"assessor": member.name}))
        self._known.update((row.task, row.number) for row in new)
        self._since = max([self._since, *(_before(row.at) for row in new)])
        own = [Act(*row[:6]) for row in new if row.project == member.project and not row.is_dropped and row.action != "correct"]
        for act in _by_time(own):
            self.add(act)

    def leave_out(self, tasks: Iterable[int]) -> None:
        """Forget what was done in these tasks."""
        gone = set(tasks)
        for key in [key for key in self._acts if key[0] in gone]:
            act = self._acts.pop(key)
            self.judgments -= self._standing.pop(key, None) is not None and act.action == "answer"

    def _new(self, rows: Iterable[Any]) -> list[Any]:
        return [row for row in rows if (row.task, row.number) not in self._known]

    def add(self, act: Act) -> None:
        """Take in one act that is not known yet; of a task, in the order of its log."""
        key = act.task, act.number
        self._acts[key], self._places[key], self._latest = act, len(self._places), act
        if act.action in _SAYS:
            self._stand(act)
        elif act.action == "undo":
            undone = self._standing.pop((act.task, act.target or 0), None)  # none: it was a correction
            self.judgments -= undone is not None and undone.action == "answer"
        else:
            undo = self._acts[act.task, act.target or 0]
            if (said := self._acts.get((act.task, undo.target or 0))) is not None:
                self._stand(said)

    def _stand(self, act: Act) -> None:
        self._standing[act.task, act.number] = act
        self.judgments += act.action == "answer"

    def _last(self, acts: Iterable[Act]) -> Act | None:
        return max(acts, key=lambda act: self._places[act.task, act.number], default=None)

    @property
    def last_task(self) -> int | None:
        """Where the member was last at work."""
        return None if self._latest is None else self._latest.task

    @property
    def has_skips(self) -> bool:
        """Whether something is set aside."""
        return any(act.action == "skip" for act in self._standing.values())

    def turns(self) -> dict[int, int]:
        """For each task, when the member was last at work there: the higher, the later."""
        return {task: self._places[task, number] for task, number in self._acts}

    def judgments_since(self, at: str) -> int:
        """The answers that stand and were given after a time."""
        return sum(act.action == "answer" and act.at > at for act in self._standing.values())

    def of_key(self, key: str) -> Act | None:
        """What was done under this key."""
        return next((act for act in self._acts.values() if act.key == key), None) if key else None

    def last_standing(self) -> Act | None:
        """The last answer or skip that stands: what an undo takes back."""
        return self._last(self._standing.values())

    @property
    def last_said_at(self) -> str:
        """When the member last said something, whether it stands or not."""
        said = self._last(act for act in self._acts.values() if act.action in _SAYS)
        return "" if said is None else said.at

    def last_undo(self) -> Act | None:
        """The last undo that was not redone, if nothing was said since."""
        redone = {(act.task, act.target) for act in self._acts.values() if act.action == "redo"}
        undos = (act for act in self._acts.values() if act.action == "undo" and (act.task, act.target) in self._acts)
        last = self._last(act for act in undos if (act.task, act.number) not in redone)
        said = self._last(act for act in self._acts.values() if act.action in _SAYS)
        return None if said is None or last is None or self._last((said, last)) is said else last


def _before(at: str) -> str:
    try:
        return as_text(datetime.fromisoformat(at) - _OVERLAP)
    except ValueError:  # an event from elsewhere need not say when
        return ""


def _by_time(acts: Sequence[Act]) -> list[Act]:
    """In the order of their times, those of a task in the order of its log, even if its times go back."""
    latest: dict[int, str] = {}
    placed = []
    for act in acts:  # by task and number
        latest[act.task] = max(latest.get(act.task, ""), act.at)
        placed.append((latest[act.task], act.task, act.number, act))
    return [act for *_, act in sorted(placed, key=lambda each: each[:3])]


class Histories:
    """Those of the members who were here last, at most so many."""

    def __init__(self, most: int = 1024) -> None:
        self._most, self._lock = most, threading.Lock()
        self._histories: OrderedDict[int, History] = OrderedDict()

    def __getitem__(self, member: int) -> History:
        with self._lock:
            history = self._histories.setdefault(member, History())
            self._histories.move_to_end(member)
            while len(self._histories) > self._most:
                self._histories.popitem(last=False)
            return history
