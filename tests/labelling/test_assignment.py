"""The assignment of a study, checked against a plain second implementation and against what it is for."""

from __future__ import annotations

import contextlib
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import DataError
from podium.labelling.assignment import assign, explain, folds_of, judged_by, possible

SIZES = [(assessors, folds, rounds) for folds in range(2, 11) for assessors in range(1, 13) for rounds in range(1, folds + 2)]


def some_assignment(assessors: int, folds: int, rounds: int) -> bool:
    """Whether there is any, by trying: everybody has ``rounds`` folds a tool, no fold twice; all folds are judged with both tools.

    Each assessor in turn takes every hand of folds for T1 and others for T2, and what all have covered together is kept.
    """
    everything = frozenset(range(folds))
    hands = [
        (frozenset(pairs), frozenset(grades))
        for pairs in combinations(range(folds), rounds)
        for grades in combinations(sorted(everything - set(pairs)), rounds)
    ]
    reached = {(frozenset(), frozenset())}
    for _ in range(assessors):
        reached = {(done | pairs, graded | grades) for done, graded in reached for pairs, grades in hands}
    return (everything, everything) in reached


@pytest.mark.parametrize("folds", range(1, 6))
def test_it_exists_exactly_where_trying_everything_finds_one(folds: int) -> None:
    for assessors in range(1, 5):
        for rounds in range(1, folds + 1):
            if some_assignment(assessors, folds, rounds):
                assert len(assign(assessors, folds, rounds)) == 2 * assessors * rounds
            else:
                with pytest.raises(DataError):
                    assign(assessors, folds, rounds)
                assert explain(assessors, folds, rounds).startswith("There is no such assignment: ")


@pytest.mark.parametrize("folds", range(2, 11))
def test_it_has_every_property_and_is_refused_only_if_somebody_would_see_too_much_or_a_fold_nobody(folds: int) -> None:
    for assessors, _, rounds in (sizes for sizes in SIZES if sizes[1] == folds):
        try:
            places = assign(assessors, folds, rounds)
        except DataError:
            walks = [[(seat + step) % folds for step in range(2 * rounds)] for seat in range(assessors)]  # two by two along the folds
            assert any(len(set(walk)) < len(walk) for walk in walks) or len({fold for walk in walks for fold in walk[::2]}) < folds
            continue
        own = {seat: [place for place in places if place.seat == seat] for seat in range(1, assessors + 1)}
        assert all(len({place.fold for place in some}) == 2 * rounds == len(some) for some in own.values())
        assert all(
            sorted((place.round, place.tool) for place in some) == sorted(product(range(1, rounds + 1), ("grades", "pairs")))
            for some in own.values()
        )
        by = Counter((place.fold, place.tool) for place in places)
        assert by.keys() == set(product(range(1, folds + 1), ("pairs", "grades")))
        assert max(by.values()) - min(by.values()) <= 1
        assert judged_by(assessors, folds, rounds) == (min(by.values()), max(by.values()))


def test_folds_and_rounds_that_are_said_to_be_possible_are_exactly_those_that_are() -> None:
    for assessors in range(1, 9):
        for folds in range(2, 13):
            found = []
            for rounds in range(1, folds + 2):
                with contextlib.suppress(DataError):
                    found += [rounds] if assign(assessors, folds, rounds) else []
            said = [range(fewest, most + 1) for count, fewest, most in possible(assessors, 12) if count == folds]
            assert found == [rounds for some in said for rounds in some]
    assert [choice.folds for choice in possible(10)] == list(range(2, 11))


