"""What scorers read from model files: numbers and scalings, checked at the door."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from podium.errors import DataError
from podium.ragged import Floats, Ints
from podium.scaling import SCALINGS, Lines

__all__ = ["check_keys", "lines_from_plain", "lines_to_plain", "numbers", "places"]


def check_keys(plain: dict[str, Any], kind: str, *expected: str) -> None:
    """Exactly these fields, or an error."""
    if set(plain) != set(expected):
        raise DataError(f"a {kind} scorer has {_listed(expected)}, got {', '.join(sorted(plain)) or 'nothing'}")


def _listed(names: Iterable[str]) -> str:
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def numbers(values: Any, name: str, count: int | None = None, each: str = "weight") -> Floats:
    """A list of finite numbers; ``count`` of them, one for ``each`` of something, if that is known."""
    if not isinstance(values, list) or not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        raise DataError(f"{name} must be a list of numbers")
    if count is not None and len(values) != count:
        raise DataError(f"{name} must have {count} numbers, one a {each}, got {len(values)}")
    try:
        found = np.array(values, dtype=np.float64)
    except OverflowError:
        found = np.array([np.inf])
    if not np.isfinite(found).all():
        raise DataError(f"{name} must be finite numbers")
    return found


def places(values: Any, name: str, end: int) -> Ints:
    """A list of whole numbers from 0 on and below ``end``."""
    is_whole = isinstance(values, list) and all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    if not is_whole or not all(0 <= value < end for value in values):
        raise DataError(f"{name} must be a list of whole numbers from 0 on and below {end}")
    return np.array(values, dtype=np.int64)


def lines_to_plain(lines: Lines | None) -> dict[str, list[float]] | None:
    return None if lines is None else {"shift": lines.shift[0].tolist(), "factor": lines.factor[0].tolist()}


def lines_from_plain(scaling: Any, lines: Any, width: int) -> Lines | None:
    """The shifts and factors of a scaling, checked against what it needs; None where each query has its own."""
    if not isinstance(scaling, str) or scaling not in SCALINGS:
        raise DataError(f"scaling must be one of {', '.join(SCALINGS)}, got {scaling!r}")
    if (lines is None) != SCALINGS[scaling].is_within_query:
        raise DataError(f"scaling {scaling} {'keeps no' if lines is not None else 'needs its'} shifts and factors")
    if lines is None:
        return None
    if not isinstance(lines, dict) or set(lines) != {"shift", "factor"}:
        raise DataError("lines must have shift and factor")
    return Lines(*(numbers(lines[name], name, width)[None] for name in ("shift", "factor")))
