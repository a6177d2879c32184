"""The study of recorded people: its definitions by hand, its accounting, its tables and picture, and a floor on the real data."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks import people
from benchmarks.people import Query, Setting, measure, play, play_active, read_queries
from benchmarks.people_chart import picture
from benchmarks.people_text import DIFFERENCE, JUDGES, Exchanges, Line, Measured, Spread, tables
from benchmarks.people_truth import copeland, gain, quality, recovered, tau_inside
from hypothesis import given
from hypothesis import strategies as st
from tests.labelling.judged import QUICK

from podium.assessors import Recorded, label
from podium.labelling import TopK
from podium.labelling.agreement import agreement
from podium.labelling.ratings import Rating, Ratings
from podium.sources.recorded import RecordedPairs

SCORES = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 0.0}


def query(tags: list[tuple[int, int, int]], n_items: int) -> Query:
    """All pairs of some items, the first of each on the left."""
    items = tuple("abcdefgh"[:n_items])
    said = RecordedPairs("q", items, np.array(list(itertools.combinations(range(n_items), 2))), np.array(tags, np.int8))
    return Query(said, copeland(said, said.majorities), dict.fromkeys(items, 0.0))


def consistent() -> Query:
    """The first in the alphabet is always better, and everybody says so."""
    return query([(-1, -1, -2)] * 28, 8)


# --- definitions


@given(outcomes=st.lists(st.sampled_from([-1, 0, 1]), min_size=10, max_size=10))
def test_copelands_score_is_wins_and_half_of_ties(outcomes: list[int]) -> None:
    said = query([(0, 0, 0)] * 10, 5).said
    expected = dict.fromkeys("abcde", 0.0)
    for (left, right), outcome in zip(itertools.combinations("abcde", 2), outcomes, strict=True):
        for item, is_winner in ((left, outcome == -1), (right, outcome == 1)):
            expected[item] += 1.0 if is_winner else 0.5 if outcome == 0 else 0.0
    assert copeland(said, outcomes) == expected


@pytest.mark.parametrize(
    ("top", "share"),
    [
        ("abc", 3 / 3),  # a is above the border at 2; two of the three equal to it have room
        ("adc", 3 / 3),
        ("bcd", 2 / 3),  # the third of the equals takes the place of a
        ("abe", 2 / 3),
        ("aeb", 2 / 3),
        ("bce", 2 / 3),
    ],
)
def test_items_equal_at_the_border_count_as_far_as_there_is_room(top: str, share: float) -> None:
    assert recovered(top, SCORES, k=3) == share


def test_gain_is_the_sum_of_scores_over_the_largest_there_is() -> None:
    assert gain("bcd", SCORES, k=3) == (2 + 2 + 2) / (3 + 2 + 2)
    assert gain("bac", SCORES, k=3) == 1


def test_tau_counts_pairs_of_different_scores_inside_the_top_only() -> None:
    assert tau_inside("bae", SCORES) == (2 - 1) / 3  # b before a is wrong
    assert tau_inside("abc", SCORES) == 1  # b and c are equal
    assert tau_inside("eba", SCORES) == -1
    assert math.isnan(tau_inside("bcd", SCORES))


# --- accounting


@pytest.mark.parametrize("strategy", people.SORTING)
@pytest.mark.parametrize(("judge", "answers_each"), [("one", 1), ("majority", 3), ("in turn", 2)])  # in turn: the first two agree
def test_consistent_people_are_recovered_whole_and_every_answer_is_counted(strategy: str, judge: people.Judge, answers_each: int) -> None:
    setting = Setting(strategy, 3, judge)
    found = play(consistent(), setting, 0, setting.assessors(consistent())[0])
    assert found.raw == found.rescored == (1, 1, 1)
    assert found.answers == answers_each * found.questions
    assert 7 <= found.questions <= 28  # each of seven must have lost once; there are 28 pairs


@given(tags=st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=15, max_size=15), strategy=st.sampled_from(people.SORTING))
def test_asking_in_turn_finds_what_a_majority_at_once_finds_for_no_more_answers(tags: list[tuple[int, int, int]], strategy: str) -> None:
    asked = query(tags, 6)
    at_once, in_turn = (
        play(asked, setting, 1, setting.assessors(asked)[0])
        for setting in (Setting(strategy, 2, "majority"), Setting(strategy, 2, "in turn"))
    )
    assert str(in_turn.raw) == str(at_once.raw)  # NaN is NaN
    assert in_turn.questions == at_once.questions
    assert in_turn.answers <= at_once.answers


def test_one_person_is_each_of_the_three_and_the_mean_is_over_them() -> None:
    asked = query([(-1, -1, 1)] * 28, 8)  # the third person says the contrary of everything
    (row,) = measure(Setting("insertion", 2, "one"), [asked], seeds=[0])
    assert row[3] == pytest.approx((1 + 1 + 0) / 3)


def test_active_halfway_is_active_with_half_the_budget() -> None:
    rng = np.random.default_rng(2)
    asked = query([tuple(row) for row in rng.integers(-2, 3, size=(28, 3)).tolist()], 8)
    setting = Setting("active", 3, "in turn")
    half, whole = play_active(asked, setting, 15, Recorded(asked.said, "in turn", name=""))
    assert (half.answers, whole.answers) == (15, 30)
    for found, budget in ((half, 15), (whole, 30)):
        task = TopK(asked.shuffled(0), 3, strategy="active", budget=budget)
        label(task, Recorded(asked.said, "in turn", name=""))
        assert found.rescored == quality(task.result().top, asked.truth, 3)


# --- tables and picture


def line(name: str, k: int, judge: str, start: float) -> Line:
    return Line(name, k, judge, *(Spread(start + place / 100, place / 1000) for place in range(9)))


def invented() -> Measured:
    said = agreement(Ratings.of(Rating("q", *pair, who, 1) for pair in ("ab", "bc", "ac") for who in ("x", "y")), bootstrap=QUICK)
    names = [*people.SORTING, "active", "active, twice"]
    main = [line(name, k, judge, 0.5 + number / 50) for k in (5, 10) for judge in JUDGES for number, name in enumerate(names)]
    wrong = [Exchanges("heap", 5, 6, 3, 1)]
    limits = [line("one person, all pairs", k, "", 0.8) for k in (5, 10)]
    ties = [line("adaptive, each tie for itself", 5, "one", 0.3), line(DIFFERENCE, 5, "one", 0.1)]
    return Measured(
        12,
        3,
        20,
        43,
        408.4,
        {5: (30.5, 42.5), 10: (40.6, 60.1)},
        main,
        ties,
        [line("adaptive, by relevance", 10, "one", 0.2)],
        limits,
        wrong,
        said,
    )


def test_the_tables_have_every_line_where_it_belongs() -> None:
    text = tables(invented())
    top5, top10 = text.split("### The top 10")
    assert "fewer than 30.5 on average, or 42.5 in the worst case" in top5
    assert "fewer than 40.6 on average, or 60.1 in the worst case" in top10
    row = "| heap | 0.5 ± 0.0 | 0.5 ± 0.0 | 0.52 | 0.530 ± 0.003 | 0.560 ± 0.006 | 0.540 | 0.570 | 0.550 | 0.580 |"
    assert (top5.count(row), top10.count(row)) == (3, 3)  # once a judge
    assert text.count("| active | 0.6 ± 0.0 | 0.6 ± 0.0 | 0.60 | – | 0.640 ± 0.006 | – | 0.650 | – | 0.660 |") == 6
    assert "| adaptive, each tie for itself | 5 | one person | 0.3 ± 0.0 | 0.330 ± 0.003 | 0.360 ± 0.006 | 0.340 | 0.350 |" in text
    assert f"| {DIFFERENCE} | 5 | one person | +0.1 ± 0.0 | +0.130 ± 0.003 | +0.160 ± 0.006 | +0.140 | +0.150 |" in text
    assert "| one person, all pairs | 10 | 1 | 0.830 ± 0.003 | 0.840 | 0.850 |" in text
    assert "| heap | 5 | 10 | 0.60 | 0.30 | 0.10 |" in text
    assert "| overall agreement | 1.000 | 1.000 to 1.000 |" in text


def test_a_spread_leaves_out_what_has_no_value() -> None:
    assert Spread.of(np.array([1.0, 2.0, 6.0, np.nan])) == Spread(3.0, math.sqrt(((2**2 + 1**2 + 3**2) / 2) / 3))
    assert math.isnan(Spread.of(np.array([np.nan])).mean)


def test_the_picture_is_whole_and_more_is_higher() -> None:
    drawn = picture(invented())
    root = ElementTree.fromstring(drawn)
    assert not any(mark in drawn for mark in ("href", "url(", "@import", "nan"))
    said = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(said) == 2 * 2 * (4 * 2 + 2)  # panels, judges, four strategies raw and rescored, two budgets of active
    circles = root.findall(".//{http://www.w3.org/2000/svg}g/{http://www.w3.org/2000/svg}circle")
    heights = {circle.get("class"): float(circle.get("cy", "0")) for circle in circles[:2]}
    assert heights["mark one"] < heights["mark one raw"]  # rescored is better here, and y grows downwards


# --- the real data


def test_a_tenth_of_the_pairs_finds_more_of_the_top_than_grades_of_every_image(benchmark_data: Path) -> None:
    """The floor is what three persons' grades of every single image recover: pairs are asked because they should do better than that."""
    queries = read_queries(benchmark_data)[::4]
    found = measure(Setting("adaptive", 5, "majority"), queries, seeds=[0])
    by_grades = [one for query in queries for one in people._by_relevance(query, 5)]
    assert found[:, 3].mean() > np.mean([one.recovered for one in by_grades])
    assert found[:, 4].mean() > np.mean([one.gain for one in by_grades])
    n_pairs = [len(query.said.pairs) for query in queries]
    assert found[:, 0].sum() < 0.1 * sum(n_pairs)
    by_chance = [one.recovered for query in queries for one in people._by_chance(query, 5)]
    assert np.mean(by_chance) == pytest.approx(
        np.mean([5 / len(query.said.items) for query in queries]), abs=0.04
    )  # ties at the border add some


def test_all_three_answers_agree_as_the_page_says(benchmark_data: Path) -> None:
    queries = read_queries(benchmark_data)
    said = people.agreement_of(queries)
    signs = np.sign(np.concatenate([query.said.tags for query in queries]))
    same = [signs[:, i] == signs[:, j] for i, j in itertools.combinations(range(3), 2)]
    assert said.overall.value == pytest.approx(np.mean(same))
    page = (Path(people.__file__).parents[1] / "docs" / "people.md").read_text()
    assert f"| overall agreement | {np.mean(same):.3f} |" in page
