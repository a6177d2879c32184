r"""The scores behind a query's judgments: Bradley-Terry with ties, fitted as the likeliest scores under a Gaussian prior.

People contradict themselves, and a sorting strategy believes the last answer it heard. This fit weighs all of them. After Davidson,
"On extending the Bradley-Terry model to accommodate ties" (JASA 1970), with a bias β to the left side: of the documents i, shown left,
and j, shown right, with scores s,

.. math::
   P(i) = e^{d/2} / Z, \quad P(j) = e^{-d/2} / Z, \quad P(\text{tie}) = \nu / Z, \quad
   d = s_i + \beta - s_j, \quad Z = e^{d/2} + e^{-d/2} + \nu

(each of the weights :math:`e^{s_i+\beta}, e^{s_j}, \nu e^{(s_i + \beta + s_j)/2}` over :math:`e^{(s_i + \beta + s_j)/2}`). Maximised is

.. math::
   \sum_{\text{judgments}} \log P - \sum_i \frac{(s_i - m_i)^2}{2\,\text{sd}^2} - \frac{\beta^2 + (\log\nu)^2}{2 \cdot 3^2}

which is concave in (s, β, log ν): logarithms of the weights are linear, log Z is a log-sum-exp. Newton's steps are halved until they
climb, as whole ones diverge. The fit always begins at the prior, so it is a function of the judgments and not of their history.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, final

import numpy as np

from podium.blas import one_blas_thread
from podium.errors import DataError, UnknownName
from podium.labelling.counts import Counts, closure, count, some
from podium.labelling.davidson import Problem, climb
from podium.labelling.questions import Event

if TYPE_CHECKING:
    from podium.ragged import Floats, Ints

__all__ = ["Fit", "Standing", "cycles", "fit", "how_sure", "prior_scores"]

_WIDEST = 1e4  # a wider prior is lost in rounding beside a single judgment


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """What a query's judgments say of its items: scores, and how sure they are (Laplace's approximation, a normal distribution)."""

    items: tuple[str, ...]
    scores: Floats  # in the order of items
    covariance: Floats  # of the scores, n x n: the block of the inverse of the negative Hessian
    tie: float  # ν; 0 if the log has no ties
    side_bias: float | None  # β, the log-odds that the left side gets for nothing; None if not asked for
    iterations: int

    @cached_property
    def rows(self) -> Ints:
        """Positions in ``items``, best first; scores equal to nine decimals, which is rounding, stay in the order of ``items``."""
        return np.argsort(-np.round(self.scores, 9), kind="stable")

    @property
    def order(self) -> tuple[str, ...]:
        """The items, best first."""
        return tuple(self.items[row] for row in self.rows)

    def score(self, item: str) -> float:
        """The score of an item."""
        return float(self.scores[self._row(item)])

    def sd(self, item: str) -> float:
        """The standard deviation of an item's score."""
        row = self._row(item)
        return math.sqrt(max(float(self.covariance[row, row]), 0.0))

    def probability_above(self, a: str, b: str) -> float:
        """The probability that item ``a`` has the higher score: Φ of the difference over its standard deviation."""
        i, j = self._row(a), self._row(b)
        variance = float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j])
        difference = float(self.scores[i] - self.scores[j])
        if variance <= 0:
            return 0.5 * (1 + math.copysign(1.0, difference) * (difference != 0))
        return 0.5 * math.erfc(-difference / math.sqrt(2 * variance))

    def _row(self, item: str) -> int:
        if item not in self.items:
            raise UnknownName("item", item, self.items)
        return self.items.index(item)


def fit(
    events: Iterable[Event],
    items: Sequence[str],
    *,
    prior: Mapping[str, float] | None = None,
    sd: float = 3.0,
    side_bias: bool = False,
    roles: Collection[str] | None = None,
) -> Fit:
    r"""Fit scores to the judgments of one query; the model and its equation head this module.

    ``events`` are the standing ones (an undone answer is not among them); only answers about two documents count, and "both bad" counts
    as a tie. ``prior`` gives the means m (an item it leaves out has 0), ``sd`` their standard deviation. The default 3 is the spread of
    scores at which a judge of this model is right in 88 of 100 random pairs; in simulation anything from 2 to 5 did as well.
    ``sd=math.inf`` is maximum likelihood with mean score 0 (β and log ν keep their priors), which exists only if every item is linked to
    every other by a chain of items that each won or tied against the next. Answers of people and of models together are refused unless
    ``roles`` says which to use. No judgments: the prior.

    >>> log = [Event(left="a", right="b", answer=answer) for answer in ("left", "left", "left", "right")]
    >>> found = fit(log, ["b", "a"], sd=math.inf)
    >>> found.order, round(math.exp(found.score("a") - found.score("b")), 6)  # three wins to one
    (('a', 'b'), 3.0)
    """
    counts = count(events, items, roles, keep_sides=side_bias)
    mean = _prior_means(items, prior, sd)
    if math.isinf(sd):
        _check_maximum_exists(counts, items)
    problem, n = Problem(counts, mean, sd, side_bias), len(items)
    with one_blas_thread():
        point, negative_hessian, steps = climb(problem)
        covariance = np.linalg.inv(negative_hessian)[:n, :n] - problem.pull
    tie = math.exp(min(point[n + 1], 700.0)) if problem.has_ties else 0.0  # the largest double is e^709
    return Fit(tuple(items), mean + point[:n], (covariance + covariance.T) / 2, tie, float(point[n]) if side_bias else None, steps)


