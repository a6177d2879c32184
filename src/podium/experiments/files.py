"""A run as files: three tables in Parquet, run.json with all that is needed to run it again, and checksums of what must not differ.

``rows``, ``trials``, ``run.json`` and ``SHA256SUMS`` have the same bytes whenever data, config, seeds and code are the same; ``costs``
(seconds and memory) differ from run to run.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from podium.errors import FileError, MissingDependency
from podium.experiments.config import config_from_dict
from podium.experiments.facts import Columns, Config
from podium.experiments.locks import make_folder, run_lock, run_locks
from podium.sources.streams import atomic_file

__all__ = ["COSTS", "FORMAT", "ROWS", "TRIALS", "Run", "pyarrow_modules", "read_run", "write_run"]

FORMAT = 1
_SUMS = "SHA256SUMS"
_FACTS = ("format", "config", "config_text", "versions", "code", "commit", "data", "seeds", "command")
ROWS = {
    "run": str, "fold": str, "query": str, "algorithm": str, "setting": str, "measure": str, "value": float, "point": str, "seed": int,
}  # fmt: skip
TRIALS = {
    "run": str, "fold": str, "algorithm": str, "point": str, "seed": int, "setting": str, "validation": float, "is_chosen": bool,
    "iterations": int, "judgments": int, "key": str,
}  # fmt: skip
COSTS = {
    "fold": str, "algorithm": str, "point": str, "seed": int, "setting": str, "seconds": float, "peak_bytes": int, "key": str,
}  # fmt: skip
_TABLES: dict[str, dict[str, type]] = {"rows.parquet": ROWS, "trials.parquet": TRIALS, "costs.parquet": COSTS}
_SAME = ("rows.parquet", "trials.parquet", "run.json")  # of which there are checksums


@final
@dataclass(frozen=True, eq=False)
class Run:
    """A run, read back."""

    config: Config
    facts: dict[str, Any]  # run.json
    rows: Columns
    trials: Columns
    costs: Columns


def write_run(folder: Path, *, facts: Mapping[str, Any], rows: Columns, trials: Columns, costs: Columns) -> None:
    """Write every file of a run, each whole; the checksums come last. Two processes that write the same run take turns."""
    assert tuple(facts) == _FACTS[1:], "the facts of a run are as the format says"
    told = json.dumps({"format": FORMAT, **facts}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    tables = {"rows.parquet": rows, "trials.parquet": trials, "costs.parquet": costs}
    files = {**{name: _parquet(columns, _TABLES[name]) for name, columns in tables.items()}, "run.json": told.encode()}
    files[_SUMS] = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in _SAME).encode()
    make_folder(folder)
    with run_lock(folder):
        for name, content in files.items():
            with atomic_file(folder / name) as file:
                file.write(content)


def read_run(path: str | os.PathLike[str], *, with_costs: bool = True) -> Run:
    """Read a run by its folder or its run.json; files that are missing, damaged or do not belong together are refused.

    Without costs, their file is not looked at, and their columns are empty.
    """
    path = Path(path)
    folder = path.parent if path.name == "run.json" else path
    try:
        return _read_run(folder, with_costs=with_costs)
    except FileError:
        if not os.access(run_locks(folder), os.W_OK):  # a copy, which nobody writes
            raise
    with run_lock(folder):  # perhaps it was just being written
        return _read_run(folder, with_costs=with_costs)


def _read_run(folder: Path, *, with_costs: bool) -> Run:
    tables = {name: kinds for name, kinds in _TABLES.items() if with_costs or name != "costs.parquet"}
    files = {name: _read(folder, name) for name in (*tables, "run.json", _SUMS)}
    _check_sums(folder, files)
    facts = _facts(folder / "run.json", files["run.json"])
    config = config_from_dict(facts["config"], folder / "run.json")
    rows, trials, *others = (_columns(folder / name, files[name], kinds) for name, kinds in tables.items())
    costs = others[0] if with_costs else {name: np.empty(0, dtype=object if kind is str else kind) for name, kind in COSTS.items()}
    if with_costs and costs["key"].tolist() != trials["key"].tolist():  # it has no checksum: it may differ
        raise FileError(folder / "costs.parquet", None, "is not of the trials in trials.parquet: run the experiment again")
    return Run(config, facts, rows, trials, costs)


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise FileError(folder, None, f"is not a finished run: there is no {name}; make it with podium experiment") from None
    except OSError as error:
        raise FileError(folder / name, None, f"cannot be read: {error.strerror or error}") from None


def _check_sums(folder: Path, files: Mapping[str, bytes]) -> None:
    said = {name: digest for digest, _, name in (line.partition("  ") for line in files[_SUMS].decode(errors="replace").splitlines())}
    for name in _SAME:
        if said.get(name) != hashlib.sha256(files[name]).hexdigest():
            raise FileError(folder / name, None, f"is not what {_SUMS} says; it was changed or damaged: run the experiment again")


def _facts(path: Path, data: bytes) -> dict[str, Any]:
    facts = json.loads(data)  # its checksum fits
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        seen = facts.get("format") if isinstance(facts, dict) else facts
        raise FileError(
            path, None, f"is of a format that this release does not read ({FORMAT}); run the experiment again", got=str(seen)[:40]
        )
    missing = [name for name in _FACTS if name not in facts]
    if missing:
        raise FileError(path, None, f"lacks the field {missing[0]!r}; run the experiment again")
    return facts


# ---- tables ----


def pyarrow_modules() -> tuple[Any, Any]:
    """pyarrow, or an error that says how to get it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingDependency("pyarrow", "experiments", "write and read the tables of experiments") from None
    return pyarrow, pyarrow.parquet


def _parquet(columns: Columns, kinds: Mapping[str, type]) -> bytes:
    """A table as bytes that depend on its values only (and on the release of pyarrow)."""
    arrow, parquet = pyarrow_modules()
    types = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    schema = arrow.schema([arrow.field(name, types[kind], nullable=False) for name, kind in kinds.items()])
    table = arrow.table([arrow.array(columns[name], types[kind]) for name, kind in kinds.items()], schema=schema)
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd", version="2.6", row_group_size=1 << 20)
    return sink.getvalue()


def _columns(path: Path, data: bytes, kinds: Mapping[str, type]) -> Columns:
    arrow, parquet = pyarrow_modules()
    try:
        # without Arrow's threads: now and then one of them outlives the program's end, which then aborts
        table = parquet.ParquetFile(io.BytesIO(data), pre_buffer=False).read(use_threads=False)
        columns = {name: _array(column, kinds.get(name, str)) for name, column in zip(table.column_names, table.columns, strict=True)}
    except (arrow.ArrowException, OSError, ValueError) as error:  # the last where a text is none, or a number is missing
        raise FileError(path, None, f"is not a Parquet file ({str(error).splitlines()[0]}): run the experiment again") from None
    if list(columns) != list(kinds):
        raise FileError(path, None, f"must have the columns {', '.join(kinds)}, got {', '.join(columns)}: run the experiment again")
    return columns


def _array(column: Any, kind: type) -> NDArray[Any]:
    values = column.to_numpy()
    return np.asarray(values, dtype=object if kind is str else kind)
