"""Top-k subgroup order sensitive losses (paper 004, Definition 3), decided by going through all orders and all pairs of documents.

What is looked at: scores from a lattice of small integers and halves, ties included, and random ones, each in every arrangement, so
that swapping two scores stays among them. Values differ by 0 or by far more than rounding there, so 1e-10 tells equal from unequal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.ragged import Floats, Ints
from podium.theory.facts import LossCall, numbers
from podium.theory.lists import bounds, lattice
from podium.theory.orders import all_orders, groups, stands_before, swap

__all__ = ["Failure", "Surface", "equal_in_subgroups", "failures", "lattice_size", "scorings", "slopes_follow", "surface", "trials_of"]

_VALUES = (0.0, 0.5, 1.0, -1.0, 2.0, 4.0)
_CLOSE = (0.0, 0.0625, 4.0, 4.0625)  # near ties: where slopes differ but values far apart would not show it
_FEW_VALUES, _FEW_CLOSE = (0.0, 1.0, 4.0), (0.0, 4.0, 4.0625)  # for five documents, which have 120 orders
_LONG = 5
_SAME = 1e-10


@final
@dataclass(frozen=True)
class Surface:
    """A loss on every scoring (row) for every order (column) that may be the truth."""

    scores: Floats
    values: Floats
    slopes: Floats  # scoring, order, document
    is_bent: bool  # whether the loss says that it has curvature somewhere

    @property
    def n(self) -> int:
        return int(self.scores.shape[1])

    @property
    def has_kinks(self) -> bool:
        """Whether slopes change though nothing is bent: then the loss is piecewise linear, and not differentiable."""
        return not self.is_bent and bool((np.ptp(self.slopes, axis=0) > _SAME).any())


@final
@dataclass(frozen=True)
class Failure:
    """Which clause of Definition 3 fails, and the simplest scores on which it does."""

    clause: str
    example: str


def scorings(n: int, extra: int, random: np.random.Generator, *, with_zero: bool) -> Floats:
    """The lattice, near ties, then random scores in every arrangement; without (0, …, 0) where a loss has no direction there."""
    drawn = random.normal(size=(extra, n)) * random.choice([0.5, 1.5, 4.0], size=(extra, 1))
    values, close = (_FEW_VALUES, _FEW_CLOSE) if n >= _LONG else (_VALUES, _CLOSE)
    rows = np.concatenate([lattice(n, values), lattice(n, close), drawn[:, all_orders(n)].reshape(-1, n)])
    return rows if with_zero else rows[np.abs(rows).max(axis=1) > 0.0]


def lattice_size(n: int) -> int:
    """How many of the scorings are the lattice; they come first."""
    return int(len(_FEW_VALUES if n >= _LONG else _VALUES) ** n)


def surface(loss: LossCall, scores: Floats, labels: Floats) -> Surface:
    """Evaluate a loss on all scorings and all orders, given as labels, in one ragged call."""
    many = np.repeat(scores, len(labels), axis=0)
    out = loss(many.ravel(), np.tile(labels, (len(scores), 1)).ravel(), bounds(many))
    shape = (len(scores), len(labels))
    return Surface(scores, out.per_query.reshape(shape), out.gradient.reshape(*shape, -1), bool((out.curvature != 0.0).any()))


def _arranged(scores: Floats, i: int, j: int) -> Ints:
    """For every scoring, the row that has the scores of i and j exchanged."""
    where = {tuple(row): number for number, row in enumerate(scores.tolist())}
    exchanged = scores.copy()
    exchanged[:, [i, j]] = scores[:, [j, i]]
    return np.array([where[tuple(row)] for row in exchanged.tolist()])


def _pairs(n: int) -> Iterator[tuple[int, int]]:
    return itertools.permutations(range(n), 2)


def _order(n: int, number: int) -> str:
    return "(" + " ".join(str(document + 1) for document in all_orders(n)[number]) + ")"


def _told(on: Surface, row: int, i: int, j: int, y: int, left: Floats, right: Floats) -> str:
    where = f"n = {on.n}, g = {numbers(on.scores[row])}, documents {i + 1} and {j + 1}, y = {_order(on.n, y)}"
    return f"{where}: {left[row, y]:.5g} against {right[row, y]:.5g}"


def _symmetry(on: Surface) -> Failure | None:
    """Condition 1: renaming two documents, in the scores and in the truth, changes nothing."""
    for i, j in itertools.combinations(range(on.n), 2):
        other = on.values[_arranged(on.scores, i, j)][:, swap(on.n, i, j)]
        wrong = np.argwhere(np.abs(on.values - other) > _SAME * (1.0 + np.abs(other)))
        if len(wrong):
            row, y = wrong[0]
            return Failure("1", _told(on, row, i, j, y, on.values, other))
    return None


def _gaps(on: Surface, i: int, j: int) -> tuple[Ints, Floats, Floats]:
    """The scorings with g_i < g_j; φ(g, y) - φ(g, σy) there, and what rounding may do to it."""
    rows = np.flatnonzero(on.scores[:, i] < on.scores[:, j])
    own, other = on.values[rows], on.values[rows][:, swap(on.n, i, j)]
    return rows, own - other, _SAME * (1.0 + np.abs(own))


def _differing(n: int, k: int, i: int, j: int) -> tuple[Ints, Ints]:
    """Orders of Y_ij whose subgroup changes when i and j swap, and those whose does not."""
    before = stands_before(n, i, j)
    changes = groups(n, k)[before] != groups(n, k)[swap(n, i, j)[before]]
    return before[changes], before[~changes]


def _simplest(failures: list[tuple[int, Failure]]) -> Failure | None:
    return min(failures, key=lambda one: one[0])[1] if failures else None


def _never_cheaper(on: Surface, k: int) -> Failure | None:
    """Condition 2, first part: ranking i before j though g_i < g_j never costs less than the other way round."""
    found = []
    for i, j in _pairs(on.n):
        rows, gap, slack = _gaps(on, i, j)
        changing, _ = _differing(on.n, k, i, j)
        wrong = np.argwhere((gap < -slack)[:, changing])
        if len(wrong):
            row, y = rows[wrong[0, 0]], changing[wrong[0, 1]]
            found.append((int(row), Failure("2≥", _told(on, row, i, j, y, on.values, on.values[:, swap(on.n, i, j)]))))
    return _simplest(found)


def _sometimes_dearer(on: Surface, k: int) -> Failure | None:
    """Condition 2, second part: for some y it costs strictly more."""
    found = []
    for i, j in _pairs(on.n):
        rows, gap, slack = _gaps(on, i, j)
        changing, _ = _differing(on.n, k, i, j)
        wrong = np.flatnonzero(~(gap > slack)[:, changing].any(axis=1))
        if len(wrong):
            row = int(rows[wrong[0]])
            found.append(
                (
                    row,
                    Failure(
                        "2>", f"n = {on.n}, g = {numbers(on.scores[row])}, documents {i + 1} and {j + 1}: no y costs more than its swap"
                    ),
                )
            )
    return _simplest(found)


def _else_equal(on: Surface, k: int) -> Failure | None:
    """Condition 2, third part: orders of one subgroup cost the same."""
    found = []
    for i, j in _pairs(on.n):
        rows, gap, slack = _gaps(on, i, j)
        _, staying = _differing(on.n, k, i, j)
        wrong = np.argwhere((np.abs(gap) > slack)[:, staying])
        if len(wrong):
            row, y = rows[wrong[0, 0]], staying[wrong[0, 1]]
            found.append((int(row), Failure("2=", _told(on, row, i, j, y, on.values, on.values[:, swap(on.n, i, j)]))))
    return _simplest(found)


def _rises(on: Surface, i: int, j: int) -> tuple[Ints, Floats, Floats]:
    """The scorings with g_i = g_j; ∂φ(g, σy)/∂g_i - ∂φ(g, y)/∂g_i there, and what rounding may do to it."""
    rows = np.flatnonzero(on.scores[:, i] == on.scores[:, j])
    own = on.slopes[rows][:, :, i]
    return rows, own[:, swap(on.n, i, j)] - own, _SAME * (1.0 + np.abs(own))


def _pulls_apart(on: Surface, k: int) -> Failure | None:
    """Condition 3: where g_i = g_j, for some y the slope by g_i is larger once i and j have swapped."""
    found = []
    for i, j in _pairs(on.n):
        rows, rise, slack = _rises(on, i, j)
        changing, _ = _differing(on.n, k, i, j)
        wrong = np.flatnonzero(~(rise > slack)[:, changing].any(axis=1))
        if len(wrong):
            row = int(rows[wrong[0]])
            found.append(
                (row, Failure("3", f"n = {on.n}, g = {numbers(on.scores[row])}, documents {i + 1} and {j + 1}: no y pulls them apart"))
            )
    return _simplest(found)


def _not_negative(on: Surface) -> Failure | None:
    wrong = np.argwhere(on.values < -_SAME)
    return Failure("0", f"n = {on.n}, g = {numbers(on.scores[wrong[0, 0]])}: {on.values[tuple(wrong[0])]:.5g} < 0") if len(wrong) else None


def failures(on: Surface) -> tuple[Failure | None, ...]:
    """For each k = 1..n the first clause of Definition 3 (but differentiability) that fails, with its simplest scores; None if all hold."""
    common = _not_negative(on) or _symmetry(on)
    return tuple(common or _at(on, k) for k in range(1, on.n + 1))


def _at(on: Surface, k: int) -> Failure | None:
    return _never_cheaper(on, k) or _sometimes_dearer(on, k) or _else_equal(on, k) or _pulls_apart(on, k)


def trials_of(on: Surface) -> int:
    """How many (scores, order, pair of documents) were gone through."""
    return on.values.size * on.n * (on.n - 1) // 2


def equal_in_subgroups(on: Surface, k: int) -> bool:
    """Proposition 4: orders of one top-k subgroup cost the same."""
    own = groups(on.n, k)
    _, first = np.unique(own, return_index=True)
    return bool((np.abs(on.values - on.values[:, first[own]]) <= _SAME * (1.0 + np.abs(on.values))).all())


def slopes_follow(on: Surface, k: int) -> bool:
    """Proposition 5: where g_i = g_j, ∂φ(g, σy)/∂g_i ≥ ∂φ(g, y)/∂g_i for y in Y_ij, with equality inside a subgroup."""
    for i, j in _pairs(on.n):
        _, rise, slack = _rises(on, i, j)
        changing, staying = _differing(on.n, k, i, j)
        if (rise < -slack)[:, changing].any() or (np.abs(rise) > slack)[:, staying].any():
            return False
    return True
