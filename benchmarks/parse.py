"""Reading LETOR text: from the file as it is, from its slices, compressed, and from our folder on disk; and the memory it takes."""

from __future__ import annotations

import gzip
import math
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import podium
from benchmarks import letor_text, memory
from benchmarks.timing import (
    Call,
    Contender,
    Report,
    Table,
    Target,
    Timing,
    as_time,
    best_of_each,
    by_threads,
    is_installed,
    progress,
    quiet,
    ratio,
)
from podium.sources.mapped import convert_letor, read_mapped

__all__ = ["run"]

_BLOCK = 8 << 20
_PATIENCE = 180.0  # seconds that scikit-learn may be expected to take on the whole file


def _raw_read(path: Path) -> Call:
    return lambda: _drain(path.open("rb", buffering=0))


def _gunzip(path: Path) -> Call:
    return lambda: _drain(gzip.open(path, "rb"))


def _drain(stream: Any) -> None:
    room = bytearray(_BLOCK)
    with stream:
        while stream.readinto(room):
            pass


def _podium(path: Path) -> Call:
    return lambda: podium.read_letor(path)


def _xgboost(path: Path) -> Call:
    import xgboost

    return lambda: xgboost.DMatrix(f"{path}?format=libsvm", silent=True)


def _sklearn(path: Path) -> Call:
    from sklearn.datasets import load_svmlight_file

    return lambda: load_svmlight_file(str(path), query_id=True)


def _sklearn_without_ids(path: Path) -> Call:
    from sklearn.datasets import load_svmlight_file

    return lambda: load_svmlight_file(str(path))


def _convert(path: Path) -> Call:
    return lambda: convert_letor([path], _folder_of(path))


def _reopen(path: Path) -> Call:
    return lambda: read_mapped(_folder_of(path))


def _reopen_and_touch(path: Path) -> Call:
    return lambda: read_mapped(_folder_of(path)).features.sum()


def _xgboost_reopen(path: Path) -> Call:
    import xgboost

    binary = path.with_suffix(".buffer")
    xgboost.DMatrix(f"{path}?format=libsvm", silent=True).save_binary(str(binary))
    return lambda: xgboost.DMatrix(str(binary), silent=True)


def _folder_of(path: Path) -> Path:
    return path.with_suffix(".podium")


_OURS = "podium.read_letor"
_SKLEARN_NOTE = "leaves out: document ids, comments; sparse float64"
_RAW = Contender("raw read", _raw_read, "the physical limit: bytes into a buffer, nothing understood")
_READ = Contender(_OURS, _podium, "features, labels, queries, document ids, notes")
_XGBOOST = Contender("XGBoost DMatrix", _xgboost, "leaves out: document ids, comments, query names; deprecated since 3.1", "xgboost")
_SKLEARN = [
    Contender("scikit-learn, query ids", _sklearn, _SKLEARN_NOTE, "sklearn", repeats=2, is_warmed=False),
    Contender("scikit-learn, no query ids", _sklearn_without_ids, f"{_SKLEARN_NOTE}; no queries", "sklearn", repeats=2, is_warmed=False),
]
_PACKED = [
    Contender("gzip alone", _gunzip, "decompressing into a buffer, nothing understood", repeats=3),
    Contender("podium.read_letor, .gz", _podium, "decompressing and reading", repeats=3),
]
_FOLDER = [
    _READ,
    Contender("podium convert_letor", _convert, "text to a folder on disk; the text is read twice", repeats=3),
    Contender("podium read_mapped", _reopen, "opens that folder; arrays are mapped, not read"),
    Contender("podium read_mapped + sum", _reopen_and_touch, "opens it and adds up every feature"),
    Contender("XGBoost binary buffer", _xgboost_reopen, "reads what DMatrix.save_binary wrote; leaves out as above", "xgboost"),
]


