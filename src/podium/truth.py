"""Ground truth: one label per document, larger is better, equal labels state no preference.

Grades, full orders and top-k orders are all such labels (SPEC, section 1). This is the one way from grades to an order to its top k.
"""

from __future__ import annotations

import numpy as np

from podium.errors import DataError
from podium.ragged import Floats, Ints
from podium.sorting import rank_rows

__all__ = ["break_ties", "has_ties", "top_k"]


def true_order(labels: Floats, offsets: Ints, *, seed: int) -> Ints:
    """Rows of every query, best first; one order, drawn uniformly among those that agree with the labels."""
    shuffled = rank_rows(np.random.default_rng(seed).random(len(labels)), offsets)
    return shuffled[rank_rows(labels[shuffled], offsets)]


def _from_the_top(order: Ints, offsets: Ints, best: Ints) -> Floats:
    """Labels ``best, best - 1, …`` down the order, and 0 once they would be below 1."""
    sizes = np.diff(offsets)
    position = np.arange(len(order)) - np.repeat(offsets[:-1], sizes)
    labels = np.empty(len(order))
    labels[order] = np.maximum(np.repeat(best, sizes) - position, 0)
    return labels


def break_ties(labels: Floats, offsets: Ints, *, seed: int) -> Floats:
    """A full order that agrees with the labels: n for the best of n documents down to 1 for the last.

    Orders are drawn uniformly among those that agree; labels without ties give the same result for every seed.

    >>> break_ties(np.array([0.0, 2.0, 1.0]), np.array([0, 3]), seed=0).tolist()
    [1.0, 3.0, 2.0]
    """
    return _from_the_top(true_order(labels, offsets, seed=seed), offsets, np.diff(offsets))


def top_k(labels: Floats, offsets: Ints, k: int, *, seed: int) -> Floats:
    """Top-k truth: ``y = k + 1 - position`` for the best ``k``, 0 for the rest; ties are broken at random, with a seed.

    With fewer than ``k`` documents all are on top, and the best still has label ``k``.

    >>> top_k(np.array([0.0, 2.0, 1.0, 0.5]), np.array([0, 4]), 2, seed=0).tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    if k < 1:
        raise DataError(f"k must be 1 or more, got {k}")
    return _from_the_top(true_order(labels, offsets, seed=seed), offsets, np.full(len(offsets) - 1, k))


def has_ties(labels: Floats, offsets: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which queries have two documents of the same label.

    >>> has_ties(np.array([1.0, 1.0, 2.0, 1.0]), np.array([0, 2, 4])).tolist()
    [True, False]
    """
    ranked = labels[rank_rows(labels, offsets)]
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    tied = (ranked[1:] == ranked[:-1]) & (query[1:] == query[:-1])
    answer = np.zeros(len(offsets) - 1, dtype=np.bool_)
    answer[query[1:][tied]] = True
    return answer
