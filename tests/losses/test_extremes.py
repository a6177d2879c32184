"""Scores far apart, or far from 0: every loss stays finite and keeps its digits, against a reference of 400 digits."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from tests.losses import plain
from tests.losses.by_hand import approx, output

from podium.losses import LOSSES, LossOutput, get

DIGITS = 400  # e^-708 is 1e-308, and slopes lose 30 digits to differences
LARGEST = np.finfo(float).max
SPREADS = [299.9, 300.1, 700.0, 710.0, 1000.0, 2e4]  # around the switch to logarithms, around the end of doubles, and far
PATTERNS = {
    "right way round": [1.0, 0.6, 0.59, 0.0],
    "wrong way round": [0.0, 0.3, 0.31, 1.0],
    "mixed, with a tie": [0.5, 1.0, 0.0, 0.5],
}
LABELS = {"full order": [3.0, 2.0, 1.0, 0.0], "ties": [2.0, 1.0, 1.0, 0.0], "a tie for first": [1.0, 1.0, 0.0, 0.0]}
over_the_table = pytest.mark.parametrize("name", LOSSES)


def assert_agrees(found: LossOutput, exact: plain.Slopes, *, is_cut: bool) -> None:
    steepest = 1e300  # where the slopes of the exponential loss end, a little before its value does
    gradient, curvature = (np.array([np.clip(float(number), -steepest, steepest) for number in numbers]) for numbers in exact[1:])
    assert found.per_query[0] == pytest.approx(float(exact.value), rel=1e-8, abs=1e-300)
    np.testing.assert_allclose(found.gradient, gradient, rtol=1e-8, atol=1e-15 + 1e-8 * np.abs(gradient).max())
    assert np.isfinite(found.curvature).all()
    assert (found.curvature >= 0).all()
    expected = np.maximum(curvature, 0) if is_cut else curvature
    np.testing.assert_allclose(found.curvature, expected, rtol=1e-8, atol=1e-11 + 1e-8 * np.abs(expected).max())


def assert_agrees_or_saturates(name: str, scores: list[float], labels: list[float]) -> None:
    loss = get(name, **({"k": 2} if "k" in LOSSES[name].settings else {}))
    found, settings = loss(scores, labels, [0, len(scores)]), dict(loss.settings)
    if name == "pairwise-exponential" and plain.value(name, scores, labels, plain.EXACT) > mpmath.exp(709):
        assert_saturates(found, scores, labels)
        return
    exact = plain.slopes(name, scores, labels, digits=DIGITS, **settings)
    assert not found.is_saturated[0]
    assert_agrees(found, exact, is_cut=name in {"rankcosine", "top-k-rankcosine", "hom-gg"})


def assert_saturates(found: LossOutput, scores: list[float], labels: list[float]) -> None:
    """At the largest double; slopes and curvatures up to e^600 keep their digits, beyond the slope has the right sign and ends at 1e300."""
    assert found.per_query[0] == LARGEST
    assert found.is_saturated[0]
    assert np.abs(found.gradient).max() <= 1e300
    assert found.curvature.max() <= 1e300
    for i, label in enumerate(labels):
        rise = mpmath.fsum(mpmath.exp(mpmath.mpf(scores[i]) - scores[j]) for j in range(len(labels)) if labels[j] > label)
        fall = mpmath.fsum(mpmath.exp(mpmath.mpf(scores[j]) - scores[i]) for j in range(len(labels)) if labels[j] < label)
        assert mpmath.sign(found.gradient[i]) == mpmath.sign(rise - fall) or abs(rise - fall) < 1e-300, i
        if rise + fall < mpmath.exp(600):
            assert found.gradient[i] == pytest.approx(float(rise - fall), rel=1e-8, abs=1e-15)
            assert found.curvature[i] == pytest.approx(float(rise + fall), rel=1e-8, abs=1e-15)


@over_the_table
@pytest.mark.parametrize("spread", SPREADS)
def test_scores_far_apart_keep_their_digits(name: str, spread: float) -> None:
    for pattern, labels in itertools.product(PATTERNS.values(), LABELS.values()):
        if spread in {300.1, 2e4} or labels is LABELS["ties"]:
            assert_agrees_or_saturates(name, [spread * (share - 0.5) for share in pattern], labels)


@over_the_table
@pytest.mark.parametrize("height", [1e4, -1e4])
def test_scores_far_from_0_keep_their_digits(name: str, height: float) -> None:
    for pattern, labels in itertools.product(PATTERNS.values(), LABELS.values()):
        assert_agrees_or_saturates(name, [height + 2.1 * share for share in pattern], labels)


@over_the_table
def test_two_tight_groups_far_apart_keep_their_digits(name: str) -> None:
    assert_agrees_or_saturates(name, [1e4, -1e4, 1e4 - 0.75, -1e4 + 0.5], [2.0, 1.0, 0.0, 3.0])


@over_the_table
@pytest.mark.parametrize("scores", [[1e300, -1e300, 0.0, 1e300], [0.0, 1e300, 1e300, 5.0], [-1e300, 0.0, 1.0, 1e300]])
def test_scores_of_any_size_have_finite_values_and_slopes(name: str, scores: list[float]) -> None:
    for labels in LABELS.values():
        out = output(name, scores, labels)
        assert np.isfinite(out.per_query).all()
        assert np.isfinite(out.gradient).all()
        assert np.isfinite(out.curvature).all()
        assert (out.per_query >= 0).all()
        assert (out.curvature >= 0).all()


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"rankcosine", "top-k-rankcosine"}))  # whose slopes fall with the size of scores
def test_a_tight_group_very_far_from_0_keeps_its_digits(name: str) -> None:
    near, far = ([base, base, 0.0] for base in (1e9, 1e16))
    labels = [2.0, 1.0, 0.0]
    np.testing.assert_allclose(output(name, far, labels).gradient, output(name, near, labels).gradient, atol=1e-12)
    np.testing.assert_allclose(output(name, far, labels).curvature, output(name, near, labels).curvature, atol=1e-12)


def test_a_cosine_has_no_size() -> None:
    exact = (1 - 1 / 2**0.5) / 2  # labels (1, 0), scores along (1, 1)
    for size in (1e-310, 1.0, 1.7e308):
        out = get("rankcosine")([size, size], [1, 0], [0, 2])
        assert out.per_query[0] == approx(exact)
        assert np.isfinite(out.gradient).all()
        assert np.isfinite(out.curvature).all()


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"rankcosine", "top-k-rankcosine"}))
def test_a_value_beyond_the_largest_double_is_that_double(name: str) -> None:
    out = output(name, [1.7e308, -1.7e308, 0.0], [0.0, 2.0, 1.0])
    assert out.per_query[0] == LARGEST
    assert out.is_saturated[0]
    assert np.isfinite(out.gradient).all()


def test_tiny_labels_weigh_as_their_ratios_say() -> None:
    small, plain_ones = (get("cs-listmle")([0.0, 1.0], [best, 0.0], [0, 2]).per_query[0] for best in (1e-17, 1.0))
    assert small == approx(plain_ones)


def test_the_exponential_loss_says_where_it_saturates() -> None:
    out = get("pairwise-exponential")([0.0, 1.0, 0.0, 800.0, 800.0, 0.0], [1, 0] * 3, [0, 2, 4, 6])
    assert out.is_saturated.tolist() == [False, True, False]
    assert out.per_query.tolist() == [approx(np.e), LARGEST, 0.0]
    assert out.gradient.tolist() == [approx(-np.e), approx(np.e), -1e300, 1e300, 0.0, 0.0]
