"""``podium rank``: score documents with a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import check_target, load, write_text

if TYPE_CHECKING:
    from podium.dataset import Dataset

__all__ = ["rank"]


@click.command(
    epilog="Examples: podium rank model.json Fold1/test.txt --out scores.txt   |   podium rank model.json new.txt --form trec --top 100"
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--form",
    type=click.Choice(["scores", "order", "trec"]),
    default="scores",
    show_default=True,
    help="A score a line in DATA's order; a table of query, rank, document, score; or a TREC run.",
)
@click.option("--top", type=click.IntRange(min=1), help="Only the best TOP documents of each query (order and trec).")
@click.option("--tag", default="podium", show_default=True, help="The name of a TREC run.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file. [default: standard output]")
def rank(model: Path, data: tuple[Path, ...], form: str, top: int | None, tag: str, out: Path | None) -> None:
    """Score the documents of DATA with MODEL, a file of podium train."""
    from podium.scorers.models import read_model

    if top is not None and form == "scores":
        raise click.UsageError("--top goes with --form order or trec: scores are one a line of DATA")
    check_target(out)
    ranker = read_model(model)
    rows = load(data).widen(ranker.scorer.n_features)
    text = _text(rows, ranker.scores(rows.features, rows.offsets, rows.given_names), form, top, tag)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out, text)
        click.echo(f"{out}: {rows.n_rows:,} documents of {rows.n_queries:,} queries ranked by {ranker.algorithm}")


def _text(data: Dataset, scores: Any, form: str, top: int | None, tag: str) -> str:
    from podium.errors import DataError
    from podium.sorting import rank_rows

    if form == "scores":
        return "".join(f"{score!r}\n" for score in data.in_input_order(scores).tolist())
    if len(tag.split()) != 1:
        raise DataError(f"a tag must be one word, got {tag!r}")
    documents, queries, values = data.document_ids.tolist(), data.query_ids.tolist(), scores.tolist()
    order, edges = rank_rows(scores, data.offsets).tolist(), data.offsets.tolist()
    lines = [] if form == "trec" else ["query\trank\tdocument\tscore\n"]
    for number, query in enumerate(queries):
        for place, row in enumerate(order[edges[number] : edges[number + 1]][:top], 1):
            words = [query, "Q0", documents[row], str(place), repr(values[row]), tag]
            lines.append(" ".join(words) + "\n" if form == "trec" else f"{query}\t{place}\t{documents[row]}\t{values[row]!r}\n")
    return "".join(lines)
