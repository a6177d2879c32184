"""RankBoost against LightGBM's stumps, and where its time goes; the seconds of the other classics; the memory of two of them.

``python -m benchmarks.boost FOLDER ALGORITHM`` prints the peak memory of a fit, in a process of its own, as JSON.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import podium
from benchmarks import memory
from benchmarks.boost_peers import Rounds, lightgbm_rounds
from benchmarks.learn_peers import THREADS, K
from benchmarks.timing import (
    Call,
    Report,
    Table,
    Target,
    Time,
    is_installed,
    processor_seconds,
    progress,
    quiet,
    ratio,
    share_of_others,
    times,
)
from podium import algorithms, losses
from podium.scaling import lines_of
from podium.training.binning import Binned, bin_features
from podium.training.boosting import _best  # the choice of a round
from podium.training.pairs import Pairs

__all__ = ["run"]


@dataclass(frozen=True)
class Sizes:
    """How much is done."""

    n_queries: int
    n_documents: int
    rounds: int  # of RankBoost alone
    rounds_both: int  # of RankBoost and LightGBM
    repeats: int


_FULL = Sizes(1700, 700, 500, 100, 3)
_QUICK = Sizes(60, 100, 50, 20, 1)
_LOSS = losses.get("pairwise-exponential")


def _warm(data: podium.Dataset, name: str, settings: Mapping[str, Any]) -> None:
    """Compile what a fit needs, on some of the queries."""
    progress(f"warming up {name}")
    algorithms.fit(name, data.select_queries(slice(20)), settings)


# ---- whole fits ----


def _bins(data: podium.Dataset, ordered: Any) -> Binned:
    return bin_features(data.features, data.offsets, lines_of(data.features, data.offsets, "none"), ordered.order, 256)


def _our_rounds(data: podium.Dataset, n_rounds: int) -> Rounds:
    stamps: list[float] = []
    start = time.perf_counter()
    settings = {"max_iter": n_rounds, "tol": 0.0}
    model = algorithms.fit("rankboost", data, settings, callback=lambda _: stamps.append(time.perf_counter()))
    whole = time.perf_counter() - start
    a_round = (stamps[-1] - stamps[0]) / max(len(stamps) - 1, 1)
    ordered = _LOSS.prepare(data.labels, data.offsets)
    (bins,) = times(lambda: _bins(data, ordered))
    reached = _LOSS.of(model.scorer.scores(data.features, data.offsets), ordered, curvature=False).per_query.mean()
    return Rounds(n_rounds, whole, bins, a_round, float(reached))


def _best_rounds(name: str, fit: Callable[[podium.Dataset, int], Rounds], data: podium.Dataset, n_rounds: int, repeats: int) -> Rounds:
    """The fastest of several."""
    found = []
    for _ in range(repeats):
        with quiet():
            found.append(fit(data, n_rounds))
        progress(f"{name}, {data.n_queries} queries, {n_rounds} rounds: {Time(found[-1].whole)}")
    return min(found, key=lambda one: one.whole)


_OURS, _LIGHT = "podium rankboost", "LightGBM stumps"


def _light(data: podium.Dataset, sizes: Sizes) -> tuple[Rounds | None, str]:
    """LightGBM's, and a note; or why there is none."""
    if not is_installed("lightgbm"):
        return None, "not installed"
    try:
        with quiet():
            lightgbm_rounds(data.select_queries(slice(20)), 2)
        found = _best_rounds(_LIGHT, lightgbm_rounds, data, sizes.rounds_both, sizes.repeats)
    except Exception as error:  # a peer that does not run is a row in the table
        return None, f"failed: {type(error).__name__}: {error}".splitlines()[0]
    settings = "max_bin 255, num_leaves 2, learning_rate 0.1, min_data_in_leaf 1"
    return found, f"{settings}; its objective, our compiled loss, is {found.in_loss:.0%} of a round"


def _fits_table(title: str, fits: list[tuple[str, Rounds | None, str]], both: Rounds) -> Table:
    columns = ("fit", "rounds", "time", "of it bins", "one round", "whole, times ours", "one round, times ours", "loss reached", "note")
    rows: list[tuple[Any, ...]] = []
    for name, one, note in fits:
        if one is None:
            rows.append((name, *[None] * 7, note))
            continue
        whole = ratio(one.whole, both.whole) if one.n_rounds == both.n_rounds else None
        seconds = Time(one.whole), Time(one.bins), Time(one.a_round)
        rows.append((name, one.n_rounds, *seconds, whole, ratio(one.a_round, both.a_round), one.reached, note))
    return Table(title, columns, rows)


