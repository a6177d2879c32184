"""The page of the documentation that sets ours beside the papers' figures: Markdown, and curves as pictures.

Nothing on it differs from run to run: the same runs give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from podium.reports.experiment_cells import Section
from podium.reports.experiment_charts import curve_charts, main_measure
from podium.reports.experiment_findings import NEAR, Findings, findings
from podium.reports.experiment_sentences import curve_sentence, data_words, truth_words
from podium.reports.experiment_summary import summary_table
from podium.reports.experiment_tables import claims, curves, papers, results
from podium.reports.experiment_text import markdown_table, plain
from podium.reports.experiment_values import RunLike
from podium.reports.figures import CurveChart, curve_svg, standalone

__all__ = ["IMAGES", "reproduction", "reproduction_page"]

IMAGES = "images/reproduction"  # beside the page
_MOST_IMAGES = 3  # of a run
_INTRODUCTION = f"""# Reproduction

Every table and figure of the papers that the data at hand allow, run again: what the paper prints, what Podium gets, the difference, and a
sentence where they disagree. Settings are chosen on validation queries only. Our means are means over folds of each fold's mean, as in the
papers; intervals (95 %, in brackets) come from drawing queries again. *Agrees* means no more than {NEAR:.3f} away for figures, and the same
sign with a significant difference (paired Fisher randomisation, Holm's correction, p < 0.05) for claims. `make reproduce` makes this page
anew, with the same bytes.

## In short"""


def reproduction_page(runs: Sequence[RunLike]) -> str:
    """The page's text."""
    return reproduction(runs)[0]


def reproduction(runs: Sequence[RunLike], *, progress: Callable[[int, int], None] | None = None) -> tuple[str, dict[str, str]]:
    """The page's text, and its pictures by the names of their files; ``progress`` is told how many runs are done, and of how many."""
    found = []
    for number, run in enumerate(runs, start=1):
        found.append(findings(run))
        if progress is not None:
            progress(number, len(runs))
    parts = [_INTRODUCTION, markdown_table(summary_table(found)), *(_run(one) for one in found)]
    images = {f"{chart.key}.svg": standalone(curve_svg(chart)) for one in found for chart in _charts(one)}
    return "\n\n".join(parts) + "\n", images


# ---- a run ----


def _run(found: Findings) -> str:
    config = found.config
    told = [f"## {plain(config.title)}", *([plain(config.about)] if config.about else []), _facts(found)]
    if config.notes:
        told.append("\n".join(f"- {plain(note)}" for note in config.notes))
    told += [_section(part) for part in _sections(found)]
    told += [f"![{plain(chart.description)}]({IMAGES}/{chart.key}.svg)\n\n*{plain(chart.title)}*" for chart in _charts(found)]
    if shown := _shown_curves(found):
        told.append(_section(shown))
    return "\n\n".join(told)


def _facts(found: Findings) -> str:
    config = found.config
    folds = f"{len(found.values.queries):,} test queries in {len(found.values.fold_names)} folds"
    return (
        f"Data: {plain(data_words(config))}; {folds}; {plain(truth_words(config))}. Settings chosen by {plain(config.choose)}; "
        f"seeds {', '.join(map(str, config.seeds))}. Run it: `podium experiment experiments/{config.name}.toml`."
    )


def _sections(found: Findings) -> Iterator[Section]:
    printed = {one.ours.arm for one in found.besides}
    if not found.curves and (found.claims or printed != set(found.values.arms)):
        yield results(found)
    yield from (part for part in (papers(found), claims(found)) if part is not None)


def _charts(found: Findings) -> tuple[CurveChart, ...]:
    """Those of the main measure, or of the first two where that has only one."""
    charts = curve_charts(found)
    own = [chart for chart in charts if chart.measure == main_measure(found)]
    return tuple(own[:_MOST_IMAGES] if len(own) > 1 else charts[:2])


def _shown_curves(found: Findings) -> Section | None:
    """The numbers of the charts that are shown, and what they show."""
    part = curves(found)
    if part is None or found.config.curve is None:
        return None
    measures = [chart.measure for chart in _charts(found)]
    tables = tuple(table for table in part.tables if table.key.removeprefix("curve ") in measures)
    sentences = [curve_sentence(one, found.config.curve.over) for one in found.curves if one.measure in measures]
    return Section("curves", "", "", tables=tables, notes=(*sentences, *part.notes[len(found.curves) :]))


def _section(section: Section) -> str:
    """Tables and sentences; the page's introduction says how means and intervals are taken."""
    told = [f"**{plain(table.caption)}**\n\n{markdown_table(table)}" for table in section.tables]
    if section.notes:
        told.append("\n".join(f"- {plain(note)}" for note in section.notes))
    return "\n\n".join(told)
