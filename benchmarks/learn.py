"""Learning linear rankers: one pass of loss and gradient, whole fits, and the memory they take.

``python -m benchmarks.learn FOLDER`` prints the peak memory of a fit, in a process of its own, as JSON.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

import podium
from benchmarks import memory
from benchmarks.learn_peers import L2, THREADS, TOL, K, Lists, Outcome, jax_fit, rax_pass, torch_fit, torch_pass
from benchmarks.timing import (
    Call,
    Contender,
    Report,
    Table,
    Target,
    Timing,
    as_time,
    best_of_each,
    is_installed,
    processor_seconds,
    progress,
    quiet,
    ratio,
    share_of_others,
)
from podium import losses
from podium.losses import Entry, Loss
from podium.losses.levels import exponentials
from podium.losses.luce import _luce  # what is left of ListMLE when nothing is checked
from podium.losses.ordered import Rule
from podium.ragged import kernel, over_queries, summing_kernel
from podium.scaling import lines_of
from podium.training.passes import Pass
from podium.training.smooth import Objective, SmoothSettings, fit_linear

__all__ = ["run"]

LOSSES: dict[str, Loss] = {
    name: losses.get(name, **({"k": K} if "k" in losses.LOSSES[name].settings else {}))
    for name in ("listmle", "top-k-listmle", "hom-og", "pairwise-exponential", "cs-listmle", "pairwise-logistic")
}
_SETTINGS = SmoothSettings(scaling="none", tol=TOL, l2=L2, max_iter=1000)

# ---- passes ----


def _pass_of(loss: Loss, lists: Lists) -> Pass:
    """Logistic pairs learn from the top of the order, as in paper 000; a full order would have 245,000 of them a query."""
    data = lists.data.top_k(K) if loss.name == "pairwise-logistic" else lists.data
    return Pass(data.features, loss, loss.prepare(data.labels, data.offsets), lines_of(data.features, data.offsets, "none"))


def _podium(loss: Loss) -> Callable[[Lists], Call]:
    return lambda lists: partial(_pass_of(loss, lists), lists.weights)


@kernel
def _greatest(scores):  # type: ignore[no-untyped-def]
    """The greatest score, by bits: what ``spread`` does, without the least."""
    bits = scores.view(np.int64)
    high = np.int64(-(2**63))
    for i in range(len(bits)):
        turned = bits[i] ^ ((bits[i] >> np.int64(63)) & np.int64(2**63 - 1))
        high = turned if turned > high else high
    return np.int64(high ^ ((high >> np.int64(63)) & np.int64(2**63 - 1))).view(np.float64)


def _unchecked_listmle(scores, _values, ends, _settings, gradient, curvature, work):  # type: ignore[no-untyped-def]
    exponentials(scores, _greatest(scores), work[0])
    return _luce(scores, ends, len(scores) - 1, gradient, curvature, work)


_UNCHECKED = Loss("listmle, unchecked", Entry(losses.LOSSES["listmle"].function, Rule(_unchecked_listmle), "", ""))


def _blas_pair(lists: Lists) -> Call:
    features, weights = lists.data.features, lists.weights.astype(np.float32)
    slopes = np.random.default_rng(1).normal(size=len(features)).astype(np.float32)
    return lambda: (features @ weights, features.T @ slopes)


@summing_kernel
def _sums(first, last, offsets, features, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        found = np.float32(0.0)
        rows = features[offsets[query] : offsets[query + 1]].reshape(-1)
        for place in range(len(rows)):
            found += rows[place]
        out[query] = found


def _plain_read(lists: Lists) -> Call:
    out = np.empty(lists.data.n_queries, np.float32)
    return lambda: over_queries(_sums, lists.data.offsets, lists.data.features, out, grain=10_000)


_BLAS, _READ, _RAX, _SAFE_LESS = "NumPy X @ w, X.T @ g", "plain read of X", "Rax listmle", "podium listmle, unchecked"
_FREE = "not timed: rows in order of labels"
_REST = Contender("rest", lambda _: partial(time.sleep, 0.15), "OpenBLAS's threads spin for a tenth of a second after a call", repeats=9)
_PASSES = [
    Contender(_BLAS, _blas_pair, "BLAS, float32: scores and slopes without any loss", repeats=9),
    _REST,
    Contender(_READ, _plain_read, "a sum of every feature, by our threads", repeats=9),
    *(Contender(f"podium {name}", _podium(loss), "float64 inside; rows as they are", repeats=9) for name, loss in LOSSES.items()),
    Contender(_SAFE_LESS, _podium(_UNCHECKED), "wrong for scores 700 apart, and for ties at the bottom", repeats=9),
    *(Contender(f"PyTorch {name}", torch_pass(name), f"eager, autograd, float32; {_FREE}", "torch") for name in LOSSES),
    Contender("PyTorch listmle, allRank", torch_pass("listmle, allRank"), f"its formula, float32; {_FREE}", "torch"),
    _REST,
    Contender(_RAX, rax_pass, "JAX, jit, float32; sorts by label in every call", "rax"),
]  # fmt: skip


def _passes_table(title: str, timings: Sequence[Timing]) -> Table:
    best = _best(timings)
    rows = []
    for each in timings:
        ours = best.get(f"podium {_loss_of(each.name)}")
        rows.append((each.name, as_time(each.best), ratio(each.best, best[_BLAS]), ratio(each.best, ours), each.absent or each.note))
    return Table(title, ("one pass", "time", "times the BLAS pair", "times ours of that loss", "note"), rows)


def _loss_of(contender: str) -> str:
    return contender.split(" ", 1)[1].split(",")[0]


def _best(timings: Sequence[Timing]) -> dict[str, float | None]:
    return {timing.name: timing.best for timing in timings}


def _least(*seconds: float | None) -> float | None:
    return min((each for each in seconds if each is not None), default=None)


def _pass_targets(timings: Sequence[Timing]) -> list[Target]:
    best = _best(timings)
    found = []
    for name in LOSSES:
        ours, bound = best[f"podium {name}"], 4 if name == "pairwise-logistic" else 0.8
        found.append(Target(f"{name}, times the BLAS pair", ratio(ours, best[_BLAS]), bound, "at most"))
        if name != "pairwise-logistic":
            theirs = _least(*(seconds for other, seconds in best.items() if other.startswith("PyTorch") and _loss_of(other) == name))
            found.append(Target(f"{name}, times PyTorch's fastest", ratio(ours, theirs), 0.9, "at most"))
    return found


# ---- fits ----


def _podium_fit(lists: Lists) -> Call:
    fit_linear(lists.first(2).data, LOSSES["top-k-listmle"], _SETTINGS)  # compiles
    return lambda: fit_linear(lists.data, LOSSES["top-k-listmle"], _SETTINGS)


def _our_outcome(lists: Lists) -> Outcome:
    with mock.patch.object(Pass, "__call__", autospec=True, side_effect=Pass.__call__) as call:
        scorer, _ = fit_linear(lists.data, LOSSES["top-k-listmle"], _SETTINGS)
    whole = [one for one in call.call_args_list if len(one.args) < 3 or one.args[2] is None]  # the others see a sample of the queries
    return Outcome(scorer.weights, len(whole))


_FIT = "podium fit_linear"
_DOUBLES = "features in float32, scores in float64"
_FITS = [
    Contender(_FIT, _podium_fit, "sorts labels, looks for missing values, rehearses on a sample", "", 5, False),
    *(
        Contender(name, prepare(name), f"{note}; {_FREE}", peer, 3, False)
        for name, prepare, note, peer in (
            ("PyTorch L-BFGS", partial(torch_fit, "top-k-listmle"), "float32", "torch"),
            ("PyTorch L-BFGS, doubles", partial(torch_fit, "top-k-listmle", dtype="float64"), _DOUBLES, "torch"),
            ("PyTorch L-BFGS, allRank", partial(torch_fit, "top-k-listmle, allRank"), f"its formula, top {K} rows, float32", "torch"),
            ("JAX, SciPy L-BFGS-B", jax_fit, "jit, float32; Rax has no top-k", "jax"),
            ("JAX, SciPy L-BFGS-B, doubles", partial(jax_fit, dtype="float64"), f"jit, {_DOUBLES}", "jax"),
        )
    ),
    Contender("NumPy, rows in order of labels", lambda lists: lists.sorted_rows, "what the others are spared: a copy", "", 3, False),
]


def _ends(lists: Lists) -> dict[str, tuple[float, float]]:
    """The objective in doubles, and the norm of its gradient, where each fit ended."""
    objective = Objective([_pass_of(LOSSES["top-k-listmle"], lists)], L2)
    found = {name: objective(outcome.weights) for name, outcome in lists.outcomes.items()}
    return {name: (value, float(np.linalg.norm(gradient))) for name, (value, gradient) in found.items()}


def _fits_table(title: str, timings: Sequence[Timing], lists: Lists, ends: dict[str, tuple[float, float]]) -> Table:
    ours, rows = timings[0].best, []
    for each in timings:
        passes = lists.outcomes[each.name].passes if each.name in lists.outcomes else None
        value, norm = ends.get(each.name, (None, None))
        rows.append((each.name, as_time(each.best), ratio(each.best, ours), passes, value, norm, each.absent or each.note))
    return Table(title, ("fit", "time", "podium is faster, x", "passes", "objective", "gradient norm", "note"), rows)


def _fastest_other(timings: Sequence[Timing], lists: Lists) -> float | None:
    return _least(*(timing.best for timing in timings if timing.name != _FIT and timing.name in lists.outcomes))


# ---- memory ----


def _peak_of_fit(lists: Lists) -> float | None:
    """Peak memory of a whole fit with the features in it, in units of the features; None where it cannot be measured."""
    progress("peak memory of a fit")
    return memory.peak_of_fit("benchmarks.learn", lists.data)


def main(folder: str) -> None:
    """Load the lists from a folder, fit, and say by how many bytes the peak lies above what was in use after loading."""
    podium.set_threads(THREADS)
    memory.print_growth(_podium_fit(Lists(memory.load(folder))))


# ---- agreements ----


def _relative(ours: Any, theirs: Any) -> float:
    return float(np.abs(np.asarray(ours) - theirs).max() / np.abs(ours).max())


def _checks() -> Iterator[tuple[str, str, Callable[[Lists], Call], float]]:
    """Our loss, who else, how, and how far apart they may be."""
    for name in LOSSES:
        yield name, f"{name}, PyTorch in float64", torch_pass(name, dtype="float64"), 1e-10
    yield "listmle", "listmle, allRank's formula in float64", torch_pass("listmle, allRank", dtype="float64"), 1e-6
    yield "listmle", "listmle, Rax in float32", rax_pass, 1e-4


def _agreements(lists: Lists) -> list[Target]:
    found = []
    for name, claim, prepare, bound in _checks():
        if not is_installed("rax" if prepare is rax_pass else "torch"):
            continue
        progress(f"comparing {claim}")
        value, gradient = _podium(LOSSES[name])(lists)()  # type: ignore[misc]
        try:
            with quiet():
                other_value, other_gradient = prepare(lists)()  # type: ignore[misc]
        except Exception as error:  # a peer that does not run is a row in the tables too
            found.append(Target(f"{claim} failed: {type(error).__name__}", None, bound, "at most", ""))
            continue
        found.append(Target(f"{claim}: value", _relative(value, other_value), bound, "at most", ""))
        found.append(Target(f"{claim}: gradient", _relative(gradient, other_gradient), bound, "at most", ""))
    return found


def _same_optimum(ends: dict[str, tuple[float, float]]) -> list[Target]:
    ours = ends[_FIT][0]
    others = [(name, value) for name, (value, _) in ends.items() if name != _FIT]
    return [Target(f"objective of the fit, {name}", abs(value - ours) / ours, 1e-4, "at most", "") for name, value in others]


# ---- the part ----


def run(quick: bool) -> Report:
    progress("learn: drawing lists")
    podium.set_threads(THREADS)
    try:
        with threadpool_limits(THREADS):
            return _run_on(Lists.drawn(*((60, 200) if quick else (1700, 700))), most=1 if quick else 9)
    finally:
        podium.set_threads(None)


def _timings(contenders: Sequence[Contender], lists: Lists, most: int) -> list[Timing]:
    found = best_of_each([replace(one, repeats=min(one.repeats, most)) for one in contenders], lists)
    return [timing for timing in found if timing.name != _REST.name]


def _run_on(lists: Lists, most: int) -> Report:
    agreements = _agreements(lists.first(40))
    before = processor_seconds()
    passes, fits = (_timings(each, lists, most) for each in (_PASSES, _FITS))
    after = processor_seconds()
    lists.outcomes[_FIT] = _our_outcome(lists)
    ends, peak = _ends(lists), _peak_of_fit(lists)
    n_queries, n_documents = lists.shape
    size = f"{n_queries:,} queries x {n_documents:,} documents x {lists.data.n_features} features"
    tables = [
        _passes_table(f"Loss and gradient by weight, {size}", passes),
        _fits_table(f"Whole fits of top-{K} ListMLE from zero to a gradient norm of {TOL:g}, l2 = {L2:g}", fits, lists, ends),
    ]
    facts = [
        f"Synthetic lists, {lists.data.features.nbytes / 1e6:.0f} MB of float32 features; {THREADS} threads (JAX: every core).",
        "Passes: best of several turns, the second of two runs in each. Fits: best of several turns. Differences are relative.",
        "Fits in float32 alone stop where the loss has no more digits, short of the gradient norm asked for; they count as they are.",
        share_of_others(before, after, "PyTorch and BLAS suffer more than we do"),
    ]
    targets = [
        *_pass_targets(passes),
        Target("a whole fit against the fastest other", ratio(_fastest_other(fits, lists), fits[0].best), 2, "at least"),
        Target("peak memory of a fit, times its features", peak, 1.3, "at most"),
    ]
    return Report("learn", facts, tables, [*agreements, *_same_optimum(ends)], targets)


if __name__ == "__main__":
    main(*sys.argv[1:])
