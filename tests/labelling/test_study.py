"""The report of a study, of a tiny one worked by hand, and of its parts against other tools."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.labelling.studies import QUICK, one, said, tiny, tiny_study

from podium.labelling.agreement import Counts, chi_square
from podium.labelling.between import agreement_of, between, same_pairs
from podium.labelling.coefficients import Bootstrap, Figure, coincidences, coincidences_of_votes, kappa, krippendorff_alpha
from podium.labelling.questions import Event
from podium.labelling.quotients import median_figure, quotient_figure, share_figure, wilson
from podium.labelling.ratings import Rating, Ratings
from podium.labelling.study import PAPER, JudgedTask, study_report
from podium.labelling.tops import kendall_tau, kendall_tau_b, top_overlap


def test_time_and_effort_are_worked_by_hand() -> None:
    pairs, grades = tiny().tools
    # Judgments that stand: ann 3 of 4 s (one of 8 s was taken back), bob 3 of 8 s, cid 2 of 3 s, dan 2 of 5 s.
    assert (pairs.n_judgments, pairs.n_timed, pairs.n_tasks, pairs.n_finished, pairs.n_queries, pairs.n_assessors) == (10, 10, 4, 4, 2, 4)
    assert pairs.seconds_mean.value == pytest.approx((3 * 4 + 3 * 8 + 2 * 3 + 2 * 5) / 10)
    assert pairs.seconds_median.value == median([4, 4, 4, 8, 8, 8, 3, 3, 5, 5])
    assert pairs.judgments_per_query.value == 10 / 4
    # The time of what was taken back or skipped was spent too.
    assert pairs.minutes_per_query.value == pytest.approx(((3 * 4 + 8 + 2) + 3 * 8 + 2 * 3 + 2 * 5) / 60 / 4)
    assert pairs.paused_per_query.value == pytest.approx((30 + 3 * 60) / 60 / 4)
    assert pairs.idle_per_query.value == 0
    assert pairs.ties.value == pytest.approx(3 / 10)  # b=c by ann and bob, a=c by dan
    assert pairs.both_bad.value == pytest.approx(1 / 10)
    assert pairs.skips.value == pytest.approx(1 / 11)
    assert pairs.taken_back.value == pytest.approx(1 / 11)
    assert grades.n_judgments == 12
    assert grades.seconds_mean.value == pytest.approx((3 * 10 + 3 * 14 + 6 * 12) / 12)
    assert grades.minutes_per_query.value == pytest.approx((30 + 42 + 36 + 36) / 60 / 4)
    assert math.isnan(grades.ties.value)
    assert grades.seconds_box == tuple(np.percentile([10] * 3 + [14] * 3 + [12] * 6, [5, 25, 50, 75, 95]))


def test_agreement_counts_answers_as_they_were_said() -> None:
    pairs, grades = tiny().tools
    # Pairs, p: ab agreed, ac not (the correction of bob's answer is not his), bc both tie; q: ab agreed, ac both a tie, as "both bad" is.
    assert pairs.agreement.table.all_pairs == Counts(4, 1)
    assert pairs.agreement.overall.value == 4 / 5
    assert pairs.agreement.table.strict_pairs == Counts(2, 1)
    assert pairs.agreement.without_ties.value == pytest.approx(2 / 3)
    assert pairs.agreement.n_pairs == 5
    # Grades, p: cid a≻b a≻c b∼c; dan a∼b a≻c b≻c: ac agreed. q: ann b≻a c≻a c≻b; bob b≻a c≻a b≻c: two agreed, bc turned round.
    assert grades.agreement.table.all_pairs == Counts(3, 3)
    assert grades.agreement.table.strict_pairs == Counts(3, 1)
    # Rows of the table, both directions: ties are 2 of 5 judged alike, so a tie is always met by a tie.
    assert pairs.agreement.table.row_shares.tolist() == [[2 / 3, 0.0, 1 / 3], [0.0, 1.0, 0.0], [1 / 3, 0.0, 2 / 3]]


def test_chi_square_is_scipys_on_the_counts_of_the_two_tools() -> None:
    report = tiny()
    assert report.comparison is not None
    for counts, found in (
        (([4, 1], [3, 3]), report.comparison.chi_square),
        (([2, 1], [3, 1]), report.comparison.chi_square_without_ties),
    ):
        expected = stats.chi2_contingency(counts, correction=False)
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.p_value == pytest.approx(expected.pvalue)
        assert any("below 5" in note for note in found.notes)
    (a, b), (c, d) = (4, 1), (3, 3)
    by_hand = 11 * (a * d - b * c) ** 2 / ((a + b) * (c + d) * (a + c) * (b + d))
    assert report.comparison.chi_square.statistic == pytest.approx(by_hand)
    assert report.comparison.times_faster == pytest.approx(12.0 / 5.2)


def test_a_textbook_table_has_its_chi_square() -> None:
    """Pearson's χ² of 43 and 9 against 44 and 4, right- and left-handed men and women, is 1.7774."""
    assert chi_square(Counts(43, 9), Counts(44, 4)).statistic == pytest.approx(1.7774, abs=5e-5)


