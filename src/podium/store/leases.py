"""Open questions: who was asked what, under which token, and until when nobody else is asked it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from podium.labelling.questions import Question
from podium.store.tables import LEASES

__all__ = ["Lease", "as_text", "close_lease", "find_lease", "find_released", "held_leases", "open_lease", "renew_lease", "supersede_leases"]


@dataclass(frozen=True)
class Lease:
    """A question that was put to an assessor. It may be answered whenever; while it runs, nobody else is asked it."""

    token: str
    assessor: str
    seat: int  # who answers many at once has several, each with a question of its own
    question: Question
    opened_at: datetime
    expires_at: datetime | None  # none if the assessor was asked something else since


def as_text(moment: datetime) -> str:
    """ISO 8601 in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


# Statements are made once: to make one takes as long as to run it, and several run for every answer.
_LEASE = select(*(LEASES.c[name] for name in ("token", "assessor", "seat", "left", "right", "stage", "opened_at", "expires_at")))
_OF_TASK = LEASES.c.task == bindparam("in_task")
_OF_TOKEN = LEASES.c.token == bindparam("of_token")
_OF_SEAT = (LEASES.c.assessor == bindparam("of_assessor"), LEASES.c.seat == bindparam("of_seat"))
_HELD = _LEASE.where(_OF_TASK, LEASES.c.expires_at.is_not(None))
_FOUND = _LEASE.where(_OF_TASK, _OF_TOKEN)
_RELEASED = (
    _LEASE.where(_OF_TASK, *_OF_SEAT, LEASES.c.expires_at.is_(None))
    .where(LEASES.c.left.in_([bindparam("one"), bindparam("other")]))
    .order_by(LEASES.c.opened_at.desc())
)
_OPEN, _CLOSE = insert(LEASES), delete(LEASES).where(_OF_TOKEN)
_RENEW = update(LEASES).where(_OF_TOKEN).values(expires_at=bindparam("until"))


def _lease(row: Any) -> Lease:
    token, assessor, seat, left, right, stage, opened_at, expires_at = row
    until = None if expires_at is None else datetime.fromisoformat(expires_at)
    return Lease(token, assessor, seat, Question(left, right, stage), datetime.fromisoformat(opened_at), until)


def held_leases(connection: Connection, task: int) -> dict[tuple[str, int], Lease]:
    """The last question of each assessor and seat that is neither answered nor replaced, whether it still runs or not."""
    rows = connection.execute(_HELD, {"in_task": task})
    return {(lease.assessor, lease.seat): lease for lease in map(_lease, rows)}


def find_lease(connection: Connection, task: int, token: str) -> Lease | None:
    """The question of a token, if it was asked in this task and not answered yet."""
    row = connection.execute(_FOUND, {"in_task": task, "of_token": token}).one_or_none()
    return None if row is None else _lease(row)


def find_released(connection: Connection, task: int, seat: tuple[str, int], question: Question) -> Lease | None:
    """A question of this pair that was put to this seat before, given back or replaced, and not answered yet."""
    one, other = question.pair
    rows = connection.execute(_RELEASED, {"in_task": task, "of_assessor": seat[0], "of_seat": seat[1], "one": one, "other": other})
    return next((lease for lease in map(_lease, rows) if lease.question.pair == question.pair), None)


def open_lease(connection: Connection, task: int, lease: Lease) -> None:
    assert lease.expires_at is not None
    asked, times = lease.question, {"opened_at": as_text(lease.opened_at), "expires_at": as_text(lease.expires_at)}
    names = {
        "token": lease.token,
        "assessor": lease.assessor,
        "seat": lease.seat,
        "left": asked.left,
        "right": asked.right,
        "stage": asked.stage,
    }
    connection.execute(_OPEN, {"task": task, **names, **times})


def renew_lease(connection: Connection, token: str, expires_at: datetime) -> None:
    connection.execute(_RENEW, {"of_token": token, "until": as_text(expires_at)})


def supersede_leases(connection: Connection, task: int, assessor: str, seat: int | None = None) -> None:
    """The assessor's question, or those of all their seats, hold nothing any more; their tokens still take an answer."""
    held = [LEASES.c.task == task, LEASES.c.assessor == assessor, LEASES.c.expires_at.is_not(None)]
    if seat is not None:
        held.append(LEASES.c.seat == seat)
    connection.execute(update(LEASES).where(*held), {"expires_at": None})


def close_lease(connection: Connection, token: str) -> None:
    connection.execute(_CLOSE, {"of_token": token})
