"""Lines of text files, numbered."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError, FileError
from podium.sources.lines import finite_number, json_lines, one_word, plain_number, text_lines


@given(lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\ufeff"), max_size=20), min_size=1, max_size=6))
def test_lines_come_back_with_their_numbers(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "file.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\r\n" for line in lines).encode()))
    assert list(text_lines(path)) == list(enumerate(lines, start=1))


def test_a_last_line_needs_no_end_and_an_editors_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfone\n\ntwo")
    assert list(text_lines(tmp_path / "file")) == [(1, "one"), (2, ""), (3, "two")]
    (tmp_path / "empty").touch()
    assert list(text_lines(tmp_path / "empty")) == []


@pytest.mark.parametrize(("data", "message"), [
    (b'{"a": 1}\n\xe4', "file:2: must be UTF-8 text, got byte 0xe4; convert it with iconv, say"),
    (b'\n[1]', "file:2: must be one JSON object a line, got '[1]'"),
    (b'{"a": }', "file:1: must be one JSON object a line (Expecting value: line 1 column 7 (char 6)), got '{\"a\": }'"),
    (b"[" * 100_000, None),
])  # fmt: skip
def test_what_is_not_an_object_a_line_is_refused(tmp_path: Path, data: bytes, message: str | None) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(FileError) as caught:
        list(json_lines(tmp_path / "file"))
    assert message is None or str(caught.value) == f"{tmp_path}/{message}"


@pytest.mark.parametrize("value", ["x", "", "nan", "inf", None, True, [], 10**400])
def test_a_field_that_is_no_finite_number_is_refused(value: object) -> None:
    with pytest.raises(FileError, match=r"run:3: score must be a finite number, got "):
        finite_number("run", 3, "score", value)


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_written_reads_back_the_same(value: float) -> None:
    assert float(plain_number(value)) == value


@pytest.mark.parametrize("text", ["", "two words", "end\n", " x", "x\u2003y"])
def test_ids_with_blanks_are_refused(text: str) -> None:
    with pytest.raises(DataError, match="document id must be one word"):
        one_word("document id", text)
