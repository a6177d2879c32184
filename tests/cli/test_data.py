"""``podium data check``, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import run

from podium.sources import known_collections
from podium.sources.known_collections import COLLECTIONS, Collection, Count


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a right collection RIGHT; the table has it, and GONE, which is not there."""
    table = {
        name: Collection(name, f"LETOR 9.9 {name}", Count(5), Count(10, 12), 2, (0, 1), ("000 Table 0",), "nobody, on no page")
        for name in ("RIGHT", "GONE")
    }
    monkeypatch.setattr(known_collections, "COLLECTIONS", table)
    queries = "abcde"
    for first in range(5):
        turned = queries[first:] + queries[:first]
        fold = tmp_path / "RIGHT" / f"Fold{first + 1}"
        fold.mkdir(parents=True)
        for part, held in (("train", turned[:3]), ("vali", turned[3]), ("test", turned[4])):
            (fold / f"{part}.txt").write_text("".join(f"1 qid:{query} 2:1\n0 qid:{query} 1:1\n" for query in held))
    return tmp_path


def test_what_is_right_or_absent_is_no_error(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    code, out, err = run(capsys, "data", "check", place)
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert rows["RIGHT"][1:] == ["present", "0", "1", "000", "Table", "0", "5", "10", "2", "unknown"]
    assert rows["GONE"][1] == "absent"
    assert "GONE: nobody, on no page" in out


def test_a_collection_that_was_named_must_be_there(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    assert run(capsys, "data", "check", place, "RIGHT")[0] == 0
    code, _, err = run(capsys, "data", "check", place, "GONE", "RIGHT")
    assert (code, err) == (2, "podium: GONE: is not there; get it from nobody, on no page\n")


def test_what_is_wrong_is_an_error_a_line(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    (place / "RIGHT" / "Fold2" / "vali.txt").write_text("1 qid:f 2:1\n0 qid:f 1:1\n")
    code, out, err = run(capsys, "data", "check", place)
    assert code == 2
    assert "RIGHT       wrong" in out
    lines = err.splitlines()
    assert "podium: RIGHT: the test queries of Fold1 are not the validation queries of Fold2, as LETOR's are" in lines
    assert all(line.startswith("podium: RIGHT") for line in lines)


def test_the_same_as_json(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    (place / "RIGHT" / "Fold4" / "test.txt").unlink()
    code, out, err = run(capsys, "data", "check", place, "--json")
    broken, gone = json.loads(out)
    assert code == 2
    assert (broken["collection"], broken["status"], broken["files"]) == ("RIGHT", "incomplete", 14)
    assert err == f"podium: {broken['problems'][0]}\n"
    assert (gone["status"], gone["problems"]) == ("absent", [])
    assert gone["expected"] == {"folds": 5, "queries": "5", "documents": "10 to 12", "features": 2, "labels": "grades 0 1"}


def own_collection(folder: Path, tested: tuple[str, str] = ("d", "c")) -> Path:
    """Two folds of four queries with two documents each; the labels of training are 0 and 3, of the other parts 1 and 0."""
    for fold, test in enumerate(tested, start=1):
        (folder / f"Fold{fold}").mkdir(parents=True)
        for part, held, label in (("train", "ab", 3), ("vali", "xy"[fold - 1], 1), ("test", test, 1)):
            rows = "".join(f"{label} qid:{query} 2:1\n0 qid:{query} 1:1\n" for query in held)
            (folder / f"Fold{fold}" / f"{part}.txt").write_text(rows)
    return folder


def test_an_own_collection_is_checked_and_its_parts_are_counted(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    own_collection(place / "Shop")
    code, out, err = run(capsys, "data", "check", place)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["Shop", "present", "0", "1", "3", "own", "collection", "6", "12", "2", "–"] in lines
    assert ["RIGHT", "present"] in [line[:2] for line in lines]
    start = lines.index(["Shop,", "own", "collection:"])
    assert lines[start + 1] == ["fold", "part", "labels", "queries", "documents", "features"]
    assert lines[start + 3 : start + 6] == [
        ["Fold1", "train", "0", "3", "2", "4", "2"], ["Fold1", "vali", "0", "1", "1", "2", "2"], ["Fold1", "test", "0", "1", "1", "2", "2"],
    ]  # fmt: skip


@pytest.mark.parametrize("arguments", [("",), ("", "Shop"), ("", "Shop/"), ("Shop",)])
def test_what_is_wrong_with_an_own_collection_is_an_error(
    capsys: pytest.CaptureFixture[str], place: Path, arguments: tuple[str, ...]
) -> None:
    own_collection(place / "Shop", tested=("d", "d"))
    code, out, err = run(capsys, "data", "check", place / arguments[0], *arguments[1:])
    assert (code, err) == (2, "podium: Shop: 1 query (such as 'd') is in test of both Fold1 and Fold2\n")
    assert "Shop        wrong" in out
    assert ("GONE" in out) == (arguments == ("",)), "whoever names a collection is told of no other"


def test_an_own_collection_as_json(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    own_collection(place / "Shop")
    (place / "Shop" / "Fold2" / "vali.txt").write_text("1 qid:y 3:1\n")
    code, out, _ = run(capsys, "data", "check", place, "Shop", "--json")
    (own,) = json.loads(out)
    assert code == 0
    assert (own["collection"], own["title"], own["status"], own["expected"]) == ("Shop", "own collection", "present", None)
    assert (own["queries"], own["documents"], own["labels"]) == (6, 11, [0, 1, 3])
    assert own["remarks"] == ["Shop: its parts have 2 to 3 features; experiments take those left out for 0."]
    assert own["parts"][4] == {"fold": "Fold2", "part": "vali", "queries": 1, "documents": 1, "features": 3, "labels": [1]}


def test_a_known_collection_may_be_named_by_its_folder_alone(
    capsys: pytest.CaptureFixture[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place / "RIGHT")
    for folder in (place / "RIGHT", Path()):
        code, out, _ = run(capsys, "data", "check", folder)
        assert code == 0
        assert "000 Table 0" in out
        assert "GONE" not in out


def test_unknown_names_and_places_are_refused(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    own_collection(place / "Shop")
    code, _, err = run(capsys, "data", "check", place, "Shp")
    assert (code, err) == (2, f"podium: {place / 'Shp'}: there is no such folder; did you mean 'Shop'? collections there: RIGHT, Shop\n")
    (place / "plain").mkdir()
    code, _, err = run(capsys, "data", "check", place, "plain")
    assert (code, err) == (2, "podium: plain: has no folders Fold1, Fold2, …; expected FoldN/{train,vali,test}.txt\n")
    code, _, err = run(capsys, "data", "check", place / "plain", "zzz")
    assert (code, err) == (2, f"podium: {place / 'plain' / 'zzz'}: there is no such folder; collections there: none\n")
    code, _, err = run(capsys, "data", "check", place / "RIGHT", "Shop")
    assert (code, err) == (2, f"podium: {place / 'RIGHT'}: is a collection itself; give no names, or the folder above it\n")
    code, _, err = run(capsys, "data", "check", place / "nowhere")
    assert (code, err) == (2, f"podium: {place / 'nowhere'}: there is no such folder\n")


def test_changed_bytes_of_a_known_file_are_told(capsys: pytest.CaptureFixture[str], benchmark_data: Path, tmp_path: Path) -> None:
    assert "OHSUMED2" in COLLECTIONS
    for fold in (benchmark_data / "OHSUMED2").iterdir():
        (tmp_path / "OHSUMED2" / fold.name).mkdir(parents=True)
        for path in fold.iterdir():
            (tmp_path / "OHSUMED2" / fold.name / path.name).symlink_to(path)
    path = tmp_path / "OHSUMED2" / "Fold1" / "vali.txt"
    text = path.read_bytes().replace(b"1:2.00000000 ", b"1:3.00000000 ", 1)
    path.unlink()
    path.write_bytes(text)
    code, out, _ = run(capsys, "data", "check", tmp_path, "OHSUMED2")
    assert code == 0
    assert "14 of 15" in out
    assert "OHSUMED2: counts are right, but not all files are byte for byte the published ones." in out
