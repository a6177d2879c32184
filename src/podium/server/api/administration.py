"""People, tokens, everything that opens a door, and the audit log, for admins."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from podium.errors import DataError
from podium.projects.facts import Person
from podium.projects.office import Office
from podium.server.api.replies import check_session, link_to, reply
from podium.server.callers import Admin, Number, OfficeHere
from podium.server.given import AuditReply, Ended, LinkMade, PersonReply, SecretReply, TokenMade
from podium.server.problems import NotFound
from podium.server.shapes import NewPerson, PersonChange, TokenWanted

__all__ = ["router"]

router = APIRouter(tags=["administration"])
Where = Annotated[int | None, Query(ge=1, lt=2**31)]


@router.get("/people", response_model=list[PersonReply], operation_id="list_people", summary="Everyone who may come in")
def list_people(office: OfficeHere, caller: Admin) -> Response:
    return reply([asdict(person) for person in office.people.all()])


@router.post("/people", response_model=PersonReply, status_code=201, operation_id="add_person", summary="Add a person")
def add_person(office: OfficeHere, caller: Admin, body: NewPerson) -> Response:
    person = office.people.add(body.name, body.role)
    office.audit.record(caller, "person.add", number=person.number, name=person.name, role=person.role)
    return reply(asdict(person), 201)


@router.patch("/people/{number}", response_model=PersonReply, operation_id="change_person", summary="Change a role, shut out or let in")
def change_person(office: OfficeHere, caller: Admin, number: Number, body: PersonChange) -> Response:
    """Whoever is shut out loses sessions, links and tokens at once, what they made for others ends, and they leave all projects: what they
    had not begun there is for others. The last admin stays.
    """
    person = _person(office, number)
    if body.role is not None:
        person = office.people.set_role(number, body.role)
        office.audit.record(caller, "person.change", number=number, name=person.name, role=body.role)
    if body.is_active is not None:
        members = [] if body.is_active else office.people.memberships(number)
        person = office.people.set_active(number, body.is_active)
        for member in members:
            office.projects.set_member_active(member.number, False)
        office.audit.record(caller, "person.change", number=number, name=person.name, is_active=body.is_active)
    return reply(asdict(person))


@router.post(
    "/people/{number}/links", response_model=LinkMade, status_code=201, operation_id="link_for_person", summary="A sign-in link for someone"
)
def link_for_person(request: Request, office: OfficeHere, caller: Admin, number: Number) -> Response:
    """It works once, within a week. Not by a token, and for another admin only until they have come in for the first time."""
    check_session(caller, "make sign-in links")
    person = _person(office, number)
    text, secret = office.people.link(person.number, by=caller.person.number)
    office.audit.record(caller, "link.create", number=secret.number, person=person.name)
    return reply({"link": link_to(request, text), "number": secret.number}, 201)


@router.get(
    "/people/{number}/secrets", response_model=list[SecretReply], operation_id="list_secrets", summary="By what someone can come in now"
)
def list_secrets(office: OfficeHere, caller: Admin, number: Number) -> Response:
    """Their open links, sessions and tokens, without their text; `DELETE /secrets/{number}` ends one."""
    return reply([asdict(secret) for secret in office.people.secrets(person=_person(office, number).number, only_good=True)])


@router.delete("/people/{number}/sessions", response_model=Ended, operation_id="end_sessions", summary="Sign someone out everywhere")
def end_sessions(office: OfficeHere, caller: Admin, number: Number) -> Response:
    person = _person(office, number)
    ended = office.people.end_sessions(person.number)
    office.audit.record(caller, "sessions.end", number=number, name=person.name, ended=ended)
    return reply({"ended": ended})


@router.get("/tokens", response_model=list[SecretReply], operation_id="list_tokens", summary="API tokens, without their text")
def list_tokens(office: OfficeHere, caller: Admin) -> Response:
    return reply([asdict(secret) for secret in office.people.secrets(kind="token")])


@router.post("/tokens", response_model=TokenMade, status_code=201, operation_id="make_token", summary="Make an API token")
def make_token(office: OfficeHere, caller: Admin, body: TokenWanted) -> Response:
    """The token is shown this once. It never goes beyond its role, and with a project it opens that project only. Not by a token."""
    check_session(caller, "make tokens")
    person = caller.person if body.person is None else _person(office, body.person)
    text, secret = office.people.token(
        person.number, role=body.role, project=body.project, note=body.note, days=body.days, by=caller.person.number
    )
    office.audit.record(caller, "token.create", project=body.project, number=secret.number, person=person.name, role=body.role)
    return reply({"token": text, "number": secret.number}, 201)


@router.delete("/secrets/{number}", status_code=204, operation_id="revoke", summary="Revoke an invitation, link, session or token")
def revoke(office: OfficeHere, caller: Admin, number: Number) -> Response:
    if number not in {secret.number for secret in office.people.secrets()}:
        raise NotFound(f"there is no secret {number}")
    office.people.revoke(number, by=caller.person.number)
    office.audit.record(caller, "secret.revoke", number=number)
    return Response(status_code=204)


@router.get("/audit", response_model=AuditReply, operation_id="list_audit", summary="What admins did, the newest first")
def list_audit(
    office: OfficeHere, caller: Admin, project: Where = None, before: Where = None, most: Annotated[int, Query(ge=1, le=1000)] = 100
) -> Response:
    entries = office.audit.entries(project=project, before=before, most=most)
    return reply({"entries": [asdict(entry) for entry in entries]})


def _person(office: Office, number: int) -> Person:
    try:
        return office.people.get(number)
    except DataError:
        raise NotFound(f"there is no person {number}") from None
