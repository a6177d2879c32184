"""Errors as those who ask see them: one JSON shape for the API, one page for people. No trace leaves the server."""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match

from podium.errors import FileError, PodiumError
from podium.projects.facts import Closed, Conflict, Elsewhere, NotAllowed

__all__ = [
    "CODES", "Gone", "NotFound", "NotSigned", "Problem", "TooLarge", "TooMany", "Unsupported", "handle_problems", "logged_path",
    "problem_response", "unexpected",
]  # fmt: skip

LOG = logging.getLogger("podium.server")

CODES = {  # what is said of a status, if nothing closer is known
    400: "invalid",
    401: "unauthorised",
    403: "not_allowed",
    404: "not_found",
    405: "not_found",
    409: "conflict",
    410: "gone",
    413: "too_large",
    415: "unsupported",
    422: "invalid",
    429: "too_many",
    500: "internal",
}
_MEANINGS = {404: "there is nothing at this address", 405: "this address does not take that method"}


class Problem(HTTPException):
    """A refusal with its status. An HTTPException, so that whoever reads a body lets it pass."""

    status = 400

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(self.status, message, headers)


class NotSigned(Problem):
    status = 401


class NotFound(Problem):
    status = 404


class Gone(Problem):
    status = 410


class TooLarge(Problem):
    status = 413


class Unsupported(Problem):
    status = 415


class TooMany(Problem):
    status = 429

    def __init__(self, message: str, seconds: float) -> None:
        wait = max(1, math.ceil(seconds))
        super().__init__(f"{message}; try again in {wait} s", {"Retry-After": str(wait)})


_KINDS: Sequence[tuple[type[PodiumError], int, str]] = (  # the first that fits
    (NotAllowed, 403, "not_allowed"),
    (Elsewhere, 409, "elsewhere"),
    (Closed, 409, "closed"),
    (Conflict, 409, "conflict"),
    (PodiumError, 422, "invalid"),
)


def handle_problems(app: FastAPI) -> None:
    """Let the application answer errors."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(PodiumError, _podium)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = error.detail if isinstance(error, Problem) else _MEANINGS.get(error.status_code, str(error.detail))
    headers = {"Allow": _methods_of(request)} if error.status_code == 405 else error.headers
    return problem_response(request, error.status_code, CODES.get(error.status_code, "invalid"), message, headers)


def _methods_of(request: Request) -> str:
    """The methods that the address of a request takes. The framework tells only those of the first route that has it."""
    routes = request.app.router.routes
    known = [
        method
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return ", ".join(["HEAD"] * ("GET" in known) + known)


async def _podium(request: Request, error: Exception) -> Response:
    assert isinstance(error, PodiumError)
    if isinstance(error, FileError) and error.path == request.app.state.office.store.where:
        return unexpected(request, error)  # the database is locked, full or gone: nothing that the caller did
    status, code = next((status, code) for kind, status, code in _KINDS if isinstance(error, kind))
    return problem_response(request, status, code, str(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if not _is_api(request):  # an address of a page that names no such thing
        return problem_response(request, 404, "not_found", _MEANINGS[404])
    return problem_response(request, 422, "invalid", "; ".join(_told(each) for each in error.errors()[:3]))


def _told(error: Mapping[str, Any]) -> str:
    place = ".".join(str(part) for part in error["loc"][1:] if not isinstance(part, str) or len(part) <= 60)
    return f"{place or error['loc'][0]}: {error['msg'].removeprefix('Value error, ')}"


def unexpected(request: Request, error: BaseException) -> Response:
    """What is not the caller's fault: the log has the trace and an id, the caller gets the id."""
    name = secrets.token_hex(6)
    LOG.error("error %s at %s %s", name, request.method, logged_path(request.url.path), exc_info=error)
    return problem_response(request, 500, "internal", f"something went wrong on the server; its log calls it {name}")


def logged_path(path: str) -> str:
    r"""A path as it may be logged: without the secret of a link, and on one line.

    >>> logged_path("/join/pdm_i_abc"), logged_path("/x\n/y")
    ('/join/…', '/x\\n/y')
    """
    path = "/join/…" if path.startswith("/join/") else path
    return path if path.isprintable() else repr(path)[1:-1]


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def problem_response(request: Request, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """The error as JSON, or as a page for those who look at pages."""
    message = " ".join(message.encode("utf-8", "replace").decode().split())
    if not _is_api(request):
        return _page(request, status, message, headers)
    return JSONResponse({"error": {"code": code, "message": message}}, status, dict(headers or {}))


def _page(request: Request, status: int, message: str, headers: Mapping[str, str] | None) -> HTMLResponse:
    from jinja2 import TemplateNotFound

    from podium.server.pages.rendering import render

    try:
        page = render(request, "error.html", status=status, code=status, message=message)
    except TemplateNotFound:
        page = render(request, "plain_error.html", status=status, code=status, message=message)
    page.headers.update(headers or {})
    return page
