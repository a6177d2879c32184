"""Gold questions: questions whose answers are known, put among the others to see how well assessors judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from podium.errors import DataError
from podium.projects.facts import Conflict, Project
from podium.projects.putting import answers_offered
from podium.projects.rows import find_project, is_number, pools_of
from podium.store.project_tables import GOLD, GOLD_ANSWERS, MEMBERS
from podium.store.rows import checked_text
from podium.store.store import Store

__all__ = ["SKIPPED", "Gold", "GoldQuestion", "GoldScore", "turned"]

SKIPPED = ""  # what is kept as the answer to a gold question that was skipped
_TURNED = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class GoldQuestion:
    """Which of two documents is better, or without a right one what grade the left one deserves; and the answer."""

    number: int
    project: int
    query_id: str
    left: str
    right: str | None
    answer: str
    is_active: bool = True

    @property
    def tool(self) -> str:
        return "grades" if self.right is None else "pairs"


@dataclass(frozen=True)
class GoldScore:
    """How an assessor did: of ``asked`` gold questions so many ``right``; for each right answer how often what was said."""

    asked: int
    right: int
    answers: Mapping[str, Mapping[str, int]]


def turned(answer: str, *, is_turned: bool) -> str:
    """The answer as it reads with the sides exchanged, if they were.

    >>> turned("left", is_turned=True), turned("tie", is_turned=True)
    ('right', 'tie')
    """
    return _TURNED.get(answer, answer) if is_turned else answer


class Gold:
    """The gold questions of projects."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, project: int, query_id: str, left: str, right: str | None, answer: str) -> GoldQuestion:
        """Make a question with its right answer: ``left`` says that the left document, as given here, is better."""
        for what, text in (("query id", query_id), ("left document", left), ("answer", answer)):
            checked_text(what, text)
        if right is not None:
            checked_text("right document", right)
        with self._store.database.writing() as connection:
            found = find_project(connection, project, is_locked=True)
            if found.state == "archived":
                raise Conflict(f"project {found.name!r} is archived; close it again to change it")
            _check(connection, found, query_id, left, right, answer)
            for other in _questions(connection, project):
                if other.is_active and (other.query_id, {other.left, other.right}) == (query_id, {left, right}):
                    raise Conflict(f"gold question {other.number} asks the same already; remove it first, or leave this one out")
            row: dict[str, Any] = {"project": project, "query_id": query_id, "left": left, "right": right, "answer": answer}
            number = connection.execute(insert(GOLD).values(row).returning(GOLD.c.number)).scalar_one()
            return GoldQuestion(int(number), **row)

    def all(self, project: int) -> list[GoldQuestion]:
        """The questions of a project that were not removed, in the order in which they were made."""
        with self._store.database.reading() as connection:
            find_project(connection, project)
            return [question for question in _questions(connection, project) if question.is_active]

    def remove(self, number: int) -> None:
        """Never put this question again, and leave it out of the scores; what was answered is kept."""
        with self._store.database.writing() as connection:
            query = update(GOLD).where(GOLD.c.number == number, GOLD.c.is_active).values(is_active=False)
            if not is_number(number) or not connection.execute(query).rowcount:
                raise DataError(f"there is no gold question {number!r} (any more)")

    def scores(self, project: int) -> dict[str, GoldScore]:
        """How each assessor answered, by name; whoever was asked nothing, or skipped it, is not in it."""
        said: dict[str, list[tuple[str, str]]] = {}
        query = (
            select(MEMBERS.c.name, GOLD.c.answer, GOLD.c.left, GOLD_ANSWERS.c.left, GOLD_ANSWERS.c.answer)
            .join(GOLD_ANSWERS, GOLD_ANSWERS.c.member == MEMBERS.c.number)
            .join(GOLD, GOLD.c.number == GOLD_ANSWERS.c.gold)
            .where(GOLD.c.project == project, GOLD.c.is_active, GOLD_ANSWERS.c.is_standing)
            .where(GOLD_ANSWERS.c.answer.is_not(None), GOLD_ANSWERS.c.answer != SKIPPED)
            .order_by(MEMBERS.c.name, GOLD.c.number)
        )
        with self._store.database.reading() as connection:
            find_project(connection, project)
            for name, expected, left, shown_left, answer in connection.execute(query):
                said.setdefault(name, []).append((expected, turned(answer, is_turned=left != shown_left)))
        return {name: _score(pairs) for name, pairs in said.items()}


def _score(pairs: list[tuple[str, str]]) -> GoldScore:
    answers: dict[str, Counter[str]] = {}
    for expected, answer in pairs:
        answers.setdefault(expected, Counter())[answer] += 1
    return GoldScore(len(pairs), sum(expected == answer for expected, answer in pairs), {key: dict(said) for key, said in answers.items()})


def _questions(connection: Connection, project: int) -> list[GoldQuestion]:
    return [
        GoldQuestion(**row._mapping) for row in connection.execute(select(GOLD).where(GOLD.c.project == project).order_by(GOLD.c.number))
    ]


def _check(connection: Connection, project: Project, query_id: str, left: str, right: str | None, answer: str) -> None:
    """That the question could be put in this project, and answered so."""
    pool = pools_of(connection, project.number, [query_id]).get(query_id)
    if pool is None:
        raise DataError(f"project {project.name!r} has no query {query_id!r}")
    for item in (left, right):
        if item is not None:
            _ = pool[item]
    tool = "grades" if right is None else "pairs"
    if not project.is_study and tool != project.settings.tool:
        asks = "grades of one document" if project.settings.tool == "grades" else "pairs of documents"
        raise DataError(f"project {project.name!r} asks for {asks}; a gold question must too, got {left!r} and {right!r}")
    if left == right:
        raise DataError(f"a gold question is about two different documents, got {left!r} twice")
    offered = answers_offered(project.settings, tool)
    if answer not in offered:
        raise DataError(f"{answer!r} cannot be answered in project {project.name!r}; say one of {', '.join(offered)}")
