"""Making features comparable: SCALINGS, the table.

A scaling is (x - shift) factor, with a shift and a factor for each feature: one line of them for the whole collection, or one a query.
A feature that is constant there becomes 0; missing values (NaN) are passed over and stay missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from podium.errors import UnknownName
from podium.ragged import Floats, Ints, kernel, over_queries

__all__ = ["SCALINGS", "Lines", "Scaling", "is_any_missing", "lines_of", "scale"]

Features = NDArray[np.float32]


@final
@dataclass(frozen=True)
class Lines:
    """Shifts and factors, a column a feature: one line for all rows, or one a query."""

    shift: Floats
    factor: Floats

    def column(self, values: NDArray[np.float32], feature: int, queries: Ints) -> Floats:
        """Values of one feature, scaled; ``queries`` are the numbers of their queries."""
        line = queries if len(self.factor) > 1 else np.zeros(1, np.int64)
        return np.asarray((values - self.shift[line, feature]) * self.factor[line, feature])


@final
@dataclass(frozen=True)
class Scaling:
    """One row of the table."""

    find: Callable[[Features, Ints], Lines]
    meaning: str
    is_within_query: bool


@kernel
def _missing(first, last, offsets, values, counts):  # type: ignore[no-untyped-def]
    for block in range(first, last):
        part, count = values[offsets[block] : offsets[block + 1]], 0
        for i in range(len(part)):
            count += part[i] != part[i]
        counts[block] = count


def is_any_missing(features: Features) -> bool:
    """Whether any feature is NaN; reads them once, on every core.

    >>> is_any_missing(np.array([[1, np.nan]], np.float32)), is_any_missing(np.array([[1, np.inf]], np.float32))
    (True, False)
    """
    values = np.ascontiguousarray(features).reshape(-1)
    edges = np.append(np.arange(0, len(values), 2**16), len(values))
    counts = np.empty(len(edges) - 1, np.int64)
    over_queries(_missing, edges, values, counts, grain=2**18)
    return bool(counts.any())


@kernel
def _extremes(first, last, offsets, features, low, high):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        low[query], high[query] = np.inf, -np.inf
        least, most = low[query], high[query]
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(features.shape[1]):
                value = features[row, j]
                if value < least[j]:
                    least[j] = value
                if value > most[j]:
                    most[j] = value


@kernel
def _moments(first, last, offsets, features, count, mean, square):  # type: ignore[no-untyped-def]
    """How many values each feature has in each query, their mean, and the sum of their squared distances from it."""
    width = features.shape[1]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n, m, s = count[query], mean[query], square[query]
        n[:], m[:], s[:] = 0, 0, 0
        for row in range(begin, end):
            for j in range(width):
                if not np.isnan(features[row, j]):
                    n[j] += 1
                    m[j] += features[row, j]
        for j in range(width):
            m[j] /= max(n[j], 1.0)
        for row in range(begin, end):
            for j in range(width):
                if not np.isnan(features[row, j]):
                    s[j] += (features[row, j] - m[j]) ** 2


def _minmax(features: Features, offsets: Ints) -> Lines:
    low, high = np.empty((2, len(offsets) - 1, features.shape[1]))
    over_queries(_extremes, offsets, features, low, high, grain=10_000)
    varies = high > low
    return Lines(np.where(varies, low, 0.0), np.divide(1.0, high - low, out=np.zeros_like(low), where=varies))


def _zscore(features: Features, offsets: Ints) -> Lines:
    count, mean, square = _moments_of(features, offsets)
    return _standardising(count, mean, square)


_BLOCK = 4096  # rows whose moments are taken together, and added up in order: the same for every number of threads


def _standard(features: Features, offsets: Ints) -> Lines:
    """One line for all rows, from the moments of blocks of them (Chan, Golub & LeVeque 1979)."""
    edges = np.append(np.arange(0, offsets[-1], _BLOCK), offsets[-1])
    count, mean, square = _moments_of(features, edges)
    whole = np.maximum(count.sum(axis=0, keepdims=True), 1.0)
    centre = (count * mean).sum(axis=0, keepdims=True) / whole
    around = (square + count * (mean - centre) ** 2).sum(axis=0, keepdims=True)
    return _standardising(whole, centre, around)


def _moments_of(features: Features, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    count, mean, square = np.empty((3, len(offsets) - 1, features.shape[1]))
    over_queries(_moments, offsets, features, count, mean, square, grain=10_000)
    return count, mean, square


def _standardising(count: Floats, mean: Floats, square: Floats) -> Lines:
    deviation = np.sqrt(square / np.maximum(count, 1.0))
    return Lines(mean, np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0))


def _none(features: Features, _offsets: Ints) -> Lines:
    return Lines(np.zeros((1, features.shape[1])), np.ones((1, features.shape[1])))


SCALINGS: dict[str, Scaling] = {
    "minmax": Scaling(_minmax, "(x - min) / (max - min) within the query, as LETOR's QueryLevelNorm", True),
    "zscore": Scaling(_zscore, "(x - mean) / standard deviation within the query", True),
    "standard": Scaling(_standard, "(x - mean) / standard deviation over all rows", False),
    "none": Scaling(_none, "as they are", False),
}


@kernel
def _apply(first, last, offsets, features, shift, factor, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        line = query if len(factor) > 1 else 0
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(features.shape[1]):
                out[row, j] = (features[row, j] - shift[line, j]) * factor[line, j]


def lines_of(features: Features, offsets: Ints, method: str) -> Lines:
    """The shifts and factors by which one of SCALINGS makes these features comparable."""
    if method not in SCALINGS:
        raise UnknownName("scaling", method, SCALINGS)
    return SCALINGS[method].find(np.ascontiguousarray(features), offsets)


def scale(features: Features, offsets: Ints, method: str) -> Features:
    """Features scaled by one of SCALINGS.

    >>> scale(np.array([[1, 5], [3, 5], [2, 5]], np.float32), np.array([0, 3]), "minmax").tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]
    """
    lines = lines_of(features, offsets, method)
    if method == "none":
        return features
    out = np.empty_like(features, order="C")
    over_queries(_apply, offsets, np.ascontiguousarray(features), lines.shift, lines.factor, out, grain=10_000)
    return out
