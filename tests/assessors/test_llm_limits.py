from __future__ import annotations

import math
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from podium.assessors.limits import LimitReached, Limits, Meter, Spent
from podium.assessors.llm_secret import Secret
from podium.assessors.llm_waiting import backoff_seconds, retry_after_seconds
from podium.errors import DataError


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_tokens_and_money_are_added_up_and_stop_the_next_request() -> None:
    meter = Meter(Limits(max_cost=0.01, price_in=2.0, price_out=10.0))
    for _ in range(2):
        meter.begin()
        meter.end(tokens_in=1000, tokens_out=300)
    # 2 requests of (1000 * 2 + 300 * 10) / 1e6 = 0.005 each
    assert meter.spent == Spent(2, 2000, 600, (2000 * 2.0 + 600 * 10.0) / 1e6)
    with pytest.raises(
        LimitReached, match=r"max_cost = 0.01 is reached \(2 requests, 2000 tokens read, 600 written, cost 0.01\).*goes on"
    ) as caught:
        meter.begin()
    assert caught.value.spent == meter.spent
    assert meter.spent.requests == 2


def test_tokens_read_and_written_count_together() -> None:
    meter = Meter(Limits(max_tokens=110))
    meter.begin()
    meter.end(100, 9)
    meter.begin()
    meter.end(0, 1)
    with pytest.raises(LimitReached, match="max_tokens = 110"):
        meter.begin()


def test_the_budget_of_requests_is_exact_among_threads() -> None:
    meter = Meter(Limits(max_requests=100))

    def take(_: int) -> bool:
        try:
            meter.begin()
        except LimitReached:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(take, range(300))) == 100
    assert meter.spent.requests == 100


def test_a_budget_of_nothing_allows_nothing() -> None:
    with pytest.raises(LimitReached, match="max_requests = 0"):
        Meter(Limits(max_requests=0)).begin()


def test_requests_are_spread_over_the_minute() -> None:
    clock = Clock()
    meter = Meter(Limits(requests_per_minute=30), clock, clock.sleep)
    for _ in range(3):
        meter.begin()
    assert clock.slept == [2.0, 2.0]  # 60 / 30 seconds apart, the first at once
    clock.now += 60
    meter.begin()
    meter.begin()
    assert clock.slept == [2.0, 2.0, 2.0]  # time that went by unused allows no burst


def test_threads_that_wait_have_turns_of_their_own() -> None:
    clock = Clock()
    slept: list[float] = []
    meter = Meter(Limits(requests_per_minute=60), clock, slept.append)  # the clock stands still: all come at the same moment
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: meter.begin(), range(4)))
    assert sorted(slept) == [1.0, 2.0, 3.0]


def test_a_request_that_is_stopped_before_its_turn_is_given_back_and_its_turn_goes_to_the_next() -> None:
    clock, stop = Clock(), threading.Event()
    waits: list[float] = []
    meter = Meter(Limits(requests_per_minute=60, max_requests=3), clock, waits.append)  # the clock stands still
    meter.begin()
    stop.set()
    with pytest.raises(CancelledError):
        meter.begin(stop)
    assert (meter.spent.requests, waits) == (1, [])
    meter.begin()
    meter.begin()
    assert (meter.spent.requests, waits) == (3, [1.0, 2.0])


def test_a_turn_given_back_is_not_used_once_it_has_gone_by() -> None:
    clock, stop = Clock(), threading.Event()
    meter = Meter(Limits(requests_per_minute=60), clock, clock.sleep)
    meter.begin()
    stop.set()
    for _ in range(2):  # the turns at 1 s; the second takes what the first gave back
        with pytest.raises(CancelledError):
            meter.begin(stop)
    clock.now += 1.5
    meter.begin()
    meter.begin()
    assert clock.slept == [0.5, 1.0]  # at 2 s and 3 s


@pytest.mark.parametrize(
    "form", ['sk-0/+"9x', 'SK-0/+"9X', "sk-0%2F%2B%229x", "sk-0%252f+%2522" + "9x", 'sk-0\\/+\\"9x', "sk-0\\\\/+&quot;9x"]
)
def test_a_key_is_taken_out_however_it_is_written(form: str) -> None:
    assert Secret('sk-0/+"9x').scrub(f"<{form}>") == "<***>"
    assert Secret('sk-0/+"9x').scrub(f"<{form[:-1]}>") == f"<{form[:-1]}>"  # a part is not the key


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_requests": -1}, "max_requests must be 0 or more, got -1"),
        ({"max_cost": math.nan, "price_in": 1.0}, "max_cost"),
        ({"requests_per_minute": 0}, "requests_per_minute must be above 0"),
        ({"max_cost": 5.0}, "needs prices"),
    ],
)
def test_limits_that_make_no_sense_are_refused(settings: dict[str, float], words: str) -> None:
    with pytest.raises(DataError, match=words):
        Limits(**settings)  # type: ignore[arg-type]


def test_waits_double_up_to_the_longest_and_differ_by_chance_that_the_seed_fixes() -> None:
    for retry, full in enumerate([0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0], start=1):
        waits = [backoff_seconds(retry, seed=seed, longest=10.0) for seed in range(50)]
        assert full / 2 <= min(waits) < 0.6 * full
        assert 0.9 * full < max(waits) <= full
        assert waits == [backoff_seconds(retry, seed=seed, longest=10.0) for seed in range(50)]
    assert backoff_seconds(5000, seed=0) <= 60.0


@pytest.mark.parametrize("text", ["", "soon", "-5", "nan", "inf", "1e9", "٣", "Wed, 99 Oct 2015", None])
def test_a_retry_after_that_cannot_be_read_is_none(text: str | None) -> None:
    assert retry_after_seconds(text, datetime.now(UTC)) is None


def test_a_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after_seconds(" 1.5 ", now) == 1.5
    assert retry_after_seconds(format_datetime(now + timedelta(seconds=90), usegmt=True), now) == 90.0
    assert retry_after_seconds(format_datetime(now - timedelta(seconds=90), usegmt=True), now) == 0.0
