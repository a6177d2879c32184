"""Losses with one mistake each, written plainly, and a bench that serves them in place of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from podium.losses import LossOutput, get
from podium.ragged import Floats
from podium.theory import Bench

Plain = Callable[[Floats, Floats], Floats]  # scores, labels, best first, a list a row -> value of each list


def lse(scores: Floats) -> Floats:
    return np.asarray(np.log(np.exp(scores).sum(axis=1)))


def as_loss(plain: Plain, *, has_slopes: bool = True) -> Callable[..., LossOutput]:
    """A loss for lists of one length: sort by label, evaluate, and take slopes as differences (slow; bounds need none)."""

    def loss(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> LossOutput:
        n = int(np.diff(offsets)[0])
        rows, truth = np.reshape(scores, (-1, n)), np.reshape(labels, (-1, n))
        order = np.argsort(-truth, axis=1, kind="stable")
        ranked, best = np.take_along_axis(rows, order, 1), np.take_along_axis(truth, order, 1)
        slopes = np.zeros_like(ranked)
        for place in range(n if has_slopes else 0):
            nudge = 1e-6 * np.eye(n)[place]
            slopes[:, place] = (plain(ranked + nudge, best) - plain(ranked - nudge, best)) / 2e-6
        gradient = np.empty_like(slopes)
        np.put_along_axis(gradient, order, slopes, 1)
        return LossOutput(plain(ranked, best), gradient.ravel(), np.ones(gradient.size))

    return loss


def top_k_listmle(k: int, sign: float = -1.0) -> Plain:
    """Σ_j [lse(s_j, …) - s_j]; with ``sign`` +1 the last term of the top has the wrong one."""

    def plain(scores: Floats, _labels: Floats) -> Floats:
        total = np.zeros(len(scores))
        for place in range(k):
            total += lse(scores[:, place:]) + (sign if place == k - 1 else -1.0) * scores[:, place]
        return total

    return plain


def hom_og(k: int, sign: float = -1.0) -> Plain:
    """HOM-OG; with ``sign`` +1 the first document of the top has the wrong sign in P_TF."""

    def plain(scores: Floats, _labels: Floats) -> Floats:
        total = np.zeros(len(scores))
        for place in range(k):
            against = np.column_stack([scores[:, place], scores[:, k:]])
            total += lse(against) + (sign if place == 0 else -1.0) * scores[:, place]
            total += lse(scores[:, place:k]) - scores[:, place]
        return total

    return plain


def cs_listmle(k: int, sign: float = 1.0, base: float = 2.0, other: float = 1.0) -> Plain:
    """CS-ListMLE; with ``sign`` -1 the exponent s_t - s_j is turned round, with another base the factor 1 / ln 2 is not there, with
    ``other`` -1 a pair weighs c_j - c_t."""

    def plain(scores: Floats, rows: Floats) -> Floats:
        labels, total = rows[0], np.zeros(len(scores))
        assert (rows == labels).all()
        gains, places = 2.0**labels - 1.0, np.array([1 + (labels > label).sum() for label in labels])
        c = np.where(places <= k, gains * np.log(2.0) / ((1 + places) * np.log(1 + places) ** 2), 0.0)
        for j in range(len(labels)):
            below = np.flatnonzero(labels < labels[j])
            weights = c[j] + other * c[below]
            if weights.sum() > 0.0:
                lifts = np.exp(sign * (scores[:, below] - scores[:, [j]])) @ weights / weights.sum()
                total += weights.sum() * np.log1p(lifts) / np.log(base)
        return total / (gains / np.log2(1.0 + places))[places <= k].sum()

    return plain


def bench_with(name: str, make: Callable[..., Plain], **mistake: float) -> Bench:
    """A bench whose loss of this name is the plain one."""

    def loss(asked: str, **settings: Any) -> Any:
        return as_loss(make(**settings, **mistake), has_slopes=name != "cs-listmle") if asked == name else get(asked, **settings)

    return Bench(trials=200, loss=loss)
