"""Things to label, from files: POOL_FORMATS is the table, and :func:`read_pools` the one door.

=============  =====================================================================================================
jsonl, table   the pools themselves, a document (or a query) a record: :mod:`podium.sources.records`
beir           a folder with corpus, queries and judgments: :mod:`podium.sources.beir`
cranfield      a folder with the three files of Cranfield: :mod:`podium.sources.cranfield`
trec           documents in SGML, with ``topics`` beside them: :mod:`podium.sources.trec_text`
letor          documents by their ids alone, without text, for simulations
=============  =====================================================================================================
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from podium.dataset import Dataset
from podium.errors import DataError, FileError, UnknownName
from podium.pool import Document, Pool
from podium.sources import beir, cranfield, letor, records, trec_text
from podium.sources.collections import MISSING, TestCollection, bm25_over, check_queries, pools_from
from podium.sources.lines import text_lines
from podium.sources.streams import bare_suffix
from podium.sources.trec import Run, read_run

__all__ = ["POOL_FORMATS", "PoolFormat", "pool_format_of", "pools_of", "read_pools"]

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class PoolFormat:
    """One way to keep what is to be labelled: whole pools, or a collection from which a run or judgments choose."""

    meaning: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path], list[Pool]] | None = None
    open: Callable[[Path], TestCollection] | None = None


def _first_line(path: Path) -> str:
    return next((line for _, line in text_lines(path) if line.strip()), "") if path.is_file() else ""


def _has_trec_documents(path: Path) -> bool:
    if not path.is_dir():
        return _first_line(path).lstrip().upper().startswith("<DOC>")
    for file in sorted(path.rglob("*")):
        with contextlib.suppress(FileError):  # a picture, say, beside the documents
            if file.is_file() and _has_trec_documents(file):
                return True
    return False


POOL_FORMATS: dict[str, PoolFormat] = {  # the first that recognises a path reads it
    "beir": PoolFormat("a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv", beir.is_beir, open=beir.open_beir),
    "cranfield": PoolFormat("a folder with cran.all.1400, cran.qry and cranqrel", cranfield.is_cranfield, open=cranfield.open_cranfield),
    "jsonl": PoolFormat(
        "a .jsonl file of documents or of queries with their documents",
        lambda path: bare_suffix(path) in (".jsonl", ".ndjson"),
        read=records.read_jsonl_pools,
    ),
    "table": PoolFormat(
        "a .csv or .tsv file of documents with a header",
        lambda path: bare_suffix(path) in records.SEPARATORS,
        read=records.read_table_pools,
    ),
    "trec": PoolFormat("files or a folder of <DOC> records, with topics= and run=", _has_trec_documents),
    "letor": PoolFormat(
        "LETOR text; documents without text, for simulations",
        lambda path: " qid:" in _first_line(path),
        read=lambda path: pools_of(letor.read_letor(path)),
    ),
}


def pool_format_of(path: AnyPath) -> str:
    """The name of the format that a path is in, told by its name, its files or its first bytes.

    >>> pool_format_of("queries.jsonl.gz"), pool_format_of("documents.TSV")
    ('jsonl', 'table')
    """
    for name, form in POOL_FORMATS.items():
        if form.recognises(Path(path)):
            return name
    if not Path(path).exists():
        raise FileError(path, None, "there is no such file or folder")
    known = "; ".join(f"{name}: {form.meaning}" for name, form in POOL_FORMATS.items())
    raise FileError(path, None, f"is in none of the known forms ({known}); if it is, say which with format=")


def read_pools(
    path: AnyPath | Sequence[AnyPath],
    *,
    topics: AnyPath | None = None,
    run: AnyPath | Run | None = None,
    depth: int | None = None,
    format: str | None = None,
    queries: Collection[str] | None = None,
    missing: str = "error",
) -> list[Pool]:
    """Read what is to be labelled, in any of POOL_FORMATS; several paths only of TREC documents.

    From a collection (beir, cranfield, trec), ``run`` chooses the documents and their order, best first: a TREC run or its file, or the
    word ``"bm25"``, which makes one (see :mod:`podium.sources.bm25`; a file of that name is ``./bm25``). Without a run, the judged
    documents are the pool, in the order of the judgments, which says nothing. ``depth`` keeps the first so many of each query,
    ``queries`` only the queries of these ids. A document that the collection lacks is an error, or left out with ``missing="skip"``.
    Queries without candidates have no pool.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pool.jsonl")
    >>> _ = path.write_text('{"query_id": 7, "query": "wing flutter", "id": "d1", "text": "flutter of wings"}')
    >>> read_pools(path)
    [Pool(query_id='7', query='wing flutter', documents=(Document(id='d1', title='', text='flutter of wings'),), ...)]
    """
    paths = [Path(path)] if isinstance(path, (str, os.PathLike)) else [Path(each) for each in path]
    _check_options(paths, depth, format, queries, missing)
    name = format or pool_format_of(paths[0])
    if len(paths) > 1 and name != "trec":
        raise DataError(f"several paths can be read as one only as TREC documents, got {', '.join(map(str, paths))} as {name}")
    if (read := POOL_FORMATS[name].read) is not None:
        if topics is not None or run is not None:
            raise FileError(paths[0], None, f"holds its own queries and documents ({POOL_FORMATS[name].meaning}); leave out topics and run")
        return _some_of(paths[0], read(paths[0]), depth, queries)
    collection = _open(paths, name, topics)
    found = bm25_over(collection, depth=depth, queries=queries) if run == "bm25" else run
    found = found if found is None or isinstance(found, Run) else read_run(found)
    return pools_from(collection, run=found, depth=depth, queries=queries, missing=missing)


def _check_options(paths: list[Path], depth: int | None, format: str | None, queries: Collection[str] | None, missing: str) -> None:
    if not paths:
        raise DataError("there must be one path at least, got none")
    if depth is not None and depth < 1:
        raise DataError(f"depth must be 1 or more, got {depth}")
    if format is not None and format not in POOL_FORMATS:
        raise UnknownName("format of things to label", format, POOL_FORMATS)
    if isinstance(queries, str):
        raise DataError(f"queries must be several ids, got the text {queries!r}; put it in a list")
    if missing not in MISSING:
        raise UnknownName("way with missing documents", missing, MISSING)


def _open(paths: list[Path], name: str, topics: AnyPath | None) -> TestCollection:
    opener = POOL_FORMATS[name].open
    if opener is None:
        if topics is None:
            raise FileError(paths[0], None, "holds TREC documents, which say nothing of queries; give topics=, and run= or run='bm25'")
        return trec_text.open_trec(paths, topics)
    collection = opener(paths[0])
    return collection if topics is None else replace(collection, topics=trec_text.read_topics(topics))


def _some_of(path: Path, pools: list[Pool], depth: int | None, queries: Collection[str] | None) -> list[Pool]:
    check_queries(path, queries, {pool.query_id for pool in pools})
    return [replace(pool, documents=pool.documents[:depth]) for pool in pools if queries is None or pool.query_id in queries]


def pools_of(data: Dataset) -> list[Pool]:
    """The documents of a dataset by their ids, without text: something to label for an oracle that knows the labels.

    >>> [pool.items for pool in pools_of(Dataset.from_arrays([[1], [2], [3]], qid=["a", "b", "a"], document_ids=["x", "y", "z"]))]
    [('x', 'z'), ('y',)]
    """
    documents, edges = data.document_ids.tolist(), data.offsets.tolist()
    spans = zip(data.query_ids, edges[:-1], edges[1:], strict=True)
    return [Pool(query, "", tuple(Document(item) for item in documents[begin:end])) for query, begin, end in spans]
