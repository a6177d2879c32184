"""Measures on graded labels: NDCG in all its conventions, ERR, and both on top-k and full-order truth."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from podium import truth
from podium.errors import DataError
from podium.measures.blank import Blank, value_of_blank
from podium.measures.gain import SMALL_GAINS, excess
from podium.measures.ranking import Ranking
from podium.ragged import Floats, kernel, over_queries

__all__ = ["err", "full_ndcg", "k_err", "k_ndcg", "mean_ndcg", "ndcg"]

Gain = Literal["exponential", "linear"]
Discount = Literal["log2", "letor"]
Short = Literal["count", "zero"]


@kernel
def _gain(label, is_linear, top, unit):  # type: ignore[no-untyped-def]
    return max(label, 0.0) if is_linear else excess(label, top, unit)


@kernel
def _discount(rank, is_letor):  # type: ignore[no-untyped-def]
    if is_letor:
        return 1.0 if rank < 3 else 1.0 / np.log2(rank)
    return 1.0 / np.log2(1.0 + rank)


@kernel
def _scale(highest, is_linear):  # type: ignore[no-untyped-def]
    """The power of two that gains are divided by: none for usual labels, where dividing would only cost accuracy."""
    return 0.0 if is_linear or highest < 512.0 else np.floor(highest)


@kernel
def _dcg_over_ideal(  # type: ignore[no-untyped-def]
    first, last, _offsets, found, found_at, ideal, ideal_at, sizes, retrieved, discounts, is_linear, deepest, least_size, blank, out
):
    for query in range(first, last):
        a, b = found_at[query], ideal_at[query]
        depth = min(deepest, sizes[query])
        highest = ideal[b] if depth > 0 else 0.0
        top = _scale(highest, is_linear)
        dcg, best, unit = 0.0, 0.0, np.exp2(-top)
        for r in range(depth):
            best += _gain(ideal[b + r], is_linear, top, unit) * discounts[r]
        for r in range(min(depth, retrieved[query])):
            dcg += _gain(found[a + r], is_linear, top, unit) * discounts[r]
        if best <= 0.0:
            out[query] = blank
        elif sizes[query] < least_size:
            out[query] = 0.0
        else:
            out[query] = dcg / best


def _depth(ranking: Ranking, cutoff: int | None) -> int:
    """How many ranks there are to look at."""
    longest = int(ranking.sizes.max(initial=1))
    return longest if cutoff is None else min(cutoff, longest)


_kept_discounts: dict[Discount, Floats] = {}


def _discounts(depth: int, discount: Discount) -> Floats:
    """The discounts of ranks 1..depth at least; computed once, a logarithm a rank."""
    kept = _kept_discounts.get(discount)
    if kept is None or len(kept) < depth:
        kept = np.array([_discount(float(rank), discount == "letor") for rank in range(1, max(depth, 128) + 1)])
        _kept_discounts[discount] = kept
    return kept


def ndcg(
    ranking: Ranking,
    *,
    cutoff: int | None = None,
    gain: Gain = "exponential",
    discount: Discount = "log2",
    short: Short = "count",
    blank: Blank = "zero",
) -> Floats:
    r"""Discounted cumulative gain of the first ranks, as a share of the best possible.

    SPEC, section 4:

    .. math:: NDCG@l = \frac{DCG@l}{\max DCG@l}, \qquad DCG@l = \sum_{r=1}^{l} \frac{2^{y_r} - 1}{\log_2(1 + r)}

    with :math:`y_r` the label at rank r and l the ``cutoff`` (all ranks if left out). What "NDCG" means differs, so it is said:
    ``gain`` is ``exponential``, :math:`2^y - 1`, or ``linear``, :math:`y`; labels below 0 gain 0. ``discount`` is ``log2``, as above,
    or ``letor``: ranks 1 and 2 undiscounted, then :math:`1/\log_2 r`, as in LETOR's scripts and so in papers 002 and 004. A
    query with fewer than l documents counts all the same (``short="count"``), or 0 as in LETOR 4.0 (``short="zero"``). A query
    without a relevant document is ``blank``: ``zero``, ``one`` or ``skip`` (NaN, left out of means).

    Equal scores keep the order of the input. One relevant document at rank 2 of 3:

    >>> ndcg(Ranking([3, 2, 1], labels=[0, 1, 0], offsets=[0, 3]), cutoff=3) == 1 / np.log2(3)
    array([ True])
    """
    depth, out = _depth(ranking, cutoff), np.empty(ranking.n_queries)
    seen = (*ranking.ranked(cutoff), *ranking.ideal(cutoff), ranking.sizes, ranking.retrieved)
    least_size = cutoff if short == "zero" and cutoff is not None else 0
    choices = (_discounts(depth, discount), gain == "linear", depth, least_size, value_of_blank(blank))
    over_queries(_dcg_over_ideal, ranking.offsets, *seen, *choices, out)
    return out


@kernel
def _mean_over_cutoffs(first, last, offsets, found, ideal, retrieved, is_linear, is_letor, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        top = _scale(ideal[begin], is_linear) if end > begin else 0.0
        dcg, best, total, unit = 0.0, 0.0, 0.0, np.exp2(-top)
        for r in range(end - begin):
            discount = _discount(float(r + 1), is_letor)
            best += _gain(ideal[begin + r], is_linear, top, unit) * discount
            if r < retrieved[query]:
                dcg += _gain(found[begin + r], is_linear, top, unit) * discount
            if best > 0.0:
                total += dcg / best
        out[query] = total / (end - begin) if best > 0.0 else blank


def mean_ndcg(ranking: Ranking, *, gain: Gain = "exponential", discount: Discount = "log2", blank: Blank = "zero") -> Floats:
    r"""NDCG@l averaged over l = 1..n: the column ``MeanNDCG`` of LETOR 4.0's script (with ``discount="letor"``).

    .. math:: \frac1n \sum_{l=1}^{n} NDCG@l

    Conventions as in :func:`ndcg`. One relevant document at rank 2 of 2, undiscounted: (0 + 1) / 2.

    >>> mean_ndcg(Ranking([2, 1], labels=[0, 1], offsets=[0, 2]), discount="letor").tolist()
    [0.5]
    """
    found, ideal, out = ranking.ranked(None)[0], ranking.ideal(None)[0], np.empty(ranking.n_queries)
    over_queries(
        _mean_over_cutoffs,
        ranking.offsets,
        found,
        ideal,
        ranking.retrieved,
        gain == "linear",
        discount == "letor",
        value_of_blank(blank),
        out,
    )
    return out


@kernel
def _err(first, last, _offsets, found, found_at, retrieved, is_plain, y_max, cutoff, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        a, top = found_at[query], y_max[query]
        labels = found[a : a + min(cutoff, retrieved[query])]
        total, still_looking, unit = 0.0, 1.0, np.exp2(-top)
        for r in range(len(labels)):  # plain labels without a branch: which label comes next is what nobody can predict
            stop = SMALL_GAINS[np.uint64(labels[r])] * unit if is_plain[query] else excess(labels[r], top, unit)
            total += still_looking * stop / (r + 1)
            still_looking *= 1.0 - stop
            if still_looking < 1e-18 * total:  # all that is left adds up to less than this
                break
        out[query] = total if top > 0.0 else blank


def err(ranking: Ranking, *, cutoff: int | None = None, max: float | None = None, blank: Blank = "zero") -> Floats:
    r"""Expected reciprocal rank: of the rank at which a reader who may be satisfied by each document stops.

    Chapelle, Metzler, Zhang & Grinspan (CIKM 2009); SPEC, section 4:

    .. math:: ERR@l = \sum_{r=1}^{l} \frac1r R(y_r) \prod_{i<r} (1 - R(y_i)), \qquad R(y) = \frac{2^y - 1}{2^{y_{max}}}

    :math:`y_{max}` is the largest label of the scale, ``max``; if left out, the largest of the query. A query without a relevant
    document is ``blank``. Labels 1, 0 on a scale up to 1: (2 - 1)/2.

    >>> err(Ranking([2, 1], labels=[1, 0], offsets=[0, 2])).tolist()
    [0.5]
    """
    found, found_at = ranking.ranked(cutoff)
    highest, out = ranking.highest, np.empty(ranking.n_queries)
    if max is not None:
        beyond = np.flatnonzero(highest > max)
        if len(beyond):
            raise DataError(f"err was told that labels reach {max:g}, but query {beyond[0]} has {highest[beyond[0]]:g}")
        highest = np.where(highest > 0, float(max), 0.0)
    over_queries(
        _err,
        ranking.offsets,
        found,
        found_at,
        ranking.retrieved,
        ranking.is_plain,
        highest,
        _depth(ranking, cutoff),
        value_of_blank(blank),
        out,
    )
    return out


def _top_k_ranking(ranking: Ranking, k: int | None, name: str) -> Ranking:
    """The ranking with labels turned into top-k labels, if k is given; they must say which k are best, and in which order."""
    if k is None:
        return ranking
    ideal, offsets = ranking.ideal(k + 1)
    inside = np.arange(len(ideal)) - np.repeat(offsets[:-1], np.diff(offsets)) > 0
    tied = inside[1:] & (ideal[1:] == ideal[:-1]) & (ideal[1:] > -np.inf)
    if tied.any():
        query = int(np.searchsorted(offsets, np.argmax(tied) + 1, side="right")) - 1
        raise DataError(
            f"{name} needs the best {k} in a strict order, but labels of query {query} tie there; break ties first (break_ties)"
        )
    labels = truth.top_k(ranking.labels, ranking.offsets, k, seed=0)
    return Ranking(ranking.scores, np.where(np.isnan(ranking.given_labels), np.nan, labels), ranking.offsets)


def k_ndcg(ranking: Ranking, *, cutoff: int | None = None, k: int | None = None, blank: Blank = "zero") -> Floats:
    r"""κ-NDCG@l of paper 001: :func:`ndcg` on top-k labels :math:`y = k + 1 - \pi` (0 for the rest).

    Labels are taken to be such already, as :meth:`Dataset.top_k` makes them; with ``k`` they are made here from any labels that put
    the best k in a strict order. The two best swapped, k = 2: (1 + 3/log2 3) / (3 + 1/log2 3).

    >>> value = k_ndcg(Ranking([1, 2, 0], labels=[9, 8, 7], offsets=[0, 3]), cutoff=2, k=2)
    >>> np.isclose(value, (1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3)))
    array([ True])
    """
    return ndcg(_top_k_ranking(ranking, k, "k-ndcg"), cutoff=cutoff, blank=blank)


def k_err(ranking: Ranking, *, cutoff: int | None = None, k: int | None = None, blank: Blank = "zero") -> Floats:
    r"""κ-ERR of paper 001: :func:`err` on top-k labels, :math:`y_{max} = k`, the label of the best document.

    ``k`` as in :func:`k_ndcg`. One document on top, k = 1, found at rank 1: R = (2 - 1)/2.

    >>> k_err(Ranking([2, 1], labels=[5, 4], offsets=[0, 2]), k=1).tolist()
    [0.5]
    """
    return err(_top_k_ranking(ranking, k, "k-err"), cutoff=cutoff, blank=blank)


def full_ndcg(ranking: Ranking, *, cutoff: int | None = None, blank: Blank = "zero") -> Floats:
    r"""NDCG on a full order (paper 000, Eq. 9): the document at ground-truth position j has label n - j.

    Gains reach :math:`2^{n-1}`; they are computed relative to the largest, so nothing overflows. Labels must be a full order (no
    two equal in a query). In the true order it is 1, however many documents there are:

    >>> full_ndcg(Ranking(np.arange(5000.0), np.arange(5000.0), [0, 5000]), cutoff=10).tolist()
    [1.0]
    """
    if not ranking.is_all_judged:
        raise DataError("full-ndcg needs a full order, so every document has to be judged")
    tied: Any = truth.has_ties(ranking.labels, ranking.offsets)
    if tied.any():
        raise DataError(f"full-ndcg needs a full order, but labels of query {int(np.argmax(tied))} tie; break ties first (break_ties)")
    places = truth.break_ties(ranking.labels, ranking.offsets, seed=0) - 1.0
    return ndcg(Ranking(ranking.scores, places, ranking.offsets), cutoff=cutoff, blank=blank)
