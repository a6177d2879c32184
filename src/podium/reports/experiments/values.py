"""The values of a run as one array, their means over folds, and how far chance moves those means."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError, UnknownName
from podium.experiments.curves import ALL, arms
from podium.experiments.facts import FULL, Config
from podium.experiments.files import Run
from podium.measures import get
from podium.ragged import Floats, Ints
from podium.results import randomisation

__all__ = [
    "LEVEL", "Values", "arm_called", "best_mean", "fold_mean", "intervals", "is_larger_better", "main_measure", "p_values", "resampled",
    "run_values", "shown_points",
]  # fmt: skip

LEVEL = 0.05  # p-values below it are called significant
_ENDS = (FULL, ALL)  # points behind every number


@final
@dataclass(frozen=True)
class Values:
    """``of[arm, point, measure, query]``: the mean over seeds; NaN where there is none. A query is one of a fold."""

    arms: tuple[str, ...]
    points: tuple[str, ...]  # ("",) without a curve
    measures: tuple[str, ...]
    fold_names: tuple[str, ...]
    folds: Ints  # of each query, the place of its fold among the names
    queries: tuple[tuple[str, str], ...]  # fold and id
    of: Floats

    def at(self, arm: str, point: str, measure: str) -> Floats:
        """A value for each query."""
        found: Floats = self.of[self.arms.index(arm), self.points.index(point), self.measures.index(measure)]
        return found


def run_values(run: Run) -> Values:
    """The rows of a run as an array; arms in the order of the config, points from small to large."""
    rows = run.rows
    if not len(rows["value"]):
        raise DataError(f"the run {run.config.name!r} has no rows; run it again with: podium experiment")
    names = _in_order(run.config, [str(name) for name in rows["algorithm"]])
    points = tuple(sorted(dict.fromkeys(map(str, rows["point"])), key=_place))
    measures = tuple(dict.fromkeys(map(str, rows["measure"])))
    keys = list(zip(map(str, rows["fold"]), map(str, rows["query"]), strict=True))
    queries = tuple(dict.fromkeys(keys))
    fold_names = tuple(dict.fromkeys(fold for fold, _ in queries))
    places = [_codes(rows[name], known) for name, known in (("algorithm", names), ("point", points), ("measure", measures))]
    place_of = {key: place for place, key in enumerate(queries)}
    where = (*places, np.array([place_of[key] for key in keys]))
    of = _mean_by_place(where, np.asarray(rows["value"], dtype=np.float64), (len(names), len(points), len(measures), len(queries)))
    folds = np.array([fold_names.index(fold) for fold, _ in queries])
    return Values(names, points, measures, fold_names, folds, queries, of)


def _in_order(config: Config, names: list[str]) -> tuple[str, ...]:
    order = {arm.name: place for place, arm in enumerate(arms(config))}
    return tuple(sorted(dict.fromkeys(names), key=lambda name: order.get(name, len(order))))


def _place(point: str) -> tuple[int, float]:
    return (1, 0.0) if point in _ENDS or not point else (0, float(point))


def _codes(column: NDArray[Any], known: tuple[str, ...]) -> Ints:
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[str(name)] for name in column], dtype=np.int64)


def _mean_by_place(where: tuple[Ints, ...], values: Floats, shape: tuple[int, ...]) -> Floats:
    """Several seeds fall into one place; a value that is left out does not count."""
    flat, is_there = np.ravel_multi_index(where, shape), ~np.isnan(values)
    size = int(np.prod(shape))
    total = np.bincount(flat[is_there], weights=values[is_there], minlength=size)
    count = np.bincount(flat[is_there], minlength=size)
    with np.errstate(invalid="ignore"):
        found: Floats = (total / count).reshape(shape)
    return found


def fold_mean(values: Floats, folds: Ints) -> Floats:
    r"""The mean over folds of each fold's mean over queries, as LETOR's tables have it; the last axis is queries.

    .. math:: \bar v = \frac{1}{F} \sum_{f=1}^{F} \frac{1}{|Q_f|} \sum_{q \in Q_f} v_q

    A value that is NaN does not count, nor does a fold without any.

    >>> float(fold_mean(np.array([1.0, 0.0, 0.5]), np.array([0, 0, 1])))  # ((1 + 0) / 2 + 0.5) / 2
    0.5
    >>> float(fold_mean(np.array([1.0, 1.0, 0.0]), np.array([0, 0, 1])))  # where the mean over queries is 2/3
    0.5
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean over nothing is NaN, as it should be
        by_fold = [np.nanmean(values[..., folds == fold], axis=-1) for fold in np.unique(folds)]
        found: Floats = np.nanmean(np.array(by_fold), axis=0)
    return found


