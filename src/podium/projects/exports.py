"""What a project gives as files: labels, logs, judgments as a table, and what was imported. EXPORTS is the table.

Labels are those of :mod:`podium.sources.labels`: of a top k, k for the best down to 1, and 0 for the rest; of grades, the place of the
grade from 0 for the worst. A query may have several finished tasks: copies of several assessors, and models'. Files with one label a
document then need to know whose: ``of`` is the name of an assessor, ``shared`` for the task that people work on together, or ``all`` for
the mean of the labels over the people's copies. People and models are never mixed. In a study, where two tools have two scales, one of
them is named too, as in ``all:pairs`` or ``Ann:grades``.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from podium.errors import DataError, UnknownName
from podium.labelling.log import standing
from podium.labelling.questions import Event
from podium.projects.facts import Project, ProjectTask
from podium.projects.rows import members_of, pools_of, tasks_of
from podium.store.logs import export_log
from podium.store.rows import pool_to
from podium.store.store import Store, TaskInfo

if TYPE_CHECKING:
    from podium.sources.labels import LabelledQuery

__all__ = ["COLUMNS", "EXPORTS", "LABELS", "Export", "export", "label_choices", "labelled_query", "log_name", "safe_cell", "write_labels"]


class Export(NamedTuple):
    """One kind of file: what is in it, how its name ends, and what a browser is told it is."""

    meaning: str
    suffix: str
    media_type: str


LABELS = {  # one label a document
    "letor": "label qid:ID #docid = DOCUMENT, a line a document",
    "qrels": "TREC judgments: query 0 document label",
    "prefs": "trec_eval's preferences: qid ujg ujsubg docno rel_level",
}
_BLANKS = "blanks in ids are written as %20"
EXPORTS = {
    "letor": Export(
        f"{LABELS['letor']}; {_BLANKS}; of=all: the mean label of the people's copies", "-letor.txt", "text/plain; charset=utf-8"
    ),
    "qrels": Export(
        f"{LABELS['qrels']}; {_BLANKS}; of=all: the mean label of the people's copies", "-qrels.txt", "text/plain; charset=utf-8"
    ),
    "prefs": Export(f"{LABELS['prefs']}; {_BLANKS}; each assessor a judgment group", "-prefs.txt", "text/plain; charset=utf-8"),
    "jsonl": Export("everything: a file a task in a zip, its documents and its whole log", "-logs.zip", "application/zip"),
    "judgments.csv": Export("every answer, skip, undo, redo and correction, a row each", "-judgments.csv", "text/csv; charset=utf-8"),
    "pools.jsonl": Export("what was imported: a query with its documents a line", "-pools.jsonl", "application/x-ndjson"),
}
COLUMNS = (
    "project", "query_id", "tool", "copy", "assessor", "role", "at", "action", "left", "right", "answer", "target", "stands", "seconds",
    "paused", "idle", "stage", "strategy", "model",
)  # fmt: skip
_OF_EVENT = ("assessor", "role", "at", "action", "left", "right", "answer", "target", "stands", *COLUMNS[13:])
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a zip can tell: the same content is the same file


def export(store: Store, project: Project, kind: str, *, ties: str = "order", of: str | None = None) -> tuple[str, bytes]:
    """The name and the content of a file; ``of`` says whose labels, see above, ``ties`` what becomes of tied documents in the top.

    Labels are those of finished tasks.
    """
    if kind not in EXPORTS:
        raise UnknownName("export", str(kind), EXPORTS)
    if kind not in LABELS and of is not None:
        raise DataError(f"{kind} holds what everybody did; leave out of={of}")
    write = {"jsonl": _logs, "judgments.csv": _judgments, "pools.jsonl": _pools}
    content = _labels(store, project, kind, ties, of) if kind in LABELS else write[kind](store, project)
    return f"{_plain_name(project.name)}{EXPORTS[kind].suffix}", content


def _plain_name(name: str) -> str:
    """A name that stands in a header and on any disk without quoting."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "project"


# ---- labels, of a project or of tasks in a store ----


