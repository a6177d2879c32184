"""Losses over whole lists: values worked by hand, ties, and how the losses contain one another."""

from __future__ import annotations

import math
from math import e, log, sqrt

import numpy as np
import pytest
from tests.losses.by_hand import LN2, LN3, LN4, LN5, approx, bend, cost, output, random_query, slope


def assert_equal_outputs(a, b) -> None:
    for part in ("per_query", "gradient", "curvature"):
        np.testing.assert_allclose(getattr(a, part), getattr(b, part), rtol=1e-11, atol=1e-14)


# ---- ListMLE ----


def test_listmle_draws_the_best_then_the_next() -> None:
    scores = [0.0, LN3, LN2]  # weights 1, 3, 2; true order: row 1, row 0, row 2
    assert cost("listmle", scores, [1, 2, 0]) == approx(log(6 / 3) + log(3 / 1))
    assert slope("listmle", scores, [1, 2, 0]) == approx([1 / 6 + 1 / 3 - 1, 3 / 6 - 1, 2 / 6 + 2 / 3])
    assert bend("listmle", scores, [1, 2, 0]) == approx([5 / 36 + 2 / 9, 1 / 4, 8 / 36 + 2 / 9])


def test_rows_that_tie_compete_with_the_rows_strictly_below_only() -> None:
    scores = [LN2, LN3, 0.0]
    assert cost("listmle", scores, [1, 1, 0]) == approx(log((2 + 1) / 2) + log((3 + 1) / 3))
    assert cost("listmle", scores, [1, 0, 0]) == approx(log(6 / 2))
    assert slope("listmle", scores, [1, 1, 0]) == approx([-1 / 3, -1 / 4, 1 / 3 + 1 / 4])


def test_top_k_listmle_draws_k_times() -> None:
    scores = [0.0, LN3, LN2, LN4]  # weights 1, 3, 2, 4
    assert cost("top-k-listmle", scores, [3, 4, 1, 2], k=2) == approx(log(10 / 3) + log(7 / 1))


def test_rows_that_tie_across_place_k_are_all_drawn() -> None:
    scores = [0.0, LN3, LN2, LN4]
    assert cost("top-k-listmle", scores, [2, 1, 1, 0], k=2) == approx(log(10 / 1) + log((3 + 4) / 3) + log((2 + 4) / 2))
    assert cost("top-k-listmle", scores, [2, 1, 1, 0], k=1) == approx(log(10 / 1))


@pytest.mark.parametrize("labels", [[3, 1, 0, 2, 4], [2, 1, 1, 0, 0], [1, 0, 1, 0, 1]])
@pytest.mark.parametrize("k", [5, 6, 100])
def test_top_k_listmle_with_k_of_at_least_n_is_listmle(labels: list[float], k: int) -> None:
    scores, _ = random_query(5)
    assert_equal_outputs(output("top-k-listmle", scores, labels, k=k), output("listmle", scores, labels))


@pytest.mark.parametrize("k", [1, 2, 4])
def test_listmle_on_top_k_labels_is_top_k_listmle(k: int) -> None:
    scores, labels = random_query(6)
    top_k_labels = np.maximum(k - (labels.max() - labels), 0)
    assert_equal_outputs(output("listmle", scores, top_k_labels), output("top-k-listmle", scores, labels, k=k))


# ---- ListNet ----


def test_listnet_is_the_cross_entropy_of_being_first() -> None:
    scores, labels = [0.0, LN4], [LN3, 0.0]  # chances 1/5, 4/5 and 3/4, 1/4
    assert cost("listnet", scores, labels) == approx(-(3 / 4 * log(1 / 5) + 1 / 4 * log(4 / 5)))
    assert slope("listnet", scores, labels) == approx([1 / 5 - 3 / 4, 4 / 5 - 1 / 4])
    assert bend("listnet", scores, labels) == approx([4 / 25, 4 / 25])


def test_top_k_listnet_makes_labels_count_down_from_k() -> None:
    chances = np.array([e**2, 1, e, 1]) / (e**2 + e + 2)  # labels 2, 0, 1, 0
    assert cost("top-k-listnet", [0.0, LN2, 0.0, 0.0], [9, 3, 5, 4], k=2) == approx(chances @ [LN5, LN5 - LN2, LN5, LN5])


