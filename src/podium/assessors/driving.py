"""Putting questions to an assessor until nothing is left to ask."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from podium.labelling.questions import Event, Question
from podium.pool import Pool

if TYPE_CHECKING:
    from podium.assessors.llm import LanguageModel, Reply

__all__ = ["Assessor", "Desk", "label", "label_by_model"]


class Assessor(Protocol):
    """Whoever answers at once and alone: an oracle, or a recording."""

    @property
    def name(self) -> str: ...

    @property
    def role(self) -> str: ...

    def answer(self, question: Question, *, answers: Sequence[str], repeat: int) -> str: ...


class Desk(Protocol):
    """Where questions come from and answers go: a task in memory, or one in a store."""

    @property
    def answers(self) -> tuple[str, ...]: ...

    @property
    def judgments(self) -> Sequence[Event]: ...

    def ask(self, assessor: str = "", *, seat: int = 0, stages: Collection[str] | None = None) -> Question | None: ...

    def answer(self, answer: str, *, assessor: str = "", question: Question | None = None, **details: Any) -> Event: ...


def label(
    desk: Desk, assessor: Assessor, *, on_answer: Callable[[Event], None] | None = None, stages: Collection[str] | None = None
) -> int:
    """Ask until nothing is left for this assessor; the number of answers given.

    >>> from podium.assessors.oracle import Oracle
    >>> from podium.labelling import TopK
    >>> task = TopK(["a", "b", "c"], k=1, strategy="tournament")
    >>> label(task, Oracle({"a": 1.0, "b": 3.0, "c": 2.0}))
    2
    >>> task.result().top
    ('b',)
    """
    times = _times_asked(desk.judgments)
    given = 0
    while (question := desk.ask(assessor.name, stages=stages)) is not None:
        repeat = times.get(question.pair, 0)
        answer = assessor.answer(question, answers=desk.answers, repeat=repeat)
        event = desk.answer(answer, assessor=assessor.name, role=assessor.role)
        times[question.pair] = repeat + 1
        given += 1
        if on_answer is not None:
            on_answer(event)
    return given


def label_by_model(
    desk: Desk,
    model: LanguageModel,
    pool: Pool,
    *,
    on_answer: Callable[[Event], None] | None = None,
    stages: Collection[str] | None = None,
) -> int:
    """Put questions to a language model, as many at once as it takes, until nothing is left for it; the number of answers.

    Each answer is recorded as it comes. When the model's server fails or a limit is reached, what was answered is recorded, and the
    error says what happened; calling this again goes on from there. A question whose answer cannot be read is left while there are others,
    and then reported.
    """
    from podium.assessors.llm import UnparsableAnswer

    given, times = 0, _times_asked([event for event in desk.judgments if event.assessor == model.assessor])

    def record(question: Question, reply: Reply) -> None:
        nonlocal given
        event = desk.answer(
            reply.answer, assessor=reply.assessor, question=question, role="model", seconds=round(reply.seconds, 3),
            model=reply.model, prompt=reply.prompt, prompt_hash=reply.prompt_hash,
        )  # fmt: skip
        given += 1
        times[question.pair] = times.get(question.pair, 0) + 1
        if on_answer is not None:
            on_answer(event)

    unreadable: dict[Question, UnparsableAnswer] = {}
    while True:
        asked = [desk.ask(model.assessor, seat=seat, stages=stages) for seat in range(model.concurrency)]
        questions = [question for question in asked if question is not None and question not in unreadable]
        if not questions and unreadable:
            raise next(iter(unreadable.values()))
        if not questions:
            return given
        try:
            model.answer_many(questions, pool, allow_bad="bad" in desk.answers, repeats=dict(times), on_answer=record)
        except UnparsableAnswer as error:
            unreadable[error.question] = error


def _times_asked(judgments: Sequence[Event]) -> dict[tuple[str, str], int]:
    times: dict[tuple[str, str], int] = {}
    for event in judgments:
        times[event.question.pair] = times.get(event.question.pair, 0) + 1
    return times
