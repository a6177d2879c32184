"""What every page that stands alone is put into: one HTML file with its style, light and dark, that loads nothing and runs nothing."""

from __future__ import annotations

from html import escape

__all__ = ["REPORT_STYLE", "STYLE", "page"]

STYLE = """
:root { --ink: #1d2733; --soft: #5d6b7a; --line: #dde3ea; --paper: #ffffff; --ground: #f5f7fa; --mark: #1f6feb; --best: #e7f0ff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #303a46; --paper: #161c24; --ground: #0e1319; --mark: #58a6ff; --best: #1c2e4a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1, h2 { overflow-wrap: anywhere; } h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
p.lead { color: var(--soft); margin: 0 0 1.5rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr:last-child td { border-bottom: 0; }
td.best { background: var(--best); font-weight: 600; }
th { font-size: .85rem; color: var(--soft); font-weight: 600; }
sup { color: var(--mark); font-size: .7em; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
.chart { width: 100%; height: auto; } .chart text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.chart .tick { fill: var(--soft); font-size: 11px; }
.chart .grid { stroke: var(--line); } .chart .interval { stroke: var(--mark); stroke-width: 3; stroke-opacity: .45; stroke-linecap: round; }
.chart .dot { fill: var(--mark); } .chart .hover { fill: transparent; } .chart g:hover .hover { fill: var(--best); fill-opacity: .6; }
dl { margin: 0; } dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0; color: var(--soft); }
footer { color: var(--soft); font-size: .85rem; margin-top: 2rem; }
"""

# A report is also part of the server's pages, which bring these colours along under the same names.
_COLOURS = """
:root { --surface: var(--paper); --ink-soft: var(--soft); --accent: var(--mark); --accent-soft: var(--best); --sunken: var(--ground); }
main { max-width: 76rem; }
"""

_REPORT = """
.report { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
.report-part { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem;
  overflow: visible; min-width: 0; }
.report-part h2 { font-size: 1.2rem; margin: 0 0 .5rem; }
.report-lead, .report-notes { color: var(--ink-soft); max-width: 75ch; } .report-lead { margin: 0 0 1rem; }
.report-notes { margin: 1rem 0 0; padding-left: 1.1rem; font-size: .875rem; }
.report-tables { display: flex; flex-wrap: wrap; gap: 1.5rem 3rem; align-items: start; }
.report-scroll { overflow-x: auto; max-width: 100%; min-width: 0; position: relative; }
.report-table { border-collapse: collapse; width: auto; margin: 0; font-variant-numeric: tabular-nums; }
.report-table caption { text-align: left; font-weight: 600; padding: 0 0 .4rem; }
.report-table th, .report-table td { padding: .35rem .8rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: baseline; white-space: nowrap; }
.report-table thead th { color: var(--ink-soft); font-size: .85rem; font-weight: 600; white-space: normal; vertical-align: bottom; }
.report-table th:first-child { text-align: left; padding-left: 0; }
.report-table tbody th { font-weight: 500; color: var(--ink); font-size: inherit; white-space: normal; min-width: 9rem; }
.report-table thead td { border-bottom: 1px solid var(--line); }
.report-table tbody tr:last-child > * { border-bottom: 0; }
.report-table .aside { margin-left: .5rem; color: var(--ink-soft); font-size: .8rem; }
.report-table.is-wide .aside { display: block; margin: 0; } .report-table.is-wide th, .report-table.is-wide td { padding: .35rem .5rem; }
.report-table.is-wide th:first-child { padding-left: 0; }
.report-table .paper { color: var(--ink-soft); font-style: italic; }
.report-table .words { white-space: normal; min-width: 14rem; text-align: left; }
.report-charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; margin: 0 0 1.1rem; }
.report-charts figure { margin: 0; padding: .9rem 1rem .6rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--surface); min-width: 0; }
.report-charts figcaption { font-weight: 600; margin: 0 0 .4rem; }
.report-about { margin: 0; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.2rem; }
.report-about dt { color: var(--ink-soft); margin: 0; font-weight: 500; }
.report-about dd { margin: 0; color: var(--ink); overflow-wrap: anywhere; white-space: pre-line; }
.report .chart { display: block; width: 100%; height: auto; max-width: 44rem; }
.report .chart text { fill: var(--ink); font: 13px system-ui, sans-serif; } .report .chart .tick { fill: var(--ink-soft); font-size: 11px; }
.report .chart .grid { stroke: var(--line); } .report .chart .hover { fill: transparent; }
.report .chart .interval { stroke: var(--accent); stroke-width: 3; stroke-opacity: .5; stroke-linecap: round; }
.report .chart .dot { fill: var(--accent); } .report .chart .other { fill: var(--surface); stroke: var(--ink-soft); stroke-width: 2; }
.report .chart .box { fill: var(--accent-soft); stroke: var(--accent); stroke-width: 1.5; }
.report .chart .middle { stroke: var(--accent); stroke-width: 3; }
.report .chart .whisker { stroke: var(--accent); stroke-width: 1.5; }
.report .chart g:hover .hover { fill: var(--accent-soft); fill-opacity: .5; }
@media (max-width: 40rem) { .report-about { grid-template-columns: minmax(0, 1fr); gap: 0; } .report-about dd { margin-bottom: .6rem;
  } .report-part { padding: .9rem; }
  .report-table .aside { display: block; margin: 0; }
  .report .chart text { font-size: 15px; } .report .chart .tick { font-size: 14px; } }
"""
REPORT_STYLE = _REPORT.lstrip()


def page(title: str, body: str, *, has_report: bool = False, style_too: str = "") -> str:
    """A whole page of a title and what stands in its main part; ``style_too`` comes after the style that all pages have."""
    style = (STYLE + _COLOURS + _REPORT if has_report else STYLE) + style_too
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{style}</style></head>
<body><main>
{body}
</main></body>
</html>
"""
