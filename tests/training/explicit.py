"""Scaling, scores and objectives a second time: the whole scaled table in doubles, and sums over it."""

from __future__ import annotations

import itertools

import numpy as np
from tests.losses import plain

from podium import Dataset
from podium.losses import Loss
from podium.ragged import Floats, Ints


def scaled(features: np.ndarray, offsets: Ints, method: str) -> Floats:
    """The features as the scaling says, in doubles; a feature that is constant there is 0."""
    table = np.array(features, dtype=np.float64)
    if method == "none":
        return table
    parts = [(0, len(table))] if method == "standard" else itertools.pairwise(offsets.tolist())
    for begin, end in parts:
        part = table[begin:end]
        if len(part) == 0:
            continue
        low = part.min(axis=0) if method == "minmax" else part.mean(axis=0)
        width = part.max(axis=0) - part.min(axis=0) if method == "minmax" else part.std(axis=0)
        is_constant = part.max(axis=0) == part.min(axis=0)
        table[begin:end] = np.where(is_constant, 0.0, (part - low) / np.where(is_constant, 1.0, width))
    return table


def mean_loss(data: Dataset, loss: Loss, weights: Floats, scaling: str, queries: Ints | None = None) -> tuple[float, Floats]:
    """Mean over queries and its slope by weight, by the chain rule: Xᵀ ∂loss/∂scores / queries."""
    table = scaled(data.features, data.offsets, scaling)
    out = loss(table @ weights, data.labels, data.offsets)
    chosen = np.arange(data.n_queries) if queries is None else queries
    rows = np.concatenate([np.arange(data.offsets[query], data.offsets[query + 1]) for query in chosen.tolist()] or [np.empty(0, int)])
    count = max(len(chosen), 1)
    return float(out.per_query[chosen].sum() / count), table[rows].T @ out.gradient[rows] / count


def plain_objective(data: Dataset, name: str, weights: Floats, scaling: str, l2: float, **settings: float) -> float:
    """Mean loss + l2/2 Σ w², with nothing of the kernels in it."""
    scores = scaled(data.features, data.offsets, scaling) @ weights
    queries = [slice(begin, end) for begin, end in itertools.pairwise(data.offsets.tolist())]
    total = sum(plain.value(name, scores[rows].tolist(), data.labels[rows].tolist(), **settings) for rows in queries)
    return float(total) / len(queries) + l2 / 2 * float(weights @ weights)