def test_like_for_like_takes_the_pairs_that_two_judged_with_each_tool() -> None:
    report = tiny()
    assert report.comparison is not None
    same = report.comparison.same_pairs
    # p: ab, ac, bc with both tools; q: ab, ac by pairs, and all by grades.
    assert same.n_pairs == 5
    assert same.overall["pairs"].value == 4 / 5
    assert same.overall["grades"].value == pytest.approx(3 / 5)  # p: ac of three; q: ab and ac
    assert same.without_ties["grades"].value == pytest.approx(3 / 3)


def test_those_who_judged_pairs_are_held_against_those_who_graded() -> None:
    report = tiny()
    assert report.comparison is not None
    found = report.comparison.between
    # p, each of ann and bob with each of cid and dan. ab: a≻b twice, against a≻b and a∼b: 2 of 4. ac: a≻c, c≻a against a≻c twice: 2 of 4.
    # bc: a tie twice, against b∼c and b≻c: 2 of 4. q, ab: a≻b twice against b≻a twice: 0. ac: a tie twice against c≻a twice: 0.
    assert found.n_pairs == 5
    assert found.overall.value == pytest.approx(6 / 20)
    # Without ties: ab of p 2 of 2; ac of p 2 of 4; ab of q 0 of 4.
    assert found.without_ties.value == pytest.approx(4 / 10)


def test_tops_are_compared_as_sets_and_in_order() -> None:
    pairs = tiny().tools[0]
    assert pairs.tops.overlap.value == pytest.approx((1 / 2 + 2 / 2) / 2)
    assert pairs.tops.tau.value == 1.0  # of q alone: two documents in common
    assert (pairs.tops.n_compared, pairs.tops.n_queries) == (2, 2)


def test_the_order_of_grades_is_tau_b_of_all_that_both_graded_and_has_no_top() -> None:
    grades = tiny().tools[1]
    # p: cid tells ab and ac apart, dan ac and bc; they agree on ac: 1 / √(2 · 2). q: both tell all apart, and turn bc round: (2 − 1) / 3.
    assert grades.tops.tau.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert (grades.tops.n_compared, grades.tops.n_queries) == (2, 2)
    assert math.isnan(grades.tops.overlap.value)
    assert any("by chance" in note for note in grades.tops.overlap.notes)


def test_two_identical_graders_have_tau_1_whatever_their_tops() -> None:
    texts = ["a:Good", "b:Fair", "c:Fair", "d:Fair", "e:Bad"]
    tasks = [
        JudgedTask("q", "grades", said(who, *texts), who, is_finished=True, top=top)
        for who, top in (("ann", ("a", "b")), ("bob", ("a", "d")))  # equals were cut by chance
    ]
    found = study_report(tasks, bootstrap=QUICK).tools[0].tops
    assert found.tau.value == 1.0
    assert math.isnan(found.overlap.value)
    model = [Event(left=text[0], answer=text[2:], assessor="gpt", role="model") for text in texts]
    (versus,) = study_report([*tasks, JudgedTask("q", "grades", model, "gpt", role="model")], bootstrap=QUICK).versus_models
    assert versus.tops.tau.value == 1.0
    assert versus.tops.n_compared == 2


GRADED = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=2)


