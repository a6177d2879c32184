"""One pass over the features: scores, loss and the slope by weight, query by query, while the query's rows are in the cache."""

from __future__ import annotations

from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from podium.dataset import Dataset
from podium.losses import Loss, Ordered
from podium.losses.ordered import N_WORK
from podium.ragged import Floats, Ints, fused_kernel, kernel, over_queries
from podium.scaling import Lines
from podium.scorers.linear import LINE, dot_rows, fetch, own_weights
from podium.truth import break_ties, has_ties

__all__ = ["Pass", "Ties", "add_rows", "passes_of", "stream", "truths_of"]

Ties = Literal["keep", "break", "average", "resample"]

_BLOCKS = 64  # partial sums of the slope, added up in order: the same for every number of threads


@fused_kernel
def add_rows(features, slopes, sums, flat, ahead):  # type: ignore[no-untyped-def]
    """Σ_rows slope x_j, in doubles; meanwhile fetches half as much of ``flat`` from ``ahead`` on."""
    rows, width = len(slopes), len(sums)
    sums[:] = 0.0
    for row in range(0, rows - 3, 4):
        a, b, c, d = features[row], features[row + 1], features[row + 2], features[row + 3]
        for place in range(ahead, ahead + 2 * width, LINE):
            fetch(flat, place)  # type: ignore[call-arg]
        ahead += 2 * width
        g0, g1, g2, g3 = slopes[row], slopes[row + 1], slopes[row + 2], slopes[row + 3]
        for j in range(width):
            sums[j] += (g0 * a[j] + g1 * b[j]) + (g2 * c[j] + g3 * d[j])
    for row in range(rows - rows % 4, rows):
        a, g0 = features[row], slopes[row]
        for j in range(width):
            sums[j] += g0 * a[j]


@kernel
def _pass(  # type: ignore[no-untyped-def]
    first, last, _block_rows, blocks, queries, offsets, loss, features, weights, shift, factor, order, ends, values, settings, per_query,
    gradient, longest,
):  # fmt: skip
    width = len(weights)
    scores, slopes, sorted_scores, sorted_slopes = np.empty(longest), np.empty(longest), np.empty(longest), np.empty(longest)
    none, work = np.empty(0), np.empty((N_WORK, longest))
    own, sums = np.empty(width), np.empty(width)
    flat = features.reshape(-1)
    for block in range(first, last):
        gradient[block] = 0.0
        for number in range(blocks[block], blocks[block + 1]):
            query = queries[number]
            begin, end = offsets[query], offsets[query + 1]
            n = end - begin
            if n == 0:
                per_query[number] = 0.0
                continue
            base = own_weights(weights, shift, factor, query, own)
            following = offsets[queries[number + 1]] if number + 1 < len(queries) else begin
            rows, places = features[begin:end], order[begin:end]
            dot_rows(rows, own, base, scores[:n], flat, following * width)
            for i in range(n):
                sorted_scores[i] = scores[places[i]]
            per_query[number] = loss(sorted_scores[:n], values[begin:end], ends[begin:end], settings, sorted_slopes[:n], none, work)
            slope_sum = 0.0
            for i in range(n):
                slopes[places[i]] = sorted_slopes[i]
                slope_sum += sorted_slopes[i]
            add_rows(rows, slopes[:n], sums, flat, (following + n // 2) * width)
            line = query if len(factor) > 1 else 0
            for j in range(width):
                gradient[block, j] += factor[line, j] * (sums[j] - shift[line, j] * slope_sum)


@final
class Pass:
    """The mean loss over queries and its slope by weight, one read of the features a call."""

    def __init__(self, features: NDArray[np.float32], loss: Loss, ordered: Ordered, lines: Lines) -> None:
        self.features, self.loss, self.ordered, self.lines = np.ascontiguousarray(features), loss, ordered, lines
        self._settings, self._longest = np.array(loss.numbers, dtype=np.float64), ordered.longest
        self._all = self._cut(np.arange(len(ordered.offsets) - 1))

    def _cut(self, queries: Ints) -> tuple[Ints, Ints, Ints]:
        """The queries, cut into blocks, and the rows before each block."""
        blocks = np.linspace(0, len(queries), min(_BLOCKS, len(queries)) + 1).astype(np.int64)
        sizes = self.ordered.offsets[queries + 1] - self.ordered.offsets[queries]
        return queries, blocks, np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[blocks]

    def __call__(self, weights: Floats, queries: Ints | None = None) -> tuple[float, Floats]:
        """Mean and slope over ``queries`` (all, if none are named)."""
        queries, blocks, rows = self._all if queries is None else self._cut(queries)
        gradient, per_query = np.empty((len(blocks) - 1, len(weights))), np.empty(len(queries))
        over_queries(
            _pass, rows, blocks, queries, self.ordered.offsets, self.loss.entry.rule.compiled, self.features, weights, self.lines.shift,
            self.lines.factor, self.ordered.order, self.ordered.ends, self.ordered.values, self._settings, per_query, gradient,
            self._longest, grain=20_000,
        )  # fmt: skip
        share = 1.0 / max(len(queries), 1)
        with np.errstate(over="ignore", invalid="ignore"):  # a saturated loss: its sum is what it can be
            return float((per_query * share).sum()), gradient.sum(axis=0) * share


def stream(seed: int, number: int) -> int:
    """A seed of its own for each use; the first is the seed itself, so that one order is what ``Dataset.break_ties`` gives."""
    return seed if number == 0 else int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def truths_of(data: Dataset, ties: Ties, orders: int, seed: int) -> list[Floats]:
    """The labels as they are, or with ties broken at random, once or several times."""
    is_several = ties == "average" and bool(has_ties(data.labels, data.offsets).any())
    count = 0 if ties == "keep" else orders if is_several else 1
    return [break_ties(data.labels, data.offsets, seed=stream(seed, order)) for order in range(count)] or [data.labels]


def passes_of(data: Dataset, loss: Loss, lines: Lines, ties: Ties, orders: int, seed: int) -> list[Pass]:
    """One pass a truth."""
    return [Pass(data.features, loss, loss.prepare(labels, data.offsets), lines) for labels in truths_of(data, ties, orders, seed)]
