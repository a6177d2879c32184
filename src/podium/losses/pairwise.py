"""Losses over pairs of documents of which one is better: the margin d = s_j - s_l should be large.

On top-k labels these are the top-k pairwise losses of paper 000, Eq. 7: the better document is on top, the other anywhere below it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.elementary import exp, log1p
from podium.losses.levels import WIDE, clear, exponentials, log_add, settled, shifted, spread
from podium.losses.ordered import LossOutput, Rule, evaluate
from podium.ragged import fused_kernel, kernel, summing_kernel

__all__ = [
    "EXPONENTIAL", "HINGE", "LOGISTIC", "add_hinge_block", "logistic_block", "pairwise_exponential", "pairwise_hinge", "pairwise_logistic",
]  # fmt: skip

_LARGEST = np.finfo(np.float64).max
_STEEPEST = 1e300  # what a slope saturates at: sums of many such, times features, are still doubles
_FLUSH = 500  # factors between 1 and 2 whose product is surely a double

# ---- hinge ----


@kernel
def _add(counts, sums, place, value):  # type: ignore[no-untyped-def]
    """Note a value at a place of a Fenwick tree."""
    i = place + 1
    while i < len(counts):
        counts[i] += 1.0
        sums[i] += value
        i += i & -i


@kernel
def _before(counts, sums, place):  # type: ignore[no-untyped-def]
    """How many values were noted before a place, and their sum."""
    count, found, i = 0.0, 0.0, place
    while i > 0:
        count += counts[i]
        found += sums[i]
        i -= i & -i
    return count, found


def _hinge(given, _values, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n = len(given)
    clear(gradient, curvature)
    scores = shifted(given, spread(given)[0], work[0])
    by_score = np.argsort(scores)
    starts = np.empty(n, np.int64)
    for i in range(n):
        starts[i] = starts[i - 1] if i > 0 and ends[i - 1] == ends[i] else i
    counts, sums = np.zeros(n + 1), np.zeros(n + 1)
    value, met = 0.0, n - 1
    for step in range(n - 1, -1, -1):  # from the highest score down: each row meets the worse rows that score above its own less 1
        i = by_score[step]
        while met >= 0 and scores[i] - scores[by_score[met]] < 1.0:
            _add(counts, sums, n - 1 - by_score[met], scores[by_score[met]])
            met -= 1
        count, found = _before(counts, sums, n - ends[i])
        value += count + (found - count * scores[i])
        gradient[i] -= count
    counts[:] = 0.0
    sums[:] = 0.0
    met = 0
    for step in range(n):  # from the lowest up: each row meets the better rows that score below its own plus 1
        i = by_score[step]
        while met < n and scores[by_score[met]] - scores[i] < 1.0:
            _add(counts, sums, by_score[met], 0.0)
            met += 1
        count, _ = _before(counts, sums, starts[i])
        gradient[i] += count
    return settled(value)


HINGE = Rule(_hinge)


@kernel
def add_hinge_block(scores, size, weight, gradient):  # type: ignore[no-untyped-def]
    """``weight`` times Σ max(0, 1 - d) of the first ``size`` rows, each against all of the others; adds to slopes."""
    n, value = len(scores), 0.0
    top, rest = np.argsort(scores[:size]), np.argsort(scores[size:])
    met, found = n - size, 0.0  # of the rest, from the highest score down to that of the row at hand less 1
    for step in range(size - 1, -1, -1):
        i = top[step]
        while met > 0 and scores[i] - scores[size + rest[met - 1]] < 1.0:
            met -= 1
            found += scores[size + rest[met]]
        count = n - size - met
        value += weight * (count + (found - count * scores[i]))
        gradient[i] -= weight * count
    met = 0  # of the top, from the lowest score up to that of the row at hand plus 1
    for step in range(n - size):
        i = size + rest[step]
        while met < size and scores[top[met]] - scores[i] < 1.0:
            met += 1
        gradient[i] += weight * met
    return settled(value)


def pairwise_hinge(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""How far margins fall short of 1: the loss of Ranking SVM.

    Paper 000, Eq. 2 (and Eq. 7 on top-k labels):

    .. math:: \ell(s, y) = \sum_{y_j > y_l} \max(0, 1 - (s_j - s_l))

    Equal labels make no pair. O(n log n): pairs are counted, not visited. At a margin of exactly 1 the slope is that of the flat side.
    The curvature is 0, as that of every piecewise linear function.

    Two rows the wrong way round by 2, so 3 short:

    >>> out = pairwise_hinge([0.0, 2.0], labels=[1, 0], offsets=[0, 2])
    >>> out.per_query.tolist(), out.gradient.tolist()
    ([3.0], [-1.0, 1.0])
    """
    return evaluate(HINGE, scores, labels, offsets)


