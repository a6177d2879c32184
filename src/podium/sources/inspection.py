"""Whether a known collection is in place: its files, how its folds turn, its counts, and whether the bytes are the published ones.

Reading gives a :class:`PartFacts` a file; everything said about a collection is then decided from those facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import final

import numpy as np

from podium.errors import FileError
from podium.sources.catalogue import PARTS, known_as, known_titles, part_files
from podium.sources.known_collections import Collection
from podium.sources.letor import read_letor
from podium.sources.streams import Progress, one_after_another
from podium.truth import has_ties

__all__ = ["Finding", "PartFacts", "inspect", "judge"]

_MOST_LABELS = 20  # distinct labels that are kept; more cannot be grades


@final
@dataclass(frozen=True)
class PartFacts:
    """What one file holds."""

    fold: str
    part: str
    queries: frozenset[str]
    documents: int
    features: int
    labels: tuple[float, ...]  # distinct ones, at most _MOST_LABELS of them
    tied_queries: int  # with two documents of the same label
    known: str | None = None  # what the file is by its checksum


@final
@dataclass(frozen=True)
class Finding:
    """What is there of one collection. ``status``: present, incomplete, absent or wrong."""

    collection: Collection
    status: str
    problems: tuple[str, ...] = ()
    queries: int = 0
    documents: int = 0
    features: int = 0
    labels: tuple[float, ...] = field(default=())
    files: int = 0
    as_published: int | None = None  # files that are byte for byte the published ones; None: no checksums are known

    @property
    def is_right(self) -> bool:
        return self.status in ("present", "absent")


def inspect(collections: Sequence[Collection], folder: Path, *, progress: Progress | None = None) -> list[Finding]:
    """Look below ``folder`` for each of the collections, and read those whose files are all there."""
    layouts = {each.name: part_files(folder / each.name) for each in collections}
    missing = {each.name: _missing(each, layouts[each.name]) for each in collections}
    whole = [each.name for each in collections if layouts[each.name] and not missing[each.name]]
    files = [(name, fold, part, path) for name in whole for fold, parts in layouts[name].items() for part, path in parts.items() if path]
    facts: dict[str, list[PartFacts]] = {}
    unreadable: dict[str, list[str]] = {}
    steps = one_after_another([path for *_, path in files], progress)
    for (name, fold, part, _), (path, advance) in zip(files, steps, strict=True):
        try:
            facts.setdefault(name, []).append(_part_facts(fold, part, path, advance))
        except FileError as error:
            unreadable.setdefault(name, []).append(str(error))
    return [
        _absent_or_incomplete(each, layouts[each.name], missing[each.name], folder)
        or (Finding(each, "wrong", tuple(unreadable[each.name])) if each.name in unreadable else judge(each, facts[each.name]))
        for each in collections
    ]


def _missing(collection: Collection, layout: dict[str, dict[str, Path | None]]) -> list[str]:
    """The parts that are not there, as Fold1/vali.txt; a fold too many that has not all of them cannot be read either."""
    folds = [*_expected(collection), *_too_many(collection, layout)]
    return [f"{fold}/{part}.txt" for fold in folds for part in PARTS if layout.get(fold, {}).get(part) is None]


def _expected(collection: Collection) -> list[str]:
    return [f"Fold{number}" for number in range(1, collection.folds + 1)]


def _too_many(collection: Collection, layout: Iterable[str]) -> list[str]:
    return [fold for fold in layout if fold not in _expected(collection)]


def _absent_or_incomplete(
    collection: Collection, layout: dict[str, dict[str, Path | None]], missing: list[str], folder: Path
) -> Finding | None:
    if not (folder / collection.name).is_dir():
        return Finding(collection, "absent")
    if not missing:
        return None
    here = f"{collection.name}: "
    gone = f"{', '.join(missing[:3])}{f' and {len(missing) - 3} more' if len(missing) > 3 else ''}"
    files = sum(path is not None for parts in layout.values() for path in parts.values())
    extra = _too_many(collection, layout)
    count = (collection.folds + len(extra)) * len(PARTS)
    odd = f"; it has {collection.folds} folds, and {extra[0]} is not one of them: move it away" if extra else ""
    return Finding(collection, "incomplete", (f"{here}{len(missing)} of {count} files are missing: {gone}{odd}",), files=files)


def _part_facts(fold: str, part: str, path: Path, progress: Progress | None) -> PartFacts:
    data = read_letor(path, progress=progress)
    labels = tuple(np.unique(data.labels)[:_MOST_LABELS].tolist())
    tied = int(has_ties(data.labels, data.offsets).sum())
    return PartFacts(fold, part, frozenset(data.query_ids), data.n_rows, data.n_features, labels, tied, known_as(path))


# ---- decided from the facts ----


def judge(collection: Collection, parts: Sequence[PartFacts]) -> Finding:
    """What the files of a complete collection add up to."""
    folds = _by_fold(parts)
    problems = [
        f"{collection.name}{problem}"
        for problem in (
            *_extra_folds(collection, folds),
            *_overlaps(folds),
            *_uncovered(folds),
            *_turns(folds),
            *_counts(collection, folds),
            *_labels(collection, parts),
        )
    ]
    first = next(iter(folds.values()))
    return Finding(
        collection,
        "wrong" if problems else "present",
        tuple(problems),
        queries=len(_all_queries(parts)),
        documents=sum(part.documents for part in first.values()),
        features=max(part.features for part in parts),
        labels=_labels_of(parts),
        files=len(parts),
        as_published=_as_published(collection, parts),
    )


def _by_fold(parts: Iterable[PartFacts]) -> dict[str, dict[str, PartFacts]]:
    folds: dict[str, dict[str, PartFacts]] = {}
    for part in parts:
        folds.setdefault(part.fold, {})[part.part] = part
    return folds


def _all_queries(parts: Iterable[PartFacts]) -> frozenset[str]:
    return frozenset().union(*(part.queries for part in parts))


def _extra_folds(collection: Collection, folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    return [f": has {len(folds)} folds, expected {collection.folds}"] if len(folds) != collection.folds else []


def _overlaps(folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    """No query may be in two parts of a fold: a ranker would be measured on what it learnt."""
    return [
        f"/{fold}: {_some(both)} in both {one} and {other}"
        for fold, parts in folds.items()
        for one, other in combinations(PARTS, 2)
        if (both := parts[one].queries & parts[other].queries)
    ]


def _uncovered(folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    """The parts of every fold together have all queries."""
    everything = _all_queries(part for parts in folds.values() for part in parts.values())
    return [
        f"/{fold}: {_some(left)} in no part of it, but in other folds"
        for fold, parts in folds.items()
        if (left := everything - _all_queries(parts.values()))
    ]


def _turns(folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    """LETOR's rotation: what Fold1 tests on, Fold2 validates on; after the last fold comes the first."""
    names = list(folds)
    return [
        f": the test queries of {name} are not the validation queries of {following}, as LETOR's are"
        for name, following in zip(names, names[1:] + names[:1], strict=True)
        if _held(folds[name]["test"]) != _held(folds[following]["vali"])
    ]


