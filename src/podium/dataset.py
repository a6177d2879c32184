"""Dataset: documents grouped by query, with features, labels and ids.

Rows are flat: query ``q`` owns rows ``offsets[q]:offsets[q + 1]``. A dataset is a value: its methods return another one that
shares what did not change. Missing features are NaN; labels are finite; infinite features are refused at the door.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium import scaling, truth
from podium.errors import DataError
from podium.ragged import Floats, Ints, check_offsets, offsets_of
from podium.strings import Strings, as_text

__all__ = ["Dataset"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows (documents) grouped by query.

    Make one with :meth:`from_arrays` or a reader such as :func:`podium.read_letor`; those check what they are given.

    >>> data = Dataset.from_arrays([[0.5], [0.1], [0.9]], y=[1, 0, 2], qid=["b", "a", "b"])
    >>> data
    Dataset(2 queries, 3 documents, 1 feature)
    >>> data.query_ids.tolist(), data.labels.tolist()
    (['b', 'a'], [1.0, 2.0, 0.0])
    >>> data.in_input_order(data.labels).tolist()
    [1.0, 0.0, 2.0]
    """

    features: NDArray[np.float32]
    labels: Floats
    offsets: Ints
    query_ids: Strings  # one a query
    given_ids: Strings | None = None  # one a row, if the source had any
    notes: Strings | None = None  # what else the source said of each row, as text
    input_rows: Ints | None = None  # the source's row number of each row here; None: the same order
    given_names: tuple[str, ...] | None = None  # one a feature, if the source had any

    def __post_init__(self) -> None:
        rows, queries = len(self.labels), len(self.offsets) - 1
        if self.features.ndim != 2 or len(self.features) != rows:
            raise DataError(f"features must be a table of {rows} rows, one a label, got shape {self.features.shape}")
        if len(self.query_ids) != queries:
            raise DataError(f"there are {queries} queries but {len(self.query_ids)} query ids")
        for name in ("given_ids", "notes", "input_rows"):
            column = getattr(self, name)
            if column is not None and len(column) != rows:
                raise DataError(f"{name} must have {rows} rows, one a label, got {len(column)}")
        if self.given_names is not None and len(self.given_names) != self.n_features:
            raise DataError(f"there are {self.n_features} features but {len(self.given_names)} feature names")

    # ---- made from arrays ----

    @classmethod
    def from_arrays(
        cls,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | Sequence[object] | None = None,
        *,
        offsets: ArrayLike | None = None,
        document_ids: Iterable[object] | None = None,
        notes: Iterable[str] | None = None,
        feature_names: Iterable[str] | None = None,
    ) -> Dataset:
        """From a table ``X``, labels ``y`` (0 if left out) and a query id per row.

        Rows of one query need not be adjacent: they are brought together in order of first appearance, and
        :meth:`in_input_order` brings any per-row values back to the caller's order. Instead of ``qid``, ``offsets`` may say where
        queries begin; with neither, all rows are one query. A float32 table whose queries are adjacent is used as it is, not copied.
        """
        features = _as_features(X)
        rows = len(features)
        labels = np.zeros(rows) if y is None else _as_labels(y, rows)
        given, said = _text_column(document_ids), _text_column(notes)
        order: Ints | None
        if qid is None:
            bounds = np.array([0, rows] if rows else [0]) if offsets is None else check_offsets(offsets, rows)
            ids, order = Strings.of(range(1, len(bounds))), None
        else:
            if offsets is not None:
                raise DataError("give qid or offsets, not both")
            ids, bounds, order = _group(qid, rows)
        names = None if feature_names is None else tuple(map(str, feature_names))
        data = cls(features, labels, bounds, ids, given, said, given_names=names)
        return data if order is None else replace(data._take(order), offsets=bounds, query_ids=ids, input_rows=order)

    # ---- what it holds ----

    @property
    def n_queries(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def sizes(self) -> Ints:
        """Documents of each query."""
        return np.diff(self.offsets)

    @functools.cached_property
    def document_ids(self) -> Strings:
        """One a row; where the source had none, the number of the document within its query, from 1 on."""
        if self.given_ids is not None:
            return self.given_ids
        return Strings.of(np.arange(self.n_rows) - np.repeat(self.offsets[:-1], self.sizes) + 1)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One a feature; where the source had none, f1, f2, …: LETOR's numbers."""
        return self.given_names or tuple(f"f{number}" for number in range(1, self.n_features + 1))

    @property
    def query_of_row(self) -> Ints:
        """The number of each row's query."""
        return np.repeat(np.arange(self.n_queries), self.sizes)

    @property
    def qid(self) -> Strings:
        """The query id of each row."""
        return self.query_ids[self.query_of_row]

    def attributes(self) -> dict[str, list[str]]:
        """What the notes say, name by name: ``inc = 1 prob = 0.08`` gives ``{"inc": ["1"], "prob": ["0.08"]}``; "" if unsaid."""
        found: dict[str, list[str]] = {}
        for row, note in enumerate(self.notes if self.notes is not None else ()):
            words = note.replace("=", " = ").split()
            for place in range(1, len(words) - 1):
                if words[place] == "=":
                    found.setdefault(words[place - 1], [""] * self.n_rows)[row] = words[place + 1]
        return found

    def in_input_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Per-row values (scores, say) in the order of the rows this dataset was made from."""
        if len(values) != self.n_rows:
            raise DataError(f"expected {self.n_rows} values, one a row, got {len(values)}")
        if self.input_rows is None:
            return values
        back = np.empty_like(values)
        back[self.input_rows] = values
        return back

    def from_input_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """The reverse of :meth:`in_input_order`."""
        if len(values) != self.n_rows:
            raise DataError(f"expected {self.n_rows} values, one a row, got {len(values)}")
        return values if self.input_rows is None else values[self.input_rows]

    # ---- other labels, other features ----

    def with_labels(self, labels: ArrayLike) -> Dataset:
        """The same documents with other labels, one a row in this dataset's order."""
        return replace(self, labels=_as_labels(labels, self.n_rows))

    def top_k(self, k: int, *, seed: int = 0) -> Dataset:
        """Top-k truth: labels k..1 for the best k documents of each query, 0 for the rest; ties broken at random with ``seed``."""
        return replace(self, labels=truth.top_k(self.labels, self.offsets, k, seed=seed))

    def break_ties(self, *, seed: int = 0) -> Dataset:
        """Full-order truth: labels n..1, drawn uniformly among the orders that agree with the labels."""
        return replace(self, labels=truth.break_ties(self.labels, self.offsets, seed=seed))

    def normalise(self, method: str = "minmax") -> Dataset:
        """Features made comparable within each query: ``minmax`` (as LETOR's QueryLevelNorm), ``zscore`` or ``none``."""
        return replace(self, features=scaling.scale(self.features, self.offsets, method))

    def fill_missing(self, value: float | None = None) -> Dataset:
        """Missing features replaced by ``value``, or by the least value of the feature in the query (LETOR 3.0's MIN), else 0."""
        if value is not None and not abs(value) <= float(np.finfo(np.float32).max):
            raise DataError(f"missing features can be filled with a finite number, got {value}")
        missing = np.isnan(self.features)
        if not missing.any():
            return self
        filled = self.features.copy()
        if value is not None:
            filled[missing] = value
            return replace(self, features=filled)
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            gone = missing[begin:end]
            if gone.any():
                least = np.where(gone, np.float32(np.inf), filled[begin:end]).min(axis=0)
                filled[begin:end] = np.where(gone, np.where(np.isinf(least), np.float32(0), least), filled[begin:end])
        return replace(self, features=filled)

    def widen(self, n_features: int) -> Dataset:
        """With features that are 0 everywhere added up to ``n_features``: LETOR's text says nothing of a feature that is 0.

        >>> Dataset.from_arrays([[1.0], [2.0]]).widen(3).features.tolist()
        [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
        """
        missing = n_features - self.n_features
        if missing <= 0 or self.given_names is not None:
            return self
        return replace(self, features=np.pad(self.features, ((0, 0), (0, missing))))

    # ---- parts ----

    def select_features(self, columns: slice | Sequence[int] | NDArray[Any]) -> Dataset:
        """Only some features, by column from 0 on, a mask or a slice (which shares memory)."""
        if not isinstance(columns, slice):
            columns = _positions(columns, self.n_features, "feature")
        names = tuple(np.array(self.feature_names, dtype=object)[columns])
        return replace(self, features=self.features[:, columns], given_names=names)

    def select_queries(self, queries: slice | Sequence[int] | Sequence[str] | NDArray[Any]) -> Dataset:
        """Only some queries, by id (text), by position (numbers), a mask or a slice, in the order given; neighbours share memory."""
        if isinstance(queries, slice):
            wanted = np.arange(self.n_queries)[queries]
        elif len(queries) and isinstance(queries[0], str):
            numbers = {query_id: number for number, query_id in enumerate(self.query_ids)}
            named = [str(query) for query in queries]
            unknown = [query for query in named if query not in numbers]
            if unknown:
                raise DataError(f"there is no query {unknown[0]!r} among the {self.n_queries}")
            wanted = np.array([numbers[query] for query in named], dtype=np.int64)
        else:
            wanted = _positions(queries, self.n_queries, "query")
        if len(wanted) and (np.diff(wanted) == 1).all():
            rows: slice | Ints = slice(int(self.offsets[wanted[0]]), int(self.offsets[wanted[-1] + 1]))
        else:
            pieces = [np.arange(self.offsets[query], self.offsets[query + 1]) for query in wanted.tolist()]
            rows = np.concatenate([np.empty(0, np.int64), *pieces])
        part = self._take(rows)
        return replace(part, offsets=offsets_of(self.sizes[wanted]), query_ids=self.query_ids[wanted])

    def split(self, *fractions: float, seed: int = 0) -> list[Dataset]:
        """Parts with about these shares of the queries, drawn at random; no query is in two parts.

        >>> data = Dataset.from_arrays(np.zeros((10, 1)), qid=range(10))
        >>> [part.n_queries for part in data.split(0.6, 0.2, 0.2, seed=1)]
        [6, 2, 2]
        """
        total = sum(fractions)
        if not fractions or min(fractions) <= 0 or total > 1 + 1e-9:
            raise DataError(f"fractions must be positive and add up to at most 1, got {fractions}")
        shuffled = np.random.default_rng(seed).permutation(self.n_queries)
        edges = np.rint(np.cumsum([0.0, *fractions]) * self.n_queries).astype(int)
        return [self.select_queries(np.sort(shuffled[a:b])) for a, b in itertools.pairwise(edges)]

    def queries(self) -> Iterator[tuple[str, Dataset]]:
        """Each query id with the part of this dataset that belongs to it, sharing memory."""
        for number, query_id in enumerate(self.query_ids):
            yield query_id, self.select_queries(slice(number, number + 1))

    def _take(self, rows: slice | Ints) -> Dataset:
        """Some rows, as one query; the caller says how they are grouped, and where they came from no longer holds."""
        labels = self.labels[rows]
        return Dataset(
            self.features[rows], labels, np.array([0, len(labels)]), Strings.of([""]),
            _text_column(None if self.given_ids is None else self.given_ids[rows]),
            _text_column(None if self.notes is None else self.notes[rows]),
            given_names=self.given_names,
        )  # fmt: skip

    # ---- as a value ----

    def equals(self, other: Dataset) -> bool:
        """Whether both hold the same: features bit for bit (a missing value equals another), labels, groups, ids, names and notes."""
        empty = Strings.of([""] * self.n_rows)
        return (
            self.features.shape == other.features.shape
            and np.array_equal(self.features, other.features, equal_nan=True)
            and np.array_equal(self.labels, other.labels)
            and np.array_equal(self.offsets, other.offsets)
            and self.query_ids == other.query_ids
            and self.document_ids == other.document_ids
            and self.feature_names == other.feature_names
            and (self.notes if self.notes is not None else empty) == (other.notes if other.notes is not None else empty)
        )

    def __repr__(self) -> str:
        counts = ((self.n_queries, "quer", "y", "ies"), (self.n_rows, "document", "", "s"), (self.n_features, "feature", "", "s"))
        return f"Dataset({', '.join(f'{n:,} {stem}{one if n == 1 else many}' for n, stem, one, many in counts)})"


def _as_features(X: ArrayLike) -> NDArray[np.float32]:
    try:
        table = np.asarray(X)
    except ValueError:  # rows of different lengths
        raise DataError("features must be a table of rows and columns; the rows given have different lengths") from None
    if table.ndim != 2:
        raise DataError(f"features must be a table of rows and columns, got shape {table.shape}")
    if not (np.issubdtype(table.dtype, np.number) or table.dtype == np.bool_) or np.issubdtype(table.dtype, np.complexfloating):
        raise DataError(f"features must be numbers, got dtype {table.dtype}")
    with np.errstate(over="ignore"):
        features = np.asarray(table, dtype=np.float32)
    infinite = np.isinf(features)
    if infinite.any():
        row, column = (int(place) for place in np.argwhere(infinite)[0])
        raise DataError(f"features must be finite float32 numbers or NaN for missing; row {row}, column {column} is {table[row, column]}")
    return features


def _text_column(values: Iterable[object] | None) -> Strings | None:
    """A column of text, or none if there is nothing in it."""
    column = None if values is None else Strings.of(values)
    return None if column is None or (len(column) and not column.lengths().any()) else column


def _as_labels(y: ArrayLike, rows: int) -> Floats:
    try:
        labels = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("labels must be numbers, larger is better") from None
    if labels.shape != (rows,):
        raise DataError(f"labels must be {rows} numbers, one a row, got shape {labels.shape}")
    if not np.isfinite(labels).all():
        raise DataError(f"labels must be finite; row {int(np.argmin(np.isfinite(labels)))} is {labels[~np.isfinite(labels)][0]}")
    return labels


def _group(qid: Any, rows: int) -> tuple[Strings, Ints, Ints | None]:
    """Query ids in order of first appearance, offsets, and the order that brings rows together (None: they are already)."""
    if isinstance(qid, Strings):
        qid = qid.tolist()
    if not isinstance(qid, np.ndarray):
        values = list(qid)
        has_text = any(isinstance(value, str) for value in values)
        qid = np.array(values, dtype=object if has_text else None)  # not as NumPy's text, which drops trailing zero characters
    keys = qid
    if keys.shape != (rows,):
        raise DataError(f"qid must have {rows} values, one a row, got shape {keys.shape}")
    if rows == 0:
        return Strings.of([]), np.zeros(1, np.int64), None
    changes = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    starts = np.concatenate([[0], changes])
    heads = keys[starts].tolist()
    if any(key != key or key is None or key == "" for key in heads):
        raise DataError("qid must not be missing or empty in any row")
    numbers: dict[str, int] = {}
    query_of_run = np.array([numbers.setdefault(as_text(key), len(numbers)) for key in heads], dtype=np.int64)
    run_sizes = np.diff(np.concatenate([starts, [rows]]))
    offsets = offsets_of(np.bincount(query_of_run, weights=run_sizes).astype(np.int64))
    order = None if len(numbers) == len(starts) else np.argsort(np.repeat(query_of_run, run_sizes), kind="stable")
    return Strings.of(numbers), offsets, order


def _positions(wanted: Any, count: int, kind: str) -> Ints:
    places = np.asarray(wanted)
    if places.dtype == np.bool_:
        if places.shape != (count,):
            raise DataError(f"a mask of {kind} positions must have {count} entries, got shape {places.shape}")
        return np.flatnonzero(places)
    if len(places) and not np.issubdtype(places.dtype, np.integer):
        raise DataError(f"{kind} positions must be whole numbers, got {places[0]!r}")
    places = places.astype(np.int64) if len(places) else np.empty(0, np.int64)
    outside = (places < 0) | (places >= count)
    if outside.any():
        raise DataError(f"{kind} position {int(places[outside][0])} is not among 0..{count - 1}")
    return places