@given(GRADED, GRADED)
def test_tau_b_is_scipys_on_what_both_graded(first: dict[str, int], second: dict[str, int]) -> None:
    common = sorted(first.keys() & second.keys())
    mine, theirs = [first[item] for item in common], [second[item] for item in common]
    found = kendall_tau_b(first, second)
    if len(set(mine)) < 2 or len(set(theirs)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(stats.kendalltau(mine, theirs, variant="b").statistic)


def test_each_assessor_is_told_apart() -> None:
    report = tiny()
    ann, bob, cid = one(report, "ann", "pairs"), one(report, "bob", "pairs"), one(report, "cid", "pairs")
    assert (ann.n_judgments, ann.n_skips, ann.n_taken_back, ann.n_corrected) == (3, 1, 1, 0)
    assert (bob.n_judgments, bob.n_skips, bob.n_taken_back, bob.n_corrected) == (3, 0, 0, 1)
    assert (ann.median_seconds, bob.median_seconds, cid.median_seconds) == (4.0, 8.0, 3.0)
    assert ann.agreement.value == pytest.approx(2 / 3)
    assert (ann.n_compared, cid.n_compared) == (3, 2)
    assert cid.agreement.value == 1.0
    assert ann.left.value == 1.0  # a>b and a>c
    assert bob.left.value == 0.0  # b<a and a<c
    assert ann.ties.value == pytest.approx(1 / 3)
    assert bob.cycles is not None
    assert (bob.cycles.counts.one_tie, bob.cycles.counts.weak) == (1, 1)  # a≻b, c≻a, and yet b∼c
    assert ann.cycles is not None
    assert (ann.cycles.counts.one_tie, ann.cycles.counts.weak) == (1, 0)
    assert one(report, "cid", "grades").cycles is None
    assert any("few judgments" in flag for flag in ann.flags)
    assert (report.gold[0].assessor, report.gold[0].right, report.gold[0].asked, report.gold[0].share.value) == ("ann", 3, 4, 0.75)
    assert "ann" not in {found.assessor for found in report.assessors if found.role == "model"}


def test_a_model_is_held_against_people_and_never_counted_among_them() -> None:
    model = JudgedTask(
        "p", "pairs", said("gpt", "a>b", "c=b", role="model", seconds=0.1), "gpt", role="model", is_finished=True, top=("b", "a")
    )
    report, without = study_report([*tiny_study(), model], bootstrap=QUICK), tiny()
    assert (report.people, report.models) == (("ann", "bob", "cid", "dan"), ("gpt",))
    assert report.tools[0].seconds_mean == without.tools[0].seconds_mean
    assert report.tools[0].n_tasks == 4
    assert report.tools[0].agreement.overall == without.tools[0].agreement.overall
    assert report.tools[0].tops == without.tools[0].tops
    assert one(report, "ann", "pairs").agreement == one(without, "ann", "pairs").agreement
    (found,) = report.versus_models
    assert found.between.n_pairs == 2
    assert found.between.overall.value == 1.0  # both people said a≻b and b∼c, as the model does
    # Tops b, a against a, b (both in common, turned round) and against a, c (one in common).
    assert found.tops.overlap.value == pytest.approx((1.0 + 0.5) / 2)
    assert found.tops.tau.value == -1.0
    assert one(report, "gpt", "pairs").role == "model"
    assert one(report, "gpt", "pairs").fast.value == 1.0
    assert one(report, "gpt", "pairs").agreement.value == 1.0


def test_a_model_named_like_a_person_is_another() -> None:
    task = JudgedTask("p", "pairs", said("ann", "a<b", role="model"), "ann", role="model", is_finished=True)
    report = study_report([*tiny_study(), task], bootstrap=QUICK)
    assert report.models == ("ann (model)",)
    assert report.versus_models[0].between.overall.value == 0.0


def test_one_tool_has_no_chi_square_and_one_assessor_no_agreement_and_notes_say_so() -> None:
    alone = study_report([tiny_study()[0]], bootstrap=QUICK)
    assert alone.comparison is None
    assert math.isnan(alone.tools[0].agreement.overall.value)
    assert any("no χ² test" in note for note in alone.notes)
    assert any("nobody to agree with" in note for note in alone.tools[0].notes)
    assert alone.tools[0].minutes_per_query.value == pytest.approx((3 * 4 + 8 + 2) / 60)
    assert math.isnan(alone.tools[0].minutes_per_query.low)
    assert any("one query" in note for note in alone.tools[0].minutes_per_query.notes)


def test_nothing_judged_gives_no_figures_but_a_note() -> None:
    for tasks in ([], [JudgedTask("p", "pairs", []), JudgedTask("p", "grades", [])]):
        report = study_report(tasks, bootstrap=QUICK)
        assert "nobody has judged anything yet" in report.notes
        assert report.comparison is None
        assert all(math.isnan(tool.seconds_mean.value) and math.isnan(tool.agreement.overall.value) for tool in report.tools)


def test_unfinished_and_untimed_tasks_are_said() -> None:
    tasks = tiny_study()
    tasks[0] = replace(tasks[0], is_finished=False, top=None)
    tasks[4] = replace(tasks[4], events=said("cid", "a>b", "a!c", seconds=None))
    pairs = study_report(tasks, bootstrap=QUICK).tools[0]
    assert pairs.judgments_per_query.value == pytest.approx((3 + 2 + 2) / 3)
    mean = (3 * 4 + 3 * 8 + 2 * 5) / 8  # of those that are timed
    assert pairs.minutes_per_query.value == pytest.approx((3 * 8 + 2 * mean + 2 * 5) / 60 / 3)
    assert any("1 of 4 tasks are not finished" in note for note in pairs.notes)
    assert any("2 of 12 judgments and skips, those taken back among them, say no time" in note for note in pairs.notes)  # ann's 5, 3, 2, 2


def test_a_task_of_several_people_counts_once() -> None:
    shared = JudgedTask(
        "p", "pairs", [*said("ann", "a>b", seconds=30.0), *said("bob", "a>c", "b>c", seconds=15.0)], is_finished=True, top=("a",)
    )
    report = study_report([shared, replace(shared, query="q")], bootstrap=QUICK)
    assert report.tools[0].judgments_per_query.value == 3.0
    assert report.tools[0].minutes_per_query.value == 1.0
    assert report.tools[0].tops.n_compared == 0  # nobody's own


def test_fast_and_one_sided_assessors_are_flagged() -> None:
    letters = [chr(code) for code in range(ord("b"), ord("z"))]
    lazy = JudgedTask("p", "pairs", said("lazy", *(f"a>{letter}" for letter in letters), seconds=1.0), "lazy", is_finished=True)
    keen = [f"a>{letter}" if place % 2 else f"a<{letter}" for place, letter in enumerate(letters)]
    report = study_report([lazy, JudgedTask("p", "pairs", said("keen", *keen, seconds=9.0), "keen", is_finished=True)], bootstrap=QUICK)
    flags = one(report, "lazy", "pairs").flags
    assert any("100% of the judgments took less than 2 seconds" in flag for flag in flags)
    assert any("prefers the left side" in flag for flag in flags)
    assert one(report, "keen", "pairs").flags == ()


def test_oracles_and_recorded_answers_count_as_people_and_a_note_says_so() -> None:
    report = study_report(
        [JudgedTask("p", "pairs", said("o", "a>b", role="oracle")), JudgedTask("p", "pairs", said("r", "a>b", role="recorded"))]
    )
    assert report.people == ("o", "r")
    assert any("oracles" in note for note in report.notes)
    assert any("recorded" in note for note in report.notes)


def test_the_papers_figures_are_those_of_the_specification() -> None:
    assert (PAPER.seconds, PAPER.judgments, PAPER.minutes) == ({"grades": 13.87}, {"grades": 50}, {"grades": 11.78})
    assert (PAPER.overall, PAPER.without_ties) == ({"pairs": 0.745, "grades": 0.547}, {"pairs": 0.897, "grades": 0.831})
    assert (PAPER.chi_square, PAPER.chi_square_without_ties) == (420.7, 28.5)


def test_a_published_table_of_two_assessors_keeps_its_agreement() -> None:
    """Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions, Table 18.1: two raters, three categories, κ = 0.676."""
    table = np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    assert float(kappa(table.astype(float))) == pytest.approx(0.676, abs=5e-4)
    cells = [cell for cell in np.ndindex(3, 3) for _ in range(table[cell])]
    first, second = (
        Ratings.of(Rating("q", f"d{number:03}", f"e{number:03}", "someone", 1 - cell[side]) for number, cell in enumerate(cells))
        for side in (0, 1)
    )
    found = between(first, second, ("ann", "bob"), QUICK)
    assert found.n_pairs == 100
    assert found.overall.value == pytest.approx(0.89)
    both_ways = table + table[::-1, ::-1]  # a pair counts in both directions
    assert found.table.counts.tolist() == both_ways.tolist()
    chance = (both_ways.sum(axis=0) * both_ways.sum(axis=1)).sum() / both_ways.sum() ** 2
    assert found.kappa.value == pytest.approx((0.89 - chance) / (1 - chance))


def test_krippendorffs_own_example_has_his_alphas() -> None:
    """Krippendorff, "Computing Krippendorff's alpha-reliability" (2011): four observers, twelve units, ratings missing."""
    observers = ["123321412...", "12332241 25.3".replace(" ", ""), ".3332342251.", "12332441251."]
    codes = np.array([[-1 if said == "." else int(said) - 1 for said in observer] for observer in observers]).T
    table = coincidences(codes, 5, by_rating=True)
    assert float(krippendorff_alpha(table, "nominal")) == pytest.approx(0.743, abs=5e-4)
    assert float(krippendorff_alpha(table, "ordinal")) == pytest.approx(0.815, abs=5e-4)


def test_fourteen_raters_of_ten_subjects_have_the_fleiss_kappa_that_is_printed_everywhere() -> None:
    votes = np.array(
        [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
         [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    )  # fmt: skip
    assert float(kappa(coincidences_of_votes(votes, by_rating=False).sum(axis=0))) == pytest.approx(0.210, abs=5e-4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20), st.integers(1, 5)), min_size=1, max_size=30))
