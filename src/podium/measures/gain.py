"""The gain of a label, 2^y - 1, at every size that a label can have."""

from __future__ import annotations

import numpy as np

from podium.ragged import kernel

__all__ = ["N_SMALL", "SMALL_GAINS", "excess"]

_LN2 = np.log(2.0)
N_SMALL = 53
SMALL_GAINS = 2.0 ** np.arange(N_SMALL) - 1.0  # labels are nearly always small whole numbers, and looking up is faster than computing


@kernel
def excess(label, top, unit):  # type: ignore[no-untyped-def]
    """(2^label - 1) / 2^top, 0 for labels below 0; ``unit`` is 2^-top. Keeps labels close to 0, and labels in the thousands."""
    if label <= 0.0:
        return 0.0
    whole = int(min(label, float(N_SMALL)))
    if whole == label and whole < N_SMALL:
        return SMALL_GAINS[whole] * unit
    return np.expm1(label * _LN2) * unit if label < 1.0 else np.exp2(label - top) - unit
