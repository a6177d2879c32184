"""Who judges, as the command line says it: the options of oracles and of language models, and the assessors made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from podium.errors import DataError, FileError

if TYPE_CHECKING:
    from podium.assessors import Oracle
    from podium.assessors.llm import LanguageModel
    from podium.pool import Pool

__all__ = ["MODEL_OPTIONS", "ORACLE_OPTIONS", "add_options", "make_model", "make_oracle", "read_truth"]

Command = TypeVar("Command", bound=Callable[..., Any])

ORACLE_OPTIONS = [
    click.option("--truth", type=click.Path(path_type=Path), help="What the oracle knows: TREC judgments, or a collection with labels."),
    click.option("--noise", type=click.FloatRange(min=0), default=0.0, help="The oracle's Bradley-Terry noise, in units of the labels."),
    click.option("--error", type=click.FloatRange(0, 1), default=0.0, help="Share of the oracle's answers that are turned round."),
    click.option("--side-bias", type=float, default=0.0, help="The oracle's leaning to the left, in logits of its noise."),
    click.option("--tie-width", type=click.FloatRange(min=0), default=0.0, help="Labels closer than this are a tie to the oracle."),
    click.option("--bad-below", type=float, default=None, help="Two documents below this label are both bad to the oracle."),
]
MODEL_OPTIONS = [
    click.option("--base-url", help="Of a server that speaks the protocol of OpenAI's chat completions."),
    click.option("--model", help="The model's name at that server."),
    click.option(
        "--key-variable", default="OPENAI_API_KEY", show_default=True, help="The environment variable that holds the key."
    ),
    click.option("--prompt", type=click.Path(path_type=Path), help="A template of your own; see docs/labelling.md for its placeholders."),
    click.option(
        "--order", type=click.Choice(["random", "both"]), default="random", show_default=True,
        help="Both: ask twice, with sides changed; disagreement is a tie.",
    ),
    click.option("--temperature", type=float, default=0.0, show_default=True),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, help="Seconds a request has."),
    click.option("--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Requests at a time."),
    click.option("--max-requests", type=click.IntRange(min=0), help="Stop after so many requests, retries counted; a rerun goes on."),
    click.option("--max-unparsable", type=click.IntRange(min=1), default=3, show_default=True, help="Replies to wait for a readable one."),
    click.option("--max-cost", type=click.FloatRange(min=0), help="Stop when so much is spent; needs the prices."),
    click.option("--price-in", type=click.FloatRange(min=0), default=0.0, help="Of a million tokens read."),
    click.option("--price-out", type=click.FloatRange(min=0), default=0.0, help="Of a million tokens written."),
    click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Most requests a minute."),
    click.option("--cache", type=click.Path(path_type=Path), help="Replies, so that a rerun costs nothing. [default: beside the store]"),
]  # fmt: skip


def add_options(options: list[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    """Give a command a list of options."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def read_truth(path: Path) -> dict[str, dict[str, float]]:
    """The label of each document of each query: from TREC judgments, or from a collection that has labels or judgments."""
    from podium.sources import open_dataset
    from podium.sources.cranfield import cranfield_labels, is_cranfield, read_cranfield_codes
    from podium.sources.lines import text_lines
    from podium.sources.trec import qrels_of, read_qrels

    if not path.exists():
        raise FileError(path, None, "there is no such file or folder; --truth takes TREC judgments or a collection with labels")
    if is_cranfield(path):
        return cranfield_labels(read_cranfield_codes(path / "cranqrel")).labels
    is_letor = path.is_dir() or any(" qid:" in line for _, line in islice(text_lines(path), 1))
    return (qrels_of(open_dataset(path)) if is_letor else read_qrels(path)).labels


def make_oracle(truth: Mapping[str, Mapping[str, float]], pool: Pool, grades: Sequence[str], given: Mapping[str, Any]) -> Oracle:
    """An oracle for one query; a document that nobody judged is worth 0."""
    from podium.assessors import Oracle

    judged = truth.get(pool.query_id, {})
    if pool.items and judged.keys().isdisjoint(pool.items):
        raise DataError(
            f"the truth judges none of the {len(pool.items)} documents of query {pool.query_id!r}; are its ids those of the pools?"
        )
    worth = {item: judged.get(item, 0.0) for item in pool.items}
    names = ("noise", "error", "side_bias", "tie_width", "bad_below", "seed")
    cuts = [float(grade) for grade in range(1, len(grades))]
    return Oracle(worth, **{name: given[name] for name in names}, cuts=cuts, name=given["assessor"] or "oracle")


def make_model(given: Mapping[str, Any], cache: Path, grades: tuple[str, ...]) -> LanguageModel:
    """A language model with its limits; the key comes from the environment and stays there."""
    from podium.assessors.making import make_language_model, prompt_of
    from podium.sources.streams import read_text

    if not given["base_url"] or not given["model"]:
        raise click.UsageError("a language model needs --base-url and --model")
    path = given["prompt"]
    prompt = None if path is None else prompt_of(path.name, read_text(path))
    named = {name: value for name, value in given.items() if name != "assessor"}  # that is who judges at the terminal or as an oracle
    return make_language_model(named, grades=grades, prompt=prompt, cache=given["cache"] or cache)
