"""A person at the terminal: shows questions, reads keys, keeps the time. Everything answered is recorded before the next question."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

from podium.cli.keys import ReadKey
from podium.cli.screen import page
from podium.errors import DataError
from podium.labelling.questions import Event, Question
from podium.pool import Pool

__all__ = ["KEYS", "Stopwatch", "Tool", "judge"]

KEYS = {  # what a key does; of pairs. Grades have the digits.
    "left": (("left", "a"), "← left is better"),
    "right": (("right", "d"), "→ right is better"),
    "tie": (("=", "t"), "= tie"),
    "bad": (("x", "b"), "x both bad"),
    "skip": (("s",), "s skip"),
    "undo": (("u",), "u undo"),
    "redo": (("r",), "r redo"),
    "pause": (("p",), "p pause"),
    "down": (("space", "down", "j"), ""),
    "up": (("up", "k"), ""),
    "quit": (("q", "escape"), "q quit"),
}
_ALWAYS = ("skip", "undo", "redo", "pause", "down", "up", "quit")
_STEP = 5  # lines a key scrolls


class Tool(Protocol):
    """What the loop needs of a task."""

    @property
    def answers(self) -> tuple[str, ...]: ...

    def ask(self, assessor: str = "", *, stages: Collection[str] | None = None) -> Question | None: ...

    def answer(self, answer: str, *, assessor: str = "", **details: Any) -> Event: ...

    def skip(self, *, assessor: str = "", **details: Any) -> Event: ...

    def undo(self, *, assessor: str = "") -> Event: ...

    def redo(self, *, assessor: str = "") -> Event: ...

    def about_left(self) -> int: ...


@dataclass
class Stopwatch:
    """Seconds that ran and seconds that were paused since it began."""

    clock: Callable[[], float] = time.monotonic
    is_paused: bool = False
    _spent: dict[bool, float] = field(default_factory=lambda: {False: 0.0, True: 0.0})

    def __post_init__(self) -> None:
        self._since = self.clock()

    def toggle(self) -> None:
        """Pause, or go on."""
        now = self.clock()
        self._spent[self.is_paused] += now - self._since
        self._since, self.is_paused = now, not self.is_paused

    def _read(self, paused: bool) -> float:
        return self._spent[paused] + (self.clock() - self._since if self.is_paused is paused else 0.0)

    @property
    def seconds(self) -> float:
        """Seconds that ran."""
        return self._read(paused=False)

    @property
    def paused(self) -> float:
        """Seconds that were paused."""
        return self._read(paused=True)


@dataclass
class Judging:
    """One person's sitting over one task."""

    tool: Tool
    pool: Pool
    assessor: str
    read_key: ReadKey
    write: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    clock: Callable[[], float] = time.monotonic
    stages: Collection[str] | None = None  # what the person is asked; the rest is left to others
    first: Callable[[], int] = lambda: 0  # whom else to ask before each question, such as a model; how many answers that gave
    given: int = 0
    said: str = ""

    def run(self) -> bool:
        """Ask until nothing is left (true) or the person stops (false)."""
        while True:
            answered = self.first()
            question = self.tool.ask(self.assessor, stages=self.stages)
            if question is None and not answered:
                return True
            if question is not None and not self._one(question):
                return False

    def _one(self, question: Question) -> bool:
        watch, scroll, beyond = Stopwatch(self.clock), 0, 0
        while True:
            if watch.is_paused:
                self.write(f"\n  Paused. The clock stands at {_time(watch.seconds)}; any key goes on.\n")
            else:
                text, beyond = page(self.pool, question, size=self.size(), scroll=scroll, status=self._status(watch), keys=self._keys())
                self.write(text)
            key = self.read_key(1.0)
            if key is None:
                continue
            if watch.is_paused:
                watch.toggle()
                continue
            action = self._action(key)
            if action == "pause":
                watch.toggle()
            elif action in ("down", "up"):
                scroll = min(max(scroll + (_STEP if action == "down" else -_STEP), 0), beyond)
            elif action == "quit":
                return False
            elif action is not None and self._act(action, watch):
                return True

    def _act(self, action: str, watch: Stopwatch) -> bool:
        """Record what was decided; false if there was nothing to record, and the question stays."""
        timed = {"seconds": round(watch.seconds, 3), "paused": round(watch.paused, 3)}
        try:
            if action in ("undo", "redo"):
                getattr(self.tool, action)(assessor=self.assessor)
            elif action == "skip":
                self.tool.skip(assessor=self.assessor, **timed)
            else:
                self.tool.answer(action, assessor=self.assessor, role="person", **timed)
                self.given += 1
        except DataError as error:
            self.said = str(error)
            return False
        self.said = f"{action} ({_time(watch.seconds)})"
        return True

    def _action(self, key: str) -> str | None:
        if self._grades and key.isdigit():
            return self._grades[int(key) - 1] if 0 < int(key) <= len(self._grades) else None
        offered = _ALWAYS if self._grades else (*self.tool.answers, *_ALWAYS)
        return next((action for action in offered if key in KEYS[action][0]), None)

    @property
    def _grades(self) -> tuple[str, ...]:
        return () if set(self.tool.answers) <= KEYS.keys() else self.tool.answers

    def _keys(self) -> list[str]:
        grades = [f"{number} {grade}" for number, grade in enumerate(self._grades, start=1)]
        offered = _ALWAYS if self._grades else (*self.tool.answers, *_ALWAYS)
        return [*grades, *(KEYS[action][1] for action in offered if KEYS[action][1])]

    def _status(self, watch: Stopwatch) -> str:
        last = f" · last: {self.said}" if self.said else ""
        return f"{_time(watch.seconds)} · {self.given} judged now, about {self.tool.about_left()} to go{last}"


def _time(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def judge(tool: Tool, pool: Pool, assessor: str, **sharing: Any) -> bool:
    """Let the person at this terminal judge, perhaps ``sharing`` the work (see :class:`Judging`); false if they stopped before the end."""
    import shutil
    import sys

    from podium.cli.keys import raw_keys

    def write(text: str) -> None:
        sys.stdout.write("\x1b[H\x1b[2J" + text.replace("\n", "\r\n"))
        sys.stdout.flush()

    def size() -> tuple[int, int]:
        found = shutil.get_terminal_size()
        return found.columns, found.lines

    sys.stdout.write("\x1b[?1049h\x1b[?25l")  # a screen of its own, so that what was there comes back; no cursor
    try:
        with raw_keys() as read_key:
            return Judging(tool, pool, assessor, read_key, write, size, **sharing).run()
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
