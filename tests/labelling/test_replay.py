"""The log is the state: stopped anywhere and replayed, here or in a new process, a task goes on with the same question."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.labelling.reference import WITH_PRIOR, WITHOUT_REPEATING, rebuilt, through_json

from podium.labelling import STRATEGIES, Event, Question, TopK

NEW_PROCESS = """
import json, sys
from podium.labelling import Event, TopK
for line in sys.stdin:
    case = json.loads(line)
    task = TopK(**case["settings"], log=map(Event.from_dict, case["log"]))
    asked = task.ask(case["assessor"])
    print(json.dumps({
        "asks": asked and [asked.left, asked.right, asked.stage],
        "top": task.result().top if task.is_finished else None,
        "judgments": len(task.judgments),
    }))
"""


def names(n: int) -> list[str]:
    return [f"d{number}" for number in range(n)]


def random_answer(task: TopK, chance: random.Random, kind: str) -> str:
    """An answer with no order behind it; often a tie, or bad, if those are asked for."""
    if task.entry.asks_grades or kind == "anything":
        return chance.choice(task.answers)
    return chance.choice([answer for answer in (kind, "left", "right") if answer in task.answers])


def moments(task: TopK, seed: int, kind: str, crew: tuple[str, ...] = ("",)) -> Iterator[tuple[str, Question | None]]:
    """Label with judges who contradict themselves, skip, undo and redo; at every moment, who asks now and what they get.

    Nobody else has a question open then: what is open is no part of the log.
    """
    chance = random.Random(seed)
    for _ in range(60):
        who = chance.choice(crew)
        question = task.ask(who)
        yield who, question
        deed = chance.random()
        if deed < 0.12 and len(task.log) > 0:
            try:
                task.undo(assessor=who)
                if deed < 0.05:
                    task.redo(assessor=who)
            except ValueError:
                pass  # this one has nothing to undo
        elif question is None:
            if task.is_finished:
                return
        elif deed < 0.2:
            task.skip(assessor=who)
        else:
            task.answer(random_answer(task, chance, kind), assessor=who, seconds=chance.random(), key=f"{len(task.log)} {who}")
        task.release_all()


KINDS = ["tie", "bad", "left", "anything"]


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
@pytest.mark.parametrize("repeats", [1, 3])
@settings(max_examples=15)
@given(
    n=st.integers(0, 15), k=st.integers(1, 8), seed=st.integers(0, 2**32), kind=st.sampled_from(KINDS), ties_are_transitive=st.booleans(),
    has_prior=st.booleans(), crew=st.sampled_from([("",), ("ann", "bob", "cyd")]),
)  # fmt: skip
def test_a_task_stopped_at_any_point_and_made_anew_asks_the_same(
    name: str, repeats: int, n: int, k: int, seed: int, kind: str, ties_are_transitive: bool, has_prior: bool, crew: tuple[str, ...]
) -> None:
    prior = random.Random(seed).sample(names(n), n // 2) if has_prior and STRATEGIES[name].takes_prior else None
    task = TopK(names(n), k, strategy=name, seed=seed, prior=prior, repeats=repeats, ties_are_transitive=ties_are_transitive)
    for who, question in moments(task, seed, kind, crew):
        again = rebuilt(task)
        assert again.ask(who) == question
        assert (again.log, again.judgments, again.is_finished) == (task.log, task.judgments, task.is_finished)
        if task.is_finished:
            assert again.result() == task.result()


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_every_prefix_of_a_finished_log_asks_what_was_answered_next(name: str) -> None:
    for seed, repeats in ((0, 1), (1, 3)):
        chance = random.Random(seed)
        task = TopK(names(12), 4, strategy=name, seed=seed, repeats=repeats)
        while task.ask() is not None:
            task.answer(random_answer(task, chance, "anything"))
        for stop, event in enumerate(task.log):
            assert rebuilt(task, task.log[:stop]).ask() == event.question
        assert rebuilt(task).ask() is None


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_in_a_new_process_a_task_goes_on_with_the_same_question(hash_seed: str) -> None:
    cases: list[dict[str, Any]] = []
    expected: list[dict[str, Any]] = []
    for name in WITHOUT_REPEATING:
        for seed, (repeats, kind) in enumerate([(1, "tie"), (1, "bad"), (3, "anything"), (3, "left")]):
            prior = {f"d{number}": float(number % 5) for number in range(8)} if name in WITH_PRIOR and seed % 2 else None
            task = TopK(names(14), 5, strategy=name, seed=seed, repeats=repeats, prior=prior, ties_are_transitive=seed != 1)
            for who, question in moments(task, seed, kind, ("ann", "bób", "")):
                log = [event.to_dict() for event in task.log]
                cases.append({"settings": task.settings(), "log": log, "assessor": who})
                expected.append({
                    "asks": None if question is None else [question.left, question.right, question.stage],
                    "top": list(task.result().top) if task.is_finished else None,
                    "judgments": len(task.judgments),
                })  # fmt: skip
    assert len(cases) > 100
    run = subprocess.run(
        [sys.executable, "-c", NEW_PROCESS], input="\n".join(map(json.dumps, cases)), capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert [json.loads(line) for line in run.stdout.splitlines()] == expected


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_recording_event_by_event_is_the_same_as_making_the_task_from_the_log(name: str) -> None:
    task = TopK(names(10), 3, strategy=name)
    for _ in moments(task, 5, "anything"):
        pass
    one_by_one = TopK(**through_json(task.settings()))
    for number, event in enumerate(task.log, start=1):
        assert one_by_one.record(event) == number
    assert one_by_one.log == task.log
    assert one_by_one.ask() == rebuilt(task).ask()


@pytest.mark.parametrize("name", WITHOUT_REPEATING)
def test_what_a_log_says_does_not_depend_on_when_it_was_looked_at(name: str) -> None:
    """A contradicting judge: one task is asked after every answer, the other takes the same answers in one go and is asked once."""
    for seed in range(10):
        chance = random.Random(seed)
        watched = TopK(names(9), 4, strategy=name, seed=seed)
        for _ in range(25):
            watched.ask()
            watched.is_finished  # noqa: B018  looking must not change anything
            left, right = chance.sample(names(9), 2)
            answer = random_answer(watched, chance, "anything")
            watched.record(Event(left=left, right=None if watched.entry.asks_grades else right, answer=answer))
            watched.release_all()
        unwatched = TopK(**watched.settings(), log=watched.log)
        assert unwatched.ask() == watched.ask()
        assert unwatched.is_finished == watched.is_finished
