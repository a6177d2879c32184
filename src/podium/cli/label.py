"""``podium label``: run labelling tasks with a person at the terminal, a language model, or an oracle. Everything is kept in a store."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from podium.cli.console import json_option, print_json
from podium.cli.judges import MODEL_OPTIONS, ORACLE_OPTIONS, add_options, make_model, make_oracle, read_truth
from podium.errors import DataError, FileError, PodiumError, UnknownName
from podium.labelling.questions import GRADES

if TYPE_CHECKING:
    from podium.assessors.llm import LanguageModel
    from podium.labelling import Event
    from podium.pool import Pool
    from podium.store import Store
    from podium.store.desk import Desk

__all__ = ["STRATEGY_NAMES", "label", "refuse_options"]

STRATEGY_NAMES = ("heap", "tournament", "insertion", "adaptive", "active", "graded")  # the keys of STRATEGIES, which take time to load
# going on with a store, what its tasks are like is settled
_OF_NEW_TASKS = {"k", "strategy", "assigned", "repeats", "ties_are_transitive", "run", "topics", "depth", "prior", "prefix", "grades"}


@click.command(
    epilog="Examples: podium label pools.jsonl --store labels.db   |   podium label --store labels.db   (go on)   |   "
    "podium label cranfield --run bm25 --depth 50 --query 1 --by llm --base-url http://127.0.0.1:8080/v1 --model qwen   |   "
    "podium label test.txt --by oracle --truth test.txt --strategy heap"
)
@click.argument("paths", metavar="[POOLS]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--store", "place", default="labels.db", show_default=True, help="A file, or postgresql://… for a database.")
@click.option("--by", type=click.Choice(["person", "llm", "oracle"]), default="person", show_default=True, help="Who judges.")
@click.option("--assessor", help="Your name in the log. [default: your login]")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many of the best are wanted, in order.")
@click.option("--strategy", default="adaptive", show_default=True, help=f"One of {', '.join(STRATEGY_NAMES)}.")
@click.option(
    "-s", "--set", "assigned", multiple=True, metavar="NAME=VALUE", help="An option of the strategy, such as stop_after=20. Repeatable."
)
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Assessors a question, by majority.")
@click.option(
    "--ties-are-transitive/--ties-are-not", default=True, show_default=True, help="Whether A ~ B and B ~ C say A ~ C, or it is asked."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws the order and the sides.")
@click.option("--run", help="A TREC run that chooses the documents of a collection, or bm25. Its order is the prior.")
@click.option("--topics", type=click.Path(path_type=Path), help="Queries, if the collection has none of its own.")
@click.option("--depth", type=click.IntRange(min=1), help="Only so many documents a query.")
@click.option("--query", "queries", multiple=True, help="Only this query. Repeatable.")
@click.option("--name", "prefix", default="", help="Put before the query's id in the name of its task, so that a store can hold several.")
@click.option("--grades", help="Of the strategy graded, worst first, as No,Maybe,Yes.")
@click.option("--prior", type=click.Path(path_type=Path), help="Another store, whose results are the prior order: say, a model's.")
@click.option("--triage", is_flag=True, help="A language model answers which of two newcomers is better; you decide the rest.")
@add_options(ORACLE_OPTIONS)
@add_options(MODEL_OPTIONS)
@json_option
def label(paths: tuple[Path, ...], place: str, by: str, as_json: bool, **given: Any) -> int:
    """Find the ordered top K of each query in POOLS by asking which of two documents is better.

    Every answer is on disk before the next question. Give the same command again to go on, or only the store; several people may
    work on one store at once, each with their own name. POOLS is JSONL, CSV, a BEIR folder, Cranfield, TREC documents with --topics and
    --run, or LETOR text (see docs/labelling.md). What was found is printed and exported by: podium judgments.
    """
    if by == "person" and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("a person needs a terminal to judge at; use --by llm or --by oracle in a pipe")
    if given["triage"] and by != "person":
        raise click.UsageError("--triage shares the work between a model and a person; it goes with --by person")
    if by == "oracle" and given["truth"] is None:
        raise click.UsageError("an oracle must know something: give --truth FILE, TREC judgments or a collection with labels")
    from podium.store import open_store

    if not paths:
        refuse_options(_OF_NEW_TASKS, "belong to new tasks: give POOLS too, or leave them out to go on with those of the store")
    pools = _pools(paths, given) if paths else []
    if not paths and "://" not in place and not Path(place).is_file():
        raise FileError(place, None, "there is no such store; give a file of pools to make one: podium label pools.jsonl")
    truth = read_truth(given["truth"]) if given["truth"] is not None else {}
    with open_store(place) as store, ExitStack() as opened:
        numbers = _add(store, pools, given) if paths else _found(store, given["queries"])
        model = None
        if by == "llm" or given["triage"]:
            model = opened.enter_context(make_model(given, _beside(place), _grades_of(store, numbers)))
        try:
            is_done = _work(store, numbers, by, model, truth, given)
        except KeyboardInterrupt:
            click.echo(f"podium: stopped; everything answered is kept. Go on with: podium label --store {store.where}", err=True)
            return 130
        facts = [_facts(store, number) for number in numbers]
        print_json(facts) if as_json else click.echo(_told(facts, store.where, model, is_done))
    return 0


def refuse_options(names: Collection[str], why: str) -> None:
    """Refuse options of the command that were given though they would be ignored; by the names of its parameters."""
    context = click.get_current_context()
    given = [
        min(option.opts, key=lambda name: (not name.startswith("--"), len(name)))
        for option in context.command.params
        if option.name in names and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"{', '.join(given)} {why}")


def _beside(place: str) -> Path:
    """Where a model's replies are kept: beside a file, or in this folder for a database."""
    return Path("replies.sqlite") if "://" in place else Path(f"{place}.replies")


