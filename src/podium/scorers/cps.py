"""Top-k CPS: every feature orders the documents, and the next document is the one that most features put first among those left.

Only the order within a query counts. ``ranks[row, m]`` are the documents of the query that feature m puts above the row, a tie counting
½; so feature m puts row i above row j where ``ranks[i, m] < ranks[j, m]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from podium.ragged import Floats, Ints, kernel, over_queries, summing_kernel
from podium.scorers.plain import check_keys, numbers

__all__ = ["CpsScorer", "above", "ranks_of"]

Features = NDArray[np.float32]
Ranks = NDArray[np.float32]


@kernel
def _rank(first, last, offsets, features, ranks):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n = end - begin
        column = np.empty(n, np.float32)
        for m in range(features.shape[1]):
            for i in range(n):
                column[i] = -features[begin + i, m]
            by_value, i = np.argsort(column), 0
            while i < n:
                j = i
                while j < n and column[by_value[j]] == column[by_value[i]]:
                    j += 1
                j = max(j, i + 1)  # NaN equals nothing
                for place in range(i, j):
                    ranks[begin + by_value[place], m] = i + 0.5 * (j - i - 1)
                i = j


def ranks_of(features: Features, offsets: Ints) -> Ranks:
    """How many documents of its query each feature puts above each row; a tie counts ½."""
    ranks = np.empty(features.shape, np.float32)
    over_queries(_rank, offsets, np.ascontiguousarray(features), ranks, grain=2_000)
    return ranks


@summing_kernel
def above(weights, one, other):  # type: ignore[no-untyped-def]
    """Σ_m θ_m over the features that put ``one`` above ``other``, a tie counting ½."""
    found = 0.0
    for m in range(len(weights)):
        found += weights[m] * ((1.0 if one[m] < other[m] else 0.0) + (1.0 if one[m] <= other[m] else 0.0))
    return 0.5 * found


@summing_kernel
def _energy(weights, ranks):  # type: ignore[no-untyped-def]
    found = 0.0
    for m in range(len(weights)):
        found += weights[m] * ranks[m]
    return found


@kernel
def _choose(first, last, offsets, ranks, weights, scores):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        n = end - begin
        rows, left, energies = ranks[begin:end], np.arange(n), np.empty(n)
        for i in range(n):
            energies[i] = _energy(weights, rows[i])
        equal = 1e-12 * n * np.abs(weights).sum()  # what rounding may make of equal energies
        for place in range(n):
            least, best = np.inf, 0
            for i in range(n - place):
                least = min(least, energies[left[i]])
            while energies[left[best]] > least + equal:
                best += 1
            chosen = left[best]
            scores[begin + chosen] = -1.0 - place
            for i in range(best, n - place - 1):
                left[i] = left[i + 1]
            for i in range(n - place - 1):
                energies[left[i]] -= above(weights, rows[chosen], rows[left[i]])


@final
@dataclass(frozen=True, eq=False)
class CpsScorer:
    """A weight (θ) a feature. A score is minus the place in the list: the document of least energy is taken out, until none is left."""

    weights: Floats

    @property
    def n_features(self) -> int:
        return len(self.weights)

    @property
    def needs_queries(self) -> bool:
        return True

    def scores(self, features: Features, offsets: Ints) -> Floats:
        """One a row, -1 for the first of its query; documents of equal energy in input order; NaN where a feature is missing."""
        scores = np.empty(len(features))
        over_queries(_choose, offsets, ranks_of(features, offsets), self.weights, scores, grain=500)
        scores[np.isnan(features).any(axis=1)] = np.nan
        return scores

    # ---- as plain values ----

    def as_plain(self) -> dict[str, Any]:
        return {"weights": self.weights.tolist()}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> CpsScorer:
        """The reverse; raises DataError with what is wrong."""
        check_keys(plain, "cps", "weights")
        return cls(numbers(plain["weights"], "weights"))
