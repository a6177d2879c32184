"""Documents and pools."""

from __future__ import annotations

import pytest

from podium import DataError, UnknownName
from podium.pool import Document

PNG = "data:image/png;base64,iVBORw0KGgo="


def test_a_plain_document_says_nothing_of_kinds() -> None:
    assert repr(Document("a", "T", "x")) == "Document(id='a', title='T', text='x')"


def test_a_long_address_is_cut_when_it_is_shown() -> None:
    document = Document("a", kind="image", url=PNG[:-4] + "A" * 4000)
    assert len(repr(document)) < 200
    assert len(document.url) > 4000


@pytest.mark.parametrize("url", ["http://x.org", "https://x.org:8080/a?b=c#d", "http://127.0.0.1/", "http://[::1]/"])
def test_a_link_may_lead_anywhere_on_the_web(url: str) -> None:
    assert Document("a", kind="link", url=url).url == url


@pytest.mark.parametrize(("kind", "url", "problem"), [
    ("text", "http://x.org", "must be empty"),
    ("html", PNG, "must be empty"),
    ("link", "", "must begin with http"),
    ("link", "ftp://x.org", "must begin with http"),
    ("link", "javascript:alert(1)//http://x.org", "must begin with http"),
    ("link", "//x.org", "must begin with http"),
    ("link", "http://", "must begin with http"),
    ("link", "http://x.org:port/", "must begin with http"),
    ("link", "http://x.org/a b", "hold no blanks"),
    ("link", "http://x.org/\n", "hold no blanks"),
    ("link", "http://x.org/\"onclick=", "hold no blanks"),
    ("link", "http://x.org/" + "a" * 8000, "hold no blanks"),
    ("image", "", "must be a data: URL"),
    ("image", "http://x.org/a.png", "must be a data: URL"),
    ("image", "data:text/html;base64,PHA+", "must be a data: URL"),
    ("image", "data:image/png,abc", "must be a data: URL"),
    ("image", PNG + "\"onload=", "must be whole base64"),
    ("image", "data:image/png;base64,", "must be whole base64"),
])  # fmt: skip
def test_an_address_that_does_not_suit_the_kind_is_refused(kind: str, url: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        Document("a", kind=kind, url=url)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown kind of document 'vidoe'; choose from html, image, link, text"):
        Document("a", kind="vidoe")
