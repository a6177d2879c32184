"""People, what lets them in, and the projects they are in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, exc, select, text, update

from podium.errors import DataError, UnknownName
from podium.projects.asking import SESSION_LASTS, find_caller
from podium.projects.facts import KINDS_OF_SECRET, ROLES, Conflict, Member, NotAllowed, Person, Secret
from podium.projects.issuing import issue_for
from podium.projects.joining import (
    NOT_VALID,
    PERSON_COLUMNS,
    add_person,
    enter,
    find_door,
    number_of,
    optional_number,
    read_person,
)
from podium.projects.names import name_key
from podium.projects.revoking import revoke, revoke_for_leader, revoke_keys, revoke_made
from podium.projects.rights import Caller
from podium.projects.rows import MEMBER, is_number, member_of
from podium.projects.secrets import SECRET_COLUMNS, checked_span, hash_of, is_good, issue, kind_of, secret_from
from podium.store import Store
from podium.store.leases import as_text
from podium.store.project_tables import MEMBERS, PEOPLE, SECRETS
from podium.store.rows import LONGEST, checked_text

__all__ = ["Caller", "Joined", "People"]

_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_MOST_USES = 1_000_000


@dataclass(frozen=True)
class Joined:
    """Someone who has come in: who, to which project, and the session that was opened for them (its text is shown once)."""

    person: Person
    project: int | None
    session: str
    secret: Secret


class People:
    """The people of a store. Where a person is an argument, their number will do."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextlib.contextmanager
    def _alone(self) -> Iterator[Connection]:
        """A transaction beside which nobody adds or changes a person: for what the rows cannot decide by themselves."""
        with self._store.database.writing() as connection:
            if not self._store.database.is_sqlite:  # which is locked as a whole
                connection.execute(text(f"LOCK TABLE {PEOPLE.name} IN SHARE ROW EXCLUSIVE MODE"))
            yield connection

    # Who there is.

    def add(self, name: str, role: str) -> Person:
        """A new person. :class:`Conflict` if someone has that name, however they write it."""
        _check_role(role)
        with self._alone() as connection:
            return add_person(connection, name, role, self._store.time(connection))

    def get(self, number: int) -> Person:
        with self._store.database.reading() as connection:
            return read_person(connection, number)

    def find(self, name: str) -> Person | None:
        """The person of a name, whatever its case."""
        return next((person for person in self.all() if name_key(person.name) == name_key(name)), None)

    def all(self) -> list[Person]:
        """Everybody, by number."""
        with self._store.database.reading() as connection:
            return [Person(*row) for row in connection.execute(select(*PERSON_COLUMNS).order_by(PEOPLE.c.number))]

    def set_role(self, number: int, role: str) -> Person:
        """Give someone another role. :class:`Conflict` if nobody would be left to lead. What was made by an admin ends with their role."""
        _check_role(role)
        with self._alone() as connection:
            person = read_person(connection, number)
            now = self._store.time(connection)
            if role != "admin":
                _check_not_last(connection, person)
                if person.role == "admin":
                    revoke_made(connection, now, person)
            elif person.role != "admin":
                revoke_for_leader(connection, now, person)
            connection.execute(update(PEOPLE).where(PEOPLE.c.number == person.number), {"role": role})
            return read_person(connection, number)

    def set_active(self, number: int, is_active: bool) -> Person:
        """Let someone in again, or shut them out: their sessions, links and tokens and what they made for others end, for good."""
        with self._alone() as connection:
            person = read_person(connection, number)
            if not is_active:
                _check_not_last(connection, person)
                revoke_keys(connection, self._store.time(connection), person)
            connection.execute(update(PEOPLE).where(PEOPLE.c.number == person.number), {"is_active": bool(is_active)})
            return read_person(connection, number)

    # What lets them in.

    def invite(
        self,
        *,
        role: str,
        project: int | None = None,
        uses: int | None = 1,
        days: float = 14.0,
        note: str = "",
        by: Person | int | None = None,
    ) -> tuple[str, Secret]:
        """An invitation to a project, or to lead (as an admin): its text, which is shown once, and what is kept of it."""
        _check_role(role)
        if (role == "admin") != (project is None):
            raise DataError("a judge or viewer is invited to a project, and an admin to all of them: name a project for the former only")
        if uses is not None and not (is_number(uses) and uses <= _MOST_USES):
            raise DataError(f"uses must be a whole number from 1 to {_MOST_USES:,}, or none for no limit, got {uses!r}")
        facts = {"role": role, "project": project, "uses_left": uses, "note": _checked_note(note), "created_by": optional_number(by)}
        return self._issue("invitation", checked_span("days", days, _DAY), facts)

    def link(
        self, person: Person | int, *, minutes: float = 60 * 24 * 7, note: str = "", by: Person | int | None = None
    ) -> tuple[str, Secret]:
        """A link by which this person signs in, once. Not for another admin, unless they never came in, or it is made without ``by``."""
        facts = {"uses_left": 1, "note": _checked_note(note), "created_by": optional_number(by)}
        return self._issue("link", checked_span("minutes", minutes, _MINUTE), facts, person)

    def token(
        self,
        person: Person | int,
        *,
        role: str,
        project: int | None = None,
        note: str = "",
        days: float | None = None,
        by: Person | int | None = None,
    ) -> tuple[str, Secret]:
        """A token with which a program acts as this person: never beyond ``role``, and in this project only if one is named.

        Admins make their own: not for another one, unless without ``by``.
        """
        _check_role(role)
        lasts = None if days is None else checked_span("days", days, _DAY)
        return self._issue(
            "token", lasts, {"role": role, "project": project, "note": _checked_note(note), "created_by": optional_number(by)}, person
        )

    def _issue(self, kind: str, lasts: timedelta | None, facts: dict[str, Any], person: Person | int | None = None) -> tuple[str, Secret]:
        with self._store.database.writing() as connection:
            return issue_for(connection, kind, self._store.time(connection), person, lasts=lasts, **facts)

    def look(self, secret: str) -> Secret | None:
        """An invitation or link, if it would work now; to look at it does not use it."""
        if kind_of(secret) not in ("invitation", "link"):
            return None
        with self._store.database.reading() as connection:
            return find_door(connection, secret, self._store.time(connection))

    def join(self, secret: str, name: str | None = None, *, person: Person | int | None = None) -> Joined:
        """Come in by an invitation or a link, which is used by it, and open a session.

        An invitation is for the ``person`` who is signed in, or else for a new one of this ``name``, and makes them a member of its
        project; of a study, on the lowest free seat. Whoever is a member already just comes in. A link is for the person it was made for.
        """
        if self.look(secret) is None:  # whoever tries links does not lock the database
            raise NotAllowed(NOT_VALID)
        try:
            return self._join(secret, name, person)
        except exc.IntegrityError:  # someone made them a member at the same moment
            return self._join(secret, name, person)

    def _join(self, text: str, name: str | None, person: Person | int | None) -> Joined:
        with self._alone() as connection:
            now = self._store.time(connection)
            secret = find_door(connection, text, now)
            if secret is None:
                raise NotAllowed(NOT_VALID)
            whose = read_person(connection, enter(connection, secret, name, person, now))
            facts = {"person": whose.number, "role": whose.role, "last_used_at": as_text(now)}
            session, opened = issue(connection, "session", now, lasts=SESSION_LASTS, **facts)
            return Joined(whose, secret.project, session, opened)

    # Who asks.

    def session(self, text: str) -> Caller | None:
        """Who has this session; it lasts thirty days from when it was last used."""
        return find_caller(self._store, text, "session")

    def by_token(self, text: str) -> Caller | None:
        """Who has this token."""
        return find_caller(self._store, text, "token")

    def is_invented(self, text: str) -> bool:
        """Whether a text looks like a secret and never was one."""
        if kind_of(text) is None:
            return False
        with self._store.database.reading() as connection:
            return connection.execute(select(SECRETS.c.number).where(SECRETS.c.hash == hash_of(text))).first() is None

    def end_session(self, text: str) -> None:
        """Sign out. What is no session of ours needs no ending."""
        if kind_of(text) == "session":
            with self._store.database.writing() as connection:
                revoke(connection, self._store.time(connection), SECRETS.c.hash == hash_of(text))

    def end_sessions(self, person: Person | int) -> int:
        """Sign someone out everywhere; how many sessions these were."""
        with self._store.database.writing() as connection:
            is_theirs = (SECRETS.c.person == read_person(connection, person).number, SECRETS.c.kind == "session")
            return revoke(connection, self._store.time(connection), *is_theirs)

    def revoke(self, number: int, *, by: Person | int | None = None) -> None:
        """End a secret for good. Who is not an admin (``by``) may end what lets them in themselves, and what they made."""
        with self._store.database.writing() as connection:
            query = select(*SECRET_COLUMNS).where(SECRETS.c.number == number_of(number))
            if (row := connection.execute(query).one_or_none()) is None:
                raise DataError(f"there is no secret {number!r}; secrets() lists those there are")
            if by is not None:
                asks = read_person(connection, by)
                if asks.role != "admin" and asks.number not in (row.person, row.created_by):
                    raise NotAllowed("only an admin may end what lets others in")
            revoke(connection, self._store.time(connection), SECRETS.c.number == row.number)

    def secrets(
        self, *, project: int | None = None, person: Person | int | None = None, kind: str | None = None, only_good: bool = False
    ) -> list[Secret]:
        """What there is to come in by, newest first; of a project, a person and a kind if they are named. ``only_good``: that works now."""
        if kind is not None and kind not in KINDS_OF_SECRET:
            raise UnknownName("kind of secret", kind, KINDS_OF_SECRET)
        wanted = {"project": optional_number(project), "person": optional_number(person), "kind": kind}
        query = select(*SECRET_COLUMNS).where(*(SECRETS.c[name] == value for name, value in wanted.items() if value is not None))
        with self._store.database.reading() as connection:
            found = [secret_from(row) for row in connection.execute(query.order_by(SECRETS.c.number.desc()))]
            now = self._store.time(connection)
        return [secret for secret in found if not only_good or is_good(secret, now)]

    # What they are in.

    def membership(self, person: Person | int, project: int) -> Member | None:
        """What this person is in a project; none if they are no member, or not any more."""
        return next((member for member in self.memberships(person) if member.project == project), None)

    def memberships(self, person: Person | int) -> list[Member]:
        """All projects that this person is in, newest first."""
        query = MEMBER.where(MEMBERS.c.person == number_of(person), MEMBERS.c.is_active).order_by(MEMBERS.c.project.desc())
        with self._store.database.reading() as connection:
            return [member_of(row) for row in connection.execute(query)]


def _check_not_last(connection: Connection, person: Person) -> None:
    others = select(PEOPLE.c.number).where(PEOPLE.c.role == "admin", PEOPLE.c.is_active, PEOPLE.c.number != person.number).limit(1)
    if person.role == "admin" and person.is_active and connection.execute(others).first() is None:
        raise Conflict(f"{person.name} is the last admin, and someone must lead; make another one first")


def _check_role(role: object) -> None:
    if role not in ROLES:
        raise UnknownName("role", str(role), ROLES)


def _checked_note(note: object) -> str:
    return checked_text("note", note, longest=LONGEST)
