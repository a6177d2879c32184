"""TREC's topics and documents."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from podium import FileError
from podium.pool import Document
from podium.sources.collections import Topic
from podium.sources.trec_text import open_trec, read_topics, read_trec_documents

TOPICS = """
<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in crime &amp; trade,
with fewer than < 5 members.

<narr> Narrative:
A relevant document
must say so.

</top>
<TOP>
<num> Number: 051
<title> Topic:  Airbus Subsidies
</TOP>
<top><num>303</num><title>Hubble</title><desc>Telescope</desc></top>
"""

DOCUMENTS = """<DOC>
<DOCNO> FT911-3 </DOCNO>
<HEADLINE>
FT  14 MAY 91 / <P>A title</P>
</HEADLINE>
<TEXT>
First &amp; last <F P=100> words, 1 < 2
</TEXT>
<TEXT>
again
</TEXT>
</DOC>

<doc><docno>B</docno>
<!-- a
comment --><title>Web</title>
left <b>over</b>
</doc>
<DOC><DOCNO>C</DOCNO></DOC>
"""


def test_classic_topics_are_read_with_tags_open_or_closed(tmp_path: Path) -> None:
    (tmp_path / "topics.gz").write_bytes(gzip.compress(TOPICS.encode()))
    assert read_topics(tmp_path / "topics.gz") == [
        Topic(
            "301",
            "International Organized Crime",
            "Identify organizations that participate in crime & trade, with fewer than < 5 members.\n\nA relevant document must say so.",
        ),
        Topic("051", "Airbus Subsidies"),
        Topic("303", "Hubble", "Telescope"),
    ]


def test_plain_topics_are_lines_with_a_tab(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("301\torganized crime\twith a tab\n\nq-2\thubble\n")
    assert read_topics(tmp_path / "topics") == [Topic("301", "organized crime\twith a tab"), Topic("q-2", "hubble")]


@pytest.mark.parametrize(("text", "message"), [
    ("", ": has no topics; expected '<top> <num> Number: 301 <title> …' or lines 'query-id<TAB>text'"),
    ("1\tone\n2 two\n", ":2: a topic must be 'query-id<TAB>text', or a <top> record, got '2 two'"),
    ("1\tone\n1\ttwo\n", ":2: topic occurs twice, got '1'"),
    ("\n<top>\n<title> one\n</top>", ":2: topic has no <num>; it has, got '<title>'"),
    ("<top><num> Number: 1 <desc> one </top>", ":1: topic has no <title>; it has, got '<num> <desc>'"),
    ("<top>\n</top>", ":1: topic has no <num>; it has, got 'nothing'"),
])  # fmt: skip
def test_malformed_topics_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "topics").write_text(text)
    with pytest.raises(FileError) as caught:
        read_topics(tmp_path / "topics")
    assert str(caught.value) == f"{tmp_path}/topics{message}"


def test_documents_are_read_with_their_titles_and_without_their_tags(tmp_path: Path) -> None:
    (tmp_path / "documents").write_text(DOCUMENTS)
    first, second, third = read_trec_documents(tmp_path / "documents")
    assert (first.id, first.title) == ("FT911-3", "FT 14 MAY 91 / A title")
    assert first.text.split() == ["First", "&", "last", "words,", "1", "<", "2", "again"]
    assert (second.id, second.title, second.text.split()) == ("B", "Web", ["left", "over"])
    assert third == Document("C")


@pytest.mark.parametrize(("text", "message"), [
    ("<DOC>\n<DOCNO>A</DOCNO>\n<DOC>\n", ":3: a document begins, but the one of line 1 has no </DOC>"),
    ("\n<DOC>\n<DOCNO>A</DOCNO>\n", ":2: document has no </DOC>; is the file cut off?"),
    ("<DOC>\n<DOCNO> </DOCNO></DOC>\n", ":1: document has no <DOCNO>, got '<DOC>\\n<DOCNO> </DOCNO></DOC>'"),
    ("<DOC>\n</DOC>\n", ":1: document has no <DOCNO>, got '<DOC>\\n</DOC>'"),
])  # fmt: skip
def test_malformed_documents_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "documents").write_text(text)
    with pytest.raises(FileError) as caught:
        list(read_trec_documents(tmp_path / "documents"))
    assert str(caught.value) == f"{tmp_path}/documents{message}"


def test_a_folder_is_all_its_files_and_those_without_documents_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("1\tone\n")
    folder = tmp_path / "disk4" / "ft"
    folder.mkdir(parents=True)
    for document in "DBFACE":
        (folder / f"ft-{document}.gz").write_bytes(gzip.compress(f"<DOC>\n<DOCNO>{document}</DOCNO>\n</DOC>\n".encode()))
    (folder / "readme.txt").write_text("about it\n")
    (folder / ".hidden").write_bytes(b"\xff")
    collection = open_trec([tmp_path / "disk4"], tmp_path / "topics")
    assert [document.id for document in collection.documents()] == list("ABCDEF")
    assert [document.id for document in collection.documents()] == list("ABCDEF")  # as often as one likes


def test_files_without_any_document_are_refused(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("1\tone\n")
    (tmp_path / "documents").write_text("words\n")
    with pytest.raises(FileError, match=r"documents: has no documents; expected '<DOC>' on a line of its own"):
        list(open_trec([tmp_path / "documents"], tmp_path / "topics").documents())
