"""Columns of text."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from podium import DataError
from podium.strings import Strings

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=12)


@given(values=TEXTS)
def test_a_column_reads_like_the_list_it_was_made_of(values: list[str]) -> None:
    column = Strings.of(values)
    assert column.tolist() == values
    assert list(column) == values
    assert len(column) == len(values)
    assert [column[row] for row in range(len(values))] == values
    assert [column[-row] for row in range(1, len(values) + 1)] == values[::-1]
    assert column == values
    assert column == tuple(values)
    assert column.lengths().tolist() == [len(value.encode()) for value in values]


@given(values=TEXTS.filter(len), data=st.data())
def test_taking_rows_takes_them_as_from_an_array(values: list[str], data: st.DataObject) -> None:
    column, rows = Strings.of(values), data.draw(st.lists(st.integers(-len(values), len(values) - 1), max_size=8))
    expected = [values[row] for row in rows]
    assert column[rows].tolist() == expected
    assert column[np.array(rows, dtype=np.int64)].tolist() == expected
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
    assert column[mask].tolist() == [value for value, wanted in zip(values, mask, strict=True) if wanted]
    part = slice(data.draw(st.integers(-13, 13)), data.draw(st.integers(-13, 13)), data.draw(st.sampled_from([-2, -1, 1, 2, None])))
    assert column[part].tolist() == values[part]


@given(values=TEXTS.filter(len), data=st.data())
def test_compacting_keeps_the_strings_and_nothing_else(values: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=8))
    part = Strings.of(values)[rows]
    assert part.compact() == part
    assert part.compact().buffer.tobytes() == "".join(values[row] for row in rows).encode()
    whole = Strings.of(values)
    assert whole.compact() is whole


def test_taking_rows_shares_the_text() -> None:
    column = Strings.of(["a", "bc", "d"])
    assert column[1:].buffer is column.buffer
    assert np.shares_memory(column[1:].starts, column.starts)
    assert column[[2, 0]].buffer is column.buffer


def test_a_list_of_booleans_is_a_mask_as_it_is_for_arrays() -> None:
    assert Strings.of(["a", "b", "c"])[[True, False, True]].tolist() == ["a", "c"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["x", 1, 2.0, 2.5, b"y"], ["x", "1", "2", "2.5", "y"]),
        (np.array([3, 1]), ["3", "1"]),
        (np.array([3.0, 0.5]), ["3", "0.5"]),
        (np.array(["a", "ü"]), ["a", "ü"]),
        (np.array([b"a"]), ["a"]),
        (range(1, 4), ["1", "2", "3"]),
        ((n for n in "ab"), ["a", "b"]),
        ({"k": 1, "l": 2}, ["k", "l"]),
        ([np.float64(7), np.int32(7), -0.0], ["7", "7", "0"]),
        ([], []),
    ],
)
def test_anything_that_prints_becomes_text_and_whole_floats_lose_their_point(values: object, expected: list[str]) -> None:
    assert Strings.of(values).tolist() == expected  # type: ignore[arg-type]


def test_a_column_made_of_a_column_is_the_same_one() -> None:
    column = Strings.of(["a"])
    assert Strings.of(column) is column


def test_columns_are_equal_by_what_they_say_not_by_where_it_lies() -> None:
    column = Strings.of(["a", "b", "a"])
    assert column[[0, 1]] == Strings.of(["a", "b"])
    assert column != Strings.of(["a", "b"])
    assert column != ["a", "b", "b"]
    assert column == np.array(["a", "b", "a"])
    assert column != "aba"
    assert column is not None
    assert (column == 3) is False


def test_a_column_is_found_in_and_turned_into_an_array_as_other_sequences_are() -> None:
    column = Strings.of(["a", "ü", "a"])
    assert "ü" in column
    assert column.count("a") == 2
    assert column.index("ü") == 1
    assert np.asarray(column).tolist() == ["a", "ü", "a"]
    assert np.asarray(column).dtype.kind == "U"
    assert np.array(column, dtype=object).dtype == object
    with pytest.raises(TypeError):
        hash(column)


def test_a_row_outside_is_an_index_error() -> None:
    for row in (2, -3):
        with pytest.raises(IndexError):
            Strings.of(["a", "b"])[row]


def test_starts_and_stops_must_be_as_many() -> None:
    with pytest.raises(DataError, match="as many starts as stops, got 2 and 1"):
        Strings(np.zeros(3, np.uint8), np.array([0, 1]), np.array([1]))


def test_the_printed_form_shows_the_first_three() -> None:
    assert repr(Strings.of("abcd")) == "Strings(['a', 'b', 'c', …], 4 rows)"
    assert repr(Strings.of("abc")) == "Strings(['a', 'b', 'c'], 3 rows)"
    assert repr(Strings.of([])) == "Strings([], 0 rows)"
