"""Secrets for people: whom one may be made for, and what it may open. A part of the caller's transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from podium.projects.facts import Closed, Conflict, NotAllowed, Person, Secret
from podium.projects.joining import read_person
from podium.projects.revoking import check_own_name
from podium.projects.rows import find_project
from podium.projects.secrets import issue

__all__ = ["issue_for"]


def issue_for(
    connection: Connection, kind: str, now: datetime, person: Person | int | None, *, lasts: timedelta | None, **facts: Any
) -> tuple[str, Secret]:
    """Make a secret for someone, or for whoever has it; ``facts`` are columns of the table, and ``created_by`` is one of them."""
    if person is not None:
        whose = read_person(connection, person)
        if not whose.is_active:
            raise Conflict(f"{whose.name} was shut out; let them in again first")
        check_own_name(connection, kind, whose, facts["created_by"])
        if facts.setdefault("role", whose.role) == "admin" != whose.role:
            raise NotAllowed(f"{whose.name} is not an admin, and a token cannot make them one; choose judge or viewer")
        facts["person"] = whose.number
    if facts.get("project") is not None:
        _check_project(connection, facts["project"])
    return issue(connection, kind, now, lasts=lasts, **facts)


def _check_project(connection: Connection, number: int) -> None:
    project = find_project(connection, number)
    if project.state == "archived":
        raise Closed(f"project {project.name!r} is archived; nobody can come in")
