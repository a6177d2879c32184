"""Members of a project as rows: seats of a study, people who take one or come in beside them, models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select, union, update

from podium.errors import DataError
from podium.projects.facts import Conflict, Member, Person, Project
from podium.projects.names import name_key
from podium.projects.rows import members_of
from podium.store.project_tables import MEMBERS, PEOPLE, PROJECT_TASKS
from podium.store.rows import dump
from podium.store.tables import EVENTS, LEASES

__all__ = ["bring_in", "bring_in_model", "change_seats", "come_back", "make_seats", "part_shared_tasks"]

_NO_SEAT = (
    "all seats of this study are taken; ask those who lead it: if somebody left, they can be deactivated on the page People, "
    "and their seat is free then"
)


def make_seats(connection: Connection, project: int, seats: int) -> None:
    """The free seats of a study, from 1."""
    for seat in range(1, seats + 1):
        connection.execute(insert(MEMBERS), {"project": project, "kind": "person", "name": "", "role": "judge", "seat": seat})


def change_seats(connection: Connection, project: Project, seats: int) -> None:
    """Other seats for a study of which the plan changes; not once somebody judges in it, as their seats hang on the plan."""
    if judges := [member.name for member in members_of(connection, project.number) if member.role == "judge" and member.name]:
        raise DataError(
            f"the plan of a study can be changed until the first judge comes in, and {', '.join(judges)} came; make a new project"
        )
    connection.execute(delete(MEMBERS).where(MEMBERS.c.project == project.number, MEMBERS.c.seat.is_not(None)))
    make_seats(connection, project.number, seats)


def bring_in(connection: Connection, project: Project, person: Person, role: str, at: str) -> int:
    """Make a person a member, and return the member's number: of a study a judge gets the lowest free seat. The project must be locked.

    Whoever is a member already, in the same role, stays the one they are.
    """
    if not person.is_active:
        raise DataError(f"{person.name} is not active and cannot be made a member; activate them first")
    members = members_of(connection, project.number)
    if (known := next((member for member in members if member.person == person.number), None)) is not None:
        if known.role != role:
            raise Conflict(f"{person.name} is a {known.role} of this project already, and cannot be a {role} as well")
        come_back(connection, project, known)
        return known.number
    if any(name_key(member.name) == name_key(person.name) for member in members if member.kind == "model"):
        raise Conflict(f"a model of this project has the name {person.name}, and their judgments could not be told apart")
    facts = {"person": person.number, "name": person.name, "role": role, "joined_at": at}
    if project.is_study and role == "judge":
        return _take_seat(connection, project.number, facts)
    row = {"project": project.number, "kind": "person", **facts}
    return int(connection.execute(insert(MEMBERS).values(row).returning(MEMBERS.c.number)).scalar_one())


def _take_seat(connection: Connection, project: int, facts: Mapping[str, Any]) -> int:
    """The lowest free seat of a study, whoever else takes one at the same moment."""
    is_free = (MEMBERS.c.project == project, MEMBERS.c.seat.is_not(None), MEMBERS.c.person.is_(None))
    while (seat := connection.execute(select(MEMBERS.c.number).where(*is_free).order_by(MEMBERS.c.seat).limit(1)).scalar()) is not None:
        if connection.execute(update(MEMBERS).where(MEMBERS.c.number == seat, *is_free).values(facts)).rowcount == 1:
            return int(seat)
    raise Conflict(_NO_SEAT)


def come_back(connection: Connection, project: Project, member: Member) -> None:
    """Let a member in again. Of a study, whoever gave up their seat when they left takes one that is free. The project must be locked."""
    if project.is_study and member.kind == "person" and member.role == "judge" and member.seat is None:
        _retake_seat(connection, member)
    connection.execute(update(MEMBERS).where(MEMBERS.c.number == member.number).values(is_active=True))


def _retake_seat(connection: Connection, member: Member) -> None:
    """The lowest free seat that shows the member no query in both tools, with what is to be judged there."""
    other, own = PROJECT_TASKS.alias("other"), PROJECT_TASKS.alias("own")
    in_both = exists().where(
        own.c.member == member.number, other.c.member == MEMBERS.c.number, other.c.query_id == own.c.query_id, other.c.tool != own.c.tool
    )
    free = select(MEMBERS.c.number, MEMBERS.c.seat).where(
        MEMBERS.c.project == member.project, MEMBERS.c.seat.is_not(None), MEMBERS.c.person.is_(None), ~in_both
    )
    seat = connection.execute(free.order_by(MEMBERS.c.seat).limit(1)).one_or_none()
    if seat is None:
        raise Conflict(_NO_SEAT)
    connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.member == seat.number).values(member=member.number))
    connection.execute(delete(MEMBERS).where(MEMBERS.c.number == seat.number))
    connection.execute(update(MEMBERS).where(MEMBERS.c.number == member.number).values(seat=seat.seat))


def bring_in_model(connection: Connection, project: Project, name: str, settings: Mapping[str, Any], at: str) -> int:
    """Make a model a member, and return its number; the same model again is the one that is there. The project must be locked."""
    members = [member for member in members_of(connection, project.number) if name_key(member.name) == name_key(name)]
    if members and (members[0].kind, members[0].name, members[0].settings) == ("model", name, settings):
        return members[0].number
    if members:
        raise Conflict(f"the project has a member {members[0].name} already; give the model another name")
    if any(name_key(person) == name_key(name) for person in connection.scalars(select(PEOPLE.c.name))):
        raise Conflict(f"{name} is the name of a person; give the model another, so that their judgments can be told apart")
    row = {"project": project.number, "kind": "model", "name": name, "role": "judge", "settings": dump(settings), "joined_at": at}
    return int(connection.execute(insert(MEMBERS).values(row).returning(MEMBERS.c.number)).scalar_one())


def part_shared_tasks(connection: Connection, project: int, now: str) -> None:
    """Make each task that all could work on the one assessor's who began it, or free: it becomes the first of several copies."""
    numbers = {member.name: member.number for member in members_of(connection, project)}
    shared = select(PROJECT_TASKS.c.task).where(PROJECT_TASKS.c.project == project, PROJECT_TASKS.c.is_shared)
    judged = select(EVENTS.c.task, EVENTS.c.assessor).where(EVENTS.c.task.in_(shared), EVENTS.c.action != "correct")
    asked = select(LEASES.c.task, LEASES.c.assessor).where(LEASES.c.task.in_(shared), LEASES.c.expires_at > now)
    began: dict[int, list[str]] = {}
    for task, assessor in connection.execute(union(judged, asked)):
        began.setdefault(task, []).append(assessor)
    if several := next((sorted(names) for names in began.values() if len(names) > 1), None):
        raise DataError(
            f"{', '.join(several)} judge a query together, or are at it right now; overlap can grow from 1 only while each query has one "
            "assessor"
        )
    connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task.in_(shared)).values(is_shared=False))
    for task, (assessor,) in began.items():
        connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task == task).values(member=numbers.get(assessor)))
