r"""Paper 000, "Is Top-k Sufficient for Ranking?", section 5: Weighted Kendall's Tau stands between NDCG and the losses.

The document at place j of the truth has label n - j; G(l) = 2^l - 1, D(r) = 1 / log2(1 + r), α(j) = G(n - j) D(j) and
N_k = Σ_{j≤k} α(j). Base 2 here; another base changes both sides of every bound by the same factor.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from podium.measures.graded import ndcg
from podium.measures.orders import weighted_kendall_tau
from podium.ragged import Floats
from podium.theory.facts import Batch, Bench, Outcome, exceeds, numbers, outcome
from podium.theory.lists import Lists, costs, lists_of_every_size, ranking_of, top_labels

__all__ = [
    "corrected_bound", "lemma_1", "sharper_bound", "theorem_1", "theorem_1_tied", "theorem_2_listwise", "theorem_2_natural",
    "theorem_2_pairwise", "top_k_below_full",
]  # fmt: skip

Tau = Callable[..., Floats]
PAIRWISE = {"pairwise-hinge": 1.0, "pairwise-exponential": 1.0, "pairwise-logistic": 1.0 / math.log(2.0)}  # factors that make φ(0) = 1


def place_labels(n: int) -> Floats:
    """n - j for places j = 1..n."""
    return np.arange(n - 1.0, -1.0, -1.0)


def weights(n: int) -> Floats:
    """α(j) of every place."""
    return np.asarray((2.0 ** place_labels(n) - 1.0) / np.log2(np.arange(2.0, n + 2.0)))


def tau_of(lists: Lists, tau: Tau = weighted_kendall_tau) -> Floats:
    """WKT by our measure."""
    return tau(ranking_of(lists.scores, place_labels(lists.n)), cutoff=lists.k)


def ndcg_loss(lists: Lists) -> Floats:
    """1 - NDCG@k in the form of Eq. 15: the true top k, each discounted by the rank it has, wherever that is.

    That is NDCG over all ranks with the labels of the others set to 0.
    """
    labels = np.where(np.arange(lists.n) < lists.k, place_labels(lists.n), 0.0)
    return 1.0 - ndcg(ranking_of(lists.scores, labels))


def _told(lists: Lists, left: Floats, right: Floats) -> Callable[[int], str]:
    return lambda row: f"n = {lists.n}, k = {lists.k}, scores {numbers(lists.scores[row])}: {left[row]:.4g} > {right[row]:.4g}"


def _compared(lists: Lists, left: Floats, right: Floats) -> Batch:
    return Batch(exceeds(left, right), _told(lists, left, right), lists.is_random)


# ---- Lemma 1 ----


def _counted(scores: Floats, alpha: Floats, k: int) -> Floats:
    """Eq. 13 as it stands: Σ_j α(j) #{l > j : f(x_j) < f(x_l)}, a pair at a time."""
    total = np.zeros(len(scores))
    for j in range(k):
        for later in range(j + 1, scores.shape[1]):
            total += alpha[j] * (scores[:, j] < scores[:, later])
    return total


def _lemma_1_batches(bench: Bench, tau: Tau) -> Iterator[Batch]:
    for lists in lists_of_every_size(bench, "lemma 1", ties=True, longest=6):
        n, k, alpha = lists.n, lists.k, weights(lists.n)
        given = tau_of(lists, tau)
        for rest in itertools.permutations(range(k, n)):
            order = [*range(k), *rest]
            counted = _counted(lists.scores[:, order], alpha, k)
            is_other = ~np.isclose(given, counted, rtol=1e-12, atol=0.0)
            yield Batch(is_other, _told_order(lists, order, given, counted), lists.is_random)


def _told_order(lists: Lists, order: list[int], given: Floats, counted: Floats) -> Callable[[int], str]:
    places = [place + 1 for place in order]
    return lambda row: (
        f"n = {lists.n}, k = {lists.k}, scores {numbers(lists.scores[row])}: {given[row]:.4g}, but {counted[row]:.4g} in the order {places}"
    )


