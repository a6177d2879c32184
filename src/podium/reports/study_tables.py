"""The tables of a study's report, without a form: the terminal and the page show the same ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from podium.labelling.agreement import ChiSquare, OutcomeTable
from podium.labelling.coefficients import Figure
from podium.labelling.quality import FAST_SECONDS
from podium.labelling.ratings import OUTCOMES
from podium.labelling.study_facts import PAPER, AssessorFigures, Between, CrossTable, StudyReport, ToolComparison, ToolFigures
from podium.reports.text import number

__all__ = ["TOOL_NAMES", "Cell", "Section", "Table", "percent", "sections"]

TOOL_NAMES = {"pairs": "pairs (T1)", "grades": "grades (T2)"}
_NOTHING = "–"
_INFERRED = "preferences are inferred from grades: the higher grade is better, equal grades are a tie"
_MOST_IN_TABLE = 10  # people of whom every two have a line: 45
_LIKE_FOR_LIKE = (
    "pairs are those that a top-k strategy asked, mostly about the best documents, which are hard to tell apart; from grades all pairs are "
    "inferred, the easy ones too: the table like for like has the same pairs for both"
)


class Cell(NamedTuple):
    """What stands in a cell, and what stands beside it in smaller letters: an interval."""

    text: str
    aside: str = ""
    kind: str = ""  # paper: a figure of the paper; words: text that may wrap


@dataclass(frozen=True)
class Table:
    """The first column names the rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Section:
    """A part of the report."""

    key: str
    title: str
    lead: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


def percent(value: float) -> str:
    """A share in per cent.

    >>> percent(0.745), percent(math.nan)
    ('74.5 %', '–')
    """
    return _NOTHING if math.isnan(value) else f"{100 * value:.1f} %"


def _plain(decimals: int) -> Callable[[float], str]:
    return lambda value: number(value, decimals)


def _cell(figure: Figure, say: Callable[[float], str]) -> Cell:
    interval = "" if math.isnan(figure.low) else f"{say(figure.low).removesuffix(' %')} to {say(figure.high).removesuffix(' %')}"
    return Cell(say(figure.value), interval)


def _paper(text: str) -> Cell:
    return Cell(text, kind="paper" if text else "")


def _count(value: int) -> Cell:
    return Cell(f"{value:,}")


def sections(report: StudyReport) -> list[Section]:
    """Every part that has something to say."""
    if not report.tools:
        return [Section("notes", "Read with care", "", notes=report.notes)]
    found = [_effort(report), _agreement(report), _assessors(report)]
    found += [_gold(report)] if report.gold else []
    found += [_models(report)] if report.versus_models else []
    return [*found, *([Section("notes", "Read with care", "", notes=report.notes)] if report.notes else [])]


def _unique(notes: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for note in notes if note))


# ---- time and effort ----


def _effort(report: StudyReport) -> Section:
    rows: list[tuple[str, Callable[[ToolFigures], Cell], dict[str, str]]] = [
        ("assessors", lambda tool: _count(tool.n_assessors), {}),
        ("queries", lambda tool: _count(tool.n_queries), {}),
        ("labellings of a query, finished", lambda tool: Cell(f"{tool.n_finished:,} of {tool.n_tasks:,}"), {}),
        ("judgments", lambda tool: _count(tool.n_judgments), {}),
        ("seconds per judgment, mean", lambda tool: _cell(tool.seconds_mean, _plain(2)), _said(PAPER.seconds, "{:.2f}")),
        ("seconds per judgment, median", lambda tool: _cell(tool.seconds_median, _plain(2)), {}),
        ("judgments per query", lambda tool: _cell(tool.judgments_per_query, _plain(1)), _said(PAPER.judgments, "{:.0f}")),
        ("minutes per query, active", lambda tool: _cell(tool.minutes_per_query, _plain(2)), _said(PAPER.minutes, "{:.2f}")),
        ("minutes per query, paused", lambda tool: _cell(tool.paused_per_query, _plain(2)), {}),
        ("minutes per query, idle", lambda tool: _cell(tool.idle_per_query, _plain(2)), {}),
        ("ties", lambda tool: _cell(tool.ties, percent), {}),
        ("both bad", lambda tool: _cell(tool.both_bad, percent), {}),
        ("skips, of questions", lambda tool: _cell(tool.skips, percent), {}),
        ("taken back, of answers", lambda tool: _cell(tool.taken_back, percent), {}),
    ]
    table = _by_tool(report, "Time and effort of people, by tool", rows)
    spread = Table(
        "Seconds per judgment: percentiles",
        ("tool", "5th", "25th", "50th", "75th", "95th"),
        tuple(
            (Cell(TOOL_NAMES[tool.tool]), *(Cell(number(value, 1)) for value in tool.seconds_box)) for tool in report.tools if tool.n_timed
        ),
    )
    notes = [note for tool in report.tools for note in (*tool.notes, *_figure_notes(tool))]
    lead = (
        "Active time only: what was paused or idle comes apart. A query counts once for each labelling of it that is finished and in which "
        "somebody was asked something; intervals draw queries again (95 %)."
    )
    return Section(
        "effort", "Time and effort", f"{lead}{_faster(report.comparison)}",
        (table, *([spread] if spread.rows else [])), _unique(notes),
    )  # fmt: skip


