"""The log of what those who lead did: who, when, what. It is only ever appended to, which the database itself sees to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import insert, select

from podium.errors import DataError
from podium.projects.rights import Caller
from podium.projects.secrets import hide_secrets
from podium.store import Store
from podium.store.leases import as_text
from podium.store.project_tables import AUDIT
from podium.store.rows import dump

__all__ = ["Audit", "AuditEntry"]

_MOST = 1000


@dataclass(frozen=True)
class AuditEntry:
    """Something that was done. ``name`` is empty if it was not done by a person, but on the command line."""

    number: int
    at: str
    person: int | None
    name: str
    project: int | None
    action: str
    details: Mapping[str, Any]


class Audit:
    """The audit log of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def record(self, caller: Caller | None, action: str, *, project: int | None = None, **details: Any) -> None:
        """Note what was done; ``details`` are whatever JSON can hold. What looks like a secret is left out, wherever it stands."""
        who = {"person": None, "name": ""} if caller is None else {"person": caller.person.number, "name": caller.person.name}
        what = {"project": project, "action": hide_secrets(action), "details": hide_secrets(dump(details))}
        with self._store.database.writing() as connection:
            connection.execute(insert(AUDIT), {"at": as_text(self._store.time(connection)), **who, **what})

    def entries(self, *, project: int | None = None, before: int | None = None, most: int = 100) -> list[AuditEntry]:
        """The newest entries, newest first; of one project, and older than the entry ``before``, if these are given."""
        for name, value in (("project", project), ("before", before), ("most", most)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31):
                raise DataError(f"{name} must be a whole number of 1 or more, got {value!r}")
        query = select(*(AUDIT.c[each.name] for each in fields(AuditEntry))).order_by(AUDIT.c.number.desc()).limit(min(most, _MOST))
        if project is not None:
            query = query.where(AUDIT.c.project == project)
        if before is not None:
            query = query.where(AUDIT.c.number < before)
        with self._store.database.reading() as connection:
            return [_entry(row) for row in connection.execute(query)]


def _entry(row: Sequence[Any]) -> AuditEntry:
    values = [*row[:-1], json.loads(row[-1])]
    return AuditEntry(*values)
