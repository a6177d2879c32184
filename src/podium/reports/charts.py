"""Charts as SVG, written by hand: they need no library, stay sharp at any size and say their numbers when pointed at."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Box", "Dot", "box_chart", "dot_chart"]

_LABEL, _PLOT, _VALUE, _ROW, _TOP, _BOTTOM = 110, 250, 70, 28, 8, 26
_LETTER = 7.2  # about how wide a letter of a label is


@dataclass(frozen=True)
class Dot:
    """A value with its interval, if it has one; what is not ours but stands there to compare is another's."""

    label: str
    value: float
    low: float = math.nan
    high: float = math.nan
    is_others: bool = False


@dataclass(frozen=True)
class Box:
    """How values spread: the 5th, 25th, 50th, 75th and 95th percentile."""

    label: str
    percentiles: Sequence[float]


def _ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers that cover a range.

    >>> _ticks(0.0, 0.93)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    high = high if high > low else low + 1.0
    span = high - low
    unit = 10 ** math.floor(math.log10(span / about))
    step = next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= about)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(place * step, 12) for place in range(first, last + 1)]


@dataclass(frozen=True)
class _Frame:
    """Where things are: a column of labels, the plot with its ticks, a column of numbers; one row each."""

    ticks: Sequence[float]
    rows: int
    label: float = _LABEL
    tick: Callable[[float], str] = "{:g}".format

    @property
    def width(self) -> float:
        return self.label + _PLOT + _VALUE

    def x(self, value: float) -> float:
        return self.label + _PLOT * (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])

    def y(self, row: int) -> float:
        return _TOP + _ROW * (row + 0.5)

    def svg(self, title: str, description: str, rows: Sequence[str]) -> str:
        floor = _TOP + _ROW * self.rows
        said = f"<desc>{escape(description)}</desc>" if description else ""
        head = f'<svg class="chart" viewBox="0 0 {self.width:g} {floor + _BOTTOM}" role="img" aria-label="{escape(title)}">{said}'
        grid = [
            f'<line class="grid" x1="{self.x(tick):.1f}" y1="{_TOP}" x2="{self.x(tick):.1f}" y2="{floor}"/>'
            f'<text class="tick" x="{self.x(tick):.1f}" y="{floor + 18}" text-anchor="middle">{escape(self.tick(tick))}</text>'
            for tick in self.ticks
        ]
        return "".join([head, *grid, *rows, "</svg>"])

    def row(self, number: int, label: str, said: str, marks: str, value: str) -> str:
        """A row that says its numbers when pointed at."""
        y = self.y(number)
        name = _short(label, int((self.label - 12) / _LETTER))
        text = f'<text class="name" x="{self.label - 12:g}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>'
        if not marks:
            return f'{text}<text class="value" x="{self.label + 6:g}" y="{y + 4:.1f}">no value</text>'
        hover = f'<rect class="hover" x="0" y="{y - _ROW / 2:.1f}" width="{self.width:g}" height="{_ROW}"/>'
        beside = f'<text class="value" x="{self.label + _PLOT + 12:g}" y="{y + 4:.1f}">{escape(value)}</text>'
        return f"{text}<g><title>{escape(said)}</title>{hover}{marks}{beside}</g>"


def dot_chart(
    title: str,
    dots: Sequence[Dot],
    *,
    description: str = "",
    say: Callable[[float], str] = "{:.4f}".format,
    tick: Callable[[float], str] = "{:g}".format,
    label: float = _LABEL,
) -> str:
    """One line each: a dot at its value, a bar for its interval, the number beside it; another's is a hollow diamond.

    ``say`` puts values into words, and ``tick`` the round numbers below them.
    """
    shown = [dot for dot in dots if not math.isnan(dot.value)]
    ends = [end for dot in shown for end in (dot.value, dot.low, dot.high) if not math.isnan(end)]
    frame = _Frame(_ticks(min([0.0, *ends]), max(ends, default=1.0)), len(dots), label, tick)
    rows = [frame.row(number, dot.label, _said(dot, say), _dot(frame, number, dot), say(dot.value)) for number, dot in enumerate(dots)]
    return frame.svg(title, description, rows)


def _said(dot: Dot, say: Callable[[float], str]) -> str:
    interval = "" if math.isnan(dot.low) else f", 95 % interval {say(dot.low)} to {say(dot.high)}"
    return f"{dot.label}: {say(dot.value)}{interval}"


def _dot(frame: _Frame, number: int, dot: Dot) -> str:
    if math.isnan(dot.value):
        return ""
    x, y = frame.x(dot.value), frame.y(number)
    if dot.is_others:
        return f'<path class="other" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'
    bar = f'<line class="interval" x1="{frame.x(dot.low):.1f}" y1="{y:.1f}" x2="{frame.x(dot.high):.1f}" y2="{y:.1f}"/>'
    return f'{"" if math.isnan(dot.low) else bar}<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'


def box_chart(
    title: str, boxes: Sequence[Box], *, description: str = "", say: Callable[[float], str] = "{:.1f}".format, label: float = _LABEL
) -> str:
    """One line each: a box around the middle half with a line at the median, whiskers to the 5th and 95th percentile."""
    frame = _Frame(_ticks(0.0, max([value for box in boxes for value in box.percentiles], default=1.0)), len(boxes), label)
    rows = []
    for number, box in enumerate(boxes):
        said = f"{box.label}: 5th, 25th, 50th, 75th and 95th percentile are {', '.join(map(say, box.percentiles))}"
        rows.append(frame.row(number, box.label, said, _box(frame, number, box), say(box.percentiles[2]) if box.percentiles else ""))
    return frame.svg(title, description, rows)


def _box(frame: _Frame, number: int, box: Box) -> str:
    if not box.percentiles:
        return ""
    least, low, middle, high, most = map(frame.x, box.percentiles)
    y = frame.y(number)
    return (
        f'<line class="whisker" x1="{least:.1f}" y1="{y:.1f}" x2="{most:.1f}" y2="{y:.1f}"/>'
        f'<rect class="box" x="{low:.1f}" y="{y - 8:.1f}" width="{high - low:.1f}" height="16" rx="3"/>'
        f'<line class="middle" x1="{middle:.1f}" y1="{y - 8:.1f}" x2="{middle:.1f}" y2="{y + 8:.1f}"/>'
    )


def _short(label: str, most: int = 15) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"
