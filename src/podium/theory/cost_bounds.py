r"""Paper 002, "Cost-Sensitive Listwise Ranking Approach": NDCG@k loss ≤ weighted pairs + C2 ≤ CS-ListMLE + C2.

With a(j) = 2^{y_j} - 1, ĝ(j) = 1 + #{better}, c_j = -a(j) ∇b(ĝ(j)), DCG_ĝ = Σ_{ĝ(j)≤k} a(j) / log2(1 + ĝ(j)), a pair with y_j > y_t
weighing c_j + c_t, and from Appendix A

.. math:: C_2 = \frac{1}{DCG_{\hat g}@k} \Big( \sum_i \frac{a(i)}{\log_2(1 + k)} + \sum_{y_j = y_i,\ j < i} (c_j + c_i) \Big)

*(our reading)*: a pair of equal labels is counted once, and no document with itself; that is the smallest constant the proof allows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.measures.graded import ndcg
from podium.ragged import Floats
from podium.theory.facts import Batch, Bench, Outcome, exceeds, numbers, outcome
from podium.theory.lists import costs, has_ties, lattice, ranking_of

__all__ = ["lemma_1", "lemma_1_shared", "lemma_1_tied", "list_above_pairs", "section_3", "theorem_1"]

_SCORES = (0.0, 0.0625, 0.5, 1.0, 2.0)  # the first gap is small: bounds are tight where scores nearly tie
_GRADES = (0, 1, 2)


@final
@dataclass(frozen=True)
class Graded:
    """Many scorings of one list with grades, best first, and a cutoff."""

    labels: Floats
    k: int
    scores: Floats
    is_random: bool = False

    @property
    def gains(self) -> Floats:
        return np.asarray(2.0**self.labels - 1.0)

    @property
    def places(self) -> Floats:
        """ĝ: one more than the number of better documents."""
        return np.asarray(1.0 + (self.labels[None, :] > self.labels[:, None]).sum(axis=1))

    @property
    def dcg(self) -> float:
        return float((self.gains / np.log2(1.0 + self.places))[self.places <= self.k].sum())

    @property
    def costs(self) -> Floats:
        """c_j of Lemma 1."""
        slopes = np.log(2.0) / ((1.0 + self.places) * np.log(1.0 + self.places) ** 2)
        return np.where(self.places <= self.k, self.gains * slopes, 0.0)

    @property
    def constant(self) -> float:
        """C2."""
        c, y = self.costs, self.labels
        equal = sum(c[j] + c[i] for j, i in itertools.combinations(range(len(y)), 2) if y[j] == y[i])
        return float((self.gains.sum() / np.log2(1.0 + self.k) + equal) / self.dcg)


def weighted_pairs(graded: Graded) -> Floats:
    """Σ over y_j > y_t of (c_j + c_t) [f_j < f_t], by DCG_ĝ: the pair loss of Lemma 1."""
    total, c, y = np.zeros(len(graded.scores)), graded.costs, graded.labels
    for j, t in itertools.permutations(range(len(y)), 2):
        if y[j] > y[t]:
            total += (c[j] + c[t]) * (graded.scores[:, j] < graded.scores[:, t])
    return total / graded.dcg


def ndcg_loss(graded: Graded) -> Floats:
    """1 - NDCG@k by our measure."""
    return 1.0 - ndcg(ranking_of(graded.scores, graded.labels), cutoff=graded.k)


def _grades(n: int) -> Iterator[Floats]:
    """Every descending list of grades with a relevant document and a preference."""
    for labels in itertools.combinations_with_replacement(sorted(_GRADES, reverse=True), n):
        if labels[0] > labels[-1]:
            yield np.array(labels, dtype=float)


def _every_size(bench: Bench, purpose: str, *, ties: bool) -> Iterator[Graded]:
    for n in range(2, 5):
        grid = lattice(n, _SCORES)
        kept = grid if ties else grid[~has_ties(grid)]
        for labels in _grades(n):
            yield from (Graded(labels, k, kept) for k in range(1, n + 1))
    random = bench.random(purpose)
    for _ in range(bench.trials // 20):
        n = int(random.integers(2, 9))
        labels = np.sort(random.integers(0, 5, size=n).astype(float))[::-1]
        if labels[0] > labels[-1]:
            yield Graded(
                labels, int(random.integers(1, n + 1)), random.normal(size=(20, n)) * random.choice([0.2, 1.0, 3.0]), is_random=True
            )


def _told(graded: Graded, left: Floats, right: Floats) -> Callable[[int], str]:
    return lambda row: (
        f"n = {len(graded.labels)}, k = {graded.k}, labels {numbers(graded.labels)}, scores {numbers(graded.scores[row])}: "
        f"{left[row]:.4g} > {right[row]:.4g}"
    )


def _compared(graded: Graded, left: Floats, right: Floats) -> Batch:
    return Batch(exceeds(left, right), _told(graded, left, right), graded.is_random)


def _lemma_1(bench: Bench, *, ties: bool) -> Outcome:
    return outcome(
        _compared(graded, ndcg_loss(graded), weighted_pairs(graded) + graded.constant) for graded in _every_size(bench, "costs", ties=ties)
    )


def lemma_1(bench: Bench) -> Outcome:
    """NDCG@k loss ≤ weighted pairs + C2, for scores that all differ."""
    return _lemma_1(bench, ties=False)


def ndcg_loss_of_shared_ranks(graded: Graded) -> Floats:
    """1 - NDCG@k with the ranks of Eq. 2: one more than the number of documents with a higher score, so that ties share the better rank."""
    ranks = 1.0 + (graded.scores[:, None, :] > graded.scores[:, :, None]).sum(axis=2)
    found = np.where(ranks <= graded.k, graded.gains / np.log2(1.0 + ranks), 0.0).sum(axis=1)
    ideal = (graded.gains / np.log2(np.arange(2.0, len(graded.labels) + 2.0)))[: graded.k].sum()
    return np.asarray(1.0 - found / ideal)


def lemma_1_shared(bench: Bench) -> Outcome:
    """The lemma with ties, ranked as Eq. 2 says."""
    return outcome(
        _compared(graded, ndcg_loss_of_shared_ranks(graded), weighted_pairs(graded) + graded.constant)
        for graded in _every_size(bench, "costs", ties=True)
    )


def lemma_1_tied(bench: Bench) -> Outcome:
    """The same where scores may be equal and a tie may fall the wrong way: the pair loss does not see it."""
    return _lemma_1(bench, ties=True)


def _list_loss(bench: Bench, graded: Graded) -> Floats:
    return costs(bench.loss("cs-listmle", k=graded.k), graded.scores, graded.labels)


def list_above_pairs(bench: Bench) -> Outcome:
    """Weighted pairs ≤ CS-ListMLE: I[z > 0] ≤ log2(1 + e^z), and log2 is concave."""
    return outcome(_compared(graded, weighted_pairs(graded), _list_loss(bench, graded)) for graded in _every_size(bench, "list", ties=True))


def theorem_1(bench: Bench) -> Outcome:
    """NDCG@k loss ≤ CS-ListMLE + C2, ties and all: where scores tie, log2(1 + e^0) = 1 pays for it."""
    return outcome(
        _compared(graded, ndcg_loss(graded), _list_loss(bench, graded) + graded.constant)
        for graded in _every_size(bench, "theorem", ties=True)
    )


def section_3(bench: Bench) -> Outcome:
    """The chain of section 3.2: share of pairs lost ≤ mean of log2(1 + e^z) ≤ log2(1 + mean of e^z) ≤ -log2 h."""

    def chain() -> Iterator[Batch]:
        random = bench.random("section 3")
        lists = [(lattice(n, _SCORES), False) for n in (2, 3, 4)]
        lists += [(random.normal(size=(bench.trials // 7 + 1, n)) * 2.0, True) for n in range(2, 9)]
        for scores, is_random in lists:
            n = scores.shape[1]
            z, first = scores[:, 1:] - scores[:, :1], np.eye(n)[0]
            chances = costs(bench.loss("top-k-listmle", k=1), scores, first) / np.log(2.0)
            links = [(z > 0).mean(axis=1), np.log2(1.0 + np.exp(z)).mean(axis=1), np.log2(1.0 + np.exp(z).mean(axis=1)), chances]
            for left, right in itertools.pairwise(links):
                yield _compared(Graded(first, 1, scores, is_random), left, right)

    return outcome(chain())
