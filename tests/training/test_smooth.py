"""Linear rankers fitted to smooth losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.training import explicit

import podium
from podium import DataError, Dataset, losses, measures
from podium.ragged import Floats, Ints, spans
from podium.scaling import SCALINGS
from podium.training import passes, smooth
from podium.training.smooth import OPTIMIZERS, SmoothSettings, fit_linear
from podium.training.watching import Step, Validation

LISTMLE = losses.get("listmle")
over_optimizers = pytest.mark.parametrize("optimizer", OPTIMIZERS)


@pytest.fixture(scope="module")
def data() -> Dataset:
    """Full orders: 12 queries of 9 documents, 4 features."""
    return podium.synthetic(12, 9, 4, seed=3)


@pytest.fixture(scope="module")
def tied() -> Dataset:
    """Three grades: 10 queries of 8 documents, 3 features."""
    full = podium.synthetic(10, 8, 3, seed=5)
    return full.with_labels(np.ceil(full.labels / 3))


def fitted(data: Dataset, loss: Any = LISTMLE, *, seed: int = 0, **settings: Any) -> Floats:
    return fit_linear(data, loss, SmoothSettings(**settings), seed=seed)[0].weights


def objective(data: Dataset, loss: Any, weights: Floats, scaling: str = "standard", l2: float = 1e-3, l1: float = 0.0) -> float:
    value = explicit.mean_loss(data, loss, weights, scaling)[0]
    return float(value + l2 / 2 * (weights**2).sum() + l1 * np.abs(weights).sum())


# ---- the optimum ----


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize(
    "loss",
    [LISTMLE, losses.get("pairwise-logistic"), losses.get("listnet"), losses.get("top-k-listmle", k=3), losses.get("hom-og", k=3)],
    ids=lambda loss: loss.name,
)
def test_the_slope_of_loss_and_penalty_is_zero_at_the_optimum(data: Dataset, loss: Any, scaling: str) -> None:
    weights = fitted(data, loss, scaling=scaling, l2=0.05, tol=1e-8)
    _, slope = explicit.mean_loss(data, loss, weights, scaling)
    assert np.abs(weights).max() > 0.1
    np.testing.assert_allclose(slope + 0.05 * weights, 0.0, atol=1e-6)


@pytest.mark.parametrize(("name", "settings"), [("listmle", {}), ("pairwise-logistic", {}), ("hom-og", {"k": 2})])
@pytest.mark.parametrize("scaling", ["standard", "minmax"])
def test_the_optimum_is_that_of_a_plain_minimisation(name: str, settings: dict[str, Any], scaling: str) -> None:
    data = podium.synthetic(4, 6, 3, seed=8)
    value = lambda weights: explicit.plain_objective(data, name, weights, scaling, 0.1, **settings)
    plain = minimize(value, np.zeros(3), jac="3-point", method="BFGS", options={"gtol": 1e-8})
    found = fitted(data, losses.get(name, **settings), scaling=scaling, l2=0.1, tol=1e-9)
    assert np.abs(found).max() > 0.1
    np.testing.assert_allclose(found, plain.x, atol=1e-5)


def test_the_objective_in_the_history_is_loss_and_both_penalties(data: Dataset) -> None:
    start = np.array([0.5, -1.0, 0.0, 2.0])
    for optimizer in OPTIMIZERS:
        settings = SmoothSettings(l2=0.3, l1=0.2, scaling="zscore", max_iter=1, optimizer=optimizer)
        _, watch = fit_linear(data, LISTMLE, settings, start=start)
        assert watch.history[0].objective == pytest.approx(objective(data, LISTMLE, start, "zscore", 0.3, 0.2), rel=1e-10)


@pytest.mark.parametrize("optimizer", ["lbfgs", "gd"])
def test_l1_makes_exact_zeros_and_meets_the_conditions_of_its_optimum(optimizer: str) -> None:
    noise = np.random.default_rng(0).normal(size=(240, 3)).astype(np.float32)
    data = podium.synthetic(20, 12, 3, seed=1)
    data = Dataset.from_arrays(np.hstack([data.features, noise]), data.labels, offsets=data.offsets)
    weights = fitted(data, scaling="standard", l1=0.5, l2=0.01, tol=1e-7, optimizer=optimizer, max_iter=3000)
    slope = explicit.mean_loss(data, LISTMLE, weights, "standard")[1] + 0.01 * weights
    is_zero = weights == 0
    assert 0 < is_zero.sum() < 6
    assert fit_linear(data, LISTMLE, SmoothSettings(l1=0.5, l2=0.01, tol=1e-3, max_iter=500))[1].stopped == "converged"
    np.testing.assert_allclose(slope[~is_zero], -0.5 * np.sign(weights[~is_zero]), atol=1e-4)
    assert (np.abs(slope[is_zero]) <= 0.5 + 1e-4).all()


@over_optimizers
def test_a_large_l1_leaves_no_weight(optimizer: str, data: Dataset) -> None:
    weights = fitted(data, l1=50.0, optimizer=optimizer, max_iter=20)
    np.testing.assert_array_equal(weights, 0.0)


@pytest.mark.parametrize("optimizer", ["gd", "sgd", "adam"])
@pytest.mark.parametrize("l1", [0.0, 0.2, 1.5])
@pytest.mark.parametrize("batch_queries", [4, 100])
def test_every_optimizer_comes_near_the_least_objective(optimizer: str, l1: float, batch_queries: int) -> None:
    data = podium.synthetic(10, 12, 3, seed=2)
    best = objective(data, LISTMLE, fitted(data, l2=0.1, l1=l1, tol=1e-8), l2=0.1, l1=l1)
    at_zero = objective(data, LISTMLE, np.zeros(3), l2=0.1, l1=l1)
    weights = fitted(data, l2=0.1, l1=l1, optimizer=optimizer, tol=0.0, max_iter=600, batch_queries=batch_queries)
    found = objective(data, LISTMLE, weights, l2=0.1, l1=l1)
    assert best <= found + 1e-9
    assert found - best < 0.01 * (at_zero - best)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_one_batch_of_all_queries_is_not_taken_for_convergence(optimizer: str, data: Dataset) -> None:
    _, watch = fit_linear(data, LISTMLE, SmoothSettings(optimizer=optimizer, tol=1e-4, max_iter=30, batch_queries=1000))
    assert watch.history[-1].iteration > 1
    assert (watch.weights != 0).any()


@pytest.mark.parametrize("optimizer", ["lbfgs", "gd"])
def test_starting_from_the_optimum_takes_at_most_one_iteration(optimizer: str, data: Dataset) -> None:
    first, cold = fit_linear(data, LISTMLE, SmoothSettings(tol=1e-6))
    assert cold.history[-1].iteration > 3
    again, warm = fit_linear(data, LISTMLE, SmoothSettings(tol=1e-5, optimizer=optimizer), start=first.weights)
    assert warm.history[-1].iteration <= 1
    assert warm.stopped == "converged"
    np.testing.assert_allclose(again.weights, first.weights, atol=1e-6)


@over_optimizers
def test_starting_from_the_optimum_without_l1_still_heeds_l1(optimizer: str, data: Dataset) -> None:
    start = fitted(data, l1=0.0, tol=1e-9)
    scorer, _ = fit_linear(data, LISTMLE, SmoothSettings(l1=0.5, optimizer=optimizer, max_iter=300, tol=1e-6), start=start)
    assert np.abs(scorer.weights).sum() < 0.9 * np.abs(start).sum()


@pytest.mark.parametrize("start", [np.zeros(3), np.zeros((4, 1)), [0, 0, 0, np.nan], [0, 0, 0, np.inf]])
def test_a_start_of_another_shape_or_not_finite_is_refused(data: Dataset, start: Any) -> None:
    with pytest.raises(DataError, match="to start from a model, it must have 4 finite weights"):
        fit_linear(data, LISTMLE, start=start)


def test_a_start_is_not_written_to(data: Dataset) -> None:
    start = np.ones(4)
    for optimizer in OPTIMIZERS:
        fit_linear(data, LISTMLE, SmoothSettings(optimizer=optimizer, max_iter=2), start=start)
    np.testing.assert_array_equal(start, 1.0)


def test_why_it_ended_is_said(data: Dataset) -> None:
    ended = lambda **settings: fit_linear(data, LISTMLE, SmoothSettings(**settings))[1]
    assert ended(max_iter=2).stopped == "max_iter"
    assert ended(max_iter=2).history[-1].iteration == 2
    assert ended(tol=1e-3).stopped == "converged"
    assert ended(tol=1e-3).best is not None
    assert ended(tol=1e-3).history[-1].gradient_norm <= 1e-3
    assert ended(tol=0.0).stopped == "precision"
    for optimizer in ("gd", "sgd", "adam"):
        watch = ended(tol=0.0, max_iter=3, optimizer=optimizer, batch_queries=5)
        assert (watch.stopped, watch.history[-1].iteration) == ("max_iter", 3)
        assert ended(tol=0.02, optimizer=optimizer, batch_queries=5, max_iter=5000).stopped == "converged"


# ---- the same bits ----


@over_optimizers
@pytest.mark.usefixtures("any_threads")
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(optimizer: str) -> None:
    full = podium.synthetic(40, 800, 3)
    tied, found = full.with_labels(np.ceil(full.labels / 200)), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(tied.offsets, 10_000)) == number
        found.append(fitted(tied, seed=4, ties="break", optimizer=optimizer, max_iter=3, batch_queries=30, learning_rate=1e-4))
    assert (found[0] != 0).any()
    assert len({weights.tobytes() for weights in found}) == 1


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_another_seed_draws_other_batches_and_lbfgs_needs_none(optimizer: str, data: Dataset) -> None:
    runs = [fitted(data, seed=seed, optimizer=optimizer, max_iter=3, batch_queries=5).tobytes() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert fitted(data, seed=1).tobytes() == fitted(data, seed=2).tobytes()


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_every_query_is_in_one_batch_of_an_epoch(optimizer: str, data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[int]] = []
    whole = smooth.Objective.__call__

    def recorded(self: Any, weights: Floats, queries: Ints | None = None) -> tuple[float, Floats]:
        if queries is not None:
            asked.append(queries.tolist())
        return whole(self, weights, queries)

    monkeypatch.setattr(smooth.Objective, "__call__", recorded)
    fitted(data, optimizer=optimizer, max_iter=3, tol=0.0, batch_queries=5)
    assert [len(batch) for batch in asked] == [5, 5, 2] * 3
    epochs = [[query for batch in asked[begin : begin + 3] for query in batch] for begin in (0, 3, 6)]
    assert all(sorted(epoch) == list(range(12)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3  # shuffled anew


# ---- ties ----


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Floats]:
    """Every tie-breaking that a training draws."""
    seen: list[Floats] = []
    draw = passes.break_ties

    def recorded(labels: Floats, offsets: Ints, *, seed: int) -> Floats:
        seen.append(draw(labels, offsets, seed=seed))
        return seen[-1]

    monkeypatch.setattr(passes, "break_ties", recorded)
    return seen


@over_optimizers
def test_breaking_ties_is_fitting_on_labels_with_ties_broken(optimizer: str, tied: Dataset) -> None:
    settings = {"optimizer": optimizer, "max_iter": 5, "batch_queries": 4}
    broken = fitted(tied, seed=7, ties="break", **settings)
    np.testing.assert_array_equal(broken, fitted(tied.break_ties(seed=7), seed=7, ties="keep", **settings))
    assert (broken != fitted(tied, seed=7, ties="keep", **settings)).any()


def test_averaging_over_orders_minimises_the_mean_over_them(tied: Dataset, drawn: list[Floats]) -> None:
    start = np.array([0.7, -0.2, 0.4])
    settings = SmoothSettings(ties="average", orders=4, l2=0.1, tol=1e-8)
    scorer, watch = fit_linear(tied, LISTMLE, settings, seed=3, start=start)
    assert len(drawn) == 4
    assert len({labels.tobytes() for labels in drawn}) == 4
    truths = [tied.with_labels(labels) for labels in drawn]
    assert watch.history[0].objective == pytest.approx(np.mean([objective(one, LISTMLE, start, l2=0.1) for one in truths]))
    slope = np.mean([explicit.mean_loss(one, LISTMLE, scorer.weights, "standard")[1] for one in truths], axis=0)
    np.testing.assert_allclose(slope + 0.1 * scorer.weights, 0.0, atol=1e-6)
    np.testing.assert_array_equal(fitted(tied, seed=3, ties="average", orders=1), fitted(tied, seed=3, ties="break"))


@pytest.mark.parametrize("optimizer", ["gd", "sgd", "adam"])
def test_resampling_draws_a_new_order_every_iteration(optimizer: str, tied: Dataset, drawn: list[Floats]) -> None:
    weights = fitted(tied, ties="resample", optimizer=optimizer, max_iter=6, tol=0.0, batch_queries=4)
    assert np.isfinite(weights).all()
    assert (weights != 0).any()
    assert len({labels.tobytes() for labels in drawn}) == 7  # one to begin with, one an iteration
    agree = [(np.diff(labels[np.lexsort((labels, tied.labels, tied.query_of_row))].reshape(10, 8)) > 0).all() for labels in drawn]
    assert all(agree)


def test_resampling_is_refused_where_the_method_cannot_follow(tied: Dataset) -> None:
    with pytest.raises(DataError, match="ties=resample draws a new truth every iteration, which lbfgs cannot follow; choose adam"):
        fit_linear(tied, LISTMLE, SmoothSettings(ties="resample"))


def test_labels_without_ties_are_put_in_order_once(data: Dataset, drawn: list[Floats]) -> None:
    kept = fitted(data)
    for number, ties in enumerate(("break", "average"), 1):
        np.testing.assert_array_equal(fitted(data, ties=ties), kept)
        assert len(drawn) == number


# ---- validation, patience, callbacks, interrupts ----


@pytest.fixture(scope="module")
def overfitted() -> tuple[Dataset, Dataset]:
    """6 queries to learn from, with 12 features of noise beside 3 that matter, and 40 to choose by: the best comes early."""
    whole = podium.synthetic(46, 10, 3, seed=9)
    noise = np.random.default_rng(1).normal(size=(whole.n_rows, 12)).astype(np.float32)
    wide = Dataset.from_arrays(np.hstack([whole.features, noise]), whole.labels, offsets=whole.offsets)
    return wide.select_queries(slice(0, 6)), wide.select_queries(slice(6, None))


@pytest.mark.parametrize("measure", ["ndcg@3", "top-k-loss@1"])
@over_optimizers
def test_patience_keeps_the_best_on_validation(optimizer: str, measure: str, overfitted: tuple[Dataset, Dataset]) -> None:
    train, other = overfitted
    settings = {"optimizer": optimizer, "l2": 0.0, "tol": 0.0, "batch_queries": 4, "learning_rate": None if optimizer == "lbfgs" else 0.05}
    chooser = Validation(other, measure)
    scorer, watch = fit_linear(train, LISTMLE, SmoothSettings(patience=4, max_iter=150, **settings), validation=chooser)
    values = [step.validation for step in watch.history]
    assert None not in values
    wanted = max if measure == "ndcg@3" else min
    assert watch.best is not None
    chosen = watch.best.iteration
    assert chosen == values.index(wanted(values)) == max(step.iteration for step in watch.history if step.is_best)  # type: ignore[type-var]
    assert 0 < chosen < len(values) - 1
    assert (watch.stopped, len(values) - 1) == ("patience", chosen + 4)
    assert chooser.value(scorer) == values[chosen]
    by_hand = measures.get(measure)(scorer.scores(other.features, other.offsets), other.labels, other.offsets)
    assert measures.mean(by_hand) == values[chosen]
    if optimizer in ("lbfgs", "gd"):  # the weights after that many iterations, and no others
        _, short = fit_linear(train, LISTMLE, SmoothSettings(max_iter=chosen, **settings))
        np.testing.assert_array_equal(scorer.weights, short.weights)


@over_optimizers
def test_without_patience_validation_is_measured_but_chooses_nothing(optimizer: str, overfitted: tuple[Dataset, Dataset]) -> None:
    train, other = overfitted
    settings = SmoothSettings(optimizer=optimizer, l2=0.0, max_iter=25, tol=0.0, batch_queries=3)
    seen: list[Step] = []
    measured, watch = fit_linear(train, LISTMLE, settings, validation=Validation(other), callback=seen.append)
    alone, plain = fit_linear(train, LISTMLE, settings)
    np.testing.assert_array_equal(measured.weights, alone.weights)
    assert watch.best is not None
    assert watch.best.objective == min(step.objective for step in watch.history)
    assert all(step.validation is not None for step in seen)
    assert watch.summary()["validation"] == Validation(other).value(measured)
    assert "validation" not in plain.summary()
    unasked, quiet = fit_linear(train, LISTMLE, settings, validation=Validation(other))
    assert all(step.validation is None for step in quiet.history)  # nobody looks: only the model that is kept is measured
    assert quiet.summary() == watch.summary()
    np.testing.assert_array_equal(unasked.weights, alone.weights)


@over_optimizers
def test_a_callback_sees_every_step_and_can_stop(optimizer: str, data: Dataset) -> None:
    seen: list[Step] = []
    settings = SmoothSettings(optimizer=optimizer, batch_queries=5, tol=0.0, max_iter=12)
    _, whole = fit_linear(data, LISTMLE, settings, callback=seen.append)  # append returns None: go on
    assert seen == whole.history
    assert [step.iteration for step in seen] == list(range(len(seen)))
    assert len(seen) > 6
    part: list[Step] = []
    scorer, watch = fit_linear(data, LISTMLE, settings, callback=lambda step: part.append(step) or step.iteration == 3)
    assert watch.stopped == "callback"
    assert [step.iteration for step in part] == [0, 1, 2, 3]
    assert [step.objective for step in part] == [step.objective for step in seen[:4]]
    _, short = fit_linear(data, LISTMLE, SmoothSettings(optimizer=optimizer, batch_queries=5, tol=0.0, max_iter=3))
    np.testing.assert_array_equal(scorer.weights, short.weights)


def interrupt_at(iteration: int) -> Callable[[Step], None]:
    def callback(step: Step) -> None:
        if step.iteration == iteration:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("iteration", [0, 3])
@over_optimizers
def test_an_interrupt_returns_the_best_so_far(optimizer: str, iteration: int, data: Dataset) -> None:
    settings = SmoothSettings(optimizer=optimizer, batch_queries=5)
    scorer, watch = fit_linear(data, LISTMLE, settings, callback=interrupt_at(iteration))
    assert watch.summary()["stopped"] == "interrupt"
    assert watch.history[-1].iteration == iteration
    stopped, _ = fit_linear(data, LISTMLE, settings, callback=lambda step: step.iteration == iteration)
    np.testing.assert_array_equal(scorer.weights, stopped.weights)


def test_an_interrupt_before_anything_was_seen_is_passed_on(tied: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(passes, "break_ties", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit_linear(tied, LISTMLE, SmoothSettings(ties="break"))


# ---- what is refused ----


def test_missing_features_are_refused_with_their_place_and_a_way_out(data: Dataset) -> None:
    table = data.features.copy()
    table[17, 2] = table[40, 1] = np.nan
    holes = Dataset.from_arrays(table, data.labels, offsets=data.offsets)
    with pytest.raises(DataError, match=r"row 17, column 2 is; fill them first: Dataset\.fill_missing\(\)"):
        fit_linear(holes, LISTMLE)
    assert np.isfinite(fitted(holes.fill_missing())).all()


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_nothing_cannot_be_learned_from(shape: tuple[int, int]) -> None:
    with pytest.raises(DataError, match=r"there is nothing to learn from: Dataset\("):
        fit_linear(Dataset.from_arrays(np.zeros(shape)), LISTMLE)


def test_patience_without_validation_and_validation_of_another_width_are_refused(data: Dataset) -> None:
    with pytest.raises(DataError, match="patience needs validation data"):
        fit_linear(data, LISTMLE, SmoothSettings(patience=3))
    with pytest.raises(DataError, match="validation data has 3 features, training data 4"):
        fit_linear(data, LISTMLE, validation=Validation(data.select_features([0, 1, 2])))


# ---- hard cases ----


@pytest.mark.parametrize("name", [name for name, entry in losses.LOSSES.items() if entry.is_flat_at_zero])
@over_optimizers
def test_a_loss_that_is_flat_at_equal_scores_is_left(name: str, optimizer: str) -> None:
    data, loss = podium.synthetic(20, 12, 3, seed=1).top_k(4), losses.get(name)
    assert (explicit.mean_loss(data, loss, np.zeros(3), "standard")[1] == 0).all()
    scorer, watch = fit_linear(data, loss, SmoothSettings(l2=0.0, optimizer=optimizer, max_iter=50, batch_queries=5))
    assert (scorer.weights != 0).any()
    assert watch.best is not None
    assert watch.best.objective < 0.45  # 1/2 at equal scores
    assert Validation(data).value(scorer) > 0.8


@pytest.mark.parametrize("scaling", SCALINGS)
@over_optimizers
def test_the_exponential_loss_of_large_features_stays_finite(optimizer: str, scaling: str, data: Dataset) -> None:
    large = Dataset.from_arrays(data.features * np.float32(1e6), data.labels, offsets=data.offsets)
    settings = SmoothSettings(optimizer=optimizer, scaling=scaling, max_iter=30, batch_queries=5)
    scorer, watch = fit_linear(large, losses.get("pairwise-exponential"), settings)
    assert np.isfinite(scorer.weights).all()
    assert watch.best is not None
    assert np.isfinite(watch.best.objective)
    assert np.isfinite(scorer.scores(large.features, large.offsets)).all()
    if scaling != "none":
        assert watch.best.objective < watch.history[0].objective


def test_a_constant_feature_gets_no_weight_and_labels_without_preference_teach_nothing(data: Dataset) -> None:
    table = data.features.copy()
    table[:, 1] = 5.0
    assert fitted(Dataset.from_arrays(table, data.labels, offsets=data.offsets))[1] == 0.0
    np.testing.assert_array_equal(fitted(data.with_labels(np.ones(data.n_rows))), 0.0)
