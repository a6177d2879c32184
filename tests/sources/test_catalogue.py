"""Folds and known files."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import FileError, read_folds
from podium.sources.catalogue import collections_below, has_folds, known_as, known_titles, part_files


def make_fold(folder: Path, ending: str = "") -> None:
    folder.mkdir(parents=True)
    for number, part in enumerate(("train", "vali", "test"), start=1):
        (folder / f"{part}.txt{ending}").write_text(f"1 qid:{number} 1:0.5\n")


def test_folds_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        make_fold(tmp_path / f"Fold{number}")
    folds = read_folds(tmp_path)
    assert [fold.name for fold in folds] == ["Fold1", "Fold2", "Fold10"]
    assert [part.query_ids[0] for part in (folds[0].train(), folds[0].vali(), folds[0].test())] == ["1", "2", "3"]


def test_a_fold_with_a_part_missing_is_refused(tmp_path: Path) -> None:
    make_fold(tmp_path / "Fold1")
    (tmp_path / "Fold1" / "vali.txt").unlink()
    with pytest.raises(FileError, match=r"Fold1: has no vali\.txt"):
        read_folds(tmp_path)


def test_a_folder_without_folds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="has no folders Fold1"):
        read_folds(tmp_path)
    with pytest.raises(FileError, match="there is no such folder"):
        read_folds(tmp_path / "nowhere")


def test_an_unknown_file_has_no_name(tmp_path: Path) -> None:
    make_fold(tmp_path / "Fold1")
    assert known_as(tmp_path / "Fold1" / "train.txt") is None


def test_published_files_are_recognised_and_folds_share_their_parts(benchmark_data: Path) -> None:
    for name, queries in (("MQ2008", 784), ("OHSUMED2", 106)):
        folds = read_folds(benchmark_data / name)
        assert len(folds) == 5
        assert sum(fold.test().n_queries for fold in folds) == queries
        for number, fold in enumerate(folds):
            assert known_as(fold.paths["vali"]) == known_as(folds[(number - 1) % 5].paths["test"]) is not None
            assert f"Fold{number + 1}" in (known_as(fold.paths["train"]) or "")


def test_letor_2_names_its_parts_otherwise_and_keeps_them_in_a_folder_data(tmp_path: Path) -> None:
    fold = tmp_path / "Data" / "Fold1"
    make_fold(fold)
    for old, new in (("train", "trainingset"), ("vali", "validationset"), ("test", "testset")):
        (fold / f"{old}.txt").rename(fold / f"{new}.txt")
    (found,) = read_folds(tmp_path)
    assert [part.query_ids[0] for part in (found.train(), found.vali(), found.test())] == ["1", "2", "3"]
    assert has_folds(tmp_path)
    assert part_files(tmp_path) == {"Fold1": found.paths}


def test_parts_that_are_missing_are_listed_as_none(tmp_path: Path) -> None:
    make_fold(tmp_path / "Fold2", ".gz")
    (tmp_path / "Fold2" / "test.txt.gz").unlink()
    (tmp_path / "Fold1").mkdir()
    (tmp_path / "Folding").mkdir()
    here = tmp_path / "Fold2"
    assert part_files(tmp_path) == {
        "Fold1": {"train": None, "vali": None, "test": None},
        "Fold2": {"train": here / "train.txt.gz", "vali": here / "vali.txt.gz", "test": None},
    }
    assert part_files(tmp_path / "nowhere") == {}
    assert not has_folds(tmp_path / "nowhere")


def test_collections_are_found_at_any_depth_but_not_in_one_another(tmp_path: Path) -> None:
    for place in ("One/Fold1", "sub/Two/Data/Fold3", ".hidden/Fold1", "One/more/Fold1"):
        make_fold(tmp_path / place)
    for place in ("empty/Fold1", "plain", "One/Fold2", "only"):
        (tmp_path / place).mkdir(parents=True)
    make_fold(tmp_path / "elsewhere" / "Three" / "Fold1", ".gz")
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere" / "Three")
    assert collections_below(tmp_path) == ["One", "elsewhere/Three", "linked", "sub/Two"]
    assert collections_below(tmp_path / "plain") == []


def test_collections_known_by_checksum_have_titles() -> None:
    assert known_titles() == {"LETOR 2.0 OHSUMED", "LETOR 4.0 MQ2008"}
