"""A page of results: one HTML file with everything in it, no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from podium.measures import get
from podium.reports.charts import Dot, dot_chart
from podium.reports.frame import page
from podium.reports.text import number
from podium.results import Comparisons, Results

__all__ = ["evaluation_page"]


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
    body = f"""<h1>{escape(title)}</h1>
<p class="lead">{escape(lead)}</p>
<section>{_table(results, comparisons or {}, level)}{marks}</section>
<h2>Means with 95 % bootstrap intervals over queries</h2>
{_charts(results, results.measures)}
<h2>What the measures mean here</h2>
<section><dl>{said}</dl></section>
<footer>{escape(footer)}</footer>"""
    return page(title, body)
