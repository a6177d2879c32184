r"""BM25: an order to start labelling from, for those who have documents and queries but no run.

The form of Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of Lucene, which is
never negative, and without the factor :math:`k_1 + 1`, which changes no order (Lucene 8 dropped it, too):

.. math:: s(q, d) = \sum_{t \in q} \ln\Big(1 + \frac{N - n_t + 0.5}{n_t + 0.5}\Big) \cdot
          \frac{f_{td}}{f_{td} + k_1 (1 - b + b\, |d| / \overline{|d|})}

with :math:`N` documents, :math:`n_t` of them holding term :math:`t`, :math:`f_{td}` times in :math:`d` of :math:`|d|` terms; a term
that the query says twice counts twice. Terms are runs of letters and digits in lower case: no stemming, no stop words. Made for collections
that fit in memory.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from podium.errors import DataError
from podium.pool import Document
from podium.ragged import Floats, Ints
from podium.sources.trec import Run

__all__ = ["bm25_run", "terms"]

_TERM = re.compile(r"[^\W_]+")


def terms(text: str) -> list[str]:
    """The terms of a text.

    >>> terms("Re-entry at Mach 5.2")
    ['re', 'entry', 'at', 'mach', '5', '2']
    """
    return _TERM.findall(text.lower())


@dataclass(frozen=True)
class _Index:
    """Which documents hold a term, and how often."""

    document_ids: list[str]
    lengths: Floats
    postings: dict[str, tuple[Ints, Floats]]


def _index(documents: Iterable[Document]) -> _Index:
    ids, lengths = [], []
    rows: dict[str, list[int]] = {}
    counts: dict[str, list[int]] = {}
    for row, document in enumerate(documents):
        found = Counter(terms(f"{document.title}\n{document.text}"))
        ids.append(document.id)
        lengths.append(found.total())
        for term, count in found.items():
            rows.setdefault(term, []).append(row)
            counts.setdefault(term, []).append(count)
    postings = {term: (np.array(rows[term]), np.array(counts[term], dtype=np.float64)) for term in rows}
    return _Index(ids, np.array(lengths, dtype=np.float64), postings)


def _scores(index: _Index, query: str, k1: float, b: float) -> Floats:
    n_documents = len(index.document_ids)
    damping = k1 * (1 - b + b * index.lengths / max(index.lengths.mean(), 1e-300))
    scores = np.zeros(n_documents)
    for term, times in Counter(terms(query)).items():
        if term in index.postings:
            rows, counts = index.postings[term]
            idf = math.log(1 + (n_documents - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += times * idf * counts / (counts + damping[rows])
    return scores


def bm25_run(
    queries: Mapping[str, str], documents: Iterable[Document], *, depth: int | None = None, k1: float = 1.2, b: float = 0.75
) -> Run:
    """Rank documents, title and text, for each query (text by id); the best ``depth`` of those that share a term with it.

    Equal scores keep the order of the documents. A query that shares no term with any document gets none.

    >>> documents = [Document("d1", text="heat of a slab"), Document("d2", text="wing flutter"), Document("d3", text="a wing")]
    >>> list(bm25_run({"7": "Wing flutter?"}, documents).scores["7"])
    ['d2', 'd3']
    """
    if not (k1 >= 0 and 0 <= b <= 1):
        raise DataError(f"BM25 needs k1 >= 0 and b from 0 to 1, got k1={k1} and b={b}")
    if depth is not None and depth < 1:
        raise DataError(f"depth must be 1 or more, got {depth}")
    index = _index(documents)
    table = {}
    for query_id, query in queries.items() if index.document_ids else ():
        scores = _scores(index, query, k1, b)
        best = [row for row in np.argsort(-scores, kind="stable")[:depth].tolist() if scores[row] > 0]
        table[query_id] = {index.document_ids[row]: float(scores[row]) for row in best}
    return Run(table, tag="bm25")
