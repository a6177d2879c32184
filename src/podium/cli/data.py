"""``podium data``: look after collections, those of the papers and one's own."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import json_option, print_json, progress_bar, say_if_compiling
from podium.errors import FileError

if TYPE_CHECKING:
    from podium.sources.findings import Finding
    from podium.sources.known_collections import Collection

__all__ = ["data"]

_OWN = "own collection"


@click.group(epilog="Example: podium data check build/data")
def data() -> None:
    """Look after collections, those of the papers and your own."""


@data.command(
    epilog="Examples: podium data check build/data   |   podium data check build/data TD2003 MyShop   |   podium data check MyShop"
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("names", metavar="[NAME]...", nargs=-1)
@json_option
@click.pass_context
def check(context: click.Context, folder: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Look below DIR for collections, those of the papers and your own, and check files, folds, counts and labels of those that are there.

    A collection NAME is kept as DIR/NAME/FoldN/{train,vali,test}.txt (LETOR 2.0: also DIR/NAME/Data/FoldN/trainingset.txt and so on).
    With names, only those are looked for, and one that is absent is an error. DIR may be a collection itself.
    """
    from podium.sources.catalogue import has_folds
    from podium.sources.inspection import inspect

    if not folder.is_dir():
        raise FileError(folder, None, "there is no such folder")
    if has_folds(folder):
        if names:
            raise FileError(folder, None, "is a collection itself; give no names, or the folder above it")
        folder, names = folder.absolute().parent, (folder.absolute().name,)
    known, own = _wanted(folder, names)
    say_if_compiling()
    with progress_bar("reading") as progress:
        findings = inspect(known, folder, own=own, progress=progress)
    if as_json:
        print_json([as_dictionary(finding) for finding in findings])
    else:
        click.echo(as_table(findings))
    errors = [problem for finding in findings for problem in _errors(finding, is_named=bool(names))]
    for error in errors:
        click.echo(f"podium: {error}", err=True)
    if errors:
        context.exit(2)


def _wanted(folder: Path, names: tuple[str, ...]) -> tuple[list[Collection], list[str]]:
    """The known collections to look for, and the names of the user's own; without names, every one there is."""
    from podium.sources.catalogue import collections_below
    from podium.sources.known_collections import COLLECTIONS

    if not names:
        return list(COLLECTIONS.values()), [name for name in collections_below(folder) if name not in COLLECTIONS]
    tidy = list(dict.fromkeys(Path(name).as_posix() for name in names))  # a shell may complete them with a slash
    for name in tidy:
        if name not in COLLECTIONS and not (folder / name).is_dir():
            there = collections_below(folder)
            close = get_close_matches(name, [*COLLECTIONS, *there], n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise FileError(folder / name, None, f"there is no such folder; {hint}collections there: {', '.join(there) or 'none'}")
    return [COLLECTIONS[name] for name in tidy if name in COLLECTIONS], [name for name in tidy if name not in COLLECTIONS]


def _errors(finding: Finding, *, is_named: bool) -> tuple[str, ...]:
    if finding.status == "absent" and is_named and finding.collection is not None:
        return (f"{finding.name}: is not there; get it from {finding.collection.published}",)
    return finding.problems


def as_table(findings: list[Finding]) -> str:
    """What was found, the parts of own collections one by one, then where to get what is absent."""
    from podium.reports.text import text_table

    head = ["collection", "status", "labels", "for", "queries", "documents", "features", "files as published"]
    parts = [text_table(head, [_row(finding) for finding in findings], left=4)]
    parts += [_parts_table(finding) for finding in findings if finding.collection is None and finding.parts]
    parts += [remark for finding in findings for remark in finding.remarks]
    absent = [finding.collection for finding in findings if finding.collection is not None and finding.status == "absent"]
    if absent:
        parts.append("\n".join(["Absent ones are published by:", *(f"  {each.name}: {each.published}" for each in absent)]))
    changed = [each for each in findings if each.status == "present" and each.as_published not in (None, each.files)]
    parts += [f"{each.name}: counts are right, but not all files are byte for byte the published ones." for each in changed]
    return "\n\n".join(parts)


def _row(finding: Finding) -> list[str]:
    from podium.sources.findings import some_labels

    collection = finding.collection
    said = [finding.name, finding.status]
    serves = "; ".join(collection.serves) if collection else _OWN
    if not finding.queries:  # nothing was read
        return [*said, "–", serves, "–", "–", "–", "–"]
    labels = collection.truth if collection and not collection.grades else some_labels(finding.labels, " ")
    unknown = "unknown" if collection else "–"
    published = unknown if finding.as_published is None else f"{finding.as_published} of {finding.files}"
    return [*said, labels, serves, f"{finding.queries:,}", f"{finding.documents:,}", str(finding.features), published]


def _parts_table(finding: Finding) -> str:
    from podium.reports.text import text_table
    from podium.sources.findings import some_labels

    rows = [
        [part.fold, part.part, some_labels(part.labels, " "), f"{len(part.queries):,}", f"{part.documents:,}", str(part.features)]
        for part in finding.parts
    ]
    return f"{finding.name}, {_OWN}:\n" + text_table(["fold", "part", "labels", "queries", "documents", "features"], rows, left=3)


def as_dictionary(finding: Finding) -> dict[str, Any]:
    """The same for programs, with what was expected; of an own collection nothing is."""
    collection = finding.collection
    expected = collection and {
        "folds": collection.folds,
        "queries": str(collection.queries),
        "documents": str(collection.documents),
        "features": collection.features,
        "labels": collection.truth,
    }
    return {
        "collection": finding.name,
        "title": collection.title if collection else _OWN,
        "status": finding.status,
        "problems": finding.problems,
        "remarks": finding.remarks,
        "queries": finding.queries,
        "documents": finding.documents,
        "features": finding.features,
        "labels": collection.truth if collection and not collection.grades else finding.labels,
        "files": finding.files,
        "files_as_published": finding.as_published,
        "parts": [
            {name: getattr(part, name) for name in ("fold", "part", "documents", "features", "labels")} | {"queries": len(part.queries)}
            for part in finding.parts
        ],
        "expected": expected,
        "serves": collection.serves if collection else [],
        "published": collection.published if collection else None,
    }
