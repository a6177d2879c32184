"""The task: its doors, chance, seats, stages, skip and undo of one assessor, and the result."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from typing import Any

import pytest
from tests.labelling.reference import (
    ALPHABETIC,
    ITEMS,
    SORTING,
    WITHOUT_REPEATING,
    by_value,
    drawn,
    finish,
    rebuilt,
    words,
)

from podium.errors import DataError, UnknownName
from podium.labelling import STRATEGIES, Question, Result, TopK

# Doors.


@pytest.mark.parametrize("name", ["k", "repeats"])
@pytest.mark.parametrize("value", [0, -1, True, False, 1.0, 2.5, "3", None])
def test_k_and_repeats_must_be_whole_numbers_of_one_or_more(name: str, value: Any) -> None:
    with pytest.raises(DataError, match=rf"{name} must be a whole number of 1 or more, got {value!r}"):
        TopK(ITEMS, **{name: value})


@pytest.mark.parametrize("wrong", ["", None, 7, b"a", ("a",)])
def test_items_must_be_text_that_is_not_empty(wrong: Any) -> None:
    with pytest.raises(DataError, match="items must be ids, that is text which is not empty, got"):
        TopK(["a", wrong])


def test_an_item_given_twice_is_named() -> None:
    with pytest.raises(DataError, match="item 'b' occurs twice"):
        TopK(["a", "b", "c", "b"])


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"unknown strategy 'haep'; did you mean 'heap'\? choose from .*adaptive.*heap.*tournament"):
        TopK(ITEMS, strategy="haep")


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="unknown option of adaptive 'stop_aftr'; did you mean 'stop_after'"):
        TopK(ITEMS, stop_aftr=3)
    with pytest.raises(UnknownName, match="unknown option of heap 'stop_after'; it has none"):
        TopK(ITEMS, strategy="heap", stop_after=3)


@pytest.mark.parametrize("value", [0, -1, True, 2.5, "many", "2.5", math.nan, [3]])
def test_stop_after_must_be_a_whole_number_of_one_or_more(value: Any) -> None:
    with pytest.raises(DataError, match="stop_after must be a whole number of 1 or more, got"):
        TopK(ITEMS, stop_after=value)


@pytest.mark.parametrize("value", [math.inf, 1e400])
def test_an_infinite_stop_after_is_refused_too(value: float) -> None:
    with pytest.raises(DataError, match="stop_after must be a whole number of 1 or more, got inf"):
        TopK(ITEMS, stop_after=value)


def test_numbers_of_options_may_come_as_text_from_a_command_line() -> None:
    assert TopK(ITEMS, stop_after="3").options == {"stop_after": 3}
    assert TopK(ITEMS, stop_after=None).options == {"stop_after": None}


def test_a_prior_must_name_items_of_the_task_and_each_once() -> None:
    with pytest.raises(DataError, match="the prior order names 'z', which is not among the items"):
        TopK(ITEMS, prior=["a", "z"])
    with pytest.raises(DataError, match="the prior order names 'z', which is not among the items"):
        TopK(ITEMS, prior={"a": 1.0, "z": 0.5})
    with pytest.raises(DataError, match="the prior order names 'a' twice"):
        TopK(ITEMS, prior=["a", "b", "a"])


@pytest.mark.parametrize("name", [name for name, entry in STRATEGIES.items() if not entry.takes_prior])
def test_a_strategy_that_draws_its_order_refuses_a_prior(name: str) -> None:
    with pytest.raises(DataError, match=f"{name} takes no prior order.*leave prior out or choose another strategy"):
        TopK(ITEMS, strategy=name, prior=ITEMS)


def test_a_prior_of_scores_is_the_prior_of_items_best_first() -> None:
    by_score = TopK(ITEMS, strategy="graded", prior={"c": 0.5, "a": -1.0, "f": 7.0})
    assert by_score.prior == ("f", "c", "a")
    asked = []
    while (question := by_score.ask()) is not None:
        asked.append(question.left)
        by_score.answer("Fair")
    assert asked[:3] == ["f", "c", "a"]
    rest = set("bde")
    assert asked[3:] == [item for item in drawn(ITEMS, 0) if item in rest]  # the others follow in the drawn order


def test_a_prior_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(DataError, match="prior"):
        TopK(ITEMS, prior={"a": 1.0, "b": math.nan, "c": 2.0})


@pytest.mark.parametrize("grades", [("Good",), (), ("Bad", "Good", "Bad")])
def test_grades_must_be_two_or_more_different_names(grades: tuple[str, ...]) -> None:
    with pytest.raises(DataError, match="grades must be two or more different names, worst first"):
        TopK(ITEMS, strategy="graded", grades=grades)


def test_a_grade_needs_a_name_or_its_log_cannot_be_read_again() -> None:
    with pytest.raises(DataError, match="grades must be"):
        TopK(ITEMS, strategy="graded", grades=("", "Good"))


def test_repeats_and_a_strategy_that_repeats_by_itself_are_refused_together() -> None:
    for name, entry in STRATEGIES.items():
        if entry.is_repeating:
            with pytest.raises(DataError, match=f"{name} asks again where it pays; leave repeats at 1"):
                TopK(ITEMS, strategy=name, repeats=3)


def test_settings_survive_json_and_say_everything_but_the_log() -> None:
    task = TopK(ITEMS, 3, seed=7, prior=["c", "a"], ties_are_transitive=False, repeats=3, grades=("no", "yes"), stop_after=4)
    assert json.loads(json.dumps(task.settings())) == {
        "items": ITEMS, "k": 3, "strategy": "adaptive", "seed": 7, "prior": ["c", "a"], "ties_are_transitive": False, "repeats": 3,
        "grades": ["no", "yes"], "stop_after": 4,
    }  # fmt: skip
    assert rebuilt(task).settings() == task.settings()


@pytest.mark.parametrize("seed", ["0", 0.0, None, True])
def test_a_seed_must_be_a_whole_number(seed: Any) -> None:
    with pytest.raises(DataError, match="seed"):
        TopK(ITEMS, seed=seed)


# Chance: the order of items and the sides.


@pytest.mark.parametrize("name", SORTING)
def test_the_drawn_order_depends_on_seed_and_ids_and_not_on_the_order_given(name: str) -> None:
    for seed in range(5):
        forward, backward = TopK(ITEMS, 2, strategy=name, seed=seed), TopK(ITEMS[::-1], 2, strategy=name, seed=seed)
        while (question := forward.ask()) is not None:
            assert question == backward.ask()
            forward.answer(words(ALPHABETIC, question))
            backward.answer(words(ALPHABETIC, question))
        assert backward.ask() is None
        assert forward.result().top == backward.result().top


def test_every_order_is_drawn_about_equally_often() -> None:
    counts = Counter(tuple(drawn(["a", "b", "c"], seed)) for seed in range(600))
    assert len(counts) == 6
    assert all(abs(count - 100) < 5 * math.sqrt(600 * 1 / 6 * 5 / 6) for count in counts.values())


@pytest.mark.parametrize("name", SORTING)
def test_each_document_of_a_pair_stands_left_about_half_the_time(name: str) -> None:
    lefts = [TopK(["a", "b"], 1, strategy=name, seed=seed).ask() for seed in range(1000)]
    count = sum(question is not None and question.left == "a" for question in lefts)
    assert abs(count - 500) < 5 * math.sqrt(1000 / 4)  # five standard deviations of a fair coin


def test_sides_within_one_task_are_fair_too_and_the_same_for_the_same_seed() -> None:
    """Newcomers and the better ones stand left about half the time: over many pairs of one task there is no side to learn."""
    items = [f"d{number}" for number in range(60)]
    values = dict(zip(items, random.Random(0).sample(range(60), 60), strict=True))
    first, again = (finish(TopK(items, 10, strategy="heap", seed=5), by_value(values)).judgments for _ in range(2))
    assert first == again
    wins = sum(event.answer == "left" for event in first)
    assert abs(wins - len(first) / 2) < 5 * math.sqrt(len(first) / 4)
    smaller = sum(event.left < event.right for event in first)  # type: ignore[operator]
    assert abs(smaller - len(first) / 2) < 5 * math.sqrt(len(first) / 4)


def test_sides_are_turned_with_each_repetition_whether_answered_or_open() -> None:
    one_by_one = TopK(["a", "b"], 1, repeats=4)
    shown = []
    for _ in range(2):
        shown.append(one_by_one.ask())
        one_by_one.answer("tie")
    assert shown[0] is not None
    assert shown[1] == Question(shown[0].right or "", shown[0].left, shown[0].stage)
    at_once = TopK(["a", "b"], 1, repeats=4)
    open_now = [at_once.ask(who) for who in "wxyz"]
    assert open_now == [shown[0], shown[1], shown[0], shown[1]]


# Seats, stages, and what is left.


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
@pytest.mark.parametrize("repeats", [1, 3])
def test_the_seats_of_a_model_have_questions_of_their_own_and_never_one_pair_twice(name: str, repeats: int) -> None:
    task = TopK([f"d{number}" for number in range(16)], 8, strategy=name, repeats=repeats)
    seats = [question for seat in range(8) if (question := task.ask("model", seat=seat)) is not None]
    assert len({question.pair for question in seats}) == len(seats) > 1
    assert [task.ask("model", seat=seat) for seat in range(len(seats))] == seats  # the same until answered
    said = seats[-1]
    task.answer(task.answers[0], assessor="model", question=said)
    assert task.ask("model", seat=len(seats) - 1) != said
    assert [task.ask("model", seat=seat) for seat in range(len(seats) - 1)] == seats[:-1]


def test_stages_limit_what_an_assessor_is_asked() -> None:
    values = by_value({f"d{number}": number for number in range(30)})
    task, asked = TopK([f"d{number}" for number in range(30)], 5), dict[str, set[str]](model=set(), ann=set())
    while not task.is_finished:
        for who, stages in (("model", ["triage"]), ("ann", ["boundary", "order"])):
            if (question := task.ask(who, stages=stages)) is not None:
                asked[who].add(question.stage)
                task.answer(words(values, question), assessor=who)
    assert asked == {"model": {"triage"}, "ann": {"boundary", "order"}}
    assert task.result().top == ("d29", "d28", "d27", "d26", "d25")
    fresh = TopK(ITEMS, 2)
    assert fresh.ask("ann", stages=["boundary"]) is None
    assert fresh.ask("ann", stages=[]) is None
    assert fresh.ask("ann") is not None


def test_all_open_questions_can_be_taken_back() -> None:
    task = TopK(ITEMS, 2, strategy="heap")
    questions = [task.ask(who) for who in "xyz"]
    task.release_all()
    assert [task.ask(who) for who in "uvw"] == questions


@pytest.mark.parametrize("name", SORTING)
def test_about_left_is_nothing_at_the_end_and_something_before(name: str) -> None:
    task = TopK(ITEMS, 2, strategy=name)
    while (question := task.ask()) is not None:
        assert 1 <= task.about_left() <= len(ITEMS) * (len(ITEMS) - 1) / 2 - len(task.judgments)
        task.answer(words(ALPHABETIC, question))
    assert task.about_left() == 0


def test_about_left_of_grades_is_what_is_left() -> None:
    task = TopK(ITEMS, 2, strategy="graded", repeats=2)
    for left in range(2 * len(ITEMS), 0, -1):
        assert task.about_left() == left
        task.ask()
        task.answer("Good")
    assert task.about_left() == 0


# Skip, undo and redo of one assessor.


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_a_question_is_the_same_until_it_is_answered_or_skipped(name: str) -> None:
    task = TopK(ITEMS, 2, strategy=name)
    assert task.ask() == task.ask() is not None


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_what_was_skipped_comes_back_when_nothing_else_is_left_longest_ago_first(name: str) -> None:
    task, open_now = TopK(ITEMS, 2, strategy=name), TopK(ITEMS, 2, strategy=name)
    at_once = sum(open_now.ask(f"assessor {number}") is not None for number in range(20))
    skipped = []
    for _ in range(at_once):
        question = task.ask()
        assert question is not None
        skipped.append(question.pair)
        task.skip()
    assert len(set(skipped)) == at_once
    again = task.ask()
    assert again is not None
    assert again.pair == skipped[0]
    assert not task.is_finished


@pytest.mark.parametrize("name", SORTING)
def test_skipping_everything_once_does_not_change_the_top(name: str) -> None:
    task, seen = TopK(ITEMS, 3, strategy=name), set[tuple[str, str]]()
    while (question := task.ask()) is not None:
        if question.pair in seen:
            task.answer(words(ALPHABETIC, question))
        else:
            seen.add(question.pair)
            task.skip()
    assert task.result().top == ("a", "b", "c")


def test_skips_come_back_in_the_order_of_skipping_however_often() -> None:
    task = TopK(["a", "b", "c", "d"], 1, strategy="tournament")  # two matches can be played at once
    pairs = []
    for _ in range(5):
        question = task.ask()
        assert question is not None
        pairs.append(question.pair)
        task.skip()
    assert pairs == [pairs[0], pairs[1]] * 2 + [pairs[0]]
    assert pairs[0] != pairs[1]


def test_others_get_what_one_has_skipped() -> None:
    task = TopK(["a", "b"], 1)
    pair = task.ask("ann")
    task.skip(assessor="ann")
    assert task.ask("bob") == pair


def test_a_question_taken_back_unanswered_goes_to_the_next() -> None:
    task = TopK(["a", "b"], 1)
    question = task.ask("ann")
    assert task.ask("bob") is None
    task.release("ann")
    assert task.ask("bob") == question


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
@pytest.mark.parametrize("repeats", [1, 3])
def test_undoing_everything_goes_back_question_by_question(name: str, repeats: int) -> None:
    task, chance = TopK(ITEMS, 2, strategy=name, repeats=repeats), random.Random(1)
    asked: list[Question] = []
    while (question := task.ask()) is not None and len(asked) < 40:
        asked.append(question)
        if chance.random() < 0.2:
            task.skip()
        else:
            task.answer(chance.choice(task.answers))
    task.release()
    while asked:
        task.undo()
        assert task.ask() == asked.pop()
    assert task.judgments == ()


# The result.


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_a_result_before_the_end_is_refused(name: str) -> None:
    task = TopK(ITEMS, 2, strategy=name)
    with pytest.raises(DataError, match=r"the task is not finished after 0 judgments; ask\(\) has more questions"):
        task.result()
    task.ask()
    task.answer(task.answers[0])
    assert not task.is_finished
    with pytest.raises(DataError, match="after 1 judgments"):
        task.result()


@pytest.mark.parametrize("name", SORTING)
@pytest.mark.parametrize("k", [1, 3, 6, 9])
def test_the_result_has_top_rest_labels_and_judgments(name: str, k: int) -> None:
    task = finish(TopK(ITEMS, k, strategy=name), ALPHABETIC)
    result = task.result()
    assert result.top == tuple(ITEMS[:k])
    assert result.rest == tuple(ITEMS[k:])
    assert (result.k, result.judgments, result.ties, result.bad, result.grades) == (k, task.judgments, (), (), {})
    assert result.labels() == {item: max(0.0, float(k - place)) for place, item in enumerate(ITEMS)}


def test_the_rest_keeps_the_order_in_which_items_were_given() -> None:
    items = ["f", "a", "d", "b", "e", "c"]
    assert finish(TopK(items, 2, seed=3), ALPHABETIC).result().rest == ("f", "d", "e", "c")


def test_what_was_called_bad_is_told_in_the_order_of_items_and_is_in_the_rest() -> None:
    result = finish(TopK(ITEMS, 2), by_value({item: -place for place, item in enumerate(ITEMS)}, bar=-1.0)).result()
    assert result.top == ("a", "b")
    assert set(result.bad) <= set(result.rest) == {"c", "d", "e", "f"}
    assert list(result.bad) == sorted(result.bad)
    assert result.labels() == {"a": 2.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 0.0, "f": 0.0}


def test_after_an_undo_the_result_is_refused_until_the_redo() -> None:
    task = finish(TopK(ITEMS, 2), ALPHABETIC)
    before = task.result()
    task.undo()
    assert not task.is_finished
    task.redo()
    assert task.result() == before
    assert isinstance(before, Result)


def test_sides_have_a_seed_of_their_own_that_leaves_the_pairs_alone() -> None:
    def asked(sides: int | None) -> list[tuple[str, str | None]]:
        task, found = TopK([f"d{place:02d}" for place in range(12)], k=3, strategy="heap", seed=4, sides=sides), []
        while (question := task.ask()) is not None:
            found.append((question.left, question.right))
            task.answer("left" if question.left < str(question.right) else "right")
        return found

    plain, one, other = asked(None), asked(7), asked(8)
    assert (
        [sorted(map(str, pair)) for pair in plain] == [sorted(map(str, pair)) for pair in one] == [sorted(map(str, pair)) for pair in other]
    )
    assert plain != one != other
    assert "sides" not in TopK(["a", "b"], k=1).settings()  # tasks that were made before sides had a seed compare equal
    settings = TopK(["a", "b"], k=1, sides=7).settings()
    assert TopK(**settings).settings() == settings
