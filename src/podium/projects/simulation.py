"""A simulated study: made-up assessors with stated noise and pace go through the whole path, from a project to its report.

Nothing is found out about people by it. It shows that the path works, and what such noise would do to the figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from podium.assessors.oracle import Oracle
from podium.errors import DataError
from podium.labelling.assignment import check_assignment
from podium.labelling.questions import GRADES, Question
from podium.labelling.study_facts import PAPER
from podium.pool import Document, Pool
from podium.projects.facts import Member, Offer, Project, ProjectSettings, Put, StudyPlan
from podium.projects.office import Office

__all__ = ["SimulatedClock", "Simulation", "simulate"]

_GRADE_SECONDS = PAPER.seconds["grades"]


class SimulatedClock:
    """A clock that stands still unless it is moved; nobody waits for it."""

    def __init__(self, start: datetime = datetime(2026, 1, 5, 9, tzinfo=UTC)) -> None:
        self._now = start

    def __call__(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Simulation:
    r"""What a simulated study is made of; everything that its figures come from.

    A document is worth :math:`v \sim \text{Exp}(1)`: a few good ones, many poor ones. To assessor a it is worth
    :math:`v_a = v + \text{taste} \cdot N(0, 1)`. Of a pair they see the difference with logistic noise, and call what is within
    ``tie_width`` a tie; a document gets the grade of the ``cuts`` between which :math:`v_a` lies, seen with a noise of its own, after the
    assessor's own ``cut_shift`` :math:`\cdot N(0, 1)` of all cuts. Seconds are log-normal with the means ``pair_seconds`` and
    ``grade_seconds`` over all assessors, of whom each has a pace of their own.
    """

    assessors: int = 5
    folds: int = 5
    rounds: int = 2
    queries: int = 50
    documents: int = 50
    k: int = 10
    strategy: str = "heap"  # the paper's
    seed: int = 0
    taste: float = 0.2
    pair_noise: float = 0.12
    tie_width: float = 0.15
    grade_noise: float = 0.4
    cuts: tuple[float, ...] = (0.5, 1.0, 1.75, 2.75)
    cut_shift: float = 0.3
    grade_seconds: float = _GRADE_SECONDS  # mean; as the paper has it
    pair_seconds: float = _GRADE_SECONDS / 2.5  # the paper: 2 to 3 times faster
    seconds_spread: float = 0.4  # standard deviation of their logarithm
    pace_spread: float = 0.15  # the same, between assessors
    pause_share: float = 0.01  # of the judgments before which the clock is stopped
    pause_seconds: float = 90.0

    def __post_init__(self) -> None:
        check_assignment(self.assessors, self.folds, self.rounds)
        for name in ("queries", "documents", "k"):
            if getattr(self, name) < 1:
                raise DataError(f"a simulated study needs {name} of 1 or more, got {getattr(self, name)}")
        if self.seed < 0:
            raise DataError(f"seed must be 0 or more, got {self.seed}")

    def stated(self) -> str:
        """All parameters in words; the instructions of the project, so that every report of it says them."""
        return (
            f"SIMULATED: nobody judged here. Seed {self.seed}. {_many(self.queries, 'query', 'queries')}, each of "
            f"{_many(self.documents, 'document', 'documents')}; with pairs, {self.strategy} for the top {self.k}.\n"
            f"Worth: a document is worth Exp(1), and to each assessor that plus {self.taste:g}·N(0, 1).\n"
            f"Pairs: logistic noise of scale {self.pair_noise:g} on the difference, a tie within {self.tie_width:g}.\n"
            f"Grades: cuts at {', '.join(f'{cut:g}' for cut in self.cuts)}, moved by {self.cut_shift:g}·N(0, 1) for each assessor; "
            f"logistic noise of scale {self.grade_noise:g} on the worth.\n"
            f"Seconds: log-normal with means {self.pair_seconds:.2f} a pair and {self.grade_seconds:.2f} a grade; the deviation of their "
            f"logarithm is {self.seconds_spread:g}, and {self.pace_spread:g} between assessors; {self.pause_share:.0%} of the judgments "
            f"follow a pause of {self.pause_seconds:g} s.\n"
            "Times and noise were put in by hand, with the paper's figures in view; they were not found. What comes out of them is how "
            "often assessors agree, how many judgments a query takes, and that the path from assignment to report works."
        )

    def _rng(self, *where: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *where])

    def pools(self) -> list[Pool]:
        width = len(str(self.documents))
        return [
            Pool(
                f"q{query}", f"simulated query {query}",
                tuple(Document(f"d{item:0{width}}", text=f"Simulated document {item}.") for item in range(1, self.documents + 1)),
            )
            for query in range(1, self.queries + 1)
        ]  # fmt: skip

    def oracle(self, seat: int, pool: Pool, query: int, tool: str) -> Oracle:
        """One assessor as a judge of one query with one tool."""
        worth = self._rng(1, query).exponential(size=self.documents) + self.taste * self._rng(2, query, seat).normal(size=self.documents)
        shift = self.cut_shift * float(self._rng(3, seat).normal())
        return Oracle(
            dict(zip(pool.items, worth.tolist(), strict=True)), noise=self.pair_noise if tool == "pairs" else self.grade_noise,
            tie_width=self.tie_width, cuts=[cut + shift for cut in self.cuts], seed=_seed_of(self.seed, seat, query), name=_name(seat),
        )  # fmt: skip

    def times(self, seat: int, tool: str) -> Iterator[tuple[float, float]]:
        """The seconds that one assessor takes, and pauses, judgment by judgment."""
        rng, mean = self._rng(4, seat, tool == "pairs"), self.pair_seconds if tool == "pairs" else self.grade_seconds
        paces = np.exp(self.pace_spread * self._rng(5).normal(size=self.assessors))
        pace = float(paces[seat - 1] / paces.mean())
        while True:
            seconds = mean * pace * math.exp(self.seconds_spread * rng.normal() - self.seconds_spread**2 / 2)
            yield round(seconds, 2), self.pause_seconds if rng.random() < self.pause_share else 0.0


def _seed_of(*numbers: int) -> int:
    """A seed from some numbers, the same on every machine."""
    return int(np.random.default_rng(list(numbers)).integers(2**31))


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _name(seat: int) -> str:
    return f"simulated {seat}"


def simulate(
    office: Office, simulation: Simulation, clock: SimulatedClock, *, progress: Callable[[int, int], None] | None = None
) -> Project:
    """Make the study as a project of the office, whose store goes by the ``clock``, and judge all of it; ``progress`` counts tasks."""
    plan = StudyPlan(simulation.assessors, simulation.folds, simulation.rounds)
    settings = ProjectSettings(
        k=simulation.k, strategy=simulation.strategy, seed=simulation.seed, both_bad=False, grades=GRADES,
        instructions=simulation.stated(), study=plan,
    )  # fmt: skip
    pools = simulation.pools()
    project = office.projects.create(f"Simulated study (seed {simulation.seed})", settings, pools)
    members = [
        office.projects.add_member(project.number, office.people.add(_name(seat), "judge").number, "judge")
        for seat in range(1, simulation.assessors + 1)
    ]
    numbers, done = {pool.query_id: number for number, pool in enumerate(pools, start=1)}, 0
    total = len(office.projects.tasks(project.number))
    for member in members:
        for _ in _judge_all(office, simulation, clock, member, {pool.query_id: pool for pool in pools}, numbers):
            done += 1
            if progress is not None:
                progress(done, total)
    return office.projects.set_state(project.number, "closed")


def _judge_all(
    office: Office, simulation: Simulation, clock: SimulatedClock, member: Member, pools: dict[str, Pool], numbers: dict[str, int]
) -> Iterator[int]:
    """One assessor does everything that is theirs; yields each task as it is begun."""
    assert member.seat is not None
    times = {tool: simulation.times(member.seat, tool) for tool in ("pairs", "grades")}
    offer, task, oracle = office.work.next(member), 0, None
    while (put := offer.question) is not None:
        if put.task != task or oracle is None:
            task, oracle = put.task, simulation.oracle(member.seat, pools[put.query_id], numbers[put.query_id], put.tool)
            yield task
        offer = _answer(office, clock, member, put, oracle, times[put.tool])


def _answer(office: Office, clock: SimulatedClock, member: Member, put: Put, oracle: Oracle, times: Iterator[tuple[float, float]]) -> Offer:
    seconds, paused = next(times)
    question = Question(put.left.id, None if put.right is None else put.right.id)
    clock.advance(seconds + paused)
    return office.work.answer(
        member, put.task, put.token, oracle.answer(question, answers=put.answers), seconds=seconds, paused=paused, idle=0.0
    )  # fmt: skip
