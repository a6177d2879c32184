"""What every algorithm of the table must keep, whatever its trainer; a new one is tested the moment it is listed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import podium
from podium import DataError, Dataset, Ranker, algorithms
from podium.algorithms import ALGORITHMS, TRAINERS
from podium.scorers.models import model_from_bytes, model_to_bytes
from podium.training.watching import Step, Validation

over_the_table = pytest.mark.parametrize("name", ALGORITHMS)
FEW = {"max_iter": 12}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return podium.synthetic(24, 30, 6).top_k(5)


@pytest.fixture(scope="module")
def valid() -> Dataset:
    return podium.synthetic(10, 30, 6, seed=1).top_k(5)


@over_the_table
def test_a_model_comes_back_from_its_file_to_the_bit(name: str, data: Dataset, valid: Dataset) -> None:
    model = algorithms.fit(name, data, FEW)
    file = model_to_bytes(model)
    again = model_from_bytes(file)
    assert model_to_bytes(again) == file
    scores = model.scores(valid.features, valid.offsets)
    assert again.scores(valid.features, valid.offsets).tobytes() == scores.tobytes()
    assert len(set(scores.tolist())) > 5


@over_the_table
@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_byte_of_the_model(name: str) -> None:
    many, files = podium.synthetic(60, 700, 5).top_k(10), set()
    for number in (1, 2, 3):
        podium.set_threads(number)
        files.add(model_to_bytes(algorithms.fit(name, many, {"max_iter": 4})))
    assert len(files) == 1


@over_the_table
def test_rows_and_queries_in_another_order_give_the_same_ranker(name: str, data: Dataset, valid: Dataset) -> None:
    """Up to rounding: sums are taken in another order."""
    random = np.random.default_rng(0)
    rows = random.permutation(data.n_rows)
    mixed = Dataset.from_arrays(data.features[rows], data.labels[rows], data.query_of_row[rows])
    first, second = (algorithms.fit(name, part, {"max_iter": 8}).scores(valid.features, valid.offsets) for part in (data, mixed))
    np.testing.assert_allclose(second, first, rtol=1e-5, atol=1e-5 * np.abs(first).max())


@over_the_table
def test_an_interrupt_keeps_the_best_so_far(name: str, data: Dataset) -> None:
    seen: list[Step] = []

    def interrupted(step: Step) -> None:
        seen.append(step)
        if step.iteration == 2:
            raise KeyboardInterrupt

    model = algorithms.fit(name, data, callback=interrupted)
    assert model.training["stopped"] == "interrupt"
    assert model.training["objective"] == min(step.objective for step in seen)


@over_the_table
def test_a_true_result_of_the_callback_ends_it(name: str, data: Dataset) -> None:
    model = algorithms.fit(name, data, callback=lambda step: step.iteration == 1)
    assert (model.training["iterations"], model.training["stopped"]) == (1, "callback")


@over_the_table
def test_validation_is_measured_on_the_model_of_each_step(name: str, data: Dataset, valid: Dataset) -> None:
    held, seen = Validation(valid, "k-ndcg@5"), list[Step]()
    for stop in (0, 1, 3):
        seen.clear()
        model = algorithms.fit(name, data, validation=held, callback=lambda step, last=stop: seen.append(step) or step.iteration == last)  # type: ignore[misc, func-returns-value]
        if seen[-1].is_best:
            assert seen[-1].validation == pytest.approx(held.value(model.scorer), abs=1e-12)
            assert model.training["validation"] == pytest.approx(seen[-1].validation, abs=1e-12)


@over_the_table
def test_with_patience_the_best_step_on_validation_is_kept(name: str, data: Dataset, valid: Dataset) -> None:
    held, seen = Validation(valid, "k-ndcg@5"), list[Step]()
    model = algorithms.fit(name, data, {"patience": 3, "max_iter": 40}, validation=held, callback=seen.append)
    best = max(step.validation for step in seen if step.validation is not None)
    assert held.value(model.scorer) == pytest.approx(best, abs=1e-12)
    assert seen[model.training["chosen_iteration"]].validation == best
    with pytest.raises(DataError, match="patience needs validation data"):
        algorithms.fit(name, data, {"patience": 3})


@over_the_table
def test_training_goes_on_from_a_model(name: str, data: Dataset) -> None:
    first = algorithms.fit(name, data, {"max_iter": 3})
    further = algorithms.fit(name, data, {"max_iter": 3}, start=first)
    assert further.training["objective"] <= first.training["objective"] + 1e-12


@over_the_table
def test_a_model_of_another_kind_is_no_start(name: str, data: Dataset) -> None:
    kind = TRAINERS[ALGORITHMS[name].trainer].kind
    other = next(each for each, row in ALGORITHMS.items() if TRAINERS[row.trainer].kind is not kind)
    with pytest.raises(DataError, match=f"to start {name} from a model, it must be of the same kind"):
        algorithms.fit(name, data, start=algorithms.fit(other, data, {"max_iter": 1}))


@over_the_table
def test_data_without_any_preference_give_a_ranker_that_says_nothing(name: str, data: Dataset) -> None:
    model = algorithms.fit(name, data.with_labels(np.ones(data.n_rows)), FEW)
    assert model.training["iterations"] <= 1 or ALGORITHMS[name].trainer == "adarank"
    assert np.isfinite(model.scores(data.features, data.offsets)).all()


@over_the_table
@pytest.mark.parametrize("shape", ["one query", "one document a query", "one feature", "constant features", "more features than documents"])
def test_small_and_odd_collections_are_learned_from(name: str, shape: str) -> None:
    random = np.random.default_rng(0)
    rows, width = {"one feature": (20, 1), "more features than documents": (6, 30)}.get(shape, (20, 3))
    table = np.ones((rows, width)) if shape == "constant features" else random.normal(size=(rows, width))
    qid: Any = {"one query": [1] * rows, "one document a query": list(range(rows))}.get(shape, [row // 5 for row in range(rows)])
    one = Dataset.from_arrays(table, random.integers(0, 4, rows), qid)
    assert np.isfinite(algorithms.fit(name, one, FEW).scores(one.features, one.offsets)).all()


@over_the_table
def test_missing_features_are_refused(name: str, data: Dataset) -> None:
    table = data.features.copy()
    table[17] = np.nan  # the whole row: a sum of weak rankers needs only the features that it chose
    missing = Dataset.from_arrays(table, data.labels, data.query_of_row)
    with pytest.raises(DataError, match="must not be missing"):
        algorithms.fit(name, missing)
    model = algorithms.fit(name, data, FEW)
    with pytest.raises(DataError, match="row 17 has missing features"):
        model.scores(missing.features, missing.offsets)


@over_the_table
def test_the_ranker_learns_and_ranks_from_arrays(name: str, data: Dataset) -> None:
    ranker = Ranker(name, max_iter=8).fit(data.features, data.labels, qid=data.query_of_row)
    scores = ranker.predict(data.features, qid=data.query_of_row)
    np.testing.assert_array_equal(scores, Ranker(name, max_iter=8).fit(data).predict(data))
    if ranker.model_.scorer.needs_queries:
        with pytest.raises(DataError, match="give qid, the query id of each row"):
            ranker.predict(data.features)
