"""Data frames: pandas, polars and Arrow tables in and out; Parquet and Feather files.

Reading asks a table for its columns and needs none of those libraries itself; writing needs the one that is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from podium.dataset import Dataset
from podium.errors import DataError, FileError, MissingDependency
from podium.sources.streams import atomic_file

__all__ = ["from_table", "read_arrow_file", "to_arrow", "to_pandas", "to_polars", "write_arrow_file"]

QUERY, DOCUMENT, LABEL, NOTE = "qid", "docid", "label", "note"


def _column_names(table: Any) -> list[str]:
    names = getattr(table, "column_names", None)  # Arrow
    if names is None:
        names = getattr(table, "columns", None)  # pandas, polars
    if names is None:
        raise DataError(f"expected a pandas, polars or Arrow table, got {type(table).__name__}")
    return [str(name) for name in names]


def _column(table: Any, name: str) -> Any:
    column = table[name]
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def from_table(
    table: Any,
    *,
    label: str | None = LABEL,
    query: str = QUERY,
    document: str | None = DOCUMENT,
    note: str | None = NOTE,
    features: Sequence[str] | None = None,
) -> Dataset:
    """A dataset from a pandas, polars or Arrow table with a row per document.

    ``query``, ``label``, ``document`` and ``note`` name those columns (the last three may be absent); ``features`` are all others
    unless named. Rows of a query need not be adjacent.

    >>> import pandas
    >>> frame = pandas.DataFrame({"qid": ["a", "a"], "label": [1, 0], "bm25": [2.5, 0.5]})
    >>> data = from_table(frame)
    >>> data, data.feature_names
    (Dataset(1 query, 2 documents, 1 feature), ('bm25',))
    """
    names = _column_names(table)
    if query not in names:
        raise DataError(f"the table has no column {query!r} for query ids; its columns are {', '.join(names)}")
    special = {name for name in (label, query, document, note) if name is not None}
    chosen = [name for name in names if name not in special] if features is None else list(features)
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise DataError(f"the table has no column {unknown[0]!r}; its columns are {', '.join(names)}")
    columns = [_column(table, name) for name in chosen]
    for name, column in zip(chosen, columns, strict=True):
        if not (np.issubdtype(column.dtype, np.number) or column.dtype == np.bool_):
            raise DataError(f"feature column {name!r} must hold numbers, got {column.dtype}; name the feature columns with features=")
    given = {name: _column(table, name).tolist() for name in (document, note) if name is not None and name in names}
    return Dataset.from_arrays(
        np.column_stack(columns) if columns else np.empty((len(table), 0), np.float32),
        _column(table, label) if label is not None and label in names else None,
        _column(table, query),
        document_ids=given.get(document or ""),
        notes=given.get(note or ""),
        feature_names=chosen,
    )


def _columns(data: Dataset) -> dict[str, Any]:
    """Everything a table holds, in input order, so that a frame comes back as it went in."""
    order = np.arange(data.n_rows) if data.input_rows is None else np.argsort(data.input_rows)
    columns: dict[str, Any] = {QUERY: data.qid[order].tolist()}
    if data.given_ids is not None:
        columns[DOCUMENT] = data.given_ids[order].tolist()
    columns[LABEL] = data.labels[order]
    if data.notes is not None:
        columns[NOTE] = data.notes[order].tolist()
    clash = [name for name in data.feature_names if name in (QUERY, DOCUMENT, LABEL, NOTE)]
    if clash:
        raise DataError(f"a feature is called {clash[0]!r}, which is the name of another column")
    table = np.asfortranarray(data.features[order])
    return {**columns, **{name: table[:, number] for number, name in enumerate(data.feature_names)}}


def to_arrow(data: Dataset) -> Any:
    """As an Arrow table: qid, docid and note (if there are any), label, and a float32 column per feature."""
    return _pyarrow("make an Arrow table").table(_columns(data))


def to_pandas(data: Dataset) -> Any:
    """As a pandas frame, with the columns of :func:`to_arrow`."""
    try:
        import pandas
    except ImportError:
        raise MissingDependency("pandas", "pandas", "make a pandas frame") from None
    return pandas.DataFrame(_columns(data))


def to_polars(data: Dataset) -> Any:
    """As a polars frame, with the columns of :func:`to_arrow`."""
    try:
        import polars
    except ImportError:
        raise MissingDependency("polars", "polars", "make a polars frame") from None
    return polars.DataFrame(_columns(data))


def _pyarrow(purpose: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency("pyarrow", "arrow", purpose) from None
    return pyarrow


def read_arrow_file(path: str | os.PathLike[str]) -> Dataset:
    """Read a Parquet (``.parquet``) or Feather (``.feather``, ``.arrow``) file with the columns of :func:`to_arrow`."""
    path = Path(path)
    pyarrow = _pyarrow(f"read {path.name}")
    from pyarrow import feather, parquet

    if not path.is_file():
        raise FileError(path, None, "there is no such file")
    try:
        return from_table(_read_parquet(parquet, path) if path.suffix == ".parquet" else feather.read_table(path))
    except pyarrow.ArrowException as error:
        raise FileError(path, None, f"is not a readable {path.suffix} file ({str(error).splitlines()[0]})") from None
    except DataError as error:
        raise FileError(path, None, str(error)) from None


def _read_parquet(parquet: Any, path: Path) -> Any:
    """Without Arrow's threads: now and then one of them outlives the program's end, which then aborts."""
    with parquet.ParquetFile(path, pre_buffer=False) as file:
        return file.read(use_threads=False)


def write_arrow_file(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a Parquet or Feather file, by its ending; it appears whole or not at all."""
    table = to_arrow(data)
    from pyarrow import feather, parquet

    with atomic_file(path) as file:
        if Path(path).suffix == ".parquet":
            parquet.write_table(table, file)
        else:
            feather.write_feather(table, file)