def _faster(found: ToolComparison | None) -> str:
    if found is None or math.isnan(found.times_faster):
        return ""
    return f" A pair is judged {number(found.times_faster, 2)} times as fast as a grade is given; the paper has {PAPER.times_faster} times."


def _figure_notes(tool: ToolFigures) -> Iterator[str]:
    shares = (tool.both_bad, tool.skips, tool.taken_back, *((tool.ties,) if tool.tool == "pairs" else ()))
    per_query = (tool.judgments_per_query, tool.minutes_per_query, tool.paused_per_query, tool.idle_per_query)
    for figure in (tool.seconds_mean, *per_query, *shares):
        yield from figure.notes


def _said(values: object, form: str) -> dict[str, str]:
    assert isinstance(values, dict)
    return {tool: form.format(value) for tool, value in values.items()}


def _by_tool(report: StudyReport, caption: str, rows: Sequence[tuple[str, Callable[[ToolFigures], Cell], dict[str, str]]]) -> Table:
    """A column a tool, each followed by the paper's."""
    head = ["", *(name for tool in report.tools for name in (TOOL_NAMES[tool.tool], "the paper's"))]
    body = [
        (Cell(name), *(cell for tool in report.tools for cell in (ours(tool), _paper(paper.get(tool.tool, "")))))
        for name, ours, paper in rows
    ]
    return Table(caption, tuple(head), tuple(body))


# ---- agreement ----


def _agreement(report: StudyReport) -> Section:
    rows: list[tuple[str, Callable[[ToolFigures], Cell], dict[str, str]]] = [
        ("pairs judged by two or more", lambda tool: _count(tool.agreement.n_pairs), {}),
        ("overall agreement", lambda tool: _cell(tool.agreement.overall, percent), _said(PAPER.overall, "{:.1%}")),
        ("agreement without ties", lambda tool: _cell(tool.agreement.without_ties, percent), _said(PAPER.without_ties, "{:.1%}")),
        ("Fleiss' κ", lambda tool: _cell(tool.agreement.fleiss, _plain(3)), {}),
        ("Krippendorff's α, nominal", lambda tool: _cell(tool.agreement.alpha_nominal, _plain(3)), {}),
        ("Krippendorff's α, ordinal", lambda tool: _cell(tool.agreement.alpha_ordinal, _plain(3)), {}),
        ("documents in both top k", lambda tool: _cell(tool.tops.overlap, percent), {}),
        ("their order, Kendall's τ (of grades τ-b)", lambda tool: _cell(tool.tops.tau, _plain(3)), {}),
    ]
    tables = [_by_tool(report, "Agreement between people, by tool", [(name, ours, _spaced(paper)) for name, ours, paper in rows])]
    tables += [_chi_squares(report.tools, report.comparison)] if report.comparison is not None else []
    tables += [
        _outcomes(f"What one said (row) and another said of the same pair (column): {TOOL_NAMES[tool.tool]}", tool.agreement.table)
        for tool in report.tools if tool.agreement.n_pairs
    ]  # fmt: skip
    tables += [_same_pairs(report.comparison)] if report.comparison is not None else []
    has_kappas, is_short = any(tool.agreement.cohen for tool in report.tools), len(report.people) <= _MOST_IN_TABLE
    tables += [_kappas(report)] if has_kappas and is_short else []
    notes = [f"{TOOL_NAMES[tool.tool]}: {note}" for tool in report.tools for note in _agreement_notes(tool)]
    if has_kappas and not is_short:
        notes.append(f"the κ of every two of the {len(report.people)} people are in the files of figures only (CSV, JSON)")
    if report.comparison is not None:
        notes += _comparison_notes(report.comparison)
        caption = "Those who judged pairs (row) against those who graded (column)"
        tables += _between_tables(caption, "pairs against grades", report.comparison.between)
    lead = "Over pairs that two people have judged, each in both directions, as they said it, whatever was corrected later."
    return Section("agreement", "Agreement between assessors", lead, tuple(tables), _unique(notes))


