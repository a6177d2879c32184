r"""Agreement beyond chance as a function of a table of counts, and its interval.

Every function takes tables in the last two axes and any axes before them. Tables add up, one for each query; so a bootstrap over queries
adds the drawn ones, and 2,000 resamples of 40,000 pairs take no time. The coefficients are written out here for that reason; the tests
hold them against outside libraries.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError
from podium.labelling.ratings import count_votes
from podium.ragged import Floats, Ints

__all__ = [
    "FEW_QUERIES", "Bootstrap", "Clusters", "Figure", "Level", "clusters_of", "coincidences", "coincidences_of_votes", "few_queries_notes",
    "figure_of", "kappa", "krippendorff_alpha", "over", "share_agreed", "share_agreed_strictly",
]  # fmt: skip

FEW_QUERIES = 20  # with fewer, percentile intervals over queries are known to come out too narrow

Level = Literal["nominal", "ordinal"]


def coincidences_of_votes(votes: Ints, *, by_rating: bool) -> Floats:
    """Of each item its own table of :func:`coincidences`, from how many said each category: ``votes[item, category]``."""
    tables = votes[:, :, None] * (votes[:, None, :] - np.eye(votes.shape[1]))
    return tables / np.maximum(votes.sum(axis=1) - 1, 1)[:, None, None] if by_rating else tables


def coincidences(codes: NDArray[np.integer], n_categories: int, *, by_rating: bool) -> Floats:
    """How often two assessors of an item said c and c', summed over items: ``codes[item, assessor]``, −1 where there is no rating.

    Every two assessors count in both orders, so the table is symmetric. ``by_rating`` divides each item by its number of ratings
    less one, as Krippendorff's α wants it: each rating then counts once, however many colleagues it had.

    >>> coincidences(np.array([[0, 0, 1], [1, 1, -1]]), 2, by_rating=True)
    array([[1., 1.], [1., 2.]])
    """
    total: Floats = coincidences_of_votes(count_votes(codes, n_categories), by_rating=by_rating).sum(axis=0)
    return total


def share_agreed(tables: Floats) -> Floats:
    """The share of the counts on which both said the same; NaN without counts."""
    agreed: Floats = np.trace(tables, axis1=-2, axis2=-1)
    return over(agreed, tables.sum(axis=(-2, -1)))


def share_agreed_strictly(tables: Floats) -> Floats:
    """The same, of the counts where neither said the middle category: a tie, for pairs."""
    return share_agreed(tables[..., ::2, ::2])


def over(above: Floats, below: Floats) -> Floats:
    """The quotient, NaN where nothing is below."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, np.divide(above, below))


def kappa(tables: Floats) -> Floats:
    r"""Agreement beyond chance, of a table of counts: rows what one assessor said, columns what the other said of the same items.

    .. math:: \kappa = \frac{P_o - P_e}{1 - P_e}, \quad P_o = \sum_c \frac{t_{cc}}{n}, \quad P_e = \sum_c \frac{t_{c\cdot}t_{\cdot c}}{n^2}

    Of two assessors' table it is Cohen's κ (1960). Of the :func:`coincidences` of items with equally many ratings it is Fleiss' κ
    (1971). NaN if all said one and the same, as nothing is then left beyond chance.

    >>> float(kappa(np.array([[20.0, 5.0], [10.0, 15.0]])))  # (.7 - .5) / (1 - .5)
    0.4
    """
    n = tables.sum(axis=(-2, -1))
    chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    return over(n * np.trace(tables, axis1=-2, axis2=-1) - chance, n * n - chance)


def krippendorff_alpha(tables: Floats, level: Level = "nominal") -> Floats:
    r"""Krippendorff's α of a table of :func:`coincidences` by rating; ratings may be missing.

    Krippendorff, Content Analysis (2004), section 11.3, with :math:`n_c` the sums of the rows of o, and n their sum:

    .. math:: \alpha = 1 - (n - 1) \frac{\sum_{ck} o_{ck}\, \delta^2_{ck}}{\sum_{ck} n_c n_k\, \delta^2_{ck}}

    ``nominal``: δ² is 1 for unlike categories; ``ordinal``: :math:`\delta_{ck} = \sum_{g=c}^{k} n_g - (n_c + n_k)/2`, so far apart
    counts more. NaN if only one category was ever used.

    >>> float(krippendorff_alpha(np.array([[4.0, 1.0], [1.0, 4.0]])))  # 1 - 9 · 2 / 50
    0.64
    """
    rows = tables.sum(axis=-1)
    middle = np.cumsum(rows, axis=-1) - rows / 2  # where each category lies if all ratings are put in a line
    if level == "nominal":
        middle = np.broadcast_to(np.arange(rows.shape[-1], dtype=np.float64), rows.shape)
    distance = middle[..., :, None] - middle[..., None, :]
    distance = distance**2 if level == "ordinal" else (distance != 0).astype(np.float64)
    expected = (rows[..., :, None] * rows[..., None, :] * distance).sum(axis=(-2, -1))
    observed = (tables * distance).sum(axis=(-2, -1))
    return 1 - over((rows.sum(axis=-1) - 1) * observed, expected)


