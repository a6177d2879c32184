"""What is written to a store and read from it: events as rows, pools and settings as JSON. The same comes out as went in."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from podium.errors import DataError
from podium.labelling.questions import Event
from podium.pool import Document, Pool

__all__ = ["EVENT_FIELDS", "LONGEST", "checked_text", "dump", "event_of", "pool_from", "pool_to", "row_of"]

EVENT_FIELDS = tuple(field.name for field in fields(Event))
LONGEST = 500  # characters of what is indexed: names, assessors, keys; PostgreSQL's index takes 2,704 bytes

_NUMBERS = ("seconds", "paused", "idle")
_INDEXED = ("assessor", "key")
_DOCUMENT: dict[str, type] = {"id": str, "title": str, "text": str}
_OF_A_KIND: dict[str, type] = {"kind": str, "url": str}


def checked_text(what: str, text: object, *, longest: int | None = None) -> str:
    r"""The text, if both databases can keep it.

    >>> checked_text("assessor", "ann\0")
    Traceback (most recent call last):
    podium.errors.DataError: assessor must not hold the character NUL, which PostgreSQL cannot store, got 'ann\x00'
    """
    if not isinstance(text, str):
        raise DataError(f"{what} must be text, got {text!r}")
    if "\0" in text:
        raise DataError(f"{what} must not hold the character NUL, which PostgreSQL cannot store, got {text[:60]!r}")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise DataError(f"{what} must be whole characters, got half of one (a surrogate) in {text[:60]!r}")
    if longest is not None and len(text) > longest:
        raise DataError(f"{what} must have at most {longest} characters, got {len(text)}: {text[:60]!r}")
    return text


def _checked_number(what: str, value: object) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not abs(value) < math.inf:  # type: ignore[arg-type]
        raise DataError(f"{what} must be a finite number, got {value!r}")
    return float(value)  # type: ignore[arg-type]


def row_of(task: int, number: int, event: Event) -> dict[str, Any]:
    """An event as a row, checked."""
    row: dict[str, Any] = {"task": task, "number": number}
    for name in EVENT_FIELDS:
        value = getattr(event, name)
        if name in _NUMBERS:
            row[name] = None if value is None else _checked_number(f"{name} of an event", value)
        elif name == "target" or value is None:
            row[name] = value
        else:
            row[name] = checked_text(f"{name} of an event", value, longest=LONGEST if name in _INDEXED else None)
    return row


def event_of(row: Sequence[Any]) -> Event:
    """The event of a row that was selected by :data:`EVENT_FIELDS`."""
    return Event(*row)


def dump(value: object) -> str:
    """JSON in ASCII: any text can be kept, whatever a database allows."""
    return json.dumps(value, separators=(",", ":"))


def pool_to(pool: Pool) -> dict[str, Any]:
    """A pool as JSON can hold it.

    >>> pool_to(Pool("7", "wing", (Document("d1", text="flutter"),)))["documents"]
    [{'id': 'd1', 'title': '', 'text': 'flutter'}]
    """
    return {
        "query_id": pool.query_id, "query": pool.query, "description": pool.description, "has_prior": pool.has_prior,
        "documents": [_document_to(document) for document in pool.documents],
    }  # fmt: skip


def _document_to(document: Document) -> dict[str, str]:
    """Without kind and url where they say nothing, so that plain documents are what they were before there were kinds."""
    values = asdict(document)
    return values if document.kind != "text" else {name: values[name] for name in _DOCUMENT}


def pool_from(values: object) -> Pool:
    """The pool that :func:`pool_to` wrote; checked, as it may come from a file."""
    said = _fields("pool", values, {"query_id": str, "query": str, "description": str, "has_prior": bool, "documents": list})
    documents = [Document(**_fields("document", each, _DOCUMENT, _OF_A_KIND)) for each in said.pop("documents")]
    return Pool(documents=tuple(documents), **said)


def _fields(what: str, values: object, kinds: Mapping[str, type], optional: Mapping[str, type] | None = None) -> dict[str, Any]:
    known = {**kinds, **(optional or {})}
    if not isinstance(values, dict) or not set(kinds) <= set(values) <= set(known):
        seen = ", ".join(map(str, values)) if isinstance(values, dict) else type(values).__name__
        may = f" (it may have {' and '.join(optional)})" if optional else ""
        raise DataError(f"a {what} must have the fields {', '.join(kinds)}{may}, got {seen}")
    for name, value in values.items():
        if not isinstance(value, known[name]):
            raise DataError(f"field {name!r} of a {what} must be {known[name].__name__}, got {repr(value)[:60]}")
    return dict(values)
