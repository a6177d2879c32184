"""Write the generated parts of the documentation: `make docs`. A test fails when they are not what this would write."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from algorithms_page import algorithms_page
from click.testing import CliRunner
from experiments_page import keys_tables

from podium.algorithms import ALGORITHMS, SETTINGS
from podium.cli import program
from podium.labelling import STRATEGIES
from podium.losses import LOSSES
from podium.measures import MEASURES
from podium.measures.names import options_of

HERE = Path(__file__).parent


def measures_table() -> str:
    rows = ["| name | meaning | options (default first) | source |", "| --- | --- | --- | --- |"]
    for name, entry in MEASURES.items():
        options = options_of(entry.function)
        cutoff = "" if "cutoff" not in options else ("@l" if options["cutoff"].is_required else "[@l]")
        said = [*(f"`{preset}`" for preset in entry.presets)]
        said += [f"`{key}={option.spelling()}`".replace("|", "\\|") for key, option in options.items() if key != "cutoff"]
        rows.append(f"| `{name}{cutoff}` | {entry.meaning} | {' '.join(said)} | {entry.source} |")
    return "\n".join(rows)


def losses_table() -> str:
    rows = ["| name | meaning | settings | source |", "| --- | --- | --- | --- |"]
    for name, entry in LOSSES.items():
        settings = " ".join(f"`{key}={value:g}`" for key, value in entry.settings.items())
        rows.append(f"| `{name}` | {entry.meaning} | {settings} | {entry.source} |")
    return "\n".join(rows)


def algorithms_table() -> str:
    rows = ["| name | meaning | loss | source |", "| --- | --- | --- | --- |"]
    rows += [f"| `{name}` | {one.meaning} | `{one.loss}` | {one.paper} |" for name, one in ALGORITHMS.items()]
    return "\n".join(rows)


def _defaults(setting: str) -> str:
    """The usual default, and those of algorithms that differ."""
    groups: dict[str, list[str]] = {}
    for name, one in ALGORITHMS.items():
        if setting in one.settings:
            value = one.settings[setting]
            groups.setdefault("" if value is None else f"{value:g}" if isinstance(value, float) else str(value), []).append(f"`{name}`")
    usual = max(groups, key=lambda shown: len(groups[shown]))
    return "; ".join([usual, *(f"{', '.join(names)}: {shown}" for shown, names in groups.items() if shown != usual)])


def settings_table() -> str:
    rows = ["| setting | meaning | default |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | {setting.meaning} | {_defaults(name)} |".replace("|w|", "\\|w\\|") for name, setting in SETTINGS.items()]
    return "\n".join(rows)


def strategies_table() -> str:
    rows = ["| name | what for | answers | options (default) |", "| --- | --- | --- | --- |"]
    for name, entry in STRATEGIES.items():
        answers = "grades" if entry.asks_grades else ", ".join(entry.answers)
        options = "; ".join(
            f"`{key}` ({'none' if option.default is None else option.default}): {option.about}" for key, option in entry.options.items()
        )
        rows.append(f"| `{name}` | {entry.about} | {answers} | {options} |")
    return "\n".join(rows)


TABLES = {
    "measures": measures_table, "losses": losses_table, "algorithms": algorithms_table, "settings": settings_table,
    "strategies": strategies_table, "keys": keys_tables,
}  # fmt: skip


def _spoken(command: click.Command, *words: str) -> Iterator[list[str]]:
    """The words of a command, and then those of the commands below it."""
    yield list(words)
    for name, below in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _spoken(below, *words, name)


def commands_page() -> str:
    parts = ["# Commands\n\nThe text of `--help`, as the program prints it. User errors are one line on standard error and exit code 2."]
    for words in _spoken(program):
        shown = CliRunner().invoke(program, [*words, "--help"], prog_name="podium", terminal_width=110).output
        parts.append(f"## {' '.join(['podium', *words])}\n\n```\n{shown.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    """Every page with generated parts, as it should be."""
    found = {HERE / "commands.md": commands_page(), HERE / "algorithms.md": algorithms_page()}
    for name in ("measures", "losses", "learning", "labelling", "experiments"):
        found[HERE / f"{name}.md"] = re.sub(
            r"<!-- generated: (\w+) -->.*?<!-- end -->",
            lambda match: f"<!-- generated: {match[1]} -->\n{TABLES[match[1]]()}\n<!-- end -->",
            (HERE / f"{name}.md").read_text(),
            flags=re.DOTALL,
        )
    return found


if __name__ == "__main__":
    from pictures import pages as pictures

    for path, text in {**pages(), **pictures()}.items():
        path.write_text(text)
        sys.stdout.write(f"{path}\n")
