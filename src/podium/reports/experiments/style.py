"""How reports of experiments look: on wide and small screens, light and dark, and in print."""

from __future__ import annotations

__all__ = ["EXPERIMENT_STYLE", "RUNS_STYLE"]

EXPERIMENT_STYLE = """
.report-part + .report-part { margin-top: 0; } .report-part a, .report-run a, .report-contents a { color: var(--mark); }
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
.report-charts .is-broad { grid-column: 1 / -1; } .report-charts .is-broad .drawn { max-width: 64rem; }
@media (max-width: 40rem) { .report-table tbody th { min-width: 6rem; } .report-charts figure { padding: .6rem .5rem .4rem; }
  .report-charts .is-broad { overflow-x: auto; } .report-charts .is-broad .drawn { min-width: 40rem; } }
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
  details::details-content { content-visibility: visible; block-size: auto; }
  .report-table .words, .report-table td.words { min-width: 0; } .report-table, .report-table caption > span { max-width: 100%; }
  .report-table th, .report-table td, .report-table .aside { white-space: normal; } .report-table th { overflow-wrap: anywhere; }
  .report-table .words, .report-table:has(th:nth-child(27)) td { overflow-wrap: anywhere; }
  .report-scroll:has(.is-broad) { page: broad; } .report-table.is-broad { font-size: .8rem; } .is-broad thead th { font-size: .7rem; }
  .report-charts .is-broad { overflow: visible; } .report-charts .is-broad .drawn { min-width: 0; }
  .report-table.is-broad th, .report-table.is-broad td { padding: .15rem .2rem; } .report-table.is-broad .aside { font-size: .65rem; }
}
@page broad { size: A4 landscape; }
"""

# Of several runs: a list of them that stays in view where there is room for it, and what is long shown when asked for.
RUNS_STYLE = """
.report-run { margin: 2.6rem 0 .8rem; } .run-title { margin: 0; font-size: 1.35rem; scroll-margin-top: 1rem; }
.run-links { display: flex; flex-wrap: wrap; gap: 0 .9rem; margin: .3rem 0 0; font-size: .875rem; }
.run-links .to-top { font-weight: 600; }
.report-part details { margin-top: .8rem; } .report-part details > summary { cursor: pointer; }
.report-part > details.report-fold > summary { font-size: .95rem; font-weight: 600; color: var(--mark); }
.report-part.report-more > details { margin: 0; padding: .45rem 0; border-top: 1px solid var(--line); }
.report-part.report-more > details:first-child { border: 0; }
.report-more { padding-top: .4rem; padding-bottom: .4rem; }
.report-part.report-more > details > summary { font-size: 1rem; font-weight: 600; }
.report-more > details > div { scroll-margin-top: 3.5rem; } .report-part { scroll-margin-top: .5rem; }
.report-table[data-table=summary] { width: 100%; font-size: .9rem; } .report-table[data-table=summary] td { vertical-align: top; }
.report-table[data-table=summary] th { vertical-align: top; font-weight: 500; }
.report-contents { display: none; }
@media screen and (min-width: 68rem) {
  main { max-width: 92rem; display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 0 2rem; }
  .report-contents { display: block; grid-row: 1 / span 2; position: sticky; top: 0; align-self: start; max-height: 100vh;
    overflow-y: auto; margin: 0; padding: 1rem .5rem 1rem 0; font-size: .8125rem; line-height: 1.35; }
  .report-contents ol { list-style: none; margin: 0; padding: 0; } .report-contents li { padding: .22rem 0; overflow-wrap: anywhere; }
  .report-contents li:first-child { font-weight: 600; } .report-contents a { text-decoration: none; }
  .report-contents a:hover { text-decoration: underline; } .run-links .to-top { display: none; }
}
@media screen and (max-width: 40rem) {
  [data-table=summary] thead { display: none; } [data-table=summary], [data-table=summary] tbody { display: block; }
  [data-table=summary] tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  [data-table=summary] tbody th, .report-table[data-table=summary] td { display: block; position: static; padding: .1rem 0; border: 0; }
  [data-table=summary] td::before { color: var(--ink-soft); } [data-table=summary] td:nth-child(2)::before { content: "the paper: "; }
  [data-table=summary] td:nth-child(3)::before { content: "we: "; } [data-table=summary] td:nth-child(4)::before { content: "verdict: "; }
}
@media print { .run-links, .report-part > details.report-fold > summary { display: none; } .report-run { break-after: avoid; } }
"""
