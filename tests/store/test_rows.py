"""Pools as JSON, in both databases, and beside those of earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium.errors import DataError, UnknownName
from podium.pool import Document, Pool
from podium.store import Store, export_log, import_log, open_store
from podium.store.rows import pool_from, pool_to

PNG = "data:image/png;base64,iVBORw0KGgo="
PLAIN = {"id": "a", "title": "", "text": "A"}  # as every version wrote it
KINDS = Pool(
    "1",
    "q",
    (
        Document("a", text="A"),
        Document("b", text="<p>B", kind="html"),
        Document("c", "C", "a wing", kind="image", url=PNG),
        Document("d", kind="link", url="https://example.org/d"),
    ),
)


def values(*documents: dict[str, object]) -> dict[str, object]:
    return {"query_id": "1", "query": "q", "description": "", "has_prior": False, "documents": list(documents)}


def test_a_pool_of_plain_documents_is_written_as_before_there_were_kinds() -> None:
    assert pool_to(Pool("1", "q", (Document("a", text="A"),))) == values(PLAIN)
    assert pool_from(values(PLAIN)) == Pool("1", "q", (Document("a", text="A"),))


def test_kinds_come_out_of_json_as_they_went_in() -> None:
    assert pool_from(json.loads(json.dumps(pool_to(KINDS)))) == KINDS


def test_kinds_come_out_of_a_store_and_of_a_log_as_they_went_in(store: Store, tmp_path: Path) -> None:
    number = store.add(KINDS)
    assert store.pool(number) == KINDS
    assert store.add(KINDS) == number
    export_log(store, number, tmp_path / "log.jsonl")
    with open_store(tmp_path / "other.db") as other:
        assert other.pool(import_log(other, tmp_path / "log.jsonl")) == KINDS
    with pytest.raises(DataError, match="differs in text of the query or the documents"):
        store.add(Pool("1", "q", (*KINDS.documents[:3], Document("d", kind="link", url="https://example.org/other"))))


@pytest.mark.parametrize(("document", "problem"), [
    ({**PLAIN, "kind": "text", "url": "http://x.org"}, "must be empty"),
    ({**PLAIN, "kind": "link", "url": "file:///etc/passwd"}, "must begin with http"),
    ({**PLAIN, "kind": 3}, "field 'kind' of a document must be str, got 3"),
    ({**PLAIN, "colour": "red"}, r"must have the fields id, title, text \(it may have kind and url\), got id, title, text, colour"),
    ({"id": "a", "kind": "html"}, "must have the fields id, title, text"),
])  # fmt: skip
def test_a_document_that_nobody_could_have_written_is_refused(document: dict[str, object], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        pool_from(values(document))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnknownName, match="kind of document"):
        pool_from(values({**PLAIN, "kind": "video"}))
