"""Reports of projects as they are judged, on both databases."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from typing import Any

import pytest
from tests.projects.working import Bureau, Ticking, best, question

from podium.errors import DataError
from podium.labelling.coefficients import Bootstrap
from podium.pool import Document, Pool
from podium.projects import reporting as module
from podium.projects.facts import Member, Put, StudyPlan
from podium.projects.reporting import Reporting, report_of_tasks
from podium.store import Store, open_store

QUICK = Bootstrap(resamples=20)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def store(place: str, clock: Ticking) -> Store:
    with open_store(place, clock=clock) as opened:
        yield opened


def judge_all(bureau: Bureau, member: Member, clock: Ticking, seconds: float) -> int:
    """As the oracle, so many seconds each; returns how many judgments it took."""
    offer, count = bureau.work.next(member), 0
    while offer.question is not None:
        put = question(offer)
        clock.pass_by(seconds)
        offer, count = bureau.work.answer(member, put.task, put.token, best(put), seconds=seconds, paused=0.0, idle=0.0), count + 1
    return count


def worst(put: Put) -> str:
    """The opposite of the oracle."""
    return "right" if best(put) == "left" else "left"


def turn_round(bureau: Bureau, assessor: str) -> None:
    """The lead corrects everything that the assessor has said into its opposite."""
    for row in bureau.review.judgments(bureau.number, assessor=assessor, most=500).rows:
        other = "right" if row.answer == "left" else "left"
        bureau.review.correct(bureau.number, row.task, row.event, other, by="lead", key=bureau.key())


def reporting_of(bureau: Bureau) -> Reporting:
    return Reporting(bureau.store, bureau.projects, bureau.gold)


def test_a_study_of_oracles_agrees_on_everything_and_its_times_are_those_given(store: Store, clock: Ticking) -> None:
    bureau = Bureau(store, queries=("q1", "q2", "q3", "q4"), study=StudyPlan(assessors=4, folds=4, rounds=2), instructions="Be fair.")
    pace = {"ann": 3.0, "bob": 5.0, "cid": 7.0, "dan": 9.0}
    counts = {name: judge_all(bureau, bureau.judge(name), clock, seconds) for name, seconds in pace.items()}
    report = reporting_of(bureau).report(bureau.number, bootstrap=QUICK)
    pairs, grades = report.tools
    assert report.title == bureau.project.name
    assert (report.n_queries, report.n_tasks, report.n_finished, report.people) == (4, 16, 16, ("ann", "bob", "cid", "dan"))
    assert pairs.n_judgments + grades.n_judgments == sum(counts.values())
    assert grades.n_judgments == 4 * 2 * 4  # queries, assessors, documents
    assert grades.seconds_mean.value == pytest.approx(fmean(pace.values()))  # everybody graded as many
    assert grades.judgments_per_query.value == 4
    assert pairs.agreement.overall.value == grades.agreement.overall.value == 1.0
    assert pairs.tops.overlap.value == grades.tops.tau.value == pairs.tops.tau.value == 1.0
    assert dict(report.about)["Instructions"] == "Be fair."
    assert "nobody sees a query in both tools" in dict(report.about)["Assignment"]
    medians = {one.assessor: one.median_seconds for one in report.assessors if one.tool == "grades"}
    assert medians == pace


def test_a_report_follows_what_is_judged_corrected_and_taken_back(store: Store, clock: Ticking) -> None:
    bureau = Bureau(store, queries=("q1",), overlap=2)
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    reporting = reporting_of(bureau)
    assert reporting.report(bureau.number, bootstrap=QUICK).n_finished == 0
    n = judge_all(bureau, ann, clock, 4.0)
    first = reporting.report(bureau.number, bootstrap=QUICK)
    assert (first.n_tasks, first.n_finished, first.tools[0].n_judgments) == (2, 1, n)
    assert math.isnan(first.tools[0].agreement.overall.value)
    judge_all(bureau, bob, clock, 4.0)
    second = reporting.report(bureau.number, bootstrap=QUICK)
    assert second.n_finished == 2
    assert second.tools[0].agreement.overall.value == 1.0
    assert second.comparison is None
    task = next(task.task for task in bureau.projects.tasks(bureau.number) if task.member == ann.number)
    said = store.events(task)[0].answer
    bureau.review.correct(bureau.number, task, 1, "right" if said == "left" else "left", by="lead", key="k")
    third = reporting.report(bureau.number, bootstrap=QUICK)
    corrected = {one.assessor: one.n_corrected for one in third.assessors}
    assert corrected == {"ann": 1, "bob": 0}
    assert third.tools[0].agreement.overall.value == 1.0  # as they said it
    bureau.work.undo(bob, key=bureau.key())
    fourth = reporting.report(bureau.number, bootstrap=QUICK)
    assert {one.assessor: one.n_taken_back for one in fourth.assessors} == {"ann": 0, "bob": 1}


def test_gold_scores_and_models_are_in_the_report(store: Store, clock: Ticking) -> None:
    bureau = Bureau(store, queries=("q1",), gold_every=1)
    bureau.gold.add(bureau.number, "q1", "a", "b", "left")
    model = bureau.projects.add_model(bureau.number, "gpt", {"model": "gpt", "base_url": "http://127.0.0.1:1/v1"})
    judge_all(bureau, bureau.judge("ann"), clock, 4.0)
    (task,) = bureau.projects.tasks(bureau.number, member=model.number)
    while (asked := store.ask(task.task, "gpt")) is not None:
        answer = "left" if asked.question.left < str(asked.question.right) else "right"
        store.answer(task.task, asked.token, answer, assessor="gpt", role="model", seconds=0.5, model="gpt")
    report = reporting_of(bureau).report(bureau.number, bootstrap=QUICK)
    assert [(gold.assessor, gold.right, gold.asked) for gold in report.gold] == [("ann", 1, 1)]
    assert (report.people, report.models) == (("ann",), ("gpt",))
    assert report.tools[0].n_tasks == 1
    (versus,) = report.versus_models
    assert versus.tops.overlap.value == 1.0
    assert versus.between.n_pairs > 0
    assert versus.between.overall.value == 1.0


def test_a_project_without_queries_or_judgments_has_a_report_too(store: Store) -> None:
    bureau = Bureau(store, queries=())
    report = reporting_of(bureau).report(bureau.number, bootstrap=QUICK)
    assert report.notes == ("nobody has judged anything yet",)
    assert report.tools == ()


def test_tasks_without_a_project_are_one_report(store: Store) -> None:
    with pytest.raises(DataError, match="nothing to report"):
        report_of_tasks(store)
    pool = Pool("7", "wings", tuple(Document(item) for item in "abc"))
    for name, strategy in (("one", "heap"), ("two", "graded")):
        number = store.add(pool, k=1, strategy=strategy, name=name)
        while (asked := store.ask(number, "ann")) is not None:
            left, right = asked.question.left, asked.question.right
            answer = "Good" if right is None else "left" if left < right else "right"
            store.answer(number, asked.token, answer, assessor="ann", seconds=2.0)
    report = report_of_tasks(store, bootstrap=QUICK)
    assert [tool.tool for tool in report.tools] == ["pairs", "grades"]
    assert (report.n_queries, report.n_finished) == (1, 2)
    assert report.tools[1].n_judgments == 3


def test_tops_of_people_are_compared_as_they_said_them(store: Store, clock: Ticking) -> None:
    bureau = Bureau(store, queries=("q1", "q2"), overlap=2)
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    judge_all(bureau, ann, clock, 4.0)
    offer = bureau.work.next(bob)
    while offer.question is not None:
        put = question(offer)
        offer = bureau.work.answer(bob, put.task, put.token, worst(put))
    reporting = reporting_of(bureau)
    before = reporting.report(bureau.number, bootstrap=QUICK).tools[0].tops
    assert (before.n_compared, before.overlap.value) == (2, 0.0)  # a, b against d, c
    turn_round(bureau, "bob")
    after = reporting.report(bureau.number, bootstrap=QUICK).tools[0].tops
    assert (after.n_compared, after.overlap.value) == (2, 0.0)


def test_the_top_of_a_model_is_compared_as_it_said_it(store: Store, clock: Ticking) -> None:
    bureau = Bureau(store, queries=("q1",))
    model = bureau.projects.add_model(bureau.number, "gpt", {"model": "gpt", "base_url": "http://127.0.0.1:1/v1"})
    judge_all(bureau, bureau.judge("ann"), clock, 4.0)
    (task,) = bureau.projects.tasks(bureau.number, member=model.number)
    while (asked := store.ask(task.task, "gpt")) is not None:
        answer = "right" if asked.question.left < str(asked.question.right) else "left"
        store.answer(task.task, asked.token, answer, assessor="gpt", role="model", seconds=0.5, model="gpt")
    turn_round(bureau, "gpt")
    (versus,) = reporting_of(bureau).report(bureau.number, bootstrap=QUICK).versus_models
    assert (versus.tops.n_compared, versus.tops.overlap.value) == (1, 0.0)


def test_a_task_that_only_a_correction_finished_has_no_top_as_said_and_a_note_says_so(store: Store) -> None:
    """Said: y≻x and z≻x, of which the best is not known. Corrected: x≻y and z≻x, so that z is the best."""
    bureau = Bureau(store, queries=("q1",), items="abc", k=1)
    bureau.judge("ann")
    number = bureau.task_of("q1")
    first = store.ask(number, "ann")
    assert first is not None
    store.answer(number, first.token, "right", assessor="ann")
    store.correct(number, 1, "left", assessor="lead")
    second = store.ask(number, "ann")
    assert second is not None
    x = first.question.left  # which won by the correction
    assert x in second.question.pair
    store.answer(number, second.token, "right" if second.question.left == x else "left", assessor="ann")
    (task,) = bureau.projects.tasks(bureau.number)
    assert task.is_finished
    report = reporting_of(bureau).report(bureau.number, bootstrap=QUICK)
    assert any("1 finished task is left out where the top k are compared" in note for note in report.notes)


class Counted:
    """Counts how often a report is made, and lets one wait until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made, self.begun, self.go, self._make = 0, threading.Event(), threading.Event(), module.study_report
        self.go.set()
        monkeypatch.setattr(module, "study_report", self)

    def __call__(self, *given: Any, **options: Any) -> Any:
        self.made += 1
        self.begun.set()
        assert self.go.wait(60)
        return self._make(*given, **options)


