"""Boosting a second time, slowly: RankBoost, AdaRank and FocusedBoost from their definitions (SPEC, section 3).

Pairs are listed one by one and carry their weights from round to round; orders are sorted and measured by hand. Nothing is shared with
the package. Each class is told which ranker was chosen, so that choices among equals need not agree; what it gains is for the test to ask.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from tests.losses.plain import top_and_rest

from podium import Dataset
from podium.ragged import Floats, Ints, offsets_of
from podium.training.watching import Watch

Kind = Literal["graded", "full", "top-k"]
Chosen = tuple[int, float | None, float]  # a feature, its threshold if any, and the weight
E = Callable[[Sequence[float]], float]  # of labels, the first-ranked first

# ---- what they are tried on ----


def ragged(kind: Kind = "graded", *, seed: int = 0, sizes: Sequence[int] = (7, 1, 0, 6, 9, 2, 0, 8, 5), k: int = 4) -> Dataset:
    """Queries of many sizes, one of one document and empty ones; six features: four with noise, of which two tie often, two constant.

    The first two differ for every document, the third and fourth have four values, the fifth is constant everywhere, the sixth is
    constant in each query.
    """
    random, rows, offsets = np.random.default_rng(seed), sum(sizes), offsets_of(sizes)
    hidden, query = random.normal(size=rows), np.repeat(np.arange(len(sizes)), sizes)
    seen = hidden[:, None] + 1.5 * random.normal(size=(rows, 4))
    features = np.column_stack([seen[:, :2], np.clip(np.round(seen[:, 2:]), -1, 2), np.full(rows, 3.0), query]).astype(np.float32)
    labels = np.clip(np.round(hidden + 1), 0, 2) if kind == "graded" else np.empty(rows)
    if kind != "graded":
        for begin, end in itertools.pairwise(offsets.tolist()):
            labels[begin:end] = np.argsort(np.argsort(hidden[begin:end])) + 1
    if kind == "top-k":
        labels = np.maximum(labels - np.repeat(sizes, sizes) + k, 0)
    return Dataset.from_arrays(features, labels, offsets=offsets)


def many(kind: Kind = "graded", *, seed: int = 0, **shape: Any) -> Dataset:
    """The same with twice as many features: more than lie side by side in one word, and none of its places has only constant ones."""
    one, other = (ragged(kind, seed=number, **shape) for number in (seed, seed + 1000))
    return Dataset.from_arrays(np.hstack([one.features[:, ::-1], other.features]), one.labels, offsets=one.offsets)


def rows_of(offsets: Ints) -> list[range]:
    return [range(begin, end) for begin, end in itertools.pairwise(offsets.tolist())]


def minmax(features: np.ndarray, offsets: Ints) -> Floats:
    """(x - min) / (max - min) within the query, 0 where the feature is constant; in doubles."""
    table = np.zeros(features.shape)
    for rows, f in itertools.product(rows_of(offsets), range(features.shape[1])):
        values = [float(features[row, f]) for row in rows]
        for row in rows if len(set(values)) > 1 else ():
            table[row, f] = (float(features[row, f]) - min(values)) * (1.0 / (max(values) - min(values)))
    return table


def above(table: Floats, feature: int, threshold: float) -> Floats:
    """The ranker [x > θ]; features are numbers of single precision."""
    return np.array([1.0 if np.float32(x) > np.float32(threshold) else 0.0 for x in table[:, feature]])


def weight(gain: float) -> float:
    return 0.5 * math.log((1 + gain) / (1 - gain))


def rounds_of(watch: Watch) -> list[Chosen]:
    """What a training chose, one after the other: what each partial model has more than the one before."""
    models: list[Any] = [watch.scorer(np.array([float(count)])) for count in range(len(watch.history))]
    found: list[Chosen] = []
    for model, following in itertools.pairwise(models):
        old, new = ({(f, threshold): step for f, threshold, step in one.rounds()} for one in (model, following))
        steps: list[Chosen] = [(*place, step - old.get(place, 0.0)) for place, step in new.items() if step != old.get(place, 0.0)]
        singles = [
            (int(f), None, float(following.weights[f] - model.weights[f])) for f in np.flatnonzero(following.weights != model.weights)
        ]
        assert len(steps) + len(singles) == 1
        found += steps or singles
    return found


# ---- pairs ----


class Pairs:
    """D over pairs (j, l) of which j is better, normalised over all queries; uniform at first."""

    def __init__(self, pairs: Sequence[tuple[int, int]], n_rows: int) -> None:
        self.pairs, self.scores = list(pairs), np.zeros(n_rows)
        self.weights = [1.0 / len(self.pairs) for _ in self.pairs]
        self.better, self.worse = (np.array([pair[side] for pair in self.pairs], dtype=np.int64) for side in (0, 1))

    @classmethod
    def of_labels(cls, data: Dataset) -> Pairs:
        found = [(j, t) for rows in rows_of(data.offsets) for j in rows for t in rows if data.labels[j] > data.labels[t]]
        return cls(found, data.n_rows)

    def gain(self, h: Floats) -> float:
        """r = Σ D (h_j - h_l)."""
        return float(np.dot(self.weights, h[self.better] - h[self.worse]))

    def loss(self) -> float:
        return math.fsum(math.exp(-(self.scores[j] - self.scores[t])) for j, t in self.pairs)

    def potentials(self) -> Floats:
        """For every row, what D has for it less what D has against it."""
        found = np.zeros(len(self.scores))
        for (j, t), share in zip(self.pairs, self.weights, strict=True):
            found[j] += share
            found[t] -= share
        return found

    def add(self, h: Floats, alpha: float) -> None:
        """D ← D e^-α(h_j - h_l) / Z."""
        self.scores = self.scores + alpha * h
        grown = [share * math.exp(-alpha * (h[j] - h[t])) for (j, t), share in zip(self.pairs, self.weights, strict=True)]
        total = math.fsum(grown)
        self.weights = [one / total for one in grown]


# ---- lists ----


def average_precision(labels: Sequence[float]) -> float:
    found, total = 0, 0.0
    for rank, label in enumerate(labels, 1):
        if label > 0:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def ndcg(cutoff: int) -> E:
    def dcg(labels: Sequence[float]) -> float:
        return sum((2**label - 1) / math.log2(1 + rank) for rank, label in enumerate(labels[:cutoff], 1))

    def share(labels: Sequence[float]) -> float:
        best = dcg(sorted(labels, reverse=True))
        return dcg(labels) / best if best > 0 else 0.0

    return share


def of_query(measure: E, scores: Sequence[float], labels: Sequence[float]) -> float:
    """E of one query; of equal scores, the worse document first."""
    return measure([labels[i] for i in sorted(range(len(labels)), key=lambda i: (-scores[i], labels[i]))])


class Lists:
    """W over queries, equal at first, then ∝ e^-E(H, q); ``queries`` are rows, ``labels`` of all rows."""

    def __init__(self, measure: E, queries: Sequence[Sequence[int]], labels: Floats) -> None:
        self.measure, self.queries, self.labels = measure, queries, labels

    def of(self, scores: Floats) -> list[float]:
        return [of_query(self.measure, [scores[i] for i in rows], [self.labels[i] for i in rows]) for rows in self.queries]

    def objective(self, scores: Floats) -> float:
        return sum(math.exp(-value) for value in self.of(scores)) / len(self.queries)

    def weights(self, scores: Floats) -> list[float]:
        losses = [math.exp(-value) if np.any(scores) else 1.0 for value in self.of(scores)]
        return [loss / sum(losses) for loss in losses]

    def gain(self, h: Floats, weights: Sequence[float]) -> float:
        """Σ W E(h)."""
        return sum(share * value for share, value in zip(weights, self.of(h), strict=True))


# ---- both ----


class Focused:
    """g(h) = β Σ W E(h, T) + (1 - β) Σ_{T × F} D (h_u - h_v), E = NDCG@k on T with labels k, k - 1, …"""

    def __init__(self, data: Dataset, k: int, balance: float) -> None:
        self.balance, queries, labels, pairs = balance, [], np.zeros(data.n_rows), []
        for rows in rows_of(data.offsets):
            own = [float(data.labels[row]) for row in rows]
            top, rest = top_and_rest(own, k) if rows else ([], [])
            pairs += [(rows[u], rows[v]) for u in top for v in rest]
            for u in top:
                labels[rows[u]] = k - sum(label > own[u] for label in own)
            if len(top) > 1:  # one document has no order
                queries.append([rows[u] for u in top])
        self.pairs, self.lists, self.scores = Pairs(pairs, data.n_rows), Lists(ndcg(k), queries, labels), np.zeros(data.n_rows)

    def gains(self, rankers: Sequence[Floats]) -> list[float]:
        weights = self.lists.weights(self.scores)
        return [self.balance * self.lists.gain(h, weights) + (1 - self.balance) * self.pairs.gain(h) for h in rankers]

    def objective(self) -> float:
        return self.balance * self.lists.objective(self.scores) + (1 - self.balance) * self.pairs.loss() / max(len(self.pairs.pairs), 1)

    def add(self, h: Floats, alpha: float) -> None:
        self.scores = self.scores + alpha * h
        self.pairs.add(h, alpha)
