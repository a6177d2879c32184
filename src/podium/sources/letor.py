"""Reading LETOR / SVMlight text: ``<label> qid:<id> <number>:<value> … #docid = <id> <note>``.

What a line may hold, and what becomes of it:

- the label, any finite number; the query id, any text without blanks, rows of a query anywhere in the file;
- features by number from 1 on, ascending; one left out is 0; ``NULL`` (LETOR 3.0) is a missing value, NaN in memory;
- a comment. ``docid = X`` or else its first word is the document id; the rest (``inc = 1 prob = 0.08``) is kept as a note,
  which :meth:`Dataset.attributes` takes apart;
- empty lines and lines with only a comment are passed over; line ends may be LF or CRLF, also mixed.

Anything else is an error that names file, line and field.
"""

from __future__ import annotations

import functools
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from podium.dataset import Dataset
from podium.errors import FileError
from podium.ragged import Ints, in_parallel, kernel, threads
from podium.sources import letor_kernels as kernels
from podium.sources.blocks import Bytes, blocks
from podium.sources.columns import Columns
from podium.sources.streams import Progress, one_after_another
from podium.strings import Strings

__all__ = ["MAX_FEATURES", "LetorReader", "read_letor"]

MAX_FEATURES = 16_384
_PIECE = 256 << 10  # bytes below which a second thread is not worth waking
_FIELD = re.compile(rb"[ \t\r]*([^ \t\r\n#]*)[ \t\r\n#]")
_GLANCE = 64 << 10  # bytes looked at to guess the number of features


def read_letor(
    path: str | os.PathLike[str],
    *more: str | os.PathLike[str],
    max_features: int = MAX_FEATURES,
    progress: Progress | None = None,
) -> Dataset:
    """Read one or several LETOR files as one dataset.

    Rows of a query need not be adjacent: they are brought together, and the order of the file is remembered
    (:meth:`Dataset.in_input_order`). Files ending in ``.gz``, ``.xz`` and ``.zst`` are decompressed. For files larger than memory
    see :func:`podium.sources.mapped.convert_letor`.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_text("2 qid:7 1:0.5 3:1 #docid = a\\n0 qid:7 2:0.25 #docid = b\\n")
    >>> data = read_letor(path)
    >>> data.features.tolist(), data.labels.tolist(), data.document_ids.tolist()
    ([[0.5, 0.0, 1.0], [0.0, 0.25, 0.0]], [2.0, 0.0], ['a', 'b'])
    """
    reader = LetorReader(Columns(), max_features)
    for each, advance in one_after_another([Path(each) for each in (path, *more)], progress):
        reader.read(each, advance)
    return reader.dataset()


@dataclass
class _Piece:
    """A part of a block that one thread parses."""

    begin: int
    end: int
    lines: int = 0
    first_row: int = 0
    state: Any = None
    runs: Any = None
    put_off: Any = None


