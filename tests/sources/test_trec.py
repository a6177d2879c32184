"""TREC judgments and runs: both ways, and side by side."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError, Dataset, FileError, measures
from podium.sources.trec import Qrels, Run, judge, qrels_of, read_qrels, read_run, run_of, write_qrels, write_run

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=6).filter(
    lambda word: word.split() == [word]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TABLES = st.dictionaries(WORDS, st.dictionaries(WORDS, NUMBERS, min_size=1, max_size=4), min_size=1, max_size=4)


@given(table=TABLES)
def test_judgments_read_back_as_written(tmp_path_factory: pytest.TempPathFactory, table: dict[str, dict[str, float]]) -> None:
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    write_qrels(Qrels(table), path)
    assert read_qrels(path).labels == table


@given(table=TABLES)
def test_a_run_reads_back_as_written_and_best_first(tmp_path_factory: pytest.TempPathFactory, table: dict[str, dict[str, float]]) -> None:
    path = tmp_path_factory.mktemp("run") / "run.txt.gz"
    write_run(Run(table, tag="ours"), path)
    back = read_run(path)
    assert back == Run(table, "ours")
    for scores in back.scores.values():
        assert list(scores.values()) == sorted(scores.values(), reverse=True)


def small() -> Dataset:
    return Dataset.from_arrays([[1], [3], [2]], y=[0, 2, 1], qid=["a", "a", "b"], document_ids=["x", "y", "x"])


def test_a_dataset_becomes_judgments_and_its_scores_a_run() -> None:
    assert qrels_of(small()).labels == {"a": {"x": 0.0, "y": 2.0}, "b": {"x": 1.0}}
    assert list(run_of(small(), [1.0, 3.0, 2.0]).scores["a"].items()) == [("y", 3.0), ("x", 1.0)]


def test_equal_scores_of_a_run_keep_their_order(tmp_path: Path) -> None:
    run = run_of(small(), [5.0, 5.0, 5.0])
    write_run(run, tmp_path / "run")
    assert list(read_run(tmp_path / "run").scores["a"]) == ["x", "y"]


def test_two_documents_of_one_id_cannot_be_written() -> None:
    data = Dataset.from_arrays([[1], [2]], qid=["a", "a"], document_ids=["x", "x"])
    with pytest.raises(DataError, match="'a' has two documents of the same id"):
        qrels_of(data)


def test_ids_with_blanks_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="document id must be one word"):
        write_qrels(Qrels({"a": {"two words": 1.0}}), tmp_path / "qrels")
    assert list(tmp_path.iterdir()) == []


def test_judging_marks_what_was_not_judged_and_what_was_not_retrieved() -> None:
    judged = judge(Run({"a": {"x": 2.0, "new": 1.0}, "c": {"x": 1.0}}), Qrels({"a": {"x": 1.0, "missed": 2.0}, "b": {"x": 1.0}}))
    assert judged.query_ids == ["a", "b"]
    assert judged.offsets.tolist() == [0, 3, 4]
    assert judged.scores.tolist() == [2.0, 1.0, -math.inf, -math.inf]
    np.testing.assert_array_equal(judged.labels, [1.0, math.nan, 2.0, 1.0])
    assert judged.without_run == ["b"]
    assert judged.without_judgments == ["c"]


def test_a_judged_run_is_measured_over_everything_that_was_relevant() -> None:
    judged = judge(Run({"a": {"x": 2.0, "new": 1.0}}), Qrels({"a": {"x": 1.0, "missed": 2.0}, "b": {"x": 1.0}}))
    values = measures.evaluate(["map", "recall@10"], judged.scores, judged.labels, judged.offsets)
    assert values["map"].tolist() == [1 / 2, 0.0]
    assert values["recall@10"].tolist() == [1 / 2, 0.0]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a 0 x\n", 1, "has 4 fields"),
        ("a 0 x 1\na 0 y one\n", 2, "label, the fourth field, must be a finite number, got 'one'"),
        ("a 0 x nan\n", 1, "finite number"),
        ("a 0 x 1\n\na 0 x 2\n", 3, "occurs twice for query 'a', got 'x'"),
        ("", None, "has no judgments"),
    ],
)
def test_bad_judgments_are_refused_with_file_and_line(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        read_qrels(path)
    assert caught.value.line == line
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a Q0 x 1 0.5\n", 1, "has 6 fields"),
        ("a Q0 x 1 high tag\n", 1, "score, the fifth field, must be a finite number, got 'high'"),
        ("a Q0 x 1 0.5 t\na Q0 x 2 0.4 t\n", 2, "occurs twice"),
        ("\n\n", None, "has no rows"),
    ],
)
def test_a_bad_run_is_refused_with_file_and_line(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        read_run(path)
    assert caught.value.line == line
    assert said in str(caught.value)


def test_scores_of_another_length_are_refused() -> None:
    with pytest.raises(DataError, match="scores must be 3 finite numbers"):
        run_of(small(), [1.0])
