"""The command line: one module a verb; COMMANDS is the table. User errors are one line on standard error and exit code 2."""

from __future__ import annotations

import errno
import os
import sys

import click

from podium.cli.algorithms import algorithms
from podium.cli.convert import convert
from podium.cli.data import data
from podium.cli.demo import demo
from podium.cli.describe import describe
from podium.cli.evaluate import evaluate
from podium.cli.experiment import experiment
from podium.cli.judgments import judgments
from podium.cli.label import label
from podium.cli.rank import rank
from podium.cli.report import report
from podium.cli.serve import serve
from podium.cli.study import study
from podium.cli.theory import theory
from podium.cli.train import train
from podium.errors import PodiumError
from podium.version import __version__

__all__ = ["COMMANDS", "main", "program"]

COMMANDS = (label, serve, study, judgments, describe, convert, data, train, rank, evaluate, experiment, report, theory, algorithms, demo)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Every command has --help with an example. Begin with: podium demo",
)
@click.version_option(__version__, prog_name="podium")
def program() -> None:
    """Podium: top-k learning to rank. Label documents with few judgments, train rankers on the labels, rank, and measure rankings."""


for _command in COMMANDS:
    program.add_command(_command)


def main(arguments: list[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    try:
        code = program.main(arguments, prog_name="podium", standalone_mode=False)
        _flush()
    except (PodiumError, click.ClickException) as error:
        message = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"podium: {' '.join(message.split())}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("podium: interrupted; nothing was left half written", err=True)
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        _drop_output()
        return 0
    except OSError as error:
        click.echo(f"podium: {_told(error)}", err=True)
        return 2
    return code if isinstance(code, int) else 0


def _told(error: OSError) -> str:
    """What could not be read or written, and why; most often it is a standard output on a full disk."""
    reason, is_output = (error.strerror or str(error)).lower(), error.errno == errno.ENOSPC  # our files are named, see atomic_file
    try:
        _flush()
    except OSError:  # it still holds what it could not write
        _drop_output()
        is_output = True
    if error.filename is not None:
        return f"{error.filename}: {reason}"
    return f"{'standard output cannot be written' if is_output else 'reading or writing failed'}: {reason}"


def _flush() -> None:
    if sys.stdout is not None:  # as it is if the shell has closed it
        sys.stdout.flush()


def _drop_output() -> None:
    """Let standard output lead nowhere, or Python would fail to write once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def entry() -> None:
    """What the installed program ``podium`` calls."""
    sys.exit(main())
