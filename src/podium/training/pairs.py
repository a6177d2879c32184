"""Boosting's distribution over pairs of documents, without the pairs.

A pair weighs D(j, l) ∝ e^-(H_j - H_l), which is a product, so a ranker h gains r = Σ D (h_j - h_l) = Σ_rows π h with a potential π a row:
minus the slope of the exponential loss, over its value. Potentials cost O(rows); one pass over the bins adds them up by feature and bin,
and sums from the highest bin down are the gains of all thresholds at once.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from podium.losses import Ordered
from podium.losses.ordered import N_WORK
from podium.losses.pairwise import EXPONENTIAL
from podium.ragged import Floats, kernel, over_queries
from podium.scaling import Lines
from podium.training.binning import BINS, LANES, Binned
from podium.training.passes import add_rows

__all__ = ["Pairs"]

_BLOCKS, _ROWS = 32, 5_000  # partial sums at most, and rows of one at least; added up in order: the same for every number of threads
_BYTE = np.uint64(255)


@kernel
def _count(words, potentials, sums):  # type: ignore[no-untyped-def]
    """Add potentials up by bin, eight features at a time."""
    for i in range(len(words)):
        p, word = potentials[i], words[i]
        sums[word & _BYTE] += p
        sums[np.uint64(256) + ((word >> np.uint64(8)) & _BYTE)] += p
        sums[np.uint64(512) + ((word >> np.uint64(16)) & _BYTE)] += p
        sums[np.uint64(768) + ((word >> np.uint64(24)) & _BYTE)] += p
        sums[np.uint64(1024) + ((word >> np.uint64(32)) & _BYTE)] += p
        sums[np.uint64(1280) + ((word >> np.uint64(40)) & _BYTE)] += p
        sums[np.uint64(1536) + ((word >> np.uint64(48)) & _BYTE)] += p
        sums[np.uint64(1792) + (word >> np.uint64(56))] += p


@kernel
def _look(  # type: ignore[no-untyped-def]
    first, last, _block_rows, blocks, offsets, loss, words, ends, scores, group, lane, place, step, potentials, values, sums, longest
):  # fmt: skip
    slopes, none, work = np.empty(longest), np.empty(0), np.empty((N_WORK, longest))
    for block in range(first, last):
        sums[block], values[block] = 0.0, 0.0
        for query in range(blocks[block], blocks[block + 1]):
            begin, end = offsets[query], offsets[query + 1]
            n = end - begin
            if n == 0:
                continue
            own = scores[begin:end]
            if step != 0.0:
                column = words[group, begin:end]
                for i in range(n):
                    own[i] += step if ((column[i] >> lane) & _BYTE) > place else 0.0
            values[block] += loss(own, none, ends[begin:end], none, slopes[:n], none, work)
            for i in range(n):
                potentials[begin + i] = -slopes[i]
            for each in range(len(words)):
                _count(words[each, begin:end], potentials[begin:end], sums[block, each])


@kernel
def _weigh(first, last, _block_rows, blocks, offsets, features, order, potentials, shift, factor, sums):  # type: ignore[no-untyped-def]
    width = features.shape[1]
    flat, total = features.reshape(-1), np.empty(width)
    for block in range(first, last):
        sums[block] = 0.0
        for query in range(blocks[block], blocks[block + 1]):
            begin, end = offsets[query], offsets[query + 1]
            own, whole = np.empty(end - begin), 0.0
            for i in range(end - begin):
                own[order[begin + i]] = potentials[begin + i]
                whole += potentials[begin + i]
            add_rows(features[begin:end], own, total, flat, 0)
            line = query if len(factor) > 1 else 0
            for f in range(width):
                sums[block, f] += factor[line, f] * (total[f] - shift[line, f] * whole)


@final
class Pairs:
    """All pairs of rows of which one is better; ``scores`` (H) are in the order of the truth, best first."""

    def __init__(self, binned: Binned, ordered: Ordered, scores: Floats) -> None:
        self.binned, self.ordered, self.scores = binned, ordered, scores
        self.potentials = np.empty(len(scores))  # of the last look, times the loss
        n_queries, self._groups = len(ordered.offsets) - 1, len(binned.codes)
        self._words = binned.codes.view(np.uint64)[:, :, 0]
        self._blocks = np.linspace(0, n_queries, min(_BLOCKS, n_queries, len(scores) // _ROWS + 1) + 1).astype(np.int64)
        self._rows = ordered.offsets[self._blocks]
        self._sums = np.empty((len(self._blocks) - 1, self._groups, LANES * BINS))
        self._values = np.empty(len(self._blocks) - 1)

    def look(self, feature: int = 0, place: int = 0, step: float = 0.0) -> tuple[float, Floats]:
        """Add ``step`` to the scores of rows above a threshold; then the exponential loss, and the gain of every threshold.

        Gains are a table of features and thresholds; those that a feature does not have gain 0.
        """
        group, lane = feature // LANES, np.uint64(8 * (feature % LANES))
        over_queries(
            _look, self._rows, self._blocks, self.ordered.offsets, EXPONENTIAL.compiled, self._words, self.ordered.ends, self.scores,
            group, lane, np.uint64(place), step, self.potentials, self._values, self._sums, self.ordered.longest, grain=5_000,
        )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore"):  # scores to start from may be too large; the caller sees the loss
            loss = float(self._values.sum())
            bins = self._sums.sum(axis=0).reshape(self._groups * LANES, BINS)[: self.binned.n_features]
            above = np.cumsum(bins[:, ::-1], axis=1)[:, ::-1][:, 1:]
            return loss, above / loss if loss > 0 else np.zeros_like(above)

    def feature_gains(self, features: NDArray[np.float32], lines: Lines, loss: float) -> Floats:
        """The gain of every scaled feature as a ranker of its own, with the potentials of the last look."""
        sums = np.empty((len(self._blocks) - 1, features.shape[1]))
        over_queries(
            _weigh, self._rows, self._blocks, self.ordered.offsets, features, self.ordered.order, self.potentials, lines.shift,
            lines.factor, sums, grain=20_000,
        )  # fmt: skip
        return np.asarray(sums.sum(axis=0) / loss) if loss > 0 else np.zeros(features.shape[1])
