"""The report of a project with its exports."""

from __future__ import annotations

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from podium.errors import DataError
from podium.projects.exports import EXPORTS
from podium.reports.frame import REPORT_STYLE
from podium.reports.study_pages import study_html
from podium.server.callers import Viewing, Visit
from podium.server.pages.layout import project_page

__all__ = ["router"]

router = APIRouter()


@router.get("/projects/{project}/report")
def report(request: Request, visit: Viewing) -> HTMLResponse:
    fragment, why_not = _fragment(visit)
    return project_page(
        request, visit, "report.html", "report", fragment=fragment, why_not=why_not, whose=_whose(visit),
        exports=[(kind, export.meaning.partition("; of=")[0]) for kind, export in EXPORTS.items()],
    )  # fmt: skip


@router.get("/report.css")
def report_style() -> Response:
    """How reports look; files that stand alone hold the same."""
    return Response(REPORT_STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


def _fragment(visit: Visit) -> tuple[Markup | None, str]:
    """The report as our own code wrote it, in which every text is escaped already; or why there is none."""
    if not any(task.judgments for task in visit.office.projects.tasks(visit.project.number)):
        return None, "As soon as somebody has judged, times and agreement are shown here."
    try:
        return Markup(study_html(visit.office.reporting.report(visit.project.number))), ""
    except DataError as error:
        return None, f"{error}."


def _whose(visit: Visit) -> list[tuple[str, str]]:
    """Whose labels a file with one label a document may hold, if there is a choice: values of ``of``, each in words."""
    number = visit.project.number
    tasks = visit.office.projects.tasks(number)
    members = {member.number: member.name for member in visit.office.projects.members(number)}
    names = sorted({members[task.member] for task in tasks if task.member is not None and members.get(task.member)})
    is_shared = any(task.is_shared for task in tasks)
    if is_shared and not names:
        return []
    whose = [("shared", "the shared tasks")] if is_shared else []
    if any(not task.is_shared for task in tasks):
        whose += [("all", "the mean over all people")]
    whose += [(name, f"only {name}") for name in names]
    if visit.project.is_study:
        tools = {"pairs": "pairs", "grades": "grades"}
        return [(f"{value}:{tool}", f"{text}, {told}") for tool, told in tools.items() for value, text in whose]
    return whose
