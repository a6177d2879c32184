"""Every measure a second time, for one query, slowly: written from the definitions (SPEC, section 4, and the docstrings' equations).

Nothing here is shared with the kernels: lists are sorted by Python's ``sorted``, preferences are visited pair by pair, and gains are
fractions, so that no label is too large. A document is a row: ``scores[row]`` is minus infinity if it was not retrieved, and
``labels[row]`` is NaN if it was not judged.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction

from podium.measures import Measure

Numbers = Sequence[float]

BLANK = {"zero": 0.0, "one": 1.0, "skip": math.nan}


class Refused(Exception):
    """The measure does not exist on these labels; ``query`` is the first where it does not."""

    def __init__(self, query: int = 0) -> None:
        super().__init__(query)
        self.query = query


def values(measure: Measure, scores: Numbers, labels: Numbers, offsets: Sequence[int]) -> list[float]:
    """The value of every query, one query at a time."""
    cutoff = {} if measure.cutoff is None else {"cutoff": measure.cutoff}
    found = []
    for query, (begin, end) in enumerate(itertools.pairwise(offsets)):
        rows = slice(int(begin), int(end))
        try:
            value = PLAIN[measure.name](list(map(float, scores[rows])), list(map(float, labels[rows])), **cutoff, **dict(measure.options))
        except Refused:
            raise Refused(query) from None
        found.append(float(value))
    return found


def by_score(scores: Numbers) -> list[int]:
    """The rows that have a rank, best first; ``sorted`` keeps the order of the input where scores are equal."""
    return sorted((row for row in range(len(scores)) if scores[row] > -math.inf), key=lambda row: -scores[row])


def judged_only(scores: Numbers, labels: Numbers) -> tuple[list[float], list[float]]:
    kept = [row for row in range(len(labels)) if not math.isnan(labels[row])]
    return [scores[row] for row in kept], [labels[row] for row in kept]


@functools.cache
def power_of_two(exponent: float) -> Fraction:
    whole = math.floor(exponent)
    return Fraction(2) ** whole * Fraction(2.0 ** (exponent - whole))


@functools.cache
def gain_of(label: float, gain: str) -> Fraction:
    if math.isnan(label) or label <= 0:
        return Fraction(0)
    return Fraction(label) if gain == "linear" else power_of_two(label) - 1


@functools.cache
def discount_of(rank: int, discount: str) -> Fraction:
    if discount == "letor":
        return Fraction(1 if rank <= 2 else 1 / math.log2(rank))
    return Fraction(1 / math.log2(1 + rank))


def dcg(gains: Sequence[Fraction], discount: str) -> Fraction:
    return sum((gain * discount_of(rank, discount) for rank, gain in enumerate(gains, start=1)), Fraction(0))


def ndcg(scores, labels, cutoff=None, gain="exponential", discount="log2", short="count", blank="zero"):
    ideal = dcg(sorted((gain_of(label, gain) for label in labels), reverse=True)[:cutoff], discount)
    if ideal == 0:
        return BLANK[blank]
    if short == "zero" and cutoff is not None and len(labels) < cutoff:
        return 0
    return dcg([gain_of(labels[row], gain) for row in by_score(scores)][:cutoff], discount) / ideal


def mean_ndcg(scores, labels, gain="exponential", discount="log2", blank="zero"):
    n = len(labels)
    if n == 0:
        return BLANK[blank]
    return sum(float(ndcg(scores, labels, last, gain, discount, blank=blank)) for last in range(1, n + 1)) / n


def full_ndcg(scores, labels, cutoff=None, blank="zero"):
    if len(set(labels)) < len(labels):
        raise Refused
    n_worse = [sum(other < label for other in labels) for label in labels]  # n - j for the document at true position j
    return ndcg(scores, n_worse, cutoff, blank=blank)


def top_k_labels(labels, k):
    """``k + 1 - position`` for the best k, 0 for the others; refused unless the labels say which k are best and in which order."""
    if k is None:
        return labels
    for label in labels:
        position = 1 + sum(other > label for other in labels)
        if position <= k and sum(other == label for other in labels) > 1:
            raise Refused
    return [math.nan if math.isnan(label) else max(k - sum(other > label for other in labels), 0) for label in labels]


def k_ndcg(scores, labels, cutoff=None, k=None, blank="zero"):
    return ndcg(scores, top_k_labels(labels, k), cutoff, blank=blank)


def err(scores, labels, cutoff=None, max=None, blank="zero"):
    labels = [0.0 if math.isnan(label) or label < 0 else label for label in labels]
    highest = sorted([0.0, *labels])[-1]
    if max is not None and highest > max:
        raise Refused
    if highest == 0:
        return BLANK[blank]
    scale = power_of_two(highest if max is None else max)
    stops = [float((power_of_two(labels[row]) - 1) / scale) for row in by_score(scores)]
    ranks = range(1, len(stops[:cutoff]) + 1)
    return math.fsum(stops[rank - 1] / rank * math.prod(1 - stop for stop in stops[: rank - 1]) for rank in ranks)


def k_err(scores, labels, cutoff=None, k=None, blank="zero"):
    return err(scores, top_k_labels(labels, k), cutoff, blank=blank)


def hits(scores, labels, above):
    """Whether the document at each rank is relevant, and how many relevant documents there are, found or not."""
    return [labels[row] > above for row in by_score(scores)], sum(label > above for label in labels)


def average_precision(scores, labels, cutoff=None, above=0.0, blank="zero"):
    is_hit, n_relevant = hits(scores, labels, above)
    if n_relevant == 0:
        return BLANK[blank]
    ranks = [rank for rank in range(1, len(is_hit) + 1) if is_hit[rank - 1] and (cutoff is None or rank <= cutoff)]
    return sum((Fraction(sum(is_hit[:rank]), rank) for rank in ranks), Fraction(0)) / n_relevant


def precision(scores, labels, cutoff, above=0.0, blank="zero"):
    is_hit, n_relevant = hits(scores, labels, above)
    return Fraction(sum(is_hit[:cutoff]), cutoff) if n_relevant else BLANK[blank]


def recall(scores, labels, cutoff=None, above=0.0, blank="zero"):
    is_hit, n_relevant = hits(scores, labels, above)
    return Fraction(sum(is_hit[:cutoff]), n_relevant) if n_relevant else BLANK[blank]


def reciprocal_rank(scores, labels, cutoff=None, above=0.0, blank="zero"):
    is_hit, n_relevant = hits(scores, labels, above)
    if n_relevant == 0:
        return BLANK[blank]
    return Fraction(1, 1 + is_hit.index(True)) if True in is_hit[:cutoff] else 0


def bpref(scores, labels, above=0.0, blank="zero"):
    is_hit, n_relevant = hits(*judged_only(scores, labels), above)
    n_others = len(judged_only(scores, labels)[1]) - n_relevant
    if n_relevant == 0:
        return BLANK[blank]
    shares = []
    for place, hit in enumerate(is_hit):
        others_above = place - sum(is_hit[:place])
        if hit:
            shares.append(1 - Fraction(min(others_above, n_relevant), max(min(n_others, n_relevant), 1)))
    return sum(shares, Fraction(0)) / n_relevant


def top_k_loss(scores, labels, cutoff=None, blank="zero"):
    scores, labels = judged_only(scores, labels)
    k = sum(label > 0 for label in labels) if cutoff is None else min(cutoff, len(labels))
    if k == 0:
        return BLANK[blank]
    return float([labels[row] for row in by_score(scores)][:k] != sorted(labels, reverse=True)[:k])


def weighted_kendall_tau(scores, labels, cutoff=None, blank="zero"):
    scores, labels = judged_only(scores, labels)
    cost, is_blank = Fraction(0), True
    for j, label in enumerate(labels):
        position = 1 + sum(other > label for other in labels)
        worse = [row for row in range(len(labels)) if labels[row] < label]
        if label > 0 and worse and (cutoff is None or position <= cutoff):
            is_blank = False
            weight = gain_of(label, "exponential") * discount_of(position, "log2")
            cost += weight * sum(scores[j] < scores[row] for row in worse)
    return BLANK[blank] if is_blank else min(cost, Fraction(sys.float_info.max))


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def kendall_tau(scores, labels, ties="b", blank="skip"):
    scores, labels = judged_only(scores, labels)
    pairs = [(a, b) for a in range(len(labels)) for b in range(a)]
    balance = sum(sign(scores[a] - scores[b] if scores[a] != scores[b] else 0) * sign(labels[a] - labels[b]) for a, b in pairs)
    tied_labels = sum(labels[a] == labels[b] for a, b in pairs)
    tied_scores = sum(scores[a] == scores[b] for a, b in pairs)
    if tied_labels == len(pairs) or (ties == "b" and tied_scores == len(pairs)):
        return BLANK[blank]
    if ties == "a":
        return balance / len(pairs)
    return balance / math.sqrt((len(pairs) - tied_labels) * (len(pairs) - tied_scores))


def tau_ap(scores, labels, blank="skip"):
    scores, labels = judged_only(scores, labels)
    ranked = [labels[row] for row in sorted(range(len(labels)), key=lambda row: -scores[row])]
    if len(set(labels)) < 2:
        return BLANK[blank]
    terms = [Fraction(sum(sign(above - label) for above in ranked[:place]), place) for place, label in enumerate(ranked) if place > 0]
    return sum(terms) / len(terms)


def share_of_preferences(scores, labels, cutoff, blank, weight: Callable[[int], float]):
    """Over pairs with a preference of which at least one document is among the first ``cutoff`` ranks."""
    scores, labels = judged_only(scores, labels)
    rank = {row: place for place, row in enumerate(by_score(scores), start=1)}
    right, ordered = [], []
    for better in range(len(labels)):
        for worse in range(len(labels)):
            ranks = rank.get(better, math.inf), rank.get(worse, math.inf)
            if labels[better] > labels[worse] and min(ranks) <= (sys.maxsize if cutoff is None else cutoff):
                ordered.append(weight(min(ranks)))
                right.append(weight(min(ranks)) if ranks[0] < ranks[1] else 0.0)
    return math.fsum(right) / math.fsum(ordered) if ordered else BLANK[blank]


def ppref(scores, labels, cutoff=None, blank="zero"):
    return share_of_preferences(scores, labels, cutoff, blank, weight=lambda upper_rank: 1.0)


def nwppref(scores, labels, cutoff=None, blank="zero"):
    return share_of_preferences(scores, labels, cutoff, blank, weight=lambda upper_rank: 1 / math.log2(1 + upper_rank))


PLAIN: dict[str, Callable[..., float | Fraction]] = {
    "ndcg": ndcg, "mean-ndcg": mean_ndcg, "full-ndcg": full_ndcg, "k-ndcg": k_ndcg, "err": err, "k-err": k_err,
    "map": average_precision, "p": precision, "recall": recall, "mrr": reciprocal_rank, "bpref": bpref,
    "top-k-loss": top_k_loss, "wkt": weighted_kendall_tau, "tau": kendall_tau, "tau-ap": tau_ap, "ppref": ppref, "nwppref": nwppref,
}  # fmt: skip
