"""The page of the documentation that sets ours beside the papers' figures: Markdown, and curves as pictures.

Nothing on it differs from run to run: the same runs give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from podium.experiments.files import Run
from podium.reports.chart_facts import CurveChart
from podium.reports.experiments.cells import Section, counted
from podium.reports.experiments.charts import curve_charts
from podium.reports.experiments.findings import NEAR, Findings, findings
from podium.reports.experiments.sentences import curve_sentence, data_words, noted, truth_words
from podium.reports.experiments.summary import summary_table
from podium.reports.experiments.tables import claims, curves, papers, results
from podium.reports.experiments.text import code, markdown_table, plain
from podium.reports.figures import curve_svg, standalone

__all__ = ["IMAGES", "anchors", "reproduction"]

IMAGES = "images/reproduction"  # beside the page
_MOST_IMAGES = 3  # of a run
_REPRODUCTION = """# Reproduction

Every table and figure of the papers that the data at hand allow, run again: what the paper prints, what Podium gets, the difference, and a
sentence where they disagree. """
_EXPERIMENTS = """# Experiments

What Podium gets, beside what is printed elsewhere where a config says so. """
_HOW = f"""Settings are chosen on validation queries only. Our means are means over folds of each fold's mean, as in the
papers; intervals (95 %, in brackets) come from drawing queries again. *Agrees* means no more than {NEAR:.3f} away for figures, and the same
sign with a significant difference (paired Fisher randomisation, Holm's correction, p < 0.05) for claims."""
_ANEW = " `make reproduce` makes this page\nanew, with the same bytes."
_FOLDER = " In commands, `DIR` is the folder that holds the collections."


def reproduction(runs: Sequence[Run], *, progress: Callable[[int, int], None] | None = None) -> tuple[str, dict[str, str]]:
    """The page's text, and its pictures by the names of their files; ``progress`` is told how many runs are done, and of how many."""
    found = []
    for number, run in enumerate(runs, start=1):
        found.append(findings(run))
        if progress is not None:
            progress(number, len(runs))
    is_of_papers = any(one.config.paper for one in found)  # beside them may be runs of ours
    links = anchors([one.config.title for one in found], taken=("reproduction" if is_of_papers else "experiments", "in-short"))
    short = markdown_table(summary_table(found, links))
    parts = [_introduction(found, is_of_papers=is_of_papers), short, *(_run(one, is_of_papers=is_of_papers) for one in found)]
    images = {f"{chart.key}.svg": standalone(curve_svg(chart)) for one in found for chart in _charts(one)}
    return "\n\n".join(parts) + "\n", images


def anchors(titles: Sequence[str], *, taken: Sequence[str] = ()) -> list[str]:
    """The ids that Markdown's headings get from their titles, here (MyST) as in a code host; of equal ones the later get a number.

    >>> anchors(["Paper 004, Table 4: a_b & c", "In short", "In short"], taken=["in-short"])
    ['paper-004-table-4-a_b--c', 'in-short-1', 'in-short-2']
    """
    found = list(taken)
    for title in titles:
        first = re.sub(r"[^\w\- ]", "", title.lower().replace("\n", " ")).replace(" ", "-")
        numbered = (f"{first}-{number}" if number else first for number in count())
        found.append(next(name for name in numbered if name not in found))
    return found[len(taken) :]


def _introduction(found: Sequence[Findings], *, is_of_papers: bool) -> str:
    needs_data = any("--data DIR" in _command(one, is_of_papers=is_of_papers) for one in found)
    head = f"{_REPRODUCTION}{_HOW}{_ANEW}" if is_of_papers else f"{_EXPERIMENTS}{_HOW}"
    return f"{head}{_FOLDER if needs_data else ''}\n\n## In short"


# ---- a run ----


def _run(found: Findings, *, is_of_papers: bool) -> str:
    config = found.config
    told = [f"## {plain(config.title)}", *([plain(config.about)] if config.about else []), _facts(found, is_of_papers=is_of_papers)]
    if notes := noted(config):
        told.append("\n".join(f"- {plain(note)}" for note in notes))
    told += [_section(part) for part in _sections(found)]
    told += [f"![{plain(chart.description)}]({IMAGES}/{chart.key}.svg)\n\n*{plain(chart.title)}*" for chart in _charts(found)]
    if shown := _shown_curves(found):
        told.append(_section(shown))
    return "\n\n".join(told)


def _command(found: Findings, *, is_of_papers: bool) -> str:
    """The run's own command; configs of the papers are in a folder of their own."""
    command = str(found.run.facts["command"])
    return command.replace("podium experiment ", "podium experiment experiments/", 1) if is_of_papers else command


def _facts(found: Findings, *, is_of_papers: bool) -> str:
    config = found.config
    queries = counted(len(found.values.queries), "test query", "test queries")
    folds = f"{queries} in {counted(len(found.values.fold_names), 'fold')}"
    return (
        f"Data: {plain(data_words(config))}; {folds}; {plain(truth_words(config))}. Settings chosen by {plain(config.choose)}; "
        f"seeds {', '.join(map(str, config.seeds))}. "
        f"Run it: {code(_command(found, is_of_papers=is_of_papers))}."
    )


def _sections(found: Findings) -> Iterator[Section]:
    printed = {one.ours.arm for one in found.besides}
    if not found.curves and (found.claims or printed != set(found.values.arms)):
        yield results(found)
    yield from (part for part in (papers(found), claims(found)) if part is not None)


def _charts(found: Findings) -> tuple[CurveChart, ...]:
    """Those of the main measure, or of the first two where that has only one."""
    charts = curve_charts(found)
    own = [chart for chart in charts if chart.measure == found.main_measure]
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
