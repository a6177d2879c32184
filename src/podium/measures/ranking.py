"""Ranking: scores and labels side by side, sorted once however many measures look at them."""

from __future__ import annotations

import functools
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import DataError
from podium.measures.gain import N_SMALL
from podium.ragged import Floats, Ints, check_offsets, kernel, over_queries
from podium.sorting import DEEPEST, keep_top, rank_rows, rank_values, top_offsets_of, top_rows

__all__ = ["Ranking"]


@final
class Ranking:
    """What a measure sees: every query's documents by score, best first, equal scores in input order.

    Two marks have a meaning of their own. A score of minus infinity is *not retrieved*: the document counts among what could have
    been found, and takes no rank. A label of NaN is *not judged*: it gains nothing, and measures made of preferences pass it over.

    >>> ranking = Ranking([0.1, 0.9, 0.5], labels=[0, 1, 2], offsets=[0, 3])
    >>> ranking.ranked(None)[0].tolist(), ranking.ideal(2)[0].tolist()
    ([1.0, 2.0, 0.0], [2.0, 1.0])
    """

    def __init__(self, scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> None:
        self.scores = _numbers(scores, "scores")
        self.offsets = check_offsets(offsets, len(self.scores))
        self.given_labels = _numbers(labels, "labels")
        if len(self.given_labels) != len(self.scores):
            raise DataError(f"there are {len(self.scores)} scores but {len(self.given_labels)} labels")
        self.sizes: Ints = np.diff(self.offsets)
        self.retrieved: Ints = np.empty(len(self.sizes), np.int64)  # documents with a rank
        odd, self.is_plain = np.empty(len(self.sizes), np.bool_), np.empty(len(self.sizes), np.bool_)
        over_queries(_survey, self.offsets, self.scores, self.given_labels, self.retrieved, odd, self.is_plain)
        self.is_all_judged = True
        if odd.any():
            self._look_closer()
        # Below every label there is: a document that was not judged is never relevant, whatever the threshold.
        self.labels = self.given_labels if self.is_all_judged else np.nan_to_num(self.given_labels, nan=-np.inf)
        self._sorted: dict[str, tuple[float, Floats, Ints]] = {}

    def part(self, first: int, last: int) -> Ranking:
        """Some of the queries; nothing is looked at again, and nothing is copied."""
        rows, queries = slice(int(self.offsets[first]), int(self.offsets[last])), slice(first, last)
        part = object.__new__(Ranking)
        part.scores, part.given_labels, part.labels = self.scores[rows], self.given_labels[rows], self.labels[rows]
        part.offsets = self.offsets[first : last + 1] - rows.start
        part.sizes, part.retrieved, part.is_plain = self.sizes[queries], self.retrieved[queries], self.is_plain[queries]
        part.is_all_judged, part._sorted = self.is_all_judged, {}
        return part

    def _look_closer(self) -> None:
        """Some score or label is not a finite number: say which, unless it is a label that was not judged."""
        bad = np.isnan(self.scores) | (self.scores == np.inf)
        if bad.any():
            row = int(np.argmax(bad))
            raise DataError(f"scores must be numbers below infinity; row {row} is {self.scores[row]}")
        infinite = np.isinf(self.given_labels)
        if infinite.any():
            row = int(np.argmax(infinite))
            raise DataError(f"labels must be finite, or NaN for a document that was not judged; row {row} is {self.given_labels[row]}")
        self.is_all_judged = not np.isnan(self.given_labels).any()

    @property
    def n_queries(self) -> int:
        return len(self.offsets) - 1

    @functools.cached_property
    def order(self) -> Ints:
        """Every row, query by query, best score first."""
        return rank_rows(self.scores, self.offsets)

    @functools.cached_property
    def highest(self) -> Floats:
        """The largest label of each query, 0 at least."""
        ideal, offsets = self.ideal(1)
        first = np.minimum(offsets[:-1], max(len(ideal) - 1, 0))  # a query without documents has no first one
        return np.where(np.diff(offsets) > 0, np.maximum(ideal[first], 0.0), 0.0) if len(ideal) else np.zeros(self.n_queries)

    def ranked(self, depth: int | None) -> tuple[Floats, Ints]:
        """Labels in the order of the scores, the first ``depth`` of each query at least, and their offsets."""
        if depth is not None and 0 < len(self.scores) < 16 * depth * self.n_queries:
            depth = None  # sorting short lists whole is faster than choosing from them
        return self._labels_by("scores", self.scores, depth)

    def ideal(self, depth: int | None) -> tuple[Floats, Ints]:
        """Labels in their own order, highest first, likewise."""
        if depth is None or not 0 < depth <= DEEPEST:
            return self._labels_by("labels", self.labels, depth)
        if "labels" not in self._sorted or self._sorted["labels"][0] < depth:
            offsets = top_offsets_of(self.offsets, depth)
            out, rows = np.empty(offsets[-1]), np.empty(offsets[-1], np.int64)
            over_queries(_best_labels, self.offsets, self.labels, self.is_plain, depth, offsets, rows, out)
            self._sorted["labels"] = (depth, out, offsets)
        return self._sorted["labels"][1:]

    def _labels_by(self, name: str, keys: Floats, depth: int | None) -> tuple[Floats, Ints]:
        if depth is not None and depth < 1:
            raise DataError(f"the cutoff must be a whole number from 1 on, got {depth}")
        wanted = np.inf if depth is None else depth
        if name not in self._sorted or self._sorted[name][0] < wanted:
            if depth is None:
                self._sorted[name] = (wanted, rank_values(keys, self.offsets, self.labels), self.offsets)
            else:
                rows, offsets = top_rows(keys, self.offsets, depth)
                self._sorted[name] = (wanted, self.labels[rows], offsets)
        return self._sorted[name][1:]

    @functools.cached_property
    def judged(self) -> Ranking:
        """The same without the documents that were not judged."""
        if self.is_all_judged:
            return self
        keep = ~np.isnan(self.given_labels)
        counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(keep)])
        return Ranking(self.scores[keep], self.given_labels[keep], counts[self.offsets])


