"""``podium algorithms``: what can be trained, and how it can be set."""

from __future__ import annotations

from typing import Any

import click

from podium.cli.console import json_option, print_json

__all__ = ["algorithms"]


@click.command(epilog="Examples: podium algorithms   |   podium algorithms focused-net")
@click.argument("name", required=False)
@json_option
def algorithms(name: str | None, as_json: bool) -> None:
    """List every algorithm with its paper, loss and settings; with NAME, say what its settings mean."""
    from podium.algorithms import ALGORITHMS, get

    names = list(ALGORITHMS) if name is None else [name]
    facts = {each: _facts(each, get(each)) for each in names}
    if as_json:
        print_json(facts)
    elif name is None:
        click.echo(_overview(facts))
    else:
        click.echo(_details(name, facts[name]))


def _facts(name: str, algorithm: Any) -> dict[str, Any]:
    from podium.algorithms import TRAINERS

    return {
        "meaning": algorithm.meaning,
        "paper": algorithm.paper,
        "loss": algorithm.loss,
        "model": TRAINERS[algorithm.trainer].meaning,
        "settings": algorithm.settings,
        "grids": {preset: dict(grid) for preset, grid in algorithm.grids.items()},
    }


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _overview(facts: dict[str, dict[str, Any]]) -> str:
    from podium.algorithms import TRAINERS
    from podium.reports.text import text_table

    rows = []
    for name, fact in facts.items():
        own = {key: value for key, value in fact["settings"].items() if key not in TRAINERS["smooth"].defaults}
        rows.append([name, fact["meaning"], fact["loss"], " ".join(f"{key}={_shown(value)}" for key, value in own.items()), fact["paper"]])
    shared = sorted(set.intersection(*({*fact["settings"]} for fact in facts.values())))
    return (
        text_table(["algorithm", "meaning", "loss", "settings", "source"], rows, left=5)
        + f"\n\nAll of them also have {', '.join(shared)}.\nWhat settings mean: podium algorithms NAME"
    )


def _details(name: str, fact: dict[str, Any]) -> str:
    from podium.algorithms import SETTINGS
    from podium.reports.text import text_table

    settings = [[key, _shown(value), SETTINGS[key].meaning] for key, value in fact["settings"].items()]
    grids = [
        [preset, "; ".join(f"{key} {' '.join(map(_shown, values))}" for key, values in grid.items())]
        for preset, grid in fact["grids"].items()
    ]
    head = f"{name}: {fact['meaning']} ({fact['paper']}); loss {fact['loss']}, {fact['model']} model"
    return "\n\n".join(
        [head, text_table(["setting", "default", "meaning"], settings, left=3), text_table(["grid", "values"], grids, left=2)]
    )
