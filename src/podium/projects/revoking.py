"""The end of secrets: one by one, or all that someone has or made. Each function is a part of the caller's transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, or_, select, update

from podium.projects.facts import NotAllowed, Person
from podium.store.leases import as_text
from podium.store.project_tables import SECRETS

__all__ = ["check_own_name", "revoke", "revoke_for_leader", "revoke_keys", "revoke_made"]


def revoke(connection: Connection, now: datetime, *which: Any) -> int:
    """End what is not ended yet; how many these were."""
    return connection.execute(update(SECRETS).where(*which, SECRETS.c.revoked_at.is_(None)), {"revoked_at": as_text(now)}).rowcount


def revoke_keys(connection: Connection, now: datetime, person: Person) -> None:
    """All by which someone comes in, and all that they made for others: by one of these they could come back."""
    revoke(connection, now, or_(SECRETS.c.person == person.number, SECRETS.c.created_by == person.number))


def revoke_made(connection: Connection, now: datetime, person: Person) -> None:
    """The invitations, links and tokens that someone made."""
    revoke(connection, now, SECRETS.c.created_by == person.number)


def revoke_for_leader(connection: Connection, now: datetime, person: Person) -> None:
    """The links that others made for someone who becomes an admin: by one of these another would lead in their name."""
    revoke(connection, now, SECRETS.c.person == person.number, SECRETS.c.kind == "link", SECRETS.c.created_by != person.number)


def check_own_name(connection: Connection, kind: str, whose: Person, by: int | None) -> None:
    """Refuse an admin who would act in the name of another one, to whom the audit log would put it down.

    An admin who never came in has done nothing yet, and needs a first link. The command line (``by`` is none) may do everything.
    """
    if by is None or by == whose.number or whose.role != "admin":
        return
    sessions = select(SECRETS.c.number).where(SECRETS.c.person == whose.number, SECRETS.c.kind == "session").limit(1)
    if kind == "token":
        raise NotAllowed(f"{whose.name} is an admin, and only they themselves may make a token that acts as them")
    if connection.execute(sessions).first() is not None:
        raise NotAllowed(f"{whose.name} is an admin, and nobody else may sign in as them; make them a judge first if they lost their link")
