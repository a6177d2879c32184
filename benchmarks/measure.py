"""Measuring rankings: NDCG@10, average precision and ERR of many queries, in one call or alone, large and small."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import (
    Call,
    Contender,
    Report,
    Table,
    Target,
    Timing,
    as_time,
    best_of_each,
    by_threads,
    is_installed,
    median_of_each,
    progress,
    quiet,
    ratio,
)
from podium import measures

__all__ = ["run"]

_THREE = ["ndcg@10", "map", "err"]
_LABEL_SHARES = [0.55, 0.25, 0.12, 0.05, 0.03]  # labels 0 to 4


@dataclass(frozen=True)
class Rankings:
    """Queries of equally many documents, as scikit-learn needs them; scores without ties, where conventions would differ."""

    labels: Any  # queries x documents, whole numbers
    scores: Any  # queries x documents

    @classmethod
    def drawn(cls, n_queries: int, n_documents: int, *, seed: int = 0) -> Rankings:
        rng = np.random.default_rng(seed)
        labels = rng.choice(len(_LABEL_SHARES), (n_queries, n_documents), p=_LABEL_SHARES)
        return cls(labels, 0.4 * labels + rng.normal(size=labels.shape))

    @functools.cached_property
    def flat(self) -> tuple[Any, Any, Any]:
        """Scores, labels and offsets in our layout."""
        return self.scores.ravel(), self.labels.ravel().astype(np.float64), np.arange(len(self.labels) + 1) * self.labels.shape[1]

    @functools.cached_property
    def gains(self) -> Any:
        """``2^label - 1``, since scikit-learn's gain is the label."""
        return np.exp2(self.labels) - 1.0

    @functools.cached_property
    def qrels(self) -> dict[str, dict[str, int]]:
        return self._as_dicts(self.labels)

    @functools.cached_property
    def run(self) -> dict[str, dict[str, float]]:
        return self._as_dicts(self.scores)

    def _as_dicts(self, values: Any) -> dict[str, dict[str, Any]]:
        documents = [f"d{number:04d}" for number in range(values.shape[1])]
        return {str(query): dict(zip(documents, row, strict=True)) for query, row in enumerate(values.tolist())}


def _podium(names: Sequence[str]) -> Callable[[Rankings], Call]:
    return lambda case: functools.partial(measures.evaluate, names, *case.flat)


def _sklearn(**options: bool) -> Callable[[Rankings], Call]:
    def prepare(case: Rankings) -> Call:
        from sklearn.metrics import ndcg_score

        return functools.partial(ndcg_score, case.gains, case.scores, k=10, **options)

    return prepare


def _ranx(*names: str) -> Callable[[Rankings], Call]:
    def prepare(case: Rankings) -> Call:
        import ranx

        return functools.partial(ranx.evaluate, ranx.Qrels(case.qrels), ranx.Run(case.run), list(names))

    return prepare


def _ranx_from_dicts(*names: str) -> Callable[[Rankings], Call]:
    def prepare(case: Rankings) -> Call:
        import ranx

        qrels, run = case.qrels, case.run
        return lambda: ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), list(names))

    return prepare


def _pytrec(*names: str) -> Callable[[Rankings], Call]:
    def prepare(case: Rankings) -> Call:
        import pytrec_eval

        return functools.partial(pytrec_eval.RelevanceEvaluator(case.qrels, set(names)).evaluate, case.run)

    return prepare


def _ir_measures(*names: str) -> Callable[[Rankings], Call]:
    def prepare(case: Rankings) -> Call:
        import ir_measures

        if "ERR@10" in names and shutil.which("perl") is None:
            raise RuntimeError("its ERR is a Perl script, and there is no perl")
        evaluator = ir_measures.evaluator([ir_measures.parse_measure(name) for name in names], case.qrels)
        return functools.partial(evaluator.calc_aggregate, case.run)

    return prepare


