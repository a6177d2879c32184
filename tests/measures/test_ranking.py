"""Ranking and evaluate: what goes in, what is refused at the door, and one sort for all measures."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.measures.strategies import LABELS_AT_LENGTH, Lists, at_cutoffs, distinct_scores, partial_rankings, rankings, strict_labels

import podium
from podium import DataError
from podium.measures import MEASURES, Ranking, evaluate, evaluate_ranking, get, mean
from podium.ragged import offsets_of, spans

NAN, INF = math.nan, math.inf


def test_documents_are_ranked_by_score_and_equal_scores_keep_the_order_of_the_input() -> None:
    ranking = Ranking([1, 2, 2, 0.0, -0.0, 5], labels=[1, 2, 3, 4, 5, 6], offsets=[0, 3, 6])
    assert ranking.order.tolist() == [1, 2, 0, 5, 3, 4]
    assert ranking.ranked(None)[0].tolist() == [2, 3, 1, 6, 4, 5]


def test_ideal_is_the_labels_highest_first() -> None:
    ideal, offsets = Ranking([1, 2, 3, 1], labels=[0, 2, 1, 7], offsets=[0, 3, 4]).ideal(None)
    assert (ideal.tolist(), offsets.tolist()) == ([2, 1, 0, 7], [0, 3, 4])


def test_the_best_of_each_query_have_offsets_of_their_own() -> None:
    labels, offsets = Ranking([*range(80), 9], labels=[*range(80), 7], offsets=[0, 80, 81]).ranked(2)
    assert (labels.tolist(), offsets.tolist()) == ([79, 78, 7], [0, 2, 3])


def test_short_lists_are_ranked_whole_which_is_faster() -> None:
    labels, offsets = Ranking([1, 2, 3, 1], labels=[0, 2, 1, 7], offsets=[0, 3, 4]).ranked(2)
    assert (labels.tolist(), offsets.tolist()) == ([1, 2, 0, 7], [0, 3, 4])


@pytest.mark.parametrize("kind", LABELS_AT_LENGTH)
@pytest.mark.parametrize("depth", [1, 2, 10, 64, 65, None])
def test_found_and_ideal_labels_are_as_python_sorts_them(kind: str, depth: int | None) -> None:
    offsets = offsets_of([2000, 0, 1, 40, 3000, 15])
    labels, scores = LABELS_AT_LENGTH[kind](5056), np.random.default_rng(8).integers(0, 500, 5056).astype(float)
    ranking = Ranking(scores, labels, offsets)
    for keys, (sorted_labels, at) in ((scores, ranking.ranked(depth)), (ranking.labels, ranking.ideal(depth))):
        for query, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
            best = sorted(range(begin, end), key=lambda row: -keys[row])[: at[query + 1] - at[query]]
            assert len(best) >= min(end - begin, depth or end)
            assert sorted_labels[at[query] : at[query + 1]].tolist() == ranking.labels[best].tolist()


@given(lists=rankings())
def test_a_shallow_look_never_spoils_a_deeper_one(lists: Lists) -> None:
    for depths in itertools.permutations((1, 3, None)):
        ranking = Ranking(*lists)
        for depth in depths:
            for labels, offsets in (ranking.ranked(depth), ranking.ideal(depth)):
                assert np.all(np.diff(offsets) >= np.minimum(np.diff(lists.offsets), 99 if depth is None else depth))
                assert len(labels) == offsets[-1]
            found, at = ranking.ranked(depth)
            whole = Ranking(*lists).ranked(None)[0]
            for query, begin in enumerate(lists.offsets[:-1]):
                assert np.array_equal(found[at[query] : at[query + 1]], whole[begin:][: at[query + 1] - at[query]])


@given(lists=rankings(labels=strict_labels, scores=distinct_scores))
@settings(max_examples=20)
def test_measures_evaluated_together_are_the_same_as_alone(lists: Lists) -> None:
    names = [str(measure) for name in MEASURES for measure in at_cutoffs(name)]
    for order in (names, names[::-1]):
        together = evaluate(order, *lists)
        assert list(together) == order
        assert all(np.array_equal(together[name], get(name)(*lists), equal_nan=True) for name in order)


@given(lists=partial_rankings())
@settings(max_examples=20)
def test_nothing_given_is_changed(lists: Lists) -> None:
    kept = [each.copy() for each in lists]
    evaluate([str(measure) for name in MEASURES if name != "full-ndcg" for measure in at_cutoffs(name)], *lists)
    assert all(np.array_equal(before, after, equal_nan=True) for before, after in zip(kept, lists, strict=True))


def test_values_come_under_the_names_they_were_asked_by() -> None:
    values = evaluate(["nDCG@1", "AP", get("mrr")], [2, 1], [1, 0], [0, 2])
    assert {name: value.tolist() for name, value in values.items()} == {"nDCG@1": [1.0], "AP": [1.0], "mrr": [1.0]}
    assert list(evaluate("map", [2, 1], [1, 0], [0, 2])) == ["map"]
    assert evaluate([], [2, 1], [1, 0], [0, 2]) == {}


def test_a_ranking_made_once_serves_again() -> None:
    ranking = Ranking([2, 1, 3], [1, 0, 0], [0, 3])
    assert evaluate_ranking("mrr", ranking)["mrr"].tolist() == get("mrr").of(ranking).tolist() == [1 / 2]


def test_lists_arrays_of_any_number_type_and_views_are_read_alike() -> None:
    expected = get("ndcg")([3.0, 2.0, 1.0], [0.0, 1.0, 2.0], [0, 3])
    for kind in (np.int8, np.uint16, np.float32, np.int64):
        scores, labels = np.array([3, 9, 2, 9, 1, 9], kind)[::2], np.array([2, 1, 0], kind)[::-1]
        assert np.array_equal(get("ndcg")(scores, labels, np.array([0, 3], np.int32)), expected)


@pytest.fixture
def two_threads() -> Iterator[None]:
    podium.set_threads(2)
    yield
    podium.set_threads(None)


def large_lists() -> Lists:
    """Enough rows that two threads share them; a full order in every query."""
    rng, offsets = np.random.default_rng(7), offsets_of([0, *[150] * 999, 0, 7])
    assert len(spans(offsets)) == 2
    return Lists(rng.integers(0, 90, offsets[-1]).astype(float), rng.permutation(offsets[-1]).astype(float), offsets)


@pytest.mark.usefixtures("two_threads")
def test_threads_share_lists_with_documents_not_judged_and_not_retrieved() -> None:
    scores, labels, offsets = large_lists()
    lists = Lists(np.where(labels % 7 == 0, -INF, scores), np.where(labels % 11 == 0, NAN, labels % 4), offsets)
    names = [str(measure) for name in MEASURES if name != "full-ndcg" for measure in at_cutoffs(name)]
    for name, values in evaluate(names, *lists).items():
        last = [get(name)(*query)[0] for query in lists.queries()[-40:]]
        assert np.array_equal(values[-40:], last, equal_nan=True), name


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(
    ("name", "problem"), [("full-ndcg", "query 990 tie"), ("k-ndcg[k=2]", "query 990 tie"), ("err[max=200000]", "query 990 has")]
)
def test_a_refusal_numbers_queries_in_the_whole_however_many_threads_share_it(name: str, problem: str) -> None:
    scores, labels, offsets = large_lists()
    labels[offsets[990] : offsets[990] + 2] = 300_000
    with pytest.raises(DataError, match=problem):
        evaluate(["map", name], scores, labels, offsets)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_scores_that_are_no_numbers_are_refused_with_their_row(bad: float) -> None:
    with pytest.raises(DataError, match=f"scores must be numbers below infinity; row 3 is {bad}"):
        Ranking([1, 2, -INF, bad, bad], [1, 0, 0, NAN, 0], [0, 2, 5])


@pytest.mark.parametrize("bad", [INF, -INF])
def test_infinite_labels_are_refused_with_their_row(bad: float) -> None:
    with pytest.raises(DataError, match=f"labels must be finite, or NaN for a document that was not judged; row 2 is {bad}"):
        Ranking([1, 2, -INF], [1, NAN, bad], [0, 3])


def test_scores_and_labels_must_be_of_one_length() -> None:
    with pytest.raises(DataError, match="there are 3 scores but 2 labels"):
        Ranking([1, 2, 3], [1, 2], [0, 3])


@pytest.mark.parametrize(
    ("scores", "labels", "problem"),
    [
        ([[1, 2]], [1, 2], r"scores must be a line of numbers, one a row, got shape \(1, 2\)"),
        ([1, 2], [[1], [2]], r"labels must be a line of numbers, one a row, got shape \(2, 1\)"),
        (["high", "low"], [1, 2], "scores must be numbers"),
        ([1, 2], [1, [2]], "labels must be numbers"),
        ([10**400, 2], [1, 2], "scores must be numbers"),
    ],
)
def test_what_is_not_a_line_of_numbers_is_refused(scores: Any, labels: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        Ranking(scores, labels, [0, 2])


@pytest.mark.parametrize(
    ("offsets", "problem"),
    [
        ([0, 2], "offsets must end at the number of rows, 3, got 2"),
        ([0, 4], "offsets must end at the number of rows, 3, got 4"),
        ([1, 3], "offsets must begin at 0, got 1"),
        ([0, 1, 2, 1, 3], "offsets must not descend; they do after query 2"),
        ([0.0, 3.0], "offsets must be whole numbers, got dtype float64"),
        ([[0, 3]], r"offsets must be a line of one number more than queries, got shape \(1, 2\)"),
        (np.empty(0, int), r"offsets must be a line of one number more than queries, got shape \(0,\)"),
    ],
)
def test_offsets_that_do_not_fit_are_refused(offsets: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        Ranking([1, 2, 3], [1, 2, 3], offsets)


CUT_TO_NOTHING = """
from podium import DataError
from podium.measures import Ranking, binary, graded
for measure in (graded.ndcg, graded.err, binary.average_precision, binary.precision):
    for cutoff in (0, -1):
        try:
            measure(Ranking(range(200), range(200), [0, 100, 200]), cutoff=cutoff)
        except DataError as refusal:
            assert str(cutoff) in str(refusal)
        else:
            raise AssertionError(f"{measure.__name__} took a cutoff of {cutoff}")
