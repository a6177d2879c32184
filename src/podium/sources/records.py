"""Pools as records: JSONL, a document a line or a query with its documents a line; CSV and TSV, a document a row.

The fields, by name (others are passed over):

- ``query_id``, and ``query``, its text, on one record of the query at least; ``description``, if there is one, likewise;
- ``document_id`` (or ``id``), ``title``, ``text``; one of the last two must be there, or one of the next:
- ``html`` instead of the text: shown as a page; ``image``: the path of a file below the folder of this one, or a ``data:`` URL; ``link``,
  or ``url`` where there is no text: an address. The text of an image or a link says what is to be seen there;
- ``kind``: one of text, html, image and link, said outright; then the text may hold the html, and ``url`` the image or the address;
- ``score`` (larger is better) or ``rank`` (1 is best): then the documents are put in that order, and it is a prior;
- ``has_prior``: true says that the documents stand best first already.

A query with its documents on one line of JSONL has them as a list, ``documents``. Otherwise the order of the file is the pool's order.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.errors import DataError, FileError
from podium.pool import KINDS, Document, Pool
from podium.sources.images import read_image
from podium.sources.lines import finite_number, json_lines, text_lines
from podium.sources.streams import bare_suffix

__all__ = ["SEPARATORS", "read_jsonl_pools", "read_table_pools"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
_TRUTHS = {True: True, False: False, "true": True, "false": False, "": False, None: False}
_Path = str | os.PathLike[str]


@dataclass
class _Query:
    """What is known of a query so far, and the line that said it first."""

    line: int
    query: str = ""
    description: str = ""
    has_prior: bool = False
    documents: dict[str, Document] = field(default_factory=dict)
    order: dict[str, float | None] = field(default_factory=dict)  # smaller is better; None: nothing said


def read_jsonl_pools(path: _Path) -> list[Pool]:
    """Read a JSONL file of documents, or of queries with their documents."""
    found: dict[str, _Query] = {}
    for line, record in json_lines(path):
        query = _take_query(path, line, record, found)
        for document in _documents(path, line, record):
            _take_document(path, line, document, query)
    return _pools(path, found)


def _documents(path: _Path, line: int, record: dict[str, Any]) -> list[dict[str, Any]]:
    if "documents" not in record:
        return [record]
    documents = record["documents"]
    if not isinstance(documents, list) or not all(isinstance(document, dict) for document in documents):
        raise FileError(path, line, "field 'documents' must be a list of objects", got=str(documents)[:60])
    return documents


def read_table_pools(path: _Path) -> list[Pool]:
    """Read a CSV or TSV file with a header, a document a row; fields with separators or line breaks stand in double quotes."""
    found: dict[str, _Query] = {}
    for line, row in _rows(path, SEPARATORS.get(bare_suffix(path), ",")):
        _take_document(path, line, row, _take_query(path, line, row, found))
    return _pools(path, found)


def _rows(path: _Path, separator: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.reader((f"{line}\n" for _, line in text_lines(path)), delimiter=separator, strict=True)
    header: list[str] = []
    line = 1
    try:
        for row in reader:
            if not header:
                header = [name.strip() for name in row]
                _check_header(path, header)
            elif row:
                if len(row) != len(header):
                    raise FileError(path, line, f"has {len(row)} fields where the header has {len(header)}", got=separator.join(row)[:60])
                yield line, dict(zip(header, row, strict=True))
            line = reader.line_num + 1  # where the next row begins; a row may hold line breaks
    except csv.Error as error:
        raise FileError(path, line, f"cannot be read as rows of fields ({error}); JSONL holds any text") from None


def _check_header(path: _Path, header: list[str]) -> None:
    for names in (("query_id",), ("document_id", "id"), ("text", "title", *KINDS[1:], "url")):
        if not any(name in header for name in names):
            raise FileError(path, 1, f"the header must name a column {names[0]!r}, it names", got=", ".join(header)[:120])
    if len(set(header)) < len(header):
        raise FileError(path, 1, "the header names a column twice", got=", ".join(header)[:120])


# ---- one record at a time ----


def _text(path: _Path, line: int, record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if name.endswith("id") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise FileError(path, line, f"field {name!r} must be text", got=str(value)[:60])
    return value


def _needed(path: _Path, line: int, record: Mapping[str, Any], *names: str) -> str:
    for name in names:
        if text := _text(path, line, record, name):
            return text
    said = ", ".join(str(name) for name, value in record.items() if value not in (None, ""))
    raise FileError(path, line, f"needs a field {' or '.join(repr(name) for name in names)} that is not empty", got=said[:120])


def _take_query(path: _Path, line: int, record: Mapping[str, Any], found: dict[str, _Query]) -> _Query:
    query = found.setdefault(_needed(path, line, record, "query_id"), _Query(line))
    for name in ("query", "description"):
        new, known = _text(path, line, record, name), getattr(query, name)
        if new and known and new != known:
            raise FileError(path, line, f"field {name!r} differs from an earlier one of the same query, {known[:60]!r}", got=new[:60])
        setattr(query, name, new or known)
    prior = record.get("has_prior")
    said = prior.strip().lower() if isinstance(prior, str) else prior
    if not isinstance(said, (bool, str, type(None))) or said not in _TRUTHS:
        raise FileError(path, line, "field 'has_prior' must be true or false", got=str(prior)[:60])
    query.has_prior |= _TRUTHS[said]
    return query


def _take_document(path: _Path, line: int, record: Mapping[str, Any], query: _Query) -> None:
    item = _needed(path, line, record, "document_id", "id")
    if item in query.documents:
        raise FileError(path, line, "document occurs twice for its query", got=item)
    query.documents[item] = _document(path, line, record, item)
    query.order[item] = _place(path, line, record)
    if (query.order[item] is None) != (next(iter(query.order.values())) is None):
        raise FileError(path, line, "a score or rank must be there for all documents of a query, or for none", got=item)


def _document(path: _Path, line: int, record: Mapping[str, Any], item: str) -> Document:
    kind = _kind(path, line, record)
    title, text = (_text(path, line, record, name) for name in ("title", "text"))
    if kind == "text":
        _needed(path, line, record, "text", "title")
        return Document(item, title, text)
    if kind == "html":
        _needed(path, line, record, "html", "text", "title")
        return Document(item, title, _text(path, line, record, "html") or text, kind)
    said = _needed(path, line, record, kind, "url")
    try:
        return Document(item, title, text, kind, read_image(said, Path(path).parent) if kind == "image" else said)
    except DataError as error:
        problem = f"image of document {item!r} {error}; it is said to be {said[:60]!r}" if kind == "image" else str(error)
        raise FileError(path, line, problem) from None


def _kind(path: _Path, line: int, record: Mapping[str, Any]) -> str:
    """What is said, or what the fields mean. An address beside a text is one of the fields that are passed over."""
    if kind := _text(path, line, record, "kind"):
        if kind not in KINDS:
            raise FileError(path, line, f"field 'kind' must be one of {', '.join(KINDS)}", got=kind[:60])
        return kind
    given = [name for name in KINDS[1:] if _text(path, line, record, name)]
    has_text = bool(_text(path, line, record, "text"))
    clashing = [*given, *(["text"] if has_text and "html" in given else [])]
    if len(clashing) > 1:
        raise FileError(path, line, f"has the fields {' and '.join(clashing)}; say with 'kind' which of them is to be shown")
    if given:
        return given[0]
    return "text" if has_text or not _text(path, line, record, "url") else "link"


def _place(path: _Path, line: int, record: Mapping[str, Any]) -> float | None:
    for name, sign in (("score", -1), ("rank", 1)):
        if record.get(name) not in (None, ""):
            return sign * finite_number(path, line, f"field {name!r}", record[name])
    return None


# ---- all of them ----


def _pools(path: _Path, found: dict[str, _Query]) -> list[Pool]:
    if not found:
        raise FileError(path, None, "has no documents; expected records with query_id, query, document_id and text")
    return [_pool(path, query_id, query) for query_id, query in found.items()]


def _pool(path: _Path, query_id: str, query: _Query) -> Pool:
    if not query.query:
        raise FileError(path, query.line, "no record of this query has a field 'query', its text", got=query_id)
    places = {item: place for item, place in query.order.items() if place is not None}
    items = sorted(query.documents, key=places.__getitem__) if places else list(query.documents)
    documents = tuple(query.documents[item] for item in items)
    return Pool(query_id, query.query, documents, query.description, has_prior=query.has_prior or bool(places))
