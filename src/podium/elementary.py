"""Exponentials and logarithms that the compiler can turn into vector instructions.

``math.exp`` is a call into the C library, one number at a time. These are arithmetic on bits and polynomials, so that a loop over an
array serves four or eight numbers at once. They are within two units of the last place of the true value; each says for which numbers.
"""

from __future__ import annotations

import math

import numpy as np

from podium.ragged import fused_kernel

__all__ = ["exp", "log", "log1p"]

_LOG2_E = 1 / math.log(2)
_LN2_HIGH = 6.93147180369123816490e-01  # ln 2 without its last bits: its product with a whole number up to 1,023 is exact
_LN2_LOW = 1.90821492927058770002e-10
_SHIFT = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the last bits
_LEAST = -708.0
_EXPONENT = np.int64(52)
_HALF_ROOT = np.int64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
_C2, _C3, _C4, _C5, _C6, _C7 = 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040
_C8, _C9, _C10, _C11, _C12, _C13 = (1 / math.factorial(power) for power in range(8, 14))


@fused_kernel
def exp(x):  # type: ignore[no-untyped-def]
    """e^x for x up to 709; 0 below -708, where doubles run out of bits."""
    shifted = x * _LOG2_E + _SHIFT
    whole = shifted - _SHIFT
    r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (_C2 + r * _C3)
    middle = (_C4 + r * _C5) + r2 * (_C6 + r * _C7)
    high = (_C8 + r * _C9) + r2 * (_C10 + r * _C11) + r4 * (_C12 + r * _C13)
    power = low + r4 * (middle + r4 * high)
    bits = np.float64(power).view(np.int64) + (np.float64(shifted).view(np.int64) << _EXPONENT)
    return np.int64(bits).view(np.float64) if x > _LEAST else 0.0


_L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8, _L9 = (2 / (2 * power + 1) for power in range(1, 10))


@fused_kernel
def log(x):  # type: ignore[no-untyped-def]
    """ln x for finite x from 2.3e-308 on: positive and not subnormal."""
    bits = np.float64(x).view(np.int64)
    above = bits - _HALF_ROOT
    power = above >> _EXPONENT
    mantissa = np.int64(bits - (power << _EXPONENT)).view(np.float64)
    f = mantissa - 1.0
    t = f / (2.0 + f)
    z = t * t
    z2 = z * z
    z4 = z2 * z2
    low = (_L1 + z * _L2) + z2 * (_L3 + z * _L4)
    high = (_L5 + z * _L6) + z2 * (_L7 + z * _L8) + z4 * _L9
    half = 0.5 * f * f
    return power * _LN2_HIGH + (f - (half - (t * (half + z * (low + z4 * high)) + power * _LN2_LOW)))


@fused_kernel
def log1p(x):  # type: ignore[no-untyped-def]
    """ln(1 + x) for finite x from 0 on."""
    total = 1.0 + x
    lost = (x - (total - 1.0)) if x < 1.0 else (1.0 - (total - x))
    return log(total) + lost / total
