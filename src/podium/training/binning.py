"""Features as small whole numbers: which of at most 256 bins a value falls in. Done once; boosting then only reads a byte a value.

Eight features of a row lie side by side in one word, and all rows of those eight in one piece: what a histogram of them touches stays in
the nearest cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from podium.ragged import Ints, in_parallel, kernel, over_queries, threads
from podium.scaling import Lines

__all__ = ["BINS", "LANES", "Binned", "bin_features"]

Features = NDArray[np.float32]

LANES, BINS = 8, 256  # features of a word, and bins of a feature at most: those of a byte
_SAMPLED = 2**23  # values that thresholds are found from; of larger collections, rows at equal distances


@final
@dataclass(frozen=True)
class Binned:
    """``codes[f // 8, row, f % 8]`` thresholds of feature f lie below the row's value: x > thresholds[f][b] if and only if code > b."""

    codes: NDArray[np.uint8]  # rows in the order asked for
    thresholds: list[Features]  # ascending, one array a feature

    @property
    def n_features(self) -> int:
        return len(self.thresholds)

    def column(self, feature: int) -> NDArray[np.uint8]:
        """The code of every row."""
        return self.codes[feature // LANES, :, feature % LANES]


def _cuts(values: Features, bins: int) -> Features:
    """Thresholds halfway between neighbouring values: all of them, or those that split rows into bins about equally full."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > bins:
        filled = np.cumsum(counts)
        ends = np.unique(np.searchsorted(filled, np.arange(1, bins) * (filled[-1] / bins)))
        ends = ends[ends < len(distinct) - 1]
    else:
        ends = np.arange(len(distinct) - 1)
    low, high = distinct[ends], distinct[ends + 1]
    middle = ((low.astype(np.float64) + high) / 2).astype(np.float32)
    return np.where((low <= middle) & (middle < high), middle, low)


@kernel
def _code(first, last, offsets, features, order, shift, factor, table, codes):  # type: ignore[no-untyped-def]
    """``table`` has as many thresholds a feature as there can be, the missing ones infinite."""
    width = features.shape[1]
    for query in range(first, last):
        line, begin = query if len(factor) > 1 else 0, offsets[query]
        for i in range(begin, offsets[query + 1]):
            row = begin + order[i]
            for f in range(width):
                x = np.float32((features[row, f] - shift[line, f]) * factor[line, f])
                place = 0
                for step in (128, 64, 32, 16, 8, 4, 2, 1):
                    place += step if table[f, place + step - 1] < x else 0
                codes[f // LANES, i, f % LANES] = place


def bin_features(features: Features, offsets: Ints, lines: Lines, order: NDArray[np.int32], bins: int) -> Binned:
    """Bins of scaled features; ``order`` says which place of its query each row comes from."""
    rows, width = features.shape
    chosen = np.linspace(0, rows - 1, min(rows, max(4096, _SAMPLED // width))).astype(np.int64)
    queries = np.searchsorted(offsets, chosen, side="right") - 1

    def cuts_of(numbers: range) -> list[Features]:
        return [_cuts(lines.column(features[chosen, f], f, queries).astype(np.float32), bins) for f in numbers]

    pieces = min(threads(), width)
    found = in_parallel([lambda part=part: cuts_of(range(part, width, pieces)) for part in range(pieces)])  # type: ignore[misc]
    thresholds = [found[f % pieces][f // pieces] for f in range(width)]
    table = np.full((width, BINS - 1), np.inf, np.float32)
    for f, cuts in enumerate(thresholds):
        table[f, : len(cuts)] = cuts
    codes = np.zeros((-(-width // LANES), rows, LANES), np.uint8)
    over_queries(_code, offsets, np.ascontiguousarray(features), order, lines.shift, lines.factor, table, codes, grain=10_000)
    return Binned(codes, thresholds)
