"""Ranking SVM against SVMs of others, on subsets of the queries that double until a peer's memory or time runs out, and on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import podium
from benchmarks.learn_peers import THREADS, K, Lists, Outcome
from benchmarks.svm_peers import BYTES, DLIB, SVC, Subset, count_pairs, dlib_fit, linear_svc_fit, pairs_of
from benchmarks.timing import (
    Call,
    Contender,
    Report,
    Table,
    Target,
    Time,
    Timing,
    as_time,
    best_of_each,
    processor_seconds,
    progress,
    ratio,
    share_of_others,
    times,
)
from podium import algorithms
from podium.scaling import scale

__all__ = ["run"]


@dataclass(frozen=True)
class Sizes:
    """How much is done."""

    n_queries: int
    n_documents: int
    fewest_pairs: int  # of the smallest subset
    repeats: int
    most_seconds: float  # that a peer's next fit may be expected to take


_FULL = Sizes(1700, 700, 150_000, 3, 120.0)
_QUICK = Sizes(60, 100, 10_000, 1, 2.0)
_C = 1e-5
_SCALED = {"C": _C, "scaling": "none"}  # on features that were scaled before
_MOST_BYTES = 6e9  # of a peer's own form of the data
_GRADES = ((4, 0.02), (3, 0.03), (2, 0.05), (1, 0.10))  # shares of a query's documents, best first; the rest has grade 0


def _graded(lists: Lists) -> podium.Dataset:
    """The full order cut into grades of fixed shares."""
    _, n_documents = lists.shape
    places = np.argsort(np.argsort(-lists.data.labels.reshape(lists.shape), axis=1, kind="stable"), axis=1)
    ends = np.round(np.cumsum([share for _, share in _GRADES]) * n_documents)
    grades = np.array([*(grade for grade, _ in _GRADES), 0], dtype=np.float64)
    return lists.data.with_labels(grades[np.searchsorted(ends, places.ravel(), side="right")])


# ---- the same queries for everyone ----


def _podium(contender: str) -> Callable[[Subset], Call]:
    def prepare(subset: Subset) -> Call:
        def fit() -> None:
            model = algorithms.fit("ranksvm", subset.data, _SCALED)
            subset.outcomes[contender] = Outcome(model.scorer.weights, model.training["iterations"] + 1)  # type: ignore[attr-defined]

        return fit

    return prepare


_OURS, _OURS_ALONE = "podium ranksvm", "podium ranksvm, one thread"
_SVMS = [
    Contender(_OURS, _podium(_OURS), "no pairs; relative duality gap 1e-3", is_warmed=False),
    Contender(SVC, linear_svc_fit, "LIBLINEAR; tol 1e-4, its default; one thread", "sklearn", is_warmed=False),
    Contender(DLIB, dlib_fit, "no pairs; epsilon 1e-3, its default; a query a level; one thread", "dlib", is_warmed=False),
]
_ALONE = Contender(_OURS_ALONE, _podium(_OURS_ALONE), "the same", is_warmed=False)


@dataclass(frozen=True)
class Compared:
    """One subset of the queries: what each took, also for its own form of the data, and how far above the least objective it ended."""

    n_queries: int
    n_pairs: int
    timings: list[Timing]
    making: dict[str, float]
    passes: dict[str, int]
    excess: dict[str, float]

    @property
    def best(self) -> dict[str, float]:
        return {each.name: each.best for each in self.timings if each.best is not None}


def _taking_part(data: podium.Dataset, last: Mapping[str, float] | None, sizes: Sizes) -> list[Contender]:
    """Ours always; a peer as long as its data fit and twice its last time is not too long. Who took seconds has one turn."""
    found = []
    for one in _SVMS:
        before = 0.0 if last is None else last.get(one.name, np.inf)
        if not one.peer or (2 * before <= sizes.most_seconds and BYTES[one.name](data) <= _MOST_BYTES):
            found.append(replace(one, repeats=sizes.repeats if before < 5 else 1))
    return found


def _compare(data: podium.Dataset, sizes: Sizes) -> list[Compared]:
    """Everyone on the same first queries, about twice as many each time."""
    best_of_each([replace(one, repeats=1) for one in _SVMS], Subset(data.select_queries(slice(2)), _C))  # imports and compiles
    found: list[Compared] = []
    for halvings in range(data.n_queries.bit_length() - 1, -1, -1):
        part = data.select_queries(slice(data.n_queries >> halvings))
        n_pairs = count_pairs(part)
        taking = _taking_part(part, found[-1].best if found else None, sizes)
        if n_pairs >= sizes.fewest_pairs and len(taking) > 1:
            progress(f"{n_pairs:,} pairs of {part.n_queries} queries")
            found.append(_compare_on(Subset(part, _C), n_pairs, taking))
    return found


def _compare_on(subset: Subset, n_pairs: int, taking: list[Contender]) -> Compared:
    ours, *theirs = best_of_each(taking, subset)
    podium.set_threads(1)
    alone = best_of_each([replace(_ALONE, repeats=taking[0].repeats)], subset)
    podium.set_threads(THREADS)
    exact = algorithms.fit("ranksvm", subset.data, {**_SCALED, "tol": 1e-6})  # so that threads are there again, too
    passes = {name: outcome.passes for name, outcome in subset.outcomes.items()}
    ends = {name: subset.objective(outcome.weights) for name, outcome in subset.outcomes.items()}
    least = min(subset.objective(exact.scorer.weights), *ends.values())  # type: ignore[attr-defined]
    excess = {name: value / least - 1 for name, value in ends.items()}
    return Compared(subset.data.n_queries, n_pairs, [ours, *alone, *theirs], subset.making, passes, excess)


# ---- all queries ----


@dataclass(frozen=True)
class Whole:
    """Ranking SVM on all queries, as it is used."""

    n_queries: int
    n_pairs: int
    seconds: float
    looks: int
    gap: float


def _whole(data: podium.Dataset, repeats: int) -> Whole:
    progress(f"{_OURS}, all queries")
    settings = {"C": _C, "scaling": "standard"}
    facts = algorithms.fit("ranksvm", data, settings).training
    seconds = min(times(partial(algorithms.fit, "ranksvm", data, settings), repeats))
    return Whole(data.n_queries, count_pairs(data), seconds, facts["iterations"] + 1, facts["gap"])


def _power_law(ran: list[Compared], name: str, n_pairs: int) -> tuple[float, float]:
    """Seconds for so many pairs by the power law through what was measured, and its exponent."""
    pairs, seconds = np.log([(one.n_pairs, one.best[name]) for one in ran]).T
    exponent, height = np.polyfit(pairs, seconds, 1)
    return float(np.exp(height) * n_pairs**exponent), float(exponent)


# ---- tables and targets ----


def _rows(one: Compared) -> Iterator[tuple[Any, ...]]:
    for each in one.timings:
        cells = as_time(each.best), as_time(one.making.get(each.name)), ratio(each.best, one.best[_OURS])
        passes = one.passes.get(each.name) or None
        yield one.n_queries, one.n_pairs, each.name, *cells, one.excess.get(each.name), passes, each.absent or each.note


def _extrapolated_rows(found: list[Compared], whole: Whole, data: podium.Dataset) -> Iterator[tuple[Any, ...]]:
    """Peers that were measured at three sizes at least, but not on all queries."""
    for name, size_of in BYTES.items():
        ran = [one for one in found if name in one.best]
        if len(ran) >= 3 and ran[-1].n_pairs < whole.n_pairs:
            seconds, exponent = _power_law(ran, name, whole.n_pairs)
            making = Time(ran[-1].making[name] / ran[-1].n_pairs * whole.n_pairs)
            note = f"EXTRAPOLATED: pairs to the power of {exponent:.2f}; would take {size_of(data) / 1e9:.3g} GB"
            yield whole.n_queries, whole.n_pairs, name, Time(seconds), making, ratio(seconds, whole.seconds), None, None, note


def _table(title: str, found: list[Compared], whole: Whole, data: podium.Dataset) -> Table:
    note = f"measured, scaling within; gap {whole.gap:.1e}"
    ours = (whole.n_queries, whole.n_pairs, f"{_OURS}, as used", Time(whole.seconds), None, 1.0, None, whole.looks, note)
    columns = (
        "queries", "pairs", "fit", "time", "data made before", "podium is faster, x", "over the least objective", "passes", "note",
    )  # fmt: skip
    return Table(title, columns, [*(row for one in found for row in _rows(one)), ours, *_extrapolated_rows(found, whole, data)])


def _targets(labels: str, found: list[Compared]) -> Iterator[Target]:
    """Against each peer, on the most queries that it was given."""
    for name, bound in ((SVC, 10), (DLIB, 2)):
        most = next((one for one in reversed(found) if name in one.best), None)
        where = f", the same {most.n_queries} queries" if most else ""
        yield Target(f"ranksvm, {labels}: {name}{where}", ratio(most.best[name], most.best[_OURS]) if most else None, bound, "at least")


def _agreements(labels: str, found: list[Compared]) -> Iterator[Target]:
    """How far above the least objective anyone ended at worst."""
    for name, bound in ((_OURS, 1e-3), (_OURS_ALONE, 1e-3), (SVC, 1e-2), (DLIB, 1e-2)):
        worst = max((one.excess[name] for one in found if name in one.excess), default=None)
        yield Target(f"ranksvm, {labels}: objective over the least, {name}", worst, bound, "at most", "")


def _objectives_agree(labels: str, data: podium.Dataset) -> Target:
    """Our hinge is that of the pairs written out; C is 1 here, so that it is most of the objective."""
    weights = np.random.default_rng(0).normal(size=data.n_features)
    rows, targets = pairs_of(data)
    explicit = 0.5 * weights @ weights + np.maximum(0.0, 1.0 - targets * (rows @ weights)).sum()
    apart = abs(Subset(data, 1.0).objective(weights) - explicit) / explicit
    return Target(f"ranksvm, {labels}: objective with and without pairs", float(apart), 1e-9, "at most", "")


# ---- the part ----


def run(quick: bool) -> Report:
    progress("svm: drawing lists")
    sizes = _QUICK if quick else _FULL
    podium.set_threads(THREADS)
    try:
        with threadpool_limits(THREADS):
            return _run_on(Lists.drawn(sizes.n_queries, sizes.n_documents), sizes)
    finally:
        podium.set_threads(None)


def _run_on(lists: Lists, sizes: Sizes) -> Report:
    n_queries, n_documents = lists.shape
    size = f"{n_queries:,} queries x {n_documents:,} documents x {lists.data.n_features} features"
    tables: list[Table] = []
    agreements: list[Target] = []
    targets: list[Target] = []
    before = processor_seconds()
    for labels, data in ((f"top-{K} labels", lists.data.top_k(K)), ("grades 0 to 4", _graded(lists))):
        whole = _whole(data, sizes.repeats)
        scaled = replace(data, features=scale(data.features, data.offsets, "standard"))
        found = _compare(scaled, sizes)
        title = f"Ranking SVM, C = {_C:g}, {labels}, {size}; subsets: the first queries, features scaled before, for everyone"
        tables.append(_table(title, found, whole, data))
        agreements += [_objectives_agree(labels, scaled.select_queries(slice(2))), *_agreements(labels, found)]
        targets += _targets(labels, found)
    facts = [
        f"Synthetic lists, {lists.data.features.nbytes / 1e6:.0f} MB of float32 features; {THREADS} threads. All kernels compiled before.",
        "Grades: the best 2 % of a query 4, the next 3 % 3, 5 % 2, 10 % 1, the rest 0.",
        f"Best of up to {sizes.repeats} turns; making their form of the data is not in the peers' times but beside them. All minimise "
        "½ |w|² + C Σ hinge of the same pairs; the least objective is the least of all of them and of ours at a gap of 1e-6.",
        "Passes: looks at all queries (ours, after a rehearsal on a sample where queries are many), epochs over the pairs (scikit-learn).",
        "EXTRAPOLATED rows were not measured: a power law through the subsets' times, and making the data in proportion to pairs.",
        share_of_others(before, processor_seconds(), "ratios are not to be relied on"),
    ]
    return Report("svm", facts, tables, agreements, targets)
