"""``podium demo``: the main job end to end on built-in data."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import check_target, say_if_compiling, training_bar, write_text
from podium.version import __version__

if TYPE_CHECKING:
    from podium.dataset import Dataset
    from podium.results import Results
    from podium.scorers.models import Model

__all__ = ["demo"]

_MEASURES = ("k-ndcg@10", "k-err", "top-k-loss@1", "p@10", "map", "tau")
_ALGORITHMS = ("ranknet", "listnet", "top-k-listmle", "hom-og", "focused-net")
_BASELINE = "best feature"


@click.command(epilog="Example: podium demo --queries 50 --out first-look")
@click.option("--queries", type=click.IntRange(min=5), default=200, show_default=True)
@click.option("--documents", type=click.IntRange(min=20), default=100, show_default=True, help="Documents of each query.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True, help="Folder for report, models and data.")
def demo(queries: int, documents: int, seed: int, out: Path) -> None:
    """Make a synthetic collection with top-10 truth, train five rankers on half of it, and compare them on the other half."""
    from podium.reports.text import number, text_table
    from podium.sources.letor_writing import write_letor
    from podium.sources.synthetic import synthetic

    check_target(out, is_folder=True)
    say_if_compiling()
    click.echo(f"1. Making a collection: {queries} queries of {documents} documents with 46 features, seed {seed}.")
    data = synthetic(queries, documents, seed=seed).top_k(10)
    learning, testing = data.split(0.5, 0.5, seed=seed)
    out.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", learning), ("test", testing)):
        write_letor(part, out / f"{name}.txt")
    click.echo("2. Keeping the order of the best 10 of each query as the truth, as top-k labelling would give it.")
    click.echo(f"3. Training {', '.join(_ALGORITHMS)} on {learning.n_queries} queries.")
    models = {name: _train(name, learning, seed, out) for name in _ALGORITHMS}
    best = _best_feature(learning)
    results = _measure(testing, models, best, seed)
    click.echo(f"4. Measuring on the {testing.n_queries} other queries, beside a random order and the best single feature ({best + 1}).\n")
    write_text(out / "report.html", _page(results, f"podium demo --queries {queries} --documents {documents} --seed {seed}", seed))
    rows = [[run, *(number(results.mean(run, measure)) for measure in _MEASURES)] for run in results.runs]
    click.echo(text_table(["run", *_MEASURES], rows))
    click.echo(f"\nReport  {(out / 'report.html').resolve()}  (open it in a browser)")
    click.echo(_what_next(out))


def _train(name: str, data: Dataset, seed: int, out: Path) -> Model:
    from podium import algorithms
    from podium.scorers.models import write_model

    with training_bar(name, algorithms.resolve(name, {})["max_iter"]) as callback:
        model = algorithms.fit(name, data, seed=seed, callback=callback)
    write_model(model, out / f"{name}.json")
    return model


def _best_feature(data: Dataset) -> int:
    from podium import measures

    means = [measures.mean(measures.evaluate("k-ndcg@10", column, data.labels, data.offsets)["k-ndcg@10"]) for column in data.features.T]
    return max(range(data.n_features), key=lambda feature: means[feature])


def _measure(data: Dataset, models: dict[str, Model], feature: int, seed: int) -> Results:
    import numpy as np

    from podium import measures
    from podium.results import Results

    results = Results()
    runs: dict[str, Any] = {
        "random": np.random.default_rng(seed).random(data.n_rows),
        _BASELINE: data.features[:, feature],
        **{name: model.scores(data.features, data.offsets) for name, model in models.items()},
    }
    for name, scores in runs.items():
        results.add(name, data.query_ids, measures.evaluate(_MEASURES, scores, data.labels, data.offsets))
    return results


def _page(results: Results, command: str, seed: int) -> str:
    from podium.reports.pages import evaluation_page
    from podium.results import compare_runs

    queries = len(results.values("random", _MEASURES[0]))
    return evaluation_page(
        results,
        title="Podium: a first look",
        lead=f"Five algorithms, trained on half of the queries of a synthetic collection with top-10 truth, beside a random order and the "
        f"best single feature, on the {queries} other queries; seed {seed}.",
        comparisons=compare_runs(results, _BASELINE, seed=seed),
        baseline=_BASELINE,
        footer=f"Made by Podium {__version__} with: {command}",
    )


def _what_next(out: Path) -> str:
    found = shutil.which("podium")
    called = Path(sys.argv[0])
    program = "podium" if found and called.exists() and Path(found).samefile(called) else os.path.relpath(called)
    steps = [
        (f"{program} describe {out / 'train.txt'}", "what a collection holds"),
        (f"{program} train {out / 'train.txt'} -a hom-og -s k=10 --out model.json", "train one yourself"),
        (f"{program} rank model.json {out / 'test.txt'} --out scores.txt", "score documents with it"),
        (f"{program} evaluate {out / 'test.txt'} --scores scores.txt -m k-ndcg@10", "measure the ranking"),
        (f"{program} algorithms", "everything that can be trained"),
    ]
    width = max(len(command) for command, _ in steps)
    return "\n".join(["\nWhat next:", *(f"  {command.ljust(width)}   {purpose}" for command, purpose in steps)])
