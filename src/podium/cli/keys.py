"""A terminal taken over: single keys with a time-out, so that a clock can tick while one reads, and a screen of its own.

However the program is left, suspended (Ctrl-Z) or ended (SIGTERM), the terminal is first put back as it was; when the program goes on, it
takes the terminal again and says so by the key ``continue``.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["ReadKey", "raw_keys"]

ReadKey = Callable[[float], str | None]  # waits so many seconds; None if no key was pressed

_NAMES = {"\x1b[D": "left", "\x1bOD": "left", "\x1b[C": "right", "\x1bOC": "right", "\x1b[A": "up", "\x1bOA": "up",
          "\x1b[B": "down", "\x1bOB": "down", "\x1b[5~": "up", "\x1b[6~": "down", " ": "space", "\r": "enter", "\n": "enter",
          "\x1b": "escape"}  # fmt: skip
_ENTER = b"\x1b[?1049h\x1b[?25l"  # a screen of its own, so that what was there comes back; no cursor
_LEAVE = b"\x1b[?25h\x1b[?1049l"


class _Terminal:
    """Standard input and output, taken over and given back; the handlers of signals call it, so it writes past Python's buffers."""

    def __init__(self) -> None:
        import termios

        self.keys, self.screen = sys.stdin.fileno(), sys.stdout.fileno()
        self._before = termios.tcgetattr(self.keys)
        self.was_away = False

    def enter(self) -> None:
        import tty

        _again_if_interrupted(lambda: tty.setcbreak(self.keys))  # Ctrl-C still interrupts
        os.write(self.screen, _ENTER)

    def leave(self) -> None:
        import termios

        with contextlib.suppress(OSError, termios.error):  # a terminal that has gone needs nothing
            os.write(self.screen, _LEAVE)
            _again_if_interrupted(lambda: termios.tcsetattr(self.keys, termios.TCSADRAIN, self._before))

    def read(self, seconds: float) -> str | None:
        ready, _, _ = select.select([self.keys], [], [], seconds)
        if self.was_away:
            self.was_away = False
            return "continue"
        if not ready:
            return None
        pressed = os.read(self.keys, 16).decode(errors="replace")
        if not pressed:
            raise EOFError  # the terminal has gone
        return _NAMES.get(pressed, pressed[0] if pressed[0] != "\x1b" else "")

    def end(self, number: int, _: FrameType | None = None) -> None:
        """Leave, then let the signal do what it does to any program: end it, or stop it here until it goes on."""
        self.leave()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def suspend(self, number: int, _: FrameType | None = None) -> None:
        self.end(number)
        signal.signal(number, self.suspend)
        self.resume()  # here too: where there is no job control nothing stops, and no SIGCONT comes

    def resume(self, *_: object) -> None:
        self.enter()
        self.was_away = True


def _again_if_interrupted(act: Callable[[], object]) -> None:
    """A program put on in the background is stopped when it touches the modes, and finds itself interrupted in the foreground."""
    import termios

    while True:
        try:
            act()
            return
        except termios.error as error:
            if error.args[0] != errno.EINTR:
                raise


@contextlib.contextmanager
def raw_keys() -> Iterator[ReadKey]:
    """Keys of standard input as they are pressed; the terminal is put back as it was, whatever happens."""
    terminal = _Terminal()
    wanted: dict[signal.Signals, Callable[[int, FrameType | None], None]] = {
        signal.SIGTSTP: terminal.suspend,
        signal.SIGCONT: terminal.resume,
        signal.SIGTERM: terminal.end,
    }
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        terminal.enter()
        yield terminal.read
    finally:
        terminal.leave()
        for number, handler in before.items():
            signal.signal(number, handler)
