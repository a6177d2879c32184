"""Looking through the judgments of a project, with both documents in view; correcting them by an entry that is appended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, and_, exists, func, select

from podium.errors import DataError
from podium.labelling.log import standing_by_number
from podium.labelling.questions import Event
from podium.pool import Document
from podium.projects.facts import Conflict
from podium.projects.projects import Projects
from podium.projects.putting import answers_offered
from podium.projects.rows import find_project, is_number, pools_of
from podium.store.live import read_events
from podium.store.project_tables import MEMBERS, PROJECT_TASKS
from podium.store.rows import checked_text
from podium.store.store import Store
from podium.store.tables import EVENTS, TASKS
from podium.store.turns import SaidOtherwise

__all__ = ["HistoryEntry", "Judgment", "JudgmentDetail", "Page", "Reopened", "Review"]

_MOST = 500  # judgments on a page


@dataclass(frozen=True)
class Judgment:
    """An answer as it was given, and as it counts now."""

    task: int
    event: int
    query_id: str
    tool: str
    left: str
    right: str | None
    answer: str  # as said
    stands: str | None  # as it counts now; None if it was taken back
    corrected_by: str | None
    assessor: str
    role: str
    at: str
    seconds: float | None
    paused: float | None
    idle: float | None


@dataclass(frozen=True)
class Page:
    """Some of the judgments that were looked for, and how many there are in all."""

    rows: list[Judgment]
    total: int


@dataclass(frozen=True)
class HistoryEntry:
    """What happened to a judgment: an answer, a correction, an undo or a redo of either."""

    event: int
    action: str
    answer: str | None
    assessor: str
    at: str


@dataclass(frozen=True)
class Reopened:
    """A task that has questions since its judgment was corrected: whose it is, and about how many."""

    assessor: str  # empty if it is everybody's
    is_active: bool
    about_left: int


@dataclass(frozen=True)
class JudgmentDetail:
    """A judgment with what its assessor saw, what may be said instead, and what happened to it."""

    judgment: Judgment
    query: str
    description: str
    left: Document
    right: Document | None
    answers: tuple[str, ...]
    history: tuple[HistoryEntry, ...]
    reopened: Reopened | None = None


class Review:
    """The judgments of projects."""

    def __init__(self, store: Store, projects: Projects) -> None:
        self._store, self._projects = store, projects

    def judgments(
        self,
        project: int,
        *,
        query_id: str | None = None,
        assessor: str | None = None,
        tool: str | None = None,
        answer: str | None = None,
        is_corrected: bool | None = None,
        page: int = 1,
        most: int = 50,
    ) -> Page:
        """A page of the answers of a project, newest first: those that fit all that is said; ``answer`` is the one that was given."""
        for what, number, highest in (("page", page, 2**31 - 1), ("most", most, _MOST)):
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= highest:
                raise DataError(f"{what} must be a whole number between 1 and {highest}, got {number!r}")
        wanted = {PROJECT_TASKS.c.query_id: query_id, EVENTS.c.assessor: assessor, PROJECT_TASKS.c.tool: tool, EVENTS.c.answer: answer}
        query = _JUDGMENTS.where(PROJECT_TASKS.c.project == project, EVENTS.c.action == "answer")
        query = query.where(*(column == checked_text(column.name, value) for column, value in wanted.items() if value is not None))
        if is_corrected is not None:
            query = query.where(_IS_CORRECTED if is_corrected else ~_IS_CORRECTED)
        with self._store.database.reading() as connection:
            find_project(connection, project)
            total = connection.execute(query.with_only_columns(func.count())).scalar_one()
            newest = query.order_by(EVENTS.c.at.desc(), EVENTS.c.task.desc(), EVENTS.c.number.desc())
            rows = connection.execute(newest.limit(most).offset((page - 1) * most)).all()
            return Page(_with_what_stands(connection, rows), total)

    def judgment(self, project: int, task: int, event: int) -> JudgmentDetail:
        """One answer, with the documents and its history."""
        with self._store.database.reading() as connection:
            found = find_project(connection, project)
            query = _JUDGMENTS.where(PROJECT_TASKS.c.project == project, EVENTS.c.action == "answer")
            is_there = is_number(task) and is_number(event)
            row = connection.execute(query.where(EVENTS.c.task == task, EVENTS.c.number == event)).one_or_none() if is_there else None
            if row is None:
                raise DataError(f"project {found.name!r} has no judgment {event!r} in a task {task!r}")
            (judgment,) = _with_what_stands(connection, [row])
            pool = pools_of(connection, project, [judgment.query_id])[judgment.query_id]
            history = tuple(_history(read_events(connection, task), event))
            owner = _owner_of_unfinished(connection, task) if judgment.corrected_by is not None else None
        reopened = None if owner is None else Reopened(*owner, self._store.about_left(task))
        left, right = pool[judgment.left], None if judgment.right is None else pool[judgment.right]
        offered = answers_offered(found.settings, judgment.tool)
        return JudgmentDetail(judgment, pool.query, pool.description, left, right, offered, history, reopened)

    def correct(self, project: int, task: int, event: int, answer: str, *, by: str, key: str = "") -> JudgmentDetail:
        """Put another answer in the place of one that stands; both are kept. A ``key`` makes it safe to send twice."""
        offered = self.judgment(project, task, event).answers
        if answer not in offered:
            raise DataError(f"{answer!r} is no answer to this question; say one of {', '.join(offered)}")
        try:
            self._store.correct(task, event, answer, assessor=by, key=key)
        except SaidOtherwise as error:
            raise Conflict(str(error)) from None
        return self.judgment(project, task, event)


_JUDGMENTS: Select[Any] = select(
    EVENTS.c.task, EVENTS.c.number, PROJECT_TASKS.c.query_id, PROJECT_TASKS.c.tool,
    *(EVENTS.c[name] for name in ("left", "right", "answer", "assessor", "role", "at", "seconds", "paused", "idle")),
).join(PROJECT_TASKS, PROJECT_TASKS.c.task == EVENTS.c.task)  # fmt: skip


def _stands(event: FromClause) -> ColumnElement[bool]:
    """Whether an event stands: it was undone no more often than that was redone."""
    undo, undone, redo = (EVENTS.alias(f"{name}_of_{event.name}") for name in ("undo", "undone", "redo"))  # type: ignore[attr-defined]
    of_event = and_(undo.c.task == event.c.task, undo.c.target == event.c.number, undo.c.action == "undo")
    undos = select(func.count()).select_from(undo).where(of_event)
    redos = (
        select(func.count())
        .select_from(redo)
        .join(undone, and_(undone.c.task == redo.c.task, undone.c.number == redo.c.target))
        .where(redo.c.task == event.c.task, redo.c.action == "redo", undone.c.target == event.c.number)
    )
    return undos.correlate(event).scalar_subquery() == redos.correlate(event).scalar_subquery()


def _is_corrected() -> ColumnElement[bool]:
    """Whether the answer stands, and some correction of it does."""
    correction = EVENTS.alias("correction")
    is_about = and_(correction.c.task == EVENTS.c.task, correction.c.target == EVENTS.c.number, correction.c.action == "correct")
    return and_(_stands(EVENTS), exists().where(is_about, _stands(correction)))


_IS_CORRECTED = _is_corrected()


def _owner_of_unfinished(connection: Connection, task: int) -> tuple[str, bool] | None:
    """Whose a task is, and whether they are active; ``None`` if nothing is to be done in it."""
    query = (
        select(MEMBERS.c.name, MEMBERS.c.is_active)
        .select_from(PROJECT_TASKS)
        .join(TASKS, TASKS.c.number == PROJECT_TASKS.c.task)
        .outerjoin(MEMBERS, MEMBERS.c.number == PROJECT_TASKS.c.member)
        .where(PROJECT_TASKS.c.task == task, ~PROJECT_TASKS.c.is_dropped, ~TASKS.c.is_finished)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.name or "", row.is_active is not False)


def _with_what_stands(connection: Connection, rows: Sequence[Any]) -> list[Judgment]:
    logs = {task: read_events(connection, task) for task in {row.task for row in rows}}
    stands = {task: standing_by_number(events) for task, events in logs.items()}
    return [_judgment(row, logs[row.task], stands[row.task].get(row.number)) for row in rows]


def _judgment(row: Any, events: Sequence[Event], now: tuple[Event, int | None] | None) -> Judgment:
    task, number, query_id, tool, left, right, answer, *said = row
    stands, correction = (None, None) if now is None else (now[0].answer, now[1])
    corrected_by = None if correction is None else events[correction - 1].assessor
    return Judgment(task, number, query_id, tool, left, right, answer, stands, corrected_by, *said)


def _history(events: Sequence[Event], number: int) -> list[HistoryEntry]:
    """The event, what corrects it, and what undoes and redoes any of these."""
    about = {number}
    for place, event in enumerate(events, start=1):
        if event.target in about:
            about.add(place)
    return [
        HistoryEntry(place, event.action, event.answer, event.assessor, event.at)
        for place, event in enumerate(events, start=1)
        if place in about
    ]
