"""Agreement on common pairs: of two groups of assessors, as people and a model, and with two tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from podium.labelling.agreement import FEW_PAIRS, Agreement, agreement
from podium.labelling.coefficients import (
    Bootstrap,
    Clusters,
    Figure,
    clusters_of,
    coincidences_of_votes,
    figure_of,
    kappa,
    share_agreed,
    share_agreed_strictly,
)
from podium.labelling.quotients import with_width, without_width
from podium.labelling.ratings import OUTCOMES, Ratings, count_votes
from podium.labelling.study_facts import Between, CrossTable, SamePairs
from podium.ragged import Floats, Ints

__all__ = ["agreement_of", "between", "only", "same_pairs"]


def agreement_of(ratings: Ratings, bootstrap: Bootstrap) -> Agreement:
    """Every figure of agreement, and no interval of it a single point: shares have Wilson's then, coefficients none."""
    found = agreement(ratings, bootstrap=bootstrap)
    return replace(
        found,
        overall=with_width(found.overall, sum(found.table.all_pairs)),
        without_ties=with_width(found.without_ties, sum(found.table.strict_pairs)),
        cohen={both: without_width(figure) for both, figure in found.cohen.items()},
        fleiss=without_width(found.fleiss),
        alpha_nominal=without_width(found.alpha_nominal),
        alpha_ordinal=without_width(found.alpha_ordinal),
    )


def only(ratings: Ratings, names: Collection[str]) -> Ratings:
    """What these assessors said, of the pairs that one of them judged."""
    columns = [column for column, name in enumerate(ratings.assessors) if name in names]
    codes, assessors = ratings.codes[:, columns], tuple(ratings.assessors[column] for column in columns)
    return _rows(replace(ratings, codes=codes, assessors=assessors), np.flatnonzero((codes >= 0).any(axis=1)))


def _rows(ratings: Ratings, rows: Ints) -> Ratings:
    pairs = [ratings.pairs[row] for row in rows.tolist()]
    return replace(ratings, queries=ratings.queries[rows], pairs=pairs, codes=ratings.codes[rows])


def between(first: Ratings, second: Ratings, names: tuple[str, str], bootstrap: Bootstrap) -> Between:
    """Agreement between two groups, whatever their members say among themselves; a pair counts in both directions."""
    mine, theirs = _common_rows(first, second)
    votes = [count_votes(ratings.codes[rows], len(OUTCOMES)) for ratings, rows in ((first, mine), (second, theirs))]
    kinds, kind_of = np.unique(np.hstack(votes), axis=0, return_inverse=True)
    tables = (kinds[:, :3, None] * kinds[:, None, 3:]).astype(np.float64)
    clusters = clusters_of(first.queries[mine], kind_of.ravel(), tables)
    notes = _size_notes(len(mine), f"no pair was judged by both {names[0]} and {names[1]}")
    overall, without_ties = _shares(clusters, 2, bootstrap, notes)
    return Between(
        *names,
        n_pairs=len(mine),
        table=CrossTable(np.rint(clusters.total).astype(np.int64).reshape(3, 3)),
        overall=overall,
        without_ties=without_ties,
        kappa=without_width(figure_of(kappa, clusters, bootstrap, notes)),
    )


def _size_notes(n_pairs: int, nothing: str) -> list[str]:
    if not n_pairs:
        return [nothing]
    return [f"few items: {n_pairs} pair{'' if n_pairs == 1 else 's'} in common"] if n_pairs < FEW_PAIRS else []


def _shares(clusters: Clusters, times: int, bootstrap: Bootstrap, notes: Iterable[str]) -> tuple[Figure, Figure]:
    """The share of agreement, and that without ties, of tables in which a comparison counts so many times."""
    total: Floats = clusters.total.reshape(3, 3)
    return (
        with_width(figure_of(share_agreed, clusters, bootstrap, notes), total.sum() / times),
        with_width(figure_of(share_agreed_strictly, clusters, bootstrap, notes), total[::2, ::2].sum() / times),
    )


def _common_rows(first: Ratings, second: Ratings) -> tuple[list[int], list[int]]:
    """The rows of each that are about the same pair of the same query."""

    def keys(ratings: Ratings) -> Iterable[tuple[str, tuple[str, str]]]:
        return zip((ratings.query_ids[query] for query in ratings.queries.tolist()), ratings.pairs, strict=True)

    known = {key: row for row, key in enumerate(keys(second))}
    both = [(row, known[key]) for row, key in enumerate(keys(first)) if key in known]
    return [row for row, _ in both], [row for _, row in both]


def same_pairs(ratings: Mapping[str, Ratings], bootstrap: Bootstrap) -> SamePairs:
    """Agreement with each of two tools, on the pairs that two or more have judged with each."""
    shared = {tool: _rows(found, np.flatnonzero((found.codes >= 0).sum(axis=1) >= 2)) for tool, found in ratings.items()}
    (first, one), (second, other) = shared.items()
    rows = dict(zip((first, second), _common_rows(one, other), strict=True))
    found = {tool: _agreed(_rows(shared[tool], np.array(rows[tool], np.int64)), bootstrap) for tool in ratings}
    return SamePairs(
        n_pairs=len(rows[first]),
        overall={tool: shares[0] for tool, shares in found.items()},
        without_ties={tool: shares[1] for tool, shares in found.items()},
    )


def _agreed(ratings: Ratings, bootstrap: Bootstrap) -> tuple[Figure, Figure]:
    """The share of agreement between every two assessors of a pair, and that without ties."""
    kinds, kind_of = np.unique(count_votes(ratings.codes, len(OUTCOMES)), axis=0, return_inverse=True)
    clusters = clusters_of(ratings.queries, kind_of.ravel(), coincidences_of_votes(kinds, by_rating=False))
    return _shares(clusters, 4, bootstrap, _size_notes(len(ratings.pairs), "no pair was judged by two or more with each tool"))