def test_a_report_is_made_again_only_if_something_changed(store: Store, clock: Ticking, monkeypatch: pytest.MonkeyPatch) -> None:
    bureau, counted = Bureau(store, queries=("q1",), gold_every=1), Counted(monkeypatch)
    reporting, ann = reporting_of(bureau), bureau.judge("ann")

    def made() -> int:
        reporting.report(bureau.number, bootstrap=QUICK)
        return counted.made

    assert [made(), made()] == [1, 1]
    bureau.say(ann)
    assert [made(), made()] == [2, 2]
    bureau.work.undo(ann, key=bureau.key())
    assert [made(), made()] == [3, 3]
    bureau.projects.update(bureau.number, instructions="Read twice.")
    assert [made(), made()] == [4, 4]
    assert dict(reporting.report(bureau.number, bootstrap=QUICK).about)["Instructions"] == "Read twice."
    gold = bureau.gold.add(bureau.number, "q1", "a", "b", "left")
    judge_all(bureau, ann, clock, 1.0)
    assert [made(), made()] == [5, 5]
    assert reporting.report(bureau.number, bootstrap=QUICK).gold[0].asked == 1
    bureau.gold.remove(gold.number)
    assert [made(), made()] == [6, 6]
    assert reporting.report(bureau.number, bootstrap=QUICK).gold == ()


