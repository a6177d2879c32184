"""``podium theory``: check the papers' lemmas, theorems and bounds on our losses and measures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from podium.cli.console import check_target, json_option, print_json, progress_bar, say_if_compiling, write_text
from podium.errors import FileError

if TYPE_CHECKING:
    from podium.theory import Report

__all__ = ["theory"]


@click.command(
    epilog="Examples: podium theory   |   podium theory --only 000-theorem-2-2   |   podium theory --write docs/theory.md. "
    "Exit code 0 if everything comes out as it is known to (some statements are known to fail as printed), 1 if not."
)
@click.option("--only", multiple=True, metavar="ID", help="This statement only, or 'losses' for the tables of losses. Repeatable.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random trials.")
@click.option("--trials", type=click.IntRange(min=100), default=20_000, show_default=True, help="Random trials of each bound.")
@click.option(
    "--write", type=click.Path(path_type=Path), metavar="FILE", help="Write the tables into this Markdown page, between its marks."
)
@json_option
def theory(only: tuple[str, ...], seed: int, trials: int, write: Path | None, as_json: bool) -> int:
    """Check every lemma, theorem and bound of the papers by enumeration and random trials, and every loss for consistency."""
    from podium.sources.streams import read_text
    from podium.theory import Bench, check_all, put_into_page

    if write is not None and only:
        raise click.UsageError("--write writes all tables of the page anew, so it does not go with --only; leave one of the two out")
    if write is not None and not write.is_file():
        raise FileError(write, None, "there is no such page; the tables go between the marks of one that is there")
    check_target(write)
    page = "" if write is None else put_into_page(read_text(write), write.name, _nothing())
    say_if_compiling()
    with progress_bar("checking") as progress:
        report = check_all(Bench(seed, trials), only, progress)
    if as_json:
        print_json(report.as_dictionary())
    else:
        click.echo(as_text(report))
    if write is not None:
        write_text(write, put_into_page(page, write.name, report))
        click.echo(f"written: {write}", err=as_json)
    for surprise in report.surprises:
        click.echo(f"podium: not as it is known: {surprise}", err=True)
    return 1 if report.surprises else 0


def _nothing() -> Report:
    """A report without rows, to see whether a page has a place for one before the work is done."""
    from podium.theory import Report

    return Report((), ())


def as_text(report: Report) -> str:
    """The tables for a terminal; counterexamples stand below, since lines have an end."""
    from podium.reports.text import text_table
    from podium.theory.survey import SIZES

    parts = []
    rows = report.rows()
    if rows:
        parts.append(text_table(["id", "paper", "statement", "trials", "outcome"], [row[:5] for row in rows], left=3))
        told = [f"{row[0]}: {'; '.join(filter(None, row[5:]))}" for row in rows if row[5] or row[6]]
        parts += ["\n".join(["Smallest counterexamples and remarks", *told])] if told else []
    sizes = [f"{n},{k}" for n, k in SIZES]
    for title, found in (
        ("Top-k subgroup order sensitive? (n,k; ~: not differentiable; else the condition that fails first)", report.sensitivity_rows()),
        ("Is the minimiser of the conditional risk the top-k Bayes ranker? (n,k)", report.consistency_rows()),
    ):
        if found:
            told = [f"{row[0]} ({row[1]}): {row[-1]}" for row in found if row[-1]]
            parts.append("\n".join([title, text_table(["loss", "labels", *sizes], [row[:-1] for row in found], left=2), *told]))
    return "\n\n".join(parts)
