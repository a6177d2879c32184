"""Files of a run: what is written is read back, the same values give the same bytes, and damage is seen."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from tests.experiments.test_trials import CONFIG

from podium import Dataset, save_dataset
from podium.errors import FileError
from podium.experiments.config import config_to_dict
from podium.experiments.facts import Columns
from podium.experiments.files import COSTS, ROWS, TRIALS, read_run, write_run

SAMPLES: dict[type, list[Any]] = {
    str: ["é", "", "l2=0.1 k=3"],
    int: [0, -1, 1 << 40],
    float: [0.1, np.nan, -2.5],
    bool: [True, False, True],
}
FACTS = {
    "config": config_to_dict(CONFIG), "config_text": "…", "versions": {"podium": "0"}, "code": "c", "commit": "", "data": {}, "seeds": [0],
    "command": "podium experiment experiments/leak.toml",
}  # fmt: skip


def columns(kinds: dict[str, Any]) -> Columns:
    return {name: np.array(SAMPLES[kind], dtype=object if kind is str else kind) for name, kind in kinds.items()}


def written(folder: Path) -> Path:
    write_run(folder, facts=FACTS, rows=columns(ROWS), trials=columns(TRIALS), costs=columns(COSTS))
    return folder


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = read_run(written(tmp_path / "leak"))
    assert run.config == CONFIG
    assert run.facts == {"format": 1, **FACTS}
    for table, kinds in ((run.rows, ROWS), (run.trials, TRIALS), (run.costs, COSTS)):
        assert list(table) == list(kinds)
        for name, expected in columns(kinds).items():
            np.testing.assert_array_equal(table[name], expected)
            assert table[name].dtype == expected.dtype


def test_a_run_is_read_by_its_run_json_too(tmp_path: Path) -> None:
    folder = written(tmp_path / "leak")
    assert read_run(folder / "run.json").facts == read_run(folder).facts


def test_a_copy_is_read_where_it_is_and_nothing_is_put_beside_it(tmp_path: Path) -> None:
    folder = written(tmp_path / "runs" / "leak")
    shutil.copytree(folder, tmp_path / "copies" / "leak")
    assert read_run(tmp_path / "copies" / "leak").config == CONFIG
    (tmp_path / "copies" / "leak" / "rows.parquet").unlink()
    with pytest.raises(FileError, match="is not a finished run"):
        read_run(tmp_path / "copies" / "leak")
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["leak"]


def test_costs_of_other_trials_are_refused(tmp_path: Path) -> None:
    folder, other = written(tmp_path / "a"), tmp_path / "b"
    costs = columns(COSTS)
    costs["key"] = costs["key"][::-1]
    write_run(other, facts=FACTS, rows=columns(ROWS), trials=columns(TRIALS), costs=costs)
    shutil.copy(other / "costs.parquet", folder)
    with pytest.raises(FileError, match=r"costs\.parquet: is not of the trials in trials\.parquet"):
        read_run(folder)


def named_columns(kinds: dict[str, Any], name: str, length: int) -> Columns:
    fill = {str: name, int: length, float: 0.5, bool: True}
    return {column: np.full(length, fill[kind], dtype=object if kind is str else kind) for column, kind in kinds.items()}


def write_named(folder: Path, name: str, length: int) -> None:
    """A run whose every file says whose it is."""
    tables = {table: named_columns(kinds, name, length) for table, kinds in (("rows", ROWS), ("trials", TRIALS), ("costs", COSTS))}
    write_run(folder, facts={**FACTS, "command": name}, **tables)  # type: ignore[arg-type]


WRITER = """
import sys, time
from pathlib import Path
from tests.experiments.test_files import write_named
folder, name, length = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
(folder.parent / f"{name}-is-ready").touch()
while not (folder.parent / "go").exists():
    time.sleep(0.001)
for _ in range(15):
    write_named(folder, name, length)
