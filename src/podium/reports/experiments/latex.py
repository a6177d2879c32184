r"""Reports of experiments as tables for LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.reports.experiments.cells import Cell, Section, Table
from podium.reports.experiments.charts import slug

__all__ = ["experiment_latex", "latex"]

_SPELLINGS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "−": "$-$", "–": "--", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "≥": r"$\geq$", "≤": r"$\leq$",
    "β": r"$\beta$", "κ": r"$\kappa$", "τ": r"$\tau$", "×": r"$\times$", "↓": r"$\downarrow$", "▲": r"$\uparrow$", "▼": r"$\downarrow$",
    "\n": " ",
}  # fmt: skip
_MARKS = {"▲": r"\textsuperscript{$\uparrow$}", "▼": r"\textsuperscript{$\downarrow$}"}
_ANY = re.compile("|".join(map(re.escape, _SPELLINGS)))
_TABLES = ("means", "changes", "papers", "claims", "cost")  # and every curve's; settings are too wide for a page


def latex(text: str) -> str:
    r"""A text that LaTeX prints as it is written.

    >>> print(latex("top_10 & 5 % of $x$ ^ \\ ~"))
    top\_10 \& 5 \% of \$x\$ \textasciicircum{} \textbackslash{} \textasciitilde{}
    """
    return _ANY.sub(lambda match: _SPELLINGS[match[0]], text)


def experiment_latex(parts: Sequence[tuple[str, str, Sequence[Section]]]) -> str:
    r"""The tables of every run; the document needs ``\usepackage{booktabs}``, and a Unicode engine or ``\usepackage[T1]{fontenc}``."""
    told = ["% Made by Podium. Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}."]
    for key, title, sections in parts:
        told += [
            _table(table, f"{title}. {section.title}: {table.caption}", f"tab:{slug(key)}-{slug(table.key)}", section)
            for section in sections
            for table in section.tables
            if table.key in _TABLES or table.key.startswith("curve ")
        ]
    return "\n\n".join(told) + "\n"


def _table(table: Table, caption: str, label: str, section: Section) -> str:
    columns = "".join("l" if table.is_left(column) else "r" for column in range(len(table.head)))
    note = " ".join([".", section.lead, *section.notes]) if section.key == "results" and table.key == "means" else ""
    return "\n".join([
        r"\begin{table}", r"\centering", f"\\caption{{{latex(caption + note)}}}", f"\\label{{{label}}}",
        f"\\begin{{tabular}}{{{columns}}}", r"\toprule", _line(tuple(map(Cell, table.head))), r"\midrule", *map(_line, table.rows),
        r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ])  # fmt: skip


def _line(row: Sequence[Cell]) -> str:
    return " & ".join(map(_cell, row)) + r" \\"


def _cell(cell: Cell) -> str:
    text = latex(cell.text)
    text = f"\\textbf{{{text}}}" if text and cell.kind == "best" else f"\\textit{{{text}}}" if text and cell.kind == "paper" else text
    return f"{text}{_MARKS.get(cell.mark, '')}" + (f" {{\\scriptsize ({latex(cell.aside)})}}" if cell.aside else "")
