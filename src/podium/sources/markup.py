"""HTML as plain text, for terminals and for models: what is to be read of it, without tags, scripts and styles.

Documents come from anywhere, so this reads them in one pass, whatever they hold; the standard library's parser can take minutes over a page
of a hundred kilobytes that was made for it (``<a <a <a …``).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from podium.pool import Document

__all__ = ["html_to_text", "readable_text"]

_UNREAD = {"script", "style", "template"}  # left out up to their end tags
_CELLS = {"td", "th"}
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html"),
    *("legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead"),
    *("title", "tr", "ul"),
}
_OPENING = re.compile(r"<(?:(!--)|[!?]|(/?)([A-Za-z][^\s/>]*))")
_STOP = re.compile(r"""=\s*(["'])|>""")  # in a tag: where a quoted value begins, or the end
_ALT = re.compile(r"""\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")


def html_to_text(source: str) -> str:
    r"""The text of a page, a line for each block; an image gives its alternative text.

    Whatever the source is, there is a text. What is begun and not ended (a tag, a remark, a script) takes the rest with it, as in browsers.

    >>> html_to_text("<h1>Wings</h1><p>They <b>flut</b>ter,&nbsp;\n they do.<script>alert(1)</script><ul><li>left<li>right</ul>")
    'Wings\nThey flutter, they do.\nleft\nright'
    """
    lines = (" ".join(line.split()) for line in "".join(_parts(source)).split("\n"))
    return "\n".join(line for line in lines if line)


def readable_text(document: Document) -> str:
    """What can be read of a document as plain text: of html without its tags, of an image or a link what is said about it."""
    return html_to_text(document.text) if document.kind == "html" else document.text


def _parts(source: str) -> Iterator[str]:
    """Pieces of text, and line breaks where blocks begin and end."""
    place, preformatted = 0, 0
    while (opening := _OPENING.search(source, place)) is not None:
        yield _data(source[place : opening.start()], preformatted > 0)
        remark, slash, name = opening[1], opening[2], (opening[3] or "").lower()
        end = (
            _after(source, "-->", opening.end())
            if remark
            else _tag_end(source, opening.end())
            if name
            else _after(source, ">", opening.end())
        )
        if name == "pre":
            preformatted = max(preformatted + (-1 if slash else 1), 0)
        yield "\n" if name in _BLOCKS else " " if name in _CELLS else ""
        if name == "img" and (alt := _ALT.search(source, opening.end() - 1, end)):
            yield f" {_data(alt[1] or alt[2] or alt[3] or '', False)} "
        place = _end_tag_of(name, source, end) if name in _UNREAD and not slash else end
    yield _data(source[place:], preformatted > 0)


def _data(text: str, is_preformatted: bool) -> str:
    plain = html.unescape(text)
    return plain if is_preformatted else _BLANKS.sub(" ", plain)


def _after(source: str, sign: str, place: int) -> int:
    found = source.find(sign, place)
    return len(source) if found < 0 else found + len(sign)


def _tag_end(source: str, place: int) -> int:
    """Behind the bracket that ends a tag, which does not stand in a quoted value."""
    while (stop := _STOP.search(source, place)) is not None:
        if not stop[1]:
            return stop.end()
        place = _after(source, stop[1], stop.end())
    return len(source)


def _end_tag_of(name: str, source: str, place: int) -> int:
    found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, place)
    return len(source) if found is None else _tag_end(source, found.end())
