"""Answers of a language model: from the server's JSON to the model's words, and from those to one of the choices. Nothing is guessed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.errors import DataError, PodiumError
from podium.labelling.questions import Question

__all__ = ["Completion", "UnparsableAnswer", "read_choice", "read_completion"]


class UnparsableAnswer(PodiumError):
    """A model was asked ``question`` as often as allowed and never gave an answer that can be read as one of the choices."""

    def __init__(self, message: str, question: Question) -> None:
        self.message, self.question = message, question
        super().__init__(message, question)

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Completion:
    """One reply of a model, as the server sent it: the words, why they end, and what they cost."""

    text: str
    finish: str  # the server's reason for ending: stop, length, content_filter, ...; refusal if the model refused
    model: str
    tokens_in: int
    tokens_out: int
    seconds: float

    def __post_init__(self) -> None:
        is_text = all(isinstance(value, str) for value in (self.text, self.finish, self.model))
        is_count = all(isinstance(value, int) and value >= 0 for value in (self.tokens_in, self.tokens_out))
        if not (is_text and is_count and isinstance(self.seconds, (int, float)) and math.isfinite(self.seconds)):
            raise DataError("not the fields of a completion")


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("it says a key twice")
    return values


_STRICT = json.JSONDecoder(object_pairs_hook=_one_of_each)


def _only_object(text: str) -> dict[str, Any]:
    """The one JSON object in a text; no brace may stand outside it, or a part of a broken object could be taken for the whole."""
    begin = text.find("{")
    if "<think>" in text:
        raise ValueError("its thoughts do not end")
    if begin < 0:
        raise ValueError("it has no JSON object")
    found: dict[str, Any]
    found, end = _STRICT.raw_decode(text, begin)
    outside = (text[:begin] + text[end:]).strip()
    if re.search(r"[{}]", outside):
        raise ValueError("it has more than one JSON object")
    if outside.startswith("[") and outside.endswith("]"):
        raise ValueError("it is a list")
    return found


def read_choice(completion: Completion, choices: Mapping[str, str], *, scrub: Callable[[str], str] = str) -> str:
    """The answer that a reply gives: that of ``choices`` whose word stands under ``answer`` in the reply's one JSON object.

    Text or a code fence around the object is passed over, and so are other keys, the letters' case, and a model's thoughts up to
    ``</think>``. All else raises ValueError with the reason: no object, two objects, the key twice, a
    word that is not among the choices, a reply that was cut off or refused. ``scrub`` takes out of the reply's words what a reason must
    not show.

    >>> choices = {"A": "left", "B": "right", "tie": "tie"}
    >>> read_choice(Completion('Surely {"answer": "B"}.', "stop", "m", 1, 1, 0.0), choices)
    'right'
    >>> read_choice(Completion('{"answer": "A or B"}', "stop", "m", 1, 1, 0.0), choices)
    Traceback (most recent call last):
    ValueError: it answers 'A or B', which is none of A, B, tie
    """
    if completion.finish in ("length", "content_filter", "refusal"):
        raise ValueError({"length": "it was cut off at the length allowed"}.get(completion.finish, "the model or its filter refused"))
    try:
        found = _only_object(completion.text.rpartition("</think>")[2])
    except json.JSONDecodeError:
        raise ValueError("its JSON object is broken") from None
    except RecursionError:
        raise ValueError("its JSON object is nested too deeply") from None
    said = found.get("answer")
    for word, answer in choices.items():
        if isinstance(said, str) and said.strip().casefold() == word.casefold():
            return answer
    raise ValueError(f"it answers {scrub(str(said))[:40]!r}, which is none of {', '.join(choices)}")


def read_completion(body: bytes, *, asked: str, sent: int, seconds: float) -> Completion:
    """What a server's body says; ValueError with the reason if it is not one completion of a chat.

    A server that does not count tokens is taken to have used one for every three bytes, of the ``sent`` and of the reply: too many
    rather than too few, so that a limit of tokens or money holds with any server. One that does not name its model has the one ``asked``.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON, or is cut off") from None
    try:
        (choice,) = document["choices"]
        message, finish = choice["message"], choice.get("finish_reason")
        text, refusal = message.get("content"), message.get("refusal")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError("is not a chat completion with one choice") from None
    if not isinstance(text, str | None):
        raise ValueError("has a message that is not text")
    usage, model = document.get("usage"), document.get("model")
    return Completion(
        text=text or "",
        finish="refusal" if refusal else finish if isinstance(finish, str) else "",
        model=model if isinstance(model, str) and model else asked,
        tokens_in=_count(usage, "prompt_tokens", otherwise=sent),
        tokens_out=_count(usage, "completion_tokens", otherwise=len((text or "").encode("utf-8", "replace"))),
        seconds=seconds,
    )


def _count(usage: object, name: str, otherwise: int) -> int:
    count = usage.get(name) if isinstance(usage, dict) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and count >= 0
    return int(count) if is_count else math.ceil(otherwise / 3)  # type: ignore[arg-type]
