"""Charts of experiments as SVG: the only home of matplotlib.

Charts are drawn in colours that stand for a role (ink, grid, series 1 …) and get these roles' CSS variables instead before they are handed
out, so that one chart serves light pages, dark pages and print. The same chart has the same bytes each time.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from podium.errors import MissingDependency
from podium.experiments.curves import ALL
from podium.experiments.facts import FULL
from podium.reports.chart_facts import CurveChart, Line, WinLossChart, are_crowded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["CHART_STYLE", "curve_svg", "standalone", "win_loss_svg"]

# Told apart by people with any colour vision: neighbours differ in lightness too, and lines differ in marker and dashes.
_LIGHT = ("#0072b2", "#c44e00", "#00805e", "#a83a78", "#6b5a00", "#4a4e9e", "#1d2733", "#68727d")
_DARK = ("#56b4e9", "#ff9d5c", "#3fcfa0", "#f0a6d0", "#e6cf4a", "#aab0ff", "#e6edf3", "#9aa7b4")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_ENDS = (FULL, ALL)
_MOST_STEPS = 160  # of a win/loss plot
_ENLARGED = 1.5  # how much larger than drawn a picture in a file is shown: its letters are then like those around it


def _variables(series: Sequence[str], ink: str, soft: str, line: str, paper: str) -> str:
    names = [f"--series-{number}: {colour};" for number, colour in enumerate(series, start=1)]
    return " ".join([*names, f"--chart-ink: {ink};", f"--chart-soft: {soft};", f"--chart-line: {line};", f"--chart-paper: {paper};"])


_ON_LIGHT = _variables(_LIGHT, "#1d2733", "#5d6b7a", "#dde3ea", "#ffffff")
_ON_DARK = _variables(_DARK, "#e6edf3", "#9aa7b4", "#303a46", "#161c24")
CHART_STYLE = (
    f":root {{ {_ON_LIGHT} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {_ON_DARK} }} }}\n"
    ".drawn { display: block; width: 100%; height: auto; } .drawn text { font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; }\n"
)

# What matplotlib draws with, and what stands in the SVG instead.
_INK, _SOFT, _GRID = "#0a0b01", "#0a0b02", "#0a0b03"
_ROLES = {_INK: "var(--chart-ink)", _SOFT: "var(--chart-soft)", _GRID: "var(--chart-line)"}
_SERIES = tuple(f"#0a0c{number:02x}" for number in range(1, len(_LIGHT) + 1))
_ROLES |= {colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES, start=1)}


def curve_svg(chart: CurveChart) -> str:
    """A chart with the bands of its lines, to stand in a page that has :data:`CHART_STYLE`."""
    from_points = dict(zip(chart.points, _positions(chart.points), strict=True))
    is_crowded = are_crowded(len(chart.lines))
    n_columns, n_rows = _legend(chart.lines, is_crowded=is_crowded)
    with _drawing(chart.key):
        figure, axes = _sheet(9.6, 4.4 + 0.17 * n_rows) if is_crowded else _sheet(4.8, 2.9 + 0.21 * n_rows)
        drawn = [_draw_line(axes, line, from_points, place, of=len(chart.lines)) for place, line in enumerate(chart.lines)]
        _draw_points(axes, chart.points, list(from_points.values()))
        axes.set_xlabel(chart.x_name)
        axes.set_ylabel(chart.measure if chart.is_larger_better else f"{chart.measure} (smaller is better)")
        if chart.limits is not None:
            axes.set_ylim(*chart.limits)
        shown = figure.legend(
            drawn, list(map(str, range(len(drawn)))), loc="outside lower center", ncols=n_columns, handlelength=3, columnspacing=1.4,
            fontsize=8 if is_crowded else 10,
        )  # fmt: skip
        for text, line in zip(shown.get_texts(), chart.lines, strict=True):
            text.set_text(line.name)  # given as a label, a name that begins with "_" would be left out
        return _finish(figure, chart.key, chart.title, chart.description)


def _legend(lines: Sequence[Line], *, is_crowded: bool) -> tuple[int, int]:
    """Columns and rows of the names: two columns of short ones; on a wide sheet as many as the longest name leaves room for."""
    longest = max(len(line.name) for line in lines)
    n_columns = max(1, int(9.2 / (0.075 * longest + 0.65))) if is_crowded else 2 if longest <= 20 and len(lines) > 1 else 1
    return n_columns, math.ceil(len(lines) / n_columns)


def _positions(points: Sequence[str]) -> list[float]:
    """Where points stand: by their logarithm if they go over more than a factor of 20, with what has no number one step behind the last.

    >>> _positions(["1", "10", "100", "full"])
    [0.0, 1.0, 2.0, 2.3]
    >>> _positions(["0.0", "0.5", "1.0"])
    [0.0, 0.5, 1.0]
    """
    numbers = [float(point) for point in points if point not in _ENDS]
    is_log = bool(numbers) and min(numbers) > 0 and max(numbers) > 20 * min(numbers)
    places = [math.log10(number) if is_log else number for number in numbers]
    width = (places[-1] - places[0] if len(places) > 1 else 1.0) or 1.0
    return [*places, *([round(places[-1] + 0.15 * width, 9) if places else 0.0] if len(numbers) < len(points) else [])]


def _draw_line(axes: Axes, line: Line, places: dict[str, float], number: int, *, of: int) -> Line2D:
    x, colour = [places[point] for point in line.points], _SERIES[number % len(_SERIES)]
    again = number // len(_SERIES)  # the second time round, a colour has other dashes
    if line.low:
        axes.fill_between(x, line.low, line.high, color=colour, alpha=0.08 if of > 4 and not are_crowded(of) else 0.16, linewidth=0)
    width, size = (1.1, 3.5) if are_crowded(of) else (1.8, 4.5)
    (drawn,) = axes.plot(
        x, line.values, color=colour, linestyle=_DASHES[(number + again) % len(_DASHES)], linewidth=width,
        marker=_MARKERS[(number + again) % len(_MARKERS)], markersize=size,
    )  # fmt: skip
    return drawn


def _draw_points(axes: Axes, points: Sequence[str], places: list[float]) -> None:
    """A tick a point, without names where two would overlap; the end is set apart by a line."""
    width, last, names = places[-1] - places[0] or 1.0, -math.inf, []
    for point, place in zip(points, places, strict=True):
        is_free = (place - last) / width > 0.02 * (len(point) + 1)
        names.append(point if is_free else "")
        last = place if is_free else last
    axes.set_xticks(places, names)
    if points[-1] in _ENDS and len(points) > 1:
        axes.axvline((places[-1] + places[-2]) / 2, color=_GRID, linestyle=(0, (2, 2)), linewidth=1)


def win_loss_svg(chart: WinLossChart) -> str:
    """Differences to the baseline from the largest gain to the largest loss, a step a query."""
    with _drawing(chart.key):
        figure, axes = _sheet(3.4, 1.8)
        for colour, is_side in ((_SERIES[0], lambda y: y > 0), (_SERIES[1], lambda y: y < 0)):
            axes.fill(*_steps(chart.differences, is_side), color=colour, alpha=0.85, linewidth=0)
        axes.axhline(0, color=_INK, linewidth=0.8)
        axes.set_xlim(0, max(len(chart.differences), 1))
        axes.set_ylim(-1.05 * chart.limit, 1.05 * chart.limit)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.set_ylabel(chart.y_name, fontsize=9)
        return _finish(figure, chart.key, chart.title, chart.description)


def _steps(differences: Sequence[float], is_side: Callable[[float], bool]) -> tuple[list[float], list[float]]:
    """The outline of one side of the sorted differences, a step a query; of very many queries, a step is the middle one of several."""
    ranked = sorted(differences, reverse=True)
    width = max(1, math.ceil(len(ranked) / _MOST_STEPS))
    x, y = [], []
    for start in range(0, len(ranked), width):
        step = ranked[start : start + width]
        if is_side(middle := step[len(step) // 2]):
            x += [float(start), float(start + len(step))]
            y += [middle, middle]
    return ([x[0], *x, x[-1]], [0.0, *y, 0.0]) if x else ([], [])


# ---- matplotlib, and what becomes of its output ----


def _drawing(key: str) -> Any:
    """The settings under which a chart has the same bytes each time, whatever the user's own are."""
    try:
        import matplotlib
    except ImportError:
        raise MissingDependency("matplotlib", "reports", "draw charts") from None
    defaults = {name: value for name, value in matplotlib.rcParamsDefault.items() if not name.startswith("backend")}
    return matplotlib.rc_context({
        **defaults, "svg.fonttype": "none", "svg.hashsalt": key,
        "text.parse_math": False, "font.family": ["sans-serif"], "font.sans-serif": ["DejaVu Sans"], "font.size": 10,
        "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _SOFT, "xtick.color": _SOFT, "ytick.color": _SOFT,
        "axes.grid": True, "axes.grid.axis": "y", "grid.color": _GRID, "grid.linewidth": 0.8, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "path.simplify": False, "axes.unicode_minus": True,
    })  # fmt: skip


