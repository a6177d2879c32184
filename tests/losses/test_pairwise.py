"""Pairwise losses: values worked by hand, and what they are on top-k labels."""

from __future__ import annotations

from math import e, exp, log, log1p

import numpy as np
import pytest
from tests.losses import plain
from tests.losses.by_hand import LN2, LN3, approx, bend, cost, random_query, slope

from podium.losses import get

TERMS = {
    "pairwise-hinge": lambda d: max(0, 1 - d),
    "pairwise-exponential": lambda d: exp(-d),
    "pairwise-logistic": lambda d: log1p(exp(-d)),
}
over_the_terms = pytest.mark.parametrize(("name", "term"), TERMS.items(), ids=TERMS)


def test_hinge_adds_what_margins_fall_short_of_1() -> None:
    assert cost("pairwise-hinge", [0.5, 0.0, 2.0], [2, 1, 0]) == approx((1 - 0.5) + (1 + 1.5) + (1 + 2))
    assert slope("pairwise-hinge", [0.5, 0.0, 2.0], [2, 1, 0]) == [-2, 1 - 1, 2]
    assert bend("pairwise-hinge", [0.5, 0.0, 2.0], [2, 1, 0]) == [0, 0, 0]


def test_hinge_is_flat_where_the_margin_is_exactly_1() -> None:
    assert cost("pairwise-hinge", [1.0, 0.0], [1, 0]) == 0
    assert slope("pairwise-hinge", [1.0, 0.0], [1, 0]) == [0, 0]
    assert slope("pairwise-hinge", [np.nextafter(1.0, 0.0), 0.0], [1, 0]) == [-1, 1]


def test_exponential_adds_e_to_the_minus_margin() -> None:
    scores = [0.0, LN2, LN3]
    assert cost("pairwise-exponential", scores, [2, 1, 0]) == approx(2 + 3 + 3 / 2)
    assert slope("pairwise-exponential", scores, [2, 1, 0]) == approx([-2 - 3, 2 - 3 / 2, 3 + 3 / 2])
    assert bend("pairwise-exponential", scores, [2, 1, 0]) == approx([2 + 3, 2 + 3 / 2, 3 + 3 / 2])


def test_logistic_adds_the_surprise_at_each_preference() -> None:
    assert cost("pairwise-logistic", [LN3, 0.0], [0, 1]) == approx(log(1 + 3))
    assert slope("pairwise-logistic", [LN3, 0.0], [0, 1]) == approx([3 / 4, -3 / 4])
    assert bend("pairwise-logistic", [LN3, 0.0], [0, 1]) == approx([3 / 16, 3 / 16])


@over_the_terms
def test_equal_labels_make_no_pair(name: str, term) -> None:
    assert cost(name, [0.3, -0.4, 1.0], [1, 1, 0]) == approx(term(0.3 - 1) + term(-0.4 - 1))
    assert cost(name, [0.3, -0.4, 1.0], [1, 0, 0]) == approx(term(0.3 + 0.4) + term(0.3 - 1))


@pytest.mark.parametrize("k", [1, 3, 7])
@over_the_terms
def test_on_top_k_labels_the_better_is_on_top_and_the_other_anywhere_below(name: str, term, k: int) -> None:
    scores, labels = random_query(7)
    order = np.argsort(-labels)
    top_k_labels = np.zeros(7)
    top_k_labels[order[:k]] = np.arange(k, 0, -1)
    pairs = [(order[j], order[t]) for j in range(k) for t in range(j + 1, 7)]  # paper 000, Eq. 7
    assert cost(name, scores, top_k_labels) == approx(sum(term(scores[j] - scores[t]) for j, t in pairs))


def test_more_than_five_hundred_better_rows_are_served_like_few() -> None:
    n = 1100
    scores, labels = random_query(n)
    found = get("pairwise-logistic")(scores * 3, labels, [0, n])
    assert found.per_query[0] == pytest.approx(plain.value("pairwise-logistic", (scores * 3).tolist(), labels.tolist()), rel=1e-11)
    margins = 3 * (scores[:, None] - scores)
    chances = (labels[:, None] > labels) / (1 + np.exp(margins))
    np.testing.assert_allclose(found.gradient, chances.sum(axis=0) - chances.sum(axis=1), rtol=1e-10, atol=1e-10)


def test_equal_scores_that_are_the_wrong_way_round_stay_so_at_any_height() -> None:
    assert cost("pairwise-exponential", [1e4, 1e4 + 1], [1, 0]) == approx(e)
    assert cost("pairwise-logistic", [-1e4, -1e4], [1, 0]) == approx(LN2)
