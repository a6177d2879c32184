"""Templates as pages. What a template is given is escaped; nothing is marked safe but what our own code wrote."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.server.static_files import address_of
from podium.version import __version__

__all__ = ["render"]


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("podium.server"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(version=__version__, static=address_of)
    return environment


def render(request: Request, template: str, /, *, status: int = 200, **values: Any) -> HTMLResponse:
    """The page that a template makes of ``values``.

    Every template also has ``caller`` (a Caller, or None if nobody is signed in), ``path`` of the request, ``version``, and
    ``static("podium.css")``, the address of a static file.
    """
    given = {"caller": getattr(request.state, "caller", None), "path": request.url.path, **values}
    return HTMLResponse(_templates().get_template(template).render(given), status_code=status)
