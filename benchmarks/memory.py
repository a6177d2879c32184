"""Peak memory of reading a file, in a process of its own: ``python -m benchmarks.memory READER SMALL BIG`` prints it as JSON.

A small file is read first, so that libraries and compiled kernels are there before the count begins. Fits are measured the same way, by
a module that loads the data, prepares a call on some of them, and prints by how much the peak grew.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import podium

__all__ = ["READERS", "Growth", "grow", "load", "peak_of_fit", "print_growth"]


@dataclass(frozen=True)
class Growth:
    """Bytes: the highest memory reached over what was in use before, and over the highest before; and of the arrays returned."""

    over_use: int
    over_peak: int
    arrays: int


def _read_podium(path: str) -> Any:
    import podium

    return podium.read_letor(path)


def _read_xgboost(path: str) -> Any:
    import xgboost

    return xgboost.DMatrix(f"{path}?format=libsvm", silent=True)


READERS: dict[str, Callable[[str], Any]] = {"podium": _read_podium, "xgboost": _read_xgboost}


def grow(reader: str, small: Path, big: Path) -> Growth:
    """Run this module in a new process."""
    command = [sys.executable, "-m", "benchmarks.memory", reader, str(small), str(big)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return Growth(**json.loads(done.stdout))


_ARRAYS = ("features", "labels", "offsets")


def peak_of_fit(module: str, data: podium.Dataset, *arguments: str) -> float | None:
    """Peak memory of ``python -m module FOLDER ARGUMENT ...``, in units of the features, which count; None where it cannot be measured."""
    from benchmarks.timing import progress  # here, so that readers of files are measured without podium

    with tempfile.TemporaryDirectory(prefix="podium-bench-") as folder:
        for name in _ARRAYS:
            np.save(Path(folder, f"{name}.npy"), getattr(data, name))
        command = [sys.executable, "-m", module, folder, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    if done.returncode:
        progress(f"not measured: {done.stderr.strip().splitlines()[-1]}")
        return None
    return 1.0 + json.loads(done.stdout)["growth"] / data.features.nbytes


def load(folder: str) -> podium.Dataset:
    """What :func:`peak_of_fit` has saved."""
    import podium

    features, labels, offsets = (np.load(Path(folder, f"{name}.npy")) for name in _ARRAYS)
    return podium.Dataset.from_arrays(features, labels, offsets=offsets)


def print_growth(call: Callable[[], object]) -> None:
    """Say by how many bytes the peak during a call lies above what was in use before it."""
    used = _memory()[0]
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak begins anew
    call()
    print(json.dumps({"growth": _memory()[1] - used}))


def _memory() -> tuple[int, int]:
    """Bytes in use, and the most there ever were.

    ``ru_maxrss`` would not do here: on Linux a new program inherits it from the one that started it, and ours is large by now.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        raise RuntimeError("peak memory is measured on Linux only")
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) * 1024, int(fields["VmHWM"].split()[0]) * 1024


def _array_bytes(data: Any) -> int:
    """Bytes of a dataset's arrays; ids and notes share one buffer."""
    if not hasattr(data, "given_ids"):
        return 0
    arrays = [data.features, data.labels, data.offsets, data.given_ids.buffer]
    arrays += [edges for column in (data.given_ids, data.notes) for edges in (column.starts, column.stops)]
    return int(sum(array.nbytes for array in arrays))


def main(reader: str, small: str, big: str) -> None:
    warnings.simplefilter("ignore")
    READERS[reader](small)
    used, peak = _memory()
    data = READERS[reader](big)
    highest = _memory()[1]
    print(json.dumps(asdict(Growth(highest - used, highest - peak, _array_bytes(data)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
