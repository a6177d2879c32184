"""The Bradley-Terry fit: against a plain likelihood maximised by SciPy, by hand, and where Newton's whole steps run away."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from podium.errors import DataError, PodiumError, UnknownName
from podium.labelling import bradley_terry, davidson
from podium.labelling.bradley_terry import cycles, fit, how_sure, prior_scores
from podium.labelling.questions import Event
from podium.ragged import Floats

WEAK = 3.0  # sd of the priors of β and log ν, as the module states


def judged(left: str, right: str, answer: str, times: int = 1, role: str = "person") -> list[Event]:
    return [Event(left=left, right=right, answer=answer, role=role)] * times


def noisy_log(
    seed: int, items: str = "abcdef", judgments: int = 40, answers: tuple[str, ...] = ("left", "right", "tie", "bad")
) -> list[Event]:
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(list(items), 2, replace=False) for _ in range(judgments)]
    return [Event(left=str(left), right=str(right), answer=str(rng.choice(answers))) for left, right in pairs]


def plain_objective(point: Floats, log: list[Event], items: str, mean: Floats, sd: float) -> float:
    """The equation as it is written, judgment by judgment; ``point`` is the scores, β, log ν."""
    total = -float(np.sum((point[:-2] - mean) ** 2)) / (2 * sd**2) - (point[-2] ** 2 + point[-1] ** 2) / (2 * WEAK**2)
    for event in log:
        left, right = point[items.index(event.left or "")] + point[-2], point[items.index(event.right or "")]
        weights = {"left": math.exp(left), "right": math.exp(right), "tie": math.exp(point[-1] + (left + right) / 2)}
        total += math.log(weights["tie" if event.answer == "bad" else event.answer or ""] / sum(weights.values()))
    return total


def numerical_hessian(log: list[Event], items: str, mean: Floats, sd: float, at: Floats) -> Floats:
    value = lambda point: plain_objective(point, log, items, mean, sd)
    nudges = 1e-4 * np.eye(len(at))
    rows = [[value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b) for b in nudges] for a in nudges]
    return np.array(rows) / 4e-8


@pytest.mark.parametrize("seed", range(4))
def test_scores_ties_and_side_bias_are_those_that_scipy_finds_for_the_plain_likelihood(seed: int) -> None:
    items, log = "abcdef", noisy_log(seed)
    prior = {"a": 1.5, "c": -2.0}
    mean = np.array([1.5, 0.0, -2.0, 0.0, 0.0, 0.0])
    expected = optimize.minimize(lambda p: -plain_objective(p, log, items, mean, 2.0), np.zeros(8), method="BFGS", options={"gtol": 1e-7}).x
    found = fit(log, items, prior=prior, sd=2.0, side_bias=True)
    assert found.side_bias is not None
    np.testing.assert_allclose([*found.scores, found.side_bias, math.log(found.tie)], expected, atol=1e-5)


def test_the_covariance_is_the_inverse_of_the_numerical_hessian() -> None:
    items, log, mean = "abcd", noisy_log(9, "abcd", 25), np.zeros(4)
    found = fit(log, items, sd=2.0, side_bias=True)
    assert found.side_bias is not None
    at = np.array([*found.scores, found.side_bias, math.log(found.tie)])
    np.testing.assert_allclose(found.covariance, np.linalg.inv(-numerical_hessian(log, items, mean, 2.0, at))[:4, :4], rtol=1e-4, atol=1e-5)
    assert found.sd("b") == pytest.approx(math.sqrt(found.covariance[1, 1]))
    apart = found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1]
    assert found.probability_above("a", "b") == pytest.approx(stats.norm.cdf((found.score("a") - found.score("b")) / math.sqrt(apart)))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sd=st.sampled_from([0.1, 3.0, 50.0]),
    answers=st.sampled_from([("left", "right"), ("left", "tie"), ("tie",)]),
)
def test_no_nudge_of_a_score_gains_anything(seed: int, sd: float, answers: tuple[str, ...]) -> None:
    items, log = "abcd", noisy_log(seed, "abcd", 12, answers)
    found = fit(log, items, sd=sd)
    log_tie = math.log(found.tie) if found.tie else -50.0  # as good as never
    at = np.array([*found.scores, 0.0, log_tie])
    for nudge in 1e-4 * np.eye(6)[:4]:
        value = lambda point: plain_objective(point, log, items, np.zeros(4), sd)
        assert (value(at + nudge) - value(at - nudge)) / 2e-4 == pytest.approx(0.0, abs=1e-5 * max(1, sd**-2))


@pytest.mark.parametrize(("wins", "losses"), [(3, 1), (1, 7), (1000, 1)])
def test_the_likeliest_difference_of_two_items_is_the_log_odds(wins: int, losses: int) -> None:
    found = fit(judged("a", "b", "left", wins) + judged("a", "b", "right", losses), "ab", sd=math.inf)
    assert found.score("a") - found.score("b") == pytest.approx(math.log(wins / losses))
    assert found.scores.sum() == pytest.approx(0.0)
    assert found.tie == 0
    assert found.side_bias is None
    variance_of_log_odds = 1 / wins + 1 / losses  # the inverse of N p (1 - p)
    np.testing.assert_allclose(found.covariance, variance_of_log_odds / 4 * np.array([[1, -1], [-1, 1]]), atol=1e-9 * variance_of_log_odds)


def test_ties_and_wins_on_both_sides_leave_two_items_equal_and_give_the_tie_its_share() -> None:
    found = fit(judged("a", "b", "left", 30) + judged("a", "b", "right", 30) + judged("b", "a", "tie", 40), "ab")
    assert found.scores == pytest.approx([0.0, 0.0])
    share = found.tie / (2 + found.tie)
    assert 40 - 100 * share - math.log(found.tie) / WEAK**2 == pytest.approx(0.0, abs=1e-7)  # the slope in log ν


def test_both_bad_counts_as_a_tie() -> None:
    tied, bad = (fit(judged("a", "b", answer, 2) + judged("b", "c", "left"), "abc") for answer in ("tie", "bad"))
    assert tied.scores.tolist() == bad.scores.tolist()
    assert tied.tie == bad.tie > 0


def test_a_judge_who_always_says_left_is_seen_through() -> None:
    log = [event for a, b in itertools.permutations("abc", 2) for event in judged(a, b, "left", 5)]
    found = fit(log + judged("a", "b", "right", 3), "abc", side_bias=True)
    assert found.side_bias is not None
    assert found.side_bias > 1
    assert found.order == ("b", "a", "c") or found.order == ("b", "c", "a")
    assert fit(log, "abc", side_bias=True).scores == pytest.approx([0, 0, 0])


def test_no_judgments_leave_the_prior() -> None:
    found = fit([], "abc", prior={"b": 2.0}, sd=0.5)
    assert found.scores.tolist() == [0.0, 2.0, 0.0]
    np.testing.assert_allclose(found.covariance, 0.25 * np.eye(3))
    assert found.order == ("b", "a", "c")
    assert (found.tie, found.side_bias, found.iterations) == (0.0, None, 0)


@pytest.mark.parametrize("sd", [3.0, math.inf])
def test_one_item_or_none_can_be_fitted(sd: float) -> None:
    assert fit([], "a", sd=sd).scores.tolist() == [0.0]
    assert fit([], "a", sd=sd).order == ("a",)
    assert fit([], [], sd=3.0).order == ()
    assert how_sure(fit([], "a", sd=sd), k=3).settled == (True,)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_neither_the_order_of_events_nor_the_names_nor_the_side_shown_change_a_score(seed: int, data: st.DataObject) -> None:
    log = noisy_log(seed)
    found = fit(log, "abcdef")
    shuffled = data.draw(st.permutations(log))
    assert fit(shuffled, "abcdef").scores.tolist() == found.scores.tolist()
    swap = {"left": "right", "right": "left", "tie": "tie", "bad": "bad"}
    mirrored = [Event(left=event.right, right=event.left, answer=swap[event.answer or ""]) for event in log]
    assert fit(mirrored, "abcdef").scores.tolist() == found.scores.tolist()
    other = fit(log, data.draw(st.permutations("abcdef")))
    assert [other.score(item) for item in "abcdef"] == pytest.approx(found.scores, abs=1e-7)


@pytest.mark.parametrize("sd", [3.0, 1e4])
def test_scores_of_ten_thousand_stay_finite_even_against_all_judgments(sd: float) -> None:
    log = judged("a", "b", "right", 5) + judged("b", "c", "tie") + judged("c", "a", "left", 2)
    found = fit(log, "abc", prior={"a": 1e4, "b": -1e4}, sd=sd)
    assert np.isfinite(found.scores).all()
    assert np.isfinite(found.covariance).all()
    assert 0 <= found.probability_above("a", "b") <= 1
    assert math.isfinite(found.tie)
    if sd == 3.0:  # each answer moves a score by at most sd² times its slope, which is at most 1
        assert found.score("a") > 1e4 - 7 * sd**2 - 1


def test_ties_of_items_that_the_prior_puts_far_apart_leave_a_finite_tie() -> None:
    found = fit(judged("a", "b", "tie", 1000), "ab", prior={"a": 1e4, "b": -1e4}, sd=1.0)
    assert math.isfinite(found.tie)
    assert np.isfinite(found.scores).all()


def test_a_hundred_thousand_lopsided_judgments_converge() -> None:
    log = [event for a, b in itertools.pairwise("abcdefgh") for event in judged(a, b, "left", 14_000) + judged(a, b, "right", 2)]
    found = fit(log, "abcdefgh", sd=math.inf)
    assert -np.diff(found.scores) == pytest.approx([math.log(14_000 / 2)] * 7)  # a chain: each link by itself


def test_where_whole_newton_steps_run_away_the_fit_arrives() -> None:
    log, mean, sd = judged("b", "a", "left", 10), np.array([5.0, -5.0]), 100.0
    point, moved = mean, []
    for _ in range(20):  # by hand: d = s_a - s_b, b wins ten times, P(b) = 1 / (1 + e^d)
        chance = 1 / (1 + math.exp(min(point[0] - point[1], 700.0)))
        slope = 10 * (1 - chance) * np.array([-1.0, 1.0]) - (point - mean) / sd**2
        curve = 10 * chance * (1 - chance) * np.array([[1.0, -1.0], [-1.0, 1.0]]) + np.eye(2) / sd**2
        step = np.linalg.solve(curve, slope)
        point = point + step
        moved.append(float(np.abs(step).max()))
    assert min(moved[1:]) > 1000  # back and forth, for ever; the first step begins it
    found = fit(log, "ab", prior={"a": 5.0, "b": -5.0}, sd=sd)
    root = optimize.brentq(lambda u: -10 / (1 + math.exp(-(10 + 2 * u))) - u / sd**2, -100.0, 0.0, xtol=1e-12)
    assert found.scores == pytest.approx([5 + root, -5 - root])


def test_a_fit_that_does_not_arrive_says_so_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(davidson, "_MOST_STEPS", 1)
    with pytest.raises(PodiumError, match=r"fit of 40 judgments of 6 items has not converged: after 1 steps the gradient is \d"):
        fit(noisy_log(1), "abcdef")


@pytest.mark.parametrize("log", [judged("a", "b", "left"), judged("a", "b", "left") + judged("b", "a", "left"), []])
def test_maximum_likelihood_is_refused_where_there_is_none(log: list[Event]) -> None:
    with pytest.raises(DataError, match=r"no likeliest scores exist: no chain of wins or ties leads from .* finite sd, or ask more pairs"):
        fit(log, "abc", sd=math.inf)
    fit(log, "abc")


def test_a_tie_links_both_ways() -> None:
    found = fit(judged("a", "b", "tie") + judged("b", "c", "left") + judged("a", "c", "right"), "abc", sd=math.inf)
    assert np.isfinite(found.scores).all()


def test_people_and_models_are_not_averaged_unasked() -> None:
    log = judged("a", "b", "left", 3) + judged("b", "a", "left", 9, role="model") + judged("a", "b", "left", role="oracle")
    with pytest.raises(DataError, match=r'choose roles=\{"person"\} or \{"model"\}, or name all of them'):
        fit(log, "ab")
    with pytest.raises(DataError, match='of "recorded" and of "model"'):
        cycles(judged("a", "b", "left", role="recorded") + judged("a", "b", "left", role="model"), "ab")
    assert fit(log, "ab", roles={"person"}).scores.tolist() == fit(log[:3], "ab").scores.tolist()
    assert fit(log, "ab", roles={"model"}).order == ("b", "a")
    assert fit(log, "ab", roles={"person", "model", "oracle"}).order == ("b", "a")
    assert fit([event for event in log if event.role != "model"], "ab").order == ("a", "b")
    with pytest.raises(UnknownName, match="unknown role 'people'"):
        fit(log, "ab", roles={"people"})


def test_only_answers_about_pairs_count() -> None:
    others = [Event(action="skip", left="a", right="b"), Event(left="a", answer="Perfect"), Event(action="undo", target=1)]
    assert fit(others, "ab").scores.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": "ab"}, "not among the 2 items of this query: 'c'"),
        ({"items": ["a", "b", "c", "a"]}, "every item must be named once, got 'a' twice"),
        ({"prior": {"z": 1.0}}, "in the prior, but not among the 3 items of this query: 'z'"),
        ({"prior": {"a": math.nan}}, "must be finite, got nan"),
        ({"prior": {"a": 1.0}, "sd": math.inf}, "infinite sd says nothing"),
        ({"sd": 0.0}, "sd of the prior must lie between 0.0001 and 10000, .* got 0.0"),
        ({"sd": math.nan}, "got nan"),
        ({"events": judged("a", "a", "left")}, "'a' was judged against itself"),
        ({"events": judged("a", "b", "Perfect")}, "'Perfect' is no answer about 'a' and 'b'; choose from left, right, tie, bad"),
    ],
)
def test_what_does_not_fit_together_is_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"events": judged("a", "c", "left"), "items": "abc"}
    with pytest.raises(DataError, match=message):
        fit(**(arguments | change))  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown item 'z'"):
        fit([], "ab").score("z")


def test_prior_scores_are_normal_quantiles_of_the_ranks() -> None:
    assert list(prior_scores("xyzw", 2.0).values()) == pytest.approx([2 * stats.norm.ppf(p) for p in (0.875, 0.625, 0.375, 0.125)])
    assert prior_scores([]) == {}


def test_the_standing_of_two_items_is_the_probability_that_one_is_above() -> None:
    found = fit(judged("a", "b", "left", 4) + judged("a", "b", "right"), "ba")
    stood, expected = how_sure(found, k=1, draws=40_000), found.probability_above("a", "b")
    noise = 5 * math.sqrt(expected * (1 - expected) / 40_000)
    assert stood.in_top == pytest.approx([1 - expected, expected], abs=noise)
    assert stood.set_probability == stood.order_probability == stood.in_top[1]
    assert not stood.is_set_settled
    assert how_sure(found, k=1, confidence=0.5).is_set_settled
    assert how_sure(found, k=2).is_set_settled  # both are in a top of two; their order is another matter
    assert how_sure(found, k=2).settled == (False, False)
    assert how_sure(found, k=5).in_top.tolist() == [1.0, 1.0]
    with pytest.raises(DataError, match="at least 1 item, got k = 0"):
        how_sure(found, k=0)


def test_draws_have_the_covariance_of_the_fit() -> None:
    found = fit(noisy_log(3, "abcd", 25, ("left", "right")), "abcd", sd=math.inf)
    draws = bradley_terry.draw(found, 100_000, seed=1)
    np.testing.assert_allclose(np.cov(draws.T), found.covariance, atol=0.05 * float(np.abs(found.covariance).max()))
    np.testing.assert_allclose(draws.mean(axis=0), found.scores, atol=0.02)


def test_cycles_are_groups_that_beat_one_another_by_majority() -> None:
    circle = judged("a", "b", "left", 2) + judged("b", "a", "left") + judged("b", "c", "left") + judged("a", "c", "right")
    rest = judged("a", "d", "left") + judged("d", "e", "left") + judged("e", "d", "left") + judged("e", "a", "tie")
    two = [*circle, *rest, *judged("x", "y", "left"), *judged("y", "z", "left"), *judged("z", "x", "left"), *judged("x", "a", "left")]
    assert cycles(two, "xedcbayz") == (("x", "y", "z"), ("c", "b", "a"))
    assert cycles(circle[1:], "abc") == ()  # one to one is no majority: the circle is open
    assert cycles([], "") == ()
