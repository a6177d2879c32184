"""What tests share: where the benchmark data is, threads set back, and a Hypothesis profile that does not depend on the machine's speed."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import podium

SHARED = Path(__file__).resolve().parents[2] / "shared"
SETS = ("MQ2008", "OHSUMED2", "measures", "thu_image_search", "cranfield")

settings.register_profile("podium", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("podium")


@pytest.fixture(scope="session")
def benchmark_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the benchmark sets, unpacked once for all workers."""
    unpack = SHARED / "data" / "unpack.py"
    if not unpack.exists():
        pytest.skip("the benchmark data is not here (../shared/data); it is research data and not part of the repository")
    home = tmp_path_factory.getbasetemp()
    home = (home.parent if home.name.startswith("popen-") else home) / "benchmark_data"  # workers share their parent's folder
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "done").exists():
            subprocess.run([sys.executable, unpack, "--to", home, *SETS], check=True, capture_output=True)
            (home / "done").touch()
    return home


@pytest.fixture
def any_threads() -> Iterator[None]:
    """Lets a test set the number of threads, and sets it back."""
    yield
    podium.set_threads(None)
