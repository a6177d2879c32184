"""The folds of an experiment: read from a folder laid out as LETOR's are, or made up; and a digest of what training can see of them.

LETOR cuts the queries into five parts S1..S5 and turns them: Fold1 trains on S1 S2 S3, validates on S4 and tests on S5, Fold2 has
S2 S3 S4, S5 and S1, and so on. Synthetic collections are cut the same way.
"""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from podium.dataset import Dataset
from podium.errors import DataError, FileError
from podium.experiments.facts import DataSpec, Synthetic
from podium.ragged import Ints, offsets_of
from podium.sorting import rank_rows
from podium.sources.catalogue import PARTS, Fold, has_folds, read_folds
from podium.sources.letor import read_letor
from podium.sources.streams import Progress, one_after_another
from podium.sources.synthetic import synthetic

__all__ = ["FoldData", "digest", "is_there", "load_folds", "missing"]

Mask = NDArray[np.bool_]


@final
@dataclass(frozen=True)
class FoldData:
    """The three parts of one fold, in memory."""

    name: str
    train: Dataset
    vali: Dataset
    test: Dataset


def is_there(spec: DataSpec, folder: Path | None) -> bool:
    """Whether the files that the experiment needs are below ``folder``, as far as their folds show; synthetic data always is.

    A collection of which some parts are missing counts as there: loading it says what is missing, where skipping it would hide that.
    """
    return not missing(spec, folder)


def missing(spec: DataSpec, folder: Path | None) -> str:
    """Which collections of the experiment are not below ``folder``, in few words; empty if none is missing."""
    absent = [name for name in (spec.folder, spec.only_in) if name and (folder is None or not has_folds(folder / name))]
    if not absent:
        return ""
    if folder is None:
        return f"it needs {' and '.join(absent)}; say with --data which folder has it"
    why = "; that is a collection itself: give the folder above it" if has_folds(folder) else ""
    where = f"which {'is' if len(absent) == 1 else 'are'} not in {folder}"
    return f"it needs {' and '.join(absent)}, {where}{why if folder.is_dir() else '; there is no such folder'}"


def load_folds(spec: DataSpec, folder: Path | None, *, progress: Progress | None = None) -> list[FoldData]:
    """The folds that ``spec`` names, all with the same number of features.

    ``only_in`` keeps the documents that the other folder has for the same query, in any of its folds; queries that keep none are left out.
    ``best`` then keeps only this many of the best documents of each query, by the labels given; of equal labels at the edge, those first in
    the file.
    """
    folds = _folds_in_files(spec, folder, progress) if spec.synthetic is None else _synthetic_folds(spec.synthetic, spec.best)
    width = max(part.n_features for fold in folds for part in (fold.train, fold.vali, fold.test))
    return [FoldData(fold.name, fold.train.widen(width), fold.vali.widen(width), fold.test.widen(width)) for fold in folds]


def digest(data: Dataset) -> str:
    """SHA-256, in hex, of what training can see: features, labels, offsets and query ids; the same on any machine.

    Numbers count by value in little-endian form (float32, float64, int64) and every missing feature is the same; document ids and notes
    do not count.

    >>> digest(Dataset.from_arrays([[0.5]], y=[1], qid=["a"]))[:16]
    '6e07570f848b8992'
    """
    found = hashlib.sha256(f"{data.n_queries} {data.n_rows} {data.n_features}\n".encode())
    found.update(_little(_same_missing(data.features), "<f4"))
    found.update(_little(data.labels + 0.0, "<f8"))  # + 0.0: there is no -0
    found.update(_little(data.offsets, "<i8"))
    for query_id in data.query_ids:
        text = query_id.encode()
        found.update(len(text).to_bytes(8, "little") + text)
    return found.hexdigest()


def _little(values: NDArray[np.generic], form: str) -> bytes:
    return np.ascontiguousarray(values, dtype=form).tobytes()


