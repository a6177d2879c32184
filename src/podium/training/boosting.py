"""Boosting: weak rankers chosen one by one, each for what the ones before it left undone.

RankBoost looks at pairs (:mod:`podium.training.pairs`), AdaRank at lists (:mod:`podium.training.lists`), FocusedBoost at both. Each
round chooses the ranker of largest gain g and adds it with weight α = ½ ln((1 + g) / (1 - g)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from podium import losses, measures
from podium.dataset import Dataset
from podium.errors import DataError
from podium.losses import Ordered
from podium.losses.levels import top_size
from podium.losses.listwise import top_labels
from podium.ragged import Floats, Ints, kernel, offsets_of, over_queries
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers.linear import LinearScorer, linear_scores
from podium.scorers.weak import WeakScorer
from podium.training.binning import BINS, Binned, bin_features
from podium.training.doors import as_start, check_data
from podium.training.lists import Lists, threshold_jumps
from podium.training.pairs import Pairs
from podium.training.passes import Ties, truths_of
from podium.training.watching import Callback, Validation, Watch

__all__ = [
    "AdaRankSettings", "FocusedBoostSettings", "RankBoostSettings", "fit_adarank", "fit_focused_boost", "fit_rankboost", "weight_of",
]  # fmt: skip


@final
@dataclass(frozen=True)
class RankBoostSettings:
    """How to fit; the meaning of each is in the table of settings (:mod:`podium.algorithms`)."""

    max_iter: int = 500
    tol: float = 1e-6
    bins: int = 256
    scaling: str = "none"
    ties: Ties = "keep"
    patience: int | None = None


@final
@dataclass(frozen=True)
class AdaRankSettings:
    """How to fit, likewise."""

    target: str = "ndcg@10"
    repeats: int = 5
    max_iter: int = 500
    scaling: str = "minmax"
    patience: int | None = None


@final
@dataclass(frozen=True)
class FocusedBoostSettings:
    """How to fit, likewise; features are scaled to 0..1 within each query."""

    k: int = 10
    balance: float = 0.5
    max_iter: int = 100
    tol: float = 1e-6
    bins: int = 256
    ties: Ties = "keep"
    patience: int | None = None


_MOST = 1 - 1e-9  # a gain of 1, a perfect ranker, would weigh infinitely much


def weight_of(gain: float) -> float:
    """α = ½ ln((1 + g) / (1 - g))."""
    return math.atanh(min(max(gain, -_MOST), _MOST))


class _Round(NamedTuple):
    feature: int
    place: int  # of the threshold among those of the feature; -1: the feature itself
    weight: float


@final
class _Team:
    """The weak rankers chosen so far, after those of the model to start from."""

    def __init__(self, width: int, scaling: str, lines: Lines, start: WeakScorer | None) -> None:
        self.width, self.scaling, self.lines, self.start = width, scaling, lines, start
        self.rounds: list[tuple[int, float | None, float]] = []  # feature, threshold if any, weight

    def scorer(self, count: int) -> WeakScorer:
        """Of the first ``count`` rounds."""
        weights = np.zeros(self.width) if self.start is None else self.start.weights.copy()
        steps = [] if self.start is None else self.start.rounds()
        for feature, threshold, weight in self.rounds[:count]:
            if threshold is None:
                weights[feature] += weight
            else:
                steps.append((feature, threshold, weight))
        return WeakScorer.of(weights, steps, self.scaling, None if SCALINGS[self.scaling].is_within_query else self.lines)


@final
class _Held:
    """Scores of the validation rows, kept up with the rounds."""

    def __init__(self, watch: Watch, team: _Team) -> None:
        self.scores: Floats | None = None
        if watch.validation is not None and watch.is_validating:
            self.data = watch.validation.data
            is_own = SCALINGS[team.scaling].is_within_query
            self.lines = lines_of(self.data.features, self.data.offsets, team.scaling) if is_own else team.lines
            self.queries = self.data.query_of_row
            self.scores = team.scorer(0).scores(self.data.features, self.data.offsets)

    def add(self, feature: int, threshold: float | None, weight: float) -> None:
        if self.scores is not None:
            values = self.lines.column(self.data.features[:, feature], feature, self.queries)
            self.scores += weight * (values if threshold is None else values.astype(np.float32) > np.float32(threshold))


def _ordered(data: Dataset, ties: Ties, seed: int) -> Ordered:
    if ties not in ("keep", "break"):
        raise DataError(f"boosting learns from one truth: choose ties=keep or ties=break, not {ties}")
    return losses.get("pairwise-exponential").prepare(truths_of(data, ties, 1, seed)[0], data.offsets)


def _rows(ordered: Ordered) -> Ints:
    """The row of the data that stands at each place of the truth."""
    return np.asarray(ordered.order + np.repeat(ordered.offsets[:-1], np.diff(ordered.offsets)))


def _begin(start: WeakScorer | None, data: Dataset, scaling: str, rows: Ints) -> Floats:
    if start is None:
        return np.zeros(data.n_rows)
    if start.n_features != data.n_features:
        raise DataError(
            f"to start from a model, it must have as many features as the data: it has {start.n_features}, not {data.n_features}"
        )
    if start.scaling != scaling:
        raise DataError(f"to start from a model, both must scale features alike: it has {start.scaling}; train it with scaling={scaling}")
    return start.scores(data.features, data.offsets)[rows]


class _Look(NamedTuple):
    objective: float
    pair_loss: float  # what stands still when there is no more to learn from pairs; NaN where they do not count
    chosen: _Round | None  # the next ranker, if any gains


def _run(
    team: _Team, watch: Watch, binned: Binned, look: Callable[[_Round | None], _Look], max_iter: int, tol: float
) -> tuple[WeakScorer, Watch]:
    """Rounds until the loss of pairs stands still. ``look(chosen)`` adds a ranker to the scores."""
    with watch.interruptible():
        held = _Held(watch, team)
        objective, loss, chosen = look(None)
        if not np.isfinite(objective):
            raise DataError("the loss is beyond the largest double at the model that training begins with; begin without it")
        if watch.see(np.zeros(1), objective, scores=held.scores):
            chosen = None
        while chosen is not None:
            if len(team.rounds) == max_iter:
                watch.stopped = "max_iter"
                break
            before, threshold = loss, None if chosen.place < 0 else float(binned.thresholds[chosen.feature][chosen.place])
            objective, loss, following = look(chosen)
            team.rounds.append((chosen.feature, threshold, chosen.weight))
            held.add(*team.rounds[-1])
            chosen = following
            if watch.see(np.array([float(len(team.rounds))]), objective, scores=held.scores):
                break
            if abs(before - loss) <= tol * before:
                watch.stopped = "converged"
                break
    watch.stopped = watch.stopped or "converged"
    return team.scorer(int(watch.weights[0])), watch


def _best(gains: Floats) -> tuple[tuple[int, ...], float]:
    """Where the gain of largest size is, and that gain."""
    place = np.unravel_index(int(np.argmax(np.abs(gains))), gains.shape)
    return tuple(int(part) for part in place), float(gains[place])


_NOTHING = 1e-12  # a gain that rounding makes


def fit_rankboost(
    data: Dataset,
    settings: RankBoostSettings | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: WeakScorer | None = None,
    callback: Callback | None = None,
) -> tuple[WeakScorer, Watch]:
    """RankBoost (Freund et al. 2003) on thresholds of features. The objective is the mean exponential loss of a query."""
    settings = settings or RankBoostSettings()
    check_data(data, validation, settings.patience)
    ordered = _ordered(data, settings.ties, seed)
    scores = _begin(start, data, settings.scaling, _rows(ordered))
    known = None if start is None else start.lines  # thresholds of the model to start from are in its own scale
    lines = known if known is not None else lines_of(data.features, data.offsets, settings.scaling)
    team = _Team(data.n_features, settings.scaling, lines, start)
    watch = Watch(lambda count: team.scorer(int(count[0])), validation, settings.patience, callback)
    binned = bin_features(data.features, data.offsets, lines, ordered.order, settings.bins)
    pairs = Pairs(binned, ordered, scores)

    def look(chosen: _Round | None) -> _Look:
        loss, gains = pairs.look(*chosen) if chosen else pairs.look()
        (feature, place), gain = _best(gains)
        return _Look(loss / data.n_queries, loss, _Round(feature, place, weight_of(gain)) if abs(gain) > _NOTHING else None)

    return _run(team, watch, binned, look, settings.max_iter, settings.tol)


# ---- AdaRank ----


def fit_adarank(
    data: Dataset,
    settings: AdaRankSettings | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: Floats | None = None,
    callback: Callback | None = None,
) -> tuple[LinearScorer, Watch]:
    """AdaRank (Xu & Li 2007) on single features. The objective is the mean of e^-E; ``seed`` has no part in it.

    As printed, it chooses the best feature for ever where that alone leaves the weights of queries as they are. So a feature that was
    chosen ``repeats`` times in a row is not chosen again; 0 is as printed.
    """
    del seed
    settings = settings or AdaRankSettings()
    check_data(data, validation, settings.patience)
    measure = measures.get(settings.target)
    lines = lines_of(data.features, data.offsets, settings.scaling)
    kept = None if SCALINGS[settings.scaling].is_within_query else lines
    weights = np.zeros(data.n_features) if start is None else as_start(start, data.n_features)
    watch = Watch(lambda weights: LinearScorer(weights, settings.scaling, kept), validation, settings.patience, callback)
    with watch.interruptible():
        worst_first = _rows(losses.get("pairwise-exponential").prepare(-data.labels, data.offsets))
        lists = Lists(measure, data.labels[worst_first], data.offsets, worst_first)
        alone = lists.of_features(data.features, worst_first)
        is_free, last, row = np.ones(data.n_features, np.bool_), -1, 0
        for _ in range(settings.max_iter + 1):
            objective, shares = lists.weights(lists.of(linear_scores(data.features, data.offsets, weights, lines)))
            shares = shares if weights.any() else lists.equal_weights()
            if watch.see(weights, objective):
                break
            gains = np.where(is_free, alone @ shares, -np.inf)
            chosen = int(np.argmax(gains))
            is_stuck = settings.repeats == 0 and chosen == last and np.count_nonzero(weights) == 1  # more of it changes no order
            if is_stuck or not gains[chosen] > 0:
                watch.stopped = "converged"
                break
            weights = weights.copy()
            weights[chosen] += weight_of(float(gains[chosen]))
            row = row + 1 if chosen == last else 1
            last = chosen
            is_free[chosen] = settings.repeats == 0 or row < settings.repeats
        watch.stopped = watch.stopped or "max_iter"
    return LinearScorer(watch.weights, settings.scaling, kept), watch


# ---- FocusedBoost ----


@kernel
def _tops(first, last, offsets, ends, k, sizes, two_levels):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        sizes[query] = top_size(ends[begin:end], k)
        for i in range(end - begin):
            two_levels[begin + i] = sizes[query] if i < sizes[query] else end - begin


def _focus(ordered: Ordered, k: int) -> tuple[Ordered, Lists]:
    """The pairs between the top and the rest, and the lists of the top, worst first; one document is no list."""
    sizes, two_levels = np.empty(len(ordered.offsets) - 1, np.int64), np.empty_like(ordered.ends)
    over_queries(_tops, ordered.offsets, ordered.ends, float(k), sizes, two_levels)
    offsets = offsets_of(sizes)
    rows = np.repeat(ordered.offsets[:-1] + offsets[1:], sizes) - 1 - np.arange(offsets[-1])
    tops = Lists(measures.get(f"ndcg@{k}"), top_labels(ordered, float(k))[rows], offsets, rows, fewest=2)
    return Ordered(ordered.offsets, ordered.order, two_levels, ordered.values), tops


@final
class _Focused:
    """Both distributions, and the gains of all rankers. A term that weighs nothing, or has no pairs or lists, is not looked at."""

    def __init__(self, data: Dataset, settings: FocusedBoostSettings, full: Ordered, lines: Lines, scores: Floats) -> None:
        self.features, self.lines, self.rows = np.ascontiguousarray(data.features), lines, _rows(full)
        self.queries = data.query_of_row
        ordered, self.tops = _focus(full, settings.k)
        sizes = np.diff(self.tops.offsets)
        self.n_pairs = int((sizes * (data.sizes - sizes)).sum())
        self.balance = 1.0 if self.n_pairs == 0 else 0.0 if self.tops.n_valued == 0 else settings.balance
        self.binned = bin_features(self.features, data.offsets, lines, full.order, settings.bins)
        self.pairs = Pairs(self.binned, ordered, scores)
        self.is_there = np.arange(BINS - 1) < np.array([len(cuts) for cuts in self.binned.thresholds])[:, None]
        if self.balance > 0:
            self.alone = self.tops.of_features(self.features, self.rows[self.tops.rows])
            self.tied = self.tops.of(np.zeros(data.n_rows))
            self.jumps = threshold_jumps(self.tops, self.binned, settings.k)

    def add(self, chosen: _Round) -> None:
        f = chosen.feature
        if chosen.place < 0:
            self.pairs.scores += chosen.weight * self.lines.column(self.features[self.rows, f], f, self.queries)
        else:
            self.pairs.scores += chosen.weight * (self.binned.column(f) > chosen.place)

    def look(self, is_first: bool) -> tuple[float, float, Floats, Floats]:
        """The objective, the loss of pairs, the gains of thresholds and those of single features."""
        by_step, by_feature = np.zeros(self.is_there.shape), np.zeros(len(self.is_there))
        objective, loss = 0.0, np.nan
        if self.balance < 1:
            loss, gains = self.pairs.look()
            objective += (1 - self.balance) * loss / self.n_pairs
            by_step += (1 - self.balance) * gains
        if self.balance > 0:
            list_loss, shares = self.tops.weights(self.tops.of(self.pairs.scores))
            shares = self.tops.equal_weights() if is_first else shares
            objective += self.balance * list_loss
            by_step += self.balance * (self.tied @ shares + self._passed(shares))
            by_feature += self.balance * (self.alone @ shares)
            if self.balance < 1:
                by_feature += (1 - self.balance) * self.pairs.feature_gains(self.features, self.lines, loss)
        return objective, loss, np.where(self.is_there, by_step, 0.0), by_feature

    def _passed(self, shares: Floats) -> Floats:
        """Σ W of the jumps that each threshold has passed, a row a feature."""
        weighed = np.repeat(shares, np.diff(self.tops.offsets))
        table = np.empty(self.is_there.shape)
        for f in range(len(table)):
            codes = self.binned.column(f)[self.tops.rows]
            table[f] = np.cumsum(np.bincount(codes, weighed * self.jumps[:, f], minlength=BINS))[:-1]
        return table


def fit_focused_boost(
    data: Dataset,
    settings: FocusedBoostSettings | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: WeakScorer | None = None,
    callback: Callback | None = None,
) -> tuple[WeakScorer, Watch]:
    """FocusedBoost (paper 001, Algorithm 2): g = β Σ W E(h, T) + (1 - β) Σ_{T × F} D (h_u - h_v), E = NDCG@k on the documents of the top.

    Thresholds and single features compete, unless β = 0: by pairs alone, no feature gains more than the best of its thresholds, if none
    is missing. The objective is β mean e^-E(H, T) + (1 - β) mean e^-(H_u - H_v); it may rise, because E is above 0 even of useless
    rankers, so that every round adds some weight. The round where it was least is kept, unless validation chooses. Where no query has a
    rest, β is 1; where no top has an order, 0.
    """
    settings = settings or FocusedBoostSettings()
    check_data(data, validation, settings.patience)
    full = _ordered(data, settings.ties, seed)
    lines = lines_of(data.features, data.offsets, "minmax")
    scores = _begin(start, data, "minmax", _rows(full))
    team = _Team(data.n_features, "minmax", lines, start)
    watch = Watch(lambda count: team.scorer(int(count[0])), validation, settings.patience, callback)
    focused = _Focused(data, settings, full, lines, scores)

    def look(chosen: _Round | None) -> _Look:
        if chosen is not None:
            focused.add(chosen)
        objective, loss, by_step, by_feature = focused.look(is_first=chosen is None and start is None)
        (f, place), gain = _best(by_step)
        (single,), other = _best(by_feature)
        is_step = abs(gain) > abs(other) + (_NOTHING if focused.balance >= 0.5 else -_NOTHING)  # of equals, the kind that weighs more
        best = _Round(f, place, weight_of(gain)) if is_step else _Round(single, -1, weight_of(other))
        return _Look(objective, loss, best if max(abs(gain), abs(other)) > _NOTHING else None)

    return _run(team, watch, focused.binned, look, settings.max_iter, settings.tol)
