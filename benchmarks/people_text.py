"""The tables of docs/people.md, from what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from podium.labelling.agreement import Agreement
from podium.labelling.coefficients import Figure
from podium.labelling.ratings import OUTCOMES
from podium.ragged import Floats

__all__ = ["DIFFERENCE", "JUDGES", "Exchanges", "Line", "Measured", "Spread", "tables"]

JUDGES = {"one": "one person", "majority": "the majority of three, at once", "in turn": "two or three persons in turn, until two agree"}


DIFFERENCE = "— difference, query by query"


@dataclass(frozen=True)
class Spread:
    """A mean over queries and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Floats) -> Spread:
        """Without the queries that have no value.

        >>> Spread.of(np.array([1.0, 3.0, np.nan]))
        Spread(mean=2.0, error=1.0)
        """
        known = values[~np.isnan(values)]
        if len(known) == 0:
            return cls(math.nan, math.nan)
        return cls(float(known.mean()), float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else math.nan)


@dataclass(frozen=True)
class Line:
    """A strategy asked of a judge."""

    name: str
    k: int
    judge: str
    questions: Spread
    answers: Spread
    fresh: Spread
    recovered: Spread
    gain: Spread
    tau: Spread
    rescored: Spread  # the same three of the Bradley-Terry fit
    rescored_gain: Spread
    rescored_tau: Spread


@dataclass(frozen=True)
class Exchanges:
    """Of pairs of an image wrongly left out and one wrongly in the top, how many the majority calls better, equal, worse."""

    name: str
    k: int
    better: int
    equal: int
    worse: int


@dataclass(frozen=True)
class Measured:
    """Everything that the page shows."""

    n_queries: int
    n_seeds: int
    fewest_items: int
    most_items: int
    n_pairs: float  # of a query, on average
    bounds: Mapping[int, tuple[float, float]]  # k -> on average, in the worst case
    main: Sequence[Line]
    ties: Sequence[Line]
    priors: Sequence[Line]
    limits: Sequence[Line]
    exchanges: Sequence[Exchanges]
    agreement: Agreement


def tables(measured: Measured) -> str:
    """The measured part of the page."""
    parts = [
        f"{measured.n_queries} queries of {measured.fewest_items} to {measured.most_items} images; sorting strategies: means over "
        f"{measured.n_seeds} seeds (and over the three persons where one is asked); `active`: one seed. "
        "± is the standard error over queries."
    ]
    for k in measured.bounds:
        parts += _tops(measured, k)
    parts += ["### Are ties transitive?", _table(_TIES, [_ties(line) for line in measured.ties])]
    parts += [
        "### With a prior order made of the relevance scores (optimistic), one person",
        _table(_PRIORS, [_prior(line) for line in measured.priors]),
    ]
    parts += ["### Limits", _table(_LIMITS, [_limit(line) for line in measured.limits])]
    parts += ["### What was missed, by the majority's own word", _table(_EXCHANGES, [_exchange(line) for line in measured.exchanges])]
    return "\n\n".join([*parts, *_agreement(measured.agreement)])


_MAIN = ["strategy", "questions", "answers", "fresh each", "recovered", "rescored", "gain", "rescored", "τ", "rescored"]
_TIES = ["strategy", "k", "judge", "questions", "recovered", "rescored", "gain", "τ"]
_PRIORS = ["strategy", "k", "questions", "fresh each", "recovered", "rescored", "τ"]
_EXCHANGES = ["strategy", "k", "pairs", "the one left out is better", "a tie", "worse"]
_LIMITS = ["who", "k", "answers", "recovered", "gain", "τ"]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _tops(measured: Measured, k: int) -> list[str]:
    average, worst = measured.bounds[k]
    parts = [
        f"### The top {k}",
        f"All pairs are {measured.n_pairs:.0f} a query. For judges without ties no strategy can ask fewer than {average:.1f} "
        f"on average, or {worst:.1f} in the worst case.",
    ]
    for judge, said in JUDGES.items():
        parts += [
            f"**{said[0].upper()}{said[1:]}**",
            _table(_MAIN, [_main(line) for line in measured.main if (line.k, line.judge) == (k, judge)]),
        ]
    return parts


def _main(line: Line) -> list[str]:
    is_its_own = line.name.startswith("active")
    raw = [_share(line.recovered), _plain(line.gain), _plain(line.tau)]
    raw = ["–"] * 3 if is_its_own else raw
    rescored = [_share(line.rescored), _plain(line.rescored_gain), _plain(line.rescored_tau)]
    shares = [cell for both in zip(raw, rescored, strict=True) for cell in both]
    return [line.name, _count(line.questions), _count(line.answers), f"{line.fresh.mean:.2f}", *shares]


def _ties(line: Line) -> list[str]:
    sign = "+" if line.name == DIFFERENCE else ""
    shares = [f"{spread.mean:{sign}.3f} ± {spread.error:.3f}" for spread in (line.recovered, line.rescored)]
    plain = [f"{spread.mean:{sign}.3f}" for spread in (line.gain, line.tau)]
    return [line.name, str(line.k), JUDGES[line.judge], f"{line.questions.mean:{sign}.1f} ± {line.questions.error:.1f}", *shares, *plain]


def _prior(line: Line) -> list[str]:
    return [
        line.name,
        str(line.k),
        _count(line.questions),
        f"{line.fresh.mean:.2f}",
        _share(line.recovered),
        _share(line.rescored),
        _plain(line.tau),
    ]


def _exchange(line: Exchanges) -> list[str]:
    counts = line.better, line.equal, line.worse
    return [line.name, str(line.k), str(sum(counts)), *(f"{count / max(sum(counts), 1):.2f}" for count in counts)]


def _limit(line: Line) -> list[str]:
    return [line.name, str(line.k), f"{line.answers.mean:.0f}", _share(line.recovered), _plain(line.gain), _plain(line.tau)]


def _count(spread: Spread) -> str:
    return f"{spread.mean:.1f} ± {spread.error:.1f}"


def _share(spread: Spread) -> str:
    return f"{spread.mean:.3f} ± {spread.error:.3f}"


def _plain(spread: Spread) -> str:
    return f"{spread.mean:.3f}"


def _agreement(found: Agreement) -> list[str]:
    shares = found.table.row_shares.tolist()
    outcomes = [[name, *(f"{share:.3f}" for share in row)] for name, row in zip(OUTCOMES, shares, strict=True)]
    figures = {
        "overall agreement": found.overall,
        "agreement without ties": found.without_ties,
        "Fleiss' κ": found.fleiss,
        "Krippendorff's α, nominal": found.alpha_nominal,
        "Krippendorff's α, ordinal": found.alpha_ordinal,
    }
    cycles = [*found.cycles.items(), ("majority", found.majority_cycles)]
    return [
        "### Agreement among the three",
        f"{found.n_pairs:,} pairs, {found.n_judgments:,} judgments; intervals of 95 % draw queries. "
        "One person's answer (row), another's of the same pair (column):",
        _table(["", *OUTCOMES], outcomes),
        _table(["figure", "value", "interval"], [[name, f"{figure.value:.3f}", _interval(figure)] for name, figure in figures.items()]),
        "How often three documents contradict one another:",
        _table(
            ["who", "A≻B≻C≻A, of strict triples", "A≻B≻C∼A, of triples with one tie", "A∼B∼C but not A∼C"],
            [
                [name, *(f"{part.value:.3f} ({_interval(part)})" for part in (each.circular, each.weak, each.broken_ties))]
                for name, each in cycles
            ],
        ),
    ]


def _interval(figure: Figure) -> str:
    return f"{figure.low:.3f} to {figure.high:.3f}"
