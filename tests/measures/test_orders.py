"""Measures of order, worked by hand."""

from __future__ import annotations

import math
import sys
from math import log2, sqrt

import pytest
from tests.measures.by_hand import approx, value_of

from podium.measures import get

NAN = math.nan
LARGEST = sys.float_info.max


def test_top_k_loss_is_0_only_if_the_first_k_are_right_and_in_order() -> None:
    assert value_of("top-k-loss", [2, 1, 0, 0]) == 0.0
    assert value_of("top-k-loss", [1, 2, 0, 0]) == 1.0
    assert value_of("top-k-loss", [2, 0, 1, 0]) == 1.0


def test_top_k_loss_looks_no_further_than_its_cutoff() -> None:
    assert [value_of(f"top-k-loss@{k}", [4, 3, 1, 2]) for k in (1, 2, 3, 4, 9)] == [0, 0, 1, 1, 1]
    assert value_of("top-k-loss@3", [2, 1, -1, 0]) == 1.0  # within a cutoff, labels below 0 have their order too
    assert value_of("top-k-loss", [2, 1, -1, 0]) == 0.0


def test_either_of_two_equal_labels_is_right_in_the_others_place() -> None:
    assert get("top-k-loss")([1, 2, 3], [1, 1, 2], [0, 3]).tolist() == [0.0]


def test_top_k_loss_misses_documents_that_were_not_found() -> None:
    assert value_of("top-k-loss", [2], not_found=[1]) == 1.0
    assert value_of("top-k-loss@1", [2], not_found=[1]) == 0.0
    assert value_of("top-k-loss", [2, NAN, 1]) == 0.0


def test_weighted_kendall_tau_weighs_everyone_who_overtakes_a_better_document() -> None:
    assert value_of("wkt", [0, 1, 2]) == approx((2**2 - 1) / log2(2) * 2 + (2**1 - 1) / log2(3) * 1)
    assert value_of("wkt", [1, 2, 0]) == approx((2**2 - 1) / log2(2) * 1)


def test_weighted_kendall_tau_weighs_the_best_k_only() -> None:
    assert value_of("wkt@1", [0, 1, 2]) == (2**2 - 1) * 2
    assert value_of("wkt@5", [0, 1, 2]) == value_of("wkt", [0, 1, 2])


def test_documents_of_one_label_share_a_position_and_do_not_overtake_one_another() -> None:
    assert value_of("wkt", [0, 1, 1, 2]) == approx((2**2 - 1) / log2(2) * 3 + 2 * (2**1 - 1) / log2(3) * 1)
    assert value_of("wkt@2", [0, 1, 1, 2]) == value_of("wkt@3", [0, 1, 1, 2]) == value_of("wkt", [0, 1, 1, 2])


def test_equal_scores_overtake_nothing() -> None:
    assert get("wkt")([1, 1, 2], [2, 0, 1], [0, 3]).tolist() == [(2**2 - 1) * 1]
    assert value_of("wkt", [], not_found=[2, 1]) == 0.0


def test_everyone_found_overtakes_a_better_document_that_was_not() -> None:
    assert value_of("wkt", [0, NAN, 0], not_found=[1, 0]) == (2**1 - 1) * 2


def test_labels_just_above_0_still_weigh() -> None:
    assert value_of("wkt", [0, 0.001]) == approx(math.expm1(0.001 * math.log(2)))
    assert value_of("wkt", [0, 1e-15]) == pytest.approx(math.expm1(1e-15 * math.log(2)), rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("label", "cost"),
    [(1000, 2.0**1000), (1023, 2.0**1023), (1023.5, 2.0**1023.5), (1024, LARGEST), (2000, LARGEST)],
)
def test_weights_beyond_the_largest_double_saturate_there(label: float, cost: float) -> None:
    assert value_of("wkt", [0, label]) == approx(cost)
    assert value_of("wkt", [0, 0, 0, label]) == (approx(3 * cost) if label == 1000 else LARGEST)


@pytest.mark.parametrize(("found", "is_blank"), [([0, 0], True), ([1, 1], True), ([1], True), ([-1, -2], True), ([0, 1], False)])
@pytest.mark.parametrize(("blank", "value"), [("zero", 0.0), ("one", 1.0), ("skip", NAN)])
def test_without_a_weighted_preference_wkt_is_blank(found: list[float], is_blank: bool, blank: str, value: float) -> None:
    assert value_of(f"wkt[blank={blank}]", found) == approx(value if is_blank else (2**1 - 1) * 1, nan_ok=True)


def test_tau_is_right_pairs_less_wrong_pairs_as_a_share() -> None:
    assert value_of("tau", [2, 0, 1]) == approx((2 - 1) / 3)
    assert value_of("tau", [1, 2, 3, 4]) == approx(-6 / 6)


