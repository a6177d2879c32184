"""Which task a member works on next.

A free copy is a member's as soon as they are asked a question of it, so that nobody else is. It is theirs for good with their first answer
or skip: until then, whoever is asked may have only looked, and the copy is free again when the question is given back or its time is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, and_, bindparam, exists, not_, or_, select, update

from podium.projects.facts import Conflict, Member
from podium.projects.plans import MODEL_COPIES
from podium.store.project_tables import MEMBERS, PROJECT_TASKS, QUERIES
from podium.store.tables import LEASES, TASKS

__all__ = ["IS_CLAIMED", "Beaten", "Candidate", "claim", "find_candidates", "free_copies", "in_order", "keep"]


@dataclass(frozen=True)
class Candidate:
    """A task that is not finished and that a member may work on."""

    task: int
    query_id: str
    tool: str
    copy: int
    place: int  # of the query
    round: int | None = None
    is_own: bool = False
    is_shared: bool = False
    is_mine: bool = False  # the member holds a question of it
    is_held: bool = False  # somebody else does
    events: int = 0

    @property
    def is_free(self) -> bool:
        """A copy for the first who takes it."""
        return not self.is_own and not self.is_shared


def in_order(candidates: Sequence[Candidate], last: int | None) -> list[Candidate]:
    """The tasks in the order in which they are tried.

    First the one that the member worked on ``last``; then their own, by round, tool (pairs before grades) and place of the query; then free
    copies; then tasks that all share: one of which they hold a question, one that nobody is at, any.
    """
    return sorted(candidates, key=lambda each: (each.task != last or each.is_free, *_rank(each)))


def _rank(each: Candidate) -> tuple[int, int, bool, int, int]:
    if each.is_own:
        return 0, each.round or 0, each.tool != "pairs", each.place, each.copy
    if each.is_free:
        return 1, 0, False, each.place, each.copy
    return 2, 0 if each.is_mine else 2 if each.is_held else 1, False, each.place, each.copy


_OWN = PROJECT_TASKS.alias("own")
_HAS_COPY = exists().where(
    _OWN.c.project == PROJECT_TASKS.c.project, _OWN.c.query_id == PROJECT_TASKS.c.query_id, _OWN.c.member == bindparam("member_number")
)
_IS_OWN = and_(PROJECT_TASKS.c.member.is_not(None), PROJECT_TASKS.c.member == bindparam("member_number"))
_RUNS = and_(LEASES.c.task == PROJECT_TASKS.c.task, LEASES.c.expires_at > bindparam("now"))
_FRESH = TASKS.alias("fresh")
IS_CLAIMED = and_(  # a copy that its member took, and was not assigned
    not_(PROJECT_TASKS.c.is_shared), PROJECT_TASKS.c.fold.is_(None), PROJECT_TASKS.c.copy < MODEL_COPIES
)  # fmt: skip
_IS_FREE = and_(
    IS_CLAIMED,
    not_(PROJECT_TASKS.c.is_dropped),
    exists().where(_FRESH.c.number == PROJECT_TASKS.c.task, _FRESH.c.events == 0),
    or_(PROJECT_TASKS.c.member.is_(None), not_(exists().where(_RUNS))),
    not_(_HAS_COPY),
)
_CANDIDATES = (
    select(
        PROJECT_TASKS.c.task, PROJECT_TASKS.c.query_id, PROJECT_TASKS.c.tool, PROJECT_TASKS.c.copy, QUERIES.c.place, PROJECT_TASKS.c.round,
        _IS_OWN, PROJECT_TASKS.c.is_shared,
        exists().where(_RUNS, LEASES.c.assessor == bindparam("assessor")),
        exists().where(_RUNS, LEASES.c.assessor != bindparam("assessor")),
        TASKS.c.events,
    )
    .join(TASKS, TASKS.c.number == PROJECT_TASKS.c.task)
    .join(QUERIES, and_(QUERIES.c.project == PROJECT_TASKS.c.project, QUERIES.c.query_id == PROJECT_TASKS.c.query_id))
    .where(PROJECT_TASKS.c.project == bindparam("project"), not_(PROJECT_TASKS.c.is_dropped), not_(TASKS.c.is_finished))
)  # fmt: skip
_OF_PEOPLE = _CANDIDATES.where(or_(_IS_OWN, _IS_FREE, PROJECT_TASKS.c.is_shared))
_OF_MODELS = _CANDIDATES.where(_IS_OWN)  # a model judges alone: people's answers and its own are never mixed


def find_candidates(connection: Connection, member: Member, now: str) -> list[Candidate]:
    """The tasks that a member may work on."""
    query = _OF_MODELS if member.kind == "model" else _OF_PEOPLE
    values = {"project": member.project, "member_number": member.number, "assessor": member.name, "now": now}
    rows = connection.execute(query, values)
    return [replace(Candidate(*row[:6], *map(bool, row[6:10])), events=row[10]) for row in rows]


_CLAIM = (
    update(PROJECT_TASKS)
    .where(PROJECT_TASKS.c.task == bindparam("claimed"), _IS_FREE)
    .values(member=bindparam("member_number"))
    .execution_options(synchronize_session=False)
)


class Beaten(Conflict):
    """Somebody else was faster, or the member has a copy of the query by now."""


def claim(connection: Connection, member: Member, task: int, now: str) -> None:
    """Make a free copy the member's own, before they are asked in the same transaction; the task must be locked."""
    _lock(connection, member)
    if connection.execute(_CLAIM, {"claimed": task, "member_number": member.number, "now": now}).rowcount != 1:
        raise Beaten(f"task {task} is not free any more")


def _lock(connection: Connection, member: Member) -> None:
    """One copy at a time."""
    connection.execute(select(MEMBERS.c.number).where(MEMBERS.c.number == member.number).with_for_update())


_KEEP = (
    update(PROJECT_TASKS)
    .where(PROJECT_TASKS.c.task == bindparam("kept"), not_(PROJECT_TASKS.c.is_dropped))
    .where(or_(_IS_OWN, and_(PROJECT_TASKS.c.member.is_(None), not_(_HAS_COPY))))
    .values(member=bindparam("member_number"))
    .execution_options(synchronize_session=False)
)


def keep(connection: Connection, member: Member, task: int) -> None:
    """Before the first answer in a copy, which is then the member's for good: refused if it is somebody else's by now."""
    _lock(connection, member)
    if connection.execute(_KEEP, {"kept": task, "member_number": member.number}).rowcount != 1:
        raise Conflict("somebody else judges this by now, as you were away for long; ask for the next question")


def free_copies(connection: Connection, member: int) -> None:
    """Let others take the copies of a member in which nothing was said yet."""
    unbegun = (
        select(TASKS.c.number)
        .join(PROJECT_TASKS, PROJECT_TASKS.c.task == TASKS.c.number)
        .where(PROJECT_TASKS.c.member == member, IS_CLAIMED, TASKS.c.events == 0)
        .order_by(TASKS.c.number)
        .with_for_update(of=TASKS)
    )
    tasks = connection.scalars(unbegun).all()
    connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task.in_(tasks)).values(member=None))