def _held(part: PartFacts) -> tuple[frozenset[str], int]:
    return part.queries, part.documents


def _counts(collection: Collection, folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    found = []
    for fold, parts in folds.items():
        counted = (
            (len(_all_queries(parts.values())), collection.queries, "queries"),
            (sum(part.documents for part in parts.values()), collection.documents, "documents"),
        )
        found += [f"/{fold}: has {number:,} {what}, expected {count}" for number, count, what in counted if number not in count]
    features = max(part.features for parts in folds.values() for part in parts.values())
    return found if features == collection.features else [*found, f": has {features} features, expected {collection.features}"]


def _labels_of(parts: Iterable[PartFacts]) -> tuple[float, ...]:
    return tuple(sorted({label for part in parts for label in part.labels})[:_MOST_LABELS])


def _labels(collection: Collection, parts: Sequence[PartFacts]) -> list[str]:
    if collection.grades:
        labels = _labels_of(parts)
        shown = ", ".join(f"{label:g}" for label in labels[:6]) + (", …" if len(labels) > 6 else "")
        return [] if labels == collection.grades else [f": has the labels {shown}, expected {collection.truth}"]
    return [
        f"/{part.fold}: {part.tied_queries:,} queries of {part.part}.txt have two documents of the same label, expected {collection.truth}"
        for part in parts
        if part.tied_queries
    ]


def _as_published(collection: Collection, parts: Sequence[PartFacts]) -> int | None:
    if collection.title not in known_titles():
        return None
    return sum(part.known is not None and part.known.startswith(f"{collection.title},") for part in parts)


def _some(queries: frozenset[str]) -> str:
    return f"{len(queries):,} {'query is' if len(queries) == 1 else 'queries are'} (such as {min(queries)!r})"
