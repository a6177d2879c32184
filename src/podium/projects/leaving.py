"""What becomes of a member's work when they leave, or when a task of theirs is given to somebody else. Nothing that was judged is lost.

A finished task stays its assessor's. One in which nothing was said yet goes on as it is. One that was begun and is not finished is set
aside: it keeps its log and counts no more, and another copy takes its place (:func:`podium.projects.plans.replacements`), as one ranking
is one person's judgment. Of a study, the seat goes to the next who joins, with what is unfinished there.
"""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from podium.errors import DataError
from podium.projects.choosing import free_copies
from podium.projects.facts import Member, Project, ProjectTask
from podium.projects.plans import MODEL_COPIES, replaced_by
from podium.projects.rows import find_member, tasks_of
from podium.store.leases import supersede_leases
from podium.store.project_tables import MEMBERS, PROJECT_TASKS
from podium.store.tables import LEASES, TASKS

__all__ = ["leave", "set_aside"]


def leave(connection: Connection, member: Member) -> None:
    """Make a member inactive, and let others have what they did not begin. The project must be locked."""
    own = [task.task for task in tasks_of(connection, member.project, member=member.number)]
    begun = {task for task in own if _events(connection, task)}  # first the tasks, then the member: as whoever answers locks them
    if member.name:
        held = select(LEASES.c.task).distinct().join(PROJECT_TASKS, PROJECT_TASKS.c.task == LEASES.c.task)
        held = held.where(PROJECT_TASKS.c.project == member.project, LEASES.c.assessor == member.name, LEASES.c.expires_at.is_not(None))
        for task in connection.scalars(held).all():
            supersede_leases(connection, task, member.name)
    free_copies(connection, member.number)
    connection.execute(update(MEMBERS).where(MEMBERS.c.number == member.number).values(is_active=False, desk="", desk_at=None))
    if member.seat is not None:
        _leave_seat(connection, member, begun)


def _events(connection: Connection, task: int) -> int:
    """How many events a task has; nobody adds one before this transaction is over."""
    return int(connection.execute(select(TASKS.c.events).where(TASKS.c.number == task).with_for_update()).scalar_one())


def _leave_seat(connection: Connection, member: Member, begun: set[int]) -> None:
    connection.execute(update(MEMBERS).where(MEMBERS.c.number == member.number).values(seat=None))
    row = {"project": member.project, "kind": "person", "name": "", "role": "judge", "seat": member.seat}
    seat = connection.execute(insert(MEMBERS).values(row).returning(MEMBERS.c.number)).scalar_one()
    for task in tasks_of(connection, member.project, member=member.number):
        if task.task not in begun and not task.is_finished:
            connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task == task.task).values(member=seat))
        elif not task.is_finished:
            _drop(connection, task)


def _drop(connection: Connection, task: ProjectTask) -> int:
    """Set a task aside, and return the number of the copy that takes its place."""
    copy = replaced_by(task)
    connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task == task.task).values(is_dropped=True))
    connection.execute(update(LEASES).where(LEASES.c.task == task.task).values(expires_at=None))
    return copy


def set_aside(connection: Connection, project: Project, task: ProjectTask) -> int:
    """Let somebody else have a task, and return the number of the copy that they will judge. The project must be locked."""
    events = _events(connection, task.task)
    if task.is_shared:
        raise DataError(f"task {task.task} is everybody's: whoever judges next goes on with it, and it need not be reassigned")
    if task.copy >= MODEL_COPIES:
        raise DataError(f"task {task.task} is a model's; start the model again to go on with it")
    if task.member is None:
        raise DataError(f"task {task.task} is free already: the next assessor who asks gets it")
    if task.is_finished:
        raise DataError(f"task {task.task} is finished; there is nothing left to judge in it")
    holder = find_member(connection, task.member)
    if project.is_study and holder.seat is not None:
        raise DataError(
            f"task {task.task} belongs to seat {holder.seat} of the study; deactivate {holder.name}, and the seat is free for others"
        )
    if not events:
        connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task == task.task).values(member=None))
        return task.copy
    return _drop(connection, task)
