"""A desk: a task of a store with the calls of a task in memory."""

from __future__ import annotations

import pytest

from podium.assessors import Oracle, label
from podium.errors import DataError
from podium.labelling import TopK
from podium.pool import Pool
from podium.store import Store, open_store

WORTH = {f"d{number}": float(number % 5) for number in range(8)}


@pytest.mark.parametrize("strategy", ["heap", "adaptive", "active"])
def test_a_desk_asks_and_records_what_a_task_in_memory_does(store: Store, pool: Pool, strategy: str) -> None:
    options = {"budget": 20} if strategy == "active" else {}
    number = store.add(pool, k=3, strategy=strategy, **options)
    task = TopK(pool.items, 3, strategy=strategy, **options)
    oracle = Oracle(WORTH, noise=1.0, name="")
    assert label(store.desk(number), oracle) == label(task, oracle)
    said = [[(event.question, event.answer, event.role) for event in events] for events in (store.events(number), task.log)]
    assert said[0] == said[1]
    assert store.result(number).top == task.result().top
    assert store.desk(number).is_finished


def test_seats_skips_undo_and_redo(store: Store, pool: Pool) -> None:
    desk = store.desk(store.add(pool, k=3, strategy="tournament"))
    first, second = desk.ask("model"), desk.ask("model", seat=1)
    assert first is not None
    assert second is not None
    assert first.pair != second.pair
    desk.answer("left", assessor="model", question=second, role="model")
    desk.skip(assessor="model")
    desk.undo(assessor="model")
    desk.undo(assessor="model")
    desk.redo(assessor="model")
    assert [event.action for event in store.events(1)] == ["answer", "skip", "undo", "undo", "redo"]
    assert [event.question.pair for event in desk.judgments] == [second.pair]
    assert desk.about_left() > 0


def test_what_is_left_is_asked_of_the_store_once_between_two_calls(store: Store, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, asked = store.desk(store.add(pool, k=3, strategy="heap")), list[int]()
    real = store.about_left
    monkeypatch.setattr(store, "about_left", lambda number: asked.append(number) or real(number))  # type: ignore[func-returns-value]
    steps = [lambda: None, desk.ask, lambda: desk.answer("left"), desk.ask, desk.skip, desk.undo, desk.undo, desk.redo]
    for count, step in enumerate(steps, start=1):
        step()  # type: ignore[operator]
        assert desk.about_left() == desk.about_left() == store.task(desk.number).about_left()
        assert len(asked) == count


def test_what_is_left_is_told_from_the_task_in_memory(store: Store, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = store.desk(store.add(pool, k=3, strategy="heap"))
    desk.ask()
    monkeypatch.setattr("podium.store.live.read_settings", _never)
    monkeypatch.setattr("podium.store.store.read_settings", _never)
    for _ in range(3):
        desk.answer("left")
        desk.ask()
        assert desk.about_left() > 0


def _never(*_: object) -> None:
    raise AssertionError("the task is made anew")


def test_what_was_recorded_elsewhere_is_taken_up_once(store: Store, place: str, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="heap")
    with open_store(place) as other:
        for _ in range(2):
            asked = other.ask(number)
            assert asked is not None
            other.answer(number, asked.token, "left")
        other.undo(number)
        assert store.about_left(number) == store.task(number).about_left()
        other.undo(number)  # events without a key, which nothing would stop from being taken in twice
        assert store.about_left(number) == store.task(number).about_left()
        assert store.redo(number).target == 4


def test_a_question_given_back_is_open_here_no_more_but_takes_an_answer_if_it_is_named(store: Store, pool: Pool) -> None:
    desk = store.desk(store.add(pool, k=3, strategy="tournament"))
    first, second = desk.ask("model"), desk.ask("model", seat=1)
    assert first is not None
    assert second is not None
    desk.release("model", 1)
    assert getattr(store.desk(desk.number).ask("ann"), "pair", None) == second.pair
    assert desk.ask("model") == first
    desk.release("model")
    with pytest.raises(DataError, match="nothing is open with model"):
        desk.answer("left", assessor="model")
    desk.answer("left", assessor="model", question=first)
    assert getattr(store.desk(desk.number).ask("bob"), "pair", None) != first.pair
    assert [event.question.pair for event in store.events(desk.number)] == [first.pair]


def test_what_is_not_open_here_cannot_be_answered(store: Store, pool: Pool) -> None:
    desk = store.desk(store.add(pool, k=3))
    with pytest.raises(DataError, match="nothing is open with ann; call ask"):
        desk.answer("left", assessor="ann")
    question = desk.ask("ann")
    assert question is not None
    with pytest.raises(DataError, match="nothing is open with bob"):
        desk.answer("left", assessor="bob", question=question)
    desk.answer("left", assessor="ann")
    with pytest.raises(DataError, match="nothing is open with ann"):
        desk.answer("left", assessor="ann")
