"""What is asked and what is answered: questions, and the events of which a task's log is made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from podium.errors import DataError

__all__ = ["ACTIONS", "ANSWERS", "GRADES", "ROLES", "STAGES", "Event", "Question"]

ANSWERS = {  # what may be said of a pair
    "left": "the left document is better",
    "right": "the right document is better",
    "tie": "neither is better",
    "bad": "both are bad: neither deserves a place in the top k",
}
GRADES = ("Bad", "Fair", "Good", "Excellent", "Perfect")  # worst first
STAGES = {  # why a pair is asked
    "triage": "two newcomers meet: which is worth a place at all",
    "boundary": "a newcomer meets the last of the top k",
    "order": "the order within the top k",
    "repeat": "a pair whose answer tells most is asked, perhaps again",
    "grade": "one document gets a grade",
}
ROLES = ("person", "model", "oracle", "recorded")  # what kind of assessor; people and models are never mixed silently
ACTIONS = ("answer", "skip", "undo", "redo", "correct")


@dataclass(frozen=True)
class Question:
    """Which of two documents is better; or, if there is no right one, what grade does the left one deserve."""

    left: str
    right: str | None = None
    stage: str = "order"

    @property
    def pair(self) -> tuple[str, str]:
        """The two documents, whatever their sides; of a question for a grade, the one document twice."""
        other = self.left if self.right is None else self.right
        return (self.left, other) if self.left <= other else (other, self.left)


@dataclass(frozen=True)
class Event:
    """One entry of a task's log. Nothing is ever removed from a log: an undo is an event that names the event it cancels.

    ``left`` and ``right`` are what was shown on which side; ``seconds`` ran while the assessor looked, ``paused`` while the
    clock was stopped, ``idle`` while nobody seemed to be there. A correction, too, is an event: it names an answer, of any assessor, and
    says what stands in its place.
    ``key`` marks one act of one assessor: the same key sent twice is recorded once. A model also says its name, and the name and
    hash of its prompt.
    """

    action: str = "answer"
    left: str | None = None
    right: str | None = None
    answer: str | None = None
    target: int | None = None  # the number, from 1, of the event that an undo, a redo or a correction is about
    assessor: str = ""
    role: str = "person"
    at: str = ""  # when, ISO 8601 in UTC
    seconds: float | None = None
    paused: float | None = None
    stage: str = ""
    strategy: str = ""  # name and version, as heap/1
    key: str = ""
    model: str = ""
    prompt: str = ""
    prompt_hash: str = ""
    idle: float | None = None

    def __post_init__(self) -> None:
        for name, value, known in (("action", self.action, ACTIONS), ("role", self.role, ROLES)):
            if value not in known:
                raise DataError(f"{name} of an event must be one of {', '.join(known)}, got {value!r}")
        for name in ("seconds", "paused", "idle"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and 0 <= value < math.inf):
                raise DataError(f"{name} of an event must be a number of 0 or more, got {value!r}")
        if self.action == "answer" and (self.left is None or self.answer is None):
            raise DataError("an answer must say what was shown and what was answered")

    @property
    def question(self) -> Question:
        """What was asked."""
        assert self.left is not None
        return Question(self.left, self.right, self.stage or "order")

    def to_dict(self) -> dict[str, Any]:
        """What it says, without what it leaves open: one line of a JSONL log."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Event:
        """The event that :meth:`to_dict` wrote; checked, as it may come from a file.

        >>> Event.from_dict({"left": "a", "right": "b", "answer": "left"}).question.pair
        ('a', 'b')
        """
        kinds = {field.name: str(field.type) for field in fields(cls)}
        for name, value in values.items():
            if name not in kinds:
                raise DataError(f"unknown field {name!r} of an event; choose from {', '.join(kinds)}")
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf
            is_right = (
                is_number and ("float" in kinds[name] or isinstance(value, int)) if "str" not in kinds[name] else isinstance(value, str)
            )
            if not is_right:
                raise DataError(f"field {name!r} of an event must be {kinds[name].removesuffix(' | None')}, got {value!r}")
        return cls(**values)
