"""FocusedRank: a list loss inside the top and a pair loss between the top and the rest (paper 001)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.losses.levels import clear, settled, shifted, spread, top_size
from podium.losses.listwise import cross_entropy, soften, top_labels
from podium.losses.ordered import LossOutput, Rule, evaluate
from podium.losses.pairwise import add_hinge_block, logistic_block
from podium.losses.structural import add_map_hinge

__all__ = ["FOCUSED_HINGE", "FOCUSED_NET", "focused_hinge", "focused_net"]


def _focused_net(scores, probabilities, ends, settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n, size, balance = len(scores), top_size(ends, settings[0]), settings[1]
    clear(gradient, curvature)
    value = 0.0
    if 0 < size < n and balance < 1.0:
        unit = (1.0 - balance) / (size * (n - size) * math.log(2.0))
        value = unit * logistic_block(scores, size, np.full(size, size, np.int32), gradient, curvature, work)
        for i in range(n):
            gradient[i] *= unit
        for i in range(len(curvature)):
            curvature[i] *= unit
    if size > 1 and ends[0] < size and balance > 0.0:  # the top has an order to learn
        slope, bend = work[0, :size], work[1, : size if len(curvature) else 0]
        unit = balance / math.log(size)
        value += unit * cross_entropy(scores[:size], probabilities[:size], slope, bend, work[2])
        for i in range(size):
            gradient[i] += unit * slope[i]
        for i in range(len(bend)):
            curvature[i] += unit * bend[i]
    return value


FOCUSED_NET = Rule(_focused_net, lambda ordered, settings: soften(ordered, top_labels(ordered, settings[0]), settings[0]))


def focused_net(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10, balance: float = 0.5) -> LossOutput:
    r"""ListNet inside the top, RankNet between the top and the rest, weighed by ``balance``.

    Niu et al. (SIGIR 2012), paper 001; T is the top (its labels y = k, k - 1, …), F the rest, P_v = softmax(v) over T:

    .. math:: \ell(s, y) = \beta \frac{-\sum_{j \in T} P_y(j) \ln P_s(j)}{\ln|T|} + (1 - \beta) \frac{\sum_{u \in T, v \in F} \ln(1 + e^{-(s_u - s_v)})}{|T||F| \ln 2}

    Each term is divided by its own value at equal scores, which brings both "to a comparable range" as the paper asks *(our reading)*; a
    term whose divisor is 0 is dropped. β = 0 is RankNet on T × F, β = 1 ListNet on T. T, F and ties as in
    :func:`podium.losses.hierarchical.hom_gg`; a top without any order has no list term. O(k n).

    Equal scores cost 1, whatever the balance.

    >>> focused_net([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3], k=2, balance=0.3).per_query.round(12).tolist()
    [1.0]
    """
    return evaluate(FOCUSED_NET, scores, labels, offsets, k=k, balance=balance)


def _focused_hinge(given, _values, ends, settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n, size, balance = len(given), top_size(ends, settings[0]), settings[1]
    clear(gradient, curvature)
    value = 0.0
    if 0 < size < n and balance < 1.0:
        value += add_hinge_block(shifted(given, spread(given)[0], work[0]), size, (1.0 - balance) / (size * (n - size)), gradient)
    if balance > 0.0 and size > 1:
        top = shifted(given[:size], spread(given[:size])[0], work[0])
        cuts, cut = 0, int(ends[0])
        while cut < size:
            cuts, cut = cuts + 1, int(ends[cut])
        cut = int(ends[0])
        while cut < size:
            value += add_map_hinge(top, cut, balance / cuts, gradient)
            cut = int(ends[cut])
    return settled(value)


FOCUSED_HINGE = Rule(_focused_hinge)


def focused_hinge(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10, balance: float = 0.5) -> LossOutput:
    r"""SVM-MAP inside the top, Ranking SVM between the top and the rest, weighed by ``balance``: the loss of FocusedSVM.

    Niu et al. (SIGIR 2012), paper 001; T is the top, F the rest, and A_j the structural hinge (:func:`podium.losses.structural.map_hinge`)
    on T with its first j rows relevant and the others not:

    .. math:: \ell(s, y) = \beta \frac{1}{|T| - 1} \sum_{j=1}^{|T|-1} A_j(s) + (1 - \beta) \frac{1}{|T||F|} \sum_{u \in T, v \in F} \max(0, 1 - (s_u - s_v))

    The mean over j is *our reading*: T is an order, average precision knows two grades. β = 0 is Ranking SVM on T × F, β = 1 SVM-MAP on T.
    T, F and ties as in :func:`podium.losses.hierarchical.hom_gg`; where rows of T tie, j goes through the ends of levels only. A term
    without pairs is dropped. The curvature is 0. O(n log n + k² log k).

    Two rows on top, one below; equal scores: the top costs 1 - AP = 1/2 in the wrong order, the pairs 1 each.

    >>> focused_hinge([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3], k=2, balance=0.5).per_query.tolist()
    [0.75]
    """
    return evaluate(FOCUSED_HINGE, scores, labels, offsets, k=k, balance=balance)
