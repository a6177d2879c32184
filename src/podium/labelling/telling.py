r"""Which pair tells most about the top k, and when enough is known: the rule of the strategy ``active``.

A pair is worth asking if its answer says much about which of the two is better, and if that matters to the top k:

.. math:: I(\text{answer};\, s_i > s_j) \cdot \Big[ q_i (1 - q_i) + q_j (1 - q_j) + \tfrac14 q_i q_j \Big]

I is the mutual information under the fit's normal distribution of :math:`s_i - s_j`, and :math:`q_i = P(s_i > c)` the probability that an
item is in the top, with the border c where the q sum to k. The first two terms are the doubt whether i and j belong to the top, ¼ each at
most; the third is for the order of two items inside it, where a pair surely inside weighs as much as one item at the border.

Compared by simulation (50 items, k = 10, a Bradley-Terry judge right in 9 of 10 pairs, 200 judgments): with the information about the whole
difference (BALD) in place of its sign the top ten is 2 points less precise, without the weights 6, by random pairs 14; without the third
term it is a point more precise, and its order, by Kendall's τ, 5 points worse.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from podium.errors import DataError, UnknownName
from podium.labelling.bradley_terry import Fit, how_sure

if TYPE_CHECKING:
    from podium.ragged import Floats

__all__ = ["Certainty", "is_sure", "most_telling"]

Certainty = Literal["set", "order"]
_ORDER_SHARE = 0.25
_MOST_ITEMS = 128  # of many items, only those that matter most are looked at pair by pair
_LOGISTIC = 1.702  # Φ(x) is within 0.01 of the logistic function of 1.702 x, which NumPy has
_NODES = np.linspace(-4.875, 4.875, 40)  # of a standard normal: midpoints of cells, none at its mean
_MASSES = np.exp(-(_NODES**2) / 2) / np.exp(-(_NODES**2) / 2).sum()


def most_telling(fit: Fit, k: int, *, count: int = 1) -> list[tuple[str, str]]:
    """The ``count`` pairs that tell most about the top k, best first; fewer if there are no more.

    Of equal pairs the earlier in the order of ``fit.items`` comes first, and so does the earlier item within a pair. It may start from a
    fit to nothing: items not yet seen are the least known, and come first. k > n means k = n. Where ties are likely an answer tells
    less, and the fit knows how likely they are.

    >>> from podium.labelling.bradley_terry import fit
    >>> from podium.labelling.questions import Event
    >>> log = [Event(left=a, right=b, answer="left") for a, b in ("ab", "ac", "ad", "bd", "cd")] * 3
    >>> most_telling(fit(log, "abcd"), k=2)  # b and c beat the same ones; one of them is in the top
    [('b', 'c')]
    """
    if k < 1:
        raise DataError(f"the top must hold at least 1 item, got k = {k}")
    q = _in_top(fit.scores, np.diag(fit.covariance), k)
    doubt = q * (1 - q)
    looked_at = np.sort(np.argsort(-np.round(doubt + _ORDER_SHARE * q, 12), kind="stable")[:_MOST_ITEMS])
    first, second = (looked_at[rows] for rows in np.triu_indices(len(looked_at), 1))
    matters = doubt[first] + doubt[second] + _ORDER_SHARE * q[first] * q[second]
    variance = np.diag(fit.covariance)[first] + np.diag(fit.covariance)[second] - 2 * fit.covariance[first, second]
    worth = matters * _information(fit.scores[first] - fit.scores[second], variance, fit.tie)
    best = np.argsort(-np.round(worth, 12), kind="stable")[: max(count, 0)]  # equal but for rounding is equal
    return [(fit.items[first[row]], fit.items[second[row]]) for row in best]


def is_sure(fit: Fit, k: int, confidence: float = 0.95, *, what: Certainty = "set", draws: int = 2000, seed: int = 0) -> bool:
    """Whether the fitted top k is right with this probability: as a set, or (``what="order"``) every position of it.

    The probability is the fit's own (:func:`podium.labelling.bradley_terry.how_sure`). In simulation it was too
    modest for the set: stopping at .80 and at .95 for the top 3 of 20, the set was right in .92 and 1.00 of the trials that got so far;
    at .80 for the order, in .80. A top 10 of 50 with a judge who errs in 1 of 10 pairs is rarely that sure: .48 on average after 400
    judgments (right: .65). Give a budget too.

    >>> from podium.labelling.bradley_terry import fit
    >>> from podium.labelling.questions import Event
    >>> log = [Event(left="a", right="b", answer="left")]
    >>> is_sure(fit(log, "ab"), k=1), is_sure(fit(log * 12, "ab"), k=1)
    (False, True)
    """
    if what not in get_args(Certainty):
        raise UnknownName("certainty", what, get_args(Certainty))
    if not 0 < confidence < 1:
        raise DataError(f"confidence must lie between 0 and 1, got {confidence}")
    found = how_sure(fit, k, confidence=confidence, draws=draws, seed=seed)
    return (found.set_probability if what == "set" else found.order_probability) >= confidence


def _in_top(scores: Floats, variances: Floats, k: int) -> Floats:
    """Per item P(s > c), with the border c, found by bisection, at which the probabilities sum to k; k = n has it below all."""
    if k >= len(scores):
        return np.ones_like(scores)
    sds = np.sqrt(np.maximum(variances, 1e-12))
    low, high = float((scores - 40 * sds).min()), float((scores + 40 * sds).max())
    for _ in range(60):
        border = (low + high) / 2
        q = _logistic(_LOGISTIC * (scores - border) / sds)
        low, high = (border, high) if q.sum() > k else (low, border)
    return q


def _information(mean: Floats, variance: Floats, tie: float) -> Floats:
    """I(answer; d > 0) for d normal: Σ P(answer, sign) log P(answer, sign) / (P(answer) P(sign)), by the midpoint rule."""
    d = mean[:, None] + np.sqrt(np.maximum(variance, 0.0))[:, None] * _NODES
    is_above = d > 0
    total = np.zeros(len(mean))
    above = is_above @ _MASSES
    for chance in _answers(d, tie):
        mass = chance * _MASSES
        both, either = (mass * is_above).sum(axis=1), mass.sum(axis=1)
        total += _entropy_term(both) + _entropy_term(either - both) - _entropy_term(either)
    return np.maximum(total - _entropy_term(above) - _entropy_term(1 - above), 0.0)


def _answers(d: Floats, tie: float) -> list[Floats]:
    """The probability of each answer at a difference d, by the equation of :mod:`podium.labelling.bradley_terry`."""
    if tie == 0:
        first = _logistic(d)
        return [first, 1 - first]
    half, log_tie = np.abs(d) / 2, math.log(tie)
    largest = np.maximum(half, log_tie)
    likelier, other, neither = np.exp(half - largest), np.exp(-half - largest), np.exp(log_tie - largest)
    total = likelier + other + neither
    return [np.where(d > 0, likelier, other) / total, np.where(d > 0, other, likelier) / total, neither / total]


def _logistic(x: Floats) -> Floats:
    return np.asarray((1 + np.tanh(x / 2)) / 2, dtype=np.float64)  # never overflows


def _entropy_term(p: Floats) -> Floats:
    """P log p, 0 at 0; a difference that rounding left below 0 is 0."""
    return np.asarray(p * np.log(np.where(p > 0, p, 1.0)), dtype=np.float64) * (p > 0)