def test_a_quotient_is_the_sum_over_the_sum(parts: list[tuple[int, int, int]]) -> None:
    found = quotient_figure(((f"q{query}", above, below) for query, above, below in parts), QUICK, "nothing")
    assert found.value == pytest.approx(sum(above for _, above, _ in parts) / sum(below for _, _, below in parts))
    if not math.isnan(found.low):
        assert len({query for query, _, _ in parts}) > 1
        assert found.low < found.high
    assert quotient_figure([], QUICK, "nothing").notes == ("nothing",)


def test_the_interval_of_a_median_draws_whole_queries() -> None:
    values = {"p": [1.0, 1.0, 1.0], "q": [5.0, 5.0, 5.0], "r": [9.0, 9.0, 9.0]}
    names = [query for query, some in values.items() for _ in some]
    found = median_figure(names, [value for some in values.values() for value in some], Bootstrap(resamples=4000), "nothing")
    assert found.value == 5.0
    # The middle of three drawn queries is p with probability 7/27, so that 2.5 % of the resamples lie at 1 and at 9.
    assert (found.low, found.high) == (1.0, 9.0)
    drawn = median_figure(
        names, [value for some in values.values() for value in some], Bootstrap(resamples=4000, confidence=0.4), "nothing"
    )
    assert (drawn.low, drawn.high) == (5.0, 5.0)


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilsons_interval_is_scipys(part: int, more: int) -> None:
    whole = part + more
    expected = stats.binomtest(part, whole).proportion_ci(method="wilson")
    found = wilson(part, whole)
    assert found.value == part / whole
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)


