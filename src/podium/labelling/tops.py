"""How alike two assessors order the documents of a query: their top k from pairs, or their grades."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from podium.labelling.acts import Acts
from podium.labelling.coefficients import Bootstrap, Figure
from podium.labelling.quotients import quotient_figure, share_figure
from podium.labelling.study_facts import TopOverlap

__all__ = ["GradesOf", "Top", "grades_alike", "in_pairs", "kendall_tau", "kendall_tau_b", "top_overlap", "tops_of"]

Top = tuple[str, str, tuple[str, ...]]  # query, whose, best first
GradesOf = tuple[str, str, Mapping[str, float]]  # query, whose, the grade of each document
Whose = TypeVar("Whose", Top, GradesOf)

_NO_TOP_OF_GRADES = "a top k of grades would be cut among equals by chance: there is no overlap, and the order is τ-b of all common grades"


def tops_of(acts: Sequence[Acts]) -> list[Top]:
    """The top k that are one assessor's own, not the work of several; whoever only skipped had no part in it."""
    by_task: dict[int, list[Acts]] = {}
    for one in acts:
        if one.answers:
            by_task.setdefault(id(one.task), []).append(one)
    return [(one.task.query, one.assessor, one.task.top) for (one, *others) in by_task.values() if not others and one.task.top is not None]


def in_pairs(some: Sequence[Whose]) -> Iterator[tuple[Whose, Whose]]:
    """Every two of one query by two assessors."""
    by_query: dict[str, list[Whose]] = {}
    for one in some:
        by_query.setdefault(one[0], []).append(one)
    for found in by_query.values():
        yield from ((first, second) for first, second in itertools.combinations(found, 2) if first[1] != second[1])


def kendall_tau(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Kendall's τ of the documents that are in both orders; ``None`` if fewer than two are.

    >>> kendall_tau("abcd", "bacx")  # of ab, ac and bc the first is turned round
    0.3333333333333333
    """
    places = {item: place for place, item in enumerate(second)}
    common = [places[item] for item in first if item in places]
    signs = [1 if before < after else -1 for before, after in itertools.combinations(common, 2)]
    return sum(signs) / len(signs) if signs else None


def kendall_tau_b(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    r"""Kendall's τ-b of the grades of the documents that both have graded.

    Kendall, "The treatment of ties in ranking problems" (Biometrika 33, 1945), with C and D the pairs in the same and in the opposite
    order, and :math:`T_1, T_2` those that the first, the second tells apart:

    .. math:: \tau_b = \frac{C - D}{\sqrt{T_1 T_2}}

    ``None`` if one of them gave all common documents the same grade.

    >>> kendall_tau_b({"a": 2, "b": 1, "c": 1}, {"a": 4, "b": 3, "c": 3})
    1.0
    """
    counts: dict[tuple[float, float], int] = {}  # grades are few, documents may be many
    for item in first.keys() & second.keys():
        counts[first[item], second[item]] = counts.get((first[item], second[item]), 0) + 1
    score = told_apart = others = 0
    for ((mine, theirs), many), ((mine2, theirs2), many2) in itertools.combinations(counts.items(), 2):
        signs = (mine > mine2) - (mine < mine2), (theirs > theirs2) - (theirs < theirs2)
        score += signs[0] * signs[1] * many * many2
        told_apart += abs(signs[0]) * many * many2
        others += abs(signs[1]) * many * many2
    return score / math.sqrt(told_apart * others) if told_apart and others else None


def top_overlap(compared: Iterable[tuple[Top, Top]], bootstrap: Bootstrap) -> TopOverlap:
    """Of every two tops of one query: the share of documents in both, and the τ of their order."""
    overlaps, taus = [], []
    for (query, _, first), (_, _, second) in compared:
        if longer := max(len(first), len(second)):
            overlaps.append((query, len(set(first) & set(second)) / longer, 1.0))
            tau = kendall_tau(first, second)
            taus += [] if tau is None else [(query, tau, 1.0)]
    return TopOverlap(
        n_queries=len({query for query, _, _ in overlaps}),
        n_compared=len(overlaps),
        overlap=share_figure(overlaps, bootstrap, "no query has the top k of two assessors"),
        tau=quotient_figure(taus, bootstrap, "no two tops of one query have two documents in common"),
    )


def grades_alike(compared: Iterable[tuple[GradesOf, GradesOf]], bootstrap: Bootstrap) -> TopOverlap:
    """Of every two who graded documents of one query: the τ-b of their grades. There is no overlap of tops."""
    found = [(query, kendall_tau_b(first, second)) for (query, _, first), (_, _, second) in compared]
    taus = [(query, tau, 1.0) for query, tau in found if tau is not None]
    return TopOverlap(
        n_queries=len({query for query, _, _ in taus}),
        n_compared=len(taus),
        overlap=Figure(math.nan, notes=(_NO_TOP_OF_GRADES,)),
        tau=quotient_figure(taus, bootstrap, "no two assessors graded documents of one query in common and told some of them apart"),
    )
