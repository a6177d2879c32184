"""What is known of every pair: the transitive closure, against Warshall's."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labelling import reference
from tests.labelling.reference import BAD, BETTER, TIE, WORSE, Answer

from podium.labelling import Known, Outcome

ITEMS = "abcdefg"
pairs = st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)).filter(lambda pair: pair[0] != pair[1])
answers = st.lists(st.builds(lambda pair, outcome: (*pair, outcome), pairs, st.sampled_from([WORSE, TIE, BETTER, BAD])), max_size=25)
orders = st.lists(st.integers(0, 4), min_size=len(ITEMS), max_size=len(ITEMS))


def table_of(known: Known) -> dict[tuple[str, str], int]:
    found = {pair: known.outcome(*pair) for pair in itertools.permutations(ITEMS, 2)}
    return {pair: int(outcome) for pair, outcome in found.items() if outcome is not None}


@pytest.mark.parametrize("ties_are_transitive", [True, False])
@given(said=answers)
def test_whatever_was_answered_the_closure_is_warshalls_and_the_first_answer_stands(ties_are_transitive: bool, said: list[Answer]) -> None:
    known = Known(ITEMS, ties_are_transitive=ties_are_transitive)
    for number, (first, second, outcome) in enumerate(said):
        before = table_of(known)
        agrees = known.add(first, second, Outcome(outcome))
        after = table_of(known)
        assert agrees == (before.get((first, second), outcome) == outcome)
        assert before.items() <= after.items()  # what is known never changes
        assert after == reference.warshall(ITEMS, said[: number + 1], ties_are_transitive=ties_are_transitive)


@pytest.mark.parametrize("ties_are_transitive", [True, False])
@given(values=orders, asked=st.lists(pairs, max_size=25))
def test_what_follows_from_true_answers_is_true(ties_are_transitive: bool, values: list[int], asked: list[tuple[str, str]]) -> None:
    judge = reference.by_value(dict(zip(ITEMS, values, strict=True)))
    known = Known(ITEMS, ties_are_transitive=ties_are_transitive)
    for pair in asked:
        assert known.add(*pair, Outcome(judge(*pair)))
    said = [(*pair, judge(*pair)) for pair in asked]
    for pair in itertools.permutations(ITEMS, 2):
        assert known.outcome(*pair) in (None, judge(*pair))
        assert known.outcome(*pair) == reference.implied(said, *pair, ties_are_transitive=ties_are_transitive)


@given(said=answers, ties_are_transitive=st.booleans())
def test_a_pair_turned_round_is_the_outcome_turned_round(said: list[Answer], ties_are_transitive: bool) -> None:
    known, other_way = Known(ITEMS, ties_are_transitive=ties_are_transitive), Known(ITEMS, ties_are_transitive=ties_are_transitive)
    for first, second, outcome in said:
        assert known.add(first, second, Outcome(outcome)) == other_way.add(second, first, Outcome(outcome).reversed)
    assert table_of(known) == table_of(other_way)
    for first, second in itertools.combinations(ITEMS, 2):
        there, back = known.outcome(first, second), known.outcome(second, first)
        assert (there is None and back is None) or (there is not None and back is there.reversed)


def test_outcomes_turn_round_as_words_do() -> None:
    assert [outcome.reversed for outcome in Outcome] == [Outcome.BETTER, Outcome.TIE, Outcome.WORSE, Outcome.BOTH_BAD]


def test_tied_items_share_what_is_known_of_one_only_if_ties_are_transitive() -> None:
    for ties_are_transitive, expected in ((True, Outcome.BETTER), (False, None)):
        known = Known("abc", ties_are_transitive=ties_are_transitive)
        known.add("a", "b", Outcome.BETTER)
        known.add("b", "c", Outcome.TIE)
        assert known.outcome("a", "c") is expected


def test_both_bad_says_nothing_of_other_pairs() -> None:
    known = Known("abcd")
    known.add("a", "b", Outcome.BOTH_BAD)
    known.add("b", "c", Outcome.BOTH_BAD)
    known.add("c", "d", Outcome.BETTER)
    assert (known.outcome("a", "c"), known.outcome("b", "d")) == (None, None)


def test_the_ties_are_groups_or_if_not_transitive_pairs() -> None:
    said = [("d", "b"), ("b", "e"), ("a", "c")]
    for ties_are_transitive, expected in ((True, [("a", "c"), ("b", "d", "e")]), (False, [("a", "c"), ("b", "d"), ("b", "e")])):
        known = Known(ITEMS, ties_are_transitive=ties_are_transitive)
        for pair in said:
            known.add(*pair, Outcome.TIE)
        known.add("f", "g", Outcome.BOTH_BAD)
        known.add("a", "b", Outcome.BETTER)
        assert known.ties() == expected