@given(st.permutations("abcdef"), st.permutations("abcdefgh"))
def test_kendalls_tau_is_scipys_on_what_both_have(first: list[str], second: list[str]) -> None:
    found = kendall_tau(first, second)
    common = [item for item in first if item in second]
    expected = stats.kendalltau([first.index(item) for item in common], [second.index(item) for item in common]).statistic
    assert found == pytest.approx(expected)
    assert kendall_tau("a", "ab") is None


def test_overlap_is_of_the_longer_top() -> None:
    found = top_overlap([(("q", "ann", ("a", "b", "c", "d")), ("q", "bob", ("a",)))], QUICK)
    assert found.overlap.value == 1 / 4
    assert math.isnan(found.tau.value)
    assert top_overlap([(("q", "ann", ()), ("q", "bob", ()))], QUICK).n_compared == 0


def test_no_pair_in_common_is_undefined_with_a_note() -> None:
    first, second = Ratings.of([Rating("q", "a", "b", "ann", 1)]), Ratings.of([Rating("q", "a", "c", "gpt", 1)])
    found = between(first, second, ("people", "gpt"), QUICK)
    assert found.n_pairs == 0
    assert math.isnan(found.overall.value)
    assert found.overall.notes == ("no pair was judged by both people and gpt",)
    assert isinstance(found.kappa, Figure)
    assert same_pairs({"pairs": first, "grades": second}, QUICK).n_pairs == 0


