"""A turn: one writing transaction on one task, with the task up to date in memory."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, insert, update

from podium.errors import DataError
from podium.labelling.evidence import Pair
from podium.labelling.questions import Event, Question
from podium.labelling.task import TopK
from podium.store.leases import Lease, find_released, held_leases, open_lease, renew_lease, supersede_leases
from podium.store.live import LiveTask
from podium.store.rows import row_of
from podium.store.tables import EVENTS, TASKS

__all__ = ["ANSWERED", "Answered", "Asked", "SaidOtherwise", "Turn", "check_same", "said_otherwise"]


ANSWERED = "you have answered this question already; undo that to answer it anew, or ask for the next one"


class SaidOtherwise(DataError):
    """A token or a key that was used before now says something else, or a question that was answered is answered again."""


_APPEND = insert(EVENTS)
_COUNT = update(TASKS).where(TASKS.c.number == bindparam("counted")).values(
    {name: bindparam(name) for name in ("events", "judgments", "is_finished")}
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A question that was put to an assessor. The ``token`` stands for it: whoever answers sends it along."""

    question: Question
    token: str
    opened_at: datetime


@dataclass(frozen=True)
class Answered:
    """An answer that was recorded, and what its assessor is asked next, if anything; about ``left`` judgments are still to come."""

    event: Event
    asked: Asked | None
    left: int


@dataclass(frozen=True)
class Turn:
    """The task's row is locked; ``events`` and ``judgments`` are what it counted when the turn began."""

    connection: Connection
    number: int
    live: LiveTask
    task: TopK
    events: int
    judgments: int

    def ask(
        self,
        seat: tuple[str, int],
        stages: Collection[str] | None,
        now: datetime,
        length: timedelta,
        *,
        first: Pair | None = None,
        with_skipped: bool = True,
    ) -> Asked | None:
        """The next question for an assessor's seat, under the token of an earlier lease if the task asks the same again."""
        leases = held_leases(self.connection, self.number)
        self.live.hold(lease for lease in leases.values() if lease.expires_at is not None and lease.expires_at > now)
        assessor, place = seat
        mine = leases.get(seat)
        question = self.task.ask(assessor, seat=place, stages=stages, first=first, with_skipped=with_skipped)
        if mine is not None and question is not None and question.pair == mine.question.pair:
            assert mine.expires_at is not None
            if mine.expires_at - now < length / 2:  # most calls need not write
                renew_lease(self.connection, mine.token, now + length)
            return Asked(mine.question, mine.token, mine.opened_at)
        if mine is not None:
            supersede_leases(self.connection, self.number, assessor, place)
        if question is None:
            return None
        if (released := find_released(self.connection, self.number, seat, question)) is not None:
            renew_lease(self.connection, released.token, now + length)
            return Asked(released.question, released.token, released.opened_at)
        lease = Lease(secrets.token_urlsafe(16), assessor, place, question, now, now + length)
        open_lease(self.connection, self.number, lease)
        return Asked(question, lease.token, now)

    def recorded(self, key: str) -> Event | None:
        """The event of this key, if there is one; the task in memory knows, as it is up to date and its row is locked."""
        return self.task.recorded(key)

    def append(self, events: Sequence[Event]) -> None:
        """Give the task new events, and write them."""
        for place, event in enumerate(events, start=self.events + 1):
            if self.task.record(event) != place:
                raise DataError(f"event {place} has the key {event.key!r} of an earlier one")
        self.write(events)

    def write(self, events: Sequence[Event]) -> None:
        """Write the events that the task was just given, and the counters that follow from them."""
        if not events:
            return
        log = self.task.log
        assert len(log) == self.events + len(events), "the task in memory and the database have parted"
        rows = [row_of(self.number, place, event) for place, event in enumerate(events, start=self.events + 1)]
        self.connection.execute(_APPEND, rows)
        judgments = self.judgments + sum(_change(log, event) for event in events)
        counters = {"events": len(log), "judgments": judgments, "is_finished": self.task.is_finished}
        self.connection.execute(_COUNT, {"counted": self.number, **counters})
        self.live.told(len(log))

    def check_new(self, assessor: str, question: Question) -> None:
        """Refuse what this assessor has said already, under another token: two tabs, or one that was offline."""
        if self.task.has_answered(assessor, question):
            raise SaidOtherwise(ANSWERED)


def _change(log: Sequence[Event], event: Event) -> int:
    """By how much an event changes the number of answers that stand."""
    if event.action in ("undo", "redo"):
        assert event.target is not None
        return -_change(log, log[event.target - 1])
    return int(event.action == "answer")


def said_otherwise(token: str, said: str, now: str) -> str:
    """What is told to whoever uses a token twice, for different things; one message, whatever kind of question it was."""
    return f"token {token!r} was used to say {said!r}, now {now!r}; to change an answer, undo it"


def check_same(recorded: Event, assessor: str, action: str, answer: str | None, *, target: int | None = None) -> Event:
    """What was recorded, if this says the same again; with a ``target``, of the same event."""
    if recorded.assessor != assessor:
        raise DataError(f"token {recorded.key!r} belongs to another assessor")
    if (recorded.action, recorded.answer) != (action, answer):
        said = recorded.answer or recorded.action
        raise SaidOtherwise(said_otherwise(recorded.key, said, answer or action))
    if target is not None and recorded.target != target:
        raise SaidOtherwise(f"key {recorded.key!r} was used to {action} event {recorded.target}, now event {target}; use another key")
    return recorded
