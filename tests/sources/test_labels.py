"""From the ordered top to labels, and from labels to files."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError, Dataset, UnknownName, read_letor
from podium.sources.labels import (
    LabelledQuery,
    label_dataset,
    labels_from_top,
    preferences_of_labels,
    qrels_of_labels,
    write_letor_labels,
)  # fmt: skip
from podium.sources.preferences import read_preferences, write_preferences
from podium.sources.trec import read_qrels, write_qrels

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=6)
LABELS = st.dictionaries(WORDS, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5)
TABLES = st.dictionaries(WORDS, LABELS, min_size=1, max_size=4)


def labelled(table: dict[str, dict[str, float]]) -> list[LabelledQuery]:
    return [LabelledQuery(query, labels) for query, labels in table.items()]


# ---- labels of an ordered top ----


@given(documents=st.lists(WORDS, unique=True, max_size=8), k=st.integers(1, 10))
def test_the_top_has_k_plus_1_minus_its_position_and_the_rest_0(documents: list[str], k: int) -> None:
    expected = {document: k + 1 - position if position <= k else 0 for position, document in enumerate(documents, start=1)}
    assert labels_from_top(documents[:k], documents[k:], k=k) == expected


def test_ties_share_the_highest_label_only_if_asked() -> None:
    top, rest, tied = ["a", "b", "c", "d"], ["e", "f"], [["c", "b", "e"], ["f"]]
    assert labels_from_top(top, rest, k=5, tied=tied) == {"a": 5, "b": 4, "c": 3, "d": 2, "e": 0, "f": 0}
    assert labels_from_top(top, rest, k=5, tied=tied, ties="equal") == {"a": 5, "b": 4, "c": 4, "d": 2, "e": 0, "f": 0}


@pytest.mark.parametrize(("options", "message"), [
    ({"k": 0}, "k must be 1 or more, got 0"),
    ({"k": 2}, "a top 2 has at most 2 documents, got 3"),
    ({"rest": ["d", "b"]}, "document 'b' occurs twice in the top and the rest"),
    ({"tied": [["a", "x"]]}, "tied documents must be in the top or the rest; these are in neither: 'x'"),
    ({"tied": [["a", "c"]]}, "tied documents must stand next to each other in the top, got positions 1, 3"),
    ({"tied": [["a", "b"], ["b", "c"]]}, "a document is in two groups of ties; make one group of those that tied with each other"),
])  # fmt: skip
def test_a_top_that_contradicts_itself_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(DataError) as caught:
        labels_from_top(**{"top": ["a", "b", "c"], "rest": ["d"], "k": 3} | options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_names_of_choices_are_checked() -> None:
    with pytest.raises(UnknownName, match="unknown way with ties 'same'; choose from equal, order"):
        labels_from_top(["a"], k=1, ties="same")
    with pytest.raises(UnknownName, match="unknown meaning of label 0 'bad'; choose from irrelevant, low"):
        preferences_of_labels([], zero="bad")
    with pytest.raises(UnknownName, match="unknown way with documents without a label 'skip'; choose from drop, error"):
        label_dataset(small(), [], unlabelled="skip")


def test_a_label_must_be_finite() -> None:
    with pytest.raises(DataError, match="label of document 'a' of query '7' must be finite, got nan"):
        LabelledQuery("7", {"a": float("nan")})


# ---- files ----


@given(table=TABLES)
def test_judgments_read_back_the_labels(tmp_path_factory: pytest.TempPathFactory, table: dict[str, dict[str, float]]) -> None:
    path = tmp_path_factory.mktemp("labels") / "qrels"
    write_qrels(qrels_of_labels(labelled(table)), path)
    assert read_qrels(path).labels == table


@given(table=TABLES.filter(lambda table: not any("#" in query for query in table)))
def test_letor_text_reads_back_the_labels(tmp_path_factory: pytest.TempPathFactory, table: dict[str, dict[str, float]]) -> None:
    path = tmp_path_factory.mktemp("labels") / "labels.txt"
    write_letor_labels(labelled(table), path)
    data = read_letor(path)
    found: dict[str, dict[str, float]] = {}
    for query, document, label in zip(data.qid, data.document_ids, data.labels.tolist(), strict=True):
        found.setdefault(query, {})[document] = label
    assert found == table


def test_letor_text_is_what_letor_shows(tmp_path: Path) -> None:
    write_letor_labels([LabelledQuery("7", {"GX1": 2.0, "GX2": 0.5})], tmp_path / "labels.txt")
    assert (tmp_path / "labels.txt").read_text() == "2 qid:7 #docid = GX1\n0.5 qid:7 #docid = GX2\n"


@pytest.mark.parametrize("query", [
    LabelledQuery("7 8", {"a": 1}), LabelledQuery("7", {"a b": 1}), LabelledQuery("7#", {"a": 1}), LabelledQuery("", {"a": 1}),
])  # fmt: skip
def test_ids_that_letor_text_cannot_hold_are_refused_and_leave_no_file(tmp_path: Path, query: LabelledQuery) -> None:
    with pytest.raises(DataError):
        write_letor_labels([query], tmp_path / "labels.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("zero", ["low", "irrelevant"])
@given(labels=st.dictionaries(WORDS, st.floats(0, 10), min_size=1, max_size=6))
def test_preferences_state_the_order_of_the_labels(tmp_path_factory: pytest.TempPathFactory, zero: str, labels: dict[str, float]) -> None:
    path = tmp_path_factory.mktemp("labels") / "preferences"
    write_preferences(preferences_of_labels([LabelledQuery("7", labels, assessor="anna")], zero=zero), path)
    levels = read_preferences(path).levels["7"]["anna"]["1"]
    assert levels.keys() == labels.keys()
    for one, other in permutations(labels, 2):
        assert (levels[one] > levels[other]) == (labels[one] > labels[other])
    irrelevant = {document for document, level in levels.items() if level == 0}
    assert irrelevant == ({document for document, label in labels.items() if label == 0} if zero == "irrelevant" else set())


def test_each_assessor_is_a_judgment_group() -> None:
    first, second = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 1.0}
    found = preferences_of_labels([LabelledQuery("7", first, "anna"), LabelledQuery("7", second, "ben"), LabelledQuery("8", second)]).levels
    assert found == {"7": {"anna": {"1": first}, "ben": {"1": second}}, "8": {"podium": {"1": {"a": 1.0, "b": 1.0}}}}


def test_a_query_labelled_twice_is_refused_where_only_one_opinion_fits(tmp_path: Path) -> None:
    both = [LabelledQuery("7", {"a": 1}, "anna"), LabelledQuery("7", {"a": 2}, "anna")]
    with pytest.raises(DataError, match="query '7' is labelled twice, and a file of judgments holds one label a document; choose one"):
        qrels_of_labels(both)
    with pytest.raises(DataError, match="query '7' is labelled twice, and LETOR text holds"):
        write_letor_labels(both, tmp_path / "labels.txt")
    with pytest.raises(DataError, match="query '7' is labelled twice, and a dataset holds"):
        label_dataset(small(), both)
    with pytest.raises(DataError, match="query '7' is labelled twice by 'anna'; a judgment group holds one opinion"):
        preferences_of_labels(both)


def test_less_than_irrelevant_is_refused() -> None:
    with pytest.raises(DataError, match="query '7' has labels below 0, which would be less than irrelevant; use zero='low'"):
        preferences_of_labels([LabelledQuery("7", {"a": -1.0})], zero="irrelevant")


# ---- datasets ----


def small() -> Dataset:
    return Dataset.from_arrays(
        [[1], [2], [3], [4]], y=[9, 9, 9, 9], qid=["b", "a", "b", "c"], document_ids=["x", "x", "y", "x"], notes=["1", "2", "3", "4"],
        feature_names=["bm25"],
    )  # fmt: skip


def test_a_dataset_gets_the_labels_of_its_documents() -> None:
    table = {"a": {"x": 1.0}, "c": {"x": 4.0}, "b": {"y": 3.0, "x": 2.0}}
    data = label_dataset(small(), labelled(table))
    assert data.in_input_order(data.labels).tolist() == [2.0, 1.0, 3.0, 4.0]
    assert data.equals(small().with_labels(data.labels))


def test_documents_without_a_label_are_an_error_or_left_out() -> None:
    some = labelled({"b": {"y": 3.0}, "c": {"x": 0.0}})
    with pytest.raises(DataError) as caught:
        label_dataset(small(), some)
    assert str(caught.value) == (
        "2 of the 4 documents have no label, such as (query, document) 'b x', 'a x'; unlabelled='drop' leaves them out"
    )
    data = label_dataset(small(), some, unlabelled="drop")
    expected = Dataset.from_arrays([[3], [4]], y=[3, 0], qid=["b", "c"], document_ids=["y", "x"], notes=["3", "4"], feature_names=["bm25"])
    assert data.equals(expected)


def test_a_label_of_a_document_that_is_not_there_is_refused() -> None:
    with pytest.raises(DataError, match=r"2 labelled documents are not in the dataset, such as \(query, document\) 'a y', 'z x'"):
        label_dataset(small(), labelled({"a": {"x": 1.0, "y": 1.0}, "z": {"x": 1.0}}), unlabelled="drop")
    twins = Dataset.from_arrays(np.zeros((2, 1)), qid=["a", "a"], document_ids=["x", "x"])
    with pytest.raises(DataError, match="two documents of one query have the same id"):
        label_dataset(twins, labelled({"a": {"x": 1.0}}))
