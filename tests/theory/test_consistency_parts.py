"""Orders, spaces, minimisers and the adversary, on cases worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from podium.losses import get
from podium.theory import Bench, Key, judge
from podium.theory.adversary import Found, _lattice_rows, nudged_scorings, proposals
from podium.theory.lists import lattice
from podium.theory.orders import all_orders, group_count, group_swap, groups, labels_of, stands_before, swap
from podium.theory.risks import Planes, lowest, risk_of, smallest_risk
from podium.theory.sensitivity import failures, surface
from podium.theory.spaces import chain_pairs, chain_space, coarser, is_order_preserving, pair_space, spread_over_orders
from podium.theory.survey import look, needed


def test_swapping_two_documents_twice_changes_nothing() -> None:
    for i, j in [(0, 1), (1, 3), (3, 0)]:
        once = swap(4, i, j)
        assert (once[once] == np.arange(24)).all()
        assert (once != np.arange(24)).all()


def test_subgroups_are_the_orders_that_share_their_first_places() -> None:
    assert [group_count(4, k) for k in (1, 2, 3, 4)] == [4, 12, 24, 24]
    assert all_orders(4)[groups(4, 2) == 0].tolist() == [[0, 1, 2, 3], [0, 1, 3, 2]]
    assert len(stands_before(4, 2, 1)) == 12


def test_subgroups_that_differ_by_a_swap_are_those_of_the_paper() -> None:
    # three documents, k = 2, documents 1 and 2: (12, 21), (13, 23), (31, 32); subgroups in order 12, 13, 21, 23, 31, 32
    likelier, other = group_swap(3, 2, 0, 1)
    assert list(zip(likelier.tolist(), other.tolist(), strict=True)) == [(0, 2), (1, 3), (4, 5)]


def test_order_preserving_as_in_the_example_of_proposition_8() -> None:
    chances = np.array([0.3, 0.2, 0.1, 0.15, 0.15, 0.1])  # of 12, 13, 21, 23, 31, 32
    assert is_order_preserving(chances, 3, 2, (0, 1))
    assert not is_order_preserving(chances, 3, 2, (1, 0))
    assert not is_order_preserving(chances[[0, 3, 2, 1, 4, 5]], 3, 2, (0, 1))  # 13 and 23 exchanged
    assert coarser(chances, 3, 2) == pytest.approx([0.5, 0.25, 0.25])


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 1), (3, 2), (4, 2), (4, 4), (5, 2)])
def test_random_spaces_are_as_order_preserving_as_they_should_be(n: int, k: int) -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        pairs = chain_pairs(n, k, random)
        assert len(pairs) == n - 1
        chances = chain_space(n, k, pairs, random)
        assert chances.sum() == pytest.approx(1)
        assert all(is_order_preserving(chances, n, k, pair) for pair in pairs)
        assert chances.argmax() == 0
        assert np.bincount(groups(n, k), weights=spread_over_orders(chances, n, k, random)) == pytest.approx(chances)
        assert is_order_preserving(pair_space(n, k, (1, 0), random), n, k, (1, 0))


def test_the_risk_of_top_1_listmle_is_least_at_the_logarithms_of_the_chances() -> None:
    chances = np.array([0.5, 0.3, 0.2])[groups(3, 1)] / 2
    least = smallest_risk(risk_of(get("top-k-listmle", k=1), labels_of(3, 1, "top-k"), chances), is_scale_free=False)
    assert np.diff(least.scores) == pytest.approx([math.log(0.3 / 0.5), math.log(0.2 / 0.3)], abs=1e-6)
    assert least.risk == pytest.approx(-sum(p * math.log(p) for p in (0.5, 0.3, 0.2)))


def test_the_risk_of_rankcosine_is_least_in_the_direction_of_the_mean_label() -> None:
    chances = np.array([0.5, 0.3, 0.2])[groups(3, 1)] / 2
    least = smallest_risk(risk_of(get("rankcosine"), labels_of(3, 1, "top-k"), chances), is_scale_free=True)
    assert least.scores == pytest.approx(np.array([0.5, 0.3, 0.2]) / math.sqrt(0.25 + 0.09 + 0.04), abs=1e-6)


def test_the_risk_of_the_hinge_is_least_at_a_margin_of_one() -> None:
    # 0.7 max(0, 1 - d) + 0.3 max(0, 1 + d) is 0.6 at d = 1, and 1 at d = 0
    planes = Planes(risk_of(get("pairwise-hinge"), labels_of(2, 1, "top-k"), np.array([0.7, 0.3])))
    least, behind = lowest(planes), lowest(planes, (0, 1))
    assert (least.risk, least.scores[0] - least.scores[1]) == pytest.approx((0.6, 1.0))
    assert (behind.risk, behind.scores[0] - behind.scores[1]) == pytest.approx((1.0, 0.0))


def _wrong_spaces(key: Key, pairs: list[tuple[int, int]]) -> list[Found]:
    loss, wanted = key.make(Bench()), needed(key.n, key.k)
    tries = nudged_scorings(key.n, wanted, 20, np.random.default_rng(5))
    return list(proposals(look(Bench(), key), lambda scores: surface(loss, scores, key.labels), key.k, pairs, wanted, tries))


def test_nudged_scores_have_one_wanted_pair_the_wrong_way_round() -> None:
    wanted = needed(4, 2)
    for row in nudged_scorings(4, wanted, 50, np.random.default_rng(1)):
        assert sum(row[i] < row[j] for i, j in wanted) >= 1


def test_scorings_of_the_lattice_are_tried_once_whatever_is_added_to_them() -> None:
    on = look(Bench(), Key("listmle", "full", 3, 1))
    tried = on.scores[_lattice_rows(on)]
    based = {tuple(row) for row in (tried - tried.min(axis=1, keepdims=True)).tolist()}
    assert len(based) == len(tried)
    assert (5.0, 0.0, 0.0) in based  # that is (4, -1, -1)
    assert {tuple(row) for row in (lattice(3, (0.0, 0.5, 1.0, 2.0, 4.0))).tolist() if min(row) == 0.0} <= based


SPACE = {"132": 0.34, "123": 0.01, "231": 0.32, "213": 0.01, "321": 0.31, "312": 0.01}  # document 1 is the likeliest to be first


@pytest.mark.parametrize(
    ("loss", "scores"),
    [("pairwise-exponential", (-0.192, -0.014, 0.206)), ("listnet", (-0.119, -0.007, 0.126)), ("pairwise-hinge", (-1 / 3, -1 / 3, 2 / 3))],
)
def test_losses_on_full_orders_put_another_document_first(loss: str, scores: tuple[float, ...]) -> None:
    key = Key(loss, "full", 3, 1)
    chances = np.array([SPACE["".join(str(document + 1) for document in order)] for order in all_orders(3)])
    risk = risk_of(get(loss), key.labels, chances)
    least = lowest(Planes(risk)) if loss == "pairwise-hinge" else smallest_risk(risk, is_scale_free=False)
    assert least.scores - least.scores.mean() == pytest.approx(scores, abs=1e-3)
    assert judge(Bench(), key).consistency == "no"


def test_a_hinge_on_top_k_labels_ties_and_is_never_the_wrong_way_round() -> None:
    cell = judge(Bench(), Key("pairwise-hinge", "top-k", 3, 1))
    assert (cell.sensitivity, cell.consistency) == ("~yes", "ties")


def test_the_adversary_finds_a_space_that_full_listmle_gets_wrong_and_none_for_top_1_listmle() -> None:
    pairs = [(0, 1), (0, 2)]
    full, top = Key("listmle", "full", 3, 1), Key("top-k-listmle", "top-k", 3, 1)
    assert _wrong_spaces(top, pairs) == []
    (found, *_) = _wrong_spaces(full, pairs)
    assert found.scores[0] < found.scores[1:].max()
    first = np.bincount(groups(3, 1), weights=found.chances)
    assert first[0] > first[1:].max()
    least = smallest_risk(risk_of(get("listmle"), full.labels, found.chances), is_scale_free=False)
    assert np.diff(least.scores) == pytest.approx(np.diff(found.scores), abs=1e-5)


def test_full_listmle_tells_orders_of_one_subgroup_apart() -> None:
    failure = failures(look(Bench(), Key("listmle", "full", 3, 1)))[0]
    assert failure is not None
    assert failure.clause == "2="
    # y = (2 1 3) ends with ln(1 + e^½) - 0, (2 3 1) with ln(1 + e^½) - ½; both begin with ln(2 + e^½)
    both = math.log(2 + math.exp(0.5)) + math.log(1 + math.exp(0.5))
    assert failure.example == f"n = 3, g = (0, 0, 0.5), documents 1 and 3, y = (2 1 3): {both:.5g} against {both - 0.5:.5g}"
