"""FocusedBoost against brute force: every threshold and every feature, measured in every list and on every pair."""

from __future__ import annotations

import itertools
import math
from typing import Any, get_args

import numpy as np
import pytest
from tests.losses.plain import top_and_rest
from tests.training import plain_boosting as plain
from tests.training.plain_boosting import Kind, many, ragged, rounds_of

from podium import Dataset, losses, measures
from podium.ragged import Floats, Ints, offsets_of
from podium.scaling import lines_of
from podium.scorers import LinearScorer, WeakScorer
from podium.training import boosting
from podium.training.binning import Binned, bin_features
from podium.training.boosting import (
    AdaRankSettings,
    FocusedBoostSettings,
    RankBoostSettings,
    fit_adarank,
    fit_focused_boost,
    fit_rankboost,
)  # fmt: skip
from podium.training.lists import Lists, threshold_jumps
from podium.training.watching import Watch

over_kinds = pytest.mark.parametrize("kind", get_args(Kind))


def fitted(data: Dataset, *, seed: int = 0, **settings: Any) -> tuple[WeakScorer, Watch]:
    return fit_focused_boost(data, FocusedBoostSettings(**settings), seed=seed)


def binned_of(data: Dataset, bins: int) -> tuple[Binned, Ints]:
    """Bins of the features scaled within the query, best document first, and the row at each place."""
    ordered = losses.get("pairwise-exponential").prepare(data.labels, data.offsets)
    lines = lines_of(data.features, data.offsets, "minmax")
    rows = np.asarray(ordered.order + np.repeat(data.offsets[:-1], data.sizes), dtype=np.int64)
    return bin_features(data.features, data.offsets, lines, ordered.order, bins), rows


def ranker(table: Floats, feature: int, threshold: float | None) -> Floats:
    return table[:, feature] if threshold is None else plain.above(table, feature, threshold)


@pytest.fixture
def gains_seen(monkeypatch: pytest.MonkeyPatch) -> list[Floats]:
    """The tables of gains that choices were made from: in every round that of thresholds, then that of features."""
    seen: list[Floats] = []
    best = boosting._best

    def recorded(gains: Floats) -> Any:
        seen.append(np.array(gains))
        return best(gains)

    monkeypatch.setattr(boosting, "_best", recorded)
    return seen


# ---- round by round ----


SOME = [ragged("graded", seed=3), ragged("full", seed=3), ragged("top-k", seed=3), many("full", seed=3, sizes=[4, 6, 1] * 12)]


