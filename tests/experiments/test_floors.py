"""Rankers on OHSUMED's five folds, as the configs of experiments/ have them: not below the papers by more than a hundredth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from podium.experiments.config import read_config
from podium.experiments.facts import Config, RankerSpec
from podium.experiments.files import read_run
from podium.experiments.running import run_experiment

FOLDER = Path(__file__).parents[2] / "experiments"
TABLES = ("004_table1_ohsumed", "004_table4_ohsumed", "002_table1_ohsumed", "002_table4_ohsumed")
N1, N10 = "ndcg@1[letor]", "ndcg@10[letor]"
PRINTED = {  # N@10, of two papers the higher
    "ListMLE": 0.446, "top-1 ListMLE": 0.447, "top-3 ListMLE": 0.445, "top-10 ListMLE": 0.444,
    "RankBoost": 0.435, "Ranking SVM": 0.441, "ListNet": 0.449, "RankCosine": 0.437, "AdaRank": 0.437,
    "CS-ListMLE@1": 0.446, "CS-ListMLE@3": 0.446, "CS-ListMLE@5": 0.438, "CS-ListMLE@10": 0.439,
}  # fmt: skip


def with_rankers(config: Config, rankers: list[RankerSpec]) -> Config:
    """The config for other rankers, and two measures; what is printed of them needs more."""
    rankers = [replace(ranker, printed=()) for ranker in rankers]
    return replace(config, rankers=tuple(rankers), baseline=rankers[0].name, measures=(N1, N10), claims=())


def means(config: Config, data: Path, out: Path) -> dict[tuple[str, str], float]:
    """The mean over folds, by ranker and measure, on test queries."""
    rows = read_run(run_experiment(config, data=data, out=out, jobs=1)).rows
    folds = sorted(set(rows["fold"]))
    assert len(folds) == 5
    return {
        (ranker.name, measure): float(
            np.mean([
                rows["value"][(rows["algorithm"] == ranker.name) & (rows["measure"] == measure) & (rows["fold"] == fold)].mean()
                for fold in folds
            ])
        )
        for ranker in config.rankers
        for measure in config.measures
    }  # fmt: skip


def test_no_ranker_of_the_tables_is_more_than_a_hundredth_below_its_paper(benchmark_data: Path, tmp_path: Path) -> None:
    tables = [read_config(FOLDER / f"{name}.toml") for name in TABLES]
    rankers = {ranker.name: ranker for table in tables for ranker in table.rankers}
    config = with_rankers(tables[0], [rankers[name] for name in PRINTED])
    found = means(config, benchmark_data, tmp_path)
    below = {name: found[name, N10] - printed for name, printed in PRINTED.items() if found[name, N10] < printed - 0.010}
    assert not below


def test_the_best_of_ours_is_not_below_the_best_of_the_papers(benchmark_data: Path, tmp_path: Path) -> None:
    config = read_config(FOLDER / "ours_best_ohsumed.toml")
    best = [ranker for ranker in config.rankers if ranker.name in ("SVM-MAP", "AdaRank, NDCG")]
    found = means(with_rankers(config, best), benchmark_data, tmp_path)
    assert found["AdaRank, NDCG", N10] >= 0.449  # paper 002: ListNet
    assert found["SVM-MAP", N1] >= 0.558  # paper 004: top-10 ListMLE
