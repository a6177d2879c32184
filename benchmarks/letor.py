"""``python -m benchmarks.letor FOLDER [--jobs N] [--write]``: our rankers on LETOR's folds, beside published figures.

FOLDER holds OHSUMED2 and MQ2008, each with Fold1 … Fold5, and, if they are there, measures/OHSUMED2 with the publisher's tables and
measures/MQ2008 with the scores of other rankers.
Settings are chosen in each fold on its validation queries only. ``--write`` puts the tables into docs/letor.md.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from podium import algorithms, measures
from podium.search import grid_of, search_folds
from podium.sources.catalogue import Fold, read_folds
from podium.training.watching import Validation

PAGE = Path(__file__).parents[1] / "docs" / "letor.md"
SEED = 0


@dataclass(frozen=True)
class Row:
    """One line of a table: what to train, what a paper printed for it (by column), and the publisher's table of it."""

    name: str
    algorithm: str
    settings: dict[str, Any] = field(default_factory=dict)
    paper: str = ""
    printed: dict[str, float] = field(default_factory=dict)
    publisher: str = ""


@dataclass(frozen=True)
class Collection:
    """One collection: how it is measured."""

    name: str
    title: str
    measures: dict[str, str]  # column: measure
    chosen_by: str
    rows: list[Row]


def _printed(n1: float, n3: float, n10: float, map_: float | None = None) -> dict[str, float]:
    return {"N@1": n1, "N@3": n3, "N@10": n10} | ({} if map_ is None else {"MAP": map_})


_BREAK = {"ties": "break"}
ROWS = [
    Row("ListMLE", "listmle", {}, "004", _printed(0.548, 0.473, 0.446)),
    Row("ListMLE, ties broken", "listmle", _BREAK, "004", _printed(0.548, 0.473, 0.446)),
    Row("top-1 ListMLE", "top-k-listmle", {"k": 1}, "004", _printed(0.529, 0.482, 0.447)),
    Row("top-3 ListMLE", "top-k-listmle", {"k": 3}, "004", _printed(0.535, 0.484, 0.445)),
    Row("top-10 ListMLE", "top-k-listmle", {"k": 10}, "004", _printed(0.558, 0.473, 0.444)),
    Row("top-10 ListMLE, ties broken", "top-k-listmle", {"k": 10, **_BREAK}, "004", _printed(0.558, 0.473, 0.444)),
    Row("ListNet", "listnet", {}, "004", _printed(0.523, 0.477, 0.448), "ListNet"),
    Row("RankCosine", "rankcosine", {}, "004", _printed(0.523, 0.475, 0.437)),
    Row("RankNet", "ranknet"),
    Row("CS-ListMLE@1", "cs-listmle", {"k": 1}, "002", _printed(0.555, 0.482, 0.446, 0.442)),
    Row("CS-ListMLE@3", "cs-listmle", {"k": 3}, "002", _printed(0.539, 0.480, 0.446, 0.444)),
    Row("CS-ListMLE@5", "cs-listmle", {"k": 5}, "002", _printed(0.548, 0.468, 0.438, 0.443)),
    Row("CS-ListMLE@10", "cs-listmle", {"k": 10}, "002", _printed(0.536, 0.471, 0.439, 0.443)),
    Row("top-10 ListNet", "top-k-listnet", {"k": 10}),
    Row("top-10 RankCosine", "top-k-rankcosine", {"k": 10}),
    Row("HOM-GG", "hom-gg", {"k": 10}),
    Row("HOM-OO", "hom-oo", {"k": 10}),
    Row("HOM-OG", "hom-og", {"k": 10}),
    Row("FocusedNet", "focused-net", {"k": 10}),
    Row("Ranking SVM", "ranksvm", publisher="RankSVM"),
    Row("SVM-MAP", "svmmap"),
    Row("FocusedSVM", "focused-svm", {"k": 10}),
    Row("RankBoost", "rankboost", publisher="RankBoost"),
    Row("AdaRank, MAP", "adarank", {"target": "map"}, publisher="AdaRank.MAP"),
    Row("AdaRank, NDCG", "adarank", {"target": "ndcg@10"}, publisher="AdaRank.NDCG"),
    Row("AdaRank, NDCG, as printed", "adarank", {"target": "ndcg@10", "repeats": 0}, publisher="AdaRank.NDCG"),
    Row("FocusedBoost", "focused-boost", {"k": 10}),
    Row("top-10 CPS", "top-k-cps", {"k": 10}),
]  # fmt: skip
COLLECTIONS = [
    Collection(
        "OHSUMED2",
        "OHSUMED (LETOR 2.0: the data of papers 002 and 004), LETOR's NDCG",
        {"N@1": "ndcg@1[letor]", "N@3": "ndcg@3[letor]", "N@10": "ndcg@10[letor]", "MAP": "map", "P@1": "p@1", "P@10": "p@10"},
        "ndcg@10[letor]",
        ROWS,
    ),
    Collection(
        "MQ2008",
        "MQ2008 (LETOR 4.0), the standard NDCG",
        {"N@1": "ndcg@1", "N@3": "ndcg@3", "N@10": "ndcg@10", "MAP": "map", "P@1": "p@1", "P@10": "p@10"},
        "ndcg@10",
        [Row(row.name, row.algorithm, row.settings) for row in ROWS],
    ),
]


