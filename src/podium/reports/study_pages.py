"""The report of a study as HTML: a part of the server's pages, or a file of its own. Only classes: no script, no inline style."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from podium.labelling.coefficients import Figure
from podium.labelling.study_facts import PAPER, StudyReport, ToolFigures
from podium.reports.charts import Box, Dot, box_chart, dot_chart
from podium.reports.frame import page
from podium.reports.study_tables import TOOL_NAMES, Cell, Section, Table, percent, sections
from podium.reports.text import number

__all__ = ["study_html", "study_page"]

_WIDE = 8  # columns beyond which intervals go below their values
_LABEL = 150.0  # wide enough for "grades (T2), paper"


def study_html(report: StudyReport) -> str:
    """The report as a part of a page: sections with charts, and with tables that have every number of the charts."""
    about = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in [*_sizes(report), *report.about])
    first = f'<section class="report-part"><h2>What was judged</h2><dl class="report-about">{about}</dl></section>'
    return f'<div class="report">{first}{"".join(_section(report, section) for section in sections(report))}</div>'


def study_page(report: StudyReport) -> str:
    """The report as a file that stands alone."""
    title = report.title or "Report"
    return page(title, f'<h1>{escape(title)}</h1>\n<p class="lead">Report by Podium</p>\n{study_html(report)}', has_report=True)


def _sizes(report: StudyReport) -> list[tuple[str, str]]:
    return [
        ("Queries", f"{report.n_queries:,}"),
        ("Tasks", f"{report.n_finished:,} of {report.n_tasks:,} finished"),
        ("People", f"{len(report.people):,}"),
        *([("Models", ", ".join(report.models))] if report.models else []),
    ]


def _section(report: StudyReport, section: Section) -> str:
    charts = {"effort": _effort_charts, "agreement": _agreement_charts, "assessors": _assessor_charts}.get(section.key)
    lead = f'<p class="report-lead">{escape(section.lead)}</p>' if section.lead else ""
    items = "".join(f"<li>{escape(note)}</li>" for note in section.notes)
    notes = f'<ul class="report-notes">{items}</ul>' if items else ""
    return (
        f'<section class="report-part"><h2>{escape(section.title)}</h2>{lead}{_figures(charts(report) if charts else [])}'
        f"{_tables(section.tables)}{notes}</section>"
    )


def _tables(tables: Sequence[Table]) -> str:
    return f'<div class="report-tables">{"".join(map(_table, tables))}</div>' if tables else ""


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in table.head)
    rows = "".join(f"<tr>{_row_head(row[0])}{''.join(map(_cell, row[1:]))}</tr>" for row in table.rows)
    caption, wide = escape(table.caption), " is-wide" if len(table.head) > _WIDE else ""
    return (
        f'<div class="report-scroll" role="region" aria-label="{caption}" tabindex="0"><table class="report-table{wide}">'
        f"<caption>{caption}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row_head(cell: Cell) -> str:
    return f'<th scope="row">{_inside(cell)}</th>'


def _cell(cell: Cell) -> str:
    return f'<td class="{cell.kind}">{_inside(cell)}</td>' if cell.kind else f"<td>{_inside(cell)}</td>"


def _inside(cell: Cell) -> str:
    return escape(cell.text) + (f'<span class="aside">{escape(cell.aside)}</span>' if cell.aside else "")


# ---- charts ----


def _figures(charts: Sequence[tuple[str, str]]) -> str:
    found = "".join(f"<figure><figcaption>{escape(title)}</figcaption>{chart}</figure>" for title, chart in charts)
    return f'<div class="report-charts">{found}</div>' if found else ""


def _dots(report: StudyReport, figure: Callable[[ToolFigures], Figure], paper: object) -> list[Dot]:
    """Ours, each followed by the paper's."""
    assert isinstance(paper, dict)
    dots = []
    for tool in report.tools:
        ours, name = figure(tool), TOOL_NAMES[tool.tool]
        dots.append(Dot(name, ours.value, ours.low, ours.high))
        dots += [Dot(f"{name}, paper", paper[tool.tool], is_others=True)] if tool.tool in paper else []
    return dots


def _dot_chart(title: str, dots: Sequence[Dot], say: Callable[[float], str]) -> tuple[str, str]:
    told = "; ".join(f"{dot.label} {say(dot.value)}" for dot in dots)
    tick = _percent_tick if say is percent else "{:g}".format
    return title, dot_chart(title, dots, description=f"{told}.", say=say, tick=tick, label=_LABEL)


def _percent_tick(value: float) -> str:
    return f"{100 * value:g} %"


def _effort_charts(report: StudyReport) -> list[tuple[str, str]]:
    boxes = [Box(TOOL_NAMES[tool.tool], tool.seconds_box) for tool in report.tools if tool.n_timed]
    title = "Seconds per judgment: 5th to 95th percentile"
    told = "; ".join(f"{box.label}: {', '.join(f'{value:.1f}' for value in box.percentiles)}" for box in boxes)
    minutes = _dot_chart(
        "Active minutes per query", _dots(report, lambda tool: tool.minutes_per_query, PAPER.minutes), lambda value: number(value, 2)
    )
    return [minutes, *([(title, box_chart(title, boxes, description=f"{told}.", label=_LABEL))] if boxes else [])]


def _agreement_charts(report: StudyReport) -> list[tuple[str, str]]:
    if not any(tool.agreement.n_pairs for tool in report.tools):
        return []
    return [
        _dot_chart("Overall agreement", _dots(report, lambda tool: tool.agreement.overall, PAPER.overall), percent),
        _dot_chart("Agreement without ties", _dots(report, lambda tool: tool.agreement.without_ties, PAPER.without_ties), percent),
    ]


def _assessor_charts(report: StudyReport) -> list[tuple[str, str]]:
    charts = []
    for tool in report.tools:
        own = [one for one in report.assessors if one.tool == tool.tool and not math.isnan(one.agreement.value)]
        dots = [Dot(one.assessor or "(no name)", one.agreement.value, one.agreement.low, one.agreement.high) for one in own]
        charts += [_dot_chart(f"Agreement with people, {TOOL_NAMES[tool.tool]}", dots, percent)] if dots else []
    return charts
