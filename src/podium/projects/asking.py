"""Who asks, by what they show: a session or a token. One question to the database, and none for what cannot be one of ours."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta

from sqlalchemy import bindparam, exc, or_, select, update

from podium.errors import PodiumError
from podium.projects.facts import Person, Secret
from podium.projects.joining import PERSON_COLUMNS
from podium.projects.rights import Caller
from podium.projects.secrets import SECRET_COLUMNS, hash_of, is_good, kind_of, secret_from
from podium.store import Store
from podium.store.leases import as_text
from podium.store.project_tables import MEMBERS, PEOPLE, SECRETS

__all__ = ["SESSION_LASTS", "find_caller"]

SESSION_LASTS = timedelta(days=30)  # from its last use
_NOTED_AFTER = timedelta(minutes=1)
_WHO = (  # made once: every request asks it
    select(*SECRET_COLUMNS, *PERSON_COLUMNS, MEMBERS.c.project.label("in_project"), MEMBERS.c.role.label("in_role"))
    .join_from(SECRETS, PEOPLE, SECRETS.c.person == PEOPLE.c.number)
    .outerjoin(MEMBERS, (MEMBERS.c.person == PEOPLE.c.number) & MEMBERS.c.is_active)
    .where(SECRETS.c.hash == bindparam("hash"), SECRETS.c.kind == bindparam("kind"))
)


def find_caller(store: Store, text: str, kind: str) -> Caller | None:
    """Whoever has this session or token; none if it is unknown, expired or revoked, or they were shut out."""
    if kind_of(text) != kind:
        return None
    with store.database.reading() as connection:
        rows, now = connection.execute(_WHO, {"hash": hash_of(text), "kind": kind}).all(), store.time(connection)
    if not rows:
        return None
    secret, person = secret_from(rows[0]), Person(*rows[0][len(SECRET_COLUMNS) : -2])
    if not person.is_active or not is_good(secret, now):
        return None
    _touch(store, secret, now)
    return Caller(person, secret, {row.in_project: row.in_role for row in rows if row.in_project is not None})


def _touch(store: Store, secret: Secret, now: datetime) -> None:
    """Note that it is used, at most once a minute; a session lasts longer by it. Nobody is sent away because that failed."""
    before = as_text(now - _NOTED_AFTER)
    if secret.last_used_at is not None and secret.last_used_at > before:
        return
    values = {"last_used_at": as_text(now)} | ({"expires_at": as_text(now + SESSION_LASTS)} if secret.kind == "session" else {})
    is_stale = or_(SECRETS.c.last_used_at.is_(None), SECRETS.c.last_used_at <= before)
    with contextlib.suppress(PodiumError, exc.SQLAlchemyError), store.database.writing() as connection:
        connection.execute(update(SECRETS).where(SECRETS.c.number == secret.number, is_stale), values)
