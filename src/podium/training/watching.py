"""Watching a training: every step is seen here, the best is kept, and this says when to stop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from podium import measures
from podium.dataset import Dataset
from podium.errors import DataError
from podium.ragged import Floats
from podium.scorers import Scorer

__all__ = ["Callback", "Step", "Validation", "Watch"]


@final
@dataclass(frozen=True)
class Step:
    """What is known after an iteration."""

    iteration: int
    objective: float  # mean loss and penalty
    gradient_norm: float  # NaN where the method does not know it
    validation: float | None  # the measure on the validation queries; None if there are none, or nobody asks (no patience, no callback)
    is_best: bool  # whether this is the model to keep so far
    gap: float = float("nan")  # how far the objective may be above its minimum, as a share of it; NaN where the method does not know


Callback = Callable[[Step], object]  # called after every iteration; a true result ends the training


@final
@dataclass(frozen=True)
class Validation:
    """Queries that choose among models, and the measure by which."""

    data: Dataset
    measure: str = "ndcg@10"

    def __post_init__(self) -> None:
        measures.get(self.measure)
        if self.data.n_queries == 0:
            raise DataError("the validation data has no queries")

    def value(self, scorer: Scorer) -> float:
        return self.value_of(scorer.scores(self.data.features, self.data.offsets))

    def value_of(self, scores: Floats) -> float:
        return measures.mean(measures.evaluate([self.measure], scores, self.data.labels, self.data.offsets)[self.measure])

    @property
    def larger_is_better(self) -> bool:
        return measures.get(self.measure).entry.larger_is_better


@final
@dataclass
class Watch:
    """Keeps the best model seen: the one of least objective; with ``patience``, the best on validation.

    ``patience`` is the number of steps without a better one after which training stops; without it, validation is measured only.
    """

    scorer: Callable[[Floats], Scorer]
    validation: Validation | None = None
    patience: int | None = None
    callback: Callback | None = None
    history: list[Step] = field(default_factory=list)
    best: Step | None = None
    weights: Floats = field(default_factory=lambda: np.empty(0))  # those of the best step, or what its scorer is made from
    stopped: str = ""  # why it ended
    bound: float = float("nan")  # what no model's objective can go below, where the method knows

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """An interrupt (Ctrl-C) in here ends the training like a last step, unless nothing was seen yet."""
        try:
            yield
        except KeyboardInterrupt:
            self.stopped = "interrupt"
            if self.best is None:
                raise

    @property
    def is_validating(self) -> bool:
        """Whether validation is measured at every step; else only the last matters, and its caller measures it."""
        return self.validation is not None and (self.patience is not None or self.callback is not None)

    def see(
        self,
        weights: Floats,
        objective: float,
        gradient_norm: float = float("nan"),
        gap: float = float("nan"),
        scores: Floats | None = None,
    ) -> bool:
        """Take note of an iteration's outcome; true if it should be the last. ``scores``: of validation rows, if they are known already."""
        found = None
        if self.validation is not None and self.is_validating:
            found = self.validation.value(self.scorer(weights)) if scores is None else self.validation.value_of(scores)
        step = Step(len(self.history), objective, gradient_norm, found, self._is_better(objective, found), gap)
        self.history.append(step)
        if step.is_best:
            self.best, self.weights = step, weights.copy()
        assert self.best is not None
        if self.callback is not None and self.callback(step):
            self.stopped = "callback"
        elif self.patience is not None and step.iteration - self.best.iteration >= self.patience:
            self.stopped = "patience"
        return bool(self.stopped)

    def _is_better(self, objective: float, found: float | None) -> bool:
        if self.best is None:
            return True
        if self.patience is not None and self.validation is not None and found is not None and self.best.validation is not None:
            if np.isnan(self.best.validation):
                return not np.isnan(found)
            return found > self.best.validation if self.validation.larger_is_better else found < self.best.validation
        return bool(objective < self.best.objective or (np.isnan(self.best.objective) and not np.isnan(objective)))

    def _validated(self) -> float | None:
        """The kept model's measure on validation; None where no query has one."""
        found = None if self.validation is None else self.validation.value(self.scorer(self.weights))
        return None if found is None or np.isnan(found) else found

    def summary(self) -> dict[str, Any]:
        """What to write beside the model; nothing that differs from run to run."""
        if self.best is None:
            return {"iterations": 0, "stopped": self.stopped}
        facts: dict[str, Any] = {
            "iterations": self.history[-1].iteration,
            "chosen_iteration": self.best.iteration,
            "objective": self.best.objective if np.isfinite(self.best.objective) else None,
            "stopped": self.stopped,
        }
        if np.isfinite(self.best.gradient_norm):
            facts["gradient_norm"] = self.best.gradient_norm
        if np.isfinite(self.bound) and np.isfinite(self.best.objective):
            bound = min(self.bound, self.best.objective)
            facts |= {"bound": bound, "gap": (self.best.objective - bound) / max(self.best.objective, 1e-300)}
        if self.validation is not None:
            facts |= {"validation_measure": self.validation.measure, "validation": self._validated()}
        return facts
