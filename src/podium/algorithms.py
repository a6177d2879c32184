"""ALGORITHMS: the one table of named algorithms: which loss, which trainer, which settings, which paper. TRAINERS: how each is fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from podium import losses, measures
from podium.dataset import Dataset
from podium.errors import DataError, PodiumError, UnknownName
from podium.ragged import Floats
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers import CpsScorer, LinearScorer, WeakScorer
from podium.scorers.models import Model
from podium.training.boosting import (
    AdaRankSettings,
    FocusedBoostSettings,
    RankBoostSettings,
    fit_adarank,
    fit_focused_boost,
    fit_rankboost,
)
from podium.training.bundle import BundleSettings, fit_bundle
from podium.training.cps import CpsSettings, fit_cps
from podium.training.smooth import OPTIMIZERS, SmoothSettings, fit_linear
from podium.training.watching import Callback, Validation, Watch

__all__ = ["ALGORITHMS", "SETTINGS", "TRAINERS", "Algorithm", "Setting", "Trainer", "fit", "get", "parse_setting", "resolve"]


@final
@dataclass(frozen=True)
class Setting:
    """One knob: what it means, and which values it takes."""

    meaning: str
    kind: type
    expected: str
    holds: Callable[[Any], bool] = lambda _: True
    is_optional: bool = False

    def check(self, name: str, value: Any) -> Any:
        """The value in its own type, or an error that says what would do."""
        if value is None and self.is_optional:
            return None
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a NumPy number
            value = value.item()
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**1000:
            value = float(value)
        is_right, why = isinstance(value, self.kind) and not isinstance(value, bool), ""
        try:
            is_right = is_right and not (isinstance(value, float) and not math.isfinite(value)) and self.holds(value)
        except PodiumError as error:
            is_right, why = False, f"; {error}"
        if not is_right:
            raise DataError(f"{name} must be {self.expected}, got {value!r}{why}")
        return value


def _from(least: float) -> Callable[[Any], bool]:
    return lambda value: bool(value >= least)


def _is_target(name: str) -> bool:
    return measures.get(name).entry.larger_is_better


_TIES = ("keep", "break", "average", "resample")

SETTINGS: dict[str, Setting] = {
    "k": Setting("how many documents are on top", int, "a whole number from 1 on, below 2^31", lambda k: 1 <= k < 2**31),
    "balance": Setting("share of the list loss inside the top; the rest is the pair loss", float, "a number from 0 to 1", lambda b: 0 <= b <= 1),
    "rest": Setting("label of the documents below the top (ε)", float, "a number from 0 on and below 1, the least label of the top", lambda r: 0 <= r < 1),
    "C": Setting("how much the loss weighs against ½ Σ w²: for ranksvm the sum over all pairs, for svmmap and focused-svm the mean over queries", float, "a number above 0, at most 1e15", lambda c: 0 < c <= 1e15),
    "target": Setting("the measure that AdaRank raises (FocusedBoost: NDCG@k of the top)", str, "the name of a measure that is larger for better rankings, such as map, ndcg@10 or k-ndcg@10", _is_target),
    "repeats": Setting("a feature that AdaRank chose this many times in a row is not chosen again; 0: no limit, as printed", int, "a whole number from 0 on", _from(0)),
    "l2": Setting("penalty l2/2 · Σ w²", float, "a number from 0 on", _from(0)),
    "l1": Setting("penalty l1 · Σ |w|; makes weights exactly 0", float, "a number from 0 on", _from(0)),
    "optimizer": Setting("lbfgs and gd see all queries at each iteration, sgd and adam a batch", str, f"one of {', '.join(OPTIMIZERS)}", lambda o: o in OPTIMIZERS),
    "learning_rate": Setting("length of a step of gd, sgd, adam; empty: 0.01", float, "a number above 0", lambda r: r > 0, is_optional=True),
    "batch_queries": Setting("queries of a batch of sgd and adam", int, "a whole number from 1 on", _from(1)),
    "bins": Setting("into how many bins each feature is cut; thresholds lie between them", int, "a whole number from 2 to 256", lambda b: 2 <= b <= 256),
    "max_iter": Setting("iterations, epochs of sgd and adam, or rounds of boosting, at most", int, "a whole number from 1 on", _from(1)),
    "tol": Setting("when to stop: smooth losses and CPS at this norm of the objective's gradient, the SVM family at this relative duality gap, RankBoost and FocusedBoost at this relative change of the loss of pairs", float, "a number from 0 on", _from(0)),
    "scaling": Setting("how features are made comparable; part of the model", str, f"one of {', '.join(SCALINGS)}", lambda s: s in SCALINGS),
    "ties": Setting("equal labels: keep them as no preference, break them at random once, average over several orders, or resample one every epoch", str, f"one of {', '.join(_TIES)}", lambda t: t in _TIES),
    "orders": Setting("random orders that ties=average goes through", int, "a whole number from 1 on", _from(1)),
    "patience": Setting("with validation data: keep the best iteration, and stop after this many without a better one; empty: keep the one of least loss", int, "a whole number from 1 on", _from(1), is_optional=True),
}  # fmt: skip

_Grid = Mapping[str, list[Any]]


@final
@dataclass(frozen=True)
class Trainer:
    """How some algorithms are fitted: what comes out, with which settings, and from what it can start."""

    kind: type[Any]  # of scorer
    meaning: str
    settings: Any  # a dataclass, whose defaults are those of the trainer
    fit: Callable[..., tuple[Any, Watch]]
    takes_loss: bool = False

    @property
    def defaults(self) -> dict[str, Any]:
        return {name: getattr(self.settings(), name) for name in self.settings.__dataclass_fields__}


TRAINERS: dict[str, Trainer] = {
    "smooth": Trainer(LinearScorer, "linear", SmoothSettings, fit_linear, takes_loss=True),
    "bundle": Trainer(LinearScorer, "linear", BundleSettings, fit_bundle, takes_loss=True),
    "rankboost": Trainer(WeakScorer, "sum of weak rankers", RankBoostSettings, fit_rankboost),
    "adarank": Trainer(LinearScorer, "linear", AdaRankSettings, fit_adarank),
    "focused-boost": Trainer(WeakScorer, "sum of weak rankers", FocusedBoostSettings, fit_focused_boost),
    "cps": Trainer(CpsScorer, "stagewise", CpsSettings, fit_cps),
}

_PENALTIES: _Grid = {"l2": [0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]}
_DESCENT: _Grid = {
    "optimizer": ["gd"],
    "l2": [0.0],
    "learning_rate": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1],
    "max_iter": [500],
}  # paper 000, section 4
_SHARES = [round(0.05 * step, 2) for step in range(21)]  # paper 001: from 0 to 1 with a step of 0.05
_PAPER_C: _Grid = {"C": [*(10.0**power for power in range(-5, 0)), *(round(0.1 * step, 1) for step in range(2, 11)), 10.0, 100.0, 1000.0]}
_BALANCES = [0.1, 0.3, 0.5, 0.7, 0.9]


@final
@dataclass(frozen=True)
class Algorithm:
    """One row of the table."""

    loss: str  # of the table of losses; what a trainer without one minimises, in words
    meaning: str
    paper: str
    defaults: Mapping[str, Any] = field(default_factory=dict)  # where they differ from the trainer's and the loss's own
    grids: Mapping[str, _Grid] = field(default_factory=lambda: {"default": _PENALTIES, "paper": _DESCENT})
    trainer: str = "smooth"
    without: tuple[str, ...] = ()  # settings of the trainer that mean nothing here

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting with its default."""
        every = {**self.own_settings, **TRAINERS[self.trainer].defaults, **self.defaults}
        return {name: value for name, value in every.items() if name not in self.without}

    @property
    def own_settings(self) -> dict[str, Any]:
        """Those of its loss."""
        return losses.LOSSES[self.loss].settings if TRAINERS[self.trainer].takes_loss else {}


