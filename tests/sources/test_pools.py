"""Things to label: one door for all formats."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from podium import DataError, Dataset, FileError, UnknownName
from podium.pool import Document, Pool
from podium.sources.collections import TestCollection, Topic, bm25_over, pools_from
from podium.sources.letor_writing import write_letor
from podium.sources.pools import POOL_FORMATS, pool_format_of, pools_of, read_pools
from podium.sources.trec import Run, write_run

TEXTS = {"a": "wing flutter", "b": "heat of a slab", "c": "flutter and flutter of a wing"}
RUN = Run({"q2": {"a": 1.0, "b": 3.0}, "q1": {"c": 2.0, "a": 2.0, "b": 5.0}})
JUDGED = {"q1": ["c", "a"], "q2": ["b"]}
QUERIES = {"q1": "flutter", "q2": "heat", "q3": "not judged"}


def document(name: str) -> Document:
    return Document(name, text=TEXTS[name])


def write_beir(folder: Path) -> Path:
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": name, "text": text}) + "\n" for name, text in TEXTS.items()))
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": name, "text": text}) + "\n" for name, text in QUERIES.items()))
    (folder / "qrels").mkdir()
    judgments = "".join(f"{query}\t{name}\t1\n" for query, names in JUDGED.items() for name in names)
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judgments}")
    return folder


def write_trec(folder: Path) -> Path:
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(f"\n<DOC>\n<DOCNO>{name}</DOCNO>\n<TEXT>{text}</TEXT>\n</DOC>\n")
    (folder / "0-picture").write_bytes(b"\xff\xd8\xff")
    return folder


def write_topics(path: Path) -> Path:
    path.write_text("".join(f"{query}\t{text}\n" for query, text in QUERIES.items()))
    return path


def write_cranfield(folder: Path) -> Path:
    folder.mkdir()
    (folder / "cran.all.1400").write_text(".I 1\n.W\nwing flutter\n")
    (folder / "cran.qry").write_text(".I 3\n.W\nflutter\n")
    return folder


# ---- collections ----


@pytest.mark.parametrize("as_file", [True, False])
def test_a_run_gives_the_documents_and_their_order(tmp_path: Path, as_file: bool) -> None:
    write_run(RUN, tmp_path / "run")
    found = read_pools(write_beir(tmp_path / "beir"), run=tmp_path / "run" if as_file else RUN)
    assert found == [
        Pool("q1", "flutter", (document("b"), document("c"), document("a")), has_prior=True),
        Pool("q2", "heat", (document("b"), document("a")), has_prior=True),
    ]


def test_without_a_run_the_judged_documents_are_the_pool(tmp_path: Path) -> None:
    found = read_pools(write_beir(tmp_path / "beir"))
    assert found == [Pool("q1", "flutter", (document("c"), document("a"))), Pool("q2", "heat", (document("b"),))]


def test_trec_documents_topics_and_a_run_make_pools(tmp_path: Path) -> None:
    folder, topics = write_trec(tmp_path / "documents"), write_topics(tmp_path / "topics")
    expected = read_pools(write_beir(tmp_path / "beir"), run=RUN)
    (folder / "0-picture").unlink()
    assert read_pools(folder, topics=topics, run=RUN) == expected
    assert read_pools([folder / "c", folder / "a", folder / "b"], topics=topics, run=RUN) == expected


def test_bm25_stands_in_for_a_run(tmp_path: Path) -> None:
    first, second = read_pools(write_beir(tmp_path / "beir"), run="bm25")
    assert (first.items, first.has_prior) == (
        ("a", "c"),
        True,
    )  # 1/(1 + 1.2(.25 + .75·2/4)) > 2/(2 + 1.2(.25 + .75·6/4))
    assert (second.query_id, second.items) == ("q2", ("b",))
    assert [pool.items for pool in read_pools(tmp_path / "beir", run="bm25", depth=1, queries=["q1"])] == [("a",)]


def test_depth_and_queries_choose_a_part(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "beir")
    assert [pool.items for pool in read_pools(folder, run=RUN, depth=2)] == [("b", "c"), ("b", "a")]
    assert [pool.query_id for pool in read_pools(folder, run=RUN, queries=["q2", "q3"])] == ["q2"]
    assert [pool.items for pool in read_pools(folder, depth=1, queries={"q1"})] == [("c",)]


def test_other_topics_may_replace_those_of_the_collection(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("q1\tsaid otherwise\nq2\theat\n")
    assert read_pools(write_beir(tmp_path / "beir"), topics=tmp_path / "topics")[0].query == "said otherwise"


def test_bm25_ranks_only_the_queries_asked_for() -> None:
    collection = TestCollection(Path("here"), [Topic(*query) for query in QUERIES.items()], lambda: map(document, TEXTS))
    assert list(bm25_over(collection, queries=["q2"]).scores) == ["q2"]


def test_only_candidates_are_kept_in_memory() -> None:
    seen: list[weakref.ref[Document]] = []
    alive: list[int] = []

    def documents() -> Iterator[Document]:
        for number in range(100):
            new = Document(str(number))
            seen.append(weakref.ref(new))
            yield new
            alive.append(sum(each() is not None for each in seen))

    collection = TestCollection(Path("here"), [Topic("q", "heat")], documents)
    [pool] = pools_from(collection, run=Run({"q": {"70": 1.0, "7": 2.0}}))
    assert pool.items == ("7", "70")
    assert max(alive) <= 3  # the two, and the one being read


def test_documents_that_the_collection_lacks_are_an_error_or_left_out(tmp_path: Path) -> None:
    folder, run = write_beir(tmp_path / "beir"), Run({"q1": {"x": 5, "a": 4, "y": 3, "z": 2, "w": 1}, "q2": {"x": 1}})
    with pytest.raises(DataError) as caught:
        read_pools(folder, run=run)
    assert str(caught.value) == (
        f"{folder} lacks 4 of the 5 documents to be labelled: 'x', 'y', 'z' and 1 more; "
        "was the run made from these documents? missing='skip' leaves them out"
    )
    assert read_pools(folder, run=run, missing="skip") == [Pool("q1", "flutter", (document("a"),), has_prior=True)]
    assert read_pools(folder, run=run, depth=1, queries=[], missing="skip") == []


def test_a_document_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "beir")
    with (folder / "corpus.jsonl").open("a") as file:
        file.write('{"_id": "a", "text": "another"}\n')
    with pytest.raises(FileError, match=r"beir: has two documents of one id, got 'a'"):
        read_pools(folder)


def test_queries_that_are_not_among_the_topics_are_refused(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "beir")
    with pytest.raises(DataError) as caught:
        read_pools(folder, run=Run({"1": {"a": 1.0}, "q1": {"a": 1.0}}))
    assert str(caught.value) == (
        f"1 of the 2 queries that have documents to be labelled are not among the 3 topics of {folder}: '1'; "
        "do both number the queries alike?"
    )
    with pytest.raises(DataError) as caught:
        read_pools(folder, queries=["q1", "q7", "q8"])
    assert str(caught.value) == f"{folder} has no query 'q7', 'q8' among its 3"


@pytest.mark.parametrize(("write", "options", "message"), [
    (write_cranfield, {},
     "has documents but no judgments, so a run must say which to label; give run=, or run='bm25' to make one"),
    (write_trec, {"run": RUN}, "holds TREC documents, which say nothing of queries; give topics=, and run= or run='bm25'"),
])  # fmt: skip
def test_a_collection_that_does_not_suffice_says_what_is_needed(tmp_path: Path, write, options, message: str) -> None:  # type: ignore[no-untyped-def]
    folder = write(tmp_path / "collection")
    with pytest.raises(FileError) as caught:
        read_pools(folder, **options)
    assert str(caught.value) == f"{folder}: {message}"


# ---- recognising a format ----


def small() -> Dataset:
    return Dataset.from_arrays([[1], [2], [3]], qid=["q1", "q2", "q1"], document_ids=["a", "b", "c"])


def write_examples(folder: Path) -> dict[str, Path]:
    """One path of each format."""
    (folder / "pool.ndjson").write_text('{"query_id": "q1", "query": "flutter", "id": "a", "text": "wing"}\n')
    (folder / "pool.csv").write_text("query_id,query,id,text\nq1,flutter,a,wing\n")
    write_letor(small(), folder / "data.txt.gz")
    return {
        "beir": write_beir(folder / "beir"), "cranfield": write_cranfield(folder / "cranfield"), "jsonl": folder / "pool.ndjson",
        "table": folder / "pool.csv", "trec": write_trec(folder / "trec"), "letor": folder / "data.txt.gz",
    }  # fmt: skip


def test_every_format_is_recognised(tmp_path: Path) -> None:
    examples = write_examples(tmp_path)
    assert {name: pool_format_of(path) for name, path in examples.items()} == {name: name for name in POOL_FORMATS}
    assert pool_format_of(examples["trec"] / "b") == "trec"


def test_what_is_not_recognised_is_told_the_formats_there_are(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("some words\n")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "notes.txt", tmp_path / "empty"):
        with pytest.raises(FileError) as caught:
            read_pools(path)
        assert str(caught.value).startswith(f"{path}: is in none of the known forms (")
        for name, form in POOL_FORMATS.items():
            assert f"{name}: {form.meaning}" in str(caught.value)
    with pytest.raises(FileError, match="nowhere: there is no such file or folder"):
        read_pools(tmp_path / "nowhere")


def test_the_format_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "pool").write_text('{"query_id": "q1", "query": "flutter", "id": "a", "text": "wing"}\n')
    assert read_pools(tmp_path / "pool", format="jsonl") == [Pool("q1", "flutter", (Document("a", text="wing"),))]
    with pytest.raises(UnknownName, match="unknown format of things to label 'json'; did you mean 'jsonl'"):
        read_pools(tmp_path / "pool", format="json")


# ---- pools that are whole already ----


def test_whole_pools_can_be_cut_too(tmp_path: Path) -> None:
    (tmp_path / "pool.tsv").write_text("query_id\tquery\tid\ttext\tscore\n1\tone\ta\tA\t1\n1\t\tb\tB\t2\n2\ttwo\ta\tA\t1\n")
    found = read_pools(tmp_path / "pool.tsv", depth=1, queries=["1"])
    assert found == [Pool("1", "one", (Document("b", text="B"),), has_prior=True)]
    with pytest.raises(DataError, match="has no query '3' among its 2"):
        read_pools(tmp_path / "pool.tsv", queries=["3"])


@pytest.mark.parametrize("options", [{"run": RUN}, {"run": "bm25"}, {"topics": "topics"}])
def test_whole_pools_take_no_run_and_no_topics(tmp_path: Path, options: dict) -> None:
    with pytest.raises(FileError, match=r"pool\.csv: holds its own queries and documents .*; leave out topics and run"):
        read_pools(write_examples(tmp_path)["table"], **options)


def test_a_dataset_gives_documents_without_text(tmp_path: Path) -> None:
    expected = [Pool("q1", "", (Document("a"), Document("c"))), Pool("q2", "", (Document("b"),))]
    assert pools_of(small()) == expected
    write_letor(small(), tmp_path / "data.txt")
    assert read_pools(tmp_path / "data.txt") == expected


@pytest.mark.parametrize(("options", "message"), [
    ({"depth": 0}, "depth must be 1 or more, got 0"),
    ({"queries": "q1"}, "queries must be several ids, got the text 'q1'; put it in a list"),
    ({"missing": "drop"}, "unknown way with missing documents 'drop'; choose from error, skip"),
])  # fmt: skip
def test_impossible_options_are_refused(tmp_path: Path, options: dict, message: str) -> None:
    with pytest.raises((DataError, UnknownName)) as caught:
        read_pools(write_beir(tmp_path / "beir"), **options)
    assert str(caught.value) == message


def test_several_paths_are_for_trec_documents_only(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there must be one path at least, got none"):
        read_pools([])
    with pytest.raises(DataError, match=r"several paths can be read as one only as TREC documents, got a\.csv, b\.csv as table"):
        read_pools(["a.csv", "b.csv"])
