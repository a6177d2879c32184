"""Projects as admins lead them: made, changed, filled with queries; members, invitations, gold questions, corrections."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from podium.errors import DataError
from podium.pool import Document, Pool
from podium.projects.facts import Member
from podium.projects.settings import settings_from
from podium.server.api.insight import detail_json, member_json, project_json
from podium.server.api.replies import link_to, reply
from podium.server.callers import Admin, Leading, Number, OfficeHere, Visit
from podium.server.given import (
    Added,
    GoldList,
    GoldReply,
    InvitationMade,
    JudgmentDetailReply,
    MemberReply,
    ProjectReply,
    SecretReply,
    TaskReply,
)
from podium.server.problems import NotFound
from podium.server.shapes import (
    Correction,
    InvitationWanted,
    MemberChange,
    NewGold,
    NewPool,
    NewProject,
    NewQueries,
    ProjectChange,
    State,
)
from podium.server.uploads import UPLOAD_SCHEMA, read_upload

__all__ = ["member_of", "record", "router"]

router = APIRouter(tags=["projects"])


@router.post("/projects", response_model=ProjectReply, status_code=201, operation_id="create_project", summary="Make a project")
def create_project(office: OfficeHere, caller: Admin, body: NewProject) -> Response:
    project = office.projects.create(body.name, settings_from(body.settings.model_dump(exclude_unset=True)))
    office.audit.record(caller, "project.create", project=project.number, name=project.name)
    return reply(project_json(project), 201)


@router.patch("/projects/{project}", response_model=ProjectReply, operation_id="change_project", summary="Change name or settings")
def change_project(visit: Leading, body: ProjectChange) -> Response:
    """Once something can be judged, only instructions, gold questions, ties, both bad and more overlap can be changed."""
    changes = body.settings.model_dump(exclude_unset=True)
    project = visit.office.projects.update(visit.project.number, name=body.name, **changes)
    record(visit, "project.change", name=body.name, settings=sorted(changes))
    return reply(project_json(project))


@router.post("/projects/{project}/state", response_model=ProjectReply, operation_id="set_state", summary="Open, close or archive")
def set_state(visit: Leading, body: State) -> Response:
    project = visit.office.projects.set_state(visit.project.number, body.state)
    record(visit, "project.state", state=body.state)
    return reply(project_json(project))


@router.post("/projects/{project}/queries", response_model=Added, operation_id="add_queries", summary="Add queries with their documents")
def add_queries(visit: Leading, body: NewQueries) -> Response:
    """The same query again is nothing new; other documents under the same id are refused. Up to 32 MB."""
    added = visit.office.projects.add_queries(visit.project.number, [_pool(pool) for pool in body.pools])
    record(visit, "queries.add", added=added)
    return reply({"added": added})


def _pool(pool: NewPool) -> Pool:
    documents = tuple(Document(each.id, each.title, each.text, each.kind, each.url) for each in pool.documents)
    return Pool(pool.query_id, pool.query, documents, pool.description, has_prior=pool.has_prior)


@router.post(
    "/projects/{project}/files",
    response_model=Added,
    operation_id="add_files",
    summary="Add queries from files, in any form that `podium label` reads",
    openapi_extra=UPLOAD_SCHEMA,
)
async def add_files(visit: Leading, request: Request) -> Response:
    """JSONL, CSV, TREC, BEIR and Cranfield. Names of files may hold `/` for folders. Nothing is unpacked."""
    pools = await read_upload(request, request.app.state.limits)
    added = await run_in_threadpool(visit.office.projects.add_queries, visit.project.number, pools)
    await run_in_threadpool(record, visit, "queries.add", added=added)
    return reply({"added": added})


# ---- people of a project ----


@router.post(
    "/projects/{project}/invitations", response_model=InvitationMade, status_code=201, operation_id="invite", summary="Invite by a link"
)
def invite(request: Request, visit: Leading, body: InvitationWanted) -> Response:
    text, secret = visit.office.people.invite(
        role=body.role, project=visit.project.number, uses=body.uses, days=body.days, note=body.note, by=visit.caller.person.number
    )
    record(visit, "invitation.create", number=secret.number, role=body.role, uses=body.uses)
    return reply({"link": link_to(request, text), "number": secret.number}, 201)


@router.get("/projects/{project}/invitations", response_model=list[SecretReply], operation_id="list_invitations", summary="The invitations")
def list_invitations(visit: Leading) -> Response:
    return reply([asdict(secret) for secret in visit.office.people.secrets(project=visit.project.number, kind="invitation")])


@router.patch(
    "/projects/{project}/members/{member}", response_model=MemberReply, operation_id="change_member", summary="Let in or shut out"
)
def change_member(visit: Leading, member: Number, body: MemberChange) -> Response:
    found = member_of(visit, member)
    changed = visit.office.projects.set_member_active(found.number, body.is_active)
    record(visit, "member.change", member=member, name=found.name, is_active=body.is_active)
    return reply(member_json(changed))


def member_of(visit: Visit, number: int) -> Member:
    """The member of the visit's project."""
    try:
        member = visit.office.projects.member(number)
    except DataError:
        member = None
    if member is None or member.project != visit.project.number:
        raise NotFound(f"this project has no member {number}")
    return member


