"""``podium study``: who judges what in a study of two tools, its report, and a simulated one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podium.cli.console import check_target, json_option, print_json, progress_bar, write_text
from podium.errors import DataError, FileError, UnknownName

if TYPE_CHECKING:
    from podium.labelling.assignment import Choice
    from podium.labelling.study_facts import StudyReport
    from podium.projects.facts import Project
    from podium.projects.office import Office
    from podium.projects.simulation import Simulation

__all__ = ["study"]

_SUFFIXES = (".html", ".json", ".csv")


@click.group(
    epilog="Examples: podium study plan --assessors 10   |   podium study report labels.db --out report.html   |   podium study simulate"
)
def study() -> None:
    """Studies of two tools, pairs against grades: plan one, report on one, or simulate one."""


# ---- plan ----


@study.command(epilog="Examples: podium study plan --assessors 10   |   podium study plan --assessors 10 --folds 5 --rounds 2")
@click.option("--assessors", type=click.IntRange(min=1), required=True, help="How many people judge.")
@click.option("--folds", type=click.IntRange(min=1), help="Into how many parts the queries are dealt. Without it: what would work.")
@click.option("--rounds", type=click.IntRange(min=1), help="How often everybody gets two new parts. Without it: the most there can be.")
@json_option
def plan(assessors: int, folds: int | None, rounds: int | None, as_json: bool) -> None:
    """Show who judges which fold of the queries with which tool in which round, or why there is no such assignment.

    In each round everybody judges one fold with pairs (T1) and another one with grades (T2); nobody sees a query in both tools.
    """
    from podium.labelling.assignment import assign, check_assignment, explain, most_rounds, possible

    if folds is None:
        if rounds is not None:
            raise click.UsageError("--rounds needs --folds too")
        check_assignment(assessors, assessors, 1)
        choices = possible(assessors)
        print_json([choice._asdict() for choice in choices]) if as_json else click.echo(_choices(assessors, choices))
        return
    rounds = max(1, most_rounds(folds)) if rounds is None else rounds
    places = assign(assessors, folds, rounds)
    if as_json:
        print_json([place._asdict() for place in places])
        return
    from podium.reports.text import text_table

    cells = {(place.seat, place.round, place.tool): place.fold for place in places}
    columns = [(turn, tool) for turn in range(1, rounds + 1) for tool in ("pairs", "grades")]
    head = ["assessor", *(f"round {turn}, {tool}" for turn, tool in columns)]
    rows = [[f"U{seat}", *(f"Q{cells[seat, *column]}" for column in columns)] for seat in range(1, assessors + 1)]
    click.echo(f"{text_table(head, rows)}\n\n{explain(assessors, folds, rounds)}")


def _choices(assessors: int, choices: Sequence[Choice]) -> str:
    from podium.labelling.assignment import judged_by
    from podium.reports.text import text_table

    rows = [[str(folds), _range(fewest, most), _range(*judged_by(assessors, folds, most))] for folds, fewest, most in choices]
    table = text_table(["folds", "rounds", "assessors a query and tool, with the most rounds"], rows)
    return (
        f"{assessors} assessors can be spread over:\n\n{table}\n\n"
        "Agreement needs two assessors a query and tool, or more. More folds than assessors take more rounds; --folds says how many."
    )


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


# ---- report ----


@study.command(
    epilog="Examples: podium study report labels.db   |   podium study report labels.db --project Wings --json   |   "
    "podium study report labels.db --out report.html"
)
@click.argument("place", metavar="STORE")
@click.option("--project", "name", help="Which project; needed if the store has several.")
@click.option("--csv", "as_csv", is_flag=True, help="Print one long table: a line a figure.")
@click.option("--out", type=click.Path(path_type=Path), help="Write a file instead: a page with charts (.html), .json or .csv.")
@json_option
def report(place: str, name: str | None, as_csv: bool, out: Path | None, as_json: bool) -> None:
    """Report on a project of STORE, beside the figures of the paper.

    Time, judgments and minutes per query; agreement with and without ties; χ² between the tools; the quality of each assessor; people
    against models.

    A store that podium label made has no projects: all its tasks are reported together.
    """
    from podium.projects.office import open_office
    from podium.projects.reporting import report_of_tasks

    _check_output(as_json, as_csv, out)
    with open_office(place, must_exist=True) as office:
        project = _chosen(office, name)
        found = office.reporting.report(project.number) if project else report_of_tasks(office.store, title=Path(office.store.where).name)
    _put_out(found, as_json, as_csv, out)


def _chosen(office: Office, name: str | None) -> Project | None:
    """The project that is meant; none if there are none."""
    projects = office.projects.all(with_archived=True)
    if name is not None:
        project = office.projects.find(name)
        if project is None:
            raise UnknownName("project", name, [project.name for project in projects])
        return project
    if len(projects) > 1:
        names = ", ".join(repr(project.name) for project in projects)
        raise DataError(f"{office.store.where} has {len(projects)} projects: {names}; choose one with --project")
    return projects[0] if projects else None


def _check_output(as_json: bool, as_csv: bool, out: Path | None) -> None:
    if as_json + as_csv + (out is not None) > 1:
        raise click.UsageError("--json, --csv and --out exclude each other; choose one")
    if out is not None and out.suffix.lower() not in _SUFFIXES:
        raise click.UsageError(f"--out writes files that end in {', '.join(_SUFFIXES)}, got {out.name!r}")
    check_target(out)


def _put_out(report: StudyReport, as_json: bool, as_csv: bool, out: Path | None) -> None:
    from podium.reports.study_files import study_csv, study_json, study_json_text
    from podium.reports.study_pages import study_page
    from podium.reports.study_text import study_text

    if out is not None:
        make = {".html": study_page, ".json": study_json_text, ".csv": study_csv}
        write_text(out, make[out.suffix.lower()](report))
        click.echo(f"report written to {out}")
    elif as_json:
        print_json(study_json(report))
    elif as_csv:
        click.echo(study_csv(report), nl=False)
    else:
        click.echo(study_text(report))


# ---- simulate ----


@study.command(epilog="Examples: podium study simulate   |   podium study simulate --queries 10 --store simulated.db --out report.html")
@click.option("--assessors", type=click.IntRange(min=1), default=5, show_default=True, help="How many simulated people judge.")
@click.option("--folds", type=click.IntRange(min=1), default=5, show_default=True, help="Into how many parts the queries are dealt.")
@click.option("--rounds", type=click.IntRange(min=1), default=2, show_default=True, help="How often everybody gets two new parts.")
@click.option("--queries", type=click.IntRange(min=1), default=50, show_default=True, help="How many queries.")
@click.option("--documents", type=click.IntRange(min=1), default=50, show_default=True, help="How many documents a query has.")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many are ranked with pairs.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same report.")
@click.option("--store", "place", type=click.Path(path_type=Path), help="Keep the study in this new file, to look at with podium serve.")
@click.option("--csv", "as_csv", is_flag=True, help="Print one long table: a line a figure.")
@click.option("--out", type=click.Path(path_type=Path), help="Write a file instead: a page with charts (.html), .json or .csv.")
@json_option
def simulate(
    assessors: int, folds: int, rounds: int, queries: int, documents: int, k: int, seed: int, place: Path | None, as_csv: bool,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Let made-up assessors go through a whole study, and report on it beside the figures of the paper.

    Nobody waits and nobody judges: noise and times are put in, and the report states them. What comes out is how often such assessors would
    agree, and that the path from assignment to report works.
    """
    from podium.projects.simulation import Simulation

    _check_output(as_json, as_csv, out)
    asked = Simulation(assessors=assessors, folds=folds, rounds=rounds, queries=queries, documents=documents, k=k, seed=seed)
    if place is not None:
        check_target(place)
        if place.exists():
            raise FileError(place, None, "is there already; a simulated study needs a new store, so that it is never taken for a real one")
    with tempfile.TemporaryDirectory(dir=_in_memory()) as folder:
        found = _simulated(place or Path(folder) / "simulated.db", asked)
    _put_out(found, as_json, as_csv, out)


def _in_memory() -> Path | None:
    """A folder in memory, where there is one: a store waits for the disk with every judgment, and this one is thrown away."""
    folder = Path("/dev/shm")
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _simulated(place: Path, asked: Simulation) -> StudyReport:
    from podium.projects.office import open_office
    from podium.projects.simulation import SimulatedClock, simulate

    clock = SimulatedClock()
    with open_office(place, clock=clock) as office:
        with progress_bar("simulating") as progress:
            project = simulate(office, asked, clock, progress=progress)
        return office.reporting.report(project.number)
