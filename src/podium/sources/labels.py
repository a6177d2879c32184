"""What labelling gives, as labels: from the ordered top to one number a document, and from there to LETOR, qrels and preferences.

Labels follow SPEC, section 1: the document at position p of the top k has label k + 1 − p, the rest 0. Grades are labels as they are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from podium.dataset import Dataset
from podium.errors import DataError, UnknownName
from podium.sources.collections import some
from podium.sources.lines import one_word, plain_number
from podium.sources.preferences import Preferences
from podium.sources.streams import atomic_file
from podium.sources.trec import Qrels

__all__ = [
    "TIES", "UNLABELLED", "LabelledQuery", "label_dataset", "labels_from_top",
    "preferences_of_labels", "qrels_of_labels", "write_letor_labels",
]  # fmt: skip

TIES = {  # what becomes of documents of the top that tied
    "order": "each has the label of its position",
    "equal": "all have the label of the first of them",
}
UNLABELLED = {  # what becomes of documents of a dataset without a label
    "error": "refuse, and name some",
    "drop": "leave them out",
}


@dataclass(frozen=True)
class LabelledQuery:
    """The label of each labelled document of a query, larger is better, and who gave it."""

    query_id: str
    labels: dict[str, float]
    assessor: str = ""

    def __post_init__(self) -> None:
        for document, label in self.labels.items():
            if not math.isfinite(label):
                raise DataError(f"label of document {document!r} of query {self.query_id!r} must be finite, got {label}")


def labels_from_top(
    top: Sequence[str], rest: Iterable[str] = (), *, k: int, tied: Iterable[Iterable[str]] = (), ties: str = "order"
) -> dict[str, float]:
    r"""Labels of the ordered top, best first, and of the rest: :math:`y = k + 1 - p` at position p of the top, 0 in the rest.

    The best has label k even if there are fewer than k documents. ``tied`` are groups of documents that tied, ``ties`` says what that
    means: ``"order"``, nothing; ``"equal"``, the documents of a group that are in the top, where they must stand next to each other,
    share the highest of their labels. A member of the rest stays at 0.

    >>> labels_from_top(["b", "a", "d"], ["c"], k=3)
    {'b': 3.0, 'a': 2.0, 'd': 1.0, 'c': 0.0}
    >>> labels_from_top(["b", "a", "d"], ["c"], k=3, tied=[["a", "d", "c"]], ties="equal")
    {'b': 3.0, 'a': 2.0, 'd': 2.0, 'c': 0.0}
    """
    if ties not in TIES:
        raise UnknownName("way with ties", ties, TIES)
    if k < 1:
        raise DataError(f"k must be 1 or more, got {k}")
    if len(top) > k:
        raise DataError(f"a top {k} has at most {k} documents, got {len(top)}")
    documents = [*top, *rest]
    labels = {document: float(k - place if place < len(top) else 0) for place, document in enumerate(documents)}
    if len(labels) < len(documents):
        twice = next(document for place, document in enumerate(documents) if document in documents[:place])
        raise DataError(f"document {twice!r} occurs twice in the top and the rest")
    groups = [_places_in_top(group, top, labels) for group in tied]
    if len({place for group in groups for place in group}) < sum(map(len, groups)):
        raise DataError("a document is in two groups of ties; make one group of those that tied with each other")
    for group in groups if ties == "equal" else []:
        labels.update({top[place]: labels[top[group[0]]] for place in group})
    return labels


def _places_in_top(group: Iterable[str], top: Sequence[str], labels: dict[str, float]) -> list[int]:
    members = set(group)
    if strange := sorted(members - labels.keys()):
        raise DataError(f"tied documents must be in the top or the rest; these are in neither: {some(strange)}")
    places = [place for place, document in enumerate(top) if document in members]
    if places and places[-1] - places[0] >= len(places):
        raise DataError(f"tied documents must stand next to each other in the top, got positions {', '.join(str(p + 1) for p in places)}")
    return places


def _by_query(labelled: Iterable[LabelledQuery], purpose: str) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for query in labelled:
        if query.query_id in table:
            raise DataError(f"query {query.query_id!r} is labelled twice, and {purpose} holds one label a document; choose one assessor")
        table[query.query_id] = query.labels
    return table


def qrels_of_labels(labelled: Iterable[LabelledQuery]) -> Qrels:
    """The labels as TREC judgments, for :func:`podium.sources.trec.write_qrels`."""
    return Qrels(_by_query(labelled, "a file of judgments"))


def preferences_of_labels(labelled: Iterable[LabelledQuery], *, zero: str = "low") -> Preferences:
    """The labels as trec_eval's preferences: each assessor a judgment group (``podium`` if nameless) with one sub-group.

    Levels are the ranks of the labels, 1 for the lowest: to trec_eval only their order counts. With ``zero="irrelevant"`` label 0
    becomes level 0, which claims that those documents are not relevant: right for the worst grade, not for the rest below a top k,
    which merely lost.

    >>> preferences_of_labels([LabelledQuery("7", {"a": 4, "b": 0, "c": 2}, assessor="anna")]).levels
    {'7': {'anna': {'1': {'a': 3.0, 'b': 1.0, 'c': 2.0}}}}
    """
    if zero not in ("low", "irrelevant"):
        raise UnknownName("meaning of label 0", zero, ("low", "irrelevant"))
    levels: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for query in labelled:
        groups, group = levels.setdefault(query.query_id, {}), query.assessor or "podium"
        if group in groups:
            raise DataError(f"query {query.query_id!r} is labelled twice by {group!r}; a judgment group holds one opinion")
        groups[group] = {"1": _levels(query, is_zero_irrelevant=zero == "irrelevant")}
    return Preferences(levels)


def _levels(query: LabelledQuery, *, is_zero_irrelevant: bool) -> dict[str, float]:
    distinct = sorted(set(query.labels.values()))
    if is_zero_irrelevant and distinct and distinct[0] < 0:
        raise DataError(f"query {query.query_id!r} has labels below 0, which would be less than irrelevant; use zero='low'")
    first = 0 if is_zero_irrelevant and 0 in distinct else 1
    level = {label: float(rank) for rank, label in enumerate(distinct, start=first)}
    return {document: level[label] for document, label in query.labels.items()}


def write_letor_labels(labelled: Iterable[LabelledQuery], path: str | os.PathLike[str]) -> None:
    """Write lines ``label qid:ID #docid = DOCUMENT``, LETOR text without features; the file appears whole or not at all."""
    table = _by_query(labelled, "LETOR text")
    with atomic_file(path) as file:
        for query, labels in table.items():
            if "#" in query:
                raise DataError(f"query id must not hold '#' to be written as LETOR text, got {query!r}")
            head = f"qid:{one_word('query id', query)} #docid ="
            lines = (f"{plain_number(label)} {head} {one_word('document id', document)}\n" for document, label in labels.items())
            file.write("".join(lines).encode())


