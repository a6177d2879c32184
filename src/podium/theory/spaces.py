"""Probabilities of top-k subgroups, and which of them are order preserving (paper 004, Definitions 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from podium.ragged import Floats, Ints
from podium.theory.orders import group_count, group_swap, groups

__all__ = ["Pair", "chain_pairs", "chain_space", "coarser", "is_order_preserving", "pair_space", "spaces", "spread_over_orders"]

Pair = tuple[int, int]
_FLOOR = 1e-3  # what extreme spaces leave to the least likely subgroup, relative to the likeliest: no minimiser escapes to infinity


def is_order_preserving(chances: Floats, n: int, k: int, pair: Pair) -> bool:
    """Definition 2: of each two subgroups that differ by swapping i and j, the one with i before j is the likelier.

    >>> is_order_preserving(np.array([0.5, 0.3, 0.2]), 3, 1, (0, 2)), is_order_preserving(np.array([0.5, 0.3, 0.2]), 3, 1, (2, 1))
    (True, False)
    """
    likelier, other = group_swap(n, k, *pair)
    return bool((chances[likelier] > chances[other]).all())


def coarser(chances: Floats, n: int, k: int) -> Floats:
    """Chances of top-(k-1) subgroups from those of top-k subgroups."""
    out = np.zeros(group_count(n, k - 1))
    _, first = np.unique(groups(n, k), return_index=True)
    np.add.at(out, groups(n, k - 1)[first], chances)
    return out


def pair_space(n: int, k: int, pair: Pair, random: np.random.Generator) -> Floats:
    """Random chances of subgroups that are order preserving for one pair, and whatever they like for others."""
    chances = random.dirichlet(np.full(group_count(n, k), random.choice([0.3, 1.0, 5.0]))) + 1e-3
    likelier, other = group_swap(n, k, *pair)
    high, low = np.maximum(chances[likelier], chances[other]), np.minimum(chances[likelier], chances[other])
    chances[likelier], chances[other] = high * 1.05, low  # strictly larger
    return np.asarray(chances / chances.sum())


def chain_pairs(n: int, k: int, random: np.random.Generator) -> list[Pair]:
    """The n - 1 pairs of Theorem 6 for the order 0, 1, …: neighbours down to place k + 1, then each below someone from place k on."""
    chain = [(place, place + 1) for place in range(min(k, n - 1))]
    return chain + [(k - 1 + int(random.integers(0, one)), k - 1 + one) for one in range(2, n - k + 1)]


def _extension(count: int, above: list[tuple[Ints, Ints]], random: np.random.Generator) -> list[int]:
    """All subgroups, likelier ones first: an order drawn among those that agree with the given inequalities."""
    waits = np.zeros((count, count), dtype=bool)  # waits[b, a]: a has to come before b
    for likelier, other in above:
        waits[other, likelier] = True
    found: list[int] = []
    urgency = random.random(count)
    left = np.ones(count, dtype=bool)
    while left.any():
        free = np.flatnonzero(left & ~(waits & left).any(axis=1))
        found.append(int(free[np.argmax(urgency[free])]))
        left[found[-1]] = False
    return found


def chain_space(n: int, k: int, pairs: Iterable[Pair], random: np.random.Generator) -> Floats:
    """Random chances that are order preserving for all these pairs: falling values along an order that agrees with them.

    Half of them are extreme: a few subgroups share nearly everything, the others have next to nothing.
    """
    count = group_count(n, k)
    order = _extension(count, [group_swap(n, k, *pair) for pair in pairs], random)
    if random.random() < 0.5:
        falling = np.where(np.arange(count) <= random.integers(0, count), 1.0, _FLOOR)
    else:
        falling = np.sort(random.dirichlet(np.full(count, random.choice([0.3, 1.0, 5.0]))))[::-1] + _FLOOR
    chances = np.empty(count)
    chances[order] = falling * (1.0 - 0.2 * np.arange(count) / count)  # strictly falling, by enough to be seen in minimisers
    return np.asarray(chances / chances.sum())


def spread_over_orders(chances: Floats, n: int, k: int, random: np.random.Generator) -> Floats:
    """Chances of whole orders with these chances of subgroups. What the rest looks like is free: even, or nearly always the same."""
    own = groups(n, k)
    shares = np.ones(len(own)) if random.random() < 0.3 else random.gamma(0.1, size=len(own)) + _FLOOR
    return np.asarray(chances[own] * shares / np.bincount(own, weights=shares)[own])


def spaces(n: int, k: int, count: int, random: np.random.Generator) -> Iterator[tuple[list[Pair], Floats]]:
    """``count`` spaces as Theorem 6 wants them, each with its pairs, as chances of whole orders."""
    for _ in range(count):
        pairs = chain_pairs(n, k, random)
        yield pairs, spread_over_orders(chain_space(n, k, pairs, random), n, k, random)