def run(quick: bool) -> Report:
    folder = Path(tempfile.mkdtemp(prefix="podium-bench-"))
    try:
        return _run_in(folder, *((20_000_000, (1_000_000, 4_000_000)) if quick else (200_000_000, (8_000_000, 32_000_000))))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_in(folder: Path, size: int, slice_sizes: tuple[int, int]) -> Report:
    progress(f"parse: writing {size / 1e6:g} MB of LETOR text")
    whole, slices = folder / "whole.txt", [folder / f"first-{number}.txt" for number in slice_sizes]
    letor_text.write_sample(whole, size)
    for path, bytes_wanted in zip(slices, slice_sizes, strict=True):
        letor_text.cut_head(whole, path, bytes_wanted)
    agreements = _agreements(whole, slices[0])
    on_slices = [best_of_each([_READ, *_SKLEARN], path) for path in slices]
    bearable = _bearable(on_slices[1], _mb(whole) / _mb(slices[1]))
    on_whole = best_of_each([_RAW, _READ, _XGBOOST, *bearable], whole)
    growths = _growths(slices[0], whole)
    tables = [
        _rates(f"Whole file, {_mb(whole):.0f} MB", on_whole, whole),
        *(_rates(f"First {_mb(path):.1f} MB of it", timings, path) for path, timings in zip(slices, on_slices, strict=True)),
        _threads(whole),
        _packed(whole),
        _folder(whole),
        _memory_table(growths),
    ]
    facts = [
        f"{_mb(whole):.0f} MB, {letor_text.N_FEATURES} dense features with 6 decimals, about 500 documents a query; in the page cache.",
        "Best of 5 turns, the second of two runs in each. scikit-learn: best of 2 on slices, once on the whole file, nothing discarded;",
        "with query ids it slows down with the number of rows, so a slice flatters it.",
    ]
    return Report("parse", facts, tables, agreements, _targets(on_whole, on_slices[1], growths))


def _bearable(on_slice: Sequence[Timing], times_larger: float) -> list[Contender]:
    """Which of scikit-learn's ways to run once on the whole file.

    With query ids it copies all earlier ids for every row, so what they cost beyond the rest grows with the square of the rows.
    """
    with_ids, without = (_seconds(on_slice, contender.name) for contender in _SKLEARN)
    if with_ids is None or without is None:
        return list(_SKLEARN)
    expected = (without * times_larger + max(0.0, with_ids - without) * times_larger**2, without * times_larger)
    return [replace(each, repeats=1) for each, seconds in zip(_SKLEARN, expected, strict=True) if seconds < _PATIENCE]


def _mb(path: Path) -> float:
    return path.stat().st_size / 1e6


def _seconds(timings: Sequence[Timing], name: str) -> float | None:
    return next((timing.best for timing in timings if timing.name == name), None)


def _rates(title: str, timings: Sequence[Timing], path: Path) -> Table:
    ours = _seconds(timings, _OURS)
    rows = [
        (each.name, as_time(each.best), ratio(_mb(path), each.best), ratio(each.best, ours), each.absent or each.note) for each in timings
    ]
    return Table(title, ("reader", "time", "MB/s", "read_letor is faster, x", "note"), rows)


def _folder(path: Path) -> Table:
    timings = best_of_each(_FOLDER, path)
    ours = _seconds(timings, _OURS)
    rows = [(each.name, as_time(each.best), ratio(ours, each.best), each.absent or each.note) for each in timings]
    return Table(f"To disk and back, {_mb(path):.0f} MB of text", ("what", "time", "faster than read_letor, x", "note"), rows)


def _threads(path: Path) -> Table:
    progress("threads")
    seconds = by_threads(_podium(path), repeats=3)
    rows = [(f"{count}", as_time(best), ratio(seconds[1], best)) for count, best in seconds.items()]
    return Table("podium.read_letor by threads", ("threads", "time", "faster than one, x"), rows)


def _packed(path: Path) -> Table:
    progress("compressing")
    packed = path.with_suffix(".txt.gz")
    with path.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, _BLOCK)
    alone, ours = best_of_each(_PACKED, packed)
    rows = [(each.name, as_time(each.best), ratio(_mb(path), each.best), ratio(each.best, alone.best), each.note) for each in (alone, ours)]
    return Table(f"Compressed to {_mb(packed):.0f} MB (level 1)", ("reader", "time", "MB/s of text", "times gzip alone", "note"), rows)


