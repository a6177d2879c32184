"""Linear rankers fitted to a smooth loss: full-batch L-BFGS, plain gradient descent, mini-batch SGD and Adam.

Minimised is the mean loss over queries + l2/2 · Σ w² + l1 · Σ |w|, with w the weights of the scaled features.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from podium import losses
from podium.blas import one_blas_thread
from podium.dataset import Dataset
from podium.errors import DataError
from podium.losses import Loss
from podium.ragged import Floats, Ints
from podium.scaling import SCALINGS, lines_of
from podium.scorers.linear import LinearScorer
from podium.training.doors import as_start, check_data
from podium.training.metric import newton_metric, sample
from podium.training.passes import Pass, Ties, passes_of, stream
from podium.training.watching import Callback, Validation, Watch

__all__ = ["OPTIMIZERS", "Objective", "Sloped", "SmoothSettings", "fit_linear", "lbfgs"]


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

    def metric(self, weights: Floats) -> Floats | None:
        return newton_metric(self.passes[0], weights, self.l2)


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
    check_data(data, validation, settings.patience)
    if settings.ties == "resample" and settings.optimizer == "lbfgs":
        raise DataError(
            "ties=resample draws a new truth every iteration, which lbfgs cannot follow; choose adam, sgd or gd, or ties=average"
        )
    lines = lines_of(data.features, data.offsets, settings.scaling)
    kept = None if SCALINGS[settings.scaling].is_within_query else lines
    watch = Watch(lambda weights: LinearScorer(weights, settings.scaling, kept), validation, settings.patience, callback)
    weights = np.zeros(data.n_features) if start is None else as_start(start, data.n_features)
    with watch.interruptible():
        begin = functools.partial(passes_of, data, lines=lines, ties=settings.ties, orders=settings.orders)
        passes = begin(loss, seed=seed)
        if start is None and loss.entry.is_flat_at_zero:
            weights = -begin(losses.get("listnet"), seed=seed)[0](weights)[1]
        objective, resample = Objective(passes, settings.l2), None
        if settings.ties == "resample":
            resample = lambda epoch: begin(loss, seed=stream(seed, epoch))
        with np.errstate(over="ignore", invalid="ignore"):  # steps that are too long end as "diverged", not as warnings
            is_free = start is None and settings.patience is None and not settings.l1 and not loss.entry.is_flat_at_zero
            if is_free and settings.optimizer == "lbfgs":
                weights = _rehearse(objective, weights)
            OPTIMIZERS[settings.optimizer](objective, weights, settings, seed, watch, resample)
    if watch.best is None:
        raise DataError("the loss is not finite at the weights that training begins with; begin without them, or scale features")
    return LinearScorer(watch.weights, settings.scaling, kept), watch


# ---- optimizers: (objective, weights, settings, seed, watch, resample) ----

Resample = Callable[[int], list[Pass]] | None
Optimizer = Callable[[Objective, Floats, SmoothSettings, int, Watch, Resample], None]


class Sloped(Protocol):
    """An objective as L-BFGS takes it: a value and a slope, and a metric in which it is about equally curved, if there is one."""

    def __call__(self, weights: Floats, /) -> tuple[float, Floats]: ...

    def metric(self, weights: Floats) -> Floats | None: ...


def lbfgs(objective: Sloped, weights: Floats, watch: Watch, *, tol: float, max_iter: int, l1: float = 0.0) -> None:
    """SciPy's L-BFGS-B. For l1, w = u - v with u, v ≥ 0, which makes the penalty smooth and its zeros exact."""
    from scipy.optimize import minimize

    n = len(weights)
    recent: dict[bytes, tuple[Floats, float, Floats]] = {}  # weights, value and gradient at recent points, which are asked for again

    def at(point: Floats) -> tuple[Floats, float, Floats]:
        key = point.tobytes()
        if key not in recent:
            if len(recent) > 4:
                del recent[next(iter(recent))]
            moved = point[:n] - point[n:] if l1 else weights + _along(metric, point)
            recent[key] = moved, *objective(moved)
        return recent[key]

    def evaluate(point: Floats) -> tuple[float, Floats]:
        _, value, gradient = at(point)
        if l1:
            return value + l1 * float(point.sum()), np.concatenate([gradient + l1, l1 - gradient])
        return value, _along(metric, gradient, back=True)

    def seen(point: Floats) -> bool:
        moved, value, gradient = at(point)
        return _is_done(moved, value + l1 * float(np.abs(moved).sum()), gradient, l1, tol, watch)

    def stop_if_seen(intermediate_result: Any) -> None:
        if seen(np.array(intermediate_result.x)):
            raise StopIteration

    begin = np.concatenate([np.maximum(weights, 0), np.maximum(-weights, 0)]) if l1 else np.zeros(n)
    with one_blas_thread():
        metric = None if l1 else objective.metric(weights)
        if seen(begin):
            return
        if metric is not None:  # SciPy's first step has length 1: let that be Newton's
            metric *= float(np.linalg.norm(metric.T @ at(begin)[2]))
        found = minimize(
            evaluate,
            begin,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * (2 * n) if l1 else None,
            callback=stop_if_seen,
            options={"maxiter": max_iter, "maxfun": 20 * max_iter + 100, "ftol": 0.0, "gtol": 0.0, "maxcor": 20},
        )
    # what SciPy says beyond our own reasons: it ran out of iterations, or no step lowers the objective in doubles any more
    watch.stopped = watch.stopped or ("max_iter" if found.nit >= max_iter else "precision")


