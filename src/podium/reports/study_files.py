"""The report of a study as JSON and as one long table."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from podium.labelling.agreement import ChiSquare, Counts, OutcomeTable
from podium.labelling.coefficients import Figure
from podium.labelling.study_facts import PAPER, AssessorFigures, Between, CrossTable, StudyReport, ToolComparison, ToolFigures
from podium.ragged import Ints

__all__ = ["Row", "study_csv", "study_json", "study_json_text", "study_rows"]


def study_json(report: StudyReport) -> dict[str, Any]:
    """Everything the report has, as JSON can hold it: what is undefined is ``None``; the paper's figures are under ``paper``.

    Figures of every two assessors are a list, each with its ``first`` and ``second``.
    """
    found: dict[str, Any] = _plain({name: getattr(report, name) for name in report.__dataclass_fields__})
    for one, tool in zip(found["tools"], report.tools, strict=True):
        table = tool.agreement.table
        one["agreement"]["of_two_people"] = {"all_pairs": table.all_pairs._asdict(), "without_ties": table.strict_pairs._asdict()}
    return {**found, "paper": _plain(asdict(PAPER))}


def study_json_text(report: StudyReport) -> str:
    """The same as the text of a file."""
    return json.dumps(study_json(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, (OutcomeTable, CrossTable)):
        pairs = _pairs_of(value).tolist()
        return {"counts": value.counts.tolist(), "pairs": pairs, "row_shares": _plain(value.row_shares.tolist())}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        is_of_two = any(isinstance(key, tuple) for key in value)
        return [_of_two(key, entry) for key, entry in value.items()] if is_of_two else {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _of_two(names: tuple[str, str], entry: object) -> dict[str, Any]:
    return {"first": names[0], "second": names[1], **_plain(entry)}


def _pairs_of(table: OutcomeTable | CrossTable) -> Ints:
    """Of each cell, how many times two said this of a pair, whichever document is called A and whoever comes first.

    A table of assessors among themselves holds each such comparison four times, for both of them and in both directions; one of two groups
    holds it twice. Where these times fall into one cell, it is divided by them.
    """
    times = [[2, 1, 2], [1, 4, 1], [2, 1, 2]] if isinstance(table, OutcomeTable) else [[1, 1, 1], [1, 2, 1], [1, 1, 1]]
    pairs: Ints = table.counts // np.array(times)
    return pairs


class Row(NamedTuple):
    """A figure of the report. ``n`` is of how many it is, where that is not clear from its name; words are notes without a value."""

    section: str
    tool: str
    assessor: str
    figure: str
    value: float
    low: float = math.nan
    high: float = math.nan
    n: int | None = None
    note: str = ""


def study_csv(report: StudyReport) -> str:
    """One line a figure; the paper's are the section ``paper``, and what the report says in words ``about`` and ``notes``.

    What is undefined is empty.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    for row in study_rows(report):
        writer.writerow([_field(value) for value in row])
    return text.getvalue()


