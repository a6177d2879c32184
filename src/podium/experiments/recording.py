"""What is written of a run: its facts, and a row for every trial."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from podium.experiments.config import config_to_dict
from podium.experiments.curves import point_name
from podium.experiments.data import FoldData, digest
from podium.experiments.facts import Columns, Config
from podium.experiments.planning import Plan
from podium.experiments.trials import Outcome, Trial
from podium.experiments.versions import code_digest, commit, versions

__all__ = ["cost_columns", "run_facts", "trial_columns"]


def run_facts(config: Config, text: str, folds: Sequence[FoldData]) -> dict[str, Any]:
    """All that is needed to run it again, and to see whether it is the same; no place or time of this machine."""
    data = "" if config.data.synthetic is not None else " --data DIR"
    return {
        "config": config_to_dict(config),
        "config_text": text,
        "versions": versions(),
        "code": code_digest(),
        "commit": commit(),
        "data": {fold.name: {"train": digest(fold.train), "vali": digest(fold.vali), "test": digest(fold.test)} for fold in folds},
        "seeds": list(config.seeds),
        "command": f"podium experiment {shlex.quote(f'{config.name}.toml')}{data}",
    }


def trial_columns(config: Config, plans: Sequence[Plan], outcomes: Sequence[Outcome], chosen: Sequence[int]) -> Columns:
    """Every trial with its validation value; ``chosen`` are the places of those that were chosen."""
    return {
        "run": np.full(len(plans), config.name, dtype=object),
        **_places([one.trial for one in plans]),
        "validation": np.array([outcome.validation for outcome in outcomes]),
        "is_chosen": np.isin(np.arange(len(plans)), chosen),
        "iterations": np.array([outcome.iterations for outcome in outcomes], dtype=np.int64),
        "judgments": np.array([-1 if one.judgments is None else one.judgments for one in plans], dtype=np.int64),
        "key": _texts(one.key for one in plans),
    }


def cost_columns(plans: Sequence[Plan], outcomes: Sequence[Outcome]) -> Columns:
    """What every trial took when it was trained."""
    return {
        **_places([one.trial for one in plans]),
        "seconds": np.array([outcome.seconds for outcome in outcomes]),
        "peak_bytes": np.array([outcome.peak_bytes for outcome in outcomes], dtype=np.int64),
        "key": _texts(one.key for one in plans),
    }


def _places(trials: Sequence[Trial]) -> Columns:
    return {
        "fold": _texts(trial.fold for trial in trials),
        "algorithm": _texts(trial.arm.name for trial in trials),
        "point": _texts(point_name(trial.point) for trial in trials),
        "seed": np.array([trial.seed for trial in trials], dtype=np.int64),
        "setting": _texts(trial.setting for trial in trials),
    }


def _texts(values: Iterable[str]) -> Any:
    return np.array(list(values), dtype=object)