def labelled_query(store: Store, task: TaskInfo, ties: str, assessor: str = "") -> LabelledQuery:
    """The labels that a finished task gives."""
    from podium.sources.labels import LabelledQuery, labels_from_top

    labelled = store.task(task.number)
    result = labelled.result()
    if labelled.entry.asks_grades:
        grades = {item: float(labelled.grades.index(grade)) for item, grade in result.grades.items()}
        return LabelledQuery(task.query_id, grades, assessor)
    tied = _adjacent(result.ties, result.top) if ties == "equal" else []
    return LabelledQuery(task.query_id, labels_from_top(result.top, result.rest, k=task.k, tied=tied, ties=ties), assessor)


def _adjacent(groups: Sequence[Sequence[str]], top: Sequence[str]) -> list[list[str]]:
    """Runs of neighbours in the top, each tied with the next: pairs that were called a tie, joined where they stand side by side."""
    together = [set(group) for group in groups]
    runs: list[list[str]] = []
    for item in top:
        if runs and any({runs[-1][-1], item} <= group for group in together):
            runs[-1].append(item)
        else:
            runs.append([item])
    return [run for run in runs if len(run) > 1]


def write_labels(kind: str, labelled: Iterable[LabelledQuery], path: Path) -> None:
    """Write labels in one of the forms of :data:`LABELS`; the file appears whole or not at all.

    Ids are words in these files: blanks in them are written as in a URL, and so is # in a query of LETOR.
    """
    from podium.sources.labels import preferences_of_labels, qrels_of_labels, write_letor_labels
    from podium.sources.preferences import write_preferences
    from podium.sources.trec import write_qrels

    labelled = [_in_words(query, kind) for query in labelled]
    if kind == "letor":
        write_letor_labels(labelled, path)
    elif kind == "qrels":
        write_qrels(qrels_of_labels(labelled), path)
    else:
        write_preferences(preferences_of_labels(labelled), path)


def _in_words(query: LabelledQuery, kind: str) -> LabelledQuery:
    query_id = _word(query.query_id)
    labels = {_word(document): label for document, label in query.labels.items()}
    return replace(query, query_id=query_id.replace("#", "%23") if kind == "letor" else query_id, labels=labels)


def _word(text: str) -> str:
    """A text as one word, which no other text is: blanks are percent-encoded, and what looks like an encoded character is too.

    >>> _word("d 1"), _word("d%201"), _word("100%")
    ('d%201', 'd%25201', '100%')
    """
    return re.sub(r"\s|%(?=[0-9A-Fa-f]{2})", lambda found: quote(found[0]), text)


def log_name(name: str) -> str:
    """A name for the log of a task that any file system takes, and that two names never share.

    >>> log_name("3/pairs/q 1/1")
    '3%2Fpairs%2Fq 1%2F1.jsonl'
    """
    return (quote(name, safe=" -_") or "%") + ".jsonl"


# ---- whose labels ----


@dataclass(frozen=True)
class _Choice:
    """A finished task, and whose it is."""

    task: ProjectTask
    assessor: str  # "shared" if it is everybody's
    is_model: bool


def _labels(store: Store, project: Project, kind: str, ties: str, of: str | None) -> bytes:
    from podium.sources.labels import TIES

    if ties not in TIES:
        raise UnknownName("way with ties", str(ties), TIES)
    chosen = _finished(store, project)
    if not chosen:
        raise DataError("no task is finished, so there are no labels to write; jsonl writes the logs of unfinished ones too")
    if of is not None:
        chosen = _chosen(project, chosen, of)
    elif kind != "prefs":
        _check_one_each(project, chosen)
    if kind == "prefs":
        labelled = [_labelled(store, choice, ties, _group(choice)) for choice in chosen]
    else:
        labelled = [_mean([_labelled(store, choice, ties) for choice in copies]) for copies in _by_query(chosen).values()]
    return _through_file(lambda path: write_labels(kind, labelled, path))


def _finished(store: Store, project: Project) -> list[_Choice]:
    with store.database.reading() as connection:
        members = {member.number: member for member in members_of(connection, project.number)}
        tasks = [task for task in tasks_of(connection, project.number) if task.is_finished]
    found = []
    for task in tasks:
        member = None if task.member is None else members[task.member]
        found.append(_Choice(task, "shared" if member is None else member.name, member is not None and member.kind == "model"))
    return found