def test_tau_b_leaves_ties_out_of_its_divisor_and_tau_a_does_not() -> None:
    scores, labels = [4, 3, 3, 1], [1, 2, 0, 0]  # right: 6 pairs less 1 tied in each less 1 wrong, none tied in both
    assert get("tau")(scores, labels, [0, 4])[0] == approx((3 - 1) / sqrt((6 - 1) * (6 - 1)))
    assert get("tau[ties=a]")(scores, labels, [0, 4])[0] == approx((3 - 1) / 6)


def test_a_pair_tied_in_scores_and_labels_counts_in_both() -> None:
    assert get("tau")([2, 1, 1], [1, 0, 0], [0, 3])[0] == approx(2 / sqrt((3 - 1) * (3 - 1)))


@pytest.mark.parametrize(("blank", "value"), [("zero", 0.0), ("one", 1.0), ("skip", NAN)])
def test_labels_that_are_all_equal_have_no_tau(blank: str, value: float) -> None:
    for name in ("tau", "tau[ties=a]", "tau-ap"):
        named = get(name)
        blank_named = f"{named.name}[{''.join(f'{key}={choice},' for key, choice in named.options)}blank={blank}]"
        assert value_of(blank_named, [1, 1, 1]) == approx(value, nan_ok=True)
        assert value_of(blank_named, [1]) == approx(value, nan_ok=True)


def test_tau_leaves_blank_queries_out_unless_told_otherwise() -> None:
    assert math.isnan(value_of("tau", [1, 1]))
    assert math.isnan(value_of("tau-ap", [1, 1]))


def test_scores_that_are_all_equal_have_no_tau_b_but_a_tau_a_of_0() -> None:
    assert math.isnan(get("tau")([1, 1], [0, 1], [0, 2])[0])
    assert get("tau[ties=a]")([1, 1], [0, 1], [0, 2])[0] == 0.0


def test_tau_ap_weighs_each_rank_by_the_documents_above_it() -> None:
    assert value_of("tau-ap", [1, 2, 0]) == approx((-1 / 1 + 2 / 2) / 2)
    assert value_of("tau-ap", [2, 0, 1]) == approx((1 / 1 + (1 - 1) / 2) / 2)
    assert value_of("tau-ap", [0, 1, 2, 3]) == approx((-1 / 1 - 2 / 2 - 3 / 3) / 3)


def test_equal_labels_add_nothing_to_tau_ap() -> None:
    assert value_of("tau-ap", [1, 1, 0]) == approx((0 / 1 + 2 / 2) / 2)


@pytest.mark.parametrize("name", ["tau", "tau-ap", "ppref", "nwppref", "wkt", "top-k-loss"])
def test_documents_not_judged_are_passed_over(name: str) -> None:
    assert value_of(name, [NAN, 2, NAN, 0, 1, NAN]) == value_of(name, [2, 0, 1])


def test_ppref_is_the_share_of_right_pairs_among_those_with_a_document_on_top() -> None:
    assert value_of("ppref", [1, 0, 2]) == approx(1 / 3)
    assert value_of("ppref@1", [1, 0, 2]) == 1 / 2
    assert value_of("ppref@1", [1, 0, 2, 1]) == 1 / 2  # equal labels state no preference


def test_nwppref_weighs_a_pair_by_its_upper_rank() -> None:
    assert value_of("nwppref", [1, 2, 0]) == approx((1 + 1 / log2(3)) / (1 + 1 + 1 / log2(3)))
    assert value_of("nwppref@1", [1, 2, 0]) == 1 / 2
    assert value_of("nwppref", [1, 0, 0, 2]) == approx((1 + 1) / (1 + 1 + 1 + 1 / log2(3) + 1 / log2(4)))


@pytest.mark.parametrize("name", ["ppref", "nwppref"])
def test_two_documents_that_were_not_found_are_not_ordered(name: str) -> None:
    assert value_of(name, [1], not_found=[2, 0]) == 1 / 2
    assert value_of(f"{name}[blank=one]", [], not_found=[2, 0]) == 1.0


@pytest.mark.parametrize("name", ["ppref", "nwppref"])
@pytest.mark.parametrize(("blank", "value"), [("zero", 0.0), ("one", 1.0), ("skip", NAN)])
def test_without_an_ordered_preference_the_share_is_blank(name: str, blank: str, value: float) -> None:
    assert value_of(f"{name}[blank={blank}]", [1, 1]) == approx(value, nan_ok=True)


@pytest.mark.parametrize(("blank", "value"), [("zero", 0.0), ("one", 1.0), ("skip", NAN)])
def test_top_k_loss_without_a_top_is_blank(blank: str, value: float) -> None:
    assert value_of(f"top-k-loss[blank={blank}]", [0, 0, -1]) == approx(value, nan_ok=True)
    assert value_of(f"top-k-loss@2[blank={blank}]", [0, 0, -1]) == 0.0
