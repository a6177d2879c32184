"""What a curve shows: where its peak is, how much it varies, from where to where it is as good as there, and what comes after."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.experiments.facts import Config
from podium.ragged import Floats, Ints
from podium.reports.experiments.values import LEVEL, Values, fold_mean, intervals, is_larger_better, p_values

__all__ = ["AXIS_NAMES", "HOW_FLAT", "CurveFinding", "curve_findings"]

AXIS_NAMES = {"k": "k of the training truth", "balance": "balance β", "queries": "training queries", "judgments": "judgments spent"}
_CLOSE = 0.005  # means nearer than this are called equal
HOW_FLAT = (
    f"A point is as good as the best if its mean is less than {_CLOSE:g} away, or if the two do not differ significantly over queries "
    f"(paired Fisher randomisation, p ≥ {LEVEL:g}, not corrected). A curve is flat from a point on if it and all later points are as good "
    "as the best. Where a later point is not, the stretch around the best in which all are is named, and what the curve falls to after it."
)


@final
@dataclass(frozen=True)
class CurveFinding:
    """One line of a chart: an arm by a measure over the points, with its band."""

    arm: str
    measure: str
    points: tuple[str, ...]
    means: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    peak: str
    good_from: str  # all points from here to good_to, the peak among them, are as good as the peak: see HOW_FLAT
    good_to: str
    is_falling: bool  # the last point comes after the peak and is not as good

    @property
    def best(self) -> float:
        return self.means[self.points.index(self.peak)]

    @property
    def is_flat(self) -> bool:
        """Whether all points from good_from on are as good as the peak."""
        return self.good_to == self.points[-1]

    @property
    def spread(self) -> float:
        """Largest less smallest mean."""
        return max(self.means) - min(self.means)

    @property
    def variation(self) -> float:
        """Standard deviation over points as a share of their mean."""
        mean = float(np.mean(self.means))
        return float(np.std(self.means)) / mean if mean else math.nan


def curve_findings(config: Config, values: Values) -> tuple[CurveFinding, ...]:
    """A finding for each arm and measure; none without a curve."""
    if config.curve is None or len(values.points) < 2:
        return ()
    means, (low, high) = fold_mean(values.of, values.folds), intervals(values.of, values.folds)
    found = []
    for column, measure in enumerate(values.measures):
        for row, arm in enumerate(values.arms):
            there = [place for place in range(len(values.points)) if not math.isnan(means[row, place, column])]
            if len(there) > 1:
                mean, least, most = (tuple(map(float, part[row, there, column])) for part in (means, low, high))
                points = tuple(values.points[place] for place in there)
                shape = _shape(points, mean, values.of[row, there, column], values.folds, measure)
                found.append(CurveFinding(arm, measure, points, mean, least, most, *shape))
    return tuple(found)


def _shape(points: tuple[str, ...], means: tuple[float, ...], per_query: Floats, folds: Ints, measure: str) -> tuple[str, str, str, bool]:
    """Where the best point is, from where to where points are as good, and whether the curve falls at the end."""
    best = int(np.argmax(means) if is_larger_better(measure) else np.argmin(means))
    is_level = np.abs(np.array(means) - means[best]) < _CLOSE
    far = np.flatnonzero(~is_level)
    is_level[far] = ~(p_values(per_query[far] - per_query[best], folds) < LEVEL)  # no two shared queries: nothing speaks against
    first = last = best
    while first > 0 and is_level[first - 1]:
        first -= 1
    while last < len(points) - 1 and is_level[last + 1]:
        last += 1
    return points[best], points[first], points[last], best < len(points) - 1 and not is_level[-1]
