"""What a run found: every arm against the baseline, our figures against the papers', and what becomes of the papers' claims."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.experiments.facts import Config, Printed
from podium.experiments.files import Run
from podium.measures import get
from podium.ragged import Floats
from podium.reports.experiments.claims import ClaimFinding, claim_findings
from podium.reports.experiments.curves import CurveFinding, curve_findings
from podium.reports.experiments.values import (
    LEVEL,
    Values,
    arm_called,
    best_mean,
    fold_mean,
    intervals,
    is_larger_better,
    main_measure,
    p_values,
    run_values,
    shown_points,
)  # fmt: skip
from podium.results import correct
from podium.sources.known_collections import COLLECTIONS

__all__ = ["NEAR", "Beside", "Entry", "Findings", "findings", "has_same_queries", "other_data", "source"]

NEAR = 0.010  # our figure agrees with a printed one if it is no further from it
_PAPER = r"\d{3}"  # papers have numbers; others who print figures have names


@final
@dataclass(frozen=True)
class Entry:
    """An arm by a measure: the mean over folds, its interval, and how it stands against the baseline."""

    arm: str
    point: str
    measure: str
    mean: float
    low: float
    high: float
    n_queries: int
    is_best: bool
    difference: float  # to the baseline's mean; positive is larger, which need not be better
    change: float  # the difference as a share of the baseline's mean; NaN where that is not positive
    p_value: float  # corrected; NaN without a test, as for the baseline

    @property
    def mark(self) -> str:
        """▲ significantly better than the baseline, ▼ significantly worse."""
        if not self.p_value < LEVEL or self.difference == 0:
            return ""
        return "▲" if (self.difference > 0) == is_larger_better(self.measure) else "▼"


@final
@dataclass(frozen=True)
class Beside:
    """A printed figure, and ours."""

    printed: Printed
    figure: float
    ours: Entry

    @property
    def difference(self) -> float:
        return self.ours.mean - self.figure

    @property
    def is_inside(self) -> bool:
        """Whether our interval holds the printed figure."""
        return self.ours.low <= self.figure <= self.ours.high

    @property
    def agrees(self) -> bool:
        """Whether the two are no further apart than NEAR, to the three decimals that papers print."""
        return round(abs(self.difference), 3) <= NEAR


@final
@dataclass(frozen=True)
class Findings:
    """Everything that a report says of a run."""

    run: Run
    values: Values
    baseline: str
    points: dict[str, str]  # of each arm, the point of the curve at which tables have it
    entries: dict[tuple[str, str], Entry]  # by arm and measure
    besides: tuple[Beside, ...]
    claims: tuple[ClaimFinding, ...]
    curves: tuple[CurveFinding, ...]
    missing: tuple[str, ...]  # what the config names and the rows do not have

    @property
    def config(self) -> Config:
        return self.run.config

    @property
    def main_measure(self) -> str:
        return main_measure(self.config, self.values)

    @property
    def of_paper(self) -> tuple[Beside, ...]:
        """Figures of the paper that the config is of; without one, of any paper. Other printed figures are not a paper's."""
        paper = self.config.paper
        return tuple(one for one in self.besides if (one.printed.paper == paper if paper else re.fullmatch(_PAPER, one.printed.paper)))


def findings(run: Run, *, baseline: str = "") -> Findings:
    """All that can be said of a run; ``baseline`` stands in for the config's."""
    values = run_values(run)
    against = arm_called(baseline or run.config.baseline, run.config, values)
    points = shown_points(run, values)
    entries = _entries(values, against, points)
    besides, absent = _besides(run.config, entries)
    claims, unknown = claim_findings(run.config, values, points)
    return Findings(run, values, against, points, entries, besides, claims, curve_findings(run.config, values), (*absent, *unknown))


def _entries(values: Values, baseline: str, points: dict[str, str]) -> dict[tuple[str, str], Entry]:
    shown = np.stack([values.of[place, values.points.index(points[arm])] for place, arm in enumerate(values.arms)])
    means, (low, high) = fold_mean(shown, values.folds), intervals(shown, values.folds)
    best = [best_mean(means[:, column], measure) for column, measure in enumerate(values.measures)]
    base = values.arms.index(baseline)
    p = _tested(values, shown, base)
    found = {}
    for row, arm in enumerate(values.arms):
        for column, measure in enumerate(values.measures):
            mean, than = float(means[row, column]), float(means[base, column])
            found[arm, measure] = Entry(
                arm, points[arm], measure, mean, float(low[row, column]), float(high[row, column]),
                int((~np.isnan(shown[row, column])).sum()), mean == best[column], mean - than,
                (mean - than) / than if than > 0 else math.nan, float(p[row, column]),
            )  # fmt: skip
    return found


def _tested(values: Values, shown: Floats, base: int) -> Floats:
    """P-values of every arm against the baseline by every measure, corrected over all of them (Holm); NaN where there is no test."""
    differences = shown - shown[base]
    differences[base] = math.nan
    p = p_values(differences.reshape(-1, differences.shape[-1]), values.folds)
    is_there = ~np.isnan(p)
    p[is_there] = correct(p[is_there].tolist())
    return p.reshape(len(values.arms), len(values.measures))


def _besides(config: Config, entries: dict[tuple[str, str], Entry]) -> tuple[tuple[Beside, ...], tuple[str, ...]]:
    found, absent = [], []
    for ranker in config.rankers:
        for printed in ranker.printed:
            for name, figure in printed.figures.items():
                ours = entries.get((ranker.name, str(get(name))))
                if ours is None or math.isnan(ours.mean):
                    absent.append(f"{ranker.name} has no {name} here; {source(printed)} prints {figure:.3f}")
                else:
                    found.append(Beside(printed, figure, ours))
    return tuple(found), tuple(absent)


def source(printed: Printed) -> str:
    """Who prints a row.

    >>> source(Printed("004", "Table 4", {})), source(Printed("LETOR 2.0", "publisher's table", {}))
    ('paper 004', 'LETOR 2.0')
    """
    return f"paper {printed.paper}" if re.fullmatch(_PAPER, printed.paper) else printed.paper


def other_data(config: Config) -> str:
    """The collection that a paper's figures are of, where that is not ours; empty if it is ours. What is made up is nobody's.

    >>> from podium.experiments.facts import DataSpec, Synthetic, TruthSpec
    >>> specs = DataSpec("MQ2008", in_place_of="MQ2007"), DataSpec("MQ2008"), DataSpec(synthetic=Synthetic())
    >>> [other_data(Config("t", "", "", data, TruthSpec(), (), (), "map", "")) for data in specs]
    ['MQ2007', '', 'another collection']
    """
    return config.data.in_place_of or ("" if config.data.synthetic is None else "another collection")


def has_same_queries(config: Config) -> bool:
    """Whether a paper's figures are of our queries: of nobody's own collection is that known.

    >>> from podium.experiments.facts import DataSpec, TruthSpec
    >>> specs = DataSpec("Shop"), DataSpec("MQ2008"), DataSpec("MQ2008", in_place_of="MQ2007")
    >>> [has_same_queries(Config("t", "", "", data, TruthSpec(), (), (), "map", "")) for data in specs]
    [False, True, False]
    """
    return config.data.folder in COLLECTIONS and not other_data(config)
