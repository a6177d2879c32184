"""How long a judgment took: what a browser says, as far as it can be true."""

from __future__ import annotations

from dataclasses import dataclass

from podium.errors import DataError

__all__ = ["Times", "checked_times"]

_LONGEST = 366 * 86400.0  # a question that was open for longer was forgotten
_SLACK = 2.0  # seconds by which the two clocks may differ


@dataclass(frozen=True)
class Times:
    """Seconds that an assessor looked, had stopped the clock, and did not seem to be there; ``None`` if nobody says."""

    seconds: float | None = None
    paused: float | None = None
    idle: float | None = None

    def within(self, wall: float) -> Times:
        """No more than what passed by our own clock since the question was put; what is too much is cut, first from ``seconds``.

        >>> Times(seconds=9.0, paused=1.0, idle=2.0).within(wall=6.0)
        Times(seconds=5.0, paused=1.0, idle=2.0)
        """
        left = max(wall, 0.0) + _SLACK
        kept = {}
        for name in ("paused", "idle", "seconds"):
            value = getattr(self, name)
            kept[name] = None if value is None else min(value, left)
            left -= kept[name] or 0.0
        return Times(**kept)


def checked_times(seconds: object, paused: object, idle: object) -> Times:
    """The times, if they are numbers that can be times."""
    return Times(_checked("seconds", seconds), _checked("paused", paused), _checked("idle", idle))


def _checked(what: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _LONGEST:  # which NaN is not
        return float(value)
    raise DataError(f"{what} must be a number between 0 and {_LONGEST:.0f}, got {value!r}")
