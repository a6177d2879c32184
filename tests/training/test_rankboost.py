"""RankBoost against the textbook's: a weight for every pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from tests.training import plain_boosting as plain
from tests.training.plain_boosting import Kind, many, ragged, rounds_of

import podium
from podium import DataError, Dataset, algorithms, losses, measures
from podium.ragged import Floats, offsets_of, spans
from podium.scaling import lines_of
from podium.scorers import WeakScorer
from podium.training.binning import bin_features
from podium.training.boosting import RankBoostSettings, fit_rankboost, weight_of
from podium.training.pairs import Pairs
from podium.training.watching import Step, Validation, Watch

over_kinds = pytest.mark.parametrize("kind", get_args(Kind))
over_scalings = pytest.mark.parametrize("scaling", ["none", "minmax"])


def table_of(data: Dataset, scaling: str) -> Floats:
    return plain.minmax(data.features, data.offsets) if scaling == "minmax" else data.features.astype(np.float64)


def pairs_of(data: Dataset, scaling: str, bins: int = 256) -> Pairs:
    ordered = losses.get("pairwise-exponential").prepare(data.labels, data.offsets)
    lines = lines_of(data.features, data.offsets, scaling)
    return Pairs(bin_features(data.features, data.offsets, lines, ordered.order, bins), ordered, np.zeros(data.n_rows))


def fitted(data: Dataset, *, seed: int = 0, **settings: Any) -> tuple[WeakScorer, Watch]:
    return fit_rankboost(data, RankBoostSettings(**settings), seed=seed)


def scores_of(scorer: WeakScorer, data: Dataset) -> Floats:
    return scorer.scores(data.features, data.offsets)


def rankers_of(table: Floats, thresholds: list[Any]) -> list[list[Floats]]:
    """For every feature, the ranker of each of its thresholds."""
    return [[plain.above(table, f, threshold) for threshold in cuts] for f, cuts in enumerate(thresholds)]


# ---- the textbook's ----


@over_scalings
@pytest.mark.parametrize(
    "data", [ragged("graded", seed=1), ragged("full", seed=1), ragged("top-k", seed=1), many("full", sizes=[3, 4] * 40)]
)
def test_potentials_loss_and_the_gain_of_every_threshold_are_those_of_explicit_pairs(data: Dataset, scaling: str) -> None:
    pairs, textbook = pairs_of(data, scaling, bins=16), plain.Pairs.of_labels(data)
    rankers = rankers_of(table_of(data, scaling), pairs.binned.thresholds)
    rows = pairs.ordered.order + np.repeat(data.offsets[:-1], data.sizes)
    assert textbook.weights == [1 / len(textbook.pairs)] * len(textbook.pairs)
    chosen: tuple[Any, ...] = ()
    for number in range(50):
        loss, gains = pairs.look(*chosen)
        assert loss == pytest.approx(textbook.loss(), rel=1e-10)
        np.testing.assert_allclose(pairs.scores, textbook.scores[rows], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(pairs.potentials / loss, textbook.potentials()[rows], rtol=1e-9, atol=1e-12)
        assert gains.shape == (data.n_features, 255)
        expected = np.zeros(gains.shape)
        for f, of_feature in enumerate(rankers):
            expected[f, : len(of_feature)] = [textbook.gain(h) for h in of_feature]
        np.testing.assert_allclose(gains, expected, atol=1e-10)
        place = np.unravel_index(np.argsort(-np.abs(expected), axis=None)[number % 3], expected.shape)  # not always the best
        feature, cut, alpha = int(place[0]), int(place[1]), plain.weight(float(expected[place]))
        textbook.add(rankers[feature][cut], alpha)
        chosen = feature, cut, alpha


@over_kinds
@over_scalings
def test_every_round_adds_the_threshold_of_largest_gain_with_the_weight_of_that_gain(kind: Kind, scaling: str) -> None:
    data = ragged(kind, seed=2)
    scorer, watch = fitted(data, scaling=scaling, max_iter=50, tol=0.0)
    assert (watch.stopped, len(watch.history)) == ("max_iter", 51)
    textbook, table = plain.Pairs.of_labels(data), table_of(data, scaling)
    thresholds = pairs_of(data, scaling).binned.thresholds
    rankers = rankers_of(table, thresholds)
    for number, (feature, threshold, alpha) in enumerate(rounds_of(watch)):
        assert threshold is not None
        assert np.float32(threshold) in thresholds[feature]
        h = plain.above(table, feature, threshold)
        gain, largest = textbook.gain(h), max(abs(textbook.gain(other)) for of_feature in rankers for other in of_feature)
        assert abs(gain) >= largest - 1e-10
        assert alpha == pytest.approx(0.5 * math.log((1 + gain) / (1 - gain)), rel=1e-9)
        textbook.add(h, alpha)
        assert watch.history[number + 1].objective == pytest.approx(textbook.loss() / data.n_queries, rel=1e-10)
    np.testing.assert_allclose(scores_of(scorer, data), textbook.scores, atol=1e-10)
    assert watch.history[0].objective == pytest.approx(len(textbook.pairs) / data.n_queries)
    assert len({feature for feature, _, _ in rounds_of(watch)}) > 1


def test_one_round_worked_by_hand() -> None:
    """Two queries, pairs a > b, a > c and d > e. Above 1.5 are a, b and d: of three pairs two are right, none is wrong: r = 2/3."""
    data = Dataset.from_arrays(np.array([[3.0], [2.0], [1.0], [2.0], [1.0]]), [1, 0, 0, 1, 0], offsets=[0, 3, 5])
    loss, gains = pairs_of(data, "none").look()
    assert loss == 3
    np.testing.assert_allclose(gains[0, :3], [2 / 3, 2 / 3, 0], atol=1e-15)  # above 1.5; above 2.5, which is a alone: a > b, a > c
    scorer, watch = fitted(data, max_iter=1)
    assert [rank[2] for rank in scorer.rounds()] == [pytest.approx(0.5 * math.log(5))]
    assert watch.history[1].objective == pytest.approx((2 / math.sqrt(5) + 1) / 2)  # two pairs with e^-α, one as it was, over two queries


def test_a_small_gain_is_a_gain() -> None:
    """Of 2001 pairs, 1001 are right above the threshold and 1000 wrong: r = 1/2001."""
    features = np.tile([1.0, 0.0], 2001)[:, None]
    labels = np.array([1.0, 0.0] * 1001 + [0.0, 1.0] * 1000)
    scorer, _ = fitted(Dataset.from_arrays(features, labels, offsets=np.arange(0, 4003, 2)), max_iter=1)
    assert scorer.rounds() == [(0, 0.5, pytest.approx(0.5 * math.log(2002 / 2000), rel=1e-9))]


@pytest.mark.parametrize("gain", [-0.9, -1e-3, 0.0, 0.25, 0.999])
def test_the_weight_of_a_gain(gain: float) -> None:
    assert weight_of(gain) == pytest.approx(0.5 * math.log((1 + gain) / (1 - gain)), abs=1e-15)


def test_a_perfect_gain_has_a_finite_weight() -> None:
    assert 5 < weight_of(1.0) < 50
    assert weight_of(-1.0) == -weight_of(1.0)
    assert weight_of(1.0 + 1e-15) == weight_of(1.0)


@over_kinds
def test_the_exponential_loss_never_rises(kind: Kind) -> None:
    for seed in range(5):
        _, watch = fitted(ragged(kind, seed=seed), max_iter=100, tol=0.0, bins=8)
        objectives = [step.objective for step in watch.history]
        assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(objectives))
        assert objectives[-1] < 0.7 * objectives[0]


def test_each_feature_gains_what_explicit_pairs_say_of_its_scaled_values() -> None:
    data = many("top-k", seed=4, sizes=[5, 1, 6, 0] * 18)
    pairs, textbook, table = pairs_of(data, "minmax"), plain.Pairs.of_labels(data), plain.minmax(data.features, data.offsets)
    rankers = rankers_of(table, pairs.binned.thresholds)
    loss, _ = pairs.look()
    for feature, cut in ((2, 1), (4, 7), (8, 0)):
        found = pairs.feature_gains(np.ascontiguousarray(data.features), lines_of(data.features, data.offsets, "minmax"), loss)
        np.testing.assert_allclose(found, [textbook.gain(table[:, f]) for f in range(12)], atol=1e-10)
        assert np.abs(found).max() > 0.05
        loss, _ = pairs.look(feature, cut, 0.4)
        textbook.add(rankers[feature][cut], 0.4)


# ---- when it ends ----


def test_it_ends_after_the_rounds_asked_for_or_where_the_loss_stands_still() -> None:
    data = ragged("graded", seed=3).select_features([2, 3])  # four values each: no sum of thresholds separates
    _, watch = fitted(data, max_iter=7, tol=0.0)
    assert (watch.stopped, watch.history[-1].iteration) == ("max_iter", 7)
    for tol in (0.02, 0.003, 1e-4):
        _, watch = fitted(data, tol=tol, max_iter=1000)
        assert watch.stopped == "converged"
        objectives = [step.objective for step in watch.history]
        changes = [(before - after) / before for before, after in itertools.pairwise(objectives)]
        assert changes[-1] <= tol < min(changes[:-1])


@pytest.mark.parametrize("labels", [[1, 1, 1, 1], [2, 2, 0, 0]])
def test_without_any_pair_nothing_is_learned(labels: list[float]) -> None:
    data = Dataset.from_arrays(np.random.default_rng(0).normal(size=(4, 2)), labels, offsets=[0, 2, 2, 4])
    scorer, watch = fitted(data)
    assert scorer.rounds() == []
    assert [(step.iteration, step.objective) for step in watch.history] == [(0, 0.0)]
    assert watch.stopped == "converged"
    np.testing.assert_array_equal(scores_of(scorer, data), 0.0)


def test_constant_features_teach_nothing() -> None:
    data = ragged("full").select_features([4, 5])
    scorer, watch = fitted(data.select_features([0]))
    assert (scorer.rounds(), watch.stopped, len(watch.history)) == ([], "converged", 1)
    scorer, watch = fitted(data, scaling="minmax")
    assert (scorer.rounds(), watch.stopped) == ([], "converged")


@pytest.mark.parametrize("sign", [1, -1])
def test_perfect_separation_gives_finite_weights_and_ends(sign: int) -> None:
    data = Dataset.from_arrays(np.array([[1.0, 0], [0, 1], [1, 5], [0, 2]]) * sign, [1, 0, 1, 0], offsets=[0, 2, 4])
    scorer, watch = fitted(data, max_iter=2000, tol=0.0)
    assert watch.stopped in ("converged", "max_iter")
    (rank,) = scorer.rounds()
    assert (rank[0], rank[1]) == (0, 0.5 * sign)
    assert 5 < sign * rank[2] < math.inf
    assert all(math.isfinite(step.objective) for step in watch.history)
    assert watch.history[-1].objective < 1e-6
    scores = scores_of(scorer, data)
    assert np.isfinite(scores).all()
    assert (scores[[0, 2]] > scores[[1, 3]]).all()


def split(seed: int = 5) -> tuple[Dataset, Dataset]:
    """Four queries to learn from and thirty to choose by: the best comes early."""
    whole = ragged("graded", seed=seed, sizes=[9] * 34)
    return whole.select_queries(slice(0, 4)), whole.select_queries(slice(4, None))


@over_scalings
@pytest.mark.parametrize("measure", ["ndcg@3", "map"])
def test_patience_keeps_the_rounds_that_are_best_on_validation(scaling: str, measure: str) -> None:
    train, other = split()
    settings = RankBoostSettings(patience=10, tol=0.0, scaling=scaling)
    scorer, watch = fit_rankboost(train, settings, validation=Validation(other, measure))
    values = []
    for count in range(len(watch.history)):
        scores = watch.scorer(np.array([float(count)])).scores(other.features, other.offsets)
        values.append(measures.mean(measures.get(measure)(scores, other.labels, other.offsets)))
    np.testing.assert_allclose([step.validation for step in watch.history], values, atol=1e-12)  # type: ignore[arg-type]
    assert watch.best is not None
    chosen = watch.best.iteration
    assert values[chosen] == pytest.approx(max(values), abs=1e-12)
    assert chosen == next(place for place, value in enumerate(values) if value > max(values) - 1e-12)
    assert (watch.stopped, len(values) - 1) == ("patience", chosen + 10)
    assert chosen > 0
    short, _ = fitted(train, max_iter=chosen, tol=0.0, scaling=scaling)
    assert scorer.rounds() == short.rounds()


@over_scalings
def test_the_validation_of_a_training_with_one_query_is_that_of_the_partial_models(scaling: str) -> None:
    """One query of training has one line of shifts and factors; those of validation queries are still their own."""
    train, other = split()
    train = train.select_queries([0])
    _, watch = fit_rankboost(train, RankBoostSettings(scaling=scaling, max_iter=5), validation=Validation(other), callback=lambda _: None)
    assert len(watch.history) > 2
    for count, step in enumerate(watch.history):
        model = watch.scorer(np.array([float(count)]))
        assert step.validation == pytest.approx(Validation(other).value(model), abs=1e-12)


def test_patience_without_validation_is_refused() -> None:
    with pytest.raises(DataError, match="patience needs validation data"):
        fitted(ragged(), patience=3)


# ---- what changes nothing, and what does ----


@over_scalings
@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_changes_no_bit_of_the_model(scaling: str) -> None:
    random = np.random.default_rng(7)
    sizes = [800] * 38 + [0, 1, 1599]
    features = random.normal(size=(sum(sizes), 11)).astype(np.float32)
    labels = np.clip(np.round(features[:, 0] + features[:, 9] + random.normal(size=len(features))), 0, 4)
    data, found = Dataset.from_arrays(features, labels, offsets=offsets_of(sizes)), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(data.offsets, 5_000)) == number
        scorer, watch = fitted(data, scaling=scaling, max_iter=6)
        found.append((repr(scorer.as_plain()), [step.objective for step in watch.history]))
    assert found[0] == found[1] == found[2]
    assert len(watch.history) == 7


@over_scalings
@pytest.mark.parametrize("kind", ["graded", "full"])
def test_ten_rounds_and_ten_more_from_there_are_twenty(kind: Kind, scaling: str) -> None:
    data = ragged(kind, seed=6).select_features([0, 1])
    whole, _ = fitted(data, scaling=scaling, max_iter=20, tol=0.0)
    first, cold = fitted(data, scaling=scaling, max_iter=10, tol=0.0)
    second, watch = fit_rankboost(data, RankBoostSettings(scaling=scaling, max_iter=10, tol=0.0), start=first)
    assert watch.history[0].objective == pytest.approx(cold.history[-1].objective, rel=1e-12)
    assert len(watch.history) == 11
    assert [place[:2] for place in second.rounds()] == [place[:2] for place in whole.rounds()]
    np.testing.assert_allclose(second.steps, whole.steps, rtol=1e-9)
    assert second.steps.tolist() != first.steps.tolist()


def test_a_start_on_other_data_begins_at_the_loss_of_the_model_it_goes_on_from() -> None:
    """With one line for all rows, that line belongs to the model: its thresholds mean nothing on another."""
    one, other = ragged("graded", seed=6), ragged("graded", seed=7)
    other = Dataset.from_arrays(other.features * 5 + 2, other.labels, offsets=other.offsets)
    first, _ = fitted(one, scaling="standard", max_iter=10)
    _, watch = fit_rankboost(other, RankBoostSettings(scaling="standard", max_iter=3, tol=0.0), start=first)
    loss = losses.get("pairwise-exponential")
    for count, step in enumerate(watch.history):
        scores = watch.scorer(np.array([float(count)])).scores(other.features, other.offsets)
        assert step.objective == pytest.approx(loss(scores, other.labels, other.offsets).per_query.mean(), rel=1e-9)


def test_a_start_of_another_width_or_scaling_is_refused() -> None:
    data = ragged()
    first, _ = fitted(data, max_iter=2)
    with pytest.raises(DataError, match="both must scale features alike: it has none; train it with scaling=minmax"):
        fit_rankboost(data, RankBoostSettings(scaling="minmax"), start=first)
    with pytest.raises(DataError, match="it must have as many features as the data: it has 6, not 2"):
        fit_rankboost(data.select_features([0, 1]), start=first)


def test_breaking_ties_is_training_on_broken_ties() -> None:
    data = ragged("graded", seed=8)
    broken, _ = fitted(data, seed=5, ties="break", max_iter=12)
    expected, _ = fitted(data.break_ties(seed=5), ties="keep", max_iter=12)
    assert broken.as_plain() == expected.as_plain()
    assert broken.as_plain() != fitted(data, max_iter=12)[0].as_plain()
    assert broken.as_plain() != fitted(data, seed=6, ties="break", max_iter=12)[0].as_plain()


@pytest.mark.parametrize("ties", ["average", "resample"])
def test_several_truths_are_refused(ties: str) -> None:
    with pytest.raises(DataError, match=f"boosting learns from one truth: choose ties=keep or ties=break, not {ties}"):
        fitted(ragged(), ties=ties)


def test_the_order_of_rows_and_of_queries_does_not_matter() -> None:
    data = ragged("graded", seed=9).select_features([0, 1, 2])
    random = np.random.default_rng(0)
    rows = np.concatenate([random.permutation(rows) for rows in plain.rows_of(data.offsets) if len(rows)])
    permuted = Dataset.from_arrays(data.features[rows], data.labels[rows], offsets=data.offsets)
    turned = data.select_queries(list(range(data.n_queries))[::-1])
    expected = fitted(data, max_iter=15, tol=0.0)[0]
    for other in (permuted, turned):
        found = fitted(other, max_iter=15, tol=0.0)[0]
        assert [place[:2] for place in found.rounds()] == [place[:2] for place in expected.rounds()]
        np.testing.assert_allclose(found.steps, expected.steps, rtol=1e-9)


# ---- callbacks and interrupts ----


def interrupt_at(iteration: int) -> Callable[[Step], None]:
    def callback(step: Step) -> None:
        if step.iteration == iteration:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("iteration", [0, 4])
def test_a_callback_that_interrupts_or_stops_keeps_the_best_so_far(iteration: int) -> None:
    data = ragged(seed=10)
    scorer, watch = fit_rankboost(data, RankBoostSettings(tol=0.0), callback=interrupt_at(iteration))
    assert (watch.stopped, watch.history[-1].iteration) == ("interrupt", iteration)
    again, stopped = fit_rankboost(data, RankBoostSettings(tol=0.0), callback=lambda step: step.iteration == iteration)
    assert stopped.stopped == "callback"
    expected = fitted(data, max_iter=iteration, tol=0.0)[0].rounds() if iteration else []
    assert scorer.rounds() == again.rounds() == expected


def test_an_interrupt_before_anything_was_seen_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Pairs, "look", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fitted(ragged())


def test_the_named_algorithm_is_this_training() -> None:
    data = ragged("top-k", seed=11)
    model = algorithms.fit("rankboost", data, {"max_iter": 9, "bins": 32, "scaling": "minmax"})
    expected, watch = fitted(data, max_iter=9, bins=32, scaling="minmax")
    assert isinstance(model.scorer, WeakScorer)
    assert model.scorer.as_plain() == expected.as_plain()
    assert model.training == {"queries": data.n_queries, "documents": data.n_rows, **watch.summary()}
    more = algorithms.fit("rankboost", data, {"max_iter": 1, "bins": 32, "scaling": "minmax", "tol": 0.0}, start=model)
    assert more.training["objective"] < model.training["objective"]
