"""The structural hinge of SVM-MAP: how far the true order falls short of the order that threatens average precision most."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from podium.losses.levels import clear, settled, shifted, spread
from podium.losses.ordered import LossOutput, Rule, evaluate
from podium.ragged import kernel

__all__ = ["MAP_HINGE", "add_map_hinge", "map_hinge"]

_LARGEST = np.finfo(np.float64).max


@kernel
def _gain(j, above, size, unit, harmonic, sums, score):  # type: ignore[no-untyped-def]
    """What it adds to the violation if the j-th of the others stands below the first ``above`` relevant rows, and over the rest."""
    missed = j * (harmonic[size + j] - harmonic[above + j]) - (j - 1) * (harmonic[size + j - 1] - harmonic[above + j - 1])
    return missed / size - (sums[size] - sums[above] - (size - above) * unit * score)


@kernel
def most_violating(relevant, others, unit, above):  # type: ignore[no-untyped-def]
    """The order that maximises 1 - AP less ``unit`` Σ (s_i - s_j) over its wrong pairs: how many relevant rows stand above each other row.

    Both lists are scores, best first. In such an order each list keeps its own order, and each of the others has a best place whatever
    the places of the rest (Yue et al. 2007). The place sinks from one to the next, so that halving finds all of them: O(n log n).
    """
    size, n = len(relevant), len(others)
    harmonic, sums = np.empty(size + n + 1), np.empty(size + 1)
    harmonic[0], sums[0] = 0.0, 0.0
    for i in range(1, size + n + 1):
        harmonic[i] = harmonic[i - 1] + 1.0 / i
    for i in range(size):
        sums[i + 1] = sums[i] + unit * relevant[i]
    spans = np.empty((70, 4), np.int64)  # of the others, and of their places: what is left to do
    spans[0], count = (0, n, 0, size), 1
    while count > 0:
        count -= 1
        first, last, low, high = spans[count]
        if first == last:
            continue
        middle = (first + last) // 2
        best, place = -np.inf, low
        for candidate in range(low, high + 1):
            found = _gain(middle + 1, candidate, size, unit, harmonic, sums, others[middle])
            if found >= best:
                best, place = found, candidate
        above[middle] = place
        spans[count] = (first, middle, low, place)
        spans[count + 1] = (middle + 1, last, place, high)
        count += 2


@kernel
def _share_among_equals(scores, by_score, slopes):  # type: ignore[no-untyped-def]
    """Rows of equal score are interchangeable: each gets their mean slope, which is a subgradient like any of theirs."""
    begin, n = 0, len(scores)
    while begin < n:
        end, total = begin, 0.0
        while end < n and scores[by_score[end]] == scores[by_score[begin]]:
            total += slopes[end]
            end += 1
        for i in range(begin, end):
            slopes[i] = total / (end - begin)
        begin = end


@kernel
def add_map_hinge(scores, size, weight, gradient):  # type: ignore[no-untyped-def]
    """``weight`` times the structural hinge with the first ``size`` rows relevant and the others not; adds to slopes."""
    n = len(scores) - size
    first, second = scores[:size], scores[size:]
    by_first, by_second = np.argsort(-first), np.argsort(-second)
    relevant, others = first[by_first], second[by_second]
    above, unit = np.empty(n, np.int64), 2.0 / (size * n)
    most_violating(relevant, others, unit, above)
    slopes, other_slopes, wrong, place = np.empty(size), np.empty(n), 0.0, 0
    precision = 0.0
    for i in range(size):  # ``place``: how many of the others stand above relevant row i
        while place < n and above[place] <= i:
            place += 1
        slopes[i] = place
        precision += (i + 1) / (i + 1 + place)
        wrong += unit * relevant[i] * place
    for j in range(n):
        other_slopes[j] = size - above[j]
        wrong -= unit * others[j] * other_slopes[j]
    _share_among_equals(first, by_first, slopes)
    _share_among_equals(second, by_second, other_slopes)
    for i in range(size):
        gradient[by_first[i]] -= weight * unit * slopes[i]
    for j in range(n):
        gradient[size + by_second[j]] += weight * unit * other_slopes[j]
    value = settled(1.0 - precision / size - wrong)
    return weight * value if value < _LARGEST else _LARGEST


def _map_hinge(given, labels, _ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    clear(gradient, curvature)
    n, size = len(given), 0
    while size < n and labels[size] > 0.0:
        size += 1
    if size == 0 or size == n:
        return 0.0
    return add_map_hinge(shifted(given, spread(given)[0], work[0]), size, 1.0, gradient)


MAP_HINGE = Rule(_map_hinge)


def map_hinge(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""The structural hinge of SVM-MAP: an upper bound of 1 - AP.

    Yue, Finley, Radlinski & Joachims (SIGIR 2007); R are the rows with a label above 0, N the others, z an order of all:

    .. math:: \ell(s, y) = \max_z \Big[ 1 - AP(z) - \frac{2}{|R||N|} \sum_{(i, j) \in W(z)} (s_i - s_j) \Big]

    with W(z) the pairs of i in R and j in N of which z has j above i.

    A query without a relevant row, or without any other, costs 0. Rows of equal score share their slopes *(our reading)*: any share is a
    subgradient, this one does not depend on the order of rows. The curvature is 0. O(n log n), with the published greedy rule.

    Equal scores cost what the worst order loses: both relevant rows below the third have AP = (1/2 + 2/3) / 2.

    >>> out = map_hinge([0.0, 0.0, 0.0], labels=[1, 0, 1], offsets=[0, 3])
    >>> out.per_query.round(6).tolist(), out.gradient.tolist()
    ([0.416667], [-1.0, 2.0, -1.0])
    """
    return evaluate(MAP_HINGE, scores, labels, offsets)
