"""What Ranking SVM is compared with: SVMs of scikit-learn and dlib.

scikit-learn's (LIBLINEAR) knows of no pairs, so it is given the difference of every pair as a row of its own: that is how Ranking SVM is
done with it. dlib has a Ranking SVM that needs no pairs, for two levels of relevance; a truth of more levels is one of its queries a level.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import podium
from benchmarks.learn_peers import Outcome
from benchmarks.timing import Call
from podium import losses

__all__ = ["BYTES", "DLIB", "SVC", "Subset", "count_pairs", "dlib_fit", "linear_svc_fit", "pairs_of"]

SVC, DLIB = "scikit-learn LinearSVC", "dlib svm_rank_trainer"


@dataclass(frozen=True)
class Subset:
    """Some queries, scaled already; every fit leaves here its outcome, and the seconds that its own form of the data took before."""

    data: podium.Dataset
    C: float
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    making: dict[str, float] = field(default_factory=dict)

    def objective(self, weights: Any) -> float:
        """½ |w|² + C Σ over pairs of max(0, 1 - w·(x_j - x_l)), without the pairs."""
        scores = self.data.features.astype(np.float64) @ weights
        hinge = losses.get("pairwise-hinge")(scores, self.data.labels, self.data.offsets).per_query.sum()
        return float(0.5 * weights @ weights + self.C * hinge)


def _levels(data: podium.Dataset) -> Iterator[Any]:
    """How many rows each level of a query has, worst first."""
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        yield np.unique(data.labels[first:last], return_counts=True)[1]


def count_pairs(data: podium.Dataset) -> int:
    """Pairs of rows of a query of which one is better."""
    return sum(int(sizes.sum()) ** 2 - int((sizes**2).sum()) for sizes in _levels(data)) // 2


def pairs_of(data: podium.Dataset) -> tuple[Any, Any]:
    """x_j - x_l in float64 for every pair of a better row j and a worse row l, every second one turned round, and which are not turned."""
    rows = np.empty((count_pairs(data), data.n_features))
    targets = np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
    begin = 0
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        labels, features = data.labels[first:last], data.features[first:last].astype(np.float64)
        better, worse = np.nonzero(labels[:, None] > labels[None, :])
        own = rows[begin : begin + len(better)]
        np.subtract(features[better], features[worse], out=own)
        own *= targets[begin : begin + len(better), None]
        begin += len(better)
    return rows, targets


def _bytes_of_pairs(data: podium.Dataset) -> int:
    """At the peak: a row of doubles a pair, and LIBLINEAR's own form of it (16 bytes a value, and two more)."""
    return count_pairs(data) * (8 * data.n_features + 16 * (data.n_features + 2))


def _bytes_of_copies(data: podium.Dataset) -> int:
    """A vector of doubles, and what it takes to hold one, for each level that a row is at or below."""
    return sum(int(np.cumsum(sizes)[1:].sum()) for sizes in _levels(data)) * (8 * data.n_features + 48)


BYTES: dict[str, Callable[[podium.Dataset], int]] = {SVC: _bytes_of_pairs, DLIB: _bytes_of_copies}  # of their own forms of the data


def linear_svc_fit(subset: Subset) -> Call:
    """scikit-learn's LinearSVC with the same objective, at its own tolerance (1e-4) and most iterations (1000)."""
    from sklearn.svm import LinearSVC

    start = time.perf_counter()
    rows, targets = pairs_of(subset.data)
    subset.making[SVC] = time.perf_counter() - start

    def fit() -> None:
        model = LinearSVC(loss="hinge", dual=True, fit_intercept=False, C=subset.C, random_state=0).fit(rows, targets)
        subset.outcomes[SVC] = Outcome(model.coef_[0], int(model.n_iter_))

    return fit


def dlib_fit(subset: Subset) -> Call:
    """dlib's Ranking SVM (cutting planes, as SVMrank), at its own tolerance (0.001 of a pair); its C weighs the mean over pairs."""
    import dlib

    start = time.perf_counter()
    data, queries = subset.data, dlib.ranking_pairs()
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        labels = data.labels[first:last]
        rows = [dlib.vector(row) for row in data.features[first:last].astype(np.float64).tolist()]
        for level in np.unique(labels)[1:]:
            query = dlib.ranking_pair()
            query.relevant = dlib.vectors([rows[i] for i in np.flatnonzero(labels == level)])
            query.nonrelevant = dlib.vectors([rows[i] for i in np.flatnonzero(labels < level)])
            queries.append(query)
    subset.making[DLIB] = time.perf_counter() - start
    trainer = dlib.svm_rank_trainer()
    trainer.c = subset.C * count_pairs(data)

    def fit() -> None:
        subset.outcomes[DLIB] = Outcome(np.array(trainer.train(queries).weights), 0)

    return fit
