"""What makes L-BFGS fast: a metric from the loss's curvatures, and a rehearsal on some of the queries. Neither moves the optimum."""

from __future__ import annotations

import itertools
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import threadpoolctl

from podium import Dataset, losses, set_threads, synthetic
from podium.scaling import lines_of
from podium.training.metric import newton_metric, principal_of, sample
from podium.training.passes import Pass
from podium.training.smooth import SmoothSettings, fit_linear
from podium.training.watching import Validation


@pytest.fixture(scope="module")
def many() -> Dataset:
    """So many queries that some of them are rehearsed on."""
    return synthetic(3000, 8, 3, seed=3)


def test_a_sample_is_all_of_few_queries_and_some_of_many(many: Dataset) -> None:
    assert sample(np.array([0, 5, 9])).tolist() == [0, 1]
    assert len(sample(np.arange(0, 2_000_001, 1000))) * 1000 <= 2 * 16_384
    assert len(sample(many.offsets)) * 8 <= many.n_queries


def test_at_equal_scores_the_metric_makes_listnet_equally_curved_in_all_directions() -> None:
    data = synthetic(30, 50, 4, seed=0)
    mixed = data.features @ np.array([[1, 0.9, 0, 0], [0, 0.1, 5, 0], [0, 0, 1, 0.99], [0, 0, 0, 0.01]], np.float32)  # correlated
    loss, lines = losses.get("listnet"), lines_of(mixed, data.offsets, "none")
    one = Pass(mixed, loss, loss.prepare(data.labels, data.offsets), lines)
    metric = newton_metric(one, np.zeros(4), l2=0.01)
    assert metric is not None
    hessian = np.zeros((4, 4))  # at equal scores: the mean over queries of the covariance of features, and the penalty
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        hessian += np.cov(mixed[begin:end].T.astype(np.float64), bias=True) / data.n_queries
    hessian += 0.01 * np.eye(4)
    np.testing.assert_allclose(metric.T @ hessian @ metric, np.eye(4), atol=0.03)  # curvatures are p (1 - p), not p: 1 in 50 less


@pytest.mark.parametrize("name", ["listmle", "top-k-listmle", "pairwise-logistic", "hom-oo"])
def test_a_rehearsal_leaves_the_optimum_where_it_is(name: str, many: Dataset) -> None:
    settings = SmoothSettings(tol=1e-7, l2=0.01)
    scorer, rehearsed = fit_linear(many, losses.get(name), settings)
    other, plain = fit_linear(many, losses.get(name), settings, start=np.zeros(3))
    np.testing.assert_allclose(scorer.weights, other.weights, rtol=1e-5)
    assert rehearsed.stopped == plain.stopped == "converged"
    assert rehearsed.history[0].objective < plain.history[0].objective  # it begins closer
    assert len(rehearsed.history) <= len(plain.history)


def test_early_stopping_and_warm_starts_are_not_rehearsed(many: Dataset) -> None:
    begun = fit_linear(many, losses.get("listmle"), SmoothSettings(max_iter=1), start=np.zeros(3))[1].history[0]
    validation = Validation(many.select_queries(slice(0, 5)))
    seen = fit_linear(many, losses.get("listmle"), SmoothSettings(max_iter=1, patience=1), validation=validation)[1].history[0]
    assert seen.objective == begun.objective


def test_the_number_of_threads_changes_no_bit_of_a_rehearsed_fit(many: Dataset) -> None:
    found = []
    try:
        for number in (1, 2, 3):
            set_threads(number)
            found.append(fit_linear(many, losses.get("hom-og"))[0].weights.tobytes())
    finally:
        set_threads(None)
    assert len(set(found)) == 1


def test_strongly_correlated_features_take_few_iterations() -> None:
    data = synthetic(60, 40, 8, seed=0)
    mixing = np.eye(8) + 30 * np.ones((8, 8))
    mixed = Dataset.from_arrays(data.features @ mixing.astype(np.float32), data.labels, offsets=data.offsets)
    watch = fit_linear(mixed, losses.get("listmle"), SmoothSettings(l2=0.0, scaling="standard"))[1]
    assert watch.stopped == "converged"
    assert watch.history[-1].iteration <= 30


def test_constant_features_and_queries_without_preference_do_no_harm() -> None:
    features = np.array([[1, 5], [2, 5], [3, 5], [4, 5]], np.float32)
    data = Dataset.from_arrays(features, [0, 1, 1, 1], ["a", "a", "b", "b"])
    scorer, watch = fit_linear(data, losses.get("listmle"), SmoothSettings(l2=0.1, scaling="none"))
    assert watch.stopped == "converged"
    assert scorer.weights[0] > 0
    assert abs(scorer.weights[1]) < 1e-12


@pytest.mark.parametrize(("rows", "features", "size"), [(100, 600, 1.0), (70_000, 2, 1.0), (20, 2, 1e30)])
def test_where_a_metric_would_cost_too_much_or_has_no_double_there_is_none(rows: int, features: int, size: float) -> None:
    table = np.random.default_rng(0).random((rows, features), np.float32) * np.float32(size)
    loss = losses.get("pairwise-exponential")
    labels = -table[:, 0].astype(np.float64)
    one = Pass(table, loss, loss.prepare(labels, [0, rows]), lines_of(table, np.array([0, rows]), "none"))
    with np.errstate(all="ignore"):
        metric = newton_metric(one, np.ones(features), l2=0.1)
    assert metric is None


def test_thousands_of_features_take_no_square_of_memory() -> None:
    table = np.random.default_rng(0).random((40, 20_000), np.float32)
    data = Dataset.from_arrays(table, table[:, 0], qid=np.repeat(np.arange(4), 10))
    tracemalloc.start()
    try:
        for l1 in (0.0, 0.1):
            fit_linear(data, losses.get("listmle"), SmoothSettings(max_iter=2, l1=l1, scaling="none"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 * 2**20  # a square of doubles would have 3 GB


def test_fits_at_once_leave_the_number_of_blas_threads_as_it_was(many: Dataset) -> None:
    def limits() -> list[int]:
        return [one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]

    before = limits()
    with ThreadPoolExecutor(3) as pool:
        weights = list(pool.map(lambda _: fit_linear(many, losses.get("listmle"))[0].weights.tobytes(), range(9)))
    assert limits() == before
    assert len(set(weights)) == 1


@pytest.mark.parametrize("width", [3, 40, 1600])
def test_the_principal_directions_are_those_of_the_covariance_within_queries(width: int) -> None:
    """ListNet at equal scores: a row's chance is 1/n, its curvature (1 - 1/n)/n; rows are centred by query, and queries weigh the same."""
    random, sizes = np.random.default_rng(width), [7, 1, 5, 9]
    data = Dataset.from_arrays(random.normal(size=(sum(sizes), width)), random.integers(0, 5, sum(sizes)), np.repeat(range(4), sizes))
    loss = losses.get("listnet")
    one = Pass(data.features, loss, loss.prepare(data.labels, data.offsets), lines_of(data.features, data.offsets, "none"))
    found = principal_of(one, np.zeros(width))
    assert found is not None
    directions, bends = found
    expected = np.zeros((width, width))
    for a, b in itertools.pairwise(data.offsets):
        rows = data.features[a:b].astype(np.float64)
        centred = rows - rows.mean(axis=0)
        expected += centred.T @ centred * (1 - 1 / len(rows)) / len(rows) / 4
    np.testing.assert_allclose((directions * bends) @ directions.T, expected, atol=1e-9)
    np.testing.assert_allclose(directions.T @ directions, np.eye(directions.shape[1]), atol=1e-9)
