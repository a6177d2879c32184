"""``podium demo``: the main job end to end on built-in data."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import check_target, progress_bar, say_if_compiling, training_bar, write_text
from podium.version import __version__

if TYPE_CHECKING:
    from podium.dataset import Dataset
    from podium.results import Results
    from podium.scorers.models import Model

__all__ = ["demo"]

_MEASURES = ("k-ndcg@10", "k-err", "top-k-loss@1", "p@10", "map", "tau")
_ALGORITHMS = ("ranknet", "listnet", "top-k-listmle", "hom-og", "focused-net")
_BASELINE = "best feature"
_STRATEGIES = ("heap", "adaptive")  # the last one's labels are learnt from
_ACCURACY = 0.95  # of the judge, over all pairs of a query


@click.command(epilog="Example: podium demo --queries 50 --out first-look")
@click.option("--queries", type=click.IntRange(min=5), default=200, show_default=True)
@click.option("--documents", type=click.IntRange(min=20), default=100, show_default=True, help="Documents of each query.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True, help="Folder for report, models and data.")
def demo(queries: int, documents: int, seed: int, out: Path) -> None:
    """Label half of a synthetic collection with few judgments, train five rankers on the labels, and compare them on the other half."""
    from podium.reports.text import number, text_table
    from podium.sources.letor_writing import write_letor
    from podium.sources.synthetic import synthetic

    check_target(out, is_folder=True)
    say_if_compiling()
    click.echo(f"1. Making a collection: {queries} queries of {documents} documents with 46 features, seed {seed}.")
    unlabelled, testing = synthetic(queries, documents, seed=seed).split(0.5, 0.5, seed=seed)
    testing = testing.top_k(10)
    out.mkdir(parents=True, exist_ok=True)
    click.echo(f"2. Asking a judge who errs in {1 - _ACCURACY:.0%} of all pairs for the best 10 of each of {unlabelled.n_queries} queries;")
    click.echo("   with adaptive the judge may also say that both are bad, which the worse 60 % of the documents are.\n")
    labelled = {strategy: _label(unlabelled, strategy, seed) for strategy in _STRATEGIES}
    click.echo(
        text_table(["strategy", "judgments a query", "right in the top 10", "k-ndcg@10 of the labels"], _costs(unlabelled, labelled))
    )
    learning = labelled[_STRATEGIES[-1]][0]
    for name, part in (("train", learning), ("test", testing)):
        write_letor(part, out / f"{name}.txt")
    click.echo(f"\n3. Training {', '.join(_ALGORITHMS)} on what {_STRATEGIES[-1]} found.")
    models = {name: _train(name, learning, seed, out) for name in _ALGORITHMS}
    best = _best_feature(learning)
    results = _measure(testing, models, best, seed)
    click.echo(f"4. Measuring on the {testing.n_queries} other queries against their true top 10, beside a random order and the best")
    click.echo(f"   single feature ({best + 1}).\n")
    write_text(out / "report.html", _page(results, f"podium demo --queries {queries} --documents {documents} --seed {seed}", seed))
    rows = [[run, *(number(results.mean(run, measure)) for measure in _MEASURES)] for run in results.runs]
    click.echo(text_table(["run", *_MEASURES], rows))
    click.echo(f"\nReport  {(out / 'report.html').resolve()}  (open it in a browser)")
    click.echo(_what_next(out))


def _label(data: Dataset, strategy: str, seed: int) -> tuple[Dataset, int]:
    """The dataset with the top 10 that a strategy finds by asking, and how many judgments that took; the worse 60 % are plainly bad."""
    import numpy as np

    from podium.assessors import Oracle, label, noise_for_accuracy
    from podium.labelling import TopK
    from podium.sources.labels import LabelledQuery, label_dataset

    found, judgments = [], 0
    with progress_bar(strategy) as progress:
        for number, (query, part) in enumerate(data.queries(), start=1):
            worth = dict(zip(part.document_ids.tolist(), part.labels.tolist(), strict=True))
            noise = noise_for_accuracy(part.labels.tolist(), _ACCURACY)
            task = TopK(list(worth), k=10, strategy=strategy, seed=seed)
            judgments += label(task, Oracle(worth, noise=noise, bad_below=float(np.quantile(part.labels, 0.6)), seed=seed))
            found.append(LabelledQuery(query, task.result().labels()))
            progress(number, data.n_queries)
    return label_dataset(data, found), judgments


def _costs(truth: Dataset, labelled: dict[str, tuple[Dataset, int]]) -> list[list[str]]:
    from podium import measures

    top = truth.top_k(10)
    rows = []
    for strategy, (data, judgments) in labelled.items():
        values = measures.evaluate(["p@10", "k-ndcg@10"], data.labels, top.labels, top.offsets)
        quality = [f"{measures.mean(values[name]):.3f}" for name in ("p@10", "k-ndcg@10")]
        rows.append([strategy, f"{judgments / truth.n_queries:.1f}", *quality])
    return rows


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
        lead=f"Five algorithms, trained on half of the queries of a synthetic collection, whose top 10 a judge who errs was asked for, "
        f"beside a random order and the best single feature, on the true top 10 of the {queries} other queries; seed {seed}.",
        comparisons=compare_runs(results, _BASELINE, seed=seed),
        baseline=_BASELINE,
        footer=f"Made by Podium {__version__} with: {command}",
    )


def _what_next(out: Path) -> str:
    found = shutil.which("podium")
    called = Path(sys.argv[0])
    program = "podium" if found and called.exists() and Path(found).samefile(called) else os.path.relpath(called)
    steps = [
        (f"{program} label --help", "collect judgments yourself, or have a model give them"),
        (f"{program} describe {out / 'train.txt'}", "what a collection holds"),
        (f"{program} train {out / 'train.txt'} -a hom-og -s k=10 --out model.json", "train one yourself"),
        (f"{program} rank model.json {out / 'test.txt'} --out scores.txt", "score documents with it"),
        (f"{program} evaluate {out / 'test.txt'} --scores scores.txt -m k-ndcg@10", "measure the ranking"),
        (f"{program} algorithms", "everything that can be trained"),
    ]
    width = max(len(command) for command, _ in steps)
    return "\n".join(["\nWhat next:", *(f"  {command.ljust(width)}   {purpose}" for command, purpose in steps)])
