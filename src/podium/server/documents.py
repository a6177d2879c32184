"""Documents that others wrote, made harmless: HTML is cleaned and served in a sandbox, addresses are checked."""

from __future__ import annotations

import hashlib
import html
import re
import threading
from collections import OrderedDict
from typing import Annotated, Any
from urllib.parse import quote, urlencode, urlsplit

import nh3
from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.errors import DataError
from podium.pool import Document
from podium.server.callers import Visit, project_for
from podium.server.problems import NotFound
from podium.server.tidying import tidied
from podium.sources.markup import html_to_text

__all__ = ["FRAME_POLICY", "LONGEST", "Frames", "clean_html", "document_json", "frame_address", "router"]

FRAME_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
LONGEST = 2_000_000  # characters of a page that is shown as it is
_IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp|avif|svg\+xml)(;[a-z0-9=-]+)*,", re.IGNORECASE)
_TAGS = nh3.ALLOWED_TAGS - {"map", "area"}
_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    "*": {"dir", "lang", "title"},
}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:1rem;color-scheme:light dark;overflow-wrap:break-word}"
    "img{max-width:100%;height:auto}table{border-collapse:collapse}a[title]{text-decoration:underline dotted}"
    "pre{white-space:pre-wrap}"
)

router = APIRouter(include_in_schema=False)


def _is_link(url: str) -> bool:
    """Whether an address in a document may be a link: http and https only.

    >>> _is_link("https://example.org/a"), _is_link("javascript:alert(1)"), _is_link("//example.org")
    (True, False, False)
    """
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable()
    except ValueError:
        return False


def _is_image(url: str) -> bool:
    """Whether an address is that of a picture which holds its own data. SVG is shown by an image element, which runs no script.

    >>> _is_image("data:image/png;base64,iVBORw0KGgo="), _is_image("data:text/html,<b>"), _is_image("https://example.org/a.png")
    (True, False, False)
    """
    return _IMAGE.match(url) is not None and url.isprintable()


def _kept(tag: str, attribute: str, value: str) -> str | None:
    """The value of an attribute, if it may stay: pictures only as data, so that nothing is fetched; of a link its address alone."""
    if tag == "a" and attribute != "href":
        return None
    if attribute == "src":
        return value if _is_image(value) else None
    return value if attribute not in ("href", "cite") or _is_link(value) else None


def clean_html(source: str) -> str | None:
    """HTML without anything that runs, loads, styles or leads away; none if it is too large to be cleaned.

    Links do not work, as a frame that is left cannot be brought back, and another site must not be opened by mistake: the address of a
    link is its title.

    >>> clean_html('<p onclick="x()">A <script>alert(1)</script><img src="https://example.org/a.png"><a href="https://example.org">b</a>')
    '<p>A <img><a title="https://example.org">b</a></p>'
    """
    tidy = tidied(source, _TAGS, _ATTRIBUTES) if len(source) <= LONGEST else None
    if tidy is None:
        return None
    clean = nh3.clean(
        tidy, tags=_TAGS, clean_content_tags={"script", "style"}, attributes=_ATTRIBUTES, attribute_filter=_kept,
        url_schemes={"http", "https", "data"}, link_rel=None, strip_comments=True,
    )  # fmt: skip
    return clean.replace('<a href="', '<a title="')  # its only attribute, see _kept


def _plain(source: str) -> str:
    """A page that is too large, as text; of a very large one the beginning."""
    how_much = "the beginning of its text" if len(source) > LONGEST else "its text"
    note = f"This page is too large to be shown as it was made. Here is {how_much}."
    return f"<p><em>{note}</em></p><pre>{html.escape(html_to_text(source[:LONGEST]))}</pre>"


def _frame(title: str, source: str) -> bytes:
    head = f'<!doctype html><html><head><meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style></head>'
    clean = clean_html(source)
    return f"{head}<body>{_plain(source) if clean is None else clean}</body></html>".encode("utf-8", "replace")


class Frames:
    """Cleaned pages. Those that were shown last are kept, ``most`` bytes of them, and one at a time is cleaned, so that others can work."""

    def __init__(self, most: int = 32_000_000) -> None:
        self._most, self._size = most, 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._looking, self._cleaning = threading.Lock(), threading.Lock()

    def page(self, title: str, source: str) -> bytes:
        key = hashlib.sha256(f"{title}\0{source}".encode("utf-8", "replace")).digest()
        if (page := self._find(key)) is not None:
            return page
        with self._cleaning:
            if (page := self._find(key)) is None:  # whoever was before us may have cleaned it
                page = _frame(title, source)
                self._keep(key, page)
        return page

    def _find(self, key: bytes) -> bytes | None:
        with self._looking:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: bytes, page: bytes) -> None:
        with self._looking:
            self._kept[key] = page
            self._size += len(page)
            while self._size > self._most:
                self._size -= len(self._kept.popitem(last=False)[1])


def frame_address(project: int, query_id: str, document_id: str) -> str:
    """Where a document is served in its sandbox."""
    ids = {"query": query_id, "document": document_id}  # not in the path, as browsers leave out parts that are "." or ".."
    return f"/frames/{project}?{urlencode(ids, quote_via=quote, safe='')}"


def document_json(project: int, query_id: str, document: Document) -> dict[str, Any]:
    """A document as the API gives it: of HTML, where to see it. That other addresses are harmless, a Document sees to itself."""
    is_html = document.kind == "html"
    text, url = ("", frame_address(project, query_id, document.id)) if is_html else (document.text, document.url)
    return {"id": document.id, "title": document.title, "kind": document.kind, "text": text, "url": url}


@router.get("/frames/{project}")
def frame(visit: Annotated[Visit, Depends(project_for("member"))], request: Request, query: str, document: str) -> HTMLResponse:
    """A document of HTML, cleaned, under a policy of its own that allows nothing but text, plain styles and pictures within it."""
    found = _document(visit, query, document)
    headers = {"Content-Security-Policy": FRAME_POLICY, "X-Frame-Options": "SAMEORIGIN"}
    frames: Frames = request.app.state.frames
    return HTMLResponse(frames.page(found.title or found.id, found.text), headers=headers)


def _document(visit: Visit, query_id: str, document_id: str) -> Document:
    try:
        document = visit.office.projects.pool(visit.project.number, query_id)[document_id]
    except DataError:
        raise NotFound("there is no such document") from None
    if document.kind != "html":
        raise NotFound("there is no such document")
    return document
