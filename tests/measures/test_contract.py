"""What every measure of the table must keep; a new member is tested the moment it is listed (and has its plain twin in plain.py)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures import plain
from tests.measures.strategies import (
    LABELS_AT_LENGTH,
    Lists,
    any_labels,
    at_cutoffs,
    distinct_scores,
    needs_an_order,
    partial_rankings,
    rankings,
    strict_labels,
    variants,
)  # fmt: skip

import podium
from podium import truth
from podium.measures import MEASURES, Measure, evaluate, get
from podium.measures.names import options_of
from podium.ragged import Floats, offsets_of

BEST = {"top-k-loss": 0.0, "wkt": 0.0}  # what a strict order gets if found exactly; the others 1, except for these two
NEVER_1 = {"err", "k-err"}  # even the best document may not satisfy the reader
BELOW_1_IF_CUT = {"map", "p", "recall"}  # not all relevant documents, or not only those, are among the first

over_the_table = pytest.mark.parametrize("name", MEASURES)


def close(found: Floats, expected: Floats | list[float]) -> bool:
    return np.allclose(found, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


def same(found: Floats, expected: Floats) -> bool:
    return np.array_equal(found, expected, equal_nan=True)


def assert_agrees_with_plain(measure: Measure, lists: Lists) -> None:
    try:
        expected = plain.values(measure, *lists)
    except plain.Refused as refused:
        with pytest.raises(podium.DataError, match=rf"query {refused.query}\b"):
            measure(*lists)
    else:
        assert close(measure(*lists), expected), measure


def test_every_measure_has_a_plain_twin() -> None:
    assert set(plain.PLAIN) == set(MEASURES)


@over_the_table
@given(lists=rankings())
@settings(max_examples=60)
def test_every_combination_of_options_agrees_with_the_plain_twin(name: str, lists: Lists) -> None:
    for measure in variants(name):
        assert_agrees_with_plain(measure, lists)


@over_the_table
@given(lists=rankings(labels=strict_labels))
@settings(max_examples=30)
def test_every_combination_of_options_agrees_on_full_orders(name: str, lists: Lists) -> None:
    for measure in variants(name):
        assert_agrees_with_plain(measure, lists)


@over_the_table
@given(lists=partial_rankings())
@settings(max_examples=40)
def test_documents_not_retrieved_or_not_judged_agree_with_the_plain_twin(name: str, lists: Lists) -> None:
    for measure in variants(name):
        if name != "full-ndcg":
            assert_agrees_with_plain(measure, lists)


@over_the_table
@pytest.mark.parametrize("kind", LABELS_AT_LENGTH)
def test_long_lists_agree_with_the_plain_twin(name: str, kind: str) -> None:
    offsets = offsets_of([200, 0, 1, 130])
    labels = LABELS_AT_LENGTH[kind](331)
    scores = np.random.default_rng(3).integers(0, 60, 331).astype(float)
    lists = Lists(np.where(np.isnan(labels) & (scores < 20), -np.inf, scores), labels, offsets)
    for measure in [*at_cutoffs(name), *(get(f"{name}@{cutoff}") for cutoff in (64, 65, 500) if takes_a_cutoff(name))]:
        if name != "full-ndcg":
            assert_agrees_with_plain(measure, lists)
        elif kind != "not judged":
            assert_agrees_with_plain(measure, lists._replace(labels=truth.break_ties(labels, offsets, seed=0)))


def takes_a_cutoff(name: str) -> bool:
    return "cutoff" in options_of(MEASURES[name].function)


@over_the_table
@given(lists=rankings(), strict=rankings(labels=strict_labels))
@settings(max_examples=30)
def test_queries_do_not_influence_one_another(name: str, lists: Lists, strict: Lists) -> None:
    for measure in at_cutoffs(name):
        together = strict if needs_an_order(measure) else lists
        assert same(measure(*together), np.concatenate([measure(*query) for query in together.queries()])), measure


@over_the_table
@pytest.mark.parametrize(("blank", "value"), plain.BLANK.items())
def test_a_query_without_documents_is_blank(name: str, blank: str, value: float) -> None:
    for measure in variants(name):
        if blank == blank_of(measure):
            assert same(measure([], [], [0, 0, 0]), np.array([value, value])), measure


@over_the_table
def test_no_queries_have_no_values(name: str) -> None:
    assert all(measure([], [], [0]).shape == (0,) for measure in variants(name))


def blank_of(measure: Measure) -> str:
    return dict(measure.options).get("blank", options_of(measure.entry.function)["blank"].default)


@st.composite
def renumbered(draw, labels=any_labels) -> tuple[Lists, Lists]:
    lists = draw(rankings(labels=labels, scores=distinct_scores))
    places = [begin + np.array(draw(st.permutations(range(end - begin))), int) for begin, end in itertools.pairwise(lists.offsets)]
    moved = np.concatenate(places)
    return lists, Lists(lists.scores[moved], lists.labels[moved], lists.offsets)


@over_the_table
@given(pair=renumbered(), strict=renumbered(labels=strict_labels))
@settings(max_examples=30)
def test_renumbering_documents_with_distinct_scores_changes_nothing(
    name: str, pair: tuple[Lists, Lists], strict: tuple[Lists, Lists]
) -> None:
    for measure in at_cutoffs(name):
        before, after = strict if needs_an_order(measure) else pair
        assert same(measure(*before), measure(*after)), measure


@st.composite
def same_order_other_scores(draw, labels=any_labels) -> tuple[Lists, Lists]:
    """Scores put through any strictly increasing function, exactly: one new value for each old one, in the same order."""
    lists = draw(rankings(labels=labels))
    old, which = np.unique(lists.scores, return_inverse=True)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    new = np.array(sorted(draw(st.lists(finite, min_size=len(old), max_size=len(old), unique=True))), float)
    return lists, lists._replace(scores=new[which] if len(old) else lists.scores)


@over_the_table
@given(pair=same_order_other_scores(), strict=same_order_other_scores(labels=strict_labels))
@settings(max_examples=30)
def test_a_strictly_increasing_function_of_the_scores_changes_nothing(
    name: str, pair: tuple[Lists, Lists], strict: tuple[Lists, Lists]
) -> None:
    for measure in at_cutoffs(name):
        before, after = strict if needs_an_order(measure) else pair
        assert same(measure(*before), measure(*after)), measure


@over_the_table
def test_adding_a_constant_to_all_scores_changes_nothing(name: str) -> None:
    rng = np.random.default_rng(1)
    scores, offsets = rng.integers(-9, 9, 60) / 4, offsets_of([20, 1, 39])
    lists = Lists(scores, rng.permutation(60).astype(float), offsets)
    for measure in at_cutoffs(name):
        assert same(measure(*lists), measure(scores + 1024.0, lists.labels, offsets)), measure


@over_the_table
def test_the_number_of_threads_does_not_change_a_bit(name: str) -> None:
    rng = np.random.default_rng(2)
    offsets = offsets_of([*rng.integers(0, 90, 3000), 1000, 0])
    assert offsets[-1] > 110_000  # enough for two spans of every kernel
    lists = Lists(rng.integers(0, 50, offsets[-1]).astype(float), rng.random(offsets[-1]), offsets)
    names = [str(measure) for measure in at_cutoffs(name)]
    try:
        podium.set_threads(1)
        alone = evaluate(names, *lists)
        podium.set_threads(2)
        shared = evaluate(names, *lists)
    finally:
        podium.set_threads(None)
    assert all(same(alone[each], shared[each]) for each in names)
    assert all(len(np.unique(alone[each])) > 1 for each in names)


huge_scores = lambda n: st.lists(st.sampled_from([1e4, -1e4, 1e300, -1e300, 5e-324, 0.0]), min_size=n, max_size=n)


@over_the_table
@given(lists=rankings(scores=huge_scores), strict=rankings(labels=strict_labels, scores=huge_scores))
@settings(max_examples=20)
def test_values_are_finite_for_huge_scores_and_missing_only_under_skip(name: str, lists: Lists, strict: Lists) -> None:
    for measure in variants(name):
        if "max" not in dict(measure.options):
            values = measure(*(strict if needs_an_order(measure) else lists))
            assert np.all(np.isfinite(values) | (np.isnan(values) & (blank_of(measure) == "skip"))), measure


huge_labels = lambda n: st.lists(
    st.sampled_from([0, 1, 400, 511.5, 512, 600, 1022, 1024, 1100.25, 2000]), min_size=n, max_size=n, unique=True
)


@over_the_table
@given(lists=rankings(labels=huge_labels))
@settings(max_examples=30)
def test_labels_up_to_2000_do_not_overflow(name: str, lists: Lists) -> None:
    for measure in at_cutoffs(name):
        assert np.isfinite(measure(*lists)).all() or blank_of(measure) == "skip", measure
        assert_agrees_with_plain(measure, lists)


@over_the_table
@given(data=st.data())
@settings(max_examples=20)
def test_no_ranking_is_better_than_the_true_order(name: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 4))
    labels, strict = sorted(data.draw(any_labels(n))), sorted(data.draw(strict_labels(n)))
    orders = list(itertools.permutations(range(n)))
    for measure in variants(name):
        truth = strict if needs_an_order(measure) else labels
        if dict(measure.options).get("max", math.inf) >= truth[-1]:
            values = measure(np.ravel(orders).astype(float), truth * len(orders), np.arange(len(orders) + 1) * n)
            best = values.max() if measure.entry.larger_is_better else values.min()
            assert same(values[:1], np.array([best])), measure  # the first order is 0, 1, 2, …: that of the labels


@over_the_table
@given(lists=rankings(labels=lambda n: st.permutations([float(place) for place in range(n)]), min_documents=2))
@settings(max_examples=20)
def test_the_true_order_gets_the_best_value_there_is(name: str, lists: Lists) -> None:
    for measure in at_cutoffs(name):
        if name not in NEVER_1 and (measure.cutoff is None or name not in BELOW_1_IF_CUT):
            assert close(measure(lists.labels, lists.labels, lists.offsets), [BEST.get(name, 1.0)] * (len(lists.offsets) - 1)), measure
