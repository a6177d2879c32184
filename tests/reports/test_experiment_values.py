"""Values of a run as an array, means over folds, and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reports.experiment_runs import CURVE, JUDGMENTS, TABLE, curve_run, made, table_run

from podium.errors import DataError, UnknownName
from podium.reports.experiments.values import arm_called, fold_mean, intervals, p_values, resampled, run_values, shown_points
from podium.results import compare


def test_a_mean_is_that_of_fold_means_and_not_of_queries() -> None:
    cells = {("ListMLE", "", "ndcg@10"): ([1.0, 0.0, 0.5, 0.5], [0.0])}
    values = run_values(made(TABLE, cells))
    assert fold_mean(values.of, values.folds).ravel().tolist() == [(2.0 / 4 + 0.0) / 2]  # over queries it would be 2 / 5


def test_seeds_are_averaged_for_each_query_first() -> None:
    values = run_values(made(TABLE, {("ListMLE", "", "ndcg@10"): ([0.1, 0.4],)}, seeds={0: 0.0, 7: 0.2}))
    np.testing.assert_allclose(values.at("ListMLE", "", "ndcg@10"), [0.2, 0.5])


def test_a_value_that_is_left_out_counts_nowhere() -> None:
    cells = {("ListMLE", "", "ndcg@10"): ([0.2, np.nan, 0.4], [np.nan, np.nan])}
    values = run_values(made(TABLE, cells))
    assert fold_mean(values.of, values.folds).item() == pytest.approx(0.3)
    low, high = intervals(values.of, values.folds)
    assert 0.2 <= low.item() < 0.3 < high.item() <= 0.4


def test_points_stand_from_small_to_large_and_full_last_whatever_their_order() -> None:
    cells = {("ListMLE", point, "ndcg@10"): ([0.1],) for point in ("full", "100", "10", "1")}
    assert run_values(made(CURVE, cells)).points == ("1", "10", "100", "full")


def test_rankers_stand_in_the_order_of_the_config() -> None:
    cells = {(arm, "", "ndcg@10"): ([0.1],) for arm in ("Rank_Net <x>", "ListMLE")}
    assert run_values(made(TABLE, cells)).arms == ("ListMLE", "Rank_Net <x>")


def test_an_interval_is_that_of_queries_drawn_again_within_folds() -> None:
    generator = np.random.default_rng(5)
    values, folds = generator.random(60), np.repeat([0, 1, 2], 20)
    low, high = intervals(values, folds)
    drawn = [np.mean([generator.choice(values[folds == fold], 20).mean() for fold in range(3)]) for _ in range(4_000)]  # one by one
    np.testing.assert_allclose([low, high], np.quantile(drawn, [0.025, 0.975]), atol=0.006)


def test_a_fold_is_drawn_from_its_own_queries_only() -> None:
    values, folds = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1])
    assert set(resampled(values, folds).tolist()) == {0.5}  # drawn from all four it would spread from 0 to 1


def test_one_draw_is_the_same_queries_for_all_arms() -> None:
    first = np.random.default_rng(0).random(50)
    drawn = resampled(np.stack([first, first + 0.25]), np.zeros(50, int))
    np.testing.assert_allclose(drawn[:, 1] - drawn[:, 0], 0.25)
    assert drawn[:, 0].std() > 0


def test_the_point_of_an_arm_is_the_best_on_validation_and_never_by_the_test_part() -> None:
    run = curve_run(validation={("ListMLE", "100"): 0.9, ("RankNet", "1"): 0.8})  # on test, 10 and full are best
    assert shown_points(run, run_values(run)) == {"ListMLE": "100", "RankNet": "1"}


def test_budgets_are_compared_at_the_last_point_that_all_arms_have() -> None:
    over = CURVE.replace('over = "k"', 'over = "queries"').replace('100, "full"]', '100, "all"]')
    cells = {(arm, point, "ndcg@10"): ([0.1, 0.2],) for arm in ("ListMLE", "RankNet") for point in ("1", "10", "100")}
    run = made(over, cells | {("RankNet", "all", "ndcg@10"): ([0.1, 0.2],)}, validation={("ListMLE", "1"): 0.9})
    assert shown_points(run, run_values(run)) == {"ListMLE": "100", "RankNet": "100"}
    apart = made(over, {("ListMLE", "1", "ndcg@10"): ([0.1],), ("RankNet", "10", "ndcg@10"): ([0.1],)})
    assert shown_points(apart, run_values(apart)) == {"ListMLE": "1", "RankNet": "10"}


def test_tests_of_many_rows_are_those_of_each_row_over_its_own_queries() -> None:
    rows = np.random.default_rng(2).normal(0.1, 0.3, (4, 30))
    rows[1, :7] = np.nan
    rows[2, :] = np.nan
    rows[3, 1:] = np.nan  # one query is too few
    found = p_values(rows, np.zeros(30, dtype=np.int64))
    alone = [compare(np.zeros(n), row[~np.isnan(row)]).randomisation for row, n in ((rows[0], 30), (rows[1], 23))]
    assert found[:2].tolist() == alone
    assert np.isnan(found[2:]).all()


def test_what_is_tested_is_the_difference_of_the_means_over_folds() -> None:
    """Two queries of a fold weigh as much as one of the other: 1/4 - 0.1/4 - 1/2 = -0.275, and 2 of 8 ways to swap are nearer to 0.

    They are 1/4 + 0.1/4 - 1/2 and its negative; the plain sum, -0.1, is the nearest that there is.
    """
    assert p_values(np.array([[1.0, -0.1, -1.0]]), np.array([0, 0, 1])).tolist() == [6 / 8]
    assert p_values(np.array([[1.0, -0.1, -1.0]]), np.array([0, 0, 0])).tolist() == [1.0]


def test_a_ranker_with_several_arms_is_called_by_its_first() -> None:
    text = JUDGMENTS + "accuracies = [1.0, 0.9]\n"
    run = made(text, {(f"ListMLE · heap · {share} %", "10", "ndcg@10"): ([0.1],) for share in (100, 90)})
    assert arm_called("ListMLE", run.config, run_values(run)) == "ListMLE · heap · 100 %"
    assert arm_called("ListMLE · heap · 90 %", run.config, run_values(run)) == "ListMLE · heap · 90 %"
    with pytest.raises(UnknownName, match="unknown ranker 'ListM'"):
        arm_called("ListM", run.config, run_values(run))


def test_a_dot_in_the_name_of_a_ranker_is_part_of_its_name() -> None:
    text = JUDGMENTS.replace('name = "ListMLE"', 'name = "ListMLE · l2"').replace('name = "RankNet"', 'name = "ListMLE"')
    run = made(text, {(f"{name} · heap · 100 %", "10", "ndcg@10"): ([0.1],) for name in ("ListMLE", "ListMLE · l2")})
    values = run_values(run)
    assert values.arms == ("ListMLE · l2 · heap · 100 %", "ListMLE · heap · 100 %")
    assert arm_called("ListMLE", run.config, values) == "ListMLE · heap · 100 %"
    assert arm_called("ListMLE · l2", run.config, values) == "ListMLE · l2 · heap · 100 %"


def test_a_run_without_rows_says_what_to_do() -> None:
    run = table_run()
    empty = {name: column[:0] for name, column in run.rows.items()}
    with pytest.raises(DataError, match="has no rows; run it again"):
        run_values(type(run)(run.config, run.facts, empty, run.trials, run.costs))
