"""The page where people judge. It holds the frame and the guidelines; the questions come by the API."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.projects.facts import Project
from podium.server.callers import Judging
from podium.server.pages.rendering import render

__all__ = ["IDLE_SECONDS", "router"]

IDLE_SECONDS = 60  # without a movement, after which the page asks whether somebody is there

_PAIR_KEYS = (
    (("←", "1"), "document 1 is better"),
    (("→", "2"), "document 2 is better"),
    (("↓",), "a tie: neither is better"),
    (("B",), "both are bad"),
)
_GRADE_KEYS = ((("1", "2", "…"), "give the first, second, … grade, from the worst to the best"),)
_OTHER_KEYS = (
    (("U",), "take the last answer back"),
    (("Shift+U",), "let it count again"),
    (("S",), "skip: the question comes back later"),
    (("P",), "pause, and go on"),
    (("G",), "the guidelines"),
    (("?",), "this help"),
    (("J", "K"), "scroll down, up; with Shift in document 2"),
)

router = APIRouter()


@router.get("/projects/{project}/judge", response_class=HTMLResponse)
def judge(request: Request, visit: Judging) -> HTMLResponse:
    """T1 and T2: which of two documents is better, or what grade a document deserves."""
    return render(request, "judge.html", project=visit.project, member=visit.judge, idle_seconds=IDLE_SECONDS, keys=_keys_of(visit.project))


def _keys_of(project: Project) -> list[tuple[tuple[str, ...], str]]:
    """What the help lists: the keys of the answers that this project offers, then the others."""
    settings = project.settings
    is_offered = {"↓": settings.ties, "B": settings.both_bad}
    pairs = [row for row in _PAIR_KEYS if is_offered.get(row[0][0], True)]
    has = {"pairs": settings.tool == "pairs" or project.is_study, "grades": settings.tool == "grades" or project.is_study}
    return [*(pairs if has["pairs"] else ()), *(_GRADE_KEYS if has["grades"] else ()), *_OTHER_KEYS]
