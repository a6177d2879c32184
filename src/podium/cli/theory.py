"""``podium theory``: check the papers' lemmas, theorems and bounds on our losses and measures."""

from __future__ import annotations

from pathlib import Path

import click

from podium.cli.console import check_target, json_option, print_json, progress_bar, say_if_compiling, write_text
from podium.errors import FileError

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
    from podium.reports.theory_text import as_dictionary, as_text, check_place, put_into_page
    from podium.sources.streams import read_text
    from podium.theory import Bench, check_all

    if write is not None and only:
        raise click.UsageError("--write writes all tables of the page anew, so it does not go with --only; leave one of the two out")
    if write is not None and not write.is_file():
        raise FileError(write, None, "there is no such page; the tables go between the marks of one that is there")
    check_target(write)
    page = "" if write is None else read_text(write)
    if write is not None:
        check_place(page, write.name)
    say_if_compiling()
    with progress_bar("checking") as progress:
        report = check_all(Bench(seed, trials), only, progress)
    if as_json:
        print_json(as_dictionary(report))
    else:
        click.echo(as_text(report))
    if write is not None:
        write_text(write, put_into_page(page, write.name, report))
        click.echo(f"written: {write}", err=as_json)
    for surprise in report.surprises:
        click.echo(f"podium: not as it is known: {surprise}", err=True)
    return 1 if report.surprises else 0
