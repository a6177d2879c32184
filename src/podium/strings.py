"""A column of text: one buffer of UTF-8 bytes, and where each string begins and ends in it.

A million document ids are then three arrays and not a million objects; taking rows moves numbers, never text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final, overload

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError
from podium.ragged import Ints

__all__ = ["Strings", "as_text"]


@final
class Strings(Sequence[str]):
    """Text, one string a row; reads like a list of ``str``.

    >>> names = Strings.of(["GX008-86", "", "Zürich"])
    >>> names[2], len(names), names[[2, 0]].tolist()
    ('Zürich', 3, ['Zürich', 'GX008-86'])
    """

    __slots__ = ("buffer", "starts", "stops")

    def __init__(self, buffer: NDArray[np.uint8], starts: Ints, stops: Ints) -> None:
        if len(starts) != len(stops):
            raise DataError(f"text columns need as many starts as stops, got {len(starts)} and {len(stops)}")
        self.buffer, self.starts, self.stops = buffer, starts, stops

    @classmethod
    def of(cls, values: Iterable[object]) -> Strings:
        """From anything that prints: whole floats lose their ``.0``, so that ids from a table read as ids."""
        if isinstance(values, Strings):
            return values
        try:
            encoded = [as_text(value).encode() for value in (values.tolist() if isinstance(values, np.ndarray) else values)]
        except UnicodeError as error:
            raise DataError(f"text must be Unicode that UTF-8 can hold ({error})") from None
        stops = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        starts = np.concatenate([np.zeros(min(1, len(stops)), np.int64), stops[:-1]])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts, stops)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, rows: int) -> str: ...
    @overload
    def __getitem__(self, rows: slice | Sequence[int] | NDArray[Any]) -> Strings: ...
    def __getitem__(self, rows: Any) -> str | Strings:
        if isinstance(rows, (int, np.integer)):
            return self.buffer[self.starts[rows] : self.stops[rows]].tobytes().decode()
        if not isinstance(rows, (slice, np.ndarray)):
            rows = np.asarray(rows) if len(rows) else np.empty(0, np.int64)
        return Strings(self.buffer, self.starts[rows], self.stops[rows])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        """Every string, as a list."""
        if len(self) == 0:
            return []
        low, high = int(self.starts.min()), int(self.stops.max())
        data = self.buffer[low:high].tobytes()
        pieces = zip((self.starts - low).tolist(), (self.stops - low).tolist(), strict=True)
        if data.isascii():
            text = data.decode()
            return [text[start:stop] for start, stop in pieces]
        return [data[start:stop].decode() for start, stop in pieces]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.tolist(), dtype=dtype or str)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Strings, list, tuple, np.ndarray)):
            return NotImplemented
        return len(self) == len(other) and self.tolist() == (list(other) if not isinstance(other, Strings) else other.tolist())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3].tolist()))
        return f"Strings([{shown}{', …' if len(self) > 3 else ''}], {len(self)} rows)"

    def lengths(self) -> Ints:
        """Bytes of each string."""
        return self.stops - self.starts

    def compact(self) -> Strings:
        """The same strings in a buffer that holds nothing else, one behind another."""
        if len(self) and (self.starts[0] != 0 or self.stops[-1] != len(self.buffer) or (self.starts[1:] != self.stops[:-1]).any()):
            return Strings.of(self.tolist())
        return self


def as_text(value: object) -> str:
    """A value as an id: whole floats without their ``.0``."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
