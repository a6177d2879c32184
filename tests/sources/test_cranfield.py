"""The Cranfield collection's format, by hand and as published."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from podium import FileError
from podium.pool import Document
from podium.sources.collections import Topic, bm25_over
from podium.sources.cranfield import (
    cranfield_labels,
    is_cranfield,
    open_cranfield,
    read_cranfield_codes,
    read_cranfield_documents,
    read_cranfield_queries,
)
from podium.sources.pools import read_pools

SHARED = Path(__file__).resolve().parents[3] / "shared"

DOCUMENTS = """.I 1
.T
wing in a
slipstream .
.A
brenckman,m.
.W
wing in a
slipstream .
  an experimental study
.A
of the lift .
.I 2
.T
.A
.B
.W
"""
QUERIES = ".I 001\n.W\nwhat similarity\nlaws .\n.I 004\n.W\nheat .\n"


def write(folder: Path, documents: str = DOCUMENTS, queries: str = QUERIES, codes: str = "1 2 1 \n2 1 4\n2 2 -1") -> Path:
    for name, text in (("cran.all.1400", documents), ("cran.qry", queries), ("cranqrel", codes), ("cranqrel.readme", "about it")):
        (folder / name).write_text(text)
    return folder


def test_documents_lose_the_repeated_title_and_the_slips_within_their_words(tmp_path: Path) -> None:
    found = list(read_cranfield_documents(write(tmp_path) / "cran.all.1400"))
    assert found == [Document("1", "wing in a slipstream .", "an experimental study\nof the lift ."), Document("2")]


def test_queries_are_numbered_by_their_place_and_codes_turned_round(tmp_path: Path) -> None:
    collection = open_cranfield(write(tmp_path))
    assert collection.topics == [Topic("1", "what similarity laws ."), Topic("2", "heat .")]
    assert collection.judged is not None
    assert collection.judged.labels == {"1": {"2": 4.0}, "2": {"1": 1.0}}


def test_it_is_told_by_its_folder_or_its_file_of_documents(tmp_path: Path) -> None:
    assert not is_cranfield(tmp_path)
    write(tmp_path)
    assert is_cranfield(tmp_path)
    assert read_pools(tmp_path / "cran.all.1400") == read_pools(tmp_path)
    (tmp_path / "cranqrel").unlink()
    assert open_cranfield(tmp_path).judged is None
    (tmp_path / "cran.qry").unlink()
    with pytest.raises(FileError) as caught:
        open_cranfield(tmp_path)
    assert str(caught.value) == f"{tmp_path}: must hold the documents (cran.all*) and the queries (cran.qry*) of Cranfield"


@pytest.mark.parametrize(("text", "message"), [
    ("", ": has no records; expected '.I 1' and, on lines of its own, '.W' and text"),
    (".I one\n.W\nwords\n", ":1: a record must begin with '.I' and its number, got '.I one'"),
    ("words\n", ":1: text must stand behind '.I <number>' and a mark such as '.W', got 'words'"),
    (".I 1\n.W\nheat\n.I 2\nwords\n", ":5: text must stand behind '.I <number>' and a mark such as '.W', got 'words'"),
    (".I 1\n.W\nheat\n.I 2\n.W\n", ":4: query has no text; expected '.W' and text below '.I'"),
])  # fmt: skip
def test_malformed_queries_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, queries=text)
    with pytest.raises(FileError) as caught:
        read_cranfield_queries(tmp_path / "cran.qry")
    assert str(caught.value) == f"{tmp_path}/cran.qry{message}"


@pytest.mark.parametrize(("text", "message"), [
    ("\n", ": has no judgments; expected lines such as '1 184 2'"),
    ("1 184 2\n1 29\n", ":2: a judgment must be query, document and a code of -1 or 1 to 5, got '1 29'"),
    ("1 184 0\n", ":1: a judgment must be query, document and a code of -1 or 1 to 5, got '1 184 0'"),
    ("1 x 2\n", ":1: a judgment must be query, document and a code of -1 or 1 to 5, got '1 x 2'"),
    ("1 184 2\n1 184 3\n", ":2: document has two codes for query '1', got '184'"),
])  # fmt: skip
def test_malformed_codes_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, codes=text)
    with pytest.raises(FileError) as caught:
        read_cranfield_codes(tmp_path / "cranqrel")
    assert str(caught.value) == f"{tmp_path}/cranqrel{message}"


# ---- as published ----


@pytest.fixture(scope="module")
def published(benchmark_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published files; unpacked here unless the shared fixture has them already."""
    if (benchmark_data / "cranfield").is_dir():
        return benchmark_data / "cranfield"
    folder = tmp_path_factory.mktemp("collections")
    subprocess.run([sys.executable, SHARED / "data" / "unpack.py", "--to", folder, "cranfield"], check=True, capture_output=True)
    return folder / "cranfield"


def test_the_published_files_hold_what_is_said_of_them(published: Path) -> None:
    collection, codes = open_cranfield(published), read_cranfield_codes(published / "cranqrel")
    documents = list(collection.documents())
    assert [document.id for document in documents] == [str(number) for number in range(1, 1401)]
    assert [topic.id for topic in collection.topics] == [str(number) for number in range(1, 226)] == list(codes)
    assert collection.topics[2].query == "what problems of heat conduction in composite slabs have been solved so far ."  # .I 004 there
    assert [document.id for document in documents if not document.text] == ["471", "995"]
    assert "application to turbulent separations" in documents[239].text  # behind a stray mark
    counts = Counter(code for found in codes.values() for code in found.values())
    assert (counts.total(), counts[-1]) == (1837, 225)
    assert all(list(found.values()).count(-1) == 1 for found in codes.values())


def test_bm25_finds_better_codes_earlier_and_the_papers_the_queries_came_from_first(published: Path) -> None:
    run, codes = bm25_over(open_cranfield(published)), read_cranfield_codes(published / "cranqrel")
    ranks: dict[int, list[int]] = {}
    for query, found in codes.items():
        place = {document: rank for rank, document in enumerate(run.scores[query], start=1)}
        for document, code in found.items():
            ranks.setdefault(code, []).append(place.get(document, 1401))
    medians = [float(np.median(ranks[code])) for code in (-1, 1, 2, 3, 4)]
    assert medians == sorted(medians)
    assert medians[0] <= 3


def test_pools_are_the_judged_documents_or_the_best_of_bm25(published: Path) -> None:
    judged, found = read_pools(published), read_pools(published, run="bm25", depth=20)
    labels = cranfield_labels(read_cranfield_codes(published / "cranqrel")).labels
    assert {pool.query_id: list(pool.items) for pool in judged} == {query: list(each) for query, each in labels.items()}
    assert sum(len(pool.documents) for pool in judged) == 1837 - 225
    assert len(found) == 225
    assert all(len(pool.documents) == 20 and pool.has_prior for pool in found)
    assert not any(pool.has_prior for pool in judged)
