"""Pages on which judgments are looked at and corrected, and gold questions are chosen."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.errors import DataError
from podium.labelling.questions import ANSWERS
from podium.projects.facts import Project
from podium.projects.putting import answers_offered
from podium.server.callers import Leading, Number, Viewing, Visit
from podium.server.pages.layout import project_page
from podium.server.pages.projects import PageNumber, Paging
from podium.server.problems import NotFound

__all__ = ["Filters", "router"]

router = APIRouter()
PER_PAGE = 50
TITLES = {"left": "Left is better", "right": "Right is better", "tie": "Tie", "bad": "Both bad"}
_CORRECTED = {"yes": True, "no": False}
Text = Annotated[str, Query(max_length=500)]


class Filters(NamedTuple):
    """Which judgments are wanted; what is empty does not matter."""

    query_id: str
    assessor: str
    tool: str
    answer: str
    corrected: str
    page: int

    @property
    def kept(self) -> dict[str, str]:
        """Those that say something, as parameters of an address."""
        return {name: value for name, value in self._asdict().items() if name != "page" and value}

    @property
    def wanted(self) -> dict[str, Any]:
        """Those that say something, as :class:`podium.projects.review.Review` takes them."""
        kept: dict[str, Any] = self.kept
        corrected = kept.pop("corrected", None)
        return kept if corrected is None else {**kept, "is_corrected": _CORRECTED[corrected]}

    def address(self, path: str, page: int) -> str:
        parameters = {**self.kept, **({"page": page} if page > 1 else {})}
        return f"{path}?{urlencode(parameters)}" if parameters else path


def filters(
    query_id: Text = "", assessor: Text = "", tool: Literal["pairs", "grades", ""] = "", answer: Text = "",
    corrected: Literal["yes", "no", ""] = "", page: PageNumber = 1,
) -> Filters:  # fmt: skip
    return Filters(query_id.strip(), assessor, tool, answer, corrected, page)


Wanted = Annotated[Filters, Depends(filters)]


def answers_of(project: Project) -> list[str]:
    """Everything that may be said in a project."""
    tools = ("pairs", "grades") if project.is_study else (project.settings.tool,)
    return [answer for tool in tools for answer in answers_offered(project.settings, tool)]


@router.get("/projects/{project}/review")
def review(request: Request, visit: Viewing, wanted: Wanted) -> HTMLResponse:
    """Judgments, newest first."""
    number, office = visit.project.number, visit.office
    found = office.review.judgments(number, **wanted.wanted, page=wanted.page, most=PER_PAGE)
    return project_page(
        request, visit, "review.html", "review", rows=found.rows, chosen=wanted, corrected=wanted.corrected, is_filtered=bool(wanted.kept),
        kept=wanted.address("", wanted.page), answers=answers_of(visit.project), queries=office.projects.queries(number),
        names=[member for member in office.projects.members(number) if member.name and member.role == "judge"],
        paging=Paging.of(f"/projects/{number}/review", wanted.page, found.total, PER_PAGE, **wanted.kept),
    )  # fmt: skip


@router.get("/projects/{project}/review/{task}/{event}")
def judgment(request: Request, visit: Viewing, wanted: Wanted, task: Number, event: Number) -> HTMLResponse:
    """One judgment with what was judged; its neighbours are those of the list from which it was opened."""
    try:
        detail = visit.office.review.judgment(visit.project.number, task, event)
    except DataError:
        raise NotFound("there is no such judgment in this project") from None
    newer, older = _neighbours(visit, wanted, task, event)
    return project_page(
        request, visit, "judgment.html", "review", judgment=detail.judgment, query=detail.query, description=detail.description,
        left=detail.left, right=detail.right, history=detail.history, reopened=detail.reopened, titles=TITLES, answers=detail.answers,
        kept=wanted.address("", wanted.page), earlier=newer, later=older,
    )  # fmt: skip


def _neighbours(visit: Visit, wanted: Filters, task: int, event: int) -> tuple[str | None, str | None]:
    """The addresses of the judgments before and after this one, which may stand on the next page by now, as new ones come in at the top."""
    here = f"/projects/{visit.project.number}/review"

    def rows(page: int) -> list[tuple[int, int, int]]:
        if page < 1:
            return []
        found = visit.office.review.judgments(visit.project.number, **wanted.wanted, page=page, most=PER_PAGE)
        return [(page, row.task, row.event) for row in found.rows]

    near = [*rows(wanted.page - 1)[-1:], *rows(wanted.page), *rows(wanted.page + 1)]
    place = next((place for place, (_, *which) in enumerate(near) if which == [task, event]), None)
    if place is None:
        return None, None

    def address(place: int) -> str | None:
        if not 0 <= place < len(near):
            return None
        page, task, event = near[place]
        return wanted.address(f"{here}/{task}/{event}", page)

    return address(place - 1), address(place + 1)


@router.get("/projects/{project}/gold")
def gold(request: Request, visit: Leading, query: Annotated[str | None, Query(max_length=500)] = None) -> HTMLResponse:
    """The gold questions, how they were answered, and a form to add one."""
    number, office = visit.project.number, visit.office
    try:
        pool = None if query is None else office.projects.pool(number, query)
    except DataError:
        raise NotFound(f"the project has no query {query!r}") from None
    tool = "pairs" if visit.project.is_study else visit.project.settings.tool
    return project_page(
        request, visit, "gold.html", "gold", questions=office.gold.all(number), scores=office.gold.scores(number), titles=TITLES, pool=pool,
        queries=office.projects.queries(number), answers=answers_offered(visit.project.settings, tool),
    )  # fmt: skip


assert set(TITLES) == set(ANSWERS)
