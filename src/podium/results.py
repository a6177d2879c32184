"""Results: the long table (run, fold, query, measure, value), its means, and whether two runs really differ.

Reports read this table and nothing else.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError, UnknownName
from podium.ragged import Floats

__all__ = [
    "CORRECTIONS", "Comparison", "Comparisons", "Correction", "Results", "Row", "compare", "compare_runs", "correct", "randomisation",
]  # fmt: skip

Correction = Literal["holm", "bonferroni", "fdr", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
_FIELDS = ("run", "fold", "query", "measure", "value")


class Row(NamedTuple):
    """One value: what a run got on a query by a measure."""

    run: str
    fold: str
    query: str
    measure: str
    value: float


class Results:
    """Values of any number of runs, per query; NaN is a query that the measure leaves out.

    >>> results = Results()
    >>> results.add("bm25", ["q1", "q2"], {"map": np.array([0.5, 0.7])})
    >>> results.mean("bm25", "map")
    0.6
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._values: dict[tuple[str, str], dict[tuple[str, str], float]] = {}  # (run, measure) -> (fold, query) -> value
        for row in rows:
            self._enter(row)

    def _enter(self, row: Row) -> None:
        values = self._values.setdefault((row.run, row.measure), {})
        if (row.fold, row.query) in values:
            raise DataError(f"run {row.run!r} has two values of {row.measure} for query {row.query!r} in fold {row.fold!r}")
        values[row.fold, row.query] = row.value

    def add(self, run: str, queries: Sequence[str], values: dict[str, Floats], fold: str = "") -> None:
        """Enter what :func:`podium.measures.evaluate` gave for one run."""
        for measure, per_query in values.items():
            for query, value in zip(queries, per_query.tolist(), strict=True):
                self._enter(Row(run, fold, query, measure, value))

    def __iter__(self) -> Iterator[Row]:
        for (run, measure), values in self._values.items():
            for (fold, query), value in values.items():
                yield Row(run, fold, query, measure, value)

    @property
    def runs(self) -> list[str]:
        return list(dict.fromkeys(run for run, _ in self._values))

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(measure for _, measure in self._values))

    @property
    def n_queries(self) -> int:
        return len({(row.fold, row.query) for row in self})

    def values(self, run: str, measure: str) -> Floats:
        """Every value of a run by a measure, in the order entered."""
        return np.array(list(self._of(run, measure).values()))

    def mean(self, run: str, measure: str) -> float:
        """The mean over all queries that have a value."""
        values = self.values(run, measure)
        there = values[~np.isnan(values)]
        return float(there.mean()) if len(there) else math.nan

    def interval(self, run: str, measure: str, *, seed: int = 0, confidence: float = 0.95) -> tuple[float, float]:
        """A bootstrap interval of the mean over queries."""
        values = self.values(run, measure)
        return _bootstrap(values[~np.isnan(values)], seed, confidence)

    def pairs(self, baseline: str, run: str, measure: str) -> tuple[Floats, Floats]:
        """The values of two runs on the queries where both have one."""
        first, second = self._of(baseline, measure), self._of(run, measure)
        both = [key for key in first if key in second and not math.isnan(first[key]) and not math.isnan(second[key])]
        return np.array([first[key] for key in both]), np.array([second[key] for key in both])

    def _of(self, run: str, measure: str) -> dict[tuple[str, str], float]:
        if run not in self.runs:
            raise UnknownName("run", run, self.runs)
        if (run, measure) not in self._values:
            raise UnknownName("measure", measure, self.measures)
        return self._values[run, measure]

    def to_csv(self) -> str:
        """The table as text, a row a line; numbers with all their digits, a value that is left out empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_FIELDS)
        writer.writerows((*row[:4], "" if math.isnan(row.value) else repr(row.value)) for row in self)
        return text.getvalue()

    @classmethod
    def from_csv(cls, text: str) -> Results:
        """The reverse of :meth:`to_csv`."""
        lines = csv.reader(io.StringIO(text))
        if tuple(next(lines, ())) != _FIELDS:
            raise DataError(f"a table of results begins with the line {','.join(_FIELDS)}")
        results = cls()
        for number, line in enumerate(lines, start=2):
            try:
                run, fold, query, measure, value = line
                results._enter(Row(run, fold, query, measure, float(value) if value else math.nan))
            except ValueError as error:
                raise DataError(f"line {number} of the results must be {','.join(_FIELDS)} ({error})") from None
        return results


@dataclass(frozen=True)
class Comparison:
    """How a run stands against a baseline, over the queries that both were measured on."""

    n_queries: int
    baseline_mean: float
    run_mean: float
    difference: float  # run less baseline
    low: float  # bootstrap interval of the difference
    high: float
    t_test: float  # p-value of the paired t-test
    randomisation: float  # p-value of Fisher's randomisation test, two-sided
    wins: int
    ties: int
    losses: int


def compare(
    baseline: Floats, run: Floats, *, seed: int = 0, resamples: int = 9_999, swaps: int = 99_999, confidence: float = 0.95
) -> Comparison:
    """Compare the per-query values of two runs: paired t-test, Fisher randomisation, bootstrap interval, wins and losses.

    Values must belong to the same queries in the same order. Runs that agree on every query have p = 1.

    >>> first = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    >>> result = compare(first, first + [0.1, 0.1, 0.2, 0.1, 0.1, 0.2, 0.1, -0.1])
    >>> result.wins, result.losses, result.randomisation == 14 / 256  # of all 2^8 ways to swap, 14 differ as much
    (7, 1, True)
    """
    differences = _differences(baseline, run)
    p = float(randomisation(differences[None], seed=seed, swaps=swaps)[0])
    return _comparison(baseline, run, p, seed, resamples, confidence)


def _differences(baseline: Floats, run: Floats) -> Floats:
    baseline, run = np.asarray(baseline, dtype=np.float64), np.asarray(run, dtype=np.float64)
    if baseline.shape != run.shape or baseline.ndim != 1:
        raise DataError(f"both runs need a value for each query, got shapes {baseline.shape} and {run.shape}")
    if len(run) < 2 or not (np.isfinite(baseline).all() and np.isfinite(run).all()):
        raise DataError(f"two runs can be compared on 2 queries or more with finite values, got {len(run)} queries")
    return run - baseline


def _comparison(baseline: Floats, run: Floats, p: float, seed: int, resamples: int, confidence: float = 0.95) -> Comparison:
    differences = np.asarray(run) - np.asarray(baseline)
    return Comparison(
        len(run), float(np.mean(baseline)), float(np.mean(run)), float(differences.mean()),
        *_bootstrap(differences, seed, confidence, resamples), _t_test(differences), p,
        wins=int((differences > 0).sum()), ties=int((differences == 0).sum()), losses=int((differences < 0).sum()),
    )  # fmt: skip


def randomisation(differences: Floats, *, seed: int = 0, swaps: int = 99_999) -> Floats:
    r"""Two-sided p-values of Fisher's randomisation test, one a row of differences (columns are queries); faster than row by row.

    The runs are swapped on some queries, in all ways if these are no more than ``swaps + 1``, else in so many that are drawn: p is the
    share of ways whose sum of differences is as far from 0, the one that was seen among them. So p is never below
    :math:`1 / (swaps + 1)`, which must be small enough to be corrected for all comparisons that are made.

    >>> randomisation(np.array([[0.1, 0.2, 0.3], [0.1, -0.1, 0.0]])).tolist()  # of 8 ways to swap, 2 and all 8 differ as much
    [0.25, 1.0]
    """
    largest, n_queries = np.abs(differences).max(axis=1, keepdims=True), differences.shape[1]
    scaled = np.divide(differences, largest, out=np.zeros_like(differences), where=largest > 0)
    least = np.abs(scaled.sum(axis=1)) - 1e-9  # sums that are equal but for rounding errors are equally far from 0
    is_whole = n_queries <= math.log2(swaps + 1)
    as_far = np.zeros(len(scaled)) if is_whole else np.ones(len(scaled))
    for is_swapped in _all_swaps(n_queries) if is_whole else _drawn_swaps(n_queries, swaps, seed):
        as_far += (np.abs((1.0 - 2.0 * is_swapped) @ scaled.T) >= least).sum(axis=0)
    p: Floats = as_far / (2.0**n_queries if is_whole else swaps + 1)
    return p


_BATCH = 2**18  # signs in memory at a time


def _all_swaps(n_queries: int) -> Iterator[NDArray[np.integer]]:
    batch = max(1, _BATCH // n_queries)
    for begin in range(0, 2**n_queries, batch):
        yield np.arange(begin, min(begin + batch, 2**n_queries))[:, None] >> np.arange(n_queries) & 1


def _drawn_swaps(n_queries: int, swaps: int, seed: int) -> Iterator[NDArray[np.integer]]:
    generator, n_bytes = np.random.default_rng(seed), -(-n_queries // 8)
    batch = max(1, _BATCH // n_queries)
    for begin in range(0, swaps, batch):
        n_rows = min(batch, swaps - begin)
        drawn = np.frombuffer(generator.bytes(n_rows * n_bytes), dtype=np.uint8).reshape(n_rows, n_bytes)
        yield np.unpackbits(drawn, axis=1, count=n_queries)


def _t_test(differences: Floats) -> float:
    from scipy import stats  # half a second to import, and few need it

    # the paired test is this test on differences
    return float(stats.ttest_1samp(differences, 0.0).pvalue) if _has_spread(differences) else float(not differences.any())


def _has_spread(differences: Floats) -> NDArray[np.bool_]:  # more than rounding errors: tests divide by it
    return np.asarray(np.ptp(differences, axis=-1) > 1e-12 * np.abs(differences).max(axis=-1))


def _bootstrap(values: Floats, seed: int, confidence: float, resamples: int = 9_999) -> tuple[float, float]:
    if len(values) < 2 or (values == values[0]).all():
        only = float(values[0]) if len(values) else math.nan
        return only, only
    from scipy import stats

    found = stats.bootstrap(
        (values,), np.mean, confidence_level=confidence, method="percentile", n_resamples=resamples,
        batch=max(1, 4_000_000 // len(values)), rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return float(found.low), float(found.high)


def correct(p_values: Sequence[float], method: Correction = "holm") -> list[float]:
    """P-values corrected for having made several comparisons: ``holm``, ``bonferroni``, ``fdr`` (Benjamini-Hochberg) or ``none``.

    >>> correct([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if method not in CORRECTIONS:
        raise UnknownName("correction", method, CORRECTIONS)
    p, m = np.asarray(p_values, dtype=np.float64), len(p_values)
    if method == "none" or m == 0:
        return [float(value) for value in p]
    if method == "bonferroni":
        return [float(value) for value in np.minimum(p * m, 1.0)]
    if method == "fdr":
        from scipy import stats

        return [float(value) for value in stats.false_discovery_control(p)]
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * (m - np.arange(m))), 1.0)
    corrected = np.empty(m)
    corrected[order] = stepped
    return [float(value) for value in corrected]


