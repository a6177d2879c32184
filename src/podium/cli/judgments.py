"""``podium judgments``: what a store of labelling tasks holds, how sure it is, what it cost; and the labels as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import check_target, json_option, print_json
from podium.errors import DataError, FileError

if TYPE_CHECKING:
    from podium.labelling import Event, TopK
    from podium.store import Store, TaskInfo

__all__ = ["EXPORTS", "judgments"]

EXPORTS = {
    "letor": "label qid:ID #docid = DOCUMENT, a line a document",
    "qrels": "TREC judgments: query 0 document label",
    "prefs": "trec_eval's preferences: qid ujg ujsubg docno rel_level",
    "jsonl": "everything: a folder with a file a task, its documents and its whole log",
}


@click.command(
    epilog="Examples: podium judgments labels.db   |   podium judgments labels.db --task 7   |   "
    "podium judgments labels.db --export qrels --out qrels.txt   |   podium judgments labels.db --agreement"
)
@click.argument("place", metavar="STORE")
@click.option("--task", "names", multiple=True, help="Only this task, in detail. Repeatable.")
@click.option("--agreement", "wants_agreement", is_flag=True, help="How far assessors agree on what more than one of them judged.")
@click.option("--export", type=click.Choice(list(EXPORTS)), help="Write the labels of finished tasks, or with jsonl the logs of all.")
@click.option(
    "--ties", type=click.Choice(["order", "equal"]), default="order", show_default=True, help="Exported labels of tied documents."
)
@click.option(
    "--count", type=click.Choice(["people", "models", "all"]), help="Whose answers count in a fit, if people and models both answered."
)
@click.option(
    "--import", "logs", multiple=True, type=click.Path(path_type=Path), help="Take up a log that was exported as jsonl. Repeatable."
)
@click.option("--out", type=click.Path(path_type=Path), help="Where the export goes.")
@json_option
def judgments(
    place: str, names: tuple[str, ...], wants_agreement: bool, export: str | None, ties: str, count: str | None, logs: tuple[Path, ...],
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Show the tasks of STORE: judgments, cost, results; with --task how sure each place of the top is.

    Scores are those of a Bradley-Terry fit to all judgments of a task, with ties and without the documents that were called bad; a place is
    settled if its document holds it with 95 % probability by that fit. People's and models' answers are not mixed unless --count says so.
    """
    from podium.store import import_log, open_store

    if (export is None) != (out is None):
        raise click.UsageError("--export says what is written and --out where to; give both")
    if "://" not in place and not logs and not Path(place).is_file():
        raise FileError(place, None, "there is no such store; podium label makes one")
    check_target(out, is_folder=export == "jsonl")
    with open_store(place) as store:
        for path in logs:
            import_log(store, path)
        tasks = _chosen(store, names)
        if export is not None and out is not None:
            click.echo(_export(store, tasks, export, ties, out))
        elif wants_agreement:
            _show_agreement(store, tasks, as_json)
        elif as_json:
            print_json([_detail(store, task, count) for task in tasks])
        elif names:
            click.echo("\n\n".join(_told(_detail(store, task, count)) for task in tasks))
        else:
            click.echo(_overview(store, tasks))


def _chosen(store: Store, names: Sequence[str]) -> list[TaskInfo]:
    tasks = store.tasks()
    if not names:
        return tasks
    return [store.info(store.number(name)) for name in dict.fromkeys(names)]


# ---- tables ----


def _logs(store: Store, tasks: Sequence[TaskInfo]) -> dict[str, tuple[Event, ...]]:
    return {task.name: store.task(task.number).judgments for task in tasks}


def _overview(store: Store, tasks: Sequence[TaskInfo]) -> str:
    from podium.labelling.cost import average_bound, cost_by_assessor
    from podium.reports.agreement_text import cost_text
    from podium.reports.text import text_table

    if not tasks:
        return "The store has no tasks yet; make some with: podium label pools.jsonl"
    columns = ["task", "strategy", "k", "documents", "judgments", "least possible", "state"]
    rows = [
        [task.name, task.strategy, str(task.k), str(task.documents), str(task.judgments), f"{average_bound(task.documents, task.k):.0f}",
         "finished" if task.is_finished else "open"] for task in tasks
    ]  # fmt: skip
    note = "Least possible: on average, without prior order, ties or bad documents, any of which can make it fewer."
    return "\n".join([text_table(columns, rows), "", note, "", cost_text(cost_by_assessor(_logs(store, tasks)))])