"""


def test_whoever_reads_while_two_processes_write_different_runs_of_one_name_sees_one_of_them_whole(tmp_path: Path) -> None:
    folder, lengths = tmp_path / "leak", {"one": 2, "other": 3}
    write_named(folder, "one", 2)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), name, str(length)], cwd=Path(__file__).parents[2])
        for name, length in lengths.items()
    ]
    while not all((tmp_path / f"{name}-is-ready").exists() for name in lengths):
        assert all(writer.poll() is None for writer in writers)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    seen = set()
    while None in [writer.poll() for writer in writers]:
        run = read_run(folder)
        names = {run.facts["command"], *(name for table in (run.rows, run.trials, run.costs) for name in table["algorithm"])}
        assert len(names) == 1
        seen |= names
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen == {"one", "other"}


def test_arrow_starts_no_threads_to_read(tmp_path: Path) -> None:
    """One that is still at work when the program ends makes it abort, now and then."""
    folder = written(tmp_path / "leak")
    data = tmp_path / "data.parquet"
    save_dataset(Dataset.from_arrays(np.ones((3, 2)), [1, 0, 2]), data)
    program = (
        "import os, sys, pyarrow.parquet, pyarrow.feather, podium.experiments.files as files, podium.sources.tables as tables\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "files.read_run(sys.argv[1]), tables.read_arrow_file(sys.argv[2])\n"
        "assert len(os.listdir('/proc/self/task')) == before, len(os.listdir('/proc/self/task')) - before\n"
    )
    subprocess.run([sys.executable, "-c", program, str(folder), str(data)], check=True)


def test_the_tables_are_those_of_the_format(tmp_path: Path) -> None:
    folder = written(tmp_path / "leak")
    table = pyarrow.parquet.read_table(folder / "rows.parquet")
    assert table.column_names == ["run", "fold", "query", "algorithm", "setting", "measure", "value", "point", "seed"]
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS", "costs.parquet", "rows.parquet", "run.json", "trials.parquet"]


def test_the_same_values_give_the_same_bytes_and_checksums_are_of_what_must_not_differ(tmp_path: Path) -> None:
    one, other = written(tmp_path / "a"), written(tmp_path / "b")
    for path in one.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes()
    expected = [
        f"{hashlib.sha256((one / name).read_bytes()).hexdigest()}  {name}" for name in ("rows.parquet", "trials.parquet", "run.json")
    ]
    assert (one / "SHA256SUMS").read_text().splitlines() == expected


@pytest.mark.parametrize("name", ["rows.parquet", "trials.parquet", "run.json"])
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "leak") / name
    path.write_bytes(path.read_bytes().replace(b"leak", b"peak").replace(b"PAR1", b"PAR2"))
    with pytest.raises(FileError, match=f"{name}: is not what SHA256SUMS says"):
        read_run(tmp_path / "leak")


@pytest.mark.parametrize("name", ["rows.parquet", "trials.parquet", "run.json", "costs.parquet", "SHA256SUMS"])
def test_a_run_with_a_file_missing_is_not_finished(tmp_path: Path, name: str) -> None:
    (written(tmp_path / "leak") / name).unlink()
    with pytest.raises(FileError, match=f"is not a finished run: there is no {name}; make it with podium experiment"):
        read_run(tmp_path / "leak")


def test_costs_that_are_no_table_are_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "leak")
    (folder / "costs.parquet").write_bytes(b"PAR1 and so on")
    with pytest.raises(FileError, match=r"is not a Parquet file \(.*\): run the experiment again"):
        read_run(folder)
    (folder / "costs.parquet").write_bytes((folder / "trials.parquet").read_bytes())
    with pytest.raises(FileError, match=r"must have the columns fold, algorithm, point.*, got run, fold, .*: run the experiment again"):
        read_run(folder)


def test_costs_with_a_text_that_is_none_are_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "leak")
    path = folder / "costs.parquet"
    table = pyarrow.parquet.read_table(path)
    texts = pyarrow.array([b"\xff"] * 3).view(pyarrow.string())  # as a flipped bit makes it
    pyarrow.parquet.write_table(table.set_column(0, "fold", texts), path)
    with pytest.raises(FileError, match=r"is not a Parquet file \(.*\): run the experiment again"):
        read_run(folder)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"PAR1 and so on")], ids=["missing", "damaged"])
def test_whoever_wants_no_costs_is_not_stopped_by_them(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    folder = written(tmp_path / "leak")
    whole = read_run(folder)
    damage(folder / "costs.parquet")
    run = read_run(folder, with_costs=False)
    assert run.facts == whole.facts
    for ours, theirs in ((run.rows, whole.rows), (run.trials, whole.trials)):
        for name in theirs:
            np.testing.assert_array_equal(ours[name], theirs[name])
    assert {name: len(column) for name, column in run.costs.items()} == dict.fromkeys(COSTS, 0)


@pytest.mark.parametrize(("change", "said"), [({"format": 2}, "does not read"), ({"versions": None}, "lacks the field 'versions'")])
def test_another_format_is_refused_though_its_checksum_fits(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = written(tmp_path / "leak") / "run.json"
    before = path.read_bytes()
    changed = {name: value for name, value in {**json.loads(before), **change}.items() if value is not None}
    path.write_text(json.dumps(changed))
    sums = path.with_name("SHA256SUMS")
    sums.write_text(sums.read_text().replace(hashlib.sha256(before).hexdigest(), hashlib.sha256(path.read_bytes()).hexdigest()))
    with pytest.raises(FileError, match=said):
        read_run(tmp_path / "leak")
