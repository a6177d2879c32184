"""The facts of a study's report: the tasks that go in, and the figures that come out, beside those of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from podium.labelling.agreement import Agreement, ChiSquare, Counts
from podium.labelling.coefficients import Figure, over
from podium.labelling.cycles import Cycles
from podium.labelling.questions import GRADES, Event
from podium.ragged import Floats, Ints

__all__ = [
    "PAPER",
    "AssessorFigures",
    "Between",
    "CrossTable",
    "GoldFigures",
    "JudgedTask",
    "ModelFigures",
    "Paper",
    "SamePairs",
    "StudyReport",
    "ToolComparison",
    "ToolFigures",
    "TopOverlap",
]


@dataclass(frozen=True)
class Paper:
    """What Niu, Guo, Lan & Cheng, "Top-k Learning to Rank" (SIGIR 2012), section 4.1, say of their user study, by tool."""

    seconds: Mapping[str, float]  # a judgment
    judgments: Mapping[str, float]  # a query
    minutes: Mapping[str, float]  # a query
    overall: Mapping[str, float]
    without_ties: Mapping[str, float]
    chi_square: float
    chi_square_without_ties: float
    times_faster: str  # a judgment of a pair, against a grade


PAPER = Paper(
    seconds={"grades": 13.87},
    judgments={"grades": 50},
    minutes={"grades": 11.78},
    overall={"pairs": 0.745, "grades": 0.547},
    without_ties={"pairs": 0.897, "grades": 0.831},
    chi_square=420.7,
    chi_square_without_ties=28.5,
    times_faster="2 to 3",
)


@dataclass(frozen=True)
class JudgedTask:
    """A task with its whole log. Its assessor is empty if several worked on it together; then each event says who."""

    query: str
    tool: str  # pairs or grades
    events: Sequence[Event]
    assessor: str = ""
    role: str = "person"
    round: int | None = None
    fold: int | None = None
    is_finished: bool = False
    grades: tuple[str, ...] = GRADES
    k: int = 10
    top: tuple[str, ...] | None = None  # of pairs: as its assessors said it, whatever was corrected; none if that is not finished


@dataclass(frozen=True)
class TopOverlap:
    """How alike the top k of the same query are, over every two assessors who each have one; of grades, how alike these are."""

    n_queries: int
    n_compared: int
    overlap: Figure  # documents in both, of the longer of the two tops; of grades undefined, as equals would be cut by chance
    tau: Figure  # Kendall's τ of the order of those documents that are in both; of grades τ-b of all that both have graded


@final
@dataclass(frozen=True, eq=False)
class CrossTable:
    """What one group said (row) and another said of the same pair (column), over OUTCOMES; each pair in both directions.

    The two groups keep their sides, so that the table is the same end to end, but not symmetric: a comparison counts twice in it.
    """

    counts: Ints

    @property
    def row_shares(self) -> Floats:
        """The probability of the column given the row; NaN in a row without pairs."""
        return over(self.counts.astype(np.float64), self.counts.sum(axis=1, keepdims=True).astype(np.float64))

    @property
    def all_pairs(self) -> Counts:
        agreed, total = int(np.trace(self.counts)), int(self.counts.sum())
        return Counts(agreed // 2, (total - agreed) // 2)


@dataclass(frozen=True)
class Between:
    """Agreement of two groups of assessors on the pairs that both have judged: each of the one with each of the other."""

    first: str
    second: str
    n_pairs: int
    table: CrossTable  # rows: what the first said
    overall: Figure
    without_ties: Figure
    kappa: Figure


@dataclass(frozen=True)
class SamePairs:
    """Like for like: agreement with each tool on the pairs that two or more have judged with each.

    A top-k strategy asks mostly about the best documents, which are hard to tell apart; from grades all pairs are inferred, the easy
    ones too.
    """

    n_pairs: int
    overall: Mapping[str, Figure]  # by tool
    without_ties: Mapping[str, Figure]


@dataclass(frozen=True)
class ToolFigures:
    """What judging with one tool cost people, and how far they agreed."""

    tool: str
    n_tasks: int
    n_finished: int
    n_queries: int
    n_assessors: int
    n_judgments: int  # that stand
    n_timed: int
    seconds_mean: Figure  # a judgment
    seconds_median: Figure
    seconds_box: tuple[float, ...]  # the 5th, 25th, 50th, 75th and 95th percentile
    judgments_per_query: Figure
    minutes_per_query: Figure  # active
    paused_per_query: Figure  # minutes
    idle_per_query: Figure
    ties: Figure
    both_bad: Figure
    skips: Figure
    taken_back: Figure
    agreement: Agreement
    tops: TopOverlap
    notes: tuple[str, ...]


@dataclass(frozen=True)
class AssessorFigures:
    """How one assessor judged with one tool."""

    assessor: str
    role: str
    tool: str
    n_finished: int
    n_judgments: int
    median_seconds: float
    fast: Figure  # share of timed judgments that took less than FAST_SECONDS
    agreement: Figure  # with the (other) people, on common pairs
    n_compared: int  # of how many such pairs and people
    ties: Figure
    left: Figure  # share of left among left and right
    cycles: Cycles | None  # of pairs; grades cannot contradict each other
    n_skips: int
    n_taken_back: int
    n_corrected: int  # answers that someone else corrected
    flags: tuple[str, ...]  # what deserves a look


@dataclass(frozen=True)
class GoldFigures:
    """How one assessor did on questions whose answer is known."""

    assessor: str
    right: int
    asked: int
    share: Figure


@dataclass(frozen=True)
class ModelFigures:
    """A model against people, with one tool."""

    model: str
    tool: str
    between: Between
    tops: TopOverlap


@dataclass(frozen=True)
class ToolComparison:
    """Pairs against grades."""

    chi_square: ChiSquare  # agreed against disagreed
    chi_square_without_ties: ChiSquare
    times_faster: float  # mean seconds of a grade over those of a pair
    same_pairs: SamePairs
    between: Between  # who judged pairs against who graded


@dataclass(frozen=True)
class StudyReport:
    """Everything that is reported of a study, or of any other project."""

    title: str
    about: tuple[tuple[str, str], ...]  # what it is, and what it says
    n_queries: int
    n_tasks: int
    n_finished: int
    people: tuple[str, ...]
    models: tuple[str, ...]
    tools: tuple[ToolFigures, ...]
    comparison: ToolComparison | None  # if both were used
    assessors: tuple[AssessorFigures, ...]
    gold: tuple[GoldFigures, ...]
    versus_models: tuple[ModelFigures, ...]
    notes: tuple[str, ...]

    def tool(self, name: str) -> ToolFigures | None:
        """The figures of a tool, if it was used."""
        return next((figures for figures in self.tools if figures.tool == name), None)
