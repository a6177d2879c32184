"""FocusedNet: values worked by hand, and its two ends."""

from __future__ import annotations

from math import e, log

import numpy as np
import pytest
from tests.losses.by_hand import LN2, LN3, LN4, approx, cost, output, random_query

SCORES = [0.0, LN3, LN2, LN4]  # weights 1, 3, 2, 4


def test_both_terms_are_divided_by_what_equal_scores_cost() -> None:
    chance = e**2 / (e**2 + e)  # labels 2 and 1 inside the top
    inside = chance * log(4 / 3) + (1 - chance) * log(4 / 1)
    apart = log(1 + 2 / 3) + log(1 + 4 / 3) + log(1 + 2) + log(1 + 4)
    assert cost("focused-net", SCORES, [3, 4, 1, 2], k=2, balance=0.25) == approx(0.25 * inside / LN2 + 0.75 * apart / (4 * LN2))


def test_a_top_without_order_has_no_list_term() -> None:
    apart = log(1 + 2) + log(1 + 4) + log(1 + 2 / 3) + log(1 + 4 / 3)
    assert cost("focused-net", SCORES, [2, 2, 1, 0], k=1, balance=0.25) == approx(0.75 * apart / (4 * LN2))
    assert cost("focused-net", SCORES, [2, 2, 1, 0], k=1, balance=1.0) == 0


def test_one_row_on_top_has_no_list_term() -> None:
    assert cost("focused-net", SCORES, [2, 1, 1, 0], k=1, balance=0.5) == approx(0.5 * (log(4) + log(3) + log(5)) / (3 * LN2))


def test_a_top_of_everything_has_no_pair_term() -> None:
    chance = e / (e + 1)
    assert cost("focused-net", [0.0, LN3], [1, 0], k=2, balance=0.4) == approx(0.4 * (chance * LN4 + (1 - chance) * log(4 / 3)) / LN2)
    assert cost("focused-net", [0.0, LN3], [1, 0], k=2, balance=0.0) == 0


def test_a_tie_at_the_very_bottom_is_the_rest_whatever_k() -> None:
    labels = [2, 1, 0, 0]
    assert cost("focused-net", SCORES, labels, k=9, balance=0.5) == approx(cost("focused-net", SCORES, labels, k=2, balance=0.5))


def test_rows_that_tie_inside_the_top_share_the_higher_label() -> None:
    chances = np.array([e**2, e**2, 1]) / (2 * e**2 + 1)  # labels 3, 3, 1 inside the top
    inside = chances @ [log(6 / 1), log(6 / 3), log(6 / 2)]
    assert cost("focused-net", SCORES, [2, 2, 1, 0], k=3, balance=1.0) == approx(inside / LN3)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_at_balance_0_it_is_the_logistic_loss_between_top_and_rest(k: int) -> None:
    scores, labels = random_query(7)
    on_top = (labels >= 7 - k).astype(float)
    focused, pairs = output("focused-net", scores, labels, k=k, balance=0.0), output("pairwise-logistic", scores, on_top)
    unit = k * (7 - k) * LN2
    for part in ("per_query", "gradient", "curvature"):
        np.testing.assert_allclose(getattr(focused, part), getattr(pairs, part) / unit, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_at_balance_1_it_is_listnet_inside_the_top(k: int) -> None:
    scores, labels = random_query(7)
    top = labels >= 7 - k
    focused, inside = output("focused-net", scores, labels, k=k, balance=1.0), output("listnet", scores[top], labels[top])
    assert focused.per_query[0] == approx(inside.per_query[0] / log(k))
    assert focused.gradient[top].tolist() == approx(list(inside.gradient / log(k)))
    assert focused.curvature[top].tolist() == approx(list(inside.curvature / log(k)))
    assert not focused.gradient[~top].any()
