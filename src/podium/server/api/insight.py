"""Insight: progress, tasks, members, judgments, reports and exports, for viewers of a project and admins."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from podium.errors import DataError, UnknownName
from podium.projects.facts import Member, Project
from podium.projects.review import JudgmentDetail
from podium.server.api.replies import attachment, file_of, reply
from podium.server.callers import Number, OfficeHere, Signed, Viewing, viewable
from podium.server.documents import document_json
from podium.server.given import JudgmentDetailReply, JudgmentList, MemberReply, ProgressReply, ProjectReply, QueryReply, TaskReply
from podium.server.problems import NotFound

__all__ = ["detail_json", "member_json", "project_json", "router"]

router = APIRouter(tags=["insight"])
Text = Annotated[str | None, Query(max_length=500)]


def project_json(project: Project) -> dict[str, Any]:
    """A project as the API gives it."""
    from podium.projects.settings import settings_to

    return {
        "number": project.number, "name": project.name, "state": project.state, "created_at": project.created_at,
        "n_queries": project.n_queries, "is_study": project.is_study, "settings": settings_to(project.settings),
    }  # fmt: skip


def member_json(member: Member) -> dict[str, Any]:
    """A member without a model's settings, which only admins see."""
    return {name: value for name, value in asdict(member).items() if name != "settings"}


def detail_json(project: int, detail: JudgmentDetail) -> dict[str, Any]:
    """A judgment with what was judged and what became of it."""
    query_id = detail.judgment.query_id
    return {
        "judgment": asdict(detail.judgment), "query": detail.query, "description": detail.description,
        "left": document_json(project, query_id, detail.left),
        "right": None if detail.right is None else document_json(project, query_id, detail.right),
        "answers": list(detail.answers), "history": [asdict(entry) for entry in detail.history],
    }  # fmt: skip


@router.get("/projects", response_model=list[ProjectReply], operation_id="list_projects", summary="The projects that you may look at")
def list_projects(office: OfficeHere, caller: Signed, archived: bool = False) -> Response:
    return reply([project_json(project) for project in viewable(office, caller, with_archived=archived)])


@router.get("/projects/{project}", response_model=ProjectReply, operation_id="get_project", summary="A project and its settings")
def get_project(visit: Viewing) -> Response:
    return reply(project_json(visit.project))


@router.get("/projects/{project}/progress", response_model=ProgressReply, operation_id="get_progress", summary="How far everything is")
def get_progress(visit: Viewing) -> Response:
    from podium.projects.progress import progress_of

    return reply(progress_of(visit.office.store, visit.project))


@router.get("/projects/{project}/tasks", response_model=list[TaskReply], operation_id="list_tasks", summary="The tasks of a project")
def list_tasks(visit: Viewing) -> Response:
    return reply([asdict(task) for task in visit.office.projects.tasks(visit.project.number)])


@router.get("/projects/{project}/queries", response_model=list[QueryReply], operation_id="list_queries", summary="What is judged")
def list_queries(visit: Viewing) -> Response:
    number, projects = visit.project.number, visit.office.projects
    pools = (projects.pool(number, query_id) for query_id in projects.queries(number))
    return reply([{"query_id": pool.query_id, "query": pool.query, "documents": len(pool.documents)} for pool in pools])


@router.get("/projects/{project}/members", response_model=list[MemberReply], operation_id="list_members", summary="Who judges and looks on")
def list_members(visit: Viewing) -> Response:
    return reply([member_json(member) for member in visit.office.projects.members(visit.project.number)])


@router.get(
    "/projects/{project}/judgments", response_model=JudgmentList, operation_id="list_judgments", summary="Judgments, the newest first"
)
def list_judgments(
    visit: Viewing,
    query_id: Text = None,
    assessor: Text = None,
    tool: Literal["pairs", "grades"] | None = None,
    answer: Text = None,
    is_corrected: bool | None = None,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    most: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    filters = {"query_id": query_id, "assessor": assessor, "tool": tool, "answer": answer}
    found = visit.office.review.judgments(visit.project.number, **filters, is_corrected=is_corrected, page=page, most=most)
    return reply({"rows": [asdict(row) for row in found.rows], "total": found.total})


@router.get(
    "/projects/{project}/judgments/{task}/{event}",
    response_model=JudgmentDetailReply,
    operation_id="get_judgment",
    summary="A judgment with both documents and its history",
)
def get_judgment(visit: Viewing, task: Number, event: Number) -> Response:
    try:
        detail = visit.office.review.judgment(visit.project.number, task, event)
    except DataError:
        raise NotFound(f"there is no judgment {event} of task {task} in this project") from None
    return reply(detail_json(visit.project.number, detail))


@router.get(
    "/projects/{project}/report", response_model=dict[str, Any], operation_id="get_report", summary="Times, agreement and quality, as JSON"
)
def get_report(visit: Viewing) -> Response:
    from podium.reports.study_files import study_json

    return reply(study_json(visit.office.reporting.report(visit.project.number)))


@router.get(
    "/projects/{project}/report.csv",
    response_class=Response,
    responses=file_of("text/csv"),
    operation_id="get_report_csv",
    summary="The report's tables as CSV",
)
def get_report_csv(visit: Viewing) -> Response:
    from podium.reports.study_files import study_csv

    content = study_csv(visit.office.reporting.report(visit.project.number)).encode()
    return attachment(f"{visit.project.name}.report.csv", content, "text/csv; charset=utf-8")


@router.get(
    "/projects/{project}/exports/{kind}",
    response_class=Response,
    responses=file_of("text/plain", "text/csv", "application/zip", "application/x-ndjson"),
    operation_id="export",
    summary="Labels and judgments as a file",
)
def export_file(visit: Viewing, kind: str, ties: Annotated[str, Query(max_length=40)] = "order", of: Text = None) -> Response:
    from podium.projects.exports import EXPORTS, export

    if kind not in EXPORTS:
        raise NotFound(str(UnknownName("export", kind[:60], EXPORTS)))
    name, content = export(visit.office.store, visit.project, kind, ties=ties, of=of)
    return attachment(name, content, EXPORTS[kind][2])
