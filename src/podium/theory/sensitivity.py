"""Top-k subgroup order sensitive losses (paper 004, Definition 3), decided by going through all orders and all pairs of documents.

What is looked at: scores from a lattice of small integers and halves, ties included, and random ones, each in every arrangement, so
that swapping two scores stays among them. Values differ by 0 or by far more than rounding there, so 1e-10 tells equal from unequal.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.ragged import Floats, Ints
from podium.theory.facts import Flags, LossCall, numbers
from podium.theory.lists import bounds, lattice
from podium.theory.orders import all_orders, groups, stands_before, swap

__all__ = [
    "Failure", "Surface", "equal_in_subgroups", "failures", "lattice_size", "scorings", "slopes_follow", "surface",
    "tied_trials_of", "trials_of",
]  # fmt: skip

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


def _where(on: Surface, row: int, i: int, j: int) -> str:
    return f"n = {on.n}, g = {numbers(on.scores[row])}, documents {i + 1} and {j + 1}"


def _told(on: Surface, row: int, i: int, j: int, y: int, other: Floats) -> str:
    return f"{_where(on, row, i, j)}, y = {_order(on.n, y)}: {on.values[row, y]:.5g} against {other[row, y]:.5g}"


def _symmetry(on: Surface) -> Failure | None:
    """Condition 1: renaming two documents, in the scores and in the truth, changes nothing."""
    for i, j in itertools.combinations(range(on.n), 2):
        other = on.values[_arranged(on.scores, i, j)][:, swap(on.n, i, j)]
        wrong = np.argwhere(np.abs(on.values - other) > _SAME * (1.0 + np.abs(other)))
        if len(wrong):
            row, y = wrong[0]
            return Failure("1", _told(on, row, i, j, y, other))
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


def _rises(on: Surface, i: int, j: int) -> tuple[Ints, Floats, Floats]:
    """The scorings with g_i = g_j; ∂φ(g, σy)/∂g_i - ∂φ(g, y)/∂g_i there, and what rounding may do to it."""
    rows = np.flatnonzero(on.scores[:, i] == on.scores[:, j])
    own = on.slopes[rows][:, :, i]
    return rows, own[:, swap(on.n, i, j)] - own, _SAME * (1.0 + np.abs(own))


def _among(flags: Flags, columns: Ints) -> Flags:
    """The same, but nowhere outside these columns."""
    kept = np.zeros_like(flags)
    kept[:, columns] = flags[:, columns]
    return kept


def _in_none(flags: Flags, columns: Ints) -> Flags:
    """The rows that have it in none of these columns, as a column."""
    return np.asarray(~flags[:, columns].any(axis=1, keepdims=True))


@final
@dataclass(frozen=True)
class Condition:
    """A clause of Definition 3 about a pair of documents: what is looked at, and on which scorings (rows) and orders (columns) it fails.

    ``is_wrong`` is given the differences, what rounding may do to them, and the orders whose subgroup changes or stays when the two
    swap. A clause about some order has one column, and ``words`` for its failure.
    """

    clause: str
    differences: Callable[[Surface, int, int], tuple[Ints, Floats, Floats]]
    is_wrong: Callable[[Floats, Floats, Ints, Ints], Flags]
    words: str = ""


_CONDITIONS = (
    Condition("2≥", _gaps, lambda gap, slack, changing, _: _among(gap < -slack, changing)),  # i before j though g_i < g_j: never cheaper
    Condition(  # for some y dearer
        "2>", _gaps, lambda gap, slack, changing, _: _in_none(gap > slack, changing),
        "no y costs more than its swap",
    ),
    Condition("2=", _gaps, lambda gap, slack, _, staying: _among(np.abs(gap) > slack, staying)),  # the same inside a subgroup
    Condition(  # where g_i = g_j, for some y the slope by g_i is larger once i and j have swapped
        "3", _rises, lambda rise, slack, changing, _: _in_none(rise > slack, changing),
        "no y pulls them apart",
    ),
)  # fmt: skip


def _failure(on: Surface, k: int, condition: Condition) -> Failure | None:
    """How a condition fails on the simplest scores on which it does; None if it holds."""
    found = []
    for i, j in _pairs(on.n):
        rows, differences, slack = condition.differences(on, i, j)
        wrong = np.argwhere(condition.is_wrong(differences, slack, *_differing(on.n, k, i, j)))
        if len(wrong):
            found.append((int(rows[wrong[0, 0]]), int(wrong[0, 1]), i, j))
    if not found:
        return None
    row, y, i, j = min(found, key=lambda one: one[0])
    if condition.words:
        return Failure(condition.clause, f"{_where(on, row, i, j)}: {condition.words}")
    return Failure(condition.clause, _told(on, row, i, j, y, on.values[:, swap(on.n, i, j)]))


def _not_negative(on: Surface) -> Failure | None:
    wrong = np.argwhere(on.values < -_SAME)
    return Failure("0", f"n = {on.n}, g = {numbers(on.scores[wrong[0, 0]])}: {on.values[tuple(wrong[0])]:.5g} < 0") if len(wrong) else None


def failures(on: Surface) -> tuple[Failure | None, ...]:
    """For each k = 1..n the first clause of Definition 3 (but differentiability) that fails, with its simplest scores; None if all hold."""
    common = _not_negative(on) or _symmetry(on)
    return tuple(common or _at(on, k) for k in range(1, on.n + 1))


def _at(on: Surface, k: int) -> Failure | None:
    return next(filter(None, (_failure(on, k, condition) for condition in _CONDITIONS)), None)


def trials_of(on: Surface) -> int:
    """How many (scores, order, pair of documents) were gone through."""
    return on.values.size * on.n * (on.n - 1) // 2


def tied_trials_of(on: Surface) -> int:
    """How many of them have equal scores of the two documents."""
    tied = sum(np.count_nonzero(on.scores[:, i] == on.scores[:, j]) for i, j in itertools.combinations(range(on.n), 2))
    return int(tied * on.values.shape[1])


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
