"""Writing LETOR text: what is written reads back as the same dataset, or is refused."""

from __future__ import annotations

import math
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from tests.sources.letor_strategies import TEXTS, VALUES, datasets

from podium import DataError, Dataset, FileError, read_letor, write_letor
from podium.ragged import offsets_of
from podium.strings import Strings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("writing")


def back(folder: Path, data: Dataset, suffix: str = "") -> Dataset:
    path = folder / f"data.txt{suffix}"
    write_letor(data, path)
    return read_letor(path)


def written(folder: Path, data: Dataset) -> list[str]:
    write_letor(data, folder / "data.txt")
    return (folder / "data.txt").read_text().splitlines()


@given(data=datasets())
def test_reading_back_what_was_written_gives_the_same_dataset(folder: Path, data: Dataset) -> None:
    assert back(folder, data).equals(data)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".GZ"])
@given(data=datasets())
def test_compressed_files_read_back_the_same(folder: Path, suffix: str, data: Dataset) -> None:
    assert back(folder, data, suffix).equals(data)
    assert not (folder / f"data.txt{suffix}").read_bytes().startswith(data.labels.astype("U")[0].encode())


@given(values=st.lists(VALUES, min_size=1, max_size=50))
@example(values=[1e-45, 1.1754944e-38, 9.999999e-6, 1e-5, 0.99999994, 1.0000001, 999999936, 1e9, 3.4028235e38, 8388608.5, 0.3, 1 / 3])
def test_every_float32_reads_back_bit_for_bit_but_for_the_sign_of_zero(folder: Path, values: list[float]) -> None:
    for table in (np.array([values], np.float32), np.array(values, np.float32)[:, None]):
        read = back(folder, Dataset.from_arrays(table)).features
        np.testing.assert_array_equal(read, table)


def test_a_negative_zero_keeps_its_sign(folder: Path) -> None:
    assert math.copysign(1, back(folder, Dataset.from_arrays([[-0.0, 1e-30]])).features[0, 0]) == -1
    assert math.copysign(1, back(folder, Dataset.from_arrays([[-0.0]])).features[0, 0]) == -1


def test_a_hundred_thousand_random_float32_read_back_the_same(folder: Path) -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, (2000, 50), dtype=np.uint32)
    table = np.where(np.isfinite(bits.view(np.float32)), bits.view(np.float32), np.float32(0.1))
    table[:, ::2] = (table[:, ::2].view(np.uint32) % 100_000_000 / 1e5).astype(np.float32)  # of a usual size
    assert np.array_equal(back(folder, Dataset.from_arrays(table)).features.view(np.uint32), table.view(np.uint32))


def test_values_are_written_with_the_fewest_decimals_that_do(folder: Path) -> None:
    line = written(folder, Dataset.from_arrays([[0, 1, -2.5, 0.1, np.nan, 1 / 3, 123456.7, 1e8, 0.0001]]))[0]
    assert line == "0 qid:1 1:0 2:1 3:-2.5 4:0.1 5:NULL 6:0.33333334 7:123456.7 8:100000000 9:0.0001"
    lines = written(folder, Dataset.from_arrays([[0.5, 1e9, np.nan], [1e-6, 1, 1]]))
    assert lines == ["0 qid:1 1:0.5 2:1e+09 3:NULL", "0 qid:1 1:1e-06 2:1.0 3:1.0"]


def test_lines_are_written_query_by_query_with_ids_and_notes(folder: Path) -> None:
    data = Dataset.from_arrays([[1], [2], [3]], y=[2, 0.5, -1], qid=["b", "a", "b"], document_ids=["X", "Y", ""], notes=["inc = 1", "", ""])
    assert written(folder, data) == ["2 qid:b 1:1 #docid = X inc = 1", "-1 qid:b 1:3", "0.5 qid:a 1:2 #docid = Y"]


def test_labels_are_written_as_short_as_they_can_be(folder: Path) -> None:
    data = Dataset.from_arrays(np.zeros((6, 0)), y=[3, -0.0, 0.1, 1e22, 5e-324, -2.5])
    assert [line.split()[0] for line in written(folder, data)] == ["3", "0", "0.1", "10000000000000000000000", "5e-324", "-2.5"]
    assert back(folder, data).equals(data)


