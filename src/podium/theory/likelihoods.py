r"""Paper 003, hierarchical ordering models: do the probabilities of all top-k rankings sum to 1?

Our losses are -ln P without the factors that the paper leaves open ("∝"). Summed over all T and all orders of T,

.. math:: Z(s) = \sum_T P_{TF}(T) \sum_\pi P_T(\pi) = \sum_{\text{top-k rankings}} e^{-\ell(s, y)}

is the factor that is missing. For HOM-GG every document is in as many sets T as there are ways to choose the others, so Z = C(n - 1, k - 1)
for any scores. For HOM-OO and HOM-OG it depends on the scores.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from podium.ragged import Floats
from podium.theory.facts import Batch, Bench, LossCall, Outcome, numbers, outcome
from podium.theory.lists import costs, lattice

__all__ = ["constant_gg", "constant_og", "constant_oo", "normalised", "totals"]

_VALUES = (0.0, 0.5, 1.0, 2.0)


def top_rankings(n: int, k: int) -> Floats:
    """Top-k labels of every top-k ranking of n documents, one a row."""
    labels = np.zeros((math.perm(n, k), n))
    for row, top in zip(labels, itertools.permutations(range(n), k), strict=True):
        row[list(top)] = np.arange(k, 0, -1)
    return labels


def probabilities(loss: LossCall, scores: Floats, k: int) -> Floats:
    """e^-loss of every top-k ranking (columns) under every scoring (rows)."""
    rankings = top_rankings(scores.shape[1], k)
    many = np.repeat(scores, len(rankings), axis=0)
    return np.asarray(np.exp(-costs(loss, many, np.tile(rankings, (len(scores), 1))).reshape(len(scores), -1)))


def totals(loss: LossCall, scores: Floats, k: int) -> Floats:
    """Z of every scoring."""
    return np.asarray(probabilities(loss, scores, k).sum(axis=1))


def _scorings(bench: Bench, purpose: str) -> Iterator[tuple[Floats, int, bool]]:
    for n in range(2, 5):
        yield from ((lattice(n, _VALUES), k, False) for k in range(1, n + 1))
    random = bench.random(purpose)
    each = bench.trials // 40 + 1
    for n in range(2, 6):
        yield from ((random.normal(size=(each, n)) * 2.0, k, True) for k in range(1, n + 1))


def _told(scores: Floats, k: int, found: Floats, wanted: float) -> Callable[[int], str]:
    return lambda row: f"n = {scores.shape[1]}, k = {k}, scores {numbers(scores[row])}: sum {found[row]:.4g}, not {wanted:.4g}"


def _equal(scores: Floats, k: int, found: Floats, wanted: float, is_random: bool) -> Batch:
    return Batch(~np.isclose(found, wanted, rtol=1e-10, atol=0.0), _told(scores, k, found, wanted), is_random)


def constant_gg(bench: Bench) -> Outcome:
    """Z of HOM-GG is C(n - 1, k - 1)."""
    return outcome(
        _equal(scores, k, totals(bench.loss("hom-gg", k=k), scores, k), math.comb(scores.shape[1] - 1, k - 1), is_random)
        for scores, k, is_random in _scorings(bench, "gg")
    )


def _constant(bench: Bench, name: str) -> Outcome:
    """Whether Z is the same for all scores; what it is for equal scores comes first."""
    lowest, highest = math.inf, -math.inf

    def batches() -> Iterator[Batch]:
        nonlocal lowest, highest
        for scores, k, is_random in _scorings(bench, name):
            loss = bench.loss(name, k=k)
            found, at_equal = totals(loss, scores, k), totals(loss, np.zeros((1, scores.shape[1])), k)[0]
            lowest, highest = min(lowest, found.min()), max(highest, found.max())
            yield _equal(scores, k, found, at_equal, is_random)

    tried = outcome(batches())
    return Outcome(tried.trials, tried.counterexample, f"sums between {lowest:.4f} and {highest:.4f} before normalisation")


def constant_oo(bench: Bench) -> Outcome:
    """Z of HOM-OO does not depend on the scores: false."""
    return _constant(bench, "hom-oo")


def constant_og(bench: Bench) -> Outcome:
    """Z of HOM-OG does not depend on the scores: false for 1 < k < n."""
    return _constant(bench, "hom-og")


def normalised(bench: Bench) -> Outcome:
    """Divided by Z, each model is a distribution over top-k rankings; and inside T the orders sum to P_TF(T) / Z already, whatever T."""

    def batches() -> Iterator[Batch]:
        for scores, k, is_random in _scorings(bench, "normalised"):
            n = scores.shape[1]
            sets = np.array([sum(1 << place for place in np.flatnonzero(row)) for row in top_rankings(n, k)])
            for name in ("hom-gg", "hom-oo", "hom-og"):
                chances = probabilities(bench.loss(name, k=k), scores, k)
                shares = chances / chances.sum(axis=1, keepdims=True)
                by_set = np.stack([shares[:, sets == one].sum(axis=1) for one in np.unique(sets)], axis=1)
                wanted = np.stack([set_chance(name, scores, one) for one in np.unique(sets)], axis=1)
                wanted /= wanted.sum(axis=1, keepdims=True)
                is_wrong = (chances < 0.0).any(axis=1) | ~np.isclose(by_set, wanted, rtol=1e-9, atol=1e-15).all(axis=1)
                yield Batch(is_wrong, _told(scores, k, by_set.sum(axis=1), 1.0), is_random)

    return outcome(batches())


def set_chance(name: str, scores: Floats, members: int) -> Floats:
    """P_TF(T) as the paper prints it (Eq. 5, 6, 7); bit d of ``members`` says whether document d is in T."""
    inside = np.array([bool(members >> place & 1) for place in range(scores.shape[1])])
    e = np.exp(scores)
    top, rest = e[:, inside], e[:, ~inside]
    if name == "hom-gg":
        return np.asarray(top.sum(axis=1) / e.sum(axis=1))
    if name == "hom-oo":
        return np.asarray((top[:, :, None] / (top[:, :, None] + rest[:, None, :])).prod(axis=(1, 2)))
    return np.asarray((top / (top + rest.sum(axis=1, keepdims=True))).prod(axis=1))
