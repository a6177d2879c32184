"""A language model as an assessor: any server that speaks the protocol of OpenAI's chat completions."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self, get_args

from podium.assessors.cache import ReplyCache
from podium.assessors.limits import LimitReached, Limits, Meter, Spent
from podium.assessors.llm_answers import Completion, UnparsableAnswer, read_choice
from podium.assessors.llm_client import ChatClient, checked_url
from podium.assessors.llm_secret import Secret, read_key
from podium.assessors.llm_service import ChatService, RequestFailed
from podium.assessors.prompts import GRADE_PROMPT, PAIR_PROMPT, Form, Prompt, grade_form, pair_form
from podium.errors import DataError, UnknownName
from podium.labelling.questions import GRADES, Event, Question
from podium.pool import Pool

__all__ = ["ORDERS", "LanguageModel", "LimitReached", "Limits", "Order", "Reply", "RequestFailed", "UnparsableAnswer"]

Order = Literal["random", "both"]
ORDERS: tuple[Order, ...] = get_args(Order)
_RESERVED = {"model", "messages", "n", "stream", "temperature"}  # said elsewhere, or such that a reply could not be read
_LARGEST_REPLY = 1 << 20  # bytes
_ASKED_AGAIN = 1_000_000  # attempts at a question that was asked before are kept under numbers from here on


@dataclass(frozen=True)
class Reply:
    """What a model answered. ``seconds`` is how long the server took over the replies used; the waits between retries are not in it.

    Tokens are those of the replies, also if they came from the cache, when nothing was spent now.
    """

    question: Question
    answer: str  # left, right, tie, bad; or the grade
    seconds: float
    assessor: str
    model: str  # as the server names it
    prompt: str
    prompt_hash: str
    requests: int  # sent now, retries too
    tokens_in: int
    tokens_out: int
    is_cached: bool  # no request was sent

    def to_event(self, at: str, *, strategy: str = "", key: str = "") -> Event:
        """The answer as an entry of a task's log."""
        return Event(
            left=self.question.left, right=self.question.right, answer=self.answer, assessor=self.assessor, role="model", at=at,
            seconds=self.seconds, stage=self.question.stage, strategy=strategy, key=key,
            model=self.model, prompt=self.prompt, prompt_hash=self.prompt_hash,
        )  # fmt: skip


