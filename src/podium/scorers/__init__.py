"""Scorers: features to scores, as frozen values that know how to be written down. SCORERS is the table of kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from podium.ragged import Floats, Ints
from podium.scorers.cps import CpsScorer
from podium.scorers.linear import LinearScorer
from podium.scorers.weak import WeakScorer

__all__ = ["SCORERS", "CpsScorer", "LinearScorer", "Scorer", "WeakScorer", "kind_of"]


class Scorer(Protocol):
    """What a trained ranker is: it scores rows, and can be written as plain values."""

    @property
    def n_features(self) -> int: ...

    @property
    def needs_queries(self) -> bool: ...

    def scores(self, features: Any, offsets: Ints) -> Floats: ...

    def as_plain(self) -> dict[str, Any]: ...


SCORERS: dict[str, tuple[type[Any], Callable[[dict[str, Any]], Scorer]]] = {
    "linear": (LinearScorer, LinearScorer.from_plain),
    "weak": (WeakScorer, WeakScorer.from_plain),
    "cps": (CpsScorer, CpsScorer.from_plain),
}


def kind_of(scorer: Scorer) -> str:
    """The name under which a scorer's kind is listed."""
    return next(name for name, (kind, _) in SCORERS.items() if isinstance(scorer, kind))
