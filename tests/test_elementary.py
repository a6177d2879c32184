"""Exponentials and logarithms of our own, against mpmath: within two units of the last place where their docstrings say so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import mpmath
import numba
import numpy as np
import pytest

from podium import elementary
from podium.ragged import Floats

TINY, LARGEST = np.finfo(float).tiny, np.finfo(float).max
RANDOM = np.random.default_rng(0)


@numba.njit(error_model="numpy")
def _apply(function, numbers):  # type: ignore[no-untyped-def]
    """In a loop that the compiler turns into vectors, as kernels do."""
    found = np.empty(len(numbers))
    for i in range(len(numbers)):
        found[i] = function(numbers[i])
    return found


def units_off(found: Floats, numbers: Floats, exact: Callable[[mpmath.mpf], mpmath.mpf]) -> float:
    """The largest distance to the true values, in units of their last place."""
    with mpmath.workdps(40):
        return max(
            float(abs(mpmath.mpf(float(value)) - (true := exact(mpmath.mpf(float(number))))) / math.ulp(float(true)))
            for value, number in zip(found, numbers, strict=True)
        )


def neighbours(numbers: Iterable[float]) -> Floats:
    """The numbers with the doubles next to them."""
    line = np.array(list(numbers))
    return np.concatenate([np.nextafter(line, -np.inf), line, np.nextafter(line, np.inf)])


EXP = {
    "dense": np.linspace(-707.999, 709, 4001),
    "around 0": np.concatenate([np.linspace(-1, 1, 2001), [1e-300, -1e-300, 1e-17, -1e-17, TINY]]),
    "where the power of two changes": neighbours((n + 0.5) * math.log(2) for n in range(-1020, 1022, 7)),
    "ends": np.array([709.0, np.nextafter(-708.0, 0.0)]),
}
LOG = {
    "all powers of ten": 10 ** RANDOM.uniform(-307.6, 308.2, 3000),
    "around 1": np.concatenate(
        [np.linspace(0.5, 2.0, 3001), neighbours([1.0]), 1 + 2.0 ** -np.arange(1, 53), 1 - 2.0 ** -np.arange(2, 53)]
    ),
    "powers of two": neighbours(2.0 ** np.arange(-1021.0, 1023.0, 5)),
    "where the power of two changes": neighbours(math.sqrt(0.5) * 2.0 ** np.arange(-1000.0, 1000.0, 50)),
    "ends": np.array([2.3e-308, TINY, LARGEST]),
}
LOG1P = {
    "all powers of ten": 10 ** RANDOM.uniform(-300, 308.2, 3000),
    "around 1": np.concatenate([np.linspace(0.001, 3.0, 3001), neighbours([1.0, math.sqrt(2) - 1, 2 * math.sqrt(2) - 1])]),
    "small": 10 ** RANDOM.uniform(-20, 0, 3000),
    "powers of two": neighbours(2.0 ** np.arange(-1000.0, 1023.0, 5)),
    "ends": np.array([TINY, 2.0**53, 2.0**53 + 2, LARGEST]),
}


@pytest.mark.parametrize("kind", EXP)
def test_exp_is_within_two_units_of_the_last_place(kind: str) -> None:
    assert units_off(_apply(elementary.exp, EXP[kind]), EXP[kind], mpmath.exp) < 2


@pytest.mark.parametrize("kind", LOG)
def test_log_is_within_two_units_of_the_last_place(kind: str) -> None:
    assert units_off(_apply(elementary.log, LOG[kind]), LOG[kind], mpmath.log) < 2


@pytest.mark.parametrize("kind", LOG1P)
def test_log1p_is_within_two_units_of_the_last_place(kind: str) -> None:
    def exact(x: mpmath.mpf) -> mpmath.mpf:
        with mpmath.workdps(380):  # 1 + 1e-300 keeps 80 digits of the small part
            return mpmath.log(1 + x) if x > 1e-30 else x - x * x / 2

    assert units_off(_apply(elementary.log1p, LOG1P[kind]), LOG1P[kind], exact) < 2


def test_exp_of_what_has_no_double_above_0_is_0() -> None:
    assert not _apply(elementary.exp, np.array([-708.0, -708.5, -745.0, -1e4, -1e300, -LARGEST, -np.inf])).any()


def test_fixed_points_are_exact() -> None:
    assert _apply(elementary.exp, np.array([0.0, -0.0])).tolist() == [1.0, 1.0]
    assert _apply(elementary.log, np.array([1.0])).tolist() == [0.0]
    assert _apply(elementary.log1p, np.array([0.0])).tolist() == [0.0]


@pytest.mark.parametrize(("function", "number"), [(elementary.exp, -1.5), (elementary.log, 7.25), (elementary.log1p, 0.375)])
def test_one_number_gets_the_same_bits_as_in_a_line(function: Callable[[float], float], number: float) -> None:
    assert _apply(function, np.full(9, number)).tolist() == [function(number)] * 9
