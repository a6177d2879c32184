"""What a finished task says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podium.labelling.questions import Event

__all__ = ["Result", "tied_by_grade"]


@dataclass(frozen=True)
class Result:
    """What a finished task says: the ordered top, the rest, the ties met along the way, and the judgments that stand."""

    top: tuple[str, ...]
    rest: tuple[str, ...]
    ties: tuple[tuple[str, ...], ...]
    judgments: tuple[Event, ...]
    k: int
    bad: tuple[str, ...] = ()  # called bad, and therefore in the rest
    grades: Mapping[str, str] = field(default_factory=dict)

    def labels(self) -> dict[str, float]:
        """Top-k truth: k for the best down to 1 for the k-th, 0 for the rest.

        >>> Result(("b", "a"), ("c",), (), (), k=2).labels()
        {'b': 2.0, 'a': 1.0, 'c': 0.0}
        """
        return {**{item: float(self.k - place) for place, item in enumerate(self.top)}, **dict.fromkeys(self.rest, 0.0)}


def tied_by_grade(grades: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """The groups of items that have the same grade, best first.

    >>> tied_by_grade({"a": 1, "b": 4, "c": 1})
    (('a', 'c'),)
    """
    members: dict[int, list[str]] = {}
    for item, grade in grades.items():
        members.setdefault(grade, []).append(item)
    return tuple(tuple(group) for _, group in sorted(members.items(), reverse=True) if len(group) > 1)
