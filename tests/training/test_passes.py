"""A pass over the features: the mean loss and its slope by weight."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from tests.training import explicit

import podium
from podium import Dataset, losses
from podium.losses import LOSSES, Loss
from podium.ragged import Floats, offsets_of, spans
from podium.scaling import SCALINGS, lines_of
from podium.training.passes import Pass

SOME = {
    "listmle": losses.get("listmle"),
    "hom-og": losses.get("hom-og", k=3),
    "rankcosine": losses.get("rankcosine"),
    "pairwise-exponential": losses.get("pairwise-exponential"),
    "cs-listmle": losses.get("cs-listmle", k=4),
}
over_losses = pytest.mark.parametrize("name", SOME)
over_scalings = pytest.mark.parametrize("scaling", SCALINGS)


def made(sizes: list[int], width: int, seed: int) -> Dataset:
    """Grades, some of them tied; columns of several scales and places, and the second constant."""
    random, rows = np.random.default_rng(seed), sum(sizes)
    table = random.normal(size=(rows, width)) * random.choice([0.1, 1.0, 3.0], width) + random.normal(size=width)
    table[:, 1:2] = 0.7
    return Dataset.from_arrays(table.astype(np.float32), random.integers(0, 4, rows), offsets=offsets_of(sizes))


def pass_of(data: Dataset, loss: Loss, scaling: str) -> Pass:
    return Pass(data.features, loss, loss.prepare(data.labels, data.offsets), lines_of(data.features, data.offsets, scaling))


def assert_agree(found: tuple[float, Floats], expected: tuple[float, Floats]) -> None:
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-8, atol=1e-9 * (1 + np.abs(expected[1]).max(initial=0)))


@over_losses
@over_scalings
@given(sizes=st.lists(st.integers(0, 11), min_size=1, max_size=6), width=st.sampled_from([1, 2, 3, 4, 5, 46]), seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_a_pass_is_the_loss_of_scaled_features_by_the_chain_rule(name: str, scaling: str, sizes: list[int], width: int, seed: int) -> None:
    data = made(sizes, width, seed)
    weights = np.random.default_rng([seed, 1]).normal(size=width) / np.sqrt(width)
    assert_agree(pass_of(data, SOME[name], scaling)(weights), explicit.mean_loss(data, SOME[name], weights, scaling))


@over_scalings
@given(picks=st.lists(st.integers(0, 6), max_size=9))
@settings(max_examples=40)
def test_a_pass_over_some_queries_is_their_mean_in_any_order_and_number(scaling: str, picks: list[int]) -> None:
    data, loss, queries = made([5, 0, 1, 7, 2, 4, 9], 3, seed=0), SOME["listmle"], np.array(picks, np.int64)
    weights = np.array([0.3, -1.0, 0.8])
    assert_agree(pass_of(data, loss, scaling)(weights, queries), explicit.mean_loss(data, loss, weights, scaling, queries))


@pytest.mark.parametrize("name", LOSSES)
def test_the_slope_of_every_loss_is_that_of_its_mean(name: str) -> None:
    data, loss = made([6, 0, 3, 1, 9], 3, seed=4), losses.get(name)
    one, weights = pass_of(data, loss, "standard"), np.array([0.4, 0.0, -0.3])
    slope = [(one(weights + nudge)[0] - one(weights - nudge)[0]) / 2e-6 for nudge in 1e-6 * np.eye(3)]
    assert np.abs(slope).max() > 1e-3
    np.testing.assert_allclose(one(weights)[1], slope, atol=1e-6)


@pytest.mark.parametrize("n_queries", [1, 63, 64, 65, 130])
def test_queries_beyond_the_number_of_partial_sums_all_count(n_queries: int) -> None:
    data, loss, weights = made([3] * n_queries, 2, seed=n_queries), SOME["listmle"], np.array([1.0, 2.0])
    assert_agree(pass_of(data, loss, "none")(weights), explicit.mean_loss(data, loss, weights, "none"))


def test_queries_without_rows_cost_nothing_but_count() -> None:
    loss, weights = SOME["listmle"], np.array([0.5, 1.0, 1.5])
    full, gaps = made([4, 4], 3, seed=1), made([0, 4, 0, 4], 3, seed=1)
    value, slope = pass_of(full, loss, "standard")(weights)
    half, half_slope = pass_of(gaps, loss, "standard")(weights)
    assert half == pytest.approx(value / 2)
    np.testing.assert_allclose(half_slope, slope / 2)


def test_features_of_another_layout_give_the_same_bits() -> None:
    data, loss, weights = made([7, 5], 6, seed=2), SOME["listmle"], np.arange(6.0)
    value, slope = pass_of(data, loss, "minmax")(weights)
    for table in (np.asfortranarray(data.features), np.repeat(data.features, 2, axis=0)[::2]):
        other = Pass(table, loss, loss.prepare(data.labels, data.offsets), lines_of(data.features, data.offsets, "minmax"))
        assert other(weights)[0] == value
        np.testing.assert_array_equal(other(weights)[1], slope)


@pytest.mark.parametrize("scaling", ["standard", "zscore"])
@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_bit(scaling: str) -> None:
    sizes = np.random.default_rng(0).integers(0, 800, 90).tolist()
    data, weights, some = made(sizes, 5, seed=3), np.array([0.1, 0.2, -0.3, 0.4, 0.5]), np.arange(0, 90, 2)[::-1].copy()
    assert data.n_rows > 30_000
    found = []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(data.offsets, 10_000)) == number
        one = pass_of(data, SOME["listmle"], scaling)
        found.append([np.append(gradient, value) for value, gradient in (one(weights), one(weights, some))])
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
