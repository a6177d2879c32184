"""``podium train``: fit a ranker, or search a grid of settings, on one collection or on folds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.console import check_target, json_option, load, print_json, progress_bar, training_bar
from podium.errors import DataError

if TYPE_CHECKING:
    from podium.dataset import Dataset
    from podium.scorers.models import Model
    from podium.search import Found

__all__ = ["train"]

_TEST_MEASURES = ("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map")


@click.command(
    epilog="Examples: podium train train.txt -a hom-og -s k=10 --out model.json   |   "
    "podium train train.txt --validation vali.txt -a listnet --grid --out model.json   |   "
    "podium train MQ2008 -a listnet -a top-k-listmle --grid -s scaling=minmax"
)
@click.argument("data", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-a", "--algorithm", "names", multiple=True, help="See podium algorithms. Repeatable with folds. [default: top-k-listmle]")
@click.option("-s", "--set", "assigned", multiple=True, metavar="NAME=VALUE", help="A setting, such as l2=0.01. Repeatable.")
@click.option("--validation", type=click.Path(path_type=Path), help="Other queries, by which settings and iterations are chosen.")
@click.option("-m", "--measure", default="ndcg@10", show_default=True, help="By which validation chooses.")
@click.option("--grid", is_flag=False, flag_value="default", help="Try the settings of a preset, and keep the best: default or paper.")
@click.option("--try", "tried", multiple=True, metavar="NAME=V1,V2,…", help="Try these values, and keep the best. Repeatable.")
@click.option(
    "--top-k", type=click.IntRange(min=1), help="Take the order of the best K as the truth of all queries, ties broken with the seed."
)
@click.option("--start", type=click.Path(path_type=Path), help="Begin at the weights of this model.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Trials at a time (-1: one a core); through joblib.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--test", "tests", multiple=True, help=f"Measures on the test queries of folds. [default: {' '.join(_TEST_MEASURES)}]")
@click.option("--out", type=click.Path(path_type=Path), help="The model file; with folds, a folder for one a fold.")
@json_option
def train(
    data: tuple[Path, ...], names: tuple[str, ...], assigned: tuple[str, ...], validation: Path | None, measure: str, grid: str | None,
    tried: tuple[str, ...], top_k: int | None, start: Path | None, jobs: int, seed: int, tests: tuple[str, ...], out: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Train a ranker on DATA: a collection, or a folder of folds (Fold1/train.txt, vali.txt, test.txt, …).

    With --grid or --try, every setting is trained and the best on validation is kept. On folds the choice is made in each fold, and the
    table shows the mean over folds of the measures on test queries. Ctrl-C keeps the best model so far.
    """
    from podium import measures
    from podium.algorithms import parse_setting

    measures.get(measure)
    fixed = dict(map(parse_setting, assigned))
    wanted = _grid(grid, tried)
    names = names or ("top-k-listmle",)
    if len(data) == 1 and data[0].is_dir() and data[0].suffix != ".podium":
        if validation is not None or start is not None:
            raise click.UsageError("folds have their own validation queries; --validation and --start go with a single collection")
        check_target(out, is_folder=True)
        found = _on_folds(data[0], names, fixed, wanted, measure, top_k, jobs, seed, tests or _TEST_MEASURES, out)
        print_json(found) if as_json else click.echo(_folds_table(found))
        if found["interrupted"]:
            click.echo(f"podium: interrupted during {found['interrupted']}, which is left out", err=True)
            return 130
        return 0
    if len(names) > 1:
        raise click.UsageError("several algorithms at once can be trained on folds only")
    check_target(out)
    return _on_one(data, names[0], fixed, wanted, validation, measure, top_k, start, jobs, seed, out, as_json)


def _grid(preset: str | None, tried: tuple[str, ...]) -> Any:
    from podium.algorithms import parse_setting

    if preset is not None and tried:
        raise click.UsageError("give --grid or --try, not both")
    if not tried:
        return preset
    table: dict[str, list[Any]] = {}
    for text in tried:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise DataError(f"values to try are written name=v1,v2, such as l2=0,0.1,1, got {text!r}")
        if name.strip() in table:
            raise DataError(f"{name.strip()} is tried twice; give all of its values at once, such as {name.strip()}=v1,v2")
        table[name.strip()] = [parse_setting(f"{name}={value}")[1] for value in values.split(",")]
    return table


