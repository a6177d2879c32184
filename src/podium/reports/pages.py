"""A page of results: one HTML file with everything in it, no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from podium.measures import get
from podium.reports.charts import Dot, dot_chart
from podium.reports.text import number
from podium.results import Comparisons, Results

__all__ = ["evaluation_page"]

_STYLE = """
:root { --ink: #1d2733; --soft: #5d6b7a; --line: #dde3ea; --paper: #ffffff; --ground: #f5f7fa; --mark: #1f6feb; --best: #e7f0ff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #303a46; --paper: #161c24; --ground: #0e1319; --mark: #58a6ff; --best: #1c2e4a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
p.lead { color: var(--soft); margin: 0 0 1.5rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr:last-child td { border-bottom: 0; } td.best { background: var(--best); font-weight: 600; }
th { font-size: .85rem; color: var(--soft); font-weight: 600; }
sup { color: var(--mark); font-size: .7em; } .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
.chart { width: 100%; height: auto; } .chart text { fill: var(--ink); font: 13px system-ui, sans-serif; } .chart .tick { fill: var(--soft); font-size: 11px; }
.chart .grid { stroke: var(--line); } .chart .interval { stroke: var(--mark); stroke-width: 3; stroke-opacity: .45; stroke-linecap: round; }
.chart .dot { fill: var(--mark); } .chart .hover { fill: transparent; } .chart g:hover .hover { fill: var(--best); fill-opacity: .6; }
dl { margin: 0; } dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0; color: var(--soft); }
footer { color: var(--soft); font-size: .85rem; margin-top: 2rem; }
"""


def _best(results: Results, measure: str) -> float:
    means = [mean for run in results.runs if not math.isnan(mean := results.mean(run, measure))]
    return (max if get(measure).entry.larger_is_better else min)(means, default=math.nan)


def _table(results: Results, comparisons: Comparisons, level: float) -> str:
    head = "".join(f"<th>{escape(measure)}</th>" for measure in results.measures)
    rows = []
    for run in results.runs:
        cells = []
        for measure in results.measures:
            mean = results.mean(run, measure)
            mark = '<sup title="differs from the baseline">✱</sup>' if comparisons.get((run, measure), (None, 1.0))[1] < level else ""
            cells.append(f"<td{' class=best' if mean == _best(results, measure) else ''}>{number(mean)}{mark}</td>")
        rows.append(f"<tr><td>{escape(run)}</td>{''.join(cells)}</tr>")
    return f"<table><tr><th>run</th>{head}</tr>{''.join(rows)}</table>"


def _charts(results: Results, measures: Sequence[str]) -> str:
    figures = []
    for measure in measures:
        dots = [Dot(run, results.mean(run, measure), *results.interval(run, measure)) for run in results.runs]
        direction = "" if get(measure).entry.larger_is_better else " (smaller is better)"
        chart = dot_chart(f"Mean {measure} of each run", dots)
        figures.append(f"<figure><figcaption>{escape(measure)}{direction}</figcaption>{chart}</figure>")
    return f'<div class="charts">{"".join(figures)}</div>'


def evaluation_page(
    results: Results,
    *,
    title: str,
    lead: str,
    comparisons: Comparisons | None = None,
    baseline: str | None = None,
    correction: str = "holm",
    level: float = 0.05,
    footer: str = "",
) -> str:
    """The page: a table of means, a chart a measure, and what every measure's name stands for."""
    said = "".join(f"<dt>{escape(measure)}</dt><dd>{escape(get(measure).convention())}</dd>" for measure in results.measures)
    marks = (
        f"<p>✱ differs from {escape(baseline)} (Fisher randomisation, p &lt; {level:g} after {escape(correction)} correction).</p>"
        if baseline and comparisons
        else ""
    )
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body><main>
<h1>{escape(title)}</h1>
<p class="lead">{escape(lead)}</p>
<section>{_table(results, comparisons or {}, level)}{marks}</section>
<h2>Means with 95 % bootstrap intervals over queries</h2>
{_charts(results, results.measures)}
<h2>What the measures mean here</h2>
<section><dl>{said}</dl></section>
<footer>{escape(footer)}</footer>
</main></body>
</html>
"""
