"""The office: everything that projects need, over one store. The parts are made when they are first asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING

from podium.store import Store, open_store

if TYPE_CHECKING:
    from podium.projects.audit import Audit
    from podium.projects.gold import Gold
    from podium.projects.models import Models
    from podium.projects.people import People
    from podium.projects.projects import Projects
    from podium.projects.reporting import Reporting
    from podium.projects.review import Review
    from podium.projects.work import Work
    from podium.store.store import Clock

__all__ = ["Office", "open_office"]


class Office:
    """A store with its people, projects and all that is done in them; :func:`open_office` opens one. Threads may share it.

    ``model_urls`` are where language models may be asked, see :mod:`podium.projects.model_places`.
    """

    def __init__(self, store: Store, *, public_url: str = "", model_urls: Sequence[str] = ()) -> None:
        self.store, self.public_url, self.model_urls = store, public_url, tuple(model_urls)

    def __enter__(self) -> Office:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the models that judge in this process, and close the store; everything acknowledged is on disk already."""
        if "models" in vars(self):
            self.models.close()
        self.store.close()

    @cached_property
    def people(self) -> People:
        from podium.projects.people import People

        return People(self.store)

    @cached_property
    def projects(self) -> Projects:
        from podium.projects.projects import Projects

        return Projects(self.store)

    @cached_property
    def work(self) -> Work:
        from podium.projects.work import Work

        return Work(self.store, self.projects)

    @cached_property
    def gold(self) -> Gold:
        from podium.projects.gold import Gold

        return Gold(self.store)

    @cached_property
    def review(self) -> Review:
        from podium.projects.review import Review

        return Review(self.store, self.projects)

    @cached_property
    def audit(self) -> Audit:
        from podium.projects.audit import Audit

        return Audit(self.store)

    @cached_property
    def models(self) -> Models:
        from podium.projects.models import Models

        return Models(self.store, self.projects, model_urls=self.model_urls)

    @cached_property
    def reporting(self) -> Reporting:
        from podium.projects.reporting import Reporting

        return Reporting(self.store, self.projects, self.gold)


def open_office(
    place: str | os.PathLike[str],
    *,
    clock: Clock | None = None,
    busy_seconds: float = 30.0,
    public_url: str = "",
    model_urls: Sequence[str] = (),
    must_exist: bool = False,
) -> Office:
    """Open the store at a place, and make it if it is not there yet, unless it ``must_exist``; see :func:`podium.store.open_store`."""
    store = open_store(place, clock=clock, busy_seconds=busy_seconds, must_exist=must_exist)
    return Office(store, public_url=public_url, model_urls=model_urls)
