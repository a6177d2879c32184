"""What the checks of theory found: tables for a terminal, for programs, and as Markdown between the marks of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from podium.errors import DataError
from podium.losses import LOSSES
from podium.reports.text import text_table
from podium.theory.facts import Outcome, Statement
from podium.theory.running import Report
from podium.theory.survey import FEW, MANY, SIZES, Cell

__all__ = ["BEGIN", "END", "as_dictionary", "as_text", "check_place", "markdown", "put_into_page"]

BEGIN, END = "<!-- generated: theory -->", "<!-- end -->"
_CLAIM = ("id", "paper", "statement", "trials", "outcome", "smallest counterexample", "remark")

Row = list[str]


# ---- rows ----


def claim_rows(report: Report) -> list[Row]:
    """A row a claim, as _CLAIM has it."""
    return [
        [one.id, one.paper, one.text, f"{found.trials:,}", verdict(one, found), found.counterexample, _remark(one, found)]
        for one, found in report.outcomes
    ]


def verdict(statement: Statement, found: Outcome) -> str:
    """Holds or fails, and whether that is news."""
    if not found.trials:
        return "not tried, nothing meets its premise"
    if found.holds:
        return "holds" if statement.is_known_to_hold else "holds, though it is known to fail"
    if statement.is_known_to_hold:
        return "fails, though it is known to hold"
    return "fails, as known"


def _remark(statement: Statement, found: Outcome) -> str:
    return "; ".join(filter(None, [found.remark, statement.reason]))


def sensitivity_rows(report: Report) -> list[Row]:
    """A row a loss and kind of labels: the answer at every (n, k), and the first counterexample."""
    return _loss_rows(report, lambda cell: cell.sensitivity, lambda cell: "" if cell.failure is None else cell.failure.example)


def consistency_rows(report: Report) -> list[Row]:
    """The same of consistency."""
    return _loss_rows(report, lambda cell: cell.consistency, lambda cell: "" if cell.mistake is None else cell.mistake.text)


def _loss_rows(report: Report, answer: Callable[[Cell], str], example: Callable[[Cell], str]) -> list[Row]:
    lines: dict[tuple[str, str], list[Cell]] = {}
    for cell in report.cells:
        lines.setdefault((cell.key.loss, cell.key.kind), []).append(cell)
    told = {line: next((f"k = {cell.key.k}, {text}" for cell in cells if (text := example(cell))), "") for line, cells in lines.items()}
    return [[*line, *map(answer, cells), told[line]] for line, cells in lines.items()]


def as_dictionary(report: Report) -> dict[str, object]:
    """All of it for programs."""
    claims = ["id", "paper", "statement", "trials", "verdict", "counterexample", "remark"]
    losses = ["loss", "labels", *(f"n={n} k={k}" for n, k in SIZES), "counterexample"]
    return {
        "statements": [
            {**dict(zip(claims, row, strict=True)), "trials": found.trials}
            for row, (_, found) in zip(claim_rows(report), report.outcomes, strict=True)
        ],
        "order_sensitive": [dict(zip(losses, row, strict=True)) for row in sensitivity_rows(report)],
        "consistent": [dict(zip(losses, row, strict=True)) for row in consistency_rows(report)],
        "surprises": report.surprises,
    }


def as_text(report: Report) -> str:
    """The tables for a terminal; counterexamples stand below, since lines have an end."""
    parts = []
    rows = claim_rows(report)
    if rows:
        parts.append(text_table(_CLAIM[:5], [row[:5] for row in rows], left=3))
        told = [f"{row[0]}: {'; '.join(filter(None, row[5:]))}" for row in rows if row[5] or row[6]]
        parts += ["\n".join(["Smallest counterexamples and remarks", *told])] if told else []
    sizes = [f"{n},{k}" for n, k in SIZES]
    for title, found in (
        ("Top-k subgroup order sensitive? (n,k; ~: not differentiable; else the condition that fails first)", sensitivity_rows(report)),
        ("Is the minimiser of the conditional risk the top-k Bayes ranker? (n,k)", consistency_rows(report)),
    ):
        if found:
            told = [f"{row[0]} ({row[1]}): {row[-1]}" for row in found if row[-1]]
            parts.append("\n".join([title, text_table(["loss", "labels", *sizes], [row[:-1] for row in found], left=2), *told]))
    return "\n\n".join(parts)


# ---- a page ----


def _table(head: Sequence[str], rows: list[Row]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _defaults() -> str:
    """Settings of losses that the tables do not show."""
    named = [(loss, name, value) for loss, entry in LOSSES.items() for name, value in entry.settings.items() if name != "k"]
    return ", ".join(f"`{loss}` {name} {value:g}" for loss, name, value in named)


def _loss_table(rows: list[Row]) -> list[str]:
    """A row a loss, a column a length of list, so that it fits a page; the first counterexamples below it."""
    lengths = sorted({n for n, _ in SIZES})
    lines, told = [], []
    for loss, labels, *words, example in rows:
        by_length = [" ".join(word for word, (n, _) in zip(words, SIZES, strict=True) if n == length) for length in lengths]
        lines.append([f"`{loss}`", labels, *by_length])
        told += [f"- `{loss}`, {labels} labels: {example}"] if example else []
    parts = [_table(["loss", "labels", *(f"n = {length}" for length in lengths)], lines)]
    return [*parts, "First counterexamples:", "\n".join(told)] if told else parts


def markdown(report: Report) -> str:
    """Three tables: claims, order sensitivity, consistency."""
    parts = ["### Statements", _table(_CLAIM, [[f"`{row[0]}`", *row[1:]] for row in claim_rows(report)])]
    if report.cells:
        tried = sum(cell.trials for cell in report.cells)
        spaces = sum(cell.spaces for cell in report.cells)
        parts += [
            "### Is it top-k subgroup order sensitive?",
            f"A word for each k = 1, …, n. {tried:,} trials (scores, order, pair of documents) in all. "
            f"Settings other than k have their defaults: {_defaults()}.",
            *_loss_table(sensitivity_rows(report)),
            "### Is the minimiser of its conditional risk the top-k Bayes ranker?",
            f"A word for each k = 1, …, n. {spaces:,} order-preserving spaces in all. "
            f"A `yes` rests on {FEW} random ones where Theorem 6 promises it, on {MANY} elsewhere; "
            "where a condition fails, also on the linear programmes.",
            *_loss_table(consistency_rows(report)),
        ]
    return "\n\n".join(parts)


def check_place(page: str, name: str) -> None:
    """Refuse a page without marks, before the work is done."""
    if END not in page.partition(BEGIN)[2]:
        raise DataError(f"{name} has no place for the tables; write the lines {BEGIN} and, after it, {END} where they should stand")


def put_into_page(page: str, name: str, report: Report) -> str:
    """The page with its generated part written anew."""
    check_place(page, name)
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n\n{markdown(report)}\n\n{END}", page, count=1, flags=re.DOTALL)
