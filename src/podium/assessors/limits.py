"""Limits: how much a language model may be asked, how fast, and what was spent."""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass

from podium.assessors.llm_waiting import pause
from podium.errors import DataError, PodiumError

__all__ = ["LimitReached", "Limits", "Meter", "Spent"]


class LimitReached(PodiumError):
    """A limit stands in the way of the next request; what was spent is in ``spent``."""

    def __init__(self, message: str, spent: Spent) -> None:
        self.message, self.spent = message, spent
        super().__init__(message, spent)

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Limits:
    """What may be spent by one :class:`Meter`; None is no limit.

    ``max_requests`` counts every request sent, retries too, and is never passed. Tokens and money are known when a reply has come, so the
    requests already under way then may go over ``max_tokens`` and ``max_cost``: at most one for each thread. A request that failed counts
    as a request and not as tokens, since nobody says what it took. Prices are for a million tokens, in any currency.
    """

    max_requests: int | None = None
    max_tokens: int | None = None  # read and written together
    max_cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0
    requests_per_minute: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_requests", "max_tokens", "max_cost", "price_in", "price_out"):
            value = getattr(self, name)
            if value is not None and not (value >= 0 and math.isfinite(value)):
                raise DataError(f"{name} must be 0 or more, got {value!r}")
        rate = self.requests_per_minute
        if rate is not None and not (rate > 0 and math.isfinite(rate)):
            raise DataError(f"requests_per_minute must be above 0, got {rate!r}")
        if self.max_cost is not None and self.price_in == self.price_out == 0:
            raise DataError("max_cost needs prices: give price_in and price_out, for a million tokens")


@dataclass(frozen=True)
class Spent:
    """What was spent so far.

    >>> print(Spent(requests=3, tokens_in=2000, tokens_out=100, cost=0.0051))
    3 requests, 2000 tokens read, 100 written, cost 0.0051
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def __str__(self) -> str:
        return f"{self.requests} requests, {self.tokens_in} tokens read, {self.tokens_out} written, cost {self.cost:.4g}"


class Meter:
    """Counts what is spent against the limits; for any number of threads.

    >>> meter = Meter(Limits(max_requests=1))
    >>> meter.begin()
    >>> meter.end(tokens_in=120, tokens_out=8)
    >>> meter.begin()
    Traceback (most recent call last):
    podium.assessors.limits.LimitReached: max_requests = 1 is reached (1 requests, 120 tokens read, 8 written, cost 0); ...
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] | None = None) -> None:
        self.limits = limits
        self._clock, self._sleep = clock, sleep
        self._lock = threading.Lock()
        self._requests = self._tokens_in = self._tokens_out = 0
        self._next = -math.inf  # when the next request may be sent
        self._returned: list[float] = []  # a heap of turns before that, given back

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        with self._lock:
            return self._spent()

    def _spent(self) -> Spent:
        cost = (self._tokens_in * self.limits.price_in + self._tokens_out * self.limits.price_out) / 1e6
        return Spent(self._requests, self._tokens_in, self._tokens_out, cost)

    def begin(self, stop: threading.Event | None = None) -> None:
        """Take one request from the budget and wait until it may be sent; :class:`LimitReached` if there is none left.

        If ``stop`` is set meanwhile, the request and its turn are given back, and CancelledError is raised.
        """
        stop = stop or threading.Event()
        with self._lock:
            self._check(self._spent())
            self._requests += 1
            turn, wait = self._reserve()
        if wait > 0:  # outside the lock: others may reserve their turns meanwhile
            pause(wait, stop, self._sleep)
            if stop.is_set():
                self._give_back(turn)
                raise CancelledError

    def end(self, tokens_in: int, tokens_out: int) -> None:
        """Enter what a reply cost."""
        with self._lock:
            self._tokens_in += tokens_in
            self._tokens_out += tokens_out

    def _check(self, spent: Spent) -> None:
        used = {"max_requests": spent.requests, "max_tokens": spent.tokens_in + spent.tokens_out, "max_cost": spent.cost}
        for name, value in used.items():
            limit = getattr(self.limits, name)
            if limit is not None and value >= limit:
                raise LimitReached(
                    f"{name} = {limit} is reached ({spent}); answers recorded or cached are kept: raise the limit or run again, "
                    "and it goes on from there",
                    spent,
                )

    def _reserve(self) -> tuple[float, float]:
        """This request's turn, and the seconds until then: turns are evenly spread over the minute; those given back are used first."""
        if self.limits.requests_per_minute is None:
            return 0.0, 0.0
        now = self._clock()
        while self._returned:
            if (turn := heapq.heappop(self._returned)) >= now:
                return turn, turn - now
        turn = max(now, self._next)
        self._next = turn + 60.0 / self.limits.requests_per_minute
        return turn, turn - now

    def _give_back(self, turn: float) -> None:
        with self._lock:
            self._requests -= 1
            heapq.heappush(self._returned, turn)
