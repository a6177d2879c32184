"""Collections: queries, documents and perhaps judgments, kept apart; and how pools are made of them.

The candidates of a query are what a run found for it, best first (a prior), or else what somebody judged for it once (no prior).
Documents are read in one pass and only candidates are kept, so a collection may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from podium.errors import DataError, FileError
from podium.pool import Document, Pool
from podium.sources.bm25 import bm25_run
from podium.sources.trec import Qrels, Run

__all__ = ["MISSING", "TestCollection", "Topic", "bm25_over", "check_queries", "pools_from", "some"]

MISSING = {  # what becomes of candidates that the collection does not hold
    "error": "refuse, and name some",
    "skip": "leave them out of the pool",
}


@dataclass(frozen=True)
class Topic:
    """A query as a collection states it."""

    id: str
    query: str
    description: str = ""


@dataclass(frozen=True)
class TestCollection:
    """Queries, a way to read the documents (again and again, from disk), and the judgments if there are any."""

    __test__ = False  # the field's name for it; not a test of pytest's

    path: Path
    topics: list[Topic]
    documents: Callable[[], Iterator[Document]]
    judged: Qrels | None = None


def pools_from(
    collection: TestCollection,
    *,
    run: Run | None = None,
    depth: int | None = None,
    queries: Collection[str] | None = None,
    missing: str = "error",
) -> list[Pool]:
    """A pool for each topic that has candidates, in the order of the topics: the first ``depth`` of the run, or of the judged."""
    topics = {topic.id: topic for topic in collection.topics}
    check_queries(collection.path, queries, topics)
    candidates = {query: found[:depth] for query, found in _candidates(collection, run).items() if queries is None or query in queries}
    _check_topics(collection, candidates)
    held = _held(collection, {document for found in candidates.values() for document in found})
    if missing == "error":
        _check_held(collection, candidates, held)
    pools = [
        Pool(topic.id, topic.query, tuple(held[d] for d in candidates[topic.id] if d in held), topic.description, has_prior=run is not None)
        for topic in topics.values()
        if topic.id in candidates
    ]
    return [pool for pool in pools if pool.documents]


def bm25_over(collection: TestCollection, *, depth: int | None = None, queries: Collection[str] | None = None) -> Run:
    """What BM25 finds in the collection for its topics."""
    wanted = {topic.id: topic.query for topic in collection.topics if queries is None or topic.id in queries}
    return bm25_run(wanted, collection.documents(), depth=depth)


def _candidates(collection: TestCollection, run: Run | None) -> dict[str, list[str]]:
    if run is not None:
        return {query: sorted(scores, key=scores.__getitem__, reverse=True) for query, scores in run.scores.items() if scores}
    if collection.judged is not None:
        return {query: list(labels) for query, labels in collection.judged.labels.items() if labels}
    raise FileError(
        collection.path, None, "has documents but no judgments, so a run must say which to label; give run=, or run='bm25' to make one"
    )


def _held(collection: TestCollection, wanted: set[str]) -> dict[str, Document]:
    """The wanted documents that the collection holds."""
    held: dict[str, Document] = {}
    for document in collection.documents():
        if document.id in wanted:
            if document.id in held:
                raise FileError(collection.path, None, "has two documents of one id", got=document.id)
            held[document.id] = document
    return held


def _check_held(collection: TestCollection, candidates: dict[str, list[str]], held: dict[str, Document]) -> None:
    wanted = dict.fromkeys(document for found in candidates.values() for document in found)
    gone = [document for document in wanted if document not in held]
    if gone:
        raise DataError(
            f"{collection.path} lacks {len(gone)} of the {len(wanted)} documents to be labelled: {some(gone)}; "
            "was the run made from these documents? missing='skip' leaves them out"
        )


def _check_topics(collection: TestCollection, candidates: dict[str, list[str]]) -> None:
    known = {topic.id for topic in collection.topics}
    strange = [query for query in candidates if query not in known]
    if strange:
        raise DataError(
            f"{len(strange)} of the {len(candidates)} queries that have documents to be labelled are not among the {len(known)} topics "
            f"of {collection.path}: {some(strange)}; do both number the queries alike?"
        )


def check_queries(path: object, wanted: Collection[str] | None, known: Collection[str]) -> None:
    """Refuse queries that are asked for and not there."""
    strange = [query for query in wanted or () if query not in known]
    if strange:
        raise DataError(f"{path} has no query {some(strange)} among its {len(known)}")


def some(names: Collection[str], count: int = 3) -> str:
    """The first few of many names.

    >>> some(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    first = ", ".join(repr(name) for name in list(names)[:count])
    return first if len(names) <= count else f"{first} and {len(names) - count} more"
