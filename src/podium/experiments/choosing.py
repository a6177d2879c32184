"""Choosing: the first of the best on validation queries, for every fold, arm, point and seed by itself."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from podium import measures
from podium.ragged import Floats

__all__ = ["choose", "first_of_the_best"]


def first_of_the_best(values: Floats, *, larger_is_better: bool) -> int:
    """Where the best value stands first; no value (NaN) is worse than any, and of none at all the first is taken.

    >>> first_of_the_best(np.array([0.2, np.nan, 0.5, 0.5]), larger_is_better=True)
    2
    """
    goodness = values if larger_is_better else -values
    return int(np.argmax(np.where(np.isnan(values), -np.inf, goodness)))


def choose(cells: Sequence[Hashable], validation: Floats, measure: str) -> list[int]:
    """Which trials are chosen: one of every cell, in the order in which cells appear. It is given validation values and nothing else.

    >>> choose(["a", "a", "b"], np.array([0.1, 0.3, 0.2]), "ndcg@10")
    [1, 2]
    """
    places: dict[Hashable, list[int]] = {}
    for place, cell in enumerate(cells):
        places.setdefault(cell, []).append(place)
    is_larger_better = measures.get(measure).entry.larger_is_better
    return [among[first_of_the_best(validation[among], larger_is_better=is_larger_better)] for among in places.values()]
