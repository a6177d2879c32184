"""What all judged pairs of a query say, and how much of it a top k has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from podium.sources.recorded import RecordedPairs

__all__ = ["Quality", "copeland", "gain", "quality", "recovered", "tau_inside"]


def copeland(said: RecordedPairs, outcomes: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int8]]) -> dict[str, float]:
    """Copeland's score of each item: the pairs it won, and half of those it tied; ``outcomes`` of each pair, −1 left, 0 tie, 1 right.

    >>> said = RecordedPairs("q", ("a", "b", "c"), np.array([[0, 1], [2, 0], [1, 2]]), np.zeros((3, 1), np.int8))
    >>> copeland(said, [-1, 0, 0])  # a beats b; the others tie
    {'a': 1.5, 'b': 0.5, 'c': 1.0}
    """
    left, right = said.pairs.T
    for_right = (np.asarray(outcomes) + 1) / 2
    scores = np.bincount(right, for_right, len(said.items)) + np.bincount(left, 1 - for_right, len(said.items))
    return dict(zip(said.items, scores.tolist(), strict=True))


class Quality(NamedTuple):
    """How good a top k is by the scores of all pairs."""

    recovered: float  # share of the true top k
    gain: float  # share of the largest sum of scores that k items can have
    tau: float  # order inside the top; NaN if all are equal


def recovered(top: Sequence[str], scores: dict[str, float], k: int) -> float:
    """The share of the true top k that is in ``top``.

    True are the items above the k-th largest score, and of the items equal to it any, as far as there is room: with m above, at most
    k − m of the equal ones count.

    >>> recovered(["a", "c"], {"a": 2, "b": 1, "c": 1, "d": 0}, k=2), recovered(["b", "c"], {"a": 2, "b": 1, "c": 1, "d": 0}, k=2)
    (1.0, 0.5)
    """
    border = sorted(scores.values(), reverse=True)[k - 1]
    above = sum(score > border for score in scores.values())
    equal = sum(scores[item] == border for item in top)
    return (sum(scores[item] > border for item in top) + min(equal, k - above)) / k


def gain(top: Sequence[str], scores: dict[str, float], k: int) -> float:
    """The sum of the scores of ``top``, over that of the k largest."""
    return sum(scores[item] for item in top) / sum(sorted(scores.values(), reverse=True)[:k])


def tau_inside(top: Sequence[str], scores: dict[str, float]) -> float:
    """Kendall's τ of the order of ``top`` over its pairs of different scores: right ones less wrong ones, over both."""
    signs = [np.sign(scores[first] - scores[second]) for place, first in enumerate(top) for second in top[place + 1 :]]
    differ = sum(sign != 0 for sign in signs)
    return float(sum(signs)) / differ if differ else float("nan")


def quality(top: Sequence[str], scores: dict[str, float], k: int) -> Quality:
    """All three."""
    return Quality(recovered(top, scores, k), gain(top, scores, k), tau_inside(top, scores))
