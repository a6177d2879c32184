"""The parts of an experiment's report without a form: HTML, Markdown and LaTeX show the same ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

from podium.reports.chart_facts import CurveChart, WinLossChart
from podium.reports.text import number

__all__ = ["Cell", "Section", "Table", "counted", "decimal", "percent", "signed"]


class Cell(NamedTuple):
    """What stands in a cell; its mark (▲, ▼) is set high, its aside (an interval, a change) is set small."""

    text: str
    aside: str = ""
    mark: str = ""
    kind: str = ""  # best; paper: a figure of a paper; far: a difference to look at; words: text that may wrap
    link: str = ""  # the id of a place on the page


@final
@dataclass(frozen=True)
class Table:
    """The first column, or more of them, names the rows."""

    key: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_names: int = 1

    def is_left(self, column: int) -> bool:
        """Names and words stand to the left, numbers to the right."""
        return column < self.n_names or any(row[column].kind == "words" for row in self.rows)


@final
@dataclass(frozen=True)
class Section:
    """A part of a run's report."""

    key: str
    title: str
    lead: str = ""
    facts: tuple[tuple[str, str], ...] = ()  # a name and what it is
    charts: tuple[CurveChart | WinLossChart, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()  # a name and a text to be shown as it is written
    is_folded: bool = False  # shown when asked for


def counted(number: int, thing: str, things: str = "") -> str:
    """So many of a thing.

    >>> counted(1, "fold"), counted(1_500, "test query", "test queries")
    ('1 fold', '1,500 test queries')
    """
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def decimal(value: float, decimals: int = 3) -> str:
    """As the papers print figures.

    >>> decimal(0.44444), decimal(math.nan)
    ('0.444', '–')
    """
    return number(value, decimals)


def signed(value: float, decimals: int = 3) -> str:
    """A difference with its sign; what rounds to nothing has none.

    >>> signed(0.0104), signed(-0.0104), signed(-0.0001), signed(math.nan)
    ('+0.010', '−0.010', '0.000', '–')
    """
    text = decimal(abs(value), decimals)
    if math.isnan(value) or not text.strip("0."):
        return text
    return ("+" if value > 0 else "−") + text


def percent(value: float, decimals: int = 1) -> str:
    """A relative change in per cent, of a share.

    >>> percent(0.0413), percent(-0.5), percent(math.nan)
    ('+4.1 %', '−50.0 %', '–')
    """
    return "–" if math.isnan(value) else f"{signed(100 * value, decimals)} %"
