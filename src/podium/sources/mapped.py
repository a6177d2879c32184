"""Podium's own form on disk: a folder of ``.npy`` files that opens at once, whatever its size.

::

    train.podium/
      podium.json                     format, version, counts; written last
      features.npy                    float32, documents x features
      labels.npy  offsets.npy         float64 per document; int64, one more than queries
      queries.npy                     UTF-8 bytes of all query ids, with query_starts.npy and query_stops.npy
      text.npy                        UTF-8 bytes of document ids and notes, with document_*.npy and note_*.npy (if there are any)
      input_rows.npy                  the source's row numbers (if rows had to be brought together)

Arrays are mapped, not read: pages come in when they are touched, and changes to them stay in memory. Any tool that reads NumPy
files can read the parts. The folder is built beside its place and moved there when it is whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.dataset import Dataset
from podium.errors import DataError, FileError
from podium.ragged import check_offsets
from podium.sources.blocks import blocks
from podium.sources.columns import Columns
from podium.sources.letor import MAX_FEATURES, LetorReader
from podium.sources.letor_kernels import widest_feature
from podium.sources.streams import Progress, one_after_another
from podium.strings import Strings

__all__ = ["convert_letor", "is_mapped", "read_mapped", "write_mapped"]

_CARD = "podium.json"
_FORMAT = {"format": "podium dataset", "version": 1}


def is_mapped(path: str | os.PathLike[str]) -> bool:
    """Whether a path is such a folder."""
    return (Path(path) / _CARD).is_file()


def write_mapped(data: Dataset, folder: str | os.PathLike[str]) -> None:
    """Write a dataset as a folder; an older one of the same name is replaced."""
    with _new_folder(Path(folder)) as scratch:
        _save(scratch, "features", np.ascontiguousarray(data.features))
        _save(scratch, "labels", data.labels)
        given = {"document": data.given_ids, "note": data.notes}
        columns = {name: column.compact() for name, column in given.items() if column is not None}
        shift = 0
        for name, column in columns.items():
            _save(scratch, f"{name}_starts", column.starts + shift)
            _save(scratch, f"{name}_stops", column.stops + shift)
            shift += len(column.buffer)
        if columns:
            _save(scratch, "text", np.concatenate([column.buffer for column in columns.values()]))
        _finish(scratch, data)


def convert_letor(
    paths: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    max_features: int = MAX_FEATURES,
    progress: Progress | None = None,
) -> Dataset:
    """Turn LETOR files of any size into such a folder, and open it. Memory holds a block of text at a time, never the table.

    The files are read twice: first to find the number of features, then to write them.
    """
    files, width = [Path(path) for path in paths], 0
    for file in files:
        for text, end in blocks(file):
            width = max(width, widest_feature(text, 0, end, max_features))
    with _new_folder(Path(folder)) as scratch:
        reader = LetorReader(Columns(scratch), max_features, width)
        for file, advance in one_after_another(files, progress):
            reader.read(file, advance)
        data = reader.dataset()
        unused = [] if data.given_ids is not None else ["text", "document_starts", "document_stops"]
        unused += [] if data.notes is not None else ["note_starts", "note_stops"]
        for name in unused:
            (scratch / f"{name}.npy").unlink(missing_ok=True)
        _finish(scratch, data)
        del data, reader  # their maps must go before the folder moves, on systems that care
    return read_mapped(folder)


def read_mapped(folder: str | os.PathLike[str]) -> Dataset:
    """Open such a folder; nothing is read but the offsets and the query ids."""
    folder = Path(folder)
    card = _read_card(folder)
    rows, queries, width = (card[name] for name in ("documents", "queries", "features"))
    offsets = _open(folder, "offsets", np.int64, (queries + 1,))
    try:
        offsets = check_offsets(offsets, rows)
    except DataError as error:
        raise FileError(folder / "offsets.npy", None, str(error)) from None
    query_ids = _open_strings(folder, "queries", "query", queries)
    try:
        query_ids.tolist()
    except UnicodeDecodeError:
        raise FileError(
            folder / "queries.npy", None, "must hold UTF-8 text at the places that query_starts.npy and query_stops.npy name"
        ) from None
    return Dataset(
        features=_open(folder, "features", np.float32, (rows, width)),
        labels=_open(folder, "labels", np.float64, (rows,)),
        offsets=offsets,
        query_ids=query_ids,
        given_ids=_open_strings(folder, "text", "document", rows) if (folder / "document_starts.npy").exists() else None,
        notes=_open_strings(folder, "text", "note", rows) if (folder / "note_starts.npy").exists() else None,
        given_names=None if card.get("feature_names") is None else tuple(card["feature_names"]),
        input_rows=_open(folder, "input_rows", np.int64, (rows,)) if (folder / "input_rows.npy").exists() else None,
    )


def _finish(scratch: Path, data: Dataset) -> None:
    _save(scratch, "offsets", data.offsets)
    ids = data.query_ids.compact()
    for name, array in (("queries", ids.buffer), ("query_starts", ids.starts), ("query_stops", ids.stops)):
        _save(scratch, name, array)
    if data.input_rows is not None:
        _save(scratch, "input_rows", data.input_rows)
    counts: dict[str, Any] = {"queries": data.n_queries, "documents": data.n_rows, "features": data.n_features}
    if data.given_names is not None:
        counts["feature_names"] = list(data.given_names)
    (scratch / _CARD).write_text(json.dumps({**_FORMAT, **counts}, indent=2) + "\n")


def _save(folder: Path, name: str, array: NDArray[Any]) -> None:
    with (folder / f"{name}.npy").open("wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def _read_card(folder: Path) -> dict[str, Any]:
    if not is_mapped(folder):
        raise FileError(folder, None, f"is not a Podium folder: it has no {_CARD}")
    try:
        card = json.loads((folder / _CARD).read_text())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FileError(folder / _CARD, None, f"is not JSON ({error})") from None
    if not isinstance(card, dict) or any(card.get(key) != value for key, value in _FORMAT.items()):
        raise FileError(folder / _CARD, None, f"must say {json.dumps(_FORMAT)}; was it written by a newer Podium?")
    for name in ("queries", "documents", "features"):
        if not isinstance(card.get(name), int) or card[name] < 0:
            raise FileError(folder / _CARD, None, f"{name} must be a whole number, got {card.get(name)!r}")
    names = card.get("feature_names")
    if names is not None and not (isinstance(names, list) and len(names) == card["features"] and all(isinstance(n, str) for n in names)):
        raise FileError(folder / _CARD, None, f"feature_names must be {card['features']} names")
    return card


def _open(folder: Path, name: str, dtype: Any, shape: tuple[int, ...] | None) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="c", allow_pickle=False).view(np.ndarray)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(path, None, f"cannot be opened as a NumPy array ({error})") from None
    if array.dtype != np.dtype(dtype) or (shape is not None and array.shape != shape):
        raise FileError(path, None, f"must be {np.dtype(dtype)} of shape {shape}, got {array.dtype} of shape {array.shape}")
    return array


def _open_strings(folder: Path, buffer_name: str, name: str, rows: int) -> Strings:
    buffer = _open(folder, buffer_name, np.uint8, None)
    starts, stops = (_open(folder, f"{name}_{edge}", np.int64, (rows,)) for edge in ("starts", "stops"))
    return Strings(buffer, starts, stops)


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill that takes its place when it is whole; of a symbolic link, the place that it names."""
    if folder.exists() and not is_mapped(folder):
        raise FileError(folder, None, "exists and is not a Podium folder; it is left alone")
    place = Path(os.path.realpath(folder))
    scratch = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        scratch.mkdir(parents=True)
    except OSError as error:
        raise FileError(folder, None, f"cannot be written: {(error.strerror or str(error)).lower()}") from error
    try:
        yield scratch
        old = place.with_name(f".{place.name}.{secrets.token_hex(4)}.old")
        if place.exists():
            place.rename(old)
        scratch.rename(place)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