def label_dataset(data: Dataset, labelled: Iterable[LabelledQuery], *, unlabelled: str = "error") -> Dataset:
    """The dataset with these labels instead of its own, found by query id and document id.

    Documents without a label are an error, or left out with ``unlabelled="drop"``, as are queries of which none is left. A labelled
    document that the dataset lacks is an error.

    >>> data = Dataset.from_arrays([[1], [2], [3]], qid=["a", "a", "b"], document_ids=["x", "y", "x"])
    >>> labelled = label_dataset(data, [LabelledQuery("a", {"y": 2, "x": 1})], unlabelled="drop")
    >>> labelled.document_ids.tolist(), labelled.labels.tolist()
    (['x', 'y'], [1.0, 2.0])
    """
    if unlabelled not in UNLABELLED:
        raise UnknownName("way with documents without a label", unlabelled, UNLABELLED)
    table = _by_query(labelled, "a dataset")
    rows = list(zip(data.qid.tolist(), data.document_ids.tolist(), strict=True))
    _check_all_there(table, rows)
    found = [table.get(query, {}).get(document) for query, document in rows]
    bare = [" ".join(row) for row, label in zip(rows, found, strict=True) if label is None]
    if bare and unlabelled == "error":
        raise DataError(
            f"{len(bare)} of the {len(rows)} documents have no label, such as (query, document) {some(bare)}; "
            "unlabelled='drop' leaves them out"
        )
    kept = np.array([label is not None for label in found], dtype=bool)
    part = _rows_of(data, kept) if bare else data
    return part.with_labels([label for label in found if label is not None])


def _check_all_there(table: dict[str, dict[str, float]], rows: list[tuple[str, str]]) -> None:
    if len(known := set(rows)) < len(rows):
        raise DataError("two documents of one query have the same id; labels cannot be told apart")
    strange = [f"{query} {document}" for query, labels in table.items() for document in labels if (query, document) not in known]
    if strange:
        raise DataError(f"{len(strange)} labelled documents are not in the dataset, such as (query, document) {some(strange)}")


def _rows_of(data: Dataset, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Dataset:
    """Some rows of a dataset; queries that lose all of theirs are gone."""
    return Dataset.from_arrays(
        data.features[kept],
        qid=data.qid[kept],
        document_ids=data.document_ids[kept],
        notes=None if data.notes is None else data.notes[kept],
        feature_names=data.given_names,
    )
