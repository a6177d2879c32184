"""Arrays that grow, in memory and on disk."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from podium.sources.columns import Column, Columns


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("columns")


@pytest.fixture(params=["memory", "disk"])
def columns(request: pytest.FixtureRequest, tmp_path: Path) -> Columns:
    return Columns(tmp_path if request.param == "disk" else None)


def fill(column: Column, table: np.ndarray, used: int = 0) -> None:
    """Put the rows of a table behind the first ``used``."""
    column.reserve(used + len(table), used)
    column.flat[used * column.width : (used + len(table)) * column.width] = table.ravel()


def test_growing_keeps_the_rows(columns: Columns) -> None:
    column, expected = columns.make("table", np.float32, 3), np.empty((0, 3), np.float32)
    for rows in (1, 2, 3, 5, 100, 7, 5000):
        more = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3) + len(expected)
        fill(column, more, len(expected))
        expected = np.concatenate([expected, more])
    assert column.finish(len(expected)).reshape(-1, 3).tolist() == expected.tolist()


def test_reserving_less_than_there_is_changes_nothing(columns: Columns) -> None:
    column = columns.make("table", np.int64)
    fill(column, np.arange(10))
    before = column.flat
    column.reserve(5, 5)
    assert column.flat is before
    assert column.finish(10).tolist() == list(range(10))


def test_widening_keeps_the_rows_and_fills_with_zeros(columns: Columns) -> None:
    column = columns.make("table", np.float32, 2)
    fill(column, np.arange(1, 9, dtype=np.float32).reshape(4, 2))
    column.flat[6:] = 99  # the fourth row is not in use: it may be anything
    column.widen(5, 3)
    assert column.finish(3).reshape(3, 5).tolist() == [[1, 2, 0, 0, 0], [3, 4, 0, 0, 0], [5, 6, 0, 0, 0]]


def test_room_reserved_before_widening_is_room_for_as_many_rows_after(columns: Columns) -> None:
    column = columns.make("table", np.float32, 1)
    column.reserve(100, 0)
    column.widen(7, 0)
    assert len(column.flat) >= 700
    column.flat[:700] = 1
    assert column.finish(100).sum() == 700


def test_finishing_cuts_to_the_rows_in_use(columns: Columns) -> None:
    column = columns.make("labels", np.float64)
    fill(column, np.arange(100.0))
    assert column.finish(3).tolist() == [0, 1, 2]


@given(
    steps=st.lists(st.tuples(st.integers(1, 40), st.integers(0, 3)), min_size=1, max_size=8),
    width=st.integers(0, 2),
    on_disk=st.booleans(),
    dtype=st.sampled_from([np.float32, np.int64, np.uint8]),
)
def test_any_growth_in_rows_and_columns_equals_a_table_grown_by_copying(
    folder: Path, steps: list[tuple[int, int]], width: int, on_disk: bool, dtype: type
) -> None:
    column, expected, random = (
        Columns(folder if on_disk else None).make("grown", dtype, width),
        np.zeros((0, width), dtype),
        np.random.default_rng(0),
    )
    for rows, wider in steps:
        more = random.integers(1, 100, (rows, expected.shape[1])).astype(dtype)
        fill(column, more, len(expected))
        expected = np.concatenate([expected, more])
        if wider:
            expected = np.pad(expected, ((0, 0), (0, wider)))
            column.widen(expected.shape[1], len(expected))
    finished = column.finish(len(expected))
    np.testing.assert_array_equal(finished.reshape(expected.shape), expected)
    if on_disk:
        loaded = np.load(folder / "grown.npy")
        assert loaded.dtype == dtype
        np.testing.assert_array_equal(loaded.reshape(expected.shape), expected)
        del finished, column
        (folder / "grown.npy").unlink()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("shape", [(0,), (1,), (5,), (0, 1), (5, 1), (5, 3), (1, 16_384), (0, 4)])
def test_the_file_on_disk_is_an_ordinary_npy_file(tmp_path: Path, dtype: type, shape: tuple[int, ...]) -> None:
    column, rows = Columns(tmp_path).make("table", dtype, *shape[1:]), shape[0]
    table = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    fill(column, table)
    column.finish(rows)
    loaded = np.load(tmp_path / "table.npy", allow_pickle=False)
    assert loaded.dtype == dtype
    assert loaded.shape == shape
    np.testing.assert_array_equal(loaded, table)
    mapped = np.load(tmp_path / "table.npy", mmap_mode="r") if rows else loaded
    np.testing.assert_array_equal(mapped, loaded)


def test_changes_after_finishing_reach_the_file(tmp_path: Path) -> None:
    column = Columns(tmp_path).make("labels", np.float64)
    fill(column, np.zeros(4))
    finished = column.finish(4)
    finished[2] = 5
    del finished, column
    assert np.load(tmp_path / "labels.npy").tolist() == [0, 0, 5, 0]


def test_columns_in_memory_leave_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    column = Columns().make("labels", np.float64)
    fill(column, np.arange(4.0))
    column.finish(4)
    assert list(tmp_path.iterdir()) == []
