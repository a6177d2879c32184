"""How far a project is: counted again, slowly and from the logs, by the test."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import pytest
from sqlalchemy import insert, update

from podium.pool import Document, Pool
from podium.projects import progress as module
from podium.projects.facts import Member, Project, ProjectSettings, StudyPlan
from podium.projects.gold import Gold
from podium.projects.people import People
from podium.projects.progress import progress_of
from podium.projects.projects import Projects
from podium.store import Store, open_store
from podium.store.leases import as_text
from podium.store.project_tables import GOLD_ANSWERS, MEMBERS, PROJECT_TASKS

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}

START = datetime(2026, 11, 14, 23, 0, tzinfo=UTC)


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(place: str, clock: Clock) -> Iterator[Store]:
    with open_store(place, clock=clock) as store:
        yield store


def pool(query_id: str, documents: int = 6) -> Pool:
    return Pool(query_id, f"what about {query_id}", tuple(Document(f"d{number}", text="text") for number in range(documents)))


def join(store: Store, project: Project, *names: str) -> list[Member]:
    people = People(store)
    return [Projects(store).add_member(project.number, people.add(name, "judge").number, "judge") for name in names]


def give(store: Store, task: int, member: Member) -> None:
    with store.database.writing() as connection:
        connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task == task).values(member=member.number))


def answer(store: Store, task: int, assessor: str, seconds: float | None = None, answer: str = "left") -> None:
    asked = store.ask(task, assessor)
    assert asked is not None
    store.answer(task, asked.token, answer, assessor=assessor, seconds=seconds)


def row_of(progress: dict[str, Any], name: str) -> dict[str, Any]:
    (row,) = (row for row in progress["members"] if row["name"] == name)
    return row


def test_a_new_project_has_everything_before_it(store: Store) -> None:
    projects = Projects(store)
    project = projects.create("p", ProjectSettings(k=2, overlap=2), [pool("q1"), pool("q2")])
    (ann,) = join(store, project, "Ann")
    progress = progress_of(store, project)
    tasks = projects.tasks(project.number)
    assert json.loads(json.dumps(progress)) == progress
    assert progress == {
        "project": project.number, "state": "open", "queries": 2, "tasks": 4, "tasks_finished": 0, "judgments": 0,
        "about_left": sum(store.task(task.task).about_left() for task in tasks),
        "members": [{
            "member": ann.number, "name": "Ann", "kind": "person", "role": "judge", "is_active": True, "judgments": 0, "tasks": 0,
            "tasks_finished": 0, "median_seconds": None, "last_at": None, "gold_right": 0, "gold_asked": 0, "is_here": False,
        }],
        "queries_table": [
            {"query_id": query, "query": f"what about {query}", "tasks": [
                {"task": tasks[place + copy - 1].task, "tool": "pairs", "copy": copy, "assessor": "", "member": None, "judgments": 0,
                 "is_finished": False}
                for copy in (1, 2)
            ]}
            for query, place in (("q1", 0), ("q2", 2))
        ],
        "by_day": [],
    }  # fmt: skip


def test_a_project_without_queries_has_nothing_to_do(store: Store) -> None:
    progress = progress_of(store, Projects(store).create("p", ProjectSettings()))
    assert (progress["queries"], progress["tasks"], progress["about_left"], progress["queries_table"]) == (0, 0, 0, [])


def test_only_answers_that_stand_are_counted(store: Store, clock: Clock) -> None:
    projects = Projects(store)
    project = projects.create("p", ProjectSettings(k=2), [pool("q1")])
    join(store, project, "Ann", "Bob")
    (task,) = projects.tasks(project.number)
    for seconds in (1.0, 4.0, 50.0):
        answer(store, task.task, "Ann", seconds)
    progress_of(store, project)  # looking must not fix what was seen
    store.undo(task.task, assessor="Ann")
    clock.now += timedelta(hours=2)  # the next day
    answer(store, task.task, "Bob", 7.0)
    progress = progress_of(store, project)
    ann, bob = row_of(progress, "Ann"), row_of(progress, "Bob")
    assert (ann["judgments"], ann["median_seconds"], ann["last_at"]) == (2, (1.0 + 4.0) / 2, as_text(START))
    assert (bob["judgments"], bob["median_seconds"], bob["last_at"]) == (1, 7.0, as_text(clock.now))
    assert progress["judgments"] == 3
    assert progress["by_day"] == [{"day": "2026-11-14", "judgments": 2}, {"day": "2026-11-15", "judgments": 1}]
    assert (ann["tasks"], bob["tasks"]) == (1, 1)  # shared, and both judged in it
    assert progress["queries_table"][0]["tasks"][0]["assessor"] == "Ann, Bob"
    store.redo(task.task, assessor="Ann")
    assert row_of(progress_of(store, project), "Ann")["judgments"] == 3
    store.correct(task.task, 1, "tie", assessor="lead")
    assert row_of(progress_of(store, project), "Ann")["judgments"] == 3


def test_everything_agrees_with_a_slow_count_of_the_logs(store: Store, clock: Clock) -> None:
    projects, dice = Projects(store), random.Random(3)
    project = projects.create("p", ProjectSettings(k=2, overlap=2), [pool(f"q{number}") for number in range(4)])
    members = join(store, project, "Ann", "Bob")
    tasks = projects.tasks(project.number)
    names = {}
    for place, task in enumerate(tasks):
        give(store, task.task, members[place % 2])
        names[task.task] = members[place % 2].name
    for _ in range(60):
        task, who = (number := dice.choice(tasks).task), names[number]
        clock.now += timedelta(minutes=dice.randrange(120))
        if dice.random() < 0.2 and store.info(task).judgments:
            store.undo(task, assessor=who)
        elif not store.info(task).is_finished:
            answer(store, task, who, dice.choice([None, 1.0, 2.0, 8.0]), dice.choice(["left", "right", "tie"]))
        if dice.random() < 0.3:
            progress_of(store, project)
    progress = progress_of(store, project)
    judged = [event for task in tasks for event in store.task(task.task).judgments]
    infos = [store.info(task.task) for task in tasks]
    for member in members:
        own = [event for event in judged if event.assessor == member.name]
        row = row_of(progress, member.name)
        times = [event.seconds for event in own if event.seconds is not None]
        finished = sum(info.is_finished for info in infos if names[info.number] == member.name)
        expected = (len(own), median(times), max(event.at for event in own), 4, finished)
        assert (row["judgments"], row["median_seconds"], row["last_at"], row["tasks"], row["tasks_finished"]) == expected
    days = sorted({event.at[:10] for event in judged})
    assert progress["by_day"] == [{"day": day, "judgments": sum(event.at.startswith(day) for event in judged)} for day in days]
    assert progress["judgments"] == len(judged)
    assert progress["tasks_finished"] == sum(info.is_finished for info in infos)
    assert progress["about_left"] == sum(store.task(info.number).about_left() for info in infos)
    shown = {task["task"]: (task["assessor"], task["judgments"]) for row in progress["queries_table"] for task in row["tasks"]}
    assert shown == {info.number: (names[info.number], info.judgments) for info in infos}


def test_of_very_many_tasks_some_stand_for_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REPLAYED", 3)
    projects = Projects(store)
    project = projects.create("p", ProjectSettings(k=1, strategy="heap"), [pool(f"q{number}", 4) for number in range(12)])
    replayed = []
    about_left = Store.about_left

    def watched(self: Store, number: int) -> int:
        replayed.append(number)
        return about_left(self, number)

    monkeypatch.setattr(Store, "about_left", watched)
    assert progress_of(store, project)["about_left"] == 12 * 3  # the best of four takes three comparisons
    assert len(replayed) == 3
    progress_of(store, project)
    assert len(replayed) == 3  # nothing has happened since


def test_a_median_is_of_the_last_answers_only(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TIMES", 3)
    projects = Projects(store)
    project = projects.create("p", ProjectSettings(k=1, strategy="heap"), [pool("old", 4), pool("new", 4)])
    join(store, project, "Ann")
    old, new = projects.tasks(project.number)
    for task, seconds in ((old, (100.0, 90.0, 5.0)), (new, (1.0, 200.0))):
        for each in seconds:
            clock.now += timedelta(seconds=1)
            answer(store, task.task, "Ann", each)
    assert row_of(progress_of(store, project), "Ann")["median_seconds"] == median([5.0, 1.0, 200.0])


def test_who_is_here_was_heard_of_lately_at_a_desk(store: Store, clock: Clock) -> None:
    project = Projects(store).create("p", ProjectSettings())
    members = join(store, project, "Ann", "Bob", "Cy")
    with store.database.writing() as connection:
        for member, desk, ago in zip(members, ("tab", "tab", ""), (44, 46, 1), strict=True):
            facts = {"desk": desk, "desk_at": as_text(clock.now - timedelta(seconds=ago))}
            connection.execute(update(MEMBERS).where(MEMBERS.c.number == member.number).values(facts))
    assert [row["is_here"] for row in progress_of(store, project)["members"]] == [True, False, False]


def test_gold_answers_are_counted_beside_the_others(store: Store) -> None:
    project = Projects(store).create("p", ProjectSettings(), [pool("q1")])
    ann, _ = join(store, project, "Ann", "Bob")
    gold = Gold(store).add(project.number, "q1", "d0", "d1", "left")
    with store.database.writing() as connection:
        for token, left, right, said in (("t1", "d0", "d1", "left"), ("t2", "d1", "d0", "left"), ("t3", "d1", "d0", "right")):
            row = {"token": token, "gold": gold.number, "member": ann.number, "left": left, "right": right, "answer": said}
            connection.execute(insert(GOLD_ANSWERS), {**row, "opened_at": as_text(START), "at": as_text(START)})
    progress = progress_of(store, project)
    assert (row_of(progress, "Ann")["gold_right"], row_of(progress, "Ann")["gold_asked"]) == (2, 3)
    assert (row_of(progress, "Bob")["gold_right"], row_of(progress, "Bob")["gold_asked"]) == (0, 0)
    assert progress["judgments"] == 0


def test_free_seats_of_a_study_and_models_are_listed_with_their_tasks(store: Store) -> None:
    projects = Projects(store)
    project = projects.create("p", ProjectSettings(study=StudyPlan(2, 2, 1)), [pool("q1"), pool("q2")])
    projects.add_model(project.number, "gpt", MODEL)
    rows = progress_of(store, project)["members"]
    assert [(row["name"], row["kind"], row["tasks"], row["judgments"]) for row in rows] == [
        ("", "person", 2, 0),
        ("", "person", 2, 0),
        ("gpt", "model", 2, 0),
    ]


def test_two_processes_see_what_the_other_recorded(place: str) -> None:
    with open_store(place) as one, open_store(place) as two:
        project = Projects(one).create("p", ProjectSettings(k=2), [pool("q1")])
        (task,) = Projects(one).tasks(project.number)
        for place_ in range(3):
            assert progress_of(one, project)["judgments"] == progress_of(two, project)["judgments"] == place_
            answer(one if place_ % 2 else two, task.task, "Ann")
            left = one.task(task.task).about_left()
            assert progress_of(one, project)["about_left"] == progress_of(two, project)["about_left"] == left