class LetorReader:
    """Collects the rows of any number of files in growing columns."""

    def __init__(self, columns: Columns, max_features: int = MAX_FEATURES, width: int = 0) -> None:
        self.limit, self.width, self.rows = max_features, width, 0
        self.features = columns.make("features", np.float32, width)
        self.labels = columns.make("labels", np.float64)
        self.text = columns.make("text", np.uint8)
        self.spans = {name: columns.make(name, np.int64) for name in ("document_starts", "document_stops", "note_starts", "note_stops")}
        self.text_size, self.id_bytes, self.note_bytes = 0, 0, 0
        self.run_rows: list[int] = []
        self.run_ids: list[str] = []
        self.heads = kernels.expected_heads(width)
        self._bytes_taken = 0

    def read(self, path: Path, progress: Progress | None = None) -> None:
        """Take every row of a file."""
        rows_before, lines, size = self.rows, 0, path.stat().st_size if path.exists() else 0
        self._bytes_taken = 0
        for text, end in blocks(path, progress):
            lines += self._take(path, text, end, lines, size)
        if self.rows == rows_before:
            raise FileError(path, None, "has no rows; expected lines such as '2 qid:1 1:0.5 2:0.25 #docid = A'")

    def _take(self, path: Path, text: Bytes, end: int, lines_before: int, size: int) -> int:
        """Parse one block; returns its number of lines."""
        pieces = _cut(text, end)
        counts = in_parallel([functools.partial(kernels.count_newlines, text, piece.begin, piece.end) for piece in pieces])
        for piece, count in zip(pieces, counts, strict=True):
            piece.lines = count
        self._bytes_taken += end
        self._reserve(self.rows + sum(counts), size)
        if self.rows == 0 and self.width == 0:
            self._widen(kernels.widest_feature(text, 0, _first_lines(text, end), self.limit))
        spans = np.empty((sum(counts), 4), np.int32)
        self._parse_until_it_fits(path, text, pieces, spans, lines_before)
        self._settle_put_off(path, text, pieces, lines_before)
        self._close_gaps(pieces, spans)
        rows = sum(int(piece.state[kernels.ROWS]) for piece in pieces)
        self._keep_text(path, text, spans[:rows], lines_before)
        self._keep_runs(path, text, pieces, lines_before)
        self.rows += rows
        return sum(counts)

    def _parse_until_it_fits(self, path: Path, text: Bytes, pieces: list[_Piece], spans: Any, lines_before: int) -> None:
        """Parse; where there are more features, or more values put off, than there was room for, make room and parse again."""
        room = 256
        while True:
            self._parse(text, pieces, spans, room)
            failed = next((piece for piece in pieces if piece.state[kernels.PROBLEM]), None)
            if failed is not None and failed.state[kernels.PROBLEM] == kernels.WIDER:
                jobs = [functools.partial(kernels.widest_feature, text, piece.begin, piece.end, self.limit) for piece in pieces]
                self._widen(max(in_parallel(jobs)))
            elif failed is not None:
                problem = kernels.PROBLEMS[failed.state[kernels.PROBLEM]].format(limit=self.limit)
                raise _file_error(path, text, int(failed.state[kernels.AT]), lines_before, problem)
            elif (most := max(int(piece.state[kernels.PUT_OFF]) for piece in pieces)) > room:
                room = most
            else:
                return

    def _reserve(self, rows: int, size: int) -> None:
        """Make room, from the second time on for as many rows as the whole file is likely to have."""
        if self.rows and size > self._bytes_taken:
            rows = max(rows, int(rows * min(size / self._bytes_taken, 8) * 1.02))
        for column in (self.features, self.labels, *self.spans.values()):
            column.reserve(rows, self.rows)

    def _widen(self, width: int) -> None:
        self.features.widen(width, self.rows)
        self.width, self.heads = width, kernels.expected_heads(width)

    def _parse(self, text: Bytes, pieces: list[_Piece], spans: Any, room: int) -> None:
        """Let every piece be parsed as if each of its lines were a row."""
        row, jobs = self.rows, []
        features, labels = self.features.flat[self.rows * self.width :], self.labels.flat[self.rows :]
        for piece in pieces:
            piece.first_row, piece.state = row, np.zeros(5, np.int64)
            piece.runs, piece.put_off = np.empty((piece.lines, 3), np.int64), np.empty((room, 3), np.int64)
            place = (piece.begin, piece.end, row - self.rows, self.width, self.limit, self.heads)
            found = (features, labels, spans, piece.runs, piece.put_off, piece.state)
            jobs.append(functools.partial(kernels.parse_rows, text, *place, *found))
            row += piece.lines
        in_parallel(jobs)

    def _settle_put_off(self, path: Path, text: Bytes, pieces: list[_Piece], lines_before: int) -> None:
        """Numbers that the kernel could not round surely, decided by Python."""
        for piece in pieces:
            for row, column, at in piece.put_off[: piece.state[kernels.PUT_OFF]].tolist():
                value = float(_field(text, at))
                is_label = column < 0
                with np.errstate(over="ignore"):
                    if not math.isfinite(value if is_label else np.float32(value)):
                        while at > 0 and text[at - 1] not in b" \t\n":  # show the feature's number too
                            at -= 1
                        raise _file_error(path, text, at, lines_before, kernels.PROBLEMS[1 if is_label else 7])
                if is_label:
                    self.labels.flat[self.rows + row] = value
                else:
                    self.features.flat[(self.rows + row) * self.width + column] = value

    def _close_gaps(self, pieces: list[_Piece], spans: Any) -> None:
        """Move rows down over lines that were not rows (empty ones and comments)."""
        row = self.rows
        for piece in pieces:
            count = int(piece.state[kernels.ROWS])
            if row != piece.first_row and count:
                old, width = piece.first_row, self.width
                self.features.flat[row * width : (row + count) * width] = self.features.flat[old * width : (old + count) * width]
                self.labels.flat[row : row + count] = self.labels.flat[old : old + count]
                spans[row - self.rows : row - self.rows + count] = spans[old - self.rows : old - self.rows + count]
            piece.runs[:, 0] += row - (piece.first_row - self.rows)
            row += count

    def _keep_text(self, path: Path, text: Bytes, spans: Any, lines_before: int) -> None:
        """Copy document ids and notes out of the block, which is about to be used again."""
        sizes = (spans[:, 1::2] - spans[:, 0::2]).sum(axis=0, dtype=np.int64).tolist()
        needed = self.text_size + sum(sizes)
        if needed > len(self.text.flat):
            share = (self.rows + len(spans)) / max(len(self.labels.flat), 1)  # of the rows that there is room for
            self.text.reserve(int(needed * max(1.02 / max(share, 0.1), 1.25)), self.text_size)
        places = {name: column.flat[self.rows : self.rows + len(spans)] for name, column in self.spans.items()}
        jobs, at = [], self.text_size
        for kind, (name, size) in enumerate(zip(("document", "note"), sizes, strict=True)):  # one thread copies ids, another notes
            found = (
                spans[:, 2 * kind],
                spans[:, 2 * kind + 1],
                self.text.flat,
                at,
                at + size,
                places[f"{name}_starts"],
                places[f"{name}_stops"],
            )
            jobs.append(functools.partial(kernels.copy_spans, text, *found))
            at += size
        if any(in_parallel(jobs)):
            _check_utf8(path, text, spans, lines_before)
        self.text_size = at
        self.id_bytes += sizes[0]
        self.note_bytes += sizes[1]

    def _keep_runs(self, path: Path, text: Bytes, pieces: list[_Piece], lines_before: int) -> None:
        for piece in pieces:
            for row, start, stop in piece.runs[: piece.state[kernels.RUNS]].tolist():
                try:
                    query_id = text[start:stop].tobytes().decode()
                except UnicodeDecodeError:
                    raise _file_error(path, text, start, lines_before, "query id must be UTF-8 text") from None
                if not self.run_ids or self.run_ids[-1] != query_id:
                    self.run_rows.append(row)
                    self.run_ids.append(query_id)

    def dataset(self) -> Dataset:
        """Everything read, grouped by query."""
        numbers: dict[str, int] = {}
        query_of_run = np.array([numbers.setdefault(query_id, len(numbers)) for query_id in self.run_ids], dtype=np.int64)
        starts: Ints = np.array([*self.run_rows, self.rows], dtype=np.int64)
        run_sizes = starts[1:] - starts[:-1]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(query_of_run, weights=run_sizes, minlength=len(numbers)))]).astype(np.int64)
        features = self.features.finish(self.rows).reshape(self.rows, self.width)
        labels = self.labels.finish(self.rows)
        text = self.text.finish(self.text_size)
        spans = {name: column.finish(self.rows) for name, column in self.spans.items()}
        input_rows = None
        if len(numbers) < len(self.run_ids):
            input_rows = np.argsort(np.repeat(query_of_run, run_sizes), kind="stable")
            permute_rows(features, input_rows)
            for column in (labels, *spans.values()):
                column[:] = column[input_rows]
        has_ids = self.id_bytes + self.note_bytes > 0
        return Dataset(
            features=features,
            labels=labels,
            offsets=offsets,
            query_ids=Strings.of(numbers),
            given_ids=Strings(text, spans["document_starts"], spans["document_stops"]) if has_ids else None,
            notes=Strings(text, spans["note_starts"], spans["note_stops"]) if self.note_bytes else None,
            input_rows=input_rows,
        )


