"""The model assessor against a server that fails in every way that was thought of."""

from __future__ import annotations

import itertools
import logging
import re
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.assessors.llm_server import FAULTS, KEY, FaultyServer, mix, pool_of

from podium.assessors.llm import LanguageModel, LimitReached, Limits, Reply, RequestFailed, UnparsableAnswer
from podium.assessors.llm_secret import Secret
from podium.assessors.prompts import PAIR_PROMPT, pair_form
from podium.errors import DataError, PodiumError
from podium.labelling.questions import Question
from podium.pool import Pool

POOL = pool_of(30, 70)
ASKED = Question("d0", "d1")
WAITED_OUT = ["silence", "drip", "drip headers"]
PASSING = ["429", "429 in 7 s", "429 long ago", "500", "502", "503", "504", "reset", "half"]
BROKEN = ["garbage", "truncated", "deep", "html", "huge", "schema", "no choices", "two choices", "parts"]
UNREAD = ["null", "cut", "refusal", "unsure", "both"]
FINAL = {"400": 400, "403": 403, "404": 404, "401 echo": 401, "redirect": 307}


def model_at(server: FaultyServer, **settings: Any) -> LanguageModel:
    return LanguageModel(server.base_url, "oracle", **{"key": KEY, "timeout": 20.0, "sleep": lambda seconds: None, **settings})


@pytest.mark.parametrize("fault", [*PASSING, *BROKEN, *UNREAD])
def test_a_fault_that_passes_costs_one_request_more(fault: str) -> None:
    with FaultyServer([fault]) as server, model_at(server) as model:
        reply = model.answer(ASKED, POOL)
    assert (reply.answer, reply.requests, server.count) == ("right", 2, 2)
    assert ("could not be read" in server.asked[1]) == (fault in UNREAD)


@pytest.mark.parametrize("fault", WAITED_OUT)
def test_a_server_that_does_not_end_in_time_is_left_and_asked_again(fault: str) -> None:
    with FaultyServer([fault]) as server, model_at(server, timeout=0.2, max_retries=50) as model:
        reply = model.answer(ASKED, POOL)
        assert reply.answer == "right"
        assert 2 <= server.count <= reply.requests


@pytest.mark.parametrize("fault", WAITED_OUT)
def test_bytes_that_trickle_in_do_not_get_past_the_deadline(fault: str) -> None:
    with FaultyServer([fault]) as server, model_at(server, timeout=0.2, max_retries=0) as model:
        with pytest.raises(RequestFailed, match=r"after 1 request: the reply was not there within 0.2 seconds"):
            model.answer(ASKED, POOL)
        assert model.spent.requests == 1


@pytest.mark.parametrize("fault", ["prose", "no usage"])
def test_what_is_no_fault_costs_nothing_more(fault: str) -> None:
    with FaultyServer([fault]) as server, model_at(server) as model:
        reply = model.answer(ASKED, POOL)
        assert (reply.answer, reply.requests) == ("right", 1)
        assert model.spent.tokens_in > 0


@pytest.mark.parametrize(("fault", "status"), FINAL.items())
def test_what_asking_again_does_not_mend_is_an_error_at_once(fault: str, status: int) -> None:
    with FaultyServer([fault] * 9) as server, model_at(server) as model:
        with pytest.raises(RequestFailed, match=rf"oracle at http://127.*after 1 request: the server answered {status}"):
            model.answer(ASKED, POOL)
        assert server.count == 1


@pytest.mark.parametrize("fault", [*PASSING, *BROKEN])
def test_a_fault_that_stays_is_reported_after_the_stated_retries(fault: str) -> None:
    with FaultyServer([fault] * 9) as server, model_at(server, max_retries=3) as model:
        with pytest.raises(RequestFailed, match=r"failed after 4 requests: the (server|connection|reply)"):
            model.answer(ASKED, POOL)
        assert server.count == model.spent.requests == 4


@pytest.mark.parametrize("fault", UNREAD)
def test_an_answer_that_cannot_be_read_is_never_guessed(fault: str, tmp_path: Path) -> None:
    with FaultyServer([fault] * 9) as server:
        for runs in (1, 2):  # a rerun asks anew
            with (
                model_at(server, max_unparsable=3, cache=tmp_path / "c") as model,
                pytest.raises(UnparsableAnswer, match=r"d0 and d1 3 times") as caught,
            ):
                model.answer(ASKED, POOL)
            assert caught.value.question == ASKED
            assert server.count == 3 * runs


