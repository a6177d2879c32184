"""What validation queries leave undecided: where nothing can be chosen a run stops before test queries are touched; ties are told."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.experiments.test_data import lay_out as write_folds
from tests.experiments.test_trials import CONFIG

from podium.errors import DataError
from podium.experiments import running
from podium.experiments.config import config_from_text
from podium.experiments.running import compute
from podium.experiments.trials import Trial, lay_out
from podium.experiments.undecided import check_decided, undecided

NAN = math.nan
TEXT = """
title = "Own"
about = "For tests."
measures = ["ndcg@3"]
choose = "tau"
baseline = "A"
[data]
folder = "SET"
[[rankers]]
name = "A"
algorithm = "listnet"
settings = { max_iter = 3 }
grid = { l2 = [0.0, 0.1] }
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Four folds; query 2, by which Fold1 chooses, has labels that are all equal, so that no order has a tau."""
    labels = {1: (1, 0), 4: (1, 0), 2: (0, 0), 3: (2, 0)}
    write_folds(tmp_path / "SET", [f"{a} qid:{number} 1:1 2:0\n{b} qid:{number} 1:0 2:1\n" for number, (a, b) in labels.items()])
    return tmp_path


def test_a_fold_whose_validation_queries_have_no_value_is_said_before_test_queries_are_touched(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touched(*_: Any) -> None:
        raise AssertionError("test queries were touched")

    monkeypatch.setattr(running, "measured", touched)
    with pytest.raises(DataError) as caught:
        compute(config_from_text(TEXT, "own"), data=place, out=place / "runs")
    assert str(caught.value) == (
        "ranker 'A', Fold1, seed 0: no validation query has a value of tau with any of its settings, so none can be chosen; "
        "name another measure in choose, or use folds whose validation labels differ"
    )
    assert not list((place / "runs" / "own").iterdir())


def test_where_nothing_is_chosen_no_value_is_needed(place: Path) -> None:
    config = config_from_text(TEXT.replace("grid = { l2 = [0.0, 0.1] }", 'grid = ""'), "own")
    run = compute(config, data=place, out=place / "runs")
    assert np.isnan(run.trials["validation"]).tolist() == [True, False, False, False]
    assert undecided(run.trials) == ""


def trials(**changes: Any) -> list[Trial]:
    """Two settings of a ranker at a point of a curve, then one of another ranker."""
    laid = lay_out(CONFIG, ["Fold2"])[0]
    first, second = ({**laid.settings, "l2": l2, **changes} for l2 in (0.0, 1.0))
    at = {"fold": "Fold2", "arm": laid.arm, "seed": 3}
    return [
        *(Trial(point=5, settings=one, varied=("l2",), **at) for one in (first, second)),
        Trial(point=10, settings=first, varied=(), **at),
    ]


def test_one_value_among_the_settings_of_a_cell_is_enough_to_choose() -> None:
    check_decided(trials(), np.array([NAN, 0.0, 0.5]), "map")
    check_decided(trials(), np.array([0.2, 0.1, NAN]), "map")  # the last is alone
    with pytest.raises(DataError, match="at 5, Fold2, seed 3: no validation query has a value of map"):
        check_decided(trials(), np.array([NAN, NAN, 0.5]), "map")


def test_patience_chooses_a_step_by_validation_and_needs_a_value_too() -> None:
    with pytest.raises(DataError, match="at 10, Fold2, seed 3: no validation query has a value of map"):
        check_decided(trials(patience=5), np.array([0.2, 0.1, NAN]), "map")


def columns(rows: list[tuple[str, str, float]]) -> dict[str, Any]:
    arms, points, values = zip(*rows, strict=True)
    return {
        "fold": np.array(["Fold1"] * len(rows), dtype=object), "algorithm": np.array(arms, dtype=object),
        "point": np.array(points, dtype=object), "seed": np.zeros(len(rows), dtype=np.int64), "validation": np.array(values),
    }  # fmt: skip


def test_choices_among_equals_are_counted_by_ranker() -> None:
    rows = [("A", "1", 0.5), ("A", "1", 0.5), ("A", "2", 0.5), ("A", "2", 0.4), ("A", "3", 0.5)]  # a tie, a choice, nothing to choose
    rows += [("B", "1", 0.5), ("B", "1", 0.6), ("B", "2", 0.5), ("B", "2", NAN)]  # two choices: no value is worse than any
    rows += [("C", "1", 0.0), ("C", "1", 0.0)]
    said = "all settings were equal on validation queries, and the first was taken: A (1 of 2 times); C (always)"
    assert undecided(columns(rows)) == said
    assert undecided(columns(rows[2:9])) == ""
