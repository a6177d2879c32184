"""Corrections, and answering and asking in one go, in a store of either database."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from podium.errors import DataError
from podium.labelling import Event
from podium.pool import Document, Pool
from podium.store import Store, open_store
from podium.store.logs import export_log, import_log
from podium.store.turns import SaidOtherwise

THREE = Pool("q", "query", tuple(Document(item) for item in "xyz"), has_prior=True)


@pytest.fixture
def number(store: Store) -> int:
    """x, y, z in this order, k = 2: y meets x; z meets the second best, and only if it wins the best."""
    return store.add(THREE, k=2, strategy="insertion")


def say(store: Store, number: int, better: str, assessor: str = "ann") -> Event:
    asked = store.ask(number, assessor)
    assert asked is not None
    return store.answer(number, asked.token, "left" if asked.question.left == better else "right", assessor=assessor)


def side(event: Event, better: str) -> str:
    return "left" if event.left == better else "right"


def test_a_correction_changes_the_result_and_reopens_a_finished_task(store: Store, place: str, number: int) -> None:
    say(store, number, "x")
    second = say(store, number, "y")
    assert store.result(number).top == ("x", "y")
    with open_store(place) as other:
        assert other.about_left(number) == 0  # it has the task in memory
        event = store.correct(number, 2, side(second, "z"), assessor="lead")
        assert (event.action, event.target, event.assessor, event.role) == ("correct", 2, "lead", "person")
        for seen in (store, other):
            info = seen.info(number)
            assert (info.events, info.judgments, info.is_finished) == (3, 2, False)
        assert other.about_left(number) == 1
        asked = other.ask(number, "ann")
    assert asked is not None
    assert asked.question.pair == ("x", "z")
    say(store, number, "z")
    assert store.result(number).top == ("z", "x")
    assert store.info(number).is_finished


def test_the_counters_stay_right_whatever_is_undone_and_redone(store: Store, number: int) -> None:
    say(store, number, "x")
    say(store, number, "y")
    expected = []
    for act, judgments in (
        (lambda: store.correct(number, 1, "tie", assessor="lead"), 2),
        (lambda: store.undo(number, assessor="lead"), 2),
        (lambda: store.undo(number, assessor="ann"), 1),
        (lambda: store.undo(number, assessor="ann"), 0),
        (lambda: store.redo(number, assessor="lead"), 0),  # about an answer that does not stand
        (lambda: store.redo(number, assessor="ann"), 1),
        (lambda: store.redo(number, assessor="ann"), 2),
    ):
        act()
        expected.append(judgments)
        info = store.info(number)
        assert (info.events, info.judgments) == (2 + len(expected), judgments)
        assert info.judgments == len(store.task(number).judgments)
    assert store.task(number).judgments[0].answer == "tie"  # the correction counts again


def test_a_correction_with_a_key_is_recorded_once(store: Store, place: str, number: int) -> None:
    say(store, number, "x")
    say(store, number, "y")
    event = store.correct(number, 1, "tie", assessor="lead", key="k")
    with open_store(place) as other:
        assert other.correct(number, 1, "tie", assessor="lead", key="k") == event
    for target, answer in ((1, "left"), (2, "tie")):
        with pytest.raises(SaidOtherwise, match="was used to"):
            store.correct(number, target, answer, assessor="lead", key="k")
    with pytest.raises(DataError, match="belongs to another assessor"):
        store.correct(number, 1, "tie", assessor="boss", key="k")
    assert store.info(number).events == 3


def test_what_cannot_be_corrected_leaves_the_store_as_it_was(store: Store, number: int) -> None:
    first = say(store, number, "x")
    asked = store.ask(number, "ann")
    assert asked is not None
    store.skip(number, asked.token, assessor="ann")
    for target, answer, problem in (
        (2, "tie", "no answer that stands"), (3, "tie", "there is no event 3"), (0, "tie", "there is no event 0"), (1, "bad", "say one of"),
        (1, "", "say one of"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=problem):
            store.correct(number, target, answer, assessor="lead")
    store.undo(number, assessor="ann")
    store.undo(number, assessor="ann")
    with pytest.raises(DataError, match="no answer that stands"):
        store.correct(number, 1, "tie", assessor="lead")
    assert store.events(number)[0] == first
    assert store.info(number).events == 4


def test_a_correction_survives_export_import_and_extend(store: Store, place: str, number: int, tmp_path: Path) -> None:
    say(store, number, "x")
    second = say(store, number, "y")
    store.correct(number, 2, side(second, "z"), assessor="lead", key="k")
    say(store, number, "x")
    export_log(store, number, tmp_path / "log.jsonl")
    again = import_log(store, tmp_path / "log.jsonl", name="again")
    assert again != number
    assert store.events(again) == store.events(number)
    assert store.result(again).top == ("x", "z")
    assert store.info(again).judgments == 3
    third = store.add(THREE, k=2, strategy="insertion", name="third")
    assert store.extend(third, store.events(number)[:2]) == 2
    assert store.result(third).top == ("x", "y")
    assert store.extend(third, store.events(number)) == 2
    assert store.result(third).top == ("x", "z")
    with open_store(place) as other:
        assert other.task(number).judgments == store.task(third).judgments


def test_a_correction_from_elsewhere_is_recorded_as_it_is(store: Store, number: int) -> None:
    first = say(store, number, "x")
    event = Event("correct", first.left, first.right, "tie", target=1, assessor="lead", at="2020-01-01T00:00:00+00:00")
    assert store.record(number, event) == 2
    assert store.events(number)[1] == event
    assert store.task(number).judgments == (replace(first, answer="tie"),)


# ---- answering and asking in one go ----


def test_an_answer_and_the_next_question_come_in_one_go(store: Store, place: str, number: int) -> None:
    asked = store.ask(number, "ann")
    assert asked is not None
    answered = store.answer_and_ask(number, asked.token, "left", assessor="ann", seconds=2.0, idle=1.0)
    assert answered.event == store.events(number)[0]
    assert (answered.event.answer, answered.event.key, answered.event.seconds, answered.event.idle) == ("left", asked.token, 2.0, 1.0)
    assert answered.asked is not None
    assert answered.asked == store.ask(number, "ann")
    assert answered.left == store.about_left(number)
    with open_store(place) as other:  # sent again, to another process: nothing new, and the same question
        assert other.answer_and_ask(number, asked.token, "left", assessor="ann") == answered
    assert store.info(number).events == 1
    for answer in ("right", None):
        with pytest.raises(SaidOtherwise):
            store.answer_and_ask(number, asked.token, answer, assessor="ann")
    with pytest.raises(DataError, match="not of a question"):
        store.answer_and_ask(number, answered.asked.token, "left", assessor="bob")
    assert store.info(number).events == 1


def test_the_last_answer_leaves_nothing_to_ask(store: Store, number: int) -> None:
    asked = store.ask(number, "ann")
    while asked is not None:
        answer = "left" if asked.question.left < str(asked.question.right) else "right"
        answered = store.answer_and_ask(number, asked.token, answer, assessor="ann")
        asked = answered.asked
    assert answered.left == 0
    assert store.result(number).top == ("x", "y")


def test_a_skip_goes_on_too(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=2, strategy="tournament")
    asked = store.ask(number, "ann")
    assert asked is not None
    answered = store.answer_and_ask(number, asked.token, None, assessor="ann")
    assert (answered.event.action, answered.event.answer) == ("skip", None)
    assert answered.asked is not None
    assert answered.asked.question.pair != asked.question.pair


def test_looking_ahead_tells_what_each_answer_leads_to(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    asked = store.ask(number, "ann")
    other = store.ask(number, "bob")
    assert asked is not None
    assert other is not None
    for answer in ("left", "tie", "bad", "left"):
        if answer == "bad":
            store.release(number, "bob")
            other = None
        expected = store.ahead(number, asked.token, "ann")
        assert set(expected) == {"left", "right", "tie", "bad"}
        assert other is None or other.question not in expected.values()  # bob is at it
        events = store.events(number)
        answered = store.answer_and_ask(number, asked.token, answer, assessor="ann")
        assert store.events(number)[:-1] == events
        assert answered.asked is not None
        assert answered.asked.question == expected[answer]
        asked = answered.asked
    assert store.ahead(number, asked.token, "bob") == {}
    assert store.ahead(number, "no such token", "ann") == {}
    active = store.add(pool, k=3, strategy="active", name="active")
    first = store.ask(active, "ann")
    assert first is not None
    assert store.ahead(active, first.token, "ann") == {}
