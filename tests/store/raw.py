"""A store's database without the store: statements as anyone with access could send them."""

from __future__ import annotations

import contextlib
from typing import Any

from sqlalchemy import Engine, NullPool, create_engine, text


def engine(place: str) -> Engine:
    url = place.replace("postgresql://", "postgresql+psycopg://") if "://" in place else f"sqlite:///{place}"
    return create_engine(url, poolclass=NullPool)


def rows(place: str, statement: str, **values: Any) -> list[tuple[Any, ...]]:
    """Send a statement, commit, and return what it selects."""
    with contextlib.closing(engine(place).connect()) as connection:
        result = connection.execute(text(statement), values)
        found = [tuple(row) for row in result] if result.returns_rows else []
        connection.commit()
        return found
