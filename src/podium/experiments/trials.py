"""Trials: one ranker with one setting, trained on what its lesson holds and measured on validation queries. No test part ever gets here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from podium import algorithms
from podium.dataset import Dataset
from podium.errors import DataError, PodiumError
from podium.experiments.curves import Point, arms, point_name, point_settings, points, training_set
from podium.experiments.facts import Arm, Config
from podium.experiments.memory import forget_peak, peak_bytes
from podium.experiments.truths import as_truth
from podium.scorers.models import model_to_bytes
from podium.search import grid_of
from podium.training.watching import Validation

__all__ = ["Lesson", "Outcome", "Part", "Teaching", "Trial", "lay_out", "lesson_of", "settings_of", "train", "without_ids"]

Settings = dict[str, Any]
Teaching = tuple[str, str, float, str, int]  # fold, strategy, accuracy, point, seed: trials that agree in these have the same lesson


@final
@dataclass(frozen=True)
class Part:
    """A fold without its test part: all that training and choosing may look at."""

    name: str
    train: Dataset
    vali: Dataset


@final
@dataclass(frozen=True)
class Lesson:
    """What a trial sees: training queries as its point of the curve has them, and validation queries with the truth that counts."""

    train: Dataset
    vali: Dataset
    judgments: int | None  # spent on the training queries; None: not counted


@final
@dataclass(frozen=True)
class Trial:
    """One setting of one ranker, to be trained on one fold, at one point of a curve, with one seed."""

    fold: str
    arm: Arm
    point: Point
    seed: int
    settings: Settings  # fixed ones, those of the point and those of the grid; others have their defaults
    varied: tuple[str, ...]  # those of the grid

    @property
    def cell(self) -> tuple[str, str, str, int]:
        """Trials that agree in this compete, and one of them is chosen."""
        return (self.fold, self.arm.name, point_name(self.point), self.seed)

    @property
    def teaching(self) -> Teaching:
        return (self.fold, self.arm.strategy, self.arm.accuracy, point_name(self.point), self.seed)

    @property
    def setting(self) -> str:
        """What the grid says, as text: ``l2=0.01 k=10``; an optional setting that is off has nothing behind its sign."""
        return " ".join(f"{name}={'' if self.settings[name] is None else self.settings[name]}" for name in self.varied)

    def __str__(self) -> str:
        at = f" at {point_name(self.point)}" if self.point != "" else ""
        return f"{self.arm.name}{at}, {self.fold}, seed {self.seed}{', ' if self.varied else ''}{self.setting}"


@final
@dataclass(frozen=True)
class Outcome:
    """What a trial gave; the last two differ from run to run."""

    validation: float  # NaN where no validation query has a value
    model: bytes  # a model file
    iterations: int
    seconds: float
    peak_bytes: int  # of the process while it trained; -1: not known


def settings_of(config: Config, arm: Arm, point: Point) -> list[Settings]:
    """Every setting that an arm tries at a point, in the order of its grid."""
    ranker = arm.ranker
    return grid_of(ranker.algorithm, ranker.grid, {**ranker.settings, **point_settings(config, arm, point)})


def lay_out(config: Config, folds: Sequence[str]) -> list[Trial]:
    """Every trial of an experiment, by fold, arm, point, seed and grid."""
    return [
        Trial(fold, arm, point, seed, settings, tuple(name for name in settings if name not in fixed))
        for fold in folds
        for arm in arms(config)
        for point in points(config)
        for fixed in [{**arm.ranker.settings, **point_settings(config, arm, point)}]
        for seed in config.seeds
        for settings in settings_of(config, arm, point)
    ]


def without_ids(data: Dataset) -> Dataset:
    """What counts of a dataset: ids and notes of documents take time to send to a worker, and names of features would enter models."""
    return replace(data, given_ids=None, notes=None, input_rows=None, given_names=None)


def lesson_of(part: Part, config: Config, trial: Trial) -> Lesson:
    """What the trials of a teaching see of a fold."""
    try:
        train, judgments = training_set(part.train, config, trial.arm, trial.point, trial.seed)
        return Lesson(train, as_truth(part.vali, config.truth.test, k=config.truth.k, seed=trial.seed), judgments)
    except PodiumError as error:
        raise DataError(f"{part.name}: {error}") from None


def train(trial: Trial, lesson: Lesson, measure: str) -> Outcome:
    """Train, and measure on the validation queries. An interrupt ends it without an outcome: half a training is none."""
    forget_peak()
    begun = time.perf_counter()
    try:
        model = algorithms.fit(
            trial.arm.ranker.algorithm, lesson.train, trial.settings, seed=trial.seed, validation=Validation(lesson.vali, measure)
        )
    except PodiumError as error:
        raise DataError(f"{trial}: {error}") from None
    if model.training["stopped"] == "interrupt":
        raise KeyboardInterrupt
    seconds, found = time.perf_counter() - begun, model.training["validation"]
    validation = float("nan") if found is None else float(found)
    return Outcome(validation, model_to_bytes(model), int(model.training["iterations"]), seconds, peak_bytes())
