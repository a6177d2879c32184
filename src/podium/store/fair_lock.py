"""A lock that is had in the order in which it was asked for."""

from __future__ import annotations

import threading
from collections import deque

__all__ = ["FairLock"]


class FairLock:
    """First come, first served: whoever lets go hands over to the one who has waited longest.

    A :class:`threading.Lock` goes to whoever happens to run, so that under load a thread may wait for ever. A thread that has the lock
    and asks for it again would wait for itself: that is a mistake of ours, and an ``AssertionError``.

    >>> lock = FairLock()
    >>> lock.acquire(seconds=1.0)
    True
    >>> lock.release()
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()  # of what follows, and held for moments only
        self._owner: int | None = None
        self._waiting: deque[tuple[threading.Lock, int]] = deque()  # what each sleeps on, and which thread it is

    def acquire(self, *, seconds: float) -> bool:
        """Wait for the lock; false if it could not be had in time."""
        me = threading.get_ident()
        assert self._owner != me, "this thread is writing already: finish one transaction, then begin the next"
        turn = threading.Lock()
        turn.acquire()
        try:
            if self._take_or_queue(turn, me) or turn.acquire(timeout=max(0.0, min(seconds, threading.TIMEOUT_MAX))):
                return True
            return not self._leave(turn, me)  # it may have been handed over at the last moment
        except BaseException:  # as of Ctrl-C, which may come anywhere
            if not self._leave(turn, me) and self._owner == me:
                self.release()
            raise

    def _take_or_queue(self, turn: threading.Lock, me: int) -> bool:
        with self._guard:
            if self._owner is None:
                self._owner = me
                return True
            self._waiting.append((turn, me))
            return False

    def _leave(self, turn: threading.Lock, me: int) -> bool:
        """Leave the queue; false if one does not stand in it (any more)."""
        with self._guard:
            if (turn, me) not in self._waiting:
                return False
            self._waiting.remove((turn, me))
            return True

    def release(self) -> None:
        with self._guard:
            assert self._owner is not None, "nobody has the lock"
            if self._waiting:
                turn, self._owner = self._waiting.popleft()
                turn.release()
            else:
                self._owner = None
