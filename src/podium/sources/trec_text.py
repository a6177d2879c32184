"""TREC's topics and documents: SGML that no parser for SGML reads, since tags are left open and nothing is declared.

Topics are the classic ``<top>`` records, whose fields reach to the next tag, or plain lines ``query-id<TAB>text``. Documents are
``<DOC>`` records with a ``<DOCNO>``; ``<TITLE>``, ``<HEADLINE>`` and their like are titles; ``<TEXT>`` is the text, and where there is
none, all that is left is. Tags within a text are dropped, entities such as ``&amp;`` resolved.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from podium.errors import FileError
from podium.pool import Document
from podium.sources.collections import TestCollection, Topic
from podium.sources.lines import text_lines
from podium.sources.streams import read_text

__all__ = ["open_trec", "read_topics", "read_trec_documents"]

_FIELD = re.compile(r"<(\w+)>(.*?)(?=</?\w+>|\Z)", re.DOTALL)
_LABELS = {"num": "Number:", "title": "Topic:", "desc": "Description:", "narr": "Narrative:"}  # said again behind the tag
_DOCNO = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|DOCTITLE)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.IGNORECASE | re.DOTALL)
_NOT_TEXT = re.compile(r"<(DOCNO|DOCID|DOCHDR)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z!][^<>]*>", re.DOTALL)


# ---- topics ----


def read_topics(path: str | os.PathLike[str]) -> list[Topic]:
    """Read topics; description and narrative of a classic one become its description, a paragraph each."""
    text = read_text(path)
    topics = _classic_topics(path, text) if "<top>" in text.lower() else _plain_topics(path)
    if not topics:
        raise FileError(path, None, "has no topics; expected '<top> <num> Number: 301 <title> …' or lines 'query-id<TAB>text'")
    seen: set[str] = set()
    for line, topic in topics:
        if topic.id in seen:
            raise FileError(path, line, "topic occurs twice", got=topic.id)
        seen.add(topic.id)
    return [topic for _, topic in topics]


def _classic_topics(path: str | os.PathLike[str], text: str) -> list[tuple[int, Topic]]:
    topics = []
    for start in re.finditer(r"<top>", text, re.IGNORECASE):
        line = text.count("\n", 0, start.start()) + 1
        body = re.split(r"</?top>", text[start.end() :], maxsplit=1, flags=re.IGNORECASE)[0]
        fields = _topic_fields(body)
        for needed in ("num", "title"):
            if not fields.get(needed):
                raise FileError(path, line, f"topic has no <{needed}>; it has", got=" ".join(f"<{name}>" for name in fields) or "nothing")
        description = "\n\n".join(fields[name] for name in ("desc", "narr") if fields.get(name))
        topics.append((line, Topic(fields["num"], fields["title"], description)))
    return topics


def _topic_fields(body: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for tag, content in _FIELD.findall(body):
        name, text = tag.lower(), " ".join(html.unescape(content).split())
        fields.setdefault(name, text.removeprefix(_LABELS.get(name, "")).strip())
    return fields


def _plain_topics(path: str | os.PathLike[str]) -> list[tuple[int, Topic]]:
    topics = []
    for line, text in text_lines(path):
        query_id, _, query = (part.strip() for part in text.partition("\t"))
        if text.strip():
            if not (query_id and query):
                raise FileError(path, line, "a topic must be 'query-id<TAB>text', or a <top> record", got=text[:60])
            topics.append((line, Topic(query_id, query)))
    return topics


# ---- documents ----


def read_trec_documents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Each document of a file, read as it goes."""
    begun = 0
    body: list[str] = []
    for line, text in text_lines(path):
        mark = text.strip().upper()
        if mark.startswith("<DOC>"):
            if begun:
                raise FileError(path, line, f"a document begins, but the one of line {begun} has no </DOC>")
            begun, body = line, []
        if begun:
            body.append(text)
            if mark.endswith("</DOC>"):
                yield _document(path, begun, "\n".join(body))
                begun = 0
    if begun:
        raise FileError(path, begun, "document has no </DOC>; is the file cut off?")


def _document(path: str | os.PathLike[str], line: int, body: str) -> Document:
    number = _DOCNO.search(body)
    if number is None or not number[1].strip():
        raise FileError(path, line, "document has no <DOCNO>", got=body[:60])
    title = _TITLE.search(body)
    texts = _TEXT.findall(body) or [_NOT_TEXT.sub("", _TITLE.sub("", body, count=1))]
    return Document(number[1].strip(), "" if title is None else " ".join(_plain(title[2]).split()), _plain("\n\n".join(texts)))


def _plain(marked_up: str) -> str:
    return html.unescape(_TAG.sub(" ", marked_up)).strip()


# ---- both ----


def open_trec(paths: Sequence[Path], topics: str | os.PathLike[str]) -> TestCollection:
    """Topics beside documents in files or folders, all files of which are looked at; a file of a folder may hold no document."""
    files = [file for path in paths for file in (_files(path) if path.is_dir() else [path])]

    def documents() -> Iterator[Document]:
        is_empty = True
        for file in files:
            for document in read_trec_documents(file):
                is_empty = False
                yield document
        if is_empty:
            raise FileError(paths[0], None, "has no documents; expected '<DOC>' on a line of its own, then '<DOCNO> A1 </DOCNO>'")

    return TestCollection(paths[0], read_topics(topics), documents)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
