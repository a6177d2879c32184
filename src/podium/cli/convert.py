"""``podium convert``: from one form to another."""

from __future__ import annotations

from pathlib import Path

import click

from podium.cli.console import load, progress_bar

__all__ = ["convert"]

SCALING_NAMES = ("minmax", "zscore", "standard", "none")  # checked against the table by a test; the table would import the compiler


@click.command(epilog="Example: podium convert Fold1/train.txt train.podium --normalise minmax --top-k 10")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(["qrels"]), help="Write TREC judgments instead of what TARGET's ending says.")
@click.option(
    "--normalise",
    type=click.Choice(SCALING_NAMES),
    default="none",
    show_default=True,
    help="Scale features: minmax and zscore within each query, standard over all rows.",
)
@click.option("--fill-missing", is_flag=True, help="Replace NULL by the feature's least value in the query, as LETOR 3.0's MIN files do.")
@click.option("--top-k", type=click.IntRange(min=1), help="Keep only the order of the best K as labels K..1, 0 for the rest.")
@click.option("--break-ties", is_flag=True, help="Turn grades into a full order, ties broken at random.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for breaking ties.")
def convert(
    sources: tuple[Path, ...],
    target: Path,
    form: str | None,
    normalise: str,
    fill_missing: bool,
    top_k: int | None,
    break_ties: bool,
    seed: int,
) -> None:
    """Convert SOURCES (several LETOR files become one) into TARGET; endings say the forms.

    \b
    .txt .letor .svm .dat   LETOR / SVMlight text; add .gz, .xz or .zst to compress
    .podium                 a folder of memory-mapped arrays that opens at once; files larger than memory are streamed
    .parquet .feather       an Arrow table (needs pyarrow)
    """
    import podium.sources as io
    from podium.sources import trec
    from podium.sources.mapped import convert_letor

    target_form = form or io.format_of(target)
    is_plain = normalise == "none" and not (fill_missing or top_k or break_ties)
    if target_form == "podium" and is_plain and all(io.format_of(path) == "letor" for path in sources):
        with progress_bar(f"converting {sources[0].name}") as progress:
            data = convert_letor(list(sources), target, progress=progress)
    else:
        data = load(sources)
        data = data.fill_missing() if fill_missing else data
        data = data.normalise(normalise)
        data = data.break_ties(seed=seed) if break_ties else data
        data = data.top_k(top_k, seed=seed) if top_k else data
        if target_form == "qrels":
            trec.write_qrels(trec.qrels_of(data), target)
        else:
            io.save_dataset(data, target)
    click.echo(f"{target}: {data.n_queries:,} queries, {data.n_rows:,} documents, {data.n_features:,} features")