def _numbers(values: ArrayLike, what: str) -> Floats:
    try:
        numbers = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} must be numbers") from None
    if numbers.ndim != 1:
        raise DataError(f"{what} must be a line of numbers, one a row, got shape {numbers.shape}")
    return numbers


_LEVELS = 16  # grades up to which counting is faster than choosing


@kernel
def _count_levels(labels, counts):  # type: ignore[no-untyped-def]
    """``counts[t]``: how many labels are t or more, for t = 1, 2, … while there are any; returns the last such t, -1 if beyond _LEVELS."""
    for level in range(1, _LEVELS + 1):
        count = 0
        for i in range(len(labels)):
            count += labels[i] >= level
        if count == 0:
            return level - 1
        counts[level] = count
    return -1


@kernel
def _best_labels(first, last, offsets, all_labels, is_plain, depth, top_offsets, rows, out):  # type: ignore[no-untyped-def]
    """The highest labels of each query, in order: grades are counted, other labels compared."""
    counts = np.empty(_LEVELS + 1, np.int64)
    for query in range(first, last):
        begin, end = top_offsets[query], top_offsets[query + 1]
        level = _count_levels(all_labels[offsets[query] : offsets[query + 1]], counts) if is_plain[query] else -1
        if level < 0:
            keep_top(query, query + 1, offsets, all_labels, depth, top_offsets, rows)
            for i in range(begin, end):
                out[i] = all_labels[rows[i]]
            continue
        for i in range(begin, end):
            while level > 0 and i - begin >= counts[level]:
                level -= 1
            out[i] = level


@kernel
def _survey(first, last, offsets, all_scores, all_labels, retrieved, odd, is_plain):  # type: ignore[no-untyped-def]
    """One look at every value before measuring: how many documents have a rank, whether anything is not a usual number, and
    whether all labels are small whole numbers, whose gains can be looked up."""
    for query in range(first, last):
        scores, labels = all_scores[offsets[query] : offsets[query + 1]], all_labels[offsets[query] : offsets[query + 1]]
        ranked, usual, plain = 0, 0, 0
        for i in range(len(scores)):
            ranked += scores[i] > -np.inf
            usual += (scores[i] < np.inf) & (abs(labels[i]) < np.inf)
            plain += (labels[i] >= 0.0) & (labels[i] < N_SMALL) & (labels[i] == np.floor(labels[i]))
        retrieved[query], odd[query], is_plain[query] = ranked, usual < len(scores), plain == len(scores)
