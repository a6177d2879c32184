"""Facts of a check: what is claimed, on how many trials it was tried, and what broke it first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.losses import LossOutput, get
from podium.ragged import Floats

if TYPE_CHECKING:
    from podium.theory.survey import Cell

__all__ = ["Batch", "Bench", "Flags", "LossCall", "Outcome", "Statement", "exceeds", "numbers", "outcome"]

Flags = NDArray[np.bool_]
_SLACK = 1e-12  # of the sums' own size: they have at most 64 terms, each right to a few units in the 16th digit


class LossCall(Protocol):
    """Anything that says what scores cost: a loss of the library, or one that a test made wrong."""

    def __call__(self, scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike, /) -> LossOutput: ...


@final
@dataclass(frozen=True)
class Bench:
    """What checks work with: a seed, how many random trials, and where losses come from."""

    seed: int = 0
    trials: int = 4000
    loss: Callable[..., LossCall] = field(default=get, repr=False)

    def random(self, purpose: str) -> np.random.Generator:
        """Random numbers of a check's own, so that leaving one check out changes no other."""
        return np.random.default_rng([self.seed, *purpose.encode()])


@final
@dataclass(frozen=True)
class Batch:
    """Trials made together: which broke the claim, and how to tell of one that did."""

    is_broken: Flags
    tell: Callable[[int], str]
    is_random: bool = False


@final
@dataclass(frozen=True)
class Outcome:
    """What became of a claim. No counterexample: it held in every trial."""

    trials: int
    counterexample: str = ""
    remark: str = ""

    @property
    def holds(self) -> bool:
        return not self.counterexample


@final
@dataclass(frozen=True)
class Statement:
    """A claim and the function that tries it. ``reason``: why it is known to fail; one without is expected to hold."""

    id: str
    paper: str
    text: str
    check: Callable[[Bench, tuple[Cell, ...]], Outcome]
    reason: str = ""
    needs_cells: bool = False

    @property
    def is_known_to_hold(self) -> bool:
        return not self.reason


def exceeds(left: Floats, right: Floats) -> Flags:
    """Whether left is larger than right, by more than rounding."""
    return left > right + _SLACK * (np.abs(left) + np.abs(right))


def numbers(values: Iterable[float]) -> str:
    """Numbers as a counterexample shows them.

    >>> numbers([0.0, 0.25, 1 / 3])
    '(0, 0.25, 0.3333)'
    """
    return "(" + ", ".join(f"{value:.4g}" for value in np.asarray(values, dtype=float) + 0.0) + ")"


def outcome(batches: Iterable[Batch], remark: Callable[[float], str] = lambda _share: "") -> Outcome:
    """Count trials; the first that broke the claim is the counterexample, so batches come smallest first.

    ``remark`` is given the share of the random trials that broke it.
    """
    trials, example, tried, broken = 0, "", 0, 0
    for batch in batches:
        found = np.flatnonzero(batch.is_broken)
        trials += len(batch.is_broken)
        if batch.is_random:
            tried, broken = tried + len(batch.is_broken), broken + len(found)
        if len(found) and not example:
            example = batch.tell(int(found[0]))
    return Outcome(trials, example, remark(broken / tried) if tried else "")
