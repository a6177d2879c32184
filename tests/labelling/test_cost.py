"""The cost of labelling: bounds from their definition, documents and seconds worked by hand."""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict
from fractions import Fraction

import pytest

from podium.errors import DataError
from podium.labelling.cost import answers_in, average_bound, cost_by_assessor, cost_of, worst_case_bound
from podium.labelling.questions import Event


def asked(left: str, right: str | None = None, *, who: str = "ann", seconds: float | None = None) -> Event:
    return Event(left=left, right=right, answer="left" if right else "Good", assessor=who, seconds=seconds)


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("k", range(1, 9))
def test_bounds_are_the_formulas_for_small_sizes(n: int, k: int) -> None:
    top = min(n, k)
    orders = len(list(itertools.permutations(range(top))))
    assert average_bound(n, k) == pytest.approx(n - top + math.log2(orders))
    falling, doublings = Fraction(1), 0
    for factor in range(top - 1):
        falling *= n - factor  # n (n - 1) … (n - k + 2)
    while 2**doublings < falling:
        doublings += 1
    assert worst_case_bound(n, k) == (n - top + doublings if n > 1 else 0)


def test_bounds_of_the_sizes_people_label() -> None:
    assert 90 <= worst_case_bound(50, 10) <= 94
    assert worst_case_bound(5, 5) == 7  # ⌈log2 120⌉
    assert worst_case_bound(8, 1) == average_bound(8, 1) == 7
    assert worst_case_bound(4, 3) == 1 + 4  # ⌈log2 (4 · 3)⌉: 12 lies between 8 and 16
    assert worst_case_bound(16, 2) == 14 + 4  # log2 16 exactly
    assert average_bound(50, 10) == pytest.approx(40 + sum(math.log2(i) for i in range(1, 11)))


def test_the_worst_case_is_exact_where_floats_are_not() -> None:
    n = 2**60  # the product for k = 2 is n itself, and n + 1 needs one more doubling
    assert worst_case_bound(n, 2) == n - 2 + 60
    assert worst_case_bound(n + 1, 2) == n - 1 + 61


def test_nothing_to_order_costs_nothing_and_senseless_sizes_are_refused() -> None:
    assert worst_case_bound(0, 3) == worst_case_bound(1, 3) == average_bound(0, 3) == average_bound(1, 3) == 0
    for n, k in ((5, 0), (-1, 2)):
        for bound in (average_bound, worst_case_bound):
            with pytest.raises(DataError, match="k of 1 or more"):
                bound(n, k)


def test_fresh_documents_are_those_not_in_the_question_before() -> None:
    log = [asked("a", "b"), asked("c", "b"), asked("c", "a"), asked("a", "c"), asked("d", "e")]
    assert cost_of({"q": log}).fresh_per_judgment == (2 + 1 + 1 + 0 + 2) / 5  # a was read before, but it is not in sight


def test_what_others_saw_and_other_queries_showed_is_fresh_to_me() -> None:
    log = [asked("a", "b"), asked("a", "b", who="bob"), asked("a", "c"), asked("a", "c", who="bob")]
    assert cost_of({"q": log}).fresh_per_judgment == (2 + 2 + 1 + 1) / 4
    assert cost_of({"q": [asked("a", "b")], "r": [asked("a", "b")]}).fresh_per_judgment == 2


def test_a_grade_shows_one_document() -> None:
    assert cost_of({"q": [asked("a"), asked("b"), asked("c")]}).fresh_per_judgment == 1


def test_seconds_are_of_the_judgments_that_have_them() -> None:
    logs = {"q": [asked("a", "b", seconds=2), asked("c", "b", seconds=4)], "r": [asked("a", "b"), asked("a", "c", seconds=12)]}
    cost = cost_of(logs)
    assert (cost.n_queries, cost.n_judgments, cost.n_timed, cost.judgments_per_query) == (2, 4, 3, 2)
    assert (cost.mean_seconds, cost.median_seconds) == ((2 + 4 + 12) / 3, 4)
    assert cost.minutes_per_query == pytest.approx((2 + 4 + 6 + 12) / 60 / 2)  # the untimed one as long as the mean


def test_each_assessor_has_a_cost_over_the_queries_he_or_she_judged() -> None:
    logs = {
        "q": [asked("a", "b", seconds=1), asked("a", "b", who="bob", seconds=30), asked("c", "d", seconds=3)],
        "r": [asked("a", "b", who="bob", seconds=90)],
        "s": [asked("a", "b", who="bob", seconds=60)],
    }
    costs = cost_by_assessor(logs)
    assert list(costs) == ["ann", "bob"]
    assert (costs["ann"].n_queries, costs["ann"].n_judgments, costs["ann"].mean_seconds) == (1, 2, 2)
    assert (costs["bob"].n_queries, costs["bob"].minutes_per_query, costs["bob"].median_seconds) == (3, 1, 60)
    assert cost_of(logs).minutes_per_query == pytest.approx((1 + 30 + 3 + 90 + 60) / 60 / 3)


def test_no_judgments_cost_nothing_and_say_nothing_of_time() -> None:
    for logs in ({}, {"q": []}, {"q": [Event(action="skip", left="a", right="b")]}):
        found = asdict(cost_of(logs))
        assert [found.pop(name) for name in ("n_queries", "n_judgments", "n_timed")] == [0, 0, 0]
        assert all(math.isnan(value) for value in found.values())
    assert math.isnan(cost_of({"q": [asked("a", "b")]}).minutes_per_query)


def test_skips_are_no_judgments_and_a_log_with_an_undo_is_refused() -> None:
    skip = Event(action="skip", left="a", right="b")
    assert answers_in([skip, asked("a", "b")]) == [asked("a", "b")]
    for action in ("undo", "redo"):
        with pytest.raises(DataError, match="only standing answers can be counted"):
            cost_of({"q": [asked("a", "b"), Event(action=action, target=1)]})