class LanguageModel:
    """Asks a model which of two documents answers a query better, or what grade one deserves.

    The question's left document is shown as A. With ``order="random"`` that is all, since whoever asks draws the sides by lot; with
    ``order="both"`` the sides are also swapped and asked again, and a disagreement of the two is a tie.

    The key is read from the environment variable ``key_variable`` and sent as a bearer token; no key is sent if the variable is not
    set. Each request has ``timeout`` seconds in all. One that fails is sent again up to ``max_retries`` times, after waits that double
    from half a second to a minute, or as long as the server asks; if it asks for more than five minutes, that is an error at once. An
    answer that cannot be read is asked for again, with a reminder, ``max_unparsable`` replies in all; then that is an error.
    ``parameters`` go into every request as they are. Replies are kept in the file ``cache``: the same question to the same model, with
    the same prompt and parameters, is not paid for twice, unless no reply to it could be read: then it is asked anew. In logs the model is
    called ``assessor``, ``llm:`` and its name if nothing else is said. A ``sleep`` that is given takes the place of all waits, which
    otherwise end when all is to stop.

    For a local server without a key::

        with LanguageModel("http://127.0.0.1:8080/v1", "qwen", key_variable=None, cache="replies.sqlite") as model:
            reply = model.answer(Question("d1", "d2"), pool)
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_variable: str | None = "OPENAI_API_KEY",
        prompt: Prompt = PAIR_PROMPT,
        grade_prompt: Prompt = GRADE_PROMPT,
        grades: Sequence[str] = GRADES,
        order: Order = "random",
        temperature: float | None = 0.0,
        parameters: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
        max_retries: int = 5,
        max_unparsable: int = 3,
        limits: Limits | None = None,
        cache: str | os.PathLike[str] | None = None,
        concurrency: int = 8,
        seed: int = 0,
        assessor: str | None = None,
        sleep: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _check_settings(model, prompt, grade_prompt, grades, order)
        _check_numbers(timeout, max_retries=max_retries, max_unparsable=max_unparsable, concurrency=concurrency)
        self.base_url = checked_url(base_url)
        self.model, self.prompt, self.grade_prompt, self.grades, self.order = model, prompt, grade_prompt, tuple(grades), order
        self.max_unparsable, self.concurrency = max_unparsable, concurrency
        self.assessor = assessor or f"llm:{model}"  # the model's name among assessors
        self._stops: set[threading.Event] = set()  # of the calls of answer_many that are under way
        whole = _checked_parameters(parameters or {}, temperature)
        secret = read_key(key_variable) if key is None else Secret(key)
        client = ChatClient(self.base_url, secret, timeout=timeout, max_bytes=_LARGEST_REPLY, threads=concurrency, clock=clock)
        try:
            replies = None if cache is None else ReplyCache(cache)
        except BaseException:
            client.close()
            raise
        meter = Meter(limits or Limits(), clock, sleep)
        self._service = ChatService(model, whole, client, meter, replies, max_retries, seed, sleep)

    def __repr__(self) -> str:
        return f"LanguageModel({self.base_url!r}, {self.model!r}, prompt={self.prompt.name!r}, order={self.order!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and the cache."""
        self._service.close()

    def abort(self) -> None:
        """Give up every :meth:`answer_many` that is under way; from another thread. It hands on what came, and raises CancelledError."""
        for stop in list(self._stops):
            stop.set()
            self._service.client.abort(stop)

    @property
    def spent(self) -> Spent:
        """What was spent so far: requests, tokens, money."""
        return self._service.meter.spent

    def answer(self, question: Question, pool: Pool, *, allow_bad: bool = True, repeat: int = 0) -> Reply:
        """Ask one question, which was asked ``repeat`` times before and is then really asked again; may be called from any thread.

        Raises :class:`UnparsableAnswer`, :class:`RequestFailed` or :class:`LimitReached`; what was answered before is in the cache.
        """
        return self._answer(question, pool, allow_bad, repeat, threading.Event())

    def _answer(self, question: Question, pool: Pool, allow_bad: bool, repeat: int, stop: threading.Event) -> Reply:
        settled = [self._settle(form, question, repeat, stop) for form in self._forms(question, pool, allow_bad)]
        answers = {each.answer for each in settled}
        replies = [reply for each in settled for reply in each.replies]
        requests = sum(each.requests for each in settled)
        prompt = self.grade_prompt if question.right is None else self.prompt
        return Reply(
            question=question,
            answer=answers.pop() if len(answers) == 1 else "tie",
            seconds=math.fsum(reply.seconds for reply in replies),
            assessor=self.assessor,
            model=replies[-1].model,
            prompt=f"{prompt.name}, both orders" if len(settled) > 1 else prompt.name,
            prompt_hash=prompt.hash,
            requests=requests,
            tokens_in=sum(reply.tokens_in for reply in replies),
            tokens_out=sum(reply.tokens_out for reply in replies),
            is_cached=requests == 0,
        )

    def answer_many(
        self,
        questions: Iterable[Question],
        pool: Pool,
        *,
        allow_bad: bool = True,
        repeats: Mapping[tuple[str, str], int] | None = None,
        on_answer: Callable[[Question, Reply], object] | None = None,
    ) -> list[Reply]:
        """Ask many questions, ``concurrency`` at a time; replies in the order of the questions.

        ``repeats`` says of a pair how often it was asked before: then it is really asked again, and not answered from the cache.
        ``on_answer`` is called in the calling thread as each reply comes, so that it can be recorded at once. A question whose answer
        cannot be read does not stop the others; a limit or a server that fails does: the requests under way end, and after that only
        the cache is asked. Either way all that came is handed to ``on_answer`` first, and then the error is raised: of several, that
        of the earliest question. An error of ``on_answer``, or Ctrl-C, gives up the requests under way too.
        """
        asked, stop = list(questions), threading.Event()

        def ask(question: Question) -> Reply:
            try:
                return self._answer(question, pool, allow_bad, (repeats or {}).get(question.pair, 0), stop)
            except BaseException as error:
                if not isinstance(error, (UnparsableAnswer, LimitReached)):  # at a limit, those that have a turn may still take it
                    stop.set()
                raise

        with ThreadPoolExecutor(self.concurrency, thread_name_prefix="podium-llm") as threads:
            futures: dict[Future[Reply], Question] = {}
            self._stops.add(stop)
            try:
                futures.update((threads.submit(ask, question), question) for question in asked)
                for future in _as_they_end(futures):
                    if on_answer is not None and _error_of(future) is None:
                        on_answer(futures[future], future.result())
            except BaseException:
                stop.set()
                self._service.client.abort(stop)
                threads.shutdown(wait=False, cancel_futures=True)
                raise
            finally:
                self._stops.discard(stop)
        _raise_first([error for error in map(_error_of, futures) if error is not None])
        return [future.result() for future in futures]

    def _forms(self, question: Question, pool: Pool, allow_bad: bool) -> list[Form]:
        if question.right is None:
            return [grade_form(self.grade_prompt, pool, question.left, self.grades)]
        sides = (False, True) if self.order == "both" else (False,)
        return [
            pair_form(self.prompt, pool, question.left, question.right, allow_bad=allow_bad, is_swapped=is_swapped) for is_swapped in sides
        ]

    def _settle(self, form: Form, question: Question, repeat: int, stop: threading.Event) -> _Settled:
        """The first reply that can be read: of those in the cache, or if there is none, of new ones."""
        attempts = [(form.messages(number), number + _ASKED_AGAIN * repeat) for number in range(self.max_unparsable)]
        recalled = ((self._service.recall(*attempt), 0) for attempt in attempts)
        asked = (self._service.complete(*attempt, stop) for attempt in attempts)
        problem = ""
        for outcomes in (recalled, asked):
            replies, requests = [], 0
            for reply, sent in outcomes:
                if reply is not None:
                    replies.append(reply)
                    requests += sent
                    try:
                        return _Settled(read_choice(reply, form.choices, scrub=self._service.client.scrub), replies, requests)
                    except ValueError as error:
                        problem = str(error)
        raise self._unparsable(question, problem)

    def _unparsable(self, question: Question, problem: str) -> UnparsableAnswer:
        shown = question.left if question.right is None else f"{question.left} and {question.right}"
        message = (
            f"{self.model} was asked about {shown} {self.max_unparsable} times and no reply could be read (the last: {problem}); "
            "nothing was guessed: change the prompt or the parameters, or raise max_unparsable"
        )
        return UnparsableAnswer(self._service.client.scrub(message), question)


