"""Rows of the project tables as facts, and how they are found."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import Connection, Select, false, func, select

from podium.errors import DataError
from podium.pool import Pool
from podium.projects.facts import Member, Person, Project, ProjectTask
from podium.projects.settings import settings_from
from podium.store.project_tables import MEMBERS, PEOPLE, PROJECT_TASKS, PROJECTS, QUERIES
from podium.store.rows import pool_from
from podium.store.tables import TASKS

__all__ = [
    "MEMBER", "PROJECT", "TASK", "find_member", "find_person", "find_project", "find_task", "is_number", "member_of", "members_of",
    "pools_of", "project_of", "queries_of", "task_of", "tasks_of",
]  # fmt: skip

_N_QUERIES = select(func.count()).where(QUERIES.c.project == PROJECTS.c.number).scalar_subquery()
PROJECT = select(PROJECTS.c.number, PROJECTS.c.name, PROJECTS.c.state, PROJECTS.c.settings, PROJECTS.c.created_at, _N_QUERIES)
MEMBER = select(*(MEMBERS.c[field.name] for field in fields(Member)))
TASK = (
    select(
        *(PROJECT_TASKS.c[name] for name in ("task", "project", "query_id", "tool", "copy", "is_shared", "member", "fold", "round")),
        *(TASKS.c[name] for name in ("documents", "judgments", "is_finished")),
    )
    .join(TASKS, TASKS.c.number == PROJECT_TASKS.c.task)
    .join(QUERIES, (QUERIES.c.project == PROJECT_TASKS.c.project) & (QUERIES.c.query_id == PROJECT_TASKS.c.query_id))
    .order_by(QUERIES.c.place, PROJECT_TASKS.c.tool.desc(), PROJECT_TASKS.c.copy)  # pairs before grades
)


def is_number(value: object) -> bool:
    """Whether a value can be the number of something: databases refuse, or misread, others."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31


def project_of(row: Any) -> Project:
    number, name, state, settings, created_at, n_queries = row
    return Project(number, name, state, settings_from(json.loads(settings)), created_at, n_queries)


def member_of(row: Any) -> Member:
    member = Member(*row)
    return member if row.settings is None else replace(member, settings=json.loads(row.settings))


def task_of(row: Any) -> ProjectTask:
    return ProjectTask(*row)


def find_project(connection: Connection, number: int, *, is_locked: bool = False) -> Project:
    """The project; locked, nobody else changes it, its members or which tasks it has before this transaction is over."""
    if is_locked and is_number(number):
        connection.execute(select(PROJECTS.c.number).where(PROJECTS.c.number == number).with_for_update())
    row = _one(connection, PROJECT.where(PROJECTS.c.number == number), number)
    if row is None:
        raise DataError(f"there is no project {number!r}")
    return project_of(row)


def find_member(connection: Connection, number: int) -> Member:
    row = _one(connection, MEMBER.where(MEMBERS.c.number == number), number)
    if row is None:
        raise DataError(f"there is no member {number!r}")
    return member_of(row)


def find_person(connection: Connection, number: int) -> Person:
    person = select(*(PEOPLE.c[field.name] for field in fields(Person)))
    row = _one(connection, person.where(PEOPLE.c.number == number), number)
    if row is None:
        raise DataError(f"there is no person {number!r}")
    return Person(*row)


def find_task(connection: Connection, task: int) -> ProjectTask:
    """A task that counts in its project."""
    row = _one(connection, TASK.where(PROJECT_TASKS.c.task == task, PROJECT_TASKS.c.is_dropped == false()), task)
    if row is None:
        raise DataError(f"no project has a task {task!r} (any more)")
    return task_of(row)


def _one(connection: Connection, query: Select[Any], number: int) -> Any:
    return connection.execute(query).one_or_none() if is_number(number) else None


def members_of(connection: Connection, project: int) -> list[Member]:
    """The members of a project, in the order in which they were made: seats first."""
    rows = connection.execute(MEMBER.where(MEMBERS.c.project == project).order_by(MEMBERS.c.number))
    return [member_of(row) for row in rows]


def queries_of(connection: Connection, project: int) -> list[str]:
    """The ids of a project's queries, in the order in which they were added."""
    return list(connection.scalars(select(QUERIES.c.query_id).where(QUERIES.c.project == project).order_by(QUERIES.c.place)))


def pools_of(connection: Connection, project: int, query_ids: list[str] | None = None) -> dict[str, Pool]:
    """The pools of a project by query, in their order; only those of some queries, if these are named."""
    query = select(QUERIES.c.query_id, QUERIES.c.pool).where(QUERIES.c.project == project).order_by(QUERIES.c.place)
    if query_ids is not None:
        query = query.where(QUERIES.c.query_id.in_([each for each in query_ids if "\0" not in each]))  # which PostgreSQL does not take
    return {query_id: pool_from(json.loads(pool)) for query_id, pool in connection.execute(query)}


def tasks_of(connection: Connection, project: int, *, member: int | None = None, is_dropped: bool | None = False) -> list[ProjectTask]:
    """The tasks of a project, in the order of its queries; only those that are a member's own, if one is named.

    Those that were set aside count no more: they are what ``is_dropped`` asks for, and with ``None`` all.
    """
    query = TASK.where(PROJECT_TASKS.c.project == project)
    if is_dropped is not None:
        query = query.where(PROJECT_TASKS.c.is_dropped == is_dropped)
    if member is not None:
        query = query.where(PROJECT_TASKS.c.member == member)
    return [task_of(row) for row in connection.execute(query)]
