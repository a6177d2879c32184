"""``podium report``: what experiments found, as a page or as tables. It reads runs and never trains."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import check_target, progress_bar, write_text
from podium.errors import DataError
from podium.version import __version__

if TYPE_CHECKING:
    from podium.experiments.files import Run
    from podium.reports.experiments.findings import Findings

__all__ = ["report"]

_FORMATS = ("html", "md", "csv", "latex", "docs")
_ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".csv": "csv", ".tex": "latex"}


@click.command(
    epilog="Examples: podium report runs/004_table4_ohsumed   |   podium report runs/*/run.json --out report.html   |   "
    "podium report runs/004_table4_ohsumed --format latex --baseline ListNet"
)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out", type=click.Path(path_type=Path), help="The file to write. [default: report.html for a page, else what is written is printed]"
)
@click.option("--baseline", default="", help="The ranker that others are compared with. [default: the config's]")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="A page with charts (html), tables (md, csv, latex), or Markdown with pictures beside (docs). [default: as --out ends, or html]",
)
def report(runs: tuple[Path, ...], out: Path | None, baseline: str, form: str | None) -> None:
    """Report what the experiments in the folders RUN found: tables, curves, and the papers' figures beside ours."""
    runs = tuple(run.parent if run.name == "run.json" else run for run in runs)  # as runs/*/run.json finds them
    form = form or (_ENDINGS.get(out.suffix.lower(), "html") if out is not None else "html")
    if form == "docs" and out is None:
        raise click.UsageError("--format docs writes pictures beside the page: give --out, such as docs/reproduction.md")
    if form == "docs" and baseline:
        raise click.UsageError("--format docs compares with the baselines of the configs: leave --baseline out")
    if form == "html" and out is None:
        out = runs[0] / "report.html" if len(runs) == 1 else Path("report.html")
    read = _read(runs, with_costs=form not in ("csv", "docs"))  # which do not show them
    check_target(out)
    if form == "docs":
        assert out is not None
        _write_docs(out, read)
    elif out is None:
        click.echo(_text(form, runs, read, baseline), nl=False)
    else:
        write_text(out, _text(form, runs, read, baseline))
    if out is not None:
        click.echo(f"written: {out}")


def _read(folders: Sequence[Path], *, with_costs: bool) -> list[Run]:
    from podium.experiments.checking import first_twice
    from podium.experiments.files import read_run

    runs = [read_run(folder, with_costs=with_costs) for folder in folders]
    twice = first_twice([run.config.name for run in runs])
    if twice is not None:
        raise DataError(f"two runs are called {twice!r}; report them one by one")
    return runs


def _text(form: str, folders: Sequence[Path], runs: Sequence[Run], baseline: str) -> str:
    from podium.reports.experiments.findings import findings
    from podium.reports.experiments.tables import sections
    from podium.reports.experiments.text import experiment_csv

    found = []
    with progress_bar("comparing") as progress:
        for number, run in enumerate(runs, start=1):
            found.append(findings(run, baseline=baseline))
            progress(number, len(runs))
    if form == "csv":
        return experiment_csv(found)
    told = [(one.config.name, one.config.title, sections(one, sums=_sums(folder))) for one, folder in zip(found, folders, strict=True)]
    return _writer(form, found)(told)


def _writer(form: str, found: Sequence[Findings]) -> Callable[[Any], str]:
    from podium.reports.experiments.latex import experiment_latex
    from podium.reports.experiments.pages import experiment_page
    from podium.reports.experiments.text import experiment_markdown

    if form == "html":
        return lambda parts: experiment_page(parts, found=found, footer=f"Made by Podium {__version__}.")
    return experiment_latex if form == "latex" else experiment_markdown


def _sums(folder: Path) -> dict[str, str]:
    """What SHA256SUMS says; reading the run has checked it."""
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _write_docs(out: Path, runs: Sequence[Run]) -> None:
    """The page, and its pictures in images/reproduction beside it; pictures that only the page before it shows go."""
    from podium.reports.experiments.reproduction import IMAGES, reproduction

    with progress_bar("comparing") as progress:
        text, images = reproduction(runs, progress=progress)
    folder = out.parent / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    before = out.read_text(encoding="utf-8", errors="replace") if out.is_file() else ""
    for name, svg in images.items():
        write_text(folder / name, svg)
    write_text(out, text)
    for old in set(re.findall(rf"]\({re.escape(IMAGES)}/([^/()]+\.svg)\)", before)) - set(images):
        (folder / old).unlink(missing_ok=True)
