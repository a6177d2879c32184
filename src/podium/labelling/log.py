"""The log of a task: events in the order they came. Nothing is removed; undo and redo are events too, and decide which others stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podium.errors import DataError
from podium.labelling.questions import Event

__all__ = ["Log", "standing"]

_UNDOABLE = {"undo": ("answer", "skip"), "redo": ("undo",)}
_SAME = ("action", "left", "right", "answer", "assessor")


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


def standing(events: Sequence[Event]) -> Iterator[Event]:
    """The answers and skips that were not taken back, in order.

    >>> said = [Event("answer", "a", "b", "left"), Event("answer", "a", "c", "tie"), Event("undo", target=1)]
    >>> [event.answer for event in standing(said)]
    ['tie']
    """
    cancelled = _cancelled(events)
    for number, event in enumerate(events, start=1):
        if event.action in _UNDOABLE["undo"] and number not in cancelled:
            yield event


class Log:
    """Events that can be appended to and read; a key is recorded once."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._numbers: dict[str, int] = {}  # of the events with a key

    def __len__(self) -> int:
        return len(self.events)

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
        """Refuse an undo of what does not stand or is another's, and a redo of what the assessor did not undo last."""
        can_be = self.undoable(event.assessor) if event.action == "undo" else self.redoable(event.assessor)[-1:]
        if event.target not in can_be:
            kinds, number = " or ".join(_UNDOABLE[event.action]), len(self.events) + 1
            who = event.assessor or "this assessor"
            raise DataError(f"event {number} cannot {event.action} event {event.target}, which is no {kinds} that {who} could take back")

    def undoable(self, assessor: str) -> list[int]:
        """The numbers of this assessor's answers and skips that stand, oldest first."""
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
