"""BEIR folders."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from podium import FileError
from podium.pool import Document
from podium.sources.beir import is_beir, open_beir, read_beir_corpus, read_beir_judgments, read_beir_queries
from podium.sources.collections import Topic


def test_a_folder_opens_with_all_its_judgments(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl.gz").write_bytes(
        gzip.compress(b'{"_id": "d1", "title": "T", "text": "one", "metadata": {}}\n{"_id": 2, "text": ""}\n')
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "first"}\n{"_id": "q2", "text": "second"}\n')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\n\n")
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t0\nq2\t2\t1\n")
    assert is_beir(tmp_path)
    collection = open_beir(tmp_path)
    assert collection.topics == [Topic("q1", "first"), Topic("q2", "second")]
    assert list(collection.documents()) == [Document("d1", "T", "one"), Document("2")]
    assert collection.judged is not None
    assert collection.judged.labels == {"q1": {"d1": 2.0}, "q2": {"d1": 0.0, "2": 1.0}}


def test_judgments_are_not_needed_but_queries_are(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "one"}\n')
    with pytest.raises(FileError) as caught:
        open_beir(tmp_path)
    assert str(caught.value) == f"{tmp_path}: must hold corpus.jsonl and queries.jsonl to be a BEIR folder"
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "first"}\n')
    assert open_beir(tmp_path).judged is None


HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.mark.parametrize(("text", "message"), [
    ("q1\td1\t1\n", ":1: must begin with the header query-id<TAB>corpus-id<TAB>score, got 'q1\\td1\\t1'"),
    (f"{HEADER}q1\td1\n", ":2: a judgment must be query-id<TAB>corpus-id<TAB>score, got 'q1\\td1'"),
    (f"{HEADER}\td1\t1\n", ":2: a judgment must be query-id<TAB>corpus-id<TAB>score, got '\\td1\\t1'"),
    (f"{HEADER}q1\td1\tyes\n", ":2: score, the third field, must be a finite number, got 'yes'"),
    (f"{HEADER}q1\td1\t1\nq1\td1\t2\n", ":3: document has two labels for query 'q1', got 'd1'"),
])  # fmt: skip
def test_malformed_judgments_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "test.tsv").write_text(text)
    with pytest.raises(FileError) as caught:
        read_beir_judgments(tmp_path / "test.tsv")
    assert str(caught.value) == f"{tmp_path}/test.tsv{message}"


@pytest.mark.parametrize(("text", "message"), [
    ('{"id": "d1", "text": "one"}', ":1: field '_id' must be text; the fields are id, text"),
    ('{"_id": "", "text": "one"}', ":1: field '_id' must be text, got ''"),
    ('{"_id": "d1", "text": null}', ":1: field 'text' must be text, got 'None'"),
    ('{"_id": "d1", "text": "one", "title": 5}', ":1: field 'title' must be text, got '5'"),
])  # fmt: skip
def test_malformed_documents_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(text)
    with pytest.raises(FileError) as caught:
        list(read_beir_corpus(tmp_path / "corpus.jsonl"))
    assert str(caught.value) == f"{tmp_path}/corpus.jsonl{message}"


def test_queries_must_be_there_once(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text("")
    with pytest.raises(FileError, match=r"queries\.jsonl: has no queries; expected lines such as"):
        read_beir_queries(path)
    path.write_text('{"_id": "q1", "text": "first"}\n{"_id": "q1", "text": "again"}\n')
    with pytest.raises(FileError, match=r"queries\.jsonl:2: query occurs twice, got 'q1'"):
        read_beir_queries(path)
