"""Coefficients against outside libraries, intervals against drawing again one by one."""

from __future__ import annotations

import itertools
import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa
from tests.labelling.judged import in_queries, rated

from podium.labelling.agreement import agreement
from podium.labelling.coefficients import Bootstrap, coincidences, kappa, krippendorff_alpha


@given(codes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_kappa_of_two_is_that_of_scikit_learn(codes: list[tuple[int, int]]) -> None:
    assume(len(set(itertools.chain(*codes))) > 1)
    table = np.zeros((4, 4))
    for first, second in codes:
        table[first, second] += 1
    assert float(kappa(table)) == pytest.approx(cohen_kappa_score(*zip(*codes, strict=True)))


@given(codes=st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=20))
def test_kappa_of_many_is_that_of_statsmodels(codes: list[list[int]]) -> None:
    array = np.array(codes)
    assume(len(np.unique(array)) > 1)
    votes = (array[:, :, None] == np.arange(4)).sum(axis=1)
    assert float(kappa(coincidences(array, 4, by_rating=False))) == pytest.approx(fleiss_kappa(votes))


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@given(codes=st.lists(st.lists(st.integers(-1, 4), min_size=4, max_size=4), min_size=2, max_size=20))
def test_alpha_is_that_of_the_krippendorff_library_with_ratings_missing(level: str, codes: list[list[int]]) -> None:
    array = np.array(codes)
    pairable = array[(array >= 0).sum(axis=1) > 1]
    assume(len(np.unique(pairable[pairable >= 0])) > 1)
    told = np.where(array < 0, np.nan, array).T
    expected = krippendorff.alpha(told, level_of_measurement=level, value_domain=list(range(5)))
    assert float(krippendorff_alpha(coincidences(array, 5, by_rating=True), level)) == pytest.approx(expected)


def test_coefficients_take_many_tables_at_once() -> None:
    tables = np.random.default_rng(3).integers(1, 9, size=(2, 5, 3, 3)).astype(float)
    for statistic in (kappa, krippendorff_alpha, lambda table: krippendorff_alpha(table, "ordinal")):
        together = statistic(tables)
        assert together.shape == (2, 5)
        for place in np.ndindex(2, 5):
            assert together[place] == statistic(tables[place])


def test_one_category_only_is_undefined_and_not_perfect() -> None:
    for table in (np.diag([0.0, 8.0, 0.0]), np.zeros((3, 3))):
        assert math.isnan(float(kappa(table)))
        assert math.isnan(float(krippendorff_alpha(table)))
        assert math.isnan(float(krippendorff_alpha(table, "ordinal")))


# --- intervals, seen in the report


def test_one_query_draws_its_pairs() -> None:
    n, agreed = 200, 150
    report = agreement(rated(">" * n, ">" * agreed + "<" * (n - agreed)), bootstrap=Bootstrap(resamples=40_000))
    expected = stats.binom.ppf([0.025, 0.975], n, agreed / n) / n  # drawing pairs again is tossing n coins
    np.testing.assert_allclose([report.overall.low, report.overall.high], expected, atol=1 / n)
    assert any("says nothing of other queries" in note for note in report.notes)


@pytest.mark.parametrize(("confidence", "low", "high"), [(0.9, 0.0, 1.0), (0.4, 0.5, 0.5)])
def test_several_queries_are_drawn_whole(confidence: float, low: float, high: float) -> None:
    ratings = in_queries({"all agree": (">" * 50, ">" * 50), "none agree": (">" * 50, "<" * 50)})
    report = agreement(ratings, bootstrap=Bootstrap(confidence=confidence))
    assert report.overall.value == 0.5  # drawn again: 0, ½, ½ or 1, a quarter of the time each
    assert (report.overall.low, report.overall.high) == (low, high)
    # Cohen's κ of the two draws with one query only: 1 and -1 (two outcomes, equally frequent by counting both directions)
    assert (report.cohen["assessor 0", "assessor 1"].low, report.cohen["assessor 0", "assessor 1"].high) == (2 * low - 1, 2 * high - 1)


def test_intervals_are_those_of_drawing_queries_one_by_one() -> None:
    rng = np.random.default_rng(5)
    texts = {f"q{i}": ("".join(rng.choice(list(">=<"), 12)), "".join(rng.choice(list(">=<"), 12))) for i in range(25)}
    texts = {
        query: (one, "".join(a if rng.random() < 0.6 else b for a, b in zip(one, two, strict=True))) for query, (one, two) in texts.items()
    }
    report = agreement(in_queries(texts), bootstrap=Bootstrap(resamples=20_000))
    drawn = []
    for _ in range(800):
        chosen = [texts[f"q{i}"] for i in rng.integers(0, 25, 25)]
        one, two = ("".join(both[who] for both in chosen) for who in (0, 1))
        turned = str.maketrans("<>", "><")
        drawn.append(cohen_kappa_score(list(one + one.translate(turned)), list(two + two.translate(turned))))
    figure = report.cohen["assessor 0", "assessor 1"]
    np.testing.assert_allclose([figure.low, figure.high], np.quantile(drawn, [0.025, 0.975]), atol=0.02)
    assert report.fleiss.low < report.fleiss.value < report.fleiss.high


def test_the_seed_decides_the_interval_and_nothing_else() -> None:
    ratings = rated(">>>=<<>>==", ">><=<><>==")
    one, same, other = (agreement(ratings, bootstrap=Bootstrap(seed=seed, resamples=51)) for seed in (1, 1, 2))
    assert one.alpha_ordinal == same.alpha_ordinal
    assert one.alpha_ordinal.value == other.alpha_ordinal.value
    assert (one.alpha_ordinal.low, one.alpha_ordinal.high) != (other.alpha_ordinal.low, other.alpha_ordinal.high)


def test_resamples_without_a_value_are_left_out_and_said() -> None:
    report = agreement(in_queries({"ties": ("====", "===="), "strict": (">>>>", ">>>>")}), bootstrap=Bootstrap(resamples=400))
    assert (report.fleiss.value, report.fleiss.low, report.fleiss.high) == (1, 1, 1)
    assert any("of 400 resamples" in note for note in report.fleiss.notes)  # only ties were drawn, a quarter of the time
