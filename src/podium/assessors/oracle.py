"""Oracles: judges who know what every document is worth, exactly or with the faults that people have."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from podium.errors import DataError
from podium.labelling.questions import Question

__all__ = ["Oracle", "noise_for_accuracy"]


@dataclass(frozen=True)
class Oracle:
    r"""Answers from the worth :math:`v` of every document, as if it saw them through noise.

    .. math:: d = v_{left} - v_{right} + \tau\,(\beta + L), \qquad L \sim \text{logistic}

    ``left`` if :math:`d` is above ``tie_width``, ``right`` if it is below minus that, else a tie. ``noise`` is :math:`\tau`; without ties
    and bias left wins with probability :math:`1 / (1 + e^{-(v_l - v_r)/\tau})`, the Bradley-Terry model, and 0 is exact. ``side_bias`` is
    :math:`\beta`, in logits towards the left. With probability ``error`` the answer is turned round, however clear the case. Two documents
    that are each worth less than ``bad_below`` are both bad, if that may be answered. Every answer is a function of the seed, the question
    and how often the pair was asked before, so that a run can be repeated, or resumed, answer by answer.

    >>> Oracle({"a": 2.0, "b": 1.0}).answer(Question("a", "b"))
    'left'
    """

    values: Mapping[str, float]
    noise: float = 0.0
    side_bias: float = 0.0
    error: float = 0.0
    tie_width: float = 0.0
    bad_below: float | None = None
    cuts: Sequence[float] = ()  # worth from which on the second, third, … grade is given
    seed: int = 0
    name: str = "oracle"

    role = "oracle"

    def __post_init__(self) -> None:
        for name in ("noise", "tie_width", "error"):
            if not 0 <= getattr(self, name) < math.inf:
                raise DataError(f"{name} of an oracle must be a number of 0 or more, got {getattr(self, name)!r}")
        if self.error > 1:
            raise DataError(f"error of an oracle is a probability, got {self.error!r}")
        if self.side_bias and not self.noise:
            raise DataError("side_bias is counted in logits of the noise; give the oracle some noise too")

    def answer(self, question: Question, *, answers: Sequence[str] = ("left", "right", "tie"), repeat: int = 0) -> str:
        """The answer to a question that was asked ``repeat`` times before."""
        if question.right is None:
            return self._grade(question.left, answers, repeat)
        left, right = self._worth(question.left), self._worth(question.right)
        if self.bad_below is not None and "bad" in answers and max(left, right) < self.bad_below:
            return "bad"
        seen = left - right + self.noise * (self.side_bias + _logistic(self._uniform("noise", question, repeat)))
        answer = "left" if seen > self.tie_width else "right" if seen < -self.tie_width else "tie"
        if self._uniform("error", question, repeat) >= self.error:
            return answer
        turned = {"left": "right", "right": "left"}
        return turned.get(answer) or ("left" if self._uniform("turn", question, repeat) < 0.5 else "right")

    def _worth(self, item: str) -> float:
        try:
            return self.values[item]
        except KeyError:
            raise DataError(f"the oracle does not know what {item!r} is worth; it knows {len(self.values)} documents") from None

    def _grade(self, item: str, grades: Sequence[str], repeat: int) -> str:
        if len(self.cuts) != len(grades) - 1:
            raise DataError(f"{len(grades)} grades need {len(grades) - 1} cuts between them, the oracle has {len(self.cuts)}")
        seen = self._worth(item) + self.noise * _logistic(self._uniform("noise", Question(item), repeat))
        return grades[sum(seen >= cut for cut in self.cuts)]

    def _uniform(self, purpose: str, question: Question, repeat: int) -> float:
        """A number between 0 and 1, neither included."""
        words = repr((self.seed, purpose, question.left, question.right, repeat)).encode()
        return (int.from_bytes(hashlib.blake2b(words, digest_size=8).digest()) + 0.5) / 2**64


def _logistic(uniform: float) -> float:
    return math.log(uniform) - math.log1p(-uniform)


def noise_for_accuracy(values: Sequence[float], accuracy: float) -> float:
    """The noise at which a Bradley-Terry judge is right in this share of all pairs of different worth, on average.

    >>> noise = noise_for_accuracy([0.0, 1.0], 0.9)
    >>> round(1 / (1 + math.exp(-1 / noise)), 6)
    0.9
    """
    if not 0.5 < accuracy < 1:
        raise DataError(f"accuracy must lie between 0.5 (guessing) and 1 (no noise), got {accuracy!r}")
    worth = np.asarray(values, dtype=float)
    gaps = np.abs(worth[:, None] - worth)[np.triu_indices(len(worth), 1)]
    gaps = gaps[gaps > 0]
    if not gaps.size:
        raise DataError("all documents are worth the same; nobody can be right about them")
    low, high = -40.0, 40.0  # of the logarithm of the noise, in units of the mean gap
    for _ in range(80):
        middle = (low + high) / 2
        mean = float(np.mean(1 / (1 + np.exp(-np.minimum(gaps / (gaps.mean() * math.exp(middle)), 700)))))
        low, high = (middle, high) if mean > accuracy else (low, middle)
    return float(gaps.mean() * math.exp(low))