"""


def test_a_cutoff_below_1_is_refused() -> None:
    """In a process of its own: kernels that trust such a cutoff write outside their arrays."""
    assert subprocess.run([sys.executable, "-c", CUT_TO_NOTHING], check=False).returncode == 0


def test_documents_not_judged_are_left_out_of_judged_and_below_every_label_elsewhere() -> None:
    ranking = Ranking([1, 2, 3, 4], [NAN, 2, -1, NAN], [0, 2, 4])
    assert ranking.labels.tolist() == [-INF, 2, -1, -INF]
    judged = ranking.judged
    assert (judged.scores.tolist(), judged.labels.tolist(), judged.offsets.tolist()) == ([2, 3], [2, -1], [0, 1, 2])
    assert judged.judged is judged
    assert not ranking.is_all_judged
    assert judged.is_all_judged


def test_documents_not_retrieved_take_no_rank() -> None:
    ranking = Ranking([-INF, 2, -INF, 4], [1, 2, 3, 4], [0, 2, 4])
    assert ranking.retrieved.tolist() == [1, 1]
    assert ranking.sizes.tolist() == [2, 2]


def test_highest_is_the_largest_label_of_each_query_and_0_at_least() -> None:
    assert Ranking([1, 1, 1, 1], [1, 3, -2, NAN], [0, 2, 2, 3, 4]).highest.tolist() == [3, 0, 0, 0]


def test_the_mean_leaves_out_queries_without_a_value() -> None:
    assert mean(np.array([1.0, NAN, 0.5])) == (1.0 + 0.5) / 2
    assert math.isnan(mean(np.array([NAN])))
    assert math.isnan(mean(np.array([])))