def _field(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = str(value)
    # A spreadsheet would run a name that looks like a formula.
    return f"'{text}" if isinstance(value, str) and text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def study_rows(report: StudyReport) -> Iterator[Row]:
    """The long table."""
    for label, told in (("title", report.title), *report.about):
        yield _words("about", label, told)
    for name in ("n_queries", "n_tasks", "n_finished"):
        yield Row("overview", "", "", name, getattr(report, name))
    for tool in report.tools:
        yield from _tool_rows(tool)
    if report.comparison is not None:
        yield from _comparison_rows(report.comparison, report.tools)
    for one in report.assessors:
        yield from _assessor_rows(one)
    for gold in report.gold:
        yield _row("gold", "", gold.assessor, "right", gold.share, gold.asked)
    for versus in report.versus_models:
        yield from _between_rows("models", versus.tool, versus.model, versus.between)
        yield _row("models", versus.tool, versus.model, "top_overlap", versus.tops.overlap, versus.tops.n_compared)
        yield _row("models", versus.tool, versus.model, "top_tau", versus.tops.tau, versus.tops.n_compared)
    for figure, values in asdict(PAPER).items():
        if isinstance(values, dict):
            yield from (Row("paper", tool, "", figure, value) for tool, value in values.items())
        elif isinstance(values, float):
            yield Row("paper", "", "", figure, values)
        else:
            yield _words("paper", figure, values)
    for number, note in enumerate(report.notes, start=1):
        yield _words("notes", f"note_{number}", note)


def _words(section: str, figure: str, told: str, tool: str = "") -> Row:
    return Row(section, tool, "", figure, math.nan, note=told)


def _row(section: str, tool: str, assessor: str, name: str, figure: Figure, n: int | None = None) -> Row:
    return Row(section, tool, assessor, name, figure.value, figure.low, figure.high, n, "; ".join(figure.notes))


def _tool_rows(tool: ToolFigures) -> Iterator[Row]:
    for name in ("n_tasks", "n_finished", "n_queries", "n_assessors", "n_judgments", "n_timed"):
        yield Row("effort", tool.tool, "", name, getattr(tool, name))
    for name in (
        "seconds_mean", "seconds_median", "judgments_per_query", "minutes_per_query", "paused_per_query", "idle_per_query", "ties",
        "both_bad", "skips", "taken_back",
    ):  # fmt: skip
        yield _row("effort", tool.tool, "", name, getattr(tool, name))
    for percentile, value in zip((5, 25, 50, 75, 95), tool.seconds_box, strict=False):
        yield Row("effort", tool.tool, "", f"seconds_percentile_{percentile}", value, n=tool.n_timed)
    found = tool.agreement
    for name in ("overall", "without_ties", "fleiss", "alpha_nominal", "alpha_ordinal"):
        yield _row("agreement", tool.tool, "", name, getattr(found, name), found.n_pairs)
    for (first, second), figure in found.cohen.items():
        yield _row("agreement", tool.tool, f"{first} and {second}", "cohen", figure)
    yield from _table_rows("agreement", tool.tool, "", found.table)
    yield _row("agreement", tool.tool, "", "top_overlap", tool.tops.overlap, tool.tops.n_compared)
    yield _row("agreement", tool.tool, "", "top_tau", tool.tops.tau, tool.tops.n_compared)
    for number, note in enumerate(tool.notes, start=1):
        yield _words("notes", f"note_{number}", note, tool.tool)


def _table_rows(section: str, tool: str, assessor: str, table: OutcomeTable | CrossTable) -> Iterator[Row]:
    names = ("first", "tie", "second")
    for said, shares, pairs in zip(names, table.row_shares.tolist(), _pairs_of(table).tolist(), strict=True):
        for other, share, n in zip(names, shares, pairs, strict=True):
            yield Row(section, tool, assessor, f"said_{said}_other_{other}", share, n=n)


def _between_rows(section: str, tool: str, assessor: str, found: Between) -> Iterator[Row]:
    for name in ("overall", "without_ties", "kappa"):
        yield _row(section, tool, assessor, name, getattr(found, name), found.n_pairs)
    yield from _table_rows(section, tool, assessor, found.table)


def _comparison_rows(found: ToolComparison, tools: Sequence[ToolFigures]) -> Iterator[Row]:
    yield Row("tools", "", "", "times_faster", found.times_faster)
    for name in ("chi_square", "chi_square_without_ties"):
        test: ChiSquare = getattr(found, name)
        yield Row("tools", "", "", name, test.statistic, note="; ".join(test.notes))
        yield Row("tools", "", "", f"{name}_p", test.p_value)
        for tool in tools:
            table = tool.agreement.table
            counts: Counts = table.all_pairs if name == "chi_square" else table.strict_pairs
            yield Row("tools", tool.tool, "", f"{name}_agreements", counts.agreed)
            yield Row("tools", tool.tool, "", f"{name}_disagreements", counts.disagreed)
    for name in ("overall", "without_ties"):
        for tool, figure in getattr(found.same_pairs, name).items():
            yield _row("same_pairs", tool, "", name, figure, found.same_pairs.n_pairs)
    yield from _between_rows("between_tools", "", "", found.between)


def _assessor_rows(one: AssessorFigures) -> Iterator[Row]:
    place = ("assessors", one.tool, one.assessor)
    for name in ("n_finished", "n_judgments", "median_seconds", "n_skips", "n_taken_back", "n_corrected"):
        yield Row(*place, name, getattr(one, name))
    yield _row(*place, "fast", one.fast)
    yield _row(*place, "agreement", one.agreement, one.n_compared)
    yield _row(*place, "ties", one.ties)
    yield _row(*place, "left", one.left)
    if one.cycles is not None:
        yield _row(*place, "circular", one.cycles.circular, one.cycles.counts.strict)
        yield _row(*place, "weak", one.cycles.weak, one.cycles.counts.one_tie)
        yield _row(*place, "broken_ties", one.cycles.broken_ties, one.cycles.counts.tie_chains)
    if one.flags:
        yield Row(*place, "flags", len(one.flags), note="; ".join(one.flags))
