"""Top-k CPS: the likelihood, its slope, and the fit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings
from tests.training import plain_cps
from tests.training.plain_cps import TRUTHS, mean_recounted, random_data

import podium
from podium import DataError, Dataset, losses, measures
from podium.ragged import Floats, Ints, spans
from podium.scorers.cps import ranks_of
from podium.training import passes
from podium.training.cps import CpsObjective, CpsSettings, fit_cps
from podium.training.watching import Step, Validation


@pytest.fixture(scope="module")
def data() -> Dataset:
    """Full orders: 12 queries of 9 documents, 4 features."""
    return podium.synthetic(12, 9, 4, seed=3)


@pytest.fixture(scope="module")
def tied() -> Dataset:
    """Three grades: 10 queries of 8 documents, 3 features."""
    full = podium.synthetic(10, 8, 3, seed=5)
    return full.with_labels(np.ceil(full.labels / 3))


def objective_of(data: Dataset, k: int, l2: float = 0.0) -> CpsObjective:
    truth = losses.get("listmle").prepare(data.labels, data.offsets)
    return CpsObjective(ranks_of(data.features, data.offsets), [truth], k, l2)


def fitted(data: Dataset, *, seed: int = 0, **settings: Any) -> Floats:
    return fit_cps(data, CpsSettings(**settings), seed=seed)[0].weights


# ---- the likelihood ----


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("theta", [[0.0, 0.0, 0.0], [0.7, -0.4, 1.3], [-3.0, 2.5, -0.1]])
def test_the_chances_of_all_top_k_rankings_add_up_to_one(n: int, theta: list[float]) -> None:
    features = np.random.default_rng(n).integers(0, 3, (n, 3)).astype(np.float32)
    features[:, 0] = np.arange(n) % 2
    for k in range(1, n + 1):
        chances = []
        for ranking in itertools.permutations(range(n), k):
            labels = np.zeros(n)
            labels[list(ranking)] = np.arange(k, 0, -1)
            value, _ = objective_of(Dataset.from_arrays(features, labels), k)(np.array(theta))
            chances.append(np.exp(-value))
        assert sum(chances) == pytest.approx(1.0, rel=1e-12)
        assert max(chances) > min(chances) or n == 1 or theta == [0.0, 0.0, 0.0]


def test_the_likelihood_by_hand() -> None:
    """Documents a, b, c with features (2, 0), (1, 0), (1, 5); truth c > a > b; θ = (t, u)."""
    data, (t, u) = Dataset.from_arrays([[2, 0], [1, 0], [1, 5]], [2, 1, 3]), (0.3, -0.8)
    e = {"a": 0 * t + 1.5 * u, "b": 1.5 * t + 1.5 * u, "c": 1.5 * t + 0 * u}
    first = e["c"] + np.log(np.exp(-e["a"]) + np.exp(-e["b"]) + np.exp(-e["c"]))
    later = {"a": 0 * t + 0.5 * u, "b": 1 * t + 0.5 * u}
    second = later["a"] + np.log(np.exp(-later["a"]) + np.exp(-later["b"]))
    for k, expected in ((1, first), (2, first + second), (3, first + second), (99, first + second)):
        assert objective_of(data, k)(np.array([t, u]))[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("truth", TRUTHS)
@given(
    sizes=st.lists(st.integers(0, 6), min_size=1, max_size=3).filter(any),
    width=st.integers(1, 3),
    k=st.integers(1, 7),
    n_values=st.sampled_from([0, 1, 2, 50]),
    l2=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 10**6),
)
@example(sizes=[0, 1, 0, 6, 0], width=2, k=3, n_values=1, l2=0.5, seed=0)
@settings(max_examples=30)
def test_value_and_slope_are_those_of_the_definition(
    truth: str, sizes: list[int], width: int, k: int, n_values: int, l2: float, seed: int
) -> None:
    data, theta = random_data(truth, sizes, width, k, n_values, seed)
    value, slope = objective_of(data, k, l2)(theta)
    expected, differences = plain_cps.value_and_slope(data, theta, k, l2)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-13)
    np.testing.assert_allclose(slope, differences, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("k", [1, 10, 60, 200])
def test_removing_documents_equals_counting_anew_at_every_stage(truth: str, k: int) -> None:
    data, theta = random_data(truth, [60, 0, 1, 45], 5, k, 6, seed=k)
    value, slope = objective_of(data, k, 0.1)(0.2 * theta)
    expected, gradient = mean_recounted(data, 0.2 * theta, k, 0.1)
    assert value == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(slope, gradient, rtol=1e-9, atol=1e-9)


def test_without_any_weight_every_ranking_is_equally_likely() -> None:
    data, _ = random_data("full order", [7, 4], 3, 3, 5, seed=1)
    value, _ = objective_of(data, 3)(np.zeros(3))
    assert value == pytest.approx((np.log(7 * 6 * 5) + np.log(4 * 3 * 2)) / 2, rel=1e-13)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("l2", [0.0, 0.7])
def test_the_objective_is_convex_along_any_line(truth: str, l2: float) -> None:
    random = np.random.default_rng(2)
    for seed in range(10):
        data, theta = random_data(truth, [6, 3, 8], 4, 3, 2, seed)
        value, direction = objective_of(data, 3, l2), random.normal(size=4)
        for step in (0.01, 0.3, 2.0, 30.0):
            left, here, right = (value(theta + side * step * direction)[0] for side in (-1, 0, 1))
            least = l2 * step**2 * float(direction @ direction)  # what the penalty alone bends
            assert left + right - 2 * here >= least - 1e-12 * max(1.0, left, right)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("size", [1e4, -1e4])
def test_huge_weights_give_finite_values_and_slopes(truth: str, size: float) -> None:
    for seed in range(5):
        data, theta = random_data(truth, [6, 1, 5], 3, 2, 2, seed)
        for weights in (size * theta, np.full(3, size), size * np.array([1.0, -1.0, 0.0])):
            value, slope = objective_of(data, 2)(weights)
            expected, differences = plain_cps.value_and_slope(data, weights, 2, 0.0, digits=80)
            assert value == pytest.approx(expected, rel=1e-10, abs=1e-8)
            np.testing.assert_allclose(slope, differences, rtol=1e-7, atol=1e-7)


def test_several_truths_count_as_their_mean(tied: Dataset) -> None:
    theta, orders = np.array([0.4, -0.3, 0.1]), [tied.break_ties(seed=seed) for seed in range(3)]
    truths = [losses.get("listmle").prepare(one.labels, one.offsets) for one in orders]
    value, slope = CpsObjective(ranks_of(tied.features, tied.offsets), truths, 4, 0.2)(theta)
    found = [mean_recounted(one, theta, 4, 0.2) for one in orders]
    assert value == pytest.approx(np.mean([one for one, _ in found]), rel=1e-12)
    np.testing.assert_allclose(slope, np.mean([one for _, one in found], axis=0), rtol=1e-10)


# ---- the optimum ----


@pytest.mark.parametrize(("k", "l2"), [(1, 0.1), (3, 1.0), (10, 0.02), (100, 0.0)])
@pytest.mark.parametrize("tol", [1e-2, 1e-5])
def test_the_slope_is_no_longer_than_tol_at_the_end(data: Dataset, k: int, l2: float, tol: float) -> None:
    scorer, watch = fit_cps(data, CpsSettings(k=k, l2=l2, tol=tol))
    value, slope = mean_recounted(data, scorer.weights, k, l2)
    assert np.abs(scorer.weights).max() > 0.1
    assert watch.stopped == "converged"
    assert watch.history[-1].gradient_norm <= tol
    assert np.linalg.norm(slope) <= tol * (1 + 1e-6)
    assert watch.best is not None
    assert watch.best.objective == min(step.objective for step in watch.history) == pytest.approx(value, rel=1e-11)
    assert watch.history[0].objective == pytest.approx(mean_recounted(data, np.zeros(4), k, l2)[0], rel=1e-12)


def test_starting_from_the_optimum_stops_at_once(data: Dataset) -> None:
    first, cold = fit_cps(data, CpsSettings(tol=1e-5))
    again, warm = fit_cps(data, CpsSettings(tol=1e-5), start=first.weights)
    assert cold.history[-1].iteration > 1
    assert (len(warm.history), warm.stopped) == (1, "converged")
    np.testing.assert_array_equal(again.weights, first.weights)


def test_any_start_leads_to_the_same_optimum_and_is_not_written_to(data: Dataset) -> None:
    start = np.array([2.0, -3.0, 0.0, 1.0])
    found = fit_cps(data, CpsSettings(tol=1e-6, l2=0.1), start=start)[0].weights
    assert start.tolist() == [2.0, -3.0, 0.0, 1.0]
    np.testing.assert_allclose(found, fitted(data, tol=1e-6, l2=0.1), atol=2e-5)


def test_a_larger_k_and_a_larger_l2_change_the_outcome(data: Dataset) -> None:
    by_k = [fitted(data, k=k, tol=1e-6) for k in (1, 4, 8)]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(by_k, 2)) > 0.01
    np.testing.assert_allclose(by_k[-1], fitted(data, k=50, tol=1e-6), atol=3e-6)  # the last of 9 has no choice left
    lengths = [float(np.linalg.norm(fitted(data, l2=l2, tol=1e-6))) for l2 in (0.0, 0.1, 1.0, 100.0)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < 0.5 * lengths[0]


def test_documents_below_the_top_may_be_in_any_order(data: Dataset) -> None:
    np.testing.assert_allclose(fitted(data, k=3), fitted(data.top_k(3), k=3), rtol=1e-12)
    assert np.linalg.norm(fitted(data, k=8) - fitted(data.top_k(3), k=8)) > 0.01


def test_labels_without_preference_teach_nothing(data: Dataset) -> None:
    for l2 in (0.0, 1.0):
        scorer, watch = fit_cps(data.with_labels(np.ones(data.n_rows)), CpsSettings(l2=l2))
        np.testing.assert_array_equal(scorer.weights, 0.0)
        assert (watch.stopped, watch.history[-1].objective) == ("converged", 0.0)


def test_a_constant_feature_gets_no_weight(data: Dataset) -> None:
    table = data.features.copy()
    table[:, 1] = np.repeat(np.arange(12), 9)  # constant within each query
    for l2 in (0.0, 1.0):
        weights = fitted(Dataset.from_arrays(table, data.labels, offsets=data.offsets), l2=l2, tol=1e-6)
        assert abs(weights[1]) < 1e-9
        assert (np.abs(weights[[0, 2, 3]]) > 1e-3).all()


def test_a_rising_transform_of_features_changes_no_bit_of_the_fit(data: Dataset) -> None:
    other = Dataset.from_arrays(data.features.astype(np.float64) ** 3 * [1, 10, 2, 5] - 3, data.labels, offsets=data.offsets)
    assert ranks_of(other.features, other.offsets).tolist() == ranks_of(data.features, data.offsets).tolist()
    np.testing.assert_array_equal(fitted(other), fitted(data))


@pytest.mark.parametrize("k", [2, 7])
def test_data_drawn_from_the_model_give_its_weights_back(k: int) -> None:
    true = np.array([0.9, 0.4, -0.5])
    drawn = plain_cps.draw(true, 500, 7, seed=6)
    found = fitted(drawn, k=k, l2=0.0, tol=1e-6)
    at_fit, at_truth = (mean_recounted(drawn, theta, k, 0.0)[0] for theta in (found, true))
    assert np.sign(found).tolist() == [1, 1, -1]
    assert np.argsort(found).tolist() == np.argsort(true).tolist()
    assert at_fit < at_truth
    assert 2 * 500 * (at_truth - at_fit) < 16.3  # χ² of 3 degrees is above that once in 1000


# ---- ties ----


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[Floats]:
    """Every tie-breaking that a training draws."""
    seen: list[Floats] = []
    draw = passes.break_ties

    def recorded(labels: Floats, offsets: Ints, *, seed: int) -> Floats:
        seen.append(draw(labels, offsets, seed=seed))
        return seen[-1]

    monkeypatch.setattr(passes, "break_ties", recorded)
    return seen


def test_breaking_ties_is_fitting_on_labels_with_ties_broken(tied: Dataset) -> None:
    broken = fitted(tied, seed=7, ties="break")
    np.testing.assert_array_equal(broken, fitted(tied.break_ties(seed=7), ties="keep"))
    assert (broken != fitted(tied, seed=7, ties="keep")).any()
    assert (broken != fitted(tied, seed=8, ties="break")).any()


def test_averaging_over_orders_minimises_the_mean_over_them(tied: Dataset, orders: list[Floats]) -> None:
    start = np.array([0.7, -0.2, 0.4])
    scorer, watch = fit_cps(tied, CpsSettings(k=4, l2=0.3, ties="average", orders=4, tol=1e-6), seed=3, start=start)
    assert len({labels.tobytes() for labels in orders}) == len(orders) == 4
    truths = [tied.with_labels(labels) for labels in orders]
    before = np.mean([mean_recounted(one, start, 4, 0.3)[0] for one in truths])
    assert watch.history[0].objective == pytest.approx(before, rel=1e-11)
    slope = np.mean([mean_recounted(one, scorer.weights, 4, 0.3)[1] for one in truths], axis=0)
    np.testing.assert_allclose(slope, 0.0, atol=2e-6)
    np.testing.assert_array_equal(fitted(tied, seed=3, ties="average", orders=1), fitted(tied, seed=3, ties="break"))


def test_labels_without_ties_are_the_same_however_ties_are_treated(data: Dataset) -> None:
    for ties in ("break", "average"):
        np.testing.assert_array_equal(fitted(data, ties=ties, seed=5), fitted(data))


def test_resampling_is_refused(tied: Dataset) -> None:
    with pytest.raises(DataError, match="ties=resample draws a new truth every iteration, which lbfgs cannot follow; choose ties=average"):
        fit_cps(tied, CpsSettings(ties="resample"))


# ---- the same bits ----


@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_bit_of_the_fit() -> None:
    full = podium.synthetic(130, 40, 3)
    tied, found = full.with_labels(np.ceil(full.labels / 9)), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(tied.offsets, 1_000)) == number
        scorer, watch = fit_cps(tied, CpsSettings(k=12, ties="average", orders=2, tol=1e-6), seed=4)
        found.append((scorer.weights.tobytes(), repr(watch.history)))
    assert (scorer.weights != 0).all()
    assert len(set(found)) == 1


# ---- validation, patience, callbacks, interrupts ----


def test_patience_keeps_the_best_on_validation() -> None:
    whole = podium.synthetic(46, 10, 3, seed=9)
    noise = np.random.default_rng(1).normal(size=(whole.n_rows, 12)).astype(np.float32)
    wide = Dataset.from_arrays(np.hstack([whole.features, noise]), whole.labels, offsets=whole.offsets)
    train, other = wide.select_queries(slice(0, 6)), wide.select_queries(slice(6, None))
    scorer, watch = fit_cps(train, CpsSettings(l2=0.0, tol=0.0, patience=4), validation=Validation(other, "ndcg@3"))
    values = [step.validation or 0.0 for step in watch.history]
    assert watch.best is not None
    assert watch.best.iteration == values.index(max(values))
    assert (watch.stopped, len(values) - 1) == ("patience", watch.best.iteration + 4)
    by_hand = measures.get("ndcg@3")(scorer.scores(other.features, other.offsets), other.labels, other.offsets)
    assert measures.mean(by_hand) == max(values)


def test_patience_without_validation_and_other_unfit_data_are_refused(data: Dataset) -> None:
    with pytest.raises(DataError, match="patience needs validation data"):
        fit_cps(data, CpsSettings(patience=3))
    with pytest.raises(DataError, match="validation data has 3 features, training data 4"):
        fit_cps(data, validation=Validation(data.select_features([0, 1, 2])))
    with pytest.raises(DataError, match=r"there is nothing to learn from: Dataset\("):
        fit_cps(Dataset.from_arrays(np.zeros((0, 3))))
    table = data.features.copy()
    table[17, 2] = np.nan
    with pytest.raises(DataError, match="row 17, column 2 is; fill them first"):
        fit_cps(Dataset.from_arrays(table, data.labels, offsets=data.offsets))
    for start in (np.zeros(3), np.array([0, 0, 0, np.nan])):
        with pytest.raises(DataError, match="to start from a model, it must have 4 finite weights"):
            fit_cps(data, start=start)


def interrupt_at(iteration: int) -> Callable[[Step], None]:
    def callback(step: Step) -> None:
        if step.iteration == iteration:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("iteration", [0, 2])
def test_an_interrupt_keeps_the_best_so_far_and_so_does_a_callback_that_stops(iteration: int, data: Dataset) -> None:
    scorer, watch = fit_cps(data, CpsSettings(tol=0.0), callback=interrupt_at(iteration))
    assert watch.summary()["stopped"] == "interrupt"
    assert watch.history[-1].iteration == iteration
    assert (scorer.weights != 0).all() == (iteration > 0)
    stopped, told = fit_cps(data, CpsSettings(tol=0.0), callback=lambda step: step.iteration == iteration)
    assert told.stopped == "callback"
    np.testing.assert_array_equal(scorer.weights, stopped.weights)
    assert watch.best is not None
    assert watch.best.objective == pytest.approx(mean_recounted(data, scorer.weights, 10, 1.0)[0], rel=1e-11)
    if iteration:
        assert fit_cps(data, CpsSettings(tol=0.0, max_iter=iteration))[1].stopped == "max_iter"
        np.testing.assert_array_equal(fitted(data, tol=0.0, max_iter=iteration), scorer.weights)


def test_an_interrupt_before_anything_was_seen_is_passed_on(tied: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(passes, "break_ties", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit_cps(tied, CpsSettings(ties="break"))
