"""One query of a loss, for values worked by hand."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import log

import numpy as np
import pytest

from podium.losses import LossOutput, get

approx = functools.partial(pytest.approx, rel=1e-12, abs=1e-14)
LN2, LN3, LN4, LN5 = log(2), log(3), log(4), log(5)


def output(name: str, scores: Sequence[float], labels: Sequence[float], **settings: float) -> LossOutput:
    return get(name, **settings)(scores, labels, [0, len(scores)])


def cost(name: str, scores: Sequence[float], labels: Sequence[float], **settings: float) -> float:
    return float(output(name, scores, labels, **settings).per_query[0])


def slope(name: str, scores: Sequence[float], labels: Sequence[float], **settings: float) -> list[float]:
    return output(name, scores, labels, **settings).gradient.tolist()


def bend(name: str, scores: Sequence[float], labels: Sequence[float], **settings: float) -> list[float]:
    return output(name, scores, labels, **settings).curvature.tolist()


def random_query(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and labels that are a full order."""
    random = np.random.default_rng(seed)
    return random.normal(size=n), random.permutation(n).astype(float)
