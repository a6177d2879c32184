"""Bytes from and to files: compressed by their ending, and written so that no half file is ever seen."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import lzma
import os
import secrets
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from podium.errors import FileError, MissingDependency

__all__ = [
    "COMPRESSIONS", "Compression", "Progress", "atomic_file", "bare_suffix", "damage_named", "one_after_another", "open_bytes", "read_text",
]  # fmt: skip

Progress = Callable[[int, int], None]  # bytes read so far, bytes in all


class Compression(NamedTuple):
    """How a file of an ending is read, and how what is written to an open file is packed."""

    read: Callable[[Path], IO[bytes]]
    pack: Callable[[IO[bytes]], IO[bytes]]


def _zstandard(name: str) -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingDependency("zstandard", "zstd", f"open {name}") from None
    return zstandard


def _read_zstandard(path: Path) -> IO[bytes]:
    library = _zstandard(path.name)
    return cast("IO[bytes]", _ZstandardReader(path.open("rb"), library))


def _pack_zstandard(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", _zstandard("files that end in .zst").open(file, "wb"))


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


def _read_gzip(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(path, "rb"))


def _pack_gzip(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))  # no name, no time: same data, same bytes


def _read_xz(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", lzma.LZMAFile(path, "rb"))


def _pack_xz(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", lzma.LZMAFile(file, "wb"))


COMPRESSIONS: dict[str, Compression] = {
    ".gz": Compression(_read_gzip, _pack_gzip),
    ".xz": Compression(_read_xz, _pack_xz),
    ".zst": Compression(_read_zstandard, _pack_zstandard),
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
        compression = COMPRESSIONS.get(path.suffix.lower())
        return compression.read(path) if compression else path.open("rb", buffering=0)
    except OSError as error:
        raise FileError(path, None, _reason(error)) from error


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"cannot be opened: {(error.strerror or str(error)).lower()}"


def read_text(path: str | os.PathLike[str]) -> str:
    """A whole file as text."""
    with open_bytes(path) as stream, damage_named(Path(path)):
        data = stream.read()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(path, line, f"must be UTF-8 text, got byte 0x{data[error.start]:02x}") from None


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
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


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a file that appears whole or not at all: beside its place first, then moved there; compressed by its ending.

    A symbolic link stays, and the file that it names is written. What is not kept on a disk (a FIFO, a terminal, ``/dev/stdout``) is no
    file to be replaced: it gets the bytes as they come.
    """
    path = Path(path)
    compression = COMPRESSIONS.get(path.suffix.lower())
    with _stream(path) if _is_stream(path) else _new_file(path) as file:
        if compression is None:
            yield file
        else:
            with compression.pack(file) as packed:
                yield packed


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    place = Path(os.path.realpath(path))
    scratch = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    with _failure_named(path, scratch):
        try:
            with scratch.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                scratch.unlink()
            raise


@contextlib.contextmanager
def _stream(path: Path) -> Iterator[IO[bytes]]:
    number = _open_number(path)
    with _failure_named(path, path), path.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as file:
        yield file


def _is_stream(path: Path) -> bool:
    """Whether what has this name takes bytes as they come; what is no file either, such as a folder, is refused."""
    if _open_number(path) is not None:
        return True
    with _failure_named(path, path):
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            return False
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):  # a socket, or a whole disk
        raise FileError(path, None, "cannot be written: it is neither a file nor a pipe")
    return not stat.S_ISREG(mode)


def _open_number(path: Path) -> int | None:
    """The number of our open file that a name such as /dev/stdout or /dev/fd/63 leads to.

    It must be written by that number: opened anew by its name, a file that the shell redirects to would be cut off first.
    """
    for _ in range(40):  # as many links as Linux follows
        home = os.path.realpath(path.parent)
        if home in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
            return int(path.name) if path.name.isdecimal() else None
        if not path.is_symlink():
            return None
        path = Path(home, path.readlink())
    return None


@contextlib.contextmanager
def _failure_named(path: Path, opened: Path) -> Iterator[None]:
    """Say of which path it was that writing failed: a full disk comes without a name; what is about another file is the caller's own."""
    try:
        yield
    except OSError as error:
        if error.errno in (None, errno.EPIPE) or str(error.filename) not in ("None", str(opened)):
            raise
        raise FileError(path, None, f"cannot be written: {(error.strerror or str(error)).lower()}") from error
