"""Which tasks a project consists of: a function of its settings, its members and its queries. What is not there yet is made from this."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from podium.errors import DataError
from podium.labelling.assignment import assign, folds_of
from podium.labelling.doors import checked_options
from podium.labelling.table import get
from podium.labelling.task import TopK
from podium.pool import Document, Pool
from podium.projects.facts import Member, Project, ProjectSettings, ProjectTask
from podium.store.rows import checked_text

__all__ = [
    "MODEL_COPIES",
    "PlannedTask",
    "by_query",
    "check_pool",
    "check_queries",
    "check_settings",
    "planned_tasks",
    "replaced_by",
    "replacements",
    "task_options",
]

MODEL_COPIES = 1000  # a model's copy has this and the member's number: overlap may grow beside it
_MOST_OVERLAP = 100
_PER_TURN = 100  # what takes the place of copy 3 is copy 103, then 203
_LONGEST_QUERY_ID = 400  # with the rest of the task's name below what databases index


@dataclass(frozen=True)
class PlannedTask:
    """A task that a project must have."""

    project: int
    query_id: str
    tool: str
    copy: int
    is_shared: bool = False
    member: int | None = None
    is_model: bool = False
    fold: int | None = None
    round: int | None = None

    @property
    def name(self) -> str:
        """Of the task in the store: unique, and the same whenever it is planned again."""
        return f"{self.project}/{self.tool}/{self.query_id}/{self.copy}"


def planned_tasks(project: Project, members: Sequence[Member], queries: Sequence[str]) -> list[PlannedTask]:
    """All tasks of a project, in the order of the queries; those of models last."""
    if not queries:
        return []
    people = _study_tasks(project, members, queries) if project.is_study else _people_tasks(project, queries)
    tool = "pairs" if project.is_study else project.settings.tool
    models = (
        PlannedTask(project.number, query, tool, MODEL_COPIES + member.number, member=member.number, is_model=True)
        for member in members
        for query in queries
        if member.kind == "model"
    )
    return [*people, *models]


def _people_tasks(project: Project, queries: Sequence[str]) -> Iterator[PlannedTask]:
    settings = project.settings
    copies = settings.overlap if settings.overlap_by == "copies" else 1
    for query in queries:
        for copy in range(1, copies + 1):
            yield PlannedTask(project.number, query, settings.tool, copy, is_shared=copies == 1)


def _study_tasks(project: Project, members: Sequence[Member], queries: Sequence[str]) -> Iterator[PlannedTask]:
    plan = project.settings.study
    assert plan is not None
    seats = {member.seat: member.number for member in members if member.seat is not None}
    places = sorted(assign(plan.assessors, plan.folds, plan.rounds), key=lambda place: (place.round, place.seat))
    fold_of = folds_of(queries, plan.folds, project.settings.seed)
    for query in queries:
        copies: Counter[str] = Counter()
        for place in places:
            if place.fold == fold_of[query]:
                copies[place.tool] += 1
                yield PlannedTask(
                    project.number, query, place.tool, copies[place.tool], member=seats[place.seat], fold=place.fold, round=place.round
                )


def replacements(project: Project, planned: Sequence[PlannedTask], dropped: Sequence[ProjectTask]) -> list[PlannedTask]:
    """For each task that was set aside another one: free, or in a study of whoever has the seat now."""
    of_seat = {(task.query_id, task.tool, task.copy): task.member for task in planned}
    return [
        PlannedTask(
            project.number,
            task.query_id,
            task.tool,
            replaced_by(task),
            member=of_seat.get((task.query_id, task.tool, (task.copy - 1) % _PER_TURN + 1)) if project.is_study else None,
            fold=task.fold,
            round=task.round,
        )
        for task in dropped
    ]


def replaced_by(task: ProjectTask) -> int:
    """The number of the copy that takes the place of this one."""
    if task.copy + _PER_TURN >= MODEL_COPIES:
        raise DataError(f"task {task.task} was set aside too often already; there is no number for another copy of query {task.query_id!r}")
    return task.copy + _PER_TURN


def task_options(settings: ProjectSettings, task: PlannedTask) -> dict[str, Any]:
    """The keywords with which :meth:`podium.store.Store.add` makes a task.

    Copies for pairs take the documents in the same order, so that their assessors meet as many of the same pairs as can be, and agreement
    rests on many; but each has sides of its own, as a leaning to one side would pass for agreement. Copies for grades have
    orders of their own.
    """
    options, own = _options_of_tool(settings, task.tool, is_model=task.is_model), _seed(settings.seed, task.name)
    if task.tool == "grades":
        return {**options, "seed": own, "name": task.name}
    return {**options, "seed": _seed(settings.seed, f"{task.project}/{task.tool}/{task.query_id}"), "sides": own, "name": task.name}


def _options_of_tool(settings: ProjectSettings, tool: str, *, is_model: bool = False) -> dict[str, Any]:
    has_votes = settings.overlap_by == "votes" and settings.study is None and not is_model  # a model gives one opinion
    common = {"k": settings.k, "repeats": settings.overlap if has_votes else 1, "ties_are_transitive": settings.ties_are_transitive}
    if tool == "grades":
        return {**common, "strategy": "graded", "grades": settings.grades}
    return {**common, "strategy": settings.strategy, **settings.options}


def _seed(seed: int, name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=4).digest()) >> 1


# ---- the door ----


def check_settings(settings: ProjectSettings) -> None:
    """Refuse settings of which no task, or no study, can be made."""
    entry = get(settings.strategy)
    checked_options(settings.strategy, entry, settings.options)
    if entry.asks_grades and (settings.tool == "pairs" or settings.study is not None):
        raise DataError(f"{settings.strategy} asks for grades, not for pairs; choose the tool grades, or another strategy")
    if settings.tool == "grades" and settings.study is None and settings.options:
        raise DataError(f"the tool grades has no strategy with options, got {', '.join(settings.options)}; leave them out")
    if settings.overlap > _MOST_OVERLAP:
        raise DataError(f"overlap must be at most {_MOST_OVERLAP}, got {settings.overlap}")
    if settings.study is not None:
        if settings.overlap != 1:
            raise DataError(f"in a study the rounds say how many assessors judge a query; leave overlap at 1, got {settings.overlap}")
        assign(settings.study.assessors, settings.study.folds, settings.study.rounds)
    for tool in ("pairs", "grades") if settings.study is not None else (settings.tool,):
        TopK(["a", "b"], **_options_of_tool(settings, tool))


def check_queries(settings: ProjectSettings, queries: Sequence[str]) -> None:
    """Refuse queries that are too few for a study."""
    if settings.study is not None and queries:
        folds_of(queries, settings.study.folds, settings.seed)


def check_pool(pool: Pool) -> Pool:
    """The pool, if a project can keep and show it."""
    query = checked_text("query id", pool.query_id, longest=_LONGEST_QUERY_ID)
    if not query:
        raise DataError("query id must not be empty")
    _check_one_line("query id", query)
    if not pool.documents:
        raise DataError(f"query {query!r} has no documents to judge; leave it out")
    for what, text in (("text", pool.query), ("description", pool.description)):
        checked_text(f"{what} of query {query!r}", text)
    for document in pool.documents:
        _check_document(query, document)
    TopK(pool.items)  # ids that a task takes
    return pool


def _check_document(query: str, document: Document) -> None:
    where = f"of document {document.id!r} of query {query!r}"
    _check_one_line("id of a document", checked_text("id of a document", document.id))
    for what, text in (("title", document.title), ("text", document.text), ("url", document.url)):
        checked_text(f"{what} {where}", text)


def _check_one_line(what: str, text: str) -> None:
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in text):
        raise DataError(
            f"{what} must not hold control characters or ends of lines, as files of labels have a line a document, got {text!a}"
        )


def by_query(pools: Sequence[Pool]) -> dict[str, Pool]:
    """The pools by their queries, checked; a query that is given twice must be given alike."""
    found: dict[str, Pool] = {}
    for pool in pools:
        if found.setdefault(check_pool(pool).query_id, pool) != pool:
            raise DataError(f"query {pool.query_id!r} is given twice, with other documents; each has one pool")
    return found
