"""A task of a store as assessors use it: the same calls as on a task in memory, each committed before it returns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from podium.errors import DataError
from podium.labelling.questions import Event, Question
from podium.labelling.task import TopK
from podium.store.store import Asked, Store

__all__ = ["Desk"]


class Desk:
    """Asks and answers one task; keeps the tokens of the questions that are open here."""

    def __init__(self, store: Store, number: int) -> None:
        self._store, self.number = store, number
        self._open: dict[tuple[str, Question], Asked] = {}
        self._last: dict[tuple[str, int], Question] = {}  # by assessor and seat
        self._left: int | None = None  # a terminal asks for it every second
        self.answers = self._task.answers

    @property
    def _task(self) -> TopK:
        return self._store.task(self.number)

    @property
    def judgments(self) -> tuple[Event, ...]:
        """The answers that stand."""
        return self._task.judgments

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to ask."""
        return self._store.info(self.number).is_finished

    def about_left(self) -> int:
        """About how many judgments are still to come, by what was known at this desk's last call."""
        if self._left is None:
            self._left = self._store.about_left(self.number)
        return self._left

    def ask(self, assessor: str = "", *, seat: int = 0, stages: Collection[str] | None = None) -> Question | None:
        """The next question for this assessor; see :meth:`podium.labelling.TopK.ask`."""
        self._left = None
        asked = self._store.ask(self.number, assessor, seat=seat, stages=stages)
        if asked is None:
            return None
        self._open[assessor, asked.question] = asked
        self._last[assessor, seat] = asked.question
        return asked.question

    def release(self, assessor: str = "", seat: int | None = None) -> None:
        """Give back the assessor's open question, or those of all their seats; one that is named can still be answered."""
        self._store.release(self.number, assessor, seat=seat)
        for who, place in list(self._last):
            if who == assessor and seat in (None, place):
                del self._last[who, place]

    def answer(self, answer: str, *, assessor: str = "", question: Question | None = None, **details: Any) -> Event:
        """Answer the open question of the assessor's first seat, or the one named."""
        asked = self._asked(assessor, question)
        event = self._store.answer(self.number, asked.token, answer, assessor=assessor, **details)
        del self._open[assessor, asked.question]
        return event

    def skip(self, *, assessor: str = "", question: Question | None = None, **details: Any) -> Event:
        """Set the open question aside."""
        asked = self._asked(assessor, question)
        event = self._store.skip(self.number, asked.token, assessor=assessor, **details)
        del self._open[assessor, asked.question]
        return event

    def undo(self, *, assessor: str = "") -> Event:
        """Take back the assessor's last answer or skip."""
        self._left = None
        return self._store.undo(self.number, assessor=assessor)

    def redo(self, *, assessor: str = "") -> Event:
        """Take back the assessor's last undo."""
        self._left = None
        return self._store.redo(self.number, assessor=assessor)

    def _asked(self, assessor: str, question: Question | None) -> Asked:
        self._left = None
        question = question or self._last.get((assessor, 0))
        found = None if question is None else self._open.get((assessor, question))
        if found is None:
            raise DataError(f"nothing is open with {assessor or 'this assessor'}; call ask() first, or say which question is meant")
        return found
