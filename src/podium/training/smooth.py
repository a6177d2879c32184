"""Linear rankers fitted to a smooth loss: full-batch L-BFGS, plain gradient descent, mini-batch SGD and Adam.

Minimised is the mean loss over queries + l2/2 · Σ w² + l1 · Σ |w|, with w the weights of the scaled features.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from threadpoolctl import ThreadpoolController

from podium import losses
from podium.dataset import Dataset
from podium.errors import DataError
from podium.losses import Loss
from podium.ragged import Floats, Ints
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers.linear import LinearScorer
from podium.training.passes import Pass
from podium.training.watching import Callback, Validation, Watch
from podium.truth import break_ties, has_ties

__all__ = ["OPTIMIZERS", "Objective", "SmoothSettings", "fit_linear"]

Ties = Literal["keep", "break", "average", "resample"]


@final
@dataclass(frozen=True)
class SmoothSettings:
    """How to fit; the meaning of each is in the table of settings (:mod:`podium.algorithms`)."""

    l2: float = 1e-3
    l1: float = 0.0
    optimizer: str = "lbfgs"
    learning_rate: float | None = None
    batch_queries: int = 32
    max_iter: int = 500
    tol: float = 1e-4
    scaling: str = "standard"
    ties: Ties = "keep"
    orders: int = 10
    patience: int | None = None


@final
class Objective:
    """Mean loss and penalty as a function of weights, for one truth or several tie-breakings of it."""

    def __init__(self, passes: list[Pass], l2: float) -> None:
        self.passes, self.l2 = passes, l2

    def __call__(self, weights: Floats, queries: Ints | None = None) -> tuple[float, Floats]:
        found = [one(weights, queries) for one in self.passes]
        value = sum(value for value, _ in found) / len(found)
        gradient = np.sum([gradient for _, gradient in found], axis=0) / len(found)
        return value + self.l2 / 2 * float(weights @ weights), gradient + self.l2 * weights


def _passes(data: Dataset, loss: Loss, lines: Lines, settings: SmoothSettings, seed: int) -> list[Pass]:
    """One pass a truth: the labels as they are, or with ties broken at random, once or several times."""
    is_tied = settings.ties != "keep" and bool(has_ties(data.labels, data.offsets).any())
    count = (settings.orders if settings.ties == "average" else 1) if is_tied else 0
    truths = [break_ties(data.labels, data.offsets, seed=_stream(seed, order)) for order in range(count)] or [data.labels]
    return [Pass(data.features, loss, loss.prepare(labels, data.offsets), lines) for labels in truths]


def _stream(seed: int, number: int) -> int:
    """A seed of its own for each use; the first is the seed itself, so that one order is what ``Dataset.break_ties`` gives."""
    return seed if number == 0 else int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def fit_linear(
    data: Dataset,
    loss: Loss,
    settings: SmoothSettings | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: Floats | None = None,
    callback: Callback | None = None,
) -> tuple[LinearScorer, Watch]:
    """Fit weights; the best seen is returned, and everything that was seen. An interrupt (Ctrl-C) ends it like a last iteration."""
    settings = settings or SmoothSettings()
    _check(data, settings, validation)
    lines = lines_of(data.features, data.offsets, settings.scaling)
    kept = None if SCALINGS[settings.scaling].is_within_query else lines
    watch = Watch(lambda weights: LinearScorer(weights, settings.scaling, kept), validation, settings.patience, callback)
    weights = np.zeros(data.n_features) if start is None else _as_start(start, data.n_features)
    try:
        passes = _passes(data, loss, lines, settings, seed)
        if start is None and loss.entry.is_flat_at_zero:
            weights = -_passes(data, losses.get("listnet"), lines, settings, seed)[0](weights)[1]
        resample = None
        if settings.ties == "resample":
            resample = lambda epoch: _passes(data, loss, lines, settings, _stream(seed, epoch))
        OPTIMIZERS[settings.optimizer](Objective(passes, settings.l2), weights, settings, seed, watch, resample)
    except KeyboardInterrupt:
        watch.stopped = "interrupt"
        if watch.best is None:
            raise
    return LinearScorer(watch.weights, settings.scaling, kept), watch


def _check(data: Dataset, settings: SmoothSettings, validation: Validation | None) -> None:
    if settings.patience is not None and validation is None:
        raise DataError("patience needs validation data: it counts the steps without a better value there")
    if settings.ties == "resample" and settings.optimizer == "lbfgs":
        raise DataError(
            "ties=resample draws a new truth every iteration, which lbfgs cannot follow; choose adam, sgd or gd, or ties=average"
        )
    if validation is not None and validation.data.n_features != data.n_features:
        raise DataError(f"validation data has {validation.data.n_features} features, training data {data.n_features}")
    if data.n_rows == 0 or data.n_features == 0:
        raise DataError(f"there is nothing to learn from: {data!r}")
    if np.isnan(data.features.sum(dtype=np.float64)) and np.isnan(data.features).any():
        row, column = (int(place) for place in np.argwhere(np.isnan(data.features))[0])
        raise DataError(
            f"features must not be missing (NaN) here; row {row}, column {column} is; "
            "fill them first: Dataset.fill_missing() takes the least value of the query, podium convert --fill-missing does the same"
        )


def _as_start(start: Floats, count: int) -> Floats:
    weights = np.array(start, dtype=np.float64)
    if weights.shape != (count,) or not np.isfinite(weights).all():
        raise DataError(f"to start from a model, it must have {count} finite weights, got shape {weights.shape}")
    return weights


# ---- optimizers: (objective, weights, settings, seed, watch, resample) ----

Resample = Callable[[int], list[Pass]] | None
Optimizer = Callable[[Objective, Floats, SmoothSettings, int, Watch, Resample], None]


def _lbfgs(objective: Objective, weights: Floats, settings: SmoothSettings, _seed: int, watch: Watch, _resample: Resample) -> None:
    """SciPy's L-BFGS-B. For l1, w = u - v with u, v ≥ 0, which makes the penalty smooth and its zeros exact."""
    from scipy.optimize import minimize

    n, l1 = len(weights), settings.l1
    last: dict[bytes, tuple[float, Floats]] = {}  # what was found at recent points: the callback asks for it again

    def joined(point: Floats) -> Floats:
        return point[:n] - point[n:] if l1 else point

    def evaluate(point: Floats) -> tuple[float, Floats]:
        value, gradient = objective(joined(point))
        if l1:
            value, gradient = value + l1 * float(point.sum()), np.concatenate([gradient + l1, l1 - gradient])
        last[point.tobytes()] = value, gradient
        if len(last) > 4:
            del last[next(iter(last))]
        return value, gradient

    def seen(point: Floats) -> None:
        value, gradient = last.get(point.tobytes()) or evaluate(point)
        norm = float(np.linalg.norm(np.where((point <= 0) & (gradient > 0), 0.0, gradient) if l1 else gradient))
        if watch.see(joined(point), value, norm):
            raise StopIteration
        if norm <= settings.tol:
            watch.stopped = "converged"
            raise StopIteration

    begin = np.concatenate([np.maximum(weights, 0), np.maximum(-weights, 0)]) if l1 else weights
    try:
        seen(begin)
    except StopIteration:
        return
    with _libraries().limit(limits=1, user_api="blas"):  # its matrices are tiny: threads for them only wait for each other
        found = minimize(
            evaluate,
            begin,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * (2 * n) if l1 else None,
            callback=lambda intermediate_result: seen(np.array(intermediate_result.x)),
            options={"maxiter": settings.max_iter, "maxfun": 20 * settings.max_iter + 100, "ftol": 0.0, "gtol": 0.0, "maxcor": 20},
        )
    # what SciPy says beyond our own reasons: it ran out of iterations, or no step lowers the objective in doubles any more
    watch.stopped = watch.stopped or ("max_iter" if found.nit >= settings.max_iter else "precision")


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def _soft(weights: Floats, threshold: float) -> Floats:
    """What remains of weights after a step of the l1 penalty."""
    return np.sign(weights) * np.maximum(np.abs(weights) - threshold, 0.0) if threshold else weights