def _lbfgs(objective: Objective, weights: Floats, settings: SmoothSettings, _seed: int, watch: Watch, _resample: Resample) -> None:
    lbfgs(objective, weights, watch, tol=settings.tol, max_iter=settings.max_iter, l1=settings.l1)


_WORTH = 8  # a rehearsal on so small a share of the queries costs less than an iteration on all


def _rehearse(objective: Objective, weights: Floats) -> Floats:
    """Weights fitted to some of the queries, from where all of them need few iterations; those given, where data are small."""
    from scipy.optimize import minimize

    offsets = objective.passes[0].ordered.offsets
    queries = sample(offsets)
    if len(queries) * _WORTH > len(offsets) - 1:
        return weights
    with one_blas_thread():
        metric = objective.metric(weights)

        def evaluate(point: Floats) -> tuple[float, Floats]:
            value, gradient = objective(weights + _along(metric, point), queries)
            return value, _along(metric, gradient, back=True)

        found = minimize(evaluate, np.zeros(len(weights)), jac=True, method="L-BFGS-B", options={"maxiter": 50, "gtol": 1e-2})
    fitted = weights + _along(metric, found.x)
    return fitted if np.isfinite(fitted).all() else weights


def _along(metric: Floats | None, vector: Floats, *, back: bool = False) -> Floats:
    """From the metric's coordinates to those of weights, or a gradient back; without a metric they are the same."""
    return vector if metric is None else np.asarray((metric.T if back else metric) @ vector)


def _is_done(weights: Floats, value: float, gradient: Floats, l1: float, tol: float, watch: Watch) -> bool:
    """Show an iteration to the watch; whether it should be the last. ``gradient`` is that of all but the l1 penalty."""
    least = np.where(weights != 0, gradient + l1 * np.sign(weights), np.maximum(np.abs(gradient) - l1, 0.0))  # 0 at a minimum
    norm = float(np.linalg.norm(least))
    if watch.see(weights, value, norm):
        return True
    if norm <= tol:
        watch.stopped = "converged"
    return bool(watch.stopped)


Stepper = Callable[[Floats], tuple[Floats, Floats | float]]  # a gradient to a direction, and how long its step is by coordinate


def _plain() -> Stepper:
    return lambda gradient: (gradient, 1.0)


def _adam() -> Stepper:
    """Kingma & Ba (2015), with their constants."""
    mean: Floats | float = 0.0
    square: Floats | float = 0.0
    count = 0

    def step(gradient: Floats) -> tuple[Floats, Floats]:
        nonlocal mean, square, count
        count += 1
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        length = 1.0 / (np.sqrt(square / (1 - 0.999**count)) + 1e-8)
        return np.asarray(mean / (1 - 0.9**count) * length), length

    return step


def _batches(n_queries: int, settings: SmoothSettings, seed: int, epoch: int) -> Iterator[Ints]:
    shuffled = np.random.default_rng([seed, epoch]).permutation(n_queries)
    for begin in range(0, n_queries, settings.batch_queries):
        yield np.sort(shuffled[begin : begin + settings.batch_queries])


def _descend(stepper: Callable[[], Stepper], *, is_batched: bool) -> Optimizer:
    """Steps along gradients: of all queries, or of a batch at a time. The whole objective is measured after every epoch."""

    def run(objective: Objective, weights: Floats, settings: SmoothSettings, seed: int, watch: Watch, resample: Resample) -> None:
        n_queries, rate, step = len(objective.passes[0].ordered.offsets) - 1, settings.learning_rate or 0.01, stepper()
        for epoch in range(settings.max_iter + 1):
            if resample is not None and epoch:
                objective.passes = resample(epoch)
            value, gradient = objective(weights)
            value += settings.l1 * float(np.abs(weights).sum())
            if not (np.isfinite(value) and np.isfinite(weights).all()):
                watch.stopped = "diverged"
                return
            if _is_done(weights, value, gradient, settings.l1, settings.tol, watch) or epoch == settings.max_iter:
                break
            for queries in _batches(n_queries, settings, seed, epoch + 1) if is_batched else [None]:
                slope = gradient if queries is None else objective(weights, queries)[1]
                direction, length = step(slope)
                weights = _soft(weights - rate * direction, rate * settings.l1 * length)
        if not watch.stopped:
            lowered = any(step.objective < watch.history[0].objective for step in watch.history)
            watch.stopped = "max_iter" if lowered or settings.max_iter == 0 else "diverged"

    return run


def _soft(weights: Floats, threshold: Floats | float) -> Floats:
    """What remains of weights after a step of the l1 penalty."""
    return np.asarray(np.sign(weights) * np.maximum(np.abs(weights) - threshold, 0.0))


OPTIMIZERS: dict[str, Optimizer] = {
    "lbfgs": _lbfgs,
    "gd": _descend(_plain, is_batched=False),
    "sgd": _descend(_plain, is_batched=True),
    "adam": _descend(_adam, is_batched=True),
}