_STEPS: _Grid = {"max_iter": [5, 10, 20, 50, 100, 500]}  # its loss does not see the length of w, so a penalty has nothing to weigh

ALGORITHMS: dict[str, Algorithm] = {
    "ranknet": Algorithm("pairwise-logistic", "pairs, logistic loss", "paper 000, Eq. 4"),
    "listnet": Algorithm("listnet", "lists, cross entropy of the chances to be first", "Cao et al. 2007; papers 000, 004"),
    "listmle": Algorithm("listmle", "lists, likelihood of the whole order", "papers 000, 004, Eq. 9"),
    "rankcosine": Algorithm("rankcosine", "lists, cosine between scores and labels", "paper 004, Eq. 11", {"l2": 0.0}, {"default": _STEPS, "paper": _DESCENT}),
    "top-k-listmle": Algorithm("top-k-listmle", "lists, likelihood of the ordered top k", "paper 004, Eq. 10"),
    "top-k-listnet": Algorithm("top-k-listnet", "ListNet on top-k labels", "paper 004, 4.3.3"),
    "top-k-rankcosine": Algorithm("top-k-rankcosine", "RankCosine on top-k labels", "paper 004, 4.3.2", {"l2": 0.0}, {"default": _STEPS, "paper": _DESCENT}),
    "cs-listmle": Algorithm("cs-listmle", "ListMLE, pairs weighed by their cost in NDCG@k", "paper 002, Eq. 11"),
    "hom-gg": Algorithm("hom-gg", "the top as a group before the rest, then its order", "paper 003"),
    "hom-oo": Algorithm("hom-oo", "each of the top before each of the rest, and its order", "paper 003"),
    "hom-og": Algorithm("hom-og", "each of the top before the rest as a group, and its order", "paper 003"),
    "focused-net": Algorithm("focused-net", "ListNet inside the top, RankNet against the rest", "paper 001", grids={
        "default": {"balance": _BALANCES, "l2": [0.0, 1e-4, 1e-3, 1e-2]},
        "paper": {"balance": _SHARES},
    }),
    "ranksvm": Algorithm("pairwise-hinge", "pairs, hinge loss and large margins", "paper 000, Eq. 2", {"C": 1e-3}, {
        "default": {"C": [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]}, "paper": _PAPER_C,
    }, "bundle"),
    "svmmap": Algorithm("map-hinge", "lists, structural hinge of average precision", "Yue et al. 2007; paper 001", {"C": 10.0}, {
        "default": {"C": [0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5]}, "paper": _PAPER_C,
    }, "bundle", ("ties", "orders")),
    "focused-svm": Algorithm("focused-hinge", "SVM-MAP inside the top, Ranking SVM against the rest", "paper 001", {"C": 100.0}, {
        "default": {"balance": _BALANCES, "C": [1.0, 10.0, 100.0, 1e3, 1e4]}, "paper": {"balance": _SHARES},
    }, "bundle"),
    "rankboost": Algorithm("pairwise-exponential", "pairs, exponential loss, thresholds of features", "Freund et al. 2003; paper 000, Alg. 1", {}, {
        "default": {"max_iter": [10, 20, 50, 100, 200, 500]}, "paper": {"tol": [0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]},
    }, "rankboost"),
    "adarank": Algorithm("e^-measure", "lists, a measure itself, single features", "Xu & Li 2007; paper 001", {}, {
        "default": {"target": ["map", "ndcg@5", "ndcg@10"], "repeats": [1, 2, 5]}, "paper": {"target": ["map", "ndcg@10", "k-ndcg@10"], "repeats": [0]},
    }, "adarank"),
    "focused-boost": Algorithm("e^-measure and pairwise-exponential", "AdaRank inside the top, RankBoost against the rest", "paper 001, Alg. 2", {}, {
        "default": {"balance": _BALANCES}, "paper": {"balance": _SHARES},
    }, "focused-boost"),
    "top-k-cps": Algorithm("coset-permutation likelihood", "features as voters, likelihood of the ordered top k", "Qin et al. 2010; paper 003, Eq. 2", {}, {
        "default": {"l2": [0.0, 1.0, 10.0, 100.0, 1e3]}, "paper": {"l2": [0.0], "k": [5, 10]},
    }, "cps"),
}  # fmt: skip


