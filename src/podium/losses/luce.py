"""The Luce model: documents drawn one after another, each with probability proportional to e^score among those left.

A row on top competes with the rows strictly below it: ln(1 + Σ_lower e^s_l / e^s_i). Without ties, those are the rows left after it.
"""

from __future__ import annotations

import math

from podium.elementary import log1p
from podium.losses.levels import WIDE, clear, exponentials, log_add, multiply, shifted, sigmoid, softplus, spread, total
from podium.ragged import fused_kernel, kernel, summing_kernel

__all__ = ["luce"]


@kernel
def luce(scores, ends, size, gradient, curvature, work):  # type: ignore[no-untyped-def]
    """Σ over the first ``size`` rows, whole levels of them, of ln(1 + Σ_lower e^s_l / e^s_i): value, slope and curvature."""
    while size > 0 and ends[size - 1] == len(scores):  # nothing is below the last level
        size -= 1
    if size == 0:
        clear(gradient, curvature)
        return 0.0
    top, width = spread(scores)
    if width > WIDE:
        return _luce_wide(shifted(scores, top, work[0]), ends, size, gradient, curvature, work)
    exponentials(scores, top, work[0])
    return _luce(scores, ends, size, gradient, curvature, work)


@kernel
def _lower_sums(e, ends, size, rest, lower):  # type: ignore[no-untyped-def]
    """Σ of ``e`` over the rows strictly below each of the first ``size`` rows; ``rest`` is the sum of the others."""
    below, i = rest, size - 1
    while i >= 0:
        if i > 0 and ends[i - 1] == ends[i]:  # a level of several rows
            end, level = ends[i], 0.0
            while i >= 0 and ends[i] == end:
                lower[i] = below
                level += e[i]
                i -= 1
            below += level
        else:
            lower[i] = below
            below += e[i]
            i -= 1


@summing_kernel
def _terms(e, lower, inverse):  # type: ignore[no-untyped-def]
    """The value, and 1 / (e_i + lower_i) of each row."""
    value = 0.0
    for i in range(len(inverse)):
        value += log1p(lower[i] / e[i])
        inverse[i] = 1.0 / (e[i] + lower[i])
    return value


@kernel
def _upper_sums(values, ends, power, upper):  # type: ignore[no-untyped-def]
    """Σ of values^power over the rows strictly above each row, and over all."""
    above, level = 0.0, 0.0
    for i in range(len(values)):
        upper[i] = above
        level += values[i] if power == 1 else values[i] * values[i]
        if ends[i] == i + 1:
            above += level
            level = 0.0
    return above


@fused_kernel
def _slopes(e, lower, inverse, upper, gradient):  # type: ignore[no-untyped-def]
    for i in range(len(inverse)):
        gradient[i] = e[i] * upper[i] - lower[i] * inverse[i]


@kernel
def _luce(scores, ends, size, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n = len(scores)
    e, lower, inverse, upper = work[0, :n], work[1, :size], work[2, :size], work[3, :size]
    _lower_sums(e, ends, size, total(e[size:]), lower)
    value = _terms(e[:size], lower, inverse)
    above = _upper_sums(inverse, ends, 1, upper)
    _slopes(e[:size], lower, inverse, upper, gradient[:size])
    multiply(e[size:], above, gradient[size:])
    if len(curvature):
        for i in range(size):
            curvature[i] = e[i] * upper[i] + e[i] * lower[i] * inverse[i] * inverse[i]
        for i in range(size, n):
            curvature[i] = e[i] * above
        squares = _upper_sums(inverse, ends, 2, upper)
        for i in range(n):
            curvature[i] = max(0.0, curvature[i] - e[i] * e[i] * (upper[i] if i < size else squares))
    return value


@kernel
def _luce_wide(scores, ends, size, gradient, curvature, work):  # type: ignore[no-untyped-def]
    """The same in logarithms, for scores so far apart that their exponentials are not doubles."""
    n = len(scores)
    lower, denominator = work[1], work[2]
    below = -math.inf
    for i in range(size, n):
        below = log_add(below, scores[i])
    level, value = below, 0.0
    for i in range(size - 1, -1, -1):
        if i + 1 == ends[i]:
            below = level
        lower[i] = below
        level = log_add(level, scores[i])
        denominator[i] = log_add(scores[i], below)
        value += softplus(below - scores[i])
    above, squares = -math.inf, -math.inf
    next_above, next_squares = -math.inf, -math.inf
    for i in range(n):
        is_new = i == 0 or i >= size or ends[i - 1] == i
        if is_new:
            above, squares = next_above, next_squares
        shared = math.exp(scores[i] + above)
        gradient[i] = shared
        if len(curvature):
            curvature[i] = max(0.0, shared - math.exp(2 * scores[i] + squares))
        if i < size:
            own = sigmoid(lower[i] - scores[i])
            gradient[i] -= own
            if len(curvature):
                curvature[i] += own * sigmoid(scores[i] - lower[i])
            next_above = log_add(next_above, -denominator[i])
            next_squares = log_add(next_squares, -2 * denominator[i])
    return value
