"""Any sequence of answers, skips, corrections, undos, redos and crashes by several assessors, against a plain model of the log."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test
from tests.labelling.reference import WITHOUT_REPEATING, rebuilt

from podium.errors import DataError
from podium.labelling import STRATEGIES, Event, Question, Result, TopK

CREW = ("", "ann", "bob")
State = tuple[Question | None, tuple[Event, ...], bool, Result | None]


class Model:
    """The log as anybody would keep it: all that happened, and for every assessor a stack of what stands and one of what was undone."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.stands: dict[str, list[int]] = {who: [] for who in CREW}  # numbers of events, the last on top
        self.undone: dict[str, list[int]] = {who: [] for who in CREW}

    def said(self, who: str, event: Event) -> None:
        self.events.append(event)
        self.stands[who].append(len(self.events))
        self.undone[who].clear()

    def undid(self, who: str, event: Event) -> None:
        self.events.append(event)
        self.undone[who].append(self.stands[who].pop())

    def redid(self, who: str, event: Event) -> None:
        self.events.append(event)
        self.stands[who].append(self.undone[who].pop())

    @property
    def standing(self) -> list[Event]:
        """Answers and skips; of an answer the last correction, if there is one."""
        events = {number: self.events[number - 1] for number in sorted(chain(*self.stands.values()))}
        corrected = {event.target: event.answer for event in events.values() if event.action == "correct"}
        return [
            replace(event, answer=corrected[number]) if number in corrected else event
            for number, event in events.items()
            if event.action != "correct"
        ]

    def is_corrected(self, who: str) -> bool:
        """Whether the answer that is on top of this assessor's stack was last corrected by somebody else."""
        events = [self.events[number - 1] for number in sorted(chain(*self.stands.values()))]
        by = [event.assessor for event in events if event.action == "correct" and event.target in self.stands[who][-1:]]
        return by[-1:] not in ([], [who])

    @property
    def correctable(self) -> list[int]:
        return [number for number in sorted(chain(*self.stands.values())) if self.events[number - 1].action == "answer"]


