"""How often one may ask: token buckets in memory, by session or token, by address for those who have none that is good, and for guesses.

Each process counts for itself: with several workers the limits are as many times as high.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Bucket", "Limits", "Rates"]


@dataclass(frozen=True)
class Limits:
    """How much is taken from outside. Sizes are in bytes, rates in requests a second."""

    body: int = 1_000_000
    queries: int = 32_000_000
    upload: int = 100_000_000
    files: int = 10_000
    rate: float = 50.0
    burst: int = 300
    address_rate: float = 10.0
    address_burst: int = 200
    failures: int = 10  # guesses a minute and address


class Bucket:
    """Tokens by key, filled at ``rate`` a second up to ``burst``. The keys that were used last are kept, ``most`` of them.

    >>> moments = iter([0.0, 0.0, 0.0, 0.5])
    >>> bucket = Bucket(rate=2.0, burst=2, clock=lambda: next(moments))
    >>> [bucket.take("ann") for _ in range(4)]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, burst: int, *, most: int = 20_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._most, self._clock = rate, float(burst), most, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take one: 0 if there was one, otherwise the seconds until there is."""
        now = self._clock()
        with self._lock:
            level, then = self._levels.pop(key, (self._burst, now))
            level = min(self._burst, level + (now - then) * self._rate)
            is_there = level >= 1.0
            self._levels[key] = (level - 1.0 if is_there else level, now)
            if len(self._levels) > self._most:
                self._levels.popitem(last=False)
        return 0.0 if is_there else (1.0 - level) / self._rate

    def put_back(self, key: str) -> None:
        """Undo a take."""
        with self._lock:
            if key in self._levels:
                level, then = self._levels[key]
                self._levels[key] = (level + 1.0, then)

    def has(self, key: str) -> bool:
        with self._lock:
            return key in self._levels

    def forget(self, key: str) -> None:
        with self._lock:
            self._levels.pop(key, None)


class Rates:
    """The buckets of one server.

    A session or token has a bucket of its own once it was found good: whoever makes one up is known by the address, however many they make
    up, and puts nobody else's bucket out.
    """

    def __init__(self, limits: Limits) -> None:
        self._known = Bucket(limits.rate, limits.burst)
        self._unknown = Bucket(limits.address_rate, limits.address_burst)
        self._failures = Bucket(limits.failures / 60.0, limits.failures)

    def ask(self, credential: str, address: str) -> float:
        """Count a request: the seconds to wait, 0 if none. ``credential`` is what was shown with it, good or not."""
        return self._known.take(credential) if self._known.has(credential) else self._unknown.take(address)

    def is_good(self, credential: str, address: str) -> None:
        """What was shown is good: this request, and all from now on, are not the address's."""
        if not self._known.has(credential):
            self._unknown.put_back(address)
            self._known.take(credential)

    def is_bad(self, credential: str) -> None:
        """What was shown is not good, or not any more."""
        self._known.forget(credential)

    def guessed(self, address: str) -> float:
        """Count a guess at what lets one in: the seconds to wait, 0 while there were few."""
        return self._failures.take(address)