def test_rows_are_written_in_their_order_across_portions(folder: Path) -> None:
    random = np.random.default_rng(0)
    data = Dataset.from_arrays(random.random((10_000, 3), np.float32), y=np.arange(10_000), offsets=[0, 3000, 4096, 4097, 10_000])
    data.features[::100, 1] = 1e-20  # rows that the compiled writer leaves to Python
    assert back(folder, data).equals(data)


def test_features_that_are_a_slice_of_a_larger_table_are_written(folder: Path) -> None:
    data = Dataset.from_arrays(np.arange(24, dtype=np.float32).reshape(4, 6)).select_features(slice(1, None, 2))
    assert back(folder, data).features.tolist() == [[1, 3, 5], [7, 9, 11], [13, 15, 17], [19, 21, 23]]


# ---- what cannot be written is refused, never changed ----


@pytest.mark.parametrize("query_id", ["a b", "", "a\tb", "a#b", "a\n", " a", "a\r"])
def test_a_query_id_that_is_not_a_word_is_refused(folder: Path, query_id: str) -> None:
    data = Dataset(np.zeros((1, 1), np.float32), np.zeros(1), np.array([0, 1]), Strings.of([query_id]))
    with pytest.raises(DataError, match="query id must be one word without '#' to be written, got") as caught:
        write_letor(data, folder / "none.txt")
    assert repr(query_id) in str(caught.value)
    assert not (folder / "none.txt").exists()


@pytest.mark.parametrize("document", ["a b", "a\n", " a", "\t"])
def test_a_document_id_that_is_not_a_word_is_refused(folder: Path, document: str) -> None:
    data = Dataset.from_arrays(np.zeros((2, 1)), document_ids=["x", document])
    with pytest.raises(DataError, match="row 1: document id must be one word to be written, got"):
        write_letor(data, folder / "none.txt")
    assert not (folder / "none.txt").exists()


def test_a_note_without_a_document_id_is_refused(folder: Path) -> None:
    data = Dataset.from_arrays(np.zeros((2, 1)), document_ids=["x", ""], notes=["", "said"])
    with pytest.raises(DataError, match="row 1: document id must be one word"):
        write_letor(data, folder / "none.txt")


@pytest.mark.parametrize("note", ["a\nb", " a", "a ", "a\t", "\r"])
def test_a_note_that_would_not_read_back_is_refused(folder: Path, note: str) -> None:
    with pytest.raises(DataError, match="row 0: a note must be one line without blanks around it to be written, got"):
        write_letor(Dataset.from_arrays([[1]], document_ids=["x"], notes=[note]), folder / "none.txt")


def check_same_or_refused(folder: Path, data: Dataset) -> None:
    try:
        write_letor(data, folder / "odd.txt")
    except DataError:
        return
    assert read_letor(folder / "odd.txt").equals(data)


def of(query_ids: list[str], sizes: list[int], ids: list[str] | None = None, notes: list[str] | None = None) -> Dataset:
    return Dataset(
        np.ones((sum(sizes), 1), np.float32), np.zeros(sum(sizes)), offsets_of(sizes), Strings.of(query_ids),
        None if ids is None else Strings.of(ids), None if notes is None else Strings.of(notes),
    )  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        of(["1"], [1], ["x"], ["ends in a no-break space\xa0"]),
        of(["1"], [1], ["x"], ["a form feed\x0c"]),
        of(["1"], [1], None, ["no document id"]),
        of(["1"], [2], ["", ""]),
        of(["1", "2"], [1, 0]),
        of(["1", "1"], [1, 1]),
        of([], []),
    ],
    ids=["no-break space", "form feed", "notes only", "empty ids", "query without rows", "query twice", "nothing"],
)
def test_an_odd_dataset_is_written_as_it_is_or_refused(folder: Path, data: Dataset) -> None:
    check_same_or_refused(folder, data)


@given(
    query_id=st.one_of(st.just("1"), TEXTS),
    ids=st.one_of(st.none(), st.lists(TEXTS, min_size=3, max_size=3)),
    notes=st.one_of(st.none(), st.lists(TEXTS, min_size=3, max_size=3)),
)
def test_any_ids_and_notes_are_written_as_they_are_or_refused(
    folder: Path, query_id: str, ids: list[str] | None, notes: list[str] | None
) -> None:
    check_same_or_refused(folder, of([query_id], [3], ids, notes))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    data = Dataset.from_arrays([[1]])
    with pytest.raises(FileError, match=r"gone/data.txt: cannot be written: no such file or directory"):
        write_letor(data, tmp_path / "gone" / "data.txt")
