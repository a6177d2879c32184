"""The Cranfield collection's format (SMART's): ``cran.all.1400``, ``cran.qry`` and ``cranqrel`` in one folder.

Three things about the published files:

- The numbers behind ``.I`` in ``cran.qry`` (1, 2, 4, 8, …) are not those of ``cranqrel``, which counts the queries 1, 2, 3, … by
  their place in the file. Here a query's id is its place.
- Codes run backwards: 1 is a complete answer, 4 of least interest (``cranqrel.readme``). Labels here are 5 − code, larger is better.
- Each query has one document of code −1, which the readme does not explain. BM25 finds it before any other (its median rank is 2, that
  of code 1 is 14.5, of code 4 it is 72): it is the paper whose author was asked for the query (*our reading*; Cleverdon took his queries
  from the authors of recent papers). That is no judgment, so it is left out of the labels, and of pools made of the judged documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from podium.errors import FileError
from podium.pool import Document
from podium.sources.collections import TestCollection, Topic
from podium.sources.lines import text_lines
from podium.sources.trec import Qrels

__all__ = [
    "cranfield_labels",
    "is_cranfield",
    "open_cranfield",
    "read_cranfield_codes",
    "read_cranfield_documents",
    "read_cranfield_queries",
]

SOURCE_PAPER = -1  # the code of the paper that a query came from
_CODES = (SOURCE_PAPER, 1, 2, 3, 4, 5)
_MARKS = ("T", "A", "B", "W")  # title, authors, where published, words
_FILES = ("cran.all*", "cran.qry*", "cranqrel*")


def _records(path: str | os.PathLike[str]) -> Iterator[tuple[int, str, dict[str, str]]]:
    """The line, number and fields of each record; a mark within the words is a slip (documents 240, 576, 578) and passed over."""
    line, number, mark = 0, "", ""
    fields: dict[str, list[str]] = {}
    for place, text in text_lines(path):
        if text.startswith(".I"):
            if line:
                yield line, number, {name: "\n".join(lines).strip() for name, lines in fields.items()}
            line, number, mark, fields = place, text[2:].strip(), "", {}
            if not number.isdecimal():
                raise FileError(path, place, "a record must begin with '.I' and its number", got=text)
        elif text[:1] == "." and text[1:].strip() in _MARKS:
            mark = mark if mark == "W" else text[1:].strip()
        elif text.strip():
            if not mark:
                raise FileError(path, place, "text must stand behind '.I <number>' and a mark such as '.W'", got=text[:60])
            fields.setdefault(mark, []).append(text.rstrip())
    if not line:
        raise FileError(path, None, "has no records; expected '.I 1' and, on lines of its own, '.W' and text")
    yield line, number, {name: "\n".join(lines).strip() for name, lines in fields.items()}


def read_cranfield_documents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Each document of ``cran.all.1400``; its text begins with its title again in the file, and without it here."""
    for _, number, fields in _records(path):
        title, text = fields.get("T", ""), fields.get("W", "")
        yield Document(str(int(number)), " ".join(title.split()), text.removeprefix(title).strip())


def read_cranfield_queries(path: str | os.PathLike[str]) -> list[Topic]:
    """The queries of ``cran.qry``; their ids are their places in the file, from 1, as ``cranqrel`` counts them."""
    topics = []
    for place, (line, _, fields) in enumerate(_records(path), start=1):
        if "W" not in fields:
            raise FileError(path, line, "query has no text; expected '.W' and text below '.I'")
        topics.append(Topic(str(place), " ".join(fields["W"].split())))
    return topics


def read_cranfield_codes(path: str | os.PathLike[str]) -> dict[str, dict[str, int]]:
    """The codes of ``cranqrel`` as they stand: 1 best to 4 (5 would be of no interest), −1 the paper that the query came from."""
    codes: dict[str, dict[str, int]] = {}
    for line, text in text_lines(path):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 3 or not all(field.removeprefix("-").isdecimal() for field in fields) or int(fields[2]) not in _CODES:
            raise FileError(path, line, "a judgment must be query, document and a code of -1 or 1 to 5", got=text.strip()[:60])
        query, document = str(int(fields[0])), str(int(fields[1]))
        if codes.setdefault(query, {}).setdefault(document, int(fields[2])) != int(fields[2]):
            raise FileError(path, line, f"document has two codes for query {query!r}", got=document)
    if not codes:
        raise FileError(path, None, "has no judgments; expected lines such as '1 184 2'")
    return codes


def cranfield_labels(codes: dict[str, dict[str, int]]) -> Qrels:
    """Labels, larger is better: 5 − code; the papers that the queries came from are left out.

    >>> cranfield_labels({"1": {"184": 2, "13": 4, "486": -1}}).labels
    {'1': {'184': 3.0, '13': 1.0}}
    """
    return Qrels({
        query: {document: 5.0 - code for document, code in found.items() if code != SOURCE_PAPER} for query, found in codes.items()
    })  # fmt: skip


def _find(folder: Path, pattern: str) -> Path | None:
    found = sorted(path for path in folder.glob(pattern) if not path.name.endswith(".readme"))
    return found[0] if found else None


def is_cranfield(path: Path) -> bool:
    """Whether this is such a folder, or the file of its documents."""
    return _find(path, _FILES[0]) is not None if path.is_dir() else path.name.startswith("cran.all")


def open_cranfield(path: str | os.PathLike[str]) -> TestCollection:
    """The collection in a folder, or beside its file of documents; without ``cranqrel`` it has no judgments."""
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    documents, queries, judgments = (_find(folder, pattern) for pattern in _FILES)
    if documents is None or queries is None:
        raise FileError(folder, None, f"must hold the documents ({_FILES[0]}) and the queries ({_FILES[1]}) of Cranfield")
    judged = None if judgments is None else cranfield_labels(read_cranfield_codes(judgments))
    return TestCollection(folder, read_cranfield_queries(queries), lambda: read_cranfield_documents(documents), judged)
