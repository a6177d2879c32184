"""Sums of weak rankers: steps, which say whether a feature is above a threshold, and single features."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError
from podium.ragged import Floats, Ints, kernel, over_queries
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers.plain import check_keys, lines_from_plain, lines_to_plain, numbers, places

__all__ = ["WeakScorer"]

Features = NDArray[np.float32]


@kernel
def _score(first, last, offsets, features, shift, factor, weights, used, starts, thresholds, totals, scores):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        line = query if len(factor) > 1 else 0
        for row in range(offsets[query], offsets[query + 1]):
            score = 0.0
            for f in used:
                scaled = (features[row, f] - shift[line, f]) * factor[line, f]
                x = np.float32(scaled)
                low, high = starts[f], starts[f + 1]
                while low < high:  # how many thresholds x is above
                    middle = (low + high) // 2
                    if thresholds[middle] < x:
                        low = middle + 1
                    else:
                        high = middle
                score += totals[low + f] if x == x else np.nan
                if weights[f] != 0.0:
                    score += weights[f] * scaled
            scores[row] = score


@final
@dataclass(frozen=True, eq=False)
class WeakScorer:
    """Σ step · [x_f > threshold] + Σ weight_f · x_f of scaled features; steps are sorted by feature, then by threshold."""

    weights: Floats  # of single features, one a feature
    features: Ints  # of each step
    thresholds: Features
    steps: Floats
    scaling: str = "none"
    lines: Lines | None = None  # the shifts and factors found in training; None where each query has its own

    @classmethod
    def of(
        cls, weights: Floats, rounds: Sequence[tuple[int, float, float]], scaling: str = "none", lines: Lines | None = None
    ) -> WeakScorer:
        """From steps in any order, as (feature, threshold, step); those at the same place are added up."""
        sums: dict[tuple[int, float], float] = {}
        for feature, threshold, step in rounds:
            place = (feature, float(np.float32(threshold)))
            sums[place] = sums.get(place, 0.0) + step
        found = sorted(sums)
        return cls(
            weights,
            np.array([feature for feature, _ in found], dtype=np.int64),
            np.array([threshold for _, threshold in found], dtype=np.float32),
            np.array([sums[place] for place in found], dtype=np.float64),
            scaling,
            lines,
        )

    @property
    def n_features(self) -> int:
        return len(self.weights)

    @property
    def needs_queries(self) -> bool:
        """Whether a row's score depends on the other rows of its query."""
        return SCALINGS[self.scaling].is_within_query

    def rounds(self) -> list[tuple[int, float, float]]:
        """The steps as (feature, threshold, step)."""
        return list(zip(self.features.tolist(), self.thresholds.tolist(), self.steps.tolist(), strict=True))

    def scores(self, features: Features, offsets: Ints) -> Floats:
        """One score a row; NaN where a feature that counts is missing."""
        lines = self.lines if self.lines is not None else lines_of(features, offsets, self.scaling)
        starts = np.searchsorted(self.features, np.arange(self.n_features + 1))
        totals = np.concatenate([np.empty(0), *(np.append(0.0, np.cumsum(self.steps[a:b])) for a, b in itertools.pairwise(starts))])
        used = np.flatnonzero((np.diff(starts) > 0) | (self.weights != 0))
        scores = np.empty(len(features))
        table = np.ascontiguousarray(features)
        over_queries(
            _score, offsets, table, lines.shift, lines.factor, self.weights, used, starts, self.thresholds, totals, scores, grain=10_000
        )  # fmt: skip
        return scores

    # ---- as plain values ----

    def as_plain(self) -> dict[str, Any]:
        return {
            "weights": self.weights.tolist(), "features": self.features.tolist(), "thresholds": self.thresholds.tolist(),
            "steps": self.steps.tolist(), "scaling": self.scaling, "lines": lines_to_plain(self.lines),
        }  # fmt: skip

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> WeakScorer:
        """The reverse; raises DataError with what is wrong."""
        check_keys(plain, "weak", "weights", "features", "thresholds", "steps", "scaling", "lines")
        weights = numbers(plain["weights"], "weights")
        features = places(plain["features"], "features", len(weights))
        thresholds, steps = (numbers(plain[name], name, len(features), "feature listed") for name in ("thresholds", "steps"))
        order = list(zip(features.tolist(), thresholds.tolist(), strict=True))
        if any(one >= other for one, other in itertools.pairwise(order)):
            raise DataError("steps must be sorted by feature and threshold, each place once")
        with np.errstate(over="ignore"):
            single = thresholds.astype(np.float32)
        if (single != thresholds).any():
            raise DataError("thresholds must be numbers of single precision, as features are")
        return cls(weights, features, single, steps, plain["scaling"], lines_from_plain(plain["scaling"], plain["lines"], len(weights)))
