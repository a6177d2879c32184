"""NDCG and ERR in all their conventions, worked by hand."""

from __future__ import annotations

import math
import tracemalloc
from math import log2

import numpy as np
import pytest
from tests.measures.by_hand import approx, value_of

from podium import DataError
from podium.measures import evaluate, get

NAN = math.nan


def test_ndcg_discounts_the_gain_of_each_rank() -> None:
    assert value_of("ndcg", [0, 1, 0]) == approx(1 / log2(3))
    assert value_of("ndcg", [1, 2, 0]) == approx((1 / log2(2) + 3 / log2(3)) / (3 / log2(2) + 1 / log2(3)))


def test_ndcg_stops_at_the_cutoff_in_both_lists() -> None:
    assert value_of("ndcg@2", [1, 0, 2]) == approx(1 / (3 + 1 / log2(3)))
    assert value_of("ndcg@1", [1, 0, 2]) == approx(1 / 3)


def test_a_cutoff_beyond_the_last_document_is_no_cutoff() -> None:
    assert value_of("ndcg@9", [1, 0, 2]) == value_of("ndcg", [1, 0, 2]) == approx((1 + 3 / log2(4)) / (3 + 1 / log2(3)))


def test_linear_gain_is_the_label_itself() -> None:
    assert value_of("ndcg[gain=linear]", [1, 2, 0]) == approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)))


def test_labels_need_not_be_whole_numbers() -> None:
    assert value_of("ndcg", [0.5, 1.5]) == approx((2**0.5 - 1 + (2**1.5 - 1) / log2(3)) / (2**1.5 - 1 + (2**0.5 - 1) / log2(3)))


def test_labels_below_0_gain_0() -> None:
    assert value_of("ndcg", [-2, 1]) == approx(1 / log2(3))
    assert value_of("ndcg[gain=linear]", [-2, 1]) == approx(1 / log2(3))
    assert value_of("err", [-2, 1]) == approx(1 / 2 * 1 / 2)


def test_labels_just_above_0_still_gain() -> None:
    """2^y - 1 is about y ln 2 there: it must not be lost in the rounding of 2^y to 1."""
    assert value_of("ndcg", [1e-17]) == 1.0
    assert value_of("ndcg", [1e-15, 3e-15]) == approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))


def test_letor_leaves_the_first_two_ranks_undiscounted() -> None:
    assert value_of("ndcg@4[letor]", [0, 1, 3, 1]) == approx((1 + 7 / log2(3) + 1 / log2(4)) / (7 + 1 + 1 / log2(3)))
    assert value_of("ndcg@2[letor]", [0, 1]) == 1.0


def test_letor4_counts_0_where_there_are_fewer_documents_than_the_cutoff() -> None:
    assert [value_of(f"ndcg@{cutoff}[letor4]", [0, 1, 1]) for cutoff in (1, 2, 3, 4)] == approx([0, 1 / 2, (1 + 1 / log2(3)) / 2, 0])
    assert value_of("ndcg@4[letor]", [0, 1, 1]) == approx((1 + 1 / log2(3)) / 2)
    assert value_of("ndcg[letor4]", [0, 1, 1]) == approx((1 + 1 / log2(3)) / 2)


@pytest.mark.parametrize("name", ["ndcg", "ndcg@2", "mean-ndcg", "k-ndcg", "err", "err@2", "k-err"])
@pytest.mark.parametrize(("blank", "value"), [("zero", 0.0), ("one", 1.0), ("skip", NAN)])
@pytest.mark.parametrize("found", [[0], [0, 0, 0], [0, -1], [NAN, 0]])
def test_a_query_without_a_relevant_document_is_blank(name: str, blank: str, value: float, found: list[float]) -> None:
    assert value_of(f"{name}[blank={blank}]", found) == approx(value, nan_ok=True)


def test_blank_is_said_only_of_queries_with_nothing_to_find() -> None:
    assert value_of("ndcg@1[blank=one]", [0, 1]) == value_of("err@1[blank=one]", [0, 1]) == 0.0


def test_a_document_not_judged_gains_nothing_and_takes_its_rank() -> None:
    assert value_of("ndcg", [NAN, 1]) == approx(1 / log2(3))
    assert value_of("err", [NAN, 1]) == approx(1 / 2 * 1 / 2)


def test_a_document_not_retrieved_counts_among_the_ideal_only() -> None:
    assert value_of("ndcg", [1], not_found=[1]) == approx(1 / (1 + 1 / log2(3)))
    assert value_of("err", [1], not_found=[2]) == approx((2 - 1) / 4)
    assert value_of("mean-ndcg", [1], not_found=[1]) == approx((1 + 1 / (1 + 1 / log2(3))) / 2)


def test_a_cutoff_costs_no_more_than_the_longest_list() -> None:
    tracemalloc.start()
    try:
        assert value_of("ndcg@1000000", [0, 1]) == approx(1 / log2(3))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_mean_ndcg_is_the_mean_over_every_cutoff() -> None:
    assert value_of("mean-ndcg", [0, 1, 1]) == approx(
        (0 + (1 / log2(3)) / (1 + 1 / log2(3)) + (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))) / 3
    )
    assert value_of("mean-ndcg[letor]", [0, 1, 1]) == approx((0 + 1 / 2 + (1 + 1 / log2(3)) / 2) / 3)
    assert value_of("mean-ndcg[gain=linear]", [1, 2]) == approx((1 / 2 + (1 + 2 / log2(3)) / (2 + 1 / log2(3))) / 2)


