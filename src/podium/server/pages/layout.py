"""What the pages of a project have in common: its name, its tabs, and what its reader may do."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.server.callers import Visit
from podium.server.pages import words
from podium.server.pages.rendering import render

__all__ = ["TABS", "project_page"]

TABS = {  # of a project: what it is called, the end of its address, and whether it is for admins only
    "overview": ("Overview", "", False),
    "queries": ("Queries", "/queries", False),
    "people": ("People", "/people", False),
    "review": ("Review", "/review", False),
    "gold": ("Gold", "/gold", True),
    "report": ("Report", "/report", False),
    "settings": ("Settings", "/settings", False),
}


def project_page(request: Request, visit: Visit, name: str, tab: str, **values: Any) -> HTMLResponse:
    """A page of a project; viewers see it without the forms."""
    may_lead = visit.caller.role_in(visit.project.number) == "admin"
    tabs = [
        {"name": title, "address": f"/projects/{visit.project.number}{end}", "is_current": key == tab}
        for key, (title, end, is_for_admins) in TABS.items()
        if may_lead or not is_for_admins
    ]
    is_judge = visit.member is not None and visit.member.role == "judge"
    here = f"/projects/{visit.project.number}"
    return render(
        request,
        name,
        words=words,
        project=visit.project,
        tabs=tabs,
        may_lead=may_lead,
        is_judge=is_judge,
        here=here,
        api=f"/api/v1{here}",
        **values,
    )
