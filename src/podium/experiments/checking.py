"""Checking: what the values of a config must fit, each mistake in one line that names its key."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from podium import algorithms, measures
from podium.errors import DataError, PodiumError, UnknownName
from podium.experiments.curves import ALL, arms, point_name, point_settings, points
from podium.experiments.facts import AXES, CACHE, FULL, TRUTHS, Axis, Claim, Config, Labelling, RankerSpec, Synthetic, TruthSpec
from podium.experiments.trials import settings_of
from podium.labelling import STRATEGIES
from podium.scorers import SCORERS
from podium.sources.synthetic import check_arguments

__all__ = ["checked", "first_twice"]

_LAST_POINTS = {"k": FULL, "queries": ALL}  # the word that may end a curve
_LONGEST_NAME = 200  # bytes; file systems allow 255, and a lock file has the name and more


def checked(config: Config) -> Config:
    """The config with measures in their canonical spelling, or an error that says which key is wrong."""
    _check_name(config.name)
    if not config.title.strip():
        raise DataError("title must not be empty: the report is called by it")
    if config.says and not config.paper:
        raise DataError("says tells what a paper says of its figure: give paper too, or leave it out")
    _check_data(config)
    _check_truth(config.truth)
    _check_list("seeds", config.seeds)
    for seed in config.seeds:
        _check_from("seeds", seed, 0)
    config = _with_measures(config)
    _check_list("rankers", [ranker.name for ranker in config.rankers])
    for ranker in config.rankers:
        _check_shown(ranker.name)
    config = replace(config, rankers=tuple(_checked_ranker(ranker, config) for ranker in config.rankers))
    _check_ranker_named(config.baseline, config, "baseline")
    _check_curve(config)
    _check_names_apart(config)
    _check_settings(config)
    return replace(config, claims=tuple(_checked_claim(claim, config, f"claims[{n}]") for n, claim in enumerate(config.claims, start=1)))


def _check_name(name: str) -> None:
    is_long = len(name.encode(errors="replace")) > _LONGEST_NAME
    if not _is_shown(name) or name[0] in ".-" or set(name) & set("/\\") or name == CACHE or is_long:
        raise DataError(f"an experiment and its folder are named after the file, and {name!r} cannot name one; rename the file")


def _is_shown(name: str) -> bool:
    """Whether there is something to see, in one line, that can be written to a file."""
    return bool(name.strip()) and not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name)


def _check_shown(name: str) -> None:
    if not _is_shown(name):
        raise DataError(f"rankers: a name must be text of one line that can be seen, got {name!r}")


def _check_list(key: str, values: Sequence[Any]) -> None:
    if not values:
        raise DataError(f"{key} must not be empty")
    _check_once(key, values)


def _check_once(key: str, values: Sequence[Any]) -> None:
    twice = first_twice(values)
    if twice is not None:
        raise DataError(f"{key} has {twice!r} twice; each may stand there once")


def first_twice(values: Sequence[Any]) -> Any:
    """The first value that stood there before; None if there is none.

    >>> first_twice(["a", "b", "b", "a"])
    'b'
    """
    return next((value for place, value in enumerate(values) if value in values[:place]), None)


def _check_from(key: str, value: float, least: float) -> None:
    if not value >= least:
        raise DataError(f"{key} must be {least} or more, got {value!r}")


def _check_known(key: str, kind: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise DataError(f"{key}: {UnknownName(kind, name, known)}")


def _check_data(config: Config) -> None:
    data = config.data
    if bool(data.folder) == (data.synthetic is not None):
        raise DataError("data must have either folder, below the folder of --data, or a table data.synthetic")
    if data.in_place_of and data.in_place_of == data.folder:
        raise DataError(f"data.in_place_of names the collection of the paper, where ours is another; leave it out, got {data.folder!r}")
    if data.synthetic is not None:
        if data.only_in:
            raise DataError(f"data.only_in goes with data.folder, not with data.synthetic, got {data.only_in!r}")
        _check_synthetic(data.synthetic)
    _check_from("data.best", data.best, 0)


def _check_synthetic(synthetic: Synthetic) -> None:
    try:
        check_arguments(**{key: value for key, value in asdict(synthetic).items() if key not in ("seed", "folds")})
    except PodiumError as error:
        raise DataError(f"data.synthetic.{error}") from None
    _check_from("data.synthetic.seed", synthetic.seed, 0)
    _check_from("data.synthetic.folds", synthetic.folds, 3)
    if synthetic.folds > synthetic.queries:
        raise DataError(f"data.synthetic.folds must be at most the number of queries, got {synthetic.folds}")


def _check_truth(truth: TruthSpec) -> None:
    _check_known("truth.train", "truth", truth.train, TRUTHS)
    _check_known("truth.test", "truth", truth.test, TRUTHS)
    _check_from("truth.k", truth.k, 1)


def _measure(name: str, key: str) -> str:
    try:
        return str(measures.get(name))
    except PodiumError as error:
        raise DataError(f"{key}: {error}") from None


def _with_measures(config: Config) -> Config:
    config = replace(
        config, measures=tuple(_measure(name, "measures") for name in config.measures), choose=_measure(config.choose, "choose")
    )
    _check_list("measures", config.measures)
    return config


def _measured(name: str, config: Config, key: str) -> str:
    """A measure that the config measures."""
    name = _measure(name, key)
    if name not in config.measures:
        raise DataError(f"{key}: {name!r} is not measured here; add it to measures ({', '.join(config.measures)})")
    return name


def _checked_ranker(ranker: RankerSpec, config: Config) -> RankerSpec:
    key = f"ranker {ranker.name!r}"
    _check_known(f"{key}: algorithm", "algorithm", ranker.algorithm, list(algorithms.ALGORITHMS))
    kind = algorithms.TRAINERS[algorithms.get(ranker.algorithm).trainer].kind
    made = next(name for name, (known, _) in SCORERS.items() if known is kind)
    if ranker.scorer not in ("", made):
        raise DataError(f"{key}: scorer: {ranker.algorithm} makes a scorer of kind {made!r}; leave the key out, got {ranker.scorer!r}")
    if isinstance(ranker.grid, Mapping):
        for name, values in ranker.grid.items():
            _check_once(f"{key}: grid.{name}", values)
    printed = tuple(replace(row, figures=_figures(row.figures, config, f"{key}: printed: figures")) for row in ranker.printed)
    return replace(ranker, grid=ranker.grid or None, printed=printed)


def _figures(figures: Mapping[str, float], config: Config, key: str) -> dict[str, float]:
    names = [_measured(name, config, key) for name in figures]
    _check_list(key, names)
    return dict(zip(names, figures.values(), strict=True))


def _check_ranker_named(name: str, config: Config, key: str) -> None:
    _check_known(key, "ranker", name, [ranker.name for ranker in config.rankers])


def _checked_claim(claim: Claim, config: Config, key: str) -> Claim:
    _check_ranker_named(claim.better, config, f"{key}.better")
    _check_ranker_named(claim.than, config, f"{key}.than")
    if claim.better == claim.than:
        raise DataError(f"{key}: better and than must name two rankers, got {claim.better!r} for both")
    return replace(claim, measure=_measured(claim.measure, config, f"{key}.measure"))


def _check_curve(config: Config) -> None:
    curve, labelling = config.curve, config.labelling
    if (labelling is not None) != (curve is not None and curve.over == "judgments"):
        raise DataError("labelling goes with a curve over judgments, and such a curve needs it; give both or neither")
    if curve is not None:
        _check_known("curve.over", "axis", curve.over, AXES)
        _check_list("curve.points", curve.points)
        for point in curve.points:
            _check_point(point, curve)
        _check_rising([point for point in curve.points if not isinstance(point, str)])
        if curve.over == "balance" and not any(point_settings(config, arm, curve.points[0]) for arm in arms(config)):
            raise DataError("curve.over: no ranker has a setting balance that is not fixed, so all points would be the same")
    if labelling is not None:
        _check_labelling(labelling)


def _check_labelling(labelling: Labelling) -> None:
    _check_list("labelling.strategies", labelling.strategies)
    for name in labelling.strategies:
        _check_known("labelling.strategies", "strategy", name, [name for name, entry in STRATEGIES.items() if not entry.asks_grades])
    _check_list("labelling.accuracies", labelling.accuracies)
    for accuracy in labelling.accuracies:
        if not 0.5 < accuracy <= 1:
            raise DataError(f"labelling.accuracies must be above 0.5 (guessing) and at most 1 (no errors), got {accuracy!r}")
    _check_from("labelling.k", labelling.k, 1)


def _check_point(point: int | float | str, curve: Axis) -> None:
    word = _LAST_POINTS.get(curve.over)
    if isinstance(point, str):
        is_right = point == word and point == curve.points[-1]
    else:
        is_share = 0 <= point <= 1 and math.copysign(1, point) > 0  # -0.0 would be a point of its own, named -0
        is_right = is_share if curve.over == "balance" else isinstance(point, int) and point >= 1
    if not is_right:
        kind = "numbers from 0 to 1" if curve.over == "balance" else "whole numbers from 1 on"
        raise DataError(f"curve.points over {curve.over} must be {kind}{f', at the end perhaps {word!r}' if word else ''}, got {point!r}")


def _check_rising(points: Sequence[float]) -> None:
    for before, point in itertools.pairwise(points):
        if point < before:
            raise DataError(f"curve.points must rise, got {point!r} after {before!r}")


def _check_names_apart(config: Config) -> None:
    """Rows of a run are told apart by the names of their arm and point, which are rounded for people."""
    named = {
        "curve.points": [point_name(point) for point in points(config)],
        "labelling.accuracies": [arm.name for arm in arms(config)],
    }
    for key, names in named.items():
        twice = first_twice(names)
        if twice is not None:
            raise DataError(f"{key}: two are so close that both are named {twice!r}; take values further apart")


def _check_settings(config: Config) -> None:
    """Every setting of every grid at every point."""
    for arm in arms(config):
        for point in points(config):
            try:
                settings = settings_of(config, arm, point)
            except PodiumError as error:
                raise DataError(f"ranker {arm.ranker.name!r}: {error}") from None
            if not settings:
                raise DataError(f"ranker {arm.ranker.name!r}: grid: a setting has no values; give it some, or leave it out")
