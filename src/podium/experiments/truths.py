"""What rankers learn from and are measured on: labels as given, a full order, or the order of the best k."""

from __future__ import annotations

from podium.dataset import Dataset
from podium.errors import UnknownName
from podium.experiments.facts import TRUTHS

__all__ = ["as_truth"]


def as_truth(data: Dataset, kind: str, *, k: int, seed: int) -> Dataset:
    """The same documents with the truth of one kind of TRUTHS.

    ``given``: the labels as they are. ``full``: n for the best of n documents down to 1. ``top-k``: k for the best down to 1, and 0 for
    the rest. Equal labels are put in an order drawn with ``seed``, and with nothing else: the top-k of a dataset is the top of its full
    order, for every k.

    >>> data = Dataset.from_arrays([[0.1], [0.2], [0.3]], y=[0, 2, 1])
    >>> [as_truth(data, kind, k=1, seed=0).labels.tolist() for kind in TRUTHS]
    [[0.0, 2.0, 1.0], [1.0, 3.0, 2.0], [0.0, 1.0, 0.0]]
    """
    if kind not in TRUTHS:
        raise UnknownName("truth", kind, TRUTHS)
    if kind == "given":
        return data
    return data.break_ties(seed=seed) if kind == "full" else data.top_k(k, seed=seed)
