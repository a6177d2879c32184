"""The first page, and the door: what is whose to do, and how one comes in."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.projects.facts import Project
from podium.projects.office import Office
from podium.projects.progress import progress_of
from podium.projects.rights import Caller
from podium.server.callers import OfficeHere, Perhaps
from podium.server.pages import words
from podium.server.pages.rendering import render

__all__ = ["router"]

router = APIRouter()
_TOOLS = {"pairs": "of two documents, which is better", "grades": "what grade a document deserves"}


@dataclass(frozen=True)
class Card:
    """A project at a glance, as far as it is this reader's: all of it, or their own part."""

    project: Project
    may_view: bool
    may_judge: bool
    judgments: int
    finished: int
    tasks: int
    one: str = "task"
    several: str = "tasks"

    @property
    def is_done(self) -> bool:
        return 0 < self.tasks == self.finished


@router.get("/")
def home(request: Request, office: OfficeHere, caller: Perhaps, archived: bool = False) -> HTMLResponse:
    """Whoever is signed in sees their projects; all others how to come in."""
    if caller is None:
        return render(request, "welcome.html")
    projects = office.projects.all(with_archived=archived and caller.is_admin)
    cards = [card for project in reversed(projects) if (card := _card(office, caller, project)) is not None]
    return render(request, "home.html", words=words, cards=cards, with_archived=archived)


def _card(office: Office, caller: Caller, project: Project) -> Card | None:
    number = project.number
    if caller.may_see(number):
        tasks = office.projects.tasks(number)
        done, judgments = sum(task.is_finished for task in tasks), sum(task.judgments for task in tasks)
        return Card(project, True, caller.may_judge(number), judgments, done, len(tasks))
    if not caller.may_judge(number):
        return None
    return _own_card(office, caller, project)


def _own_card(office: Office, caller: Caller, project: Project) -> Card:
    """What one judge has done and can have: tasks of their own, those that are shared, and copies that nobody has taken."""
    member = office.people.membership(caller.person.number, project.number)
    assert member is not None, "whoever may judge is a member"
    tasks = office.projects.tasks(project.number)
    own = {task.query_id for task in tasks if task.member == member.number or task.is_shared}
    free = {task.query_id for task in tasks if task.member is None}
    finished = {task.query_id for task in tasks if task.is_finished and (task.member == member.number or task.is_shared)}
    progress = progress_of(office.store, project)
    judgments = next((row["judgments"] for row in progress["members"] if row["member"] == member.number), 0)
    return Card(project, False, True, judgments, len(finished), len(own | free), "query", "queries")


@router.get("/join/{secret}")
def join(request: Request, office: OfficeHere, caller: Perhaps, secret: str) -> HTMLResponse:
    """What a link is for, and a button to use it. Looking uses nothing up, as programs that preview links look too."""
    found = office.people.look(secret)
    if found is None:
        return render(request, "join.html", status=410, words=words, secret=None, project=None)
    project = None if found.project is None else office.projects.get(found.project)
    name = "" if found.person is None else office.people.get(found.person).name
    tool = "" if project is None else " and ".join(_TOOLS.values()) if project.is_study else _TOOLS[project.settings.tool]
    return render(request, "join.html", words=words, secret=found, text=secret, project=project, name=name, tool=tool)
