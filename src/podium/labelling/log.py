"""The log of a task: events in the order they came. Nothing is removed; undo, redo and corrections are events, and decide what stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from podium.errors import DataError
from podium.labelling.questions import Event

__all__ = ["Log", "standing", "standing_by_number"]

_UNDOABLE = {"undo": ("answer", "skip", "correct"), "redo": ("undo",)}
_STANDING = ("answer", "skip")
_SAME = ("action", "left", "right", "answer", "assessor", "target")


def _cancelled(events: Sequence[Event]) -> set[int]:
    """The numbers, from 1, of the events that were undone and not redone."""
    cancelled: set[int] = set()
    for event in events:
        assert event.action not in _UNDOABLE or event.target is not None
        if event.action == "undo":
            cancelled.add(event.target or 0)
        elif event.action == "redo":
            cancelled.discard(events[(event.target or 0) - 1].target or 0)
    return cancelled


def _corrections(events: Sequence[Event], cancelled: set[int]) -> dict[int, int]:
    """The number of the correction that stands for an answer, by the answer's; of several the last."""
    corrections = ((number, event) for number, event in enumerate(events, start=1) if event.action == "correct")
    return {event.target or 0: number for number, event in corrections if number not in cancelled}


def standing_by_number(events: Sequence[Event], *, as_said: bool = False) -> dict[int, tuple[Event, int | None]]:
    """What :func:`standing` gives, by its numbers in the log, each with the number of the correction that it was changed by, if any."""
    cancelled = _cancelled(events)
    corrections = {} if as_said else _corrections(events, cancelled)
    found: dict[int, tuple[Event, int | None]] = {}
    for number, event in enumerate(events, start=1):
        if event.action in _STANDING and number not in cancelled:
            by = corrections.get(number)
            found[number] = (event if by is None else replace(event, answer=events[by - 1].answer), by)
    return found


def standing(events: Sequence[Event], *, as_said: bool = False) -> Iterator[Event]:
    """The answers and skips that were not taken back, in order; corrected answers as corrected, or ``as_said`` by their assessors.

    A corrected answer keeps its place, its assessor and its time: only what it says is another.

    >>> said = [Event("answer", "a", "b", "left"), Event("answer", "a", "c", "tie"), Event("undo", target=1)]
    >>> [event.answer for event in standing(said)]
    ['tie']
    >>> said = [Event("answer", "a", "b", "left"), Event("correct", "a", "b", "right", target=1, assessor="lead")]
    >>> [event.answer for event in standing(said)], [event.answer for event in standing(said, as_said=True)]
    (['right'], ['left'])
    """
    return (event for event, _ in standing_by_number(events, as_said=as_said).values())


class Log:
    """Events that can be appended to and read; a key is recorded once."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._numbers: dict[str, int] = {}  # of the events with a key

    def __len__(self) -> int:
        return len(self.events)

    def copy(self) -> Log:
        """The same events in a log apart."""
        other = Log()
        other.events, other._numbers = list(self.events), dict(self._numbers)
        return other

    def append(self, event: Event) -> int:
        """Add an event and return its number."""
        self.events.append(event)
        if event.key:
            self._numbers[event.key] = len(self.events)
        return len(self.events)

    def number_of_key(self, key: str) -> int | None:
        """The number of the event with this key."""
        return self._numbers.get(key) if key else None

    def number_of(self, event: Event) -> int | None:
        """The number under which the key of this event was recorded; refused if the key then stood for something else."""
        number = self.number_of_key(event.key)
        if number is None:
            return None
        recorded = self.events[number - 1]
        if any(getattr(event, name) != getattr(recorded, name) for name in _SAME):
            raise DataError(f"key {event.key!r} was used for another event (number {number}); to change an answer, undo it")
        return number

    def check_target(self, event: Event) -> None:
        """Refuse an undo of what does not stand, is another's or was corrected by another, and a redo of what was not undone last."""
        can_be = self.undoable(event.assessor) if event.action == "undo" else self.redoable(event.assessor)[-1:]
        if event.target not in can_be:
            kinds, number = "answer, skip or correction" if event.action == "undo" else "undo", len(self.events) + 1
            who = event.assessor or "this assessor"
            raise DataError(f"event {number} cannot {event.action} event {event.target}, which is no {kinds} that {who} could take back")
        if event.action == "undo" and (other := self._corrected_by(event.target or 0)) not in (None, event.assessor):
            raise DataError(f"this answer (event {event.target}) was corrected by {other or 'another'} and cannot be taken back any more")

    def _corrected_by(self, number: int) -> str | None:
        """Whose correction stands for an answer, if one does."""
        correction = _corrections(self.events, _cancelled(self.events)).get(number)
        return None if correction is None else self.events[correction - 1].assessor

    def check_correction(self, event: Event) -> None:
        """Refuse to correct what is no answer, was taken back, or is about other documents."""
        number, target = len(self.events) + 1, event.target or 0
        corrected = self.events[target - 1] if 0 < target < number else None
        if corrected is None or corrected.action != "answer" or target in _cancelled(self.events):
            raise DataError(f"event {number} cannot correct event {event.target}, which is no answer that stands")
        if (event.left, event.right) != (corrected.left, corrected.right):
            raise DataError(
                f"event {number} corrects event {target} and must be about the same documents on the same sides, {corrected.left!r} and "
                f"{corrected.right!r}, got {event.left!r} and {event.right!r}"
            )

    def undoable(self, assessor: str) -> list[int]:
        """The numbers of this assessor's answers, skips and corrections that stand, oldest first."""
        cancelled = _cancelled(self.events)
        own = (
            number for number, event in enumerate(self.events, start=1) if event.assessor == assessor and event.action in _UNDOABLE["undo"]
        )
        return [number for number in own if number not in cancelled]

    def redoable(self, assessor: str) -> list[int]:
        """The numbers of this assessor's undo events since when they neither answered nor skipped, and which were not redone."""
        undos: list[int] = []
        for number, event in enumerate(self.events, start=1):
            if event.assessor != assessor:
                continue
            if event.action == "undo":
                undos.append(number)
            elif event.action == "redo":
                undos.remove(event.target or 0)
            else:
                undos.clear()
        return undos
