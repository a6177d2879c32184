"""Recorded people: what somebody once said of a pair is said again when a strategy asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podium.errors import DataError
from podium.labelling.questions import Question

if TYPE_CHECKING:
    from podium.sources.recorded import RecordedPairs

__all__ = ["Recorded"]


@dataclass(frozen=True)
class Recorded:
    """Answers from recorded judgments of pairs.

    ``which`` is one of the recorded answers by its number, their ``majority`` (none: a tie), or ``in turn``: the first time a pair is asked
    its first answer, the second time its second, as if another person had come.

    >>> import numpy as np
    >>> from podium.sources.recorded import RecordedPairs
    >>> said = RecordedPairs("cats", ("a", "b"), np.array([[0, 1]]), np.array([[-1, 1, 2]], np.int8))
    >>> [Recorded(said, which).answer(Question("b", "a")) for which in (0, 1, "majority")]
    ['right', 'left', 'left']
    """

    pairs: RecordedPairs
    which: int | Literal["majority", "in turn"] = "majority"
    name: str = "recorded"

    role = "recorded"

    def __post_init__(self) -> None:
        if not (self.which in ("majority", "in turn") or (isinstance(self.which, int) and 0 <= self.which < self.pairs.n_answers)):
            raise DataError(f"which must be 'majority', 'in turn' or a number below {self.pairs.n_answers}, got {self.which!r}")

    def answer(self, question: Question, *, answers: Sequence[str] = ("left", "right", "tie"), repeat: int = 0) -> str:
        """What was said of this pair, seen from the sides of the question."""
        if question.right is None:
            raise DataError(f"only pairs were recorded, and a grade of {question.left!r} is asked; choose a strategy that asks pairs")
        if self.which == "majority":
            return self.pairs.majority(question.left, question.right)
        which = repeat % self.pairs.n_answers if self.which == "in turn" else int(self.which)
        return self.pairs.answer(question.left, question.right, which)
