"""Small runs made from arrays, as a stand-in for experiments: what a report reads, without any training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from podium.experiments.config import config_from_text, config_to_dict
from podium.experiments.files import Run
from podium.measures import get

TABLE = """
title = "Paper 004, Table 4: <b>&</b> rankers | $x$"
about = "Two rankers."
paper = "004"
measures = ["ndcg@10", "wkt"]
choose = "ndcg@10"
baseline = "ListMLE"
notes = ["Ours <i>differs</i>."]
[data]
folder = "OHSUMED2"
[[rankers]]
name = "ListMLE"
algorithm = "listmle"
[[rankers.printed]]
paper = "004"
where = "Table 4"
figures = { "ndcg@10" = 0.5 }
[[rankers]]
name = "Rank_Net <x>"
algorithm = "ranknet"
[[rankers.printed]]
paper = "004"
where = "Table 4"
figures = { "ndcg@10" = 0.5 }
remark = "It stops early"
[[claims]]
paper = "003"
better = "Rank_Net <x>"
than = "ListMLE"
measure = "ndcg@10"
percent = 4.13
on = "MQ2007-list"
"""
CURVE = """
title = "Paper 000, Figure 1"
about = "Quality against k."
paper = "000"
measures = ["ndcg@10"]
choose = "ndcg@10"
baseline = "ListMLE"
seeds = [0, 1]
[data.synthetic]
queries = 40
[truth]
train = "top-k"
test = "full"
[[rankers]]
name = "ListMLE"
algorithm = "listmle"
[[rankers]]
name = "RankNet"
algorithm = "ranknet"
[curve]
over = "k"
points = [1, 10, 100, "full"]
"""

SETTINGS = ("l2=0.1", "l2=1")

Cells = Mapping[tuple[str, str, str], Sequence[Sequence[float]]]  # (arm, point, measure) -> for each fold, a value a query


def made(text: str, cells: Cells, *, name: str = "t", seeds: Mapping[int, float] | None = None, validation: Any = None) -> Run:
    """A run with these values; each seed adds its number to all of them. ``validation`` is by arm and point.

    Every arm and point has two settings in every fold: in odd ones the first is chosen, in even ones the second. Of the trials of the
    n-th arm and point, numbered from 0, trial t takes n (1 + t²) seconds and 2 + t MiB: of two folds, 1, 2, 5 and 10 seconds.
    """
    config = config_from_text(text, name)
    rows: dict[str, list[Any]] = {key: [] for key in ("run", "fold", "query", "algorithm", "setting", "measure", "value", "point", "seed")}
    for seed, more in (seeds or {0: 0.0}).items():
        for (arm, point, measure), folds in cells.items():
            for number, values in enumerate(folds, start=1):
                for query, value in enumerate(values):
                    row = (name, f"Fold{number}", f"q{query}", arm, SETTINGS[1 - number % 2], measure, value + more, point, seed)
                    for column, entry in zip(rows.values(), row, strict=True):
                        column.append(entry)
    n_folds = {(arm, point): len(folds) for (arm, point, _), folds in cells.items()}
    trials, costs = _trials(n_folds, validation or {}, worse=-0.1 if get(config.choose).entry.larger_is_better else 0.1)
    facts = {
        "format": 1, "config": config_to_dict(config), "config_text": text, "versions": {"podium": "0.1"}, "code": "c0de", "commit": "abc",
        "data": {"Fold1": {"train": "d1gest"}}, "seeds": [0], "command": "podium experiment <t>.toml",
    }  # fmt: skip
    numbers = {"value": float, "seed": int}
    return Run(config, facts, {key: np.array(column, dtype=numbers.get(key, object)) for key, column in rows.items()}, trials, costs)


def _trials(
    n_folds: Mapping[tuple[str, str], int], validation: Mapping[tuple[str, str], float], *, worse: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    trials: dict[str, list[Any]] = {name: [] for name in ("fold", "algorithm", "point", "seed", "setting", "is_chosen", "validation")}
    costs: dict[str, list[Any]] = {name: [] for name in ("algorithm", "seconds", "peak_bytes")}
    for nth, ((arm, point), n) in enumerate(n_folds.items(), start=1):
        for place, (fold, setting) in enumerate((fold, setting) for fold in range(1, n + 1) for setting in (0, 1)):
            is_chosen = setting == 1 - fold % 2
            value = validation.get((arm, point), 0.5) + (0 if is_chosen else worse)
            trial = (f"Fold{fold}", arm, point, 0, SETTINGS[setting], is_chosen, value)
            for columns, row in ((trials, trial), (costs, (arm, nth * (1.0 + place**2), (2 + place) * 2**20))):
                for column, entry in zip(columns.values(), row, strict=True):
                    column.append(entry)
    kinds = {"seed": int, "is_chosen": bool, "validation": float, "seconds": float, "peak_bytes": int}
    return tuple({name: np.array(column, dtype=kinds.get(name, object)) for name, column in part.items()} for part in (trials, costs))


def table_run(n_queries: int = 30, gain: float = 0.1) -> Run:
    """Two rankers in two folds; the second is better by ``gain`` on every query, up to a small wobble."""
    base = np.linspace(0.2, 0.7, n_queries)
    wobble = np.where(np.arange(n_queries) % 2, 0.01, -0.01)
    cells = {
        ("ListMLE", "", "ndcg@10"): (base, base),
        ("Rank_Net <x>", "", "ndcg@10"): (base + gain + wobble, base + gain - wobble),
        ("ListMLE", "", "wkt"): (base, base),
        ("Rank_Net <x>", "", "wkt"): (base + gain + wobble, base + gain - wobble),
    }
    return made(TABLE, cells)


def curve_run(means: Mapping[str, Sequence[float]] | None = None, **more: Any) -> Run:
    """Rankers with these means at k = 1, 10, 100 and full, on 20 queries in two folds that differ in a small wobble only."""
    means = means or {"ListMLE": (0.3, 0.5, 0.498, 0.4), "RankNet": (0.2, 0.3, 0.4, 0.45)}
    wobble = 0.01 * np.sin(np.arange(10))
    points = ("1", "10", "100", "full")
    cells = {
        (arm, point, "ndcg@10"): (mean + np.roll(wobble, place + 5 * row), mean - np.roll(wobble, place + 5 * row))
        for row, (arm, line) in enumerate(means.items())
        for place, (point, mean) in enumerate(zip(points, line, strict=True))
    }
    return made(CURVE, cells, **more)


JUDGMENTS = CURVE.replace('over = "k"', 'over = "judgments"').replace('100, "full"]', "100]") + '[labelling]\nstrategies = ["heap"]\n'
