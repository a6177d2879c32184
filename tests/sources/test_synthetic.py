"""The synthetic collection."""

from __future__ import annotations

import numpy as np
import pytest

import podium
from podium import DataError, measures, synthetic
from podium.sources.synthetic import _positions


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads() -> None:
    try:
        podium.set_threads(1)
        one = synthetic(9, 30, 5, seed=3)
        podium.set_threads(4)
        four = synthetic(9, 30, 5, seed=3)
    finally:
        podium.set_threads(None)
    assert one.features.tobytes() == four.features.tobytes()
    assert one.labels.tobytes() == four.labels.tobytes()
    assert not synthetic(9, 30, 5, seed=4).equals(one)


def test_more_queries_leave_the_first_ones_as_they_were() -> None:
    assert synthetic(6, 20, 5, seed=1).select_queries(slice(0, 4)).equals(synthetic(4, 20, 5, seed=1))


def test_the_truth_of_every_query_is_a_full_order() -> None:
    data = synthetic(5, 40, 6, seed=0)
    for _, part in data.queries():
        assert sorted(part.labels.tolist()) == list(range(1, 41))


def test_features_lie_between_0_and_1_within_each_query() -> None:
    data = synthetic(5, 40, 12, seed=0)
    assert data.features.min() == 0.0
    assert data.features.max() == 1.0
    assert data.equals(data.normalise("minmax"))


def test_at_one_temperature_the_order_is_drawn_from_the_plackett_luce_model() -> None:
    utility, draws = np.log([5.0, 3.0, 2.0]), 20_000
    generator = np.random.default_rng(0)
    orders = [tuple(_positions(utility, 1.0, 1.0, generator).astype(int)) for _ in range(draws)]
    for order, probability in {(0, 1, 2): 5 / 10 * 3 / 5, (1, 0, 2): 3 / 10 * 5 / 7, (2, 1, 0): 2 / 10 * 3 / 8}.items():
        spread = 4 * np.sqrt(probability * (1 - probability) / draws)
        assert abs(orders.count(order) / draws - probability) < spread


def test_noise_grows_down_the_list() -> None:
    """Of a utility that falls evenly, the drawn order keeps the first ranks closer to their places than the middle ones."""
    utility, generator = np.linspace(5, -5, 160), np.random.default_rng(0)
    shifts = np.mean([np.abs(_positions(utility, 0.1, 2.0, generator) - np.arange(160)) for _ in range(200)], axis=0)
    assert shifts[:10].mean() < shifts[20:40].mean() < shifts[60:100].mean()


def test_features_tell_something_of_the_order_and_no_single_one_tells_all() -> None:
    data = synthetic(60, 100, 46, seed=0).top_k(10)
    found = [measures.mean(measures.evaluate("k-ndcg@10", column, data.labels, data.offsets)["k-ndcg@10"]) for column in data.features.T]
    guess = np.random.default_rng(0).random(data.n_rows)
    chance = measures.mean(measures.evaluate("k-ndcg@10", guess, data.labels, data.offsets)["k-ndcg@10"])
    assert 3 * chance < max(found) < 0.6


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"queries": 0}, "queries must be 1"),
        ({"features": 0}, "features must be 1"),
        ({"noise": 0}, "noise must be above 0, got 0"),
        ({"noise": float("inf")}, "noise must be above 0, got inf"),
        ({"noise_growth": 0.9}, "noise_growth must be 1 or more, got 0.9"),
        ({"interaction": 2}, "interaction must be within 0..1, got 2"),
        ({"queries": 10**20}, "queries times documents times features must be at most"),
    ],
)
def test_impossible_sizes_are_refused(arguments: dict[str, float], said: str) -> None:
    with pytest.raises(DataError, match=said):
        synthetic(**{"queries": 2, "documents": 5, "features": 3, **arguments})  # type: ignore[arg-type]
