"""The report of agreement: tables by hand, figures against outside libraries, notes, and the test between two tools."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa
from tests.labelling.judged import QUICK, in_queries, rated

from podium.labelling.agreement import FEW_PAIRS, Agreement, Counts, agreement, chi_square
from podium.labelling.coefficients import FEW_QUERIES, Bootstrap
from podium.labelling.ratings import Rating, Ratings
from podium.sources.recorded import read_image_preferences


@st.composite
def rating_lists(draw: st.DrawFn, n_assessors: int = 3, may_miss: bool = True) -> list[Rating]:
    """Judgments of all pairs of up to five documents of up to three queries."""
    choices = st.sampled_from([1, 0, -1, None] if may_miss else [1, 0, -1])
    keys = [
        (f"q{query}", *pair, f"assessor {who}")
        for query in range(draw(st.integers(1, 3)))
        for pair in itertools.combinations("abcde"[: draw(st.integers(2, 5))], 2)
        for who in range(n_assessors)
    ]
    outcomes = draw(st.lists(choices, min_size=len(keys), max_size=len(keys)))
    return [Rating(*key, outcome) for key, outcome in zip(keys, outcomes, strict=True) if outcome is not None]


def doubled(codes: np.ndarray) -> np.ndarray:
    """Every pair in both directions, as another tool would have to be told."""
    return np.concatenate([codes, np.where(codes < 0, codes, 2 - codes)])


# --- the report


@given(ratings=rating_lists(n_assessors=3))
def test_the_report_counts_every_pair_in_both_directions(ratings: list[Rating]) -> None:
    table = Ratings.of(ratings)
    report, codes = agreement(table, bootstrap=QUICK), doubled(table.codes)
    shared = codes[(codes >= 0).sum(axis=1) > 1]
    assert report.n_pairs == len(shared) / 2
    assert report.n_judgments == (shared >= 0).sum() / 2
    used = len(np.unique(shared[shared >= 0]))
    for level, figure in (("nominal", report.alpha_nominal), ("ordinal", report.alpha_ordinal)):
        if used > 1:
            told = np.where(codes < 0, np.nan, codes).T
            expected = krippendorff.alpha(told, level_of_measurement=level, value_domain=[0, 1, 2])
            assert figure.value == pytest.approx(expected)
        else:
            assert math.isnan(figure.value)
            assert figure.notes
    for (first, second), figure in report.cohen.items():
        both = codes[:, [table.assessors.index(first), table.assessors.index(second)]]
        both = both[(both >= 0).all(axis=1)]
        if len(np.unique(both)) > 1:
            assert figure.value == pytest.approx(cohen_kappa_score(*both.T))
        else:
            assert math.isnan(figure.value)


@given(ratings=rating_lists(may_miss=False))
def test_the_report_has_fleiss_kappa_where_all_judged_all(ratings: list[Rating]) -> None:
    codes = doubled(Ratings.of(ratings).codes)
    assume(len(np.unique(codes)) > 1)
    expected = fleiss_kappa((codes[:, :, None] == np.arange(3)).sum(axis=1))
    assert agreement(Ratings.of(ratings), bootstrap=QUICK).fleiss.value == pytest.approx(expected)


@given(ratings=rating_lists())
def test_the_table_and_the_shares_are_counted_one_by_one(ratings: list[Rating]) -> None:
    report = agreement(Ratings.of(ratings), bootstrap=QUICK)
    counts = np.zeros((3, 3), int)
    for one, other in itertools.permutations(ratings, 2):
        if one[:3] == other[:3]:  # the same pair by another assessor
            for sign in (1, -1):
                counts[1 - sign * one.outcome, 1 - sign * other.outcome] += 1
    np.testing.assert_array_equal(report.table.counts, counts)
    strict = counts[[0, 0, 2, 2], [0, 2, 0, 2]]
    if counts.sum():
        assert report.overall.value == pytest.approx(np.trace(counts) / counts.sum())
    else:
        assert math.isnan(report.overall.value)
        assert report.overall.notes == ("no pair was judged by two assessors",)
    if strict.sum():
        assert report.without_ties.value == pytest.approx((strict[0] + strict[3]) / strict.sum())
    else:
        assert math.isnan(report.without_ties.value)
    assert report.table.all_pairs == Counts(np.trace(counts) // 4, (counts.sum() - np.trace(counts)) // 4)
    assert report.table.strict_pairs == Counts((strict[0] + strict[3]) // 4, (strict[1] + strict[2]) // 4)


def test_a_table_worked_by_hand() -> None:
    report = agreement(rated(">>>=<", ">><=="), bootstrap=QUICK)  # said the same of three of five; both strict in three, agreed in two
    assert report.table.all_pairs == Counts(3, 2)
    assert report.table.strict_pairs == Counts(2, 1)
    assert report.overall.value == 3 / 5
    assert report.without_ties.value == 2 / 3
    # Row ≻: the first two pairs once for each assessor, the third against ≺ likewise, the last against a tie, turned round.
    # Row ∼: the fourth pair for each assessor in both directions, the last against ≺ and, turned round, against ≻.
    np.testing.assert_allclose(report.table.row_shares, np.array([[4 / 7, 1 / 7, 2 / 7], [1 / 6, 4 / 6, 1 / 6], [2 / 7, 1 / 7, 4 / 7]]))


def figures(report: Agreement) -> list[float]:
    cycles = [*report.cycles.values(), report.majority_cycles]
    shares = [share.value for cycle in cycles for share in (cycle.circular, cycle.weak, cycle.broken_ties)]
    return [report.overall.value, report.without_ties.value, report.fleiss.value, report.alpha_nominal.value, report.alpha_ordinal.value,
            *(figure.value for figure in report.cohen.values()), *shares]  # fmt: skip


@given(ratings=rating_lists(), names=st.permutations("vwxyz"))
def test_renaming_documents_and_turning_pairs_changes_nothing(ratings: list[Rating], names: list[str]) -> None:
    name = dict(zip("abcde", names, strict=True))
    renamed = [Rating(r.query, name[r.second], name[r.first], r.assessor, -r.outcome) for r in ratings]
    np.testing.assert_allclose(
        figures(agreement(Ratings.of(renamed), bootstrap=QUICK)), figures(agreement(Ratings.of(ratings), bootstrap=QUICK)), rtol=1e-9
    )


@given(ratings=rating_lists(may_miss=False), seats=st.lists(st.permutations(range(3)), min_size=30, max_size=30))
def test_who_said_what_does_not_matter_to_fleiss_and_alpha(ratings: list[Rating], seats: list[list[int]]) -> None:
    pairs = list(dict.fromkeys(rating[:3] for rating in ratings))
    moved = [r._replace(assessor=f"assessor {seats[pairs.index(r[:3])][int(r.assessor[-1])]}") for r in ratings]
    before, after = (agreement(Ratings.of(said), bootstrap=Bootstrap(resamples=50)) for said in (ratings, moved))
    np.testing.assert_array_equal(before.table.counts, after.table.counts)
    for name in ("overall", "without_ties", "fleiss", "alpha_nominal", "alpha_ordinal"):
        assert str(getattr(before, name)) == str(getattr(after, name))  # the interval and the notes, too; NaN is NaN


@given(ratings=rating_lists(n_assessors=1, may_miss=False))
def test_perfect_agreement_is_one(ratings: list[Rating]) -> None:
    assume(any(rating.outcome for rating in ratings))
    report = agreement(Ratings.of([*ratings, *(r._replace(assessor="echo") for r in ratings)]), bootstrap=QUICK)
    found = [report.overall, report.without_ties, report.fleiss, report.alpha_nominal, report.alpha_ordinal, *report.cohen.values()]
    assert [(figure.value, figure.low, figure.high) for figure in found] == [(1, 1, 1)] * 6


# --- notes


def test_few_pairs_and_few_queries_are_said_up_to_the_threshold() -> None:
    def notes(n_queries: int, n_pairs: int) -> str:
        text = (">=<" * n_pairs)[:n_pairs]
        return " ".join(agreement(in_queries({f"q{i}": (text, text) for i in range(n_queries)}), bootstrap=QUICK).notes)

    assert "few" not in notes(FEW_QUERIES, FEW_PAIRS // FEW_QUERIES)
    assert "few queries: with 19" in notes(FEW_QUERIES - 1, FEW_PAIRS)
    assert "few items: 80 pairs" in notes(FEW_QUERIES, 4)
    assert "±11 points" in notes(FEW_QUERIES, 4)  # 1.96 √(.25 / 80) = .1096
    assert "few queries" not in notes(1, FEW_QUERIES - 1)  # one query draws its pairs, of which there are so few


def test_high_agreement_with_low_kappa_is_explained() -> None:
    ties = "=" * 180
    report = agreement(rated(ties + ">" * 5 + "=" * 10 + "<" * 5, ties + "=" * 5 + ">" * 10 + "=" * 5), bootstrap=QUICK)
    assert report.overall.value == 0.9
    assert report.fleiss.value < 0
    for figure in (report.fleiss, report.alpha_nominal, report.cohen["assessor 0", "assessor 1"]):
        assert any(note.startswith("skewed: 95% of the judgments are A∼B") for note in figure.notes)
    assert not any("skewed" in note for note in report.overall.notes)


def test_only_ties_make_the_coefficients_undefined_with_a_note() -> None:
    report = agreement(rated("=" * 120, "=" * 120), bootstrap=QUICK)
    assert report.overall.value == 1
    for figure in (report.fleiss, report.alpha_nominal, report.alpha_ordinal, report.cohen["assessor 0", "assessor 1"]):
        assert math.isnan(figure.value)
        assert any("every judgment is A∼B" in note for note in figure.notes)
    assert math.isnan(report.without_ties.value)
    assert "undefined: no pair without a tie" in report.without_ties.notes


def test_unequal_numbers_of_judgments_leave_fleiss_undefined_and_alpha_not() -> None:
    report = agreement(rated(">>=<", ">>=<", ">..."), bootstrap=QUICK)
    assert math.isnan(report.fleiss.value)
    assert "2 to 3 judgments" in report.fleiss.notes[0]
    assert report.alpha_nominal.value == 1
    assert report.table.all_pairs == Counts(3 + 1 + 1 + 1, 0)


def test_one_assessor_and_nobody_at_all_give_undefined_figures() -> None:
    for ratings in (rated(">=<"), Ratings.of([])):
        report = agreement(ratings, bootstrap=QUICK)
        assert report.n_pairs == report.n_queries == report.n_judgments == 0
        assert report.cohen == {}
        assert all(math.isnan(value) for value in figures(report))
        assert "no pair was judged by two assessors" in report.notes
        assert np.isnan(report.table.row_shares).all()


# --- χ²


def test_chi_square_is_the_textbook_formula_with_and_without_correction() -> None:
    a, b, c, d = 745, 255, 1094, 906
    n, below = a + b + c + d, (a + b) * (c + d) * (a + c) * (b + d)
    assert chi_square(Counts(a, b), Counts(c, d)).statistic == pytest.approx(n * (a * d - b * c) ** 2 / below)
    corrected = chi_square(Counts(a, b), Counts(c, d), is_corrected=True)
    assert corrected.statistic == pytest.approx(n * (abs(a * d - b * c) - n / 2) ** 2 / below)
    assert corrected.p_value == pytest.approx(math.erfc(math.sqrt(corrected.statistic / 2)))  # one degree of freedom: a squared normal
    assert corrected.notes == ()


def test_chi_square_warns_of_small_counts_and_is_undefined_without_any() -> None:
    assert "2.5, below 5" in chi_square(Counts(4, 1), Counts(1, 4)).notes[0]
    for first, second in ((Counts(0, 0), Counts(5, 5)), (Counts(9, 0), Counts(5, 0)), (Counts(0, 9), Counts(0, 5))):
        result = chi_square(first, second)
        assert math.isnan(result.statistic)
        assert math.isnan(result.p_value)
        assert result.notes


# --- people


def test_the_three_answers_to_recorded_pairs_agree_as_outside_libraries_count(benchmark_data: Path) -> None:
    queries = read_image_preferences(benchmark_data / "thu_image_search" / "image_pairs_annotation")
    ratings = Ratings.of(
        Rating(query.query_id, query.items[left], query.items[right], f"column {column}", (tag < 0) - (tag > 0))
        for query in queries
        for (left, right), tags in zip(query.pairs.tolist(), query.tags.tolist(), strict=True)
        for column, tag in enumerate(tags)
    )
    report = agreement(ratings)
    assert (report.n_queries, report.n_pairs, report.n_judgments) == (102, 41_538, 124_614)
    signs = np.sign(np.concatenate([query.tags for query in queries]))
    same = [signs[:, i] == signs[:, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    strict = [signs[:, i] * signs[:, j] != 0 for i, j in ((0, 1), (0, 2), (1, 2))]
    assert report.overall.value == pytest.approx(np.mean(same))
    assert report.without_ties.value == pytest.approx(np.mean(np.concatenate(same)[np.concatenate(strict)]))
    both = np.concatenate([signs, -signs]).astype(int)
    assert report.cohen["column 0", "column 1"].value == pytest.approx(cohen_kappa_score(both[:, 0], both[:, 1]))
    assert report.fleiss.value == pytest.approx(fleiss_kappa((both[:, :, None] == [-1, 0, 1]).sum(axis=1)))
    assert report.alpha_ordinal.value == pytest.approx(krippendorff.alpha(both.T, level_of_measurement="ordinal"))
    assert report.fleiss.low < report.fleiss.value < report.fleiss.high
    assert report.notes == []
    for cycles in report.cycles.values():
        assert cycles.circular.value < 0.05  # a coin would have a quarter
