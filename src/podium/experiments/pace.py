"""How far a run is, and about how long it still takes; a ledger keeps count and tells the watcher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from podium.experiments.trials import Trial

__all__ = ["Ledger", "Progress", "Watcher", "seconds_left", "time_told"]


@final
@dataclass(frozen=True)
class Progress:
    """A moment of a run."""

    done: int  # trials, those found in the cache too
    total: int
    found: int  # in the cache
    last: str = ""  # the trial that ended last; what is running, only the workers know
    seconds_left: float = float("nan")  # an estimate; NaN before anything is known


Watcher = Callable[[Progress], object]


def seconds_left(waiting: Mapping[str, int], seconds: Mapping[str, Sequence[float]], jobs: int) -> float:
    """About how long the waiting trials take, by what trials of the same arm took, else by what any took; cached ones cost nothing.

    No more jobs than trials can run.

    >>> seconds_left({"a": 3, "b": 2}, {"a": [1.0, 3.0]}, jobs=2)
    5.0
    """
    known = {arm: sum(took) / len(took) for arm, took in seconds.items() if took}
    if not known:
        return 0.0 if not any(waiting.values()) else float("nan")
    usual = sum(map(sum, seconds.values())) / sum(map(len, seconds.values()))
    return sum(count * known.get(arm, usual) for arm, count in waiting.items()) / max(1, min(jobs, sum(waiting.values())))


def time_told(seconds: float) -> str:
    """A time as people say it.

    >>> time_told(4.2), time_told(75), time_told(3700), time_told(float("nan"))
    ('4 s', '1 min 15 s', '1 h 1 min', '?')
    """
    if seconds != seconds:
        return "?"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


@final
@dataclass
class Ledger:
    """What is done and what waits: trials by their key."""

    trials: Mapping[str, Trial]
    jobs: int
    watcher: Watcher | None = None
    found: set[str] = field(default_factory=set)  # in the cache, before anything was trained
    trained: set[str] = field(default_factory=set)
    seconds: dict[str, list[float]] = field(default_factory=dict)  # by arm

    def __post_init__(self) -> None:
        self.waiting = Counter(trial.arm.name for trial in self.trials.values())

    def missing(self) -> list[str]:
        """What is neither found nor trained."""
        done = self.found | self.trained
        return [key for key in self.trials if key not in done]

    def find(self, key: str, seconds: float) -> None:
        self.found.add(key)
        self._note(key, seconds)

    def end(self, key: str, seconds: float | None) -> None:
        """``None``: another process is at it, and we have not waited."""
        if seconds is not None:
            self.trained.add(key)
            self._note(key, seconds)
            self.tell(str(self.trials[key]))

    def _note(self, key: str, seconds: float) -> None:
        arm = self.trials[key].arm.name
        self.waiting[arm] -= 1
        self.seconds.setdefault(arm, []).append(seconds)

    def tell(self, last: str = "") -> None:
        if self.watcher is not None:
            left = seconds_left(self.waiting, self.seconds, self.jobs)
            self.watcher(Progress(len(self.found) + len(self.trained), len(self.trials), len(self.found), last, left))
