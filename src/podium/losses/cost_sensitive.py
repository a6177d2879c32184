"""Cost-sensitive ListMLE: pairs weigh what confusing them costs in NDCG@k (paper 002)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.elementary import log1p
from podium.errors import DataError
from podium.losses.levels import WIDE, clear, exponentials, log_add, shifted, sigmoid, softplus, spread
from podium.losses.ordered import LossOutput, Ordered, Rule, evaluate
from podium.ragged import Floats, kernel, over_queries

__all__ = ["CS_LISTMLE", "cs_listmle"]

_TINY = 1e-150  # costs below this, times an exponential, may not be doubles


@kernel
def _gain(label, best):  # type: ignore[no-untyped-def]
    """(2^label - 1) / 2^best, for labels from 0 to best."""
    if label < 64.0:
        return math.expm1(label * math.log(2.0)) * 2.0**-best
    return 2.0 ** (label - best)  # no double is between this and the same less 2^-best


@kernel
def _costs(first, last, offsets, labels, ends, k, out):  # type: ignore[no-untyped-def]
    """c_j of every row, divided by DCG@k and ln 2; gains are taken relative to the best label, so that 2^1000 is no matter."""
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        dcg, rank = 0.0, 1
        for i in range(end - begin):
            if i > 0 and ends[begin + i] != ends[begin + i - 1]:
                rank = i + 1
            best = labels[begin]
            gain = _gain(labels[begin + i], best) if rank <= k else 0.0
            dcg += gain / math.log2(1.0 + rank)
            out[begin + i] = gain * math.log(2.0) / ((1.0 + rank) * math.log(1.0 + rank) ** 2)
        for i in range(begin, end):
            out[i] = out[i] / (dcg * math.log(2.0)) if dcg > 0.0 else 0.0


def _weights(ordered: Ordered, settings: tuple[float, ...]) -> Floats:
    if ordered.values.min(initial=0.0) < 0:
        raise DataError(f"cs-listmle takes labels from 0 on, since their gains are 2^y - 1; got {ordered.values.min():g}")
    out = np.empty_like(ordered.values)
    over_queries(_costs, ordered.offsets, ordered.values, ordered.ends, float(settings[0]), out)
    return out


@kernel
def _active(c, ends):  # type: ignore[no-untyped-def]
    """How many rows have a term: those of levels with costs, unless they are the lowest."""
    size = len(c)
    while size > 0 and (c[size - 1] == 0.0 or ends[size - 1] == len(c)):
        size -= 1
    return size


def _cs_listmle(scores, c, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n, size = len(scores), _active(c, ends)
    clear(gradient, curvature)
    if size == 0:
        return 0.0
    top, width = spread(scores)
    if width > WIDE or c[size - 1] < _TINY:
        return _cs_listmle_wide(shifted(scores, top, work[2]), c, ends, size, gradient, curvature, work)
    e, beta, sums = work[0, :n], work[1, :size], work[2, :size]
    exponentials(scores, top, e)
    _lower(e, c, ends, size, beta, sums)
    value = 0.0
    r0, r1, q0, q1, q2 = 0.0, 0.0, 0.0, 0.0, 0.0
    level = 0  # where the level of row i begins: rows before it are strictly better, and r and q hold their sums
    n0, n1, m0, m1, m2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        if i >= size or i == ends[level]:
            r0, r1, q0, q1, q2 = r0 + n0, r1 + n1, q0 + m0, q1 + m1, q2 + m2
            n0, n1, m0, m1, m2 = 0.0, 0.0, 0.0, 0.0, 0.0
            level = i
        if i >= size:
            break
        denominator = beta[i] * e[i] + sums[i]
        r = beta[i] / denominator
        gradient[i] = e[i] * (r1 + c[i] * r0) - r * sums[i]
        value += beta[i] * log1p(sums[i] / (beta[i] * e[i]))
        if len(curvature):
            shared = e[i] * (r1 + c[i] * r0) - e[i] * e[i] * (q2 + 2.0 * c[i] * q1 + c[i] * c[i] * q0)
            curvature[i] = max(0.0, shared) + beta[i] * r * e[i] * sums[i] / denominator
        q = r / denominator
        n0, n1 = n0 + r, n1 + r * c[i]
        m0, m1, m2 = m0 + q, m1 + q * c[i], m2 + q * c[i] * c[i]
    for i in range(size, n):
        gradient[i] = e[i] * (r1 + c[i] * r0)
    if len(curvature):
        for i in range(size, n):
            shared = e[i] * (r1 + c[i] * r0) - e[i] * e[i] * (q2 + 2.0 * c[i] * q1 + c[i] * c[i] * q0)
            curvature[i] = max(0.0, shared)
    return value


@kernel
def _lower(e, c, ends, size, beta, sums):  # type: ignore[no-untyped-def]
    """β_j = Σ (c_j + c_t) and Σ (c_j + c_t) e_t over the rows t strictly below each of the first ``size`` rows."""
    below, costs, both = 0.0, 0.0, 0.0
    level, level_costs, level_both = 0.0, 0.0, 0.0
    for i in range(len(e) - 1, -1, -1):
        if ends[i] == i + 1:
            below, costs, both = below + level, costs + level_costs, both + level_both
            level, level_costs, level_both = 0.0, 0.0, 0.0
        level += e[i]
        level_costs += c[i]
        level_both += c[i] * e[i]
        if i < size:
            beta[i] = (len(e) - ends[i]) * c[i] + costs
            sums[i] = c[i] * below + both


@kernel
def _log(x):  # type: ignore[no-untyped-def]
    return math.log(x) if x > 0.0 else -math.inf


@kernel
def _cs_listmle_wide(scores, c, ends, size, gradient, curvature, work):  # type: ignore[no-untyped-def]
    """The same in logarithms, for scores so far apart that their exponentials are not doubles."""
    n = len(scores)
    beta, sums = work[0], work[1]  # of β and of Σ (c_j + c_t) e^s_t, the logarithms
    below, costs, both = -math.inf, 0.0, -math.inf
    level, level_costs, level_both = -math.inf, 0.0, -math.inf
    value = 0.0
    for i in range(n - 1, -1, -1):
        if ends[i] == i + 1:
            below, costs, both = log_add(below, level), costs + level_costs, log_add(both, level_both)
            level, level_costs, level_both = -math.inf, 0.0, -math.inf
        level = log_add(level, scores[i])
        level_costs += c[i]
        level_both = log_add(level_both, _log(c[i]) + scores[i])
        if i < size:
            whole = (n - ends[i]) * c[i] + costs
            beta[i] = math.log(whole)
            sums[i] = log_add(_log(c[i]) + below, both)
            value += whole * softplus(sums[i] - beta[i] - scores[i])
    r0, r1 = -math.inf, -math.inf
    q0, q1, q2 = -math.inf, -math.inf, -math.inf
    n0, n1, m0, m1, m2 = r0, r1, q0, q1, q2
    level_begin = 0
    for i in range(n):
        if i >= size or i == ends[level_begin]:
            r0, r1, q0, q1, q2 = n0, n1, m0, m1, m2
            level_begin = min(i, size - 1)
        cost = _log(c[i])
        shared = math.exp(scores[i] + log_add(r1, cost + r0))
        gradient[i] = shared
        if len(curvature):
            square = log_add(q2, log_add(math.log(2.0) + cost + q1, 2.0 * cost + q0))
            curvature[i] = max(0.0, shared - math.exp(2.0 * scores[i] + square))
        if i < size:
            own = sums[i] - beta[i] - scores[i]
            gradient[i] -= math.exp(beta[i]) * sigmoid(own)
            if len(curvature):
                curvature[i] += math.exp(beta[i]) * sigmoid(own) * sigmoid(-own)
            denominator = log_add(beta[i] + scores[i], sums[i])
            n0, n1 = log_add(n0, beta[i] - denominator), log_add(n1, beta[i] - denominator + cost)
            q = beta[i] - 2.0 * denominator
            m0, m1, m2 = log_add(m0, q), log_add(m1, q + cost), log_add(m2, q + 2.0 * cost)
    return value


CS_LISTMLE = Rule(_cs_listmle, _weights)


def cs_listmle(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10) -> LossOutput:
    r"""ListMLE in which a pair weighs what its confusion costs in NDCG@k: an upper bound of the loss in NDCG@k.

    Lu et al. (PAKDD 2010), paper 002, Eq. 11. With a(j) = 2^{y_j} - 1, ĝ(j) = 1 + the number of better rows,
    c_j = a(j) ln 2 / ((1 + ĝ(j)) ln²(1 + ĝ(j))) for ĝ(j) ≤ k and 0 beyond, w_jt = c_j + c_t, β_j = Σ_t w_jt and α_jt = w_jt / β_j:

    .. math:: \ell(s, y) = \frac{1}{DCG_{\hat g}@k} \sum_j \beta_j \log_2\Big(1 + \sum_{t: y_j > y_t} \alpha_{jt} e^{s_t - s_j}\Big)

    Equal labels make no pair. DCG 0 costs 0. Labels are grades from 0 on; gains are kept relative to the best one, so that full orders
    of a thousand documents do not overflow. O(n) after sorting by label: w_jt splits into c_j + c_t.

    Two rows, labels 1 and 0, equal scores, k = 1: c = 1 / (2 ln 2), one term β log2(1 + 1) = 1 / (2 ln 2), DCG = 1.

    >>> cs_listmle([0.0, 0.0], labels=[1, 0], offsets=[0, 2], k=1).per_query.round(6).tolist()
    [0.721348]
    """
    return evaluate(CS_LISTMLE, scores, labels, offsets, k=k)
