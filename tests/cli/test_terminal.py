"""A person's terminal itself: its modes and its screen, when the program ends, is ended, or is suspended and goes on."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

ENTER, LEAVE, SCREEN = "\x1b[?1049h", "\x1b[?1049l", "\x1b[H\x1b[2J"

JUDGE = """
from podium.cli.person import judge
from podium.labelling import TopK
from podium.pool import Document, Pool
pool = Pool("7", "wing flutter", tuple(Document(item, text="text of " + item) for item in "abcd"))
task = TopK(pool.items, k=2, strategy="heap")
is_done = judge(task, pool, "ann")
print("is done:", is_done, "answers:", len(task.log))
"""

# A shell in small: starts the program as a job, tells how it stopped, waits for a line, puts it on again.
SHELL = """
import os, signal, subprocess, sys, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = subprocess.Popen([sys.executable, "-c", sys.argv[1]], process_group=0)
os.tcsetpgrp(0, job.pid)
while True:
    _, status = os.waitpid(job.pid, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        print("job ended:", os.waitstatus_to_exitcode(status))
        break
    print("job stopped, lines are read whole:", bool(termios.tcgetattr(0)[3] & termios.ICANON), flush=True)
    input()
    os.tcsetpgrp(0, job.pid)
    os.kill(job.pid, signal.SIGCONT)
"""


class Watched:
    """A program at a pseudo-terminal, and everything it has written."""

    def __init__(self, process: int, terminal: int) -> None:
        self.process, self.terminal, self.seen = process, terminal, ""

    def await_text(self, text: str, *, after: int = 0) -> int:
        """Read until ``text`` is seen beyond a place; where it ends."""
        end = time.monotonic() + 60
        while text not in self.seen[after:]:
            assert time.monotonic() < end, f"{text!r} is not in {self.seen[after:]!r}"
            if select.select([self.terminal], [], [], 1.0)[0]:
                self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        return self.seen.index(text, after) + len(text)

    def press(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    @property
    def reads_whole_lines(self) -> bool:
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ICANON)


@contextmanager
def watched(*arguments: str) -> Iterator[Watched]:
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(COLUMNS="80", LINES="24", TERM="xterm")
        os.execv(sys.executable, [sys.executable, "-c", *arguments])
    try:
        yield Watched(process, terminal)
    finally:
        os.close(terminal)
        if os.waitpid(process, os.WNOHANG) == (0, 0):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def test_quitting_puts_the_terminal_back() -> None:
    with watched(JUDGE) as program:
        begun = program.await_text("to go")
        assert ENTER in program.seen
        assert not program.reads_whole_lines
        program.press(b"q")
        left = program.await_text(LEAVE, after=begun)
        program.await_text("is done: False answers: 0", after=left)
        assert program.reads_whole_lines


def test_a_terminated_program_puts_the_terminal_back_and_dies_of_the_signal() -> None:
    with watched(JUDGE) as program:
        begun = program.await_text("to go")
        os.kill(program.process, signal.SIGTERM)
        program.await_text(LEAVE, after=begun)
        deadline = time.monotonic() + 60
        while not (ended := os.waitid(os.P_PID, program.process, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert ended.si_status == signal.SIGTERM
        assert program.reads_whole_lines


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(times: int) -> None:
    with watched(SHELL, JUDGE) as program:
        place = program.await_text("to go")
        for _ in range(times):
            program.press(b"\x1a")
            left = program.await_text(LEAVE, after=place)
            told = program.await_text("job stopped, lines are read whole: True", after=left)
            program.press(b"\n")
            entered = program.await_text(ENTER, after=told)
            drawn = program.await_text(SCREEN, after=entered)
            place = program.await_text("to go", after=drawn)
            assert "text of" in program.seen[drawn:place]
            assert not program.reads_whole_lines
        program.press(b"a")
        program.await_text("1 judged now", after=place)
        program.press(b"q")
        program.await_text("is done: False answers: 1")
        program.await_text("job ended: 0")


def test_a_tick_leaves_the_screen_alone() -> None:
    with watched(JUDGE) as program:
        begun = program.await_text("to go")
        ticked = program.await_text("\r\x1b[2K0:0", after=begun)
        program.await_text("to go", after=ticked)
        assert SCREEN not in program.seen[begun:]
