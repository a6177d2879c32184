r"""The conditional risk Q(p, g) = Σ_y p_y φ(g, y) and its minimisers (paper 004, section 4.1).

How a minimum is decided. In the spaces tried enough orders have a chance that no minimiser is at infinity. Smooth losses: BFGS from scores
that have everything the wrong way round; scores are then right to about 1e-6. RankCosine has no scale and is not convex: it has two
starts, and its minimiser is a direction, scaled to length 1.
Piecewise linear losses have whole sets of minimisers: cutting planes (each slope of a convex loss is a plane below it) bound the risk from
below until the bound is met, once over all scores, once over those that put some worse document above a better one, and once over those
that tie them. If a later minimum is no higher, minimising the risk does not settle the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.optimize import linprog, minimize

from podium.ragged import Floats
from podium.theory.facts import LossCall
from podium.theory.lists import losses_of
from podium.theory.spaces import Pair

__all__ = ["Minimum", "Planes", "Risk", "lowest", "risk_of", "smallest_risk"]

_BOX = 30.0
_EXACT = 1e-9


@final
@dataclass(frozen=True)
class Risk:
    """Expected loss over orders that may be the truth."""

    loss: LossCall
    labels: Floats
    chances: Floats

    def __call__(self, scores: Floats) -> tuple[float, Floats]:
        values, slopes = losses_of(self.loss, np.broadcast_to(scores, self.labels.shape), self.labels)
        return float(self.chances @ values), np.asarray(self.chances @ slopes)


def risk_of(loss: LossCall, labels: Floats, chances: Floats) -> Risk:
    """Orders that the labels do not tell apart are taken together; those without a chance are left out."""
    distinct, which = np.unique(labels, axis=0, return_inverse=True)
    together: Floats = np.bincount(which.reshape(-1), weights=chances, minlength=len(distinct)).astype(float)
    return Risk(loss, np.ascontiguousarray(distinct[together > 0]), together[together > 0])


@final
@dataclass(frozen=True)
class Minimum:
    """Scores of least risk, and what they risk."""

    scores: Floats
    risk: float


def smallest_risk(risk: Risk, *, is_scale_free: bool) -> Minimum:
    """Minimise a smooth risk; one without a scale, which is not convex, from two starts."""
    n = risk.labels.shape[1]
    starts = [np.linspace(-0.5, 0.5, n), np.linspace(1.0, 0.5, n)]  # the first has everything the wrong way round
    found = [_descend(risk, start, is_scale_free=is_scale_free) for start in starts[: 2 if is_scale_free else 1]]
    return min(found, key=lambda one: one.risk)


def _descend(risk: Risk, start: Floats, *, is_scale_free: bool) -> Minimum:
    out = minimize(risk, start, jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 500})
    scores = out.x / np.linalg.norm(out.x) if is_scale_free else out.x - out.x.mean()
    return Minimum(scores, risk(scores)[0])


@final
class Planes:
    """Planes below a convex risk, gathered as it is asked; they serve every later minimum of the same risk."""

    def __init__(self, risk: Risk) -> None:
        self.risk = risk
        self.slopes: list[Floats] = []
        self.heights: list[float] = []

    def touch(self, scores: Floats) -> float:
        """Add the plane that touches the risk at these scores; the risk there."""
        value, slope = self.risk(scores)
        self.slopes.append(slope)
        self.heights.append(value - float(slope @ scores))
        return value

    def below(self, behind: Pair | None, by: float) -> tuple[Floats, float]:
        """Scores that minimise the highest plane, and its height; with ``behind`` (i, j) only scores with g_i ≤ g_j - by count."""
        n = len(self.slopes[0])
        limits = [np.append(slope, -1.0) for slope in self.slopes]
        tops = [-height for height in self.heights]
        if behind is not None:
            limits.append(np.eye(n + 1)[behind[0]] - np.eye(n + 1)[behind[1]])
            tops.append(-by)
        box = [(-_BOX, _BOX)] * (n - 1) + [(0.0, 0.0), (None, None)]  # a constant added to all scores changes nothing
        out = linprog(np.eye(n + 1)[n], A_ub=np.array(limits), b_ub=np.array(tops), bounds=box, method="highs")
        return out.x[:n], float(out.x[n])


def lowest(planes: Planes, behind: Pair | None = None, by: float = 0.0, most: int = 300) -> Minimum:
    """Minimise a convex piecewise linear risk exactly: add planes until the bound from below is met."""
    if not planes.slopes:
        planes.touch(np.zeros(planes.risk.labels.shape[1]))
    best = Minimum(np.zeros(0), np.inf)
    for _ in range(most):
        scores, bound = planes.below(behind, by)
        value = planes.touch(scores)
        if value < best.risk:
            best = Minimum(scores, value)
        if best.risk - bound <= _EXACT:
            break
    return best
