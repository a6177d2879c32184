"""Cost-sensitive ListMLE: values worked by hand."""

from __future__ import annotations

from math import log, log2

import numpy as np
import pytest
from tests.losses import plain
from tests.losses.by_hand import LN2, LN3, approx, cost, output

from podium.losses import get


def test_pairs_weigh_what_they_cost() -> None:
    c0, c1 = 3 * LN2 / (2 * LN2**2), 1 * LN2 / (3 * LN3**2)  # gains 3 and 1 at ranks 1 and 2; the third has gain 0
    dcg = 3 / log2(2) + 1 / log2(3)
    first, second = (c0 + c1) + c0, c1
    scores = [0.0, LN2, LN3]
    inside = ((c0 + c1) * 2 + c0 * 3) / first
    assert cost("cs-listmle", scores, [2, 1, 0], k=3) == approx((first * log2(1 + inside) + second * log2(1 + 3 / 2)) / dcg)


def test_ranks_beyond_k_cost_nothing() -> None:
    c0 = 3 * LN2 / (2 * LN2**2)
    assert cost("cs-listmle", [0.0, LN2, LN3], [2, 1, 0], k=1) == approx(2 * c0 * log2(1 + (2 + 3) / 2) / 3)


def test_rows_that_tie_share_a_rank_and_make_no_pair() -> None:
    c = LN2 / (2 * LN2**2)  # both have gain 1 and rank 1, so DCG@1 counts both
    assert cost("cs-listmle", [0.0, LN2, LN3], [1, 1, 0], k=1) == approx((c * log2(1 + 3) + c * log2(1 + 3 / 2)) / 2)


def test_a_thousand_labels_do_not_overflow() -> None:
    labels, scores = np.arange(3000.0), np.linspace(0, 1, 3000)
    out = output("cs-listmle", scores, labels, k=1)
    c = LN2 / (2 * LN2**2)
    inside = np.exp(scores[:-1] - scores[-1]).mean()
    assert out.per_query[0] == approx(2999 * c * log(1 + inside) / LN2)
    assert np.isfinite(out.gradient).all()


@pytest.mark.parametrize(
    ("scores", "labels"), [([0.0, -290.0, 0.0], [1000.0, 3.0, 0.0]), ([0.0, 40.0, -40.0, 0.0], [1000.0, 3.0, 2.0, 0.0])]
)
def test_costs_too_small_for_doubles_do_no_harm(scores: list[float], labels: list[float]) -> None:
    found = get("cs-listmle", k=10)(scores, labels, [0, len(scores)])
    exact = plain.slopes("cs-listmle", scores, labels, digits=700, k=10)
    assert found.per_query[0] == pytest.approx(float(exact.value), rel=1e-8)
    np.testing.assert_allclose(found.gradient, [float(slope) for slope in exact[1]], rtol=1e-8, atol=1e-15)


def test_a_full_order_of_fifteen_hundred_documents_is_finite() -> None:
    random = np.random.default_rng(0)
    out = get("cs-listmle", k=2000)(3 * random.standard_normal(1500), random.permutation(1500), [0, 1500])
    for values in (out.per_query, out.gradient, out.curvature):
        assert np.isfinite(values).all()