# Figures with intervals: clusters of items are drawn again, with replacement.


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made: percentiles of so many resamples."""

    seed: int = 0
    resamples: int = 2_000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 1 or not 0 < self.confidence < 1:
            raise DataError(
                f"an interval needs 1 resample or more and a confidence between 0 and 1, got {self.resamples}, {self.confidence}"
            )


@dataclass(frozen=True)
class Figure:
    """A number, its bootstrap interval, and in plain words what may mislead about it; NaN is undefined."""

    value: float
    low: float = math.nan
    high: float = math.nan
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Clusters:
    """What is drawn again: tables that can be added up, and how many clusters have the same."""

    tables: Floats
    times: Ints
    are_queries: bool

    @property
    def total(self) -> Floats:
        """The table of all."""
        return np.tensordot(self.times.astype(np.float64), self.tables, axes=1)

    def resampled(self, bootstrap: Bootstrap) -> Floats:
        """The table of each resample."""
        rng, batch = np.random.default_rng(bootstrap.seed), max(1, 4_000_000 // len(self.times))
        sizes = [min(batch, bootstrap.resamples - begin) for begin in range(0, bootstrap.resamples, batch)]
        return np.concatenate([np.tensordot(self._draws(rng, size), self.tables, axes=1) for size in sizes])

    def _draws(self, rng: np.random.Generator, size: int) -> Floats:
        """How often each is drawn, in so many resamples."""
        n, total = len(self.times), int(self.times.sum())
        if not self.are_queries:  # a few kinds of pairs, each many times
            return rng.multinomial(total, self.times / total, size=size).astype(np.float64)
        drawn = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def clusters_of(queries: Ints, kinds: Ints, tables: Floats) -> Clusters:
    """Clusters of pairs of which each has one of a few kinds of table: queries, or if there is only one, its pairs.

    Pairs with the same table are as one, drawn as often: a multinomial draw of some kinds is a draw of thousands of pairs.
    """
    tables = tables + tables[:, ::-1, ::-1]  # both directions
    _, numbers = np.unique(queries, return_inverse=True)
    n_queries = int(numbers.max(initial=-1)) + 1
    found = np.bincount(numbers * len(tables) + kinds, minlength=n_queries * len(tables)).reshape(n_queries, len(tables))
    if n_queries > 1:
        return Clusters(np.tensordot(found.astype(np.float64), tables, axes=1), np.ones(n_queries, np.int64), True)
    return Clusters(tables, found.sum(axis=0), False)


def figure_of(statistic: Callable[[Floats], Floats], clusters: Clusters, bootstrap: Bootstrap, notes: Iterable[str] = ()) -> Figure:
    """A statistic of the table of all, with percentiles of what it is of the resamples; NaN if undefined."""
    if clusters.times.sum() == 0 or math.isnan(value := float(statistic(clusters.total))):
        return Figure(math.nan, notes=tuple(notes))
    drawn = statistic(clusters.resampled(bootstrap))
    defined = drawn[~np.isnan(drawn)]
    tail = (1 - bootstrap.confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]) if len(defined) else (math.nan, math.nan)
    lost = len(drawn) - len(defined)
    extra = (f"undefined in {lost} of {len(drawn)} resamples, which the interval leaves out",) if lost else ()
    return Figure(value, float(low), float(high), (*notes, *extra))


def few_queries_notes(n_queries: int) -> list[str]:
    """A warning if intervals draw from few queries."""
    if n_queries >= FEW_QUERIES:
        return []
    return [f"few queries: with {n_queries}, fewer than {FEW_QUERIES}, an interval that draws queries comes out too narrow"]
