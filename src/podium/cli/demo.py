"""``podium demo``: the main job end to end on built-in data."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import write_text
from podium.version import __version__

if TYPE_CHECKING:
    from podium.dataset import Dataset
    from podium.results import Results

__all__ = ["demo"]

_MEASURES = ("k-ndcg@10", "k-err", "top-k-loss@1", "p@10", "map", "tau")
_SHOWN = 3  # features shown beside the random ranker


@click.command(epilog="Example: podium demo --queries 50 --out first-look")
@click.option("--queries", type=click.IntRange(min=5), default=200, show_default=True)
@click.option("--documents", type=click.IntRange(min=20), default=100, show_default=True, help="Documents of each query.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True, help="Folder for the report and the data.")
def demo(queries: int, documents: int, seed: int, out: Path) -> None:
    """Make a synthetic collection, rank it by single features and at random, and show table and report."""
    from podium.reports.text import number, text_table
    from podium.sources.letor_writing import write_letor
    from podium.sources.synthetic import synthetic

    click.echo(f"1. Making a collection: {queries} queries of {documents} documents with 46 features, seed {seed}.")
    data = synthetic(queries, documents, seed=seed).top_k(10)
    out.mkdir(parents=True, exist_ok=True)
    write_letor(data, out / "collection.txt")
    click.echo("2. Keeping the order of the best 10 of each query as the truth, as top-k labelling would give it.")
    choosing, testing = data.split(0.5, 0.5, seed=seed)
    best = _best_features(choosing)
    click.echo(f"3. Ranking by single features (the {_SHOWN} best on half of the queries) and at random.")
    results = _measure(testing, best, seed)
    click.echo(f"4. Measuring on the {testing.n_queries} other queries.\n")
    write_text(out / "report.html", _page(results, f"podium demo --queries {queries} --documents {documents} --seed {seed}", seed))
    rows = [[run, *(number(results.mean(run, measure)) for measure in _MEASURES)] for run in results.runs]
    click.echo(text_table(["run", *_MEASURES], rows))
    click.echo(f"\nReport  {(out / 'report.html').resolve()}  (open it in a browser)")
    click.echo(_what_next(out / "collection.txt", best))


def _best_features(data: Dataset) -> list[int]:
    from podium import measures

    means = [measures.mean(measures.evaluate("k-ndcg@10", column, data.labels, data.offsets)["k-ndcg@10"]) for column in data.features.T]
    return sorted(range(data.n_features), key=lambda feature: -means[feature])[:_SHOWN]


def _measure(data: Dataset, features: list[int], seed: int) -> Results:
    import numpy as np

    from podium import measures
    from podium.results import Results

    results = Results()
    runs: list[tuple[str, Any]] = [
        ("random", np.random.default_rng(seed).random(data.n_rows)),
        *((f"feature {j + 1}", data.features[:, j]) for j in features),
    ]
    for name, scores in runs:
        results.add(name, data.query_ids, measures.evaluate(_MEASURES, scores, data.labels, data.offsets))
    return results


def _page(results: Results, command: str, seed: int) -> str:
    from podium.reports.pages import evaluation_page
    from podium.results import compare_runs

    queries = len(results.values("random", _MEASURES[0]))
    return evaluation_page(
        results,
        title="Podium: a first look",
        lead=f"The {_SHOWN} best single features (chosen on half of the queries) and a random ranker, on the {queries} other queries "
        f"of a synthetic collection with top-10 truth; seed {seed}.",
        comparisons=compare_runs(results, "random", seed=seed),
        baseline="random",
        footer=f"Made by Podium {__version__} with: {command}",
    )


def _what_next(collection: Path, best: list[int]) -> str:
    found = shutil.which("podium")
    called = Path(sys.argv[0])
    program = "podium" if found and called.exists() and Path(found).samefile(called) else os.path.relpath(called)
    steps = [
        (f"{program} describe {collection}", "what a collection holds"),
        (f"{program} evaluate {collection} --feature {best[0] + 1} --feature {best[1] + 1}", "compare two rankings, with tests"),
        (f"{program} evaluate --list", "every measure and its conventions"),
    ]
    width = max(len(command) for command, _ in steps)
    return "\n".join(["\nWhat next:", *(f"  {command.ljust(width)}   {purpose}" for command, purpose in steps)])
