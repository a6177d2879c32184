"""Desks: the browser tabs in which members judge. One at a time, so that nobody answers a question twice without knowing it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select, update

from podium.projects.facts import Elsewhere, Member
from podium.store.leases import as_text
from podium.store.project_tables import MEMBERS
from podium.store.rows import LONGEST, checked_text
from podium.store.store import Store

__all__ = ["HERE_SECONDS", "checked_desk", "is_elsewhere", "leave_desk", "take_desk"]

HERE_SECONDS = 45.0  # who was heard of within this time is still there
_NOTED_SECONDS = 15.0  # that someone is still there is written this often, not with every question


def checked_desk(desk: str) -> str:
    return checked_text("desk", desk, longest=LONGEST)


def _age(desk_at: str | None, now: datetime) -> float:
    return float("inf") if desk_at is None else (now - datetime.fromisoformat(desk_at)).total_seconds()


def is_elsewhere(taken: str, taken_at: str | None, desk: str, now: datetime) -> bool:
    """Whether another desk is in use. A caller without a desk is a program, which minds nobody."""
    return bool(desk and taken) and taken != desk and _age(taken_at, now) < HERE_SECONDS


def _is_noted(taken: str, taken_at: str | None, desk: str, now: datetime) -> bool:
    return not desk or (taken == desk and _age(taken_at, now) < _NOTED_SECONDS)


def take_desk(store: Store, member: Member, desk: str, seen: tuple[str, str | None], now: datetime, *, take: bool = False) -> None:
    """Note that the member is at this desk; refused if they are at another and do not ``take`` over. ``seen`` was noted before."""
    if _is_noted(*seen, desk, now):
        return
    with store.database.writing() as connection:
        taken, taken_at = _noted(connection, member)
        if is_elsewhere(taken, taken_at, desk, now) and not take:
            raise Elsewhere("you judge in another tab or window; go on there, or take over here")
        connection.execute(update(MEMBERS).where(MEMBERS.c.number == member.number).values(desk=desk, desk_at=as_text(now)))


def _noted(connection: Connection, member: Member) -> tuple[str, str | None]:
    query = select(MEMBERS.c.desk, MEMBERS.c.desk_at).where(MEMBERS.c.number == member.number).with_for_update()
    taken, taken_at = connection.execute(query).one()
    return taken, taken_at


def leave_desk(store: Store, member: Member, desk: str) -> bool:
    """Note that the member has left; ``False`` if they are at another desk meanwhile."""
    with store.database.writing() as connection:
        here = update(MEMBERS).where(MEMBERS.c.number == member.number, MEMBERS.c.desk.in_(["", desk]))
        return connection.execute(here.values(desk="", desk_at=None)).rowcount > 0