def _gd(objective: Objective, weights: Floats, settings: SmoothSettings, _seed: int, watch: Watch, resample: Resample) -> None:
    """Plain gradient descent, as in the papers."""
    rate = settings.learning_rate or 0.01
    for iteration in range(settings.max_iter + 1):
        if resample is not None and iteration:
            objective.passes = resample(iteration)
        value, gradient = objective(weights)
        norm = float(np.linalg.norm(gradient))
        if watch.see(weights, value + settings.l1 * float(np.abs(weights).sum()), norm):
            return
        if norm <= settings.tol:
            watch.stopped = "converged"
            return
        weights = _soft(weights - rate * gradient, rate * settings.l1)
    watch.stopped = "max_iter"


def _batches(n_queries: int, settings: SmoothSettings, seed: int, epoch: int) -> Iterator[Ints]:
    shuffled = np.random.default_rng([seed, epoch]).permutation(n_queries)
    for begin in range(0, n_queries, settings.batch_queries):
        yield np.sort(shuffled[begin : begin + settings.batch_queries])


def _in_batches(rate: float, direction: Callable[[Floats], Floats]) -> Optimizer:
    """Epochs of mini-batches; ``direction`` turns a batch's gradient into a step of the given rate."""

    def run(objective: Objective, weights: Floats, settings: SmoothSettings, seed: int, watch: Watch, resample: Resample) -> None:
        n_queries = len(objective.passes[0].ordered.offsets) - 1
        step = settings.learning_rate or rate
        value, gradient = objective(weights)
        if watch.see(weights, value + settings.l1 * float(np.abs(weights).sum()), float(np.linalg.norm(gradient))):
            return
        for epoch in range(1, settings.max_iter + 1):
            if resample is not None:
                objective.passes = resample(epoch)
            before, total = value, 0.0
            for queries in _batches(n_queries, settings, seed, epoch):
                found, gradient = objective(weights, queries)
                total += found * len(queries) / n_queries
                weights = _soft(weights - step * direction(gradient), step * settings.l1)
            value = total + settings.l1 * float(np.abs(weights).sum())
            if watch.see(weights, value, float("nan")):
                return
            if abs(before - value) <= settings.tol * max(abs(value), 1e-12):
                watch.stopped = "converged"
                return
        watch.stopped = "max_iter"

    return run


def _adam() -> Callable[[Floats], Floats]:
    """Kingma & Ba (2015), with their constants."""
    state: dict[str, Floats] = {}
    count = 0

    def direction(gradient: Floats) -> Floats:
        nonlocal count
        count += 1
        mean = state["mean"] = 0.9 * state.get("mean", np.zeros_like(gradient)) + 0.1 * gradient
        square = state["square"] = 0.999 * state.get("square", np.zeros_like(gradient)) + 0.001 * gradient**2
        return np.asarray(mean / (1 - 0.9**count) / (np.sqrt(square / (1 - 0.999**count)) + 1e-8))

    return direction


def _run_adam(objective: Objective, weights: Floats, settings: SmoothSettings, seed: int, watch: Watch, resample: Resample) -> None:
    _in_batches(0.01, _adam())(objective, weights, settings, seed, watch, resample)


OPTIMIZERS: dict[str, Optimizer] = {
    "lbfgs": _lbfgs,
    "gd": _gd,
    "sgd": _in_batches(0.01, lambda gradient: gradient),
    "adam": _run_adam,
}