def _same_missing(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """With one bit pattern for missing values and one for zero: machines differ in the sign and the payload of a NaN."""
    tidy = features + np.float32(0)
    tidy[np.isnan(tidy)] = np.float32(np.nan)
    return tidy


# ---- from files ----


def _folds_in_files(spec: DataSpec, folder: Path | None, progress: Progress | None) -> list[FoldData]:
    if not spec.folder:  # our config reader refuses it; a spec made by hand may still come without
        raise DataError("[data] must name a folder or describe a synthetic collection")
    if folder is None or missing(spec, folder):
        files = f"{spec.folder}/Fold1/train.txt, vali.txt, test.txt, {spec.folder}/Fold2/…"
        raise DataError(f"the data is not there: {missing(spec, folder)}; a collection is files such as {files} (see podium data check)")
    folds, others = read_folds(folder / spec.folder), read_folds(folder / spec.only_in) if spec.only_in else []
    paths = [fold.paths[part] for fold in [*others, *folds] for part in PARTS]
    read = (read_letor(path, progress=advance) for path, advance in one_after_another(paths, progress))
    kept: dict[str, set[str]] = {}
    for _ in range(len(others) * len(PARTS)):
        _add_documents(kept, next(read), folder / spec.only_in)
    # each part is cut as soon as it is read: a whole -list collection would fill memory five times over
    found = [FoldData(fold.name, *(_only_best(_only_kept(next(read), kept, fold, spec), spec.best) for _ in PARTS)) for fold in folds]
    for fold in found:
        _check_apart(fold, folder / spec.folder)
    _check_tested_once(found, folder / spec.folder)
    return found


def _check_apart(fold: FoldData, place: Path) -> None:
    """No query may be in two parts of a fold: a ranker would be measured on what it learnt."""
    queries = {part: set(getattr(fold, part).query_ids) for part in PARTS}
    for one, other in itertools.combinations(PARTS, 2):
        both = queries[one] & queries[other]
        if both:
            raise DataError(f"{place / fold.name}: query {min(both)!r} is in both {one} and {other}; a query may be in one part only")


def _check_tested_once(folds: list[FoldData], place: Path) -> None:
    """No query may be a test query of two folds: it would count as two, and differences would look surer than they are."""
    queries = {fold.name: set(fold.test.query_ids) for fold in folds}
    for one, other in itertools.combinations(queries, 2):
        both = queries[one] & queries[other]
        if both:
            raise DataError(
                f"{place}: query {min(both)!r} is in the test parts of both {one} and {other}, and would count twice; leave it in one of "
                "them, or give different queries different ids"
            )


def _add_documents(kept: dict[str, set[str]], data: Dataset, place: Path) -> None:
    """The document ids of each query, added to those known."""
    if data.given_ids is None:
        raise FileError(place, None, "its documents have no ids (#docid = …), so one cannot keep only the documents that it has too")
    ids = data.given_ids.tolist()
    for query_id, begin, end in zip(data.query_ids, data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
        kept.setdefault(query_id, set()).update(ids[begin:end])


def _only_kept(data: Dataset, kept: dict[str, set[str]], fold: Fold, spec: DataSpec) -> Dataset:
    if not spec.only_in:
        return data
    where = f"{spec.folder}, {fold.name}"
    if data.given_ids is None:
        raise DataError(f"{where}: its documents have no ids (#docid = …), so they cannot be looked up in {spec.only_in}")
    is_kept = [document in kept.get(query, ()) for query, document in zip(data.qid.tolist(), data.given_ids.tolist(), strict=True)]
    if not any(is_kept):
        raise DataError(f"{where}: no document is in {spec.only_in} too; are both of the same release?")
    return _only_rows(data, np.array(is_kept))


# ---- made up ----


def _synthetic_folds(spec: Synthetic, best: int) -> list[FoldData]:
    """Queries cut in order into parts S1..SF; each fold begins one part later than the one before it."""
    assert 3 <= spec.folds <= spec.queries, "the config was checked"
    data = _only_best(synthetic(**{name: value for name, value in asdict(spec).items() if name != "folds"}), best)
    parts = np.array_split(np.arange(spec.queries), spec.folds)
    folds = []
    for first in range(spec.folds):
        *train, vali, test = parts[first:] + parts[:first]
        cut = (data.select_queries(queries) for queries in (np.concatenate(train), vali, test))
        folds.append(FoldData(f"Fold{first + 1}", *cut))
    return folds


# ---- fewer documents ----


def _only_best(data: Dataset, best: int) -> Dataset:
    """The best ``best`` documents of each query, in their order; equal labels count in the order of the rows. 0: all."""
    if best < 1 or data.sizes.max(initial=0) <= best:
        return data
    position = np.arange(data.n_rows) - np.repeat(data.offsets[:-1], data.sizes)
    is_best = np.empty(data.n_rows, dtype=np.bool_)
    is_best[rank_rows(data.labels, data.offsets)] = position < best
    return _only_rows(data, is_best)


def _only_rows(data: Dataset, is_kept: Mask) -> Dataset:
    """The rows of a mask, in their order; queries that keep none are left out, and so are notes, which no ranker sees."""
    sizes: Ints = np.bincount(data.query_of_row[is_kept], minlength=data.n_queries)
    return replace(
        data,
        features=data.features[is_kept],
        labels=data.labels[is_kept],
        offsets=offsets_of(sizes[sizes > 0]),
        query_ids=data.query_ids[np.flatnonzero(sizes)],
        given_ids=None if data.given_ids is None else data.given_ids[np.flatnonzero(is_kept)].compact(),
        notes=None,
        input_rows=None,
    )
