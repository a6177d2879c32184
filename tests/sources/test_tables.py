"""Data frames in and out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from podium import DataError, Dataset, FileError, from_table, open_dataset, save_dataset, to_arrow, to_pandas, to_polars

MAKERS: dict[str, Callable[[Dataset], Any]] = {"arrow": to_arrow, "pandas": to_pandas, "polars": to_polars}


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    rows, width = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    features = draw(hnp.arrays(np.float32, (rows, width), elements=st.floats(width=32, allow_infinity=False)))
    labels = draw(hnp.arrays(np.float64, rows, elements=st.floats(-1e6, 1e6)))
    qid = draw(st.lists(st.sampled_from(["a", "b", "ü"]), min_size=rows, max_size=rows))
    has_ids = draw(st.booleans())
    return Dataset.from_arrays(
        features, labels, qid,
        document_ids=[f"D{row}" for row in range(rows)] if has_ids else None,
        notes=[f"inc = {row}" for row in range(rows)] if has_ids and draw(st.booleans()) else None,
        feature_names=[f"bm{column}" for column in range(width)] if draw(st.booleans()) else None,
    )  # fmt: skip


@pytest.mark.parametrize("kind", MAKERS)
@given(data=datasets())
def test_a_dataset_comes_back_from_a_table(kind: str, data: Dataset) -> None:
    back = from_table(MAKERS[kind](data))
    assert back.equals(data)
    np.testing.assert_array_equal(back.in_input_order(back.labels), data.in_input_order(data.labels))


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow"])
@given(data=datasets())
def test_a_dataset_comes_back_from_an_arrow_file(tmp_path_factory: pytest.TempPathFactory, ending: str, data: Dataset) -> None:
    path = tmp_path_factory.mktemp("arrow") / f"data{ending}"
    save_dataset(data, path)
    assert open_dataset(path).equals(data)


FRAME = {"query": [7, 8, 7], "grade": [1, 0, 2], "url": ["x", "y", "z"], "bm25": [0.5, 1.5, 2.5], "fresh": [True, False, True]}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_columns_are_named_by_the_caller_and_rows_need_not_be_adjacent(make: Callable[[Any], Any]) -> None:
    data = from_table(make(FRAME), query="query", label="grade", document="url")
    assert data.query_ids == ["7", "8"]
    assert data.document_ids == ["x", "z", "y"]
    assert data.features.tolist() == [[0.5, 1.0], [2.5, 1.0], [1.5, 0.0]]
    assert data.feature_names == ("bm25", "fresh")
    assert data.in_input_order(data.labels).tolist() == [1.0, 0.0, 2.0]


def test_only_the_features_named_are_taken() -> None:
    assert from_table(pandas.DataFrame(FRAME), query="query", label="grade", features=["bm25"]).feature_names == ("bm25",)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "no column 'qid' for query ids; its columns are query, grade"),
        ({"query": "query", "label": "grade"}, "feature column 'url' must hold numbers"),
        ({"query": "query", "features": ["bm52"]}, "no column 'bm52'"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        from_table(pandas.DataFrame(FRAME), **arguments)


def test_something_that_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="expected a pandas, polars or Arrow table, got list"):
        from_table([1, 2])


def test_a_feature_with_the_name_of_another_column_is_refused() -> None:
    data = Dataset.from_arrays([[1.0]], qid=[1], feature_names=["label"])
    with pytest.raises(DataError, match="a feature is called 'label'"):
        to_arrow(data)


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"data{ending}"
    path.write_bytes(b"this is not a table")
    with pytest.raises(FileError, match="is not a readable"):
        open_dataset(path)
    with pytest.raises(FileError, match="there is no such file"):
        open_dataset(tmp_path / f"other{ending}")
