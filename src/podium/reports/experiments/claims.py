"""What becomes of papers' claims that one ranker is better than another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.experiments.facts import Claim, Config
from podium.measures import get
from podium.ragged import Floats, Ints
from podium.reports.experiments.values import LEVEL, Values, fold_mean, is_larger_better, p_values, resampled
from podium.results import correct

__all__ = ["ClaimFinding", "claim_findings"]


@final
@dataclass(frozen=True)
class ClaimFinding:
    """A paper's claim, and what we find: the improvement, in per cent with its interval, and the p-value.

    P-values are corrected over all comparisons that are claimed; one that is claimed of several collections is one comparison here.
    """

    claim: Claim
    difference: float  # of the fold means; positive is better
    percent: float  # of the other's mean; NaN, like its interval, where that is not positive
    low: float
    high: float
    p_value: float
    n_queries: int

    @property
    def verdict(self) -> str:
        if self.difference == 0:
            return "no difference"
        is_same = (self.difference > 0) == (self.claim.percent is None or self.claim.percent > 0)
        if self.p_value < LEVEL:
            return "agrees" if is_same else "opposite"
        return "same sign, but within chance" if is_same else "opposite sign, but within chance"


def claim_findings(config: Config, values: Values, points: dict[str, str]) -> tuple[tuple[ClaimFinding, ...], tuple[str, ...]]:
    """Every claim that the rows allow to look at, and sentences on the others."""
    told, absent = [], []
    for claim in config.claims:
        pair = _pair(claim, values, points)
        if pair is not None and (~np.isnan(pair[0] - pair[1])).sum() > 1:
            told.append((claim, pair))
        else:
            absent.append(
                f"the claim of paper {claim.paper} on {claim.better} and {claim.than} by {claim.measure} cannot be looked at here"
            )
    compared = {_what(claim): better - than for claim, (better, than) in told}
    p = dict(zip(compared, correct(p_values(np.array([*compared.values()]), values.folds).tolist()), strict=True))
    return tuple(_finding(claim, pair, values.folds, p[_what(claim)]) for claim, pair in told), tuple(absent)


def _what(claim: Claim) -> tuple[str, str, str]:
    return claim.better, claim.than, claim.measure


def _pair(claim: Claim, values: Values, points: dict[str, str]) -> Floats | None:
    measure = str(get(claim.measure))
    if measure not in values.measures or not {claim.better, claim.than} <= set(values.arms):
        return None
    return np.stack([values.at(arm, points[arm], measure) for arm in (claim.better, claim.than)])


def _finding(claim: Claim, pair: Floats, folds: Ints, p_value: float) -> ClaimFinding:
    r"""Improvement in per cent, :math:`100 (\bar v_{better} / \bar v_{than} - 1)`, over the queries that both have a value for."""
    both = ~np.isnan(pair).any(axis=0)
    sign = 1.0 if is_larger_better(claim.measure) else -1.0
    first, second = (float(mean) for mean in fold_mean(pair[:, both], folds[both]))
    difference = round(sign * (first - second), 12)  # equal but for rounding errors is equal
    drawn = resampled(pair[:, both], folds[both])
    low = high = math.nan
    if second > 0 and (drawn[:, 1] > 0).all():
        low, high = np.quantile(100 * sign * (drawn[:, 0] / drawn[:, 1] - 1), [0.025, 0.975]).tolist()
    percent = 100 * difference / second if second > 0 else math.nan
    return ClaimFinding(claim, difference, percent, low, high, p_value, int(both.sum()))
