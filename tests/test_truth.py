"""From grades to an order to its top k (SPEC, section 1)."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError
from podium.ragged import Floats, Ints, offsets_of
from podium.truth import break_ties, has_ties, top_k, true_order

Labelled = tuple[Floats, Ints]

GRADES = st.integers(-1, 3)


@st.composite
def labelled(draw, label=GRADES, unique=False) -> Labelled:
    queries = draw(st.lists(st.lists(label, max_size=6, unique=unique), min_size=1, max_size=4))
    return np.array([y for query in queries for y in query], float), offsets_of(map(len, queries))


def queries(values: Floats, offsets: Ints) -> list[list[float]]:
    return [values[begin:end].tolist() for begin, end in itertools.pairwise(offsets)]


def test_the_best_k_have_labels_k_down_to_1_and_the_rest_0() -> None:
    assert top_k(np.array([5.0, 9, 7, 1, 3]), np.array([0, 5]), 3, seed=0).tolist() == [1, 3, 2, 0, 0]


def test_with_fewer_than_k_documents_the_best_still_has_label_k() -> None:
    assert top_k(np.array([5.0, 9, 2]), np.array([0, 2, 3]), 10, seed=0).tolist() == [9, 10, 10]


def test_a_full_order_goes_from_n_down_to_1_in_every_query() -> None:
    assert break_ties(np.array([0.5, -2, 7, 1, 0]), np.array([0, 3, 3, 5]), seed=0).tolist() == [2, 1, 3, 2, 1]


@given(truth=labelled(), seed=st.integers(0, 99))
def test_a_broken_tie_never_turns_a_preference_round(truth: Labelled, seed: int) -> None:
    for before, after in zip(queries(*truth), queries(break_ties(*truth, seed=seed), truth[1]), strict=True):
        assert sorted(after) == list(range(1, len(before) + 1))
        assert all(after[a] > after[b] for a in range(len(before)) for b in range(len(before)) if before[a] > before[b])


@given(truth=labelled(), k=st.integers(1, 7), seed=st.integers(0, 99))
def test_the_top_k_are_the_first_k_of_the_full_order_of_the_same_seed(truth: Labelled, k: int, seed: int) -> None:
    orders = queries(break_ties(*truth, seed=seed), truth[1])
    for order, top in zip(orders, queries(top_k(*truth, k, seed=seed), truth[1]), strict=True):
        position = [len(order) + 1 - y for y in order]
        assert top == [max(k + 1 - place, 0) for place in position]


@given(truth=labelled(), seed=st.integers(0, 99))
def test_the_true_order_lists_every_row_of_its_query_best_first(truth: Labelled, seed: int) -> None:
    labels, offsets = truth
    order = true_order(labels, offsets, seed=seed)
    for rows, own in zip(queries(order, offsets), queries(np.arange(len(labels)), offsets), strict=True):
        assert sorted(rows) == own
        assert all(labels[a] >= labels[b] for a, b in itertools.pairwise(rows))


@given(truth=labelled(label=st.floats(-1e9, 1e9), unique=True), k=st.integers(1, 7))
def test_labels_without_ties_give_the_same_for_every_seed(truth: Labelled, k: int) -> None:
    assert len({tuple(break_ties(*truth, seed=seed)) for seed in range(5)}) == 1
    assert len({tuple(top_k(*truth, k, seed=seed)) for seed in range(5)}) == 1


@given(truth=labelled(), seed=st.integers(0, 99))
def test_one_seed_gives_one_result(truth: Labelled, seed: int) -> None:
    assert break_ties(*truth, seed=seed).tolist() == break_ties(*truth, seed=seed).tolist()
    assert top_k(*truth, 2, seed=seed).tolist() == top_k(*truth, 2, seed=seed).tolist()


def chi_square(counts: Counter[tuple[float, ...]], n_outcomes: int) -> float:
    expected = counts.total() / n_outcomes
    assert len(counts) == n_outcomes
    return sum((count - expected) ** 2 / expected for count in counts.values())


def test_ties_are_broken_uniformly() -> None:
    """Three of four tie: 3! orders, 2400 draws. χ² with 5 degrees of freedom passes 20.5 once in a thousand times."""
    labels, offsets = np.array([1.0, 4, 1, 1]), np.array([0, 4])
    drawn = Counter(tuple(break_ties(labels, offsets, seed=seed)) for seed in range(2400))
    assert all(order[1] == 4 for order in drawn)
    assert chi_square(drawn, n_outcomes=6) < 20.5


def test_the_top_k_is_drawn_uniformly_among_equals() -> None:
    """The first two of four equals: 4·3 outcomes. χ² with 11 degrees of freedom passes 31.3 once in a thousand times."""
    labels, offsets = np.zeros(4), np.array([0, 4])
    drawn = Counter(tuple(top_k(labels, offsets, 2, seed=seed)) for seed in range(2400))
    assert chi_square(drawn, n_outcomes=12) < 31.3


def test_queries_are_drawn_independently() -> None:
    """Two queries of two equals each: 4 outcomes in one draw. χ² with 3 degrees of freedom passes 16.3 once in a thousand times."""
    drawn = Counter(tuple(break_ties(np.zeros(4), np.array([0, 2, 4]), seed=seed)) for seed in range(2400))
    assert chi_square(drawn, n_outcomes=4) < 16.3


@pytest.mark.parametrize("k", [0, -1])
def test_a_top_of_less_than_one_document_is_refused(k: int) -> None:
    with pytest.raises(DataError, match=f"k must be 1 or more, got {k}"):
        top_k(np.array([1.0]), np.array([0, 1]), k, seed=0)


@given(truth=labelled())
def test_ties_are_two_equal_labels_in_one_query(truth: Labelled) -> None:
    assert has_ties(*truth).tolist() == [len(set(query)) < len(query) for query in queries(*truth)]


def test_equal_labels_at_the_border_of_two_queries_are_no_tie() -> None:
    assert has_ties(np.array([2.0, 1, 1, 0]), np.array([0, 2, 4])).tolist() == [False, False]
    assert has_ties(np.array([0.0, -0.0]), np.array([0, 2])).tolist() == [True]


def test_no_queries_and_empty_queries_have_no_labels_and_no_ties() -> None:
    nothing = np.empty(0)
    for offsets in (np.array([0]), np.array([0, 0, 0])):
        assert len(break_ties(nothing, offsets, seed=0)) == len(top_k(nothing, offsets, 3, seed=0)) == 0
        assert has_ties(nothing, offsets).tolist() == [False] * (len(offsets) - 1)


def test_labels_are_left_as_they_are() -> None:
    labels = np.array([1.0, 1.0, 0.0])
    labels.flags.writeable = False
    assert sorted(top_k(labels, np.array([0, 3]), 1, seed=3)) == [0, 0, 1]