def _per_row_table(title: str, rounds: Mapping[int, Rounds]) -> Table:
    """What a round costs, by how many rows there are."""
    rows = [(n_rows, Time(one.a_round), 1e9 * one.a_round / n_rows) for n_rows, one in rounds.items()]
    return Table(title, ("rows", "one round", "ns a row"), rows)


def _slopes_agree(data: podium.Dataset) -> Target:
    """What LightGBM is given as gradient is the slope of the loss over explicit pairs."""
    scores = np.random.default_rng(0).normal(size=data.n_rows)
    slopes = np.zeros(data.n_rows)
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        own, labels = scores[first:last], data.labels[first:last]
        each = np.where(labels[:, None] > labels[None, :], np.exp(own[None, :] - own[:, None]), 0.0)
        slopes[first:last] = each.sum(axis=0) - each.sum(axis=1)
    found = _LOSS(scores, data.labels, data.offsets).gradient
    apart = float(np.abs(found - slopes).max() / np.abs(slopes).max())
    return Target("slope of the exponential loss, with and without pairs", apart, 1e-9, "at most", "")


# ---- where the time goes ----


def _parts(data: podium.Dataset, repeats: int) -> dict[str, float]:
    """Seconds of what a fit does once, and of what it does every round.

    The potentials are a look without any features; the choice, a look at next to no rows. What is left of a look is the histogram.
    """
    ordered = _LOSS.prepare(data.labels, data.offsets)
    tiny = podium.synthetic(min(32, data.n_queries), 2, data.n_features)
    few = _LOSS.prepare(tiny.labels, tiny.offsets)
    whole = Pairs(_bins(data, ordered), ordered, np.zeros(data.n_rows))
    featureless = Pairs(Binned(np.zeros((0, data.n_rows, 8), np.uint8), []), ordered, np.zeros(data.n_rows))
    nearly_none = Pairs(_bins(tiny, few), few, np.zeros(tiny.n_rows))
    gains = whole.look()[1]
    every: dict[str, Call] = {
        "potentials": featureless.look,
        "choice": lambda: (nearly_none.look(), _best(gains)),
        "look": whole.look,
        "look and step": lambda: whole.look(3, 100, 1e-9),
    }
    found = {
        "labels": min(times(lambda: _LOSS.prepare(data.labels, data.offsets), repeats)),
        "bins": min(times(lambda: _bins(data, ordered), repeats)),
    }
    turns = [{name: times(call, 2)[1] for name, call in every.items()} for _ in range(10 * repeats)]
    found |= {name: min(turn[name] for turn in turns) for name in every}
    found["adding the last ranker"] = max(found["look and step"] - found["look"], 0.0)
    found["histogram"] = max(found["look"] - found["potentials"] - found["choice"], 0.0)
    return found


_PARTS = [
    ("labels", "once", "put in order"),
    ("bins", "once", "256 a feature: thresholds and codes"),
    ("potentials", "every round", "the loss and its slope by score"),
    ("histogram", "every round", "potentials added up by feature and bin"),
    ("adding the last ranker", "every round", "to the scores"),
    ("choice", "every round", "sums from the highest bin down, the largest gain"),
]


def _parts_table(title: str, parts: Mapping[str, float], fit: Rounds) -> Table:
    rows: list[tuple[Any, ...]] = []
    for name, when, note in _PARTS:
        often = 1 if when == "once" else fit.n_rounds + 1
        rows.append((name, when, Time(parts[name]), parts[name] * often / fit.whole, note))
    rest = max(1.0 - sum(share for _, _, _, share, _ in rows), 0.0)
    rows.append(("other", "", None, rest, "what the parts, timed alone, leave of the whole fit"))
    return Table(title, ("part", "when", "time", "share", "note"), rows)


# ---- the others, and memory ----

_OTHERS: list[tuple[str, dict[str, Any], str]] = [
    ("svmmap", {}, "looks after a rehearsal on a sample"),
    ("focused-svm", {}, "looks after a rehearsal on a sample"),
    ("adarank", {}, "rounds"),
    ("focused-boost", {"max_iter": 50}, "rounds, max_iter 50"),
    ("top-k-cps", {}, "iterations of L-BFGS"),
]


