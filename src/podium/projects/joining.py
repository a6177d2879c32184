"""Coming in by a link: a new person, a member of a project, a seat of a study. Each function is a part of the caller's transaction."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

from sqlalchemy import Connection, insert, or_, select, update

from podium.errors import DataError
from podium.projects.facts import Conflict, NotAllowed, Person, Secret
from podium.projects.names import checked_name, name_key
from podium.projects.rows import find_person, find_project, is_number
from podium.projects.seats import bring_in
from podium.projects.secrets import SECRET_COLUMNS, hash_of, is_good, secret_from
from podium.store.leases import as_text
from podium.store.project_tables import MEMBERS, PEOPLE, PROJECTS, SECRETS

__all__ = [
    "NOT_VALID",
    "PERSON_COLUMNS",
    "add_person",
    "consume",
    "enter",
    "find_door",
    "number_of",
    "optional_number",
    "read_person",
]

NOT_VALID = "this link is not valid (any more); ask for a new one"  # the same for all reasons: whoever tries links learns nothing

PERSON_COLUMNS = tuple(PEOPLE.c[each.name] for each in fields(Person))


def find_door(connection: Connection, text: str, now: datetime) -> Secret | None:
    """The invitation or link of this text, if it would let someone in now."""
    query = (
        select(*SECRET_COLUMNS, PROJECTS.c.state, PEOPLE.c.is_active)
        .outerjoin_from(SECRETS, PROJECTS, SECRETS.c.project == PROJECTS.c.number)
        .outerjoin(PEOPLE, SECRETS.c.person == PEOPLE.c.number)
        .where(SECRETS.c.hash == hash_of(text), SECRETS.c.kind.in_(("invitation", "link")))
    )
    row = connection.execute(query).one_or_none()
    if row is None or row.state == "archived" or row.is_active is False:
        return None
    secret = secret_from(row)
    return secret if is_good(secret, now) else None


def consume(connection: Connection, secret: Secret, now: datetime) -> None:
    """Use it once. Of many who do so at the same moment, no more get in than it has uses: the row itself decides."""
    is_there = or_(SECRETS.c.uses_left.is_(None), SECRETS.c.uses_left > 0)
    is_running = or_(SECRETS.c.expires_at.is_(None), SECRETS.c.expires_at > as_text(now))
    usable = update(SECRETS).where(SECRETS.c.number == secret.number, SECRETS.c.revoked_at.is_(None), is_there, is_running)
    used = connection.execute(usable.values(uses_left=SECRETS.c.uses_left - 1, last_used_at=as_text(now)))
    if used.rowcount != 1:
        raise NotAllowed(NOT_VALID)


def add_person(connection: Connection, name: object, role: str, now: datetime) -> Person:
    """A person of a new name. Nobody else may add one meanwhile, as the database cannot compare names as people do."""
    name = checked_name(name)
    models = select(MEMBERS.c.name).where(MEMBERS.c.kind == "model")
    taken = {name_key(each) for each in connection.scalars(select(PEOPLE.c.name).union(models))}
    if name_key(name) in taken:
        raise Conflict(f"the name {name!r} is taken; choose another, or come in by a link of your own if it is yours")
    row = {"name": name, "role": role, "created_at": as_text(now)}
    return Person(*connection.execute(insert(PEOPLE).values(row).returning(*PERSON_COLUMNS)).one())


def read_person(connection: Connection, person: Person | int) -> Person:
    """The person as they are now."""
    return find_person(connection, number_of(person))


def enter(connection: Connection, secret: Secret, name: str | None, person: Person | int | None, now: datetime) -> int:
    """Let someone in by an invitation or link that is good, and say which person it is."""
    if secret.kind == "link":
        assert secret.person is not None
        consume(connection, secret, now)
        return secret.person
    if person is not None:
        return _enter_known(connection, secret, read_person(connection, person), now)
    if name is None:
        raise DataError("a name is missing; say under which one you want to come in")
    consume(connection, secret, now)
    new = add_person(connection, name, secret.role, now)
    if secret.project is not None:
        _become_member(connection, secret.project, new, secret.role, now)
    return new.number


def _enter_known(connection: Connection, secret: Secret, person: Person, now: datetime) -> int:
    """Whoever is in already has no need of an invitation, and it stays as it was. Whoever was shut out does not come back by one."""
    is_theirs = (MEMBERS.c.project == secret.project, MEMBERS.c.person == person.number)
    is_member = connection.execute(select(MEMBERS.c.is_active).where(*is_theirs)).scalar()
    if is_member is False or not person.is_active:
        raise NotAllowed(NOT_VALID)
    if is_member or (secret.project is None and person.role == secret.role):
        return person.number
    consume(connection, secret, now)
    if secret.project is None:
        connection.execute(update(PEOPLE).where(PEOPLE.c.number == person.number), {"role": secret.role})
    else:
        _become_member(connection, secret.project, person, secret.role, now)
    return person.number


def _become_member(connection: Connection, project: int, person: Person, role: str, now: datetime) -> None:
    bring_in(connection, find_project(connection, project, is_locked=True), person, role, as_text(now))


def number_of(what: object) -> int:
    """The number of a person, or the number that was given; 0, which nothing has, if it can be none."""
    number = what.number if isinstance(what, Person) else what
    return number if is_number(number) else 0  # type: ignore[return-value]


def optional_number(what: object) -> int | None:
    return None if what is None else number_of(what)
