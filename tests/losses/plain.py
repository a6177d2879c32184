"""Every loss a second time, for one query, slowly: written from the definitions (SPEC, sections 2 and 3, and the readings for ties).

Nothing here is shared with the kernels: documents are visited in double loops and orders are listed. All of it is generic over the kind
of number: ``FLOATS`` computes with doubles, ``EXACT`` with mpmath's numbers of as many digits as ``mpmath.workdps`` says, so that
slopes and curvatures are differences of values at neighbouring scores, with digits to spare.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath


class Arithmetic(NamedTuple):
    number: Callable[[float], Any]
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]


FLOATS = Arithmetic(float, math.exp, math.log, math.sqrt)
EXACT = Arithmetic(mpmath.mpf, mpmath.exp, mpmath.log, mpmath.sqrt)


class Slopes(NamedTuple):
    """What a loss says of one query, with many digits."""

    value: Any
    gradient: list[Any]
    curvature: list[Any]


def value(name: str, scores: Sequence[Any], labels: Sequence[float], m: Arithmetic = FLOATS, **settings: float) -> Any:
    """The loss of one query; without any preference, 0."""
    if len(set(labels)) < 2:
        return m.number(0)
    return PLAIN[name](m, [m.number(score) for score in scores], [m.number(label) for label in labels], **settings)


def slopes(name: str, scores: Sequence[float], labels: Sequence[float], *, digits: int = 50, **settings: float) -> Slopes:
    """Value, slope and second derivative by every score: central differences with half of the digits."""
    with mpmath.workdps(digits):
        h = mpmath.mpf(10) ** -15
        here = value(name, scores, labels, EXACT, **settings)
        found = Slopes(here, [], [])
        for row in range(len(scores)):
            left, right = (
                value(name, [mpmath.mpf(score) + side * (i == row) for i, score in enumerate(scores)], labels, EXACT, **settings)
                for side in (-h, h)
            )
            found.gradient.append((right - left) / (2 * h))
            found.curvature.append((right - 2 * here + left) / h**2)
        return found


def is_linear_nearby(name: str, scores: Sequence[float], labels: Sequence[float], **settings: float) -> bool:
    """Whether a piecewise linear loss has no kink within 1e-9 of these scores: left and right difference quotients agree, row by row.

    For a convex function, that says as much of every other direction.
    """
    with mpmath.workdps(50):
        h, here = mpmath.mpf(10) ** -9, value(name, scores, labels, EXACT, **settings)
        for row in range(len(scores)):
            left, right = (
                value(name, [mpmath.mpf(score) + side * (i == row) for i, score in enumerate(scores)], labels, EXACT, **settings)
                for side in (-h, h)
            )
            if abs((right - here) - (here - left)) > mpmath.mpf(10) ** -30:
                return False
        return True


# ---- what definitions share ----


def lse(m, scores):
    return m.log(sum(m.exp(score) for score in scores))


def n_better(labels, row):
    return sum(label > labels[row] for label in labels)


def on_top(labels, k):
    """Rows with fewer than k better ones."""
    return [row for row in range(len(labels)) if n_better(labels, row) < k]


def top_and_rest(labels, k):
    """T and F: a tie at the very bottom is the rest, whatever k."""
    is_tie = sum(label == min(labels) for label in labels) > 1
    top = [row for row in on_top(labels, k) if not (is_tie and labels[row] == min(labels))]
    return top, [row for row in range(len(labels)) if row not in top]


def top_k_labels(m, labels, k, rest=0.0):
    top, _ = top_and_rest(labels, k)
    return [m.number(k - n_better(labels, row) if row in top else rest) for row in range(len(labels))]


def pairs(labels):
    return [(better, worse) for better in range(len(labels)) for worse in range(len(labels)) if labels[better] > labels[worse]]


def draws(m, scores, labels, rows, among):
    """Each of ``rows`` drawn from itself and those ``among`` that are strictly worse: Luce."""
    return sum(lse(m, [scores[i], *(scores[other] for other in among if labels[other] < labels[i])]) - scores[i] for i in rows)


def softmax(m, values):
    highest = max(values)
    whole = sum(m.exp(value - highest) for value in values)
    return [m.exp(value - highest) / whole for value in values]


def cross_entropy(m, scores, labels):
    return sum(chance * (lse(m, scores) - score) for chance, score in zip(softmax(m, labels), scores, strict=True))


# ---- the losses ----


def pairwise_hinge(m, scores, labels):
    return sum(max(m.number(0), 1 - (scores[j] - scores[t])) for j, t in pairs(labels))


def pairwise_exponential(m, scores, labels):
    return sum(m.exp(-(scores[j] - scores[t])) for j, t in pairs(labels))


def pairwise_logistic(m, scores, labels):
    return sum(m.log(1 + m.exp(-(scores[j] - scores[t]))) for j, t in pairs(labels))


def listmle(m, scores, labels):
    return draws(m, scores, labels, range(len(labels)), range(len(labels)))


def top_k_listmle(m, scores, labels, k):
    return draws(m, scores, labels, on_top(labels, k), range(len(labels)))


def listnet(m, scores, labels):
    return cross_entropy(m, scores, labels)


def top_k_listnet(m, scores, labels, k):
    return cross_entropy(m, scores, top_k_labels(m, labels, k))


def listnet_exact(m, scores, labels):
    by_score, by_label = [m.exp(score) for score in scores], softmax(m, labels)
    cost = m.number(0)
    for order in itertools.permutations(range(len(labels))):
        chance, surprise = m.number(1), m.number(0)
        for place, row in enumerate(order):
            left = order[place:]
            chance *= by_label[row] / sum(by_label[other] for other in left)
            surprise += m.log(sum(by_score[other] for other in left)) - scores[row]
        cost += chance * surprise
    return cost


def rankcosine(m, scores, labels):
    if not any(scores):
        return m.number(1) / 2
    product = sum(label * score for label, score in zip(labels, scores, strict=True))
    return (1 - product / (m.sqrt(sum(label**2 for label in labels)) * m.sqrt(sum(score**2 for score in scores)))) / 2


def top_k_rankcosine(m, scores, labels, k, rest):
    return rankcosine(m, scores, top_k_labels(m, labels, k, rest))


def cs_listmle(m, scores, labels, k):
    rows = range(len(labels))
    gain = [m.number(2) ** label - 1 for label in labels]
    rank = [1 + n_better(labels, j) for j in rows]
    log = [m.log(m.number(1 + rank[j])) for j in rows]
    log_2 = m.log(m.number(2))
    cost = [gain[j] * log_2 / ((1 + rank[j]) * log[j] ** 2) if rank[j] <= k else m.number(0) for j in rows]
    dcg = sum(gain[j] * log_2 / log[j] for j in rows if rank[j] <= k)
    if dcg == 0:
        return m.number(0)
    total = m.number(0)
    for j in rows:
        worse = [t for t in rows if labels[j] > labels[t]]
        beta = sum(cost[j] + cost[t] for t in worse)
        if beta != 0:
            total += beta * m.log(1 + sum((cost[j] + cost[t]) / beta * m.exp(scores[t] - scores[j]) for t in worse)) / log_2
    return total / dcg


def hom_gg(m, scores, labels, k):
    top, _ = top_and_rest(labels, k)
    return lse(m, scores) - lse(m, [scores[i] for i in top]) + draws(m, scores, labels, top, top)


def hom_oo(m, scores, labels, k):
    top, rest = top_and_rest(labels, k)
    return sum(m.log(1 + m.exp(scores[j] - scores[i])) for i in top for j in rest) + draws(m, scores, labels, top, top)


def hom_og(m, scores, labels, k):
    top, rest = top_and_rest(labels, k)
    apart = sum(lse(m, [scores[i], *(scores[j] for j in rest)]) - scores[i] for i in top)
    return apart + draws(m, scores, labels, top, top)


def focused_net(m, scores, labels, k, balance):
    top, rest = top_and_rest(labels, k)
    y, balance, cost = top_k_labels(m, labels, k), m.number(balance), m.number(0)
    if len({labels[i] for i in top}) > 1:
        cost += balance * cross_entropy(m, [scores[i] for i in top], [y[i] for i in top]) / m.log(m.number(len(top)))
    if top and rest:
        apart = sum(m.log(1 + m.exp(-(scores[u] - scores[v]))) for u in top for v in rest)
        cost += (1 - balance) * apart / (len(top) * len(rest) * m.log(m.number(2)))
    return cost


def structural_hinge(m, relevant, others):
    """The greatest violation of all orders. Each of the others, best first, chooses how many relevant rows stand above it.

    The j-th costs AP the sum over relevant rows i below it of δ_j(i) = (i/(i + j - 1) - i/(i + j)) / |R|, whatever the rest choose; that
    this is the maximum over all orders is tested in test_structural.py, by listing them.
    """
    if not relevant or not others:
        return m.number(0)
    relevant, others = sorted(relevant, reverse=True), sorted(others, reverse=True)
    share, cost = m.number(2) / (len(relevant) * len(others)), m.number(0)
    for j, other in enumerate(others, 1):
        best = gain = m.number(0)  # all relevant rows above it
        for i in range(len(relevant), 0, -1):  # one more below it
            gain += (m.number(i) / (i + j - 1) - m.number(i) / (i + j)) / len(relevant) - share * (relevant[i - 1] - other)
            best = max(best, gain)
        cost += best
    return cost


def map_hinge(m, scores, labels):
    relevant, others = ([score for score, label in zip(scores, labels, strict=True) if (label > 0) == side] for side in (True, False))
    return structural_hinge(m, relevant, others)


def focused_hinge(m, scores, labels, k, balance):
    top, rest = top_and_rest(labels, k)
    balance, cost = m.number(balance), m.number(0)
    levels = sorted({labels[i] for i in top})[1:]
    for lowest in levels:
        first, last = [scores[i] for i in top if labels[i] >= lowest], [scores[i] for i in top if labels[i] < lowest]
        cost += balance * structural_hinge(m, first, last) / len(levels)
    if top and rest:
        short = sum(max(m.number(0), 1 - (scores[u] - scores[v])) for u in top for v in rest)
        cost += (1 - balance) * short / (len(top) * len(rest))
    return cost


PLAIN: dict[str, Callable[..., Any]] = {
    "pairwise-hinge": pairwise_hinge, "pairwise-exponential": pairwise_exponential, "pairwise-logistic": pairwise_logistic,
    "listmle": listmle, "top-k-listmle": top_k_listmle, "listnet": listnet, "listnet-exact": listnet_exact, "top-k-listnet": top_k_listnet,
    "rankcosine": rankcosine, "top-k-rankcosine": top_k_rankcosine, "cs-listmle": cs_listmle,
    "hom-gg": hom_gg, "hom-oo": hom_oo, "hom-og": hom_og, "focused-net": focused_net,
    "map-hinge": map_hinge, "focused-hinge": focused_hinge,
}  # fmt: skip
