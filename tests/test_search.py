"""Searching settings."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest

import podium
from podium import DataError, Dataset, UnknownName, algorithms, search
from podium.ragged import threads
from podium.scorers.models import model_to_bytes
from podium.search import Found, grid_of, search_folds
from podium.training.watching import Validation

GRID = [{"l2": l2, "max_iter": 5} for l2 in (1000.0, 0.1, 0.0, 10.0)]


@pytest.fixture(scope="module")
def parts() -> list[Dataset]:
    return podium.synthetic(40, 12, 4, seed=1).top_k(4).split(0.5, 0.5, seed=1)


def as_bytes(found: Found) -> list[bytes]:
    return [model_to_bytes(trial.model) for trial in found.trials]


# ---- grids ----


def test_a_grid_is_every_combination_the_last_name_running_fastest() -> None:
    assert grid_of("top-k-listmle", {"l2": [0.0, 0.1], "k": [5, 10]}, {"scaling": "minmax"}) == [
        {"scaling": "minmax", "l2": l2, "k": k} for l2 in (0.0, 0.1) for k in (5, 10)
    ]
    assert grid_of("listmle", None) == [{}]
    assert grid_of("listmle", None, {"l2": 0.5}) == [{"l2": 0.5}]
    with pytest.raises(DataError, match="l2 must be"):
        grid_of("listmle", None, {"l2": -1})
    assert grid_of("listmle", {}, {"l2": 0.5}) == [{"l2": 0.5}]


def test_a_fixed_setting_wins_over_a_preset() -> None:
    assert [each["l2"] for each in grid_of("listmle", "default")] == [0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    assert grid_of("listmle", "default", {"l2": 7.0}) == [{"l2": 7.0}]
    assert grid_of("listmle", "default", {"scaling": "none"})[1] == {"scaling": "none", "l2": 1e-4}
    paper = grid_of("listmle", "paper", {"learning_rate": 0.5})
    assert paper == [{"learning_rate": 0.5, "optimizer": "gd", "l2": 0.0, "max_iter": 500}]


WRONG: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ({"l2": [1.0]}, {"l2": 2.0}, DataError, "l2 is in the grid and fixed; give it once"),
    ("large", {}, UnknownName, "unknown grid of listmle 'large'; choose from default, paper"),
    ({"k": [1]}, {}, UnknownName, "unknown setting of listmle 'k'"),
    ({"l2": [0.1, -1.0]}, {}, DataError, "l2 must be a number from 0 on, got -1.0"),
    ("default", {"tol": -1.0}, DataError, "tol must be a number from 0 on, got -1.0"),
]


@pytest.mark.parametrize(("grid", "fixed", "error", "message"), WRONG)
def test_a_grid_that_cannot_be_trained_is_refused_before_any_training(
    grid: Any, fixed: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        grid_of("listmle", grid, fixed)


def test_unknown_algorithms_and_empty_searches_are_refused(parts: list[Dataset]) -> None:
    with pytest.raises(UnknownName, match="unknown algorithm 'listmel'"):
        grid_of("listmel", "default")
    for settings, folds in (([], [(parts[0], Validation(parts[1]))]), ([{}], [])):
        with pytest.raises(DataError, match="a search needs at least one setting and one fold"):
            search_folds("listmle", settings, folds)


# ---- choosing ----


def values_by_hand(parts: list[Dataset], measure: str) -> list[float]:
    models = [algorithms.fit("listmle", parts[0], settings, seed=3) for settings in GRID]
    return [Validation(parts[1], measure).value(model.scorer) for model in models]


@pytest.mark.parametrize(("measure", "best"), [("ndcg@5", max), ("map", max), ("top-k-loss@1", min), ("wkt", min)])
def test_the_best_on_validation_is_chosen(measure: str, best: Any, parts: list[Dataset]) -> None:
    found = search.search("listmle", GRID, parts[0], Validation(parts[1], measure), seed=3)
    values = values_by_hand(parts, measure)
    assert len(set(values)) > 1
    assert [trial.validation for trial in found.trials] == values
    assert [trial.settings for trial in found.trials] == GRID
    assert found.measure == measure
    assert found.best is found.trials[values.index(best(values))]
    assert all(trial.model.settings["l2"] == settings["l2"] for trial, settings in zip(found.trials, GRID, strict=True))
    assert all(trial.model.seed == 3 for trial in found.trials)


def test_labels_of_training_choose_nothing(parts: list[Dataset]) -> None:
    """A setting that is worse on training and better on validation is taken: validation labels turned around."""
    against = parts[1].with_labels(parts[1].labels.max() - parts[1].labels)
    right, wrong = (search.search("listmle", GRID, parts[0], Validation(part, "tau")) for part in (parts[1], against))
    weights = [[trial.model.scorer.as_plain() for trial in found.trials] for found in (right, wrong)]
    assert weights[0] == weights[1]
    assert right.best.settings != wrong.best.settings


@pytest.mark.parametrize("measure", ["ndcg@5", "wkt"])
def test_the_first_of_equals_is_chosen(measure: str, parts: list[Dataset]) -> None:
    same = [{"l2": 0.1, "max_iter": number} for number in (401, 400, 402)]  # all converge to the same
    found = search.search("listmle", same, parts[0], Validation(parts[1], measure))
    assert len({trial.validation for trial in found.trials}) == 1
    assert found.best is found.trials[0]


def test_a_setting_without_a_value_on_validation_is_chosen_last(parts: list[Dataset]) -> None:
    trials = [search.Trial({}, value, None) for value in (np.nan, 0.2, 0.5, np.nan)]  # type: ignore[arg-type]
    assert search._best(trials, Validation(parts[1], "ndcg@5")) is trials[2]
    assert search._best(trials, Validation(parts[1], "wkt")) is trials[1]
    assert search._best(trials[:1], Validation(parts[1])) is trials[0]


def test_folds_choose_each_for_itself(parts: list[Dataset]) -> None:
    folds = [(parts[0], Validation(parts[1], "map")), (parts[1], Validation(parts[0], "map"))]
    told: list[tuple[int, int]] = []
    found = search_folds("listmle", GRID, folds, seed=5, progress=lambda done, of: told.append((done, of)))
    alone = [search.search("listmle", GRID, *fold, seed=5) for fold in folds]
    assert [as_bytes(one) for one in found] == [as_bytes(one) for one in alone]
    assert as_bytes(found[0]) != as_bytes(found[1])
    assert [one.best.settings for one in found] == [one.best.settings for one in alone]
    assert [one.best in one.trials for one in found] == [True, True]
    assert told == [(number, 8) for number in range(1, 9)]


# ---- jobs ----


def test_two_jobs_give_the_same_models_as_one(parts: list[Dataset]) -> None:
    folds = [(parts[0], Validation(parts[1])), (parts[1], Validation(parts[0]))]
    settings = [{"optimizer": "adam", "max_iter": 3, "ties": "break", "l2": l2} for l2 in (0.0, 1.0)]
    told: list[tuple[int, int]] = []
    one = search_folds("listmle", settings, folds, seed=2)
    two = search_folds("listmle", settings, folds, seed=2, jobs=2, progress=lambda done, of: told.append((done, of)))
    assert [as_bytes(found) for found in two] == [as_bytes(found) for found in one]
    assert [found.best.settings for found in two] == [found.best.settings for found in one]
    assert [[trial.validation for trial in found.trials] for found in two] == [
        [trial.validation for trial in found.trials] for found in one
    ]
    assert told == [(number, 4) for number in range(1, 5)]


@pytest.mark.usefixtures("any_threads")
def test_jobs_in_this_process_leave_its_number_of_threads_as_it_was(parts: list[Dataset]) -> None:
    podium.set_threads(6)
    with joblib.parallel_config(backend="threading"):
        found = search.search("listmle", GRID[:2], parts[0], Validation(parts[1]), jobs=2)
    assert as_bytes(found) == as_bytes(search.search("listmle", GRID[:2], parts[0], Validation(parts[1])))
    assert threads() == 6


# ---- interrupts ----


def test_an_interrupt_leaves_the_best_so_far_if_every_fold_has_some(parts: list[Dataset]) -> None:
    folds = [(parts[0], Validation(parts[1])), (parts[1], Validation(parts[0]))]

    def stop_at(number: int) -> Any:
        def progress(done: int, _of: int) -> None:
            if done == number:
                raise KeyboardInterrupt

        return progress

    found = search_folds("listmle", GRID, folds, progress=stop_at(6))
    assert [len(one.trials) for one in found] == [4, 2]
    assert all(one.best in one.trials for one in found)
    with pytest.raises(KeyboardInterrupt):
        search_folds("listmle", GRID, folds, progress=stop_at(4))


def test_an_interrupt_inside_a_training_ends_the_search_with_what_it_had(parts: list[Dataset], monkeypatch: pytest.MonkeyPatch) -> None:
    fit, count = algorithms.fit, 0

    def interrupted(*arguments: Any, **named: Any) -> Any:
        nonlocal count
        count += 1

        def callback(step: Any) -> None:
            if count == 2 and step.iteration == 2:
                raise KeyboardInterrupt

        return fit(*arguments, **named, callback=callback)

    monkeypatch.setattr(algorithms, "fit", interrupted)
    found = search.search("listmle", GRID, parts[0], Validation(parts[1]))
    assert [trial.model.training["stopped"] == "interrupt" for trial in found.trials] == [False, True]
