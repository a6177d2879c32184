"""Linear scorers: a weighted sum of scaled features.

Features are read once, four rows at a time, and scaled on the way: no scaled copy is made. Each query's pass asks the memory for the
next query's rows, so that they arrive while it computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from podium.errors import DataError
from podium.ragged import Floats, Ints, kernel, over_queries, summing_kernel
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers.plain import check_keys, lines_from_plain, lines_to_plain, numbers

__all__ = ["LinearScorer", "dot_rows", "fetch", "linear_scores", "own_weights"]

Features = NDArray[np.float32]

LINE = 16  # floats of a cache line


@intrinsic
def fetch(_context, array, place):  # type: ignore[no-untyped-def]
    """Ask for a place of an array, to be near when it is needed; nothing waits, and a place beyond the end does no harm."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [address, word(0), word(2), word(1)])  # to read, into the second level, as data
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@summing_kernel
def dot_rows(features, weights, base, scores, flat, ahead):  # type: ignore[no-untyped-def]
    """Σ_j x_j w_j - base of every row, in doubles; meanwhile fetches half as much of ``flat`` from ``ahead`` on."""
    rows, width = len(scores), len(weights)
    for row in range(0, rows - 3, 4):
        a, b, c, d = features[row], features[row + 1], features[row + 2], features[row + 3]
        for place in range(ahead, ahead + 2 * width, LINE):
            fetch(flat, place)  # type: ignore[call-arg]
        ahead += 2 * width
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(width):
            w = weights[j]
            s0 += a[j] * w
            s1 += b[j] * w
            s2 += c[j] * w
            s3 += d[j] * w
        scores[row], scores[row + 1], scores[row + 2], scores[row + 3] = s0 - base, s1 - base, s2 - base, s3 - base
    for row in range(rows - rows % 4, rows):
        a, s0 = features[row], 0.0
        for j in range(width):
            s0 += a[j] * weights[j]
        scores[row] = s0 - base


@kernel
def own_weights(weights, shift, factor, query, own):  # type: ignore[no-untyped-def]
    """The weights that unscaled features of a query meet, and what is taken off their sum."""
    line = query if len(factor) > 1 else 0
    base = 0.0
    for j in range(len(weights)):
        own[j] = weights[j] * factor[line, j]
        base += own[j] * shift[line, j]
    return base


@kernel
def _score(first, last, offsets, features, weights, shift, factor, scores):  # type: ignore[no-untyped-def]
    own = np.empty(len(weights))
    flat = features.reshape(-1)
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        base = own_weights(weights, shift, factor, query, own)
        dot_rows(features[begin:end], own, base, scores[begin:end], flat, end * len(weights))


def linear_scores(features: Features, offsets: Ints, weights: Floats, lines: Lines) -> Floats:
    """The score of every row: the weighted sum of its scaled features."""
    scores = np.empty(len(features))
    over_queries(_score, offsets, np.ascontiguousarray(features), weights, lines.shift, lines.factor, scores, grain=20_000)
    return scores


@final
@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Weights, and how features are scaled before they meet them."""

    weights: Floats
    scaling: str = "none"
    lines: Lines | None = None  # the shifts and factors found in training; None where each query has its own

    def __post_init__(self) -> None:
        if self.lines is not None and self.lines.shift.shape != (1, len(self.weights)):
            raise DataError(f"{len(self.weights)} weights need as many shifts and factors, got {self.lines.shift.shape[-1]}")

    @property
    def n_features(self) -> int:
        return len(self.weights)

    @property
    def needs_queries(self) -> bool:
        """Whether a row's score depends on the other rows of its query."""
        return SCALINGS[self.scaling].is_within_query

    def scores(self, features: Features, offsets: Ints) -> Floats:
        """One score a row."""
        lines = self.lines if self.lines is not None else lines_of(features, offsets, self.scaling)
        return linear_scores(features, offsets, self.weights, lines)

    # ---- as plain values ----

    def as_plain(self) -> dict[str, Any]:
        return {"weights": self.weights.tolist(), "scaling": self.scaling, "lines": lines_to_plain(self.lines)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> LinearScorer:
        """The reverse; raises DataError with what is wrong."""
        check_keys(plain, "linear", "weights", "scaling", "lines")
        weights = numbers(plain["weights"], "weights")
        return cls(weights, plain["scaling"], lines_from_plain(plain["scaling"], plain["lines"], len(weights)))
