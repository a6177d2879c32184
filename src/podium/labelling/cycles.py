"""Does an assessor contradict himself or herself? Three documents at a time: A≻B≻C≻A, A≻B≻C∼A, A∼B∼C without A∼C."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.labelling.coefficients import Bootstrap, Clusters, Figure, few_queries_notes, figure_of, over
from podium.labelling.ratings import Ratings
from podium.ragged import Ints

__all__ = ["Cycles", "Triples", "count_triples", "cycles_of", "triples_of"]


class Triples(NamedTuple):
    """Counts of three documents of which one assessor judged all three pairs."""

    strict: int  # no tie among them
    circular: int  # of those, A≻B, B≻C and C≻A
    one_tie: int  # exactly one tie
    weak: int  # of those, A≻B, B≻C and C∼A
    tie_chains: int  # A∼B and B∼C
    broken: int  # of those, not A∼C


def count_triples(better: NDArray[np.bool_], tied: NDArray[np.bool_]) -> Triples:
    """Count the triples of a query: ``better[a, b]`` says a≻b, ``tied``, symmetric, a∼b; neither is a pair not judged.

    A closed walk of three steps is a triangle, met three times in a directed cycle and six times where steps go both ways; so a
    trace of a product of matrices counts them.
    """
    wins, ties = better.astype(np.float64), tied.astype(np.float64)
    strict = wins + wins.T
    two_ties = (strict * (ties @ ties)).sum() / 2
    return Triples(
        strict=int(((strict @ strict) * strict).sum()) // 6,
        circular=int(((wins @ wins) * wins.T).sum()) // 3,
        one_tie=int((ties * (strict @ strict)).sum()) // 2,
        weak=int((ties * (wins @ wins)).sum()),  # a tie is in both directions, a chain from end to end in one
        tie_chains=int(two_ties + ((ties @ ties) * ties).sum() / 6),
        broken=int(two_ties),
    )


@dataclass(frozen=True)
class Cycles:
    """How far an assessor contradicts himself or herself: three shares, and the counts they are of.

    Answers by coin are circular in 1/4 of strict triples, and weakly so in 1/2 of those with one tie.
    """

    circular: Figure  # of triples without ties
    weak: Figure  # A≻B≻C∼A, of triples with one tie
    broken_ties: Figure  # A∼B∼C and not A∼C, of triples with two ties or three: is a tie an equality for this assessor?
    counts: Triples


def _query_rows(ratings: Ratings) -> Iterator[tuple[int, Ints, Ints]]:
    """Of each query: how many documents it has, its rows, and the places of the two documents of each."""
    rows: dict[int, list[int]] = {}
    for row, query in enumerate(ratings.queries.tolist()):
        rows.setdefault(query, []).append(row)
    for found in rows.values():
        places: dict[str, int] = {}
        both = [[places.setdefault(item, len(places)) for item in ratings.pairs[row]] for row in found]
        yield len(places), np.array(found), np.array(both)


def triples_of(ratings: Ratings) -> list[Ints]:
    """Of each assessor, the counts of each query, as rows of the fields of Triples."""
    counts: list[list[Triples]] = [[] for _ in ratings.assessors]
    for n_items, rows, (first, second) in ((n_items, rows, both.T) for n_items, rows, both in _query_rows(ratings)):
        for assessor, codes in enumerate(ratings.codes[rows].T):
            outcome = np.full((n_items, n_items), -1, np.int8)
            outcome[first, second] = codes
            outcome[second, first] = 2 - codes  # 3 where there is no judgment, which is no outcome either
            counts[assessor].append(count_triples(outcome == 0, outcome == 1))
    return [np.array(found, np.int64).reshape(-1, len(Triples._fields)) for found in counts]


def cycles_of(counts: Ints, bootstrap: Bootstrap) -> Cycles:
    """The shares of one assessor's triples, from the counts of each query; intervals draw queries again."""

    def share(part: str, whole: str) -> Figure:
        columns = counts[:, [Triples._fields.index(part), Triples._fields.index(whole)]].astype(np.float64)
        columns = columns[columns[:, 1] > 0]
        value = over(columns[:, 0].sum(), columns[:, 1].sum())
        if len(columns) == 0:
            return Figure(math.nan, notes=("undefined: there is no such triple",))
        if len(columns) == 1:
            return Figure(float(value), notes=("all triples are of one query: no interval, as triples share their pairs",))
        clusters = Clusters(columns, np.ones(len(columns), np.int64), True)
        return figure_of(lambda sums: over(sums[..., 0], sums[..., 1]), clusters, bootstrap, few_queries_notes(len(columns)))

    return Cycles(
        share("circular", "strict"), share("weak", "one_tie"), share("broken", "tie_chains"), Triples(*counts.sum(axis=0).tolist())
    )