def evaluate(collection: Collection, row: Row, folds: Sequence[Fold], jobs: int = 1) -> dict[str, float]:
    """The mean over folds of each column, on the test queries, with settings chosen on the validation queries."""
    scaling = {"scaling": "minmax"} if "scaling" in algorithms.get(row.algorithm).settings else {}
    settings = grid_of(row.algorithm, "default", {**scaling, **row.settings})
    parts = [(fold.train(), Validation(fold.vali(), collection.chosen_by)) for fold in folds]
    found = search_folds(row.algorithm, settings, parts, seed=SEED, jobs=jobs)
    names = list(collection.measures.values())
    values = []
    for fold, result in zip(folds, found, strict=True):
        test = fold.test()
        scores = result.best.model.scores(test.features, test.offsets)
        per_query = measures.evaluate(names, scores, test.labels, test.offsets)
        values.append([measures.mean(per_query[name]) for name in names])
    return dict(zip(collection.measures, np.mean(values, axis=0).tolist(), strict=True))


def published(collection: Collection, folds: Sequence[Fold], folder: Path) -> dict[str, dict[str, float]]:
    """The same columns for score files of other rankers, where there are any."""
    table = {}
    for ranker in sorted({path.name.split(".")[0] for path in folder.glob("*.scores.txt")}):
        values = []
        for fold in folds:
            test = fold.test()
            scores = test.from_input_order(np.loadtxt(folder / f"{ranker}.{fold.name}.test.scores.txt"))
            per_query = measures.evaluate(list(collection.measures.values()), scores, test.labels, test.offsets)
            values.append([measures.mean(per_query[name]) for name in collection.measures.values()])
        table[ranker] = dict(zip(collection.measures, np.mean(values, axis=0).tolist(), strict=True))
    return table


def publishers(path: Path) -> dict[str, float]:
    """The averages over folds on test queries, of a table of LETOR 2.0: N@l, P@l and MAP."""
    found: dict[str, float] = {}
    head: list[str] = []
    with path.open(newline="") as file:
        for line in csv.reader(file):
            if line[0] == "Trials":
                head = line
            elif line[0] == "Average":
                found = {
                    **dict(zip((name.replace("NDCG", "N") for name in head[1:]), map(float, filter(None, line[1:])), strict=False)),
                    **found,
                }
    return found  # training and validation queries come after: what was there first, stays


def markdown(collection: Collection, folder: Path, jobs: int) -> str:
    """One table; rows of papers stand below ours."""
    folds = read_folds(folder / collection.name)
    lines = [
        f"### {collection.title}",
        "",
        "| algorithm | " + " | ".join(collection.measures) + " |",
        "| --- |" + " --- |" * len(collection.measures),
    ]
    for row in collection.rows:
        start = time.perf_counter()
        found = evaluate(collection, row, folds, jobs)
        lines.append(f"| {row.name} | " + " | ".join(f"{value:.3f}" for value in found.values()) + " |")
        table = folder / "measures" / collection.name / f"ReferenceAlgs_OHSUMED__{row.publisher}.csv"
        others = [(f"paper {row.paper}", row.printed)] if row.printed else []
        others += [(f"LETOR's {row.publisher}", publishers(table))] if row.publisher and table.exists() else []
        for name, theirs in others:
            cells = [
                f"{theirs[column]:.3f} ({found[column] - theirs[column]:+.3f})" if column in theirs else ""
                for column in collection.measures
            ]
            lines.append(f"| *— {name} (ours less theirs)* | " + " | ".join(cells) + " |")
        print(f"{collection.name} {row.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    for ranker, found in published(collection, folds, folder / "measures" / collection.name).items():
        lines.append(f"| *{ranker}, scores of others* | " + " | ".join(f"{value:.3f}" for value in found.values()) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.letor", description="Rankers on LETOR's folds, beside papers.")
    parser.add_argument("folder", type=Path, help="with OHSUMED2 and MQ2008 inside")
    parser.add_argument("--jobs", type=int, default=2, help="trials at a time (2)")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/letor.md")
    asked = parser.parse_args()
    tables = "\n\n".join(markdown(collection, asked.folder, asked.jobs) for collection in COLLECTIONS)
    print(tables)
    if asked.write:
        part = f"<!-- measured -->\n{tables}\n<!-- end -->"
        PAGE.write_text(re.sub(r"<!-- measured -->.*?<!-- end -->", lambda _: part, PAGE.read_text(), flags=re.DOTALL))


if __name__ == "__main__":
    main()
