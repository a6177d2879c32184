"""Hierarchical ordering models: values worked by hand, and where they meet."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from tests.losses.by_hand import LN2, LN3, LN4, approx, cost, output, random_query, slope

SCORES = [0.0, LN3, LN2, LN4]  # weights 1, 3, 2, 4


def test_hom_gg_draws_the_top_as_a_group() -> None:
    assert cost("hom-gg", SCORES, [3, 4, 1, 2], k=2) == approx(log(10 / (3 + 1)) + log((3 + 1) / 3))
    assert slope("hom-gg", SCORES, [3, 4, 1, 2], k=2) == approx([1 / 10, 3 / 10 - 1, 2 / 10, 4 / 10])


def test_hom_oo_sets_each_against_each() -> None:
    apart = log(1 + 2 / 3) + log(1 + 4 / 3) + log(1 + 2 / 1) + log(1 + 4 / 1)
    assert cost("hom-oo", SCORES, [3, 4, 1, 2], k=2) == approx(apart + log(4 / 3))


def test_hom_og_sets_each_against_the_rest_as_a_group() -> None:
    assert cost("hom-og", SCORES, [3, 4, 1, 2], k=2) == approx(log((3 + 6) / 3) + log((1 + 6) / 1) + log(4 / 3))


def test_ties_inside_the_top_state_no_preference() -> None:
    labels = [2, 2, 1, 0]  # with k = 1 the first two are on top
    assert cost("hom-gg", SCORES, labels, k=1) == approx(log(10 / 4))
    assert cost("hom-oo", SCORES, labels, k=1) == approx(log(1 + 2) + log(1 + 4) + log(1 + 2 / 3) + log(1 + 4 / 3))
    assert cost("hom-og", SCORES, labels, k=1) == approx(log(7 / 1) + log(9 / 3))


def test_rows_that_tie_across_place_k_are_all_on_top() -> None:
    labels = [2, 1, 1, 0]
    assert cost("hom-gg", SCORES, labels, k=2) == approx(log(10 / 6) + log(6 / 1))
    assert cost("hom-og", SCORES, labels, k=2) == approx(log(5 / 1) + log(7 / 3) + log(6 / 2) + log(6 / 1))
    assert cost("hom-gg", SCORES, labels, k=1) == approx(log(10 / 1))


@pytest.mark.parametrize("k", [2, 3, 4, 10])
def test_a_tie_at_the_very_bottom_is_the_rest_whatever_k(k: int) -> None:
    labels = [2, 1, 0, 0]
    assert cost("hom-oo", SCORES, labels, k=k) == approx(log(1 + 2) + log(1 + 4) + log(1 + 2 / 3) + log(1 + 4 / 3) + log(4 / 1))
    assert cost("hom-og", SCORES, labels, k=k) == approx(log(7) + log(9 / 3) + log(4 / 1))


@pytest.mark.parametrize("name", ["hom-gg", "hom-oo", "hom-og"])
def test_a_full_order_with_k_of_at_least_n_is_listmle(name: str) -> None:
    scores, labels = random_query(5)
    assert cost(name, scores, labels, k=5) == approx(cost("listmle", scores, labels))
    assert cost(name, scores, labels, k=50) == approx(cost("listmle", scores, labels))


@pytest.mark.parametrize("name", ["top-k-listmle", "hom-gg", "hom-og"])
def test_at_one_on_top_it_is_softmax_cross_entropy(name: str) -> None:
    scores, labels = random_query(6)
    chances = np.exp(scores) / np.exp(scores).sum()
    best = np.arange(6) == labels.argmax()
    out = output(name, scores, labels, k=1)
    assert out.per_query[0] == approx(-log(chances[best][0]))
    assert out.gradient.tolist() == approx(list(chances - best))
    assert out.curvature.tolist() == approx(list(chances * (1 - chances)))