def test_two_who_look_at_once_wait_for_one_report(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    bureau, counted = Bureau(store, queries=("q1",)), Counted(monkeypatch)
    bureau.say(bureau.judge("ann"))
    reporting, counted_at = reporting_of(bureau), threading.Event()
    counted.go.clear()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(reporting.report, bureau.number, bootstrap=QUICK)
        assert counted.begun.wait(60)
        scores = bureau.gold.scores
        monkeypatch.setattr(bureau.gold, "scores", lambda project: (counted_at.set(), scores(project))[1])
        second = threads.submit(reporting.report, bureau.number, bootstrap=QUICK)
        assert counted_at.wait(60)  # on its way while the first is being made
        counted.go.set()
        assert first.result(60) is second.result(60)
    assert counted.made == 1


def test_few_reports_are_kept_and_none_that_failed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    bureau, counted = Bureau(store, queries=("q1",)), Counted(monkeypatch)
    reporting = reporting_of(bureau)
    for resamples in range(1, 11):
        reporting.report(bureau.number, bootstrap=Bootstrap(resamples=resamples))
    reporting.report(bureau.number, bootstrap=Bootstrap(resamples=10))
    assert counted.made == 10
    reporting.report(bureau.number, bootstrap=Bootstrap(resamples=1))  # the oldest of more than eight
    assert counted.made == 11
    bureau.say(bureau.judge("ann"))
    monkeypatch.setattr(counted, "_make", lambda *given, **options: 1 / 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            reporting.report(bureau.number, bootstrap=QUICK)
    assert counted.made == 13
