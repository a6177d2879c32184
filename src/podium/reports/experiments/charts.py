"""The charts of a run: a curve for each measure, and wins and losses over queries for each arm."""

from __future__ import annotations

import re

import numpy as np

from podium.experiments.curves import arms
from podium.experiments.facts import Arm
from podium.ragged import Floats
from podium.reports.chart_facts import CurveChart, Line, WinLossChart, are_crowded
from podium.reports.experiments.cells import decimal, signed
from podium.reports.experiments.curves import AXIS_NAMES, CurveFinding
from podium.reports.experiments.findings import Findings
from podium.reports.experiments.values import is_larger_better

__all__ = ["curve_charts", "slug", "win_loss_charts"]

_MOST_LINES = 6  # of a chart, where it can be parted


def slug(text: str) -> str:
    """A text as part of an id or a file's name.

    >>> slug("000 Fig. 1"), slug("ndcg@10[letor]")
    ('000-fig-1', 'ndcg-10-letor')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def curve_charts(found: Findings) -> tuple[CurveChart, ...]:
    """A chart a measure, the main one first; where that would be too many lines, one for each accuracy of the judges."""
    measures = sorted(found.values.measures, key=lambda measure: measure != found.main_measure)
    charts: list[CurveChart] = []
    for measure in measures:
        curves = [one for one in found.curves if one.measure == measure]
        groups = _groups(found, curves)
        limits = _limits(curves) if len(groups) > 1 else None
        charts += [_chart(found, measure, group, own, limits) for group, own in groups.items()]
    return tuple(charts)


def _groups(found: Findings, curves: list[CurveFinding]) -> dict[str, list[CurveFinding]]:
    """By the judge's accuracy, if arms have one and there are many; else all together."""
    if found.config.labelling is None or len(curves) <= _MOST_LINES:
        return {"": curves} if curves else {}
    groups: dict[str, list[CurveFinding]] = {}
    for one in curves:
        groups.setdefault(f"{100 * _arm(found, one).accuracy:g} %", []).append(one)
    return groups


def _arm(found: Findings, one: CurveFinding) -> Arm:
    return next(arm for arm in arms(found.config) if arm.name == one.arm)


def _line_name(found: Findings, one: CurveFinding, group: str) -> str:
    """What the chart's title says of all lines is left out."""
    arm = _arm(found, one)
    return f"{arm.ranker.name} · {arm.strategy}" if group else arm.name


def _limits(curves: list[CurveFinding]) -> tuple[float, float]:
    low, high = min(min(one.low) for one in curves), max(max(one.high) for one in curves)
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def _chart(found: Findings, measure: str, group: str, curves: list[CurveFinding], limits: tuple[float, float] | None) -> CurveChart:
    over = AXIS_NAMES[found.config.curve.over if found.config.curve is not None else "k"]
    title = f"{measure} against {over}{group and f', judges {group} right'}"
    banded = _banded(found, measure, curves)
    which = "" if len(banded) == len(curves) else " (of the best line and of the baseline)"
    return CurveChart(
        slug(f"{found.config.name}-{measure}-{group}"), title, _told(curves, which), over, measure, found.values.points,
        tuple(_line(one, _line_name(found, one, group), has_band=one.arm in banded) for one in curves),
        is_larger_better(measure), limits,
    )  # fmt: skip


def _banded(found: Findings, measure: str, curves: list[CurveFinding]) -> set[str]:
    """The arms whose lines have a band: all, or of very many the best one and the baseline."""
    if not are_crowded(len(curves)):
        return {one.arm for one in curves}
    return {(max if is_larger_better(measure) else min)(curves, key=lambda one: one.best).arm, found.baseline}


def _line(one: CurveFinding, name: str, *, has_band: bool) -> Line:
    return Line(name, one.points, one.means, one.low if has_band else (), one.high if has_band else ())


def _told(curves: list[CurveFinding], which: str) -> str:
    """The main numbers, for those who do not see the chart."""
    told = [
        f"{one.arm}: {decimal(one.means[0])} at {one.points[0]}, best {decimal(one.best)} at {one.peak}, "
        f"{decimal(one.means[-1])} at {one.points[-1]}"
        for one in curves
    ]
    return "; ".join(told) + f". Bands{which} are 95 % bootstrap intervals over queries."


def win_loss_charts(found: Findings) -> tuple[WinLossChart, ...]:
    """A chart for each arm but the baseline, by the main measure; all on one scale."""
    measure = found.main_measure
    sign = 1.0 if is_larger_better(measure) else -1.0
    base = found.values.at(found.baseline, found.points[found.baseline], measure)
    differences = {}
    for arm in found.values.arms:
        if arm != found.baseline:
            own = sign * (found.values.at(arm, found.points[arm], measure) - base)
            differences[arm] = own[~np.isnan(own)]
    limit = max((float(np.abs(own).max()) for own in differences.values() if len(own)), default=0.0) or 1.0
    return tuple(
        WinLossChart(
            slug(f"{found.config.name}-queries-{place}"), _counts(arm, own),
            f"Differences in {measure} of {arm} to {found.baseline} over {len(own):,} queries, positive is better: {_counts(arm, own)}, "
            f"mean {signed(float(own.mean()) if len(own) else np.nan)}.",
            "difference", tuple(own.tolist()), limit,
        )
        for place, (arm, own) in enumerate(differences.items(), start=1)
    )  # fmt: skip


def _counts(arm: str, differences: Floats) -> str:
    return f"{arm}: {(differences > 0).sum():,} won, {(differences == 0).sum():,} tied, {(differences < 0).sum():,} lost"
