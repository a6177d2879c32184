"""The hinges of the SVM family: values worked by hand, the most violating order against all orders, and what convex losses promise."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.losses import plain
from tests.losses.by_hand import approx, cost, output, random_query, slope
from tests.losses.strategies import losses, queries, some_scores
from tests.measures.strategies import Lists

from podium.losses import get
from podium.losses.structural import most_violating
from podium.ragged import Floats

over_hinges = pytest.mark.parametrize("name", ["map-hinge", "focused-hinge", "pairwise-hinge"])


# ---- the definition, over lists of all orders ----


def average_precision(is_relevant: Sequence[bool]) -> float:
    """Of rows in the order of a ranking: the mean precision at the relevant ones."""
    places = [place for place, relevant in enumerate(is_relevant, 1) if relevant]
    return sum(found / place for found, place in enumerate(places, 1)) / len(places)


def violation(order: Sequence[tuple[bool, float]], unit: float) -> float:
    """1 - AP less ``unit`` Σ (s_i - s_j) over the pairs the wrong way round; an order holds (is relevant, score)."""
    wrong = sum(score - above for place, (is_relevant, score) in enumerate(order) if is_relevant
                for is_other_relevant, above in order[:place] if not is_other_relevant)  # fmt: skip
    return 1 - average_precision([is_relevant for is_relevant, _ in order]) - unit * wrong


def interleaved(relevant: Sequence[float], others: Sequence[float], above: Sequence[int]) -> list[tuple[bool, float]]:
    """The order in which each of the others has so many relevant rows above it."""
    order = [(True, score) for score in relevant]
    for j, (count, score) in enumerate(zip(above, others, strict=True)):
        order.insert(count + j, (False, score))
    return order


def interleavings(relevant: Sequence[float], others: Sequence[float]) -> Iterator[list[tuple[bool, float]]]:
    """Every order that keeps the order of both lists."""
    for above in itertools.combinations_with_replacement(range(len(relevant) + 1), len(others)):
        yield interleaved(relevant, others, above)


@st.composite
def two_lists(draw: st.DrawFn, most: int = 8) -> tuple[list[float], list[float]]:
    """Scores of relevant rows and of others, best first; many tie."""
    size, n = draw(st.tuples(st.integers(1, most - 1), st.integers(1, most - 1)).filter(lambda sizes: sum(sizes) <= most))
    first, second = (sorted(draw(some_scores(count)), reverse=True) for count in (size, n))
    factor = draw(st.sampled_from([1.0, 0.1]))  # 0.1: near the kinks, which lie at margins below 1
    return [factor * score for score in first], [factor * score for score in second]


def found_order(relevant: Sequence[float], others: Sequence[float], unit: float) -> list[tuple[bool, float]]:
    above = np.full(len(others), -1, np.int64)
    most_violating(np.array(relevant), np.array(others), unit, above)
    assert (np.diff(above) >= 0).all()
    assert above.min() >= 0
    assert above.max() <= len(relevant)
    return interleaved(relevant, others, above.tolist())


@given(lists=two_lists(), factor=st.sampled_from([1.0, 0.0, 0.3, 20.0]))
@settings(max_examples=200)
def test_the_order_found_violates_most_of_all(lists: tuple[list[float], list[float]], factor: float) -> None:
    relevant, others = lists
    unit = factor * 2 / (len(relevant) * len(others))
    greatest = max(violation(order, unit) for order in interleavings(relevant, others))
    assert violation(found_order(relevant, others, unit), unit) == pytest.approx(greatest, rel=1e-12, abs=1e-12)


@given(lists=two_lists())
def test_the_loss_is_the_violation_of_the_order_found(lists: tuple[list[float], list[float]]) -> None:
    relevant, others = lists
    unit = 2 / (len(relevant) * len(others))
    order = found_order(relevant, others, unit)
    labels = [1.0] * len(relevant) + [0.0] * len(others)
    assert cost("map-hinge", relevant + others, labels) == pytest.approx(violation(order, unit), rel=1e-11, abs=1e-12)
    assert cost("map-hinge", relevant + others, labels) >= 0


@given(lists=two_lists())
def test_the_plain_twin_is_the_maximum_over_all_interleavings(lists: tuple[list[float], list[float]]) -> None:
    relevant, others = lists
    unit = 2 / (len(relevant) * len(others))
    greatest = max(violation(order, unit) for order in interleavings(relevant, others))
    assert plain.structural_hinge(plain.FLOATS, relevant, others) == pytest.approx(greatest, rel=1e-12, abs=1e-12)


@given(lists=two_lists(most=6))
@settings(max_examples=40)
def test_the_plain_twin_is_the_maximum_over_all_orders_of_the_rows(lists: tuple[list[float], list[float]]) -> None:
    relevant, others = lists
    rows, unit = [(True, score) for score in relevant] + [(False, score) for score in others], 2 / (len(relevant) * len(others))
    greatest = max(violation(order, unit) for order in itertools.permutations(rows))
    assert plain.structural_hinge(plain.FLOATS, relevant, others) == pytest.approx(greatest, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("size", "n"), [(1, 300), (300, 1), (40, 260), (260, 40), (150, 150)])
def test_long_lists_have_an_order_that_reaches_the_maximum(size: int, n: int) -> None:
    random = np.random.default_rng(size)
    for width in (0.01, 0.3, 10.0):
        relevant, others = (sorted((random.normal(size=count) * width).tolist(), reverse=True) for count in (size, n))
        order = found_order(relevant, others, 2 / (size * n))
        greatest = plain.structural_hinge(plain.FLOATS, relevant, others)
        assert violation(order, 2 / (size * n)) == pytest.approx(greatest, rel=1e-9, abs=1e-11)


# ---- SVM-MAP, by hand ----


@pytest.mark.parametrize(
    ("margin", "expected", "steep"), [(0.0, 1 / 2, 2.0), (-1.0, 1 / 2 + 2, 2.0), (0.2, 1 / 2 - 0.4, 2.0), (0.3, 0.0, 0.0)]
)
def test_of_two_rows_the_wrong_order_has_an_ap_of_a_half_and_each_unit_of_margin_weighs_2(
    margin: float, expected: float, steep: float
) -> None:
    assert cost("map-hinge", [margin, 0.0], [1, 0]) == approx(expected)
    assert slope("map-hinge", [margin, 0.0], [1, 0]) == [-steep, steep]


def test_the_order_between_the_extremes_may_violate_most() -> None:
    # scores 1 and 0 are relevant, 1/2 is not; 2/(2·1) = 1. r o r: 1 - (1 + 2/3)/2 - (0 - 1/2) = 2/3; o r r: 1 - (1/2 + 2/3)/2 - 0 = 5/12
    assert cost("map-hinge", [1.0, 0.0, 0.5], [1, 1, 0]) == approx(2 / 3)
    assert slope("map-hinge", [1.0, 0.0, 0.5], [1, 1, 0]) == approx([0.0, -1.0, 1.0])
    # 0 is relevant, 1/4 and -1/4 are not; 2/(1·2) = 1. o r o: 1/2 + 1/4; o o r: 1 - 1/3 + 1/4 - 1/4 = 2/3
    assert cost("map-hinge", [0.25, 0.0, -0.25], [0, 1, 0]) == approx(3 / 4)
    assert slope("map-hinge", [0.25, 0.0, -0.25], [0, 1, 0]) == approx([1.0, -1.0, 0.0])


@pytest.mark.parametrize(("size", "n"), [(1, 1), (2, 1), (1, 3), (3, 4)])
def test_equal_scores_cost_what_the_worst_order_loses(size: int, n: int) -> None:
    out = output("map-hinge", [0.7] * (size + n), [1.0] * size + [0.0] * n)
    assert out.per_query[0] == approx(1 - sum(i / (i + n) for i in range(1, size + 1)) / size)
    assert out.gradient.tolist() == approx([-2 / size] * size + [2 / n] * n)


def test_rows_of_equal_score_share_the_slopes_that_an_order_gives_them() -> None:
    # Scores 0, 0 are relevant, -0.14 three times not; 2/(2·3) = 1/3. The third of the others goes above the second relevant row, for
    # (2/4 - 2/5)/2 = 0.05 > 0.14/3, and not above the first, for (1/3 - 1/4)/2 < 0.14/3: o o r o r, AP = (1/3 + 2/5)/2, 5 pairs are wrong
    out = output("map-hinge", [-0.14, 0.0, -0.14, 0.0, -0.14], [0, 1, 0, 1, 0])
    assert out.per_query[0] == approx(1 - 11 / 30 - 5 * 0.14 / 3)
    assert out.gradient.tolist() == approx([(2 + 2 + 1) / 9, -(2 + 3) / 6, (2 + 2 + 1) / 9, -(2 + 3) / 6, (2 + 2 + 1) / 9])


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_one_relevant_row_must_lead_by_a_quarter_of_the_number_of_others(n: int) -> None:
    for lead in (0.0, 0.05 * n, 0.2 * n, 0.249 * n):  # the j-th of the others costs AP 1/j - 1/(j + 1)
        expected = sum(max(0.0, 1 / (j * (j + 1)) - 2 * lead / n) for j in range(1, n + 1))
        assert cost("map-hinge", [lead] + [0.0] * n, [1.0] + [0.0] * n) == approx(expected)
        assert expected > 0
    out = output("map-hinge", [0.251 * n] + [0.0] * n, [1.0] + [0.0] * n)
    assert out.per_query[0] == 0
    assert not out.gradient.any()


def test_every_label_above_0_is_relevant_and_no_other() -> None:
    scores = [0.3, -0.2, 0.1, 0.15]
    expected = output("map-hinge", scores, [1, 1, 0, 0])
    for labels in ([3.0, 0.25, 0.0, -1.0], [0.5, 7.0, -2.0, 0.0]):
        assert output("map-hinge", scores, labels).per_query.tolist() == approx(expected.per_query.tolist())
        assert output("map-hinge", scores, labels).gradient.tolist() == approx(expected.gradient.tolist())
    for labels in ([4.0, 3.0, 2.0, 1.0], [0.0, -1.0, -2.0, -3.0]):  # all relevant, none
        assert cost("map-hinge", scores, labels) == 0
        assert slope("map-hinge", scores, labels) == [0.0] * 4


@given(lists=queries())
def test_it_bounds_1_minus_ap_from_above_however_ties_fall(lists: Lists) -> None:
    for query, found in zip(lists.queries(), get("map-hinge")(*lists).per_query, strict=True):
        if (query.labels > 0).any() and not (query.labels > 0).all():
            worst_first_in_ties = sorted(zip(-query.scores, query.labels > 0, strict=True))
            assert found >= 1 - average_precision([bool(is_relevant) for _, is_relevant in worst_first_in_ties]) - 1e-12


# ---- FocusedSVM, by hand ----


def test_the_top_is_cut_at_every_place_and_the_pairs_are_those_against_the_rest() -> None:
    # The top scores 0, 1/2, 0; the rest 1/4. First row relevant, 2/(1·2) = 1: o o r: 1 - 1/3 + 1/2 + 0 = 7/6. First two, 2/(2·1) = 1:
    # r o r, with the higher first: 1 - (1 + 2/3)/2 - 0 = 1/6. Pairs: 5/4, 3/4, 5/4
    scores, labels = [0.25, 0.0, 0.5, 0.0], [0, 3, 2, 1]
    assert cost("focused-hinge", scores, labels, k=3, balance=1.0) == approx((7 / 6 + 1 / 6) / 2)
    assert cost("focused-hinge", scores, labels, k=3, balance=0.0) == approx((5 / 4 + 3 / 4 + 5 / 4) / 3)
    assert cost("focused-hinge", scores, labels, k=3, balance=0.25) == approx(0.25 * 2 / 3 + 0.75 * 13 / 12)
    assert slope("focused-hinge", scores, labels, k=3, balance=0.0) == approx([1.0, -1 / 3, -1 / 3, -1 / 3])


def test_a_tie_inside_the_top_is_not_cut() -> None:
    scores, labels = [0.25, 0.0, 0.5, 0.0], [0, 2, 2, 1]
    assert cost("focused-hinge", scores, labels, k=3, balance=1.0) == approx(1 / 6)
    assert cost("focused-hinge", scores, [0, 2, 2, 2], k=3, balance=1.0) == 0
    assert cost("focused-hinge", scores, [0, 2, 2, 2], k=1, balance=0.5) == approx(0.5 * 13 / 12)


def test_a_top_of_everything_has_no_pairs_and_a_top_of_one_no_list() -> None:
    assert cost("focused-hinge", [0.0, 1.0], [1, 0], k=2, balance=0.4) == approx(0.4 * (1 / 2 + 2))
    assert cost("focused-hinge", [0.0, 1.0], [1, 0], k=2, balance=0.0) == 0
    assert cost("focused-hinge", [0.0, 1.0], [1, 0], k=1, balance=0.4) == approx(0.6 * 2)
    assert cost("focused-hinge", [0.0, 1.0], [1, 0], k=1, balance=1.0) == 0
    labels = [2, 1, 0, 0]  # a tie at the very bottom is the rest, whatever k
    assert cost("focused-hinge", [0.0, 1.0, 0.5, 0.2], labels, k=9) == cost("focused-hinge", [0.0, 1.0, 0.5, 0.2], labels, k=2)


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_at_balance_0_it_is_the_mean_hinge_between_top_and_rest(k: int) -> None:
    scores, labels = random_query(7)
    on_top = (labels >= 7 - k).astype(float)
    focused, pairs = output("focused-hinge", scores, labels, k=k, balance=0.0), output("pairwise-hinge", scores, on_top)
    assert focused.per_query[0] == approx(pairs.per_query[0] / (k * (7 - k)))
    assert focused.gradient.tolist() == approx(list(pairs.gradient / (k * (7 - k))))


@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_at_balance_1_it_is_the_mean_of_svm_map_over_the_cuts_of_the_top(k: int) -> None:
    scores, labels = random_query(7)
    top = labels >= 7 - k
    focused = output("focused-hinge", scores, labels, k=k, balance=1.0)
    cuts = [output("map-hinge", scores[top], (labels[top] >= 7 - cut).astype(float)) for cut in range(1, k)]
    assert focused.per_query[0] == approx(np.mean([one.per_query[0] for one in cuts]))
    assert focused.gradient[top].tolist() == approx(list(np.mean([one.gradient for one in cuts], axis=0)))
    assert not focused.gradient[~top].any()


# ---- what convex losses promise ----


def moved(lists: Lists, scores: Floats) -> Lists:
    return Lists(scores, lists.labels, lists.offsets)


@over_hinges
@given(data=st.data(), lists=queries(max_queries=1, max_documents=8))
@settings(max_examples=150)
def test_no_point_lies_below_a_plane_of_slopes(name: str, data: st.DataObject, lists: Lists) -> None:
    """At kinks too: whichever subgradient is chosen there, it must be one."""
    loss, n = data.draw(losses(name)), len(lists.scores)
    out = loss(*lists)
    away = np.array(data.draw(some_scores(n)), float)
    for scores in (away, lists.scores + away / 100, lists.scores + away, lists.scores[::-1], -10 * lists.scores):
        least = out.per_query[0] + out.gradient @ (scores - lists.scores)
        assert loss(*moved(lists, scores)).per_query[0] >= least - 1e-11 * (1 + abs(least))


@over_hinges
@pytest.mark.parametrize("seed", range(3))
def test_no_point_of_long_lists_lies_below_a_plane_of_slopes(name: str, seed: int) -> None:
    random, n = np.random.default_rng(seed), 200
    labels, scores = random.integers(0, 3, n).astype(float), random.integers(-8, 9, n) / 16
    loss = get(name, **({"k": 20} if name == "focused-hinge" else {}))
    out = loss(scores, labels, [0, n])
    for size in (1e-3, 0.1, 1.0, 30.0):
        step = size * random.normal(size=n)
        least = out.per_query[0] + out.gradient @ step
        assert loss(scores + step, labels, [0, n]).per_query[0] >= least - 1e-10 * (1 + abs(least))


@over_hinges
@given(data=st.data(), lists=queries(max_queries=1, max_documents=8))
@settings(max_examples=60)
def test_between_two_points_it_stays_below_their_chord(name: str, data: st.DataObject, lists: Lists) -> None:
    loss = data.draw(losses(name))
    other = np.array(data.draw(some_scores(len(lists.scores))), float)
    here, there = (loss(*moved(lists, scores)).per_query[0] for scores in (lists.scores, other))
    for share in (0.1, 0.5, 0.875):
        between = loss(*moved(lists, (1 - share) * lists.scores + share * other)).per_query[0]
        assert between <= (1 - share) * here + share * there + 1e-11 * (1 + here + there)


@over_hinges
@given(data=st.data(), lists=queries(max_queries=1))
@settings(max_examples=40)
def test_rows_of_equal_score_and_label_have_equal_slopes_and_all_slopes_cancel(name: str, data: st.DataObject, lists: Lists) -> None:
    out = data.draw(losses(name))(*lists)
    assert out.gradient.sum() == approx(0.0, abs=1e-12)
    for row, other in itertools.combinations(range(len(lists.scores)), 2):
        if lists.scores[row] == lists.scores[other] and lists.labels[row] == lists.labels[other]:
            assert out.gradient[row] == approx(out.gradient[other])


@over_hinges
@pytest.mark.parametrize("size", [1e4, 1e300])
def test_scores_of_any_size_have_finite_values_and_slopes(name: str, size: float) -> None:
    random = np.random.default_rng(4)
    for labels in (random.permutation(30).astype(float), random.integers(0, 2, 30).astype(float)):
        for scores in (size * random.uniform(-1, 1, 30), size * random.choice([-1.0, 0.0, 1.0], 30)):
            out = output(name, scores, labels)
            assert 0 <= out.per_query[0] < np.inf
            assert np.abs(out.gradient).max() <= 30
    ahead = output(name, size * np.array([1.0, 0.5, 0.0, -0.5]), [3.0, 2.0, 1.0, 0.0])
    assert ahead.per_query[0] == 0
    assert not ahead.gradient.any()


@pytest.mark.parametrize(
    ("name", "scores", "labels"),
    [
        ("pairwise-hinge", [0.0, -1.7e308, 1.7e308, 0.0], [1.0, 2.0, 1.0, 1.0]),
        ("map-hinge", [0.0, 1.7e308, 0.0, -1.7e308], [1.0, 1.0, 2.0, 0.0]),
        ("focused-hinge", [-1.67e308, -4.4e307, -7.4e307, 8.4e307], [0.0, 1.0, 1.0, 2.0]),
    ],
)
def test_scores_at_the_end_of_the_doubles_cost_no_less_than_0(name: str, scores: list[float], labels: list[float]) -> None:
    assert 0 <= output(name, scores, labels).per_query[0] < np.inf


def test_a_top_very_far_from_the_rest_keeps_its_digits() -> None:
    assert cost("focused-hinge", [0.3, 0.0, 1e17], [2, 1, 0], k=2, balance=1.0) == 0  # 0.3 is more than the 1/4 that two rows need


@pytest.mark.parametrize(
    ("name", "settings", "scores"),
    [
        ("focused-hinge", {"k": 2, "balance": 0.0}, [176.2455320074756, -27.844668716001543] + [-28.844668716001493] * 7),
        ("pairwise-hinge", {}, [163.06878172729125, -40.77734001415579] + [-41.77734001415574] * 5 + [-41.77734001415586] * 4),
    ],
)
def test_margins_of_almost_1_cost_almost_nothing(name: str, settings: dict[str, float], scores: list[float]) -> None:
    """Sums cancel here, and rounding may leave something below 0: that is 0, not a value beyond all doubles."""
    labels = [2.0, 2.0] + [0.0] * (len(scores) - 2)
    pairs = [max(0.0, 1 - (high - low)) for high in scores[:2] for low in scores[2:]]
    assert 0 <= cost(name, scores, labels, **settings) <= sum(pairs) + 1e-11
