"""Run the checks."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import final

from podium.errors import UnknownName
from podium.theory.facts import Bench, Outcome, Statement
from podium.theory.statements import STATEMENTS
from podium.theory.survey import Cell, judge, keys
from podium.theory.verdicts import is_as_known

__all__ = ["LOSS_TABLES", "Report", "check_all"]

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
        """What came out otherwise than it is known to, or was not tried because nothing met the premise."""
        claims = [statement.id for statement, found in self.outcomes if not found.trials or found.holds != statement.is_known_to_hold]
        return claims + [
            f"{cell.key.loss} ({cell.key.kind}, n = {cell.key.n}, k = {cell.key.k})" for cell in self.cells if not is_as_known(cell)
        ]


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
