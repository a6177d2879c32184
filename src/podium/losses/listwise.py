"""Losses over whole lists: ListMLE, ListNet, RankCosine, and their top-k forms (paper 004)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import DataError
from podium.losses.levels import clear, exponentials, log_add, shifted, spread, top_size, total
from podium.losses.luce import luce
from podium.losses.ordered import LossOutput, Ordered, Rule, evaluate
from podium.ragged import Floats, fused_kernel, kernel, over_queries, summing_kernel

__all__ = [
    "LISTMLE", "LISTNET", "LISTNET_EXACT", "RANKCOSINE", "TOP_K_LISTMLE", "TOP_K_LISTNET", "TOP_K_RANKCOSINE", "cross_entropy",
    "listmle", "listnet", "listnet_exact", "rankcosine", "top_k_listmle", "top_k_listnet", "top_k_rankcosine", "top_labels",
]  # fmt: skip

_STEEPEST = 1e300  # what slopes saturate at, so that sums of many are still doubles

# ---- ListMLE ----


def _listmle(scores, _values, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    return luce(scores, ends, len(scores), gradient, curvature, work)


def _top_k_listmle(scores, _values, ends, settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    return luce(scores, ends, top_size(ends, settings[0]), gradient, curvature, work)


LISTMLE = Rule(_listmle)
TOP_K_LISTMLE = Rule(_top_k_listmle)


def listmle(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""Negative log-likelihood of the true order under the Luce model.

    Paper 004, Eq. 9, with π(i) the i-th best of n rows:

    .. math:: \ell(s, y) = \sum_{i=1}^{n} \Big[\ln \sum_{l \ge i} e^{s_{\pi(l)}} - s_{\pi(i)}\Big]

    Ties *(our reading)*: a row competes with itself and the rows strictly below it, so that equal labels state no preference. Without
    ties that is the equation. O(n) after sorting by label.

    Equal scores, three rows: ln 3 + ln 2.

    >>> listmle([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3]).per_query.round(6).tolist()
    [1.791759]
    """
    return evaluate(LISTMLE, scores, labels, offsets)


def top_k_listmle(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10) -> LossOutput:
    r"""Negative log-likelihood of drawing the true top k, best first.

    Paper 004, Eq. 10, with π(i) the i-th best of n rows:

    .. math:: \ell(s, y) = \sum_{i=1}^{k} \Big[\ln \sum_{l \ge i} e^{s_{\pi(l)}} - s_{\pi(i)}\Big]

    Rows outside the top occur under the inner sum only, so their order is free. k > n means k = n. Ties *(our reading)*: as in
    :func:`listmle`; rows that tie across place k are all on top.

    Equal scores, three rows, one ranked: ln 3.

    >>> top_k_listmle([0.0, 0.0, 0.0], labels=[1, 0, 2], offsets=[0, 3], k=1).per_query.round(6).tolist()
    [1.098612]
    """
    return evaluate(TOP_K_LISTMLE, scores, labels, offsets, k=k)


# ---- ListNet ----


@kernel
def _soften(first, last, offsets, values, ends, k, out):  # type: ignore[no-untyped-def]
    """The softmax of each query's values, over its first rows only where k says how many are on top."""
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        own = out[begin:end]
        own[:] = 0.0
        size = end - begin if k == 0.0 else top_size(ends[begin:end], k)
        whole = 0.0
        for i in range(size):
            own[i] = math.exp(values[begin + i] - values[begin])
            whole += own[i]
        for i in range(size):
            own[i] /= whole


def soften(ordered: Ordered, values: Floats, k: float = 0.0) -> Floats:
    """P_y of top-one ListNet: the softmax of the values of each query (of its top k rows, if k is given)."""
    out = np.empty_like(values)
    over_queries(_soften, ordered.offsets, values, ordered.ends, k, out)
    return out