def _others_table(title: str, data: podium.Dataset) -> Table:
    rows = []
    for name, settings, note in _OTHERS:
        _warm(data, name, {**settings, "max_iter": 3})
        progress(f"fitting {name}")
        with quiet():
            start = time.perf_counter()
            facts = algorithms.fit(name, data, settings).training
            seconds = time.perf_counter() - start
        n_rounds = facts["iterations"]
        rows.append((name, Time(seconds), n_rounds, Time(seconds / max(n_rounds, 1)), facts["stopped"], note))
    return Table(title, ("fit", "time", "iterations", "time by iterations", "ended by", "what is counted"), rows)


_MEASURED: dict[str, tuple[dict[str, Any], float]] = {  # settings, and the most memory
    "ranksvm": ({"C": 1e-5, "scaling": "standard"}, 1.3),
    "rankboost": ({"max_iter": 10, "tol": 0.0}, 1.6),
}


def _peaks(data: podium.Dataset) -> Iterator[Target]:
    for name, (_, bound) in _MEASURED.items():
        progress(f"peak memory of {name}")
        peak = memory.peak_of_fit("benchmarks.boost", data, name)
        yield Target(f"peak memory of {name}, times its features", peak, bound, "at most")


def main(folder: str, name: str) -> None:
    """Load the lists from a folder, fit, and say by how many bytes the peak lies above what was in use after loading."""
    podium.set_threads(THREADS)
    data, (settings, _) = memory.load(folder), _MEASURED[name]
    algorithms.fit(name, data.select_queries(slice(20)), settings)  # compiles
    memory.print_growth(lambda: algorithms.fit(name, data, settings))


# ---- the part ----


def run(quick: bool) -> Report:
    progress("boost: drawing lists")
    sizes = _QUICK if quick else _FULL
    podium.set_threads(THREADS)
    try:
        with threadpool_limits(THREADS):
            return _run_on(podium.synthetic(sizes.n_queries, sizes.n_documents).top_k(K), sizes)
    finally:
        podium.set_threads(None)


def _run_on(data: podium.Dataset, sizes: Sizes) -> Report:
    _warm(data, "rankboost", {"max_iter": 3})
    quarter = data.select_queries(slice(data.n_queries // 4))
    before = processor_seconds()
    both = _best_rounds(_OURS, _our_rounds, data, sizes.rounds_both, sizes.repeats)
    fewer = _best_rounds(_OURS, _our_rounds, quarter, sizes.rounds_both, sizes.repeats)
    alone = _best_rounds(_OURS, _our_rounds, data, sizes.rounds, sizes.repeats)
    parts = _parts(data, sizes.repeats)
    theirs, note = _light(data, sizes)  # after ours, as its threads spin for a while after a call
    fits = [(_OURS, both, "256 bins, exact weights"), (_OURS, alone, "256 bins, exact weights"), (_LIGHT, theirs, note)]
    size = f"{sizes.n_queries:,} queries x {sizes.n_documents:,} documents x {data.n_features} features"
    tables = [
        _fits_table(f"RankBoost, top-{K} labels, {size}, {THREADS} threads each", fits, both),
        _parts_table(f"Where RankBoost's time goes, {sizes.rounds} rounds", parts, alone),
        _per_row_table(f"RankBoost's cost of a round by rows, {sizes.rounds_both} rounds", {quarter.n_rows: fewer, data.n_rows: both}),
        _others_table(f"Other classics, top-{K} labels, {size}, default settings, one run each", data),
    ]
    after = processor_seconds()
    by_row = both.a_round / data.n_rows / (fewer.a_round / quarter.n_rows)
    a_round, whole = (theirs.a_round / both.a_round, theirs.whole / both.whole) if theirs else (None, None)
    targets = [
        Target("rankboost: one round of LightGBM's stumps", a_round, 1, "at least"),
        Target(f"rankboost: {sizes.rounds_both} rounds of LightGBM's stumps, bins and all", whole, 1, "at least"),
        Target("rankboost: a row of a round, all queries over a quarter", by_row, 1.3, "at most"),
        *_peaks(data),
    ]
    facts = [
        f"Synthetic lists, {data.features.nbytes / 1e6:.0f} MB of float32 features; {THREADS} threads. All kernels compiled before.",
        f"Boosting: best of {sizes.repeats}. LightGBM's gradient and curvature come from our compiled loss with labels in order, which is "
        "kinder to it than NumPy; its weights are Newton's, shrunk, so the loss that it reaches in as many rounds is another.",
        share_of_others(before, after, "ratios are not to be relied on"),
    ]
    return Report("boost", facts, tables, [_slopes_agree(data.select_queries(slice(5)))], targets)


if __name__ == "__main__":
    main(*sys.argv[1:])
