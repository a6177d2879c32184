"""Single keys from a terminal, with a time-out, so that a clock can tick while one reads."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator

__all__ = ["ReadKey", "raw_keys"]

ReadKey = Callable[[float], str | None]  # waits so many seconds; None if no key was pressed

_NAMES = {"\x1b[D": "left", "\x1bOD": "left", "\x1b[C": "right", "\x1bOC": "right", "\x1b[A": "up", "\x1bOA": "up",
          "\x1b[B": "down", "\x1bOB": "down", "\x1b[5~": "up", "\x1b[6~": "down", " ": "space", "\r": "enter", "\n": "enter",
          "\x1b": "escape"}  # fmt: skip


@contextlib.contextmanager
def raw_keys() -> Iterator[ReadKey]:
    """Keys of standard input as they are pressed; the terminal is put back as it was, whatever happens."""
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    tty.setcbreak(handle)  # Ctrl-C still interrupts

    def read(seconds: float) -> str | None:
        ready, _, _ = select.select([handle], [], [], seconds)
        if not ready:
            return None
        pressed = os.read(handle, 16).decode(errors="replace")
        if not pressed:
            raise EOFError  # the terminal has gone
        return _NAMES.get(pressed, pressed[0] if pressed[0] != "\x1b" else "")

    try:
        yield read
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
