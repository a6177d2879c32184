"""Write the generated parts of the documentation: `make docs`. A test fails when they are not what this would write."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from podium.cli import COMMANDS, program
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


def commands_page() -> str:
    parts = ["# Commands\n\nThe text of `--help`, as the program prints it. User errors are one line on standard error and exit code 2."]
    for command in (program, *COMMANDS):
        name = "podium" if command is program else f"podium {command.name}"
        context = click.Context(command, info_name=name, max_content_width=110, terminal_width=110)
        parts.append(f"## {name}\n\n```\n{command.get_help(context)}\n```")
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    """Every page with generated parts, as it should be."""
    measures = (HERE / "measures.md").read_text()
    part = f"<!-- generated: measures -->\n{measures_table()}\n<!-- end -->"
    filled = re.sub(r"<!-- generated: measures -->.*?<!-- end -->", lambda _: part, measures, flags=re.DOTALL)
    return {HERE / "measures.md": filled, HERE / "commands.md": commands_page()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
        sys.stdout.write(f"{path}\n")
