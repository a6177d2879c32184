"""Several opinions on one question: the majority of repeats, and the median of grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labelling.reference import (
    ALPHABETIC,
    BAD,
    BETTER,
    ITEMS,
    SORTING,
    TIE,
    WITHOUT_REPEATING,
    WORSE,
    meanings,
    turned,
    words,
)

from podium.errors import DataError
from podium.labelling import GRADES, STRATEGIES, Event, TopK

# Repeats.


def vote(task: TopK, *votes: str) -> TopK:
    """Say of a and b, one assessor after the other: a, b, tie or bad."""
    for number, said in enumerate(votes):
        task.record(Event(left="a", right="b", answer={"a": "left", "b": "right"}.get(said, said), assessor=f"judge {number}"))
    return task


@pytest.mark.parametrize(
    ("repeats", "votes", "top"),
    [
        (1, "a", "a"),
        (1, "b", "b"),
        (3, "aa", "a"),  # decided early
        (3, "bb", "b"),
        (3, "aba", "a"),
        (3, "abb", "b"),
        (2, "aa", "a"),
        (5, "abaa", "a"),
        (5, "abbaa", "a"),
        (5, "bbb", "b"),
    ],
)
def test_the_majority_decides_as_soon_as_it_must(repeats: int, votes: str, top: str) -> None:
    task = TopK(["a", "b"], 1, repeats=repeats)
    for end in range(len(votes)):
        assert not vote(TopK(["a", "b"], 1, repeats=repeats), *votes[:end]).is_finished
    assert vote(task, *votes).result().top == (top,)


@pytest.mark.parametrize(
    ("repeats", "votes"), [(2, ["a", "b"]), (3, ["a", "b", "tie"]), (3, ["a", "b", "bad"]), (4, ["a", "a", "b", "b"]), (3, ["tie", "tie"])]
)
def test_without_a_single_most_frequent_answer_a_pair_is_tied(repeats: int, votes: list[str]) -> None:
    result = vote(TopK(["a", "b"], 1, repeats=repeats), *votes).result()
    assert [set(group) for group in result.ties] == [{"a", "b"}]
    assert result.bad == ()


def test_two_of_three_who_say_bad_remove_both() -> None:
    result = vote(TopK(["a", "b"], 1, repeats=3), "bad", "a", "bad").result()
    assert (result.top, set(result.bad), set(result.rest)) == ((), {"a", "b"}, {"a", "b"})


def plain_majority(votes: Sequence[int], repeats: int) -> int | None:
    for outcome in (WORSE, TIE, BETTER, BAD):
        if votes.count(outcome) > repeats / 2:
            return outcome
    if len(votes) < repeats:
        return None
    most = [outcome for outcome in (WORSE, TIE, BETTER, BAD) if votes.count(outcome) == max(map(votes.count, votes))]
    return most[0] if len(most) == 1 else TIE


@given(
    repeats=st.integers(1, 6), votes=st.lists(st.sampled_from(["left", "right", "tie", "bad"]), min_size=1, max_size=6), swap=st.booleans()
)
def test_the_majority_is_counted_by_document_and_not_by_side(repeats: int, votes: list[str], swap: bool) -> None:
    task, counted = TopK(["a", "b"], 1, repeats=repeats), list[int]()
    for number, said in enumerate(votes[:repeats]):
        left, right = ("b", "a") if swap and number % 2 else ("a", "b")
        event = Event(left=left, right=right, answer=said, assessor=str(number))
        counted.append(turned(meanings([event])[0][2]) if left == "b" else meanings([event])[0][2])
        task.record(event)
    expected = plain_majority(counted, repeats)
    assert task.is_finished == (expected is not None)
    if expected in (BETTER, WORSE):
        assert task.result().top == ("a" if expected == BETTER else "b",)
    elif expected is not None:
        assert len(task.result().ties) == (expected == TIE)
        assert len(task.result().bad) == 2 * (expected == BAD)


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_a_named_assessor_never_gets_a_pair_twice_but_an_anonymous_one_may(name: str) -> None:
    task, seen = TopK(ITEMS, 2, strategy=name, repeats=3), list[tuple[str, str]]()
    while (question := task.ask("ann")) is not None:
        seen.append(question.pair)
        task.answer("Good" if question.right is None else "tie", assessor="ann")
    assert len(set(seen)) == len(seen) > 0
    assert not task.is_finished  # one assessor alone cannot decide anything
    anonymous, asked = TopK(ITEMS, 2, strategy=name, repeats=3), Counter[tuple[str, str]]()
    while (question := anonymous.ask()) is not None:
        asked[question.pair] += 1
        anonymous.answer("Good" if question.right is None else words(ALPHABETIC, question))
    assert anonymous.is_finished
    assert set(asked.values()) == {3 if STRATEGIES[name].asks_grades else 2}  # two of three agree: the third is not asked


@pytest.mark.parametrize("name", SORTING)
def test_three_assessors_of_whom_one_is_always_wrong_find_the_true_top(name: str) -> None:
    task = TopK(ITEMS, 3, strategy=name, repeats=3)
    while not task.is_finished:
        for who in ("ann", "bob", "liar"):
            if (question := task.ask(who)) is not None:
                said = words(ALPHABETIC, question)
                task.answer({"left": "right", "right": "left"}[said] if who == "liar" else said, assessor=who)
    assert task.result().top == ("a", "b", "c")
    by_pair = Counter(event.question.pair for event in task.judgments)
    assert set(by_pair.values()) <= {2, 3}
    assert all(len({event.assessor for event in task.judgments if event.question.pair == pair}) == by_pair[pair] for pair in by_pair)


def test_an_assessor_who_sends_an_answer_twice_without_a_key_has_one_vote() -> None:
    task = TopK(["a", "b"], 1, repeats=3)
    try:
        for _ in range(2):
            task.record(Event(left="a", right="b", answer="left", assessor="ann"))
    except DataError:  # to refuse the second is as good as to leave it out
        pass
    assert not task.is_finished


def test_answers_beyond_the_repeats_are_kept_but_change_nothing() -> None:
    task = vote(TopK(["a", "b"], 1), "a", "b", "b")
    assert task.result().top == ("a",)
    assert len(task.judgments) == 3


# Grades.


def graded(said: dict[str, str], **settings: Any) -> TopK:
    task = TopK(list(said), strategy="graded", **settings)
    while (question := task.ask()) is not None:
        assert question.right is None
        assert question.stage == "grade"
        task.answer(said[question.left])
    return task


def test_five_grades_order_the_documents_and_equal_ones_are_ties() -> None:
    said = dict(zip("abcdefg", ["Bad", "Perfect", "Good", "Excellent", "Good", "Fair", "Bad"], strict=True))
    task = graded(said, k=5, prior=list("gfedcba"))
    assert task.answers == GRADES == ("Bad", "Fair", "Good", "Excellent", "Perfect")
    result = task.result()
    assert result.top == ("b", "d", "e", "c", "f")  # of equal grade, e before c: the order of the prior
    assert result.rest == ("a", "g")
    assert [set(group) for group in result.ties] == [{"c", "e"}, {"a", "g"}]  # the better ones first
    assert result.grades == said
    assert len(task.judgments) == len(said)
    assert result.labels() == {"b": 5.0, "d": 4.0, "e": 3.0, "c": 2.0, "f": 1.0, "a": 0.0, "g": 0.0}


def test_custom_grades_are_worst_first() -> None:
    assert graded({"a": "no", "b": "yes", "c": "maybe"}, k=2, grades=("no", "maybe", "yes")).result().top == ("b", "c")


@given(votes=st.lists(st.sampled_from(GRADES), min_size=1, max_size=5))
def test_of_several_grades_the_median_counts_and_of_two_middle_ones_the_lower(votes: list[str]) -> None:
    task = TopK(["a"], 1, strategy="graded", repeats=len(votes))
    for number, grade in enumerate(votes):
        assert not task.is_finished
        task.ask(f"judge {number}")
        task.answer(grade, assessor=f"judge {number}")
    in_order = sorted(map(GRADES.index, votes))
    at_most = [level for level in range(5) if 2 * sum(grade <= level for grade in in_order) >= len(votes)]
    assert task.result().grades == {"a": GRADES[at_most[0]]}  # the least grade that half of the votes do not exceed


@given(values=st.lists(st.integers(0, 4), max_size=12), k=st.integers(1, 14), seed=st.integers(0, 99))
def test_the_top_has_the_best_grades(values: list[int], k: int, seed: int) -> None:
    said = {f"d{place}": GRADES[value] for place, value in enumerate(values)}
    result = graded(said, k=k, seed=seed).result()
    assert [said[item] for item in result.top] == [GRADES[value] for value in sorted(values, reverse=True)[:k]]
    groups = {frozenset(item for item in said if said[item] == grade) for grade in GRADES}
    assert set(map(frozenset, result.ties)) == {group for group in groups if len(group) > 1}


def test_several_graders_get_different_documents_at_once() -> None:
    task = TopK(ITEMS, 2, strategy="graded")
    open_now = [task.ask(who) for who in "uvwxyz"]
    assert {question.left for question in open_now if question} == set(ITEMS)
    assert task.ask("one more") is None
