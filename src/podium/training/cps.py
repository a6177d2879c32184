r"""Top-k CPS (Qin, Geng & Liu 2010; paper 003, Eq. 2), fitted by likelihood.

The energy of document j at stage i is :math:`e_i(j) = \sum_m \theta_m \#\{l \in left(i), l \ne j : \text{m ranks l above j}\}`, with
left(i) those not yet chosen and a tie counting ½; stage i chooses j with probability ∝ e^-energy. Minus the log-likelihood of the
top k is convex in θ.

Removing a document takes what it adds to the energies of those below it, so a query costs O(k · n · M). Slopes come from a second pass,
backwards: documents are put back one by one. Where labels tie, a document competes with those strictly below it *(our reading)*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from podium import losses
from podium.blas import one_blas_thread
from podium.dataset import Dataset
from podium.elementary import exp
from podium.errors import DataError
from podium.losses import Ordered
from podium.losses.levels import top_size
from podium.ragged import Floats, fused_kernel, kernel, over_queries, summing_kernel
from podium.scorers.cps import CpsScorer, Ranks, above, ranks_of
from podium.training.doors import as_start, check_data
from podium.training.metric import WIDEST, sample
from podium.training.passes import Ties, truths_of
from podium.training.smooth import lbfgs
from podium.training.watching import Callback, Validation, Watch

__all__ = ["CpsObjective", "CpsSettings", "fit_cps"]


@final
@dataclass(frozen=True)
class CpsSettings:
    """How to fit; the meaning of each is in the table of settings (:mod:`podium.algorithms`)."""

    k: int = 10
    l2: float = 1.0
    max_iter: int = 500
    tol: float = 1e-2
    ties: Ties = "keep"
    orders: int = 10
    patience: int | None = None


@kernel
def _lift(weights, ranks, places, one, begin, lifts):  # type: ignore[no-untyped-def]
    """What a document adds to the energy of each of those from ``begin`` on."""
    row = ranks[places[one]]
    for j in range(begin, len(places)):
        lifts[j] = above(weights, row, ranks[places[j]])


@fused_kernel
def _add_wins(coefficient, one, other, slopes):  # type: ignore[no-untyped-def]
    """Where ``one`` is above ``other``, twice."""
    for m in range(len(slopes)):
        slopes[m] += coefficient * ((1.0 if one[m] < other[m] else 0.0) + (1.0 if one[m] <= other[m] else 0.0))


@fused_kernel
def _add_ranks(coefficient, ranks, slopes):  # type: ignore[no-untyped-def]
    for m in range(len(slopes)):
        slopes[m] += coefficient * ranks[m]


@summing_kernel
def _log_sum(own, energies, lifts):  # type: ignore[no-untyped-def]
    """ln Σ e^-energy over a document and those it competes with."""
    least, total = own, 0.0
    for j in range(len(energies)):
        least = min(least, energies[j] + lifts[j])
    for j in range(len(energies)):
        total += exp(least - (energies[j] + lifts[j]))
    return math.log(total + math.exp(least - own)) - least


@fused_kernel
def _odds(normaliser, energies, lifts, odds):  # type: ignore[no-untyped-def]
    """The chance of each to be chosen in place of the document whose stage it is."""
    for j in range(len(odds)):
        odds[j] = exp(-(energies[j] + lifts[j]) - normaliser)


@kernel
def one_query(ranks, places, ends, k, weights, slopes):  # type: ignore[no-untyped-def]
    """Minus the log-likelihood of a query's top k; adds its slope by θ. ``places`` are the rows of ``ranks`` in the order of the truth."""
    n, size, total, value = len(places), top_size(ends, k), 0.0, 0.0
    for m in range(len(weights)):
        total += weights[m]
    energies, lifts, removed, normalisers, own = np.empty(n), np.empty(n), np.empty(n), np.empty(size), np.empty(size)
    for j in range(n):
        energies[j] = 0.0
        for m in range(len(weights)):
            energies[j] += weights[m] * ranks[places[j], m]
    first = 0
    while first < size:  # forwards: levels of equal labels are removed, best first
        end = int(ends[first])
        removed[end:] = 0.0
        for one in range(first, end):
            _lift(weights, ranks, places, one, end, lifts)
            own[one] = (n - end) * total
            for j in range(end, n):
                removed[j] += lifts[j]
                own[one] -= lifts[j]
        for j in range(end, n):
            energies[j] -= removed[j]
        for one in range(first, end):
            if end > first + 1:
                _lift(weights, ranks, places, one, end, lifts)
            normalisers[one] = _log_sum(own[one], energies[end:], lifts[end:])
            value += own[one] + normalisers[one]
        first = end
    odds, chances, later = np.empty(n), np.zeros(n), np.zeros(n)  # of this stage; Σ over stages; Σ over this level and those after it
    found = np.zeros(len(weights))
    level_end = size
    while level_end > 0:  # backwards: levels are put back
        first = level_end - 1
        while first > 0 and ends[first - 1] == ends[level_end - 1]:
            first -= 1
        end = level_end
        removed[end:] = 0.0
        for one in range(first, end):
            _lift(weights, ranks, places, one, end, lifts)
            _odds(normalisers[one], energies[end:], lifts[end:], odds[end:])
            for j in range(end, n):
                removed[j] += lifts[j]
                later[j] += odds[j]
        for one in range(first, end):
            row, missed = ranks[places[one]], -math.expm1(-own[one] - normalisers[one])
            if end > first + 1:
                _lift(weights, ranks, places, one, end, lifts)
                _odds(normalisers[one], energies[end:], lifts[end:], odds[end:])
            for j in range(end, n):
                chances[j] += odds[j]
                _add_wins(0.5 * (later[j] - missed - odds[j]), row, ranks[places[j]], found)
            for m in range(len(weights)):
                found[m] += missed * (n - end)
        for j in range(end, n):
            energies[j] += removed[j]
        level_end = first
    for j in range(n):
        if chances[j] > 0.0:
            _add_ranks(-chances[j], ranks[places[j]], found)
    for m in range(len(weights)):
        slopes[m] += found[m]
    return value


