"""Small lists to try claims on: every scoring from a lattice, smallest first, and then random ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.measures.ranking import Ranking
from podium.ragged import Floats, Ints
from podium.theory.facts import Bench, LossCall

__all__ = ["Lists", "bounds", "costs", "has_ties", "lattice", "lists_of_every_size", "losses_of", "ranking_of", "top_labels"]

QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_SPREADS = (0.1, 0.3, 1.0, 3.0)  # of random scores: bounds are tight where scores are close, loose where they are far apart


@final
@dataclass(frozen=True)
class Lists:
    """Many lists of n documents, ranked down to k. Column j holds the scores of the documents that are truly j-th best."""

    k: int
    scores: Floats
    is_random: bool = False

    @property
    def n(self) -> int:
        return int(self.scores.shape[1])


def lattice(n: int, values: Sequence[float]) -> Floats:
    """Every scoring of n documents with these values, the simplest (smallest sum, then the first) first.

    >>> lattice(2, (0.0, 1.0)).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    rows = np.array(list(itertools.product(values, repeat=n)))
    return rows[np.argsort(np.abs(rows).sum(axis=1), kind="stable")]


def has_ties(scores: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    ranked = np.sort(scores, axis=1)
    return np.asarray((ranked[:, 1:] == ranked[:, :-1]).any(axis=1))


def lists_of_every_size(bench: Bench, purpose: str, *, ties: bool, most: int = 4, longest: int = 8) -> Iterator[Lists]:
    """Lattices of quarters for n up to ``most`` and every k, then random scores for n up to ``longest``."""
    for n in range(2, most + 1):
        grid = lattice(n, QUARTERS)
        kept = grid if ties else grid[~has_ties(grid)]
        yield from (Lists(k, kept) for k in range(1, n + 1))
    random = bench.random(purpose)
    sizes = [(n, k) for n in range(2, longest + 1) for k in range(1, n + 1)]
    each = -(-bench.trials // len(sizes))
    for n, k in sizes:
        yield Lists(k, random.normal(size=(each, n)) * random.choice(_SPREADS, size=(each, 1)), is_random=True)


def bounds(rows: Floats) -> Ints:
    """Offsets of lists that are all equally long."""
    return np.asarray(np.arange(len(rows) + 1) * rows.shape[1], dtype=np.int64)


def ranking_of(scores: Floats, labels: Floats) -> Ranking:
    """Rankings of the lists. Documents come worst first, so that where scores tie the input's order is against the truth."""
    labels = np.broadcast_to(labels, scores.shape)
    return Ranking(scores[:, ::-1].ravel(), labels[:, ::-1].ravel(), bounds(scores))


def top_labels(n: int, k: int) -> Floats:
    """Top-k labels (SPEC, section 1) of documents in true order.

    >>> top_labels(4, 2).tolist()
    [2.0, 1.0, 0.0, 0.0]
    """
    return np.asarray(np.maximum(k - np.arange(n, dtype=float), 0.0))


def losses_of(loss: LossCall, scores: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """Value and slopes of every list, all in one ragged call."""
    out = loss(scores.ravel(), np.broadcast_to(labels, scores.shape).ravel(), bounds(scores))
    return out.per_query, out.gradient.reshape(scores.shape)


def costs(loss: LossCall, scores: Floats, labels: Floats) -> Floats:
    """Value of every list."""
    return losses_of(loss, scores, labels)[0]
