"""Measures of order: how well a ranking agrees with preferences between documents. Equal labels state no preference."""

from __future__ import annotations

import sys
from typing import Any, Literal

import numpy as np

from podium.measures.blank import Blank, value_of_blank
from podium.measures.gain import excess
from podium.measures.ranking import Ranking
from podium.ragged import Floats, Ints, kernel, over_queries
from podium.sorting import rank_rows

__all__ = ["kendall_tau", "nwppref", "ppref", "tau_ap", "top_k_loss", "weighted_kendall_tau"]

_ALL = np.iinfo(np.int64).max
_LARGEST = sys.float_info.max


@kernel
def _top_k_loss(first, last, offsets, found, ideal, retrieved, k, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        depth = end - begin
        if k >= 0:
            depth = min(k, depth)
        else:
            while depth > 0 and ideal[begin + depth - 1] <= 0.0:
                depth -= 1
        wrong = depth > retrieved[query]
        for r in range(min(depth, retrieved[query])):
            wrong = wrong or found[begin + r] != ideal[begin + r]
        out[query] = (1.0 if wrong else 0.0) if depth > 0 else blank


def top_k_loss(ranking: Ranking, *, cutoff: int | None = None, blank: Blank = "zero") -> Floats:
    """Top-k true loss (paper 004, Eq. 5): 0 if the first k are exactly right and in order, else 1.

    k is the ``cutoff``; if left out, the number of documents with a label above 0, which on top-k labels is k itself. Equal labels
    state no preference: either of two such documents is right in the other's place. k > n means k = n.

    >>> top_k_loss(Ranking([3, 1, 2, 0, 9, 8], labels=[2, 1, 0, 0, 2, 1], offsets=[0, 4, 6])).tolist()
    [1.0, 0.0]
    """
    judged = ranking.judged
    found, ideal, out = judged.ranked(None)[0], judged.ideal(None)[0], np.empty(ranking.n_queries)
    over_queries(_top_k_loss, judged.offsets, found, ideal, judged.retrieved, -1 if cutoff is None else cutoff, value_of_blank(blank), out)
    return out


@kernel
def _levels(labels):  # type: ignore[no-untyped-def]
    """The number of each label's level, from 1 for the best on, equal labels sharing one."""
    order = np.argsort(-labels, kind="mergesort")
    levels, level = np.empty(len(labels), np.int64), 0
    for i in range(len(labels)):
        if i == 0 or labels[order[i]] != labels[order[i - 1]]:
            level += 1
        levels[order[i]] = level
    return levels


@kernel
def _add(tree, place):  # type: ignore[no-untyped-def]
    """Count one more at ``place`` (from 1 on) of a Fenwick tree."""
    while place < len(tree):
        tree[place] += 1
        place += place & -place


@kernel
def _up_to(tree, place):  # type: ignore[no-untyped-def]
    """How many are counted at places 1..place."""
    total = 0
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total


@kernel
def _wkt(first, last, offsets, labels, by_label, score_level, k, blank, out):  # type: ignore[no-untyped-def]
    """``by_label``: rows by label, best first; ``score_level``: per row, 1 for the best score, equal scores sharing a level."""
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        tree = np.zeros(end - begin + 1, np.int64)
        total, i, any_counted = 0.0, end, False
        while i > begin:  # from the worst label up, so that the tree holds exactly the documents of lower labels
            group = i - 1
            while group > begin and labels[by_label[group - 1]] == labels[by_label[i - 1]]:
                group -= 1
            position, label = group - begin + 1, labels[by_label[group]]
            if label > 0.0 and position <= k:
                any_counted = any_counted or i - begin < end - begin
                overtaken = 0
                for j in range(group, i):
                    overtaken += _up_to(tree, score_level[by_label[j]] - 1)
                if overtaken > 0:
                    # Divided by 2^64 and multiplied back at the end: only what is really beyond the largest double saturates.
                    total += excess(label, 64.0, 2.0**-64) / np.log2(1.0 + position) * overtaken
            for j in range(group, i):
                _add(tree, score_level[by_label[j]])
            i = group
        out[query] = min(total * 2.0**64, _LARGEST) if any_counted else blank


@kernel
def _score_levels(first, last, offsets, scores, order, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        level = 0
        for i in range(offsets[query], offsets[query + 1]):
            if i == offsets[query] or scores[order[i]] != scores[order[i - 1]]:
                level += 1
            out[order[i]] = level


def _levels_by_score(ranking: Ranking) -> Ints:
    levels = np.empty(len(ranking.scores), np.int64)
    over_queries(_score_levels, ranking.offsets, ranking.scores, ranking.order, levels)
    return levels


def weighted_kendall_tau(ranking: Ranking, *, cutoff: int | None = None, blank: Blank = "zero") -> Floats:
    r"""Weighted Kendall's Tau (paper 000, Eq. 12): a loss, 0 at best; each document that overtakes a better one costs its weight.

    .. math:: WKT = \sum_{j \le k} \alpha(j)\, \#\{l : y_l < y_j,\ s_j < s_l\}, \qquad \alpha(j) = \frac{2^{y_j} - 1}{\log_2(1 + j)}

    j is the position in the true order, k the ``cutoff`` (if left out, every document with a label above 0 counts). On ties in the
    labels *(our reading)*: documents of one label share the position 1 + #{better ones} and no one of them overtakes another. Equal
    scores overtake nothing. Weights beyond the largest double saturate there.

    The best of two documents ranked last, label 1: (2 - 1)/log2(2) = 1.

    >>> weighted_kendall_tau(Ranking([1, 2], labels=[1, 0], offsets=[0, 2])).tolist()
    [1.0]
    """
    judged, out = ranking.judged, np.empty(ranking.n_queries)
    by_label = rank_rows(judged.labels, judged.offsets)
    over_queries(
        _wkt,
        judged.offsets,
        judged.labels,
        by_label,
        _levels_by_score(judged),
        _ALL if cutoff is None else cutoff,
        value_of_blank(blank),
        out,
    )
    return out


@kernel
def _tau(first, last, offsets, labels, score_level, order, is_b, blank, out):  # type: ignore[no-untyped-def]
    """``order``: rows by score, and by label where scores are equal. Labels that rise along it are pairs in the wrong order."""
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n = end - begin
        ranked = np.empty(n)
        for i in range(n):
            ranked[i] = labels[order[begin + i]]
        level = _levels(ranked)
        pairs = n * (n - 1) // 2
        same_label, same_score, same_both, wrong = 0, 0, 0, 0
        tree, label_run = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
        run, both = 0, 0
        for i in range(n):
            new_score = i == 0 or score_level[order[begin + i]] != score_level[order[begin + i - 1]]
            new_both = new_score or ranked[i] != ranked[i - 1]
            run = 0 if new_score else run + 1
            both = 0 if new_both else both + 1
            same_score += run
            same_both += both
            same_label += label_run[level[i]]
            label_run[level[i]] += 1
            wrong += i - _up_to(tree, level[i])  # those before it that have a lower label
            _add(tree, level[i])
        balance = pairs - same_label - same_score + same_both - 2 * wrong
        if same_label == pairs or (is_b and same_score == pairs):
            out[query] = blank
        elif is_b:
            out[query] = balance / np.sqrt(float(pairs - same_label) * float(pairs - same_score))
        else:
            out[query] = balance / pairs


def kendall_tau(ranking: Ranking, *, ties: Literal["b", "a"] = "b", blank: Blank = "skip") -> Floats:
    r"""Kendall's τ between scores and labels: pairs in the right order less pairs in the wrong one, as a share.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_y)(P - T_s)}}, \qquad \tau_a = \frac{C - D}{P}, \qquad P = n(n-1)/2

    with :math:`T_y, T_s` the pairs tied in labels and in scores; ``ties`` chooses. A query whose labels (for τ_b also: scores) are
    all equal has no τ: it is left out (``blank="skip"``).

    >>> kendall_tau(Ranking([3, 1, 2], labels=[2, 1, 0], offsets=[0, 3])) == (2 - 1) / 3
    array([ True])
    """
    judged, out = ranking.judged, np.empty(ranking.n_queries)
    by_label = rank_rows(judged.labels, judged.offsets)
    order = by_label[rank_rows(judged.scores[by_label], judged.offsets)]
    over_queries(_tau, judged.offsets, judged.labels, _levels_by_score(judged), order, ties == "b", value_of_blank(blank), out)
    return out


@kernel
def _tau_ap(first, last, offsets, found, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n = end - begin
        ranked = found[begin:end]
        level = _levels(ranked)
        tree, total = np.zeros(n + 1, np.int64), 0.0
        for i in range(n):
            if i > 0:
                better, not_worse = _up_to(tree, level[i] - 1), _up_to(tree, level[i])
                total += (better - (i - not_worse)) / i
            _add(tree, level[i])
        out[query] = total / (n - 1) if n > 1 and level.max() > 1 else blank


def tau_ap(ranking: Ranking, *, blank: Blank = "skip") -> Floats:
    r"""τ_AP, the rank correlation that weighs errors at the top more (Yilmaz, Aslam & Robertson, SIGIR 2008).

    .. math:: \tau_{AP} = \frac{1}{n-1} \sum_{i=2}^{n} \frac{C_i - D_i}{i - 1}

    :math:`C_i, D_i` count the documents above rank i that are truly better, and truly worse, than the one there. Without ties this
    is the paper's :math:`\frac{2}{n-1} \sum C_i/(i-1) - 1`; a pair with equal labels adds nothing *(our reading)*. Equal scores keep
    the order of the input. A query whose labels are all equal is left out.

    The two best of three swapped: (-1/1 + 2/2)/2.

    >>> tau_ap(Ranking([2, 3, 1], labels=[2, 1, 0], offsets=[0, 3])).tolist()
    [0.0]
    """
    judged, out = ranking.judged, np.empty(ranking.n_queries)
    over_queries(_tau_ap, judged.offsets, judged.ranked(None)[0], value_of_blank(blank), out)
    return out


@kernel
def _preferences(first, last, offsets, found, retrieved, cutoff, is_weighted, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n = end - begin
        ranked = found[begin:end]
        level = _levels(ranked)
        tree = np.zeros(n + 1, np.int64)
        right, ordered = 0.0, 0.0
        for i in range(n - 1, -1, -1):  # from the last rank up, so that the tree holds the documents below
            if i < cutoff and i < retrieved[query]:
                weight = 1.0 / np.log2(2.0 + i) if is_weighted else 1.0
                below = n - 1 - i
                better, not_worse = _up_to(tree, level[i] - 1), _up_to(tree, level[i])
                right += weight * (below - not_worse)
                ordered += weight * (below - not_worse + better)
            _add(tree, level[i])
        out[query] = right / ordered if ordered > 0.0 else blank


def _preference_share(ranking: Ranking, cutoff: int | None, blank: Blank, is_weighted: bool) -> Floats:
    judged, out = ranking.judged, np.empty(ranking.n_queries)
    arguments: tuple[Any, ...] = (judged.ranked(None)[0], judged.retrieved, _ALL if cutoff is None else cutoff, is_weighted)
    over_queries(_preferences, judged.offsets, *arguments, value_of_blank(blank), out)
    return out


def ppref(ranking: Ranking, *, cutoff: int | None = None, blank: Blank = "zero") -> Floats:
    r"""Precision of preferences (Carterette & Bennett, SIGIR 2008): pairs in the right order among the pairs that are ordered.

    A pair with a preference is *ordered* by the first l ranks if at least one of its documents is there. Three documents in the
    order 1, 2, 3 of their quality, the best one last, l = 1: the document on top beats one and loses to one.

    >>> ppref(Ranking([1, 3, 2], labels=[2, 1, 0], offsets=[0, 3]), cutoff=1).tolist()
    [0.5]
    """
    return _preference_share(ranking, cutoff, blank, is_weighted=False)


def nwppref(ranking: Ranking, *, cutoff: int | None = None, blank: Blank = "zero") -> Floats:
    r"""Normalised weighted precision of preferences: :func:`ppref` with each ordered pair weighing by its upper rank.

    .. math:: \frac{\sum_{\text{right}} w}{\sum_{\text{ordered}} w}, \qquad w = \frac{1}{\log_2(1 + \min(r_i, r_j))}

    Carterette & Bennett give the idea of a rank weight and of normalising by the best value; this weight and this normaliser are
    *our reading*. It is 1 exactly if no ordered pair is in the wrong order.

    >>> nwppref(Ranking([3, 2, 1], labels=[2, 1, 0], offsets=[0, 3])).tolist()
    [1.0]
    """
    return _preference_share(ranking, cutoff, blank, is_weighted=True)