@router.post(
    "/projects/{project}/tasks/{task}/reassign", response_model=TaskReply, operation_id="reassign", summary="Let somebody else judge a task"
)
def reassign(visit: Leading, task: Number) -> Response:
    """A task that its assessor has begun is set aside with its log, and a new copy is free for another; one that is not begun is made free.

    Of a study, deactivate the assessor: the seat is then free, with what is unfinished there.
    """
    if task not in {each.task for each in visit.office.projects.tasks(visit.project.number)}:
        raise NotFound(f"this project has no task {task}")
    fresh = visit.office.projects.reassign(task)
    record(visit, "task.reassign", task=task, to=fresh.task, query_id=fresh.query_id)
    return reply(asdict(fresh))


# ---- gold questions and corrections ----


@router.get(
    "/projects/{project}/gold", response_model=GoldList, operation_id="list_gold", summary="Gold questions, and how they were answered"
)
def list_gold(visit: Leading) -> Response:
    gold, number = visit.office.gold, visit.project.number
    scores = {name: {"right": score.right, "asked": score.asked} for name, score in gold.scores(number).items()}
    return reply({"questions": [_gold_json(each) for each in gold.all(number)], "scores": scores})


def _gold_json(question: Any) -> dict[str, Any]:
    return {name: getattr(question, name) for name in ("number", "query_id", "left", "right", "answer")}


@router.post("/projects/{project}/gold", response_model=GoldReply, status_code=201, operation_id="add_gold", summary="Add a gold question")
def add_gold(visit: Leading, body: NewGold) -> Response:
    question = visit.office.gold.add(visit.project.number, body.query_id, body.left, body.right, body.answer)
    record(visit, "gold.add", number=question.number, query_id=body.query_id)
    return reply(_gold_json(question), 201)


@router.delete("/projects/{project}/gold/{number}", status_code=204, operation_id="remove_gold", summary="Ask a gold question no more")
def remove_gold(visit: Leading, number: Number) -> Response:
    if number not in {question.number for question in visit.office.gold.all(visit.project.number)}:
        raise NotFound(f"this project has no gold question {number}")
    visit.office.gold.remove(number)
    record(visit, "gold.remove", number=number)
    return Response(status_code=204)


@router.post(
    "/projects/{project}/judgments/{task}/{event}/corrections",
    response_model=JudgmentDetailReply,
    status_code=201,
    operation_id="correct",
    summary="Put another answer in the place of a judgment",
)
def correct(visit: Leading, task: Number, event: Number, body: Correction) -> Response:
    """The judgment stays in the log; the correction is appended. A `key` makes it safe to send twice."""
    review, number = visit.office.review, visit.project.number
    try:
        review.judgment(number, task, event)
    except DataError:
        raise NotFound(f"there is no judgment {event} of task {task} in this project") from None
    detail = review.correct(number, task, event, body.answer, by=visit.caller.person.name, key=body.key)
    record(visit, "judgment.correct", task=task, event=event, answer=body.answer)
    return reply(detail_json(number, detail), 201)


def record(visit: Visit, action: str, **details: Any) -> None:
    """Note in the audit log what was done in the visit's project."""
    visit.office.audit.record(visit.caller, action, project=visit.project.number, **details)
