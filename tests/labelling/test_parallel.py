"""Several pairs of one query open at once, with several assessors: the outcome is unchanged and little more is asked."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.labelling.reference import (
    SAID,
    SORTING,
    WITH_BAD,
    WITHOUT_REPEATING,
    Judge,
    by_value,
    finish,
    implied,
    meanings,
    rebuilt,
    words,
)

from podium.labelling import Question, TopK

sizes = {"n": st.integers(0, 25), "k": st.integers(1, 12), "crew": st.sampled_from([2, 4, 8]), "seed": st.integers(0, 2**32)}


def names(n: int) -> list[str]:
    return [f"d{number}" for number in range(n)]


def levels(n: int, seed: int, how_many: int) -> dict[str, float]:
    chance = random.Random(seed)
    return {item: chance.randrange(how_many) for item in names(n)}


def finish_together(task: TopK, judge: Judge, crew: int, chance: random.Random, *, laziness: float = 0.3) -> TopK:
    """A crew asks and answers in any order; every question is checked when it is handed out."""
    open_now: dict[str, Question] = {}
    while not task.is_finished:
        who = f"assessor {chance.randrange(crew)}"
        if who in open_now and chance.random() > laziness:
            task.answer(words(judge, open_now[who]), assessor=who, question=open_now.pop(who))
            continue
        question = task.ask(who)
        if question is None:
            assert open_now.keys() - {who}, "nobody has a question and the task is not finished"
            open_now.pop(who, None)
        elif open_now.get(who) != question:
            assert question.right is not None
            said = meanings(task.judgments)
            assert implied(said, question.left, question.right, ties_are_transitive=task.ties_are_transitive) is None
            open_now[who] = question
            pairs = [held.pair for held in open_now.values()]
            still_open = [pair for pair in pairs if implied(said, *pair, ties_are_transitive=task.ties_are_transitive) is None]
            assert len(set(still_open)) == len(still_open)
    return task


@pytest.mark.parametrize("name", SORTING)
@settings(max_examples=25)
@given(**sizes, how_many=st.sampled_from([2, 4, 8, 1000]), ties_are_transitive=st.booleans())
def test_a_crew_gets_the_very_outcome_of_one_assessor(
    name: str, n: int, k: int, crew: int, seed: int, how_many: int, ties_are_transitive: bool
) -> None:
    judge = by_value(levels(n, seed, how_many))
    alone, together = (TopK(names(n), k, strategy=name, seed=seed, ties_are_transitive=ties_are_transitive) for _ in range(2))
    finish(alone, judge)
    finish_together(together, judge, crew, random.Random(seed))
    assert together.result().top == alone.result().top
    assert rebuilt(together).result() == together.result()


@pytest.mark.parametrize("name", WITH_BAD)
@settings(max_examples=50)
@given(**sizes, how_many=st.sampled_from([3, 6]), bar=st.integers(1, 4))
def test_a_crew_that_calls_pairs_bad_loses_nothing_that_is_good(
    name: str, n: int, k: int, crew: int, seed: int, how_many: int, bar: int
) -> None:
    values = levels(n, seed, how_many)
    judge = by_value(values, bar=bar)
    alone, together = (TopK(names(n), k, strategy=name, seed=seed) for _ in range(2))
    finish(alone, judge)
    top = finish_together(together, judge, crew, random.Random(seed)).result().top
    assert [values[item] for item in top if values[item] >= bar] == sorted((v for v in values.values() if v >= bar), reverse=True)[:k]
    assert top == tuple(item for item in alone.result().top if item not in together.result().bad)  # one assessor may not have met that pair


@pytest.mark.parametrize("name", SORTING)
def test_one_pair_is_never_open_twice_without_repeats_and_at_most_so_often_with(name: str) -> None:
    for repeats in (1, 2, 3):
        task = TopK(names(20), 6, strategy=name, repeats=repeats)
        held = [question.pair for number in range(99) if (question := task.ask(f"assessor {number}")) is not None]
        assert held
        assert max(map(held.count, held)) == repeats
        assert task.ask("one too many") is None


@pytest.mark.parametrize("name", SORTING)
def test_a_crew_of_four_finds_work_from_the_start(name: str) -> None:
    task = TopK(names(40), 16, strategy=name)
    assert all(task.ask(f"assessor {number}") is not None for number in range(4))


@pytest.mark.parametrize("name", SORTING)
@settings(max_examples=15)
@given(n=st.integers(0, 14), k=st.integers(1, 6), seed=st.integers(0, 999), crew=st.sampled_from([3, 5]))
def test_with_repeats_a_crew_finds_the_true_top_and_nobody_judges_a_pair_twice(name: str, n: int, k: int, seed: int, crew: int) -> None:
    values = dict(zip(names(n), random.Random(seed).sample(range(n), n), strict=True))
    judge, chance = by_value(values), random.Random(seed)
    task, open_now = TopK(names(n), k, strategy=name, seed=seed, repeats=3), dict[str, Question]()
    while not task.is_finished:
        who = f"assessor {chance.randrange(crew)}"
        question = task.ask(who)
        if question is None:
            open_now.pop(who, None)
            continue
        if open_now.get(who) != question:
            open_now[who] = question
            votes_on_it = sum(event.question.pair == question.pair for event in task.judgments)
            assert votes_on_it + sum(held.pair == question.pair for held in open_now.values()) <= 3  # no vote too many is asked for
        if chance.random() < 0.5:
            task.answer(words(judge, open_now.pop(who)), assessor=who)
    assert list(task.result().top) == sorted(values, key=lambda item: -values[item])[:k]
    votes = [(event.question.pair, event.assessor) for event in task.judgments]
    assert len(set(votes)) == len(votes)
    by_pair = Counter(pair for pair, _ in votes)
    assert set(by_pair.values()) <= {1, 2}  # two agree, and the third is not asked; one, if meanwhile it followed from others


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_the_first_open_comparison_is_what_one_assessor_would_be_asked(name: str) -> None:
    chance = random.Random(3)
    one, many = TopK(names(12), 4, strategy=name), TopK(names(12), 4, strategy=name)
    while (question := one.ask()) is not None:
        many.release_all()
        assert many.ask("first") == question
        many.ask("second")
        said = chance.choice(one.answers)
        one.answer(said)
        many.answer(said, assessor="first")
    many.release_all()
    assert many.ask("first") is None


def test_who_leaves_with_a_question_open_blocks_nobody_once_it_is_taken_back() -> None:
    values = levels(20, 0, 1000)
    task = TopK(names(20), 5)
    for gone in range(6):
        task.ask(f"gone {gone}")
    for gone in range(6):
        task.release(f"gone {gone}")
    assert list(finish(task, by_value(values)).result().top) == sorted(values, key=lambda item: -values[item])[:5]


@pytest.mark.parametrize("name", ["insertion", "adaptive"])
def test_a_crew_of_eight_asks_little_more_than_one_assessor(name: str) -> None:
    """At (n, k) = (50, 10), on average over seeded trials, at most 1.35 times the questions."""
    alone, together, trials = 0, 0, 10
    for seed in range(trials):
        judge = by_value(dict(zip(names(50), random.Random(seed).sample(range(50), 50), strict=True)))
        alone += len(finish(TopK(names(50), 10, strategy=name, seed=seed), judge).judgments)
        task, chance, crew = TopK(names(50), 10, strategy=name, seed=seed), random.Random(seed), [f"assessor {i}" for i in range(8)]
        while not task.is_finished:
            held = {who: question for who in crew if (question := task.ask(who)) is not None}  # all who can are busy
            who = chance.choice(sorted(held))
            task.answer(words(judge, held[who]), assessor=who)
        together += len(task.judgments)
    assert alone <= together <= 1.35 * alone


@pytest.mark.parametrize("name", SORTING)
@settings(max_examples=20)
@given(n=st.integers(2, 12), k=st.integers(1, 6), seed=st.integers(0, 999))
@example(n=12, k=6, seed=0)
def test_an_answer_nobody_asked_for_yet_is_used_when_its_time_comes(name: str, n: int, k: int, seed: int) -> None:
    """Answers of an old log count: whatever of the truth is in the log is not asked, and the top is the same."""
    values, chance = levels(n, seed, 6), random.Random(seed)
    judge = by_value(values)
    alone, task = TopK(names(n), k, strategy=name, seed=seed), TopK(names(n), k, strategy=name, seed=seed)
    for _ in range(n):
        left, right = chance.sample(names(n), 2)
        task.answer(SAID[judge(left, right)], question=Question(left, right))
    given_before = len(task.judgments)
    seen = meanings(task.judgments)
    while (question := task.ask()) is not None:
        assert question.right is not None
        assert implied(seen, question.left, question.right) is None
        task.answer(words(judge, question))
        seen = meanings(task.judgments)
    assert task.result().top == finish(alone, judge).result().top
    assert len(task.judgments) - given_before <= len(alone.judgments)


def crews_of_bad_pairs() -> list[TopK]:
    """Five documents of which two are good and the top has three places."""
    values = {"d0": 1.0, "d1": 2.0, "d2": 1.0, "d3": 3.0, "d4": 1.0}
    judge = by_value(values, bar=2.0)
    return [finish_together(TopK(list(values), 3, seed=seed), judge, 4, random.Random(seed)) for seed in range(300, 400)]


def test_what_is_told_as_bad_is_in_the_rest() -> None:
    for task in crews_of_bad_pairs():
        assert set(task.result().bad) <= set(task.result().rest)


def test_what_a_crew_called_bad_is_not_on_top() -> None:
    """Both bad removes both for good, whenever it was said."""
    for task in crews_of_bad_pairs():
        called_bad = {item for event in task.judgments if event.answer == "bad" for item in (event.left, event.right)}
        assert not called_bad & set(task.result().top)
