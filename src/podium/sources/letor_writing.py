"""Writing LETOR / SVMlight text that reads back as the same dataset.

Every feature is written, each with the fewest decimals that round to the same float32; a missing one as ``NULL``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from podium.dataset import Dataset
from podium.errors import DataError
from podium.ragged import kernel
from podium.sources.streams import atomic_file
from podium.strings import Strings

__all__ = ["write_letor"]

_ROWS = 4096  # formatted at a time
_POWERS = 10.0 ** np.arange(20)
_ZERO, _DOT, _MINUS, _COLON, _SPACE = (ord(c) for c in "0.-: ")
_NULL = np.frombuffer(b"NULL", np.uint8)
_LONGEST = 32  # bytes a feature can take: blank, number, colon, sign, digits and point


@kernel
def _whole(number, out, at):  # type: ignore[no-untyped-def]
    """Write a whole number from 0 on; returns the end."""
    length, rest = 1, number // 10
    while rest > 0:
        length += 1
        rest //= 10
    for place in range(length - 1, -1, -1):
        out[at + place] = _ZERO + number % 10
        number //= 10
    return at + length


@kernel
def _decimals(size):  # type: ignore[no-untyped-def]
    """The fewest decimals with which a float32 reads back the same, and the number without its point; -1 if plain digits will not do."""
    if size != 0.0 and not 1e-5 <= size < 1e9:
        return -1, 0
    for count in range(16):
        number = np.rint(np.float64(size) * _POWERS[count])
        if number < 2.0**53 and np.float32(number / _POWERS[count]) == size:
            return count, np.int64(number)
    return -1, 0


@kernel
def _value(value, out, at):  # type: ignore[no-untyped-def]
    """Write one value; returns the end, or -1 if it needs an exponent."""
    if np.isnan(value):
        out[at : at + 4] = _NULL
        return at + 4
    size = abs(value)
    count, number = _decimals(size)
    if count < 0:
        return -1
    if value < 0:
        out[at] = _MINUS
        at += 1
    unit = np.int64(_POWERS[count])
    at = _whole(number // unit, out, at)
    if count > 0:
        out[at] = _DOT
        at += 1
        number %= unit
        for place in range(count - 1, -1, -1):
            out[at + place] = _ZERO + number % 10
            number //= 10
        at += count
    return at


@kernel
def _format(features, out, ends):  # type: ignore[no-untyped-def]
    """Write the features of each row; ``ends`` says where each row ends, or -1 where Python has to write it."""
    at = 0
    for row in range(features.shape[0]):
        start = at
        for column in range(features.shape[1]):
            out[at] = _SPACE
            at = _whole(column + 1, out, at + 1)
            out[at] = _COLON
            at = _value(features[row, column], out, at + 1)
            if at < 0:
                break
        ends[row] = at
        if at < 0:
            at = start


def _formatted(features: Any) -> list[bytes]:
    out = np.empty(features.shape[0] * features.shape[1] * _LONGEST + 8, np.uint8)
    ends = np.empty(len(features), np.int64)
    _format(np.ascontiguousarray(features), out, ends)
    text, start, rows = out[: max(0, ends.max(initial=0))].tobytes(), 0, []
    for row, end in enumerate(ends.tolist()):
        if end < 0:
            rows.append("".join(f" {number}:{_plain(value)}" for number, value in enumerate(features[row], 1)).encode())
        else:
            rows.append(text[start:end])
            start = end
    return rows


def _plain(value: Any) -> str:
    return "NULL" if np.isnan(value) else str(value)


def _comments(data: Dataset) -> list[str]:
    if data.given_ids is None:
        return [""] * data.n_rows
    notes = data.notes.tolist() if data.notes is not None else [""] * data.n_rows
    comments = []
    for row, (document, note) in enumerate(zip(data.given_ids, notes, strict=True)):
        if document.split() != [document] and (document or note):
            raise DataError(f"row {row}: document id must be one word to be written, got {document!r}")
        if "\n" in note or note != note.strip(" \t\r"):
            raise DataError(f"row {row}: a note must be one line without blanks around it to be written, got {note!r}")
        comments.append(f" #docid = {document} {note}".rstrip() if document else "")
    return comments


def _labels(data: Dataset) -> list[str]:
    return [str(int(label)) if label.is_integer() else repr(label) for label in data.labels.tolist()]


def _query_ids(ids: Strings) -> list[str]:
    for query_id in ids:
        if query_id.split() != [query_id] or "#" in query_id:
            raise DataError(f"query id must be one word without '#' to be written, got {query_id!r}")
    return ids.tolist()


def write_letor(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a dataset, query by query; the file appears whole or not at all, compressed by its ending (``.gz``, ``.xz``, ``.zst``)."""
    query_ids, labels, comments = _query_ids(data.query_ids), _labels(data), _comments(data)
    heads = [f"{label} qid:{query_ids[query]}" for label, query in zip(labels, data.query_of_row.tolist(), strict=True)]
    with atomic_file(path) as file:
        for start in range(0, data.n_rows, _ROWS):
            rows = slice(start, start + _ROWS)
            features = _formatted(data.features[rows])
            lines = zip(heads[rows], features, comments[rows], strict=True)
            file.write(b"".join(head.encode() + text + comment.encode() + b"\n" for head, text, comment in lines))
