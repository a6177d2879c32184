"""The table of formats: every row keeps a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import DataError, UnknownName, open_dataset, save_dataset, synthetic
from podium.sources import FORMATS, format_of

ENDINGS = [suffix for form in FORMATS.values() for suffix in form.suffixes]


@pytest.mark.parametrize("ending", [*ENDINGS, ".txt.gz", ".svm.xz", ".letor.zst", ".TXT"])
def test_what_is_saved_opens_again(tmp_path: Path, ending: str) -> None:
    data = synthetic(3, 10, 4).top_k(3)
    save_dataset(data, tmp_path / f"data{ending}")
    assert open_dataset(tmp_path / f"data{ending}").equals(data)


def test_an_unknown_ending_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"unknown ending '\.parket'; did you mean '\.parquet'"):
        format_of("data.parket")


def test_several_letor_files_open_as_one_and_others_do_not(tmp_path: Path) -> None:
    data = synthetic(4, 10, 4)
    for ending in (".txt", ".podium"):
        save_dataset(data.select_queries([0, 1]), tmp_path / f"a{ending}")
        save_dataset(data.select_queries([2, 3]), tmp_path / f"b{ending}")
    assert open_dataset(tmp_path / "a.txt", tmp_path / "b.txt").equals(data)
    with pytest.raises(DataError, match="only in LETOR form"):
        open_dataset(tmp_path / "a.podium", tmp_path / "b.podium")
