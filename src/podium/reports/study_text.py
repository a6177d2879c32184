"""The report of a study for a terminal."""

from __future__ import annotations

from podium.labelling.study_facts import StudyReport
from podium.reports.study_tables import Cell, Section, Table, sections
from podium.reports.text import text_table

__all__ = ["study_text"]


def study_text(report: StudyReport) -> str:
    """Every part as tables, with intervals in brackets. A dash is a figure that cannot be had; the notes say why.

    >>> from podium.labelling.study import study_report
    >>> print(study_text(study_report([], title="Wings")))
    Wings
    =====
    0 queries, 0 of 0 tasks finished, 0 people, 0 models
    <BLANKLINE>
    Read with care
    --------------
    - nobody has judged anything yet
    """
    sizes = (
        f"{_many(report.n_queries, 'query', 'queries')}, {report.n_finished:,} of {_many(report.n_tasks, 'task', 'tasks')} finished, "
        f"{_many(len(report.people), 'person', 'people')}, {_many(len(report.models), 'model', 'models')}"
    )
    title = report.title or "Report"
    head = [title, "=" * len(title), sizes, *(f"{label}: {text}" for label, text in report.about)]
    return "\n\n".join(["\n".join(head), *map(_section, sections(report))])


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _section(section: Section) -> str:
    head = [section.title, "-" * len(section.title), *([section.lead] if section.lead else [])]
    notes = ["\n".join(f"- {note}" for note in section.notes)] if section.notes else []
    parts = [*map(_table, section.tables), *notes]
    if not section.tables:
        return "\n".join([*head, *parts])
    return "\n\n".join(["\n".join(head), *parts])


def _table(table: Table) -> str:
    return f"{table.caption}\n{text_table(table.head, [[_cell(cell) for cell in row] for row in table.rows])}"


def _cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.aside})" if cell.aside else cell.text
