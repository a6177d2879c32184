r"""Do assessors agree? Tables, chance-corrected coefficients with intervals, cycles, and a warning when a figure misleads.

Which of two documents is called A is arbitrary, so **every pair is counted in both directions**, as (A, B) and as (B, A): A≻B and B≻A
are then equally frequent, and no figure depends on how documents are named. (Feed another tool both directions to get the same
numbers.) The table of who said what is made in :mod:`podium.labelling.ratings`, the coefficients are in
:mod:`podium.labelling.coefficients`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, final

import numpy as np

from podium.labelling.coefficients import (
    Bootstrap,
    Clusters,
    Figure,
    clusters_of,
    coincidences_of_votes,
    few_queries_notes,
    figure_of,
    kappa,
    krippendorff_alpha,
    over,
    share_agreed,
    share_agreed_strictly,
)
from podium.labelling.cycles import Cycles, cycles_of, triples_of
from podium.labelling.ratings import OUTCOMES, Ratings, count_votes, majority
from podium.ragged import Floats, Ints

__all__ = ["FEW_PAIRS", "SKEWED", "Agreement", "ChiSquare", "Counts", "OutcomeTable", "agreement", "chi_square"]

FEW_PAIRS = 100  # with fewer, even a plain share is known to no better than ±10 points (1.96 · √(¼ / 100))
SKEWED = 0.75  # when one answer has this share, chance alone agrees on more than half


class Counts(NamedTuple):
    """How many times two assessors who judged the same pair said the same, and did not."""

    agreed: int
    disagreed: int


@final
@dataclass(frozen=True, eq=False)
class OutcomeTable:
    """What one assessor said (row) and another said of the same pair (column), over OUTCOMES; each pair in both directions.

    Each of two assessors is once the row, so that the table is symmetric, and so is it end to end.
    """

    counts: Ints

    @property
    def row_shares(self) -> Floats:
        """The probability of the column given the row, as Carterette et al. (2008) and paper 001 print it; NaN in a row without pairs."""
        return over(self.counts.astype(np.float64), self.counts.sum(axis=1, keepdims=True).astype(np.float64))

    @property
    def all_pairs(self) -> Counts:
        return _counts(self.counts)

    @property
    def strict_pairs(self) -> Counts:
        """Of the pairs of which both assessors said that one is better."""
        return _counts(self.counts[::2, ::2])


def _counts(counts: Ints) -> Counts:
    agreed, total = int(np.trace(counts)), int(counts.sum())
    return Counts(agreed // 4, (total - agreed) // 4)  # each was counted for both assessors and in both directions


@dataclass(frozen=True)
class ChiSquare:
    """A test of whether two tools differ in how often assessors agree; one degree of freedom."""

    statistic: float
    p_value: float
    notes: tuple[str, ...] = ()


def chi_square(first: Counts, second: Counts, *, is_corrected: bool = False) -> ChiSquare:
    """Pearson's χ² of agreed against disagreed counts between two tools; ``is_corrected`` with Yates' continuity correction.

    Paper 001 has χ² = 420.7, and 28.5 without ties, but not the counts; both fit its rounded shares with the correction and without
    it, for suitable counts, so which it used cannot be told. Pairs of one query are not independent, nor are three assessors' three
    agreements: the p-value is smaller than it should be. NaN if a tool has no pairs, or if nobody ever agreed or disagreed.

    >>> result = chi_square(Counts(30, 10), Counts(20, 20))
    >>> round(result.statistic, 6) == round(80 * (30 * 20 - 10 * 20) ** 2 / (50 * 30 * 40 * 40), 6)
    True
    """
    counts = np.array([first, second])
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        return ChiSquare(math.nan, math.nan, ("undefined: needs pairs of both tools, some agreed and some disagreed on",))
    from scipy import stats  # half a second to import, and few need it

    found = stats.chi2_contingency(counts, correction=is_corrected)
    smallest = float(found.expected_freq.min())
    notes = (f"few items: an expected count is {smallest:.1f}, below 5, where χ² is a poor guide",) if smallest < 5 else ()
    return ChiSquare(float(found.statistic), float(found.pvalue), notes)


@dataclass(frozen=True)
class Agreement:
    """How far assessors agree with each other, and each with himself or herself."""

    n_queries: int
    n_pairs: int  # judged by two assessors or more
    n_judgments: int  # of those pairs
    assessors: tuple[str, ...]
    table: OutcomeTable
    overall: Figure  # share of agreement, between two assessors of a pair
    without_ties: Figure  # the same, where both said that one is better
    cohen: dict[tuple[str, str], Figure]  # κ of every two assessors with pairs in common
    fleiss: Figure  # κ of all
    alpha_nominal: Figure
    alpha_ordinal: Figure  # a tie lies between the two preferences
    cycles: dict[str, Cycles]  # of each assessor
    majority_cycles: Cycles

    @property
    def notes(self) -> list[str]:
        """What may mislead, each said once."""
        figures = [self.overall, self.without_ties, self.fleiss, self.alpha_nominal, self.alpha_ordinal, *self.cohen.values()]
        return list(dict.fromkeys(note for figure in figures for note in figure.notes))


def agreement(ratings: Ratings, *, bootstrap: Bootstrap | None = None) -> Agreement:
    """Every figure of agreement; intervals draw queries again, with all their pairs, or pairs if there is one query only.

    A share of agreement is over every two assessors of every pair. Figures that cannot be had are NaN, and a note says why.

    >>> from podium.labelling.ratings import Rating
    >>> said = [Rating("q", *pair, who, 1) for pair in ("ab", "bc", "ac") for who in ("ann", "bob")]
    >>> found = agreement(Ratings.of([*said, Rating("q", "a", "d", "ann", 1), Rating("q", "a", "d", "bob", 0)]))
    >>> found.overall.value, found.without_ties.value, found.table.all_pairs, found.cycles["ann"].counts.circular
    (0.75, 1.0, Counts(agreed=3, disagreed=1), 0)
    """
    bootstrap = bootstrap or Bootstrap()
    votes = count_votes(ratings.codes, len(OUTCOMES))
    is_shared = votes.sum(axis=1) >= 2
    queries, votes = ratings.queries[is_shared], votes[is_shared]
    kinds, kind_of = np.unique(votes, axis=0, return_inverse=True)
    of_two = clusters_of(queries, kind_of.ravel(), coincidences_of_votes(kinds, by_rating=False))
    of_ratings = clusters_of(queries, kind_of.ravel(), coincidences_of_votes(kinds, by_rating=True))
    total, size = of_two.total, _size_notes(of_two, len(votes))
    table = OutcomeTable(np.rint(total).astype(np.int64))
    n_strict, by_chance = sum(table.strict_pairs), _chance_notes(total) if len(votes) else []
    return Agreement(
        n_queries=len(np.unique(queries)),
        n_pairs=len(votes),
        n_judgments=int(votes.sum()),
        assessors=ratings.assessors,
        table=table,
        overall=figure_of(share_agreed, of_two, bootstrap, size),
        without_ties=figure_of(share_agreed_strictly, of_two, bootstrap, size if n_strict else [*size, "undefined: no pair without a tie"]),
        cohen=_cohen(ratings, bootstrap),
        fleiss=_fleiss(of_two, votes, bootstrap, [*size, *by_chance]),
        alpha_nominal=figure_of(krippendorff_alpha, of_ratings, bootstrap, [*size, *by_chance]),
        alpha_ordinal=figure_of(partial(krippendorff_alpha, level="ordinal"), of_ratings, bootstrap, [*size, *by_chance]),
        cycles={name: cycles_of(counts, bootstrap) for name, counts in zip(ratings.assessors, triples_of(ratings), strict=True)},
        majority_cycles=cycles_of(triples_of(majority(ratings))[0], bootstrap),
    )


def _fleiss(clusters: Clusters, votes: Ints, bootstrap: Bootstrap, notes: Sequence[str]) -> Figure:
    sizes = votes.sum(axis=1)
    if len(sizes) and sizes.min() != sizes.max():
        why = f"undefined: pairs have {sizes.min()} to {sizes.max()} judgments, and Fleiss' κ needs equally many; Krippendorff's α does not"
        return Figure(math.nan, notes=(why,))
    return figure_of(kappa, clusters, bootstrap, notes)


def _cohen(ratings: Ratings, bootstrap: Bootstrap) -> dict[tuple[str, str], Figure]:
    n = len(OUTCOMES)
    one_each = np.eye(n * n).reshape(n * n, n, n)
    found = {}
    for (i, first), (j, second) in itertools.combinations(enumerate(ratings.assessors), 2):
        both = (ratings.codes[:, [i, j]] >= 0).all(axis=1)
        if both.any():
            cells = ratings.codes[both, i].astype(np.int64) * n + ratings.codes[both, j]
            clusters = clusters_of(ratings.queries[both], cells, one_each)
            notes = [*_size_notes(clusters, int(both.sum())), *_chance_notes(clusters.total)]
            found[first, second] = figure_of(kappa, clusters, bootstrap, notes)
    return found


def _size_notes(clusters: Clusters, n_pairs: int) -> list[str]:
    if n_pairs == 0:
        return ["no pair was judged by two assessors"]
    notes = []
    if n_pairs < FEW_PAIRS:
        points = round(100 * 1.96 * math.sqrt(0.25 / n_pairs))
        notes.append(f"few items: {n_pairs} pairs were judged by two, so that even a plain share is uncertain by up to ±{points} points")
    if not clusters.are_queries:
        notes.append("all pairs are of one query: the interval draws pairs and says nothing of other queries")
        return notes
    return [*notes, *few_queries_notes(int(clusters.times.sum()))]


def _chance_notes(table: Floats) -> list[str]:
    shares = (table.sum(axis=0) + table.sum(axis=1)) / max(2 * table.sum(), 1)
    most = int(shares.argmax())
    if shares[most] == 1:
        return [f"undefined: every judgment is {OUTCOMES[most]}, so that chance alone would agree as well"]
    if shares[most] >= SKEWED:
        chance, agreed = float(shares @ shares), float(share_agreed(table))
        return [
            f"skewed: {shares[most]:.0%} of the judgments are {OUTCOMES[most]}, so that chance alone agrees on {chance:.0%}; "
            f"a coefficient can be low where {agreed:.0%} agree: read both"
        ]
    return []
