"""Spending judgments: a strategy and a judge who may err label training queries, one after the other, until the budget is gone."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.assessors.driving import label
from podium.assessors.oracle import Oracle, noise_for_accuracy
from podium.dataset import Dataset
from podium.errors import DataError
from podium.labelling import STRATEGIES, TopK, get
from podium.ragged import Floats, Ints

__all__ = ["Spent", "labelled", "within"]


@final
@dataclass(frozen=True)
class Spent:
    """Queries labelled by asking: top-k labels, and how many judgments each query took."""

    data: Dataset
    costs: Ints


def labelled(data: Dataset, *, strategy: str, accuracy: float, k: int, seed: int) -> Spent:
    """Every query of ``data``, which knows the full order, with the top-k labels that asking an oracle of that order gives.

    The oracle takes a document's label (n for the best of n, down to 1) for its worth, and answers by the Bradley-Terry model with the
    noise at which it is right in the share ``accuracy`` of all pairs, on average; 1: it never errs. So it mixes up neighbours often, and
    the best with the last hardly ever. Each query is labelled on its own: the same query gives the same, whatever stands beside it.

    >>> data = Dataset.from_arrays(np.zeros((5, 1)), [3.0, 5.0, 1.0, 4.0, 2.0])
    >>> labelled(data, strategy="insertion", accuracy=1.0, k=2, seed=0).data.labels.tolist()
    [0.0, 2.0, 0.0, 1.0, 0.0]
    """
    _check(data, strategy, accuracy)
    found = [
        _label_query(query, part.labels.tobytes(), strategy=strategy, accuracy=accuracy, k=k, seed=seed) for query, part in data.queries()
    ]
    labels = np.concatenate([np.empty(0), *(labels for labels, _ in found)])
    return Spent(data.with_labels(labels), np.array([cost for _, cost in found], dtype=np.int64))


def _check(data: Dataset, strategy: str, accuracy: float) -> None:
    if get(strategy).asks_grades:
        pairs = ", ".join(name for name, entry in STRATEGIES.items() if not entry.asks_grades)
        raise DataError(f"{strategy} asks for grades, and judgments of pairs are counted here; choose from {pairs}")
    if not 0.5 < accuracy <= 1:
        raise DataError(f"accuracy must be above 0.5 (guessing) and at most 1 (no errors), got {accuracy!r}")
    for query, part in data.queries():
        if len(np.unique(part.labels)) < part.n_rows:
            raise DataError(f"query {query}: a judge of pairs needs a full order, and some labels are equal; break ties first")


@functools.lru_cache(maxsize=1 << 16)  # folds share queries, and every budget of a curve labels them anew
def _label_query(query: str, order: bytes, *, strategy: str, accuracy: float, k: int, seed: int) -> tuple[Floats, int]:
    """Top-k labels of one query's documents, and the judgments that they took; ``order`` holds its full-order labels."""
    worth = np.frombuffer(order)
    items = [f"{query}/{row}" for row in range(len(worth))]  # the query's name is in each: no two queries share their luck
    oracle = Oracle(dict(zip(items, worth.tolist(), strict=True)), noise=_noise(len(worth), accuracy), seed=seed)
    task = TopK(items, min(k, len(items)), strategy=strategy, seed=seed)
    judgments = label(task, oracle)
    found = task.result().labels()
    labels = np.array([found[item] for item in items])
    labels[labels > 0] += k - task.k  # the best has label k, as in podium.truth.top_k, also if there are fewer documents
    labels.flags.writeable = False
    return labels, judgments


@functools.cache
def _noise(n: int, accuracy: float) -> float:
    """Of an oracle that is right in this share of the pairs of n documents worth n, …, 1."""
    return 0.0 if accuracy == 1 or n < 2 else noise_for_accuracy(list(range(n)), accuracy)


def within(spent: Spent, budget: int, seed: int) -> tuple[Dataset, int]:
    """The queries that a budget of judgments pays for, in an order drawn with the seed, and how many judgments they took.

    The first query that would go over the budget ends it. A larger budget pays for the same queries and more.
    """
    order = np.random.default_rng(seed).permutation(spent.data.n_queries)
    paid = np.cumsum(spent.costs[order])
    count = int(np.searchsorted(paid, budget, side="right"))
    if count == 0:
        first = f"the first one takes {paid[0]}" if len(paid) else "there is none"
        raise DataError(f"a budget of {budget} judgments pays for no training query; {first}; raise the budget")
    return spent.data.select_queries(np.sort(order[:count])), int(paid[count - 1])
