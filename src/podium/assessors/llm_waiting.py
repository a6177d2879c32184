"""How long to wait before a request is sent again."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["backoff_seconds", "retry_after_seconds"]


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
