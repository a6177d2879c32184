"""A simulated study goes the whole path, comes out the same each time, and says what was put in."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from statistics import fmean

import pytest

from podium.errors import DataError
from podium.labelling.assignment import assign
from podium.labelling.coefficients import Bootstrap
from podium.labelling.questions import Question
from podium.labelling.study import StudyReport
from podium.projects.office import open_office
from podium.projects.simulation import SimulatedClock, Simulation, simulate
from podium.reports.study_files import study_json_text

SMALL = Simulation(assessors=4, folds=4, rounds=2, queries=4, documents=6, k=2)
EXACT = replace(SMALL, taste=0.0, pair_noise=0.0, tie_width=0.0, grade_noise=0.0, cut_shift=0.0)


def run(place: Path, simulation: Simulation) -> StudyReport:
    clock = SimulatedClock()
    with open_office(place, clock=clock) as office:
        project = simulate(office, simulation, clock)
        return office.reporting.report(project.number, bootstrap=Bootstrap(resamples=20))


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    first, again = (study_json_text(run(tmp_path / name, SMALL)) for name in ("one.db", "two.db"))
    assert first == again
    assert study_json_text(run(tmp_path / "three.db", replace(SMALL, seed=1))) != first
    assert json.loads(first)["n_finished"] == 4 * 2 * 2


def test_everybody_judges_what_the_assignment_gives_them(tmp_path: Path) -> None:
    clock = SimulatedClock()
    begin = clock()
    seen: list[tuple[int, int]] = []
    with open_office(tmp_path / "study.db", clock=clock) as office:
        project = simulate(office, SMALL, clock, progress=lambda done, total: seen.append((done, total)))
        members = {member.number: member for member in office.projects.members(project.number)}
        tasks = office.projects.tasks(project.number)
        found = Counter((members[task.member].seat, task.fold, task.round, task.tool) for task in tasks if task.member)
        events = [event for task in tasks for event in office.store.events(task.task)]
        by_member = {task.task: {event.assessor for event in office.store.events(task.task)} for task in tasks}
    assert found == Counter(tuple(place) for place in assign(4, 4, 2))  # a query a fold
    assert all(by_member[task.task] == {members[task.member].name} for task in tasks if task.member)
    assert seen == [(done, 16) for done in range(1, 17)]
    assert project.state == "closed"
    # The clock went on by what was said, and by nothing else: nothing was cut, nobody waited.
    total = sum((event.seconds or 0) + (event.paused or 0) for event in events)
    assert (clock() - begin) == pytest.approx(timedelta(seconds=total), abs=timedelta(seconds=1e-3))


def test_assessors_without_noise_agree_on_everything(tmp_path: Path) -> None:
    pairs, grades = run(tmp_path / "exact.db", EXACT).tools
    assert pairs.agreement.overall.value == grades.agreement.overall.value == 1.0
    assert pairs.tops.overlap.value == pairs.tops.tau.value == 1.0
    assert pairs.ties.value == 0.0


def test_noise_makes_them_disagree(tmp_path: Path) -> None:
    pairs, grades = run(tmp_path / "noisy.db", replace(SMALL, documents=20, k=5, taste=3.0, pair_noise=2.0, grade_noise=3.0)).tools
    assert pairs.agreement.overall.value < 0.8
    assert grades.agreement.overall.value < 0.8


def test_times_have_the_means_that_are_stated() -> None:
    simulation = Simulation(pause_share=0.1)
    for tool, mean in (("pairs", simulation.pair_seconds), ("grades", simulation.grade_seconds)):
        drawn = [list(islice(simulation.times(seat, tool), 4000)) for seat in range(1, 6)]
        own = [fmean(seconds for seconds, _ in some) for some in drawn]
        assert fmean(own) == pytest.approx(mean, rel=0.02)  # 20,000 draws of 0.4: a standard error of 0.3 %
        assert max(own) / min(own) > 1.1  # each has a pace of their own
        assert fmean(paused > 0 for some in drawn for _, paused in some) == pytest.approx(0.1, abs=0.01)
    assert simulation.grade_seconds == 13.87
    assert 2 <= simulation.grade_seconds / simulation.pair_seconds <= 3


def test_the_worth_of_a_document_is_shared_and_the_taste_is_not() -> None:
    simulation = replace(SMALL, taste=0.0)
    pool = simulation.pools()[0]
    values = [simulation.oracle(seat, pool, 1, "pairs").values for seat in (1, 2)]
    assert values[0] == values[1]
    assert SMALL.oracle(1, pool, 1, "pairs").values != SMALL.oracle(2, pool, 1, "pairs").values
    assert SMALL.oracle(1, pool, 1, "pairs").values == SMALL.oracle(1, pool, 1, "grades").values
    cuts = [list(SMALL.oracle(seat, pool, 1, "grades").cuts) for seat in (1, 2)]
    shifts = {round(cut - own, 9) for cut, own in zip(SMALL.cuts, cuts[0], strict=True)}
    assert len(shifts) == 1
    assert cuts[0] != cuts[1]
    assert EXACT.oracle(1, pool, 1, "grades").answer(Question("d1"), answers=("Bad", "Fair", "Good", "Excellent", "Perfect"))


def test_everything_that_was_put_in_is_stated(tmp_path: Path) -> None:
    told = dict(run(tmp_path / "study.db", SMALL).about)["Instructions"]
    assert told == SMALL.stated()
    assert told.startswith("SIMULATED: nobody judged here. Seed 0.")
    for parameter in (
        "0.2·N(0, 1)",
        "scale 0.12",
        "within 0.15",
        "0.5, 1, 1.75, 2.75",
        "0.3·N(0, 1)",
        "scale 0.4",
        "5.55",
        "13.87",
        "90 s",
        "4 queries, each of 6 documents",
        "heap for the top 2",
    ):
        assert parameter in told
    assert "they were not found" in told


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"folds": 9}, "2 rounds over 9 folds would leave queries"),
        ({"rounds": 3}, "3 rounds over 4 folds"),
        ({"documents": 0}, "documents of 1 or more"),
        ({"seed": -1}, "seed must be 0 or more"),
    ],
)
def test_a_study_that_cannot_be_is_refused_at_once(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        replace(SMALL, **wrong)