def _show_agreement(store: Store, tasks: Sequence[TaskInfo], as_json: bool) -> None:
    from dataclasses import asdict

    from podium.labelling.agreement import agreement
    from podium.labelling.ratings import grades_of, inferred, ratings_of
    from podium.reports.agreement_text import agreement_text

    kinds: dict[tuple[str, ...], list[TaskInfo]] = {}  # grades; () for pairs
    for task in tasks:
        grades = tuple(store.settings(task.number)["grades"]) if task.strategy == "graded" else ()
        kinds.setdefault(grades, []).append(task)
    found = {}
    for grades, some in kinds.items():
        logs = _logs(store, some)
        title = f"Inferred from the grades {', '.join(grades)}" if grades else "Judgments of pairs"
        found[title] = agreement(inferred(grades_of(logs, grades)) if grades else ratings_of(logs))
    if as_json:
        print_json({title: asdict(one) for title, one in found.items()})
    else:
        click.echo("\n\n".join(f"{title}\n\n{agreement_text(one)}" for title, one in found.items()))


def _detail(store: Store, task: TaskInfo, count: str | None) -> dict[str, Any]:
    from podium.labelling import how_sure, rescore
    from podium.labelling.active import MIXED
    from podium.labelling.bradley_terry import cycles

    labelled = store.task(task.number)
    found: dict[str, Any] = {
        "task": task.name, "query": store.pool(task.number).query, "strategy": task.strategy, "k": task.k, "documents": task.documents,
        "judgments": task.judgments, "finished": task.is_finished, "by": _roles(labelled),
    }  # fmt: skip
    if task.is_finished:
        result = labelled.result()
        found |= {"top": list(result.top), "ties": [list(group) for group in result.ties], "bad": list(result.bad)}
        found |= {"grades": dict(result.grades)} if result.grades else {}
    pairs = [event for event in labelled.judgments if event.right is not None]
    if not pairs:
        return found
    roles = None if count is None else MIXED[count]
    fitted = rescore(labelled, roles=roles)
    sure = how_sure(fitted, task.k)
    in_top = dict(zip(fitted.items, sure.in_top.tolist(), strict=True))
    found["fit"] = [
        {"document": item, "score": fitted.score(item), "sd": fitted.sd(item), "in_top": in_top[item],
         "settled": place < len(sure.settled) and sure.settled[place]} for place, item in enumerate(fitted.order[: 2 * task.k])
    ]  # fmt: skip
    return found | {
        "set_probability": sure.set_probability,
        "cycles": [list(group) for group in cycles(pairs, labelled.items, roles=roles)],
    }


def _roles(task: TopK) -> dict[str, int]:
    counts: dict[str, int] = {}
    for event in task.judgments:
        counts[event.role] = counts.get(event.role, 0) + 1
    return counts


def _told(found: dict[str, Any]) -> str:
    from podium.reports.text import text_table

    by = ", ".join(f"{count} by {role}" for role, count in found["by"].items()) or "none yet"
    lines = [f"Task {found['task']}: {found['query']}", f"{found['strategy']}, top {found['k']} of {found['documents']}; judgments: {by}"]
    if found["finished"]:
        lines.append(f"Top: {' '.join(found['top'])}")
        lines += [f"Tied: {' '.join(group)}" for group in found["ties"]]
        lines += [f"Bad: {' '.join(found['bad'])}"] if found["bad"] else []
    if "fit" in found:
        rows = [
            [str(place), row["document"], f"{row['score']:.2f}", f"{row['sd']:.2f}", f"{row['in_top']:.2f}",
             "settled" if row["settled"] else ""] for place, row in enumerate(found["fit"], start=1)
        ]  # fmt: skip
        lines += ["", text_table(["place", "document", "score", "± sd", f"in top {found['k']}", ""], rows), ""]
        size = min(found["k"], len(found["fit"]))
        lines.append(f"By the fit, the top {size} is right as a set with probability {found['set_probability']:.2f}.")
        lines += [f"In a circle of answers: {' '.join(group)}" for group in found["cycles"]]
    return "\n".join(lines)


# ---- files ----


def _export(store: Store, tasks: Sequence[TaskInfo], kind: str, ties: str, out: Path) -> str:
    from podium.projects.exports import labelled_query, log_name, write_labels
    from podium.store import export_log

    if kind == "jsonl":
        out.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            export_log(store, task.number, out / log_name(task.name))
        return f"{len(tasks)} logs written to {out}"
    finished = [task for task in tasks if task.is_finished]
    for query, count in Counter(task.query_id for task in finished).items():
        if count > 1:
            names = ", ".join(task.name for task in finished if task.query_id == query)
            raise DataError(f"query {query!r} has {count} tasks ({names}), and a file holds one label a document; choose with --task NAME")
    if not finished:
        raise DataError("no task is finished, so there are no labels to write; --export jsonl writes the logs of unfinished ones too")
    write_labels(kind, [labelled_query(store, task, ties) for task in finished], out)
    open_ones = len(tasks) - len(finished)
    return f"labels of {len(finished)} queries written to {out}" + (f"; {open_ones} unfinished tasks left out" if open_ones else "")
