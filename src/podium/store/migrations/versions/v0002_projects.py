"""Projects, the people in them, what lets them in, gold questions, and the log of what admins did; idle time of events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_REFUSED = "the audit log is only ever appended to"

_SQLITE = [
    f"CREATE TRIGGER audit_keep_{change} BEFORE {change} ON audit BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
    for change in ("UPDATE", "DELETE")
]
_POSTGRESQL = [
    f"CREATE FUNCTION audit_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$",
    "CREATE TRIGGER audit_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_keep()",
]


def upgrade() -> None:
    op.add_column("events", sa.Column("idle", sa.Double))
    op.create_index("ix_events_assessor", "events", ["assessor", "at"])
    released = sa.text("expires_at IS NULL")
    op.create_index("ix_leases_released", "leases", ["task", "assessor"], sqlite_where=released, postgresql_where=released)
    op.create_table(
        "people",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_people"),
        sa.UniqueConstraint("name", name="uq_people_name"),
    )
    op.create_table(
        "projects",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_projects"),
        sa.UniqueConstraint("name", name="uq_projects_name"),
    )
    op.create_table(
        "queries",
        sa.Column("project", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("pool", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("project", "query_id", name="pk_queries"),
        sa.ForeignKeyConstraint(["project"], ["projects.number"], name="fk_queries_project"),
    )
    op.create_table(
        "members",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("person", sa.Integer),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("settings", sa.Text),
        sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("joined_at", sa.Text),
        sa.Column("desk", sa.Text, nullable=False, server_default=sa.text("''")),
        sa.Column("desk_at", sa.Text),
        sa.PrimaryKeyConstraint("number", name="pk_members"),
        sa.ForeignKeyConstraint(["project"], ["projects.number"], name="fk_members_project"),
        sa.ForeignKeyConstraint(["person"], ["people.number"], name="fk_members_person"),
        sa.UniqueConstraint("project", "person", name="uq_members_project"),
        sa.UniqueConstraint("project", "seat", name="uq_members_seat"),
    )
    op.create_table(
        "project_tasks",
        sa.Column("task", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("copy", sa.Integer, nullable=False),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("member", sa.Integer),
        sa.Column("fold", sa.Integer),
        sa.Column("round", sa.Integer),
        sa.Column("is_dropped", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("task", name="pk_project_tasks"),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name="fk_project_tasks_task"),
        sa.ForeignKeyConstraint(["project"], ["projects.number"], name="fk_project_tasks_project"),
        sa.ForeignKeyConstraint(["member"], ["members.number"], name="fk_project_tasks_member"),
    )
    op.create_index("ix_project_tasks_project", "project_tasks", ["project", "query_id", "tool", "copy"], unique=True)
    op.create_index("ix_project_tasks_member", "project_tasks", ["member"])
    op.create_table(
        "secrets",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("person", sa.Integer),
        sa.Column("project", sa.Integer),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("uses_left", sa.Integer),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("created_by", sa.Integer),
        sa.Column("expires_at", sa.Text),
        sa.Column("revoked_at", sa.Text),
        sa.Column("last_used_at", sa.Text),
        sa.PrimaryKeyConstraint("number", name="pk_secrets"),
        sa.UniqueConstraint("hash", name="uq_secrets_hash"),
        sa.ForeignKeyConstraint(["person"], ["people.number"], name="fk_secrets_person"),
        sa.ForeignKeyConstraint(["project"], ["projects.number"], name="fk_secrets_project"),
        sa.ForeignKeyConstraint(["created_by"], ["people.number"], name="fk_secrets_created_by"),
    )
    op.create_index("ix_secrets_person", "secrets", ["person"])
    op.create_table(
        "gold",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("left", sa.Text, nullable=False),
        sa.Column("right", sa.Text),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.PrimaryKeyConstraint("number", name="pk_gold"),
        sa.ForeignKeyConstraint(["project"], ["projects.number"], name="fk_gold_project"),
    )
    op.create_index("ix_gold_project", "gold", ["project"])
    op.create_table(
        "gold_answers",
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("gold", sa.Integer, nullable=False),
        sa.Column("member", sa.Integer, nullable=False),
        sa.Column("left", sa.Text, nullable=False),
        sa.Column("right", sa.Text),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("at", sa.Text),
        sa.Column("seconds", sa.Double),
        sa.Column("paused", sa.Double),
        sa.Column("idle", sa.Double),
        sa.Column("is_standing", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.PrimaryKeyConstraint("token", name="pk_gold_answers"),
        sa.ForeignKeyConstraint(["gold"], ["gold.number"], name="fk_gold_answers_gold"),
        sa.ForeignKeyConstraint(["member"], ["members.number"], name="fk_gold_answers_member"),
    )
    op.create_index("ix_gold_answers_member", "gold_answers", ["member", "gold"])
    op.create_table(
        "runs",
        sa.Column("member", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("spent", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("beat_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("member", name="pk_runs"),
        sa.ForeignKeyConstraint(["member"], ["members.number"], name="fk_runs_member"),
    )
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("person", sa.Integer),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("project", sa.Integer),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
        sa.ForeignKeyConstraint(["person"], ["people.number"], name="fk_audit_person"),
    )
    op.create_index("ix_audit_project", "audit", ["project"])
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL:
        op.execute(statement)
