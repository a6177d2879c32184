"""What is checked before a request is looked at, and what is said with every answer: one ASGI middleware, the Guard."""

from __future__ import annotations

import logging
import re
import time
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podium.server.callers import COOKIE, address_of, caller_of, credential_of
from podium.server.problems import CODES, NotSigned, Problem, TooLarge, TooMany, Unsupported, logged_path, problem_response, unexpected
from podium.server.rates import Limits, Rates

__all__ = ["PAGE_POLICY", "Guard", "host_of", "origin_of"]

ACCESS = logging.getLogger("podium.access")

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # links hold secrets
    "cache-control": "no-store",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-dns-prefetch-control": "off",
    "x-frame-options": "DENY",
}
_SAFE = {"GET", "HEAD", "OPTIONS"}
_HOST = re.compile(r"(?:([A-Za-z0-9._-]+)|\[([0-9A-Fa-f:.]+)\])(?::[0-9]{1,5})?")
_LARGE = re.compile(r"/api/v1/projects/([0-9]{1,10})/(queries|files)")  # where much may be sent, by those who lead the project


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, as browsers write an origin.

    >>> origin_of("https://Labels.example:443/team/"), origin_of("http://127.0.0.1:8070")
    ('https://labels.example', 'http://127.0.0.1:8070')
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{host}" + ("" if parts.port in (None, usual) else f":{parts.port}")


def host_of(url: str) -> str:
    """The host of a URL, without the port."""
    return (urlsplit(url).hostname or "").lower()


class Guard:
    """Refuses strange hosts, cross-site requests, bodies that are too large and callers who ask too often; adds the headers."""

    def __init__(self, app: ASGIApp, *, public_url: str, hosts: frozenset[str], limits: Limits, rates: Rates) -> None:
        self._app, self._hosts, self._limits, self._rates = app, hosts, limits, rates
        self._origin = origin_of(public_url) if public_url else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun, status
            if message["type"] == "http.response.start":
                has_begun, status = True, message["status"]
                _add_headers(message)
            await send(message)

        request = Request(scope, receive)
        try:
            self._check(request)
            limit = await self._body_limit(request)
            inner = {**scope, "method": "GET"} if request.method == "HEAD" else scope  # the server sends no body
            await self._app(inner, _limited(receive, limit), send_guarded)
        except Problem as problem:
            if has_begun:
                raise
            answer = problem_response(request, problem.status_code, CODES[problem.status_code], str(problem.detail), problem.headers)
            await answer(scope, receive, send_guarded)
        except Exception as error:
            answer = unexpected(request, error)
            if has_begun:
                raise
            await answer(scope, receive, send_guarded)
        finally:
            if ACCESS.isEnabledFor(logging.INFO):
                spent = 1000 * (time.perf_counter() - started)
                ACCESS.info("%s %s %s %d %.1f ms", address_of(request), request.method, logged_path(scope["path"]), status, spent)

    def _check(self, request: Request) -> None:
        headers = request.headers
        self._check_host(headers.get("host", ""))
        self._check_rate(request)
        if request.method not in _SAFE:
            self._check_origin(request)
            _check_type(request)

    def _check_host(self, host: str) -> None:
        name = _host_name(host)
        if not name or ("*" not in self._hosts and name not in self._hosts):
            raise Problem("this server does not answer to that host name; its owner can allow it with --allow-host")

    def _check_rate(self, request: Request) -> None:
        if request.url.path.startswith("/static/"):  # a class that opens its links at the same moment comes from one address
            return
        if (seconds := self._rates.ask(credential_of(request), address_of(request))) > 0:
            raise TooMany("you ask too often", seconds)

    def _check_origin(self, request: Request) -> None:
        """Refuse what another site makes a browser send. A token is never sent by a browser on its own."""
        headers = request.headers
        if "authorization" in headers:
            return
        if (site := headers.get("sec-fetch-site")) is not None:
            is_ours = site in ("same-origin", "none")
        elif (source := headers.get("origin") or headers.get("referer")) is not None:
            ours = self._origin or _safe_origin(f"{request.url.scheme}://{headers.get('host', '')}")
            is_ours = bool(ours) and _safe_origin(source) == ours
        else:
            is_ours = COOKIE not in request.cookies
        if not is_ours:
            raise CrossSite("this request comes from another site, and is refused")

    async def _body_limit(self, request: Request) -> int:
        """How many bytes the body may have. Only who leads the project may send much, and we look who it is before we read."""
        limit = self._limits.body
        length = request.headers.get("content-length", "")
        is_long = not (length.isascii() and length.isdigit() and int(length[:20]) <= limit)
        project, larger = self._larger_limit(request)
        if larger > limit and (is_long or not length) and await run_in_threadpool(_leads, request, project):
            limit = larger
        if length.isascii() and length.isdigit() and int(length[:20]) > limit:
            raise TooLarge(_too_large(limit))
        return limit

    def _larger_limit(self, request: Request) -> tuple[int, int]:
        """The project of the path, and how much those who lead it may send there; nothing twice for other paths."""
        found = _LARGE.fullmatch(request.url.path) if request.method == "POST" else None
        return (0, 0) if found is None else (int(found[1]), self._limits.queries if found[2] == "queries" else self._limits.upload)


class CrossSite(Problem):
    status = 403


def _safe_origin(url: str) -> str:
    """The origin of a URL; nothing for what is no URL, or has no host."""
    try:
        return origin_of(url) if host_of(url) else ""
    except ValueError:
        return ""


def _host_name(host: str) -> str:
    """The name in a Host header, without the port; nothing if it is none."""
    found = _HOST.fullmatch(host)
    return "" if found is None else (found[1] or found[2]).lower()


def _leads(request: Request, project: int) -> bool:
    try:
        caller = caller_of(request)
    except NotSigned:
        return False
    return caller is not None and caller.role_in(project) == "admin"


def _check_type(request: Request) -> None:
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    wanted = "multipart/form-data" if request.url.path.endswith("/files") else "application/json"
    if kind != wanted:
        raise Unsupported(f"the body must be {wanted}, got {kind[:60] or 'no content type'!r}")


def _too_large(limit: int) -> str:
    return f"the body is too large: at most {limit / 1e6:g} MB are taken here"


def _limited(receive: Receive, limit: int) -> Receive:
    """``receive``, until more than ``limit`` bytes have come; whatever the headers said."""
    seen = 0

    async def receive_limited() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                raise TooLarge(_too_large(limit))
        return message

    return receive_limited


def _add_headers(message: Message) -> None:
    headers = MutableHeaders(raw=message["headers"])
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
