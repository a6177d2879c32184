"""Linear rankers whose loss is convex and piecewise linear: the SVM family. One bundle solver, an oracle (a loss) each.

Minimised is J(w) = ½ |w|² + C R(w). Every look at R gives a plane below it; the highest of them and ½ |w|² are a model of J from below,
whose minimum is a bound that no weights can go below. Training ends when J is within a share ``tol`` of that bound.

The cutting-plane method proper looks at the model's minimum next, and needs hundreds of looks where C is large. Here the next look stays
near the best weights so far, as far as J's curvature (:mod:`podium.training.metric`) says that the model can be trusted: 10 to 40 looks
on LETOR's collections, and more where there are hundreds of features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

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
from podium.training.metric import principal_of, sample
from podium.training.passes import Pass, Ties, passes_of
from podium.training.watching import Callback, Validation, Watch

__all__ = ["BundleSettings", "Planes", "fit_bundle", "least_of_planes", "minimise"]


@final
@dataclass(frozen=True)
class BundleSettings:
    """How to fit; the meaning of each is in the table of settings (:mod:`podium.algorithms`)."""

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 1000
    scaling: str = "standard"
    ties: Ties = "keep"
    orders: int = 10
    patience: int | None = None


Curvature = tuple[Floats, Floats]  # directions as columns, and how curved R is along them


@final
class Risk:
    """R(w) and its slope, over all queries or some of them."""

    def __init__(self, passes: list[Pass]) -> None:
        one = passes[0]
        self.passes, self.weight = passes, (len(one.ordered.offsets) - 1 if one.loss.entry.is_summed else 1) / len(passes)

    def __call__(self, weights: Floats, queries: Ints | None = None) -> tuple[float, Floats]:
        found = [one(weights, queries) for one in self.passes]
        return self.weight * sum(value for value, _ in found), self.weight * np.sum([slope for _, slope in found], axis=0)

    def curvature(self) -> Curvature | None:
        """About that of a smooth function of the same shape: what pairs (or, inside a list, documents) of equal score would have."""
        one = self.passes[0]
        like = Pass(one.features, losses.get(one.loss.entry.resembles), one.ordered, one.lines)
        found = principal_of(like, np.zeros(one.features.shape[1]))
        return None if found is None else (found[0], found[1] * (self.weight * len(self.passes) / 4))


# ---- the model: planes below R ----


@final
class Planes:
    """R(w) ≥ slopes · w + heights; the first plane is 0, below which no R goes."""

    def __init__(self, width: int) -> None:
        self.slopes, self.heights = np.zeros((1, width)), np.zeros(1)

    def add(self, weights: Floats, value: float, slope: Floats) -> None:
        self.slopes = np.vstack([self.slopes, slope])
        self.heights = np.append(self.heights, value - slope @ weights)

    def highest(self, weights: Floats) -> float:
        return float(np.max(self.slopes @ weights + self.heights))


_STEPS = 500  # of the method below, at most: it ends after a few dozen, or turns round in rounding errors


def least_of_planes(slopes: Floats, heights: Floats, C: float, shares: Floats, slack: float) -> Floats:
    """Shares α ≥ 0 of the planes, Σ α = C, such that w = -Σ α slope minimises ½ |w|² + C max(slopes · w + heights).

    An active-set method, begun at ``shares``, that ends when no plane rises above the active ones by more than ``slack``. Written here
    because it is short, exact and starts from the last answer: at most a few dozen planes are active, each new one costs a step or two.
    It works on differences of slopes, by QR: their products would lose the digits that matter when C is large.
    """
    if slopes.shape[1] > len(heights):  # only their products matter: as many coordinates as planes do
        slopes = np.asarray(np.linalg.qr(slopes.T, mode="r")).T
    width = slopes.shape[1]
    shares = np.concatenate([shares, np.zeros(len(heights) - len(shares))])
    if not shares.any():
        shares[np.argmax(heights)] = C
    active = np.flatnonzero(shares).tolist()
    for _ in range(_STEPS):
        base = active[int(np.argmax(shares[active]))]
        others = [plane for plane in active if plane != base]
        wanted = np.zeros(len(heights))
        if others:
            differences, rises = slopes[others] - slopes[base], heights[others] - heights[base]
            size = max(float(np.abs(differences).max()), 1e-5 * float(np.abs(slopes[base]).max()), 1e-50)
            tiny = 1e-10 * size  # keeps planes that depend on one another apart
            q, r = np.linalg.qr(np.vstack([differences.T, tiny * np.eye(len(others))]))
            wanted[others] = np.linalg.solve(r, np.linalg.solve(r.T, rises) - q[:width].T @ (C * slopes[base]))
        wanted[base] = C - wanted.sum()
        if not np.isfinite(wanted).all():
            break
        if (wanted[active] >= 0).all():
            shares = wanted
            values = slopes @ -(shares @ slopes) + heights
            highest = int(np.argmax(values))
            if highest in active or values[highest] - values[active].max() <= slack:
                break
            active.append(highest)
        else:  # go as far as no share turns negative, and let go of the plane that stops us
            falling = [plane for plane in active if wanted[plane] < 0]
            lengths = [shares[plane] / (shares[plane] - wanted[plane]) for plane in falling]
            stops = int(np.argmin(lengths))
            shares = np.maximum(shares + lengths[stops] * (wanted - shares), 0.0)
            shares[falling[stops]] = 0.0
            active.remove(falling[stops])
    return shares


# ---- the method ----

_BEYOND = 1e300  # a risk that is the largest double for a larger one
_EXACT = 1e-12  # a gap that rounding makes
_PATIENCE = 100  # looks that neither lower the objective nor raise the bound, after which no more will
# how the pull to the best weights changes after a good step, where the model has little left near by, and after a bad step
_TRUST, _FAR, _DOUBT = 1 / 3, 1 / 2, 2.0


@final
@dataclass(frozen=True)
class _Metric:
    """How curved J is: ``bends`` along ``directions``, ``rest`` across them. Times the identity, it needs no matrix."""

    directions: Floats
    bends: Floats
    rest: float

    @classmethod
    def of(cls, curvature: Curvature | None, slope: Floats, C: float) -> _Metric:
        """From the curvature of R; where that is not known, steep is taken for curved."""
        if curvature is None:
            return cls(np.zeros((len(slope), 0)), np.zeros(0), C * float(np.linalg.norm(slope)))
        directions, bends = curvature
        return cls(directions, C * bends, C * float(bends.min()))

    def times(self, vectors: Floats, function: Callable[[Floats], Floats]) -> Floats:
        """A function of the metric, applied to vectors (rows)."""
        across = float(function(np.array([self.rest]))[0])
        return np.asarray(across * vectors + (vectors @ self.directions * (function(self.bends) - across)) @ self.directions.T)


def _near(planes: Planes, best: Floats, C: float, metric: _Metric, pull: float, shares: Floats, slack: float) -> tuple[Floats, Floats]:
    """The model's minimum with a pull to the best weights, ½ pull (w - best)ᵀ metric (w - best): shares of planes, and the weights.

    In v with w = centre + root v it is one without.
    """
    root = lambda bends: 1.0 / np.sqrt(1.0 + pull * bends)
    centre = metric.times(best, lambda bends: pull * bends / (1.0 + pull * bends))
    slopes = metric.times(planes.slopes, root)
    shares = least_of_planes(slopes, planes.heights + planes.slopes @ centre, C, shares, slack)
    return shares, centre - metric.times(shares @ slopes, root)


def minimise(
    risk: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    C: float,
    curvature: Curvature | None,
    tol: float,
    max_iter: int,
    see: Callable[[Floats, float, float, float], bool] = lambda *_: False,
) -> tuple[Floats, str]:
    """Weights of least ½ |w|² + C R(w), and why it ended. ``see(weights, objective, bound, gap)`` after each look; true ends it."""
    best, planes = start, Planes(len(start))
    value, slope = risk(best)
    if value > _BEYOND:  # weights to start from that are of no use
        best, (value, slope) = np.zeros(len(start)), risk(np.zeros(len(start)))
    planes.add(best, value, slope)
    least, bound, pull = 0.5 * float(best @ best) + C * value, -np.inf, 1.0
    metric = _Metric.of(curvature, slope, C)
    shares, near, looked, objective = np.zeros(1), np.zeros(1), best, least
    known, since = (np.inf, -np.inf), 0
    for look in range(max_iter + 1):
        slack = 1e-3 * tol * least / C
        shares = least_of_planes(planes.slopes, planes.heights, C, shares, slack)
        lowest = -(shares @ planes.slopes)
        bound = max(bound, float(planes.heights @ shares - 0.5 * (lowest @ lowest)))
        gap = max(least - bound, 0.0) / least if least > 0 else 0.0
        if see(looked, objective, bound, gap):
            return best, ""
        if gap <= max(tol, _EXACT):
            return best, "converged"
        if least < known[0] - 1e-9 * least or bound > known[1] + 1e-9 * least or bound > 1.001 * known[1]:
            known, since = (least, bound), look
        if look - since > _PATIENCE:
            return best, "precision"
        if look == max_iter:
            break
        near, looked = _near(planes, best, C, metric, pull, near, slack)
        expected = least - (0.5 * float(looked @ looked) + C * planes.highest(looked))
        value, slope = risk(looked)
        if value <= _BEYOND:
            planes.add(looked, value, slope)
        objective = 0.5 * float(looked @ looked) + C * value
        if least - objective > 0.3 * expected:
            pull *= _TRUST
        elif expected < 0.03 * (least - bound):
            pull *= _FAR
        elif objective > least:
            pull *= _DOUBT
        pull = min(max(pull, 1e-9), 1e3)
        if objective < least:
            best, least = looked, objective
    return best, "max_iter"


def fit_bundle(
    data: Dataset,
    loss: Loss,
    settings: BundleSettings | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: Floats | None = None,
    callback: Callback | None = None,
) -> tuple[LinearScorer, Watch]:
    """Fit weights; the best seen is returned, and everything that was seen. An interrupt (Ctrl-C) ends it like a last iteration."""
    settings = settings or BundleSettings()
    check_data(data, validation, settings.patience)
    if not loss.entry.resembles:
        raise DataError(f"{loss.name} is not piecewise linear, as a bundle of planes needs it; fit it by fit_linear")
    if loss.name == "map-hinge" and settings.ties != "keep":
        raise DataError(
            f"{loss.name} knows relevant and other documents only, which ties cannot tell: choose ties=keep, not {settings.ties}"
        )
    if settings.ties == "resample":
        raise DataError("ties=resample draws a new truth every iteration, which a bundle cannot follow; choose ties=average")
    lines = lines_of(data.features, data.offsets, settings.scaling)
    kept = None if SCALINGS[settings.scaling].is_within_query else lines
    watch = Watch(lambda weights: LinearScorer(weights, settings.scaling, kept), validation, settings.patience, callback)
    weights = np.zeros(data.n_features) if start is None else as_start(start, data.n_features)

    def see(looked: Floats, objective: float, bound: float, gap: float) -> bool:
        watch.bound = bound
        return watch.see(looked, objective, gap=gap)

    with watch.interruptible(), one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):  # features and C may be too large together
        risk = Risk(passes_of(data, loss, lines, settings.ties, settings.orders, seed))
        curvature = risk.curvature()
        if start is None and settings.patience is None:
            weights = _rehearse(risk, weights, settings, curvature)
        _, reason = minimise(risk, weights, settings.C, curvature, settings.tol, settings.max_iter, see)
        watch.stopped = watch.stopped or reason
    return LinearScorer(watch.weights, settings.scaling, kept), watch


_WORTH = 8  # a rehearsal on so small a share of the queries costs less than a look at all


def _rehearse(risk: Risk, weights: Floats, settings: BundleSettings, curvature: Curvature | None) -> Floats:
    """Weights fitted to some of the queries, from where all of them need few looks; those given, where data are small."""
    offsets = risk.passes[0].ordered.offsets
    queries = sample(offsets)
    if len(queries) * _WORTH > len(offsets) - 1:
        return weights
    return minimise(lambda point: risk(point, queries), weights, settings.C, curvature, 1e-2, 100)[0]
