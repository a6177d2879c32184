"""Any sequence of calls, on two open stores of one database, against a list of events and a dictionary of open questions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from podium.errors import DataError
from podium.labelling import Event, Question, TopK
from podium.pool import Document, Pool
from podium.store import Asked, open_store
from podium.store.turns import SaidOtherwise

LENGTH = timedelta(seconds=100)
POOL = Pool("q", "query", tuple(Document(item) for item in "abcdef"))
ASSESSORS = st.sampled_from(["", "ann", "bob"])
SEATS = st.sampled_from([0, 0, 0, 1])
WHICH = st.integers(0, 1)


@dataclasses.dataclass
class Open:
    """A question that was put to an assessor and not answered; it holds something if it has an end and that is not past."""

    asked: Asked
    assessor: str
    seat: int
    until: datetime | None


class StoreMachine(RuleBasedStateMachine):
    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.stores = [self.opened() for _ in range(2)]
        self.log: list[Event] = []
        self.open: dict[str, Open] = {}  # by token, in the order of asking: tokens are random, and Hypothesis must be able to repeat a run
        self.settings: dict[str, object] = {}

    def opened(self):  # type: ignore[no-untyped-def]
        return open_store(self.place, clock=lambda: self.now)

    def teardown(self) -> None:
        for store in self.stores:
            store.close()

    @initialize(strategy=st.sampled_from(["adaptive", "tournament", "heap"]), k=st.integers(1, 4), repeats=st.sampled_from([1, 1, 2]))
    def add(self, strategy: str, k: int, repeats: int) -> None:
        self.number = self.stores[0].add(POOL, k=k, strategy=strategy, repeats=repeats)
        self.settings = TopK(POOL.items, k, strategy=strategy, repeats=repeats).settings()

    def task(self) -> TopK:
        return TopK(**self.settings, log=self.log)  # type: ignore[arg-type]

    def held(self) -> list[Open]:
        return [each for each in self.open.values() if each.until is not None and each.until > self.now]

    @rule(which=WHICH, assessor=ASSESSORS, seat=SEATS)
    def ask(self, which: int, assessor: str, seat: int) -> None:
        task = self.task()
        for each in self.held():
            task.hold(each.asked.question, each.assessor, each.seat)
        expected = task.ask(assessor, seat=seat)
        mine = next(
            (each for each in self.open.values() if (each.assessor, each.seat) == (assessor, seat) and each.until is not None), None
        )
        asked = self.stores[which].ask(self.number, assessor, seat=seat, lease_seconds=LENGTH.total_seconds())
        if mine is not None and expected is not None and expected.pair == mine.asked.question.pair:
            assert asked == mine.asked
            assert mine.until is not None
            mine.until = self.now + LENGTH if mine.until - self.now < LENGTH / 2 else mine.until
            return
        if mine is not None:
            mine.until = None
        own = [each for each in self.open.values() if (each.assessor, each.seat, each.until) == (assessor, seat, None)]
        released = next((each for each in own if expected is not None and each.asked.question.pair == expected.pair), None)
        if released is not None:  # given back or replaced, and asked again: the same question
            assert asked == released.asked
            released.until = self.now + LENGTH
            return
        assert (asked and asked.question) == expected
        if asked is not None:
            assert asked.opened_at == self.now
            assert asked.token not in {*self.open, *(event.key for event in self.log)}
            self.open[asked.token] = Open(asked, assessor, seat, self.now + LENGTH)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), which=WHICH, said=st.sampled_from(["left", "right", "tie", "left", "right", "bad", "skip"]))
    def respond(self, data: st.DataObject, which: int, said: str) -> None:
        """To any open question, be it held, run out or replaced."""
        token = data.draw(st.sampled_from(list(self.open)))
        each = self.open[token]
        pair = each.asked.question.pair
        if each.assessor and any(event.assessor == each.assessor and event.question.pair == pair for event in self.task().judgments):
            with pytest.raises(SaidOtherwise, match="answered this question already"):
                self.stores[which].answer(self.number, token, "left", assessor=each.assessor)
            return
        if said == "skip":
            event = self.stores[which].skip(self.number, token, assessor=each.assessor)
        elif said not in self.task().answers:
            with pytest.raises(DataError, match="say one of"):
                self.stores[which].answer(self.number, token, said, assessor=each.assessor)
            return
        else:
            event = self.stores[which].answer(self.number, token, said, assessor=each.assessor)
        asked = each.asked.question
        assert (event.assessor, event.question, event.key) == (each.assessor, Question(asked.left, asked.right, asked.stage), token)
        assert (event.answer or event.action) == said
        del self.open[token]
        self.log.append(event)

    @precondition(lambda self: any(event.key for event in self.log))
    @rule(data=st.data(), which=WHICH, answer=st.sampled_from(["left", "right", "tie"]))
    def send_again(self, data: st.DataObject, which: int, answer: str) -> None:
        event = data.draw(st.sampled_from([event for event in self.log if event.key]))
        if event.action == "answer" and event.answer == answer:
            assert self.stores[which].answer(self.number, event.key, answer, assessor=event.assessor) == event
        else:
            with pytest.raises(DataError, match="was used to say"):
                self.stores[which].answer(self.number, event.key, answer, assessor=event.assessor)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), which=WHICH)
    def answer_for_another(self, data: st.DataObject, which: int) -> None:
        token = data.draw(st.sampled_from(list(self.open)))
        with pytest.raises(DataError, match="token"):
            self.stores[which].answer(self.number, token, "left", assessor=f"not {self.open[token].assessor}")

    @rule(which=WHICH, action=st.sampled_from(["undo", "redo"]), assessor=ASSESSORS)
    def take_back(self, which: int, action: str, assessor: str) -> None:
        try:
            expected = getattr(self.task(), action)(assessor=assessor)
        except DataError as problem:
            with pytest.raises(DataError, match=str(problem)):
                getattr(self.stores[which], action)(self.number, assessor=assessor)
            return
        event = getattr(self.stores[which], action)(self.number, assessor=assessor)
        assert (event.action, event.target, event.assessor) == (action, expected.target, assessor)
        self.log.append(event)
        for each in self.open.values():
            each.until = None if each.assessor == assessor else each.until

    @rule(which=WHICH, assessor=ASSESSORS, seat=st.sampled_from([None, 0, 1]))
    def release(self, which: int, assessor: str, seat: int | None) -> None:
        self.stores[which].release(self.number, assessor, seat=seat)
        for each in self.open.values():
            each.until = None if each.assessor == assessor and seat in (None, each.seat) else each.until

    @rule(which=WHICH)
    def look_ahead(self, which: int) -> None:
        assert self.stores[which].about_left(self.number) == self.task().about_left()

    @rule(seconds=st.sampled_from([1, 49, 51, 100, 1000]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(which=WHICH)
    def reopen(self, which: int) -> None:
        self.stores[which].close()
        self.stores[which] = self.opened()

    @invariant()
    def the_log_and_the_counters_are_right(self) -> None:
        if not self.settings:
            return
        task, info = self.task(), self.stores[0].info(self.number)
        assert self.stores[1].events(self.number) == self.log
        assert (info.events, info.judgments, info.is_finished) == (len(self.log), len(task.judgments), task.is_finished)

    @invariant()
    def no_question_is_held_more_often_than_it_may(self) -> None:
        pairs = [each.asked.question.pair for each in self.held()]
        assert all(pairs.count(pair) <= int(str(self.settings["repeats"])) for pair in pairs)


@pytest.mark.parametrize(("kind", "examples"), [("sqlite", 30), ("postgresql", 8)])
def test_any_sequence_of_calls_does_what_a_list_of_events_would(new_place: Callable[[str], str], kind: str, examples: int) -> None:
    limits = settings(max_examples=examples, stateful_step_count=40)
    run_state_machine_as_test(lambda: StoreMachine(new_place(kind)), settings=limits)  # type: ignore[no-untyped-call]
