r"""Look for an order-preserving space that a loss gets wrong, from the other end: fix wrong scores, ask for a space that they minimise.

Scores g minimise a convex risk exactly where its slope is 0: Σ_y p_y ∂φ(g, y) = 0. That is linear in p, and so are the inequalities of an
order-preserving space. A linear programme finds the p that keeps them apart the most, or proves that no space has this g as minimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.optimize import linprog

from podium.ragged import Floats, Ints
from podium.theory.orders import group_swap, groups
from podium.theory.sensitivity import Surface, lattice_size
from podium.theory.spaces import Pair

__all__ = ["Found", "nudged_scorings", "proposals", "worst_space"]

_LEAST = 1e-5  # how far apart chances of subgroups must be to count as strictly ordered
_FLOOR = 1e-6  # what every order has, so that no minimiser is at infinity
_NUDGES = (1e-3, 1e-2, 0.05, 0.2)  # by how much a pair of random scores is turned round
_TURNS = (1e-2, 1e-3, 1e-4)  # and one of scores at which a tie is known to be a minimum
_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_ENOUGH = 1e-3  # a space as clear as this is worth showing; the search may stop


@final
@dataclass(frozen=True)
class Found:
    """Chances of whole orders, order preserving by at least ``margin``, whose risk these scores minimise."""

    scores: Floats
    chances: Floats
    margin: float


def _gaps(n: int, k: int, pairs: list[Pair]) -> Floats:
    """A row for each inequality of Definition 2: P(G(σy)) - P(G(y)), as sums of chances of orders."""
    member = (groups(n, k)[None, :] == np.arange(groups(n, k).max() + 1)[:, None]).astype(float)
    rows = [member[other] - member[likelier] for likelier, other in (group_swap(n, k, *pair) for pair in pairs)]
    return np.concatenate(rows)


def _space(slopes: Floats, gaps: Floats) -> tuple[Floats, float] | None:
    """The chances that make all slopes vanish, with the widest margin; None if there are none."""
    orders = gaps.shape[1]
    apart = np.column_stack([gaps, np.ones(len(gaps))])  # P(G(σy)) - P(G(y)) + margin ≤ 0
    still = np.vstack([np.column_stack([slopes.T[:-1], np.zeros(slopes.shape[1] - 1)]), np.append(np.ones(orders), 0.0)])
    right = np.append(np.zeros(slopes.shape[1] - 1), 1.0)
    bounds = [(_FLOOR, 1.0)] * orders + [(_LEAST, 1.0)]
    widest, none = -np.eye(orders + 1)[orders], np.zeros(len(gaps))
    out = linprog(widest, A_ub=apart, b_ub=none, A_eq=still, b_eq=right, bounds=bounds, method="highs", options=_EXACT)
    return (out.x[:orders], float(out.x[orders])) if out.status == 0 else None


def worst_space(on: Surface, rows: Ints, k: int, pairs: list[Pair]) -> Found | None:
    """The clearest space whose minimiser is one of these scorings; the first that is clear enough.

    For losses that a constant added to all scores leaves alone: their slopes sum to 0, so one equation is left out. Slopes may be
    subgradients: scores minimise a convex risk as soon as one of its subgradients vanishes there.
    """
    gaps, best = _gaps(on.n, k, pairs), None
    for row in rows:
        found = _space(on.slopes[row], gaps)
        if found is not None and (best is None or found[1] > best.margin):
            best = Found(on.scores[row], *found)
            if best.margin > _ENOUGH:
                break
    return best


def _lattice_rows(on: Surface) -> Ints:
    """Rows of the lattice, the simplest first; of scorings that differ by a constant, one."""
    rows = on.scores[: lattice_size(on.n)]
    based = rows - rows.min(axis=1, keepdims=True)
    _, first = np.unique(based, axis=0, return_index=True)
    return first[np.argsort(based[first].sum(axis=1), kind="stable")]


def proposals(
    on: Surface, at: Callable[[Floats], Surface], k: int, pairs: list[Pair], wanted: list[Pair], tries: Floats
) -> Iterator[Found]:
    """Spaces that a loss may get wrong, by scores that have a pair which the Bayes ranker wants the wrong way round: scores of the lattice,
    then ``tries``, then scores of the lattice that tie a pair, once it is turned round by a little; last the tie itself.

    ``at`` evaluates the loss at other scores than the lattice's.
    """
    rows = _lattice_rows(on)
    leads = np.stack([on.scores[rows, i] - on.scores[rows, j] for i, j in wanted], axis=1).min(axis=1)
    for where, chosen in ((on, rows[leads < 0.0]), (at(tries), np.arange(len(tries)))):
        if (found := worst_space(where, chosen, k, pairs)) is not None:
            yield found
    tied = worst_space(on, rows[leads == 0.0], k, pairs)
    if tied is not None:
        turned = at(_turned(tied.scores, wanted))
        if (found := worst_space(turned, np.arange(len(turned.scores)), k, pairs)) is not None:
            yield found
        yield tied


def _turned(scores: Floats, wanted: list[Pair]) -> Floats:
    """Scores in which one tied pair is turned round, by less and less."""
    ties = [(i, j) for i, j in wanted if scores[i] == scores[j]]
    return np.array([scores + by * (np.eye(len(scores))[j] - np.eye(len(scores))[i]) / 2.0 for by in _TURNS for i, j in ties])


def nudged_scorings(n: int, wanted: list[Pair], count: int, random: np.random.Generator) -> Floats:
    """Random scores in the right order, but for one pair that the Bayes ranker wants: brought together, and turned round by a little.

    A lattice has wide gaps only; a loss that is nearly consistent is wrong by little.
    """
    scores = np.sort(random.normal(size=(count, n)) * random.choice([0.3, 1.0, 2.0, 4.0], size=(count, 1)), axis=1)[:, ::-1].copy()
    for row, by in zip(scores, random.choice(_NUDGES, size=count), strict=True):
        i, j = wanted[int(random.integers(len(wanted)))]
        row[[i, j]] = random.choice([row[i], row[j], (row[i] + row[j]) / 2.0]) + np.array([-by, by]) / 2.0
    return scores
