"""Truths of an experiment."""

from __future__ import annotations

import numpy as np
import pytest

from podium import Dataset, UnknownName
from podium.experiments.truths import as_truth


@pytest.fixture
def graded() -> Dataset:
    """Two queries whose grades leave much open."""
    return Dataset.from_arrays(np.zeros((9, 1)), y=[1, 0, 1, 1, 0, 2, 2, 2, 0], qid=list("aaaaabbbb"))


def test_labels_given_are_left_as_they_are(graded: Dataset) -> None:
    assert as_truth(graded, "given", k=2, seed=5) is graded


@pytest.mark.parametrize("seed", range(5))
def test_the_top_k_is_the_top_of_the_full_order_for_every_k(graded: Dataset, seed: int) -> None:
    full = as_truth(graded, "full", k=1, seed=seed).labels
    sizes = np.repeat([5, 4], [5, 4])
    assert sorted(full[:5]) == [1, 2, 3, 4, 5]
    for k in (1, 2, 3, 10):
        position = sizes + 1 - full  # 1 for the best of each query
        np.testing.assert_array_equal(as_truth(graded, "top-k", k=k, seed=seed).labels, np.maximum(k + 1 - position, 0))


def test_an_order_agrees_with_the_grades_and_differs_from_seed_to_seed(graded: Dataset) -> None:
    orders = {tuple(as_truth(graded, "full", k=1, seed=seed).labels.tolist()) for seed in range(20)}
    assert len(orders) > 10
    for order in orders:
        assert sorted(np.array(order)[[1, 4]]) == [1, 2], "the two of grade 0 come last in the first query"
        assert order[8] == 1


def test_an_unknown_truth_is_refused_with_the_known_ones(graded: Dataset) -> None:
    with pytest.raises(UnknownName, match=r"unknown truth 'topk'; did you mean 'top-k'\? choose from full, given, top-k"):
        as_truth(graded, "topk", k=1, seed=0)
