"""The tables of a store, as they are now; how an older store comes to have them is told in :mod:`podium.store.migrations`."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text, false

__all__ = ["EVENTS", "INPUTS", "LEASES", "METADATA", "TASKS", "VERSION_TABLE"]

VERSION_TABLE = "podium_store_version"  # by this a store is known from other databases
METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s", "fk": "fk_%(table_name)s_%(column_0_name)s", "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)  # fmt: skip

# Small rows: the counters change with every answer, and a database writes a changed row anew.
TASKS = Table(
    "tasks",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("query_id", Text, nullable=False),
    Column("strategy", Text, nullable=False),
    Column("k", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("events", Integer, nullable=False, server_default="0"),
    Column("judgments", Integer, nullable=False, server_default="0"),
    Column("is_finished", Boolean, nullable=False, server_default=false()),
)

# What a task was made from, as JSON; never changed.
INPUTS = Table(
    "inputs",
    METADATA,
    Column("task", Integer, ForeignKey(TASKS.c.number), primary_key=True, autoincrement=False),
    Column("settings", Text, nullable=False),
    Column("pool", Text, nullable=False),
)

# The log. Triggers refuse to change or delete a row, and to leave out a number.
EVENTS = Table(
    "events",
    METADATA,
    Column("task", Integer, ForeignKey(TASKS.c.number), primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("action", Text, nullable=False),
    Column("left", Text),
    Column("right", Text),
    Column("answer", Text),
    Column("target", Integer),
    Column("assessor", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("seconds", Double),
    Column("paused", Double),
    Column("stage", Text, nullable=False),
    Column("strategy", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("prompt_hash", Text, nullable=False),
    Column("idle", Double),
)
Index("ix_events_key", EVENTS.c.task, EVENTS.c.key, unique=True, sqlite_where=EVENTS.c.key != "", postgresql_where=EVENTS.c.key != "")
Index("ix_events_assessor", EVENTS.c.assessor, EVENTS.c.at)  # what someone did last

# Who was asked what. A row stays until its token is answered or skipped; without a time of expiry it holds nothing any more.
LEASES = Table(
    "leases",
    METADATA,
    Column("token", Text, primary_key=True),
    Column("task", Integer, ForeignKey(TASKS.c.number), nullable=False),
    Column("assessor", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("left", Text, nullable=False),
    Column("right", Text),
    Column("stage", Text, nullable=False),
    Column("opened_at", Text, nullable=False),
    Column("expires_at", Text),
)
_IS_HELD = LEASES.c.expires_at.is_not(None)  # at most one a seat
Index(
    "ix_leases_held", LEASES.c.task, LEASES.c.assessor, LEASES.c.seat, unique=True, sqlite_where=_IS_HELD, postgresql_where=_IS_HELD
)  # fmt: skip
_IS_RELEASED = LEASES.c.expires_at.is_(None)
Index("ix_leases_released", LEASES.c.task, LEASES.c.assessor, sqlite_where=_IS_RELEASED, postgresql_where=_IS_RELEASED)