def _pools(paths: Sequence[Path], given: Mapping[str, Any]) -> list[Pool]:
    """What is to be labelled, by the prior order of another store if one is given."""
    from podium.labelling import get
    from podium.sources.pools import read_pools

    entry = get(given["strategy"])
    pools = read_pools(list(paths), run=given["run"], topics=given["topics"], depth=given["depth"], queries=given["queries"] or None)
    if given["prior"] is None:
        return pools
    if not entry.takes_prior:
        raise click.UsageError(f"{given['strategy']} takes no prior order; choose another strategy, or leave out --prior")
    orders = _prior_of(given["prior"])
    if not any(pool.query_id in orders for pool in pools):
        raise DataError(f"--prior {given['prior']}: no task of it is finished for these queries, so it gives no order")
    return [_by_prior(pool, orders[pool.query_id]) if pool.query_id in orders else pool for pool in pools]


def _by_prior(pool: Pool, order: Sequence[str]) -> Pool:
    known = set(pool.items)
    return pool.ranked(list(dict.fromkeys([*(item for item in order if item in known), *pool.items])))


def _add(store: Store, pools: Sequence[Pool], given: Mapping[str, Any]) -> list[int]:
    from podium.labelling import get

    options: dict[str, Any] = dict(map(_option, given["assigned"]))
    for name in options:
        if name not in get(given["strategy"]).options:
            raise UnknownName(f"option of {given['strategy']}", name, get(given["strategy"]).options)
    if given["grades"] is not None:
        options["grades"] = [grade.strip() for grade in given["grades"].split(",")]
    settings = {name: given[name] for name in ("k", "strategy", "seed", "repeats", "ties_are_transitive")}
    return [store.add(pool, name=given["prefix"] + pool.query_id, **settings, **options) for pool in pools]


def _found(store: Store, queries: Sequence[str]) -> list[int]:
    tasks = store.tasks()
    if unknown := sorted(set(queries) - {task.query_id for task in tasks}):
        raise DataError(f"the store has no task for query {unknown[0]!r}; podium judgments lists those it has")
    if not tasks:
        raise DataError("the store has no tasks; give a file of pools to make some: podium label pools.jsonl")
    return [task.number for task in tasks if not queries or task.query_id in queries]


def _grades_of(store: Store, numbers: Sequence[int]) -> tuple[str, ...]:
    """The grades that a model may give: those of the graded tasks, which must be the same."""
    found = {tuple(store.settings(number)["grades"]) for number in numbers if store.info(number).strategy == "graded"}
    if len(found) > 1:
        raise DataError("the tasks have different grades; a model can grade one kind at a time: choose with --query")
    return found.pop() if found else GRADES


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise DataError(f"an option is written name=value, such as stop_after=20, got {text!r}")
    return name.strip(), value.strip()


def _prior_of(path: Path) -> dict[str, list[str]]:
    """The order that each finished task of another store found: its top, then the rest by the scores of a fit, then what was bad.

    Where people and models have both answered, there is no fit of the two: the rest then keeps the order in which it was taken.
    """
    from podium.labelling import rescore
    from podium.store import open_store

    if not path.is_file():
        raise FileError(path, None, "there is no such store to take a prior order from")
    orders = {}
    with open_store(path) as store:
        for task in store.tasks():
            if not task.is_finished:
                continue
            labelled = store.task(task.number)
            is_mixed = {"model", "person"} <= {event.role for event in labelled.judgments}
            fitted = () if is_mixed or labelled.entry.asks_grades else rescore(labelled).order
            orders[task.query_id] = list(dict.fromkeys((*labelled.result().top, *fitted, *labelled.order)))
    return orders


