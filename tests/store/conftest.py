"""Both databases: an SQLite file, and a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.databases import DATABASES, new_place, postgresql

from podium.pool import Document, Pool
from podium.store import Store, open_store

__all__ = ["DATABASES", "new_place", "postgresql"]


@pytest.fixture(params=DATABASES)
def place(request: pytest.FixtureRequest, new_place: Callable[[str], str]) -> str:
    """The place of a new, empty database, of each kind in turn."""
    return new_place(request.param)


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    with open_store(place) as store:
        yield store


@pytest.fixture
def pool() -> Pool:
    return Pool("q1", "wing flutter", tuple(Document(f"d{number}", text=f"text {number}") for number in range(8)), "long")
