"""The tables of projects: what is labelled by whom, who may come in, and what admins did. Used by :mod:`podium.projects`."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, false, text, true

from podium.store.tables import METADATA, TASKS

__all__ = ["AUDIT", "GOLD", "GOLD_ANSWERS", "MEMBERS", "PEOPLE", "PROJECTS", "PROJECT_TASKS", "QUERIES", "RUNS", "SECRETS"]

# Who may come in. A name is an assessor's name in the logs, and therefore never changed or given to another.
PEOPLE = Table(
    "people",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),  # admin, judge or viewer
    Column("is_active", Boolean, nullable=False, server_default=true()),
    Column("created_at", Text, nullable=False),
)

# A project: its settings as JSON.
PROJECTS = Table(
    "projects",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),  # open, closed or archived
    Column("settings", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)

# The pools of a project, from which tasks are made; never changed.
QUERIES = Table(
    "queries",
    METADATA,
    Column("project", Integer, ForeignKey(PROJECTS.c.number), primary_key=True, autoincrement=False),
    Column("query_id", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("pool", Text, nullable=False),
)

# Who judges in a project, or looks on: a person, a model, or a seat of a study that nobody has taken yet.
MEMBERS = Table(
    "members",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("project", Integer, ForeignKey(PROJECTS.c.number), nullable=False),
    Column("person", Integer, ForeignKey(PEOPLE.c.number)),
    Column("kind", Text, nullable=False),  # person or model
    Column("name", Text, nullable=False),  # in the logs; empty while the seat is free
    Column("role", Text, nullable=False),  # judge or viewer
    Column("seat", Integer),  # of a study, from 1
    Column("settings", Text),  # of a model, as JSON
    Column("is_active", Boolean, nullable=False, server_default=true()),
    Column("joined_at", Text),
    Column("desk", Text, nullable=False, server_default=text("''")),  # the browser tab in which they judge
    Column("desk_at", Text),
    UniqueConstraint("project", "person"),
    UniqueConstraint("project", "seat", name="uq_members_seat"),
)

# Which tasks belong to a project. A copy without a member is free: of those that are one person's, for the first who takes it.
PROJECT_TASKS = Table(
    "project_tasks",
    METADATA,
    Column("task", Integer, ForeignKey(TASKS.c.number), primary_key=True, autoincrement=False),
    Column("project", Integer, ForeignKey(PROJECTS.c.number), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("tool", Text, nullable=False),  # pairs or grades
    Column("copy", Integer, nullable=False),
    Column("is_shared", Boolean, nullable=False),  # all judges of the project may work on it
    Column("member", Integer, ForeignKey(MEMBERS.c.number)),
    Column("fold", Integer),
    Column("round", Integer),
    Column("is_dropped", Boolean, nullable=False, server_default=false()),  # set aside: another copy is judged in its place
)
Index(
    "ix_project_tasks_project", PROJECT_TASKS.c.project, PROJECT_TASKS.c.query_id, PROJECT_TASKS.c.tool, PROJECT_TASKS.c.copy, unique=True
)
Index("ix_project_tasks_member", PROJECT_TASKS.c.member)

# Everything that opens a door: invitations, sign-in links, sessions, API tokens. Only hashes are kept.
SECRETS = Table(
    "secrets",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),  # invitation, link, session or token
    Column("person", Integer, ForeignKey(PEOPLE.c.number)),  # whom it lets in; of an invitation nobody yet
    Column("project", Integer, ForeignKey(PROJECTS.c.number)),  # an invitation to it; a token that opens this project only
    Column("role", Text, nullable=False),  # which an invitation gives, and beyond which a token does not go
    Column("note", Text, nullable=False),  # what it is for
    Column("uses_left", Integer),  # None: no limit
    Column("created_at", Text, nullable=False),
    Column("created_by", Integer, ForeignKey(PEOPLE.c.number)),
    Column("expires_at", Text),
    Column("revoked_at", Text),
    Column("last_used_at", Text),
)
Index("ix_secrets_person", SECRETS.c.person)

# Questions whose answers are known, put among the others to see how well assessors judge.
GOLD = Table(
    "gold",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("project", Integer, ForeignKey(PROJECTS.c.number), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("left", Text, nullable=False),
    Column("right", Text),  # None: a question for a grade
    Column("answer", Text, nullable=False),
    Column("is_active", Boolean, nullable=False, server_default=true()),
)
Index("ix_gold_project", GOLD.c.project)

# A gold question as it was put to someone; the answer is empty until it is given.
GOLD_ANSWERS = Table(
    "gold_answers",
    METADATA,
    Column("token", Text, primary_key=True),
    Column("gold", Integer, ForeignKey(GOLD.c.number), nullable=False),
    Column("member", Integer, ForeignKey(MEMBERS.c.number), nullable=False),
    Column("left", Text, nullable=False),
    Column("right", Text),
    Column("opened_at", Text, nullable=False),
    Column("answer", Text),
    Column("at", Text),
    Column("seconds", Double),
    Column("paused", Double),
    Column("idle", Double),
    Column("is_standing", Boolean, nullable=False, server_default=true()),
)
Index("ix_gold_answers_member", GOLD_ANSWERS.c.member, GOLD_ANSWERS.c.gold)

# What a model is doing.
RUNS = Table(
    "runs",
    METADATA,
    Column("member", Integer, ForeignKey(MEMBERS.c.number), primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),  # running, stopping, stopped, failed or done
    Column("message", Text, nullable=False),
    Column("spent", Text, nullable=False),  # requests, tokens and cost, as JSON
    Column("started_at", Text, nullable=False),
    Column("beat_at", Text, nullable=False),  # a run that has not been heard of for a while has died with its server
)

# What admins did. Triggers refuse to change or delete a row.
AUDIT = Table(
    "audit",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("person", Integer, ForeignKey(PEOPLE.c.number)),
    Column("name", Text, nullable=False),
    Column("project", Integer),
    Column("action", Text, nullable=False),
    Column("details", Text, nullable=False),  # JSON
)
Index("ix_audit_project", AUDIT.c.project)
