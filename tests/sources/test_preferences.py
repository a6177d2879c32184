"""trec_eval's preference format, both ways."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError, FileError
from podium.sources.preferences import Preferences, read_preferences, write_preferences

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=4)
LEVELS = st.dictionaries(WORDS, st.floats(1e-300, 1e300), min_size=1, max_size=4)


def nested(levels: st.SearchStrategy[dict[str, float]], depth: int) -> st.SearchStrategy[dict]:
    return levels if depth == 0 else st.dictionaries(WORDS, nested(levels, depth - 1), min_size=1, max_size=3)


@given(levels=nested(LEVELS, 3))
def test_preferences_read_back_as_written(tmp_path_factory: pytest.TempPathFactory, levels: dict) -> None:
    path = tmp_path_factory.mktemp("preferences") / "file.xz"
    write_preferences(Preferences(levels), path)
    assert read_preferences(path).levels == levels


def preferred(levels: dict[str, float]) -> set[tuple[str, str]]:
    return {(better, worse) for better, worse in permutations(levels, 2) if levels[better] > levels[worse]}


def test_the_example_of_trec_evals_manual_has_its_thirteen_preferences(tmp_path: Path) -> None:
    rows = zip("123456", ("3.0", "2.0", "0.0", "6.0", "0.0", "2.0"), strict=True)
    (tmp_path / "file").write_text("".join(f"qid1  ujg1  sub1  docno{number}  {level}\n" for number, level in rows))
    assert len(preferred(read_preferences(tmp_path / "file").levels["qid1"]["ujg1"]["sub1"])) == 13


def test_the_file_is_fields_parted_by_blanks(tmp_path: Path) -> None:
    write_preferences(Preferences({"7": {"anna": {"1": {"a": 2.0, "b": 0.5}}, "ben": {"1": {"a": 0.0}}}}), tmp_path / "file")
    assert (tmp_path / "file").read_text() == "7 anna 1 a 2\n7 anna 1 b 0.5\n7 ben 1 a 0\n"


@pytest.mark.parametrize(("text", "message"), [
    ("7 anna 1 a 2\n7 anna 1 b\n", ":2: a preference has 5 fields (qid ujg ujsubg docno rel_level), this one has 4, got '7 anna 1 b'"),
    ("7 anna 1 a x\n", ":1: rel_level, the fifth field, must be a finite number, got 'x'"),
    ("7 anna 1 a -1\n", ":1: rel_level, the fifth field, must not be negative, got '-1'"),
    ("7 anna 1 a 1\n7 anna 1 a 2\n", ":2: document occurs twice in sub-group '1' of query '7', got 'a'"),
    ("7 anna 1 a 1\n7 anna 2 a 0\n", ":2: document is not relevant (0) in one sub-group and relevant in another of group 'anna', got 'a'"),
    ("\n", ": has no preferences; expected lines such as 'query1 anna 1 documentA 3'"),
])  # fmt: skip
def test_a_malformed_file_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(FileError) as caught:
        read_preferences(tmp_path / "file")
    assert str(caught.value) == f"{tmp_path}/file{message}"


def test_different_groups_may_disagree_about_relevance(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("7 anna 1 a 1\n7 ben 1 a 0\n")
    assert read_preferences(tmp_path / "file").levels == {"7": {"anna": {"1": {"a": 1.0}}, "ben": {"1": {"a": 0.0}}}}


@pytest.mark.parametrize("levels", [
    {"7": {"anna": {"1": {"a": -1.0}}}}, {"7": {"anna": {"1": {"a": float("inf")}}}}, {"7": {"anna": {"1": {"a b": 1.0}}}},
    {"7": {"anna b": {"1": {"a": 1.0}}}}, {"7": {"anna": {"": {"a": 1.0}}}}, {"7 8": {"anna": {"1": {"a": 1.0}}}},
])  # fmt: skip
def test_what_the_format_cannot_hold_is_refused_and_leaves_no_file(tmp_path: Path, levels: dict) -> None:
    with pytest.raises(DataError):
        write_preferences(Preferences(levels), tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