def test_like_for_like_leaves_out_what_only_one_judged_with_a_tool() -> None:
    both = [Rating("q", "a", "b", who, 1) for who in ("ann", "bob")]
    alone = Rating("q", "a", "c", "ann", 1)
    pairs, grades = Ratings.of([*both, alone]), Ratings.of([*both, alone, alone._replace(assessor="bob", outcome=-1)])
    found = same_pairs({"pairs": pairs, "grades": grades}, QUICK)
    assert found.n_pairs == 1
    assert found.overall["grades"].value == 1.0
    assert same_pairs({"grades": grades, "pairs": pairs}, QUICK).n_pairs == 1


def test_of_very_many_graded_documents_the_pairs_of_the_first_are_inferred_and_a_note_says_so() -> None:
    grades = [Event(left=f"d{number:03}", answer="Good", assessor="", seconds=1.0) for number in range(202)]
    tasks = [JudgedTask("q", "grades", [replace(event, assessor=who) for event in grades], who, is_finished=True) for who in ("ann", "bob")]
    report = study_report(tasks, bootstrap=QUICK)
    assert report.tools[0].agreement.n_pairs == 200 * 199 // 2
    assert any("more than 200 graded documents" in note for note in report.notes)


def test_documents_are_counted_and_not_events_where_many_were_graded() -> None:
    documents = [f"d{number:03}" for number in range(60)]
    shared = [Event(left=item, answer="Good", assessor=who, seconds=1.0) for item in documents for who in ("ann", "bob", "cid", "dan")]
    report = study_report([JudgedTask("q", "grades", shared, is_finished=True)], bootstrap=QUICK)
    assert not any("graded documents" in note for note in report.notes)  # 240 events of 60 documents


def test_whoever_only_skipped_is_no_assessor_and_takes_nobodys_top_away() -> None:
    skip = Event("skip", "a", "b", assessor="cid", seconds=500.0)
    tasks = [
        JudgedTask("q", "pairs", said("ann", "a>b"), is_finished=True, top=("a", "b")),
        JudgedTask("q", "pairs", [*said("bob", "a<b"), skip], is_finished=True, top=("b", "a")),
    ]
    report = study_report(tasks, bootstrap=QUICK)
    assert report.people == ("ann", "bob")
    assert report.tools[0].n_assessors == 2
    assert report.tools[0].tops.n_compared == 1
    assert report.tools[0].tops.tau.value == -1.0
    assert one(report, "cid", "pairs").n_skips == 1
    alone = study_report([JudgedTask("q", "pairs", [skip])], bootstrap=QUICK)
    assert "nobody has judged anything yet" in alone.notes


def test_an_untimed_skip_is_said_and_counts_as_long_as_a_judgment() -> None:
    task = JudgedTask("q", "pairs", [*said("ann", "a>b", seconds=6.0), Event("skip", "a", "c", assessor="ann")], is_finished=True)
    found = study_report([task], bootstrap=QUICK).tools[0]
    assert found.minutes_per_query.value == pytest.approx(12 / 60)
    assert any("1 of 2 judgments and skips" in note for note in found.notes)


def test_minutes_are_known_if_only_what_was_skipped_or_taken_back_is_timed() -> None:
    events = [
        *said("ann", "a>b", seconds=6.0),
        Event("undo", target=1, assessor="ann"),
        Event("skip", "a", "b", assessor="ann", seconds=2.0),
        *said("ann", "a<b", seconds=None),
    ]
    found = study_report([JudgedTask("q", "pairs", events, is_finished=True)], bootstrap=QUICK).tools[0]
    assert found.minutes_per_query.value == pytest.approx((6 + 2 + (6 + 2) / 2) / 60)
    assert math.isnan(found.seconds_mean.value)


