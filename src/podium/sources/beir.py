"""BEIR folders: ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text``) and ``qrels/*.tsv`` under a header.

Each file may be compressed. The files of judgments (train, dev, test) are taken together.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from podium.errors import FileError
from podium.pool import Document
from podium.sources.collections import TestCollection, Topic
from podium.sources.lines import finite_number, json_lines, text_lines
from podium.sources.streams import COMPRESSIONS, bare_suffix
from podium.sources.trec import Qrels

__all__ = ["is_beir", "open_beir", "read_beir_corpus", "read_beir_judgments", "read_beir_queries"]

_HEADER = ["query-id", "corpus-id", "score"]


def _text(path: str | os.PathLike[str], line: int, record: dict[str, Any], name: str, default: str | None = None) -> str:
    value = record.get(name, default)
    if name == "_id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or (name == "_id" and not value):
        raise FileError(path, line, f"field {name!r} must be text" + ("" if name in record else f"; the fields are {', '.join(record)}"),
                        got=str(value)[:60] if name in record else None)  # fmt: skip
    return value


def read_beir_corpus(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Each document of ``corpus.jsonl``, read as it goes."""
    for line, record in json_lines(path):
        yield Document(_text(path, line, record, "_id"), _text(path, line, record, "title", ""), _text(path, line, record, "text"))


def read_beir_queries(path: str | os.PathLike[str]) -> list[Topic]:
    """The queries of ``queries.jsonl``."""
    topics: dict[str, Topic] = {}
    for line, record in json_lines(path):
        query = _text(path, line, record, "_id")
        if query in topics:
            raise FileError(path, line, "query occurs twice", got=query)
        topics[query] = Topic(query, _text(path, line, record, "text"))
    if not topics:
        raise FileError(path, None, 'has no queries; expected lines such as {"_id": "7", "text": "wing flutter"}')
    return list(topics.values())


def read_beir_judgments(*paths: str | os.PathLike[str]) -> Qrels:
    """The judgments of one or several files ``qrels/*.tsv``; a document judged twice for a query must have one label."""
    labels: dict[str, dict[str, float]] = {}
    for path in paths:
        for line, text in text_lines(path):
            fields = text.split("\t")
            if line == 1:
                if fields != _HEADER:
                    raise FileError(path, 1, f"must begin with the header {'<TAB>'.join(_HEADER)}", got=text[:60])
            elif text.strip():
                _enter(path, line, fields, labels)
    return Qrels(labels)


def _enter(path: str | os.PathLike[str], line: int, fields: list[str], labels: dict[str, dict[str, float]]) -> None:
    if len(fields) != 3 or not (fields[0] and fields[1]):
        raise FileError(path, line, f"a judgment must be {'<TAB>'.join(_HEADER)}", got="\t".join(fields)[:60])
    query, document, label = fields[0], fields[1], finite_number(path, line, "score, the third field,", fields[2])
    if labels.setdefault(query, {}).setdefault(document, label) != label:
        raise FileError(path, line, f"document has two labels for query {query!r}", got=document)


def _find(folder: Path, name: str) -> Path | None:
    paths = [folder / f"{name}{ending}" for ending in ("", *COMPRESSIONS)]
    return next((path for path in paths if path.is_file()), None)


def is_beir(path: Path) -> bool:
    """Whether this is a folder with a ``corpus.jsonl``."""
    return path.is_dir() and _find(path, "corpus.jsonl") is not None


def open_beir(path: str | os.PathLike[str]) -> TestCollection:
    """The collection in a folder; without ``qrels`` it has no judgments."""
    folder = Path(path)
    corpus, queries = _find(folder, "corpus.jsonl"), _find(folder, "queries.jsonl")
    if corpus is None or queries is None:
        raise FileError(folder, None, "must hold corpus.jsonl and queries.jsonl to be a BEIR folder")
    judgments = sorted(file for file in (folder / "qrels").glob("*") if bare_suffix(file) == ".tsv")
    return TestCollection(
        folder, read_beir_queries(queries), lambda: read_beir_corpus(corpus), read_beir_judgments(*judgments) if judgments else None
    )
