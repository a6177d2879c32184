"""Scripts, styles and pictures of the package, by name. Only files that lie in the folder itself are served."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from podium.server.problems import NotFound

__all__ = ["address_of", "router"]

FOLDER = Path(__file__).with_name("static")
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.[a-z0-9]+")

router = APIRouter(include_in_schema=False)


class _File(NamedTuple):
    content: bytes
    tag: str


@lru_cache(maxsize=256)
def _read(path: Path, changed_at: int) -> _File:
    content = path.read_bytes()
    return _File(content, hashlib.sha256(content).hexdigest()[:20])


def _file(name: str) -> _File:
    path = FOLDER / name
    if not _NAME.fullmatch(name) or path.suffix not in TYPES or not path.is_file():
        raise NotFound("there is no such file")
    return _read(path, path.stat().st_mtime_ns)


def address_of(name: str) -> str:
    """Where a static file is to be had; the address changes with the content, so that it may be kept for ever."""
    return f"/static/{name}?v={_file(name).tag}"


@router.get("/static/{name}")
def static(request: Request, name: str) -> Response:
    file = _file(name)
    is_versioned = request.query_params.get("v") == file.tag
    headers = {"ETag": f'"{file.tag}"', "Cache-Control": "public, max-age=31536000, immutable" if is_versioned else "no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=TYPES[Path(name).suffix], headers=headers)