@pytest.mark.parametrize("plan", [["ok"], ["unsure", "ok"]])
def test_a_question_without_a_readable_reply_is_asked_anew_and_then_is_in_the_cache(plan: list[str], tmp_path: Path) -> None:
    replies = []
    with FaultyServer(["unsure", "cut", *plan]) as server:
        with model_at(server, max_unparsable=2, cache=tmp_path / "c") as model, pytest.raises(UnparsableAnswer):
            model.answer(ASKED, POOL)
        for _ in range(2):
            with model_at(server, max_unparsable=2, cache=tmp_path / "c") as model:
                replies.append(model.answer(ASKED, POOL))
    assert server.count == 2 + len(plan)
    assert [(reply.answer, reply.requests) for reply in replies] == [("right", len(plan)), ("right", 0)]
    assert [reply.tokens_in for reply in replies] == [100 * len(plan)] * 2  # a reply that was not read is paid for too


def test_waits_grow_and_are_those_the_server_asks_for_up_to_five_minutes() -> None:
    waits: list[float] = []
    plan = ["500", "503", "429", "429 in 7 s", "429 in 300 s", "429 long ago"]
    with FaultyServer(plan) as server, model_at(server, sleep=waits.append, max_retries=6) as model:
        model.answer(ASKED, POOL)
    assert waits[3:] == [7.0, 300.0, 0.0]
    for wait, full in zip(waits[:3], [0.5, 1.0, 2.0], strict=True):
        assert full / 2 <= wait <= full


@pytest.mark.parametrize(("fault", "minutes"), [("429 in 301 s", 6), ("429 in a day", 24 * 60)])
def test_a_server_that_wants_to_be_left_alone_for_longer_ends_the_asking_and_the_error_says_until_when(fault: str, minutes: int) -> None:
    waits: list[float] = []
    before = datetime.now(UTC)
    with FaultyServer([fault] * 9) as server, model_at(server, sleep=waits.append) as model, pytest.raises(RequestFailed) as caught:
        model.answer(ASKED, POOL)
    said = re.search(r"429.*it asks to come back in (\d+) minutes, at (.*) UTC \(.*a rerun goes on from there", str(caught.value))
    assert said is not None
    assert int(said[1]) == minutes
    assert datetime.fromisoformat(f"{said[2]}Z") > before + timedelta(minutes=minutes - 2)
    assert (server.count, waits) == (1, [])


