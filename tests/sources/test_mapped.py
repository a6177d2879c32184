"""Podium's own form on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from tests.sources.letor_strategies import cut_small, datasets

from podium import DataError, Dataset, FileError, read_letor, write_letor
from podium.ragged import offsets_of
from podium.sources.mapped import convert_letor, is_mapped, read_mapped, write_mapped
from podium.sources.streams import atomic_file
from podium.strings import Strings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mapped")


@pytest.fixture
def data() -> Dataset:
    """Two queries with scattered rows, ids and notes."""
    return Dataset.from_arrays(
        np.arange(8, dtype=np.float32).reshape(4, 2),
        y=[1, 0, 2, 0.5],
        qid=["b", "ä", "b", "ä"],
        document_ids="wxyz",
        notes=["n", "", "", "ö"],
    )


@pytest.fixture
def home(tmp_path: Path, data: Dataset) -> Path:
    write_mapped(data, tmp_path / "train.podium")
    return tmp_path / "train.podium"


# ---- the same dataset ----


@given(data=datasets())
def test_reading_back_what_was_written_gives_the_same_dataset(folder: Path, data: Dataset) -> None:
    write_mapped(data, folder / "written")
    assert read_mapped(folder / "written").equals(data)


@given(data=datasets())
def test_a_converted_letor_file_is_the_same_as_the_file_read(folder: Path, data: Dataset) -> None:
    if data.n_features == 0:
        data = Dataset(np.zeros((data.n_rows, 1), np.float32), data.labels, data.offsets, data.query_ids, data.given_ids, data.notes)
    write_letor(data, folder / "data.txt")
    assert convert_letor([folder / "data.txt"], folder / "converted").equals(data)
    assert read_mapped(folder / "converted").equals(read_letor(folder / "data.txt"))


@pytest.mark.parametrize("text", ["1 qid:1\n2 qid:2 # a\n", "1 qid:1\n"])
def test_a_file_without_features_is_converted_too(tmp_path: Path, text: str) -> None:
    (tmp_path / "data.txt").write_text(text)
    assert convert_letor([tmp_path / "data.txt"], tmp_path / "out").equals(read_letor(tmp_path / "data.txt"))


def test_a_dataset_with_notes_and_no_ids_keeps_its_notes(tmp_path: Path) -> None:
    data = Dataset.from_arrays([[1], [2]], notes=["inc = 1", ""])
    write_mapped(data, tmp_path / "out")
    assert read_mapped(tmp_path / "out").equals(data)


def test_feature_names_are_kept(tmp_path: Path) -> None:
    data = Dataset.from_arrays([[1, 2]], feature_names=["bm25", "Länge"])
    write_mapped(data, tmp_path / "out")
    assert read_mapped(tmp_path / "out").feature_names == ("bm25", "Länge")
    assert read_mapped(tmp_path / "out").equals(data)


def test_feature_names_that_are_not_text_do_not_make_a_folder_that_cannot_be_opened(tmp_path: Path) -> None:
    try:
        data = Dataset.from_arrays([[1, 2]], feature_names=[1, 2])  # type: ignore[list-item]
    except DataError:
        return
    write_mapped(data, tmp_path / "out")
    assert read_mapped(tmp_path / "out").equals(data)


def test_empty_queries_and_empty_datasets_are_kept(tmp_path: Path) -> None:
    data = Dataset(np.ones((3, 2), np.float32), np.zeros(3), offsets_of([0, 3, 0]), Strings.of("abc"))
    for each in (data, data.select_queries([]), data.select_queries([0])):
        write_mapped(each, tmp_path / "out")
        assert read_mapped(tmp_path / "out").equals(each)


def test_a_part_of_a_dataset_is_written_without_the_rest(tmp_path: Path, data: Dataset) -> None:
    part = data.select_queries(["ä"]).select_features([1])
    write_mapped(part, tmp_path / "part")
    read = read_mapped(tmp_path / "part")
    assert read.equals(part)
    assert read.query_ids.buffer.tobytes().decode() == "ä"
    assert np.load(tmp_path / "part" / "text.npy").tobytes().decode() == "xzö"


@pytest.mark.parametrize("block", [64, 300, 8 << 20])
@pytest.mark.parametrize("comment", ["", " # d{n} note = {n}"])
def test_several_large_scattered_files_are_converted_as_they_are_read(tmp_path: Path, block: int, comment: str) -> None:
    paths = [tmp_path / "one.txt", tmp_path / "two.txt.gz"]
    with cut_small(block, piece=100, threads=2):
        for part, path in enumerate(paths):
            lines = [f"{n % 3} qid:{n % 7} {n % 5 + 1}:{n} {n % 5 + 2 + part}:0.5{comment.format(n=n)}\n" for n in range(300)]
            with atomic_file(path) as file:
                file.write("".join(lines).encode())
        calls: list[tuple[int, int]] = []
        converted = convert_letor(paths, tmp_path / "out", progress=lambda *call: calls.append(call))
        expected = read_letor(*paths)
    assert converted.equals(expected)
    assert converted.input_rows is not None
    assert converted.input_rows.tolist() == expected.input_rows.tolist()  # type: ignore[union-attr]
    assert (tmp_path / "out" / "text.npy").exists() == bool(comment)
    assert calls[-1] == (sum(path.stat().st_size for path in paths),) * 2


def test_the_order_of_the_source_is_kept(home: Path, data: Dataset) -> None:
    read = read_mapped(home)
    assert read.in_input_order(read.labels).tolist() == [1, 0, 2, 0.5]


def test_the_parts_are_numpy_files_and_a_card(home: Path) -> None:
    card = json.loads((home / "podium.json").read_text())
    assert card == {"format": "podium dataset", "version": 1, "queries": 2, "documents": 4, "features": 2}
    assert np.load(home / "features.npy").tolist() == [[0, 1], [4, 5], [2, 3], [6, 7]]
    assert np.load(home / "offsets.npy").tolist() == [0, 2, 4]


def test_opened_arrays_are_mapped_and_changing_them_does_not_change_the_files(home: Path, data: Dataset) -> None:
    read = read_mapped(home)
    base = read.features
    while isinstance(base.base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    read.features[:] = 7
    read.labels[:] = 7
    assert read.features[0, 0] == 7
    assert read_mapped(home).equals(data)


# ---- replacing ----


def test_an_older_folder_is_replaced_whole(home: Path, tmp_path: Path) -> None:
    new = Dataset.from_arrays([[5]])
    write_mapped(new, home)
    assert read_mapped(home).equals(new)
    assert not (home / "text.npy").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["train.podium"]


def test_a_link_to_a_folder_stays_and_the_folder_that_it_names_is_replaced(tmp_path: Path, data: Dataset) -> None:
    (tmp_path / "far").mkdir()
    for name in ("old.podium", "new.podium"):
        (tmp_path / name).symlink_to(Path("far", name))
    write_mapped(data.select_features([0]), tmp_path / "far" / "old.podium")
    for name in ("old.podium", "new.podium"):
        write_mapped(data, tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert read_mapped(tmp_path / "far" / name).equals(data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far", "new.podium", "old.podium"]
    assert sorted(path.name for path in (tmp_path / "far").iterdir()) == ["new.podium", "old.podium"]


@pytest.mark.parametrize(
    "make", [lambda path: (path.mkdir(), (path / "thesis.tex").touch()), lambda path: path.touch()], ids=["folder", "file"]
)
def test_what_is_not_a_podium_folder_is_left_alone(tmp_path: Path, make: Callable[[Path], object], data: Dataset) -> None:
    make(tmp_path / "work")
    before = sorted(tmp_path.rglob("*"))
    (tmp_path / "data.txt").write_text("1 qid:1 1:1\n")
    for write in (lambda: write_mapped(data, tmp_path / "work"), lambda: convert_letor([tmp_path / "data.txt"], tmp_path / "work")):
        with pytest.raises(FileError, match="work: exists and is not a Podium folder; it is left alone"):
            write()
    assert sorted({*tmp_path.rglob("*")} - {tmp_path / "data.txt"}) == before


def test_a_failed_conversion_leaves_the_old_folder_and_nothing_else(home: Path, tmp_path: Path, data: Dataset) -> None:
    (tmp_path / "bad.txt").write_text("1 qid:1 1:1\n1 qid:1 1:x\n")
    for target in (home, tmp_path / "new.podium"):
        with pytest.raises(FileError, match=r"bad.txt:2: feature value"):
            convert_letor([tmp_path / "bad.txt"], target)
    assert read_mapped(home).equals(data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "train.podium"]


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path, data: Dataset) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="file/inside: cannot be written: not a directory"):
        write_mapped(data, tmp_path / "file" / "inside")


def test_is_mapped_tells_a_podium_folder(home: Path, tmp_path: Path) -> None:
    assert is_mapped(home)
    assert not is_mapped(tmp_path)
    assert not is_mapped(home / "podium.json")
    assert not is_mapped(tmp_path / "none")


# ---- damaged folders ----


def change_card(**changes: object) -> Callable[[Path], None]:
    return lambda home: (
        (home / "podium.json").write_text(json.dumps({**json.loads((home / "podium.json").read_text()), **changes})) and None
    )


def save(name: str, array: object) -> Callable[[Path], None]:
    return lambda home: np.save(home / f"{name}.npy", np.asarray(array))


def cut(name: str, size: int) -> Callable[[Path], None]:
    return lambda home: os.truncate(home / name, size)


DAMAGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("no card", lambda home: (home / "podium.json").unlink(), "train.podium: is not a Podium folder: it has no podium.json"),
    ("card not JSON", cut("podium.json", 30), "podium.json: is not JSON"),
    ("card not UTF-8", lambda home: (home / "podium.json").write_bytes(b"\xff\xfe{}"), "podium.json: is not JSON"),
    ("card a list", lambda home: (home / "podium.json").write_text("[]"), "podium.json: must say"),
    ("newer version", change_card(version=2), 'podium.json: must say .*"version": 1.*newer Podium'),
    ("other format", change_card(format="x"), 'podium.json: must say {"format": "podium dataset"'),
    ("rows not a number", change_card(documents="4"), "podium.json: documents must be a whole number, got '4'"),
    ("queries missing", change_card(queries=None), "podium.json: queries must be a whole number, got None"),
    ("features negative", change_card(features=-1), "podium.json: features must be a whole number, got -1"),
    ("features float", change_card(features=2.0), "podium.json: features must be a whole number, got 2.0"),
    ("too many rows said", change_card(documents=5), "offsets.npy: offsets must end at the number of rows, 5, got 4"),
    ("too many queries said", change_card(queries=3), r"offsets.npy: must be int64 of shape \(4,\), got int64 of shape \(3,\)"),
    ("too many features said", change_card(features=3), r"features.npy: must be float32 of shape \(4, 3\), got float32 of shape \(4, 2\)"),
    ("feature names too few", change_card(feature_names=["a"]), "podium.json: feature_names must be 2 names"),
    ("feature names not text", change_card(feature_names=[1, 2]), "podium.json: feature_names must be 2 names"),
    ("feature names one word", change_card(feature_names="ab"), "podium.json: feature_names must be 2 names"),
    ("no features", lambda home: (home / "features.npy").unlink(), "features.npy: cannot be opened as a NumPy array"),
    ("features cut off", cut("features.npy", 140), "features.npy: cannot be opened as a NumPy array"),
    ("features empty", cut("features.npy", 0), "features.npy: cannot be opened as a NumPy array"),
    ("features double", save("features", np.zeros((4, 2))), "features.npy: must be float32 of shape .* got float64"),
    ("features not NumPy", lambda home: (home / "features.npy").write_text("1,2"), "features.npy: cannot be opened as a NumPy array"),
    ("labels pickled", lambda home: np.save(home / "labels.npy", np.array([None] * 4), allow_pickle=True), "labels.npy: cannot be opened"),
    ("labels short", save("labels", np.zeros(3)), r"labels.npy: must be float64 of shape \(4,\), got float64 of shape \(3,\)"),
    ("offsets descend", save("offsets", [0, 5, 4]), "offsets.npy: offsets must not descend; they do after query 1"),
    ("offsets begin late", save("offsets", [1, 2, 4]), "offsets.npy: offsets must begin at 0, got 1"),
    ("offsets int32", save("offsets", np.array([0, 2, 4], np.int32)), "offsets.npy: must be int64"),
    ("no query ids", lambda home: (home / "query_stops.npy").unlink(), "query_stops.npy: cannot be opened"),
    ("input rows short", save("input_rows", [0, 1]), "input_rows.npy: must be int64 of shape"),
]


@pytest.mark.parametrize(("damage", "message"), [row[1:] for row in DAMAGES], ids=[row[0] for row in DAMAGES])
def test_a_damaged_folder_is_refused_with_the_part_that_is_wrong(home: Path, damage: Callable[[Path], object], message: str) -> None:
    damage(home)
    with pytest.raises(FileError, match=message) as caught:
        read_mapped(home)
    assert caught.value.path.startswith(str(home))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="none: is not a Podium folder"):
        read_mapped(tmp_path / "none")
