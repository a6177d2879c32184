"""The long table, and comparing two runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from podium import DataError, Results, UnknownName, compare
from podium.results import CORRECTIONS, compare_runs, correct, randomisation

VALUES = st.lists(st.floats(0, 1), min_size=2, max_size=8)


def table() -> Results:
    results = Results()
    results.add("old", ["1", "2", "3"], {"map": np.array([0.1, 0.2, 0.3]), "tau": np.array([0.5, np.nan, 0.1])})
    results.add("new", ["3", "1", "2"], {"map": np.array([0.6, 0.3, 0.4]), "tau": np.array([0.2, np.nan, 0.7])})
    return results


def test_means_leave_out_queries_without_a_value() -> None:
    assert table().mean("old", "tau") == (0.5 + 0.1) / 2
    nothing = Results()
    nothing.add("x", ["1"], {"tau": np.array([np.nan])})
    assert np.isnan(nothing.mean("x", "tau"))


def test_pairs_match_queries_whatever_their_order_and_only_where_both_have_a_value() -> None:
    old, new = table().pairs("old", "new", "map")
    assert old.tolist() == [0.1, 0.2, 0.3]
    assert new.tolist() == [0.3, 0.4, 0.6]
    old, new = table().pairs("old", "new", "tau")
    assert (old.tolist(), new.tolist()) == ([0.1], [0.2])


def test_the_table_reads_back_as_written() -> None:
    back = Results.from_csv(table().to_csv())
    assert back.to_csv() == table().to_csv()
    assert back.runs == ["old", "new"]
    assert back.measures == ["map", "tau"]
    assert np.isnan(back.values("old", "tau")[1])


def test_one_query_has_one_value() -> None:
    results = table()
    with pytest.raises(DataError, match="run 'old' has two values of map for query '1'"):
        results.add("old", ["1"], {"map": np.array([0.5])})
    results.add("old", ["1"], {"map": np.array([0.5])}, fold="Fold2")
    assert results.n_queries == 4


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "run,fold,query,measure,value\na,b\n", "run,fold,query,measure,value\na,,1,map,high\n"])
def test_a_text_that_is_no_table_of_results_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        Results.from_csv(text)


def test_unknown_runs_and_measures_list_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="unknown run 'odl'; did you mean 'old'"):
        table().mean("odl", "map")
    with pytest.raises(UnknownName, match="unknown measure 'mpa'"):
        table().mean("old", "mpa")


def test_swaps_that_differ_by_rounding_errors_only_are_equally_far() -> None:
    """The two swaps of 1.0 and -1.0 give the same mean, 0.0005, summed in another order; others may be nearer to 0."""
    differences = np.array([0.156, -0.442, 0.945, -1.0, 1.0, -0.656])
    nearer = sum(abs(np.dot(swap, differences)) < 0.003 - 1e-9 for swap in itertools.product([-1, 1], repeat=6))
    assert compare(np.zeros(6), differences).randomisation == (64 - nearer) / 64


@given(differences=VALUES, signs=st.data())
def test_small_randomisation_tests_count_every_way_to_swap(differences: list[float], signs: st.DataObject) -> None:
    """The exact p-value: the share of sign changes whose mean is at least as far from 0."""
    flips = signs.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(differences), max_size=len(differences)))
    moved = np.round(np.array(differences), 3) * flips
    found = compare(np.zeros(len(moved)), moved)
    as_far = [abs(np.dot(swap, moved)) >= abs(moved.sum()) - 1e-9 for swap in itertools.product([-1, 1], repeat=len(moved))]
    expected = np.mean(as_far)
    assert found.randomisation == pytest.approx(expected)
    assert (found.wins, found.losses, found.ties) == ((moved > 0).sum(), (moved < 0).sum(), (moved == 0).sum())


def test_the_t_test_is_scipys_paired_one() -> None:
    generator = np.random.default_rng(0)
    old, new = generator.random(50), generator.random(50)
    found = compare(old, new)
    assert found.t_test == pytest.approx(stats.ttest_rel(new, old).pvalue)
    assert found.difference == pytest.approx(new.mean() - old.mean())
    assert found.low < found.difference < found.high


def test_the_interval_is_about_as_wide_as_the_normal_one() -> None:
    differences = np.random.default_rng(0).normal(0.1, 1.0, 400)
    found = compare(np.zeros(400), differences)
    half = 1.96 * differences.std() / np.sqrt(400)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.1)


def test_the_same_seed_gives_the_same_comparison() -> None:
    generator = np.random.default_rng(0)
    old, new = generator.random(40), generator.random(40)
    assert compare(old, new, seed=1) == compare(old, new, seed=1)
    assert compare(old, new, seed=1) != compare(old, new, seed=2)


def test_runs_that_agree_everywhere_do_not_differ() -> None:
    found = compare(np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.3]))
    assert (found.t_test, found.randomisation, found.low, found.high, found.ties) == (1.0, 1.0, 0.0, 0.0, 3)


def test_differences_that_are_equal_but_for_rounding_errors_have_no_spread() -> None:
    old = np.linspace(0.1, 0.7, 8)
    new = old + 0.1
    assert len(set((new - old).tolist())) > 1
    found = compare(old, new)  # a warning of SciPy would be an error here
    assert (found.t_test, found.randomisation) == (0.0, 2 / 2**8)


def test_many_randomisation_tests_at_once_are_those_of_each_row() -> None:
    rows = np.random.default_rng(4).normal(0.05, 0.2, (3, 40))
    rows = np.vstack([rows, np.zeros(40), np.full(40, 0.1)])
    alone = [compare(np.zeros(40), row, seed=3, swaps=999).randomisation for row in rows]
    assert randomisation(rows, seed=3, swaps=999).tolist() == alone


def test_drawn_swaps_come_near_to_all_of_them_and_to_scipys() -> None:
    rows = np.random.default_rng(4).normal(0.1, 0.3, (5, 16))
    whole, drawn = randomisation(rows, swaps=2**16 - 1), randomisation(rows, swaps=2**16 - 2)
    assert not np.array_equal(whole, drawn)
    error = np.sqrt(whole * (1 - whole) / 2**16)
    assert (np.abs(drawn - whole) < 4 * error).all()
    for row, p in zip(rows, whole, strict=True):
        scipys = stats.permutation_test((row,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
        assert p == pytest.approx(scipys)


@pytest.mark.parametrize("n_queries", [17, 784, 2000])
def test_p_is_as_small_as_the_swaps_allow_and_small_enough_for_many_comparisons(n_queries: int) -> None:
    rows = np.random.default_rng(0).uniform(0.1, 1.0, (2, n_queries))
    assert randomisation(rows, swaps=999).tolist() == [1 / 1000, 1 / 1000]
    assert correct(randomisation(rows).tolist() * 100, "bonferroni")[0] < 0.01


def test_two_in_a_hundred_thousand_ways_are_counted_twice() -> None:
    """A run that is better on all of 17 queries: of all 2^17 ways to swap, two differ as much, whichever way the test looks."""
    found = compare(np.zeros(17), np.linspace(0.1, 0.5, 17), swaps=2**17 - 1)
    assert found.randomisation == 2 / 2**17


def test_what_cannot_be_compared_is_refused() -> None:
    for old, new in (([0.1], [0.2]), ([0.1, 0.2], [0.1]), ([0.1, np.nan], [0.1, 0.2])):
        with pytest.raises(DataError):
            compare(np.array(old), np.array(new))


def test_corrections_by_hand() -> None:
    p = [0.01, 0.04, 0.03]
    assert correct(p, "none") == p
    assert correct(p, "bonferroni") == pytest.approx([0.03, 0.12, 0.09])
    assert correct(p, "holm") == pytest.approx([3 * 0.01, 2 * 0.03, 2 * 0.03])  # the second may not be below the one before it
    assert correct(p, "fdr") == pytest.approx([3 * 0.01, 0.04, 0.04])
    assert correct([0.9, 0.8], "holm") == [1.0, 1.0]


@given(p=st.lists(st.floats(0, 1), max_size=6), method=st.sampled_from(CORRECTIONS))
def test_corrected_values_are_never_smaller_and_keep_their_order(p: list[float], method: str) -> None:
    corrected = correct(p, method)  # type: ignore[arg-type]
    assert all(after >= before and after <= 1 for before, after in zip(p, corrected, strict=True))
    assert all(corrected[i] <= corrected[j] for i in range(len(p)) for j in range(len(p)) if p[i] < p[j])


def test_an_unknown_correction_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="bonferroni, fdr, holm, none"):
        correct([0.5], "hlom")  # type: ignore[arg-type]


def test_every_other_run_is_compared_by_every_measure_and_corrected_over_all() -> None:
    results, generator = Results(), np.random.default_rng(0)
    for run in ("base", "one", "two"):
        results.add(run, [str(q) for q in range(30)], {"map": generator.random(30), "err": generator.random(30)})
    found = compare_runs(results, "base", correction="bonferroni")
    assert list(found) == [("one", "map"), ("one", "err"), ("two", "map"), ("two", "err")]
    assert all(p == min(1.0, 4 * comparison.randomisation) for comparison, p in found.values())
    assert all(comparison == compare(*results.pairs("base", *key)) for key, (comparison, _) in found.items())