@pytest.mark.parametrize("data", SOME)
@pytest.mark.parametrize("balance", [0.0, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize(("k", "bins"), [(3, 256), (4, 8)])
def test_every_gain_choice_weight_and_update_is_that_of_brute_force(
    data: Dataset, balance: float, k: int, bins: int, gains_seen: list[Floats]
) -> None:
    _, watch = fitted(data, k=k, balance=balance, bins=bins, max_iter=30, tol=0.0)
    if balance < 1:  # lists alone: the mean of e^-E can stand still
        assert watch.history[-1].iteration == 30
    table, focused, (binned, _) = plain.minmax(data.features, data.offsets), plain.Focused(data, k, balance), binned_of(data, bins)
    places = [(f, float(threshold)) for f, cuts in enumerate(binned.thresholds) for threshold in cuts]
    rankers = [ranker(table, f, threshold) for f, threshold in places]
    rankers += [table[:, f] * (balance > 0) for f in range(data.n_features)]  # by pairs alone, no feature gains more than its thresholds
    is_there = np.arange(255) < np.array([len(cuts) for cuts in binned.thresholds])[:, None]
    by_step, by_feature = gains_seen[::2], gains_seen[1::2]
    assert len(by_step) == len(by_feature) == len(watch.history)
    chosen = rounds_of(watch)
    for number, step in enumerate(watch.history):
        expected = focused.gains(rankers)
        np.testing.assert_allclose(by_step[number][is_there], expected[: len(places)], atol=1e-10)
        np.testing.assert_allclose(by_feature[number], expected[len(places) :], atol=1e-10)
        np.testing.assert_array_equal(by_step[number][~is_there], 0.0)
        assert step.objective == pytest.approx(focused.objective(), rel=1e-10)
        if number == len(chosen):
            break
        feature, threshold, alpha = chosen[number]
        place = len(places) + feature if threshold is None else places.index((feature, threshold))
        assert abs(expected[place]) >= np.abs(expected).max() - 1e-10
        assert alpha == pytest.approx(0.5 * math.log((1 + expected[place]) / (1 - expected[place])), rel=1e-9)
        focused.add(rankers[place], alpha)
    last = watch.scorer(np.array([float(len(chosen))]))
    np.testing.assert_allclose(last.scores(data.features, data.offsets), focused.scores, atol=1e-10)


def test_both_kinds_of_rankers_are_chosen() -> None:
    chosen = rounds_of(fitted(ragged("full", seed=7), k=4, balance=0.5, max_iter=30, tol=0.0)[1])
    kinds = [threshold is None for _, threshold, _ in chosen]
    assert True in kinds
    assert False in kinds


def test_a_feature_that_is_better_where_it_is_low_gets_a_negative_weight() -> None:
    labels = np.tile(np.arange(6.0), 4)
    data = Dataset.from_arrays(-labels[:, None], labels, offsets=np.arange(0, 25, 6))
    ((_, threshold, alpha),) = rounds_of(fitted(data, k=3, balance=0.1, max_iter=1)[1])
    assert threshold is not None
    assert alpha < 0


def test_the_kept_model_is_the_one_of_least_objective() -> None:
    for balance in (0.3, 0.7, 1.0):
        scorer, watch = fitted(ragged("full", seed=4), k=3, balance=balance, max_iter=30, tol=0.0)
        assert watch.best is not None
        best = min(step.objective for step in watch.history)
        assert watch.best == next(step for step in watch.history if step.objective == best)
        kept: Any = watch.scorer(np.array([float(watch.best.iteration)]))
        assert scorer.as_plain() == kept.as_plain()


def test_the_first_round_worked_by_hand(gains_seen: list[Floats]) -> None:
    """Four documents, T the first two with labels 2 and 1, F the others; one feature: 1, ⅔, ⅓, 0.

    All of T tied counts in the worst order, E = (1 + 3 d) / (3 + d) with d = 1/log2 3; above ½ are both of T, still tied; above ⅚ is the
    best alone, E = 1. Pairs: above ⅙ are T and one of F, which wins 2 of 4; above ½ all 4; above ⅚ 2. The feature itself wins
    (⅔ + 1 + ⅓ + ⅔) / 4.
    """
    data = Dataset.from_arrays([[3.0], [2.0], [1.0], [0.0]], [4, 3, 2, 1])
    fitted(data, k=2, balance=0.25, max_iter=1)
    d = 1 / math.log2(3)
    tied = (1 + 3 * d) / (3 + d)
    by_step, by_feature = gains_seen[:2]
    np.testing.assert_allclose(by_step[0, :3], [0.25 * tied + 0.75 / 2, 0.25 * tied + 0.75, 0.25 + 0.75 / 2], rtol=1e-12)
    np.testing.assert_allclose(by_feature, [0.25 + 0.75 * (2 / 3)], rtol=1e-12)


# ---- lists of thresholds ----


@over_kinds
@pytest.mark.parametrize("cutoff", [1, 3, 20])
@pytest.mark.parametrize("bins", [4, 256])
def test_ndcg_of_a_threshold_is_that_of_all_rows_tied_and_the_jumps_of_rows_not_above_it(kind: Kind, cutoff: int, bins: int) -> None:
    data = ragged(kind, seed=6)
    (binned, rows), random = binned_of(data, bins), np.random.default_rng(cutoff)
    is_taken = random.random(data.n_rows) < 0.7  # any documents, as T is some of them
    taken = [[place for place in places if is_taken[place]] for places in plain.rows_of(data.offsets)]
    worst_first = [sorted(places, key=lambda place: data.labels[rows[place]]) for places in taken]
    flat = np.array([place for places in worst_first for place in places])
    offsets = offsets_of([len(places) for places in taken])
    jumps = threshold_jumps(Lists(measures.get(f"ndcg@{cutoff}"), data.labels[rows[flat]], offsets, flat), binned, cutoff)
    assert jumps.shape == (len(flat), data.n_features)
    n_changes = 0
    for (begin, end), places in zip(itertools.pairwise(offsets.tolist()), worst_first, strict=True):
        labels = [float(data.labels[rows[place]]) for place in places]
        tied = plain.of_query(plain.ndcg(cutoff), [0.0] * len(labels), labels)
        for f in range(data.n_features):
            codes = [int(binned.codes[f // 8, place, f % 8]) for place in places]
            for b in range(len(binned.thresholds[f])):
                expected = plain.of_query(plain.ndcg(cutoff), [float(code > b) for code in codes], labels)
                found = tied + sum(jumps[row, f] for row, code in zip(range(begin, end), codes, strict=True) if code <= b)
                assert found == pytest.approx(expected, abs=1e-12)
                n_changes += abs(expected - tied) > 1e-9
    assert n_changes > 15


def test_jumps_of_labels_too_large_for_a_power_of_two_are_finite() -> None:
    features = np.array([[1.0], [2.0], [3.0]], np.float32)
    offsets = np.array([0, 3])
    binned = bin_features(features, offsets, lines_of(features, offsets, "none"), np.arange(3, dtype=np.int32), 256)
    lists = Lists(measures.get("ndcg@3"), np.array([0.0, 4000.0, 5000.0]), offsets, np.arange(3))
    d = 1 / math.log2(3)
    np.testing.assert_allclose(
        threshold_jumps(lists, binned, 3)[:, 0], [d - 1 / 2, 1 - d, 0.5 - 1], atol=1e-12
    )  # 5000 is third, second, first


# ---- at the ends of the balance ----


def top_of(data: Dataset, k: int) -> list[list[int]]:
    """The rows of T, query by query."""
    parts = []
    for rows in plain.rows_of(data.offsets):
        top, _ = top_and_rest(data.labels[rows.start : rows.stop].tolist(), k) if rows else ([], [])
        parts.append([rows[place] for place in top])
    return parts


@over_kinds
def test_at_balance_0_it_is_rankboost_on_pairs_of_the_top_and_the_rest(kind: Kind) -> None:
    """A feature is a mean of its thresholds, so while all are there one of them gains as much: no feature is chosen."""
    data, k = ragged(kind, seed=7), 3
    levels = np.zeros(data.n_rows)
    levels[[row for rows in top_of(data, k) for row in rows]] = 1.0
    scorer, watch = fitted(data, k=k, balance=0.0, max_iter=30, tol=0.0)
    expected, other = fit_rankboost(data.with_labels(levels), RankBoostSettings(scaling="minmax", max_iter=30, tol=0.0))
    assert len(watch.history) == len(other.history) == 31
    n_pairs = sum(levels[j] > levels[t] for rows in plain.rows_of(data.offsets) for j in rows for t in rows)
    for one, two in zip(watch.history, other.history, strict=True):
        assert one.objective == pytest.approx(two.objective * data.n_queries / n_pairs, rel=1e-10)
    np.testing.assert_array_equal(scorer.weights, 0.0)
    assert [place[:2] for place in scorer.rounds()] == [place[:2] for place in expected.rounds()]
    np.testing.assert_allclose(scorer.steps, expected.steps, rtol=1e-9)
    np.testing.assert_allclose(scorer.scores(data.features, data.offsets), expected.scores(data.features, data.offsets), atol=1e-9)


def wide(kind: Kind, seed: int) -> Dataset:
    """Four queries of six documents with eight features: in some, AdaRank chooses many of them."""
    one, other = (ragged(kind, seed=number, sizes=[6] * 4) for number in (seed, seed + 500))
    return Dataset.from_arrays(np.hstack([one.features[:, :4], other.features[:, :4]]), one.labels, offsets=one.offsets)


def adarank_on_top(data: Dataset, k: int, max_iter: int) -> tuple[LinearScorer, Watch]:
    """AdaRank on the documents of T alone, with top-k labels.

    FocusedBoost scales features over all documents of a query, those of F too. So AdaRank gets features that were scaled before, and does
    not scale them again. Queries with one document on top have no order, and are left out.
    """
    parts = [rows for rows in top_of(data, k) if len(rows) > 1]
    rows, labels = [row for part in parts for row in part], plain.Focused(data, k, 1.0).lists.labels
    scaled = plain.minmax(data.features, data.offsets).astype(np.float32)
    top = Dataset.from_arrays(scaled[rows], labels[rows], offsets=offsets_of([len(part) for part in parts]))
    return fit_adarank(top, AdaRankSettings(f"ndcg@{k}", repeats=0, max_iter=max_iter, scaling="none"))


@over_kinds
@pytest.mark.parametrize("seed", [1, 80, 110, 209])
def test_at_balance_1_every_round_is_that_of_adarank_on_the_top(kind: Kind, seed: int) -> None:
    """A threshold orders T no better than its feature, with equals in the worst order; so only features are chosen."""
    data, k = wide(kind, seed), 5
    scorer, watch = fitted(data, k=k, balance=1.0, max_iter=30, tol=0.0)
    expected, other = adarank_on_top(data, k, 30)
    assert len(watch.history) == 31
    for one, two in zip(watch.history, other.history, strict=False):  # AdaRank ends where one feature would be chosen for ever
        assert one.objective == pytest.approx(two.objective, rel=1e-10)
    assert scorer.rounds() == []
    np.testing.assert_allclose(scorer.weights, expected.weights, rtol=1e-9)
    assert kind != "full" or seed == 1 or (len(other.history) == 31 and np.count_nonzero(expected.weights) > 1)


@pytest.mark.parametrize("tol", [0.0, 1e-6])
@pytest.mark.parametrize("seed", [80, 110, 209])
def test_at_balance_1_a_round_that_changes_no_order_is_not_the_last(seed: int, tol: float) -> None:
    """AdaRank goes on: the next rounds add to the same feature until an order changes."""
    data, k = wide("full", seed), 5
    scorer, _ = fitted(data, k=k, balance=1.0, max_iter=30, tol=tol)
    np.testing.assert_allclose(scorer.weights, adarank_on_top(data, k, 30)[0].weights, rtol=1e-9)


def test_of_equal_gains_the_kind_that_the_balance_favours_is_chosen() -> None:
    """A feature of two values is its own threshold."""
    data = Dataset.from_arrays([[1.0], [1.0], [0.0], [1.0], [1.0], [0.0]], [3, 2, 1, 1, 2, 3], offsets=[0, 3, 6])
    for balance, is_step in ((0.0, True), (0.4, True), (0.6, False), (1.0, False)):
        ((_, threshold, _),) = rounds_of(fitted(data, k=2, balance=balance, max_iter=1)[1])
        assert (threshold is not None) == is_step
