"""Write the generated parts of the documentation: `make docs`. A test fails when they are not what this would write."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from click.testing import CliRunner

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
    for words in ([], *([command.name] for command in COMMANDS)):
        shown = CliRunner().invoke(program, [*words, "--help"], prog_name="podium", terminal_width=110).output
        parts.append(f"## {' '.join(['podium', *words])}\n\n```\n{shown.rstrip()}\n```")
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
