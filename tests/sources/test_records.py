"""Pools from JSONL, CSV and TSV."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import FileError
from podium.pool import Document, Pool
from podium.sources.records import read_jsonl_pools, read_table_pools

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00\ufeff"), min_size=1, max_size=12)
WORDS = TEXT.filter(lambda text: bool(text.strip()))
DOCUMENTS = st.lists(st.builds(Document, WORDS, TEXT, WORDS), min_size=1, max_size=4, unique_by=lambda document: document.id)
POOLS = st.lists(
    st.builds(Pool, WORDS, WORDS, DOCUMENTS.map(tuple), TEXT), min_size=1, max_size=3, unique_by=lambda pool: pool.query_id
)  # fmt: skip


def rows(pools: list[Pool]) -> list[dict[str, Any]]:
    return [
        {"query_id": pool.query_id, "query": pool.query, "description": pool.description, "document_id": document.id,
         "title": document.title, "text": document.text}
        for pool in pools for document in pool.documents
    ]  # fmt: skip


def write_jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@given(pools=POOLS)
def test_a_document_a_line_reads_as_the_pools(tmp_path_factory: pytest.TempPathFactory, pools: list[Pool]) -> None:
    assert read_jsonl_pools(write_jsonl(tmp_path_factory.mktemp("pools") / "pool.jsonl", rows(pools))) == pools


@given(pools=POOLS, has_prior=st.booleans())
def test_a_query_a_line_reads_as_the_pools(tmp_path_factory: pytest.TempPathFactory, pools: list[Pool], has_prior: bool) -> None:
    records = [
        {"query_id": pool.query_id, "query": pool.query, "description": pool.description, "has_prior": has_prior,
         "documents": [{"id": document.id, "title": document.title, "text": document.text} for document in pool.documents]}
        for pool in pools
    ]  # fmt: skip
    found = read_jsonl_pools(write_jsonl(tmp_path_factory.mktemp("pools") / "pool.jsonl", records))
    assert found == [Pool(pool.query_id, pool.query, pool.documents, pool.description, has_prior) for pool in pools]


@pytest.mark.parametrize(("ending", "separator"), [(".csv", ","), (".tsv", "\t"), (".TSV", "\t")])
@given(pools=POOLS)
def test_a_table_reads_as_the_pools(tmp_path_factory: pytest.TempPathFactory, pools: list[Pool], ending: str, separator: str) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows(pools)[0]), delimiter=separator, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows(pools))
    path = tmp_path_factory.mktemp("pools") / f"pool{ending}.gz"
    path.write_bytes(gzip.compress(text.getvalue().encode()))
    assert read_table_pools(path) == pools


def test_queries_may_be_mixed_in_the_file_and_say_their_text_once(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "pool.jsonl", [
        {"query_id": 1, "document_id": "a", "text": "A"},
        {"query_id": 2, "query": "two", "document_id": "a", "text": "A", "url": "passed over"},
        {"query_id": 1, "query": "one", "document_id": 5, "title": "only a title"},
    ])  # fmt: skip
    assert read_jsonl_pools(path) == [
        Pool("1", "one", (Document("a", text="A"), Document("5", "only a title"))),
        Pool("2", "two", (Document("a", text="A"),)),
    ]


@pytest.mark.parametrize(("values", "expected"), [
    ([{"score": 0.5}, {"score": 2}, {"score": 0.5}], "bac"),
    ([{"rank": 3}, {"rank": 1}, {"rank": 2}], "bca"),
    ([{"score": 1, "rank": 1}, {"score": 2, "rank": 2}, {"score": 3, "rank": 3}], "cba"),  # the score says more
    ([{"has_prior": True}, {}, {}], "abc"),
])  # fmt: skip
def test_a_score_or_rank_is_a_prior_and_orders_the_pool(tmp_path: Path, values: list[dict[str, Any]], expected: str) -> None:
    records = [{"query_id": "1", "query": "q", "id": name, "text": name, **value} for name, value in zip("abc", values, strict=True)]
    [pool] = read_jsonl_pools(write_jsonl(tmp_path / "pool.jsonl", records))
    assert ("".join(pool.items), pool.has_prior) == (expected, True)


def test_a_table_may_have_scores_and_say_that_it_is_ordered(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id,query,id,text,score\n1,q,a,A,0.5\n1,,b,B,1e3\n")
    (tmp_path / "b.csv").write_text("query_id,query,id,text,has_prior,score\n1,q,a,A,TRUE,\n1,,b,B,,\n")
    (tmp_path / "c.csv").write_text("query_id,query,id,text,has_prior\n1,q,a,A,false\n\n1,,b,B,\n")
    found = [read_table_pools(tmp_path / f"{name}.csv")[0] for name in "abc"]
    assert [("".join(pool.items), pool.has_prior) for pool in found] == [("ba", True), ("ab", True), ("ab", False)]


# ---- documents that are not plain text ----

PNG = b"\x89PNG\r\n\x1a\n rest"
PNG_URL = "data:image/png;base64," + base64.b64encode(PNG).decode()
HEAD = {"query_id": "1", "query": "q", "id": "a"}


def one(path: Path, **fields: Any) -> Document:
    [pool] = read_jsonl_pools(write_jsonl(path / "pool.jsonl", [{**HEAD, **fields}]))
    return pool["a"]


@pytest.mark.parametrize(("fields", "expected"), [
    ({"html": "<p>A"}, Document("a", text="<p>A", kind="html")),
    ({"kind": "html", "text": "<p>A"}, Document("a", text="<p>A", kind="html")),
    ({"kind": "html", "text": "A", "html": "<p>A"}, Document("a", text="<p>A", kind="html")),
    ({"kind": "text", "text": "A", "html": "<p>A", "image": "no.png", "link": "no"}, Document("a", text="A")),
    ({"image": "below/a.jpg", "text": "a wing"}, Document("a", text="a wing", kind="image", url=PNG_URL)),  # the first bytes count
    ({"kind": "image", "url": PNG_URL, "title": "T"}, Document("a", "T", kind="image", url=PNG_URL)),
    ({"image": PNG_URL.replace("png", "gif")}, Document("a", kind="image", url=PNG_URL)),
    ({"link": "https://example.org/a?b=c", "text": "says"}, Document("a", text="says", kind="link", url="https://example.org/a?b=c")),
    ({"url": "http://example.org", "title": "T"}, Document("a", "T", kind="link", url="http://example.org")),
    ({"kind": "link", "url": "http://example.org", "text": "says"}, Document("a", text="says", kind="link", url="http://example.org")),
    ({"url": "http://example.org", "text": "says"}, Document("a", text="says")),  # where a text came from is no more than that
])  # fmt: skip
def test_a_record_may_be_a_page_an_image_or_a_link(tmp_path: Path, fields: dict[str, str], expected: Document) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.jpg").write_bytes(PNG)
    assert one(tmp_path, **fields) == expected


def test_a_table_may_mix_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "pool.csv").write_text(
        "query_id,query,id,title,html,image,link\n1,q,a,T,,,\n1,q,b,,<b>B,,\n1,q,c,,,a.png,\n1,q,d,,,,http://x.org\n"
    )
    assert read_table_pools(tmp_path / "pool.csv")[0].documents == (
        Document("a", "T"),
        Document("b", text="<b>B", kind="html"),
        Document("c", kind="image", url=PNG_URL),
        Document("d", kind="link", url="http://x.org"),
    )


@pytest.mark.parametrize(("fields", "message"), [
    ({"kind": "video", "text": "A"}, ":1: field 'kind' must be one of text, html, image, link, got 'video'"),
    ({"html": "<p>", "text": "A"}, ":1: has the fields html and text; say with 'kind' which of them is to be shown"),
    ({"image": "a", "link": "b"}, ":1: has the fields image and link; say with 'kind' which of them is to be shown"),
    ({"kind": "html"}, ":1: needs a field 'html' or 'text' or 'title' that is not empty, got 'query_id, query, id, kind'"),
    ({"kind": "link", "text": "A"}, ":1: needs a field 'link' or 'url' that is not empty, got 'query_id, query, id, kind, text'"),
    ({"kind": "image", "text": "A"}, ":1: needs a field 'image' or 'url' that is not empty, got 'query_id, query, id, kind, text'"),
    ({"link": "javascript:alert(1)"},
     ":1: url of document 'a', a link, must begin with http:// or https://, name a host and hold no blanks, got 'javascript:alert(1)'"),
    ({"image": "none.png"}, ":1: image of document 'a' there is no such file; its path begins at the folder of this one; "
     "it is said to be 'none.png'"),
    ({"image": "text.png"}, ":1: image of document 'a' must be one of png, jpeg, gif, webp, avif, svg; its first bytes are of none of "
     "them: b'no image'; it is said to be 'text.png'"),
    ({"image": "http://example.org/a.png"}, ":1: image of document 'a' must be a file or a data: URL; images from elsewhere are not "
     "fetched (a link can be shown: kind link); it is said to be 'http://example.org/a.png'"),
])  # fmt: skip
def test_a_document_that_cannot_be_shown_is_refused_by_line(tmp_path: Path, fields: dict[str, str], message: str) -> None:
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(FileError) as caught:
        one(tmp_path, **fields)
    assert str(caught.value) == f"{tmp_path}/pool.jsonl{message}"


@pytest.mark.parametrize("way", ["../secret.png", "below/../../secret.png", "{secret}", "link.png", "below/../own.png", "..\\\\secret.png"])
def test_no_image_is_read_from_outside_the_folder(tmp_path: Path, way: str) -> None:
    home = tmp_path / "home"
    (home / "below").mkdir(parents=True)
    for path in (tmp_path / "secret.png", home / "own.png"):
        path.write_bytes(PNG)
    (home / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(FileError, match="must be a path below the folder of this file"):
        one(home, image=way.format(secret=tmp_path / "secret.png"))


GOOD = {"query_id": "1", "query": "q", "document_id": "a", "text": "A"}


@pytest.mark.parametrize(("records", "message"), [
    ([], ": has no documents; expected records with query_id, query, document_id and text"),
    ([{"query": "q", "id": "a"}], ":1: needs a field 'query_id' that is not empty, got 'query, id'"),
    ([GOOD, {"query_id": "1", "documnet_id": "b", "text": "B"}],
     ":2: needs a field 'document_id' or 'id' that is not empty, got 'query_id, documnet_id, text'"),
    ([GOOD, {"query_id": "1", "id": "b", "text": ""}], ":2: needs a field 'text' or 'title' that is not empty, got 'query_id, id'"),
    ([GOOD, {"query_id": "1", "id": "b", "text": 5}], ":2: field 'text' must be text, got '5'"),
    ([{**GOOD, "query_id": 1.5}], ":1: field 'query_id' must be text, got '1.5'"),
    ([GOOD, GOOD], ":2: document occurs twice for its query, got 'a'"),
    ([GOOD, {**GOOD, "id": "b", "document_id": "b", "query": "p"}],
     ":2: field 'query' differs from an earlier one of the same query, 'q', got 'p'"),
    ([{**GOOD, "query": ""}], ":1: no record of this query has a field 'query', its text, got '1'"),
    ([GOOD, {**GOOD, "document_id": "b", "score": 1}],
     ":2: a score or rank must be there for all documents of a query, or for none, got 'b'"),
    ([{**GOOD, "score": 1}, {**GOOD, "document_id": "b"}],
     ":2: a score or rank must be there for all documents of a query, or for none, got 'b'"),
    ([{**GOOD, "score": "high"}], ":1: field 'score' must be a finite number, got 'high'"),
    ([{**GOOD, "has_prior": "perhaps"}], ":1: field 'has_prior' must be true or false, got 'perhaps'"),
    ([{**GOOD, "has_prior": 7}], ":1: field 'has_prior' must be true or false, got '7'"),
    ([{**GOOD, "has_prior": []}], ":1: field 'has_prior' must be true or false, got '[]'"),
    ([{"query_id": "1", "query": "q", "documents": {"id": "a"}}], ":1: field 'documents' must be a list of objects, got \"{'id': 'a'}\""),
])  # fmt: skip
def test_a_malformed_record_is_refused_by_line(tmp_path: Path, records: list[dict[str, Any]], message: str) -> None:
    path = write_jsonl(tmp_path / "pool.jsonl", records)
    with pytest.raises(FileError) as caught:
        read_jsonl_pools(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(("text", "message"), [
    ("", ": has no documents; expected records with query_id, query, document_id and text"),
    ("qid,id,text\n", ":1: the header must name a column 'query_id', it names, got 'qid, id, text'"),
    ("query_id,text\n", ":1: the header must name a column 'document_id', it names, got 'query_id, text'"),
    ("query_id,id\n", ":1: the header must name a column 'text', it names, got 'query_id, id'"),
    ("query_id,id,text,text\n", ":1: the header names a column twice, got 'query_id, id, text, text'"),
    ('query_id,query,id,text\n1,q,a,"two\nlines"\n1,q,b\n', ":4: has 3 fields where the header has 4, got '1,q,b'"),
    ('query_id,query,id,text\n1,q,a,"A" B\n', ":2: cannot be read as rows of fields (',' expected after '\"'); JSONL holds any text"),
    ('query_id,query,id,text\n1,q,a,A\n1,q,b,"B\n', ":3: cannot be read as rows of fields (unexpected end of data); JSONL holds any text"),
    ("query_id,query,id,text\n,q,a,A\n", ":2: needs a field 'query_id' that is not empty, got 'query, id, text'"),
])  # fmt: skip
def test_a_malformed_table_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pool.csv").write_text(text)
    with pytest.raises(FileError) as caught:
        read_table_pools(tmp_path / "pool.csv")
    assert str(caught.value) == f"{tmp_path}/pool.csv{message}"
