"""When an assessor leaves: what they had goes to others, by the API."""

from __future__ import annotations

from typing import Any

from tests.server.clients import Client
from tests.server.conftest import POOLS, World

from podium.projects.facts import ProjectSettings

API = "/api/v1"


def answer_one(judge: Client, here: str) -> dict[str, Any]:
    question: dict[str, Any] = judge.post(f"{here}/next", {}).json()["question"]
    said = {"task": question["task"], "token": question["token"], "answer": "left"}
    assert judge.post(f"{here}/answers", said).status_code == 200
    return question


def copies_for_two(world: World) -> str:
    """A project in which each query is labelled by two, each alone."""
    project = world.office.projects.create("copies", ProjectSettings(k=2, overlap=2), POOLS[:1])
    for name in ("ann", "bob", "otto"):
        world.office.projects.add_member(project.number, world.people[name].number, "judge")
    return f"{API}/projects/{project.number}"


def test_a_begun_task_of_one_who_left_is_given_to_another_and_keeps_its_log(world: World) -> None:
    here, root = copies_for_two(world), world.browser("root")
    begun = answer_one(world.browser("ann"), here)["task"]
    answer_one(world.browser("bob"), here)
    otto = world.browser("otto")
    assert otto.post(f"{here}/next", {}).json()["status"] == "finished"  # both copies are taken
    fresh = root.post(f"{here}/tasks/{begun}/reassign").json()
    assert fresh["task"] != begun
    assert otto.post(f"{here}/next", {}).json()["question"]["task"] == fresh["task"]
    assert len(world.office.store.events(begun)) == 1
    assert world.office.audit.entries()[0].action == "task.reassign"


def test_a_task_of_another_project_cannot_be_given_away(world: World) -> None:
    here, root = copies_for_two(world), world.browser("root")
    elsewhere = world.office.projects.tasks(world.mine.number)[0].task
    assert root.post(f"{here}/tasks/{elsewhere}/reassign").status_code == 404


def test_whoever_is_shut_out_of_the_server_leaves_what_they_had_not_begun_to_others(world: World) -> None:
    here, root = copies_for_two(world), world.browser("root")
    ann, bob, otto = (world.browser(name) for name in ("ann", "bob", "otto"))
    assert ann.post(f"{here}/next", {}).json()["status"] == "question"  # looked at, not answered
    answer_one(bob, here)
    assert otto.post(f"{here}/next", {}).json()["status"] == "finished"
    number = world.people["ann"].number
    assert root.ask("PATCH", f"{API}/people/{number}", json={"is_active": False}).status_code == 200
    assert otto.post(f"{here}/next", {}).json()["status"] == "question"
    members = root.get(f"{here}/members").json()
    assert [member["is_active"] for member in members if member["name"] == "ann"] == [False]