def lemma_1(bench: Bench, tau: Tau = weighted_kendall_tau) -> Outcome:
    """Our measure of one order of the rest is Eq. 13 counted for every order of the rest, so the minimum over all of them too."""
    return outcome(_lemma_1_batches(bench, tau))


# ---- Theorem 1 ----


def _theorem_1(bench: Bench, *, ties: bool) -> Outcome:
    return outcome(
        _compared(lists, ndcg_loss(lists), tau_of(lists) / weights(lists.n)[: lists.k].sum())
        for lists in lists_of_every_size(bench, "theorem 1", ties=ties)
    )


def theorem_1(bench: Bench) -> Outcome:
    """1 - NDCG@k ≤ WKT / N_k for scores that all differ, as the proof takes them."""
    return _theorem_1(bench, ties=False)


def theorem_1_tied(bench: Bench) -> Outcome:
    """The same where scores may be equal and a tie may fall the wrong way."""
    return _theorem_1(bench, ties=True)


# ---- Theorem 2 ----


def theorem_2_pairwise(bench: Bench, factors: dict[str, float] = PAIRWISE) -> Outcome:
    """WKT ≤ max α · pairwise loss on top-k labels, for each of the three."""

    def batches() -> Iterator[Batch]:
        for lists in lists_of_every_size(bench, "theorem 2", ties=True):
            tau, most, labels = tau_of(lists), weights(lists.n)[: lists.k].max(), top_labels(lists.n, lists.k)
            for name, factor in factors.items():
                yield _compared(lists, tau, most * factor * costs(bench.loss(name), lists.scores, labels))

    return outcome(batches())


def theorem_2_natural(bench: Bench) -> Outcome:
    """The same for RankNet's loss in natural logarithms, as Eq. 4 prints it: φ(0) = ln 2, not 1."""
    return theorem_2_pairwise(bench, {"pairwise-logistic": 1.0})


def _list_loss(bench: Bench, lists: Lists) -> Floats:
    return costs(bench.loss("top-k-listmle", k=lists.k), lists.scores, top_labels(lists.n, lists.k))


def theorem_2_listwise(bench: Bench) -> Outcome:
    """WKT ≤ max α / ln 2 · top-k ListMLE, as printed; false from two overtaking documents on."""
    return outcome(
        (
            _compared(lists, tau_of(lists), weights(lists.n)[: lists.k].max() / math.log(2.0) * _list_loss(bench, lists))
            for lists in lists_of_every_size(bench, "theorem 2", ties=True)
        ),
        remark=lambda share: f"broken by {share:.1%} of the random trials".replace("%", " %"),
    )


def corrected_bound(bench: Bench, factor: float = 1.0 / math.log(2.0)) -> Outcome:
    """1 - NDCG@k ≤ factor · max α / N_k · top-k ListMLE, ties and all."""
    return outcome(
        _compared(
            lists,
            ndcg_loss(lists),
            factor * weights(lists.n)[: lists.k].max() / weights(lists.n)[: lists.k].sum() * _list_loss(bench, lists),
        )
        for lists in lists_of_every_size(bench, "corrected", ties=True)
    )


def sharper_bound(bench: Bench) -> Outcome:
    """The same without 1 / ln 2: what m overtaking documents cost in NDCG is at most ln(1 + m/2) / ln 3 of α, less than ln(1 + m)."""
    return corrected_bound(bench, factor=1.0)


# ---- Section 5.1 ----


def top_k_below_full(bench: Bench) -> Outcome:
    """A loss on top-k labels is at most the same loss on the full order."""

    def pairs() -> Iterator[Batch]:
        for lists in lists_of_every_size(bench, "settings", ties=True):
            top, full = top_labels(lists.n, lists.k), place_labels(lists.n)
            for name in PAIRWISE:
                yield _compared(lists, costs(bench.loss(name), lists.scores, top), costs(bench.loss(name), lists.scores, full))
            yield _compared(lists, _list_loss(bench, lists), costs(bench.loss("listmle"), lists.scores, full))

    return outcome(pairs())
