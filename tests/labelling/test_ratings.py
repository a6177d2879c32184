"""Where ratings come from: logs, grades, majorities."""

from __future__ import annotations

import pytest
from tests.labelling.judged import QUICK, ordered, rated

from podium.errors import DataError, UnknownName
from podium.labelling.agreement import Counts, agreement
from podium.labelling.questions import Event
from podium.labelling.ratings import Rating, Ratings, grades_of, inferred, majority, ratings_of


def answered(left: str, right: str | None, answer: str, who: str) -> Event:
    return Event(left=left, right=right, answer=answer, assessor=who)


def test_answers_become_ratings_whatever_the_sides_and_bad_is_a_tie() -> None:
    logs = {
        "q": [
            answered("b", "a", "left", "ann"),
            answered("a", "b", "right", "bob"),
            answered("a", "c", "bad", "ann"),
            answered("c", "a", "tie", "bob"),
            answered("a", None, "Good", "ann"),
            Event(action="skip", left="b", right="c", assessor="ann"),
        ],
        "r": [answered("a", "b", "left", "cid")],
    }
    ratings = ratings_of(logs)
    assert ratings.query_ids == ("q", "r")
    assert ratings.assessors == ("ann", "bob", "cid")
    assert ratings.pairs == [("a", "b"), ("a", "c"), ("a", "b")]
    assert ratings.queries.tolist() == [0, 0, 1]
    assert ratings.codes.tolist() == [[2, 2, -1], [1, 1, -1], [-1, -1, 0]]


def test_the_last_answer_of_an_assessor_counts() -> None:
    assert Ratings.of([*ordered("q", "ann", "a>b"), *ordered("q", "ann", "b>a")]).codes.tolist() == [[2]]


def test_grades_say_which_of_two_is_better_for_every_pair_both_graded() -> None:
    logs = {"q": [answered(item, None, grade, "ann") for item, grade in (("a", "Bad"), ("b", "Perfect"), ("c", "Bad"))]}
    logs["q"] += [answered("b", None, "Fair", "bob"), answered("a", None, "Good", "bob"), answered("a", "b", "left", "bob")]
    grades = grades_of(logs)
    assert grades == {"q": {"ann": {"a": 0, "b": 4, "c": 0}, "bob": {"b": 1, "a": 2}}}
    ratings = inferred(grades)
    assert dict(zip(ratings.pairs, ratings.codes.tolist(), strict=True)) == {("a", "b"): [2, 0], ("a", "c"): [1, -1], ("b", "c"): [0, -1]}
    assert agreement(ratings, bootstrap=QUICK).table.all_pairs == Counts(0, 1)
    assert grades_of({"q": [answered("a", None, "no", "ann")]}, names=("yes", "no")) == {"q": {"ann": {"a": 1}}}


def test_unknown_answers_grades_and_undone_logs_are_refused() -> None:
    with pytest.raises(UnknownName, match="unknown answer 'lefft'; did you mean 'left'"):
        ratings_of({"q": [answered("a", "b", "lefft", "ann")]})
    with pytest.raises(UnknownName, match="unknown grade 'good'"):
        grades_of({"q": [answered("a", None, "good", "ann")]})
    for read in (ratings_of, grades_of):
        with pytest.raises(DataError, match="standing answers"):
            read({"q": [answered("a", "b", "left", "ann"), Event(action="undo", target=1)]})
    for wrong in (Rating("q", "a", "a", "ann", 1), Rating("q", "a", "b", "ann", 2)):
        with pytest.raises(DataError, match="of query 'q'"):
            Ratings.of([wrong])


def test_a_majority_is_more_than_half_of_those_who_judged() -> None:
    assert majority(rated(">>>=><", ">>==<.", "><=<.<")).codes.ravel().tolist() == [0, 0, 1, 1, 1, 2]
    assert majority(rated(">", ".", ".")).codes.tolist() == [[0]]
