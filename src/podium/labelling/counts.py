"""Judgments counted by pair: what a fit, and a search for circles, need of a log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.errors import DataError, UnknownName
from podium.labelling.questions import ANSWERS, ROLES, Event

if TYPE_CHECKING:
    from podium.ragged import Floats, Ints

__all__ = ["Counts", "chosen", "closure", "count", "some"]


class Counts(NamedTuple):
    """Judgments by distinct pair, sorted: rows of the pair, and how often the first won, the second won, neither did."""

    first: Ints
    second: Ints
    outcomes: Floats  # pairs x 3


def count(events: Iterable[Event], items: Sequence[str], roles: Collection[str] | None, *, keep_sides: bool = False) -> Counts:
    """Count the answers about pairs; the first of a pair is the left one if sides are kept, the earlier in ``items`` if not."""
    judged = chosen([event for event in events if event.action == "answer" and event.right is not None], roles)
    row_of = {item: row for row, item in enumerate(items)}
    if len(row_of) < len(items):
        raise DataError(f"every item must be named once, got {some(item for item in row_of if list(items).count(item) > 1)} twice")
    if unknown := {item for event in judged for item in (event.left, event.right) if item not in row_of}:
        raise DataError(f"judged, but not among the {len(items)} items of this query: {some(sorted(map(str, unknown)))}")
    table: dict[tuple[int, int], list[int]] = {}
    for event in judged:
        i, j, outcome = row_of[str(event.left)], row_of[str(event.right)], _outcome(event)
        if i > j and not keep_sides:
            i, j, outcome = j, i, (1, 0, 2)[outcome]
        table.setdefault((i, j), [0, 0, 0])[outcome] += 1
    pairs = np.array(sorted(table), dtype=np.int64).reshape(-1, 2)
    outcomes = np.array([table[i, j] for i, j in sorted(table)], dtype=np.float64).reshape(-1, 3)
    return Counts(pairs[:, 0], pairs[:, 1], outcomes)


def _outcome(event: Event) -> int:
    if event.left == event.right:
        raise DataError(f"{event.left!r} was judged against itself; a pair needs two items")
    if event.answer not in ANSWERS:
        raise DataError(f"{event.answer!r} is no answer about {event.left!r} and {event.right!r}; choose from {', '.join(ANSWERS)}")
    return {"left": 0, "right": 1}.get(event.answer, 2)


def chosen(events: list[Event], roles: Collection[str] | None) -> list[Event]:
    """The events of these roles; of all if none are named, but then people and models together are refused."""
    if roles is not None:
        for role in roles:
            if role not in ROLES:
                raise UnknownName("role", role, ROLES)
        return [event for event in events if event.role in roles]
    seen = {event.role for event in events}
    if "model" in seen and seen & {"person", "recorded"}:
        people = " and ".join(f'"{role}"' for role in sorted(seen - {"model", "oracle"}))
        raise DataError(
            f'the log holds answers of {people} and of "model", which are not averaged unasked; '
            f'choose roles={{{people.replace(" and ", ", ")}}} or {{"model"}}, or name all of them'
        )
    return events


def closure(links: np.typing.NDArray[np.bool_]) -> np.typing.NDArray[np.bool_]:
    """Which row reaches which by one link or more: squaring doubles the length of the paths."""
    reached = links
    while True:
        further = reached | (reached.astype(np.float32) @ reached.astype(np.float32) > 0)
        if (further == reached).all():
            return reached
        reached = further


def some(names: Iterable[str], most: int = 5) -> str:
    listed = list(names)
    return ", ".join(map(repr, listed[:most])) + (f" and {len(listed) - most} more" if len(listed) > most else "")
