"""Run the checks and put what came out into rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import final

from podium.errors import UnknownName
from podium.theory.facts import Bench, Outcome, Statement
from podium.theory.statements import STATEMENTS
from podium.theory.survey import SIZES, Cell, judge, keys
from podium.theory.verdicts import is_as_known

__all__ = ["LOSS_TABLES", "Report", "check_all", "verdict"]

LOSS_TABLES = "losses"  # the id of the two tables of losses
Progress = Callable[[int, int], None]


@final
@dataclass(frozen=True)
class Report:
    """What came out of every claim, and of every loss."""

    outcomes: tuple[tuple[Statement, Outcome], ...]
    cells: tuple[Cell, ...]

    @property
    def surprises(self) -> list[str]:
        """What came out otherwise than it is known to."""
        claims = [statement.id for statement, found in self.outcomes if found.holds != statement.is_known_to_hold]
        return claims + [
            f"{cell.key.loss} ({cell.key.kind}, n = {cell.key.n}, k = {cell.key.k})" for cell in self.cells if not is_as_known(cell)
        ]

    def rows(self) -> list[list[str]]:
        """The table of claims: id, paper, statement, trials, verdict, smallest counterexample, remark."""
        return [
            [one.id, one.paper, one.text, f"{found.trials:,}", verdict(one, found), found.counterexample, _remark(one, found)]
            for one, found in self.outcomes
        ]

    def loss_rows(self, answer: Callable[[Cell], str], example: Callable[[Cell], str]) -> list[list[str]]:
        """A row a loss and kind of labels: the answer at every (n, k), and the first counterexample."""
        lines: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells:
            lines.setdefault((cell.key.loss, cell.key.kind), []).append(cell)
        return [[*line, *map(answer, cells), next(filter(None, map(example, cells)), "")] for line, cells in lines.items()]

    def sensitivity_rows(self) -> list[list[str]]:
        return self.loss_rows(
            lambda cell: cell.sensitivity, lambda cell: "" if cell.failure is None else f"k = {cell.key.k}, {cell.failure.example}"
        )

    def consistency_rows(self) -> list[list[str]]:
        return self.loss_rows(
            lambda cell: cell.consistency, lambda cell: "" if cell.mistake is None else f"k = {cell.key.k}, {cell.mistake.text}"
        )

    def as_dictionary(self) -> dict[str, object]:
        """The same for programs."""
        claims = ["id", "paper", "statement", "trials", "verdict", "counterexample", "remark"]
        sizes = [f"n={n} k={k}" for n, k in SIZES]
        losses = ["loss", "labels", *sizes, "counterexample"]
        return {
            "statements": [
                {**dict(zip(claims, row, strict=True)), "trials": found.trials}
                for row, (_, found) in zip(self.rows(), self.outcomes, strict=True)
            ],
            "order_sensitive": [dict(zip(losses, row, strict=True)) for row in self.sensitivity_rows()],
            "consistent": [dict(zip(losses, row, strict=True)) for row in self.consistency_rows()],
            "surprises": self.surprises,
        }


def verdict(statement: Statement, found: Outcome) -> str:
    """Holds or fails, and whether that is news."""
    if found.holds:
        return "holds" if statement.is_known_to_hold else "holds, though it is known to fail"
    if statement.is_known_to_hold:
        return "fails, though it is known to hold"
    return "fails, as known"


def _remark(statement: Statement, found: Outcome) -> str:
    return "; ".join(filter(None, [found.remark, statement.reason]))


def check_all(bench: Bench, only: Collection[str] = (), progress: Progress = lambda _done, _total: None) -> Report:
    """Run all claims and all losses, or those asked for only (ids of claims, or ``losses``)."""
    known = {statement.id: statement for statement in STATEMENTS}
    for name in only:
        if name not in known and name != LOSS_TABLES:
            raise UnknownName("statement", name, [*known, LOSS_TABLES])
    chosen = [statement for statement in STATEMENTS if not only or statement.id in only]
    wants_tables = not only or LOSS_TABLES in only
    questions = list(keys()) if wants_tables or any(statement.needs_cells for statement in chosen) else []
    total = len(questions) + len(chosen)
    cells: list[Cell] = []
    for key in questions:
        cells.append(judge(bench, key))
        progress(len(cells), total)
    outcomes: list[tuple[Statement, Outcome]] = []
    for statement in chosen:
        outcomes.append((statement, statement.check(bench, tuple(cells))))
        progress(len(cells) + len(outcomes), total)
    return Report(tuple(outcomes), tuple(cells) if wants_tables else ())
