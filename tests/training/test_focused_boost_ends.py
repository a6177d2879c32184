"""How a training of FocusedBoost ends, and what changes nothing about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from tests.training import plain_boosting as plain
from tests.training.plain_boosting import Kind, many, ragged
from tests.training.test_focused_boost import fitted

import podium
from podium import DataError, Dataset, algorithms, measures
from podium.ragged import offsets_of, spans
from podium.scorers import WeakScorer
from podium.training.boosting import FocusedBoostSettings, RankBoostSettings, fit_focused_boost, fit_rankboost
from podium.training.watching import Step, Validation

over_kinds = pytest.mark.parametrize("kind", get_args(Kind))


def test_it_ends_after_the_rounds_asked_for_where_the_objective_stands_still_and_where_nothing_is_to_be_learned() -> None:
    data = ragged("full", seed=8)
    _, watch = fitted(data, k=3, max_iter=4, tol=0.0)
    assert (watch.stopped, watch.history[-1].iteration) == ("max_iter", 4)
    _, watch = fitted(data, k=3, balance=0.0, tol=0.05)  # so that the objective is the loss of pairs, which is what tol looks at
    assert watch.stopped == "converged"
    changes = np.abs(np.diff([step.objective for step in watch.history])) / [step.objective for step in watch.history[:-1]]
    assert changes[-1] <= 0.05 < changes[:-1].min()
    for nothing in (data.with_labels(np.zeros(data.n_rows)), data.select_features([4])):
        scorer, watch = fitted(nothing, balance=0.0, k=3)
        assert (scorer.rounds(), bool(scorer.weights.any()), watch.stopped, len(watch.history)) == ([], False, "converged", 1)


@pytest.mark.parametrize("balance", [0.0, 0.5, 1.0])
def test_perfect_separation_gives_finite_weights(balance: float) -> None:
    random, labels = np.random.default_rng(0), np.tile(np.arange(6.0), 4)
    data = Dataset.from_arrays(np.column_stack([labels, random.normal(size=24)]), labels, offsets=np.arange(0, 25, 6))
    scorer, watch = fitted(data, k=3, balance=balance, max_iter=300, tol=0.0)
    scores = scorer.scores(data.features, data.offsets)
    assert np.isfinite(scores).all()
    assert all(math.isfinite(step.objective) for step in watch.history)
    assert (scores.reshape(4, 6)[:, 3:].min(axis=1) > scores.reshape(4, 6)[:, :3].max(axis=1)).all() or balance == 1
    if balance == 1:
        assert measures.get("top-k-loss@3")(scores, labels, data.offsets).tolist() == [0.0] * 4


@pytest.mark.parametrize("n_queries", [1, 4])
def test_patience_keeps_the_rounds_that_are_best_on_validation(n_queries: int) -> None:
    whole = ragged("full", seed=5, sizes=[9] * 34)
    train, other = whole.select_queries(slice(0, n_queries)), whole.select_queries(slice(4, None))
    settings = FocusedBoostSettings(k=3, patience=6, tol=0.0)
    scorer, watch = fit_focused_boost(train, settings, validation=Validation(other, "ndcg@3"))
    models = [watch.scorer(np.array([float(count)])) for count in range(len(watch.history))]
    values = [Validation(other, "ndcg@3").value(model) for model in models]
    np.testing.assert_allclose([step.validation for step in watch.history], values, atol=1e-12)  # type: ignore[arg-type]
    assert watch.best is not None
    chosen = watch.best.iteration
    assert chosen == next(place for place, value in enumerate(values) if value > max(values) - 1e-12)
    kept: Any = models[chosen]
    assert scorer.as_plain() == kept.as_plain()


@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_bit_of_the_model() -> None:
    random = np.random.default_rng(7)
    sizes = [80] * 700 + [0, 1, 700]
    features = random.normal(size=(sum(sizes), 9)).astype(np.float32)
    labels = features[:, 0] + features[:, 8] + random.normal(size=len(features))
    data, found = Dataset.from_arrays(features, labels, offsets=offsets_of(sizes)), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(data.offsets, 20_000)) == number
        scorer, watch = fitted(data, k=5, max_iter=5)
        found.append((repr(scorer.as_plain()), [step.objective for step in watch.history]))
    assert found[0] == found[1] == found[2]
    assert len(watch.history) > 2


@over_kinds
def test_the_order_of_rows_changes_nothing(kind: Kind) -> None:
    data = ragged(kind, seed=9)
    random = np.random.default_rng(0)
    rows = np.concatenate([random.permutation(rows) for rows in plain.rows_of(data.offsets) if len(rows)])
    permuted = Dataset.from_arrays(data.features[rows], data.labels[rows], offsets=data.offsets)
    objectives = [[step.objective for step in fitted(one, k=3, max_iter=20, tol=0.0)[1].history] for one in (data, permuted)]
    np.testing.assert_allclose(objectives[0], objectives[1], rtol=1e-9)


def test_ten_rounds_and_ten_more_from_there_are_twenty() -> None:
    data = ragged("full", seed=1).select_features([0, 1])
    whole, _ = fitted(data, k=3, balance=0.4, max_iter=20, tol=0.0)
    first, cold = fitted(data, k=3, balance=0.4, max_iter=10, tol=0.0)
    assert cold.best is not None
    assert cold.best.iteration == 10
    second, _ = fit_focused_boost(data, FocusedBoostSettings(k=3, balance=0.4, max_iter=10, tol=0.0), start=first)
    np.testing.assert_allclose(second.scores(data.features, data.offsets), whole.scores(data.features, data.offsets), atol=1e-9)
    with pytest.raises(DataError, match="both must scale features alike: it has none; train it with scaling=minmax"):
        fit_focused_boost(data, start=fit_rankboost(data, RankBoostSettings(max_iter=1))[0])


def test_features_and_thresholds_of_a_start_are_kept() -> None:
    data, start = ragged("full", seed=11), WeakScorer.of(np.array([0.5, 0, 0, -0.2, 0, 0]), [(1, 0.25, 0.3)], "minmax")
    _, watch = fit_focused_boost(data, FocusedBoostSettings(k=3, balance=0.6, max_iter=5, tol=0.0), start=start)
    assert len(watch.history) == 6
    first: Any = watch.scorer(np.zeros(1))
    assert first.as_plain() == start.as_plain()
    focused = plain.Focused(data, 3, 0.6)
    for count, step in enumerate(watch.history):
        scores = watch.scorer(np.array([float(count)])).scores(data.features, data.offsets)
        focused.scores = focused.pairs.scores = scores
        assert step.objective == pytest.approx(focused.objective(), rel=1e-9)


def test_breaking_ties_is_training_on_broken_ties_and_several_truths_are_refused() -> None:
    data = ragged("graded", seed=8)
    broken, _ = fitted(data, seed=5, ties="break", k=3, max_iter=12)
    expected, _ = fitted(data.break_ties(seed=5), k=3, max_iter=12)
    assert broken.as_plain() == expected.as_plain() != fitted(data, k=3, max_iter=12)[0].as_plain()
    with pytest.raises(DataError, match="boosting learns from one truth: choose ties=keep or ties=break"):
        fitted(data, ties="average")


@pytest.mark.parametrize("iteration", [0, 3])
def test_an_interrupt_keeps_the_best_so_far(iteration: int) -> None:
    def interrupt(step: Step) -> None:
        if step.iteration == iteration:
            raise KeyboardInterrupt

    data, settings = ragged("full", seed=10), FocusedBoostSettings(k=3, tol=0.0)
    scorer, watch = fit_focused_boost(data, settings, callback=interrupt)
    assert (watch.stopped, watch.history[-1].iteration) == ("interrupt", iteration)
    stop: Callable[[Step], bool] = lambda step: step.iteration == iteration
    assert scorer.as_plain() == fit_focused_boost(data, settings, callback=stop)[0].as_plain()


def test_the_named_algorithm_is_this_training() -> None:
    data = ragged("top-k", seed=11)
    model = algorithms.fit("focused-boost", data, {"max_iter": 9, "k": 4, "balance": 0.3})
    assert isinstance(model.scorer, WeakScorer)
    assert model.scorer.as_plain() == fitted(data, max_iter=9, k=4, balance=0.3)[0].as_plain()


@pytest.mark.parametrize("balance", [0.0, 0.5, 1.0])
def test_where_no_query_has_a_rest_the_lists_are_all_there_is(balance: float) -> None:
    data = many("full", seed=5, sizes=[6] * 12)
    scorers = [fitted(data, k=6, balance=each, max_iter=20)[0].as_plain() for each in (balance, 1.0)]
    assert scorers[0] == scorers[1]
    assert any(scorers[0]["weights"])


def test_lists_alone_do_not_look_at_the_pairs_they_may_ruin() -> None:
    """Every round puts the six of the rest further above the top; the loss of pairs is soon beyond all doubles."""
    table = np.tile(np.array([[0.4], [0.3], [0.2], [0.1]] + [[5.0]] * 6, np.float32), (6, 1))
    data = Dataset.from_arrays(table, np.tile([4, 3, 2, 1] + [0] * 6, 6), np.repeat(range(6), 10))
    objectives = [step.objective for step in fitted(data, k=4, balance=1.0)[1].history]
    assert np.isfinite(objectives).all()
    assert objectives[-1] == pytest.approx(math.exp(-1))  # the top is in order


def test_by_pairs_alone_there_are_no_single_features_however_few_the_bins() -> None:
    data = many("full", seed=6, sizes=[10] * 20)
    assert not fitted(data, k=5, balance=0.0, bins=3, max_iter=30)[0].weights.any()
