"""Making features comparable within a query: SCALINGS, the table.

A feature that is constant within a query becomes 0 there; missing values (NaN) are passed over and stay missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import UnknownName
from podium.ragged import Ints, kernel, over_queries

__all__ = ["SCALINGS", "scale"]

Features = NDArray[np.float32]


@kernel
def _minmax(first, last, offsets, features, out):  # type: ignore[no-untyped-def]
    width = features.shape[1]
    low, high = np.empty(width), np.empty(width)
    for query in range(first, last):
        low[:], high[:] = np.inf, -np.inf
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(width):
                value = features[row, j]
                if value < low[j]:
                    low[j] = value
                if value > high[j]:
                    high[j] = value
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(width):
                if np.isnan(features[row, j]):
                    out[row, j] = np.nan
                else:
                    out[row, j] = (features[row, j] - low[j]) / (high[j] - low[j]) if high[j] > low[j] else 0.0


@kernel
def _zscore(first, last, offsets, features, out):  # type: ignore[no-untyped-def]
    width = features.shape[1]
    count, mean, square = np.empty(width), np.empty(width), np.empty(width)
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        count[:], mean[:], square[:] = 0, 0, 0
        for row in range(begin, end):
            for j in range(width):
                if not np.isnan(features[row, j]):
                    count[j] += 1
                    mean[j] += features[row, j]
        mean /= count
        for row in range(begin, end):
            for j in range(width):
                if not np.isnan(features[row, j]):
                    square[j] += (features[row, j] - mean[j]) ** 2
        for row in range(begin, end):
            for j in range(width):
                if np.isnan(features[row, j]):
                    out[row, j] = np.nan
                else:
                    out[row, j] = (features[row, j] - mean[j]) / np.sqrt(square[j] / count[j]) if square[j] > 0 else 0.0


SCALINGS: dict[str, tuple[Callable[..., Any] | None, str]] = {
    "minmax": (_minmax, "(x - min) / (max - min) within the query, as LETOR's QueryLevelNorm"),
    "zscore": (_zscore, "(x - mean) / standard deviation within the query"),
    "none": (None, "as they are"),
}


def scale(features: Features, offsets: Ints, method: str) -> Features:
    """Features scaled within each query by one of SCALINGS.

    >>> scale(np.array([[1, 5], [3, 5], [2, 5]], np.float32), np.array([0, 3]), "minmax").tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]
    """
    if method not in SCALINGS:
        raise UnknownName("scaling", method, SCALINGS)
    run = SCALINGS[method][0]
    if run is None:
        return features
    out = np.empty_like(features, order="C")
    over_queries(run, offsets, np.ascontiguousarray(features), out, grain=10_000)
    return out
