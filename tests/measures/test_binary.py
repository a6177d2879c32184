"""Measures on relevant or not, worked by hand."""

from __future__ import annotations

import math

import pytest
from tests.measures.by_hand import approx, value_of

NAN = math.nan
EVERY = ["map", "map@2", "p@2", "recall", "recall@2", "mrr", "mrr@2", "bpref"]


def test_average_precision_averages_precision_over_the_ranks_of_relevant_documents() -> None:
    assert value_of("map", [1, 0, 2]) == approx((1 / 1 + 2 / 3) / 2)
    assert value_of("map", [0, 0, 1, 1]) == approx((1 / 3 + 2 / 4) / 2)


def test_ranks_beyond_the_cutoff_add_nothing_to_average_precision() -> None:
    assert value_of("map@2", [1, 0, 1]) == approx((1 / 1) / 2)


def test_average_precision_counts_relevant_documents_that_were_not_found() -> None:
    assert value_of("map", [0, 1], not_found=[1, 0, 1]) == approx((1 / 2) / 3)


def test_precision_divides_by_the_cutoff_even_where_the_list_is_shorter() -> None:
    assert value_of("p@2", [1, 0, 1]) == 1 / 2
    assert value_of("p@5", [1, 0, 1]) == 2 / 5
    assert value_of("p@2", [1], not_found=[1]) == 1 / 2


def test_recall_divides_by_every_relevant_document() -> None:
    assert value_of("recall@2", [1, 0, 1]) == 1 / 2
    assert value_of("recall", [1, 0], not_found=[1, 1]) == 1 / 3


def test_reciprocal_rank_looks_at_the_first_relevant_document_only() -> None:
    assert value_of("mrr", [0, 0, 1, 1]) == 1 / 3
    assert value_of("mrr@2", [0, 0, 1, 1]) == 0.0
    assert value_of("mrr", [0, 0], not_found=[1]) == 0.0


def test_bpref_counts_the_others_above_each_relevant_document() -> None:
    assert value_of("bpref", [1, 0, 1]) == (1 + (1 - 1 / 1)) / 2
    assert value_of("bpref", [0, 1, 0, 0, 1, 1]) == approx(((1 - 1 / 3) + (1 - 3 / 3) + (1 - 3 / 3)) / 3)


def test_bpref_counts_at_most_as_many_others_as_there_are_relevant_documents() -> None:
    assert value_of("bpref", [0, 0, 0, 1, 1]) == ((1 - 2 / 2) + (1 - 2 / 2)) / 2
    assert value_of("bpref", [0, 1, 0, 0, 1]) == ((1 - 1 / 2) + (1 - 2 / 2)) / 2


def test_bpref_passes_over_documents_that_were_not_judged() -> None:
    assert value_of("bpref", [NAN, NAN, 1, NAN, 0, 1, 0]) == (1 + (1 - 1 / 2)) / 2


def test_bpref_counts_others_that_were_not_found_in_its_divisor() -> None:
    assert value_of("bpref", [0, 1], not_found=[0, 1]) == (1 - 1 / 2) / 2


def test_bpref_without_others_is_the_share_found() -> None:
    assert value_of("bpref", [1, 1], not_found=[1]) == approx(2 / 3)


@pytest.mark.parametrize("name", EVERY)
def test_relevant_is_a_label_above_the_threshold_and_not_at_it(name: str) -> None:
    assert value_of(f"{name}[above=1]", [1, 2, 0, 1, 3]) == value_of(name, [0, 1, 0, 0, 1])
    assert value_of(name, [0, 0.25, -1]) == value_of(name, [0, 1, 0])


@pytest.mark.parametrize("name", EVERY)
def test_a_document_not_judged_is_never_relevant_whatever_the_threshold(name: str) -> None:
    assert value_of(f"{name}[above=-1]", [NAN, 0, -1], not_found=[0]) == value_of(name, [NAN, 1, 0], not_found=[1])


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("blank", "value"), [("zero", 0.0), ("one", 1.0), ("skip", NAN)])
def test_a_query_without_a_relevant_document_is_blank(name: str, blank: str, value: float) -> None:
    assert value_of(f"{name}[blank={blank}]", [0, 0]) == approx(value, nan_ok=True)
    assert value_of(f"{name}[above=2,blank={blank}]", [1, 2, NAN]) == approx(value, nan_ok=True)


@pytest.mark.parametrize("name", EVERY)
def test_finding_nothing_is_not_a_blank_query(name: str) -> None:
    assert value_of(f"{name}[blank=one]", [0, 0], not_found=[1]) == 0.0


@pytest.mark.parametrize("name", ["map", "recall", "mrr"])
def test_a_cutoff_beyond_the_last_document_is_no_cutoff(name: str) -> None:
    assert value_of(f"{name}@100", [0, 1, 1]) == value_of(name, [0, 1, 1])