def _sheet(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _finish(figure: Figure, key: str, title: str, description: str) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text.getvalue())
    assert size is not None
    inside = text.getvalue().split("<svg", 1)[1].split(">", 1)[1].rsplit("</svg>", 1)[0]
    inside = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", inside, count=1, flags=re.DOTALL)
    return (
        f'<svg class="drawn" viewBox="0 0 {size[1]} {size[2]}" role="img" aria-labelledby="{escape(key)}-title {escape(key)}-desc">'
        f'<title id="{escape(key)}-title">{escape(title)}</title><desc id="{escape(key)}-desc">{escape(description)}</desc>'
        f"{_in_tags(inside, lambda tag: _own_ids(_plain(tag), key))}</svg>"
    )


def _in_tags(svg: str, change: Callable[[str], str]) -> str:
    """Tags changed, and what stands between them, names and numbers of ticks, as it is."""
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"<[^>]*>", lambda match: change(match[0]), svg))


def _plain(tag: str) -> str:
    """Colours by their roles; and fewer bytes: one font, named in the style, coordinates to 0.01 points, no line breaks inside paths."""
    tag = re.sub(r"#0a0[bc]\w\w", lambda match: _ROLES[match[0]], tag)
    tag = re.sub(r"font-family: [^;\"]*(?:; )?", "", tag)
    tag = re.sub(r' transform="rotate\(-?0 [^)]*\)"', "", tag)
    tag = re.sub(r"-?\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), tag)
    return re.sub(r'( d="[^"]*")', lambda match: match[0].replace("\n", " ").replace(' "', '"'), tag).replace("xlink:href", "href")


def _own_ids(tag: str, key: str) -> str:
    """Ids that no other chart of the page has."""
    prefix = escape(key) + "-"
    return re.sub(r'(\bid="|url\(#|href="#)', lambda match: match[0] + prefix, tag)


def standalone(svg: str) -> str:
    """A chart as a file of its own, on a ground of its own, which follows the reader's light or dark."""
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert size is not None
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_ENLARGED * float(size[1]):.0f}" height="{_ENLARGED * float(size[2]):.0f}" '
    ground = f'<rect width="{size[1]}" height="{size[2]}" fill="var(--chart-paper)"/>'
    opening, inside = svg.removeprefix("<svg ").split("</desc>", 1)
    return f"{head}{opening}</desc>\n<style>\n{CHART_STYLE}</style>\n{ground}{inside}\n"
