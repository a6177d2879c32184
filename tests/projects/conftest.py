"""Both databases: an SQLite file, and a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.databases import DATABASES, new_place, postgresql

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