# ---- one collection ----


def _on_one(
    paths: tuple[Path, ...], name: str, fixed: dict[str, Any], grid: Any, validation: Path | None, measure: str, top_k: int | None,
    start: Path | None, jobs: int, seed: int, out: Path | None, as_json: bool,
) -> int:  # fmt: skip
    from podium import algorithms
    from podium.scorers.models import read_model, write_model
    from podium.search import grid_of, search
    from podium.training.watching import Validation

    settings = grid_of(name, grid, fixed)
    if grid is not None and validation is None:
        raise click.UsageError("a grid is chosen from by --validation: give a file of other queries")
    if grid is not None and start is not None:
        raise click.UsageError("a grid begins anew; --start goes without --grid and --try")
    begun = None if start is None else read_model(start)
    chosen = algorithms.resolve(name, settings[0])
    rows = _truth(load(paths), top_k, seed)
    held = None if validation is None else Validation(_truth(load((validation,)).widen(rows.n_features), top_k, seed), measure)
    found = None
    if grid is not None and held is not None:
        with progress_bar(f"{len(settings)} settings of {name}") as progress:
            found = search(name, settings, rows, held, seed=seed, jobs=jobs, progress=progress)
        model = found.best.model
    else:
        with training_bar(name, chosen["max_iter"]) as callback:
            model = algorithms.fit(name, rows, settings[0], seed=seed, validation=held, start=begun, callback=callback)
    if out is not None:
        write_model(model, out)
    facts = _facts(model, found, out)
    print_json(facts) if as_json else click.echo(_told(model, found, out))
    if model.training["objective"] == 0 and model.training["iterations"] == 0:
        click.echo("podium: no query states a preference (all labels of each are equal), so there was nothing to learn", err=True)
    if model.training["stopped"] == "interrupt" or (found is not None and found.is_interrupted):
        click.echo("podium: interrupted; this is the best model so far", err=True)
        return 130
    return 0


def _truth(data: Dataset, top_k: int | None, seed: int) -> Dataset:
    return data if top_k is None else data.top_k(top_k, seed=seed)


def _facts(model: Model, found: Found | None, out: Path | None) -> dict[str, Any]:
    facts = {"algorithm": model.algorithm, "settings": model.settings, "seed": model.seed, "training": model.training}
    if found is not None:
        facts |= {"measure": found.measure, "trials": [{"settings": one.settings, "validation": one.validation} for one in found.trials]}
    return facts | {"model": None if out is None else str(out)}


def _told(model: Model, found: Found | None, out: Path | None) -> str:
    from podium.reports.text import number, text_table

    parts = []
    if found is not None:
        varied = [key for key in found.trials[0].settings if len({repr(one.settings[key]) for one in found.trials}) > 1]
        rows = [
            [*(_short(one.settings[key]) for key in varied), number(one.validation), str(one.model.training["iterations"]), mark]
            for one, mark in ((trial, "*" if trial is found.best else "") for trial in found.trials)
        ]
        parts.append(text_table([*varied, found.measure, "iterations", "kept"], rows))
    facts = model.training
    told = f"{model.algorithm}: {facts['queries']:,} queries, {facts['iterations']} iterations ({facts['stopped']})"
    told += "" if facts["objective"] is None else f", loss {facts['objective']:.6g}"
    told += "" if facts.get("gap") is None else f", proven to be at most {100 * facts['gap']:.2g} % above the least"
    if facts["stopped"] == "precision" and facts.get("gap") is not None:
        told += "; rounding allows no more: choose a smaller C, or scale features"
    if facts["stopped"] == "diverged":
        told += "; no step lowered it: try a smaller learning_rate, or optimizer=lbfgs"
    if facts.get("validation") is not None:
        told += f", {facts['validation_measure']} on validation {facts['validation']:.4f}"
    parts.append(told)
    parts.append("not saved; give --out to keep the model" if out is None else f"written: {out}")
    return "\n\n".join(parts[:-1]) + "\n" + parts[-1]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# ---- folds ----


