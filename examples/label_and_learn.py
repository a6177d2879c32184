"""Label some queries with few judgments, keep them in a store, and train a ranker on what was found.

The judge here is an oracle that errs in one of ten pairs; put yourself in its place with: podium label.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import podium
from podium.labelling.cost import average_bound
from podium.sources.labels import LabelledQuery, label_dataset
from podium.sources.pools import pools_of


def main() -> None:
    train, test = podium.synthetic(queries=40, documents=60, seed=1).split(0.5, 0.5, seed=1)
    labelled, asked = [], 0
    with tempfile.TemporaryDirectory() as folder, podium.store.open_store(Path(folder) / "labels.db") as store:
        for pool, (_, part) in zip(pools_of(train), train.queries(), strict=True):
            worth = dict(zip(part.document_ids.tolist(), part.labels.tolist(), strict=True))
            noise = podium.assessors.noise_for_accuracy(list(worth.values()), 0.9)
            number = store.add(pool, k=10, strategy="adaptive")
            asked += podium.assessors.label(store.desk(number), podium.assessors.Oracle(worth, noise=noise))
            labelled.append(LabelledQuery(pool.query_id, store.result(number).labels()))
    print(f"{asked / train.n_queries:.0f} judgments a query; no way of asking needs fewer than {average_bound(60, 10):.0f} on average")

    ranker = podium.Ranker("top-k-listmle", k=10, measure="k-ndcg@10").fit(label_dataset(train, labelled))
    exact = podium.Ranker("top-k-listmle", k=10, measure="k-ndcg@10").fit(train.top_k(10))
    print(f"κ-NDCG@10 on other queries: {ranker.score(test.top_k(10)):.3f}, and {exact.score(test.top_k(10)):.3f} from perfect labels")


if __name__ == "__main__":
    main()
