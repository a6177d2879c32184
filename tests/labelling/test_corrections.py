"""Corrections: another answer in the place of one that was given, by an event of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labelling.reference import WITHOUT_REPEATING, rebuilt

from podium.errors import DataError
from podium.labelling import Event, Question, TopK, standing
from podium.labelling.log import standing_by_number


def insertion_of_three() -> TopK:
    """x, y, z in this order, k = 2: y meets x; z meets the second best, and only if it wins the best."""
    return TopK(["x", "y", "z"], 2, strategy="insertion", prior=["x", "y", "z"])


def say(task: TopK, better: str, assessor: str = "ann") -> Event:
    question = task.ask(assessor)
    assert question is not None
    return task.answer("left" if question.left == better else "right", assessor=assessor)


def side(event: Event, better: str) -> str:
    return "left" if event.left == better else "right"


def finished() -> tuple[TopK, Event, Event]:
    """x over y, y over z."""
    task = insertion_of_three()
    first, second = say(task, "x"), say(task, "y")
    assert task.result().top == ("x", "y")
    return task, first, second


def test_a_corrected_answer_changes_the_result() -> None:
    task, first, _ = finished()
    task.correct(1, side(first, "y"), assessor="lead")  # y over x and over z: which of these is second is not known
    while not task.is_finished:
        say(task, "x")
    assert task.result().top == ("y", "x")


def test_a_correction_may_reopen_a_finished_task() -> None:
    task, _, second = finished()
    task.correct(2, side(second, "z"), assessor="lead")  # z is better than y: now it must meet x
    assert not task.is_finished
    question = task.ask("ann")
    assert question is not None
    assert question.pair == ("x", "z")
    say(task, "x")
    assert task.result().top == ("x", "z")


def test_a_corrected_answer_keeps_its_place_its_assessor_and_its_time() -> None:
    task, first, second = finished()
    task.correct(1, "tie", assessor="lead", at="2026-01-01T00:00:00+00:00")
    assert task.judgments == (replace(first, answer="tie"), second)
    assert tuple(standing(task.log, as_said=True)) == (first, second)
    assert len(task.log) == 3


def test_what_was_corrected_can_be_corrected_again_and_the_last_counts() -> None:
    task, first, _ = finished()
    task.correct(1, "tie", assessor="lead")
    task.correct(1, side(first, "y"), assessor="boss")
    assert task.judgments[0].answer == side(first, "y")
    assert standing_by_number(task.log)[1][1] == 4
    task.undo(assessor="boss")  # the correction before it counts again
    assert task.judgments[0].answer == "tie"
    task.undo(assessor="lead")
    assert task.judgments[0] == first
    task.redo(assessor="lead")
    assert task.judgments[0].answer == "tie"


def test_a_correction_is_undone_by_the_corrector_only() -> None:
    task, _, second = finished()
    task.correct(2, "tie", assessor="lead")
    with pytest.raises(DataError, match="cannot undo event 3"):
        task.record(Event("undo", target=3, assessor="ann"))
    with pytest.raises(DataError, match="has nothing to undo"):
        task.undo(assessor="bob")
    assert task.undo(assessor="lead").target == 3
    assert task.judgments[1] == second


def test_what_another_corrected_is_not_the_assessors_to_take_back() -> None:
    """Otherwise they could give the same answer again, and nobody would know that it had been corrected."""
    task, first, second = finished()
    task.correct(2, "tie", assessor="lead")
    with pytest.raises(DataError, match=r"event 2\) was corrected by lead and cannot be taken back"):
        task.undo(assessor="ann")
    assert task.judgments == (first, replace(second, answer="tie"))
    task.undo(assessor="lead")
    assert task.undo(assessor="ann").target == 2


def test_a_correction_counts_again_when_it_and_its_answer_were_undone_and_redone() -> None:
    task, first, second = finished()
    task.correct(2, "tie", assessor="lead")
    task.undo(assessor="lead")
    task.undo(assessor="ann")
    assert task.judgments == (first,)
    task.redo(assessor="lead")
    assert task.judgments == (first,)
    task.redo(assessor="ann")
    assert task.judgments == (first, replace(second, answer="tie"))


def test_a_grade_can_be_corrected() -> None:
    task = TopK(["x", "y"], 1, strategy="graded")
    for grade in ("Good", "Bad"):
        assert task.ask() is not None
        task.answer(grade)
    best = task.result().top
    task.correct(1, "Bad", assessor="lead")
    task.correct(2, "Good", assessor="lead")
    assert task.result().top == tuple(item for item in ("x", "y") if item not in best)
    with pytest.raises(DataError, match="say one of Bad, Fair"):
        task.correct(1, "left", assessor="lead")


def test_the_majority_counts_a_vote_as_corrected() -> None:
    task = TopK(["x", "y"], 1, strategy="heap", repeats=3)
    for who, better in (("ann", "x"), ("bob", "y"), ("cy", "y")):
        say(task, better, who)
    assert task.result().top == ("y",)
    task.correct(3, side(task.log[2], "x"), assessor="lead")
    assert task.result().top == ("x",)


@pytest.mark.parametrize("target", [0, -1, 4, 99])
def test_what_is_not_there_cannot_be_corrected(target: int) -> None:
    with pytest.raises(DataError, match=f"there is no event {target} to correct; the log has 2"):
        finished()[0].correct(target, "tie", assessor="lead")


def test_only_an_answer_that_stands_can_be_corrected_to_one_that_may_be_given() -> None:
    task = insertion_of_three()
    task.ask("ann")
    task.skip(assessor="ann")
    first = say(task, "x")
    task.correct(2, "tie", assessor="lead")
    for target in (1, 3):  # a skip, a correction
        with pytest.raises(DataError, match=f"cannot correct event {target}, which is no answer that stands"):
            task.record(Event("correct", first.left, first.right, "tie", target=target, assessor="lead"))
    for left, right in ((first.right, first.left), (first.left, "z"), (first.left, None)):
        with pytest.raises(DataError, match="must be about the same documents on the same sides"):
            task.record(Event("correct", left, right, "tie", target=2, assessor="lead"))
    for answer in ("bad", "Good", "", None):
        with pytest.raises(DataError, match="say one of left, right, tie"):
            task.record(Event("correct", first.left, first.right, answer, target=2, assessor="lead"))
    task.undo(assessor="lead")
    task.undo(assessor="ann")
    with pytest.raises(DataError, match="cannot correct event 2, which is no answer that stands"):
        task.correct(2, "left", assessor="lead")
    assert len(task.log) == 5


def test_a_correction_with_a_key_is_recorded_once_and_the_key_is_good_for_nothing_else() -> None:
    task, first, second = finished()
    event = task.correct(1, "tie", assessor="lead", key="k")
    assert task.correct(1, "tie", assessor="lead", key="k") == event
    assert len(task.log) == 3
    assert first != second
    with pytest.raises(DataError, match="was used for another event"):
        task.correct(2, "tie", assessor="lead", key="k")
    with pytest.raises(DataError, match="was used for another event"):
        task.correct(1, "left", assessor="lead", key="k")


@given(data=st.data(), name=st.sampled_from(WITHOUT_REPEATING), seed=st.integers(0, 99), repeats=st.sampled_from([1, 1, 3]))
def test_a_log_with_corrections_is_as_if_it_had_been_said_so_at_once(data: st.DataObject, name: str, seed: int, repeats: int) -> None:
    task = TopK(list("abcdef"), 3, strategy=name, seed=seed, repeats=repeats)
    answers = st.sampled_from(task.answers)
    for who in data.draw(st.lists(st.sampled_from(["ann", "bob", "cy"]), max_size=12)):
        if task.ask(who) is not None:
            task.answer(data.draw(answers), assessor=who)
    said = list(task.log)
    for number in data.draw(st.lists(st.integers(1, len(said)), max_size=4)) if said else []:
        said[number - 1] = replace(said[number - 1], answer=data.draw(answers))
        task.correct(number, str(said[number - 1].answer), assessor="lead")
    task.release_all()
    for seen in (task, rebuilt(task)):
        at_once = TopK(**task.settings(), log=said)
        assert seen.judgments == at_once.judgments
        assert seen.is_finished == at_once.is_finished
        assert seen.ask("ann") == at_once.ask("ann")
        if seen.is_finished:
            assert seen.result() == at_once.result()


# ---- looking ahead by a copy ----


@given(data=st.data(), name=st.sampled_from(WITHOUT_REPEATING), seed=st.integers(0, 99))
def test_what_would_be_asked_is_what_is_asked(data: st.DataObject, name: str, seed: int) -> None:
    task = TopK(list("abcdef"), 3, strategy=name, seed=seed)
    while (question := task.ask("ann")) is not None and len(task.log) < 12:
        before, expected = task.log, {answer: task.if_answered(answer, question=question, assessor="ann") for answer in task.answers}
        assert task.log == before  # nothing was done to the task itself
        assert task.ask("ann") == question
        answer = data.draw(st.sampled_from(task.answers))
        task.answer(answer, assessor="ann")
        assert task.ask("ann") == expected[answer]


def test_a_copy_of_a_task_is_apart_from_it() -> None:
    task = insertion_of_three()
    say(task, "x")
    copy = task.copy()
    assert copy.ask("ann") == task.ask("ann")
    copy.undo(assessor="ann")
    copy.answer("tie", question=Question("x", "z"), assessor="bob", key="k")
    assert len(task.log) == 1
    assert [event.answer for event in task.judgments] == [task.log[0].answer]
    assert task.record(Event("answer", "x", "z", "left", assessor="bob", key="k")) == 2  # the copy's key is not known here
