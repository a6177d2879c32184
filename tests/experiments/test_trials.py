"""Trials: what is laid out, what one of them sees and gives, and that nothing of the test part can reach a choice."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import Dataset, algorithms, synthetic
from podium.errors import DataError
from podium.experiments import running
from podium.experiments.config import config_from_text
from podium.experiments.data import FoldData, load_folds
from podium.experiments.files import read_run
from podium.experiments.trials import Lesson, Part, lay_out, lesson_of, train, without_ids
from podium.scorers.models import Model, model_to_bytes
from podium.training.watching import Validation

TEXT = """
title = "A"
about = "B"
measures = ["ndcg@5"]
choose = "k-ndcg@3"
baseline = "A"
[data.synthetic]
queries = 9
documents = 12
features = 3
folds = 3
[truth]
train = "top-k"
test = "top-k"
k = 3
[[rankers]]
name = "A"
algorithm = "top-k-listmle"
settings = { scaling = "zscore", max_iter = 20 }
grid = { l2 = [0.0, 1.0, 100.0] }
[[rankers]]
name = "B"
algorithm = "ranknet"
settings = { max_iter = 5 }
grid = ""
"""
CONFIG = config_from_text(TEXT, "leak")
DATA = synthetic(6, 12, 3, seed=5)
LESSON = Lesson(DATA.select_queries(slice(0, 4)).top_k(3), DATA.select_queries(slice(4, 6)).top_k(3), None)


def test_trials_are_laid_out_by_fold_arm_point_seed_and_grid() -> None:
    curve = '[curve]\nover = "k"\npoints = [1, 2]\n'
    config = config_from_text(TEXT.replace("[data.synthetic]", "seeds = [4, 7]\n[data.synthetic]") + curve, "t")
    trials = lay_out(config, ["Fold1", "Fold2"])
    expected = [
        (fold, arm, point, seed, setting)
        for fold in ("Fold1", "Fold2")
        for arm, settings in (("A", ("l2=0.0", "l2=1.0", "l2=100.0")), ("B", ("",)))
        for point in (1, 2)
        for seed in (4, 7)
        for setting in settings
    ]
    assert [(trial.fold, trial.arm.name, trial.point, trial.seed, trial.setting) for trial in trials] == expected
    assert trials[0].settings == {"scaling": "zscore", "max_iter": 20, "k": 1, "l2": 0.0}  # the point sets k, unasked
    assert len({trial.cell for trial in trials}) == 2 * 2 * 2 * 2


def test_a_lesson_has_the_truth_of_the_config_drawn_with_the_seed_of_the_trial() -> None:
    tied = DATA.with_labels(np.zeros(DATA.n_rows))
    trial = replace(lay_out(CONFIG, ["Fold1"])[0], seed=11)
    lesson = lesson_of(Part("Fold1", tied, tied), CONFIG, trial)
    np.testing.assert_array_equal(lesson.train.labels, tied.top_k(3, seed=11).labels)
    np.testing.assert_array_equal(lesson.vali.labels, tied.top_k(3, seed=11).labels)


def test_a_trial_gives_the_model_that_the_library_trains_and_its_value_on_validation() -> None:
    trial = lay_out(CONFIG, ["Fold1"])[1]
    outcome = train(trial, LESSON, "k-ndcg@3")
    settings = {"scaling": "zscore", "max_iter": 20, "l2": 1.0}
    validation = Validation(LESSON.vali, "k-ndcg@3")
    model = algorithms.fit("top-k-listmle", LESSON.train, settings, seed=0, validation=validation)
    assert outcome.model == model_to_bytes(model)
    assert outcome.validation == validation.value(model.scorer)
    assert outcome.iterations == model.training["iterations"]
    assert outcome.seconds > 0
    assert outcome.peak_bytes > LESSON.train.features.nbytes


def test_validation_queries_without_a_value_give_none() -> None:
    blank = LESSON.vali.with_labels(np.zeros(LESSON.vali.n_rows))
    assert math.isnan(train(lay_out(CONFIG, ["Fold1"])[0], replace(LESSON, vali=blank), "ndcg@3[blank=skip]").validation)


def test_half_a_training_is_no_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = algorithms.fit("ranknet", LESSON.train, {"max_iter": 1})

    def interrupted(*_: Any, **__: Any) -> Model:
        return replace(whole, training={**whole.training, "stopped": "interrupt"})

    monkeypatch.setattr(algorithms, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(lay_out(CONFIG, ["Fold1"])[0], LESSON, "ndcg@3")


def test_an_error_says_in_which_trial() -> None:
    holes = LESSON.train.features.copy()
    holes[0] = np.nan
    with pytest.raises(DataError, match=r"^B, Fold1, seed 0: "):
        train(lay_out(CONFIG, ["Fold1"])[3], replace(LESSON, train=replace(LESSON.train, features=holes)), "ndcg@3")


def test_ids_notes_and_names_do_not_reach_a_trial() -> None:
    data = Dataset.from_arrays([[1.0], [2.0]], [0, 1], ["a", "a"], document_ids="xy", notes="no", feature_names=["length"])
    seen = without_ids(data)
    assert (seen.given_ids, seen.notes, seen.given_names) == (None, None, None)
    assert (seen.features.tolist(), seen.labels.tolist(), seen.query_ids.tolist()) == ([[1.0], [2.0]], [0.0, 1.0], ["a"])


# ---- the test part ----


def run_with(tests: list[Dataset], out: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The experiment on its own training and validation queries, and these test parts."""
    folds = [replace(fold, test=test) for fold, test in zip(load_folds(CONFIG.data, None), tests, strict=True)]
    monkeypatch.setattr(running, "load_folds", lambda *_, **__: folds)
    running.compute(CONFIG, data=None, out=out)
    return out / CONFIG.name


