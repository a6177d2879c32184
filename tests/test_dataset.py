"""Datasets: documents grouped by query."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from podium import DataError, Dataset, UnknownName
from podium.ragged import offsets_of
from podium.strings import Strings

NAN = np.nan


@pytest.fixture
def data() -> Dataset:
    """Three queries of 2, 1 and 3 documents; row r has features 10 r and 10 r + 1."""
    return Dataset.from_arrays(
        (10 * np.arange(6)[:, None] + [0, 1]).astype(np.float32), y=[0, 1, 2, 2, 0, 1], qid=["b", "b", "a", "c", "c", "c"],
        document_ids=list("uvwxyz"), notes=["n = 1", "", "m=2 n = 3", "", "", "="], feature_names=["bm25", "age"],
    )  # fmt: skip


# ---- made from arrays ----


@given(qid=st.lists(st.sampled_from(["q1", "q2", "q10", "ü"]), max_size=12))
def test_rows_are_grouped_in_order_of_first_appearance_and_the_input_order_comes_back(qid: list[str]) -> None:
    rows = np.arange(len(qid), dtype=np.float32)
    for ids in (qid, np.array(qid, dtype=object), Strings.of(qid), tuple(qid), iter(qid)):
        data = Dataset.from_arrays(rows[:, None], y=rows * 2, qid=ids, document_ids=rows, notes=[f"n = {row:.0f}" for row in rows])
        order = [row for query in dict.fromkeys(qid) for row in range(len(qid)) if qid[row] == query]
        assert data.query_ids.tolist() == list(dict.fromkeys(qid))
        assert data.qid.tolist() == [qid[row] for row in order]
        assert data.features[:, 0].tolist() == order
        assert data.labels.tolist() == [2 * row for row in order]
        assert data.document_ids.tolist() == [str(row) for row in order]
        assert data.notes == [f"n = {row}" for row in order]
        np.testing.assert_array_equal(data.in_input_order(data.features), rows[:, None])
        np.testing.assert_array_equal(data.from_input_order(rows), order)
        scores = np.random.default_rng(0).random(len(qid))
        np.testing.assert_array_equal(data.in_input_order(data.from_input_order(scores)), scores)
        np.testing.assert_array_equal(data.from_input_order(data.in_input_order(scores)), scores)


@pytest.mark.parametrize("qid", [[3, 1, 3], [3.0, 1.0, 3.0], np.array([3, 1, 3], np.uint8), ["3", "1", "3"], (n for n in (3, 1, 3))])
def test_query_ids_may_be_numbers(qid: object) -> None:
    assert Dataset.from_arrays(np.zeros((3, 1)), qid=qid).query_ids.tolist() == ["3", "1"]  # type: ignore[arg-type]


@pytest.mark.parametrize("qid", [[1, "1", "a"], np.array([1, "1", "a"], dtype=object), [2.0, "2", "a"], ["b", b"b", "a"]])
def test_query_ids_that_read_alike_are_one_query(qid: object) -> None:
    data = Dataset.from_arrays(np.zeros((3, 1)), qid=qid)  # type: ignore[arg-type]
    assert data.sizes.tolist() == [2, 1]


def test_query_ids_that_differ_only_in_a_trailing_nul_are_two() -> None:
    assert Dataset.from_arrays(np.zeros((2, 1)), qid=["a\0", "a"]).n_queries == 2


def test_offsets_may_say_where_queries_begin_and_without_either_all_is_one_query() -> None:
    data = Dataset.from_arrays(np.zeros((5, 2)), offsets=[0, 2, 2, 5])
    assert (data.query_ids.tolist(), data.sizes.tolist()) == (["1", "2", "3"], [2, 0, 3])
    assert data.query_of_row.tolist() == [0, 0, 2, 2, 2]
    assert data.document_ids.tolist() == ["1", "2", "1", "2", "3"]
    one = Dataset.from_arrays(np.zeros((2, 3)))
    assert (one.query_ids.tolist(), one.offsets.tolist(), one.labels.tolist()) == (["1"], [0, 2], [0, 0])
    assert Dataset.from_arrays(np.zeros((0, 3))).n_queries == 0
    assert Dataset.from_arrays(np.zeros((0, 3)), qid=[]).offsets.tolist() == [0]


def test_a_float32_table_whose_queries_are_adjacent_is_used_as_it_is() -> None:
    table, labels = np.zeros((4, 3), np.float32), np.arange(4.0)
    for data in (Dataset.from_arrays(table, labels, qid=[7, 7, 8, 9]), Dataset.from_arrays(table[:, 1:], labels, offsets=[0, 4])):
        assert np.shares_memory(data.features, table)
        assert np.shares_memory(data.labels, labels)
        assert data.input_rows is None
        assert data.in_input_order(labels) is labels
        assert data.from_input_order(labels) is labels
    scattered = Dataset.from_arrays(table, labels, qid=[7, 8, 7, 9])
    assert not np.shares_memory(scattered.features, table)
    scattered.features[:] = 1
    assert table.sum() == 0


@pytest.mark.parametrize("table", [[[1, 2]], [[True, False]], np.ones((1, 2), np.float16), np.ones((1, 2), np.uint8)])
def test_any_table_of_numbers_becomes_float32(table: object) -> None:
    assert Dataset.from_arrays(table).features.dtype == np.float32  # type: ignore[arg-type]


TABLE = np.zeros((3, 2))
BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: Dataset.from_arrays([1, 2]), r"features must be a table of rows and columns, got shape \(2,\)"),
    (lambda: Dataset.from_arrays([[1], [1, 2]]), "features must be a table of rows and columns"),
    (lambda: Dataset.from_arrays([["x"]]), "features must be numbers, got dtype <U1"),
    (lambda: Dataset.from_arrays([[1j]]), "features must be numbers, got dtype complex128"),
    (lambda: Dataset.from_arrays([[None]]), "features must be numbers, got dtype object"),
    (lambda: Dataset.from_arrays([[1, 2], [3, -np.inf]]), "finite float32 numbers or NaN for missing; row 1, column 1 is -inf"),
    (lambda: Dataset.from_arrays([[1, 2], [1e39, 3]]), r"finite float32 numbers or NaN for missing; row 1, column 0 is 1e\+39"),
    (lambda: Dataset.from_arrays(TABLE, y=[1, 2]), r"labels must be 3 numbers, one a row, got shape \(2,\)"),
    (lambda: Dataset.from_arrays(TABLE, y=[[1, 2, 3]]), r"labels must be 3 numbers, one a row, got shape \(1, 3\)"),
    (lambda: Dataset.from_arrays(TABLE, y=["a", "b", "c"]), "labels must be numbers, larger is better"),
    (lambda: Dataset.from_arrays(TABLE, y=[0, NAN, 1]), "labels must be finite; row 1 is nan"),
    (lambda: Dataset.from_arrays(TABLE, y=[0, 1, -np.inf]), "labels must be finite; row 2 is -inf"),
    (lambda: Dataset.from_arrays(TABLE, qid=[1, 2]), r"qid must have 3 values, one a row, got shape \(2,\)"),
    (lambda: Dataset.from_arrays(TABLE, qid=[[1], [2], [3]]), r"qid must have 3 values, one a row, got shape \(3, 1\)"),
    (lambda: Dataset.from_arrays(TABLE, qid=["a", "", "b"]), "qid must not be missing or empty in any row"),
    (lambda: Dataset.from_arrays(TABLE, qid=["a", None, "b"]), "qid must not be missing or empty in any row"),
    (lambda: Dataset.from_arrays(TABLE, qid=[1, NAN, 2]), "qid must not be missing or empty in any row"),
    (lambda: Dataset.from_arrays(TABLE, qid=[1, 1, 2], offsets=[0, 3]), "give qid or offsets, not both"),
    (lambda: Dataset.from_arrays(TABLE, offsets=[0, 2]), "offsets must end at the number of rows, 3, got 2"),
    (lambda: Dataset.from_arrays(TABLE, document_ids=["a"]), "given_ids must have 3 rows, one a label, got 1"),
    (lambda: Dataset.from_arrays(TABLE, notes=["a"] * 4), "notes must have 3 rows, one a label, got 4"),
    (lambda: Dataset.from_arrays(TABLE, feature_names=["a"]), "there are 2 features but 1 feature names"),
    (lambda: Dataset.from_arrays(TABLE).with_labels([1, 2]), "labels must be 3 numbers"),
    (lambda: Dataset.from_arrays(TABLE).with_labels([1, 2, NAN]), "labels must be finite; row 2 is nan"),
    (lambda: Dataset.from_arrays(TABLE).in_input_order(np.zeros(2)), "expected 3 values, one a row, got 2"),
    (lambda: Dataset.from_arrays(TABLE).from_input_order(np.zeros(4)), "expected 3 values, one a row, got 4"),
    (lambda: Dataset(TABLE, np.zeros(2), np.array([0, 2]), Strings.of("a")), r"features must be a table of 2 rows.* got shape \(3, 2\)"),
    (lambda: Dataset(TABLE, np.zeros(3), np.array([0, 3]), Strings.of("ab")), "there are 1 queries but 2 query ids"),
    (lambda: Dataset.from_arrays([[NAN]]).fill_missing(np.inf), "missing features can be filled with a finite number, got inf"),
    (lambda: Dataset.from_arrays([[NAN]]).fill_missing(1e39), r"missing features can be filled with a finite number, got 1e\+39"),
    (lambda: Dataset.from_arrays(TABLE).select_queries(["x"]), "there is no query 'x' among the 1"),
    (lambda: Dataset.from_arrays(TABLE).select_queries([1]), r"query position 1 is not among 0\.\.0"),
    (lambda: Dataset.from_arrays(TABLE).select_queries([-1]), "query position -1 is not among"),
    (lambda: Dataset.from_arrays(TABLE).select_queries([0.7]), "query position"),
    (lambda: Dataset.from_arrays(TABLE).select_queries([True, False]), r"a mask of query positions must have 1 entries, got shape \(2,\)"),
    (lambda: Dataset.from_arrays(TABLE).select_features([2]), r"feature position 2 is not among 0\.\.1"),
    (lambda: Dataset.from_arrays(TABLE).select_features([True]), "a mask of feature positions must have 2 entries"),
    (lambda: Dataset.from_arrays(TABLE).top_k(0), "k must be 1 or more, got 0"),
    (lambda: Dataset.from_arrays(TABLE).split(), r"fractions must be positive and add up to at most 1, got \(\)"),
    (lambda: Dataset.from_arrays(TABLE).split(0.6, 0.6), "fractions must be positive and add up to at most 1"),
    (lambda: Dataset.from_arrays(TABLE).split(1.0, 0.0), "fractions must be positive and add up to at most 1"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message.replace("\\", "")[:60] for _, message in BAD])
def test_what_does_not_fit_is_refused_with_what_and_where(make: Callable[[], object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make()


# ---- parts ----


@pytest.mark.parametrize(
    ("queries", "ids", "rows"),
    [
        (["c", "b"], "cb", [3, 4, 5, 0, 1]),
        (np.array(["a"]), "a", [2]),
        (Strings.of("ab"), "ab", [2, 0, 1]),
        ([2, 0], "cb", [3, 4, 5, 0, 1]),
        (np.array([1, 2]), "ac", [2, 3, 4, 5]),
        ([0, 0], "bb", [0, 1, 0, 1]),
        ([True, False, True], "bc", [0, 1, 3, 4, 5]),
        (np.array([False, True, False]), "a", [2]),
        (slice(1, None), "ac", [2, 3, 4, 5]),
        (slice(None, None, -1), "cab", [3, 4, 5, 2, 0, 1]),
        ([], "", []),
        (slice(5, 9), "", []),
    ],
)
def test_queries_are_selected_by_id_position_mask_or_slice(data: Dataset, queries: object, ids: str, rows: list[int]) -> None:
    part = data.select_queries(queries)  # type: ignore[arg-type]
    assert part.query_ids.tolist() == list(ids)
    assert part.features.tolist() == [[10 * row, 10 * row + 1] for row in rows]
    assert part.labels.tolist() == data.labels[rows].tolist()
    assert part.document_ids.tolist() == [data.document_ids[row] for row in rows]
    assert part.notes == [data.notes[row] for row in rows]  # type: ignore[index]
    assert part.offsets.tolist() == offsets_of({"b": 2, "a": 1, "c": 3}[query] for query in ids).tolist()
    assert part.feature_names == ("bm25", "age")


def test_neighbouring_queries_and_slices_of_features_share_memory(data: Dataset) -> None:
    for part in (
        data.select_queries(slice(1, 3)),
        data.select_queries([0, 1]),
        data.select_queries("c"),
        data.select_features(slice(1, 2)),
    ):
        assert np.shares_memory(part.features, data.features)
    assert data.select_features(slice(1, 2)).labels is data.labels
    for query_id, part in data.queries():
        assert part.query_ids.tolist() == [query_id]
        assert np.shares_memory(part.features, data.features)
    assert [query_id for query_id, _ in data.queries()] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("columns", "kept"), [([1, 0], [1, 0]), ([False, True], [1]), (slice(None, None, -1), [1, 0]), (np.array([1]), [1]), ([], [])]
)
def test_features_are_selected_with_their_names(data: Dataset, columns: object, kept: list[int]) -> None:
    part = data.select_features(columns)  # type: ignore[arg-type]
    assert part.features.tolist() == data.features[:, kept].tolist()
    assert part.feature_names == tuple(("bm25", "age")[column] for column in kept)
    assert part.document_ids == data.document_ids


@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=30), seed=st.integers(0, 99))
def test_a_split_is_a_partition_by_query_and_seeded(sizes: list[int], seed: int) -> None:
    data = Dataset.from_arrays(np.arange(sum(sizes), dtype=np.float32)[:, None], offsets=offsets_of(sizes))
    parts = data.split(0.6, 0.2, 0.2, seed=seed)
    assert sorted((query for part in parts for query in part.query_ids), key=int) == data.query_ids.tolist()
    assert sorted(value for part in parts for value in part.features[:, 0]) == list(range(sum(sizes)))
    assert all(abs(part.n_queries - share * len(sizes)) <= 1 for part, share in zip(parts, (0.6, 0.2, 0.2), strict=True))
    assert all(a.equals(b) for a, b in zip(parts, data.split(0.6, 0.2, 0.2, seed=seed), strict=True))
    assert all(part.query_ids.tolist() == sorted(part.query_ids, key=int) for part in parts)
    assert sum(part.n_queries for part in data.split(0.5, seed=seed)) == round(0.5 * len(sizes))


def test_another_seed_gives_another_split() -> None:
    data = Dataset.from_arrays(np.zeros((50, 1)), qid=range(50))
    assert len({tuple(data.split(0.5, 0.5, seed=seed)[0].query_ids) for seed in range(5)}) == 5


# ---- other labels, other features ----


def test_missing_values_are_filled_with_a_value_or_the_least_of_the_query() -> None:
    data = Dataset.from_arrays([[NAN, NAN, 1], [3, NAN, 2], [-1, NAN, 3], [NAN, 5, NAN]], offsets=[0, 3, 3, 4])
    assert data.fill_missing().features.tolist() == [[-1, 0, 1], [3, 0, 2], [-1, 0, 3], [0, 5, 0]]
    assert data.fill_missing(7).features.tolist() == [[7, 7, 1], [3, 7, 2], [-1, 7, 3], [7, 5, 7]]
    assert np.isnan(data.features).sum() == 6
    whole = data.fill_missing()
    assert whole.fill_missing() is whole


def test_scaling_is_within_each_query() -> None:
    data = Dataset.from_arrays([[1], [3], [NAN], [2], [10], [20]], offsets=[0, 4, 6])
    np.testing.assert_array_equal(data.normalise().features, [[0], [1], [NAN], [0.5], [0], [1]])
    np.testing.assert_allclose(data.normalise("zscore").features[4:], [[-1], [1]])
    assert data.normalise("none").features is data.features
    with pytest.raises(UnknownName, match="unknown scaling 'max'"):
        data.normalise("max")


def test_labels_become_top_k_or_full_orders_within_each_query(data: Dataset) -> None:
    assert data.top_k(2).labels.tolist() == [1, 2, 2, 2, 0, 1]
    assert data.break_ties().labels.tolist() == [1, 2, 1, 3, 1, 2]
    tied = Dataset.from_arrays(np.zeros((100, 1)), offsets=[0, 100])
    assert tied.top_k(10, seed=1).labels.tolist() == tied.top_k(10, seed=1).labels.tolist() != tied.top_k(10, seed=2).labels.tolist()
    assert sorted(tied.break_ties(seed=3).labels) == list(range(1, 101))
    assert data.with_labels([9] * 6).labels.tolist() == [9] * 6
    assert data.labels.tolist() == [0, 1, 2, 2, 0, 1]


# ---- as a value ----


def test_attributes_take_the_notes_apart(data: Dataset) -> None:
    assert data.attributes() == {"n": ["1", "", "3", "", "", ""], "m": ["", "", "2", "", "", ""]}
    assert Dataset.from_arrays(TABLE).attributes() == {}


def test_feature_names_are_letors_numbers_unless_given() -> None:
    assert Dataset.from_arrays(TABLE).feature_names == ("f1", "f2")
    assert Dataset.from_arrays(TABLE).select_features([1]).feature_names == ("f2",)


def test_datasets_are_equal_when_everything_they_hold_is(data: Dataset) -> None:
    table = data.features.copy()
    given_all = {
        "y": data.labels,
        "qid": data.qid,
        "document_ids": data.document_ids,
        "notes": data.notes,
        "feature_names": data.feature_names,
    }
    assert data.equals(Dataset.from_arrays(table, **given_all))
    changed = {
        "y": [0, 1, 2, 2, 0, 3], "qid": ["b", "b", "a", "d", "d", "d"], "document_ids": list("uvwxyZ"), "notes": [""] * 6,
        "feature_names": ["a", "b"],
    }  # fmt: skip
    for name, value in changed.items():
        assert not data.equals(Dataset.from_arrays(table, **{**given_all, name: value})), name
    assert not data.equals(Dataset.from_arrays(table, **{**given_all, "qid": ["b", "a", "a", "c", "c", "c"]}))
    assert not data.equals(Dataset.from_arrays(table[:, :1], **{**given_all, "feature_names": ["bm25"]}))
    assert not data.equals(data.select_queries(slice(2)))
    table[5, 1] = NAN
    assert not data.equals(Dataset.from_arrays(table, **given_all))
    assert Dataset.from_arrays(table, **given_all).equals(Dataset.from_arrays(table.copy(), **given_all))
    assert Dataset.from_arrays(TABLE).equals(Dataset.from_arrays(TABLE, document_ids=[1, 2, 3], notes=["", "", ""]))


def test_the_printed_form_counts_queries_documents_and_features(data: Dataset) -> None:
    assert repr(data) == "Dataset(3 queries, 6 documents, 2 features)"
    assert repr(Dataset.from_arrays([[1]])) == "Dataset(1 query, 1 document, 1 feature)"
    assert repr(Dataset.from_arrays(np.zeros((12_000, 0)))) == "Dataset(1 query, 12,000 documents, 0 features)"
