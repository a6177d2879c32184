"""Cycles against every triple looked at one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.labelling.judged import QUICK, ordered

from podium.labelling.agreement import agreement
from podium.labelling.cycles import count_triples
from podium.labelling.ratings import Rating, Ratings
from podium.sources.recorded import read_image_preferences


def triples_one_by_one(said: Mapping[tuple[int, int], int], n: int) -> tuple[int, ...]:
    """Every triple looked at: strict, circular, one tie, weak, tie chains, broken."""
    counts = [0] * 6
    for triple in itertools.combinations(range(n), 3):
        pairs = list(itertools.combinations(triple, 2))
        if not all(pair in said for pair in pairs):
            continue
        sign = lambda a, b: said[a, b] if (a, b) in said else -said[b, a]
        n_ties = sum(said[pair] == 0 for pair in pairs)
        chains = [(a, b, c) for a, b, c in itertools.permutations(triple) if sign(a, b) > 0 and sign(b, c) > 0]
        counts[0] += n_ties == 0
        counts[1] += n_ties == 0 and any(sign(c, a) > 0 for a, _, c in chains)
        counts[2] += n_ties == 1
        counts[3] += any(sign(c, a) == 0 for a, _, c in chains)
        counts[4] += n_ties >= 2
        counts[5] += n_ties == 2
    return tuple(counts)


@given(outcomes=st.lists(st.sampled_from([1, 0, -1, None]), min_size=21, max_size=21))
def test_triples_are_those_of_looking_at_each(outcomes: list[int | None]) -> None:
    pairs = itertools.combinations(range(7), 2)
    said = {pair: outcome for pair, outcome in zip(pairs, outcomes, strict=True) if outcome is not None}
    better, tied = np.zeros((7, 7), bool), np.zeros((7, 7), bool)
    for (a, b), outcome in said.items():
        better[a, b], better[b, a], tied[a, b], tied[b, a] = outcome > 0, outcome < 0, outcome == 0, outcome == 0
    expected = triples_one_by_one(said, 7)
    assert tuple(count_triples(better, tied)) == expected
    report = agreement(Ratings.of(Rating("q", "abcdefg"[a], "abcdefg"[b], "ann", x) for (a, b), x in said.items()), bootstrap=QUICK)
    if said:
        assert tuple(report.cycles["ann"].counts) == expected
        assert tuple(report.majority_cycles.counts) == expected


def test_cycle_rates_are_counts_over_counts_and_queries_do_not_mix() -> None:
    ratings = Ratings.of(
        [
            *ordered("q", "ann", "a>b", "b>c", "a<c"),  # circular
            *ordered("r", "ann", "a>b", "b>c", "a>c", "c=d", "a>d", "b>d"),  # abc, abd in order; acd, bcd with one tie in order
            *ordered("s", "ann", "a>b", "b>c", "a=c"),  # weak
            *ordered("t", "ann", "a=b", "b=c", "a>c"),  # ties that are no equality
            *ordered("u", "ann", "a=b", "b=c", "a=c"),
            *ordered("v", "ann", "b>c"),
            *ordered("w", "ann", "a>b", "a<c"),  # with v it would be a cycle
        ]
    )
    cycles = agreement(ratings, bootstrap=QUICK).cycles["ann"]
    assert cycles.circular.value == 1 / 3
    assert cycles.weak.value == 1 / 3
    assert cycles.broken_ties.value == 1 / 2
    assert cycles.counts == (3, 1, 3, 1, 2, 1)
    assert (cycles.circular.low, cycles.circular.high) == (0, 1)  # only q, only r
    assert "few queries: with 2" in cycles.circular.notes[0]


def test_cycles_of_one_query_have_no_interval() -> None:
    cycles = agreement(Ratings.of(ordered("q", "ann", "a>b", "b>c", "c>a")), bootstrap=QUICK).cycles["ann"]
    assert cycles.circular.value == 1
    assert math.isnan(cycles.circular.low)
    assert "triples share their pairs" in cycles.circular.notes[0]
    assert math.isnan(cycles.weak.value)
    assert "no such triple" in cycles.weak.notes[0]


def test_a_majority_can_be_circular_where_nobody_is() -> None:
    orders = {"ann": ("a>b", "b>c", "a>c"), "bob": ("b>c", "c>a", "b>a"), "cid": ("c>a", "a>b", "c>b")}
    report = agreement(Ratings.of(r for who, pairs in orders.items() for r in ordered("q", who, *pairs)), bootstrap=QUICK)
    assert [cycles.circular.value for cycles in report.cycles.values()] == [0, 0, 0]
    assert report.majority_cycles.circular.value == 1


def test_the_triples_of_recorded_people_are_those_of_looking_at_each(benchmark_data: Path) -> None:
    queries = read_image_preferences(benchmark_data / "thu_image_search" / "image_pairs_annotation")
    smallest = min(queries, key=lambda query: len(query.items))
    for column in range(3):
        rows = zip(smallest.pairs.tolist(), smallest.tags[:, column].tolist(), strict=True)
        outcomes = [(left, right, (tag < 0) - (tag > 0)) for (left, right), tag in rows]
        said = {(a, b) if a < b else (b, a): outcome if a < b else -outcome for a, b, outcome in outcomes}
        ratings = Ratings.of(Rating("q", smallest.items[a], smallest.items[b], "ann", outcome) for a, b, outcome in outcomes)
        assert tuple(agreement(ratings, bootstrap=QUICK).cycles["ann"].counts) == triples_one_by_one(said, len(smallest.items))
