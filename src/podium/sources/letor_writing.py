"""Writing LETOR / SVMlight text that reads back as the same dataset.

Every feature is written, each with the fewest decimals that round to the same float32; a missing one as ``NULL``.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from podium.dataset import Dataset
from podium.errors import DataError
from podium.ragged import kernel
from podium.sources.streams import atomic_file

__all__ = ["write_letor"]

_ROWS = 4096  # formatted at a time
_POWERS = 10.0 ** np.arange(20)
_ZERO, _DOT, _MINUS, _COLON, _SPACE = (ord(c) for c in "0.-: ")
_BLANK = re.compile(r"[ \t\r\n]")
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
    if np.signbit(value):
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
        if data.notes is not None:
            raise DataError("notes can be written to LETOR text only behind document ids, and there are none")
        return [""] * data.n_rows
    if not data.given_ids.lengths().any():
        raise DataError("document ids must not all be empty to be written; leave them out instead")
    notes = data.notes.tolist() if data.notes is not None else [""] * data.n_rows
    return [_comment(row, *both) for row, both in enumerate(zip(data.given_ids, notes, strict=True))]


def _comment(row: int, document: str, note: str) -> str:
    if _BLANK.search(document) or (note and not document):
        raise DataError(f"row {row}: document id must be one word to be written, got {document!r}")
    if "\n" in note or note != note.strip(" \t\r"):
        raise DataError(f"row {row}: a note must be one line without blanks around it to be written, got {note!r}")
    return f" #docid = {document} {note}" if note else (f" #docid = {document}" if document else "")


def _labels(data: Dataset) -> list[str]:
    return [str(int(label)) if label.is_integer() else repr(label) for label in data.labels.tolist()]


def _query_ids(data: Dataset) -> list[str]:
    if data.n_rows == 0 or (data.sizes == 0).any():
        raise DataError("LETOR text cannot hold a query without documents, or nothing at all")
    ids = data.query_ids.tolist()
    for query_id in ids:
        if not query_id or _BLANK.search(query_id) or "#" in query_id:
            raise DataError(f"query id must be one word without '#' to be written, got {query_id!r}")
    if len(set(ids)) < len(ids):
        raise DataError("two queries have the same id; LETOR text would make them one")
    return ids


def write_letor(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a dataset, query by query; the file appears whole or not at all, compressed by its ending (``.gz``, ``.xz``, ``.zst``).

    It reads back as the same dataset, but for names of features, which LETOR text cannot hold. What else it cannot hold (a query
    without documents, ids with blanks) is refused.
    """
    query_ids, labels, comments = _query_ids(data), _labels(data), _comments(data)
    heads = [f"{label} qid:{query_ids[query]}" for label, query in zip(labels, data.query_of_row.tolist(), strict=True)]
    with atomic_file(path) as file:
        for start in range(0, data.n_rows, _ROWS):
            rows = slice(start, start + _ROWS)
            features = _formatted(data.features[rows])
            lines = zip(heads[rows], features, comments[rows], strict=True)
            file.write(b"".join(head.encode() + text + comment.encode() + b"\n" for head, text, comment in lines))
