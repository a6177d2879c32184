"""The bundle method by itself, on planes that are no ranker's: its bound, and the lowest point of a model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.training import planes
from tests.training.planes import minimum

from podium.ragged import Floats
from podium.training.bundle import least_of_planes, minimise


def risk_of(groups: list[planes.Group]) -> Callable[[Floats], tuple[float, Floats]]:
    """Σ mass · max(0, planes), and the slope of the highest."""

    def risk(weights: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros(len(weights))
        for group in groups:
            values = group.slopes @ weights + group.heights
            if values.max() > 0:
                value, slope = value + group.mass * values.max(), slope + group.mass * group.slopes[np.argmax(values)]
        return value, slope

    return risk


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("has_metric", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_at_every_look_the_bound_rises_and_stays_below_the_optimum(seed: int, C: float, has_metric: bool) -> None:
    random = np.random.default_rng(seed)
    groups = [planes.Group(1 / 9, random.normal(size=(6, 4)), random.normal(size=6)) for _ in range(9)]
    exact, _ = minimum([planes.Group(C / 9, group.slopes, group.heights) for group in groups])
    seen: list[tuple[float, float, float]] = []

    def see(weights: Floats, value: float, bound: float, gap: float) -> bool:
        assert value == pytest.approx(0.5 * weights @ weights + C * risk_of(groups)(weights)[0], rel=1e-12)
        seen.append((value, bound, gap))
        return False

    weights, reason = minimise(risk_of(groups), np.ones(4), C, (np.eye(4), np.ones(4)) if has_metric else None, 1e-4, 300, see)
    assert reason == "converged"
    for number, (value, bound, gap) in enumerate(seen):
        least = min(value for value, _, _ in seen[: number + 1])
        assert bound <= exact * (1 + 1e-7) + 1e-12
        assert value >= exact * (1 - 1e-7)
        assert gap == pytest.approx(max(least - bound, 0.0) / least, abs=1e-12)
        assert (gap <= 1e-4) == (number == len(seen) - 1)
    bounds = [bound for _, bound, _ in seen]
    assert bounds == sorted(bounds)
    assert 0.5 * weights @ weights + C * risk_of(groups)(weights)[0] == min(value for value, _, _ in seen)


def assert_are_best_shares(slopes: Floats, heights: Floats, C: float, shares: Floats, slack: float) -> None:
    """½ |w|² + C max(…) less its dual is Σ share · (highest - own height): what the slack allows, and what shares up to C round to."""
    weights = -(shares @ slopes)
    values = slopes @ weights + heights
    value = 0.5 * weights @ weights + C * values.max()
    dual = heights @ shares - 0.5 * weights @ weights
    rounding = 2e-14 * C * (np.abs(heights).max() + C * (slopes**2).sum(axis=1).max())
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(C, rel=1e-12)
    assert value - dual <= C * slack + rounding


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("kind", ["any", "twice", "twice but for rounding", "dependent", "in a corner"])
def test_the_lowest_point_of_some_planes_is_found(kind: str, C: float) -> None:
    for seed in range(15):
        random = np.random.default_rng(seed)
        count, width = int(random.integers(1, 25)), int(random.integers(1, 8))
        slopes, heights = random.normal(size=(count, width)), random.normal(size=count)
        if kind.startswith("twice"):
            slopes, heights = np.repeat(slopes, 2, axis=0), np.repeat(heights, 2)
            heights = heights * (1 + 1e-15 * random.normal(size=len(heights))) if kind != "twice" else heights
        elif kind == "dependent":
            shares = random.dirichlet(np.ones(count), size=count)
            slopes, heights = np.vstack([slopes, shares @ slopes]), np.append(heights, shares @ heights)
        elif kind == "in a corner":  # all through one point
            heights = -(slopes @ random.normal(size=width))
        slopes, heights = np.vstack([np.zeros(width), slopes]), np.append(0.0, heights)
        slack, half = 1e-9, len(heights) // 2 + 1
        cold = least_of_planes(slopes, heights, C, np.zeros(1), slack)
        assert_are_best_shares(slopes, heights, C, cold, slack)
        part = least_of_planes(slopes[:half], heights[:half], C, np.zeros(1), slack)
        assert_are_best_shares(slopes[:half], heights[:half], C, part, slack)
        assert_are_best_shares(slopes, heights, C, least_of_planes(slopes, heights, C, part, slack), slack)


def test_the_lowest_point_of_two_planes_is_where_they_meet_or_where_one_has_it() -> None:
    slopes, heights = np.array([[0.0], [-2.0]]), np.array([0.0, 1.0])  # max(0, 1 - 2w), which meet at 1/2
    assert least_of_planes(slopes, heights, 1.0, np.zeros(1), 0.0) == pytest.approx([3 / 4, 1 / 4])  # w = 2 · 1/4
    assert least_of_planes(slopes, heights, 0.1, np.zeros(1), 0.0) == pytest.approx([0.0, 0.1])  # w = 2 · 0.1, on the slope
    assert least_of_planes(slopes, -heights, 1.0, np.zeros(1), 0.0) == pytest.approx([1.0, 0.0])  # at 0 the flat one is higher


def test_a_look_beyond_all_doubles_is_a_bad_step_and_no_plane() -> None:
    def risk(weights: Floats) -> tuple[float, Floats]:
        looks.append(weights)
        if len(looks) == 3:
            return float(np.finfo(np.float64).max), np.full(2, 1e300)
        return float(np.abs(weights - 1).sum()), np.sign(weights - 1)

    looks: list[Floats] = []
    found, reason = minimise(risk, np.zeros(2), 10.0, None, 1e-3, 200)
    assert reason == "converged"
    np.testing.assert_allclose(found, 1.0, atol=0.05)  # ½ |w|² + 10 |w - 1|: w = 1