def _agreement_notes(tool: ToolFigures) -> Iterator[str]:
    """Without those of every two people, of which each would have its own."""
    found = tool.agreement
    if tool.tool == "grades" and tool.n_judgments:
        yield _INFERRED
    for figure in (found.overall, found.without_ties, found.fleiss, found.alpha_nominal, tool.tops.overlap, tool.tops.tau):
        yield from figure.notes


def _comparison_notes(found: ToolComparison) -> Iterator[str]:
    yield from (*found.chi_square.notes, *found.chi_square_without_ties.notes, _LIKE_FOR_LIKE)
    for tool in found.same_pairs.overall:
        for figure in (found.same_pairs.overall[tool], found.same_pairs.without_ties[tool]):
            yield from (f"like for like: {note}" for note in figure.notes)
    for figure in (found.between.overall, found.between.without_ties, found.between.kappa):
        yield from (f"pairs against grades: {note}" for note in figure.notes)


def _spaced(paper: dict[str, str]) -> dict[str, str]:
    return {tool: text.replace("%", " %") for tool, text in paper.items()}


def _chi_squares(tools: Sequence[ToolFigures], found: ToolComparison) -> Table:
    def row(name: str, test: ChiSquare, is_strict: bool, paper: float) -> tuple[Cell, ...]:
        counts = [tool.agreement.table.strict_pairs if is_strict else tool.agreement.table.all_pairs for tool in tools]
        told = [_count(value) for both in counts for value in both]
        return Cell(name), *told, Cell(number(test.statistic, 1)), Cell(_p_value(test.p_value)), _paper(f"{paper}, p < 0.001")

    heads = [f"{TOOL_NAMES[tool.tool]}, {what} of two people" for tool in tools for what in ("agreements", "disagreements")]
    return Table(
        "Do the tools differ in agreement? χ² with 1 degree of freedom, without correction",
        ("", *heads, "χ²", "p", "the paper's"),
        (
            row("all pairs", found.chi_square, False, PAPER.chi_square),
            row("without ties", found.chi_square_without_ties, True, PAPER.chi_square_without_ties),
        ),
    )


def _same_pairs(found: ToolComparison) -> Table:
    same = found.same_pairs
    rows = tuple(
        (Cell(TOOL_NAMES[tool]), _count(same.n_pairs), _cell(same.overall[tool], percent), _cell(same.without_ties[tool], percent))
        for tool in same.overall
    )
    return Table("Like for like: the pairs that two or more judged with each tool", ("", "pairs", "overall", "without ties"), rows)


def _p_value(value: float) -> str:
    return _NOTHING if math.isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _outcomes(caption: str, table: OutcomeTable | CrossTable) -> Table:
    rows = tuple(
        (Cell(name), *(Cell(percent(share)) for share in shares)) for name, shares in zip(OUTCOMES, table.row_shares.tolist(), strict=True)
    )
    return Table(caption, ("", *OUTCOMES), rows)


