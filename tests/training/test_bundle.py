"""Linear rankers of the SVM family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.training import explicit, planes
from tests.training.planes import groups_of, minimum, objective

import podium
from podium import DataError, Dataset, algorithms, losses, measures
from podium.ragged import Floats, Ints, spans
from podium.scaling import SCALINGS
from podium.training import passes
from podium.training.bundle import BundleSettings, fit_bundle
from podium.training.watching import Step, Validation, Watch

HINGE = losses.get("pairwise-hinge")
LOSS_OF = {"ranksvm": HINGE, "svmmap": losses.get("map-hinge"), "focused-svm": losses.get("focused-hinge", k=3, balance=0.4)}
over_algorithms = pytest.mark.parametrize("name", LOSS_OF)


@pytest.fixture(scope="module")
def data() -> Dataset:
    """Top-3 labels: 6 queries of 6 documents, 3 features."""
    return podium.synthetic(6, 6, 3, seed=3).top_k(3)


@pytest.fixture(scope="module")
def tied() -> Dataset:
    """Three grades: 5 queries of 7 documents, 3 features."""
    full = podium.synthetic(5, 7, 3, seed=5)
    return full.with_labels(np.ceil(full.labels / 3) - 1)


def fitted(data: Dataset, loss: Any = HINGE, *, seed: int = 0, **settings: Any) -> Floats:
    return fit_bundle(data, loss, BundleSettings(**{"scaling": "none", **settings}), seed=seed)[0].weights


def assert_is_least(groups: list[planes.Group], weights: Floats, watch: Watch, tol: float) -> None:
    """Within ``tol`` of the exact minimum; what is reported is so; and the bound is one."""
    exact, _ = minimum(groups)
    assert watch.stopped == "converged"
    assert watch.best is not None
    assert watch.best.objective == pytest.approx(objective(groups, weights), rel=1e-10)
    assert exact * (1 - 1e-7) <= watch.best.objective
    assert (watch.best.objective - exact) / watch.best.objective <= tol
    assert watch.bound <= exact * (1 + 1e-7)
    assert watch.history[-1].gap == pytest.approx((watch.best.objective - watch.bound) / watch.best.objective, abs=1e-12)
    assert watch.history[-1].gap <= tol


# ---- the optimum ----

KINDS: dict[str, Callable[[Dataset], Dataset]] = {
    "full orders": lambda full: full,
    "top-k labels": lambda full: full.top_k(2),
    "grades": lambda full: full.with_labels(np.ceil(full.labels / 3)),
}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0, 1e3])
@pytest.mark.parametrize("kind", KINDS)
def test_ranksvm_reaches_the_optimum_over_all_pairs(kind: str, C: float, seed: int) -> None:
    data = KINDS[kind](podium.synthetic(5, 7, 3, seed=seed))
    scorer, watch = fit_bundle(data, HINGE, BundleSettings(C=C, scaling="none", tol=1e-3))
    assert_is_least(groups_of(data, "ranksvm", C), scorer.weights, watch, 1e-3)
    model = algorithms.fit("ranksvm", data, {"C": C, "scaling": "none"})
    np.testing.assert_array_equal(model.scorer.weights, scorer.weights)
    assert watch.best is not None
    assert (model.training["objective"], model.training["bound"], model.training["gap"]) == (
        watch.best.objective, watch.bound, watch.history[-1].gap,
    )  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("n_relevant", [1, 2, 3])
def test_svmmap_reaches_the_optimum_over_all_orders_of_all_queries(n_relevant: int, C: float, seed: int) -> None:
    full = podium.synthetic(5, 5, 3, seed=seed)
    data = full.with_labels(np.maximum(full.labels - (5 - n_relevant), 0))
    model = algorithms.fit("svmmap", data, {"C": C, "scaling": "none"})
    scorer, watch = fit_bundle(data, LOSS_OF["svmmap"], BundleSettings(C=C, scaling="none"))
    assert_is_least(groups_of(data, "svmmap", C), scorer.weights, watch, 1e-3)
    np.testing.assert_array_equal(model.scorer.weights, scorer.weights)


@pytest.mark.parametrize("balance", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("kind", ["full orders", "grades"])
def test_focused_svm_reaches_the_optimum_over_all_cuts_orders_and_pairs(kind: str, C: float, balance: float) -> None:
    data = KINDS[kind](podium.synthetic(4, 7, 3, seed=4))
    scorer, watch = fit_bundle(data, losses.get("focused-hinge", k=4, balance=balance), BundleSettings(C=C, scaling="none"))
    assert_is_least(groups_of(data, "focused-svm", C, k=4, balance=balance), scorer.weights, watch, 1e-3)
    model = algorithms.fit("focused-svm", data, {"C": C, "scaling": "none", "k": 4, "balance": balance})
    np.testing.assert_array_equal(model.scorer.weights, scorer.weights)


@over_algorithms
@pytest.mark.parametrize("scaling", SCALINGS)
def test_features_are_scaled_as_asked(name: str, scaling: str) -> None:
    data = podium.synthetic(6, 6, 3, seed=3).top_k(3)
    shifted = Dataset.from_arrays(data.features * np.float32(3) + np.float32(7), data.labels, offsets=data.offsets)
    scorer, watch = fit_bundle(shifted, LOSS_OF[name], BundleSettings(C=1.0, scaling=scaling))
    assert_is_least(groups_of(shifted, name, 1.0, scaling, k=3, balance=0.4), scorer.weights, watch, 1e-3)


@over_algorithms
def test_a_smaller_tol_comes_closer(name: str, data: Dataset) -> None:
    groups = groups_of(data, name, 10.0, k=3, balance=0.4)
    exact, where = minimum(groups)
    gaps = []
    for tol in (0.3, 1e-2, 1e-4, 1e-6):
        scorer, watch = fit_bundle(data, LOSS_OF[name], BundleSettings(C=10.0, scaling="none", tol=tol))
        assert_is_least(groups, scorer.weights, watch, tol)
        gaps.append((len(watch.history), -objective(groups, scorer.weights)))
    assert sorted(gaps) == gaps
    np.testing.assert_allclose(scorer.weights, where, atol=3e-3 * np.abs(where).max())  # ½ |w - w*|² is within 1e-6 of the objective
    assert objective(groups, scorer.weights) == pytest.approx(exact, rel=1e-6)


@over_algorithms
def test_more_features_than_documents(name: str) -> None:
    """600 features: too many for a square matrix of curvatures."""
    few = podium.synthetic(3, 5, 2, seed=1)
    noise = np.random.default_rng(1).normal(size=(few.n_rows, 598)).astype(np.float32)
    wide = Dataset.from_arrays(np.hstack([few.features, noise]), few.with_labels(np.maximum(few.labels - 2, 0)).labels, offsets=few.offsets)
    C = 1e-3 if name == "ranksvm" else 0.1
    scorer, watch = fit_bundle(wide, LOSS_OF[name], BundleSettings(C=C, scaling="none"))
    assert np.count_nonzero(scorer.weights) > 500
    assert_is_least(groups_of(wide, name, C, k=3, balance=0.4), scorer.weights, watch, 1e-3)


def test_a_rehearsal_on_few_queries_changes_where_it_begins_and_not_where_it_ends() -> None:
    full = podium.synthetic(4000, 4, 3, seed=2)
    for data in (full, full.top_k(1)):
        (_, cold), (_, rehearsed) = (fit_bundle(data, HINGE, BundleSettings(C=0.01), start=start) for start in (np.zeros(3), None))
        assert cold.stopped == rehearsed.stopped == "converged"
        assert len(rehearsed.history) < len(cold.history)
        assert cold.history[0].objective > 1.5 * rehearsed.history[0].objective
        assert cold.best is not None
        assert rehearsed.best is not None
        assert max(cold.bound, rehearsed.bound) <= min(cold.best.objective, rehearsed.best.objective) * (1 + 1e-12)
        value = explicit.mean_loss(data, HINGE, rehearsed.weights, "standard")[0] * 4000 * 0.01 + rehearsed.weights @ rehearsed.weights / 2
        assert rehearsed.best.objective == pytest.approx(value, rel=1e-9)


# ---- one algorithm at the ends of another ----


@pytest.mark.parametrize("C", [0.3, 30.0])
def test_focused_svm_at_balance_0_is_ranksvm_between_top_and_rest(C: float) -> None:
    data = podium.synthetic(6, 8, 3, seed=7)
    focused = algorithms.fit("focused-svm", data, {"C": C, "k": 3, "balance": 0.0, "tol": 1e-6})
    on_top = data.with_labels((data.labels > 8 - 3).astype(float))
    pairs = algorithms.fit("ranksvm", on_top, {"C": C / (6 * 3 * 5), "tol": 1e-6})
    assert focused.training["objective"] == pytest.approx(pairs.training["objective"], rel=2e-6)
    np.testing.assert_allclose(focused.scorer.weights, pairs.scorer.weights, atol=5e-3 * np.abs(pairs.scorer.weights).max())


@pytest.mark.parametrize("C", [0.3, 30.0])
def test_focused_svm_at_balance_1_is_svmmap_on_the_top(C: float) -> None:
    data = podium.synthetic(6, 8, 3, seed=7)
    focused = algorithms.fit("focused-svm", data, {"C": C, "k": 2, "balance": 1.0, "tol": 1e-6, "scaling": "none"})
    top = data.labels > 8 - 2
    alone = Dataset.from_arrays(data.features[top], (data.labels[top] == 8).astype(float), offsets=np.arange(0, 13, 2))
    lists = algorithms.fit("svmmap", alone, {"C": C, "tol": 1e-6, "scaling": "none"})
    assert focused.training["objective"] == pytest.approx(lists.training["objective"], rel=2e-6)
    np.testing.assert_allclose(focused.scorer.weights, lists.scorer.weights, atol=5e-3 * np.abs(lists.scorer.weights).max())


# ---- how it begins and ends ----


@over_algorithms
def test_starting_from_the_optimum_takes_fewer_looks(name: str, data: Dataset) -> None:
    cold = algorithms.fit(name, data, {"C": 10.0, "tol": 1e-4})
    warm = algorithms.fit(name, data, {"C": 10.0, "tol": 1e-4}, start=cold)
    assert 0 < warm.training["iterations"] < cold.training["iterations"]
    assert warm.training["objective"] <= cold.training["objective"]
    assert warm.training["stopped"] == "converged"
    start = np.ones(3)
    fit_bundle(data, LOSS_OF[name], start=start)
    np.testing.assert_array_equal(start, 1.0)
    with pytest.raises(DataError, match="to start from a model, it must have 3 finite weights"):
        fit_bundle(data, LOSS_OF[name], start=np.ones(4))


def test_max_iter_ends_it(data: Dataset) -> None:
    for limit in (1, 3):
        _, watch = fit_bundle(data, HINGE, BundleSettings(C=10.0, tol=0.0, max_iter=limit))
        assert (watch.stopped, watch.history[-1].iteration) == ("max_iter", limit)
        assert watch.history[-1].gap > 0


@over_algorithms
def test_a_callback_sees_every_look_and_can_stop(name: str, data: Dataset) -> None:
    seen: list[Step] = []
    settings = BundleSettings(C=10.0, tol=1e-5)
    _, whole = fit_bundle(data, LOSS_OF[name], settings, callback=seen.append)  # append returns None: go on
    assert seen == whole.history
    assert [step.iteration for step in seen] == list(range(len(seen)))
    assert len(seen) > 4
    scorer, watch = fit_bundle(data, LOSS_OF[name], settings, callback=lambda step: step.iteration == 3)
    assert watch.stopped == "callback"
    assert [step.objective for step in watch.history] == [step.objective for step in seen[:4]]
    _, short = fit_bundle(data, LOSS_OF[name], BundleSettings(C=10.0, tol=1e-5, max_iter=3))
    np.testing.assert_array_equal(scorer.weights, short.weights)


@pytest.mark.parametrize("iteration", [0, 3])
def test_an_interrupt_returns_the_best_so_far(iteration: int, data: Dataset) -> None:
    def interrupt(step: Step) -> None:
        if step.iteration == iteration:
            raise KeyboardInterrupt

    settings = {"C": 10.0, "tol": 1e-5}
    model = algorithms.fit("ranksvm", data, settings, callback=interrupt)
    assert model.training["stopped"] == "interrupt"
    assert model.training["iterations"] == iteration
    stopped = algorithms.fit("ranksvm", data, settings, callback=lambda step: step.iteration == iteration)
    np.testing.assert_array_equal(model.scorer.weights, stopped.scorer.weights)
    assert model.training["objective"] == stopped.training["objective"]


def test_an_interrupt_before_anything_was_seen_is_passed_on(tied: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(passes, "break_ties", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit_bundle(tied, HINGE, BundleSettings(ties="break"))


def test_patience_keeps_the_best_on_validation() -> None:
    whole = podium.synthetic(46, 10, 3, seed=9)
    noise = np.random.default_rng(1).normal(size=(whole.n_rows, 12)).astype(np.float32)
    wide = Dataset.from_arrays(np.hstack([whole.features, noise]), whole.labels, offsets=whole.offsets)
    train, other = wide.select_queries(slice(0, 6)), wide.select_queries(slice(6, None))
    scorer, watch = fit_bundle(train, HINGE, BundleSettings(C=100.0, tol=0.0, patience=4), validation=Validation(other, "ndcg@3"))
    values = [step.validation for step in watch.history]
    assert None not in values
    assert watch.best is not None
    chosen = watch.best.iteration
    assert chosen == values.index(max(values))  # type: ignore[type-var]
    assert (watch.stopped, len(values) - 1) == ("patience", chosen + 4)
    assert (
        measures.mean(measures.get("ndcg@3")(scorer.scores(other.features, other.offsets), other.labels, other.offsets)) == values[chosen]
    )


# ---- the same bits ----


@over_algorithms
@pytest.mark.usefixtures("any_threads")
def test_the_same_bits_on_any_number_of_threads(name: str) -> None:
    full = podium.synthetic(80, 800, 3)
    data, found = full.with_labels(np.maximum(np.ceil(full.labels / 200) - 1, 0)), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(data.offsets, 20_000)) == number
        found.append(fitted(data, LOSS_OF[name], C=1e-5 if name == "ranksvm" else 10.0, scaling="standard", max_iter=4))
    assert (found[0] != 0).any()
    assert len({weights.tobytes() for weights in found}) == 1


# ---- ties ----


@pytest.mark.parametrize("name", ["ranksvm", "focused-svm"])
def test_breaking_ties_is_fitting_on_labels_with_ties_broken(name: str, tied: Dataset) -> None:
    broken = fitted(tied, LOSS_OF[name], seed=7, ties="break", C=10.0)
    np.testing.assert_array_equal(broken, fitted(tied.break_ties(seed=7), LOSS_OF[name], seed=7, C=10.0))
    assert (broken != fitted(tied, LOSS_OF[name], seed=7, C=10.0)).any()


@pytest.mark.parametrize("name", ["ranksvm", "focused-svm"])
def test_averaging_over_orders_minimises_the_mean_over_them(name: str, tied: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Floats] = []
    draw = passes.break_ties

    def recorded(labels: Floats, offsets: Ints, *, seed: int) -> Floats:
        drawn.append(draw(labels, offsets, seed=seed))
        return drawn[-1]

    monkeypatch.setattr(passes, "break_ties", recorded)
    settings = BundleSettings(C=2.0, ties="average", orders=3, scaling="none")
    scorer, watch = fit_bundle(tied, LOSS_OF[name], settings, seed=3)
    assert len({labels.tobytes() for labels in drawn}) == 3
    groups = [group for labels in drawn for group in groups_of(tied.with_labels(labels), name, 2.0 / 3, k=3, balance=0.4)]
    assert_is_least(groups, scorer.weights, watch, 1e-3)


@pytest.mark.parametrize("ties", ["break", "average", "resample"])
def test_svmmap_has_no_ties_to_break(ties: str, tied: Dataset) -> None:
    """An order numbers all documents from 1 on, and above 0 is relevant."""
    assert (fitted(tied, LOSS_OF["svmmap"], C=10.0) != 0).any()
    with pytest.raises(DataError, match=f"map-hinge knows relevant and other documents only, .* choose ties=keep, not {ties}"):
        fitted(tied, LOSS_OF["svmmap"], C=10.0, ties=ties)


# ---- what is refused, and what teaches nothing ----


def test_resampling_and_patience_without_validation_are_refused(tied: Dataset) -> None:
    with pytest.raises(
        DataError, match="ties=resample draws a new truth every iteration, which a bundle cannot follow; choose ties=average"
    ):
        fit_bundle(tied, HINGE, BundleSettings(ties="resample"))
    with pytest.raises(DataError, match="patience needs validation data"):
        fit_bundle(tied, HINGE, BundleSettings(patience=3))
    with pytest.raises(DataError, match="validation data has 2 features, training data 3"):
        fit_bundle(tied, HINGE, validation=Validation(tied.select_features([0, 1])))


@over_algorithms
@pytest.mark.parametrize("start", [None, np.array([1.0, -2.0, 0.5])])
def test_labels_without_preference_teach_nothing(name: str, start: Floats | None, data: Dataset) -> None:
    scorer, watch = fit_bundle(data.with_labels(np.ones(data.n_rows)), LOSS_OF[name], start=start)
    np.testing.assert_allclose(scorer.weights, 0.0, atol=1e-12)
    assert watch.stopped == "converged"
    assert watch.history[-1].gap == 0


@over_algorithms
def test_features_that_are_constant_get_no_weight(name: str, data: Dataset) -> None:
    table = data.features.copy()
    table[:, 1] = 5.0
    for scaling in ("standard", "none"):
        weights = fitted(Dataset.from_arrays(table, data.labels, offsets=data.offsets), LOSS_OF[name], scaling=scaling, C=10.0)
        assert abs(weights[1]) < 1e-12
        assert np.abs(weights).max() > 0.1


@over_algorithms
@pytest.mark.parametrize(("C", "size"), [(1e-9, 1.0), (1e9, 1.0), (1e-6, 1e-4), (1e6, 1e-4), (1e-6, 1e4), (1e3, 1e4)])
def test_any_size_of_features_and_any_weight_of_the_loss_is_solved(name: str, C: float, size: float, data: Dataset) -> None:
    sized = Dataset.from_arrays(data.features * np.float32(size), data.labels, offsets=data.offsets)
    scorer, watch = fit_bundle(sized, LOSS_OF[name], BundleSettings(C=C, scaling="none", max_iter=100))
    assert np.isfinite(scorer.weights).all()
    assert watch.stopped == "converged"
    assert watch.best is not None
    assert watch.best.objective == pytest.approx(objective(groups_of(sized, name, C, k=3, balance=0.4), scorer.weights), rel=1e-8)


@over_algorithms
@pytest.mark.parametrize("C", [1e2, 1e6, 1e12])
def test_data_that_can_be_ranked_without_a_mistake_is(name: str, C: float) -> None:
    data = podium.synthetic(5, 6, 3, seed=2)
    by_feature = data.with_labels(data.features @ np.array([1.0, -2.0, 0.5])).break_ties(seed=0).top_k(3)
    scorer, watch = fit_bundle(by_feature, LOSS_OF[name], BundleSettings(C=C, scaling="none", max_iter=100))
    assert watch.stopped == "converged"
    if C > 1e2:
        assert Validation(by_feature, "k-ndcg@3").value(scorer) == pytest.approx(1.0) or name == "svmmap"
        assert watch.best is not None
        assert watch.best.objective == pytest.approx(0.5 * scorer.weights @ scorer.weights, rel=2e-3)  # no loss is left


@pytest.mark.parametrize(("name", "seed", "C"), [("ranksvm", 2, 1e-3), ("svmmap", 4, 1e-3), ("focused-svm", 0, 1.0)])
def test_a_tol_of_0_ends_without_a_warning(name: str, seed: int, C: float) -> None:
    data = podium.synthetic(4, 6, 3, seed=seed).top_k(3)
    _, watch = fit_bundle(data, LOSS_OF[name], BundleSettings(C=C, scaling="none", tol=0.0, max_iter=60))
    assert watch.history[-1].gap < 1e-12


@over_algorithms
def test_the_proof_is_of_the_model_that_is_kept(name: str, data: Dataset) -> None:
    """With patience, validation chooses: the kept objective is not the least."""
    held = Validation(podium.synthetic(6, 8, data.n_features, seed=9).top_k(3), "ndcg@3")
    facts = fit_bundle(data, LOSS_OF[name], BundleSettings(C=100.0, patience=2), validation=held)[1].summary()
    assert facts["gap"] == pytest.approx((facts["objective"] - facts["bound"]) / facts["objective"], abs=1e-12)


def test_the_bound_is_not_above_the_objective_even_by_rounding() -> None:
    labels = np.tile(np.arange(10.0), 5)
    facts = podium.algorithms.fit("svmmap", Dataset.from_arrays(labels[:, None], labels, np.repeat(range(5), 10))).training
    assert facts["bound"] <= facts["objective"]


def test_a_loss_that_is_not_piecewise_linear_is_refused(data: Dataset) -> None:
    with pytest.raises(DataError, match="listmle is not piecewise linear, as a bundle of planes needs it; fit it by fit_linear"):
        fit_bundle(data, losses.get("listmle"))
