"""Recorded pairs and grades of images: what the file says, either way round, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError, FileError
from podium.sources.recorded import RecordedPairs, read_image_preferences, read_image_relevance

HEADING = "Query\tImage_pair\tthree preference_tags"
TURNED = {"left": "right", "right": "left", "tie": "tie"}


def pairs_file(folder: Path, *lines: str, heading: str = HEADING) -> Path:
    path = folder / "pairs"
    path.write_text("\n".join([heading, *lines]) + "\n", encoding="utf-8")
    return path


def small(folder: Path) -> list[RecordedPairs]:
    path = pairs_file(
        folder,
        "猫\tbaidu/猫_0.jpg,sogou/猫_1.jpg\t-1\t-2\t1",
        "猫\tsogou/猫_1.jpg,x\t0\t2.0\t-1.0",
        "dog show\ta,b\t1\t1\t0",
        "猫\tx,baidu/猫_0.jpg\t0\t0\t2",
    )
    return read_image_preferences(path)


def test_queries_items_and_pairs_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    cats, dogs = small(tmp_path)
    assert (cats.query_id, dogs.query_id) == ("猫", "dog show")
    assert cats.items == ("baidu/猫_0.jpg", "sogou/猫_1.jpg", "x")
    assert cats.pairs.tolist() == [[0, 1], [1, 2], [2, 0]]
    assert cats.tags.tolist() == [[-1, -2, 1], [0, 2, -1], [0, 0, 2]]
    assert dogs.tags.tolist() == [[1, 1, 0]]


def test_a_negative_tag_says_left_and_a_pair_may_be_asked_either_way(tmp_path: Path) -> None:
    cats, dogs = small(tmp_path)
    first, second, third = cats.items
    assert [cats.answer(first, second, which) for which in range(3)] == ["left", "left", "right"]
    assert [cats.answer(second, first, which) for which in range(3)] == ["right", "right", "left"]
    assert [cats.tag(second, first, which) for which in range(3)] == [1, 2, -1]
    assert [cats.answer(third, second, which) for which in range(3)] == ["tie", "left", "right"]
    assert dogs.answer("a", "b", 0) == "right"


def test_a_majority_is_two_of_three_and_a_tie_if_there_is_none(tmp_path: Path) -> None:
    cats, dogs = small(tmp_path)
    first, second, third = cats.items
    assert cats.majority(first, second) == "left"
    assert cats.majority(second, first) == "right"
    assert cats.majority(second, third) == "tie"  # one each
    assert cats.majority(first, third) == "tie"  # two ties, one strong opinion
    assert dogs.majority("a", "b") == "right"
    assert cats.majorities.tolist() == [-1, 0, 0]


def test_a_pair_nobody_judged_and_a_fourth_answer_are_errors(tmp_path: Path) -> None:
    cats, dogs = small(tmp_path)
    assert dogs.is_judged("b", "a")
    assert not dogs.is_judged("a", "c")
    with pytest.raises(DataError, match="nobody judged the pair 'a', 'c' of query 'dog show'"):
        dogs.answer("a", "c", 0)
    for which in (3, -1):
        with pytest.raises(DataError, match="answers 0 to 2"):
            cats.tag(*cats.items[:2], which)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q\ta,b\t1\t1", r"pairs:3: a line has 5 fields .* this one has 4, got 'q\\ta,b\\t1\\t1'"),
        ("q\ta,b\t1\t1\t1\t1", "pairs:3: .* this one has 6"),
        ("\ta,b\t1\t1\t1", "pairs:3: .* no query"),
        ("q\ta\t1\t1\t1", "pairs:3: the pair, the second field, must be two items with one comma between, got 'a'"),
        ("q\ta,b,c\t1\t1\t1", "pairs:3: the pair"),
        ("q\ta,\t1\t1\t1", "pairs:3: the pair"),
        ("q\t,a\t1\t1\t1", "pairs:3: the pair"),
        ("q\ta,a\t1\t1\t1", "pairs:3: an item cannot be compared with itself"),
        ("q\ta,b\t1\t3\t1", "pairs:3: a tag must be one of -2, -1, 0, 1, 2, got '3'"),
        ("q\ta,b\t1\t1\tleft", "pairs:3: a tag must be .* got 'left'"),
        ("q\ta,b\t1\t0.5\t1", "pairs:3: a tag must be .* got '0.5'"),
        ("q\tc,d\t1\t1\t1", "pairs:3: the pair is there twice for query 'q', got 'c,d'"),
        ("q\td,c\t1\t1\t1", "pairs:3: the pair is there twice for query 'q', got 'd,c'"),
    ],
)
def test_a_bad_line_of_pairs_is_refused_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read_image_preferences(pairs_file(tmp_path, "q\tc,d\t0\t0\t0", line))


def test_the_same_two_items_may_be_judged_for_another_query(tmp_path: Path) -> None:
    found = read_image_preferences(pairs_file(tmp_path, "q\tc,d\t0\t0\t0", "r\tc,d\t1\t1\t1"))
    assert [pairs.majority("c", "d") for pairs in found] == ["tie", "right"]


def test_a_file_without_its_headings_or_without_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"pairs:1: the first line must be the headings"):
        read_image_preferences(pairs_file(tmp_path, heading="q\ta,b\t0\t0\t0"))
    with pytest.raises(FileError, match="has nothing below its headings"):
        read_image_preferences(pairs_file(tmp_path, ""))
    with pytest.raises(FileError, match="no such file"):
        read_image_preferences(tmp_path / "missing")


def test_lines_may_end_as_windows_ends_them(tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_bytes(f"{HEADING}\r\nq\ta,b\t1\t1\t-1\r\n\r\n".encode())
    assert read_image_preferences(path)[0].tags.tolist() == [[1, 1, -1]]


def test_pairs_that_do_not_fit_their_answers_are_refused() -> None:
    with pytest.raises(DataError, match="2 pairs, but answers to 1"):
        RecordedPairs("q", ("a", "b", "c"), np.array([[0, 1], [1, 2]]), np.zeros((1, 3), np.int8))
    for pairs in ([[0, 1], [1, 0]], [[0, 1], [2, 2]]):
        with pytest.raises(DataError, match="twice, or of an item with itself"):
            RecordedPairs("q", ("a", "b", "c"), np.array(pairs), np.zeros((2, 3), np.int8))


@given(tags=st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=3, max_size=3))
def test_majorities_are_the_votes_counted_one_by_one(tags: list[list[int]]) -> None:
    said = RecordedPairs("q", ("a", "b", "c"), np.array([[0, 1], [2, 1], [0, 2]]), np.array(tags, np.int8))
    for row, (left, right) in enumerate([("a", "b"), ("c", "b"), ("a", "c")]):
        votes = Counter(said.answer(left, right, which) for which in range(3))
        expected = next((side for side, count in votes.items() if count >= 2), "tie")
        assert said.majority(left, right) == expected == TURNED[said.majority(right, left)]
        assert ("left", "tie", "right")[said.majorities[row] + 1] == expected


def test_grades_are_read_by_query_and_item(tmp_path: Path) -> None:
    path = tmp_path / "grades"
    path.write_text("Query\tImage\tScore\n猫\ta b\t59.0\n猫\tb\t83.33333333333333\nq\ta b\t0\n", encoding="utf-8")
    assert read_image_relevance(path) == {"猫": {"a b": 59.0, "b": 83.33333333333333}, "q": {"a b": 0.0}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q\ta", "grades:3: a line has 3 fields .* this one has 2"),
        ("q\tb\tgood", "grades:3: a score, the third field, must be a number from 0 to 100, got 'good'"),
        ("q\tb\t100.5", "grades:3: a score"),
        ("q\tb\t-1", "grades:3: a score"),
        ("q\tb\tnan", "grades:3: a score"),
        ("q\ta\t5", "grades:3: an item must be named, and once for query 'q', got 'a'"),
        ("q\t\t5", "grades:3: an item must be named"),
    ],
)
def test_a_bad_line_of_grades_is_refused_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "grades"
    path.write_text(f"Query\tImage\tScore\nq\ta\t100\n{line}\n", encoding="utf-8")
    with pytest.raises(FileError, match=message):
        read_image_relevance(path)


def test_the_published_files_have_every_pair_of_every_query(benchmark_data: Path) -> None:
    folder = benchmark_data / "thu_image_search"
    queries = read_image_preferences(folder / "image_pairs_annotation")
    assert len(queries) == 102
    assert sum(len(query.pairs) for query in queries) == 41_538
    assert sum(len(query.items) for query in queries) == 2_919
    assert all(len(query.pairs) == len(query.items) * (len(query.items) - 1) // 2 for query in queries)
    lines = (folder / "image_pairs_annotation").read_text(encoding="utf-8").split("\n")[1:-1]
    said = {query.query_id: query for query in queries}
    for line in lines[::97]:
        query, pair, *tags = line.split("\t")
        left, right = pair.split(",")
        assert [said[query].tag(left, right, which) for which in range(3)] == [float(tag) for tag in tags]
    grades = read_image_relevance(folder / "relevance_data")
    assert {query: set(items) for query, items in grades.items()} == {query.query_id: set(query.items) for query in queries}