def _kappas(report: StudyReport) -> Table:
    rows = [
        (Cell(f"{_name(first)} and {_name(second)}"), Cell(TOOL_NAMES[tool.tool]), _cell(figure, _plain(3)))
        for tool in report.tools
        for (first, second), figure in tool.agreement.cohen.items()
    ]
    return Table("Cohen's κ of every two people with pairs in common", ("", "tool", "κ"), tuple(rows))


def _between_tables(caption: str, name: str, found: Between) -> Iterator[Table]:
    figures = _cell(found.overall, percent), _cell(found.without_ties, percent), _cell(found.kappa, _plain(3))
    yield Table(
        f"{caption}: agreement", ("", "pairs in common", "overall", "without ties", "κ"), ((Cell(name), _count(found.n_pairs), *figures),)
    )
    if found.n_pairs:
        yield _outcomes(f"{caption}: what was said", found.table)


# ---- assessors and models ----


def _name(name: str) -> str:
    return name or "(no name)"


def _assessors(report: StudyReport) -> Section:
    head = (
        "assessor", "tool", "judgments", "median seconds", f"under {FAST_SECONDS:g} s", "agreement with people", "left, of decided",
        "ties", "circles A≻B≻C≻A", "skips", "taken back", "corrected", "worth a look",
    )  # fmt: skip
    if not report.assessors:
        return Section("assessors", "Quality of each assessor", "Nobody has judged yet.")
    table = Table("Each assessor with each tool", head, tuple(_assessor_row(one) for one in report.assessors))
    lead = (
        "Agreement is with the (other) people on common pairs. Circles are of triples without ties; answers by coin have 25 %. Of many "
        "figures, about one in twenty looks odd by chance: look before you blame."
    )
    notes = [note for one in report.assessors for note in one.agreement.notes if len(report.assessors) <= 2 * _MOST_IN_TABLE]
    return Section("assessors", "Quality of each assessor", lead, (table,), _unique(notes))


def _assessor_row(one: AssessorFigures) -> tuple[Cell, ...]:
    role = "" if one.role == "person" else one.role
    return (
        Cell(_name(one.assessor), role), Cell(TOOL_NAMES[one.tool]), _count(one.n_judgments), Cell(number(one.median_seconds, 1)),
        _cell(one.fast, percent), _cell(one.agreement, percent), _cell(one.left, percent), Cell(percent(one.ties.value)),
        Cell(_NOTHING) if one.cycles is None else _cell(one.cycles.circular, percent), _count(one.n_skips), _count(one.n_taken_back),
        _count(one.n_corrected), Cell("; ".join(one.flags), kind="words"),
    )  # fmt: skip


def _gold(report: StudyReport) -> Section:
    rows = tuple((Cell(_name(one.assessor)), _count(one.right), _count(one.asked), _cell(one.share, percent)) for one in report.gold)
    table = Table("Gold questions", ("assessor", "right", "asked", "share"), rows)
    return Section("gold", "Gold questions", "Questions whose answer is known, put among the others unseen.", (table,))


def _models(report: StudyReport) -> Section:
    head = ("model", "tool", "pairs in common", "overall agreement", "without ties", "κ", "documents in both top k", "their order, τ")
    rows = tuple(
        (
            Cell(_name(one.model)), Cell(TOOL_NAMES[one.tool]), _count(one.between.n_pairs), _cell(one.between.overall, percent),
            _cell(one.between.without_ties, percent), _cell(one.between.kappa, _plain(3)), _cell(one.tops.overlap, percent),
            _cell(one.tops.tau, _plain(3)),
        )
        for one in report.versus_models
    )  # fmt: skip
    tables = [Table("Each model against people", head, rows)] + [
        _outcomes(f"What people said (row) and {_name(one.model)} said of the same (column): {TOOL_NAMES[one.tool]}", one.between.table)
        for one in report.versus_models if one.between.n_pairs
    ]  # fmt: skip
    notes = [
        note
        for one in report.versus_models
        for figure in (one.between.overall, one.between.without_ties, one.between.kappa, one.tops.overlap, one.tops.tau)
        for note in figure.notes
    ]
    return Section("models", "People against models", "Each model with each person, on what both judged.", tuple(tables), _unique(notes))
