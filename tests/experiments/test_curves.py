"""What the points of a curve change."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from podium import DataError, algorithms, synthetic
from podium.experiments.curves import arms, point_name, point_settings, points, training_set
from podium.experiments.facts import FULL, Arm, Axis, Config, DataSpec, Labelling, RankerSpec, Synthetic, TruthSpec
from podium.experiments.spending import labelled

TRAIN = synthetic(queries=6, documents=15, features=3, seed=1)
LISTMLE = RankerSpec("top-k ListMLE", "top-k-listmle")


def config(over: str = "", *given: int | float | str, **changed: Any) -> Config:
    curve = Axis(over, given) if over else None
    whole = Config(
        "test", "", "", DataSpec(synthetic=Synthetic()), TruthSpec(train="top-k", k=4), (LISTMLE,), ("k-ndcg@10",), "k-ndcg@10", ""
    )
    return dataclasses.replace(whole, curve=curve, **changed)


def trained_on(experiment: Config, point: Any, seed: int = 0) -> Any:
    return training_set(TRAIN, experiment, arms(experiment)[0], point, seed)


def test_without_a_curve_there_is_one_point_without_a_name_and_a_line_a_ranker() -> None:
    other = RankerSpec("RankNet", "ranknet")
    plain = config(rankers=(LISTMLE, other))
    assert points(plain) == ("",)
    assert arms(plain) == (Arm("top-k ListMLE", LISTMLE), Arm("RankNet", other))
    assert point_settings(plain, arms(plain)[0], "") == {}
    data, judgments = trained_on(plain, "")
    assert data.labels.tolist() == TRAIN.top_k(4).labels.tolist()
    assert judgments is None


def test_points_are_named_as_they_are_written() -> None:
    assert [point_name(point) for point in (10, 0.05, 0.1 + 0.2, 1.0, FULL, "all", "")] == ["10", "0.05", "0.3", "1", "full", "all", ""]


def test_over_k_rankers_learn_from_the_order_of_the_best_k() -> None:
    curve = config("k", 1, 3, FULL, truth=TruthSpec(train="given", k=4))
    assert points(curve) == (1, 3, FULL)
    for k in (1, 3):
        assert trained_on(curve, k)[0].labels.tolist() == TRAIN.top_k(k).labels.tolist()
    assert trained_on(curve, FULL)[0].labels.tolist() == TRAIN.labels.tolist()  # the collection has no ties


def test_over_k_the_setting_follows_the_point_where_there_is_one_that_is_not_fixed() -> None:
    curve = config("k", 1, FULL)
    assert point_settings(curve, arms(curve)[0], 1) == {"k": 1}
    assert point_settings(curve, Arm("", RankerSpec("", "top-k-listmle", settings={"k": 10})), 1) == {}
    assert point_settings(curve, Arm("", RankerSpec("", "ranknet")), 1) == {}


def test_at_full_every_document_is_on_top() -> None:
    curve = config("k", FULL)
    settings = point_settings(curve, arms(curve)[0], FULL)
    full = algorithms.fit("top-k-listmle", TRAIN, {**settings, "max_iter": 5})
    listmle = algorithms.fit("listmle", TRAIN, {"max_iter": 5})
    assert np.array_equal(full.scorer.weights, listmle.scorer.weights)


def test_over_balance_only_that_setting_changes() -> None:
    focused = RankerSpec("FocusedNet", "focused-net")
    curve = config("balance", 0.0, 0.05, rankers=(focused, LISTMLE))
    assert [point_settings(curve, arm, 0.05) for arm in arms(curve)] == [{"balance": 0.05}, {}]
    assert trained_on(curve, 0.05)[0].labels.tolist() == TRAIN.top_k(4).labels.tolist()


def test_over_queries_a_larger_draw_holds_the_smaller_ones_and_all_is_all() -> None:
    curve = config("queries", 2, 4, "all")
    two, four, every = (trained_on(curve, point)[0] for point in points(curve))
    assert [part.n_queries for part in (two, four, every)] == [2, 4, 6]
    assert set(two.query_ids) < set(four.query_ids)
    assert every.equals(TRAIN.top_k(4))
    assert two.equals(TRAIN.top_k(4).select_queries(list(two.query_ids)))  # a query keeps its truth
    assert len({tuple(trained_on(curve, 2, seed)[0].query_ids) for seed in range(10)}) > 1


@pytest.mark.parametrize("point", [0, 7])
def test_a_point_over_queries_that_a_fold_does_not_have_is_refused(point: int) -> None:
    with pytest.raises(DataError, match=f"point {point}, but a fold has 6 training queries; write 'all'"):
        trained_on(config("queries", point), point)


def test_over_judgments_each_ranker_has_a_line_for_every_strategy_and_accuracy() -> None:
    curve = config("judgments", 100, labelling=Labelling(("heap", "insertion"), (1.0, 0.875), k=3))
    assert [arm.name for arm in arms(curve)] == [
        "top-k ListMLE · heap · 100 %", "top-k ListMLE · heap · 87.5 %",
        "top-k ListMLE · insertion · 100 %", "top-k ListMLE · insertion · 87.5 %",
    ]  # fmt: skip
    assert [(arm.strategy, arm.accuracy) for arm in arms(curve)[1:3]] == [("heap", 0.875), ("insertion", 1.0)]


def test_over_judgments_rankers_learn_from_what_was_asked_for_the_budget() -> None:
    curve = config("judgments", 100, labelling=Labelling(("heap",), (0.8,), k=3))
    every = labelled(TRAIN, strategy="heap", accuracy=0.8, k=3, seed=0)
    data, judgments = trained_on(curve, 100)
    assert 1 <= data.n_queries < 6
    chosen = [list(TRAIN.query_ids).index(query) for query in data.query_ids]
    assert data.equals(every.data.select_queries(chosen))
    assert judgments == every.costs[chosen].sum() <= 100
    assert trained_on(curve, 10_000)[1] == every.costs.sum()
    assert point_settings(curve, arms(curve)[0], 100) == {}
