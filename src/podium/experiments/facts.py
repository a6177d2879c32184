"""The words of an experiment: frozen values, checked where they are made (:mod:`podium.experiments.config`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from numpy.typing import NDArray

__all__ = [
    "AXES", "CACHE", "FULL", "TRUTHS", "Arm", "Axis", "Claim", "Columns", "Config", "DataSpec", "Labelling", "Printed", "RankerSpec",
    "Synthetic", "TruthSpec",
]  # fmt: skip

Columns = dict[str, NDArray[Any]]  # a table; texts are object arrays

CACHE = "cache"  # the folder of trials, beside the runs, so no run can have its name
FULL = "full"  # the point of a k-curve where every document is on top
TRUTHS = ("given", "full", "top-k")  # labels as they are in the data; a total order; the order of the best k
AXES = ("k", "balance", "queries", "judgments")


@final
@dataclass(frozen=True)
class Synthetic:
    """[data.synthetic]: arguments of :func:`podium.sources.synthetic.synthetic`, and into how many folds the queries are cut."""

    queries: int = 1700
    documents: int = 700
    features: int = 46
    noise: float = 0.25
    noise_growth: float = 1.6
    interaction: float = 0.3
    seed: int = 0
    folds: int = 5


@final
@dataclass(frozen=True)
class DataSpec:
    """[data]: a folder with FoldN/{train,vali,test}.txt below the folder of ``--data``, or a synthetic collection."""

    folder: str = ""
    synthetic: Synthetic | None = None
    only_in: str = ""  # keep the documents that this other folder has too (paper 001: MQ2007-list cut to MQ2007)
    best: int = 0  # keep only this many of the best documents of each query, by the labels given; 0: all (paper 003: 100)
    in_place_of: str = ""  # the collection of the paper, where ours is another: its figures are of different data


@final
@dataclass(frozen=True)
class TruthSpec:
    """[truth]: what rankers learn from, and what they are measured on (validation queries like test queries).

    Equal grades are put in an order that is drawn for each part of a fold, so the same query may have another order in another fold.
    """

    train: str = "given"  # one of TRUTHS
    test: str = "given"
    k: int = 10  # of top-k truths; a curve over k varies it for the training queries only


@final
@dataclass(frozen=True)
class Printed:
    """[[rankers.printed]]: a row of a paper; figures by measure."""

    paper: str  # "004"
    where: str  # "Table 4"
    figures: Mapping[str, float]
    remark: str = ""  # one sentence, where it is known why ours differs


@final
@dataclass(frozen=True)
class RankerSpec:
    """[[rankers]]: a named line of the table."""

    name: str
    algorithm: str
    scorer: str = ""  # what it makes; empty: the algorithm's own (there is one)
    settings: Mapping[str, Any] = field(default_factory=dict)  # fixed ones
    grid: str | Mapping[str, list[Any]] | None = "default"  # a preset's name, or names with values; None (`grid = ""`): none
    printed: tuple[Printed, ...] = ()


@final
@dataclass(frozen=True)
class Axis:
    """[curve]: what varies along the x-axis.

    ``k``: the training truth's k (and the ranker's setting ``k``, if it has one that is not fixed). ``balance``: that setting.
    ``queries``: how many training queries there are, drawn with the run's seed. ``judgments``: the budget of judgments, spent as
    [labelling] says.
    """

    over: str
    points: tuple[int | float | str, ...]  # rising; "full" ends a curve over k, "all" one over queries


@final
@dataclass(frozen=True)
class Labelling:
    """[labelling]: how the budget of a curve over judgments is spent.

    Training queries are taken in an order drawn with the run's seed, each is labelled whole by the strategy and a noisy oracle of the
    true order, until the next one would go over the budget.
    """

    strategies: tuple[str, ...]  # of podium.labelling.STRATEGIES
    accuracies: tuple[float, ...] = (1.0,)  # share of pairs that the oracle gets right, on average; 1: it never errs
    k: int = 10


@final
@dataclass(frozen=True)
class Claim:
    """[[claims]]: a paper says that one ranker is better than another, by so many per cent of the other's mean."""

    paper: str
    better: str  # names of two rankers
    than: str
    measure: str
    percent: float | None = None  # None: it prints no number
    on: str = ""  # the data of the paper, where it is not ours
    remark: str = ""


@final
@dataclass(frozen=True)
class Config:
    """One experiment; a file of TOML."""

    name: str  # the file's name without its ending
    title: str
    about: str
    data: DataSpec
    truth: TruthSpec
    rankers: tuple[RankerSpec, ...]
    measures: tuple[str, ...]
    choose: str  # the measure on validation queries by which settings are chosen
    baseline: str  # name of a ranker; others are compared with it
    seeds: tuple[int, ...] = (0,)
    curve: Axis | None = None
    labelling: Labelling | None = None
    claims: tuple[Claim, ...] = ()
    paper: str = ""  # the number of the paper whose table or figure this is, such as "004"; empty: of no paper
    says: str = ""  # what the paper says of a figure that has no numbers, as a sentence
    notes: tuple[str, ...] = ()  # sentences for the report: where data or settings are not the paper's


@final
@dataclass(frozen=True)
class Arm:
    """One line of a chart or row of a table: a ranker, and for a curve over judgments the strategy and the oracle's accuracy too."""

    name: str  # the ranker's, or "HOM-OG · heap · 90 %"
    ranker: RankerSpec
    strategy: str = ""
    accuracy: float = 1.0
