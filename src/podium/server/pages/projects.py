"""Pages of a project for those who lead it or look on: a new one, its dashboard, its queries, its settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from podium.errors import DataError
from podium.labelling.assignment import check_assignment, explain
from podium.labelling.table import STRATEGIES
from podium.projects.facts import OVERLAPS, STATES, TOOLS, Project, ProjectSettings, ProjectTask
from podium.projects.progress import progress_of
from podium.server.callers import Admin, Viewing, Visit
from podium.server.pages import words
from podium.server.pages.layout import project_page
from podium.server.pages.rendering import render
from podium.server.problems import NotFound
from podium.sources.pools import POOL_FORMATS

__all__ = ["PageNumber", "Paging", "next_steps", "router"]

router = APIRouter()
MOST_ROWS = 200  # queries on the dashboard; the list of queries has all
PER_PAGE = 50
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
LARGEST_STUDY = 1000  # assessors, folds or rounds, as the API takes them; to tell what is possible takes time


class Paging(NamedTuple):
    """Where a page of a list stands, with the addresses of its neighbours."""

    page: int
    pages: int
    total: int
    earlier: str | None
    later: str | None

    @classmethod
    def of(cls, path: str, page: int, total: int, most: int, **kept: object) -> Paging:
        """The paging of a list with ``total`` rows; ``kept`` are further parameters of its address.

        >>> Paging.of("/x", 2, 101, 50, answer="tie")
        Paging(page=2, pages=3, total=101, earlier='/x?answer=tie&page=1', later='/x?answer=tie&page=3')
        """
        pages = max(1, -(-total // most))

        def address(number: int) -> str | None:
            return f"{path}?{urlencode({**kept, 'page': number})}" if 1 <= number <= pages else None

        return cls(page, pages, total, address(page - 1), address(page + 1))


@router.get("/projects/new")
def new_project(request: Request, caller: Admin) -> HTMLResponse:
    strategies = {name: entry for name, entry in STRATEGIES.items() if not entry.asks_grades}
    return render(
        request, "new_project.html", formats=POOL_FORMATS, strategies=strategies, overlaps=OVERLAPS, defaults=ProjectSettings()
    )  # fmt: skip


@router.get("/projects/new/check")
def check_study(caller: Admin, assessors: int = 0, folds: int = 0, rounds: int = 0) -> Response:
    """Whether there is an assignment of these sizes, in words; asked while they are typed."""
    if max(assessors, folds, rounds) > LARGEST_STUDY:
        return JSONResponse({"is_possible": False, "text": f"There is no such assignment: no number may be above {LARGEST_STUDY:,}."})
    try:
        check_assignment(assessors, folds, rounds)
    except DataError as error:
        return JSONResponse({"is_possible": False, "text": f"There is no such assignment: {error}."})
    return JSONResponse({"is_possible": True, "text": explain(assessors, folds, rounds)})


class Step(NamedTuple):
    """Something to be done, and where."""

    text: str
    link: str
    address: str


def next_steps(project: Project, progress: Mapping[str, Any], n_gold: int) -> list[Step]:
    """What whoever leads a project should do next."""
    here = f"/projects/{project.number}"
    judges = [member for member in progress["members"] if member["role"] == "judge" and member["kind"] == "person"]
    seats = sum(not member["name"] for member in judges)
    if project.state != "open":
        return [Step(f"The project is {project.state}.", "See the report and the exports", f"{here}/report")]
    if not progress["queries"]:
        return [Step("There is nothing to judge yet.", "Add queries", f"{here}/queries")]
    if progress["tasks"] == progress["tasks_finished"]:
        return [
            Step("Everything is judged.", "See the report and the exports", f"{here}/report"),
            Step("Nothing is left to do.", "Close the project", f"{here}/settings"),
        ]
    steps = []
    if seats:
        steps.append(
            Step(f"{words.many(seats, 'seat')} of the study {'is' if seats == 1 else 'are'} free.", "Invite assessors", f"{here}/people")
        )
    elif not judges:
        steps.append(Step("Nobody judges yet.", "Invite assessors", f"{here}/people"))
    elif (lacking := project.settings.overlap - sum(member["is_active"] for member in judges)) > 0 and not project.is_study:
        wanted = "votes a question" if project.settings.overlap_by == "votes" else "copies of each query"
        more = "one more assessor" if lacking == 1 else f"{lacking} more assessors"
        steps.append(Step(f"{project.settings.overlap} {wanted} need {more}.", "Invite assessors", f"{here}/people"))
    if project.settings.gold_every and not n_gold:
        steps.append(Step("Gold questions are wanted, but there are none.", "Choose some", f"{here}/gold"))
    if not project.settings.instructions:
        steps.append(Step("Assessors have no instructions.", "Write them", f"{here}/settings"))
    return steps


@router.get("/projects/{project}")
def dashboard(request: Request, visit: Viewing) -> HTMLResponse:
    """How far everything is; dashboard.js keeps it so."""
    progress = progress_of(visit.office.store, visit.project)
    may_lead = visit.caller.role_in(visit.project.number) == "admin"
    steps = next_steps(visit.project, progress, len(visit.office.gold.all(visit.project.number))) if may_lead else []
    judges = [member for member in progress["members"] if member["role"] == "judge"]
    rows = progress["queries_table"][:MOST_ROWS]
    begun = _begun(visit, progress) if may_lead else []
    return project_page(
        request, visit, "dashboard.html", "overview", progress=progress, steps=steps, judges=judges, rows=rows, begun=begun
    )  # fmt: skip


def _begun(visit: Visit, progress: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tasks that one person has begun and not finished, which somebody else could judge anew; those of who left first."""
    people = {member["member"]: member for member in progress["members"] if member["kind"] == "person"}
    begun = [
        {**task, "query_id": row["query_id"], "has_left": not people[task["member"]]["is_active"]}
        for row in progress["queries_table"]
        for task in row["tasks"]
        if task["member"] in people and task["judgments"] and not task["is_finished"]
    ]
    if visit.project.is_study:  # a seat goes to another with all that is in it
        begun = [task for task in begun if task["has_left"]]
    return sorted(begun, key=lambda task: not task["has_left"])[:MOST_ROWS]


