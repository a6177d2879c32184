"""Hierarchical ordering models: first which documents are on top, then their order (paper 003).

T is the top (SPEC: the k best), F the rest, and P_T the Luce model inside T. The three differ in how T is set apart from F.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.losses.levels import clear, exponentials, sigmoid, softplus, spread, top_size, total
from podium.losses.luce import luce
from podium.losses.ordered import LossOutput, Rule, evaluate
from podium.losses.pairwise import logistic_block
from podium.ragged import kernel

__all__ = ["HOM_GG", "HOM_OG", "HOM_OO", "hom_gg", "hom_og", "hom_oo"]


@kernel
def _order_of_top(scores, ends, size, gradient, curvature, work):  # type: ignore[no-untyped-def]
    """-ln P_T: Luce inside the first ``size`` rows; the slopes of the others become 0."""
    clear(gradient, curvature)
    inside = curvature[:size] if len(curvature) else curvature
    return luce(scores[:size], ends[:size], size, gradient[:size], inside, work)


def _hom_gg(scores, _values, ends, settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n, size = len(scores), top_size(ends, settings[0])
    value = _order_of_top(scores, ends, size, gradient, curvature, work)
    if size == 0 or size == n:
        return value
    top, _ = spread(scores[:size])
    rest, _ = spread(scores[size:])
    e = work[0, :n]
    exponentials(scores[:size], top, e[:size])
    exponentials(scores[size:], rest, e[size:])
    all_top, all_rest = total(e[:size]), total(e[size:])
    gap = (rest - top) + (math.log(all_rest) - math.log(all_top))  # ln Σ_F e^s - ln Σ_T e^s
    share = sigmoid(gap)  # of F in all
    for i in range(size):
        gradient[i] -= e[i] / all_top * share
    for i in range(size, n):
        gradient[i] = e[i] / all_rest * share
    for i in range(len(curvature)):
        inside = e[i] / all_top if i < size else 0.0
        chance = inside * sigmoid(-gap) if i < size else gradient[i]
        # the first draw of P_T cancels against P_TF, unless rows tie for it: what is left is convex
        curvature[i] = max(0.0, curvature[i] + chance * (1.0 - chance) - inside * (1.0 - inside))
    return value + softplus(gap)


def _hom_oo(scores, _values, ends, settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n, size = len(scores), top_size(ends, settings[0])
    value = _order_of_top(scores, ends, size, gradient, curvature, work)
    if size == 0 or size == n:
        return value
    return value + logistic_block(scores, size, np.full(size, size, np.int32), gradient, curvature, work)


def _hom_og(scores, _values, ends, settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n, size = len(scores), top_size(ends, settings[0])
    value = _order_of_top(scores, ends, size, gradient, curvature, work)
    if size == 0 or size == n:
        return value
    slopes, bends = gradient[:size].copy(), curvature[:size].copy()
    two_levels = np.full(n, n, np.int32)  # T and F: whoever is in T is drawn before all of F
    two_levels[:size] = size
    value += luce(scores, two_levels, size, gradient, curvature, work)
    gradient[:size] += slopes
    curvature[:size] += bends
    return value


HOM_GG = Rule(_hom_gg)
HOM_OO = Rule(_hom_oo)
HOM_OG = Rule(_hom_og)


def hom_gg(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10) -> LossOutput:
    r"""Group against group: the top as a whole is drawn before the rest, then the top is ordered.

    Niu et al. (CIKM 2012), paper 003; lse is the logarithm of a sum of exponentials, π(i) the i-th best row:

    .. math:: \ell(s, y) = \mathrm{lse}(s) - \mathrm{lse}(s_T) + \sum_{i=1}^{k} \Big[\mathrm{lse}(s_{\pi(i)}, …, s_{\pi(k)}) - s_{\pi(i)}\Big]

    T is the k best rows; rows that tie across place k are all in T, and a tie at the very bottom is F whatever k *(our reading)*; ties
    inside T state no preference, as in :func:`podium.losses.listwise.listmle`. The loss is convex unless rows tie for the first place;
    where its second derivative is negative, the curvature is 0. O(n) after sorting by label.

    Three rows, equal scores, the best two in order: (ln 3 - ln 2) + ln 2.

    >>> hom_gg([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3], k=2).per_query.round(6).tolist()
    [1.098612]
    """
    return evaluate(HOM_GG, scores, labels, offsets, k=k)


def hom_oo(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10) -> LossOutput:
    r"""One against one: every row of the top wins against every row of the rest, and the top is ordered.

    Niu et al. (CIKM 2012), paper 003, up to factors that do not depend on scores:

    .. math:: \ell(s, y) = \sum_{i \in T} \sum_{j \in F} \ln(1 + e^{s_j - s_i}) + \sum_{i=1}^{k} \Big[\mathrm{lse}(s_{\pi(i)}, …, s_{\pi(k)}) - s_{\pi(i)}\Big]

    T, F and ties as in :func:`hom_gg`. O(k n).

    Three rows, equal scores, the best two in order: 2 ln 2 + ln 2.

    >>> hom_oo([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3], k=2).per_query.round(6).tolist()
    [2.079442]
    """
    return evaluate(HOM_OO, scores, labels, offsets, k=k)


def hom_og(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10) -> LossOutput:
    r"""One against group: every row of the top is drawn before all of the rest, and the top is ordered.

    Niu et al. (CIKM 2012), paper 003, up to factors that do not depend on scores:

    .. math:: \ell(s, y) = \sum_{i \in T} \Big[\mathrm{lse}(s_i, s_F) - s_i\Big] + \sum_{i=1}^{k} \Big[\mathrm{lse}(s_{\pi(i)}, …, s_{\pi(k)}) - s_{\pi(i)}\Big]

    T, F and ties as in :func:`hom_gg`. O(n) after sorting by label.

    Three rows, equal scores, the best two in order: 2 ln 2 + ln 2.

    >>> hom_og([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3], k=2).per_query.round(6).tolist()
    [2.079442]
    """
    return evaluate(HOM_OG, scores, labels, offsets, k=k)
