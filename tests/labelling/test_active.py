"""The strategy that asks again, and the rescored log: budgets, confidence, what is bad, people and models, resuming."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from podium.assessors import Oracle, label, noise_for_accuracy
from podium.errors import DataError, UnknownName
from podium.labelling import Event, TopK, how_sure, rescore
from podium.labelling.active import STARTS
from podium.labelling.bradley_terry import fit, prior_scores
from podium.labelling.telling import most_telling

ITEMS = [f"d{place:02}" for place in range(20)]
WORTH = dict(zip(ITEMS, np.random.default_rng(7).permutation(20).astype(float).tolist(), strict=True))
BEST = sorted(ITEMS, key=WORTH.__getitem__, reverse=True)
JUDGE = Oracle(WORTH, noise=noise_for_accuracy(list(WORTH.values()), 0.9), seed=3, name="")


@pytest.mark.parametrize("start", STARTS)
def test_the_budget_is_spent_and_the_top_is_that_of_the_fit(start: str) -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=70, start=start)
    assert label(task, JUDGE) == 70
    assert task.result().top == rescore(task.judgments, task.order).order[:4]
    assert len(set(task.result().top) & set(BEST[:4])) >= 3


def test_the_first_part_is_the_sorting_strategy_itself() -> None:
    alone, first = TopK(ITEMS, 4, strategy="tournament"), TopK(ITEMS, 4, strategy="active", start="tournament", budget=500)
    label(alone, JUDGE)
    for event in alone.judgments:
        question = first.ask()
        assert question == event.question
        first.answer(JUDGE.answer(question))
    again = first.ask()
    assert again is not None
    assert again.stage == "repeat"
    found = rescore(first.judgments, first.order)
    assert set(again.pair) == set(most_telling(found, 4)[0])


def test_a_budget_that_ends_within_the_sort_still_gives_a_top() -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=5)
    assert label(task, JUDGE) == 5
    assert len(task.result().top) == 4


def test_it_stops_as_soon_as_it_is_sure() -> None:
    task = TopK(ITEMS, 2, strategy="active", budget=2000, confidence=0.8, start="none")
    given = label(task, JUDGE)
    assert given < 2000
    assert how_sure(rescore(task.judgments, task.order), 2).set_probability >= 0.8
    before = TopK(**task.settings(), log=task.log[:-1])
    assert how_sure(rescore(before.judgments, task.order), 2).set_probability < 0.8


def test_a_log_stopped_anywhere_goes_on_with_the_same_question() -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=60, seed=2)
    questions = []
    while (question := task.ask()) is not None:
        questions.append(question)
        task.answer(JUDGE.answer(question, repeat=sum(event.question.pair == question.pair for event in task.judgments)))
    settings = json.loads(json.dumps(task.settings()))
    for stop in range(len(task.log)):
        assert TopK(**settings, log=task.log[:stop]).ask() == questions[stop]


def test_a_pair_asked_again_has_its_sides_turned() -> None:
    task = TopK(ITEMS[:3], 1, strategy="active", budget=40)
    label(task, Oracle(WORTH, noise=50.0, name=""))
    by_pair: dict[tuple[str, str], list[str | None]] = {}
    for event in task.judgments:
        by_pair.setdefault(event.question.pair, []).append(event.left)
    shown = max(by_pair.values(), key=len)
    assert len(shown) > 4
    assert all(one != other for one, other in pairwise(shown))


def test_several_assessors_get_different_pairs_and_never_more_than_the_budget_is_needed() -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=30, start="none")
    asked = [task.ask(f"assessor {number}") for number in range(6)]
    pairs = [question.pair for question in asked if question is not None]
    assert len(pairs) == len(set(pairs)) == 6
    short = TopK(ITEMS, 4, strategy="active", budget=3, start="none")
    assert [short.ask(name) is None for name in "abcd"] == [False, False, False, True]


def test_what_was_called_bad_is_out_for_good() -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=80, start="adaptive")
    label(task, Oracle(WORTH, bad_below=12.0, name=""))
    result = task.result()
    assert result.top == tuple(BEST[:4])
    assert result.bad
    called: set[str] = set()
    for event in task.judgments:
        assert event.stage != "repeat" or called.isdisjoint(event.question.pair)
        called |= set(event.question.pair) if event.answer == "bad" else set()
    assert "repeat" in {event.stage for event in task.judgments}
    assert set(rescore(task.judgments, task.items).items) == set(ITEMS) - called


def test_a_prior_order_is_the_mean_of_the_fit() -> None:
    assert rescore([], BEST, has_prior=True).order == tuple(BEST)
    expected = fit([], BEST, prior=prior_scores(BEST, 1.5))
    np.testing.assert_allclose(rescore([], BEST, has_prior=True).scores, expected.scores)


def test_people_and_models_are_not_averaged_unasked() -> None:
    said = [Event(left="d00", right="d01", answer="left", role=role, assessor=role) for role in ("person", "model")]
    with pytest.raises(DataError, match="not averaged unasked"):
        rescore(said, ITEMS)
    with pytest.raises(DataError, match="not averaged unasked"):
        TopK(ITEMS, 2, strategy="active", start="none", log=said).ask()
    assert TopK(ITEMS, 2, strategy="active", start="none", count="people", log=said).ask() is not None
    assert rescore(said, ITEMS, roles={"person"}).score("d00") > 0


def test_options_are_checked_at_the_door() -> None:
    with pytest.raises(UnknownName, match="unknown start 'bubble'"):
        TopK(ITEMS, strategy="active", start="bubble")
    with pytest.raises(DataError, match=r"confidence must be a number between 0.01 and 0.999, got 1.5"):
        TopK(ITEMS, strategy="active", confidence=1.5)
    with pytest.raises(DataError, match="active asks again where it pays; leave repeats at 1"):
        TopK(ITEMS, strategy="active", repeats=3)
    assert TopK(ITEMS, strategy="active", budget="70", confidence="0.9").options["budget"] == 70


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_items_need_few_questions(n: int) -> None:
    task = TopK(ITEMS[:n], 5, strategy="active", budget=10)
    label(task, JUDGE)
    assert len(task.result().top) == n


def test_the_rescored_log_of_a_noisy_sort_beats_its_own_order() -> None:
    """The fit uses every answer, the sort some: over 150 trials at accuracy .9, more pairs of the true top ten are ordered right."""
    items, own, rescored = [f"d{place:02}" for place in range(50)], 0, 0
    for seed in range(150):
        worth = dict(zip(items, np.random.default_rng(seed).standard_normal(50).tolist(), strict=True))
        task = TopK(items, 10, strategy="insertion", seed=seed)
        label(task, Oracle(worth, noise=noise_for_accuracy(list(worth.values()), 0.9), seed=seed))
        best = sorted(items, key=worth.__getitem__, reverse=True)[:10]
        own += _right(task.result().top, best)
        rescored += _right(rescore(task.judgments, task.items).order[:10], best)
    assert rescored > own


def _right(top: tuple[str, ...], best: list[str]) -> int:
    place = {item: rank for rank, item in enumerate(top)}
    return sum(place.get(a, 99) < place.get(b, 99) for i, a in enumerate(best) for b in best[i + 1 :])
