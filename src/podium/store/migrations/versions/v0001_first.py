"""Tasks, what they were made from, their events, and the open questions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_REFUSED = "events are only ever appended"
_GAP = "events are numbered from 1 without gaps"

_SQLITE = [
    f"CREATE TRIGGER events_keep_{change} BEFORE {change} ON events BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
    for change in ("UPDATE", "DELETE")
] + [
    f"""CREATE TRIGGER events_in_order BEFORE INSERT ON events
    WHEN NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM events WHERE task = NEW.task)
    BEGIN SELECT RAISE(ABORT, '{_GAP}'); END""",
]

_POSTGRESQL = [
    f"CREATE FUNCTION events_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$",
    "CREATE TRIGGER events_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_keep()",
    f"""CREATE FUNCTION events_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM events WHERE task = NEW.task) THEN RAISE EXCEPTION '{_GAP}'; END IF;
        RETURN NEW;
    END $$""",
    "CREATE TRIGGER events_in_order BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION events_in_order()",
]


def upgrade() -> None:
    op.create_table(
        "tasks",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("strategy", sa.Text, nullable=False),
        sa.Column("k", sa.Integer, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.Column("events", sa.Integer, nullable=False, server_default="0"),
        sa.Column("judgments", sa.Integer, nullable=False, server_default="0"),
        sa.Column("is_finished", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("number", name="pk_tasks"),
        sa.UniqueConstraint("name", name="uq_tasks_name"),
    )
    op.create_table(
        "inputs",
        sa.Column("task", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("pool", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("task", name="pk_inputs"),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name="fk_inputs_task"),
    )
    op.create_table(
        "events",
        sa.Column("task", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("left", sa.Text),
        sa.Column("right", sa.Text),
        sa.Column("answer", sa.Text),
        sa.Column("target", sa.Integer),
        sa.Column("assessor", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("seconds", sa.Double),
        sa.Column("paused", sa.Double),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("strategy", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("prompt_hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("task", "number", name="pk_events"),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name="fk_events_task"),
    )
    has_key = sa.text("key <> ''")
    op.create_index("ix_events_key", "events", ["task", "key"], unique=True, sqlite_where=has_key, postgresql_where=has_key)
    op.create_table(
        "leases",
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("task", sa.Integer, nullable=False),
        sa.Column("assessor", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("left", sa.Text, nullable=False),
        sa.Column("right", sa.Text),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text),
        sa.PrimaryKeyConstraint("token", name="pk_leases"),
        sa.ForeignKeyConstraint(["task"], ["tasks.number"], name="fk_leases_task"),
    )
    is_held, seat = sa.text("expires_at IS NOT NULL"), ["task", "assessor", "seat"]
    op.create_index("ix_leases_held", "leases", seat, unique=True, sqlite_where=is_held, postgresql_where=is_held)
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL:
        op.execute(statement)