class Bell(threading.Event):
    """Rings as soon as somebody waits for it, and notes for how long they would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        self.set()
        return True


def test_the_wait_before_a_retry_ends_when_all_is_to_stop() -> None:
    stop = Bell()
    with FaultyServer(["429 in 7 s"] * 9) as server, model_at(server, sleep=None) as model:
        with pytest.raises(CancelledError):
            model._service.complete(pair_form(PAIR_PROMPT, POOL, "d0", "d1", allow_bad=True).messages(0), 0, stop)
        assert (server.count, stop.waits) == (1, [7.0])


def test_after_a_refusal_no_request_that_waits_for_its_turn_is_sent() -> None:
    limits = Limits(requests_per_minute=6)
    with FaultyServer(["401 echo"] * 9) as server, model_at(server, sleep=None, limits=limits, concurrency=4) as model:
        with pytest.raises(RequestFailed, match="401") as caught:
            model.answer_many([ASKED] * 4, POOL)
        assert server.count == model.spent.requests == 1
    assert caught.value.__notes__ == ["of the other questions, 0 failed too and 3 were not asked"]


def test_at_a_limit_the_requests_that_have_a_turn_still_take_it() -> None:
    limits = Limits(max_requests=3, requests_per_minute=600)
    with FaultyServer() as server, model_at(server, sleep=None, limits=limits, concurrency=8) as model:
        with pytest.raises(LimitReached, match="max_requests = 3") as caught:
            model.answer_many([ASKED] * 8, POOL)
        assert server.count == model.spent.requests == 3
    assert caught.value.__notes__ == ["of the other questions, 0 failed too and 4 were not asked"]


def await_silence(server: FaultyServer, requests: int) -> None:
    assert all(server.muted.acquire(timeout=30) for _ in range(requests))


def test_an_error_of_the_recording_gives_up_the_requests_under_way() -> None:
    def on_answer(question: Question, reply: Reply) -> None:
        await_silence(server, 4)
        raise OSError("disk full")

    with FaultyServer(["ok", "mute", "mute", "mute", "mute"]) as server, model_at(server, concurrency=4, timeout=40.0) as model:
        with pytest.raises(OSError, match="disk full"):
            model.answer_many([ASKED] * 40, POOL, on_answer=on_answer)
        assert [server.hung_up.get(timeout=30) for _ in range(4)] == [True] * 4
        assert server.count == model.spent.requests == 5  # nor was another begun
        assert model.answer(ASKED, POOL).answer == "right"  # the model is of use afterwards


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to one thread are of POSIX")
def test_ctrl_c_gives_up_the_requests_under_way() -> None:
    main = threading.main_thread().ident
    assert main == threading.get_ident()

    def interrupt() -> None:
        await_silence(server, 3)
        signal.pthread_kill(main, signal.SIGINT)

    with FaultyServer(["mute"] * 9) as server, model_at(server, concurrency=3, timeout=40.0) as model:
        presser = threading.Thread(target=interrupt)
        presser.start()
        with pytest.raises(KeyboardInterrupt):
            model.answer_many([ASKED] * 9, POOL)
        presser.join()
        assert [server.hung_up.get(timeout=30) for _ in range(3)] == [True] * 3
        assert server.count == model.spent.requests == 3


def test_a_request_that_is_given_up_before_it_reads_does_not_wait_and_others_go_on() -> None:
    stop, messages = threading.Event(), pair_form(PAIR_PROMPT, POOL, "d0", "d1", allow_bad=True).messages(0)
    with FaultyServer() as server, model_at(server, max_retries=0) as model:
        model._service.client.abort(stop)
        with pytest.raises(RequestFailed, match="given up"):
            model._service.complete(messages, 0, stop)
        assert server.count == 0
        assert model._service.complete(messages, 0, threading.Event())[1] == 1


def test_a_request_that_waits_to_be_sent_again_is_given_up_when_all_is_to_stop() -> None:
    stop = threading.Event()
    with FaultyServer(["500"] * 9) as server, model_at(server, sleep=lambda seconds: stop.set()) as model:
        with pytest.raises(CancelledError):
            model._service.complete(pair_form(PAIR_PROMPT, POOL, "d0", "d1", allow_bad=True).messages(0), 0, stop)
        assert server.count == 1


def test_a_server_that_is_not_there_is_reported() -> None:
    with FaultyServer() as server:
        url = server.base_url
    with LanguageModel(url, "oracle", key=KEY, max_retries=2, sleep=lambda seconds: None) as model:
        with pytest.raises(RequestFailed, match="after 3 requests: the connection failed"):
            model.answer(ASKED, POOL)
        assert model.spent.requests == 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("budget", [1, 17, 40])
def test_the_budget_is_never_passed_whatever_happens_at_once(seed: int, budget: int) -> None:
    pool = pool_of(*range(10, 60))
    questions = [Question(f"d{n}", f"d{n + 1}") for n in range(49)]
    plan = mix(seed, [*PASSING, *BROKEN, *UNREAD], share=0.5)
    with FaultyServer(plan) as server, model_at(server, limits=Limits(max_requests=budget), max_retries=30, max_unparsable=30) as model:
        with pytest.raises(LimitReached, match=f"max_requests = {budget} is reached .{budget} requests") as caught:
            model.answer_many(questions, pool)
        assert server.count == model.spent.requests == caught.value.spent.requests == budget


def test_limits_of_tokens_and_money_stop_the_asking() -> None:
    for limits in (Limits(max_tokens=330), Limits(max_cost=3.3, price_in=1e4, price_out=1e4)):  # a reply is 110 tokens; they cost 1.1
        with FaultyServer() as server, model_at(server, limits=limits) as model:
            for n in range(3):
                model.answer(Question(f"d{n}", f"d{n + 1}"), pool_of(1, 2, 3, 4, 5))
            with pytest.raises(LimitReached, match=r"3 requests, 300 tokens read, 30 written"):
                model.answer(Question("d3", "d4"), pool_of(1, 2, 3, 4, 5))
            assert server.count == 3


def top_k(pool: Pool, k: int, ask: Callable[[Question], str]) -> list[str]:
    """Plain insertion: each document goes up past all that it beats."""
    best: list[str] = []
    for item in pool.items:
        place = len(best)
        while place > 0 and ask(Question(item, best[place - 1])) == "left":
            place -= 1
        best.insert(place, item)
        del best[k:]
    return best


WORTHS = [44, 12, 91, 38, 67, 25, 83, 59, 16, 72, 30, 55]
TOP = [f"d{WORTHS.index(worth)}" for worth in sorted(WORTHS, reverse=True)[:5]]


@pytest.mark.parametrize("seed", range(6))
def test_a_sort_through_a_mix_of_faults_ends_right_or_stops_and_goes_on(seed: int, tmp_path: Path) -> None:
    pool = pool_of(*WORTHS)
    plan = mix(seed, [*PASSING, *BROKEN, *UNREAD, "prose", "400"], share=0.4)
    answered: set[str] = set()
    for runs in itertools.count(1):
        assert runs < 40
        settings = {"limits": Limits(max_requests=15), "max_retries": 6, "max_unparsable": 12, "cache": tmp_path / "replies.sqlite"}
        with FaultyServer(plan) as server, model_at(server, **settings) as model:
            try:
                best = top_k(pool, 5, lambda question: model.answer(question, pool).answer)
            except (LimitReached, RequestFailed) as error:
                best, stopped = [], str(error)
            assert server.count == model.spent.requests <= 15
            assert best or "goes on from there" in stopped
        assert not answered & set(server.asked)
        answered |= set(server.answered)
        if best:
            break
    assert best == TOP
    assert runs > 1  # at least 11 questions are asked, and 4 of 10 requests fail: one budget is not enough


@pytest.mark.parametrize("seed", range(2))
def test_a_sort_with_servers_that_stall_ends_right_within_its_budget(seed: int) -> None:
    pool = pool_of(*WORTHS)
    plan = mix(seed, [*WAITED_OUT, *PASSING], share=0.3)
    with FaultyServer(plan) as server, model_at(server, timeout=0.15, limits=Limits(max_requests=400), max_retries=100) as model:
        assert top_k(pool, 5, lambda question: model.answer(question, pool).answer) == TOP
        assert server.count <= model.spent.requests <= 400


def words_of(error: BaseException) -> str:
    """All that an error and those behind it say, with what their frames hold below the test's own."""
    words, here = [], Path(__file__).name
    chain: list[BaseException | None] = [error]
    while chain:
        if (one := chain.pop()) is not None:
            words += [str(one), repr(one), repr(one.args), repr(vars(one)), repr(getattr(one, "__notes__", ""))]
            stack = traceback.StackSummary.extract(traceback.walk_tb(one.__traceback__), capture_locals=True)
            words += [repr(frame.locals) for frame in stack if not frame.filename.endswith(here)]
            chain += [one.__cause__, one.__context__]
    return "\n".join(words)


