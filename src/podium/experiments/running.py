"""Running an experiment: every trial that the cache does not have is trained, several at a time, and kept at once.

A run can be killed at any moment: all that is lost is what was being trained. Two runs that share a cache share the work. What is written
does not depend on any of this: everything is read back from the cache in the end.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import numpy as np

from podium import algorithms
from podium.dataset import Dataset
from podium.errors import DataError, PodiumError
from podium.experiments.cache import Cache
from podium.experiments.choosing import choose
from podium.experiments.data import load_folds
from podium.experiments.facts import CACHE, Config
from podium.experiments.files import FORMAT, Run, pyarrow_modules, write_run
from podium.experiments.locks import make_folder, run_lock
from podium.experiments.measuring import measured
from podium.experiments.pace import Ledger, Watcher
from podium.experiments.planning import Plan, plan, with_lessons
from podium.experiments.recording import cost_columns, run_facts, trial_columns
from podium.experiments.trials import Lesson, Outcome, Part, Trial, train, without_ids
from podium.experiments.undecided import check_decided
from podium.ragged import set_threads, threads
from podium.sources.synthetic import synthetic
from podium.training.watching import Validation

__all__ = ["compute", "train_all"]


def compute(
    config: Config, *, data: Path | None, out: Path, jobs: int = 1, progress: Watcher | None = None, text: str = ""
) -> Run:  # fmt: skip
    """Run what the cache does not have, write the run to the folder ``out / config.name``, and return it.

    ``data`` holds the collections; ``text`` is the config as its author wrote it. ``progress`` is told after every trial. What is
    returned is not read back: another process may have put its own run there since.
    """
    pyarrow_modules()  # said now if it is missing, and not after hours of training
    folds, cache = load_folds(config.data, data), Cache(out / CACHE)
    with run_lock(make_folder(out / config.name)):  # so is a place where nothing can be written
        pass
    parts = {fold.name: Part(fold.name, without_ids(fold.train), without_ids(fold.vali)) for fold in folds}
    plans = train_all(config, parts, cache, jobs=jobs, progress=progress)
    outcomes = [_outcome(cache, one.key) for one in plans]
    validation = np.array([outcome.validation for outcome in outcomes])
    check_decided([one.trial for one in plans], validation, config.choose)
    chosen = choose([one.trial.cell for one in plans], validation, config.choose)
    # every choice is made; only from here on are the test parts looked at
    models = [(plans[place].trial, outcomes[place].model) for place in chosen]
    rows = measured(config, models, {fold.name: without_ids(fold.test) for fold in folds})
    facts, trials, costs = run_facts(config, text, folds), trial_columns(config, plans, outcomes, chosen), cost_columns(plans, outcomes)
    write_run(out / config.name, facts=facts, rows=rows, trials=trials, costs=costs)
    return Run(config, {"format": FORMAT, **facts}, rows, trials, costs)


def train_all(
    config: Config, parts: Mapping[str, Part], cache: Cache, *, jobs: int = 1, progress: Watcher | None = None
) -> list[Plan]:  # fmt: skip
    """Train every trial that the cache does not have; all outcomes are there in the end. No test part comes in here."""
    jobs = _number_of(jobs)
    plans = plan(config, parts)
    by_key = {one.key: one for one in plans}  # trials of the same content are one
    ledger = Ledger({key: one.trial for key, one in by_key.items()}, jobs, progress)
    for key in by_key:
        outcome = cache.find(key)
        if outcome is not None:
            ledger.find(key, outcome.seconds)
    ledger.tell()
    for is_patient in (False, True):  # what another process is training is left to it, and asked for again in the end
        missing = [by_key[key] for key in ledger.missing()]
        at_once = max(1, min(jobs, len(missing)))
        if at_once > 1:
            _compile(missing, config.choose)
        lessons = with_lessons(config, parts, missing)
        tasks = (_Task(one, lesson, config.choose, cache, is_patient, os.getpid(), _share(at_once)) for one, lesson in lessons)
        for key, seconds in _over(tasks, at_once):
            ledger.end(key, seconds)
    return plans


def _compile(plans: Iterable[Plan], measure: str) -> None:
    """Have every kernel compiled here, once: workers that compile at the same time may get code that rounds otherwise in the last bit."""
    kinds: dict[tuple[Any, ...], Trial] = {}
    for trial in (one.trial for one in plans):
        words = {name: value for name, value in trial.settings.items() if isinstance(value, str)}
        kinds.setdefault((trial.arm.ranker.algorithm, *words.items()), trial)
    small = synthetic(queries=2, documents=12, features=3)
    for (algorithm, *_), trial in kinds.items():
        short = {"max_iter": 1} if "max_iter" in algorithms.get(algorithm).settings else {}
        with contextlib.suppress(PodiumError):  # what is wrong with a trial is said by the trial
            algorithms.fit(algorithm, small, {**trial.settings, **short}, validation=Validation(small, measure))


def _number_of(jobs: int) -> int:
    if jobs == 0 or jobs < -1:
        raise DataError(f"jobs must be 1 or more, or -1 for one a core, got {jobs}")
    return jobs if jobs > 0 else threads()


def _share(jobs: int) -> int:
    """Threads of each job: together they have the cores, as in :mod:`podium.search`."""
    return max(1, threads() // jobs)


def _outcome(cache: Cache, key: str) -> Outcome:
    outcome = cache.find(key)
    if outcome is None:
        raise DataError(f"{cache.path(key)} was there a moment ago and is gone or damaged; run the experiment again")
    return outcome


# ---- one trial, here or in a worker ----


@final
@dataclass(frozen=True)
class _Task:
    """All that a worker needs for one trial."""

    plan: Plan
    lesson: Lesson
    measure: str
    cache: Cache
    is_patient: bool
    parent: int
    threads: int


def _over(tasks: Iterable[_Task], jobs: int) -> Iterator[tuple[str, float | None]]:
    """The tasks done one after the other here, or several at a time in processes of their own."""
    if jobs == 1:
        yield from map(_work, tasks)
        return
    from joblib import Parallel, delayed

    # copy-on-write maps of large arrays: a read-only one would be another type for the compiler, and compiled anew
    run = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered", mmap_mode="c")
    try:
        yield from run(delayed(_work)(task) for task in tasks)
    except BrokenExecutor:
        raise DataError("a worker was ended, perhaps for want of memory; what is done is kept; try --jobs 1") from None


def _work(task: _Task) -> tuple[str, float | None]:
    """Train one trial and keep its outcome: the key, and the seconds it took; None if another process is at it."""
    if os.getpid() != task.parent:
        _be_a_worker(task)
    key, cache = task.plan.key, task.cache
    with cache.locked(key, is_patient=task.is_patient) as is_ours:
        if not is_ours:
            return key, None
        outcome = cache.find(key)  # another process may have been quicker
        if outcome is None:
            outcome = train(task.plan.trial, _plain_arrays(task.lesson), task.measure)
            cache.keep(key, outcome)
        return key, outcome.seconds


def _be_a_worker(task: _Task) -> None:
    """In a process of its own: share the cores, leave Ctrl-C to the parent, and end with it."""
    if os.getppid() != task.parent:
        os._exit(1)
    _follow(task.parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if threads() != task.threads:
        set_threads(task.threads)


@functools.cache
def _follow(parent: int) -> None:
    """End this process soon after its parent has gone, however that went: nobody waits for a killed one's workers."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _plain_arrays(lesson: Lesson) -> Lesson:
    """Arrays that joblib mapped from a file as the plain arrays they are: kernels are called faster with those."""
    return replace(lesson, train=_plain_data(lesson.train), vali=_plain_data(lesson.vali))


def _plain_data(data: Dataset) -> Dataset:
    return replace(data, features=np.asarray(data.features), labels=np.asarray(data.labels), offsets=np.asarray(data.offsets))
