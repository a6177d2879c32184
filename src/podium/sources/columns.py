"""Arrays that grow by rows, in memory or in a file, so that one parser serves data smaller and larger than memory.

In memory, growing is a ``realloc``: the system moves pages and not bytes. On disk, a column is an ordinary ``.npy`` file that is
mapped, extended and mapped again; its header keeps its place at the front and is written last.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from podium.ragged import kernel

__all__ = ["Column", "Columns"]

_HEADER = 128


@kernel
def _spread(flat, rows, old_width, new_width):  # type: ignore[no-untyped-def]
    """Give each row ``new_width`` places, from the last row on, since every row moves up."""
    for row in range(rows - 1, -1, -1):
        for column in range(old_width - 1, -1, -1):
            flat[row * new_width + column] = flat[row * old_width + column]
        flat[row * new_width + old_width : (row + 1) * new_width] = 0


class Column:
    """A growing line of values, or table of ``width`` columns, of one type; :attr:`flat` is all of it as one line.

    :attr:`flat` is replaced whenever the column grows: fetch it again, keep no view of it.
    """

    def __init__(self, dtype: DTypeLike, width: int | None = None, path: Path | None = None) -> None:
        self.dtype, self.path, self.is_table = np.dtype(dtype), path, width is not None
        self.width = 1 if width is None else width
        self.flat: NDArray[Any] = np.empty(0, self.dtype)
        self._capacity = 0

    def reserve(self, rows: int, used: int) -> None:
        """Make room for ``rows`` rows at least, ``used`` of which hold something."""
        if rows <= self._capacity:
            return
        if self.path is None and used * 4 < rows:  # little to copy, and pages that are never touched are never there
            old, self.flat = self.flat, np.empty(rows * self.width, self.dtype)
            self.flat[: used * self.width] = old[: used * self.width]
            self._capacity = rows
        else:
            self._resize(rows)

    def _resize(self, rows: int) -> None:
        length = rows * self.width
        if self.path is None:
            self.flat.resize(length, refcheck=False)
        else:
            self.flat = np.empty(0, self.dtype)  # the old map must go before the file changes its size
            with self.path.open("ab"):
                os.truncate(self.path, _HEADER + length * self.dtype.itemsize)
            if length:
                self.flat = np.memmap(self.path, self.dtype, "r+", offset=_HEADER, shape=(length,)).view(np.ndarray)
        self._capacity = rows

    def widen(self, width: int, rows: int) -> None:
        """Change to ``width`` columns, more than before, keeping the first ``rows`` rows and filling with zeros."""
        old_width = self.width
        self.width = width
        self._resize(max(rows, self._capacity))
        _spread(self.flat, rows, old_width, width)

    def finish(self, rows: int) -> NDArray[Any]:
        """Cut to exactly ``rows`` rows and return them; on disk, complete the file."""
        self._resize(rows)
        if self.path is None:
            return self.flat
        shape = (rows, self.width) if self.is_table else (rows,)
        with self.path.open("rb+") as file:
            file.write(_npy_header(self.dtype, shape))
        return self.flat


class Columns:
    """Makes columns: in memory, or as files of ``folder``."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def make(self, name: str, dtype: DTypeLike, width: int | None = None) -> Column:
        return Column(dtype, width, None if self.folder is None else self.folder / f"{name}.npy")


def _npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The front of a version 1 ``.npy`` file, always 128 bytes."""
    text = repr({"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
    front = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
    return front + text.encode().ljust(_HEADER - 11) + b"\n"
