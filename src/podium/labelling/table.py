"""STRATEGIES, the one table of labelling strategies; lookup, messages, command line, documentation and contract tests read it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from podium.errors import DataError, UnknownName
from podium.labelling.active import MIXED, STARTS, active
from podium.labelling.adaptive import adaptive
from podium.labelling.strategies import Strategy, graded, heap, insertion, tournament
from podium.labelling.telling import Certainty

__all__ = ["STRATEGIES", "Entry", "Option", "get"]


@dataclass(frozen=True)
class Option:
    """A setting of a strategy: its kind, what it is if nobody says, and what it does."""

    kind: type
    default: Any
    about: str
    least: float = 0
    most: float = math.inf
    choices: tuple[str, ...] = ()

    def checked(self, name: str, value: Any) -> Any:
        """The value, if it is of the right kind; numbers may come as text from a command line."""
        if value is None:
            return self.default
        if self.choices:
            if value not in self.choices:
                raise UnknownName(name, str(value), self.choices)
            return value
        try:
            number = self.kind(value)
            is_right = not isinstance(value, bool) and number == float(value) and self.least <= number <= self.most
        except (TypeError, ValueError, OverflowError):
            is_right = False
        if not is_right:
            kind = "a whole number" if self.kind is int else "a number"
            bounds = f"of {self.least:g} or more" if self.most == math.inf else f"between {self.least:g} and {self.most:g}"
            raise DataError(f"{name} must be {kind} {bounds}, got {value!r}: {self.about}")
        return number


@dataclass(frozen=True)
class Entry:
    """A strategy: how it runs, what it takes and gives, and why one would choose it."""

    run: Callable[..., Strategy]
    about: str
    version: int = 1
    answers: tuple[str, ...] = ("left", "right", "tie")
    takes_prior: bool = False
    asks_grades: bool = False
    is_repeating: bool = False  # asks what is known again, to be surer of it, and weighs all judgments anew after each
    given: tuple[str, ...] = ()  # what else its function is told: has_prior, judgments
    options: Mapping[str, Option] = field(default_factory=dict)


_WITH_BAD = ("left", "right", "tie", "bad")
STRATEGIES: dict[str, Entry] = {
    "heap": Entry(heap, "the paper's Algorithm 1, the reproducible reference"),
    "tournament": Entry(tournament, "fewest questions with no prior; for models, where a question costs the same whatever it shows"),
    "insertion": Entry(insertion, "few fresh documents per question; profits from a prior order", takes_prior=True),
    "adaptive": Entry(
        adaptive, "for people: ties share a place, both bad removes both, newcomers are triaged; profits from a prior order",
        answers=_WITH_BAD, takes_prior=True, given=("has_prior",),
        options={"stop_after": Option(int, None, "give up after so many bad pairs in a row; what is good among the rest is lost", 1)},
    ),
    "active": Entry(
        active, "for judges who err: spends a budget on the pairs that tell most about the top k, and says how sure it is",
        answers=_WITH_BAD, takes_prior=True, is_repeating=True, given=("has_prior", "judgments"),
        options={
            "budget": Option(int, 200, "judgments in all", 1),
            "confidence": Option(float, None, "stop as soon as the top k is this probably right", 0.01, 0.999),
            "sure_of": Option(str, "set", "of what to be that sure: the set of the top k, or its order", choices=get_args(Certainty)),
            "start": Option(str, "insertion", "the strategy that goes first; 'none' begins with the most telling pair", choices=STARTS),
            "count": Option(str, None, "whose answers count, if people and models both answer", choices=tuple(MIXED)),
        },
    ),
    "graded": Entry(graded, "one document at a time gets a grade; the classic way, to compare with", takes_prior=True, asks_grades=True),
}  # fmt: skip


def get(name: str) -> Entry:
    """The strategy of this name.

    >>> get("heap").version
    1
    >>> get("quick")
    Traceback (most recent call last):
    podium.errors.UnknownName: unknown strategy 'quick'; choose from active, adaptive, graded, heap, insertion, tournament
    """
    if name not in STRATEGIES:
        raise UnknownName("strategy", name, STRATEGIES)
    return STRATEGIES[name]
