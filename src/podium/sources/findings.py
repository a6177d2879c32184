"""What the files of a collection add up to: whether a known one is as published, and whether rankers can be measured on one's own.

Everything is decided from a :class:`PartFacts` a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import final

from podium.sources.catalogue import PARTS, known_titles
from podium.sources.known_collections import Collection

__all__ = ["MOST_LABELS", "Finding", "PartFacts", "judge", "judge_own", "some_labels"]

MOST_LABELS = 20  # distinct labels that are kept; more cannot be grades
_SHOWN_LABELS = 6


@final
@dataclass(frozen=True)
class PartFacts:
    """What one file holds."""

    fold: str
    part: str
    queries: frozenset[str]
    documents: int
    features: int
    labels: tuple[float, ...]  # distinct ones, at most MOST_LABELS of them
    tied_queries: int  # with two documents of the same label
    known: str | None = None  # what the file is by its checksum
    sizes: Mapping[str, int] = field(default_factory=dict)  # documents of each query


@final
@dataclass(frozen=True)
class Finding:
    """What is there of one collection. ``status``: present, incomplete, absent or wrong."""

    name: str
    collection: Collection | None  # what it should be; None: nobody but its owner knows
    status: str
    problems: tuple[str, ...] = ()
    queries: int = 0
    documents: int = 0
    features: int = 0
    labels: tuple[float, ...] = field(default=())
    files: int = 0
    as_published: int | None = None  # files that are byte for byte the published ones; None: no checksums are known
    parts: tuple[PartFacts, ...] = ()
    remarks: tuple[str, ...] = ()  # what is worth knowing, and not wrong

    @property
    def is_right(self) -> bool:
        return self.status in ("present", "absent")


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
        collection.name,
        collection,
        "wrong" if problems else "present",
        tuple(problems),
        queries=len(_all_queries(parts)),
        documents=sum(part.documents for part in first.values()),
        features=max(part.features for part in parts),
        labels=_labels_of(parts),
        files=len(parts),
        as_published=_as_published(collection, parts),
        parts=tuple(parts),
    )


def judge_own(name: str, parts: Sequence[PartFacts]) -> Finding:
    """What the files of a collection add up to of which nobody has printed how many queries and documents it has."""
    folds = _by_fold(parts)
    problems = tuple(f"{name}{problem}" for problem in (*_overlaps(folds), *_tested_twice(folds)))
    widths = {part.features for part in parts}
    sizes = {query: size for part in parts for query, size in part.sizes.items()}
    return Finding(
        name,
        None,
        "wrong" if problems else "present",
        problems,
        queries=len(_all_queries(parts)),
        documents=sum(sizes.values()),
        features=max(widths),
        labels=_labels_of(parts),
        files=len(parts),
        parts=tuple(parts),
        remarks=_narrower(name, min(widths), max(widths)),
    )


def _narrower(name: str, least: int, most: int) -> tuple[str, ...]:
    """Text leaves features out that are 0, so this alone is no mistake."""
    return () if least == most else (f"{name}: its parts have {least} to {most} features; experiments take those left out for 0.",)


def _by_fold(parts: Iterable[PartFacts]) -> dict[str, dict[str, PartFacts]]:
    folds: dict[str, dict[str, PartFacts]] = {}
    for part in parts:
        folds.setdefault(part.fold, {})[part.part] = part
    return folds


def _all_queries(parts: Iterable[PartFacts]) -> frozenset[str]:
    return frozenset().union(*(part.queries for part in parts))


def _extra_folds(collection: Collection, folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    return [f": has {_counted(len(folds), 'fold', 'folds')}, expected {collection.folds}"] if len(folds) != collection.folds else []


def _overlaps(folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    """No query may be in two parts of a fold: a ranker would be measured on what it learnt."""
    return [
        f"/{fold}: {_some(both)} in both {one} and {other}"
        for fold, parts in folds.items()
        for one, other in combinations(PARTS, 2)
        if (both := parts[one].queries & parts[other].queries)
    ]


def _tested_twice(folds: dict[str, dict[str, PartFacts]]) -> list[str]:
    """No query may be tested in two folds: it would count as two."""
    return [
        f": {_some(both)} in test of both {one} and {other}"
        for one, other in combinations(folds, 2)
        if (both := folds[one]["test"].queries & folds[other]["test"].queries)
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
            (len(_all_queries(parts.values())), collection.queries, ("query", "queries")),
            (sum(part.documents for part in parts.values()), collection.documents, ("document", "documents")),
        )
        found += [f"/{fold}: has {_counted(number, *words)}, expected {count}" for number, count, words in counted if number not in count]
    features = max(part.features for parts in folds.values() for part in parts.values())
    return [
        *found,
        *(
            []
            if features == collection.features
            else [f": has {_counted(features, 'feature', 'features')}, expected {collection.features}"]
        ),
    ]


def _labels_of(parts: Iterable[PartFacts]) -> tuple[float, ...]:
    return tuple(sorted({label for part in parts for label in part.labels})[:MOST_LABELS])


def some_labels(labels: Sequence[float], between: str = ", ") -> str:
    """The first few of the labels.

    >>> some_labels((0.0, 1.0, 2.5)), some_labels(range(1, 9), " ")
    ('0, 1, 2.5', '1 2 3 4 5 6 …')
    """
    return between.join([*(f"{label:g}" for label in labels[:_SHOWN_LABELS]), *(["…"] if len(labels) > _SHOWN_LABELS else [])])


def _labels(collection: Collection, parts: Sequence[PartFacts]) -> list[str]:
    if collection.grades:
        labels = _labels_of(parts)
        return [] if labels == collection.grades else [f": has the labels {some_labels(labels)}, expected {collection.truth}"]
    return [
        f"/{part.fold}: {_counted(part.tied_queries, 'query', 'queries')} of {part.part}.txt "
        f"{'has' if part.tied_queries == 1 else 'have'} two documents of the same label, expected {collection.truth}"
        for part in parts
        if part.tied_queries
    ]


def _as_published(collection: Collection, parts: Sequence[PartFacts]) -> int | None:
    if collection.title not in known_titles():
        return None
    return sum(part.known is not None and part.known.startswith(f"{collection.title},") for part in parts)


def _some(queries: frozenset[str]) -> str:
    return f"{_counted(len(queries), 'query', 'queries')} (such as {min(queries)!r}) {'is' if len(queries) == 1 else 'are'}"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