@pytest.mark.parametrize(("folds", "groups"), [(folds, groups) for folds in range(2, 10) for groups in (1, 2, 3)])
def test_with_as_many_assessors_as_folds_or_twice_as_many_it_is_the_formula_of_the_specification(folds: int, groups: int) -> None:
    for rounds in range(1, folds // 2 + 1):
        expected = {
            (i, turn + 1, tool, (i - 1 + 2 * turn + step) % folds + 1)
            for i in range(1, groups * folds + 1)
            for turn in range(rounds)
            for step, tool in enumerate(("pairs", "grades"))
        }
        assert {(seat, turn, tool, fold) for seat, fold, turn, tool in assign(groups * folds, folds, rounds)} == expected


def test_the_first_round_is_the_papers() -> None:
    first = {(place.seat, place.tool): place.fold for place in assign(5, 5, 1)}
    assert first == {(i, "pairs"): i for i in range(1, 6)} | {(i, "grades"): i + 1 for i in range(1, 5)} | {(5, "grades"): 1}


def test_two_rounds_give_each_fold_two_different_assessors_a_tool() -> None:
    judged: dict[tuple[int, str], set[int]] = {(place.fold, place.tool): set() for place in assign(5, 5, 2)}
    for place in assign(5, 5, 2):
        judged[place.fold, place.tool].add(place.seat)
    assert judged[1, "pairs"] == {1, 4}
    assert judged[1, "grades"] == {5, 3}
    assert all(len(seats) == 2 for seats in judged.values())


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            (3, 6, 1),
            "1 round over 6 folds would leave queries that nobody judges with a tool: 3 assessors judge 3 folds with each; "
            "for 3 assessors, 6 folds with 2 to 3 rounds would work",
        ),
        ((2, 5, 2), "2 rounds over 5 folds would leave .*; for 2 assessors, 4 folds with 2 rounds or 6 folds with 3 rounds would work"),
        ((4, 1, 1), "1 fold would show everybody every query in both tools; for 4 assessors, 2 folds with 1 round or 3 folds with 1 round"),
        ((5, 5, 3), "3 rounds over 5 folds would show somebody a query in both tools: .* 6 folds or more; .* 5 folds with 1 to 2 rounds"),
        ((4, 4, 3), "3 rounds over 4 folds would show somebody the same queries twice"),
        ((1, 1, 1), "a study needs 2 assessors or more"),
        ((0, 5, 1), "whole number of assessors, 1 or more, got 0"),
        ((5, 5, True), "whole number of rounds, 1 or more, got True"),
        ((5, 2.0, 1), "whole number of folds, 1 or more, got 2.0"),
    ],
)
def test_a_refusal_says_which_condition_fails_and_what_would_work(sizes: tuple[int, int, int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        assign(*sizes)


@given(n=st.integers(1, 60), folds=st.integers(1, 12), seed=st.integers(0, 99))
def test_folds_differ_by_one_query_at_most(n: int, folds: int, seed: int) -> None:
    queries = [f"q{number}" for number in range(n)]
    if n < folds:
        with pytest.raises(DataError, match=f"{n} quer(y|ies) cannot fill {folds} folds"):
            folds_of(queries, folds, seed)
        return
    dealt = folds_of(queries, folds, seed)
    sizes = Counter(dealt.values())
    assert list(dealt) == queries
    assert set(sizes) == set(range(1, folds + 1))
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert dealt == folds_of(queries, folds, seed)


def test_queries_are_dealt_at_random() -> None:
    queries = [f"q{number}" for number in range(50)]
    dealt = [tuple(folds_of(queries, 5, seed).values()) for seed in range(200)]
    assert len(set(dealt)) == 200
    first = Counter(row[0] for row in dealt)  # 200 draws of 1/5: 40 ± 5.7
    assert all(10 <= first[fold] <= 75 for fold in range(1, 6))


def test_a_query_named_twice_is_refused() -> None:
    with pytest.raises(DataError, match="named twice"):
        folds_of(["a", "b", "a"], 2, 0)


def test_the_explanation_counts_groups_and_warns_of_one_assessor_a_query() -> None:
    assert "Each query is judged with each tool by 4 assessors." in explain(10, 5, 2)
    assert "2 groups of 5 assessors" in explain(10, 5, 2)
    assert "nothing can be said about agreement" in explain(5, 5, 1)
    assert "agreement" not in explain(5, 5, 2)
    assert "Each query is judged with each tool by 2 to 3 assessors." in explain(7, 5, 2)
    assert "groups" not in explain(7, 5, 2)
    assert "rounds are our way" in explain(5, 5, 2)
    assert "our way" not in explain(5, 5, 1)
    assert "In 1 round everybody" in explain(7, 5, 1)
    assert "by 1 to 2 assessors. Where one assessor" in explain(7, 5, 1)
