"""Whether a collection is in place: its files are found and read; what they add up to is decided in :mod:`podium.sources.findings`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from podium.errors import FileError
from podium.sources.catalogue import PARTS, known_as, part_files
from podium.sources.findings import MOST_LABELS, Finding, PartFacts, judge, judge_own
from podium.sources.known_collections import Collection
from podium.sources.letor import read_letor
from podium.sources.streams import Progress, one_after_another
from podium.truth import has_ties

__all__ = ["inspect"]

Layout = Mapping[str, Mapping[str, Path | None]]  # the file of every part of every fold


def inspect(collections: Sequence[Collection], folder: Path, *, own: Sequence[str] = (), progress: Progress | None = None) -> list[Finding]:
    """Look below ``folder`` for each of the known collections, then for the user's ``own``, and read those whose files are all there."""
    wanted: dict[str, Collection | None] = {**{each.name: each for each in collections}, **dict.fromkeys(own)}
    layouts = {name: part_files(folder / name) for name in wanted}
    found = {name: _absent_or_incomplete(name, collection, layouts[name], folder) for name, collection in wanted.items()}
    files = [
        (name, fold, part, path)
        for name, finding in found.items() if finding is None
        for fold, parts in layouts[name].items()
        for part, path in parts.items() if path
    ]  # fmt: skip
    facts: dict[str, list[PartFacts]] = {}
    unreadable: dict[str, list[str]] = {}
    steps = one_after_another([path for *_, path in files], progress)
    for (name, fold, part, _), (path, advance) in zip(files, steps, strict=True):
        try:
            facts.setdefault(name, []).append(_part_facts(fold, part, path, advance, is_known=wanted[name] is not None))
        except FileError as error:
            unreadable.setdefault(name, []).append(str(error))
    return [
        found[name]
        or (Finding(name, collection, "wrong", tuple(unreadable[name])) if name in unreadable else None)
        or (judge_own(name, facts[name]) if collection is None else judge(collection, facts[name]))
        for name, collection in wanted.items()
    ]


def _part_facts(fold: str, part: str, path: Path, progress: Progress | None, *, is_known: bool) -> PartFacts:
    data = read_letor(path, progress=progress)
    labels = tuple(np.unique(data.labels)[:MOST_LABELS].tolist())
    tied = int(has_ties(data.labels, data.offsets).sum())
    sizes = dict(zip(data.query_ids, data.sizes.tolist(), strict=True))
    known = known_as(path) if is_known else None
    return PartFacts(fold, part, frozenset(sizes), data.n_rows, data.n_features, labels, tied, known, sizes)


# ---- which files there are ----


def _absent_or_incomplete(name: str, collection: Collection | None, layout: Layout, folder: Path) -> Finding | None:
    """What is wrong with the files that are there; None if they can be read."""
    if not (folder / name).is_dir():
        return Finding(name, collection, "absent")
    if collection is None and not layout:
        return Finding(name, None, "wrong", (f"{name}: has no folders Fold1, Fold2, …; expected FoldN/{{train,vali,test}}.txt",))
    expected = list(layout) if collection is None else [f"Fold{number}" for number in range(1, collection.folds + 1)]
    extra = [fold for fold in layout if fold not in expected]  # if it is not whole, it cannot be read either
    missing = _missing([*expected, *extra], layout)
    if not missing:
        return None
    gone = f"{', '.join(missing[:3])}{f' and {len(missing) - 3} more' if len(missing) > 3 else ''}"
    count = (len(expected) + len(extra)) * len(PARTS)
    odd = f"; it has {len(expected)} folds, and {extra[0]} is not one of them: move it away" if extra else ""
    problem = f"{name}: {len(missing)} of {count} files {'is' if len(missing) == 1 else 'are'} missing: {gone}{odd}"
    files = sum(path is not None for parts in layout.values() for path in parts.values())
    return Finding(name, collection, "incomplete", (problem,), files=files)


def _missing(folds: Iterable[str], layout: Layout) -> list[str]:
    """The parts that are not there, as Fold1/vali.txt."""
    return [f"{fold}/{part}.txt" for fold in folds for part in PARTS if layout.get(fold, {}).get(part) is None]