@router.get("/projects/{project}/queries")
def queries(
    request: Request, visit: Viewing, query: Annotated[str | None, Query(max_length=500)] = None, page: PageNumber = 1
) -> HTMLResponse:
    """All queries, or one with its documents; and files to add more."""
    values = {"formats": POOL_FORMATS, **_may_add(visit)}
    if query is not None:
        try:
            pool = visit.office.projects.pool(visit.project.number, query)
        except DataError:
            raise NotFound(f"the project has no query {query!r}") from None
        return project_page(request, visit, "queries.html", "queries", pool=pool, **values)
    ids = visit.office.projects.queries(visit.project.number)
    shown = ids[(page - 1) * PER_PAGE : page * PER_PAGE]
    paging = Paging.of(f"/projects/{visit.project.number}/queries", page, len(ids), PER_PAGE)
    rows = _query_rows(visit, shown)
    return project_page(request, visit, "queries.html", "queries", pool=None, rows=rows, total=len(ids), paging=paging, **values)


def _may_add(visit: Visit) -> dict[str, Any]:
    project = visit.project
    if project.state == "archived":
        return {"may_add": False, "why_not": "An archived project takes no further queries."}
    if project.is_study and project.n_queries:
        return {
            "may_add": False,
            "why_not": "A study takes all its queries at once, as they are dealt to its assessors.",
        }
    return {"may_add": True, "why_not": ""}


def _query_rows(visit: Visit, ids: Sequence[str]) -> list[dict[str, Any]]:
    tasks: dict[str, list[ProjectTask]] = defaultdict(list)
    for task in visit.office.projects.tasks(visit.project.number):
        tasks[task.query_id].append(task)
    rows = []
    for query_id in ids:
        pool, own = visit.office.projects.pool(visit.project.number, query_id), tasks[query_id]
        rows.append({
            "query_id": query_id, "query": pool.query, "documents": len(pool.documents), "judgments": sum(task.judgments for task in own),
            "tasks": len(own), "finished": sum(task.is_finished for task in own),
        })  # fmt: skip
    return rows


class Move(NamedTuple):
    """A change of state that is offered."""

    state: str
    title: str
    said: str
    confirm: str = ""
    text: str = ""


_CLOSE = Move(
    "closed", "Close", "The project is closed.", "Close this project?", "Nobody can judge in it until you open it again. Nothing is lost."
)
_OPEN = Move("open", "Open again", "The project is open.")
_ARCHIVE = Move(
    "archived", "Archive", "The project is archived.", "Archive this project?", "Lists leave it out. You can bring it back, with all in it."
)
_BRING_BACK = Move("closed", "Bring back", "The project is back among the others, and closed.")
MOVES = {"open": (_CLOSE,), "closed": (_OPEN, _ARCHIVE), "archived": (_BRING_BACK,)}


@router.get("/projects/{project}/settings")
def settings(request: Request, visit: Viewing) -> HTMLResponse:
    return project_page(request, visit, "settings.html", "settings", tools=TOOLS, states=STATES, moves=MOVES[visit.project.state])
