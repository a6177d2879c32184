"""The objective of :mod:`podium.labelling.bradley_terry` and the way up to its maximum: Newton's steps, halved until they climb."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from podium.errors import PodiumError
from podium.labelling.counts import Counts

if TYPE_CHECKING:
    from podium.ragged import Floats

__all__ = ["Problem", "climb"]

_WEAK = 3.0  # sd of the priors of β and log ν: odds of 1 to 20 are one sd away; so both exist if all judgments fell one way
_NEVER = -1e300  # the logarithm of the weight of what never happens: finite, as 0 times -inf is no number
_TOLERANCE = 1e-10  # of the gradient, per judgment of the item that has most
_MOST_STEPS, _MOST_HALVINGS = 200, 60


class Problem:
    """The objective above as a function of one vector: u = s - m of every item, then β, then log ν.

    What is not asked for does not move: β has the factor 0, and ν the weight 0; their priors then keep them at 0.
    """

    def __init__(self, counts: Counts, mean: Floats, sd: float, side_bias: bool) -> None:
        self.n, (self.first, self.second, self.outcomes) = len(mean), counts
        self.wins, self.losses, self.ties = counts.outcomes.T
        self.judgments = counts.outcomes.sum(axis=1)
        self.has_ties = bool(self.ties.any())
        self.prior_gap = mean[counts.first] - mean[counts.second]
        self.side = 1.0 if side_bias else 0.0
        self.precision = np.append(np.full(self.n, sd**-2.0), [_WEAK**-2.0] * 2)
        # Shifting all scores changes no likelihood; where no prior does it, -(Σu)²/2n holds the mean at 0 and shifts nothing else.
        self.pull = 1.0 / self.n if math.isinf(sd) else 0.0

    def at(self, point: Floats) -> tuple[float, Floats]:
        """The value, and the probability of each outcome of each pair (3 x pairs)."""
        u, log_tie = point[: self.n], point[-1]
        half = (self.prior_gap + u[self.first] - u[self.second] + self.side * point[-2]) / 2
        logs = np.stack([half, -half, np.full_like(half, log_tie if self.has_ties else _NEVER)])
        logs -= logs.max(axis=0)
        weights = np.exp(logs)
        total = weights.sum(axis=0)
        likelihood = (self.outcomes.T * (logs - np.log(total))).sum()  # of one sign all, so that nothing cancels
        penalty = self.precision @ point**2 + self.pull * u.sum() ** 2
        return float(likelihood - penalty / 2), weights / total

    def gradient(self, point: Floats, chances: Floats) -> Floats:
        first, second, tie = chances
        by_gap = (self.wins - self.losses - self.judgments * (first - second)) / 2
        slope = np.append(self._per_item(by_gap, -by_gap), [self.side * by_gap.sum(), (self.ties - self.judgments * tie).sum()])
        slope -= self.precision * point
        slope[: self.n] -= self.pull * point[: self.n].sum()
        return slope

    def negative_hessian(self, chances: Floats) -> Floats:
        """Per pair the covariance of the outcome's slopes in d (½, -½, 0) and in log ν (0, 0, 1), without a difference that cancels."""
        first, second, tie = chances
        gap = self.judgments * (4 * first * second + tie * (first + second)) / 4
        mixed = self.judgments * (second - first) * tie / 2
        n, side = self.n, self.side
        curve = np.diag(self.precision)
        curve[:n, :n] += self.pull
        np.add.at(curve, (self.first, self.second), -gap)
        np.add.at(curve, (self.second, self.first), -gap)
        curve[range(n), range(n)] += self._per_item(gap, gap)
        curve[:n, n] = curve[n, :n] = side * self._per_item(gap, -gap)
        curve[:n, n + 1] = curve[n + 1, :n] = self._per_item(mixed, -mixed)
        curve[n, n] += side * gap.sum()
        curve[n, n + 1] = curve[n + 1, n] = side * mixed.sum()
        curve[n + 1, n + 1] += (self.judgments * tie * (1 - tie)).sum()
        return curve

    def _per_item(self, of_first: Floats, of_second: Floats) -> Floats:
        counted = np.bincount(self.first, of_first, self.n) + np.bincount(self.second, of_second, self.n)
        return np.asarray(counted, dtype=np.float64)

    def scale(self) -> float:
        """The judgments of the item that has most."""
        return float(1 + self._per_item(self.judgments, self.judgments).max(initial=0.0))


def climb(problem: Problem) -> tuple[Floats, Floats, int]:
    """The maximum, the negative Hessian there and the steps taken: Newton's steps, halved until they climb (Armijo's rule)."""
    point = np.zeros(problem.n + 2)
    value, chances = problem.at(point)
    target = _TOLERANCE * problem.scale()
    for steps in range(_MOST_STEPS):
        slope, curve = problem.gradient(point, chances), problem.negative_hessian(chances)
        if np.abs(slope).max() <= target:
            return point, curve, steps
        direction = np.asarray(np.linalg.solve(curve, slope), dtype=np.float64)
        point, value, chances = _step(problem, point, value, slope, direction)
    raise PodiumError(
        f"the fit of {problem.judgments.sum():.0f} judgments of {problem.n} items has not converged: after {_MOST_STEPS} steps the "
        f"gradient is {np.abs(slope).max():.3g}, not below {target:.3g}; give a smaller sd"
    )


def _step(problem: Problem, point: Floats, value: float, slope: Floats, direction: Floats) -> tuple[Floats, float, Floats]:
    promised, rounding = 1e-4 * float(slope @ direction), 1e-13 * (1 + abs(value))
    for halvings in range(_MOST_HALVINGS):
        size = 0.5**halvings
        reached, chances = problem.at(point + size * direction)
        if reached >= value + size * promised - rounding:
            break
    return point + size * direction, reached, chances