def get(name: str) -> Algorithm:
    """The algorithm of a name; an unknown one lists the known.

    >>> get("hom-og").paper
    'paper 003'
    """
    if name not in ALGORITHMS:
        raise UnknownName("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]


def resolve(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting of an algorithm, checked: those given, and defaults for the others.

    >>> resolve("hom-og", {"k": 5})["k"]
    5
    >>> resolve("ranknet", {"k": 5})
    Traceback (most recent call last):
    podium.errors.UnknownName: unknown setting of ranknet 'k'; choose from batch_queries, l1, ...
    """
    known = get(name).settings
    for setting in settings:
        if setting not in known:
            raise UnknownName(f"setting of {name}", setting, known)
    return {setting: SETTINGS[setting].check(setting, value) for setting, value in {**known, **settings}.items()}


def parse_setting(text: str) -> tuple[str, Any]:
    """``l2=0.01`` as a name and a value.

    >>> parse_setting("k=5"), parse_setting("scaling=minmax"), parse_setting("patience=")
    (('k', 5), ('scaling', 'minmax'), ('patience', None))
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise DataError(f"a setting is written name=value, such as l2=0.01, got {text!r}")
    if name not in SETTINGS:
        raise UnknownName("setting", name, SETTINGS)
    if not value and SETTINGS[name].is_optional:
        return name, None
    if SETTINGS[name].kind is str:
        return name, SETTINGS[name].check(name, value)
    try:
        return name, SETTINGS[name].check(name, SETTINGS[name].kind(value))
    except ValueError:
        raise DataError(f"{name} must be {SETTINGS[name].expected}, got {value!r}") from None


def fit(
    name: str,
    data: Dataset,
    settings: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    validation: Validation | None = None,
    start: Model | None = None,
    callback: Callback | None = None,
) -> Model:
    """Train an algorithm; an interrupt returns the best model so far (``model.training["stopped"]`` says "interrupt")."""
    algorithm, chosen = get(name), resolve(name, settings or {})
    trainer = TRAINERS[algorithm.trainer]
    given = trainer.settings(**{key: chosen[key] for key in trainer.defaults if key in chosen})
    loss = [losses.get(algorithm.loss, **{key: chosen[key] for key in algorithm.own_settings})] if trainer.takes_loss else []
    begin = None if start is None else _start(start, name, trainer, getattr(given, "scaling", None), data)
    scorer, watch = trainer.fit(data, *loss, given, seed=seed, validation=validation, start=begin, callback=callback)
    facts = {"queries": data.n_queries, "documents": data.n_rows, **watch.summary()}
    return Model(scorer, name, chosen, seed, data.given_names or (), facts)


def _start(model: Model, name: str, trainer: Trainer, scaling: str | None, data: Dataset) -> Any:
    """What a trainer begins with: weights, or the weak rankers chosen before."""
    scorer = model.scorer
    if not isinstance(scorer, trainer.kind):
        raise DataError(f"to start {name} from a model, it must be of the same kind ({trainer.meaning}), not by {model.algorithm}")
    if scaling is not None and scorer.scaling != scaling:
        raise DataError(f"to start from a model, both must scale features alike: it has {scorer.scaling}; give scaling={scorer.scaling}")
    if isinstance(scorer, LinearScorer) and scorer.lines is not None and scorer.n_features == data.n_features:
        return _rescaled(scorer.weights, scorer.lines, lines_of(data.features, data.offsets, scorer.scaling))
    return scorer if isinstance(scorer, WeakScorer) else scorer.weights


def _rescaled(weights: Floats, before: Lines, now: Lines) -> Floats:
    """The weights that order rows under another scaling as these did under theirs; 0 for a feature that has become constant."""
    return np.asarray(np.divide(weights * before.factor[0], now.factor[0], out=np.zeros_like(weights), where=now.factor[0] != 0))
