"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["number", "text_table"]


def number(value: float, decimals: int = 4) -> str:
    """A measure's value; a dash where there is none.

    >>> number(0.51234), number(float("nan")), number(1234567.0), number(0.0)
    ('0.5123', '–', '1.235e+06', '0.0000')
    """
    if value != value:
        return "–"
    return f"{value:.{decimals}f}" if abs(value) < 1e5 else f"{value:.{decimals}g}"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns in line: the first ``left`` ones to the left, the others to the right.

    >>> print(text_table(["run", "map"], [["bm25", "0.5"], ["random", "0.25"]]))
    run      map
    ------  ----
    bm25     0.5
    random  0.25
    """
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        placed = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(placed).rstrip()

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])