_OURS, _OURS_ALONE = "podium ndcg@10, map, err", "podium ndcg@10"
_SKLEARN, _RANX = "scikit-learn ndcg_score", "ranx ndcg_burges@10, map, mrr"
_FLAT = "sorts; a value per query"
_TABLES = "the mean of NDCG@10 only; not timed: gains"
_OBJECTS = "not timed: Qrels and Run, which sort"
_DICTS = "not timed: dicts, evaluator"

CONTENDERS = [
    Contender(_OURS, _podium(_THREE), _FLAT, repeats=7),
    Contender(_OURS_ALONE, _podium(_THREE[:1]), _FLAT, repeats=7),
    Contender(_SKLEARN, _sklearn(), f"{_TABLES}; averages over ties", "sklearn"),
    Contender(f"{_SKLEARN}, ignore_ties", _sklearn(ignore_ties=True), _TABLES, "sklearn"),
    Contender(_RANX, _ranx("ndcg_burges@10", "map", "mrr"), f"has no ERR, so MRR; {_OBJECTS}", "ranx", repeats=3),
    Contender(f"{_RANX}, from dicts", _ranx_from_dicts("ndcg_burges@10", "map", "mrr"), "sorts, as ours does", "ranx", 1, False),
    Contender("ranx ndcg_burges@10", _ranx("ndcg_burges@10"), _OBJECTS, "ranx", repeats=3),
    Contender("pytrec_eval ndcg_cut_10, map", _pytrec("ndcg_cut_10", "map"), f"has no ERR; {_DICTS}", "pytrec_eval", repeats=2),
    Contender("ir_measures nDCG@10, AP", _ir_measures("nDCG@10", "AP"), _DICTS, "ir_measures", repeats=2),
    Contender("ir_measures nDCG@10, AP, ERR", _ir_measures("nDCG@10", "AP", "ERR@10"), f"ERR in Perl; {_DICTS}", "ir_measures", 1, False),
]  # fmt: skip


def run(quick: bool) -> Report:
    progress("measure: drawing rankings")
    large, small = Rankings.drawn(*((200, 100) if quick else (1700, 700))), Rankings.drawn(106, 150, seed=1)
    by_perl = "ir_measures"  # half a minute on the large rankings; what it wraps besides is compared there anyway
    agreements = [*_agreements("small", small, list(CHECKS)), *_agreements("large", large, [peer for peer in CHECKS if peer != by_perl])]
    on_large = best_of_each(CONTENDERS, large)
    on_small = median_of_each(CONTENDERS, small, seconds=0.2 if quick else 1.0)
    n_queries, n_documents = large.labels.shape
    tables = [
        _table(f"{n_queries:,} queries x {n_documents:,} documents, best", on_large, "best"),
        _table("106 queries x 150 documents, median", on_small, "median"),
        _threads(large, small),
    ]
    facts = [
        "Labels 0 to 4, scores without ties. Large: best of several turns, the second of two runs in each (ranx from dicts, Perl: once).",
        "Small: the median of many calls. Ours takes flat arrays, scikit-learn tables, the others dicts of strings made beforehand.",
    ]
    return Report("measure", facts, tables, agreements, _targets(on_large, on_small))


def _table(title: str, timings: Sequence[Timing], statistic: str) -> Table:
    three, alone = (getattr(timing, statistic) for timing in timings[:2])
    rows = []
    for each in timings:
        seconds = getattr(each, statistic)
        rows.append((each.name, as_time(seconds), ratio(seconds, three), ratio(seconds, alone), each.absent or each.note))
    return Table(title, ("contender", "time", "our three are faster, x", "our ndcg@10 is faster, x", "note"), rows)


def _threads(large: Rankings, small: Rankings) -> Table:
    progress("threads")
    rows = []
    for name, names, case in (("large", _THREE, large), ("large", _THREE[:1], large), ("small", _THREE, small)):
        call = _podium(names)(case)
        seconds = by_threads(call)
        rows += [(name, ", ".join(names), f"{count}", as_time(best), ratio(seconds[1], best)) for count, best in seconds.items()]
    return Table("podium by threads", ("data", "measures", "threads", "time", "faster than one, x"), rows)


