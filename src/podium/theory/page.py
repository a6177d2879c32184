"""The tables as Markdown, put between the marks of the documentation page."""

from __future__ import annotations

import re

from podium.errors import DataError
from podium.losses import LOSSES
from podium.theory.running import Report
from podium.theory.survey import FEW, MANY, SIZES

__all__ = ["BEGIN", "END", "markdown", "put_into_page"]

BEGIN, END = "<!-- generated: theory -->", "<!-- end -->"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _defaults() -> str:
    """Settings of losses that the tables do not show."""
    named = [(loss, name, value) for loss, entry in LOSSES.items() for name, value in entry.settings.items() if name != "k"]
    return ", ".join(f"`{loss}` {name} {value:g}" for loss, name, value in named)


def _loss_table(rows: list[list[str]]) -> list[str]:
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
    claims = [[f"`{row[0]}`", *row[1:]] for row in report.rows()]
    parts = ["### Statements", _table(["id", "paper", "statement", "trials", "outcome", "smallest counterexample", "remark"], claims)]
    if report.cells:
        tried = sum(cell.trials for cell in report.cells)
        spaces = sum(cell.spaces for cell in report.cells)
        parts += [
            "### Is it top-k subgroup order sensitive?",
            f"A word for each k = 1, …, n. {tried:,} trials (scores, order, pair of documents) in all. "
            f"Settings other than k have their defaults: {_defaults()}.",
            *_loss_table(report.sensitivity_rows()),
            "### Is the minimiser of its conditional risk the top-k Bayes ranker?",
            f"A word for each k = 1, …, n. {spaces:,} order-preserving spaces in all. "
            f"A `yes` rests on {FEW} random ones where Theorem 6 promises it, on {MANY} elsewhere; "
            "where a condition fails, also on the linear programmes.",
            *_loss_table(report.consistency_rows()),
        ]
    return "\n\n".join(parts)


def put_into_page(page: str, name: str, report: Report) -> str:
    """The page with its generated part written anew."""
    if END not in page.partition(BEGIN)[2]:
        raise DataError(f"{name} has no place for the tables; write the lines {BEGIN} and, after it, {END} where they should stand")
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n\n{markdown(report)}\n\n{END}", page, count=1, flags=re.DOTALL)