_BLOCKS = 64  # partial sums, added up in order: the same for every number of threads


@kernel
def _look(first, last, _block_rows, blocks, offsets, ranks, order, ends, k, weights, values, slopes):  # type: ignore[no-untyped-def]
    for block in range(first, last):
        values[block], slopes[block] = 0.0, 0.0
        for query in range(blocks[block], blocks[block + 1]):
            begin, end = offsets[query], offsets[query + 1]
            if end > begin:
                values[block] += one_query(ranks[begin:end], order[begin:end], ends[begin:end], k, weights, slopes[block])


@final
class CpsObjective:
    """The mean over queries of minus the log-likelihood, and l2/2 Σ θ²; for one truth or several tie-breakings of it."""

    def __init__(self, ranks: Ranks, truths: list[Ordered], k: int, l2: float) -> None:
        self.ranks, self.truths, self.k, self.l2 = ranks, truths, float(k), l2
        self.offsets = truths[0].offsets
        n_queries = len(self.offsets) - 1
        self._blocks = np.linspace(0, n_queries, min(_BLOCKS, n_queries) + 1).astype(np.int64)

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros(len(weights))
        for truth in self.truths:
            values, slopes = np.empty(len(self._blocks) - 1), np.empty((len(self._blocks) - 1, len(weights)))
            over_queries(
                _look, self.offsets[self._blocks], self._blocks, self.offsets, self.ranks, truth.order, truth.ends, self.k, weights,
                values, slopes, grain=1_000,
            )  # fmt: skip
            value, slope = value + float(values.sum()), slope + slopes.sum(axis=0)
        share = 1.0 / ((len(self.offsets) - 1) * len(self.truths))
        return value * share + self.l2 / 2 * float(weights @ weights), slope * share + self.l2 * weights

    def metric(self, _weights: Floats) -> Floats | None:
        """As :func:`podium.training.metric.newton_metric`, from the covariance of ranks: that of a choice among equals, k times."""
        width, queries = self.ranks.shape[1], sample(self.offsets)
        if width > WIDEST:
            return None
        hessian = np.zeros((width, width))
        for query in queries.tolist():
            rows = self.ranks[self.offsets[query] : self.offsets[query + 1]].astype(np.float64)
            if len(rows) > 1:
                centred = rows - rows.mean(axis=0)
                hessian += centred.T @ centred * (min(self.k, len(rows)) / len(rows) / len(queries))
        least = max(1e-6 * float(np.trace(hessian)) / width, 1e-300)
        return np.asarray(np.linalg.inv(np.linalg.cholesky(hessian + (self.l2 + least) * np.eye(width))).T)


def fit_cps(
    data: Dataset,
    settings: CpsSettings | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: Floats | None = None,
    callback: Callback | None = None,
) -> tuple[CpsScorer, Watch]:
    """Fit θ by L-BFGS; the best seen is returned, and everything that was seen. An interrupt (Ctrl-C) ends it like a last iteration."""
    settings = settings or CpsSettings()
    check_data(data, validation, settings.patience)
    if settings.ties == "resample":
        raise DataError("ties=resample draws a new truth every iteration, which lbfgs cannot follow; choose ties=average")
    weights = np.zeros(data.n_features) if start is None else as_start(start, data.n_features)
    watch = Watch(CpsScorer, validation, settings.patience, callback)
    with watch.interruptible():
        order = losses.get("listmle")
        truths = [order.prepare(labels, data.offsets) for labels in truths_of(data, settings.ties, settings.orders, seed)]
        objective = CpsObjective(ranks_of(data.features, data.offsets), truths, settings.k, settings.l2)
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):  # weights to start from may be too large
            lbfgs(objective, weights, watch, tol=settings.tol, max_iter=settings.max_iter)
    return CpsScorer(watch.weights), watch
