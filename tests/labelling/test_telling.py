"""The pair that tells most: contracts of the choice, the border of the top, and a noisy judge."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from podium.errors import DataError, UnknownName
from podium.labelling import telling
from podium.labelling.bradley_terry import Fit, fit, how_sure
from podium.labelling.questions import Event
from podium.labelling.telling import is_sure, most_telling


def beats(pairs: list[str], times: int = 1) -> list[Event]:
    return [Event(left=pair[0], right=pair[1], answer="left") for pair in pairs] * times


def independent(scores: list[float], sds: list[float], tie: float = 0.0) -> Fit:
    return Fit(tuple("abcdefgh"[: len(scores)]), np.array(scores), np.diag(np.square(sds)), tie, None, 0)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 7), count=st.integers(0, 20))
def test_pairs_are_distinct_and_the_same_each_time(seed: int, k: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    items = "abcdef"
    log = [Event(left=str(a), right=str(b), answer="left") for a, b in (rng.choice(list(items), 2, replace=False) for _ in range(8))]
    found = most_telling(fit(log, items), k, count=count)
    assert len(found) == len(set(found)) == min(count, 15)
    assert set(found) <= set(itertools.combinations(items, 2))
    assert found == most_telling(fit(log[::-1], items), k, count=count)
    assert found == most_telling(fit(log, items), k, count=15)[:count]


def test_without_judgments_pairs_come_in_the_order_of_the_items() -> None:
    assert most_telling(fit([], "cabd"), 2, count=6) == list(itertools.combinations("cabd", 2))
    assert most_telling(fit([], "a"), 1, count=3) == []


def test_the_last_bits_of_a_score_choose_no_pair() -> None:
    rounding = independent([0.0, 1e-15, -1e-15, 3e-16], [1.0, 1 + 1e-15, 1.0, 1 - 1e-15])
    assert most_telling(rounding, 2, count=6) == list(itertools.combinations("abcd", 2))
    assert rounding.order == ("a", "b", "c", "d")


def test_an_even_pair_at_the_border_comes_before_even_pairs_inside_and_outside() -> None:
    found = independent([9, 9, 3, 3, -3, -3], [1] * 6)  # two even pairs inside the top of three, one across its border, one outside
    assert most_telling(found, 3, count=3)[0] == ("c", "d")
    assert most_telling(found, 3, count=15).index(("a", "b")) < most_telling(found, 3, count=15).index(("e", "f"))


def test_of_two_pairs_at_the_border_the_less_known_comes_first() -> None:
    assert most_telling(independent([5, 0, 0, 0, 0], [1, 0.5, 0.5, 2, 2]), 3) == [("d", "e")]


def test_the_top_of_all_items_is_only_a_matter_of_their_order() -> None:
    assert most_telling(independent([4, 1, 1, -4], [1] * 4), 4) == most_telling(independent([4, 1, 1, -4], [1] * 4), 9) == [("b", "c")]


@pytest.mark.parametrize("tie", [0.0, 0.5])
@pytest.mark.parametrize(("mean", "sd"), [(0.0, 2.0), (1.0, 1.0), (-2.5, 3.0)])
def test_the_information_is_that_of_the_integrals(mean: float, sd: float, tie: float) -> None:
    answers = [lambda d: math.exp(d / 2), lambda d: math.exp(-d / 2), lambda d: tie]
    density = lambda d, chance: stats.norm.pdf(d, mean, sd) * chance(d) / (math.exp(d / 2) + math.exp(-d / 2) + tie)
    sides = [(mean - 9 * sd, 0.0), (0.0, mean + 9 * sd)]
    joint = np.array([[integrate.quad(density, *side, args=(chance,))[0] for side in sides] for chance in answers])
    independent_joint = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    expected = sum(p * math.log(p / q) for p, q in zip(joint.ravel(), independent_joint.ravel(), strict=True) if p > 0)
    found = telling._information(np.array([mean]), np.array([sd**2]), tie)
    assert found == pytest.approx(expected, rel=0.05)  # forty nodes


def test_the_chances_to_be_in_the_top_sum_to_k() -> None:
    scores = np.array([3.0, 1.0, 0.9, -2.0, -2.0])
    for k in range(1, 6):
        q = telling._in_top(scores, np.array([1.0, 4.0, 1.0, 1.0, 0.0]), k)
        assert q.sum() == pytest.approx(k)
        assert ((q >= 0) & (q <= 1)).all()


def test_scores_of_ten_thousand_are_no_trouble() -> None:
    for tie in (0.0, 1.0):
        assert most_telling(independent([1e4, 0, 0, -1e4], [1] * 4, tie), 2) == [("b", "c")]


def test_being_sure_of_the_set_is_not_being_sure_of_the_order() -> None:
    log = beats(["ac", "ad", "bc", "bd"], 20)
    found = fit(log, "abcd")
    assert is_sure(found, 2)
    assert not is_sure(found, 2, what="order")
    assert is_sure(fit(log + beats(["ab"], 20), "abcd"), 2, what="order")
    assert not is_sure(fit([], "abcd"), 2, 0.5)
    probability = how_sure(found, 2).order_probability
    assert is_sure(found, 2, probability - 0.01, what="order")
    assert not is_sure(found, 2, probability + 0.01, what="order")


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(DataError, match="got k = 0"):
        most_telling(fit([], "ab"), 0)
    with pytest.raises(UnknownName, match="unknown certainty 'sets'; did you mean 'set'"):
        is_sure(fit([], "ab"), 1, what="sets")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="confidence must lie between 0 and 1, got 95"):
        is_sure(fit([], "ab"), 1, 95)


def precision_of_top(k: int, n: int, budget: int, seed: int, *, is_telling: bool) -> float:
    """Label with a Bradley-Terry judge, right in 9 of 10 pairs; the share of the true top in the fitted one."""
    rng = np.random.default_rng(seed)
    items = [f"d{number}" for number in range(n)]
    truth = dict(zip(items, rng.normal(scale=3.74, size=n), strict=True))
    log: list[Event] = []
    while len(log) < budget:
        pair = most_telling(fit(log, items), k)[0] if is_telling else tuple(rng.choice(items, 2, replace=False).tolist())
        answer = "left" if rng.random() < 1 / (1 + math.exp(truth[pair[1]] - truth[pair[0]])) else "right"
        log.append(Event(left=pair[0], right=pair[1], answer=answer))
    return len({*fit(log, items).order[:k]} & {*sorted(items, key=lambda item: -truth[item])[:k]}) / k


def test_telling_pairs_find_the_top_that_random_pairs_miss() -> None:
    telling_ones = np.mean([precision_of_top(4, 16, 50, seed, is_telling=True) for seed in range(8)])
    random_ones = np.mean([precision_of_top(4, 16, 50, seed, is_telling=False) for seed in range(8)])
    assert telling_ones >= 0.85
    assert telling_ones > random_ones + 0.05
