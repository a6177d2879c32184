"""What a measure says of a query that offers nothing to measure."""

from __future__ import annotations

from typing import Literal

__all__ = ["Blank", "value_of_blank"]

Blank = Literal["zero", "one", "skip"]
_VALUES: dict[Blank, float] = {"zero": 0.0, "one": 1.0, "skip": float("nan")}


def value_of_blank(blank: Blank) -> float:
    """0, 1, or NaN for a query that is left out of means."""
    return _VALUES[blank]
