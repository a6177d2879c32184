"""A desk: a task of a store with the calls of a task in memory."""

from __future__ import annotations

import pytest

from podium.assessors import Oracle, label
from podium.errors import DataError
from podium.labelling import TopK
from podium.pool import Pool
from podium.store import Store

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