def _on_folds(
    folder: Path, names: tuple[str, ...], fixed: dict[str, Any], grid: Any, measure: str, top_k: int | None, jobs: int, seed: int,
    tests: tuple[str, ...], out: Path | None,
) -> dict[str, Any]:  # fmt: skip
    from podium import measures
    from podium.scorers.models import write_model
    from podium.search import grid_of, search_folds
    from podium.sources.catalogue import read_folds
    from podium.training.watching import Validation

    chosen = [str(measures.get(test)) for test in tests]
    grids = {name: grid_of(name, grid, {key: value for key, value in fixed.items() if _knows(name, key, names)}) for name in names}
    folds = read_folds(folder)
    trains = [_truth(fold.train(), top_k, seed) for fold in folds]
    widths = [part.n_features for part in trains]
    valids = [_truth(fold.vali().widen(width), top_k, seed) for fold, width in zip(folds, widths, strict=True)]
    held_out = [_truth(fold.test().widen(width), top_k, seed) for fold, width in zip(folds, widths, strict=True)]
    parts = [(part, Validation(valid, measure)) for part, valid in zip(trains, valids, strict=True)]
    found: dict[str, Any] = {"folder": str(folder), "measure": measure, "seed": seed, "top_k": top_k, "interrupted": None, "algorithms": {}}
    for name in names:
        with progress_bar(f"{name}, {len(grids[name])} settings on {len(folds)} folds") as progress:
            searches = search_folds(name, grids[name], parts, seed=seed, jobs=jobs, progress=progress)
        if any(result.is_interrupted for result in searches):
            found["interrupted"] = name
            if not found["algorithms"]:
                raise KeyboardInterrupt
            break
        values: dict[str, list[Any]] = {one: [] for one in chosen}
        for fold, test, result in zip(folds, held_out, searches, strict=True):
            model = result.best.model
            scores = model.scores(test.features, test.offsets)
            for one, per_query in measures.evaluate(chosen, scores, test.labels, test.offsets).items():
                values[one].append(per_query)
            if out is not None:
                out.mkdir(parents=True, exist_ok=True)
                write_model(model, out / f"{fold.name}-{name}.json")
        found["algorithms"][name] = {
            "folds": {
                fold.name: {
                    "settings": result.best.settings,
                    "validation": result.best.validation,
                    "test": {one: measures.mean(values[one][number]) for one in chosen},
                }
                for number, (fold, result) in enumerate(zip(folds, searches, strict=True))
            },
            "mean": {one: sum(measures.mean(part) for part in parts_of) / len(folds) for one, parts_of in values.items()},
        }
    return found


def _knows(name: str, setting: str, names: tuple[str, ...]) -> bool:
    """Whether a setting is for this algorithm; one that none of them knows is an error later."""
    from podium.algorithms import get

    return setting in get(name).settings or not any(setting in get(other).settings for other in names)


def _folds_table(found: dict[str, Any]) -> str:
    from podium.reports.text import number, text_table

    algorithms = found["algorithms"]
    head = ["algorithm", *next(iter(algorithms.values()))["mean"]]
    rows = [[name, *(number(value) for value in fact["mean"].values())] for name, fact in algorithms.items()]
    folds = next(iter(algorithms.values()))["folds"]
    note = (
        f"mean over {len(folds)} folds of {found['folder']}; settings chosen in each fold by {found['measure']} on its validation queries"
    )
    note += f"; seed {found['seed']}" + ("" if found["top_k"] is None else f"; top-{found['top_k']} truth in all parts")
    chosen = [
        [
            name,
            fold,
            ", ".join(f"{key}={_short(value)}" for key, value in fact["settings"].items()) or "defaults",
            number(fact["validation"]),
        ]
        for name, one in algorithms.items()
        for fold, fact in one["folds"].items()
    ]
    return "\n\n".join([text_table(head, rows), note, text_table(["algorithm", "fold", "settings chosen", "validation"], chosen, left=3)])
