"""What commands share: progress on a terminal and silence in a pipe, and output as a table or as JSON."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.errors import FileError

if TYPE_CHECKING:
    from podium.dataset import Dataset
    from podium.sources.streams import Progress
    from podium.training.watching import Callback, Step

__all__ = ["check_target", "json_option", "load", "print_json", "progress_bar", "say_if_compiling", "training_bar", "write_text"]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


@contextlib.contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A bar on standard error while bytes are read; nothing if that is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    bar = click.progressbar(length=1000, label=label, file=sys.stderr, show_pos=False, width=30)
    with bar:

        def advance(done: int, total: int) -> None:
            bar.update(int(1000 * done / max(total, 1)) - bar.pos)

        yield advance


@contextlib.contextmanager
def training_bar(label: str, most: int) -> Iterator[Callback | None]:
    """A bar on standard error that tells of every iteration; nothing if that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=most, label=label, file=sys.stderr, width=30, item_show_func=_told) as bar:

        def see(step: Step) -> None:
            bar.update(step.iteration - bar.pos, step)

        yield see
        bar.update(most - bar.pos)  # done, however few iterations it took


def _told(step: Step | None) -> str:
    if step is None:
        return ""
    return f"loss {step.objective:.6g}" + ("" if step.validation is None else f", validation {step.validation:.4f}")


def say_if_compiling() -> None:
    """On a terminal, say why the very first run takes longer."""
    from podium.ragged import is_compiled_before
    from podium.sorting import keep_top

    if sys.stderr.isatty() and not is_compiled_before(keep_top):
        click.echo("podium: compiling for this machine; only the first run waits for it", err=True)


def load(paths: tuple[Path, ...]) -> Dataset:
    """Open a dataset while a bar shows how far it is."""
    from podium.sources import open_dataset

    say_if_compiling()
    with progress_bar(f"reading {paths[0].name}") as progress:
        return open_dataset(*paths, progress=progress)


def check_target(path: Path | None, *, is_folder: bool = False) -> None:
    """Refuse a place where nothing can be written, before any work is done."""
    if path is None:
        return
    if is_folder:
        if path.exists() and not path.is_dir():
            raise FileError(path, None, "is a file; give a folder")
        return
    if path.is_dir():
        raise FileError(path, None, "is a folder; give a file")
    if path.exists() and not (path.is_file() or path.is_fifo() or path.is_char_device()):  # a socket, or a whole disk
        raise FileError(path, None, "is neither a file nor a pipe; give a file")
    home = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
    if not home.is_dir():
        raise FileError(path, None, f"there is no folder {home}; make it first")


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # an array
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {" and ".join(map(str, key)) if isinstance(key, tuple) else key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def print_json(value: Any) -> None:
    """Print a value as JSON; what is not a number (a mean over no queries) is null."""
    click.echo(json.dumps(_plain(value), indent=2, ensure_ascii=False))


def write_text(path: Path, text: str) -> None:
    """Write a text file that appears whole or not at all (:func:`podium.sources.streams.atomic_file`)."""
    from podium.sources.streams import atomic_file

    with atomic_file(path) as file:
        file.write(text.encode())
