"""Curves: what each point of the x-axis changes, the training queries or a setting, and the lines that are drawn over it."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import algorithms
from podium.dataset import Dataset
from podium.errors import DataError
from podium.experiments.facts import FULL, Arm, Config
from podium.experiments.spending import labelled, within
from podium.experiments.truths import as_truth

__all__ = ["ALL", "Point", "arms", "point_name", "point_settings", "points", "training_set"]

Point = int | float | str  # a number, FULL, ALL, or "" where there is no curve

ALL = "all"  # the point of a curve over queries where every training query is used
_EVERY = 2**31 - 1  # a k that no query has documents for: losses take it for their number


def points(config: Config) -> tuple[Point, ...]:
    """The points of the x-axis; one without a name if there is no curve."""
    return ("",) if config.curve is None else config.curve.points


def point_name(point: Point) -> str:
    """As it stands in a run's table.

    >>> point_name(10), point_name(0.05), point_name("full")
    ('10', '0.05', 'full')
    """
    return point if isinstance(point, str) else f"{point:g}" if isinstance(point, float) else str(point)


def arms(config: Config) -> tuple[Arm, ...]:
    """The lines: the rankers, and for a curve over judgments each of them with every strategy and every accuracy of the judge."""
    if _over(config) != "judgments":
        return tuple(Arm(ranker.name, ranker) for ranker in config.rankers)
    assert config.labelling is not None, "a config with a curve over judgments has [labelling]"
    return tuple(
        Arm(f"{ranker.name} · {strategy} · {100 * accuracy:g} %", ranker, strategy, accuracy)
        for ranker in config.rankers
        for strategy in config.labelling.strategies
        for accuracy in config.labelling.accuracies
    )


def point_settings(config: Config, arm: Arm, point: Point) -> dict[str, Any]:
    """The settings of the ranker that the point sets: its k or its balance, if it has one and the config does not fix it."""
    over = _over(config)
    is_known = over in algorithms.get(arm.ranker.algorithm).settings
    if over not in ("k", "balance") or not is_known or over in arm.ranker.settings:
        return {}
    return {over: _EVERY if point == FULL else point}


def training_set(train: Dataset, config: Config, arm: Arm, point: Point, seed: int) -> tuple[Dataset, int | None]:
    """The training queries as this point of the curve has them, and the judgments that were spent on them (None: not counted).

    Over ``k`` the truth is the order of the best k, whatever [truth] says; over ``judgments`` it is what asking for the best k gave.
    """
    over, truth = _over(config), config.truth
    if over == "k":
        return as_truth(train, FULL if point == FULL else "top-k", k=truth.k if point == FULL else int(point), seed=seed), None
    if over == "judgments":
        assert config.labelling is not None, "a config with a curve over judgments has [labelling]"
        ordered = as_truth(train, FULL, k=truth.k, seed=seed)
        spent = labelled(ordered, strategy=arm.strategy, accuracy=arm.accuracy, k=config.labelling.k, seed=seed)
        return within(spent, int(point), seed)
    judged = as_truth(train, truth.train, k=truth.k, seed=seed)  # before the draw: a query keeps its order however many there are
    return (_drawn(judged, point, seed) if over == "queries" else judged), None


def _drawn(data: Dataset, point: Point, seed: int) -> Dataset:
    """So many queries, drawn with the seed; a larger draw holds the smaller ones."""
    count = data.n_queries if point == ALL else int(point)
    if not 1 <= count <= data.n_queries:
        raise DataError(
            f"a curve over queries has the point {count}, but a fold has {data.n_queries} training queries; write {ALL!r} for all"
        )
    return data.select_queries(np.sort(np.random.default_rng(seed).permutation(data.n_queries)[:count]))


def _over(config: Config) -> str:
    return "" if config.curve is None else config.curve.over
