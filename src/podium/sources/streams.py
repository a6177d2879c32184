"""Bytes from and to files: compressed by their ending, whole lines at a time, and written so that no half file is ever seen."""

from __future__ import annotations

import contextlib
import errno
import functools
import gzip
import io
import lzma
import os
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from podium.errors import FileError, MissingDependency
from podium.ragged import in_parallel, threads

__all__ = ["COMPRESSIONS", "Progress", "atomic_file", "bare_suffix", "blocks", "one_after_another", "open_bytes", "read_text"]

Progress = Callable[[int, int], None]  # bytes read so far, bytes in all
Bytes = NDArray[np.uint8]

_BLOCK = 16 << 20
_LONGEST_LINE = 256 << 20
_PADDING = 16  # bytes behind the text that the parser may look at


def _open_zstandard(path: Path, mode: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingDependency("zstandard", "zstd", f"open {path.name}") from None
    if mode == "rb":
        return cast("IO[bytes]", _ZstandardReader(path.open("rb"), zstandard))
    opened: IO[bytes] = zstandard.open(path, mode)
    return opened


class _ZstandardReader(io.RawIOBase):
    """Reads one frame after another, and notices when the last one is not whole, which the library's own reader does not."""

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self.file = file
        self._library, self._frame, self._ready = zstandard, None, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            data = self.file.read(1 << 16)  # repetitive text can grow a thousandfold
            if not data:
                if self._frame is not None:
                    raise EOFError("the last frame ends too early")
                return 0
            self._ready = memoryview(self._decompress(data))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _decompress(self, data: bytes) -> bytes:
        parts = []
        while data:
            frame = self._frame or self._library.ZstdDecompressor().decompressobj()
            parts.append(frame.decompress(data))
            self._frame, data = (None, frame.unused_data) if frame.eof else (frame, b"")
        return b"".join(parts)

    def close(self) -> None:
        self.file.close()
        super().close()


def _open_gzip(path: Path, mode: str) -> IO[bytes]:
    if mode == "rb":
        return cast("IO[bytes]", gzip.GzipFile(path, "rb"))
    file = path.open("wb")
    stream = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)  # no name, no time: same data, same bytes
    stream.myfileobj = cast(Any, file)  # closed with the stream
    return cast("IO[bytes]", stream)


def _open_xz(path: Path, mode: str) -> IO[bytes]:
    return cast("IO[bytes]", lzma.LZMAFile(path, mode))


COMPRESSIONS: dict[str, Callable[[Path, str], IO[bytes]]] = {
    ".gz": _open_gzip,
    ".xz": _open_xz,
    ".zst": _open_zstandard,
}


def bare_suffix(path: str | os.PathLike[str]) -> str:
    """The ending that tells the format, with a compression's ending taken off.

    >>> bare_suffix("Fold1/train.TXT.gz"), bare_suffix("run")
    ('.txt', '')
    """
    name = Path(path)
    return (Path(name.stem) if name.suffix.lower() in COMPRESSIONS else name).suffix.lower()


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file to read, decompressed if its name ends in ``.gz``, ``.xz`` or ``.zst``."""
    path = Path(path)
    try:
        opener = COMPRESSIONS.get(path.suffix.lower())
        return opener(path, "rb") if opener else path.open("rb", buffering=0)
    except OSError as error:
        raise FileError(path, None, _reason(error)) from error


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"cannot be opened: {(error.strerror or str(error)).lower()}"


def read_text(path: str | os.PathLike[str]) -> str:
    """A whole file as text."""
    with open_bytes(path) as stream, _damage_named(Path(path)):
        data = stream.read()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(path, line, f"must be UTF-8 text, got byte 0x{data[error.start]:02x}") from None


@contextlib.contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Turn what decompressors raise into an error that names the file."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FileError(path, None, f"is cut off or damaged as {path.suffix} data ({error})") from error
    except OSError as error:
        raise FileError(path, None, _reason(error)) from error
    except Exception as error:
        if type(error).__name__ == "ZstdError":  # its class cannot be named without importing the library
            raise FileError(path, None, f"is cut off or damaged as .zst data ({error})") from error
        raise


def one_after_another(paths: Sequence[Path], progress: Progress | None) -> Iterator[tuple[Path, Progress | None]]:
    """Each path with a progress that counts it as a part of all of them."""
    sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
    for number, path in enumerate(paths):
        before = sum(sizes[:number])
        yield path, None if progress is None else lambda done, _, before=before: progress(before + done, sum(sizes))  # type: ignore[misc]


def blocks(path: str | os.PathLike[str], progress: Progress | None = None) -> Iterator[tuple[Bytes, int]]:
    """Whole lines of a file, about 16 MB at a time: a buffer, and where the text in it ends (always behind a newline).

    The buffer is used again for the next block. A file that lacks the last newline gets one.
    """
    path = Path(path)
    with open_bytes(path) as stream, _damage_named(path):
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


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a file that appears whole or not at all: beside its place first, then moved there; compressed by its ending."""
    path = Path(path)
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    opener = COMPRESSIONS.get(path.suffix.lower())
    try:
        with opener(scratch, "wb") if opener else scratch.open("wb") as stream:
            yield stream
        with scratch.open("rb+") as written:
            os.fsync(written.fileno())
        scratch.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            scratch.unlink()
        if not isinstance(error, OSError) or not _is_about(error, scratch):
            raise
        raise FileError(path, None, f"cannot be written: {(error.strerror or str(error)).lower()}") from error


def _is_about(error: OSError, path: Path) -> bool:
    """Whether it tells of writing this file: a full disk comes without a name, and what is about another file is the caller's own."""
    return error.errno not in (None, errno.EPIPE) and str(error.filename) in ("None", str(path))