def kept(out: Path) -> dict[str, tuple[Any, ...]]:
    """Of every trial in the cache: all but what it took."""
    cache, run = running.Cache(out / "cache"), read_run(out / "leak")
    found = {key: cache.find(key) for key in run.trials["key"]}
    return {key: (one.model, one.validation, one.iterations) for key, one in found.items() if one is not None}


def test_other_labels_and_features_of_test_queries_change_no_choice_no_model_and_no_validation_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [fold.test for fold in load_folds(CONFIG.data, None)]
    generator = np.random.default_rng(0)
    others = [
        replace(test, labels=generator.permutation(test.labels), features=generator.normal(size=test.features.shape).astype(np.float32))
        for test in given
    ]
    one, other = (run_with(tests, tmp_path / name, monkeypatch) for name, tests in (("a", given), ("b", others)))
    assert (one / "trials.parquet").read_bytes() == (other / "trials.parquet").read_bytes()  # keys, validation values and choices
    assert kept(tmp_path / "a") == kept(tmp_path / "b")
    assert len(kept(tmp_path / "a")) == 3 * (3 + 1)
    rows, changed = read_run(one).rows, read_run(other).rows
    assert (rows["setting"] == changed["setting"]).all()
    assert not np.array_equal(rows["value"], changed["value"])  # so the test parts did differ


class Touched(Exception):
    """Somebody looked at the test part."""


class Poisoned(Dataset):  # type: ignore[misc]
    """A dataset that nobody may look at, not even to copy it."""

    def __init__(self) -> None:
        return

    def __getattribute__(self, name: str) -> Any:
        raise Touched(name)


def test_the_test_part_is_not_touched_before_every_choice_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folds = [FoldData(fold.name, fold.train, fold.vali, Poisoned()) for fold in load_folds(CONFIG.data, None)]
    monkeypatch.setattr(running, "load_folds", lambda *_, **__: folds)
    choices: list[list[int]] = []
    choose = running.choose

    def choosing(*arguments: Any) -> list[int]:
        choices.append(choose(*arguments))
        return choices[-1]

    monkeypatch.setattr(running, "choose", choosing)
    with pytest.raises(Touched):
        running.compute(CONFIG, data=None, out=tmp_path)
    assert len(choices) == 1
    assert len(choices[0]) == 3 * 2  # folds and rankers: all of them
