"""Judging: what is next, answers, skips, undo and redo. An answer and the next question are one round trip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from podium.projects.facts import Elsewhere, Member, Offer, Put
from podium.server.api.replies import reply
from podium.server.callers import Judging, Visit
from podium.server.documents import document_json
from podium.server.given import Guide, OfferReply, QuestionReply
from podium.server.problems import NotSigned
from podium.server.shapes import Answer, DeskOnly, Next, Skip, Undo

__all__ = ["guide_json", "offer_json", "router"]

router = APIRouter(prefix="/projects/{project}", tags=["judging"])


def question_json(project: int, put: Put) -> dict[str, Any]:
    """A question as the API gives it."""
    return {
        "token": put.token, "task": put.task, "tool": put.tool,
        "query_id": put.query_id, "query": put.query, "description": put.description,
        "left": document_json(project, put.query_id, put.left),
        "right": None if put.right is None else document_json(project, put.query_id, put.right),
        "answers": list(put.answers),
    }  # fmt: skip


def offer_json(project: int, offer: Offer) -> dict[str, Any]:
    """What is to be done next, as the API gives it."""
    question = None if offer.question is None else question_json(project, offer.question)
    return {"status": offer.status, "question": question, "progress": vars(offer.progress)}


def guide_json(visit: Visit) -> dict[str, Any]:
    """What a judge should know of a project."""
    settings = visit.project.settings
    return {
        "name": visit.project.name, "instructions": settings.instructions, "grades": list(settings.grades),
        "tool": "both" if visit.project.is_study else settings.tool, "k": settings.k, "ties": settings.ties, "both_bad": settings.both_bad,
    }  # fmt: skip


def _offered(visit: Visit, offer: Offer) -> Response:
    return reply(offer_json(visit.number, offer))


def _said(visit: Visit, say: Callable[[], Offer]) -> Response:
    try:
        return _offered(visit, say())
    except Elsewhere as error:  # which Work raises after it has recorded what was said
        return reply({"error": {"code": "elsewhere", "message": str(error), "recorded": True}}, 409)


def _judge(visit: Visit, body: DeskOnly) -> Member:
    """Whoever judges; not a person who has signed in meanwhile in the browser of another, whose page is still open."""
    if body.member not in (None, visit.judge.number):
        raise NotSigned("another person has signed in in this browser; load the page again, or open your own link")
    return visit.judge


def _times(body: Skip) -> Mapping[str, float | None]:
    return {"seconds": body.seconds, "paused": body.paused, "idle": body.idle}


@router.post("/next", response_model=OfferReply, operation_id="next_question", summary="What is to be judged next")
def next_question(visit: Judging, body: Next) -> Response:
    return _offered(visit, visit.office.work.next(_judge(visit, body), desk=body.desk, take=body.take))


@router.post("/answers", response_model=OfferReply, operation_id="answer", summary="Answer a question, and get the next")
def answer(visit: Judging, body: Answer) -> Response:
    """The same answer with the same token may be sent again: it is recorded once."""
    judge, work = _judge(visit, body), visit.office.work
    return _said(visit, lambda: work.answer(judge, body.task, body.token, body.answer, **_times(body), desk=body.desk))


@router.post("/skips", response_model=OfferReply, operation_id="skip", summary="Set a question aside, and get the next")
def skip(visit: Judging, body: Skip) -> Response:
    judge, work = _judge(visit, body), visit.office.work
    return _said(visit, lambda: work.skip(judge, body.task, body.token, **_times(body), desk=body.desk))


@router.post("/undo", response_model=OfferReply, operation_id="undo", summary="Take back your last answer or skip")
def undo(visit: Judging, body: Undo) -> Response:
    return _offered(visit, visit.office.work.undo(_judge(visit, body), key=body.key, desk=body.desk))


@router.post("/redo", response_model=OfferReply, operation_id="redo", summary="Take back your last undo")
def redo(visit: Judging, body: Undo) -> Response:
    return _offered(visit, visit.office.work.redo(_judge(visit, body), key=body.key, desk=body.desk))


@router.get(
    "/ahead",
    response_model=dict[str, QuestionReply | None],
    operation_id="look_ahead",
    summary="What would come next after each answer",
)
def look_ahead(
    visit: Judging,
    task: Annotated[int, Query(ge=0, lt=2**31)],
    token: Annotated[str, Query(min_length=1, max_length=200)],
) -> Response:
    """So that the next pair can be loaded while this one is judged. Empty where it cannot be told cheaply."""
    ahead = visit.office.work.ahead(visit.judge, task, token)
    return reply({answer: None if put is None else question_json(visit.number, put) for answer, put in ahead.items()})


@router.post("/release", status_code=204, operation_id="release", summary="Give back the open question: the tab was closed")
def release(visit: Judging, body: DeskOnly) -> Response:
    visit.office.work.release(_judge(visit, body), body.desk)
    return Response(status_code=204)


@router.get("/guide", response_model=Guide, operation_id="guide", summary="The instructions, and what may be answered")
def guide(visit: Judging) -> Response:
    return reply(guide_json(visit))
