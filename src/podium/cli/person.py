"""A person at the terminal: shows questions, reads keys, keeps the time. Everything answered is recorded before the next question."""

from __future__ import annotations

import string
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from podium.cli.keys import ReadKey
from podium.cli.screen import cut, page, wrap
from podium.errors import DataError
from podium.labelling.questions import Event, Question
from podium.pool import Pool

__all__ = ["GRADE_KEYS", "KEYS", "Stopwatch", "Tool", "judge", "meanings"]

KEYS = {  # what a key does; of pairs. Grades have GRADE_KEYS.
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
GRADE_KEYS = "123456789" + "".join(letter for letter in string.ascii_lowercase if not any(letter in KEYS[action][0] for action in _ALWAYS))


class Tool(Protocol):
    """What the loop needs of a task."""

    @property
    def answers(self) -> tuple[str, ...]: ...

    @property
    def judgments(self) -> tuple[Event, ...]: ...

    @property
    def is_finished(self) -> bool: ...

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

    def set_aside(self, seconds: float) -> None:
        """Count the last so many seconds as paused: nobody was there."""
        if not self.is_paused:
            self._spent[False] -= seconds
            self._spent[True] += seconds

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


def meanings(question: Question, answers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """What each key does while this question is shown: an action, and the answer if it is one. Grades may be named like anything.

    >>> meanings(Question("d1"), ["Bad", "Good"])["2"]
    ('answer', 'Good')
    """
    if question.right is None and len(answers) > len(GRADE_KEYS):
        raise DataError(f"at most {len(GRADE_KEYS)} grades have a key at the terminal, this task has {len(answers)}; use fewer")
    commands = {key: (action, "") for action in _ALWAYS for key in KEYS[action][0]}
    if question.right is None:
        return commands | {key: ("answer", grade) for key, grade in zip(GRADE_KEYS, answers, strict=False)}
    return commands | {key: ("answer", answer) for answer in answers for key in KEYS[answer][0]}


def _legend(question: Question, answers: Sequence[str]) -> list[str]:
    if question.right is None:
        said = [f"{key} {grade}" for key, grade in zip(GRADE_KEYS, answers, strict=False)]
    else:
        said = [KEYS[answer][1] for answer in answers]
    return [*said, *(KEYS[action][1] for action in _ALWAYS if KEYS[action][1])]


@dataclass
class Judging:
    """One person's sitting over one task."""

    tool: Tool
    pool: Pool
    assessor: str
    read_key: ReadKey
    write: Callable[[str], None]  # shows a whole screen
    rewrite: Callable[[str], None]  # shows a new last line, the status, and leaves the rest of the screen as it is
    size: Callable[[], tuple[int, int]]
    clock: Callable[[], float] = time.monotonic
    stages: Collection[str] | None = None  # what the person is asked; the rest is left to others
    first: Callable[[], int] = lambda: 0  # whom else to ask before each question, such as a model; how many answers that gave
    given: int = 0
    said: str = ""
    refused: str = ""  # why the last act could not be done

    def run(self) -> bool:
        """Ask until nothing is left (true) or the person stops (false)."""
        while True:
            answered = self.first()
            question = self.tool.ask(self.assessor, stages=self.stages)
            if question is not None:
                if not self._one(question):
                    return False
            elif not answered and not self._takes_back():
                return True

    def _one(self, question: Question) -> bool:
        """Show a question until it is dealt with (true) or the person stops (false)."""
        watch, scroll, beyond = Stopwatch(self.clock), 0, 0
        does, shown = meanings(question, self.tool.answers), None
        while True:
            look = (self.size(), scroll, watch.is_paused)
            if look != shown:
                beyond = self._show(question, watch, scroll)
            elif not watch.is_paused:
                self.rewrite(cut(self._status(watch), look[0][0]))
            shown, since = look, self.clock()
            key = self.read_key(1.0)
            if key == "continue":  # the program was suspended, and its screen is gone
                watch.set_aside(self.clock() - since)
                shown = None
                continue
            action, answer = does.get(key or "", ("", ""))
            if action == "quit":
                return False
            if key is not None and (watch.is_paused or action == "pause"):
                watch.toggle()
            elif action in ("down", "up"):
                scroll = min(max(scroll + (_STEP if action == "down" else -_STEP), 0), beyond)
            elif action and self._act(action, answer, watch):
                return True

    def _show(self, question: Question, watch: Stopwatch, scroll: int) -> int:
        if watch.is_paused:
            self.write(self._note(f"Paused. The clock stands at {_time(watch.seconds)}; q quits, any other key goes on."))
            return scroll
        keys = _legend(question, self.tool.answers)
        text, beyond = page(self.pool, question, size=self.size(), scroll=scroll, status=self._status(watch), keys=keys)
        self.write(text)
        return beyond

    def _note(self, text: str) -> str:
        return "\n".join(["", *wrap(text, max(self.size()[0], 1))])

    def _takes_back(self) -> bool:
        """Nothing is left: whether the person undoes the last answer. Not asked if they have given none."""
        if not self.given:
            return False
        number = len(self.tool.judgments)
        judged = f"{number} judgment{'' if number == 1 else 's'}"
        state = f"finished: {judged}" if self.tool.is_finished else f"waiting for others: {judged} so far"
        while True:
            said = f"Query {self.pool.query_id} is {state}. u undo, any other key goes on."
            self.write(self._note(f"{self.refused}\n{said}" if self.refused else said))
            while (key := self.read_key(1.0)) is None:
                pass
            if key in KEYS["undo"][0]:
                if self._act("undo", "", Stopwatch(self.clock)):
                    return True
            elif key != "continue":
                return False

    def _act(self, action: str, answer: str, watch: Stopwatch) -> bool:
        """Record what was decided; false if there was nothing to take back, and the question stays."""
        timed = {"seconds": round(watch.seconds, 3), "paused": round(watch.paused, 3)}
        self.refused = ""
        try:
            if action in ("undo", "redo"):
                getattr(self.tool, action)(assessor=self.assessor)
            elif action == "skip":
                self.tool.skip(assessor=self.assessor, **timed)
            else:
                self.tool.answer(answer, assessor=self.assessor, role="person", **timed)
                self.given += 1
        except DataError as error:
            self.refused = str(error)
            return action not in ("undo", "redo")  # the question is no longer ours, say answered at another terminal: ask anew
        self.said = f"{answer or action} ({_time(watch.seconds)})"
        return True

    def _status(self, watch: Stopwatch) -> str:
        if self.refused:
            return f"{_time(watch.seconds)} · {self.refused}"
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

    def rewrite(status: str) -> None:  # the cursor is still in the last line
        sys.stdout.write(f"\r\x1b[2K{status}")
        sys.stdout.flush()

    def size() -> tuple[int, int]:
        found = shutil.get_terminal_size()
        return found.columns, found.lines

    with raw_keys() as read_key:
        return Judging(tool, pool, assessor, read_key, write, rewrite, size, **sharing).run()
