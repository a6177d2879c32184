"""Running: what is computed is what the definition says, a rerun does only what changed, and nothing that happens changes a byte."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

from podium import algorithms, measures
from podium.dataset import Dataset
from podium.errors import DataError, FileError, MissingDependency
from podium.experiments import running
from podium.experiments.cache import Cache
from podium.experiments.config import config_from_text
from podium.experiments.curves import arms, training_set
from podium.experiments.data import digest, load_folds
from podium.experiments.facts import Config
from podium.experiments.files import read_run
from podium.experiments.pace import Progress, seconds_left
from podium.experiments.planning import plan
from podium.experiments.recording import run_facts
from podium.experiments.running import compute, train_all
from podium.experiments.trials import Part
from podium.search import grid_of, search
from podium.training.watching import Validation

TEXT = """
title = "Small"
about = "For tests."
measures = ["ndcg@5", "k-err"]
choose = "k-ndcg@3"
baseline = "ListMLE"
seeds = [2]
[data.synthetic]
queries = 10
documents = 20
features = 4
folds = 3
[truth]
train = "top-k"
test = "top-k"
k = 3
[[rankers]]
name = "ListMLE"
algorithm = "top-k-listmle"
settings = { max_iter = 30 }
grid = { l2 = [0.0, 0.01, 0.1, 1.0, 10.0, 100.0], k = [1, 2, 3, 5] }
[[rankers]]
name = "RankNet"
algorithm = "ranknet"
settings = { max_iter = 10 }
grid = { l2 = [0.0, 1.0] }
"""
SYNTHETIC = TEXT[TEXT.index("[data.synthetic]") : TEXT.index("[truth]")]
CONFIG = config_from_text(TEXT, "small")
TRIALS = 3 * (24 + 2)
SAME = ("rows.parquet", "trials.parquet", "run.json", "SHA256SUMS")


def ran(config: Config, *, out: Path, **options: Any) -> Path:
    """The folder of a run."""
    compute(config, data=None, out=out, **options)
    return out / config.name


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in SAME}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run from nothing to its end, in one process; what is in it must not be changed."""
    return ran(CONFIG, out=tmp_path_factory.mktemp("runs"), text=TEXT)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The trials that are trained in this process, as they are."""
    seen: list[str] = []
    train = running.train

    def counting(trial: Any, lesson: Any, measure: str) -> Any:
        seen.append(f"{trial.arm.name} {trial.fold} {trial.setting}")
        return train(trial, lesson, measure)

    monkeypatch.setattr(running, "train", counting)
    return seen


def test_a_run_is_a_search_on_each_fold_and_its_choices_measured_on_test_queries(undisturbed: Path) -> None:
    run = read_run(undisturbed)
    rows: list[tuple[Any, ...]] = []
    for fold, ranker in itertools.product(load_folds(CONFIG.data, None), CONFIG.rankers):
        settings = grid_of(ranker.algorithm, ranker.grid, ranker.settings)
        held = Validation(fold.vali.top_k(3, seed=2), "k-ndcg@3")
        found = search(ranker.algorithm, settings, fold.train.top_k(3, seed=2), held, seed=2)
        at = (run.trials["fold"] == fold.name) & (run.trials["algorithm"] == ranker.name)
        assert run.trials["validation"][at].tolist() == [trial.validation for trial in found.trials]
        assert run.trials["iterations"][at].tolist() == [trial.model.training["iterations"] for trial in found.trials]
        assert run.trials["is_chosen"][at].tolist() == [trial is found.best for trial in found.trials]
        setting = " ".join(f"{name}={found.best.settings[name]}" for name in ranker.grid or ())
        test = fold.test.top_k(3, seed=2)
        values = measures.evaluate(CONFIG.measures, found.best.model.scores(test.features, test.offsets), test.labels, test.offsets)
        rows += [
            ("small", fold.name, query, ranker.name, setting, measure, value, "", 2)
            for measure in CONFIG.measures
            for query, value in zip(test.query_ids, values[measure].tolist(), strict=True)
        ]
    assert list(zip(*(column.tolist() for column in run.rows.values()), strict=True)) == rows
    assert len(run.trials["key"]) == len(set(run.trials["key"])) == TRIALS
    assert set(run.trials["judgments"]) == {-1}


def test_a_run_says_what_it_was_made_from_and_nothing_of_this_machine(undisturbed: Path) -> None:
    facts = read_run(undisturbed).facts
    assert facts["config_text"] == TEXT
    assert facts["seeds"] == [2]
    assert facts["command"] == "podium experiment small.toml"
    assert {"podium", "python", "numpy", "scipy", "numba", "pyarrow"} <= set(facts["versions"])
    fold = load_folds(CONFIG.data, None)[1]
    assert facts["data"]["Fold2"] == {"train": digest(fold.train), "vali": digest(fold.vali), "test": digest(fold.test)}
    assert str(undisturbed.parent) not in (undisturbed / "run.json").read_text()


def test_costs_are_those_of_the_trials(undisturbed: Path) -> None:
    run = read_run(undisturbed)
    assert run.costs["key"].tolist() == run.trials["key"].tolist()
    assert (run.costs["seconds"] > 0).all()
    assert (run.costs["peak_bytes"] > 1 << 20).all()


def test_a_rerun_trains_nothing_and_writes_the_same(tmp_path: Path, trained: list[str]) -> None:
    small = config_from_text(TEXT.replace("k = [1, 2, 3, 5]", "k = [2]"), "small")
    first = bytes_of(ran(small, out=tmp_path))
    assert len(trained) == 3 * (6 + 2)
    assert bytes_of(ran(small, out=tmp_path)) == first
    assert len(trained) == 3 * (6 + 2)


def test_a_rerun_trains_only_what_changed(tmp_path: Path, trained: list[str]) -> None:
    text = TEXT.replace("k = [1, 2, 3, 5]", "k = [2]")
    ran(config_from_text(text, "small"), out=tmp_path)
    del trained[:]
    text = text.replace("grid = { l2 = [0.0, 1.0] }", "grid = { l2 = [1.0, 2.0, 0.0] }")
    ran(config_from_text(text, "other"), out=tmp_path)
    assert trained == [f"RankNet Fold{fold} l2=2.0" for fold in (1, 2, 3)]
    del trained[:]
    text = text.replace('name = "RankNet"', 'name = "renamed"').replace('["ndcg@5", "k-err"]', '["map"]').replace("Small", "Large")
    ran(config_from_text(text, "other"), out=tmp_path)  # no trial depends on these
    assert trained == []
    ran(config_from_text(text.replace('choose = "k-ndcg@3"', 'choose = "map"'), "other"), out=tmp_path)
    assert len(trained) == 3 * (6 + 3)


def test_a_damaged_entry_is_trained_again_and_no_other(tmp_path: Path, trained: list[str]) -> None:
    small = config_from_text(TEXT.replace("k = [1, 2, 3, 5]", "k = [2]"), "small")
    first = bytes_of(ran(small, out=tmp_path))
    del trained[:]
    entry = sorted((tmp_path / "cache").glob("*/*.json"))[4]
    entry.write_bytes(entry.read_bytes()[:-5])
    assert bytes_of(ran(small, out=tmp_path)) == first
    assert len(trained) == 1


def test_two_rankers_of_the_same_content_are_trained_once(tmp_path: Path, trained: list[str]) -> None:
    text = TEXT.replace("k = [1, 2, 3, 5]", "k = [2]") + '[[rankers]]\nname = "twin"\nalgorithm = "ranknet"\n'
    text += 'settings = { l2 = 1.0, max_iter = 10 }\ngrid = ""\n'
    run = read_run(ran(config_from_text(text, "twins"), out=tmp_path))
    assert len(trained) == 3 * (6 + 2)
    assert (run.rows["algorithm"] == "twin").any()


def test_workers_write_the_same_bytes(undisturbed: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    folder = ran(CONFIG, out=tmp_path, jobs=2, progress=seen.append, text=TEXT)
    assert bytes_of(folder) == bytes_of(undisturbed)
    assert [moment.done for moment in seen] == list(range(TRIALS + 1))
    assert seen[0].last == ""
    ended = {moment.last for moment in seen[1:]}  # every trial is told of when it ends
    assert len(ended) == TRIALS
    assert "RankNet, Fold2, seed 2, l2=1.0" in ended
    assert seen[-1] == Progress(TRIALS, TRIALS, 0, seen[-1].last, 0.0)


def test_every_point_and_seed_of_a_curve_has_its_own_training_queries(tmp_path: Path) -> None:
    text = (
        TEXT.replace("k = [1, 2, 3, 5]", "k = [2]")
        .replace("l2 = [0.0, 0.01, 0.1, 1.0, 10.0, 100.0], ", "")
        .replace("[2]\n[data", "[2, 5]\n[data")
    )
    text += '[curve]\nover = "judgments"\npoints = [60, 150]\n[labelling]\nstrategies = ["heap"]\naccuracies = [1.0, 0.7]\nk = 3\n'
    config = config_from_text(text, "curve")
    run = read_run(ran(config, out=tmp_path))
    folds = {fold.name: fold for fold in load_folds(config.data, None)}
    expected = []
    for (name, fold), arm, point, seed in itertools.product(folds.items(), arms(config), (60, 150), (2, 5)):
        train, judgments = training_set(fold.train, config, arm, point, seed)
        held = Validation(fold.vali.top_k(3, seed=seed), "k-ndcg@3")
        for settings in grid_of(arm.ranker.algorithm, arm.ranker.grid, arm.ranker.settings):
            model = algorithms.fit(arm.ranker.algorithm, train, settings, seed=seed, validation=held)
            expected.append((name, arm.name, str(point), seed, judgments, model.training["validation"]))
    names = ("fold", "algorithm", "point", "seed", "judgments", "validation")
    assert list(zip(*(run.trials[name].tolist() for name in names), strict=True)) == expected
    assert len(expected) == 3 * (1 + 2) * 2 * 2 * 2
    assert set(run.rows["algorithm"]) == {f"{name} · heap · {accuracy} %" for name in ("ListMLE", "RankNet") for accuracy in (100, 70)}


def test_another_truth_of_validation_queries_trains_anew(tmp_path: Path, trained: list[str]) -> None:
    text = TEXT.replace("k = [1, 2, 3, 5]", "k = [2]")
    ran(config_from_text(text, "small"), out=tmp_path)
    del trained[:]
    ran(config_from_text(text.replace('test = "top-k"', 'test = "full"'), "small"), out=tmp_path)
    assert len(trained) == 3 * (6 + 2)


def test_a_trial_that_another_process_holds_is_left_for_the_end_and_waited_for(tmp_path: Path, trained: list[str]) -> None:
    config = config_from_text(TEXT.replace("k = [1, 2, 3, 5]", "k = [2]"), "small")
    parts = {fold.name: Part(fold.name, fold.train, fold.vali) for fold in load_folds(config.data, None)}
    plans = plan(config, parts)
    locks = [one.key[:3] for one in plans]  # trials that share these digits share a lock
    held = next(one for one in plans if locks.count(one.key[:3]) == 1)
    with contextlib.ExitStack() as other:
        assert other.enter_context(Cache(tmp_path).locked(held.key, is_patient=False))

        def let_go(moment: Progress) -> None:
            if moment.done == moment.total - 1:
                assert len(trained) == len(plans) - 1  # all others came first
                other.close()

        train_all(config, parts, Cache(tmp_path), progress=let_go)
    assert len(trained) == len(plans)
    assert trained[-1] == f"{held.trial.arm.name} {held.trial.fold} {held.trial.setting}"


def test_the_command_of_a_run_can_be_pasted_whatever_its_name() -> None:
    config = config_from_text(TEXT.replace(SYNTHETIC, '[data]\nfolder = "A"\n'), "it's $HOME")
    words = shlex.split(run_facts(config, "", [])["command"])
    assert words == ["podium", "experiment", "it's $HOME.toml", "--data", "DIR"]


def test_what_is_returned_is_what_was_written(tmp_path: Path) -> None:
    small = config_from_text(TEXT.replace("k = [1, 2, 3, 5]", "k = [2]"), "small")
    run, kept = compute(small, data=None, out=tmp_path, text="as written"), read_run(tmp_path / "small")
    assert (run.config, run.facts) == (kept.config, kept.facts)
    for ours, theirs in ((run.rows, kept.rows), (run.trials, kept.trials), (run.costs, kept.costs)):
        assert list(ours) == list(theirs)
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])


class Pool:
    """In place of joblib's: runs the calls here, and notes how many workers were asked for; the last call's worker is ended."""

    asked: list[int]
    is_ended = False

    def __init__(self, n_jobs: int, **_: Any) -> None:
        self.asked.append(n_jobs)

    def __call__(self, calls: Any) -> Any:
        for function, arguments, keywords in list(calls)[: -1 if self.is_ended else None]:
            yield function(*arguments, **keywords)
        if self.is_ended:
            raise TerminatedWorkerError("A worker process managed by the executor was unexpectedly terminated.\nThe exit codes are …")


def test_no_more_workers_are_started_than_there_are_trials_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "Parallel", type("Counting", (Pool,), {"asked": (asked := [])}))
    text = TEXT.replace("k = [1, 2, 3, 5]", "k = [2]").replace("l2 = [0.0, 0.01, 0.1, 1.0, 10.0, 100.0]", "l2 = [0.0]")
    ran(config_from_text(text, "small"), out=tmp_path, jobs=64)
    assert asked == [3 * (1 + 2)]
    ran(config_from_text(text.replace("l2 = [0.0]", "l2 = [0.5]"), "small"), out=tmp_path, jobs=64)
    ran(config_from_text(text, "small"), out=tmp_path, jobs=2)
    assert asked == [9, 3]  # none where nothing is left


def test_a_worker_that_was_ended_is_one_line_and_what_is_done_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "Parallel", type("Ended", (Pool,), {"asked": [], "is_ended": True}))
    text = TEXT.replace("k = [1, 2, 3, 5]", "k = [2]")
    with pytest.raises(DataError) as caught:
        ran(config_from_text(text, "small"), out=tmp_path, jobs=2)
    assert str(caught.value) == "a worker was ended, perhaps for want of memory; what is done is kept; try --jobs 1"
    assert len(entries(tmp_path)) == 3 * (6 + 2) - 1


@pytest.mark.parametrize("path", ["", "cache", "cache/locks", "small"])
def test_a_file_in_the_way_is_said_before_anything_is_trained(tmp_path: Path, trained: list[str], path: str) -> None:
    out = tmp_path / "runs"
    (out / path).parent.mkdir(parents=True, exist_ok=True)
    (out / path).touch()
    with pytest.raises(FileError, match=r"cannot be made: (file exists|not a directory); choose another place"):
        ran(CONFIG, out=out)
    assert trained == []


@pytest.mark.parametrize("place", ["small", "cache/locks"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_trained(
    tmp_path: Path, trained: list[str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != tmp_path / place)  # whoever runs this may be allowed all
    with pytest.raises(FileError, match="cannot be written to; choose another place"):
        ran(CONFIG, out=tmp_path)
    assert trained == []


@pytest.mark.parametrize("jobs", [0, -2])
def test_no_jobs_are_refused(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(DataError, match=f"jobs must be 1 or more, or -1 for one a core, got {jobs}"):
        ran(CONFIG, out=tmp_path, jobs=jobs)


def test_a_missing_library_is_said_before_anything_is_trained(tmp_path: Path, trained: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match=r"pip install 'podium\[experiments\]'"):
        ran(CONFIG, out=tmp_path)
    assert trained == []


def test_the_time_left_is_that_of_like_trials_shared_by_the_jobs() -> None:
    assert seconds_left({"a": 3, "b": 0, "c": 1}, {"a": [1.0, 3.0], "b": [8.0]}, jobs=2) == (3 * 2.0 + 4.0) / 2
    assert seconds_left({"a": 1, "b": 2}, {"a": [6.0]}, jobs=64) == 3 * 6.0 / 3  # three can run at a time, not 64
    assert np.isnan(seconds_left({"a": 1}, {}, jobs=1))
    assert seconds_left({"a": 0}, {}, jobs=1) == 0


# ---- processes that are killed, and processes that meet ----

PROCESS = """
import sys
from pathlib import Path
from podium.experiments.config import config_from_text
from podium.experiments.running import compute
compute(config_from_text(sys.argv[1], "small"), data=None, out=Path(sys.argv[2]), jobs=2, text=sys.argv[1])
"""

PAIR = """  # all is loaded once; each of the two is a fork, and they begin together
import os, sys, time
from pathlib import Path
from podium.experiments import running
from podium.experiments.config import config_from_text
out, train, count = Path(sys.argv[2]), running.train, 0
def counting(*arguments):
    global count
    count += 1
    time.sleep(0.01)
    return train(*arguments)
