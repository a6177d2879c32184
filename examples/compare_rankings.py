"""Compare rankings of a LETOR file by several measures, with tests, and write a report.

    python examples/compare_rankings.py Fold1/test.txt report.html

Without arguments it uses a synthetic collection.
"""

from __future__ import annotations

import sys
from pathlib import Path

import podium
from podium.reports.pages import evaluation_page
from podium.results import compare_runs

MEASURES = ["ndcg@10", "map", "err@10"]


def main(source: str | None = None, page: str = "report.html") -> podium.Results:
    data = podium.open_dataset(source) if source else podium.synthetic(queries=40, documents=50, seed=0).top_k(10)
    results = podium.Results()
    for column in range(min(3, data.n_features)):  # put your own rankers' scores here, one number a row
        values = podium.measures.evaluate(MEASURES, data.features[:, column], data.labels, data.offsets)
        results.add(data.feature_names[column], data.query_ids, values)
    comparisons = compare_runs(results, baseline=results.runs[0])
    for (run, measure), (found, p) in comparisons.items():
        print(f"{run} against {results.runs[0]}, {measure}: {found.difference:+.4f} ({found.low:+.4f} … {found.high:+.4f}), p = {p:.4f}")
    text = evaluation_page(results, title="Three features", lead=source or "synthetic", comparisons=comparisons, baseline=results.runs[0])
    Path(page).write_text(text)
    return results


if __name__ == "__main__":
    main(*sys.argv[1:])
