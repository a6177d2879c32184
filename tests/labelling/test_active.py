"""The strategy that asks again, and the rescored log: budgets, confidence, what is bad, people and models, resuming."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from podium.assessors import Oracle, label, noise_for_accuracy
from podium.errors import DataError, UnknownName
from podium.labelling import Event, Question, TopK, how_sure, rescore
from podium.labelling.active import STARTS
from podium.labelling.bradley_terry import fit, prior_scores
from podium.labelling.rescoring import called_bad
from podium.labelling.telling import most_telling

ITEMS = [f"d{place:02}" for place in range(20)]
WORTH = dict(zip(ITEMS, np.random.default_rng(7).permutation(20).astype(float).tolist(), strict=True))
BEST = sorted(ITEMS, key=WORTH.__getitem__, reverse=True)
JUDGE = Oracle(WORTH, noise=noise_for_accuracy(list(WORTH.values()), 0.9), seed=3, name="")


@pytest.mark.parametrize("start", STARTS)
def test_the_budget_is_spent_and_the_top_is_that_of_the_fit(start: str) -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=70, start=start)
    assert label(task, JUDGE) == 70
    assert task.result().top == rescore(task).order[:4]
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
    found = rescore(first)
    assert set(again.pair) == set(most_telling(found, 4)[0])


def test_a_budget_that_ends_within_the_sort_still_gives_a_top() -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=5)
    assert label(task, JUDGE) == 5
    assert len(task.result().top) == 4


def test_it_stops_as_soon_as_it_is_sure() -> None:
    task = TopK(ITEMS, 2, strategy="active", budget=2000, confidence=0.8, start="none")
    given = label(task, JUDGE)
    assert given < 2000
    assert how_sure(rescore(task), 2).set_probability >= 0.8
    before = TopK(**task.settings(), log=task.log[:-1])
    assert how_sure(rescore(before), 2).set_probability < 0.8


def test_to_be_sure_of_the_order_takes_more_than_to_be_sure_of_the_set() -> None:
    given = {}
    for what in ("set", "order"):
        task = TopK(ITEMS, 3, strategy="active", budget=2000, confidence=0.7, sure_of=what, start="none")
        given[what] = label(task, JUDGE)
        found = how_sure(rescore(task), 3)
        assert (found.set_probability if what == "set" else found.order_probability) >= 0.7
    assert given["set"] < given["order"] < 2000


def test_a_log_stopped_anywhere_goes_on_with_the_same_question() -> None:
    task = TopK(ITEMS, 4, strategy="active", budget=60, seed=2)
    questions = []
    while (question := task.ask()) is not None:
        questions.append(question)
        task.answer(JUDGE.answer(question, repeat=sum(event.question.pair == question.pair for event in task.judgments)))
    settings = json.loads(json.dumps(task.settings()))
    for stop in range(len(task.log)):
        assert TopK(**settings, log=task.log[:stop]).ask() == questions[stop]


@pytest.mark.parametrize("name", ["", "ann"])
def test_a_pair_asked_again_has_its_sides_turned(name: str) -> None:
    task = TopK(ITEMS[:3], 1, strategy="active", budget=40)
    label(task, Oracle(WORTH, noise=50.0, name=name))
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
    for number, event in enumerate(task.judgments):
        assert event.stage != "repeat" or called_bad(task.judgments[:number]).isdisjoint(event.question.pair)
    assert "repeat" in {event.stage for event in task.judgments}
    assert set(result.bad) == called_bad(task.judgments)
    assert set(rescore(task).items) == set(ITEMS) - set(result.bad)


def test_one_slip_of_a_judge_who_errs_removes_nobody_who_has_won() -> None:
    """Truth a > b > c > d; the tenth of twelve answers calls a pair bad."""
    task = TopK(["a", "b", "c", "d"], 2, strategy="active", budget=12)
    for number in range(12):
        question = task.ask()
        assert question is not None
        assert question.right is not None
        task.answer("bad" if number == 9 else "left" if question.left < question.right else "right")
    assert task.result().top == ("a", "b")


def test_an_outvoted_bad_removes_nobody_from_the_fit() -> None:
    first = TopK(["a", "b", "c"], 1, repeats=3)
    for name, answer in (("z", "bad"), ("x", "left"), ("y", "left")):
        question = first.ask(name)
        assert question is not None
        first.answer(answer, assessor=name, question=Question(*sorted(question.pair)))
    assert first.bad == ()
    assert set(rescore(first).items) == {"a", "b", "c"}


def test_a_prior_order_is_the_mean_of_the_fit() -> None:
    found = rescore(TopK(ITEMS, 3, strategy="insertion", prior=BEST))
    assert found.order == tuple(BEST)
    np.testing.assert_allclose(found.scores, fit([], BEST, prior=prior_scores(BEST, 1.5)).scores)


def said_by(role: str, answer: str = "left", left: str = "d00", right: str = "d01") -> Event:
    return Event(left=left, right=right, answer=answer, role=role, assessor=role)


def test_people_and_models_are_not_averaged_unasked() -> None:
    shared = TopK(ITEMS, 2, strategy="insertion", log=[said_by("person"), said_by("model")])
    with pytest.raises(DataError, match="not averaged unasked"):
        rescore(shared)
    assert rescore(shared, roles={"person"}).score("d00") > 0


@pytest.mark.parametrize("roles", [("person", "model"), ("model", "recorded")])
def test_where_answers_are_weighed_together_the_second_kind_is_refused_at_once(roles: tuple[str, str]) -> None:
    for task in (TopK(ITEMS, 2, strategy="active"), TopK(ITEMS, 2, strategy="heap", repeats=3)):
        task.record(said_by(roles[0]))
        with pytest.raises(DataError, match="not put together by majority or in a fit unless that is said"):
            task.record(said_by(roles[1]))
        assert len(task.log) == 1
        assert task.ask("somebody") is not None
    counted = TopK(ITEMS, 2, strategy="active", start="none", count="people", log=[said_by(role) for role in roles])
    assert counted.ask() is not None


def test_what_a_model_calls_bad_does_not_remove_it_from_a_fit_of_people() -> None:
    log = [said_by("person"), said_by("model", "bad", "d00", "d02")]
    task = TopK(ITEMS, 2, strategy="adaptive", log=log)
    assert "d00" in rescore(task, roles={"person"}).items
    assert "d00" not in rescore(task, roles={"model"}).items


def test_a_count_of_nobody_is_said() -> None:
    task = TopK(ITEMS, 2, strategy="active", start="none", count="models", log=[said_by("person")])
    with pytest.raises(DataError, match="none of the 1 judgments is by models"):
        task.ask()


def test_of_many_items_only_those_that_matter_are_looked_at() -> None:
    many = [f"m{place:04}" for place in range(400)]
    task = TopK(many, 5, strategy="active", start="none", budget=3)
    assert label(task, Oracle({item: float(item[1:]) for item in many}, name="")) == 3


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
        rescored += _right(rescore(task).order[:10], best)
    assert rescored > own


def _right(top: tuple[str, ...], best: list[str]) -> int:
    place = {item: rank for rank, item in enumerate(top)}
    return sum(place.get(a, 99) < place.get(b, 99) for i, a in enumerate(best) for b in best[i + 1 :])
