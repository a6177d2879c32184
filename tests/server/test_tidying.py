"""HTML put in order before it is cleaned."""

from __future__ import annotations

import re

import nh3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.server.tidying import DEEPEST, MOST_TAGS, tidied
from podium.sources.markup import html_to_text

TAGS = {"a", "b", "br", "dd", "dl", "dt", "img", "li", "p", "pre", "table", "td", "tr", "ul", "div"}
ATTRIBUTES = {"*": {"title"}, "img": {"src"}}
NAMES = sorted(TAGS)
PIECES = [
    *(f"<{name}>" for name in NAMES), *(f"</{name}>" for name in NAMES), "<x>", "</x>", "word ", "< ", "&lt;", "<!-- <b> -->",
    "<!doctype html>", "<script><b></script>", "<p title='a>b\"'>", "<img src=x>", "<b", '<p title="', "<!--", "<style>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_whatever_is_written_comes_out_in_order(source: str) -> None:
    tidy = tidied(source, TAGS, ATTRIBUTES)
    assert tidy is not None
    opened: list[str] = []
    for slash, name, rest in re.findall(r"<(/?)([a-z]*)([^<]*)", tidy):
        assert name in TAGS
        assert re.match(r'( (title|src)="[^"<]*")*>', rest)
        if slash:
            assert opened.pop() == name
        elif name not in ("br", "img"):
            opened.append(name)
    assert opened == []
    assert html_to_text(tidy).split() == html_to_text(source).split()


@pytest.mark.parametrize(
    ("source", "tidy"),
    [
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ul><li>a<ul><li>b</ul>c</ul>", "<ul><li>a<ul><li>b</li></ul>c</li></ul>"),
        ("<p>a<p>b<div>c", "<p>a</p><p>b</p><div>c</div>"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
        ("<div><table><tr><td></div>a</table>b</div>c", "<div><table><tr><td>a</td></tr></table>b</div>c"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        ("<b>a</p></i>b</b>", "<b>ab</b>"),
        ("<IMG SRC='a b' title=c onerror=x/>", '<img src="a b" title="c">'),
        ("a<br/>b</br>c", "a<br>bc"),
        ("1 < 2 & 3", "1 &lt; 2 & 3"),
    ],
)
def test_tags_end_where_a_browser_ends_them(source: str, tidy: str) -> None:
    assert tidied(source, TAGS, ATTRIBUTES) == tidy


def test_of_tags_that_lie_too_deep_the_text_is_kept() -> None:
    tidy = tidied("<div>" * (DEEPEST + 5) + "deep" + "</div>" * (DEEPEST + 5) + "<b>flat</b>", TAGS, ATTRIBUTES)
    assert tidy == "<div>" * DEEPEST + "deep" + "</div>" * DEEPEST + "<b>flat</b>"


def test_more_tags_than_can_be_cleaned_are_not() -> None:
    assert tidied("<br>" * MOST_TAGS, TAGS, ATTRIBUTES) == "<br>" * MOST_TAGS
    assert tidied("<br>" * (MOST_TAGS + 1), TAGS, ATTRIBUTES) is None


BOMBS = {  # tags that a browser opens again in each of many places, if they were not ended in order
    "p": "".join(f'<p><b title="{number}">' for number in range(200)) + "<p>x" * 2000,
    "li": "".join(f'<li><b title="{number}">' for number in range(200)) + "<li>x" * 2000,
    "dd": "".join(f'<dd><b title="{number}"><li>' for number in range(200)) + "<dd>x<li>y" * 1000,
    "td": "<table>" + "".join(f'<b title="{number}"><tr>' for number in range(200)) + "<tr>x<td>y" * 1000,
    "a": "".join(f'<a title="{number}"><b title="{number}">' for number in range(200)) + "<p>x</p>" * 2000,
    "b": "<p>" + "".join(f'<b title="{number}">' for number in range(200)) + "</p>" + "<p>x</p>" * 2000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_page_does_not_become_a_large_one(name: str) -> None:
    source = BOMBS[name]
    tidy = tidied(source, TAGS, ATTRIBUTES)
    assert tidy is not None
    assert len(nh3.clean(tidy, tags=TAGS, attributes=ATTRIBUTES)) < 10 * len(source)
