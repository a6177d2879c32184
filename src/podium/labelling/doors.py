"""The door of a task: what its maker may ask for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.errors import DataError, UnknownName
from podium.labelling.table import Entry

if TYPE_CHECKING:
    from podium.labelling.task import TopK

__all__ = ["best_first", "check_settings", "checked_options"]


def check_settings(task: TopK) -> None:
    """Refuse settings that make no sense, whatever the strategy."""
    for name in ("k", "repeats"):
        value = getattr(task, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise DataError(f"{name} must be a whole number of 1 or more, got {value!r}")
    for name, seed in (("seed", task.seed), ("sides", 0 if task.sides is None else task.sides)):
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise DataError(f"{name} must be a whole number of 0 or more, got {seed!r}")
    if wrong := [item for item in task.items if not isinstance(item, str) or not item]:
        raise DataError(f"items must be ids, that is text which is not empty, got {wrong[0]!r}")
    if twice := [item for item, count in Counter(task.items).items() if count > 1]:
        raise DataError(f"item {twice[0]!r} occurs twice; each may be labelled once")
    if task.repeats > 1 and task.entry.is_repeating:
        raise DataError(f"{task.strategy} asks again where it pays; leave repeats at 1, or choose a sorting strategy")
    names = [grade for grade in task.grades if isinstance(grade, str) and grade]
    if len(set(names)) < max(len(task.grades), 2):
        raise DataError(f"grades must be two or more different names, worst first, got {', '.join(map(repr, task.grades))}")


def checked_options(strategy: str, entry: Entry, given: Mapping[str, Any]) -> dict[str, Any]:
    """The strategy's own options, those not given at their defaults."""
    for name in given:
        if name not in entry.options:
            raise UnknownName(f"option of {strategy}", name, entry.options)
    return {name: option.checked(name, given.get(name, option.default)) for name, option in entry.options.items()}


def best_first(prior: Sequence[str] | Mapping[str, float], items: Sequence[str]) -> tuple[str, ...]:
    """A prior order as items best first, whether it came so or as a score for each."""
    if isinstance(prior, Mapping) and (wrong := [item for item, score in prior.items() if not math.isfinite(score)]):
        raise DataError(f"the prior score of {wrong[0]!r} must be a finite number, got {prior[wrong[0]]!r}")
    order = sorted(prior, key=lambda item: -prior[item]) if isinstance(prior, Mapping) else list(prior)
    if unknown := [item for item in order if item not in set(items)]:
        raise DataError(f"the prior order names {unknown[0]!r}, which is not among the items")
    if twice := [item for item, count in Counter(order).items() if count > 1]:
        raise DataError(f"the prior order names {twice[0]!r} twice")
    return tuple(order)
