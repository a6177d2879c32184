"""You: who you are, how you come in by a link, and how you leave."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from podium.projects.facts import NotAllowed
from podium.projects.rights import Caller
from podium.projects.secrets import kind_of
from podium.server.api.replies import check_session, link_to, reply
from podium.server.callers import COOKIE, OfficeHere, Signed, count_guess, perhaps
from podium.server.given import Joined, LinkMade, Me
from podium.server.problems import Gone
from podium.server.shapes import Join

__all__ = ["me_json", "router"]

router = APIRouter(tags=["you"])
SESSION_SECONDS = 30 * 86400
LINK_MINUTES = 15


def me_json(office: OfficeHere, caller: Signed) -> dict[str, Any]:
    """The caller, and the projects in which they have a part; archived ones are left out."""
    roles = {member.project: member.role for member in office.people.memberships(caller.person.number) if member.is_active}
    projects = [
        {"number": each.number, "name": each.name, "state": each.state, "role": roles[each.number], "is_study": each.is_study,
         "tool": each.settings.tool}
        for each in office.projects.all()
        if each.number in roles and caller.secret.project in (None, each.number)
    ]  # fmt: skip
    return {"name": caller.person.name, "role": caller.role, "projects": projects}


@router.get("/me", response_model=Me, operation_id="me", summary="Who you are, and your projects")
def me(office: OfficeHere, caller: Signed) -> Response:
    return reply(me_json(office, caller))


@router.post("/join", response_model=Joined, operation_id="join", summary="Come in by an invitation or a sign-in link")
def join(request: Request, office: OfficeHere, body: Join) -> Response:
    """Uses the link up and sets the session's cookie. Whoever is signed in already keeps their name when they take an invitation."""
    caller = perhaps(request) if COOKIE in request.cookies else None
    try:
        joined = office.people.join(body.secret, body.name, person=None if caller is None else caller.person.number)
    except NotAllowed as error:
        count_guess(request, body.secret)
        raise Gone(str(error)) from None
    if joined.person.role == "admin":
        office.audit.record(Caller(joined.person, joined.secret), "sign-in", session=joined.secret.number, by=kind_of(body.secret))
    answer = reply({"to": _door(office, joined.person.number, joined.project)})
    is_secure = request.app.state.public_url.startswith("https://")
    answer.set_cookie(COOKIE, joined.session, max_age=SESSION_SECONDS, path="/", httponly=True, samesite="lax", secure=is_secure)
    return answer


def _door(office: OfficeHere, person: int, project: int | None) -> str:
    """Where someone who came in should go."""
    if project is None:
        return "/"
    member = office.people.membership(person, project)
    return f"/projects/{project}/judge" if member is not None and member.role == "judge" else f"/projects/{project}"


@router.post("/sign-out", status_code=204, operation_id="sign_out", summary="End your session")
def sign_out(request: Request, office: OfficeHere) -> Response:
    if (session := request.cookies.get(COOKIE)) is not None:
        office.people.end_session(session)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
    return answer


@router.post("/me/links", response_model=LinkMade, operation_id="link_for_me", summary="A link to sign in on another device")
def link_for_me(request: Request, office: OfficeHere, caller: Signed) -> Response:
    """It works once, within 15 minutes. Not for tokens: a token must not become more than it is."""
    check_session(caller, "make sign-in links")
    text, secret = office.people.link(caller.person.number, minutes=LINK_MINUTES, by=caller.person.number)
    if caller.is_admin:
        office.audit.record(caller, "link.create", number=secret.number, person=caller.person.name)
    return reply({"link": link_to(request, text), "number": secret.number})