def _cut(text: Bytes, end: int) -> list[_Piece]:
    """Parts of about equal size that end behind a newline, one a thread."""
    number = max(1, min(threads(), end // _PIECE))
    edges = [0]
    for part in range(1, number):
        edge = max(edges[-1], end * part // number)
        while edge < end and text[edge - 1] != ord("\n"):
            edge += 1
        edges.append(edge)
    return [_Piece(begin, stop) for begin, stop in zip(edges, [*edges[1:], end], strict=True) if stop > begin]


def _first_lines(text: Bytes, end: int) -> int:
    if end <= _GLANCE:
        return end
    newline = text[:_GLANCE].tobytes().rfind(b"\n")
    return newline + 1 if newline >= 0 else end


def _field(text: Bytes, at: int) -> str:
    """The field at a place, up to a blank, a comment or the end of the line."""
    length = 64
    while (found := _FIELD.match(window := text[at : at + length].tobytes())) is None and at + length < len(text):
        length *= 8
    return (found[1] if found else window).decode(errors="backslashreplace")


def _file_error(path: Path, text: Bytes, at: int, lines_before: int, problem: str) -> FileError:
    shown = _field(text, at)
    line = lines_before + 1 + int(kernels.count_newlines(text, 0, at))
    return FileError(path, line, problem, got=shown if len(shown) <= 60 else shown[:57] + "…")


def _check_utf8(path: Path, text: Bytes, spans: Any, lines_before: int) -> None:
    for row in spans.tolist():
        for start, stop in (row[:2], row[2:]):
            try:
                text[start:stop].tobytes().decode()
            except UnicodeDecodeError:
                raise _file_error(path, text, start, lines_before, "comment must be UTF-8 text") from None


@kernel
def _permute(table, order, done, held):  # type: ignore[no-untyped-def]
    """Move row ``order[r]`` to row ``r``, cycle by cycle, holding one row at a time."""
    for first in range(len(order)):
        if done[first]:
            continue
        held[:] = table[first]
        row = first
        while order[row] != first:
            table[row] = table[order[row]]
            done[row] = True
            row = order[row]
        table[row] = held
        done[row] = True


def permute_rows(table: Any, order: Ints) -> None:
    """``table[:] = table[order]`` without a second table."""
    _permute(table, order, np.zeros(len(order), np.bool_), np.empty(table.shape[1], table.dtype))