# ---- exponential ----


def _exponential(scores, _values, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n = len(scores)
    if ends[0] == n:
        clear(gradient, curvature)
        return 0.0
    top, width = spread(scores)
    if width > WIDE:
        return _exponential_wide(shifted(scores, top, work[1]), ends, gradient, curvature, work)
    e, inverse, lower, upper = work[0, :n], work[1, :n], work[2, :n], work[3, :n]
    exponentials(scores, top, e)
    _inverses(e, inverse)
    _level_sums(e, inverse, ends, lower, upper)
    return _exponential_terms(e, inverse, lower, upper, gradient, curvature)


@fused_kernel
def _inverses(e, inverse):  # type: ignore[no-untyped-def]
    for i in range(len(e)):
        inverse[i] = 1.0 / e[i]


@kernel
def _level_sums(e, inverse, ends, lower, upper):  # type: ignore[no-untyped-def]
    """Σ e over strictly worse rows and Σ 1/e over strictly better ones, for every row."""
    n = len(e)
    below, level = 0.0, 0.0
    for i in range(n - 1, -1, -1):
        if ends[i] == i + 1:
            below += level
            level = 0.0
        lower[i] = below
        level += e[i]
    above, level = 0.0, 0.0
    for i in range(n):
        upper[i] = above
        level += inverse[i]
        if ends[i] == i + 1:
            above += level
            level = 0.0


@summing_kernel
def _exponential_terms(e, inverse, lower, upper, gradient, curvature):  # type: ignore[no-untyped-def]
    value = 0.0
    for i in range(len(e)):
        value += lower[i] * inverse[i]
        gradient[i] = e[i] * upper[i] - lower[i] * inverse[i]
    if len(curvature):
        for i in range(len(e)):
            curvature[i] = e[i] * upper[i] + lower[i] * inverse[i]
    return value


@kernel
def _saturated(x, most):  # type: ignore[no-untyped-def]
    """e^x, or ``most`` if that is less."""
    return min(math.exp(x), most) if x < 709.0 else most


@kernel
def _exponential_wide(scores, ends, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n = len(scores)
    lower = work[0]
    below, level, value = -math.inf, -math.inf, 0.0
    for i in range(n - 1, -1, -1):
        if ends[i] == i + 1:
            below = level
        lower[i] = below
        level = log_add(level, scores[i])
        value = min(value + _saturated(below - scores[i], _LARGEST), _LARGEST)
    above, next_above = -math.inf, -math.inf
    for i in range(n):
        if i == 0 or ends[i - 1] == i:
            above = next_above
        rise, fall = scores[i] + above, lower[i] - scores[i]
        if min(rise, fall) > 600.0:  # both beyond bounds: the larger decides, which their logarithms tell
            gradient[i] = _STEEPEST * ((rise > fall) * 1.0 - (fall > rise) * 1.0)
        else:
            gradient[i] = _saturated(rise, _STEEPEST) - _saturated(fall, _STEEPEST)
        if len(curvature):
            curvature[i] = min(_saturated(rise, _STEEPEST) + _saturated(fall, _STEEPEST), _STEEPEST)
        next_above = log_add(next_above, -scores[i])
    return value


EXPONENTIAL = Rule(_exponential)


def pairwise_exponential(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""e to the minus margin: the loss of RankBoost.

    Paper 000, Eq. 3 (and Eq. 7 on top-k labels):

    .. math:: \ell(s, y) = \sum_{y_j > y_l} e^{-(s_j - s_l)}

    Equal labels make no pair. O(n) after sorting by label: a pair's term is a product, so sums over "all worse rows" suffice. Where a
    margin is below about -709 the value has no double: it saturates at the largest one (``is_saturated`` says where), the slope and
    the curvature at 1e300, with the right sign.

    >>> out = pairwise_exponential([0.0, np.log(2.0)], labels=[1, 0], offsets=[0, 2])
    >>> out.per_query.round(12).tolist(), out.gradient.round(12).tolist(), out.curvature.round(12).tolist()
    ([2.0], [-2.0, 2.0], [2.0, 2.0])
    """
    return evaluate(EXPONENTIAL, scores, labels, offsets)


# ---- logistic ----


@summing_kernel
def _against(score, others, slopes, bends, products):  # type: ignore[no-untyped-def]
    """One row against all ``others`` that should score less: what it adds to the value, to its slope and to its curvature.

    Every pair multiplies ``products`` of the other row by 1 + e^-|d| (kept less 1, so that no digit is lost): one logarithm later
    serves hundreds of pairs.
    """
    beyond, slope, bend = 0.0, 0.0, 0.0
    for other in range(len(others)):
        d = others[other] - score
        x = exp(-abs(d))
        inverse = 1.0 / (1.0 + x)
        p, bent = inverse if d > 0.0 else x * inverse, x * inverse * inverse
        beyond += d if d > 0.0 else 0.0
        products[other] += x + products[other] * x
        slopes[other] += p
        slope += p
        bends[other] += bent
        bend += bent
    return beyond, slope, bend


@summing_kernel
def _logarithms(products):  # type: ignore[no-untyped-def]
    value = 0.0
    for other in range(len(products)):
        value += log1p(products[other])
    return value


@kernel
def logistic_block(scores, size, ends, gradient, curvature, work):  # type: ignore[no-untyped-def]
    """Σ ln(1 + e^-d) of the first ``size`` rows, each against the rows from ``ends[i]`` on; adds to slopes and curvatures."""
    n, value = len(scores), 0.0
    products, bends = work[0, :n], curvature if len(curvature) else work[1, :n]
    products[:] = 0.0
    for i in range(size):
        begin = np.int64(ends[i])
        beyond, slope, bend = _against(scores[i], scores[begin:], gradient[begin:], bends[begin:], products[begin:])
        value += beyond
        gradient[i] -= slope
        bends[i] += bend
        if i % _FLUSH == _FLUSH - 1:
            value += _logarithms(products)
            products[:] = 0.0
    return value + _logarithms(products)


def _logistic(scores, _values, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    clear(gradient, curvature)
    size = len(scores)
    while size > 0 and ends[size - 1] == len(scores):  # the lowest level has nothing below it
        size -= 1
    return logistic_block(scores, size, ends, gradient, curvature, work)


LOGISTIC = Rule(_logistic)


def pairwise_logistic(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""The negative log-likelihood of every preference under the logistic model: the loss of RankNet.

    Paper 000, Eq. 4 (and Eq. 7 on top-k labels):

    .. math:: \ell(s, y) = \sum_{y_j > y_l} \ln(1 + e^{-(s_j - s_l)})

    Equal labels make no pair. Pairs are visited: O(k n) on top-k labels, O(n²) on a full order.

    >>> out = pairwise_logistic([0.0, 0.0, 0.0], labels=[2, 1, 0], offsets=[0, 3])
    >>> out.per_query.round(6).tolist(), out.gradient.tolist(), out.curvature.tolist()      # 3 ln 2
    ([2.079442], [-1.0, 0.0, 1.0], [0.5, 0.5, 0.5])
    """
    return evaluate(LOGISTIC, scores, labels, offsets)
