"""Train a ranker on top-10 truth, choose its penalty on validation queries, save it, and rank new documents.

    python examples/train_and_rank.py train.txt vali.txt new.txt

Without arguments it uses a synthetic collection.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import podium
from podium.search import grid_of, search
from podium.training.watching import Validation


def main(*paths: str) -> list[str]:
    if paths:
        train, valid, new = (podium.open_dataset(path) for path in paths)
    else:
        train, valid, new = podium.synthetic(queries=60, documents=50, seed=0).split(0.5, 0.3, 0.2, seed=0)
    found = search("hom-og", grid_of("hom-og", "default"), train.top_k(10), Validation(valid.top_k(10), "k-ndcg@10"))
    for trial in found.trials:
        print(f"{trial.settings}: k-ndcg@10 on validation {trial.validation:.4f}")
    ranker = podium.Ranker("hom-og", **found.best.settings).fit(train.top_k(10))
    with tempfile.TemporaryDirectory() as folder:
        ranker.save(Path(folder) / "model.json")
        ranker = podium.load(Path(folder) / "model.json")
    first = new.select_queries(slice(0, 1))
    best = [first.document_ids[int(row)] for row in ranker.rank(first)[:10]]
    print(f"query {first.query_ids[0]}: {' '.join(best)}")
    return best


if __name__ == "__main__":
    main(*sys.argv[1:])
