"""What handlers share: JSON bytes that are ready, files to keep, the errors as the schema tells of them, and a check of tokens."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from podium.projects.facts import NotAllowed
from podium.projects.rights import Caller
from podium.server.given import ErrorReply

__all__ = ["PROBLEMS", "attachment", "check_session", "file_of", "link_to", "reply"]

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": meaning}
    for status, meaning in {
        400: "The request cannot be understood.",
        401: "Nobody is signed in, or the token is not valid.",
        403: "You may not do this.",
        404: "There is no such thing, or it is not yours.",
        409: "It does not go with what is there: `conflict`, `elsewhere` (another tab judges) or `closed`.",
        410: "The link is not valid any more.",
        413: "The body is too large.",
        415: "The body is not of the right type.",
        422: "A value is not as it must be; the message says which.",
        429: "Too often; `Retry-After` says when to try again.",
        500: "A mistake of the server; the message holds the id under which its log tells more.",
    }.items()
}


def reply(value: Any, status: int = 200) -> Response:
    """A value as JSON. Not checked against its shape on the way out: tests do that."""
    return Response(json.dumps(value, separators=(",", ":"), allow_nan=False), status, media_type="application/json")


def file_of(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """How the schema tells of an answer that is a file."""
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in media_types}
    return {200: {"description": "The file.", "content": content}}


def attachment(name: str, content: bytes, media_type: str) -> Response:
    """A file to keep, by any name: what a header cannot hold is quoted, as RFC 6266 says."""
    plain = "".join(letter if letter.isascii() and letter.isprintable() and letter not in '"\\/%;' else "_" for letter in name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name.encode('utf-8', 'replace'), safe='')}"
    return Response(content, media_type=media_type, headers={"Content-Disposition": disposition})


def check_session(caller: Caller, act: str) -> None:
    """Refuse a token what would outlive it: a token must not become more than it is."""
    if caller.secret.kind == "token":
        raise NotAllowed(f"a token cannot {act}; sign in with a link of your own")


def link_to(request: Request, secret: str) -> str:
    """The link that a secret is handed out as."""
    home = request.app.state.public_url or f"{request.url.scheme}://{request.url.netloc}"
    return f"{home}/join/{secret}"
