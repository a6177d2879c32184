"""Claims of ours about the losses of papers 001 and 003 that fail: where they stop being top-k order sensitive."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from podium.theory.facts import Batch, Bench, Outcome, outcome
from podium.theory.orders import labels_of
from podium.theory.sensitivity import Surface, failures, scorings, surface, trials_of
from podium.theory.survey import SIZES, Key, look

__all__ = ["focused_net", "hom_og"]

_BALANCES = (0.1, 0.3, 0.5, 0.7, 0.9, 0.95)
_EXTRA = 20  # random scorings


def _batch(on: Surface, k: int, told: Callable[[str], str]) -> Batch:
    """All trials of a surface as one batch, broken or not as a whole."""
    failure = failures(on)[k - 1]
    is_broken = np.zeros(trials_of(on), dtype=bool)
    is_broken[0] = failure is not None
    return Batch(is_broken, lambda _row: "" if failure is None else told(failure.example))


def hom_og(bench: Bench) -> Outcome:
    """Definition 3 for HOM-OG at every n ≤ 5 and k."""

    def batches() -> Iterator[Batch]:
        for n, k in SIZES:
            yield _batch(look(bench, Key("hom-og", "top-k", n, k)), k, lambda text, k=k: f"k = {k}, {text}")  # type: ignore[misc]

    return outcome(batches())


def focused_net(bench: Bench) -> Outcome:
    """Definition 3 for FocusedNet with n = 3 and k = 2, by balance."""

    def batches() -> Iterator[Batch]:
        for balance in _BALANCES:
            scores = scorings(3, _EXTRA, bench.random(f"balance {balance}"), with_zero=True)
            on = surface(bench.loss("focused-net", k=2, balance=balance), scores, labels_of(3, 2, "top-k"))
            yield _batch(on, 2, lambda text, balance=balance: f"balance {balance:g}, k = 2, {text}")  # type: ignore[misc]

    return outcome(batches())
