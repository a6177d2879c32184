"""HTML as plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.pool import Document
from podium.sources.markup import html_to_text, readable_text


@pytest.mark.parametrize(("source", "text"), [
    ("plain & simple", "plain & simple"),
    ("<p>one<p>two", "one\ntwo"),
    ("one<br>two<BR/>three", "one\ntwo\nthree"),
    ("a <b>bo</b>ld  \n word", "a bold word"),
    ("<pre>one\n two</pre>\nthree\nfour", "one\ntwo\nthree four"),
    ("<tr><td>1<td>2</tr><tr><th>3</th><th>4</th></tr>", "1 2\n3 4"),
    ("a<script>if (1 < 2) { x = '<p>' }</script>b<style>p {}</style>c<TEMPLATE><p>no</p></template >d", "abcd"),
    ("a<script src='x'/>hidden</script>b", "ab"),
    ("a<!-- <p>no</p> -- > -->b<!DOCTYPE html>c<?xml a?>d<![if x]>e", "abcde"),
    ("&lt;p&gt; &amp;amp; &#65;&#x42; &copy", "<p> &amp; AB ©"),
    ("<img src=x alt='a &quot;wing&quot;'><img alt=up><img>", "a \"wing\" up"),
    ("<a title='1 > 2' href=\"x>y\">in</a>", "in"),
    ("<p title=it's>on</p>off", "on\noff"),
    ("1 < 2 <3 << <> </> done", "1 < 2 <3 << <> </> done"),
    ("seen<a href='never closed>unseen", "seen"),
    ("seen<!-- unseen", "seen"),
    ("seen<script>unseen", "seen"),
    ("seen<p", "seen"),
    ("", ""),
])  # fmt: skip
def test_a_page_is_read_as_its_text(source: str, text: str) -> None:
    assert html_to_text(source) == text


@given(st.text(alphabet="<>/!-?[]=\"'ap &;\n", max_size=60))
def test_whatever_the_source_there_is_a_text_of_lines_that_say_something(source: str) -> None:
    text = html_to_text(source)
    assert all(line == line.strip() != "" for line in text.split("\n")) or text == ""


@given(st.text(alphabet="ab &;\n", max_size=30).map(str.strip))
def test_text_between_tags_is_kept_as_words(words: str) -> None:
    escaped = words.replace("&", "&amp;").replace("<", "&lt;")
    assert html_to_text(f"<div><b>{escaped}</b></div>") == " ".join(words.split())


def test_only_html_has_its_tags_taken_off() -> None:
    source = "<b>x</b>"
    assert readable_text(Document("a", text=source, kind="html")) == "x"
    assert readable_text(Document("a", text=source)) == source
    assert readable_text(Document("a", text=source, kind="link", url="http://x.org")) == source