@dataclass(frozen=True)
class _Settled:
    answer: str
    replies: list[Completion]
    requests: int


def _as_they_end(futures: Iterable[Future[Reply]]) -> Iterator[Future[Reply]]:
    """As the library's own, but it looks up now and then: a Ctrl-C that comes just before a wait begins is not noticed during it."""
    pending = set(futures)
    while pending:
        ended, pending = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
        yield from ended


def _error_of(future: Future[Reply]) -> BaseException | None:
    return CancelledError() if future.cancelled() else future.exception()


def _raise_first(errors: Sequence[BaseException]) -> None:
    real = [error for error in errors if not isinstance(error, CancelledError)]
    if real:
        failed = sum(not isinstance(error, LimitReached) for error in real[1:])
        if len(errors) > 1:
            real[0].add_note(f"of the other questions, {failed} failed too and {len(errors) - 1 - failed} were not asked")
        raise real[0]


def _check_settings(model: str, prompt: Prompt, grade_prompt: Prompt, grades: Sequence[str], order: str) -> None:
    if not model.strip():
        raise DataError("model must be the name of a model, got an empty one")
    if order not in ORDERS:
        raise UnknownName("order", order, ORDERS)
    for name, given, kind in (("prompt", prompt, "pair"), ("grade_prompt", grade_prompt, "grade")):
        if given.kind != kind:
            raise DataError(f"{name} must be a prompt of kind {kind!r}, got {given.name!r} of kind {given.kind!r}")
    words = [grade.strip().casefold() for grade in grades]
    if len(words) < 2 or not all(words) or len(set(words)) < len(words):
        raise DataError(f"grades must be two or more different words, whatever their case, got {', '.join(map(repr, grades))}")


def _check_numbers(timeout: float, *, max_retries: int, **counts: int) -> None:
    if not (timeout > 0 and math.isfinite(timeout)):
        raise DataError(f"timeout must be seconds above 0, got {timeout!r}")
    if max_retries < 0:
        raise DataError(f"max_retries must be 0 or more, got {max_retries}")
    for name, value in counts.items():
        if value < 1:
            raise DataError(f"{name} must be at least 1, got {value}")


def _checked_parameters(parameters: Mapping[str, Any], temperature: float | None) -> dict[str, Any]:
    for name in sorted(_RESERVED & set(parameters)):
        raise DataError(f"parameters must not name {name!r}; it is set in another way, or must not be")
    whole = {**parameters} if temperature is None else {"temperature": temperature, **parameters}
    try:
        json.dumps(whole, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DataError(f"parameters must be what JSON can say: {error}") from None
    return whole
