"""Charts as SVG, written by hand: they need no library, stay sharp at any size and say their numbers when pointed at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Dot", "dot_chart"]

_LABEL, _PLOT, _VALUE, _ROW, _TOP, _BOTTOM = 110, 250, 70, 28, 8, 26


@dataclass(frozen=True)
class Dot:
    """A value with its interval."""

    label: str
    value: float
    low: float
    high: float


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


def dot_chart(title: str, dots: Sequence[Dot]) -> str:
    """One line a run: a dot at its mean, a bar for its interval, the number beside it."""
    shown = [dot for dot in dots if not math.isnan(dot.value)]
    ticks = _ticks(min([0.0, *(dot.low for dot in shown)]), max([dot.high for dot in shown], default=1.0))
    width, height = _LABEL + _PLOT + _VALUE, _TOP + _ROW * len(dots) + _BOTTOM

    def x(value: float) -> float:
        return _LABEL + _PLOT * (value - ticks[0]) / (ticks[-1] - ticks[0])

    parts = [f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">']
    floor = _TOP + _ROW * len(dots)
    for tick in ticks:
        parts.append(f'<line class="grid" x1="{x(tick):.1f}" y1="{_TOP}" x2="{x(tick):.1f}" y2="{floor}"/>')
        parts.append(f'<text class="tick" x="{x(tick):.1f}" y="{floor + 18}" text-anchor="middle">{tick:g}</text>')
    for number, dot in enumerate(dots):
        y = _TOP + _ROW * (number + 0.5)
        parts.append(f'<text class="name" x="{_LABEL - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(_short(dot.label))}</text>')
        if math.isnan(dot.value):
            parts.append(f'<text class="value" x="{_LABEL + 6}" y="{y + 4:.1f}">no value</text>')
            continue
        said = escape(f"{dot.label}: {dot.value:.4f}, 95 % interval {dot.low:.4f} to {dot.high:.4f}")
        parts.append(f"<g><title>{said}</title>")
        parts.append(f'<rect class="hover" x="0" y="{y - _ROW / 2:.1f}" width="{width}" height="{_ROW}"/>')
        parts.append(f'<line class="interval" x1="{x(dot.low):.1f}" y1="{y:.1f}" x2="{x(dot.high):.1f}" y2="{y:.1f}"/>')
        parts.append(f'<circle class="dot" cx="{x(dot.value):.1f}" cy="{y:.1f}" r="5"/>')
        parts.append(f'<text class="value" x="{_LABEL + _PLOT + 12}" y="{y + 4:.1f}">{dot.value:.4f}</text></g>')
    return "".join([*parts, "</svg>"])


def _short(label: str, most: int = 15) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"
