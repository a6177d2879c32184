"""Language models of a project, as admins lead them: added, tried, started, stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from podium.projects.facts import Member, NotAllowed
from podium.server.api.insight import member_json
from podium.server.api.labelling import member_of, record
from podium.server.api.replies import reply
from podium.server.callers import Leading, Number, Visit
from podium.server.given import MemberReply, Message, RunReply
from podium.server.problems import NotFound
from podium.server.shapes import ModelTried, ModelWanted

__all__ = ["router"]

router = APIRouter(tags=["projects"])


@router.post(
    "/projects/{project}/models", response_model=MemberReply, status_code=201, operation_id="add_model", summary="Add a language model"
)
def add_model(visit: Leading, body: ModelWanted) -> Response:
    """At a place that the operator of the server allows (`podium serve --model-url`). Not by a token for one project."""
    _check_leads_all(visit)
    visit.office.models.checked(body.settings)
    member = visit.office.projects.add_model(visit.project.number, body.name, body.settings)
    record(visit, "model.add", member=member.number, name=member.name, **_place(member.settings))
    return reply(member_json(member), 201)


@router.post("/projects/{project}/models/test", response_model=Message, operation_id="test_model", summary="Whether a model answers")
def test_model(visit: Leading, body: ModelTried) -> Response:
    """Asks one tiny question, and tells in a line what came of it. Nothing is kept but an entry in the audit log."""
    _check_leads_all(visit)
    settings = visit.office.models.checked(body.settings)
    record(visit, "model.test", **_place(asdict(settings)))  # beforehand: what is asked is asked, whatever becomes of it
    return reply({"message": visit.office.models.test_connection(body.settings)})


@router.get("/projects/{project}/models/{member}", response_model=RunReply, operation_id="get_model", summary="What a model is doing")
def get_model(visit: Leading, member: Number) -> Response:
    return _run(visit.office.models.state(_model(visit, member)))


@router.post("/projects/{project}/models/{member}/start", response_model=RunReply, operation_id="start_model", summary="Let a model judge")
def start_model(visit: Leading, member: Number) -> Response:
    _check_leads_all(visit)
    found = _model(visit, member)
    visit.office.models.start(found)
    record(visit, "model.start", member=member, **_place(found.settings))
    return _run(visit.office.models.state(found))


@router.post("/projects/{project}/models/{member}/stop", response_model=RunReply, operation_id="stop_model", summary="Stop a model")
def stop_model(visit: Leading, member: Number) -> Response:
    found = _model(visit, member)
    visit.office.models.stop(found)
    record(visit, "model.stop", member=member, **_place(found.settings))
    return _run(visit.office.models.state(found))


def _check_leads_all(visit: Visit) -> None:
    """Models are asked with what the whole server has: its keys and its network."""
    if not visit.caller.is_admin:
        raise NotAllowed("only an admin may do this, not a token for one project")


def _place(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: (settings or {}).get(name, "") for name in ("base_url", "key_variable")}


def _model(visit: Visit, number: int) -> Member:
    member = member_of(visit, number)
    if member.kind != "model":
        raise NotFound(f"member {number} of this project is not a model")
    return member


def _run(run: Any) -> Response:
    return reply({name: getattr(run, name) for name in ("state", "message", "started_at", "beat_at", "spent")})
