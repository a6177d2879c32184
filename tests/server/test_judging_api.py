"""What the judging page relies on in the API: as whom it speaks, and whether what it said was recorded."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.clients import Client
from tests.server.conftest import World


def member_of(world: World, name: str) -> int:
    (member,) = [member for member in world.office.projects.members(world.mine.number) if member.name == name]
    return member.number


def question_for(client: Client, here: str, desk: str) -> dict[str, Any]:
    question = client.post(f"{here}/next", {"desk": desk, "take": True}).json()["question"]
    return {"task": question["task"], "token": question["token"], "desk": desk}


@pytest.mark.parametrize("what", ["next", "answers", "skips", "undo", "redo", "release"])
def test_a_page_of_another_member_is_refused_and_changes_nothing(world: World, what: str) -> None:
    here = f"/api/v1/projects/{world.mine.number}"
    ann = world.browser("ann")
    asked = question_for(ann, here, "tab")
    bodies = {"answers": {**asked, "answer": "left"}, "skips": asked, "undo": {"key": "k"}, "redo": {"key": "k"}}
    body = {"desk": "tab", **bodies.get(what, {})}
    refused = ann.post(f"{here}/{what}", {**body, "member": member_of(world, "bob")})
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthorised")
    assert "another person" in refused.json()["error"]["message"]
    assert world.office.store.events(asked["task"]) == []
    assert ann.post(f"{here}/{what}", {**body, "member": member_of(world, "ann")}).status_code != 401


@pytest.mark.parametrize("what", ["answers", "skips"])
def test_what_is_said_where_another_tab_has_taken_over_is_recorded_and_said_to_be(world: World, what: str) -> None:
    here = f"/api/v1/projects/{world.mine.number}"
    ann = world.browser("ann")
    asked = question_for(ann, here, "one")
    assert ann.post(f"{here}/next", {"desk": "two", "take": True}).status_code == 200
    refused = ann.post(f"{here}/{what}", {**asked, **({"answer": "left"} if what == "answers" else {})})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["recorded"]) == (409, "elsewhere", True)
    assert len(world.office.store.events(asked["task"])) == 1


def test_a_mere_question_in_another_tab_records_nothing(world: World) -> None:
    here = f"/api/v1/projects/{world.mine.number}"
    ann = world.browser("ann")
    question_for(ann, here, "one")
    error = ann.post(f"{here}/next", {"desk": "two"}).json()["error"]
    assert (error["code"], error.get("recorded", False)) == ("elsewhere", False)
