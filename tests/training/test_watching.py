"""What is kept of a training."""

from __future__ import annotations

import numpy as np
import pytest

import podium
from podium import DataError, Dataset, UnknownName
from podium.scorers import LinearScorer
from podium.training.watching import Validation, Watch

NAN = float("nan")


@pytest.fixture(scope="module")
def data() -> Dataset:
    """One query whose documents are in the order of their only feature."""
    return Dataset.from_arrays([[1.0], [2.0], [3.0]], [0, 1, 2])


def watch(validation: Validation | None = None, patience: int | None = None) -> Watch:
    return Watch(lambda weights: LinearScorer(weights), validation, patience)


def test_validation_by_an_unknown_measure_or_without_queries_is_refused(data: Dataset) -> None:
    with pytest.raises(UnknownName, match="unknown measure 'ndgc'; did you mean"):
        Validation(data, "ndgc")
    with pytest.raises(DataError, match="the validation data has no queries"):
        Validation(Dataset.from_arrays(np.zeros((0, 2))))


@pytest.mark.parametrize(("measure", "larger"), [("ndcg@10", True), ("map", True), ("top-k-loss@1", False), ("wkt", False)])
def test_validation_knows_which_way_its_measure_goes(data: Dataset, measure: str, larger: bool) -> None:
    validation = Validation(data, measure)
    right, wrong = validation.value(LinearScorer(np.array([1.0]))), validation.value(LinearScorer(np.array([-1.0])))
    assert validation.larger_is_better == larger
    assert (right > wrong) == larger


def test_validation_scales_by_what_the_scorer_says() -> None:
    data = podium.synthetic(3, 6, 2)
    weights = np.array([1.0, 0.02])
    values = {scaling: Validation(data, "tau").value(LinearScorer(weights, scaling)) for scaling in ("none", "minmax")}
    by_hand = Validation(data.normalise("minmax"), "tau").value(LinearScorer(weights))
    assert values["minmax"] == pytest.approx(by_hand)


def test_the_least_objective_is_kept_the_first_of_equals_and_anything_rather_than_nan() -> None:
    one = watch()
    for place, objective in enumerate([NAN, 3.0, 1.0, 1.0, NAN, 2.0]):
        assert one.see(np.array([float(place)]), objective, 0.5) is False
    assert one.weights.tolist() == [2.0]
    assert [step.is_best for step in one.history] == [True, True, True, False, False, False]
    assert one.summary() == {"iterations": 5, "chosen_iteration": 2, "objective": 1.0, "stopped": "", "gradient_norm": 0.5}


def test_the_weights_kept_are_a_copy() -> None:
    one, weights = watch(), np.array([1.0])
    one.see(weights, 1.0, 0.0)
    weights[0] = 7.0
    assert one.weights.tolist() == [1.0]


@pytest.mark.parametrize("measure", ["ndcg@10", "wkt"])
def test_with_patience_the_best_on_validation_is_kept_whatever_the_objective(data: Dataset, measure: str) -> None:
    one = watch(Validation(data, measure), patience=2)
    ends = [one.see(np.array([weight]), objective, NAN) for weight, objective in [(-1.0, 3.0), (1.0, 9.0), (2.0, 1.0), (-1.0, 0.0)]]
    assert ends == [False, False, False, True]
    assert one.weights.tolist() == [1.0]
    assert one.stopped == "patience"
    assert one.summary() == {
        "iterations": 3, "chosen_iteration": 1, "objective": 9.0, "stopped": "patience", "validation_measure": measure,
        "validation": one.history[1].validation,
    }  # fmt: skip


def test_a_validation_without_value_is_never_better(data: Dataset) -> None:
    none = Validation(data.with_labels([0, 0, 0]), "tau")
    one = watch(none, patience=2)
    assert [one.see(np.array([1.0]), objective, NAN) for objective in (3.0, 2.0, 1.0)] == [False, False, True]
    assert np.isnan(one.history[0].validation or 0.0)
    assert [step.is_best for step in one.history] == [True, False, False]
    assert one.summary()["validation"] is None  # as files of models can say it


def test_a_callback_that_stops_wins_over_patience_and_nothing_seen_has_a_summary(data: Dataset) -> None:
    one = Watch(LinearScorer, Validation(data), 1, callback=lambda step: step.iteration == 1)
    assert [one.see(np.array([1.0]), 1.0, NAN) for _ in range(2)] == [False, True]
    assert one.stopped == "callback"
    assert watch().summary() == {"iterations": 0, "stopped": ""}
