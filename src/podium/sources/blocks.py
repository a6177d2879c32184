"""Whole lines of a file, a block at a time, read by several threads."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import FileError
from podium.ragged import in_parallel, threads
from podium.sources.streams import Progress, damage_named, open_bytes

__all__ = ["Bytes", "blocks"]

Bytes = NDArray[np.uint8]

_BLOCK = 16 << 20
_LONGEST_LINE = 256 << 20
_PADDING = 16  # bytes behind the text that the parser may look at


def blocks(path: str | os.PathLike[str], progress: Progress | None = None) -> Iterator[tuple[Bytes, int]]:
    """Whole lines of a file, about 16 MB at a time: a buffer, and where the text in it ends (always behind a newline).

    The buffer is used again for the next block. A file that lacks the last newline gets one.
    """
    path = Path(path)
    with open_bytes(path) as stream, damage_named(path):
        total = path.stat().st_size
        buffer, kept, at_end = np.empty(_BLOCK + _PADDING, np.uint8), 0, False
        while not at_end:
            filled = _fill(stream, buffer, kept)
            at_end = filled < len(buffer) - _PADDING
            if at_end and filled > 0 and buffer[filled - 1] != ord("\n"):
                buffer[filled] = ord("\n")
                filled += 1
            end = _last_newline(buffer, filled)
            if progress is not None:
                progress(total if at_end else min(_raw_position(stream), total), total)
            if end == 0 and not at_end:
                if filled > _LONGEST_LINE:
                    raise FileError(path, None, f"has a line of more than {_LONGEST_LINE >> 20} MB; is it a text file?")
                buffer, kept = np.concatenate([buffer, np.empty(len(buffer), np.uint8)]), filled
                continue
            if end:
                yield buffer, end
            kept = filled - end
            buffer[:kept] = buffer[end:filled].copy()


def _fill(stream: IO[bytes], buffer: Bytes, filled: int) -> int:
    room = memoryview(buffer)[: len(buffer) - _PADDING]  # type: ignore[arg-type]
    if isinstance(stream, io.FileIO) and hasattr(os, "preadv"):
        return filled + _read_in_parallel(stream, room[filled:])
    while filled < len(room):
        got = stream.readinto(room[filled:])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
    return filled


def _read_in_parallel(stream: io.FileIO, room: memoryview) -> int:
    """Fill the room from a plain file, a part a thread: even copying from the page cache takes a sixth of reading a file."""
    start, part = stream.tell(), -(-len(room) // threads())
    edges = range(0, len(room), max(part, 1))

    def read(begin: int) -> int:
        end, filled = min(begin + part, len(room)), begin
        while filled < end and (got := os.preadv(stream.fileno(), [room[filled:end]], start + filled)):
            filled += got
        return filled - begin

    total = int(sum(in_parallel([functools.partial(read, begin) for begin in edges])))
    stream.seek(start + total)
    return total


def _last_newline(buffer: Bytes, filled: int) -> int:
    """Where the last whole line ends; looks back in growing steps, since it is nearly always close."""
    step = 4096
    while True:
        low = max(0, filled - step)
        found = buffer[low:filled].tobytes().rfind(b"\n")
        if found >= 0 or low == 0:
            return low + found + 1 if found >= 0 else 0
        step *= 8


def _raw_position(stream: Any) -> int:
    """How far the file on disk has been read, below any decompressor."""
    for name in ("fileobj", "_fp", "file"):
        inner = getattr(stream, name, None)
        if inner is not None and hasattr(inner, "tell"):
            return int(inner.tell())
    return int(stream.tell()) if isinstance(stream, io.FileIO) else 0