def test_full_ndcg_gives_the_jth_best_of_n_the_label_n_minus_j() -> None:
    assert value_of("full-ndcg", [-7, 0.5, 30]) == approx((0 + 1 / log2(3) + 3 / log2(4)) / (3 + 1 / log2(3)))
    assert value_of("full-ndcg@1", [0.5, 30, -7]) == approx(1 / 3)


def test_full_ndcg_of_thousands_of_documents_does_not_overflow() -> None:
    n = 5000  # the gains of the two best are 2^4999 - 1 and 2^4998 - 1: in doubles, 2 to 1
    scores, labels = np.arange(n, dtype=float), np.arange(n, dtype=float)
    scores[[n - 2, n - 1]] = scores[[n - 1, n - 2]]
    assert get("full-ndcg@2")(scores, labels, [0, n])[0] == approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)))
    gains = [2.0**-j for j in range(60)]  # of the best, the second best, …; what follows is lost in rounding
    worst, best = sum(g / log2(1 + n - j) for j, g in enumerate(gains)), sum(g / log2(2 + j) for j, g in enumerate(gains))
    assert get("full-ndcg")(-labels, labels, [0, n])[0] == approx(worst / best)


def test_full_ndcg_refuses_ties_and_names_the_query() -> None:
    with pytest.raises(DataError, match="full-ndcg needs a full order, but labels of query 2 tie; break ties first"):
        get("full-ndcg")([1, 2, 3, 4, 5], [1, 2, 1, 3, 3], [0, 2, 3, 5])


def test_full_ndcg_refuses_documents_that_were_not_judged() -> None:
    with pytest.raises(DataError, match="full-ndcg needs a full order, so every document has to be judged"):
        value_of("full-ndcg", [2, NAN])


def test_k_ndcg_makes_top_k_labels_of_a_strict_order() -> None:
    assert value_of("k-ndcg@2[k=2]", [8, 9, 7]) == approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))
    assert value_of("k-ndcg[k=2]", [7, 8, 9]) == approx((0 + 1 / log2(3) + 3 / log2(4)) / (3 + 1 / log2(3)))


def test_k_ndcg_takes_labels_as_they_are_without_k() -> None:
    assert value_of("k-ndcg@2", [1, 2, 0]) == approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))


def test_the_best_has_label_k_even_among_fewer_documents() -> None:
    assert value_of("k-ndcg[k=5]", [1, 2]) == approx((15 + 31 / log2(3)) / (31 + 15 / log2(3)))
    assert value_of("k-err[k=3]", [1]) == approx(7 / 8)


@pytest.mark.parametrize("name", ["k-ndcg", "k-err"])
def test_ties_matter_only_if_they_touch_the_top_k(name: str) -> None:
    assert value_of(f"{name}[k=2]", [3, 2, 1, 1]) == value_of(f"{name}[k=2]", [3, 2, 1, 0])
    with pytest.raises(DataError, match=f"{name} needs the best 3 in a strict order, but labels of query 3 tie there"):
        get(f"{name}[k=3]")(range(9), [9, 5, 4, 3, 2, 3, 2, 1, 1], [0, 1, 1, 5, 9])


def test_two_queries_may_share_a_label_at_their_border() -> None:
    assert evaluate(["k-ndcg[k=3]", "full-ndcg"], [2, 1, 2, 1], [2, 1, 1, 0], [0, 2, 4])["full-ndcg"].tolist() == [1.0, 1.0]


def test_a_document_not_judged_is_never_among_the_top_k() -> None:
    assert value_of("k-ndcg[k=2]", [NAN, 5]) == approx(1 / log2(3))
    assert value_of("k-err[k=2]", [NAN, 5]) == approx(3 / 4 / 2)


def test_err_is_the_chance_of_stopping_at_each_rank_over_the_rank() -> None:
    assert value_of("err", [2, 0, 1]) == approx(3 / 4 + (1 / 4) * (1 / 4) / 3)
    assert value_of("err@2", [0, 1, 2]) == approx((1 / 4) / 2)


def test_err_max_sets_the_scale() -> None:
    assert value_of("err[max=4]", [2, 0, 1]) == approx(3 / 16 + (13 / 16) * (1 / 16) / 3)
    assert value_of("err[max=2]", [2, 0, 1]) == value_of("err", [2, 0, 1])
    assert value_of("err[max=4,blank=one]", [0, 0]) == 1.0


def test_err_refuses_a_label_above_max_and_names_the_query() -> None:
    with pytest.raises(DataError, match="err was told that labels reach 2, but query 1 has 3"):
        get("err[max=2]")([1, 1, 1], [2, 3, 0], [0, 1, 3])


def test_err_names_a_query_together_with_its_own_label() -> None:
    with pytest.raises(DataError, match="query 0 has 3"):
        get("err[max=2]")([1, 1], [3, 5], [0, 1, 2])


def test_k_err_is_err_with_the_scale_up_to_k() -> None:
    assert value_of("k-err[k=3]", [8, 9, 7, 6]) == approx(3 / 8 + (5 / 8) * (7 / 8) / 2 + (5 / 8) * (1 / 8) * (1 / 8) / 3)
    assert value_of("k-err", [2, 3, 1, 0]) == value_of("k-err[k=3]", [8, 9, 7, 6])
