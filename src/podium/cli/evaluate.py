"""``podium evaluate``: measure rankings, and say whether they differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import json_option, load, print_json, write_text
from podium.errors import DataError, FileError
from podium.version import __version__

if TYPE_CHECKING:
    from podium.results import Comparison, Comparisons, Results

__all__ = ["evaluate"]

_DEFAULT = ("ndcg@10", "map", "err@10", "p@10")
_CORRECTIONS = ("holm", "bonferroni", "fdr", "none")  # checked against the table by a test


@click.command(
    epilog="Examples: podium evaluate Fold1/test.txt --scores a.txt --scores b.txt -m ndcg@10 -m map   |   "
    "podium evaluate --qrels judgments.txt --run bm25.run --run ours.run --report page.html"
)
@click.argument("data", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--scores", "score_files", multiple=True, type=click.Path(path_type=Path), help="A score a line, in DATA's order. Repeatable."
)
@click.option("--feature", "features", multiple=True, type=click.IntRange(min=1), help="Rank DATA by this feature. Repeatable.")
@click.option("--qrels", type=click.Path(path_type=Path), help="TREC judgments, instead of DATA.")
@click.option("--run", "runs", multiple=True, type=click.Path(path_type=Path), help="A TREC run, with --qrels. Repeatable.")
@click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    help=f"Such as ndcg@10, ndcg@10[letor], k-err, map. Repeatable. [default: {' '.join(_DEFAULT)}]",
)
@click.option("--baseline", help="The run that others are compared with. [default: the first]")
@click.option("--correction", type=click.Choice(_CORRECTIONS), default="holm", show_default=True, help="For making several comparisons.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the randomisation test and the bootstrap.")
@click.option("--per-query", type=click.Path(path_type=Path), help="Write every value to this CSV file (run, fold, query, measure, value).")
@click.option("--report", type=click.Path(path_type=Path), help="Write an HTML page with table and charts.")
@click.option("--list", "list_measures", is_flag=True, help="List the measures and their options.")
@json_option
def evaluate(
    data: tuple[Path, ...], score_files: tuple[Path, ...], features: tuple[int, ...], qrels: Path | None, runs: tuple[Path, ...],
    names: tuple[str, ...], baseline: str | None, correction: Any, seed: int, per_query: Path | None, report: Path | None,
    list_measures: bool, as_json: bool,
) -> None:  # fmt: skip
    """Measure rankings of DATA (a collection), or of TREC runs; with several, compare them with the first."""
    from podium import measures
    from podium.results import compare_runs

    if list_measures:
        click.echo(measure_list())
        return
    chosen = [str(measures.get(name)) for name in names or _DEFAULT]
    if qrels is not None:
        if data or score_files or features or not runs:
            raise click.UsageError("with --qrels give one --run or more, and neither DATA, --scores nor --feature")
        results = _from_trec(qrels, runs, chosen)
    else:
        if not data or runs or not (score_files or features):
            raise click.UsageError("give DATA with --scores or --feature, or --qrels with --run; see podium evaluate --help")
        results = _from_data(data, score_files, features, chosen)
    comparisons = {}
    if len(results.runs) > 1:
        baseline = baseline or results.runs[0]
        comparisons = compare_runs(results, baseline, correction=correction, seed=seed)
    if per_query is not None:
        write_text(per_query, results.to_csv())
    if report is not None:
        write_text(report, _page(results, comparisons, baseline, correction, [*data, *filter(None, [qrels])]))
    if as_json:
        print_json(as_dictionary(results, comparisons, baseline, correction))
    else:
        click.echo(as_table(results, comparisons, baseline, correction))
        for path in filter(None, (per_query, report)):
            click.echo(f"written: {path}")


def measure_list() -> str:
    """Every measure with its options, from the table and the functions' signatures."""
    from podium.measures import MEASURES
    from podium.measures.names import options_of
    from podium.reports.text import text_table

    rows = []
    for name, entry in MEASURES.items():
        options = options_of(entry.function)
        cutoff = "" if "cutoff" not in options else ("@l" if options["cutoff"].is_required else "[@l]")
        said = [*entry.presets, *(f"{key}={option.spelling()}" for key, option in options.items() if key != "cutoff")]
        rows.append([name + cutoff, entry.meaning, " ".join(said), entry.source])
    return text_table(["measure", "meaning", "options", "source"], rows, left=4)


