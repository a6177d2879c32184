"""``podium data``: look after benchmark collections."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import json_option, print_json, progress_bar, say_if_compiling
from podium.errors import FileError, UnknownName

if TYPE_CHECKING:
    from podium.sources.inspection import Finding

__all__ = ["data"]


@click.group(epilog="Example: podium data check build/data")
def data() -> None:
    """Look after benchmark collections."""


@data.command(epilog="Examples: podium data check build/data   |   podium data check build/data TD2003 MQ2007-list")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("names", metavar="[NAME]...", nargs=-1)
@json_option
@click.pass_context
def check(context: click.Context, folder: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Look below DIR for the collections of the papers, and check files, folds, counts and labels of those that are there.

    A collection NAME is kept as DIR/NAME/FoldN/{train,vali,test}.txt (LETOR 2.0: also DIR/NAME/Data/FoldN/trainingset.txt and so on).
    With names, only those are looked for, and one that is absent is an error.
    """
    from podium.sources.catalogue import has_folds
    from podium.sources.inspection import inspect
    from podium.sources.known_collections import COLLECTIONS

    for name in names:
        if name not in COLLECTIONS:
            raise UnknownName("collection", name, COLLECTIONS)
    if not folder.is_dir():
        raise FileError(folder, None, "there is no such folder")
    if has_folds(folder):
        raise FileError(folder, None, "is a collection itself; give the folder above it")
    say_if_compiling()
    with progress_bar("reading") as progress:
        findings = inspect([COLLECTIONS[name] for name in dict.fromkeys(names) or COLLECTIONS], folder, progress=progress)
    if as_json:
        print_json([as_dictionary(finding) for finding in findings])
    else:
        click.echo(as_table(findings))
    errors = [problem for finding in findings for problem in _errors(finding, is_named=bool(names))]
    for error in errors:
        click.echo(f"podium: {error}", err=True)
    if errors:
        context.exit(2)


def _errors(finding: Finding, *, is_named: bool) -> tuple[str, ...]:
    if finding.status == "absent" and is_named:
        return (f"{finding.collection.name}: is not there; get it from {finding.collection.published}",)
    return finding.problems


def as_table(findings: list[Finding]) -> str:
    """What was found, then where to get what is absent."""
    from podium.reports.text import text_table

    head = ["collection", "status", "labels", "for", "queries", "documents", "features", "files as published"]
    parts = [text_table(head, [_row(finding) for finding in findings], left=4)]
    absent = [finding.collection for finding in findings if finding.status == "absent"]
    if absent:
        parts.append("\n".join(["Absent ones are published by:", *(f"  {each.name}: {each.published}" for each in absent)]))
    changed = [each for each in findings if each.status == "present" and each.as_published not in (None, each.files)]
    parts += [f"{each.collection.name}: counts are right, but not all files are byte for byte the published ones." for each in changed]
    return "\n\n".join(parts)


def _row(finding: Finding) -> list[str]:
    collection = finding.collection
    said = [collection.name, finding.status]
    serves = "; ".join(collection.serves)
    if not finding.queries:  # nothing was read
        return [*said, "–", serves, "–", "–", "–", "–"]
    labels = " ".join(f"{label:g}" for label in finding.labels) if collection.grades else collection.truth
    published = "unknown" if finding.as_published is None else f"{finding.as_published} of {finding.files}"
    return [*said, labels, serves, f"{finding.queries:,}", f"{finding.documents:,}", str(finding.features), published]


def as_dictionary(finding: Finding) -> dict[str, Any]:
    """The same for programs, with what was expected."""
    collection = finding.collection
    return {
        "collection": collection.name,
        "title": collection.title,
        "status": finding.status,
        "problems": finding.problems,
        "queries": finding.queries,
        "documents": finding.documents,
        "features": finding.features,
        "labels": finding.labels if collection.grades else collection.truth,
        "files": finding.files,
        "files_as_published": finding.as_published,
        "expected": {
            "folds": collection.folds,
            "queries": str(collection.queries),
            "documents": str(collection.documents),
            "features": collection.features,
            "labels": collection.truth,
        },
        "serves": collection.serves,
        "published": collection.published,
    }
