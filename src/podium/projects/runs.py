"""Runs of models as rows: one a member, claimed by whoever runs it, kept alive by a beat, and taken over when the beat has died."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, update

from podium.assessors.limits import Spent
from podium.projects.facts import Conflict
from podium.store.leases import as_text
from podium.store.project_tables import MEMBERS, PROJECTS, RUNS
from podium.store.rows import dump
from podium.store.store import Store

__all__ = ["DEAD_AFTER", "TAKEN_OVER", "Claim", "Run", "claim", "look", "say", "stop", "wanted"]

DEAD_AFTER = timedelta(seconds=60)  # without a beat
TAKEN_OVER = "taken over"
_UNDER_WAY = ("running", "stopping")
_GONE = "the server that ran it has gone; start it again, and it goes on from there"


@dataclass(frozen=True)
class Run:
    """What a model is doing: new, running, stopping, stopped, failed or done; and what was spent since it was started last."""

    state: str = "new"
    message: str = ""
    started_at: str | None = None
    beat_at: str | None = None
    spent: Mapping[str, Any] = field(default_factory=lambda: asdict(Spent()))  # requests, tokens_in, tokens_out, cost

    @property
    def is_under_way(self) -> bool:
        return self.state in _UNDER_WAY


@dataclass(frozen=True)
class Claim:
    """The right to run a model, known by when it was taken: whoever takes it over later has another."""

    member: int
    started_at: str


def _run(connection: Connection, member: int, now: datetime) -> Run:
    row = connection.execute(select(RUNS).where(RUNS.c.member == member)).one_or_none()
    if row is None:
        return Run()
    is_dead = row.state in _UNDER_WAY and now - datetime.fromisoformat(row.beat_at) > DEAD_AFTER
    state, message = ("stopped", _GONE) if is_dead else (row.state, row.message)
    return Run(state, message, row.started_at, row.beat_at, json.loads(row.spent))


def look(store: Store, member: int) -> Run:
    """What a member's run is doing now; one that has not been heard of for a while is told as stopped."""
    with store.database.reading() as connection:
        return _run(connection, member, store.time(connection))


def claim(store: Store, member: int) -> Claim:
    """Take the right to run a model; Conflict if it is running, here or elsewhere."""
    with store.database.writing() as connection:
        connection.execute(select(MEMBERS.c.number).where(MEMBERS.c.number == member).with_for_update())  # one at a time
        now = store.time(connection)
        known = _run(connection, member, now)
        if known.is_under_way:
            raise Conflict(f"this model is {known.state}; wait until it has ended, or stop it")
        at = as_text(now)
        values = {"state": "running", **_said("", Spent()), "started_at": at, "beat_at": at}
        if known.started_at is None:
            connection.execute(insert(RUNS), {"member": member, **values})
        else:
            connection.execute(update(RUNS).where(RUNS.c.member == member), values)
        return Claim(member, at)


def say(store: Store, claim: Claim, message: str, spent: Spent, *, state: str | None = None) -> str:
    """Beat, with what there is to tell, or end the run in a state. Returns what is wanted of the run: to go on, or why it is to stop.

    Of a run that was taken over nothing is written.
    """
    own = (RUNS.c.member == claim.member, RUNS.c.started_at == claim.started_at, RUNS.c.state.in_(_UNDER_WAY))
    with store.database.writing() as connection:
        values = {**_said(message, spent), "beat_at": as_text(store.time(connection)), **({"state": state} if state else {})}
        connection.execute(update(RUNS).where(*own), values)
        return wanted(connection, claim)


def wanted(connection: Connection, claim: Claim) -> str:
    """Empty if the run is to go on, otherwise why it is to stop."""
    facts = select(RUNS.c.started_at, RUNS.c.state, PROJECTS.c.state.label("project"), MEMBERS.c.is_active)
    joined = facts.join(MEMBERS, MEMBERS.c.number == RUNS.c.member).join(PROJECTS, PROJECTS.c.number == MEMBERS.c.project)
    row = connection.execute(joined.where(RUNS.c.member == claim.member)).one()
    if row.started_at != claim.started_at:
        return TAKEN_OVER
    if row.state == "stopping":
        return "stopped"
    if row.project != "open":
        return f"stopped: the project is {row.project}"
    return "" if row.is_active else "stopped: the model is not active any more"


def stop(store: Store, member: int) -> Run:
    """Ask a run to stop, wherever it runs; what does not run stays as it is."""
    with store.database.writing() as connection:
        run = _run(connection, member, store.time(connection))
        row = update(RUNS).where(RUNS.c.member == member, RUNS.c.state.in_(_UNDER_WAY))
        connection.execute(row, {"state": "stopping" if run.is_under_way else "stopped"})
        return _run(connection, member, store.time(connection))


def _said(message: str, spent: Spent) -> dict[str, str]:
    """The message and what was spent, as the row holds them."""
    return {"message": " ".join(message.split())[:1000], "spent": dump(asdict(spent))}
