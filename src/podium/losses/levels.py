"""What one-query losses share. Rows are best first; ``ends[i]`` is where the level of row i ends, what follows is strictly worse."""

from __future__ import annotations

import math

import numpy as np

from podium.elementary import exp
from podium.ragged import fused_kernel, kernel, summing_kernel

__all__ = [
    "WIDE",
    "clear",
    "exponentials",
    "log_add",
    "multiply",
    "settled",
    "shifted",
    "sigmoid",
    "softplus",
    "spread",
    "top_size",
    "total",
]

WIDE = 300.0  # scores further apart than this are served by logarithms: up to here, squares of exponentials are still doubles

_LARGEST = np.finfo(np.float64).max
_SIGN, _REST = np.int64(63), np.int64(2**63 - 1)


@kernel
def top_size(ends, k):  # type: ignore[no-untyped-def]
    """How many rows are on top: levels that begin within the first k; a tie at the very bottom is the rest, whatever k."""
    size = 0
    while size < len(ends) and size < k:
        if ends[size] == len(ends) and len(ends) - size > 1:
            return size
        size = int(ends[size])
    return size


@kernel
def settled(value):  # type: ignore[no-untyped-def]
    """A sum that is 0 or more by its nature: what rounding puts below 0 is 0, what has no double is the largest."""
    return max(value, 0.0) if -1e300 < value < _LARGEST else _LARGEST


@kernel
def clear(gradient, curvature):  # type: ignore[no-untyped-def]
    gradient[:] = 0.0
    curvature[:] = 0.0


@kernel
def spread(scores):  # type: ignore[no-untyped-def]
    """The greatest score, and how far the least lies below it; by their bits, turned so that they compare like the numbers."""
    bits = scores.view(np.int64)
    low, high = np.int64(2**63 - 1), np.int64(-(2**63))
    for i in range(len(bits)):
        turned = bits[i] ^ ((bits[i] >> _SIGN) & _REST)
        low = turned if turned < low else low
        high = turned if turned > high else high
    least, greatest = low ^ ((low >> _SIGN) & _REST), high ^ ((high >> _SIGN) & _REST)
    top = np.int64(greatest).view(np.float64)
    return top, top - np.int64(least).view(np.float64)


@kernel
def shifted(scores, top, out):  # type: ignore[no-untyped-def]
    """The scores less the greatest: what is left keeps its digits, however far from 0 they were."""
    for i in range(len(scores)):
        out[i] = max(scores[i] - top, -_LARGEST)
    return out[: len(scores)]


@fused_kernel
def exponentials(scores, top, out):  # type: ignore[no-untyped-def]
    """e^(s - top) of every score, as vectors."""
    for i in range(len(scores)):
        out[i] = exp(scores[i] - top)


@summing_kernel
def total(values):  # type: ignore[no-untyped-def]
    """The sum, as vectors."""
    found = 0.0
    for i in range(len(values)):
        found += values[i]
    return found


@fused_kernel
def multiply(values, factor, out):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        out[i] = values[i] * factor


@kernel
def log_add(a, b):  # type: ignore[no-untyped-def]
    """ln(e^a + e^b), either of which may be minus infinity."""
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))


@kernel
def softplus(x):  # type: ignore[no-untyped-def]
    """ln(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@kernel
def sigmoid(x):  # type: ignore[no-untyped-def]
    """1 / (1 + e^-x), exact to the last bits on both sides."""
    e = math.exp(-abs(x))
    return 1.0 / (1.0 + e) if x >= 0 else e / (1.0 + e)
