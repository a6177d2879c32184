"""Reports of experiments as one HTML file: no script, nothing loaded from elsewhere, light and dark and in print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from podium.reports.experiment_cells import Cell, Section, Table
from podium.reports.experiment_charts import slug
from podium.reports.figures import CHART_STYLE, CurveChart, curve_svg, win_loss_svg
from podium.reports.frame import page

__all__ = ["Part", "experiment_page"]

_WIDE = 5  # columns beyond which intervals go below their values
_STYLE = """
.report-part + .report-part { margin-top: 0; } .run-title { margin: 2.2rem 0 .2rem; font-size: 1.35rem; }
.report-contents { margin: 0; padding-left: 1.2rem; } .report-contents a, .report-part a { color: var(--mark); }
.report-table caption { caption-side: top; } .report-table td.best { background: none; font-weight: 700; color: var(--ink); }
.report-table td.best .aside { font-weight: 400; } .report-table td.far { font-weight: 600; color: var(--warn); }
.report-table tr.inner > * { border-bottom-color: transparent; }
.report-table th.no-name { min-width: 0; } .report-table .aside { white-space: nowrap; }
.report-table sup { margin-left: .1em; line-height: 0; } .report-table td.words { min-width: 9rem; }
.report-charts.is-small { grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); }
.report-charts.is-small figcaption { font-weight: 500; font-size: .875rem; overflow-wrap: anywhere; }
.report-charts .drawn { max-width: 32rem; margin: 0 auto; }
.report-part > details > summary { cursor: pointer; font-size: 1.2rem; font-weight: 700; } details[open] > summary { margin-bottom: .5rem; }
.report-part h2 { scroll-margin-top: 1rem; } .report-part dl + .report-notes { margin-top: .8rem; }
.report-text { margin: .3rem 0 1rem; padding: .7rem .9rem; background: var(--ground); border: 1px solid var(--line); border-radius: 6px;
  font: .8rem/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-x: auto; }