def _growths(small: Path, big: Path) -> dict[str, memory.Growth | str]:
    found: dict[str, memory.Growth | str] = {}
    for reader in memory.READERS:
        progress(f"peak memory of {reader}")
        try:
            found[reader] = memory.grow(reader, small, big) if is_installed(reader) else "not installed"
        except RuntimeError as error:
            found[reader] = str(error)
    return found


def _memory_table(growths: dict[str, memory.Growth | str]) -> Table:
    ours = growths["podium"]
    rows: list[tuple[Any, ...]] = []
    for reader, growth in growths.items():
        if isinstance(growth, str) or isinstance(ours, str):
            rows.append((reader, None, None, None, str(growth)))
        else:
            rows.append((reader, growth.over_use / 1e6, growth.over_use / ours.arrays, growth.over_use / ours.over_use, ""))
    title = "Peak memory of reading the whole file, over what was in use before" + (
        "" if isinstance(ours, str) else f"; podium's arrays have {ours.arrays / 1e6:.0f} MB"
    )
    return Table(title, ("reader", "MB", "times podium's arrays", "times podium's peak", "note"), rows)


def _targets(on_whole: Sequence[Timing], on_slice: Sequence[Timing], growths: dict[str, memory.Growth | str]) -> list[Target]:
    where, timings = ("whole file", on_whole) if _seconds(on_whole, _SKLEARN[0].name) else ("larger slice", on_slice)
    growth = growths["podium"]
    peak = None if isinstance(growth, str) else growth.over_use / growth.arrays
    return [
        Target("read_letor against XGBoost, whole file", _faster_than(_XGBOOST, on_whole), 3, "at least"),
        Target(f"read_letor against scikit-learn with query ids, {where}", _faster_than(_SKLEARN[0], timings), 100, "at least"),
        Target("peak memory of read_letor, times its arrays", peak, 2, "at most"),
    ]


def _faster_than(contender: Contender, timings: Sequence[Timing]) -> float | None:
    return ratio(_seconds(timings, contender.name), _seconds(timings, _OURS))


def _agreements(whole: Path, part: Path) -> list[Target]:
    """Differences between what we read and what the others read, as float32; a different shape counts as infinite."""
    progress("comparing what was read")
    found: list[tuple[str, float | None]] = []
    if is_installed("sklearn"):
        features, labels, queries = _result(_sklearn(part))
        ours = podium.read_letor(part)
        our_queries = np.repeat(np.array(ours.query_ids.tolist(), dtype=np.int64), np.diff(ours.offsets))
        found += [
            ("features, scikit-learn, smaller slice", _difference(ours.features, features.toarray().astype(np.float32))),
            ("labels, scikit-learn, smaller slice", _difference(ours.labels, labels)),
            ("query of each row, scikit-learn, smaller slice", _difference(our_queries, queries)),
        ]
    if is_installed("xgboost"):
        found += _agreement_with_xgboost(whole)
    return [Target(claim, difference, 1e-7, "at most", "") for claim, difference in found]


def _agreement_with_xgboost(whole: Path) -> list[tuple[str, float | None]]:
    try:
        matrix = _result(_xgboost(whole))
    except Exception as error:  # a later XGBoost may read no text at all; the tables say so too
        progress(f"XGBoost could not read the file: {error}")
        return [("features, XGBoost, whole file", None)]
    ours = podium.read_letor(whole)
    features = matrix.get_data().toarray()[:, 1:]  # it counts features from 0
    return [
        ("features, XGBoost, whole file", _difference(ours.features, features)),
        ("labels, XGBoost, whole file", _difference(ours.labels, matrix.get_label())),
        ("offsets, XGBoost, whole file", _difference(ours.offsets, matrix.get_uint_info("group_ptr"))),
    ]


def _result(call: Call) -> Any:
    with quiet():
        return call()


def _difference(ours: Any, theirs: Any) -> float:
    if ours.shape != theirs.shape:
        return math.inf
    return float(np.abs(ours - theirs.astype(ours.dtype)).max())
