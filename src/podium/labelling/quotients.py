"""Means, shares and medians over queries, each with an interval: the queries are drawn again, as judgments of one query hang together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from podium.labelling.coefficients import Bootstrap, Clusters, Figure, few_queries_notes, figure_of, over

__all__ = ["median_figure", "quotient_figure", "share_figure", "wilson", "with_width", "without_width"]

_ONE_QUERY = "all is of one query: no interval, as it would say nothing of other queries"
_ALL_ALIKE = "where everything says the same, drawing it again says nothing: no interval"
_WILSON = "where everything says the same, drawing it again says nothing: a share has Wilson's interval, as if all counts were independent"


def quotient_figure(parts: Iterable[tuple[str, float, float]], bootstrap: Bootstrap, nothing: str) -> Figure:
    """The sum of what is above over the sum of what is below: a mean or a share, from ``(query, above, below)``.

    ``nothing`` is the note if there is nothing below. One query has no interval, nor have queries that all say the same.

    >>> quotient_figure([("q", 3.0, 1.0), ("q", 5.0, 1.0)], Bootstrap(), "no time").value
    4.0
    """
    return without_width(_drawn(parts, bootstrap, nothing))


def share_figure(parts: Iterable[tuple[str, float, float]], bootstrap: Bootstrap, nothing: str) -> Figure:
    """The same of a share, of as many things as are below: where all queries have the same share, it has Wilson's interval.

    >>> figure = share_figure([("q", 0.0, 5.0), ("r", 0.0, 5.0)], Bootstrap(), "no judgments")
    >>> figure.value, figure.low, round(figure.high, 4)
    (0.0, 0.0, 0.2775)
    """
    known = list(parts)
    return with_width(_drawn(known, bootstrap, nothing), sum(below for _, _, below in known))


def _has_no_width(figure: Figure) -> bool:
    return figure.low == figure.high  # NaN is no interval, and equals nothing


def without_width(figure: Figure) -> Figure:
    """The figure without its interval, if that is a single point: nothing is known so surely."""
    return replace(figure, low=math.nan, high=math.nan, notes=(*figure.notes, _ALL_ALIKE)) if _has_no_width(figure) else figure


def with_width(figure: Figure, whole: float) -> Figure:
    """A share of so many, with Wilson's interval if its own is a single point."""
    if not _has_no_width(figure):
        return figure
    found = wilson(figure.value * whole, whole)
    return replace(figure, low=found.low, high=found.high, notes=(*figure.notes, _WILSON))


def _drawn(parts: Iterable[tuple[str, float, float]], bootstrap: Bootstrap, nothing: str) -> Figure:
    sums: dict[str, list[float]] = {}
    for query, above, below in parts:
        both = sums.setdefault(query, [0.0, 0.0])
        both[0] += above
        both[1] += below
    rows = np.array([both for both in sums.values() if both[1]]).reshape(-1, 2)
    if not len(rows):
        return Figure(math.nan, notes=(nothing,))
    if len(rows) == 1:
        return Figure(float(rows[0, 0] / rows[0, 1]), notes=(_ONE_QUERY,))
    clusters = Clusters(rows, np.ones(len(rows), np.int64), True)
    return figure_of(lambda drawn: over(drawn[..., 0], drawn[..., 1]), clusters, bootstrap, few_queries_notes(len(rows)))


def median_figure(queries: Sequence[str], values: Sequence[float], bootstrap: Bootstrap, nothing: str) -> Figure:
    """The median of values that each belong to a query. Of a resample it is the lower one, where two are in the middle.

    >>> median_figure(["q", "q", "r"], [1.0, 2.0, 9.0], Bootstrap(), "no time").value
    2.0
    """
    if not len(values):
        return Figure(math.nan, notes=(nothing,))
    names, numbers = np.unique(np.asarray(queries), return_inverse=True)
    middle = float(np.median(values))
    if len(names) == 1:
        return Figure(middle, notes=(_ONE_QUERY,))
    order = np.argsort(values, kind="stable")
    ordered, numbers = np.asarray(values, np.float64)[order], numbers[order]
    rng, found = np.random.default_rng(bootstrap.seed), []
    for _ in range(bootstrap.resamples):
        times = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        up_to = np.cumsum(times[numbers])
        found.append(ordered[np.searchsorted(up_to, up_to[-1] / 2)])
    tail = (1 - bootstrap.confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return Figure(middle, float(low), float(high), tuple(few_queries_notes(len(names))))


def wilson(part: float, whole: float, nothing: str = "nothing to take a share of") -> Figure:
    r"""A share of independent events with the 95 % interval of Wilson, "Probable inference" (JASA 22, 1927).

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4 n^2}}{1 + z^2 / n}, \quad \hat p = part / n, n = whole

    >>> figure = wilson(5, 10)
    >>> round(figure.low, 4), round(figure.high, 4)
    (0.2366, 0.7634)
    """
    if not whole:
        return Figure(math.nan, notes=(nothing,))
    z, share = 1.959963984540054, part / whole
    middle = share + z * z / (2 * whole)
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 1 + z * z / whole
    # Of nothing and of all, the ends are 0 and 1, of which rounding leaves a trace.
    return Figure(share, (middle - half) / scale if part else 0.0, (middle + half) / scale if part < whole else 1.0)
