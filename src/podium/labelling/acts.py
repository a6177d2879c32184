"""What each assessor did in a task: answers that stand, as they were said; skips, answers taken back, and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from podium.labelling.log import standing
from podium.labelling.questions import Event
from podium.labelling.study_facts import JudgedTask

__all__ = ["Acts", "acts_of", "name_of"]


@dataclass(frozen=True)
class Acts:
    """What one assessor did in one task."""

    task: JudgedTask
    assessor: str
    role: str
    answers: tuple[Event, ...]  # that stand, as said
    corrected: int  # of those, now something else
    skips: int  # that stand
    taken_back: int  # answers
    spent: tuple[Event, ...]  # every answer and skip, also those taken back: the time went by

    @property
    def is_model(self) -> bool:
        return self.role == "model"


def name_of(event: Event) -> tuple[str, str]:
    """Who did it, and in what role; a model without a name goes by that of the model itself."""
    if event.role != "model":
        return event.assessor, event.role
    return event.assessor or event.model or "model", event.role


def _by_name(events: Iterable[Event]) -> dict[tuple[str, str], list[Event]]:
    found: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        found.setdefault(name_of(event), []).append(event)
    return found


def acts_of(task: JudgedTask) -> Iterator[Acts]:
    """One entry for each who answered or skipped in the task, in order of appearance."""
    said, now = list(standing(task.events, as_said=True)), list(standing(task.events))
    changed = _by_name(event for event, other in zip(said, now, strict=True) if event.answer != other.answer)
    stands = _by_name(said)
    for name, spent in _by_name(event for event in task.events if event.action in ("answer", "skip")).items():
        own = stands.get(name, [])
        answers = tuple(event for event in own if event.action == "answer")
        yield Acts(
            task, *name, answers, len(changed.get(name, [])), len(own) - len(answers), _answers(spent) - len(answers), tuple(spent)
        )  # fmt: skip


def _answers(events: Sequence[Event]) -> int:
    return sum(event.action == "answer" for event in events)