def prior_scores(order: Sequence[str], spread: float = 1.0) -> dict[str, float]:
    """Means for a prior from an order, best first: normal quantiles of the ranks, times ``spread``.

    >>> {item: round(mean, 2) for item, mean in prior_scores(["best", "middle", "worst"], spread=2.0).items()}
    {'best': 1.93, 'middle': 0.0, 'worst': -1.93}
    """
    normal, n = NormalDist(), len(order)
    return {item: spread * normal.inv_cdf((n - rank - 0.5) / n) for rank, item in enumerate(order)}


@final
@dataclass(frozen=True, eq=False)
class Standing:
    """How firmly the top k stands."""

    items: tuple[str, ...]
    in_top: Floats  # per item, in the order of items: the probability that it is in the top k
    settled: tuple[bool, ...]  # per position of the top k: whether its item holds exactly this position, with the confidence asked for
    set_probability: float  # that the top k as a set is the fitted one
    order_probability: float  # that it is so in the fitted order
    is_set_settled: bool


def how_sure(fit: Fit, k: int, *, confidence: float = 0.95, draws: int = 2000, seed: int = 0) -> Standing:
    """How sure a fit is of its top k: shares of ``draws`` score vectors from its normal distribution; k > n means k = n.

    >>> log = [Event(left="a", right="b", answer="left")] * 20 + [Event(left="b", right="c", answer="left")]
    >>> found = how_sure(fit(log, ["a", "b", "c"]), k=2)
    >>> found.settled, found.is_set_settled
    ((True, False), False)
    """
    if k < 1:
        raise DataError(f"the top must hold at least 1 item, got k = {k}")
    n = len(fit.items)
    k = min(k, n)
    rows = np.argsort(-draw(fit, draws, seed), axis=1, kind="stable")[:, :k]
    hits, is_top = rows == fit.rows[:k], np.isin(rows, fit.rows[:k])
    set_probability = float(is_top.all(axis=1).mean())
    settled = tuple(bool(share >= confidence) for share in hits.mean(axis=0))
    in_top = np.bincount(rows.ravel(), minlength=n) / draws
    return Standing(fit.items, in_top, settled, set_probability, float(hits.all(axis=1).mean()), set_probability >= confidence)


def draw(fit: Fit, draws: int, seed: int) -> Floats:
    """Score vectors from the fit's normal distribution, one a row."""
    noise = np.random.default_rng(seed).standard_normal((draws, len(fit.items)))
    with one_blas_thread():
        variances, directions = np.linalg.eigh(fit.covariance)  # not Cholesky: maximum likelihood leaves one direction without variance
        root = directions * np.sqrt(np.maximum(variances, 0.0))
        return np.asarray(fit.scores + noise @ root.T, dtype=np.float64)


def cycles(events: Iterable[Event], items: Sequence[str], *, roles: Collection[str] | None = None) -> tuple[tuple[str, ...], ...]:
    """Groups of items that beat one another in a circle: the strongly connected components of the strict majority answers.

    >>> cycles([Event(left=a, right=b, answer="left") for a, b in ("ab", "bc", "ca", "ad")], "abcd")
    (('a', 'b', 'c'),)
    """
    counts = count(events, items, roles)
    beats = np.zeros((len(items), len(items)), dtype=bool)
    wins, losses, _ = counts.outcomes.T
    beats[counts.first[wins > losses], counts.second[wins > losses]] = True
    beats[counts.second[wins < losses], counts.first[wins < losses]] = True
    reached = closure(beats)
    groups = {tuple(np.flatnonzero(group).tolist()) for group in reached & reached.T if group.any()}
    return tuple(tuple(items[row] for row in group) for group in sorted(groups))


def _prior_means(items: Sequence[str], prior: Mapping[str, float] | None, sd: float) -> Floats:
    if not (1 / _WIDEST <= sd <= _WIDEST or sd == math.inf):
        raise DataError(
            f"sd of the prior must lie between {1 / _WIDEST:g} and {_WIDEST:g}, or be infinite for maximum likelihood, got {sd}"
        )
    if prior and sd == math.inf:
        raise DataError("a prior of infinite sd says nothing; give a finite sd, or no prior")
    if unknown := set(prior or ()) - set(items):
        raise DataError(f"in the prior, but not among the {len(items)} items of this query: {some(sorted(unknown))}")
    means = np.array([(prior or {}).get(item, 0.0) for item in items], dtype=np.float64)
    if not np.isfinite(means).all():
        raise DataError(f"means of the prior must be finite, got {means[~np.isfinite(means)][0]}")
    return means


def _check_maximum_exists(counts: Counts, items: Sequence[str]) -> None:
    """Refuse maximum likelihood where scores would run away: to the losers of a group that never lost nor tied (Ford, 1957)."""
    held = np.eye(len(items), dtype=bool)  # held[i, j]: i won or tied against j
    wins, losses, ties = counts.outcomes.T
    held[counts.first[wins + ties > 0], counts.second[wins + ties > 0]] = True
    held[counts.second[losses + ties > 0], counts.first[losses + ties > 0]] = True
    reached = closure(held)
    if not reached.all():
        i, j = np.argwhere(~reached)[0]
        raise DataError(
            f"no likeliest scores exist: no chain of wins or ties leads from {items[i]!r} to {items[j]!r}, so their scores may drift apart "
            "without end; give a finite sd, or ask more pairs"
        )
