"""AdaRank against a plain one: queries weighed one by one, orders sorted and measured by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.training import plain_boosting as plain
from tests.training.plain_boosting import Kind, many, ragged

import podium
from podium import DataError, Dataset, UnknownName, algorithms, measures
from podium.ragged import Floats, offsets_of, spans
from podium.scorers import LinearScorer
from podium.training.boosting import AdaRankSettings, fit_adarank
from podium.training.lists import Lists
from podium.training.watching import Step, Validation, Watch

Fitted = tuple[LinearScorer, Watch, list[Floats]]
Fit = Callable[..., Fitted]

TARGETS: list[tuple[str, Kind, plain.E]] = [
    ("map", "graded", plain.average_precision),
    ("map", "top-k", plain.average_precision),
    ("ndcg@3", "graded", plain.ndcg(3)),
    ("ndcg@10", "full", plain.ndcg(10)),
    ("k-ndcg@4", "top-k", plain.ndcg(4)),
]
over_targets = pytest.mark.parametrize(("target", "kind", "measure"), TARGETS, ids=[f"{target}-{kind}" for target, kind, _ in TARGETS])


@pytest.fixture
def fit(monkeypatch: pytest.MonkeyPatch) -> Fit:
    """A training, and the weights that every step had."""
    seen: list[Floats] = []
    see = Watch.see

    def recorded(self: Watch, weights: Floats, *rest: Any, **named: Any) -> bool:
        seen.append(weights.copy())
        return see(self, weights, *rest, **named)

    monkeypatch.setattr(Watch, "see", recorded)

    def run(
        data: Dataset, *, validation: Validation | None = None, start: Floats | None = None, callback: Any = None, **settings: Any
    ) -> Fitted:
        seen.clear()
        scorer, watch = fit_adarank(data, AdaRankSettings(**settings), validation=validation, start=start, callback=callback)
        return scorer, watch, list(seen)

    return run


def lists_of(data: Dataset, measure: plain.E) -> plain.Lists:
    return plain.Lists(measure, [list(rows) for rows in plain.rows_of(data.offsets)], data.labels)


# ---- round by round ----


@over_targets
@pytest.mark.parametrize("repeats", [0, 1, 2, 5])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_round_is_that_of_the_plain_algorithm(target: str, kind: Kind, measure: plain.E, repeats: int, seed: int, fit: Fit) -> None:
    data = many(kind, seed=seed)
    scorer, watch, seen = fit(data, target=target, repeats=repeats, max_iter=50)
    table, lists, row, last, gone = plain.minmax(data.features, data.offsets), lists_of(data, measure), 0, -1, set[int]()
    np.testing.assert_array_equal(seen[0], 0.0)
    for step, weights in enumerate(seen):
        scores = table @ weights
        assert watch.history[step].objective == pytest.approx(lists.objective(scores), rel=1e-12)
        shares = lists.weights(scores)
        gains = [-math.inf if f in gone else lists.gain(table[:, f], shares) for f in range(data.n_features)]
        if step + 1 == len(seen):
            break
        (chosen,) = np.flatnonzero(seen[step + 1] != weights)
        assert gains[chosen] >= max(gains) - 1e-10
        assert (seen[step + 1] - weights)[chosen] == pytest.approx(0.5 * math.log((1 + gains[chosen]) / (1 - gains[chosen])), rel=1e-9)
        row, last = row + 1 if chosen == last else 1, int(chosen)
        if row == repeats:
            gone.add(last)
    if watch.stopped == "max_iter":
        assert len(seen) == 51
    elif repeats:  # every feature had its turn
        assert (watch.stopped, len(gone)) == ("converged", data.n_features)
    else:  # the same feature alone would be chosen for ever, and nothing would change
        assert watch.stopped == "converged"
        assert np.flatnonzero(seen[-1]).tolist() == [last]
        assert gains[last] >= max(gains) - 1e-10
    best = int(np.argmin([step.objective for step in watch.history]))
    assert watch.best is not None
    assert watch.best.iteration == best
    np.testing.assert_array_equal(scorer.weights, seen[best])


def test_some_of_these_trainings_go_on_for_50_rounds_with_several_features(fit: Fit) -> None:
    for repeats in (0, 5):
        lengths = [
            len(fit(many(kind, seed=seed), target=target, repeats=repeats, max_iter=50)[2])
            for target, kind, _ in TARGETS
            for seed in (1, 2)
        ]
        assert max(lengths) == 51
    assert {len(fit(many("full", seed=seed), repeats=1, max_iter=50)[2]) for seed in (1, 2)} == {13}  # twelve features, each once


def test_two_rounds_worked_by_hand(fit: Fit) -> None:
    """Feature 1 puts the relevant of two first in the first query, feature 2 in the second; ties count as the wrong order.

    At first E(H) is ½ in both, so W = ½ each; both features gain ½ · 1 + ½ · ½ = ¾ and the first is taken. Then E is 1 and ½, W is
    1 : √e, and feature 2 gains (½ + √e) / (1 + √e).
    """
    data = Dataset.from_arrays([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [1, 0, 0, 1], offsets=[0, 2, 4])
    scorer, watch, seen = fit(data, target="map", max_iter=2)
    root = math.sqrt(math.e)
    np.testing.assert_allclose(seen[1], [0.5 * math.log(1.75 / 0.25), 0.0], rtol=1e-12)
    np.testing.assert_allclose(seen[2], [seen[1][0], plain.weight((0.5 + root) / (1 + root))], rtol=1e-12)
    expected = [math.exp(-0.5), (math.exp(-1) + math.exp(-0.5)) / 2, math.exp(-1)]
    assert [step.objective for step in watch.history] == pytest.approx(expected)
    np.testing.assert_array_equal(scorer.weights, seen[2])
    assert watch.stopped == "max_iter"


def test_a_feature_chosen_that_often_in_a_row_is_never_chosen_again(fit: Fit) -> None:
    """The first feature is right everywhere, so as printed it is chosen for ever."""
    random = np.random.default_rng(0)
    labels = np.tile(np.arange(5.0), 6)
    data = Dataset.from_arrays(np.column_stack([labels, random.normal(size=(30, 2))]), labels, offsets=np.arange(0, 31, 5))
    for repeats in (1, 2, 5):
        _, watch, seen = fit(data, repeats=repeats, max_iter=50)
        turns = [int(np.flatnonzero(after != before)[0]) for before, after in itertools.pairwise(seen)]
        assert turns[:repeats] == [0] * repeats
        assert 0 not in turns[repeats:]
        assert set(turns) == {0, 1, 2}
        assert watch.stopped == "converged"
    scorer, watch, seen = fit(data, repeats=0, max_iter=50)
    assert (watch.stopped, len(seen)) == ("converged", 2)
    assert np.flatnonzero(scorer.weights).tolist() == [0]


# ---- equal scores ----


@pytest.mark.parametrize(("target", "kind"), [("map", "graded"), ("ndcg@3", "graded"), ("k-ndcg@4", "top-k")])
def test_the_order_of_rows_changes_nothing(target: str, kind: Kind, fit: Fit) -> None:
    data = many(kind, seed=4)
    doubled = Dataset.from_arrays(  # every document twice, the second time with another label
        np.repeat(data.features, 2, axis=0), np.column_stack([data.labels, data.labels[::-1]]).ravel(), offsets=2 * data.offsets
    )
    _, watch, expected = fit(doubled, target=target, repeats=2, max_iter=20)
    for seed in range(4):
        random = np.random.default_rng(seed)
        rows = np.concatenate([random.permutation(rows) for rows in plain.rows_of(doubled.offsets) if len(rows)])
        other = Dataset.from_arrays(doubled.features[rows], doubled.labels[rows], offsets=doubled.offsets)
        _, again, found = fit(other, target=target, repeats=2, max_iter=20)
        np.testing.assert_allclose([step.objective for step in again.history], [step.objective for step in watch.history], rtol=1e-12)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_equal_scores_count_in_the_worst_order() -> None:
    labels, offsets = np.array([0.0, 1.0, 2.0, 1.0, 2.0]), np.array([0, 3, 5])
    lists = Lists(measures.get("ndcg@2"), labels, offsets, np.array([0, 1, 2, 3, 4]))
    d = 1 / math.log2(3)
    np.testing.assert_allclose(lists.of(np.zeros(5)), [d / (3 + d), (1 + 3 * d) / (3 + d)])
    np.testing.assert_allclose(lists.of(np.array([0, 0, 1, 0, 1.0])), [3 / (3 + d), 1])
    np.testing.assert_allclose(lists.of(np.array([0, 1, 1, 0, 1.0])), [(1 + 3 * d) / (3 + d), 1])


@over_targets
def test_a_feature_that_is_constant_in_every_query_earns_what_the_worst_order_earns(
    target: str, kind: Kind, measure: plain.E, fit: Fit
) -> None:
    data = ragged(kind, seed=5).select_features([5])
    worst = [measure(sorted(data.labels[rows.start : rows.stop].tolist())) for rows in plain.rows_of(data.offsets)]
    scorer, watch, seen = fit(data, target=target, repeats=1)
    assert watch.history[0].objective == pytest.approx(np.exp(-np.array(worst)).mean())
    np.testing.assert_allclose(seen[1], [math.atanh(np.mean(worst))], rtol=1e-12)
    assert watch.history[1].objective == watch.history[0].objective
    np.testing.assert_array_equal(scorer.weights, 0.0)  # no better than nothing


# ---- weights, starts and what is left out ----


@pytest.mark.parametrize(
    "target", ["ndcg", "mean-ndcg", "k-ndcg", "err", "k-err@3", "map", "p@3", "bpref", "tau", "tau-ap", "ppref", "nwppref@3"]
)
def test_a_feature_that_is_right_everywhere_is_found_by_every_measure(target: str, fit: Fit) -> None:
    """Where all scores tie, some measures have no value; that is no reason to leave the query out."""
    data = ragged("top-k", seed=2, sizes=[6, 5, 7])
    table = np.column_stack([-data.labels, data.features[:, 0], data.labels])
    scorer, _, _ = fit(Dataset.from_arrays(table, data.labels, offsets=data.offsets), target=target, max_iter=4)
    assert np.flatnonzero(scorer.weights).tolist() == [2]
    assert scorer.weights[2] > 0


def test_a_query_that_the_measure_leaves_out_has_no_weight(fit: Fit) -> None:
    data = ragged("graded", seed=6)
    blank = data.with_labels(np.where(data.query_of_row == 4, 0.0, data.labels))
    kept = [query for query, rows in enumerate(plain.rows_of(blank.offsets)) if (blank.labels[rows.start : rows.stop] > 0).any()]
    assert 4 not in kept
    _, watch, found = fit(blank, target="ndcg@3[blank=skip]", repeats=2, max_iter=15)
    _, other, expected = fit(blank.select_queries(kept), target="ndcg@3", repeats=2, max_iter=15)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose([step.objective for step in watch.history], [step.objective for step in other.history])


def test_where_no_document_is_relevant_nothing_is_learned(fit: Fit) -> None:
    data = ragged().with_labels(np.zeros(ragged().n_rows))
    scorer, watch, _ = fit(data, target="map")
    assert (watch.stopped, [step.objective for step in watch.history]) == ("converged", [1.0])
    np.testing.assert_array_equal(scorer.weights, 0.0)


def test_a_start_is_gone_on_from_and_not_written_to(fit: Fit) -> None:
    data, start = many("graded", seed=7), np.linspace(-0.5, 1.0, 12)
    lists, table = lists_of(data, plain.ndcg(10)), plain.minmax(data.features, data.offsets)
    _, watch, seen = fit(data, start=start, max_iter=3)
    np.testing.assert_array_equal(start, np.linspace(-0.5, 1.0, 12))
    np.testing.assert_array_equal(seen[0], start)
    assert watch.history[0].objective == pytest.approx(lists.objective(table @ start), rel=1e-12)
    with pytest.raises(DataError, match="it must have 12 finite weights"):
        fit(data, start=np.zeros(3))


@pytest.mark.parametrize("scaling", ["none", "standard", "zscore"])
def test_single_features_order_alike_in_every_scaling_and_the_sum_is_of_scaled_ones(scaling: str, fit: Fit) -> None:
    from tests.training.explicit import scaled

    data = many("graded", seed=8)
    _, watch, seen = fit(data, scaling=scaling, repeats=2, max_iter=12)
    table, lists = scaled(data.features, data.offsets, scaling), lists_of(data, plain.ndcg(10))
    assert len(seen) > 3
    for step, weights in zip(watch.history, seen, strict=True):
        assert step.objective == pytest.approx(lists.objective(np.round(table @ weights, 12)), rel=1e-12)  # rounded: ties are ties


@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_bit(fit: Fit) -> None:
    random = np.random.default_rng(7)
    sizes = [800] * 400
    features = random.normal(size=(sum(sizes), 3)).astype(np.float32)
    labels = np.clip(np.round(features[:, 0] + features[:, 2] + random.normal(size=len(features))), 0, 4)
    data, found = Dataset.from_arrays(features, labels, offsets=offsets_of(sizes)), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(data.offsets)) == number
        scorer, watch, seen = fit(data, repeats=1, max_iter=5)
        found.append((scorer.weights.tobytes(), [step.objective for step in watch.history], [one.tobytes() for one in seen]))
    assert found[0] == found[1] == found[2]
    assert (scorer.weights != 0).sum() > 1


# ---- validation, callbacks, interrupts ----


def test_patience_keeps_the_weights_that_are_best_on_validation(fit: Fit) -> None:
    whole = ragged("graded", seed=9, sizes=[9] * 34)
    train, other = whole.select_queries(slice(0, 4)), whole.select_queries(slice(4, None))
    scorer, watch, seen = fit(train, patience=3, repeats=3, validation=Validation(other, "ndcg@3"))
    values = [Validation(other, "ndcg@3").value(LinearScorer(weights, "minmax")) for weights in seen]
    assert [step.validation for step in watch.history] == values
    best = int(np.argmax(values))
    np.testing.assert_array_equal(scorer.weights, seen[best])
    assert watch.stopped == "patience"
    assert len(values) == best + 4


@pytest.mark.parametrize("iteration", [0, 2])
def test_an_interrupt_keeps_the_best_so_far_and_a_callback_can_stop(iteration: int, fit: Fit) -> None:
    def interrupt(step: Step) -> None:
        if step.iteration == iteration:
            raise KeyboardInterrupt

    data = many("graded", seed=1)
    scorer, watch, seen = fit(data, callback=interrupt)
    assert (watch.stopped, len(seen)) == ("interrupt", iteration + 1)
    best = int(np.argmin([step.objective for step in watch.history]))
    np.testing.assert_array_equal(scorer.weights, seen[best])
    again, stopped, _ = fit(data, callback=lambda step: step.iteration == iteration)
    assert stopped.stopped == "callback"
    np.testing.assert_array_equal(again.weights, scorer.weights)


def test_an_interrupt_before_anything_was_seen_is_passed_on(fit: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Lists, "of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit(many("graded", seed=1))


def test_the_named_algorithm_is_this_training_and_takes_measures_that_are_larger_for_better(fit: Fit) -> None:
    data = many("top-k", seed=3)
    model = algorithms.fit("adarank", data, {"target": "k-ndcg@4", "repeats": 2, "max_iter": 8}, seed=5)
    expected, watch, _ = fit(data, target="k-ndcg@4", repeats=2, max_iter=8)
    assert isinstance(model.scorer, LinearScorer)
    assert model.scorer.as_plain() == expected.as_plain()
    assert model.training["objective"] == min(step.objective for step in watch.history)
    for wrong in ("wkt", "ndgc", 3):
        with pytest.raises((DataError, UnknownName), match="target must be the name of a measure that is larger for better rankings"):
            algorithms.fit("adarank", data, {"target": wrong})


def test_a_measure_that_is_almost_0_for_every_feature_still_chooses() -> None:
    """NDCG of a full order of 3,000: the gain of the best is 2^3000, so every feature that does not put it first earns next to nothing."""
    random = np.random.default_rng(0)
    order = random.permutation(3000).astype(float)
    table = np.column_stack([order + random.normal(size=3000) * 300, random.normal(size=3000)])
    scorer, _ = fit_adarank(Dataset.from_arrays(table, order), AdaRankSettings(repeats=0))
    assert scorer.weights.any()
