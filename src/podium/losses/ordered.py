"""The rows of every query in the order of their labels, and one-query losses run over them.

Labels stay while scores change, so everything that depends on labels alone is done once, here. A one-query loss sees its rows best
first and writes its slopes in the same order; how rows are stored, and on which thread they are served, it never learns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from podium.errors import DataError
from podium.ragged import Floats, Ints, check_offsets, kernel, over_queries, pointer
from podium.sorting import rank_rows

__all__ = ["N_WORK", "LossOutput", "Ordered", "Rule", "check_settings", "evaluate", "evaluate_ordered", "prepare"]

Places = NDArray[np.int32]


@final
@dataclass(frozen=True)
class LossOutput:
    """What a loss says of some scores."""

    per_query: Floats  # the value of each query
    gradient: Floats  # one a row: the slope of its query's value
    curvature: Floats  # one a row: the second derivative by that score, or what its loss says in place of it; never negative

    @property
    def is_saturated(self) -> NDArray[np.bool_]:
        """Which queries have a value beyond the largest double, given as that double (the exponential loss can)."""
        return self.per_query >= np.finfo(np.float64).max


@final
@dataclass(frozen=True)
class Ordered:
    """Labels in truth order, best first; equal labels are a level, and keep the order of the input."""

    offsets: Ints
    order: Places  # the place within its query of the row that comes here
    ends: Places  # the place within its query where the level of this row ends: what is from there on is strictly worse
    values: Floats  # what the loss needs of the label: the label itself, or weights made from it

    @property
    def longest(self) -> int:
        """Rows of the longest query."""
        return int(np.diff(self.offsets).max(initial=0))


Values = Callable[["Ordered", tuple[float, ...]], Floats]

_FLOATS = types.float64[::1]
_SIGNATURE = types.float64(_FLOATS, _FLOATS, types.int32[::1], _FLOATS, _FLOATS, _FLOATS, types.float64[:, ::1])
_LARGEST = np.finfo(np.float64).max
N_WORK = 4  # scratch lines that a one-query loss may use


@final
@dataclass(frozen=True)
class Rule:
    """A loss of one query, and what it needs of the labels.

    ``one_query(scores, values, ends, settings, gradient, curvature, work)`` returns the value and fills ``gradient`` (and
    ``curvature``, unless it has length 0); all rows are best first.
    """

    one_query: Callable[..., float]
    values: Values = field(default=lambda ordered, _settings: ordered.values)

    @functools.cached_property
    def compiled(self) -> Any:
        return _pointer(self.one_query)


@functools.cache
def _pointer(one_query: Callable[..., float]) -> Any:
    return pointer(one_query, _SIGNATURE)


@kernel
def _levels(first, last, offsets, labels, order, ends, values):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        level = end - begin
        for i in range(end - begin - 1, -1, -1):
            values[begin + i] = labels[begin + order[begin + i]]
            if i + 1 < end - begin and values[begin + i] != values[begin + i + 1]:
                level = i + 1
            ends[begin + i] = level


def _as_numbers(values: ArrayLike, name: str) -> Floats:
    try:
        numbers = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, got {str(values)[:60]}") from None
    if numbers.ndim != 1:
        raise DataError(f"{name} must be a line of numbers, got shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise DataError(f"{name} must be finite; row {int(np.argmin(np.isfinite(numbers)))} is {numbers[~np.isfinite(numbers)][0]}")
    return numbers


def _order_labels(labels: ArrayLike, offsets: ArrayLike) -> Ordered:
    """Put every query's labels in order, best first."""
    given = _as_numbers(labels, "labels")
    bounds = check_offsets(offsets, len(given))
    if len(given) and np.diff(bounds).max() >= 2**31:
        raise DataError(f"a query may have at most {2**31 - 1:,} documents, got {np.diff(bounds).max():,}")
    order = (rank_rows(given, bounds) - np.repeat(bounds[:-1], np.diff(bounds))).astype(np.int32)
    ends, values = np.empty(len(given), np.int32), np.empty(len(given))
    over_queries(_levels, bounds, given, order, ends, values)
    return Ordered(bounds, order, ends, values)


def prepare(rule: Rule, labels: ArrayLike, offsets: ArrayLike, settings: tuple[float, ...]) -> Ordered:
    """Everything that a loss needs of the labels."""
    ordered = _order_labels(labels, offsets)
    return Ordered(ordered.offsets, ordered.order, ordered.ends, rule.values(ordered, settings))


@kernel
def _run(first, last, offsets, loss, scores, order, ends, values, settings, per_query, gradient, curvature, longest):  # type: ignore[no-untyped-def]
    sorted_scores, sorted_gradient = np.empty(longest), np.empty(longest)
    sorted_curvature = np.empty(longest if len(curvature) else 0)
    work = np.empty((N_WORK, longest))
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n = end - begin
        places, own_scores = order[begin:end], scores[begin:end]
        for i in range(n):
            sorted_scores[i] = own_scores[places[i]]
        if n == 0:
            per_query[query] = 0.0
            continue
        bends = sorted_curvature[: n if len(curvature) else 0]
        own_values, own_ends = values[begin:end], ends[begin:end]
        value = loss(sorted_scores[:n], own_values, own_ends, settings, sorted_gradient[:n], bends, work)
        per_query[query] = min(value, _LARGEST)
        for i in range(n):
            gradient[begin + places[i]] = sorted_gradient[i]
        if len(curvature):
            for i in range(n):
                curvature[begin + places[i]] = sorted_curvature[i]


def evaluate_ordered(rule: Rule, scores: ArrayLike, ordered: Ordered, settings: tuple[float, ...], *, curvature: bool = True) -> LossOutput:
    """The loss of some scores, against labels that were put in order before; without curvature it is a little faster."""
    given = _as_numbers(scores, "scores")
    if given.shape != ordered.values.shape:
        raise DataError(f"there are {len(ordered.values)} labels but scores have shape {given.shape}")
    rows = len(given)
    output = LossOutput(np.empty(len(ordered.offsets) - 1), np.empty(rows), np.empty(rows if curvature else 0))
    over_queries(
        _run, ordered.offsets, rule.compiled, given, ordered.order, ordered.ends, ordered.values, np.array(settings, dtype=np.float64),
        output.per_query, output.gradient, output.curvature, ordered.longest, grain=10_000,
    )  # fmt: skip
    return output


_BOUNDS = {
    "balance": (0.0, 1.0, "a number from 0 to 1"),
    "rest": (0.0, 1e300, "a number from 0 on"),
}


def check_settings(**settings: float) -> tuple[float, ...]:
    """The settings as kernels take them, in the order given; an error says which is out of bounds."""
    for name, value in settings.items():
        if name == "k":
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise DataError(f"k must be a whole number from 1 on, got {value!r}")
            if value >= 2**31:
                raise DataError(f"k must be below {2**31:,}, the most documents a query may have, got {value}")
            continue
        low, high, expected = _BOUNDS[name]
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not low <= value <= high:
            raise DataError(f"{name} must be {expected}, got {value!r}")
    return tuple(float(value) for value in settings.values())


def evaluate(rule: Rule, scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, **settings: float) -> LossOutput:
    """Check the settings, put the labels in order, then the loss of the scores."""
    checked = check_settings(**settings)
    return evaluate_ordered(rule, scores, prepare(rule, labels, offsets, checked), checked)
