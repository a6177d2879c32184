"""The picture of docs/people.md: answers of persons per query against the recovered share, a panel for each k."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.people_text import Line, Measured

__all__ = ["picture"]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _GAP, _LEGEND = 780, 280, 56, 20, 44, 86, 64
_TICKS = (30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 120, 150, 200)
_JUDGES = {"one": ("one", "one person"), "in turn": ("turn", "two or three persons in turn, until two agree")}
_STYLE = """
.ground { fill: #ffffff; } text { fill: #1d2733; font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; }
.tick, .limit { fill: #5d6b7a; font-size: 11px; } .head { font-weight: 600; } .grid { stroke: #dde3ea; }
.bar { stroke: #5d6b7a; stroke-dasharray: 5 4; }
.one { stroke: #1f6feb; fill: #1f6feb; } .turn { stroke: #b35900; fill: #b35900; }
.plain { stroke: #1d2733; fill: #1d2733; } .mark { stroke-width: 1.8; } .mark.raw { fill: #ffffff; }
.cross { stroke-width: 2.6; fill: none; } .cross.one { stroke: #0a2d6e; } .cross.turn { stroke: #5c2d00; }
.link { stroke-width: 1; stroke-opacity: .45; }
"""


def _polygon(*corners: tuple[float, float]) -> Callable[[float, float, str], str]:
    def drawn(x: float, y: float, style: str) -> str:
        points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners)
        return f'<polygon class="mark {style}" points="{points}"/>'

    return drawn


def _circle(x: float, y: float, style: str) -> str:
    return f'<circle class="mark {style}" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/>'


def _cross(x: float, y: float, style: str) -> str:
    """Darker than other marks, to be seen on them: by its budget it lies where heap does."""
    return f'<path class="mark cross {style}" d="M{x - 6:.1f} {y - 6:.1f} l12 12 M{x - 6:.1f} {y + 6:.1f} l12 -12"/>'


_MARKS: dict[str, Callable[[float, float, str], str]] = {
    "heap": _polygon((-5, -5), (5, -5), (5, 5), (-5, 5)),
    "tournament": _polygon((0, -6.5), (6.5, 5), (-6.5, 5)),
    "insertion": _polygon((0, -7), (7, 0), (0, 7), (-7, 0)),
    "adaptive": _circle,
    "active": _cross,
}


@dataclass(frozen=True)
class _Scale:
    """Where a number lies: the ends of the axis, and the places of its ends."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = map(math.log, (self.low, self.high, value)) if self.is_log else (self.low, self.high, value)
        return self.begin + (self.end - self.begin) * (value - low) / (high - low)


def picture(measured: Measured) -> str:
    """The whole SVG; it needs nothing from elsewhere."""
    shown = [line for line in measured.main if line.judge in _JUDGES]
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + len(measured.bounds) * (_HEIGHT + _GAP) + _LEGEND
    x = _Scale(*_answers_shown([line.answers.mean for line in shown]), _LEFT, _LEFT + _WIDTH, is_log=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Answers per query against the recovered share of the top k">',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" x="0" y="0" width="{width}" height="{height}"/>',
    ]
    for number, k in enumerate(measured.bounds):
        lines, limit, top = [line for line in shown if line.k == k], _limit(measured, k), _TOP + number * (_HEIGHT + _GAP)
        shares = [share for line in lines for share in (line.recovered.mean, line.rescored.mean)] + [limit.recovered.mean + 0.02]
        y = _Scale(math.floor((min(shares) - 0.01) * 20) / 20, math.ceil(max(shares) * 20) / 20, top + _HEIGHT, top)
        parts += [*_axes(x, y, k), *_limit_bar(limit, x, y), *_points(lines, x, y)]
    return "\n".join([*parts, *_legend(_TOP + len(measured.bounds) * (_HEIGHT + _GAP) - 14), "</svg>"]) + "\n"


def _answers_shown(answers: Sequence[float]) -> tuple[float, float]:
    """Round ends, some room beside the outermost."""
    low, high = min(answers) * 0.95, max(answers) * 1.05
    return max([tick for tick in _TICKS if tick <= low], default=low), min([tick for tick in _TICKS if tick >= high], default=high)


def _limit(measured: Measured, k: int) -> Line:
    return next(line for line in measured.limits if (line.name, line.k) == ("one person, all pairs", k))


def _axes(x: _Scale, y: _Scale, k: int) -> list[str]:
    parts = [f'<text class="head" x="{x.begin:.1f}" y="{y.end - 14:.1f}">Share of the true top {k} that is found</text>']
    for share in (step / 20 for step in range(round(y.low * 20), round(y.high * 20) + 1)):
        parts.append(f'<line class="grid" x1="{x.begin:.1f}" y1="{y(share):.1f}" x2="{x.end:.1f}" y2="{y(share):.1f}"/>')
        parts.append(f'<text class="tick" x="{x.begin - 8:.1f}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.2f}</text>')
    below = [(x(count), y.begin + 18, str(count)) for count in _TICKS if x.low <= count <= x.high]
    below.append(((x.begin + x.end) / 2, y.begin + 36, "answers per query (logarithmic)"))
    return parts + [
        f'<text class="tick" x="{across:.1f}" y="{down:.1f}" text-anchor="middle">{said}</text>' for across, down, said in below
    ]


def _limit_bar(limit: Line, x: _Scale, y: _Scale) -> list[str]:
    place = y(limit.recovered.mean)
    said = f"one person, all {limit.answers.mean:.0f} pairs: {limit.recovered.mean:.2f}"
    return [
        f'<line class="bar" x1="{x.begin:.1f}" y1="{place:.1f}" x2="{x.end:.1f}" y2="{place:.1f}"/>',
        f'<text class="limit" x="{x.begin + 4:.1f}" y="{place - 6:.1f}">{escape(said)}</text>',
    ]


def _points(lines: Sequence[Line], x: _Scale, y: _Scale) -> list[str]:
    """Links first, so that marks lie on top: from raw to rescored, and between the two budgets of active."""
    links, marks = [], []
    for line in lines:
        name, style, where = line.name.split(",")[0], _JUDGES[line.judge][0], x(line.answers.mean)
        ends = [(where, y(line.recovered.mean), f"{style} raw", "raw"), (where, y(line.rescored.mean), style, "rescored")]
        if name == "active":
            ends = ends[1:]
            others = [
                (x(other.answers.mean), y(other.rescored.mean)) for other in lines if other.judge == line.judge and other.name == "active"
            ]
            links += [_link(style, *other, where, ends[0][1]) for other in others]
        links += [_link(style, *ends[0][:2], *ends[-1][:2])]
        for across, down, look, what in ends:
            share = line.recovered.mean if what == "raw" else line.rescored.mean
            said = f"{line.name}, {_JUDGES[line.judge][1]}: {line.answers.mean:.0f} answers, {share:.3f} {what}"
            marks.append(f"<g><title>{escape(said)}</title>{_MARKS[name](across, down, look)}</g>")
    return [*links, *marks]


def _link(style: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="link {style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _legend(top: float) -> list[str]:
    parts, left = [], float(_LEFT)
    for name, mark in _MARKS.items():
        said = f"{name} (what heap asks of one person, and twice that)" if name == "active" else name
        parts += [mark(left + 7, top, "plain"), f'<text x="{left + 20:.1f}" y="{top + 4:.1f}">{said}</text>']
        left += 44 + 7.2 * len(said)
    left, top = float(_LEFT), top + 26
    for style, said in (("plain raw", "hollow: the strategy's own top"), ("plain", "filled: rescored by the Bradley-Terry fit")):
        parts += [_circle(left + 7, top, style), f'<text x="{left + 20:.1f}" y="{top + 4:.1f}">{said}</text>']
        left += 44 + 7.2 * len(said)
    left, top = float(_LEFT), top + 26
    for style, said in _JUDGES.values():
        parts += [
            f'<rect class="{style}" x="{left:.1f}" y="{top - 5:.1f}" width="14" height="10"/>',
            f'<text x="{left + 20:.1f}" y="{top + 4:.1f}">{said}</text>',
        ]
        left += 44 + 7.2 * len(said)
    return parts