running.train = counting
children = []
for number in range(2):
    children.append(os.fork())
    if children[-1] == 0:
        running.compute(config_from_text(sys.argv[1], "small"), data=None, out=out, text=sys.argv[1])
        (out / f"count-{number}").write_text(str(count))
        os._exit(0)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
"""


def start(program: str, out: Path) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-W", "error", "-c", program.strip(), TEXT, str(out)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def entries(out: Path) -> dict[str, tuple[int, int]]:
    """The trials that are kept, and what would change if one were written again."""
    found = {path.stem: path.stat() for path in (out / "cache").glob("*/*.json")}
    return {key: (fact.st_ino, fact.st_mtime_ns) for key, fact in found.items()}


def test_a_killed_run_keeps_what_was_done_and_goes_on_to_the_same_bytes(undisturbed: Path, tmp_path: Path, trained: list[str]) -> None:
    with start(PROCESS, tmp_path) as process:
        while len(entries(tmp_path)) < 5 and process.poll() is None:
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL  # it was in the middle
    before = entries(tmp_path)
    assert list((tmp_path / "small").iterdir()) == []
    folder = ran(CONFIG, out=tmp_path, text=TEXT)
    after = entries(tmp_path)
    assert bytes_of(folder) == bytes_of(undisturbed)
    assert {key: after[key] for key in before} == before  # none was trained again
    assert len(after) == TRIALS
    assert TRIALS - len(before) - 2 <= len(trained) <= TRIALS - len(before)  # two workers may have ended what they were at


def test_two_processes_share_the_work_and_write_the_same_bytes(undisturbed: Path, tmp_path: Path) -> None:
    process = start(PAIR, tmp_path)
    assert process.communicate(timeout=120) == ("", "")
    assert process.returncode == 0
    counts = [int((tmp_path / f"count-{number}").read_text()) for number in range(2)]
    assert sum(counts) == TRIALS  # nothing was done twice
    assert min(counts) > 0
    assert bytes_of(tmp_path / "small") == bytes_of(undisturbed)


def test_the_config_of_a_run_is_the_one_that_was_run(undisturbed: Path) -> None:
    config: Config = read_run(undisturbed).config
    assert config == CONFIG


def test_before_workers_start_every_kind_of_trial_is_compiled_once_in_the_parent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Compiled by two workers at the same time, kernels came out different in the last bit, and so did models."""
    fitted: list[tuple[str, object]] = []

    def fit(name: str, data: Dataset, settings: dict[str, object], **_: object) -> None:
        fitted.append((name, settings.get("max_iter")))
        assert data.n_rows <= 24

    monkeypatch.setattr("podium.experiments.running.algorithms.fit", fit)
    monkeypatch.setattr("podium.experiments.running._over", lambda tasks, jobs: [(task.plan.key, 0.0) for task in tasks])
    config = config_from_text(TEXT, "small")
    folds = load_folds(config.data, None)
    parts = {fold.name: Part(fold.name, fold.train, fold.vali) for fold in folds}
    train_all(config, parts, Cache(tmp_path / "cache"), jobs=1)
    assert fitted == []
    train_all(config, parts, Cache(tmp_path / "cache"), jobs=2)
    assert fitted == [(name, 1) for name in dict.fromkeys(ranker.algorithm for ranker in config.rankers)]
