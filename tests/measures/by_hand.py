"""One query, told by what was found: for values worked by hand."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest

from podium.measures import get

approx = functools.partial(pytest.approx, rel=1e-12, abs=1e-15)


def value_of(name: str, found: Sequence[float], not_found: Sequence[float] = ()) -> float:
    """The measure's value for documents with the labels ``found``, in the order of their ranks, and others that were not retrieved."""
    scores = [*range(len(found), 0, -1), *(-np.inf for _ in not_found)]
    return float(get(name)(scores, [*found, *not_found], [0, len(scores)])[0])