@kernel
def _top_labels(first, last, offsets, ends, k, rest, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        size = top_size(ends[begin:end], k)
        place = 0
        for i in range(end - begin):
            if i > 0 and ends[begin + i] != ends[begin + i - 1]:
                place = i
            out[begin + i] = k - place if i < size else rest


def top_labels(ordered: Ordered, k: float, rest: float = 0.0) -> Floats:
    """Top-k labels (SPEC, section 1): k for the best, k - 1 for the next, …, ``rest`` below the top; rows that tie share the higher."""
    out = np.empty_like(ordered.values)
    over_queries(_top_labels, ordered.offsets, ordered.ends, float(k), float(rest), out)
    return out


@summing_kernel
def _off_top(probabilities, scores, top):  # type: ignore[no-untyped-def]
    found = 0.0
    for i in range(len(scores)):
        found += probabilities[i] * (top - scores[i]) if probabilities[i] > 0.0 else 0.0  # 0 times infinity is nothing here
    return found


@fused_kernel
def _soft_slopes(e, inverse, probabilities, gradient, curvature):  # type: ignore[no-untyped-def]
    for i in range(len(gradient)):
        gradient[i] = e[i] * inverse - probabilities[i]
    for i in range(len(curvature)):
        curvature[i] = e[i] * inverse * (1.0 - e[i] * inverse)


@kernel
def cross_entropy(scores, probabilities, gradient, curvature, e):  # type: ignore[no-untyped-def]
    """-Σ P_y ln softmax(s); written so that no term is negative, and small values keep their digits."""
    top, _ = spread(scores)
    exponentials(scores, top, e)
    best = np.argmax(scores)
    e[best] = 0.0
    others = total(e[: len(scores)])
    e[best] = 1.0
    _soft_slopes(e, 1.0 / (1.0 + others), probabilities, gradient, curvature)
    return math.log1p(others) + _off_top(probabilities, scores, top)


def _listnet(scores, probabilities, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    if ends[0] == len(scores):
        clear(gradient, curvature)
        return 0.0
    return cross_entropy(scores, probabilities, gradient, curvature, work[0])


LISTNET = Rule(_listnet, lambda ordered, _: soften(ordered, ordered.values))
TOP_K_LISTNET = Rule(_listnet, lambda ordered, settings: soften(ordered, top_labels(ordered, settings[0])))


def listnet(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""Cross entropy between the chances of being ranked first that labels and scores give: top-one ListNet.

    Cao et al. (ICML 2007); paper 004, section 4.3.3; P_v = softmax(v):

    .. math:: \ell(s, y) = -\sum_j P_y(j) \ln P_s(j)

    All labels equal: no preference, 0. O(n).

    >>> listnet([0.0, 0.0], labels=[1, 0], offsets=[0, 2]).per_query.round(6).tolist()     # ln 2, whatever the labels
    [0.693147]
    """
    return evaluate(LISTNET, scores, labels, offsets)


def top_k_listnet(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10) -> LossOutput:
    r"""Top-one ListNet on top-k labels: y = k for the best row, k - 1 for the next, …, 0 for all rows below the top.

    Paper 004, section 4.3.3:

    .. math:: \ell(s, y) = -\sum_j P_y(j) \ln P_s(j)

    Labels of any kind are made into top-k labels first; rows that tie share the higher one, and rows that tie across place k are all
    on top *(our reading)*. O(n) after sorting by label.

    Top-1 labels (1, 0) and scores a logit apart: ln(1 + e^-1) + 1 / (1 + e).

    >>> top_k_listnet([1.0, 0.0], labels=[7, 3], offsets=[0, 2], k=1).per_query.round(6).tolist()
    [0.582203]
    """
    return evaluate(TOP_K_LISTNET, scores, labels, offsets, k=k)


_MOST_EXACT = 12  # documents up to which all sets of documents left are gone through


def _listnet_exact(given, given_labels, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n = len(given)
    scores, labels = shifted(given, spread(given)[0], work[0]), shifted(given_labels, given_labels[0], work[1])
    clear(gradient, curvature)
    if ends[0] == n:
        return 0.0
    reached = np.zeros(1 << n)  # the chance that, drawing by label, exactly this set of rows is left at some time
    reached[-1] = 1.0
    value = 0.0
    for left in range((1 << n) - 1, 0, -1):
        label_sum, score_sum = -math.inf, -math.inf
        for j in range(n):
            if left >> j & 1:
                label_sum, score_sum = log_add(label_sum, labels[j]), log_add(score_sum, scores[j])
        for j in range(n):
            if left >> j & 1:
                chance, guess = math.exp(labels[j] - label_sum), math.exp(scores[j] - score_sum)
                reached[left ^ (1 << j)] += reached[left] * chance
                value += reached[left] * chance * (score_sum - scores[j])
                gradient[j] += reached[left] * (guess - chance)
                if len(curvature):
                    curvature[j] += reached[left] * guess * (1.0 - guess)
    return value


def _few(ordered: Ordered, _settings: tuple[float, ...]) -> Floats:
    if ordered.longest > _MOST_EXACT:
        query = int(np.argmax(np.diff(ordered.offsets)))
        raise DataError(f"listnet-exact serves queries of up to {_MOST_EXACT} documents; query {query} has {ordered.longest}; use listnet")
    return ordered.values


LISTNET_EXACT = Rule(_listnet_exact, _few)


def listnet_exact(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""Cross entropy between the Luce distributions over all n! orders that labels and scores give.

    Cao et al. (ICML 2007); for checking theory on short lists (up to 12 documents):

    .. math:: \ell(s, y) = -\sum_\pi P_y(\pi) \ln P_s(\pi)

    Orders are not listed: what is left at a step is a set, so 2^n sets suffice. All labels equal: no preference, 0.

    >>> listnet_exact([0.0, 0.0, 0.0], labels=[2, 1, 0], offsets=[0, 3]).per_query.round(6).tolist()    # ln 3! for every label
    [1.791759]
    """
    return evaluate(LISTNET_EXACT, scores, labels, offsets)


# ---- RankCosine ----


def _rankcosine(scores, psi, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    n = len(scores)
    clear(gradient, curvature)
    score_size, psi_size = np.abs(scores).max(), np.abs(psi).max()
    if ends[0] == n:
        return 0.0
    if score_size == 0.0:
        return 0.5
    v, u = work[0, :n], work[1, :n]  # scores and labels, each of length 1; measured in units of the largest, so that squares are doubles
    score_norm, psi_norm = 0.0, 0.0
    for i in range(n):
        v[i], u[i] = scores[i] / score_size, psi[i] / psi_size
        score_norm += v[i] * v[i]
        psi_norm += u[i] * u[i]
    score_norm, psi_norm = math.sqrt(score_norm), math.sqrt(psi_norm)
    cosine, apart = 0.0, 0.0
    for i in range(n):
        v[i], u[i] = v[i] / score_norm, u[i] / psi_norm
        cosine += v[i] * u[i]
        apart += (v[i] - u[i]) ** 2
    for i in range(n):
        slope = -0.5 * (u[i] - cosine * v[i]) / score_norm / score_size
        gradient[i] = max(-_STEEPEST, min(_STEEPEST, slope))
        if len(curvature):
            bend = 0.5 * (2.0 * u[i] * v[i] + cosine - 3.0 * cosine * v[i] * v[i]) / score_norm / score_norm / score_size / score_size
            curvature[i] = max(0.0, min(_STEEPEST, bend))
    return 0.25 * apart


RANKCOSINE = Rule(_rankcosine)
TOP_K_RANKCOSINE = Rule(_rankcosine, lambda ordered, settings: top_labels(ordered, settings[0], settings[1]))


def rankcosine(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
    r"""Half of one minus the cosine between scores and labels.

    Qin et al. (IPM 2008); paper 004, Eq. 11, with ψ the labels:

    .. math:: \ell(s, y) = \tfrac12 \Big(1 - \frac{\psi \cdot s}{\lVert\psi\rVert \lVert s\rVert}\Big)

    Not convex, and the one loss that a constant added to all scores changes. At s = 0 the value is ½ and the slope 0 *(our reading)*.
    The curvature is the second derivative where that is positive, else 0; very near s = 0 it and the slope saturate at 1e300. All labels
    equal: no preference, 0.

    >>> out = rankcosine([0.0, 1.0], labels=[1, 0], offsets=[0, 2])
    >>> out.per_query.round(12).tolist(), out.gradient.round(12).tolist()
    ([0.5], [-0.5, -0.0])
    """
    return evaluate(RANKCOSINE, scores, labels, offsets)


def top_k_rankcosine(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, *, k: int = 10, rest: float = 0.0) -> LossOutput:
    r"""RankCosine on top-k labels: ψ = k for the best row, k - 1 for the next, …, ``rest`` (ε ≥ 0) for all rows below the top.

    Paper 004, section 4.3.2:

    .. math:: \ell(s, y) = \tfrac12 \Big(1 - \frac{\psi \cdot s}{\lVert\psi\rVert \lVert s\rVert}\Big)

    Labels of any kind are made into top-k labels first, as in :func:`top_k_listnet`.

    >>> top_k_rankcosine([0.0, 5.0, 0.0], labels=[3, 9, 4], offsets=[0, 3], k=1).per_query.tolist()
    [0.0]
    """
    return evaluate(TOP_K_RANKCOSINE, scores, labels, offsets, k=k, rest=rest)