# ---- the work ----


def _work(
    store: Store,
    numbers: Sequence[int],
    by: str,
    model: LanguageModel | None,
    truth: Mapping[str, Mapping[str, float]],
    given: Mapping[str, Any],
) -> bool:
    """Judge one task after the other; false if the person stopped. What is open is given back, however it ends."""
    unread: PodiumError | None = None
    for place, number in enumerate(numbers, start=1):
        if store.info(number).is_finished:
            continue
        desk, pool = store.desk(number), store.pool(number)
        title = f"{place} of {len(numbers)}: query {pool.query_id}"
        assessor = given["assessor"] or (getpass.getuser() if by == "person" else "oracle")
        try:
            if by == "person" and not _by_person(desk, pool, model, assessor):
                return False
            if by == "oracle":
                _by_oracle(desk, pool, truth, title, given)
            if by == "llm":
                assert model is not None
                desk.release(model.assessor)  # what a run that was killed has left open
                unread = _by_model(desk, pool, model, title) or unread
        finally:
            for name in (assessor, *((model.assessor,) if model is not None else ())):
                desk.release(name)
    if unread is not None:
        raise unread
    return True


def _by_person(desk: Desk, pool: Pool, model: LanguageModel | None, assessor: str) -> bool:
    """Judge at the terminal; with a model, it does the triage, and the person is asked about the boundary and the order only."""
    from podium.assessors import label_by_model
    from podium.cli.person import judge
    from podium.labelling.questions import STAGES

    if model is None:
        return judge(desk, pool, assessor)
    return judge(
        desk, pool, assessor, stages=STAGES.keys() - {"triage"}, first=lambda: label_by_model(desk, model, pool, stages={"triage"})
    )  # fmt: skip


@contextmanager
def _bar(desk: Desk, title: str) -> Iterator[Callable[[Event], None]]:
    """A bar on standard error that goes on with each answer; nothing if that is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=desk.about_left(), label=title, file=sys.stderr, width=30) as bar:

        def see(_: Event) -> None:
            bar.update(min(1, max(bar.length or 1, 1) - 1 - bar.pos))  # never quite full before it is done

        yield see
        bar.update((bar.length or 0) - bar.pos)


def _by_model(desk: Desk, pool: Pool, model: LanguageModel, title: str) -> PodiumError | None:
    """Let a model judge; an answer that could not be read is returned as the error it is, so that other queries can go on."""
    from podium.assessors import label_by_model
    from podium.assessors.llm import UnparsableAnswer

    with _bar(desk, title) as see:
        try:
            label_by_model(desk, model, pool, on_answer=see)
        except UnparsableAnswer as error:
            return error
    return None


def _by_oracle(desk: Desk, pool: Pool, truth: Mapping[str, Mapping[str, float]], title: str, given: Mapping[str, Any]) -> None:
    from podium.assessors import label as label_by

    with _bar(desk, title) as see:
        label_by(desk, make_oracle(truth, pool, desk.answers, given), on_answer=see)


# ---- what is said at the end ----


def _facts(store: Store, number: int) -> dict[str, Any]:
    task = store.info(number)
    facts: dict[str, Any] = {
        "task": task.name, "strategy": task.strategy, "k": task.k, "documents": task.documents, "judgments": task.judgments,
        "finished": task.is_finished,
    }  # fmt: skip
    return {**facts, "top": list(store.result(number).top)} if task.is_finished else facts


def _told(facts: Sequence[Mapping[str, Any]], place: str, model: LanguageModel | None, is_done: bool) -> str:
    from podium.reports.text import text_table

    columns = ["task", "strategy", "documents", "judgments", "state", "top"]
    rows = [
        [fact["task"], fact["strategy"], str(fact["documents"]), str(fact["judgments"]), "finished" if fact["finished"] else "open",
         _short(fact.get("top", []))] for fact in facts
    ]  # fmt: skip
    lines = [text_table(columns, rows)]
    if model is not None:
        lines.append(f"\n{model.model}: {model.spent}")
    if not all(fact["finished"] for fact in facts):
        why = "stopped" if not is_done else "waiting for other assessors, or stopped"
        lines.append(f"\n{why}; go on with: podium label --store {place}")
    else:
        lines.append(f"\nWhat next: podium judgments {place}   (cost, certainty, agreement; --export qrels --out FILE)")
    return "\n".join(lines)


def _short(top: Sequence[str], most: int = 48) -> str:
    text = " ".join(top)
    return text if len(text) <= most else text[: most - 1] + "…"
