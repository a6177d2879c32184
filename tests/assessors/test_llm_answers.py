from __future__ import annotations

import json

import pytest

from podium.assessors.llm_answers import Completion, read_choice, read_completion
from podium.assessors.llm_secret import Secret

CHOICES = {"A": "left", "B": "right", "tie": "tie"}


def said(text: str, finish: str = "stop") -> Completion:
    return Completion(text, finish, "m", 1, 1, 0.0)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"answer": "A"}', "left"),
        (' {"answer":"B"}\n', "right"),
        ('{"answer": " tie "}', "tie"),
        ('{"answer": "Tie"}', "tie"),
        ('```json\n{"answer": "B"}\n```', "right"),
        ('I looked at both. {"answer": "A"} That is all.', "left"),
        ('{"reason": "B is long, {really}", "answer": "A"}', "left"),
        ('{"answer": "A", "scores": {"A": 2, "B": 1}}', "left"),
        ('<think>At first {"answer": "B"}, but no.</think>{"answer": "A"}', "left"),
    ],
)
def test_one_object_with_a_known_answer_is_read_whatever_stands_around_it(text: str, answer: str) -> None:
    assert read_choice(said(text), CHOICES) == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        '"A"',
        "A is better",
        '{"answer": "A"',
        '{"answer": "A"} {"answer": "A"}',
        '{"answer": "A"} or {"answer": "B"}',
        '{"answer": "A", "answer": "B"}',
        '{"answer": "A", "thought": {"answer": "B"}',
        '{broken {"answer": "B"}}',
        '[{"answer": "A"}]',
        '[1, {"answer": "A"}, 2]',
        '{"answer": ["A"]}',
        '{"answer": null}',
        '{"answer": true}',
        '{"answer": "A or B"}',
        '{"answer": "left"}',
        '{"answer": "bad"}',
        '{"Answer": "A"}',
        "{'answer': 'A'}",
        '{"x": ' * 5000,
        '<think>{"answer": "A"}',
        '</think><think>{"answer": "A"}',
        '{"answer": "A"} } ',
        '} {"answer": "A"}',
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"^its? "):
        read_choice(said(text), CHOICES)


@pytest.mark.parametrize("text", [f"{'x' * 30}sk-0123456789", "sk-0123456789"])
def test_a_key_in_an_answer_is_taken_out_after_its_escapes_are_read_and_before_it_is_cut(text: str) -> None:
    escaped = "".join(f"\\u{ord(character):04x}" for character in text)
    with pytest.raises(ValueError, match=r"it answers 'x*\*\*\*', which is none of A, B, tie"):
        read_choice(said(f'{{"answer": "{escaped}"}}'), CHOICES, scrub=Secret("sk-0123456789").scrub)


@pytest.mark.parametrize("finish", ["length", "content_filter", "refusal"])
def test_a_reply_that_was_cut_off_or_refused_is_not_read_even_if_it_could_be(finish: str) -> None:
    with pytest.raises(ValueError, match=r"cut off|refused"):
        read_choice(said('{"answer": "A"}', finish), CHOICES)


def body(**values: object) -> bytes:
    whole = {"model": "big-1", "choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], **values}
    return json.dumps(whole).encode()


def test_a_body_gives_words_model_and_tokens() -> None:
    reply = read_completion(body(usage={"prompt_tokens": 70, "completion_tokens": 3}), asked="big", sent=300, seconds=0.5)
    assert reply == Completion("hello", "stop", "big-1", 70, 3, 0.5)


@pytest.mark.parametrize("usage", [None, {}, [], {"prompt_tokens": -5, "completion_tokens": "3"}, {"prompt_tokens": True}])
def test_tokens_that_are_not_counted_are_taken_as_a_third_of_the_bytes_rounded_up(usage: object) -> None:
    reply = read_completion(body(usage=usage, model=None), asked="big", sent=301, seconds=0.5)
    assert (reply.tokens_in, reply.tokens_out, reply.model) == (101, 2, "big")  # 301 / 3 and len("hello") / 3, rounded up


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"3", b'{"choices": {}}', b'{"choices": [null]}', b'{"choices": [{"message": []}]}'])
def test_a_body_of_another_shape_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="is not"):
        read_completion(data, asked="big", sent=3, seconds=0.0)