def test_rows_that_tie_share_the_higher_top_k_label() -> None:
    chances = np.array([e**2, e**2, 1]) / (2 * e**2 + 1)
    assert cost("top-k-listnet", [LN2, 0.0, LN2], [5, 5, 1], k=2) == approx(chances @ [LN5 - LN2, LN5, LN5 - LN2])


def test_a_tie_at_the_very_bottom_is_the_rest_whatever_k() -> None:
    chances = np.array([e**3, 1, 1]) / (e**3 + 2)  # labels 3, 0, 0 and not 3, 2, 2
    assert cost("top-k-listnet", [LN2, 0.0, LN2], [5, 1, 1], k=3) == approx(chances @ [LN5 - LN2, LN5, LN5 - LN2])


def test_one_row_at_the_very_bottom_is_on_top_if_k_reaches_it() -> None:
    chances = np.array([e**2, e, 1]) / (e**2 + e + 1)  # labels 3, 2, 1
    assert cost("top-k-listnet", [LN2, 0.0, LN2], [5, 3, 1], k=3) == approx(chances @ [LN5 - LN2, LN5, LN5 - LN2])


def test_exact_listnet_of_two_rows_is_listnet() -> None:
    assert_equal_outputs(output("listnet-exact", [0.3, -1.1], [2, 0.5]), output("listnet", [0.3, -1.1], [2, 0.5]))


def test_exact_listnet_goes_through_all_orders() -> None:
    labels = [LN2, 0.0, 0.0]  # weights 2, 1, 1: orders that begin with row 0 have chance 1/4 each, the four others 1/4 * 2/3 or 1/4 * 1/3
    scores = [0.0, LN3, 0.0]  # weights 1, 3, 1
    orders = {(0, 1, 2): 1 / 4, (0, 2, 1): 1 / 4, (1, 0, 2): 1 / 6, (1, 2, 0): 1 / 12, (2, 0, 1): 1 / 6, (2, 1, 0): 1 / 12}
    weight = [1, 3, 1]
    surprise = {order: log(5 / weight[order[0]]) + log((5 - weight[order[0]]) / weight[order[1]]) for order in orders}
    assert cost("listnet-exact", scores, labels) == approx(sum(orders[order] * surprise[order] for order in orders))


def test_exact_listnet_serves_twelve_documents() -> None:
    assert cost("listnet-exact", [0.0] * 12, range(12)) == approx(log(math.factorial(12)))


# ---- RankCosine ----


def test_rankcosine_is_half_of_one_minus_the_cosine() -> None:
    assert cost("rankcosine", [3.0, 4.0], [1, 2]) == approx((1 - 11 / (5 * sqrt(5))) / 2)
    assert slope("rankcosine", [3.0, 4.0], [0, 1]) == approx([4 * 3 / 250, (4 * 4 - 25) / 250])
    assert cost("rankcosine", [1.0, 2.0], [-1, -2]) == approx(1)


def test_rankcosine_of_zero_scores_is_a_half_and_has_no_slope() -> None:
    for name in ("rankcosine", "top-k-rankcosine"):
        out = output(name, [0.0, -0.0, 0.0], [3, 1, 2])
        assert out.per_query.tolist() == [0.5]
        assert not out.gradient.any()
        assert not out.curvature.any()


def test_rankcosine_where_it_bends_down_says_that_it_does_not_bend() -> None:
    assert bend("rankcosine", [1.0, 0.0], [-1, 0]) == [0, 0]  # the cosine is -1, at a maximum of the loss


def test_top_k_rankcosine_gives_the_rest_its_own_number() -> None:
    psi = np.array([2, 0.5, 1, 0.5])
    assert cost("top-k-rankcosine", [3.0, 4.0, 0.0, 0.0], [9, 3, 5, 4], k=2, rest=0.5) == approx((1 - 8 / (5 * np.linalg.norm(psi))) / 2)


def test_top_k_rankcosine_gives_rows_that_tie_the_higher_label() -> None:
    assert cost("top-k-rankcosine", [3.0, 4.0, 0.0], [1, 1, 0], k=1) == approx((1 - 7 / (5 * sqrt(2))) / 2)  # labels 1, 1, 0
    assert cost("top-k-rankcosine", [3.0, 4.0, 0.0], [1, 0, 0], k=3) == approx((1 - 3 / 5) / 2)  # labels 3, 0, 0
