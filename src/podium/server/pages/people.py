"""Pages about people: the members of a project, everybody on the server, tokens, and what admins did."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.projects.facts import ROLES, Member, Person, Secret
from podium.projects.office import Office
from podium.server.callers import Admin, OfficeHere, Viewing
from podium.server.pages import words
from podium.server.pages.layout import project_page
from podium.server.pages.rendering import render
from podium.store.leases import as_text

__all__ = ["router"]

router = APIRouter()
PER_PAGE = 100
Where = Annotated[int | None, Query(ge=1, lt=2**31)]


def _now(office: Office) -> str:
    with office.store.database.reading() as connection:
        return as_text(office.store.time(connection))


@router.get("/projects/{project}/people")
def members(request: Request, visit: Viewing) -> HTMLResponse:
    """Who judges, who looks on, which models; and for admins the invitations."""
    office, number = visit.office, visit.project.number
    everyone = office.projects.members(number)
    invitations = office.people.secrets(project=number, kind="invitation") if visit.caller.is_admin else []
    return project_page(
        request, visit, "members.html", "people",
        people=[member for member in everyone if member.kind == "person"],
        models=[_model_row(office, member) for member in everyone if member.kind == "model"],
        invitations=sorted(invitations, key=lambda secret: -secret.number),
        seats=sum(not member.name for member in everyone), now=_now(office),
    )  # fmt: skip


def _model_row(office: Office, member: Member) -> dict[str, Any]:
    run = office.models.state(member)
    return {"member": member, "settings": member.settings or {}, "state": run.state, "message": run.message, "spent": run.spent}


@router.get("/people")
def people(request: Request, office: OfficeHere, caller: Admin) -> HTMLResponse:
    projects = {project.number: project for project in office.projects.all()}
    came = {secret.person for secret in office.people.secrets(kind="session")}
    rows = []
    for person in office.people.all():
        own = [projects[member.project] for member in office.people.memberships(person.number) if member.project in projects]
        may_link = person.role != "admin" or person.number == caller.person.number or person.number not in came
        rows.append({"person": person, "projects": own, "may_link": may_link, "doors": _doors(office, person)})
    return render(request, "people.html", words=words, people=rows, roles=ROLES)


def _doors(office: Office, person: Person) -> list[Secret]:
    """The links and sessions by which someone can come in now; tokens have a page of their own."""
    return [secret for secret in office.people.secrets(person=person, only_good=True) if secret.kind in ("link", "session")]


@router.get("/tokens")
def tokens(request: Request, office: OfficeHere, caller: Admin) -> HTMLResponse:
    return render(
        request, "tokens.html", words=words, roles=list(reversed(ROLES)), now=_now(office),
        tokens=sorted(office.people.secrets(kind="token"), key=lambda secret: -secret.number),
        names={person.number: person.name for person in office.people.all()},
        projects={project.number: project.name for project in office.projects.all(with_archived=True)},
    )  # fmt: skip


@router.get("/audit")
def audit(request: Request, office: OfficeHere, caller: Admin, project: str = "", before: Where = None) -> HTMLResponse:
    chosen = int(project) if project.isascii() and project.isdigit() and len(project) <= 10 and 0 < int(project) < 2**31 else None
    entries = office.audit.entries(project=chosen, before=before, most=PER_PAGE + 1)
    kept = {} if chosen is None else {"project": chosen}
    older = f"/audit?{urlencode({**kept, 'before': entries[PER_PAGE - 1].number})}" if len(entries) > PER_PAGE else None
    newest = None if before is None else f"/audit?{urlencode(kept)}"
    projects = {each.number: each.name for each in office.projects.all(with_archived=True)}
    return render(
        request, "audit.html", words=words, entries=entries[:PER_PAGE], chosen=chosen, projects=projects, older=older, newest=newest
    )  # fmt: skip