def test_no_interval_is_a_single_point() -> None:
    nothing = share_figure([(f"q{number}", 0.0, 10.0) for number in range(30)], QUICK, "nothing")
    expected = stats.binomtest(0, 300).proportion_ci(method="wilson")
    assert (nothing.value, nothing.low) == (0.0, 0.0)
    assert nothing.high == pytest.approx(expected.high)
    assert any("Wilson" in note for note in nothing.notes)
    mean = quotient_figure([("p", 50.0, 1.0), ("q", 50.0, 1.0)], QUICK, "nothing")
    assert (mean.value, math.isnan(mean.low), math.isnan(mean.high)) == (50.0, True, True)
    assert any("no interval" in note for note in mean.notes)


def test_full_agreement_is_not_certain() -> None:
    alike = Ratings.of(Rating(query, "a", item, who, 1) for query in "pqr" for item in "bc" for who in ("ann", "bob", "cid"))
    found = agreement_of(alike, QUICK)
    expected = stats.binomtest(18, 18).proportion_ci(method="wilson")  # six pairs, of each the three agreements of two people
    for figure in (found.overall, found.without_ties):
        assert (figure.value, figure.high) == (1.0, 1.0)
        assert figure.low == pytest.approx(expected.low)
    assert all(math.isnan(figure.low) for figure in (found.fleiss, found.alpha_nominal, found.alpha_ordinal, *found.cohen.values()))
    both = between(alike, Ratings.of([Rating("p", "a", "b", "gpt", 1), Rating("q", "a", "b", "gpt", 1)]), ("people", "gpt"), QUICK)
    assert both.overall.low == pytest.approx(stats.binomtest(6, 6).proportion_ci(method="wilson").low)
    assert both.table.all_pairs == Counts(6, 0)
    same = same_pairs({"pairs": alike, "grades": alike}, QUICK)
    assert same.overall["grades"].low == pytest.approx(expected.low)


def test_circles_that_never_happen_are_not_certain_either() -> None:
    lines = ("a>b", "b>c", "a>c")
    report = study_report([JudgedTask(query, "pairs", said("ann", *lines), "ann", is_finished=True) for query in "pq"], bootstrap=QUICK)
    cycles = one(report, "ann", "pairs").cycles
    assert cycles is not None
    assert cycles.circular.high == pytest.approx(stats.binomtest(0, 2).proportion_ci(method="wilson").high)


def test_agreements_of_more_than_two_people_are_said_to_hang_together() -> None:
    assert any("every two people" in note for note in tiny().notes)
    two = [task for task in tiny_study() if task.assessor in ("ann", "bob")]
    assert not any("every two people" in note for note in study_report(two, bootstrap=QUICK).notes)


def test_a_finished_task_without_a_top_as_said_is_named() -> None:
    tasks = tiny_study()
    assert not any("left out where the top k" in note for note in study_report(tasks, bootstrap=QUICK).notes)
    tasks[1] = replace(tasks[1], top=None)
    report = study_report(tasks, bootstrap=QUICK)
    assert any("1 finished task is left out where the top k" in note for note in report.notes)
    assert report.tools[0].tops.n_compared == 1


def test_like_for_like_is_what_agreement_says_of_the_same_rows() -> None:
    """The two shares are worked without the rest of the figures; they must be the same ones."""
    rng = np.random.default_rng(3)
    drawn = [
        Rating(query, "a", item, who, int(rng.integers(-1, 2))) for query in "pqrs" for item in "bcdef" for who in ("ann", "bob", "cid")
    ]
    ratings = Ratings.of(drawn)
    same, whole = same_pairs({"pairs": ratings, "grades": ratings}, QUICK), agreement_of(ratings, QUICK)
    assert same.n_pairs == 20
    for tool in ("pairs", "grades"):
        assert (same.overall[tool].value, same.overall[tool].low) == (whole.overall.value, whole.overall.low)
        assert same.without_ties[tool].high == whole.without_ties.high
