"""Linear rankers on OHSUMED's five folds: at least as good as asked, settings chosen on validation queries only."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.letor import COLLECTIONS, ROWS, evaluate

from podium import read_folds

FLOORS = {
    "top-10 ListMLE": {"N@1": 0.53, "N@10": 0.435},
    "ListNet": {"N@10": 0.43},
    "RankCosine": {"N@10": 0.43},
    "CS-ListMLE@1": {"N@10": 0.43},
    "RankNet": {"N@10": 0.43},
}


@pytest.mark.parametrize("name", FLOORS)
def test_a_linear_ranker_reaches_its_floor_on_ohsumed(benchmark_data: Path, name: str) -> None:
    (row,) = (row for row in ROWS if row.name == name)
    found = evaluate(COLLECTIONS[0], row, read_folds(benchmark_data / "OHSUMED2"))
    for column, floor in FLOORS[name].items():
        assert found[column] >= floor, found
