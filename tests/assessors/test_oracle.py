"""Oracles against their definition: probabilities of the logistic, counted; hand-made cases."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from podium.assessors import Oracle, noise_for_accuracy
from podium.errors import DataError
from podium.labelling import Question

PAIR = ("left", "right", "tie")


def share(oracle: Oracle, question: Question, answer: str, times: int = 4000) -> float:
    return sum(oracle.answer(question, repeat=repeat) == answer for repeat in range(times)) / times


def within(seen: float, expected: float, times: int = 4000) -> bool:
    """Four standard errors of a share."""
    return abs(seen - expected) <= 4 * math.sqrt(expected * (1 - expected) / times)


def test_an_exact_oracle_says_what_is_worth_more_and_a_tie_if_nothing_is() -> None:
    oracle = Oracle({"a": 1.0, "b": 2.0, "c": 2.0})
    assert [oracle.answer(Question(*pair)) for pair in ("ab", "ba", "bc")] == ["right", "left", "tie"]


@pytest.mark.parametrize(("gap", "noise", "bias"), [(1.0, 0.5, 0.0), (0.3, 1.0, 0.0), (0.0, 1.0, 1.0), (-1.0, 2.0, 0.5)])
def test_noise_and_side_bias_give_the_probability_of_bradley_and_terry(gap: float, noise: float, bias: float) -> None:
    oracle = Oracle({"a": gap, "b": 0.0}, noise=noise, side_bias=bias, seed=3)
    assert within(share(oracle, Question("a", "b"), "left"), 1 / (1 + math.exp(-(gap / noise + bias))))
    assert within(share(oracle, Question("b", "a"), "left"), 1 / (1 + math.exp(-(-gap / noise + bias))))


def test_a_tie_is_what_looks_closer_than_the_width() -> None:
    oracle = Oracle({"a": 1.0, "b": 0.0}, noise=0.5, tie_width=0.4)
    logistic = lambda x: 1 / (1 + math.exp(-x))
    assert within(share(oracle, Question("a", "b"), "left"), 1 - logistic((0.4 - 1) / 0.5))
    assert within(share(oracle, Question("a", "b"), "right"), logistic((-0.4 - 1) / 0.5))
    assert Oracle({"a": 1.0, "b": 0.6}, tie_width=0.4).answer(Question("a", "b")) == "tie"


def test_a_flat_error_turns_the_answer_however_clear() -> None:
    assert within(share(Oracle({"a": 1e4, "b": -1e4}, error=0.2), Question("a", "b"), "right"), 0.2)
    turned = Counter(Oracle({"a": 0.0, "b": 0.0}, error=1.0).answer(Question("a", "b"), repeat=repeat) for repeat in range(4000))
    assert set(turned) == {"left", "right"}
    assert within(turned["left"] / 4000, 0.5)


def test_both_bad_is_said_only_of_two_bad_documents_and_only_if_it_may_be() -> None:
    oracle = Oracle({"a": 0.0, "b": 0.5, "c": 1.0}, bad_below=1.0)
    with_bad = (*PAIR, "bad")
    assert oracle.answer(Question("a", "b"), answers=with_bad) == "bad"
    assert oracle.answer(Question("a", "b"), answers=PAIR) == "right"
    assert oracle.answer(Question("a", "c"), answers=with_bad) == "right"


def test_grades_are_cut_from_the_worth() -> None:
    oracle = Oracle({"a": 0.9, "b": 1.0, "c": 7.0}, cuts=(1.0, 3.0))
    assert [oracle.answer(Question(item), answers=("Bad", "Fair", "Good")) for item in "abc"] == ["Bad", "Fair", "Good"]
    with pytest.raises(DataError, match="5 grades need 4 cuts between them, the oracle has 2"):
        oracle.answer(Question("a"), answers=("a", "b", "c", "d", "e"))


def test_an_answer_depends_on_seed_question_and_repetition_alone() -> None:
    questions = [Question(f"d{i}", f"d{j}") for i in range(12) for j in range(12) if i != j]
    worth = {f"d{i}": float(i) for i in range(12)}
    answers = [[Oracle(worth, noise=3.0, seed=seed).answer(question) for question in questions] for seed in (0, 0, 1)]
    assert answers[0] == answers[1] != answers[2]
    assert [Oracle(worth, noise=3.0).answer(question, repeat=1) for question in questions] != answers[0]


@pytest.mark.parametrize("accuracy", [0.6, 0.9, 0.99])
def test_the_noise_for_an_accuracy_gives_that_accuracy_on_average(accuracy: float) -> None:
    values = np.random.default_rng(0).standard_normal(30)
    noise = noise_for_accuracy(values.tolist(), accuracy)
    right = [1 / (1 + math.exp(-abs(a - b) / noise)) for i, a in enumerate(values) for b in values[:i]]
    assert math.isclose(sum(right) / len(right), accuracy, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Oracle({}, noise=-1.0), "noise of an oracle must be a number of 0 or more, got -1.0"),
        (lambda: Oracle({}, error=1.5), "error of an oracle is a probability, got 1.5"),
        (lambda: Oracle({}, side_bias=1.0), "side_bias is counted in logits of the noise"),
        (lambda: Oracle({"a": 1.0}).answer(Question("a", "z")), "the oracle does not know what 'z' is worth"),
        (lambda: noise_for_accuracy([1.0, 1.0], 0.9), "all documents are worth the same"),
        (lambda: noise_for_accuracy([1.0, 2.0], 0.5), "accuracy must lie between 0.5"),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        make()  # type: ignore[operator]
