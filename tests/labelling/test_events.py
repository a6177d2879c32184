"""Events: a key is recorded once, what fits no question is refused, and a log of another task is too."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labelling.reference import (
    ITEMS,
    SORTING,
    answered,
    rebuilt,
)

from podium.errors import DataError
from podium.labelling import STRATEGIES, Event, TopK


def test_the_same_key_is_recorded_once() -> None:
    task = TopK(ITEMS, 2)
    question = task.ask()
    first = task.answer("left", key="k1", seconds=3.0)
    assert task.answer("left", question=question, key="k1", seconds=9.0) == first  # the retry of a client that got no reply
    assert task.record(first) == 1
    assert len(task.log) == len(task.judgments) == 1
    again = rebuilt(task)
    assert again.record(first) == 1
    assert again.log == task.log


@pytest.mark.parametrize(
    "other",
    [
        {"answer": "right"}, {"answer": "tie"}, {"left": "b", "right": "a"}, {"right": "c"}, {"assessor": "bob"},
        {"action": "skip", "answer": None}, {"action": "undo", "left": None, "right": None, "answer": None, "target": 1},
    ],
)  # fmt: skip
def test_a_key_that_stood_for_something_else_is_refused(other: dict[str, Any]) -> None:
    task = TopK(ITEMS, 2)
    said: dict[str, Any] = {"left": "a", "right": "b", "answer": "left", "assessor": "ann", "key": "k1"}
    task.record(Event(**said))
    with pytest.raises(DataError, match=r"key 'k1' was used for another event \(number 1\); to change an answer, undo it"):
        task.record(Event(**{**said, **other}))
    assert len(task.log) == 1


def test_a_key_stays_used_when_its_answer_was_undone() -> None:
    task = TopK(ITEMS, 2)
    question = task.ask()
    event = task.answer("left", key="k1")
    task.undo()
    assert task.record(event) == 1  # a late retry does not answer again
    assert task.judgments == ()
    assert task.ask() == question


@pytest.mark.parametrize("action", ["undo", "redo"])
def test_an_undo_or_redo_sent_twice_with_one_key_is_done_once(action: str) -> None:
    task = answered(TopK(ITEMS, 2), 3)
    if action == "redo":
        task.undo()
        task.undo()
    first = getattr(task, action)(key="once")
    assert getattr(task, action)(key="once") == first
    assert task.log[-1] == first
    assert len(task.judgments) == 2


@pytest.mark.parametrize("action", ["undo", "redo"])
def test_a_retried_undo_or_redo_of_the_only_answer_is_done_once(action: str) -> None:
    task = answered(TopK(ITEMS, 2), 1)
    if action == "redo":
        task.undo()
    first = getattr(task, action)(key="once")
    assert getattr(task, action)(key="once") == first


def refused(task: TopK, event: Event, match: str) -> None:
    """The event is refused and leaves no trace."""
    before, result = (task.log, task.judgments), task.ask()
    with pytest.raises(DataError, match=match):
        task.record(event)
    assert (task.log, task.judgments) == before
    assert task.ask() == result
    assert rebuilt(task).log == task.log


@pytest.mark.parametrize("name", SORTING)
@pytest.mark.parametrize(
    ("event", "match"),
    [
        (Event(left="a", right="z", answer="left"), "event 3 is about 'z', no item of this task; were the items changed"),
        (Event(left="z", right="a", answer="left"), "event 3 is about 'z', no item of this task"),
        (Event(left="", right="a", answer="left"), "event 3 is about '', no item of this task"),
        (Event(left="a", right="a", answer="tie"), "event 3 must be about two different documents, got 'a' and 'a'"),
        (Event(left="a", answer="left"), "event 3 must be about two different documents, got 'a' and None"),
        (Event("skip", left="a"), "event 3 must be about two different documents"),
        (Event("skip", right="a"), "event 3 must be about two different documents, got None and 'a'"),
        (Event("skip"), "event 3 must be about two different documents"),
        (Event("skip", "a", "z"), "event 3 is about 'z'"),
        (Event(left="a", right="b", answer="Good"), "'Good' does not answer a question of .*; say one of left, right, tie"),
        (Event(left="a", right="b", answer=""), "'' does not answer"),
        (Event(left="a", right="b", answer="a"), "'a' does not answer"),
        (Event(left="a", right="b", answer="LEFT"), "'LEFT' does not answer"),
        (Event("undo"), "event 3 cannot undo event None, which is no answer, skip or correction that this assessor could take back"),
        (Event("undo", target=0), "cannot undo event 0"),
        (Event("undo", target=-1), "cannot undo event -1"),
        (Event("undo", target=3), "cannot undo event 3"),  # itself
        (Event("undo", target=4), "cannot undo event 4"),
        (Event("undo", target=10**30), "cannot undo event 1000"),
        (Event("redo"), "event 3 cannot redo event None, which is no undo that this assessor could take back"),
        (Event("redo", target=1), "cannot redo event 1"),
        (Event("redo", target=-1), "cannot redo event -1"),
        (Event("redo", target=3), "cannot redo event 3"),
    ],
)
def test_events_that_fit_no_question_are_refused_and_leave_no_trace(name: str, event: Event, match: str) -> None:
    refused(answered(TopK(ITEMS, 2, strategy=name), 2), event, match)


@pytest.mark.parametrize("name", [name for name in SORTING if "bad" not in STRATEGIES[name].answers])
def test_bad_is_no_answer_where_a_strategy_does_not_know_it(name: str) -> None:
    refused(TopK(ITEMS, 2, strategy=name), Event(left="a", right="b", answer="bad"), f"'bad' does not answer a question of {name}")


@pytest.mark.parametrize(
    ("event", "match"),
    [
        (Event(left="a", right="b", answer="left"), "event 1 must be about one document, got 'a' and 'b'"),
        (Event(left="a", right="b", answer="Good"), "must be about one document"),
        (Event(left="a", right="a", answer="Good"), "must be about one document"),
        (Event(left="z", answer="Good"), "event 1 is about 'z'"),
        (Event(left="a", answer="left"), "'left' does not answer a question of graded; say one of Bad, Fair, Good, Excellent, Perfect"),
        (Event(left="a", answer="good"), "'good' does not answer"),
        (Event(left="a", answer="4"), "'4' does not answer"),
    ],
)
def test_a_graded_task_refuses_what_is_no_grade_of_one_document(event: Event, match: str) -> None:
    refused(TopK(ITEMS, 2, strategy="graded"), event, match)


def test_an_undo_of_what_is_undone_or_of_an_undo_is_refused() -> None:
    task = answered(TopK(ITEMS, 2), 2)
    task.undo()
    refused(task, Event("undo", target=2), "event 4 cannot undo event 2")
    refused(task, Event("undo", target=3), "event 4 cannot undo event 3")
    task.redo()
    refused(task, Event("redo", target=3), "event 5 cannot redo event 3")
    refused(task, Event("undo", target=4), "event 5 cannot undo event 4")


def test_a_stranger_cannot_redo() -> None:
    task = answered(TopK(ITEMS, 2), 1, "ann")
    task.undo(assessor="ann")
    refused(task, Event("redo", target=2, assessor="bob"), "event 3 cannot redo event 2")
    with pytest.raises(DataError, match="bob has nothing to redo"):
        task.redo(assessor="bob")


def test_a_stranger_cannot_undo() -> None:
    refused(answered(TopK(ITEMS, 2), 1, "ann"), Event("undo", target=1, assessor="bob"), "event 2 cannot undo event 1")


def test_a_redo_of_what_was_not_undone_last_is_refused() -> None:
    task = answered(TopK(ITEMS, 2), 2)
    task.undo()
    task.undo()
    refused(task, Event("redo", target=3), "event 5 cannot redo event 3")  # event 4 was the last undo


def test_there_is_nothing_to_redo_once_something_new_was_said() -> None:
    task = answered(TopK(ITEMS, 2), 1)
    task.undo()
    task.ask()
    task.skip()
    with pytest.raises(DataError, match="this assessor has nothing to redo"):
        task.redo()
    task.undo()
    task.redo()


def test_with_nothing_open_or_done_the_message_says_what_to_do() -> None:
    task = TopK(ITEMS, 2)
    with pytest.raises(DataError, match=r"nothing is open with this assessor; call ask\(\) first, or say which question is meant"):
        task.answer("left")
    with pytest.raises(DataError, match=r"nothing is open with ann; call ask\(\) first"):
        task.skip(assessor="ann")
    with pytest.raises(DataError, match="ann has nothing to undo"):
        task.undo(assessor="ann")
    task.ask()
    task.release()
    with pytest.raises(DataError, match="nothing is open"):
        task.answer("left")


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ({"left": "a", "right": "b"}, "an answer must say what was shown and what was answered"),
        ({"answer": "left"}, "an answer must say what was shown"),
        ({"left": "a", "right": "b", "answer": "left", "winner": "a"}, "unknown field 'winner' of an event; choose from action, left"),
        ({"left": 1, "right": "b", "answer": "left"}, "field 'left' of an event must be str, got 1"),
        ({"left": "a", "right": ["b"], "answer": "left"}, "field 'right' of an event must be str"),
        ({"left": "a", "right": "b", "answer": {"x": 1}}, "field 'answer' of an event must be str"),
        ({"action": "undo", "target": "1"}, "field 'target' of an event must be int, got '1'"),
        ({"action": "undo", "target": 1.5}, "field 'target' of an event must be int, got 1.5"),
        ({"left": "a", "right": "b", "answer": "left", "seconds": "3"}, "field 'seconds' of an event must be float, got '3'"),
        ({"left": "a", "right": "b", "answer": "left", "seconds": True}, "field 'seconds' of an event must be float, got True"),
        ({"action": "delete", "target": 1}, "action of an event must be one of answer, skip, undo, redo, correct, got 'delete'"),
        ({"left": "a", "right": "b", "answer": "left", "role": "admin"}, "role of an event must be one of person, model, oracle, recorded"),
    ],
)
def test_a_line_that_is_no_event_is_refused(line: dict[str, Any], match: str) -> None:
    with pytest.raises(DataError, match=match):
        Event.from_dict(line)


def test_true_is_no_event_number() -> None:
    with pytest.raises(DataError, match="field 'target' of an event must be int, got True"):
        Event.from_dict({"action": "undo", "target": True})


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0])
def test_seconds_must_be_a_number_of_zero_or_more(seconds: float) -> None:
    with pytest.raises(DataError, match="seconds"):
        Event.from_dict({"left": "a", "right": "b", "answer": "left", "seconds": seconds})


some = st.text(min_size=1)
details = st.fixed_dictionaries(
    {"left": some, "right": some | st.none(), "answer": some, "assessor": st.text(), "role": st.just("model")},
    optional={
        "seconds": st.floats(0, 1e9), "paused": st.integers(0, 9), "key": st.text(), "model": st.text(), "prompt": st.text(),
        "prompt_hash": st.text(), "at": st.text(), "stage": st.sampled_from(["triage", "order"]), "target": st.integers(1, 9),
    },
)  # fmt: skip


@given(values=details)
def test_an_event_survives_json(values: dict[str, Any]) -> None:
    event = Event(**values)
    assert Event.from_dict(json.loads(json.dumps(event.to_dict()))) == event


def test_a_log_of_other_items_is_refused() -> None:
    log = answered(TopK(ITEMS, 2), 3).log
    with pytest.raises(DataError, match=r"event 1 is about '.', no item of this task; were the items changed after labelling began"):
        TopK(["u", "v", "w"], 2, log=log)


def test_a_log_of_grades_and_one_of_pairs_are_not_exchanged() -> None:
    pairs = answered(TopK(ITEMS, 2), 1).log
    with pytest.raises(DataError, match="event 1 must be about one document"):
        TopK(ITEMS, 2, strategy="graded", log=pairs)
    with pytest.raises(DataError, match="event 1 must be about two different documents"):
        TopK(ITEMS, 2, log=[Event(left="a", answer="Good")])


def test_an_event_says_who_what_on_which_side_and_by_which_rules() -> None:
    task = TopK(ITEMS, 2, strategy="heap")
    question = task.ask("ann")
    assert question is not None
    event = task.answer("tie", assessor="ann", seconds=2.5, paused=1.0, at="2026-01-01T00:00:00Z", role="model", model="m", prompt="p")
    assert (event.left, event.right, event.stage, event.strategy) == (question.left, question.right, question.stage, "heap/1")
    assert (event.assessor, event.seconds, event.paused, event.role, event.model, event.prompt) == ("ann", 2.5, 1.0, "model", "m", "p")
    assert task.log == (event,)
    assert task.undo(assessor="ann").strategy == "heap/1"


def test_an_answer_that_contradicts_what_is_known_is_kept_and_changes_nothing() -> None:
    task = TopK(["a", "b", "c"], 3)
    said = [("a", "b", "left"), ("b", "c", "left"), ("c", "a", "left"), ("a", "c", "bad"), ("a", "b", "tie")]
    for left, right, answer in said:
        task.record(Event(left=left, right=right, answer=answer))
    result = task.result()
    assert (result.top, result.bad, result.ties) == (("a", "b", "c"), (), ())
    assert len(result.judgments) == len(said)
