"""Every loss of the table, for n up to 5 and every k: is it top-k subgroup order sensitive, is its risk least at the Bayes ranker?

How a loss is told an order y (*our choice*). *top-k*: the labels of the top-k setting, k, k - 1, …, 1 and 0 for the rest; all losses
have this row, and those with a setting k are given the same k. *full*: the labels n, n - 1, …, 1 of the whole order; for losses that are
made for full orders or grades. A loss with a setting k that looks at nothing below place k would have the same row twice, so it has one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.losses import LOSSES
from podium.ragged import Floats
from podium.theory.adversary import nudged_scorings, proposals
from podium.theory.facts import Bench, LossCall, numbers
from podium.theory.orders import Kind, all_orders, groups, labels_of
from podium.theory.risks import Planes, lowest, risk_of, smallest_risk
from podium.theory.sensitivity import (
    Failure,
    Surface,
    equal_in_subgroups,
    failures,
    scorings,
    slopes_follow,
    surface,
    tied_trials_of,
    trials_of,
)
from podium.theory.spaces import Pair, chain_pairs, is_order_preserving, spaces

__all__ = ["FEW", "MANY", "SIZES", "Cell", "Key", "Mistake", "find_mistake", "judge", "keys", "look", "needed"]

SIZES = [(n, k) for n in (2, 3, 4, 5) for k in range(1, n + 1)]
_GRADED = ("cs-listmle",)  # of the losses with a setting k, those to which labels below place k still mean something
_EXTRA = {2: 20, 3: 20, 4: 20, 5: 4}  # random scorings by the length of the list, each in every arrangement
FEW, MANY = 6, 30  # random spaces tried where Theorem 6 promises success, and where it does not
_NUDGED = 200  # nudged scorings that the adversary tries
_CLEARLY = 0.05  # how far the wrong way round a minimiser of a piecewise linear loss is looked for
_LEVEL = 1e-8  # risks that are closer than this are the same; cutting planes are right to 1e-9
_APART = 1e-5  # scores of a minimiser that are closer than this count as equal


@final
@dataclass(frozen=True)
class Key:
    """One question: a loss, how it is told the truth, and the size of the list."""

    loss: str
    kind: Kind
    n: int
    k: int

    def make(self, bench: Bench) -> LossCall:
        """The loss as this question has it."""
        settings = {"k": self.k} if "k" in LOSSES[self.loss].settings else {}
        return bench.loss(self.loss, **settings)

    @property
    def labels(self) -> Floats:
        return labels_of(self.n, self.k, self.kind)

    @property
    def is_scale_free(self) -> bool:
        """Whether only the direction of scores matters, so that (0, …, 0) has none."""
        return LOSSES[self.loss].is_flat_at_zero


@final
@dataclass(frozen=True)
class Mistake:
    """An order-preserving space and a minimiser of its risk that is not the Bayes ranker; by a tie, or the wrong way round."""

    text: str
    is_tie: bool


@final
@dataclass(frozen=True)
class Cell:
    """The answer. ``failures`` has what fails first at each k' = 1..n, whatever k the loss was given.

    ``values`` counts (scores, order), ``trials`` (scores, order, pair of documents), ``tied_trials`` those with equal scores.
    """

    key: Key
    has_kinks: bool
    failures: tuple[Failure | None, ...]
    values: int
    trials: int
    tied_trials: int
    is_equal_in_subgroups: bool
    do_slopes_follow: bool
    spaces: int
    mistake: Mistake | None

    @property
    def failure(self) -> Failure | None:
        return self.failures[self.key.k - 1]

    @property
    def is_sensitive(self) -> bool:
        """Definition 3 whole: the three conditions, not negative, and differentiable."""
        return self.failure is None and not self.has_kinks

    @property
    def sensitivity(self) -> str:
        """The answer in a word: yes, or what fails; a ~ before it says that the loss has kinks."""
        return ("~" if self.has_kinks else "") + ("yes" if self.failure is None else self.failure.clause)

    @property
    def consistency(self) -> str:
        return "yes" if self.mistake is None else "ties" if self.mistake.is_tie else "no"


def keys(names: tuple[str, ...] = tuple(LOSSES)) -> Iterator[Key]:
    """Every question, losses in the order of the table."""
    for name in names:
        kinds: tuple[Kind, ...] = ("top-k", "full") if "k" not in LOSSES[name].settings or name in _GRADED else ("top-k",)
        yield from (Key(name, kind, n, k) for kind in kinds for n, k in SIZES)


def look(bench: Bench, key: Key) -> Surface:
    """The loss of a question on the lattice and on random scores."""
    scores = scorings(key.n, _EXTRA[key.n], bench.random(f"scores {key}"), with_zero=not key.is_scale_free)
    return surface(key.make(bench), scores, key.labels)


def judge(bench: Bench, key: Key) -> Cell:
    """Decide both questions of one cell."""
    on = look(bench, key)
    failing = failures(on)
    tried, mistake = find_mistake(bench, key, on, failing[key.k - 1])
    return Cell(
        key, on.has_kinks, failing, on.values.size, trials_of(on), tied_trials_of(on),
        equal_in_subgroups(on, key.k), slopes_follow(on, key.k), tried, mistake,
    )  # fmt: skip


def needed(n: int, k: int) -> list[Pair]:
    """What the Bayes ranker of the order 1, 2, … needs: the top in order, and all of the rest below the last of it."""
    return [(place, place + 1) for place in range(min(k, n) - 1)] + [(k - 1, place) for place in range(k, n)]


def find_mistake(bench: Bench, key: Key, on: Surface, failure: Failure | None) -> tuple[int, Mistake | None]:
    """Try spaces as Theorem 6 wants them until one has a wrong minimiser: how many were tried, and that one.

    Condition 2 alone keeps a minimiser from being the wrong way round (exchanging the two scores would lower the risk), so where it holds
    the first tie settles it. Where it fails, the search goes on after a tie, which is shown if nothing worse is found.
    """
    loss, random, tie, tried = key.make(bench), bench.random(f"spaces {key}"), None, 0
    count = FEW if failure is None and on.is_bent else MANY
    proposed = itertools.chain(_proposed(loss, key, on, random) if failure else (), spaces(key.n, key.k, count, random))
    for pairs, chances in proposed:
        mistake, tried = _mistake(loss, key, on, pairs, chances), tried + 1
        if mistake is not None and (failure is None or not mistake.is_tie):
            return tried, mistake
        tie = tie or mistake
    return tried, tie


def _proposed(loss: LossCall, key: Key, on: Surface, random: np.random.Generator) -> Iterator[tuple[list[Pair], Floats]]:
    """The adversary's spaces; it has none for losses without a scale, which are not convex."""
    if not key.is_scale_free:
        pairs, wanted = chain_pairs(key.n, key.k, random), needed(key.n, key.k)
        tries = nudged_scorings(key.n, wanted, _NUDGED, random)
        found = proposals(on, lambda scores: surface(loss, scores, key.labels), key.k, pairs, wanted, tries)
        yield from ((pairs, space.chances) for space in found)