def _names(project: Project, choice: _Choice) -> list[str]:
    """What ``of`` may say to choose a task."""
    names = [choice.assessor] if choice.is_model else [choice.assessor, "all"]
    return [f"{name}:{choice.task.tool}" for name in names] if project.is_study else names


def label_choices(store: Store, project: Project) -> list[str]:
    """What ``of`` may be now: whose finished labels there are."""
    return _known(project, _finished(store, project))


def _known(project: Project, choices: Sequence[_Choice]) -> list[str]:
    return sorted({name for choice in choices for name in _names(project, choice)})


def _chosen(project: Project, choices: Sequence[_Choice], of: str) -> list[_Choice]:
    known = _known(project, choices)
    if of not in known:
        raise UnknownName("choice of labels (of)", of, known)
    return [choice for choice in choices if of in _names(project, choice)]


def _by_query(choices: Iterable[_Choice]) -> dict[str, list[_Choice]]:
    found: dict[str, list[_Choice]] = {}
    for choice in choices:
        found.setdefault(choice.task.query_id, []).append(choice)
    return found


def _check_one_each(project: Project, choices: Sequence[_Choice]) -> None:
    if project.is_study or any(len(copies) > 1 for copies in _by_query(choices).values()):
        names = _known(project, choices)
        what = "the two tools have labels of two scales" if project.is_study else "some queries have several finished tasks"
        raise DataError(f"{what}, and a file holds one label a document; say whose with of=, one of: {', '.join(names)}")


def _labelled(store: Store, choice: _Choice, ties: str, assessor: str = "") -> LabelledQuery:
    return labelled_query(store, store.info(choice.task.task), ties, assessor)


def _group(choice: _Choice) -> str:
    """The assessor as one word, which no other has; a shared task is nobody's."""
    return "" if choice.assessor == "shared" else _word(choice.assessor)


def _mean(copies: Sequence[LabelledQuery]) -> LabelledQuery:
    """The mean of the labels over the copies of one query, the best first."""
    if len(copies) == 1:
        return copies[0]
    means = {item: sum(copy.labels[item] for copy in copies) / len(copies) for item in copies[0].labels}
    return replace(copies[0], labels=dict(sorted(means.items(), key=lambda item: (-item[1], item[0]))))


def _through_file(write: Callable[[Path], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "export")
        write(path)
        return path.read_bytes()


# ---- everything ----


def _tasks(store: Store, project: Project) -> list[ProjectTask]:
    with store.database.reading() as connection:
        return tasks_of(connection, project.number, is_dropped=None)  # also what was set aside: it was judged


def _logs(store: Store, project: Project) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for task in _tasks(store, project):
            entry = zipfile.ZipInfo(log_name(store.info(task.task).name), _EARLIEST)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(entry, _through_file(lambda path, number=task.task: export_log(store, number, path)))  # type: ignore[misc]
    return content.getvalue()


def _judgments(store: Store, project: Project) -> bytes:
    content = io.StringIO()
    writer = csv.writer(content)
    writer.writerow(COLUMNS)
    for task in _tasks(store, project):
        for facts in _rows(store.events(task.task)):
            row = {"project": project.name, "query_id": task.query_id, "tool": task.tool, "copy": task.copy, **facts}
            writer.writerow([safe_cell(row[name]) for name in COLUMNS])
    return content.getvalue().encode()


def _rows(events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    """Each event, and of an answer what it counts as now: empty if it was taken back, the correction if there is one."""
    numbered = [replace(event, key=str(number)) for number, event in enumerate(events, start=1)]
    stands = {event.key: event.answer for event in standing(numbered)}
    for event in numbered:
        yield {name: stands.get(event.key) if name == "stands" else getattr(event, name) for name in _OF_EVENT}


def safe_cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula: documents, queries and names come from others.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell(0.5), safe_cell(None)
    ("'=HYPERLINK(1)", 0.5, '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def _pools(store: Store, project: Project) -> bytes:
    with store.database.reading() as connection:
        pools = pools_of(connection, project.number)
    return "".join(f"{json.dumps(pool_to(pool))}\n" for pool in pools.values()).encode()