def _targets(on_large: Sequence[Timing], on_small: Sequence[Timing]) -> list[Target]:
    best = {timing.name: timing.best for timing in on_large}
    three, alone = on_small[0].median, on_small[1].median
    return [
        Target("three measures against scikit-learn's ndcg_score", ratio(best[_SKLEARN], best[_OURS]), 10, "at least"),
        Target("three measures against ranx evaluate of three", ratio(best[_RANX], best[_OURS]), 100, "at least"),
        Target("the same, ranx sorting too", ratio(best[f"{_RANX}, from dicts"], best[_OURS]), 100, "at least"),
        Target("small call, three measures", ratio(three, 1e-3), 0.3, "at most", "ms"),
        Target("small call, ndcg@10 alone", ratio(alone, 1e-3), 0.3, "at most", "ms"),
    ]


def _mean_of(name: str, case: Rankings) -> float:
    return float(measures.evaluate(name, *case.flat)[name].mean())


def _largest(name: str, theirs: dict[str, dict[str, float]], key: str, case: Rankings) -> float:
    ours = measures.evaluate(name, *case.flat)[name]
    return float(np.abs(ours - [theirs[query][key] for query in case.qrels]).max())


def _check_sklearn(case: Rankings) -> list[tuple[str, float, float]]:
    return [("ndcg@10, scikit-learn on 2^label - 1, mean", abs(_mean_of("ndcg@10", case) - _sklearn()(case)()), 1e-12)]  # type: ignore[operator]


def _check_ranx(case: Rankings) -> list[tuple[str, float, float]]:
    theirs: Any = _ranx("ndcg_burges@10", "map", "mrr")(case)()
    pairs = (("ndcg@10", "ndcg_burges@10"), ("map", "map"), ("mrr", "mrr"))
    return [(f"{ours}, ranx {name}, mean", abs(_mean_of(ours, case) - float(theirs[name])), 1e-12) for ours, name in pairs]


def _check_pytrec(case: Rankings) -> list[tuple[str, float, float]]:
    theirs: Any = _pytrec("ndcg_cut_10", "map")(case)()
    pairs = (("ndcg@10[gain=linear]", "ndcg_cut_10"), ("map", "map"))
    return [(f"{ours}, pytrec_eval {name}, per query", _largest(ours, theirs, name, case), 1e-12) for ours, name in pairs]


def _check_ir_measures(case: Rankings) -> list[tuple[str, float, float]]:
    names = ["nDCG@10", "AP", *(["ERR@10"] if shutil.which("perl") else [])]
    theirs = {str(measure): float(value) for measure, value in _ir_measures(*names)(case)().items()}  # type: ignore[attr-defined]
    triples = (
        ("ndcg@10[gain=linear]", "nDCG@10", 1e-12),
        ("map", "AP", 1e-12),
        ("err@10[max=4]", "ERR@10", 1e-5),
    )  # ERR comes in 5 decimals
    return [
        (f"{ours}, ir_measures {name}, mean", abs(_mean_of(ours, case) - theirs[name]), bound)
        for ours, name, bound in triples
        if name in theirs
    ]


CHECKS: dict[str, Callable[[Rankings], list[tuple[str, float, float]]]] = {
    "sklearn": _check_sklearn,
    "ranx": _check_ranx,
    "pytrec_eval": _check_pytrec,
    "ir_measures": _check_ir_measures,
}


def _agreements(size: str, case: Rankings, peers: Sequence[str]) -> list[Target]:
    """Where a peer shares a convention of ours, the values must be the same; else its time says nothing about ours."""
    found: list[tuple[str, float | None, float]] = []
    for peer in filter(is_installed, peers):
        progress(f"comparing values with {peer}, {size}")
        try:
            with quiet():
                found += CHECKS[peer](case)
        except Exception as error:  # a peer that does not run is a row in the tables too
            found.append((f"{peer} failed: {type(error).__name__}", None, 0.0))
    return [Target(f"{size}: {claim}", difference, bound, "at most", "") for claim, difference, bound in found]
