"""Boosting's distribution over queries, and how well weak rankers order their documents.

Equal scores count in the worst order (our reading): a ranker that says nothing earns the least, whatever the order of rows in a file.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from podium import measures
from podium.measures import Measure
from podium.ragged import Floats, Ints, kernel, over_queries
from podium.training.binning import LANES, Binned

__all__ = ["Lists", "threshold_jumps"]


@final
class Lists:
    """Queries, what their documents are worth, and the measure E; ``rows`` are given worst first."""

    def __init__(self, measure: Measure, labels: Floats, offsets: Ints, rows: Ints, fewest: int = 0) -> None:
        self.measure, self.labels, self.offsets, self.rows = measure, labels, offsets, rows
        # a query that the measure leaves out, or of fewer documents, has no weight
        self.is_valued = ~np.isnan(self._measured(labels)) & (np.diff(offsets) >= fewest)
        self.n_valued = int(self.is_valued.sum())

    def _measured(self, scores: Floats) -> Floats:
        return measures.evaluate([self.measure], scores, self.labels, self.offsets)[str(self.measure)]

    def of(self, scores: Floats) -> Floats:
        """E of every query, 0 where it has none; ``scores`` of all rows, of which ours are picked."""
        return self._valued(scores[self.rows])

    def of_features(self, features: NDArray[np.float32], rows: Ints) -> Floats:
        """E of every feature alone, on every query; ``rows``: where the features of our rows are."""
        return np.array([self._valued(features[rows, f].astype(np.float64)) for f in range(features.shape[1])])

    def _valued(self, scores: Floats) -> Floats:
        return np.where(self.is_valued, np.nan_to_num(self._measured(scores)), 0.0)

    def equal_weights(self) -> Floats:
        """Every query's share before the first round."""
        return self.is_valued / max(self.n_valued, 1)

    def weights(self, values: Floats) -> tuple[float, Floats]:
        """The mean of e^-E, and every query's share of it."""
        losses = np.where(self.is_valued, np.exp(-values), 0.0)
        total = float(losses.sum())
        return total / max(self.n_valued, 1), losses / total if total > 0 else losses


@kernel
def _dcg(gains, discounts, is_above):  # type: ignore[no-untyped-def]
    """Of rows that come worst first, those above the threshold before the others."""
    found, rank = 0.0, 0
    for side in (True, False):
        for i in range(len(gains)):
            if is_above[i] == side:
                found += gains[i] * discounts[rank]
                rank += 1
    return found


@kernel
def _jump(first, last, offsets, codes, rows, gains, discounts, width, jumps):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        own, n = gains[begin:end], end - begin
        if n == 0:
            continue
        best = 0.0
        for i in range(n):
            best += own[n - 1 - i] * discounts[i]
        is_above, code = np.empty(n, np.bool_), np.empty(n, np.uint8)
        for f in range(width):
            for i in range(n):
                code[i] = codes[f // LANES, rows[begin + i], f % LANES]
            is_above[:] = True
            here, by_code = _dcg(own, discounts, is_above), np.argsort(code)
            i = 0
            while i < n:
                at = by_code[i]
                while i < n and code[by_code[i]] == code[at]:
                    is_above[by_code[i]] = False
                    jumps[begin + by_code[i], f] = 0.0
                    i += 1
                there = _dcg(own, discounts, is_above)
                jumps[begin + at, f] = (there - here) / best if best > 0.0 else 0.0
                here = there


def threshold_jumps(lists: Lists, binned: Binned, cutoff: int) -> Floats:
    """How NDCG of the ranker [x_f > θ] changes as θ passes the value of a row, for every row of ``lists`` and every feature.

    NDCG of a threshold is that of all rows tied, and the jumps of the rows not above it.
    """
    highest = np.maximum.reduceat(np.append(lists.labels, 0.0), lists.offsets[:-1]) if len(lists.offsets) > 1 else np.empty(0)
    top = np.repeat(highest, np.diff(lists.offsets))
    gains = np.exp2(lists.labels - top) - np.exp2(-top)  # 2^y - 1, over 2^top: no label is too large
    longest = int(np.diff(lists.offsets).max(initial=0))
    ranks = np.arange(1, longest + 1)
    discounts = np.where(ranks <= cutoff, 1.0 / np.log2(1.0 + ranks), 0.0)
    jumps = np.empty((len(lists.labels), binned.n_features))
    over_queries(_jump, lists.offsets, binned.codes, lists.rows, gains, discounts, binned.n_features, jumps, grain=200)
    return jumps