Comparisons = dict[tuple[str, str], tuple[Comparison, float]]  # (run, measure) -> the comparison, its corrected p-value


def compare_runs(results: Results, baseline: str, *, correction: Correction = "holm", seed: int = 0, resamples: int = 9_999) -> Comparisons:
    """Every other run against a baseline by every measure: the comparison, and its randomisation p-value corrected over all of them."""
    keys = [(run, measure) for run in results.runs if run != baseline for measure in results.measures]
    pairs = [results.pairs(baseline, run, measure) for run, measure in keys]
    p_values = _randomisations([_differences(*pair) for pair in pairs], seed)
    found = [_comparison(*pair, float(p), seed, resamples) for pair, p in zip(pairs, p_values, strict=True)]
    corrected = correct([comparison.randomisation for comparison in found], correction)
    return {key: (comparison, p) for key, comparison, p in zip(keys, found, corrected, strict=True)}


def _randomisations(rows: Sequence[Floats], seed: int) -> Floats:
    """The test of each row of differences; those of the same length, which are nearly always all, in one go."""
    p = np.empty(len(rows))
    for length in {len(row) for row in rows}:
        same = [place for place, row in enumerate(rows) if len(row) == length]
        p[same] = randomisation(np.stack([rows[place] for place in same]), seed=seed)
    return p
