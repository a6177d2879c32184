"""``podium experiment``: run configs, and show what came out."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import signal
import sys
import threading
import time
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podium.cli.console import check_target, say_if_compiling

if TYPE_CHECKING:
    from podium.experiments.facts import Config
    from podium.experiments.files import Run
    from podium.experiments.pace import Progress, Watcher
    from podium.ragged import Floats

__all__ = ["experiment"]

_SECONDS_BETWEEN = 60  # lines of progress in a pipe


@click.command(
    epilog="Examples: podium experiment experiments/my-table.toml   |   "
    "podium experiment experiments/*.toml --data LETOR --skip-missing --jobs -1"
)
@click.argument("configs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CONFIG…")
@click.option("--data", type=click.Path(path_type=Path), help="The folder that holds the collections, such as OHSUMED2 and MQ2008.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("runs"), show_default=True, help="Where runs and the cache of trials are kept."
)
@click.option("--jobs", type=int, default=2, show_default=True, help="Trials at a time (-1: one a core); through joblib.")
@click.option("--skip-missing", is_flag=True, help="Leave out configs whose collections are not in the folder of --data.")
def experiment(configs: tuple[Path, ...], data: Path | None, out: Path, jobs: int, skip_missing: bool) -> int:
    """Run every CONFIG (a TOML file, one a table or figure): train, choose on validation queries, measure on test queries.

    Trials are kept in OUT/cache by their content, so a second run does only what changed. Interrupt it or kill it at any time: the same
    command goes on where it was. Several may run on the same OUT at once, and share the work.
    """
    from podium.experiments.config import config_from_text
    from podium.experiments.data import is_there, missing
    from podium.sources.streams import read_text

    texts = {path: read_text(path) for path in configs}  # once: what is run is what is recorded, also if a file is changed meanwhile
    read = [(text, config_from_text(text, path.stem, path)) for path, text in texts.items()]  # a mistake in the last is said at once
    _check_names([path.stem for path in configs])
    check_target(out, is_folder=True)
    say_if_compiling()
    for text, config in read:
        if skip_missing and not is_there(config.data, data):
            click.echo(f"podium: {config.name} is skipped: {missing(config.data, data)}", err=True)
        elif code := _run(text, config, data, out, jobs):
            return code
    return 0


def _check_names(names: list[str]) -> None:
    from podium.experiments.checking import first_twice

    twice = first_twice(names)
    if twice is not None:
        raise click.UsageError(f"two configs are named {twice}, and their runs would be in one folder; rename one")


def _run(text: str, config: Config, data: Path | None, out: Path, jobs: int) -> int:
    """Run one, and print what came out: 0, or the exit code of an interruption."""
    from podium.experiments.facts import CACHE
    from podium.experiments.running import compute

    begun = time.monotonic()
    seen: list[Progress] = []  # the last
    try:
        with warnings.catch_warnings(), _ended_like_ctrl_c() as ended, _shown(config.name) as show:
            warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")  # joblib renews it; nothing is lost
            run = compute(config, data=data, out=out, jobs=jobs, progress=_both(seen, show), text=text)
    except KeyboardInterrupt:
        kept = f"{seen[-1].done} of {seen[-1].total} trials are kept in {out / CACHE}" if seen else "nothing was trained yet"
        click.echo(f"podium: {config.name} interrupted; {kept}; give the same command to go on", err=True)
        return 128 + (signal.SIGTERM if ended else signal.SIGINT)
    click.echo(_told(seen[-1], config.name, time.monotonic() - begun), err=True)
    click.echo(summary(run))
    folder = out / config.name
    click.echo(f"written: {folder}; make a page of it with: podium report {shlex.quote(str(folder))}")
    return 0


@contextlib.contextmanager
def _ended_like_ctrl_c() -> Iterator[list[int]]:
    """While the block runs, SIGTERM (a kill, the time limit of a scheduler) interrupts as Ctrl-C does, and stands in the list."""
    seen: list[int] = []

    def interrupt(number: int, _: object) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()  # no other may set a handler
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # somebody ignores it, or handles it already
        yield seen
        return
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _both(seen: list[Progress], show: Watcher) -> Watcher:
    def watch(progress: Progress) -> None:
        seen[:] = [progress]
        show(progress)

    return watch


def _told(last: Progress, name: str, seconds: float) -> str:
    from podium.experiments.pace import time_told

    found = f", {last.found} of them kept from before" if last.found else ""
    return f"podium: {name}: {_counted(last.total, 'trial')}{found}, {time_told(seconds)}"


@contextlib.contextmanager
def _shown(name: str) -> Iterator[Watcher]:
    """On a terminal, one line that is drawn anew after every trial; elsewhere a line a minute."""
    is_terminal, said = sys.stderr.isatty(), time.monotonic()

    def draw(line: str) -> None:
        sys.stderr.write(f"\r{cut(line, _terminal_width() - 1)}\x1b[K")  # to the edge, it would move to the next line
        sys.stderr.flush()

    def show(progress: Progress) -> None:
        nonlocal said
        if is_terminal:
            draw(told_now(name, progress))
        elif time.monotonic() - said >= _SECONDS_BETWEEN:
            said = time.monotonic()
            click.echo(f"podium: {told_now(name, progress)}", err=True)

    if is_terminal:
        draw(f"{name}: reading")
    try:
        yield show
    finally:
        if is_terminal:
            draw("")


def told_now(name: str, progress: Progress) -> str:
    """How far a run is: trials done, the time left, and what ended last."""
    from podium.experiments.pace import time_told

    left = f", about {time_told(progress.seconds_left)} left" if progress.seconds_left == progress.seconds_left else ""
    return f"{name}: {progress.done} of {progress.total} trials{left}" + (f"; last: {progress.last}" if progress.last else "")


def cut(line: str, width: int) -> str:
    """As much of a line as a terminal shows in so many columns; letters of East Asia take two.

    >>> cut("ranker", 4), cut("日本語", 5), cut("short", 80)
    ('ran…', '日本…', 'short')
    """
    ends = list(itertools.accumulate(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line))
    if not line or ends[-1] <= width:
        return line
    return line[: sum(end < width for end in ends)] + "…"


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):  # standard error is no terminal after all
        return 80


# ---- what came out ----


def summary(run: Run) -> str:
    """Means over folds, as reports have them: of every measure, or of the main one at every point of a curve; a star at a column's best."""
    from podium.experiments.undecided import undecided
    from podium.reports.experiments.values import fold_mean, main_measure, run_values
    from podium.reports.text import text_table

    config, values = run.config, run_values(run)
    means = fold_mean(values.of, values.folds)
    if config.curve is None:
        heads, over = values.measures, ""
        columns = [_starred(means[:, 0, place], measure) for place, measure in enumerate(values.measures)]
    else:
        measure = main_measure(config, values)
        heads, over = values.points, f"{measure} over {config.curve.over}; "
        columns = [_starred(column, measure) for column in means[:, :, values.measures.index(measure)].T]
    table = text_table(["ranker", *heads], [list(row) for row in zip(values.arms, *columns, strict=True)])
    note = f"{over}means over {_counted(len(values.fold_names), 'fold')}"
    note += f" and {len(config.seeds)} seeds" if len(config.seeds) > 1 else ""
    note += f"; settings chosen by {config.choose} on validation queries; * the best of its column"
    return "\n".join(filter(None, [f"{config.title}\n\n{table}\n\n{note}", undecided(run.trials)]))


def _starred(means: Floats, measure: str) -> list[str]:
    from podium.reports.experiments.values import best_mean
    from podium.reports.text import number

    best = best_mean(means, measure)
    return [f"{number(mean)}{'*' if mean == best else ' '}" for mean in means.tolist()]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
