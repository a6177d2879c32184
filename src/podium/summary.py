"""What a dataset holds, at a glance: counts, labels, features that say nothing, documents that occur twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from podium.dataset import Dataset
from podium.ragged import kernel, over_queries
from podium.truth import has_ties

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True)
class Summary:
    """Facts about a dataset. Features are named as in the dataset."""

    queries: int
    documents: int
    features: int
    documents_per_query: dict[str, float]  # least, median, most
    labels: dict[str, int]  # label -> documents; beyond 20 different labels, only the range
    truth: str  # graded, full order or top-k
    blank_queries: int  # queries in which no label is above 0
    undecided_queries: int  # queries in which all labels are equal: nothing to learn from
    missing_values: int
    constant_features: list[str]  # one value everywhere
    constant_within_queries: list[str]  # constant in every query, so of no use for ranking
    duplicate_documents: int  # documents with the same features as an earlier one of the query
    duplicate_ids: int  # documents with the same id as an earlier one of the query

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@kernel
def _survey(first, last, offsets, features, varies, missing):  # type: ignore[no-untyped-def]
    """Whether each feature takes two values within a query (a missing value is a value), and how many values are missing."""
    for query in range(first, last):
        begin = offsets[query]
        for row in range(begin, offsets[query + 1]):
            for j in range(features.shape[1]):
                a, b = features[row, j], features[begin, j]
                missing[query] += np.isnan(a)
                if a != b and not (np.isnan(a) and np.isnan(b)):
                    varies[query, j] = True


def summarise(data: Dataset) -> Summary:
    """Look at every row once or twice.

    >>> data = Dataset.from_arrays([[1, 0], [1, 0], [1, 5]], y=[0, 1, 0], qid=[1, 1, 1])
    >>> facts = summarise(data)
    >>> facts.constant_features, facts.duplicate_documents, facts.labels
    (['f1'], 1, {'0': 2, '1': 1})
    """
    varies = np.zeros((data.n_queries, data.n_features), np.bool_)
    missing = np.zeros(data.n_queries, np.int64)
    over_queries(_survey, data.offsets, np.ascontiguousarray(data.features), varies, missing)
    names, within = data.feature_names, ~varies.any(axis=0)
    first = data.features[:1]
    heads = data.features[data.offsets[:-1][data.sizes > 0]]
    same = ((heads == first) | (np.isnan(heads) & np.isnan(first))).all(axis=0)
    sizes = data.sizes
    return Summary(
        queries=data.n_queries,
        documents=data.n_rows,
        features=data.n_features,
        documents_per_query={name: float(value) for name, value in zip(("least", "median", "most"), _spread_of(sizes), strict=True)},
        labels=_histogram(data),
        truth=_kind_of_truth(data),
        blank_queries=_count_queries(data, data.labels > 0, none=True),
        undecided_queries=_undecided(data),
        missing_values=int(missing.sum()),
        constant_features=[names[j] for j in np.flatnonzero(within & same)],
        constant_within_queries=[names[j] for j in np.flatnonzero(within & ~same)],
        duplicate_documents=_duplicates(data, lambda part: [row.tobytes() for row in part.features + np.float32(0)])
        if data.n_features
        else 0,
        duplicate_ids=_duplicates(data, lambda part: part.document_ids.tolist()) if data.given_ids is not None else 0,
    )


def _spread_of(sizes: Any) -> tuple[float, float, float]:
    return (float(sizes.min()), float(np.median(sizes)), float(sizes.max())) if len(sizes) else (0.0, 0.0, 0.0)


def _histogram(data: Dataset) -> dict[str, int]:
    values, counts = np.unique(data.labels, return_counts=True)
    if len(values) > 20:
        return {f"{values[0]:g} … {values[-1]:g} ({len(values)} different)": data.n_rows}
    return {f"{value:g}": int(count) for value, count in zip(values, counts, strict=True)}


def _kind_of_truth(data: Dataset) -> str:
    if data.n_rows and not has_ties(data.labels, data.offsets).any() and (data.sizes > 1).any():
        return "full order"
    positive = data.labels > 0
    query = data.query_of_row[positive]
    labels = data.labels[positive]
    if len(labels) and (k := labels.max()) > 1 and (labels == np.floor(labels)).all() and not (data.labels < 0).any():
        tops = np.bincount(query, minlength=data.n_queries)
        expected = np.minimum(k, data.sizes)
        distinct = len(np.unique(np.column_stack([query, labels]), axis=0)) == len(labels)
        if distinct and (tops == expected).all() and (labels > k - expected[query]).all():
            return f"top-{k:g}"
    return "graded"


def _count_queries(data: Dataset, rows: Any, *, none: bool) -> int:
    counts = np.bincount(data.query_of_row[rows], minlength=data.n_queries)
    return int(((counts == 0) == none).sum())


def _undecided(data: Dataset) -> int:
    first = np.repeat(data.labels[np.minimum(data.offsets[:-1], max(data.n_rows - 1, 0))], data.sizes) if data.n_rows else data.labels
    return _count_queries(data, data.labels != first, none=True)


def _duplicates(data: Dataset, keys: Callable[[Dataset], list[Any]]) -> int:
    """Documents that agree in something with an earlier one of their query; one query is looked at after another."""
    return sum(part.n_rows - len(set(keys(part))) for _, part in data.queries())