def resampled(values: Floats, folds: Ints, *, seed: int = 0, resamples: int = 4_000) -> Floats:
    """Fold means of queries drawn again with replacement, each fold from its own; the first axis is the draws.

    One draw is the same queries for all arms, points and measures, so that differences between them can be taken draw by draw.
    """
    generator = np.random.default_rng(seed)
    flat = values.reshape(-1, values.shape[-1])
    total, n_folds = np.zeros((resamples, len(flat))), np.zeros((resamples, len(flat)))
    for fold in np.unique(folds):
        own = flat[:, folds == fold].T
        times = generator.multinomial(len(own), np.full(len(own), 1 / len(own)), size=resamples).astype(np.float64)
        count = times @ (~np.isnan(own)).astype(np.float64)
        is_there = count > 0
        total += np.divide(times @ np.nan_to_num(own), count, out=np.zeros_like(count), where=is_there)
        n_folds += is_there
    with np.errstate(invalid="ignore"):
        means: Floats = np.round(total / n_folds, 12)  # so that the order in which threads add up cannot show
    return means.reshape(resamples, *values.shape[:-1])


def intervals(values: Floats, folds: Ints, *, seed: int = 0, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Bootstrap intervals (percentiles) of the fold means, low and high."""
    drawn = resampled(values, folds, seed=seed)
    tail = (1 - confidence) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return low, high


def p_values(differences: Floats, folds: Ints) -> Floats:
    """Of each row of differences between two arms or points, Fisher's randomisation test over the queries that both have; NaN below two.

    What is tested is what is shown, the difference of the means over folds: a query of a smaller fold weighs more.
    """
    found, is_there = np.full(len(differences), np.nan), ~np.isnan(differences)
    for shared in np.unique(is_there, axis=0) if len(differences) else ():  # rows with the same queries in one go
        rows = (is_there == shared).all(axis=1)
        if shared.sum() > 1:
            _, fold, sizes = np.unique(folds[shared], return_inverse=True, return_counts=True)
            found[rows] = randomisation(differences[rows][:, shared] / sizes[fold])
    return found


def is_larger_better(measure: str) -> bool:
    return get(measure).entry.larger_is_better


def best_mean(means: Floats, measure: str) -> float:
    """The largest, or of a measure of which less is better the smallest; NaN where there is none.

    >>> best_mean(np.array([0.2, np.nan, 0.3]), "ndcg@10"), best_mean(np.array([0.2, np.nan, 0.3]), "wkt")
    (0.3, 0.2)
    """
    there = means[~np.isnan(means)]
    if not len(there):
        return np.nan
    return float(there.max() if is_larger_better(measure) else there.min())


def main_measure(config: Config, values: Values) -> str:
    """The measure by which settings were chosen, if the test part was measured by it; else the first."""
    return config.choose if config.choose in values.measures else values.measures[0]


def arm_called(name: str, config: Config, values: Values) -> str:
    """The arm of a ranker's name; of a ranker with several arms (ways of labelling), the first. An arm's own name will do too."""
    known = [arm for arm in arms(config) if arm.name in values.arms]
    found = [arm.name for arm in known if arm.ranker.name == name] or [arm.name for arm in known if arm.name == name]
    if not found:
        raise UnknownName("ranker", name, values.arms)
    return found[0]


def shown_points(run: Run, values: Values) -> dict[str, str]:
    """Of each arm, the point of the curve at which tables have it; "" without a curve.

    Where points are a budget (queries, judgments), arms are compared at the last one that all have. Else (k, balance) a point is a
    setting: the one with the best mean on validation queries, the first of equals. The test part has no say in it.
    """
    if len(values.points) == 1:
        return dict.fromkeys(values.arms, values.points[0])
    if run.config.curve is not None and run.config.curve.over in ("queries", "judgments"):
        return _last_points(values)
    return _chosen_points(run, values)


def _last_points(values: Values) -> dict[str, str]:
    is_there = np.asarray(~np.isnan(values.of).all(axis=(2, 3)))
    shared = is_there.all(axis=0)
    last = [np.flatnonzero(shared if shared.any() else own).max(initial=0) for own in is_there]
    return {arm: values.points[place] for arm, place in zip(values.arms, last, strict=True)}


def _chosen_points(run: Run, values: Values) -> dict[str, str]:
    sign = 1.0 if is_larger_better(run.config.choose) else -1.0
    trials, is_chosen = run.trials, np.asarray(run.trials["is_chosen"], dtype=bool)
    arms, points = trials["algorithm"].astype(str), trials["point"].astype(str)
    validation = np.asarray(trials["validation"], dtype=np.float64)

    def mean(arm: str, point: str) -> float:
        own = validation[is_chosen & (arms == arm) & (points == point)]
        return sign * float(own.mean()) if len(own) and not np.isnan(own).any() else -np.inf

    return {arm: max(values.points, key=lambda point: mean(arm, point)) for arm in values.arms}
