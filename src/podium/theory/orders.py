"""All orders of a few documents, their top-k subgroups, their labels, and what swapping two documents does (paper 004, section 3)."""

from __future__ import annotations

import functools
import itertools
from typing import Literal

import numpy as np

from podium.ragged import Floats, Ints

__all__ = ["Kind", "all_orders", "group_count", "group_swap", "groups", "labels_of", "stands_before", "swap"]

Kind = Literal["top-k", "full"]


@functools.cache
def all_orders(n: int) -> Ints:
    """Every order y of n documents, a row each: ``y[t]`` is the document at place t, from 0 on.

    >>> all_orders(2).tolist()
    [[0, 1], [1, 0]]
    """
    return np.array(list(itertools.permutations(range(n))), dtype=np.int64)


@functools.cache
def places(n: int) -> Ints:
    """The place of every document (column) in every order (row)."""
    return np.argsort(all_orders(n), axis=1)


@functools.cache
def _number(n: int) -> dict[tuple[int, ...], int]:
    return {tuple(order): number for number, order in enumerate(all_orders(n).tolist())}


@functools.cache
def swap(n: int, i: int, j: int) -> Ints:
    """For every order, the number of the one in which documents i and j have changed places: σ_ij⁻¹ y.

    >>> swap(2, 0, 1).tolist()
    [1, 0]
    """
    renamed = np.arange(n)
    renamed[[i, j]] = j, i
    return np.array([_number(n)[tuple(order)] for order in renamed[all_orders(n)].tolist()])


@functools.cache
def groups(n: int, k: int) -> Ints:
    """The number of every order's top-k subgroup; orders that agree on the first k places share one.

    >>> groups(3, 1).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    return np.unique(all_orders(n)[:, :k], axis=0, return_inverse=True)[1].reshape(-1)


def group_count(n: int, k: int) -> int:
    """How many top-k subgroups there are."""
    return int(groups(n, k).max()) + 1


def stands_before(n: int, i: int, j: int) -> Ints:
    """The orders of Y_ij: those with document i before document j."""
    return np.flatnonzero(places(n)[:, i] < places(n)[:, j])


@functools.cache
def group_swap(n: int, k: int, i: int, j: int) -> tuple[Ints, Ints]:
    """Pairs of subgroups (G(y), G(σ_ij⁻¹ y)) that differ, y in Y_ij, each once."""
    before = stands_before(n, i, j)
    pairs = np.stack([groups(n, k)[before], groups(n, k)[swap(n, i, j)[before]]], axis=1)
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return pairs[:, 0], pairs[:, 1]


def labels_of(n: int, k: int, kind: Kind) -> Floats:
    """The labels that state each order: of the top k only (k, k - 1, …, 1, and 0 for the rest), or of the full order (n, n - 1, …, 1).

    >>> labels_of(3, 1, "top-k")[0].tolist(), labels_of(3, 1, "full")[0].tolist()
    ([1.0, 0.0, 0.0], [3.0, 2.0, 1.0])
    """
    best = k if kind == "top-k" else n
    return np.maximum(best - places(n), 0).astype(float)
