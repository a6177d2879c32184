"""What the tests of judging share: a project with its people, a clock that ticks, and an oracle."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from podium.pool import Document, Pool
from podium.projects.facts import Member, Offer, ProjectSettings, Put
from podium.projects.gold import Gold
from podium.projects.people import People
from podium.projects.projects import Projects
from podium.projects.review import Review
from podium.projects.work import Work
from podium.store import Store

__all__ = ["Bureau", "Ticking", "best", "finish", "pool_of", "question"]


class Ticking:
    """A clock that goes on by a thousandth of a second whenever it is looked at."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def pool_of(query_id: str, items: Sequence[str] = "abcd") -> Pool:
    """In an order that is worth nothing, so that the oracle has something to say."""
    return Pool(query_id, f"query {query_id}", tuple(Document(item, text=f"{item} of {query_id}") for item in items), f"about {query_id}")


class Bureau:
    """A project and those who judge in it."""

    def __init__(self, store: Store, *, queries: Sequence[str] = ("q1", "q2"), items: Sequence[str] = "abcd", **settings: Any) -> None:
        self.store, self.people, self.projects = store, People(store), Projects(store)
        self.gold, self.review = Gold(store), Review(store, self.projects)
        self.work = Work(store, self.projects)
        self._keys = itertools.count()
        settings = {"k": 2, "strategy": "heap", **settings}
        name = f"project {len(self.projects.all()) + 1}"
        self.project = self.projects.create(name, ProjectSettings(**settings), [pool_of(query, items) for query in queries])

    @property
    def number(self) -> int:
        return self.project.number

    def judge(self, name: str, role: str = "judge") -> Member:
        person = self.people.find(name) or self.people.add(name, "judge")
        return self.projects.add_member(self.number, person.number, role)

    def key(self) -> str:
        return f"key {next(self._keys)}"

    def say(self, member: Member, answer: str | None = None, **details: Any) -> Offer:
        """Answer the question that is offered: as the oracle would, unless something else is said."""
        put = question(self.work.next(member))
        return self.work.answer(member, put.task, put.token, best(put) if answer is None else answer, **details)

    def task_of(self, query_id: str, copy: int = 1) -> int:
        return next(task.task for task in self.projects.tasks(self.number) if (task.query_id, task.copy) == (query_id, copy))


def question(offer: Offer) -> Put:
    assert offer.status == "question"
    assert offer.question is not None
    return offer.question


def best(put: Put) -> str:
    """The oracle: the smaller id is better, and deserves the better grade."""
    if put.right is None:
        return put.answers[-1 - min("abcdefgh".index(put.left.id[0]), len(put.answers) - 1)]
    return "left" if put.left.id < put.right.id else "right"


def finish(bureau: Bureau, member: Member, most: int = 1000) -> list[Put]:
    """Answer all there is, and tell what was asked."""
    asked = []
    offer = bureau.work.next(member)
    while offer.question is not None:
        asked.append(offer.question)
        assert len(asked) <= most
        offer = bureau.work.answer(member, offer.question.task, offer.question.token, best(offer.question))
    return asked
