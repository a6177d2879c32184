"""Measuring: the models that were chosen score the test queries. Here, after all choices are made, the test part is looked at first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podium import measures
from podium.dataset import Dataset
from podium.experiments.curves import point_name
from podium.experiments.facts import Columns, Config
from podium.experiments.trials import Trial
from podium.experiments.truths import as_truth
from podium.scorers.models import model_from_bytes

__all__ = ["measured"]


def measured(config: Config, chosen: Sequence[tuple[Trial, bytes]], tests: dict[str, Dataset]) -> Columns:
    """The long table: a row for every chosen model, measure and test query; ``tests`` are the test parts by fold."""
    truths: dict[tuple[str, int], Dataset] = {}
    blocks: list[Columns] = []
    for trial, model in chosen:
        place = (trial.fold, trial.seed)
        if place not in truths:
            truths[place] = as_truth(tests[trial.fold], config.truth.test, k=config.truth.k, seed=trial.seed)
        blocks.append(_block(config, trial, model, truths[place]))
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def _block(config: Config, trial: Trial, model: bytes, test: Dataset) -> Columns:
    scores = model_from_bytes(model).scores(test.features, test.offsets)
    found = measures.evaluate(config.measures, scores, test.labels, test.offsets)
    queries, rows = np.array(test.query_ids.tolist(), dtype=object), test.n_queries * len(found)
    return {
        "run": np.full(rows, config.name, dtype=object),
        "fold": np.full(rows, trial.fold, dtype=object),
        "query": np.tile(queries, len(found)),
        "algorithm": np.full(rows, trial.arm.name, dtype=object),
        "setting": np.full(rows, trial.setting, dtype=object),
        "measure": np.repeat(np.array(list(found), dtype=object), test.n_queries),
        "value": np.concatenate(list(found.values())),
        "point": np.full(rows, point_name(trial.point), dtype=object),
        "seed": np.full(rows, trial.seed, dtype=np.int64),
    }