.report-told { margin-top: .5rem; } .report-part > details.report-told > summary { font-size: 1rem; font-weight: 600; }
.report-notes { color: var(--ink); font-size: .925rem; } .report-notes li { margin-bottom: .3rem; }
.report-table thead th.left, .report-table td.left { text-align: left; }
.report-table th:first-child { position: sticky; left: 0; background: var(--surface); z-index: 1; }
.report-table caption > span { display: inline-block; position: sticky; left: 0; max-width: min(70rem, calc(100vw - 4.6rem)); }
@media (max-width: 40rem) { .report-table tbody th { min-width: 6rem; } .report-charts figure { padding: .6rem .5rem .4rem; } }
:root { --warn: #a33c00; }
@media screen and (prefers-color-scheme: dark) { :root { --warn: #ffb07a; } }
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --ground: #fff; --mark: #003f9e; --best: #fff; }
  html { font-size: 11px; } body { font-size: 1rem; } main { max-width: none; padding: 0; } .report-part { border: 0; padding: 0; }
  figure, tr, .report-notes li { break-inside: avoid; } h2, h1, caption { break-after: avoid; }
  .report-scroll { overflow: visible; } .report-text { white-space: pre-wrap; overflow-wrap: anywhere; overflow: visible; }
  .report-table.is-wide th, .report-table.is-wide td { padding: .2rem .4rem; } .report-table tbody th { min-width: 0; }
  .report-charts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .report-charts.is-small { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  details::details-content { content-visibility: visible; block-size: auto; } .report-contents { display: none; }
}
"""


Part = tuple[str, str, Sequence[Section]]  # a run's key, its title, its sections


def experiment_page(parts: Sequence[Part], *, footer: str = "") -> str:
    """One page of one run or of several; several begin with a table of contents."""
    title = parts[0][1] if len(parts) == 1 else f"{len(parts)} experiments"
    contents = "".join(f'<li><a href="#{escape(_id(key))}">{escape(name)}</a></li>' for key, name, _ in parts)
    first = f'<nav aria-label="Contents"><ol class="report-contents">{contents}</ol></nav>' if len(parts) > 1 else ""
    runs = "".join(_run(*part, is_only=len(parts) == 1) for part in parts)
    body = f'<h1>{escape(title)}</h1>\n<p class="lead">Report by Podium</p>\n{first}{runs}<footer>{escape(footer)}</footer>'
    return page(title, body, has_report=True, style_too=CHART_STYLE + _STYLE)


def _id(key: str) -> str:
    return f"run-{slug(key)}"


def _run(key: str, title: str, sections: Sequence[Section], *, is_only: bool) -> str:
    head = "" if is_only else f'<h1 class="run-title" id="{escape(_id(key))}">{escape(title)}</h1>'
    return f'{head}<div class="report">{"".join(map(_section, sections))}</div>'


def _section(section: Section) -> str:
    lead = f'<p class="report-lead">{escape(section.lead)}</p>' if section.lead else ""
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in section.facts)
    notes = "".join(f"<li>{escape(note)}</li>" for note in section.notes)
    inside = "".join([
        lead, f'<dl class="report-about">{facts}</dl>' if facts else "", _charts(section), _tables(section.tables),
        f'<ul class="report-notes">{notes}</ul>' if notes else "", *(_text(*text) for text in section.texts),
    ])  # fmt: skip
    if section.is_folded:
        return f'<section class="report-part"><details><summary>{escape(section.title)}</summary>{inside}</details></section>'
    return f'<section class="report-part"><h2>{escape(section.title)}</h2>{inside}</section>'


def _text(name: str, text: str) -> str:
    shown = f'<pre class="report-text" tabindex="0">{escape(text)}</pre>'
    return f'<details class="report-told"><summary>{escape(name)}</summary>{shown}</details>'


def _charts(section: Section) -> str:
    figures = [
        f"<figure><figcaption>{escape(chart.title)}</figcaption>"
        f"{curve_svg(chart) if isinstance(chart, CurveChart) else win_loss_svg(chart)}</figure>"
        for chart in section.charts
    ]
    small = "" if any(isinstance(chart, CurveChart) for chart in section.charts) else " is-small"
    return f'<div class="report-charts{small}">{"".join(figures)}</div>' if figures else ""


def _tables(tables: Sequence[Table]) -> str:
    return f'<div class="report-tables">{"".join(map(_table, tables))}</div>' if tables else ""


def _table(table: Table) -> str:
    lefts = [table.is_left(column) for column in range(len(table.head))]
    head = "".join(_head(name, is_left=is_left) for name, is_left in zip(table.head, lefts, strict=True))
    rows = "".join(_row(row, lefts, ends=_ends(table.rows, place)) for place, row in enumerate(table.rows))
    caption, wide = escape(table.caption), " is-wide" if len(table.head) > _WIDE else ""
    return (
        f'<div class="report-scroll" role="region" aria-label="{caption}" tabindex="0"><table class="report-table{wide}">'
        f"<caption><span>{caption}</span></caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _head(name: str, *, is_left: bool) -> str:
    return f'<th scope="col"{" class=left" if is_left else ""}>{escape(name)}</th>' if name else "<td></td>"


def _ends(rows: Sequence[Sequence[Cell]], place: int) -> bool:
    """Whether the next row has a name of its own."""
    return place + 1 == len(rows) or bool(rows[place + 1][0].text)


def _row(row: Sequence[Cell], lefts: Sequence[bool], *, ends: bool) -> str:
    kind = "" if ends else " class=inner"
    name = f'<th scope="row"{"" if row[0].text else " class=no-name"}>{_inside(row[0])}</th>'
    return f"<tr{kind}>{name}{''.join(map(_cell, row[1:], lefts[1:]))}</tr>"


def _cell(cell: Cell, is_left: bool) -> str:
    kinds = " ".join(filter(None, [cell.kind, "left" if is_left else ""]))
    return f'<td class="{kinds}">{_inside(cell)}</td>' if kinds else f"<td>{_inside(cell)}</td>"


def _inside(cell: Cell) -> str:
    mark = f'<sup title="{_MARKS.get(cell.mark, "")}">{escape(cell.mark)}</sup>' if cell.mark else ""
    return escape(cell.text) + mark + (f'<span class="aside">{escape(cell.aside)}</span>' if cell.aside else "")


_MARKS = {"▲": "significantly better than the baseline", "▼": "significantly worse than the baseline"}
