"""Pools: the documents of one query that are to be labelled, with what a person or a model is shown of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from urllib.parse import urlsplit

from podium.errors import DataError, UnknownName

__all__ = ["IMAGE_TYPES", "KINDS", "MOST_IMAGE_BYTES", "Document", "Pool"]

KINDS = ("text", "html", "image", "link")  # how a document is shown
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml")  # which browsers show
MOST_IMAGE_BYTES = 5 << 20

_IMAGE_HEAD = re.compile(rf"data:(?:{'|'.join(map(re.escape, IMAGE_TYPES))});base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_SHOWN = 60  # characters of an address that a message repeats; an image may have millions


@dataclass(frozen=True, repr=False)
class Document:
    """A document as it is shown: its id, a title if it has one, its text.

    Of the other kinds, ``html`` has its source as the text, ``image`` has a ``data:`` URL, and ``link`` an address to look at; the text of
    these two says what is to be seen there.

    >>> Document("d1", "Wings", kind="link", url="https://example.org/wings")
    Document(id='d1', title='Wings', text='', kind='link', url='https://example.org/wings')
    >>> Document("d1", "Wings", kind="link", url="javascript:alert(1)")
    Traceback (most recent call last):
    podium.errors.DataError: url of document 'd1', a link, must begin with http:// or https://, ...
    """

    id: str
    title: str = ""
    text: str = ""
    kind: str = "text"
    url: str = ""

    def __post_init__(self) -> None:
        if self.kind == "text" and not self.url:  # nearly all
            return
        if self.kind not in KINDS:
            raise UnknownName("kind of document", str(self.kind), KINDS)
        if problem := _URL_PROBLEMS[self.kind](self.url):
            raise DataError(f"url of document {self.id!r}, {_NAMES[self.kind]}, {problem}, got {self.url[:_SHOWN]!r}")

    def __repr__(self) -> str:
        """As a dataclass has it, without a kind and an address that say nothing; a long address is cut."""
        said = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self)[:3]]
        if self.kind != "text":
            url = self.url if len(self.url) <= 2 * _SHOWN else f"{self.url[:_SHOWN]}…"
            said += [f"kind={self.kind!r}", f"url={url!r}"]
        return f"Document({', '.join(said)})"


def _no_url_problem(url: str) -> str:
    return "must be empty: only images and links have one" if url else ""


def _image_problem(url: str) -> str:
    head = _IMAGE_HEAD.match(url)
    if head is None:
        return f"must be a data: URL with base64 of one of {', '.join(IMAGE_TYPES)}"
    if len(url) - head.end() > (MOST_IMAGE_BYTES + 2) // 3 * 4:
        return f"must hold at most {MOST_IMAGE_BYTES >> 20} MB"
    return "" if _BASE64.fullmatch(url, head.end()) else "must be whole base64"


def _link_problem(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_whole = False
    is_plain = url.isprintable() and not any(sign in url for sign in ' "<>\\')
    return (
        "" if is_whole and is_plain and len(url) <= _LONGEST_LINK else "must begin with http:// or https://, name a host and hold no blanks"
    )


_LONGEST_LINK = 8000
_NAMES = {"text": "a text", "html": "a text with markup", "image": "an image", "link": "a link"}
_URL_PROBLEMS = {"text": _no_url_problem, "html": _no_url_problem, "image": _image_problem, "link": _link_problem}


@dataclass(frozen=True)
class Pool:
    """A query with the documents to be judged for it.

    ``has_prior`` says that the documents stand in an order worth trusting, best first, as a run gives it.

    >>> pool = Pool("7", "wing flutter", (Document("d1", text="flutter of wings"), Document("d2", text="heat")))
    >>> pool.items
    ('d1', 'd2')
    >>> pool["d2"].text
    'heat'
    """

    query_id: str
    query: str
    documents: tuple[Document, ...]
    description: str = ""
    has_prior: bool = False
    _places: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for place, document in enumerate(self.documents):
            if self._places.setdefault(document.id, place) != place:
                raise DataError(f"document {document.id!r} occurs twice for query {self.query_id!r}; each may be judged once")

    @property
    def items(self) -> tuple[str, ...]:
        """The ids of the documents, in the pool's order."""
        return tuple(document.id for document in self.documents)

    def __getitem__(self, item: str) -> Document:
        try:
            return self.documents[self._places[item]]
        except KeyError:
            raise DataError(f"query {self.query_id!r} has no document {item!r} among its {len(self.documents)}") from None

    def ranked(self, order: Sequence[str]) -> Pool:
        """The same pool with its documents in this order, best first."""
        if sorted(order) != sorted(self.items):
            raise DataError(f"an order of query {self.query_id!r} must name each of its {len(self.documents)} documents once")
        return Pool(self.query_id, self.query, tuple(self[item] for item in order), self.description, has_prior=True)