def _from_data(paths: tuple[Path, ...], score_files: tuple[Path, ...], features: tuple[int, ...], chosen: list[str]) -> Results:
    from podium import measures
    from podium.results import Results

    data, results = load(paths), Results()
    named: list[tuple[str, Any]] = [
        (_run_name(path, score_files), data.from_input_order(read_scores(path, data.n_rows))) for path in score_files
    ]
    for feature in features:
        if feature > data.n_features:
            raise DataError(f"there is no feature {feature}; {paths[0]} has {data.n_features}")
        named.append((f"feature {feature}", data.features[:, feature - 1]))
    for name, scores in named:
        results.add(name, data.query_ids, measures.evaluate(chosen, scores, data.labels, data.offsets))
    return results


def _from_trec(qrels_path: Path, runs: tuple[Path, ...], chosen: list[str]) -> Results:
    from podium import measures
    from podium.results import Results
    from podium.sources import trec

    qrels, results = trec.read_qrels(qrels_path), Results()
    for path in runs:
        judged = trec.judge(trec.read_run(path), qrels)
        for queries, what in (
            (judged.without_run, "have no documents in it and count as nothing found"),
            (judged.without_judgments, "have no judgments and are left out"),
        ):
            if queries:
                click.echo(f"podium: {path}: {len(queries)} queries {what}, such as {queries[0]!r}", err=True)
        results.add(_run_name(path, runs), judged.query_ids, measures.evaluate(chosen, judged.scores, judged.labels, judged.offsets))
    return results


def _run_name(path: Path, others: tuple[Path, ...]) -> str:
    """The file's name, or the whole path where several files have that name."""
    return path.name if sum(other.name == path.name for other in others) == 1 else str(path)


def read_scores(path: Path, rows: int) -> Any:
    """A number a line."""
    import numpy as np

    from podium.sources.streams import read_text

    scores = np.empty(rows)
    lines = read_text(path).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) != rows:
        raise FileError(path, None, f"must have {rows} scores, one a row of the data, got {len(lines)} lines")
    for number, line in enumerate(lines):
        try:
            scores[number] = float(line)
        except ValueError:
            scores[number] = np.nan
        if not np.isfinite(scores[number]):
            raise FileError(path, number + 1, "a score must be a finite number", got=line.strip()[:60])
    return scores


def as_table(results: Results, comparisons: Comparisons, baseline: str | None, correction: str) -> str:
    """Means, then comparisons, then what the measures' names stand for."""
    from podium.measures import get
    from podium.reports.text import number, text_table

    means = [[run, *(number(results.mean(run, measure)) for measure in results.measures)] for run in results.runs]
    parts = [text_table(["run", *results.measures], means)]
    if comparisons:
        head = [f"against {baseline}", "measure", "difference", "95 % interval", "t-test", "randomisation", correction, "win/tie/loss"]
        parts.append(text_table(head, [_compared(*key, *found) for key, found in comparisons.items()], left=2))
    parts.append("\n".join(f"{measure}: {get(measure).convention()}" for measure in results.measures))
    return "\n\n".join(parts)


def _compared(run: str, measure: str, found: Comparison, corrected: float) -> list[str]:
    p_values = [f"{p:.4f}" for p in (found.t_test, found.randomisation, corrected)]
    score = f"{found.wins}/{found.ties}/{found.losses}"
    return [run, measure, f"{found.difference:+.4f}", f"{found.low:+.4f} … {found.high:+.4f}", *p_values, score]


def as_dictionary(results: Results, comparisons: Comparisons, baseline: str | None, correction: str) -> dict[str, Any]:
    """The same for programs."""
    from dataclasses import asdict

    from podium.measures import get

    return {
        "means": {run: {measure: results.mean(run, measure) for measure in results.measures} for run in results.runs},
        "queries": results.n_queries,
        "conventions": {measure: get(measure).convention() for measure in results.measures},
        "baseline": baseline,
        "correction": correction,
        "comparisons": [{"run": run, "measure": measure, **asdict(c), "corrected": p} for (run, measure), (c, p) in comparisons.items()],
    }


def _page(results: Results, comparisons: Comparisons, baseline: str | None, correction: str, sources: list[Path]) -> str:
    from podium.reports.pages import evaluation_page

    return evaluation_page(
        results,
        title="How the rankings compare",
        lead=f"{len(results.runs)} runs on {results.n_queries:,} queries of {', '.join(path.name for path in sources)}",
        comparisons=comparisons,
        baseline=baseline,
        correction=correction,
        footer=f"Made by Podium {__version__}.",
    )
