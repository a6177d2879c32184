"""Measures on relevant or not: average precision, precision, recall, reciprocal rank, bpref. Relevant is a label ``above`` 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium.measures.blank import Blank, value_of_blank
from podium.measures.ranking import Ranking
from podium.ragged import Floats, kernel, over_queries

__all__ = ["average_precision", "bpref", "precision", "recall", "reciprocal_rank"]

_ALL = np.iinfo(np.int64).max


@kernel
def _relevant(query, offsets, labels, above):  # type: ignore[no-untyped-def]
    own, count = labels[offsets[query] : offsets[query + 1]], 0
    for i in range(len(own)):
        count += own[i] > above
    return count


@kernel
def _average_precision(first, last, offsets, labels, found, found_at, retrieved, above, cutoff, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        hits, total, a = 0, 0.0, found_at[query]
        depth = min(cutoff, retrieved[query])
        first_ones = found[a : a + depth]
        for r in range(len(first_ones)):
            is_hit = first_ones[r] > above
            hits += is_hit
            total += (hits / (r + 1)) * is_hit  # no branch: whether a document is relevant is what nobody can predict
        relevant = hits if depth == offsets[query + 1] - offsets[query] else _relevant(query, offsets, labels, above)
        out[query] = total / relevant if relevant > 0 else blank


@kernel
def _precision(first, last, offsets, labels, found, found_at, retrieved, above, cutoff, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        hits, a = 0, found_at[query]
        for r in range(min(cutoff, retrieved[query])):
            hits += found[a + r] > above
        out[query] = hits / cutoff if hits > 0 or _relevant(query, offsets, labels, above) > 0 else blank


@kernel
def _recall(first, last, offsets, labels, found, found_at, retrieved, above, cutoff, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        relevant, hits, a = _relevant(query, offsets, labels, above), 0, found_at[query]
        for r in range(min(cutoff, retrieved[query])):
            hits += found[a + r] > above
        out[query] = hits / relevant if relevant > 0 else blank


@kernel
def _reciprocal_rank(first, last, offsets, labels, found, found_at, retrieved, above, cutoff, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        relevant, value, a = _relevant(query, offsets, labels, above), 0.0, found_at[query]
        for r in range(min(cutoff, retrieved[query])):
            if found[a + r] > above:
                value = 1.0 / (r + 1)
                break
        out[query] = value if relevant > 0 else blank


def _run(kernel_function: Any, ranking: Ranking, above: float, cutoff: int | None, *rest: Any) -> Floats:
    seen = (ranking.labels, *ranking.ranked(cutoff), ranking.retrieved)
    out = np.empty(ranking.n_queries)
    over_queries(kernel_function, ranking.offsets, *seen, float(above), _ALL if cutoff is None else cutoff, *rest, out)
    return out


def average_precision(ranking: Ranking, *, cutoff: int | None = None, above: float = 0.0, blank: Blank = "zero") -> Floats:
    r"""Precision averaged over the ranks of relevant documents; its mean over queries is MAP.

    .. math:: AP = \frac1R \sum_{r: y_r > above} P@r

    R counts every relevant document of the query, found or not. With a cutoff, ranks beyond it add nothing. No relevant document:
    ``blank``. Relevant at ranks 1 and 3: (1 + 2/3)/2.

    >>> average_precision(Ranking([3, 2, 1], labels=[1, 0, 1], offsets=[0, 3])) == (1 + 2 / 3) / 2
    array([ True])
    """
    return _run(_average_precision, ranking, above, cutoff, value_of_blank(blank))


def precision(ranking: Ranking, *, cutoff: int, above: float = 0.0, blank: Blank = "zero") -> Floats:
    r"""The share of relevant documents among the first l.

    .. math:: P@l = \frac1l\, \#\{r \le l : y_r > above\}

    The divisor is l even where a query has fewer documents, as in all of LETOR's scripts.

    >>> precision(Ranking([3, 2, 1], labels=[1, 0, 1], offsets=[0, 3]), cutoff=2).tolist()
    [0.5]
    """
    return _run(_precision, ranking, above, cutoff, value_of_blank(blank))


def recall(ranking: Ranking, *, cutoff: int | None = None, above: float = 0.0, blank: Blank = "zero") -> Floats:
    r"""The share of all relevant documents that are among the first l.

    .. math:: Recall@l = \frac1R\, \#\{r \le l : y_r > above\}

    >>> recall(Ranking([3, 2, 1], labels=[1, 0, 1], offsets=[0, 3]), cutoff=2).tolist()
    [0.5]
    """
    return _run(_recall, ranking, above, cutoff, value_of_blank(blank))


def reciprocal_rank(ranking: Ranking, *, cutoff: int | None = None, above: float = 0.0, blank: Blank = "zero") -> Floats:
    r"""One over the rank of the first relevant document, 0 if none is found; its mean over queries is MRR.

    >>> reciprocal_rank(Ranking([3, 2, 1], labels=[0, 1, 1], offsets=[0, 3])).tolist()
    [0.5]
    """
    return _run(_reciprocal_rank, ranking, above, cutoff, value_of_blank(blank))


@kernel
def _bpref(first, last, offsets, labels, found, found_at, retrieved, above, _cutoff, blank, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        relevant, others_above, total, a = _relevant(query, offsets, labels, above), 0, 0.0, found_at[query]
        others = offsets[query + 1] - offsets[query] - relevant
        for r in range(retrieved[query]):
            if found[a + r] > above:
                total += 1.0 - min(others_above, relevant) / min(others, relevant) if others_above > 0 else 1.0
            else:
                others_above += 1
        out[query] = total / relevant if relevant > 0 else blank


def bpref(ranking: Ranking, *, above: float = 0.0, blank: Blank = "zero") -> Floats:
    r"""How rarely documents judged not relevant stand above relevant ones; documents not judged are passed over.

    Buckley & Voorhees (SIGIR 2004), as trec_eval computes it:

    .. math:: bpref = \frac1R \sum_{d\ \text{relevant, found}} \Big(1 - \frac{\min(\#\text{others above } d,\ R)}{\min(N, R)}\Big)

    with R relevant and N other judged documents. The only other document above one of two relevant ones: (1 + 0)/2.

    >>> bpref(Ranking([3, 2, 1], labels=[1, 0, 1], offsets=[0, 3])).tolist()
    [0.5]
    """
    return _run(_bpref, ranking.judged, above, None, value_of_blank(blank))
