"""Planning: every trial of an experiment, under the name by which the cache knows its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar, final

from podium.experiments.cache import key_of
from podium.experiments.data import digest
from podium.experiments.facts import Config
from podium.experiments.trials import Lesson, Part, Teaching, Trial, lay_out, lesson_of

__all__ = ["Plan", "plan", "with_lessons"]

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Plan:
    """A trial, its name in the cache, and the judgments that its lesson took. Those are not in the cache: equal labels may cost more."""

    trial: Trial
    key: str
    judgments: int | None


def plan(config: Config, parts: Mapping[str, Part]) -> list[Plan]:
    """All trials, in the order of the files. Digests are taken once a lesson, not once a setting: a lesson may have 100 MB."""
    trials, plans = lay_out(config, list(parts)), dict[int, Plan]()
    valis: dict[tuple[str, int], str] = {}
    for teaching, numbers in _grouped((number, trial.teaching) for number, trial in enumerate(trials)):
        lesson = lesson_of(parts[teaching[0]], config, trials[numbers[0]])
        place = (teaching[0], teaching[-1])  # validation queries are the same at all points of a curve
        if place not in valis:
            valis[place] = digest(lesson.vali)
        taught = digest(lesson.train)
        for number in numbers:
            key = key_of(trials[number], train=taught, vali=valis[place], measure=config.choose)
            plans[number] = Plan(trials[number], key, lesson.judgments)
    return [plans[number] for number in range(len(trials))]


def with_lessons(config: Config, parts: Mapping[str, Part], plans: Iterable[Plan]) -> Iterator[tuple[Plan, Lesson]]:
    """Each trial with its lesson, which is made once for all that share it, and only when its turn comes: all of them would fill memory."""
    for teaching, group in _grouped((one, one.trial.teaching) for one in plans):
        lesson = lesson_of(parts[teaching[0]], config, group[0].trial)
        yield from ((one, lesson) for one in group)


def _grouped(pairs: Iterable[tuple[T, Teaching]]) -> list[tuple[Teaching, list[T]]]:
    """Those with the same teaching together, in the order of the first of each."""
    found: dict[Teaching, list[T]] = {}
    for value, teaching in pairs:
        found.setdefault(teaching, []).append(value)
    return list(found.items())
