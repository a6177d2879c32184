"""Reports of experiments as Markdown, and as one long table."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence

from podium.reports.experiments.cells import Cell, Section, Table
from podium.reports.experiments.findings import Findings

__all__ = ["code", "experiment_csv", "experiment_markdown", "markdown_table", "plain"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|$~#])")
_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_FIELDS = (
    "run", "part", "ranker", "point", "measure", "value", "low", "high", "queries", "against", "change_percent", "p_value", "is_best",
    "paper", "where", "printed", "difference", "verdict",
)  # fmt: skip


def plain(text: str) -> str:
    r"""A text that Markdown shows as it is written.

    >>> print(plain("ndcg@10[letor] * <b> | $x$"))
    ndcg@10\[letor\] \* \<b\> \| \$x\$
    """
    return _SPECIAL.sub(r"\\\1", text.replace("\n", " ").replace("&", "&amp;"))


def code(text: str) -> str:
    """A text as code in a line, between more ticks than it has.

    >>> print(code("podium experiment a.toml"), code("a`b"))
    `podium experiment a.toml` ``a`b``
    """
    ticks = _ticks(text, least=0)
    return f"{ticks}{text}{ticks}"


def experiment_markdown(parts: Sequence[tuple[str, str, Sequence[Section]]]) -> str:
    """Every run with its sections, without charts."""
    told = []
    for _, title, sections in parts:
        told += [f"# {plain(title)}", *(_section(section) for section in sections)]
    return "\n\n".join(told) + "\n"


def _section(section: Section) -> str:
    told = [f"## {plain(section.title)}", *([plain(section.lead)] if section.lead else [])]
    if section.facts:
        told.append("\n".join(f"- **{plain(name)}:** {plain(text)}" for name, text in section.facts))
    told += [f"**{plain(table.caption)}**\n\n{markdown_table(table)}" for table in section.tables]
    if section.key == "queries":
        told.append("\n".join(f"- {plain(chart.title)}" for chart in section.charts))
    if section.notes:
        told.append("\n".join(f"- {plain(note)}" for note in section.notes))
    told += [f"{plain(name)}:\n\n{_fenced(text)}" for name, text in section.texts]
    return "\n\n".join(told)


def _fenced(text: str) -> str:
    """A fence that the text does not have."""
    fence = _ticks(text, least=2)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _ticks(text: str, *, least: int) -> str:
    """One tick more than the text has in a row."""
    return "`" * (1 + max([least, *(len(ticks) for ticks in re.findall(r"`+", text))]))


def markdown_table(table: Table) -> str:
    """A table with its names and words to the left and its numbers to the right."""
    rule = [":---" if table.is_left(column) else "---:" for column in range(len(table.head))]
    lines = [[plain(name) for name in table.head], rule, *([_cell(cell) for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = f"[{plain(cell.text)}](#{cell.link})" if cell.link else plain(cell.text)
    text = f"**{text}**" if text and cell.kind in ("best", "far") else f"*{text}*" if text and cell.kind == "paper" else text
    return f"{text}{cell.mark}" + (f" ({plain(cell.aside)})" if cell.aside else "")


# ---- CSV ----


def experiment_csv(found: Sequence[Findings]) -> str:
    """One long table of all runs: results, curves, papers' figures and claims; numbers with all their digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _FIELDS, restval="", lineterminator="\n")
    writer.writeheader()
    for one in found:
        for row in (*_results(one), *_curves(one), *_papers(one), *_claims(one)):
            writer.writerow({name: _digits(value) for name, value in {"run": one.config.name, **row}.items()})
    return text.getvalue()


def _digits(value: object) -> object:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return str(value).lower() if isinstance(value, bool) else _inert(value) if isinstance(value, str) else value


def _inert(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe before what begins like one (OWASP, "CSV injection").

    >>> _inert("=1+1"), _inert("@sum"), _inert("ListMLE"), _inert("-1.5")
    ("'=1+1", "'@sum", 'ListMLE', '-1.5')
    """
    return f"'{text}" if text.startswith(_BEGINS_FORMULA) and not _NUMBER.fullmatch(text) else text


def _results(found: Findings) -> Iterator[dict[str, object]]:
    for one in found.entries.values():
        compared = {"against": found.baseline, "difference": one.difference, "change_percent": 100 * one.change, "p_value": one.p_value}
        tested = {} if math.isnan(one.p_value) else compared
        yield {
            "part": "results", "ranker": one.arm, "point": one.point, "measure": one.measure, "value": one.mean, "low": one.low,
            "high": one.high, "queries": one.n_queries, "is_best": one.is_best, **tested,
        }  # fmt: skip


def _curves(found: Findings) -> Iterator[dict[str, object]]:
    for one in found.curves:
        for point, mean, low, high in zip(one.points, one.means, one.low, one.high, strict=True):
            yield {
                "part": "curve", "ranker": one.arm, "point": point, "measure": one.measure, "value": mean, "low": low, "high": high,
                "is_best": point == one.peak,
            }  # fmt: skip


def _papers(found: Findings) -> Iterator[dict[str, object]]:
    for one in found.besides:
        yield {
            "part": "printed", "ranker": one.ours.arm, "point": one.ours.point, "measure": one.ours.measure, "value": one.ours.mean,
            "low": one.ours.low, "high": one.ours.high, "queries": one.ours.n_queries, "paper": one.printed.paper,
            "where": one.printed.where, "printed": one.figure, "difference": one.difference,
            "verdict": "agrees" if one.agrees else "lower" if one.difference < 0 else "higher",
        }  # fmt: skip


def _claims(found: Findings) -> Iterator[dict[str, object]]:
    for one in found.claims:
        yield {
            "part": "claim", "ranker": one.claim.better, "measure": one.claim.measure, "against": one.claim.than,
            "change_percent": one.percent, "low": one.low, "high": one.high, "p_value": one.p_value, "queries": one.n_queries,
            "difference": one.difference, "paper": one.claim.paper, "where": one.claim.on,
            "printed": "" if one.claim.percent is None else one.claim.percent, "verdict": one.verdict,
        }  # fmt: skip