class Labelling(RuleBasedStateMachine):
    """What users and accidents do to a task."""

    names: tuple[str, ...] = tuple(WITHOUT_REPEATING)

    @initialize(
        data=st.data(), n=st.integers(2, 7), k=st.integers(1, 5), seed=st.integers(0, 99), repeats=st.sampled_from([1, 1, 2, 3]),
        ties_are_transitive=st.booleans(),
    )  # fmt: skip
    def begin(self, data: st.DataObject, n: int, k: int, seed: int, repeats: int, ties_are_transitive: bool) -> None:
        name = data.draw(st.sampled_from(self.names))
        items = "abcdefg"[:n]
        prior = list(items[: n // 2]) if STRATEGIES[name].takes_prior and seed % 2 else None
        self.task = TopK(
            list(items), k, strategy=name, seed=seed, repeats=repeats, ties_are_transitive=ties_are_transitive, prior=prior
        )  # fmt: skip
        self.model = Model()
        self.held: dict[str, Question] = {}  # what each assessor was last asked, and has not answered

    def judged(self) -> dict[tuple[str, str], list[str]]:
        """Who has judged which pair, by what stands."""
        found: dict[tuple[str, str], list[str]] = {}
        for event in self.model.standing:
            if event.action == "answer":
                found.setdefault(event.question.pair, []).append(event.assessor)
        return found

    def as_if_new(self) -> TopK:
        """The task made from nothing but the settings and the events that stand; the others' questions held as they are."""
        task = TopK(**self.task.settings(), log=self.model.standing)
        for who, question in self.held.items():
            task.hold(question, who)
        return task

    def state(self, who: str) -> State:
        """What an assessor with no question of their own would see, and what there is to see for all. Asks and gives back."""
        self.task.release(who)
        question = self.task.ask(who)
        self.task.release(who)
        is_finished = self.task.is_finished
        return question, self.task.judgments, is_finished, self.task.result() if is_finished else None

    # What can happen.

    @rule(who=st.sampled_from(CREW))
    def ask(self, who: str) -> None:
        question = self.task.ask(who)
        if who in self.held and question == self.held[who]:
            return
        expected = self.as_if_new()
        expected.release(who)
        assert question == expected.ask(who)
        self.held.pop(who, None)
        if question is not None:
            self.held[who] = question
            votes = self.judged().get(question.pair, [])
            assert not who or who not in votes
            assert len(votes) < self.task.repeats
        elif not self.held:
            assert self.task.is_finished or self.task.repeats > 1  # with repeats, it may be the others' turn

    @rule(deeds=st.lists(st.tuples(st.sampled_from(CREW), st.integers(0, 9)), min_size=1, max_size=6))
    def work(self, deeds: list[tuple[str, int]]) -> None:
        """Some of the crew ask and answer, one after the other; now and then they skip."""
        for who, deed in deeds:
            self.ask(who)
            if who in self.held:
                del self.held[who]
                answer = self.task.answers[deed % len(self.task.answers)]
                said = self.task.skip(assessor=who) if deed > 7 else self.task.answer(answer, assessor=who)
                self.model.said(who, said)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        who = data.draw(st.sampled_from(sorted(self.held)))
        question, answer = self.held.pop(who), data.draw(st.sampled_from(self.task.answers))
        event = self.task.answer(answer, assessor=who)
        assert (event.question, event.answer, event.assessor) == (question, answer, who)
        self.model.said(who, event)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def skip(self, data: st.DataObject) -> None:
        who = data.draw(st.sampled_from(sorted(self.held)))
        question = self.held.pop(who)
        event = self.task.skip(assessor=who)
        assert (event.question, event.action) == (question, "skip")
        self.model.said(who, event)

    @rule(data=st.data(), who=st.sampled_from(CREW))
    def answer_out_of_turn(self, data: st.DataObject, who: str) -> None:
        """Somebody answers what they were not asked: a late client, or an old log."""
        pair = data.draw(st.permutations(self.task.items))[:2]
        right = None if self.task.entry.asks_grades else pair[1]
        question = Question(pair[0], right, "grade" if right is None else "order")
        if who in self.judged().get(question.pair, []):
            return  # whether one assessor may vote twice on a pair is tested elsewhere
        self.model.said(who, self.task.answer(data.draw(st.sampled_from(self.task.answers)), assessor=who, question=question))
        if who in self.held and self.held[who].pair == question.pair:
            del self.held[who]

    @precondition(lambda self: self.model.correctable)
    @rule(data=st.data(), who=st.sampled_from(CREW))
    def correct(self, data: st.DataObject, who: str) -> None:
        """Somebody puts another answer in the place of anybody's."""
        number = data.draw(st.sampled_from(self.model.correctable))
        event = self.task.correct(number, data.draw(st.sampled_from(self.task.answers)), assessor=who)
        assert (event.target, event.question) == (number, self.model.events[number - 1].question)
        self.model.said(who, event)

    @rule(who=st.sampled_from(CREW))
    def undo(self, who: str) -> None:
        if not self.model.stands[who]:
            with pytest.raises(DataError, match="has nothing to undo"):
                self.task.undo(assessor=who)
            return
        if self.model.is_corrected(who):
            with pytest.raises(DataError, match=r"was corrected by .* and cannot be taken back any more"):
                self.task.undo(assessor=who)
            return
        event = self.task.undo(assessor=who)
        assert event.target == self.model.stands[who][-1]
        self.held.pop(who, None)
        self.model.undid(who, event)

    @rule(who=st.sampled_from(CREW))
    def redo(self, who: str) -> None:
        if not self.model.undone[who]:
            with pytest.raises(DataError, match="has nothing to redo"):
                self.task.redo(assessor=who)
            return
        event = self.task.redo(assessor=who)
        self.held.pop(who, None)
        self.model.redid(who, event)

    @precondition(lambda self: any(self.model.stands[who] and not self.model.is_corrected(who) for who in CREW))
    @rule(data=st.data())
    def undo_then_redo_is_the_identity(self, data: st.DataObject) -> None:
        who = data.draw(st.sampled_from([who for who in CREW if self.model.stands[who] and not self.model.is_corrected(who)]))
        self.held.pop(who, None)
        before = self.state(who)
        for take_back, note in ((self.task.undo, self.model.undid), (self.task.redo, self.model.redid)):
            note(who, take_back(assessor=who))
        assert self.state(who) == before

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def answer_then_undo_gives_the_question_back(self, data: st.DataObject) -> None:
        who = data.draw(st.sampled_from(sorted(self.held)))
        self.task.release_all()  # alone, for a moment: what others hold may have been asked for since
        asked = self.task.ask(who)
        if asked is not None:
            deed = data.draw(st.sampled_from([*self.task.answers, None]))
            event = self.task.skip(assessor=who) if deed is None else self.task.answer(deed, assessor=who)
            self.model.said(who, event)
            self.model.undid(who, self.task.undo(assessor=who))
            assert self.task.ask(who) == asked
        self.task.release_all()
        self.held.clear()

    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """A client that got no reply sends its last event again, with its key."""
        if not self.held:
            return
        who = data.draw(st.sampled_from(sorted(self.held)))
        question, key = self.held.pop(who), f"key {len(self.model.events)}"
        event = self.task.answer("Good" if question.right is None else "tie", assessor=who, key=key)
        self.model.said(who, event)
        assert self.task.record(event) == len(self.model.events)

    @rule(wrong=st.sampled_from([
        Event(left="z", right="a", answer="left"), Event(left="a", right="a", answer="tie"), Event(left="a", right="b", answer="a"),
        Event("skip", "a", "z"), Event("undo", target=999), Event("redo", target=999), Event("undo"),
    ]))  # fmt: skip
    def send_nonsense(self, wrong: Event) -> None:
        with pytest.raises(DataError):
            self.task.record(wrong)

    @rule(who=st.sampled_from(CREW))
    def leave(self, who: str) -> None:
        self.task.release(who)
        self.held.pop(who, None)

    @rule()
    def crash(self) -> None:
        """Open questions are lost, and nothing else."""
        self.task.release_all()
        self.held.clear()
        old, self.task = self.task, rebuilt(self.task)
        for who in CREW:
            assert old.ask(who) == self.task.ask(who)
        self.task.release_all()

    # What always holds.

    @invariant()
    def the_log_only_grows(self) -> None:
        if hasattr(self, "task"):
            assert list(self.task.log) == self.model.events

    @invariant()
    def what_stands_is_what_the_model_says(self) -> None:
        if hasattr(self, "task"):
            assert list(self.task.judgments) == [event for event in self.model.standing if event.action == "answer"]
            new = self.as_if_new()
            assert new.is_finished == self.task.is_finished
            if new.is_finished:
                assert new.result() == self.task.result()

    @invariant()
    def no_pair_is_open_more_often_than_the_repeats_allow(self) -> None:
        if hasattr(self, "task"):
            counts = Counter(question.pair for question in self.held.values())
            assert max(counts.values(), default=0) <= self.task.repeats


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_any_sequence_of_deeds_and_accidents_leaves_the_task_as_its_log_says(name: str) -> None:
    machine = type("LabellingBy", (Labelling,), {"names": (name,)})
    run_state_machine_as_test(machine, settings=settings(max_examples=80, stateful_step_count=50, deadline=None, derandomize=True))
