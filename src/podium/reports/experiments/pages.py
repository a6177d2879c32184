"""Reports of experiments as one HTML file: no script, nothing loaded from elsewhere, light and dark and in print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from podium.reports.experiments.cells import Section, Table, counted
from podium.reports.experiments.charts import slug
from podium.reports.experiments.findings import NEAR, Findings
from podium.reports.experiments.html import charts_html, inside, notes_html, table_html, tables_html
from podium.reports.experiments.style import EXPERIMENT_STYLE, RUNS_STYLE
from podium.reports.experiments.summary import summary_table
from podium.reports.experiments.values import LEVEL
from podium.reports.figures import CHART_STYLE
from podium.reports.frame import page

__all__ = ["Part", "experiment_page"]

_MOST_SHOWN = 3  # sentences below a table, and charts, of one run among several; others are shown when asked for
_ASIDE = ("queries", "measures", "cost", "settings", "rerun")  # sections that readers of several runs ask for

Part = tuple[str, str, Sequence[Section]]  # a run's key, its title, its sections


def experiment_page(parts: Sequence[Part], *, found: Sequence[Findings] = (), footer: str = "") -> str:
    """One page of one run or of several; several, with what was ``found``, begin with a table of all in short."""
    if len(parts) == 1:
        _, title, sections = parts[0]
        return _page(title, f'<div class="report">{"".join(map(_section, sections))}</div>', footer)
    short = _in_short(summary_table(found, [_id(one.config.name) for one in found])) if found else ""
    contents = "".join(f'<li><a href="#{escape(_id(key))}">{escape(name)}</a></li>' for key, name, _ in parts)
    nav = f'<nav class="report-contents" aria-label="Contents"><ol><li><a href="#top">In short</a></li>{contents}</ol></nav>'
    return _page(f"{len(parts)} experiments", short + "".join(_run(*part) for part in parts), footer, style=RUNS_STYLE, nav=nav)


def _page(title: str, report: str, footer: str, *, style: str = "", nav: str = "") -> str:
    head = f'<h1{" id=top" if nav else ""}>{escape(title)}</h1>\n<p class="lead">Report by Podium</p>'
    body = f"{nav}<div>{head}\n{report}<footer>{escape(footer)}</footer></div>"
    return page(title, body, has_report=True, style_too=CHART_STYLE + EXPERIMENT_STYLE + style)


def _id(key: str) -> str:
    return f"run-{slug(key)}"


# ---- several runs ----


def _in_short(table: Table) -> str:
    lead = (
        f"Figures agree if they are no more than {NEAR:.3f} apart, claims if they have the same sign and p < {LEVEL:g}. "
        "Every line leads to its run."
    )
    told = f'<h2>In short</h2><p class="report-lead">{escape(lead)}</p>{table_html(table)}'
    return f'<div class="report"><section class="report-part">{told}</section></div>'


def _run(key: str, title: str, sections: Sequence[Section]) -> str:
    """A run among several: links to its sections, then those with what is long in them folded, then those that are folded as a whole."""
    name = _id(key)
    to_sections = "".join(f'<a href="#{name}-{section.key}">{escape(section.title)}</a>' for section in sections)
    links = f'<p class="run-links"><a class="to-top" href="#top">Contents</a>{to_sections}</p>'
    head = f'<header class="report-run"><h1 class="run-title" id="{name}">{escape(title)}</h1>{links}</header>'
    shown = "".join(_short_section(section, f"{name}-{section.key}") for section in sections if section.key not in _ASIDE)
    aside = "".join(
        f'<details><summary>{escape(section.title)}</summary><div id="{name}-{section.key}">{inside(section)}</div></details>'
        for section in sections
        if section.key in _ASIDE
    )
    return f'{head}<div class="report">{shown}<section class="report-part report-more">{aside}</section></div>'


def _short_section(section: Section, name: str) -> str:
    """What is seen at once: a chart or two, or a table, and few sentences."""
    n_charts = len(section.charts) if len(section.charts) <= _MOST_SHOWN else 2
    n_tables = 0 if section.charts else 1
    n_notes = len(section.notes) if len(section.notes) <= _MOST_SHOWN else 0
    seen = replace(section, charts=section.charts[:n_charts], tables=section.tables[:n_tables], notes=section.notes[:n_notes])
    charts, tables, notes = section.charts[n_charts:], section.tables[n_tables:], section.notes[n_notes:]
    folded = [
        _folded(counted(len(charts), "chart more", "charts more"), charts_html(charts)) if charts else "",
        _folded(tables[0].caption if len(tables) == 1 else f"{len(tables)} tables", tables_html(tables)) if tables else "",
        _folded(f"{len(notes)} notes", notes_html(notes)) if notes else "",
    ]
    return f'<section class="report-part" id="{name}"><h2>{escape(section.title)}</h2>{inside(seen)}{"".join(folded)}</section>'


def _folded(name: str, html: str) -> str:
    return f'<details class="report-fold"><summary>{escape(name)}</summary>{html}</details>'


# ---- one run ----


def _section(section: Section) -> str:
    title = escape(section.title)
    if section.is_folded:
        return f'<section class="report-part"><details><summary>{title}</summary>{inside(section)}</details></section>'
    return f'<section class="report-part"><h2>{title}</h2>{inside(section)}</section>'
