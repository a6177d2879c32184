"""``podium describe``: what a collection holds."""

from __future__ import annotations

from pathlib import Path

import click

from podium.cli.console import json_option, load, print_json

__all__ = ["describe"]

_MOST_NAMES = 12


@click.command(epilog="Example: podium describe Fold1/train.txt")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def describe(files: tuple[Path, ...], as_json: bool) -> None:
    """Say what FILES hold: queries, documents, labels, constant features, duplicates. Several LETOR files are read as one."""
    from podium.sources import format_of
    from podium.sources.catalogue import known_as
    from podium.summary import summarise

    data = load(files)
    facts = summarise(data)
    known = known_as(files[0]) if len(files) == 1 and format_of(files[0]) == "letor" else None
    if as_json:
        print_json({**facts.as_dict(), "known_as": known})
        return
    spread = facts.documents_per_query
    lines = [
        ("queries", f"{facts.queries:,}"),
        ("documents", f"{facts.documents:,}  ({spread['least']:g} to {spread['most']:g} a query, median {spread['median']:g})"),
        ("features", f"{facts.features:,}"),
        ("labels", ", ".join(f"{label}: {count:,}" for label, count in facts.labels.items())),
        ("truth", facts.truth),
        ("queries without a relevant document", f"{facts.blank_queries:,}"),
        ("queries whose labels are all equal", f"{facts.undecided_queries:,}"),
        ("missing values", f"{facts.missing_values:,}"),
        ("features constant everywhere", _names(facts.constant_features)),
        ("features constant within each query", _names(facts.constant_within_queries)),
        ("documents with the features of another", f"{facts.duplicate_documents:,}"),
        ("documents with the id of another", f"{facts.duplicate_ids:,}"),
    ]
    if known:
        lines.insert(0, ("known as", known))
    width = max(len(name) for name, _ in lines)
    click.echo("\n".join(f"{name.ljust(width)}  {value}" for name, value in lines))


def _names(names: list[str]) -> str:
    if not names:
        return "none"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"