def _mistake(loss: LossCall, key: Key, on: Surface, pairs: list[Pair], chances: Floats) -> Mistake | None:
    by_group: Floats = np.bincount(groups(key.n, key.k), weights=chances).astype(float)
    assert all(is_order_preserving(by_group, key.n, key.k, pair) for pair in pairs)
    assert by_group.argmax() == 0, "the likeliest subgroup is 1, 2, …"
    risk = risk_of(loss, key.labels, chances)
    if on.is_bent:
        least = smallest_risk(risk, is_scale_free=key.is_scale_free)
        scores, value = least.scores, least.risk
        wrong = [(i, j) for i, j in needed(key.n, key.k) if scores[i] - scores[j] < _APART]
    else:
        wrong, scores, value = _wrong_in_set(Planes(risk), key)
    if not wrong:
        return None
    i, j = min(wrong, key=lambda pair: scores[pair[0]] - scores[pair[1]])
    is_tie = bool(scores[i] - scores[j] > -_APART)
    behind = f"g{i + 1} = g{j + 1}" if is_tie else f"g{i + 1} < g{j + 1} by {scores[j] - scores[i]:.2g}"
    space = f"P(y) = {_likeliest(key, chances)}" if key.kind == "full" else f"P(top {key.k}) = {_likeliest(key, chances)}"
    text = f"n = {key.n}, {space}: least risk {value:.4g} at {numbers(scores.round(6))}, {behind}"
    return Mistake(text, is_tie)


def _wrong_in_set(planes: Planes, key: Key) -> tuple[list[Pair], Floats, float]:
    """A pair that some minimiser has the wrong way round, else one that some minimiser ties, with that minimiser."""
    least = lowest(planes)
    for by, pair in itertools.product((_CLEARLY, 0.0), needed(key.n, key.k)):
        other = lowest(planes, pair, by)
        if other.risk <= least.risk + _LEVEL:
            return [pair], other.scores, other.risk
    return [], least.scores, least.risk


def _likeliest(key: Key, chances: Floats, most: int = 6) -> str:
    """The largest chances, by what they are chances of: subgroups, or whole orders where the loss sees them."""
    depth = key.n if key.kind == "full" else key.k
    own = groups(key.n, depth)
    _, first = np.unique(own, return_index=True)
    together = np.bincount(own, weights=chances)
    shown = np.argsort(-together, kind="stable")[:most]
    parts = [
        "".join(str(document + 1) for document in all_orders(key.n)[first[group]][:depth]) + f": {together[group]:.3f}" for group in shown
    ]
    return ", ".join(parts) + (", …" if len(together) > most else "")
