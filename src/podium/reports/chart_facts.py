"""What charts of experiments show, before they are drawn (:mod:`podium.reports.figures`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

__all__ = ["CurveChart", "Line", "WinLossChart", "are_crowded"]


@final
@dataclass(frozen=True)
class Line:
    """A line of a chart with its band, if it has one."""

    name: str
    points: tuple[str, ...]
    values: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@final
@dataclass(frozen=True)
class CurveChart:
    """Quality along an axis, one line an arm. ``key`` makes the chart's ids its own on a page."""

    key: str
    title: str
    description: str
    x_name: str
    measure: str
    points: tuple[str, ...]
    lines: tuple[Line, ...]
    is_larger_better: bool = True
    limits: tuple[float, float] | None = None  # of the y-axis, where several charts are to be compared


@final
@dataclass(frozen=True)
class WinLossChart:
    """Differences of an arm to the baseline, one a query, positive is better; ``limit`` is how far the axis goes, the same for all arms."""

    key: str
    title: str
    description: str
    y_name: str
    differences: tuple[float, ...]
    limit: float


def are_crowded(n_lines: int) -> bool:
    """Whether lines are so many that they are drawn thin, on a wide sheet, and their bands would be one grey block."""
    return n_lines > 8
