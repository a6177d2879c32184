"""How long to wait before a request is sent again, and waits that end when all is to stop."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

__all__ = ["backoff_seconds", "come_back", "pause", "retry_after_seconds"]

_YEAR = 365 * 86400.0


def pause(seconds: float, stop: threading.Event, sleep: Callable[[float], object] | None = None) -> None:
    """Wait, but not past ``stop``. A ``sleep`` that is given takes the place of the wait: tests need not be slow."""
    if not stop.is_set():
        (sleep or stop.wait)(seconds)


def backoff_seconds(retry: int, *, seed: object, first: float = 0.5, longest: float = 60.0) -> float:
    """Seconds before the given retry (from 1): doubling from ``first`` up to ``longest``, of which a random half to all is waited.

    The chance keeps many waiting threads from coming back at the same moment; it is fixed by the seed, whatever the threads' order.

    >>> [backoff_seconds(retry, seed=7) <= 0.5 * 2 ** (retry - 1) for retry in (1, 2, 3)]
    [True, True, True]
    """
    full = min(longest, first * 2.0 ** min(retry - 1, 60))
    return full * random.Random(f"{seed}/{retry}").uniform(0.5, 1.0)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """What a Retry-After header asks for: seconds, or a date; None if it cannot be read. The past is no wait (RFC 9110, 10.2.3).

    >>> now = datetime(2015, 10, 21, 7, 28, tzinfo=UTC)
    >>> retry_after_seconds("120", now), retry_after_seconds("Wed, 21 Oct 2015 07:28:30 GMT", now), retry_after_seconds("soon", now)
    (120.0, 30.0, None)
    """
    text = (header or "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, flags=re.ASCII):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def come_back(seconds: float, now: datetime) -> str:
    """When a server wants to be asked again, in words; more than a year is a year.

    >>> come_back(5400, datetime(2026, 3, 1, 23, 0, tzinfo=UTC))
    'in 90 minutes, at 2026-03-02 00:30 UTC'
    """
    wait = min(seconds, _YEAR)
    moment = (now + timedelta(seconds=wait + 59)).astimezone(UTC)  # with no seconds shown, rather too late than too early
    return f"in {-int(-wait // 60)} minutes, at {moment:%Y-%m-%d %H:%M} UTC"
