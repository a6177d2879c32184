"""The application: routes, checks and errors, put together over an office."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI

from podium.projects.office import Office
from podium.server import api, pages, static_files
from podium.server.documents import Frames
from podium.server.documents import router as frames
from podium.server.problems import handle_problems
from podium.server.rates import Limits, Rates
from podium.server.security import Guard, host_of
from podium.version import __version__

__all__ = ["make_app"]

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}  # paths of links hold secrets


def make_app(
    office: Office, *, public_url: str = "", limits: Limits | None = None, allow_hosts: Iterable[str] = (), lifespan: Any = None
) -> FastAPI:
    """The server's application, for any ASGI server.

    ``public_url`` is where people reach it: links begin with it, and cookies are for https only if it is. Requests for other hosts than
    its own, this machine and ``allow_hosts`` are refused. ``lifespan`` is Starlette's: what is done at its beginning and end.
    """
    limits = limits or Limits()
    app = FastAPI(
        title="Podium", version=__version__, description=api.DESCRIPTION, openapi_tags=api.TAGS, openapi_url="/api/v1/openapi.json",
        docs_url=None, redoc_url=None, redirect_slashes=False, telemetry=_NO_TELEMETRY, lifespan=lifespan,
    )  # fmt: skip
    app.state.office, app.state.public_url, app.state.limits, app.state.rates = office, public_url.rstrip("/"), limits, Rates(limits)
    app.state.frames = Frames()
    handle_problems(app)
    app.include_router(api.router)
    app.include_router(frames)
    app.include_router(static_files.router)
    for name in pages.PAGES:
        module = f"podium.server.pages.{name}"
        if find_spec(module) is not None:
            app.include_router(import_module(module).router, include_in_schema=False)
    hosts = frozenset(host.lower() for host in (*LOCAL_HOSTS, *allow_hosts, *((host_of(public_url),) if public_url else ())))
    app.add_middleware(Guard, public_url=public_url, hosts=hosts, limits=limits, rates=app.state.rates)
    return app
