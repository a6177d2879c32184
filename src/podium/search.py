"""Searching settings: train every one of a grid, choose by a measure on validation queries. Folds and settings run in parallel.

Jobs go through joblib, so a backend that the user chose there (Dask, Ray, Spark) serves without code of ours.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from podium import algorithms
from podium.dataset import Dataset
from podium.errors import DataError, UnknownName
from podium.ragged import set_threads, threads
from podium.scorers.models import Model
from podium.training.watching import Validation

__all__ = ["Found", "Trial", "grid_of", "search", "search_folds"]

Settings = dict[str, Any]
_Task = tuple[str, Settings, Dataset, Validation, int]  # algorithm, settings, training data, validation, seed


@final
@dataclass(frozen=True)
class Trial:
    """One setting of a grid, trained and measured on validation queries."""

    settings: Settings  # what the grid says; the model knows them all
    validation: float
    model: Model


@final
@dataclass(frozen=True)
class Found:
    """All trials of a search, in the order of the grid, and the best."""

    trials: list[Trial]
    measure: str
    best: Trial
    is_interrupted: bool = False  # whether Ctrl-C ended it before the grid did, or cut a trial short


def grid_of(algorithm: str, grid: str | Mapping[str, Sequence[Any]] | None, fixed: Mapping[str, Any] | None = None) -> list[Settings]:
    """Every setting of a grid: a preset's name, or names with lists of values; ``fixed`` holds for all, and wins over a preset.

    >>> grid_of("top-k-listmle", {"l2": [0.0, 0.1], "k": [5, 10]}, {"scaling": "minmax"})[1]
    {'scaling': 'minmax', 'l2': 0.0, 'k': 10}
    """
    fixed = dict(fixed or {})
    if grid is None:
        grid = {}  # one setting, checked as any other
    if isinstance(grid, str):
        presets = algorithms.get(algorithm).grids
        if grid not in presets:
            raise UnknownName(f"grid of {algorithm}", grid, presets)
        grid = {name: values for name, values in presets[grid].items() if name not in fixed}
    both = sorted(set(grid) & set(fixed))
    if both:
        raise DataError(f"{both[0]} is in the grid and fixed; give it once")
    settings = [{**fixed, **dict(zip(grid, values, strict=True))} for values in itertools.product(*grid.values())]
    for each in settings:
        algorithms.resolve(algorithm, each)
    return settings


def _train(task: _Task, parent: int, n_threads: int) -> Trial:
    algorithm, settings, train, validation, seed = task
    if os.getpid() != parent:  # a worker process of its own: all of them share the cores
        set_threads(n_threads)
    model = algorithms.fit(algorithm, train, settings, seed=seed, validation=validation)
    found = model.training["validation"]
    return Trial(settings, float("nan") if found is None else found, model)


def _best(trials: Sequence[Trial], validation: Validation) -> Trial:
    """The first of the best."""
    sign = 1 if validation.larger_is_better else -1
    values = [-np.inf if np.isnan(trial.validation) else sign * trial.validation for trial in trials]
    return trials[int(np.argmax(values))]


def search(
    algorithm: str,
    settings: Sequence[Settings],
    train: Dataset,
    validation: Validation,
    *,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Found:
    """Train every setting, and choose by the measure on the validation queries."""
    return search_folds(algorithm, settings, [(train, validation)], seed=seed, jobs=jobs, progress=progress)[0]


def search_folds(
    algorithm: str,
    settings: Sequence[Settings],
    folds: Sequence[tuple[Dataset, Validation]],
    *,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Found]:
    """The same on several folds at once, each with its own choice. An interrupt leaves the best so far, if every fold has some."""
    if not settings or not folds:
        raise DataError("a search needs at least one setting and one fold")
    if jobs == 0:
        raise DataError("jobs must be 1 or more, or -1 for one a core, got 0")
    tasks = [(algorithm, each, train, validation, seed) for train, validation in folds for each in settings]
    trials: list[Trial] = []
    is_interrupted = False
    try:
        for trial in _run(tasks, jobs):
            trials.append(trial)
            if progress is not None:
                progress(len(trials), len(tasks))
            if trial.model.training["stopped"] == "interrupt":
                is_interrupted = True
                break
    except KeyboardInterrupt:
        is_interrupted = True
    size = len(settings)
    parts = [trials[begin : begin + size] for begin in range(0, len(trials), size)]
    if len(parts) < len(folds):
        raise KeyboardInterrupt
    return [
        Found(part, validation.measure, _best(part, validation), is_interrupted) for part, (_, validation) in zip(parts, folds, strict=True)
    ]  # fmt: skip


def _run(tasks: list[_Task], jobs: int) -> Iterable[Trial]:
    if jobs == 1:
        return (_train(task, os.getpid(), threads()) for task in tasks)
    from joblib import Parallel, delayed, effective_n_jobs

    share = max(1, threads() // effective_n_jobs(jobs))
    done: Iterable[Trial] = Parallel(n_jobs=jobs, return_as="generator")(delayed(_train)(task, os.getpid(), share) for task in tasks)
    return done
