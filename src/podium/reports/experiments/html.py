"""The parts of a section of an experiment's report in HTML: facts, charts, tables, sentences and texts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from podium.reports.chart_facts import CurveChart, WinLossChart, are_crowded
from podium.reports.experiments.cells import Cell, Section, Table
from podium.reports.figures import curve_svg, win_loss_svg

__all__ = ["charts_html", "inside", "notes_html", "table_html", "tables_html"]

_WIDE = 5  # columns beyond which intervals go below their values
_BROAD = 13  # columns beyond which a table is printed on a page that lies on its side


def inside(section: Section) -> str:
    """All of a section but its title."""
    lead = f'<p class="report-lead">{escape(section.lead)}</p>' if section.lead else ""
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in section.facts)
    about = f'<dl class="report-about">{facts}</dl>' if facts else ""
    told = [lead, about, charts_html(section.charts), tables_html(section.tables), notes_html(section.notes)]
    return "".join([*told, *(_text(*text) for text in section.texts)])


def notes_html(notes: Sequence[str]) -> str:
    return f'<ul class="report-notes">{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul>' if notes else ""


def _text(name: str, text: str) -> str:
    shown = f'<pre class="report-text" tabindex="0">{escape(text)}</pre>'
    return f'<details class="report-told"><summary>{escape(name)}</summary>{shown}</details>'


def charts_html(charts: Sequence[CurveChart | WinLossChart]) -> str:
    small = "" if any(isinstance(chart, CurveChart) for chart in charts) else " is-small"
    return f'<div class="report-charts{small}">{"".join(map(_figure, charts))}</div>' if charts else ""


def _figure(chart: CurveChart | WinLossChart) -> str:
    is_broad = isinstance(chart, CurveChart) and are_crowded(len(chart.lines))
    drawn = curve_svg(chart) if isinstance(chart, CurveChart) else win_loss_svg(chart)
    return f"<figure{' class=is-broad' if is_broad else ''}><figcaption>{escape(chart.title)}</figcaption>{drawn}</figure>"


def tables_html(tables: Sequence[Table]) -> str:
    return f'<div class="report-tables">{"".join(map(table_html, tables))}</div>' if tables else ""


def table_html(table: Table) -> str:
    lefts = [table.is_left(column) for column in range(len(table.head))]
    head = "".join(_head(name, is_left=is_left) for name, is_left in zip(table.head, lefts, strict=True))
    rows = "".join(_row(row, lefts, ends=_ends(table.rows, place)) for place, row in enumerate(table.rows))
    kinds = " is-wide" * (len(table.head) > _WIDE) + " is-broad" * (len(table.head) > _BROAD)
    caption = f"<caption><span>{escape(table.caption)}</span></caption>" if table.caption else ""
    return (
        f'<div class="report-scroll" role="region" aria-label="{escape(table.caption or table.key)}" tabindex="0">'
        f'<table class="report-table{kinds}" data-table="{escape(table.key)}">'
        f"{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _head(name: str, *, is_left: bool) -> str:
    return f'<th scope="col"{" class=left" if is_left else ""}>{escape(name)}</th>' if name else "<td></td>"


def _ends(rows: Sequence[Sequence[Cell]], place: int) -> bool:
    """Whether the next row has a name of its own."""
    return place + 1 == len(rows) or bool(rows[place + 1][0].text)


def _row(row: Sequence[Cell], lefts: Sequence[bool], *, ends: bool) -> str:
    kind = "" if ends else " class=inner"
    name = f'<th scope="row"{"" if row[0].text else " class=no-name"}>{_told(row[0])}</th>'
    return f"<tr{kind}>{name}{''.join(map(_cell, row[1:], lefts[1:]))}</tr>"


def _cell(cell: Cell, is_left: bool) -> str:
    kinds = " ".join(filter(None, [cell.kind, "left" if is_left else ""]))
    return f'<td class="{kinds}">{_told(cell)}</td>' if kinds else f"<td>{_told(cell)}</td>"


def _told(cell: Cell) -> str:
    mark = f'<sup title="{_MARKS.get(cell.mark, "")}">{escape(cell.mark)}</sup>' if cell.mark else ""
    text = f'<a href="#{escape(cell.link)}">{escape(cell.text)}</a>' if cell.link else escape(cell.text)
    return text + mark + (f'<span class="aside">{escape(cell.aside)}</span>' if cell.aside else "")


_MARKS = {"▲": "significantly better than the baseline", "▼": "significantly worse than the baseline"}
