"""Sorting strategies: one contract for all in the table, and each against a second, plain implementation."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.labelling import reference
from tests.labelling.reference import BAD, PLAIN, SORTING, WITH_BAD, WITH_PRIOR, Interview, Judge, by_chance, by_value, finish

from podium.labelling import STRATEGIES, Outcome, TopK
from podium.labelling.strategies import Strategy


def names(n: int) -> list[str]:
    return [f"d{number}" for number in range(n)]


def shuffled(n: int, seed: int) -> dict[str, float]:
    """Different values, in any order."""
    return dict(zip(names(n), random.Random(seed).sample(range(n), n), strict=True))


def levels(n: int, seed: int, how_many: int) -> dict[str, float]:
    """Values of which several are equal."""
    chance = random.Random(seed)
    return {item: chance.randrange(how_many) for item in names(n)}


def best_first(values: dict[str, float], k: int) -> list[str]:
    return sorted(values, key=lambda item: -values[item])[:k]


sizes = st.integers(0, 60)
places = st.one_of(st.integers(1, 12), st.integers(1, 70))
seeds = st.integers(0, 2**32)


# One contract for every sorting strategy.


@pytest.mark.parametrize("name", SORTING)
@settings(max_examples=40)
@given(n=sizes, k=places, seed=seeds)
@example(n=60, k=60, seed=0)
@example(n=60, k=10, seed=1)
@example(n=60, k=1, seed=2)
def test_a_consistent_judge_gives_the_exact_top_and_nothing_known_is_asked(name: str, n: int, k: int, seed: int) -> None:
    values = shuffled(n, seed)
    task = finish(TopK(names(n), k, strategy=name, seed=seed), by_value(values))  # finish checks every question
    assert list(task.result().top) == best_first(values, k)


@pytest.mark.parametrize("name", SORTING)
@pytest.mark.parametrize("n", range(7))
def test_all_permutations_of_few_items_and_all_k(name: str, n: int) -> None:
    items = names(n)
    for k in range(1, n + 2):
        for order in itertools.permutations(range(n)):
            values: dict[str, float] = dict(zip(items, order, strict=True))
            task = finish(TopK(items, k, strategy=name), by_value(values))
            assert list(task.result().top) == best_first(values, k), (order, k)


@pytest.mark.parametrize("name", SORTING)
@pytest.mark.parametrize("ties_are_transitive", [True, False])
@settings(max_examples=40)
@given(n=st.integers(0, 40), k=st.integers(1, 20), seed=seeds, how_many=st.integers(1, 8))
def test_with_ties_the_top_has_the_greatest_values_in_order(
    name: str, ties_are_transitive: bool, n: int, k: int, seed: int, how_many: int
) -> None:
    values = levels(n, seed, how_many)
    task = TopK(names(n), k, strategy=name, seed=seed, ties_are_transitive=ties_are_transitive)
    result = finish(task, by_value(values)).result()
    assert [values[item] for item in result.top] == sorted(values.values(), reverse=True)[:k]
    assert all(len({values[item] for item in group}) == 1 for group in result.ties)
    assert len(set(result.top)) == len(result.top)


@pytest.mark.parametrize("name", SORTING)
@pytest.mark.parametrize("ties_are_transitive", [True, False])
def test_all_weak_orders_of_few_items_and_all_k(name: str, ties_are_transitive: bool) -> None:
    for n, k in itertools.product(range(5), range(1, 6)):
        for order in itertools.product(range(n), repeat=n):
            values: dict[str, float] = dict(zip(names(n), order, strict=True))
            task = finish(TopK(names(n), k, strategy=name, ties_are_transitive=ties_are_transitive), by_value(values))
            assert [values[item] for item in task.result().top] == sorted(order, reverse=True)[:k], (order, k)


@pytest.mark.parametrize("name", WITH_BAD)
@pytest.mark.parametrize("ties_are_transitive", [True, False])
@given(n=st.integers(0, 40), k=st.integers(1, 15), seed=seeds, how_many=st.integers(1, 8), bar=st.integers(0, 6), has_prior=st.booleans())
def test_both_bad_loses_nothing_that_is_good(
    name: str, ties_are_transitive: bool, n: int, k: int, seed: int, how_many: int, bar: int, has_prior: bool
) -> None:
    values = levels(n, seed, how_many)
    prior = random.Random(seed).sample(names(n), n) if has_prior and name in WITH_PRIOR else None
    task = TopK(names(n), k, strategy=name, seed=seed, ties_are_transitive=ties_are_transitive, prior=prior)
    result = finish(task, by_value(values, bar=bar)).result()
    good = sorted((value for value in values.values() if value >= bar), reverse=True)[:k]
    assert [values[item] for item in result.top][: len(good)] == good
    assert all(values[item] < bar for item in result.top[len(good) :])  # a place that nothing good wants: gain 0 either way
    called_bad = {item for event in task.judgments if event.answer == "bad" for item in (event.left, event.right)}
    assert set(result.bad) == called_bad
    assert not called_bad & set(result.top)


@pytest.mark.parametrize("name", WITH_BAD)
@given(n=st.integers(0, 40), k=st.integers(1, 15), seed=seeds, bar=st.integers(0, 6))
def test_what_was_called_bad_and_what_is_no_better_is_never_shown_again(name: str, n: int, k: int, seed: int, bar: int) -> None:
    judge, answers = by_value(levels(n, seed, 8), bar=bar), list[reference.Answer]()
    task, gone = TopK(names(n), k, strategy=name, seed=seed), set[str]()
    while (question := task.ask()) is not None:
        assert question.right is not None
        assert not gone & {question.left, question.right}
        answers.append((question.left, question.right, judge(question.left, question.right)))
        task.answer(reference.words(judge, question))
        if answers[-1][2] == BAD:
            gone |= {question.left, question.right}
        gone |= {
            item for item in names(n) if any(reference.implied(answers, bad, item) in (reference.BETTER, reference.TIE) for bad in gone)
        }


@pytest.mark.parametrize("name", WITH_PRIOR)
@settings(max_examples=50)
@given(n=st.integers(0, 30), k=st.integers(1, 12), seed=seeds, told=st.integers(0, 30), is_good=st.booleans())
def test_any_prior_order_even_a_partial_or_wrong_one_leaves_the_top_exact(
    name: str, n: int, k: int, seed: int, told: int, is_good: bool
) -> None:
    values = shuffled(n, seed)
    order = best_first(values, n) if is_good else random.Random(seed + 1).sample(names(n), n)
    task = finish(TopK(names(n), k, strategy=name, seed=seed, prior=order[:told]), by_value(values))
    assert list(task.result().top) == best_first(values, k)


@pytest.mark.parametrize("name", WITH_PRIOR)
def test_a_perfect_prior_saves_questions(name: str) -> None:
    def asked(seed: int, with_prior: bool) -> int:
        values = shuffled(50, seed)
        prior = best_first(values, 50) if with_prior else None
        return len(finish(TopK(names(50), 10, strategy=name, seed=seed, prior=prior), by_value(values)).judgments)

    assert sum(asked(seed, True) for seed in range(5)) < 0.7 * sum(asked(seed, False) for seed in range(5))


@pytest.mark.parametrize("name", SORTING)
@pytest.mark.parametrize("n", [0, 1])
def test_where_there_is_nothing_to_compare_nothing_is_asked(name: str, n: int) -> None:
    task = TopK(names(n), 3, strategy=name)
    assert task.ask() is None
    assert task.result().top == tuple(names(n))


@pytest.mark.parametrize("name", SORTING)
@settings(max_examples=40)
@given(n=st.integers(0, 25), k=st.integers(1, 12), seed=seeds, ties_are_transitive=st.booleans())
def test_a_judge_without_any_order_still_gets_an_end_and_is_asked_nothing_twice(
    name: str, n: int, k: int, seed: int, ties_are_transitive: bool
) -> None:
    task = TopK(names(n), k, strategy=name, seed=seed, ties_are_transitive=ties_are_transitive)
    result = finish(task, by_chance(seed, reference.outcomes_of(name))).result()
    pairs = reference.pairs_of(task.judgments)
    assert len(set(pairs)) == len(pairs)
    assert len(set(result.top)) == len(result.top) <= k
    assert {*result.top, *result.rest} == set(names(n))
    assert len(result.top) == min(n, k) or "bad" in STRATEGIES[name].answers  # without bad ones the top is full


# Each against its plain twin, for judges with and without an order.


def drive(run: Strategy, compare: Callable[[str, str], int]) -> list[str]:
    """Run a strategy to its end without a task."""
    try:
        asks = next(run)
        while True:
            assert asks.other is not None
            asks = run.send(Outcome(compare(asks.item, asks.other)))
    except StopIteration as finished:
        return list(finished.value)


def judges(name: str, n: int, seed: int, kind: str) -> Judge:
    if kind == "ordered":
        return by_value(shuffled(n, seed))
    if kind == "tied":
        return by_value(levels(n, seed, 5))
    if kind == "bad":
        return by_value(levels(n, seed, 5), bar=2 if name in WITH_BAD else None)
    return by_chance(seed, reference.outcomes_of(name))


KINDS = ["ordered", "tied", "bad", "no order"]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(n=st.integers(0, 30), k=st.integers(1, 12), seed=seeds, ties_are_transitive=st.booleans())
def test_a_strategy_asks_the_same_in_the_same_order_as_its_plain_twin(
    name: str, kind: str, n: int, k: int, seed: int, ties_are_transitive: bool
) -> None:
    judge, items = judges(name, n, seed, kind), random.Random(seed).sample(names(n), n)
    ours, plain = (Interview(judge, ties_are_transitive=ties_are_transitive) for _ in range(2))
    assert drive(STRATEGIES[name].run(items, k), ours) == PLAIN[name](items, k, plain)
    assert ours.pairs == plain.pairs


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(n=st.integers(0, 25), k=st.integers(1, 12), seed=seeds, ties_are_transitive=st.booleans())
def test_a_task_asks_what_the_plain_twin_asks_of_the_drawn_order(
    name: str, kind: str, n: int, k: int, seed: int, ties_are_transitive: bool
) -> None:
    judge = judges(name, n, seed, kind)
    task = finish(TopK(names(n), k, strategy=name, seed=seed, ties_are_transitive=ties_are_transitive), judge)
    plain = Interview(judge, ties_are_transitive=ties_are_transitive)
    assert list(task.result().top) == PLAIN[name](reference.drawn(names(n), seed), k, plain)
    assert reference.pairs_of(task.judgments) == plain.pairs


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(n=st.integers(0, 30), k=st.integers(1, 12), seed=seeds, stop_after=st.none() | st.integers(1, 3))
def test_adaptive_with_a_prior_and_a_stop_asks_what_its_plain_twin_asks(
    kind: str, n: int, k: int, seed: int, stop_after: int | None
) -> None:
    judge, items = judges("adaptive", n, seed, kind), random.Random(seed).sample(names(n), n)
    task = finish(TopK(names(n), k, prior=items, stop_after=stop_after), judge)
    plain = Interview(judge)
    assert list(task.result().top) == PLAIN["adaptive"](items, k, plain, has_prior=True, stop_after=stop_after)
    assert reference.pairs_of(task.judgments) == plain.pairs


# By hand.


def asked_in_order(strategy: str, items: Sequence[str], k: int, said: str) -> tuple[list[set[str]], tuple[str, ...]]:
    """The pairs asked of items in the order of a prior, where ``said`` names the winner of each, or T for a tie, or B for both bad."""
    task, pairs = TopK(list(items), k, strategy=strategy, prior=list(items)), []
    for word in said:
        question = task.ask()
        assert question is not None
        assert question.right is not None
        pairs.append({question.left, question.right})
        task.answer({"T": "tie", "B": "bad", question.left: "left", question.right: "right"}[word])
    return pairs, task.result().top


def test_insertion_by_hand() -> None:
    """Place a, b, c for k = 2: b meets a; c meets the last of the two, and then the best."""
    pairs, top = asked_in_order("insertion", "abc", 2, "bcb")
    assert pairs == [{"a", "b"}, {"a", "c"}, {"b", "c"}]
    assert top == ("b", "c")


def test_a_newcomer_that_ties_with_the_last_of_the_top_stays_out() -> None:
    assert asked_in_order("insertion", "abc", 2, "aT") == ([{"a", "b"}, {"b", "c"}], ("a", "b"))


def test_in_adaptive_a_tie_shares_the_place_and_is_asked_no_more() -> None:
    """After a prior fills the two places with a over b, c ties with b: it stands behind b, beyond the second place."""
    assert asked_in_order("adaptive", "abc", 2, "aT") == ([{"a", "b"}, {"b", "c"}], ("a", "b"))


def test_in_adaptive_what_ties_with_a_bad_document_is_removed_with_it() -> None:
    """c fills the place; a and b tie; then a and c are both bad, so b, which is no better than a, is bad too."""
    assert asked_in_order("adaptive", "cab", 1, "TB") == ([{"a", "b"}, {"a", "c"}], ())


def test_stop_after_gives_up_the_newcomers_left() -> None:
    items = names(20)
    task = TopK(items, 3, prior=items, stop_after=2)
    good = {"d0": 3.0, "d1": 2.0, "d2": 1.0, "d19": 9.0}
    finish(task, by_value({item: good.get(item, 0.0) for item in items}, bar=1.0))
    assert task.result().top == ("d0", "d1", "d2")  # d19 would have been the best: what is good among them is lost
    assert reference.pairs_of(task.judgments)[-2:] == [{"d3", "d4"}, {"d5", "d6"}]
    assert set(task.result().bad) == {"d3", "d4", "d5", "d6"}


def test_a_good_pair_between_bad_ones_starts_the_count_of_stop_after_again() -> None:
    items = names(9)
    task = TopK(items, 1, prior=items, stop_after=2)
    finish(task, by_value({item: {"d0": 5.0, "d3": 4.0, "d8": 9.0}.get(item, 0.0) for item in items}, bar=1.0))
    assert [event.answer == "bad" for event in task.judgments if event.stage == "triage"] == [True, False, True, False]
    assert task.result().top == ("d8",)


@pytest.mark.parametrize(
    ("name", "stages"),
    [("heap", "boundary order"), ("insertion", "boundary order"), ("tournament", "order"), ("adaptive", "triage boundary order")],
)
def test_the_stage_of_a_question_says_why_it_is_asked(name: str, stages: str) -> None:
    task = finish(TopK(names(30), 5, strategy=name), by_value(shuffled(30, 1)))
    assert {event.stage for event in task.judgments} == set(stages.split())


@pytest.mark.parametrize("name", SORTING)
def test_the_cost_of_sorting_is_of_the_order_that_the_strategy_promises(name: str) -> None:
    """(n, k) = (50, 10): an all-pairs round would be 1,225; the paper's heap, the dearest, needs about 151 on average."""
    counts = [len(finish(TopK(names(50), 10, strategy=name, seed=seed), by_value(shuffled(50, seed))).judgments) for seed in range(8)]
    assert sum(counts) / len(counts) < {"heap": 165, "tournament": 96}.get(name, 130)
