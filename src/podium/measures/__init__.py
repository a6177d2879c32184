"""Measures: (scores, labels, offsets) to one number per query. MEASURES is the table; nothing else lists them.

Shared by all: documents are ranked by score, best first, equal scores in input order; labels are larger for better documents; a
value belongs to one query, and a mean leaves out the queries whose value is NaN. Names carry their conventions and print back:
``ndcg@10``, ``ndcg@10[letor]``, ``err[max=4]``, ``map[above=1]``.

>>> values = evaluate(["ndcg@2", "map"], scores=[3, 2, 1], labels=[0, 1, 0], offsets=[0, 3])
>>> {name: round(float(value[0]), 4) for name, value in values.items()}
{'ndcg@2': 0.6309, 'map': 0.5}
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import DataError
from podium.measures import binary, graded, orders
from podium.measures.names import Entry, Measure, parse_measure
from podium.measures.ranking import Ranking
from podium.ragged import Floats, in_parallel, spans

__all__ = ["MEASURES", "Measure", "Ranking", "evaluate", "evaluate_ranking", "get", "mean"]

_LETOR = {"letor": {"discount": "letor"}, "letor4": {"discount": "letor", "short": "zero"}}

MEASURES: dict[str, Entry] = {
    "ndcg": Entry(graded.ndcg, "discounted gain of the first ranks, as a share of the best possible", "Järvelin & Kekäläinen 2002", ("n",), presets=_LETOR),
    "mean-ndcg": Entry(graded.mean_ndcg, "NDCG@l averaged over every l", "LETOR 4.0", presets={"letor": {"discount": "letor"}}),
    "full-ndcg": Entry(graded.full_ndcg, "NDCG where the j-th best of n documents has label n - j", "paper 000, Eq. 9", uses_cutoff_only=False),
    "k-ndcg": Entry(graded.k_ndcg, "NDCG on top-k labels", "paper 001", ("kappa-ndcg",)),
    "err": Entry(graded.err, "expected reciprocal rank at which the reader is satisfied", "Chapelle et al. 2009"),
    "k-err": Entry(graded.k_err, "ERR on top-k labels", "paper 001", ("kappa-err",)),
    "map": Entry(binary.average_precision, "precision averaged over the ranks of relevant documents", "TREC", ("ap",)),
    "p": Entry(binary.precision, "share of relevant documents among the first", "TREC", ("precision",)),
    "recall": Entry(binary.recall, "share of the relevant documents that is among the first", "TREC", ("r",)),
    "mrr": Entry(binary.reciprocal_rank, "one over the rank of the first relevant document", "TREC", ("rr",)),
    "bpref": Entry(binary.bpref, "how rarely other judged documents stand above relevant ones", "Buckley & Voorhees 2004"),
    "top-k-loss": Entry(orders.top_k_loss, "0 if the first k are exactly right and in order, else 1", "paper 004, Eq. 5", larger_is_better=False, uses_cutoff_only=False),
    "wkt": Entry(orders.weighted_kendall_tau, "weighted count of documents that overtake better ones", "paper 000, Eq. 12", larger_is_better=False, uses_cutoff_only=False),
    "tau": Entry(orders.kendall_tau, "pairs in the right order less pairs in the wrong one", "Kendall 1945", ("kendall-tau",)),
    "tau-ap": Entry(orders.tau_ap, "rank correlation that weighs errors at the top more", "Yilmaz et al. 2008"),
    "ppref": Entry(orders.ppref, "share of ordered preferences that are right", "Carterette & Bennett 2008", uses_cutoff_only=False),
    "nwppref": Entry(orders.nwppref, "the same, weighing pairs by their upper rank", "Carterette & Bennett 2008", uses_cutoff_only=False),
}  # fmt: skip


def get(name: str | Measure) -> Measure:
    """The measure of a name.

    >>> str(get("nDCG@10[discount=letor]")), str(get("κ-NDCG@5"))
    ('ndcg@10[letor]', 'k-ndcg@5')
    >>> get("ndgc@10")
    Traceback (most recent call last):
    podium.errors.UnknownName: unknown measure 'ndgc'; did you mean 'ndcg'? choose from bpref, err, full-ndcg, k-err, k-ndcg, map, mean-ndcg, mrr, ndcg, nwppref, p, ppref, recall, tau, tau-ap, top-k-loss, wkt
    """
    return name if isinstance(name, Measure) else _parsed(name)


@functools.lru_cache(maxsize=1024)
def _parsed(name: str) -> Measure:
    return parse_measure(name, MEASURES)


def evaluate(names: Sequence[str | Measure] | str, scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> dict[str, Floats]:
    """Every measure on every query: ``{name as given: one value per query}``. Documents are sorted once for all of them."""
    return evaluate_ranking(names, Ranking(scores, labels, offsets))


def evaluate_ranking(names: Sequence[str | Measure] | str, ranking: Ranking) -> dict[str, Floats]:
    """The same for a ranking that was made already."""
    measures = {str(name): get(name) for name in ([names] if isinstance(names, str) else names)}
    pieces = spans(ranking.offsets)
    if len(pieces) == 1:
        return _evaluate_part(measures, ranking)
    try:  # each thread takes its queries through all measures: they meet once, not after every step
        parts = in_parallel([functools.partial(_evaluate_part, measures, ranking.part(*piece)) for piece in pieces])
    except DataError:
        return _evaluate_part(measures, ranking)  # say it again, with the numbers that queries have in the whole
    return {name: np.concatenate([part[name] for part in parts]) for name in measures}


def _evaluate_part(measures: dict[str, Measure], ranking: Ranking) -> dict[str, Floats]:
    depths = [measure.depth for measure in measures.values()]
    if depths:
        ranking.ranked(None if None in depths else max(depth for depth in depths if depth is not None))
    return {name: measure.of(ranking) for name, measure in measures.items()}


def mean(values: Floats) -> float:
    """The mean over queries, leaving out those without a value (NaN); NaN if none has one.

    >>> mean(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else float("nan")
