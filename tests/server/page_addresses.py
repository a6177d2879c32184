"""Every page of the server, and who may open it. Tests compare the table with the routes, so that a new page cannot be forgotten."""

from __future__ import annotations

import re
from importlib import import_module

from podium.server.pages import PAGES

__all__ = ["OPENS", "address", "routed"]

_LEADING, _LOOKING, _SIGNED, _EVERYBODY = (
    {"admin"},
    {"admin", "viewer"},
    {"admin", "viewer", "judge"},
    {"admin", "viewer", "judge", "nobody"},
)
OPENS = {  # a page -> who may open it: nobody is whoever is not signed in
    "/": _EVERYBODY,
    "/join/{secret}": _EVERYBODY,
    "/projects/new": _LEADING,
    "/projects/{project}": _LOOKING,
    "/projects/{project}/queries": _LOOKING,
    "/projects/{project}/people": _LOOKING,
    "/projects/{project}/review": _LOOKING,
    "/projects/{project}/review/{task}/{event}": _LOOKING,
    "/projects/{project}/gold": _LEADING,
    "/projects/{project}/report": _LOOKING,
    "/projects/{project}/settings": _LOOKING,
    "/projects/{project}/judge": {"judge"},
    "/people": _LEADING,
    "/tokens": _LEADING,
    "/audit": _LEADING,
    "/api": _SIGNED,
}
PARTS = {"/projects/new/check", "/report.css"}  # which pages ask for, and which are no pages


def routed() -> set[str]:
    """The addresses that the modules of pages answer."""
    routers = [import_module(f"podium.server.pages.{name}").router for name in PAGES]
    return {route.path for router in routers for route in router.routes} - PARTS


def address(path: str, **values: object) -> str:
    """A page's address with its parameters filled in."""
    return re.sub(r"{(\w+)}", lambda found: str(values[found[1]]), path)