SENT_BACK = [name for name in FAULTS if name.startswith("key ")]


@pytest.mark.parametrize(
    "fault", ["401 echo", "500 echo", "200 echo", "silence", "reset", "garbage", "redirect", "unsure", "429", *SENT_BACK]
)
def test_the_key_is_sent_and_seen_nowhere_else(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("PODIUM_TEST_KEY", f"{KEY}\n")
    seen = []
    timeout = 0.2 if fault == "silence" else 20.0
    settings = {"key": None, "key_variable": "PODIUM_TEST_KEY", "max_retries": 1, "timeout": timeout, "cache": tmp_path / "replies.sqlite"}
    with FaultyServer([fault] * 9) as server, model_at(server, **settings) as model:
        try:
            reply = model.answer(ASKED, POOL)
            seen += [repr(reply), repr(reply.to_event("now"))]
        except PodiumError as error:
            seen.append(words_of(error))
        seen += [repr(model), repr(vars(model)), repr(vars(model._service.client))]
        seen += [path.read_bytes().decode("latin-1") for path in tmp_path.iterdir()]
    seen += [caplog.text, *map(str, caplog.records), *capfd.readouterr()]
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert "HTTP Request: POST" in caplog.text or fault in ("silence", "reset")  # the log was on
    for text in seen:
        assert KEY not in text
        assert KEY.replace("/", "%2F").replace("+", "%2B") not in text
        assert KEY[:7] not in text.lower()  # nor in another case, nor its half
        assert "u0073" not in text  # nor its first letter in JSON's escapes
    assert fault not in SENT_BACK or "***" in seen[0]
    assert fault not in ("401 echo", "500 echo") or "unknown key Bearer ***" in seen[0]


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(DataError, match="must not carry a user or a password") as caught:
        LanguageModel(f"http://user:{KEY}@127.0.0.1/v1", "m")
    assert KEY not in str(caught.value) + repr(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("key", [f"{KEY} {KEY}", f"{KEY}\r\nX-Evil: 1", f"{KEY}é"])
def test_a_key_that_cannot_stand_in_a_header_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(DataError, match="one word of printable ASCII") as caught:
        Secret(key)
    assert KEY not in str(caught.value)


def test_no_key_is_sent_if_there_is_none_and_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FaultyServer(["ok", "403"]) as server, model_at(server, key=None) as model:
        assert model.answer(ASKED, POOL).answer == "right"
        with pytest.raises(RequestFailed, match=r"403 Forbidden.*no key was sent: is its environment variable set"):
            model.answer(ASKED, POOL)
    assert [headers.get("Authorization") for headers in server.headers] == [None, None]


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with FaultyServer() as server, model_at(server) as model:
        assert model.answer(ASKED, POOL).answer == "right"


def test_a_redirect_is_not_followed() -> None:
    with FaultyServer(["redirect"]) as server, model_at(server) as model:
        with pytest.raises(RequestFailed, match="a redirect, which is not followed"):
            model.answer(ASKED, POOL)
        assert server.paths == ["/v1/chat/completions"]


def test_a_stand_in_for_a_key_does_not_garble_replies() -> None:
    with FaultyServer() as server, model_at(server, key="answer") as model:
        assert model.answer(ASKED, POOL).answer == "right"
