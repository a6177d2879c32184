"""Folds of an experiment, and the digest of a part."""

from __future__ import annotations

import hashlib
import itertools
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from podium import DataError, Dataset, FileError, synthetic
from podium.experiments.data import digest, is_there, load_folds, missing
from podium.experiments.facts import DataSpec, Synthetic


def lay_out(folder: Path, parts: list[str]) -> None:
    """Folds as LETOR turns them: Fold1 tests on the last part, Fold2 validates on it."""
    for first in range(len(parts)):
        *train, vali, test = parts[first:] + parts[:first]
        fold = folder / f"Fold{first + 1}"
        fold.mkdir(parents=True)
        for name, text in (("train", "".join(train)), ("vali", vali), ("test", test)):
            (fold / f"{name}.txt").write_text(text)


def query(number: int, documents: dict[str, float], features: int = 2) -> str:
    """A query's lines: ids with labels; every feature is the query's number."""
    values = " ".join(f"{feature}:{number}" for feature in range(1, features + 1))
    return "".join(f"{label} qid:{number} {values} #docid = {name}\n" for name, label in documents.items())


# ---- from files ----


def test_folds_are_read_with_their_parts(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", [query(number, {"a": 1, "b": 0}) for number in (1, 2, 3)])
    folds = load_folds(DataSpec(folder="SET"), tmp_path)
    assert [fold.name for fold in folds] == ["Fold1", "Fold2", "Fold3"]
    assert [[part.query_ids.tolist() for part in (fold.train, fold.vali, fold.test)] for fold in folds] == [
        [["1"], ["2"], ["3"]],
        [["2"], ["3"], ["1"]],
        [["3"], ["1"], ["2"]],
    ]
    assert folds[0].test.features.tolist() == [[3, 3], [3, 3]]
    assert folds[0].test.labels.tolist() == [1, 0]


def test_parts_with_fewer_features_are_widened_with_zeros(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", [query(1, {"a": 1}), query(2, {"a": 1}, features=4), query(3, {"a": 1})])
    folds = load_folds(DataSpec(folder="SET"), tmp_path)
    assert {part.n_features for fold in folds for part in (fold.train, fold.vali, fold.test)} == {4}
    assert folds[0].train.features.tolist() == [[1, 1, 0, 0]]


def test_only_documents_that_the_other_folder_has_for_the_same_query_are_kept(tmp_path: Path) -> None:
    lay_out(
        tmp_path / "SET-list", [query(1, {"a": 4, "b": 3, "c": 2, "d": 1}), query(2, {"a": 3, "b": 2, "e": 1}), query(3, {"c": 1, "d": 2})]
    )
    # query 3 is in another part there, and has documents that are only in query 1 here
    lay_out(tmp_path / "SET", [query(3, {"d": 0, "a": 0, "b": 0}), query(1, {"c": 0, "a": 1}), query(2, {"e": 0, "c": 1})])
    folds = load_folds(DataSpec(folder="SET-list", only_in="SET"), tmp_path)
    train, vali, test = folds[0].train, folds[0].vali, folds[0].test
    assert (train.document_ids.tolist(), train.labels.tolist()) == (["a", "c"], [4, 2])
    assert (vali.document_ids.tolist(), vali.labels.tolist()) == (["e"], [1])
    assert (test.document_ids.tolist(), test.labels.tolist()) == (["d"], [2])
    assert [len(fold.train.features) for fold in folds] == [2, 1, 1]


def test_queries_that_keep_no_document_are_left_out(tmp_path: Path) -> None:
    lay_out(
        tmp_path / "SET-list",
        [query(1, {"a": 2}) + query(4, {"z": 2}) + query(5, {"a": 1, "b": 2}), query(2, {"a": 1}), query(3, {"a": 1})],
    )
    lay_out(tmp_path / "SET", [query(number, {"a": 1}) for number in (1, 2, 3)] + [query(5, {"b": 0})])
    train = load_folds(DataSpec(folder="SET-list", only_in="SET"), tmp_path)[0].train
    assert (train.query_ids.tolist(), train.offsets.tolist(), train.document_ids.tolist()) == (["1", "5"], [0, 1, 2], ["a", "b"])


def test_collections_that_share_no_document_are_refused(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET-list", [query(number, {"a": 1}) for number in (1, 2, 3)])
    lay_out(tmp_path / "SET", [query(number, {"a": 1}) for number in (4, 5, 6)])
    with pytest.raises(DataError, match="SET-list, Fold1: no document is in SET too"):
        load_folds(DataSpec(folder="SET-list", only_in="SET"), tmp_path)


@pytest.mark.parametrize("without", ["SET", "SET-list"])
def test_documents_without_ids_cannot_be_looked_up(tmp_path: Path, without: str) -> None:
    for name in ("SET", "SET-list"):
        ending = "\n" if name == without else " #docid = a\n"
        lay_out(tmp_path / name, [f"1 qid:{number} 1:1{ending}" for number in (1, 2, 3)])
    with pytest.raises(DataError, match=r"SET.*documents have no ids"):
        load_folds(DataSpec(folder="SET-list", only_in="SET"), tmp_path)


def test_the_best_documents_are_kept_and_ties_at_the_edge_go_by_file_order(tmp_path: Path) -> None:
    first = {"a": 1, "b": 0, "c": 2, "d": 1, "e": 1}
    lay_out(tmp_path / "SET", [query(1, first) + query(4, {"x": 0}), query(2, {"a": 0, "b": 1}), query(3, dict.fromkeys("abcd", 0))])
    fold = load_folds(DataSpec(folder="SET", best=3), tmp_path)[0]
    assert fold.train.document_ids.tolist() == ["a", "c", "d", "x"]
    assert (fold.train.labels.tolist(), fold.train.offsets.tolist()) == ([1, 2, 1, 0], [0, 3, 4])
    assert fold.vali.document_ids.tolist() == ["a", "b"]
    assert fold.test.document_ids.tolist() == ["a", "b", "c"]


def test_the_best_are_taken_among_the_documents_kept(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET-list", [query(number, {"a": 3, "b": 2, "c": 1}) for number in (1, 2, 3)])
    lay_out(tmp_path / "SET", [query(number, {"b": 0, "c": 0}) for number in (1, 2, 3)])
    fold = load_folds(DataSpec(folder="SET-list", only_in="SET", best=1), tmp_path)[0]
    assert fold.test.document_ids.tolist() == ["b"]


def test_progress_reaches_its_end_and_never_goes_back(tmp_path: Path) -> None:
    for name in ("SET", "SET-list"):
        lay_out(tmp_path / name, [query(number, {"a": 1}) for number in (1, 2, 3)])
    told: list[tuple[int, int]] = []
    load_folds(DataSpec(folder="SET-list", only_in="SET"), tmp_path, progress=lambda *step: told.append(step))
    size = sum(path.stat().st_size for path in tmp_path.rglob("*.txt"))
    assert told[-1] == (size, size)
    assert told == sorted(told)


# ---- what is missing ----


def test_a_missing_collection_is_an_error_that_says_where_its_files_belong(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"it needs TD2003, which is not in .*; a collection is files such as TD2003/Fold1/train\.txt, vali"
    ):
        load_folds(DataSpec(folder="TD2003"), tmp_path)
    with pytest.raises(DataError, match="it needs MQ2007-list and MQ2007; say with --data which folder has it"):
        load_folds(DataSpec(folder="MQ2007-list", only_in="MQ2007"), None)


def test_what_is_missing_is_said_and_nothing_else(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", [query(number, {"a": 1}) for number in (1, 2, 3)])
    assert missing(DataSpec(folder="SET"), tmp_path) == ""
    assert missing(DataSpec(synthetic=Synthetic()), None) == ""
    assert missing(DataSpec(folder="SET", only_in="B"), tmp_path) == f"it needs B, which is not in {tmp_path}"
    assert missing(DataSpec(folder="A", only_in="B"), tmp_path) == f"it needs A and B, which are not in {tmp_path}"
    for spec, folder in ((DataSpec(folder="SET"), tmp_path / "nowhere"), (DataSpec(folder="SET", only_in="B"), tmp_path)):
        with pytest.raises(DataError) as caught:
            load_folds(spec, folder)
        assert missing(spec, folder) in str(caught.value)
        assert not is_there(spec, folder)


def test_a_folder_of_collections_that_is_none_is_told_from_a_collection_that_is_missing(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", [query(number, {"a": 1}) for number in (1, 2, 3)])
    with pytest.raises(DataError, match=r"it needs SET, which is not in .*nowhere; there is no such folder"):
        load_folds(DataSpec(folder="SET"), tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"it needs SET, which is not in .*SET; that is a collection itself: give the folder above it"):
        load_folds(DataSpec(folder="SET"), tmp_path / "SET")


@pytest.mark.parametrize(("one", "other"), [("train", "vali"), ("train", "test"), ("vali", "test")])
def test_a_query_in_two_parts_of_a_fold_is_refused(tmp_path: Path, one: str, other: str) -> None:
    lay_out(tmp_path / "SET", [query(number, {"a": 1, "b": 0}) for number in (1, 2, 3)])
    for part in (one, other):
        with (tmp_path / "SET" / "Fold2" / f"{part}.txt").open("a") as file:
            file.write(query(77, {"c": 1}))
    with pytest.raises(DataError, match=f"SET/Fold2: query '77' is in both {one} and {other}; a query may be in one part only"):
        load_folds(DataSpec(folder="SET"), tmp_path)


def test_a_test_query_of_two_folds_is_refused_since_it_would_count_twice(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", [query(number, {"a": 1, "b": 0}) for number in (1, 2, 3)])
    with (tmp_path / "SET" / "Fold3" / "test.txt").open("a") as file:
        file.write(query(77, {"c": 1}))
    assert len(load_folds(DataSpec(folder="SET"), tmp_path)) == 3
    with (tmp_path / "SET" / "Fold1" / "test.txt").open("a") as file:
        file.write(query(77, {"c": 1}))
    with pytest.raises(DataError) as caught:
        load_folds(DataSpec(folder="SET"), tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'SET'}: query '77' is in the test parts of both Fold1 and Fold3, and would count twice; leave it in one of them, "
        "or give different queries different ids"
    )


def test_what_is_there_is_known_without_reading_it(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", ["no rows", "", ""])
    (tmp_path / "EMPTY").mkdir()
    assert is_there(DataSpec(folder="SET"), tmp_path)
    assert not is_there(DataSpec(folder="SET"), None)
    assert not is_there(DataSpec(folder="SET", only_in="OTHER"), tmp_path)
    assert not is_there(DataSpec(folder="EMPTY"), tmp_path)
    assert not is_there(DataSpec(folder="SET"), tmp_path / "nowhere")
    assert is_there(DataSpec(synthetic=Synthetic()), None)


def test_an_incomplete_collection_is_not_passed_over_as_absent(tmp_path: Path) -> None:
    lay_out(tmp_path / "SET", [query(number, {"a": 1}) for number in (1, 2, 3)])
    (tmp_path / "SET" / "Fold2" / "vali.txt").unlink()
    assert is_there(DataSpec(folder="SET"), tmp_path)
    with pytest.raises(FileError, match=r"Fold2: has no vali\.txt"):
        load_folds(DataSpec(folder="SET"), tmp_path)


def test_a_spec_that_names_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="must name a folder or describe a synthetic collection"):
        load_folds(DataSpec(), tmp_path)


# ---- made up ----


def test_synthetic_folds_turn_as_letors_do() -> None:
    folds = load_folds(DataSpec(synthetic=Synthetic(queries=12, documents=4, features=3, folds=5)), None)
    sizes = [3, 3, 2, 2, 2]
    bounds = np.cumsum([0, *sizes])
    parts = [[str(number + 1) for number in range(low, high)] for low, high in itertools.pairwise(bounds)]  # S1..S5
    for number, fold in enumerate(folds):
        assert fold.name == f"Fold{number + 1}"
        assert fold.test.query_ids.tolist() == parts[(number - 1) % 5]
        assert fold.vali.query_ids.tolist() == parts[(number - 2) % 5]
        assert fold.train.query_ids.tolist() == [query for step in range(3) for query in parts[(number + step) % 5]]


def test_synthetic_folds_hold_the_collection_that_the_arguments_make() -> None:
    spec = Synthetic(queries=6, documents=5, features=3, noise=0.5, noise_growth=1.1, interaction=0.9, seed=7, folds=3)
    whole = synthetic(6, 5, 3, noise=0.5, noise_growth=1.1, interaction=0.9, seed=7)
    folds = load_folds(DataSpec(synthetic=spec), None)
    for fold in folds:
        for part in (fold.train, fold.vali, fold.test):
            assert part.equals(whole.select_queries(part.query_ids.tolist()))


def test_the_best_of_synthetic_queries_can_be_kept() -> None:
    fold = load_folds(DataSpec(synthetic=Synthetic(queries=3, documents=9, features=2, folds=3), best=4), None)[1]
    assert sorted(fold.test.labels.tolist()) == [6, 7, 8, 9]


# ---- digest ----


def test_a_digest_is_sha256_of_counts_features_labels_offsets_and_query_ids() -> None:
    data = Dataset.from_arrays([[0.5, np.nan], [1.0, 2.0], [3.0, 4.0]], y=[1, 0, 2], qid=["a", "a", "ü"])
    numbers = struct.pack("<6f3d3q", 0.5, float("nan"), 1, 2, 3, 4, 1, 0, 2, 0, 2, 3)
    ids = struct.pack("<q", 1) + b"a" + struct.pack("<q", 2) + "ü".encode()
    assert digest(data) == hashlib.sha256(b"2 3 2\n" + numbers + ids).hexdigest()


def test_a_digest_changes_with_all_that_training_can_see_and_with_nothing_else() -> None:
    data = Dataset.from_arrays(
        [[0.5, 0.0], [1.0, 2.0], [3.0, 4.0]], y=[1, 0, 2], qid=["a", "a", "b"], document_ids="xyz", notes=["n", "", ""]
    )
    others = [
        replace(data, features=data.features + np.float32(1)),
        replace(data, features=data.features.T.reshape(3, 2)),
        data.with_labels([1, 0, 3]),
        replace(data, offsets=np.array([0, 1, 3])),
        Dataset.from_arrays(data.features, y=data.labels, qid=["a", "a", "c"]),
        data.select_queries([0]),
        data.widen(3),
    ]
    digests = {digest(each) for each in [data, *others]}
    assert len(digests) == len(others) + 1
    same = [
        replace(data, given_ids=None, notes=None),
        replace(data, features=np.asfortranarray(data.features)),
        replace(data, features=data.features.astype(">f4")),
        replace(data, features=np.where(data.features == 0, np.float32(-0.0), data.features)),
        replace(data, offsets=data.offsets.astype(np.int32)),
    ]
    assert {digest(each) for each in same} == {digest(data)}


def test_missing_values_count_the_same_whatever_their_bits() -> None:
    bits = [np.array([[word]], dtype=np.uint32).view(np.float32) for word in (0x7FC00000, 0xFFC00000, 0x7FC00001)]
    assert len({digest(Dataset.from_arrays(each)) for each in bits}) == 1
