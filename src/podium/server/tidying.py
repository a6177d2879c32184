"""HTML that others wrote, put in order before it is cleaned: what comes out is closed where it must be and nowhere deep.

To clean a page takes a parser such as browsers have, whose time and space grow with the square of how deeply tags lie in each other: half
a megabyte of ``<div>`` keeps it busy for a minute. So it is given only what was written anew here, in one pass: known tags with known
attributes, each ended in its turn, and of too many within each other the outer ones.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

__all__ = ["DEEPEST", "MOST_TAGS", "tidied"]

DEEPEST = 100
MOST_TAGS = 50_000

_TOKEN = re.compile(r"<!--.*?(?:-->|\Z)|<[!?][^>]*>?|<(/?)([A-Za-z][A-Za-z0-9]*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?""")
_UNREAD = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_VOID = {"br", "col", "hr", "img", "wbr"}
_CELL = {"caption", "table", "td", "th"}
_BLOCKS = {
    *("article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "footer", "h1", "h2", "h3"),
    *("h4", "h5", "h6", "header", "hgroup", "hr", "li", "nav", "ol", "p", "pre", "summary", "table", "ul"),
}
_ENDS: dict[str, tuple[set[str], set[str]]] = {  # a tag -> those that end where it begins, and those beyond which it ends nothing
    "li": ({"li"}, {"ol", "ul", *_CELL}),
    **dict.fromkeys(("dd", "dt"), ({"dd", "dt"}, {"dl", *_CELL})),
    **dict.fromkeys(("td", "th"), ({"td", "th"}, {"table"})),
    "tr": ({"tr"}, {"table"}),
    **dict.fromkeys(("tbody", "thead"), ({"tbody", "thead"}, {"table"})),
    "a": ({"a"}, _CELL),
}


def tidied(source: str, tags: Collection[str], attributes: Mapping[str, Collection[str]]) -> str | None:
    """The page with these tags and attributes only (``attributes["*"]`` are those of all tags); none if it has too many tags.

    >>> tidied("<p>a<b>b<p title='\\"'>c</i> < d<!-- e -->", {"p", "b"}, {"*": {"title"}})
    '<p>a<b>b</b></p><p title="&quot;">c &lt; d</p>'
    """
    writer, place, count = _Writer(), 0, 0
    while (token := _TOKEN.search(source, place)) is not None:
        writer.text(source[place : token.start()])
        slash, name = token[1], (token[2] or "").lower()
        place = token.end()
        if not name:  # a remark
            continue
        count += 1
        if count > MOST_TAGS:
            return None
        given, place = _attributes(source, place)
        if name in tags and slash:
            writer.end(name)
        elif name in tags:
            known = {*attributes.get(name, ()), *attributes.get("*", ())}
            writer.begin(name, {key: value for key, value in given.items() if key in known})
        elif name in _UNREAD and not slash:
            end = _UNREAD[name].search(source, place)
            place = len(source) if end is None else end.start()
    writer.text(source[place:])
    return writer.whole()


def _attributes(source: str, place: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag whose name ends at ``place``, and where it ends. What is begun and not ended takes the rest with it."""
    found: dict[str, str] = {}
    while (attribute := _ATTRIBUTE.match(source, place)) is not None:
        value = attribute[2] or attribute[3] or attribute[4] or ""
        found.setdefault(attribute[1].lower(), value)
        place = attribute.end()
    end = source.find(">", place)
    return found, len(source) if end < 0 else end + 1


class _Writer:
    """Writes a page in which every tag is ended by its own, and none lies deeper than ``DEEPEST``."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[str] = []

    def text(self, text: str) -> None:
        self._parts.append(text.replace("<", "&lt;"))

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _BLOCKS:
            self._end_one_of({"p"}, _CELL)
        if name in _ENDS:
            self._end_one_of(*_ENDS[name])
        if len(self._open) >= DEEPEST:
            return
        quoted = "".join(f' {key}="{_quoted(value)}"' for key, value in attributes.items())
        self._parts.append(f"<{name}{quoted}>")
        if name not in _VOID:
            self._open.append(name)

    def end(self, name: str) -> None:
        self._end_one_of({name}, {"table"})

    def whole(self) -> str:
        self._end_from(0)
        return "".join(self._parts)

    def _end_one_of(self, names: set[str], barriers: set[str]) -> None:
        """End the innermost of these, with all within it, unless it lies beyond a barrier."""
        for place in reversed(range(len(self._open))):
            if self._open[place] in names:
                self._end_from(place)
                return
            if self._open[place] in barriers:
                return

    def _end_from(self, place: int) -> None:
        self._parts.extend(f"</{name}>" for name in reversed(self._open[place:]))
        del self._open[place:]


def _quoted(value: str) -> str:
    return value.replace('"', "&quot;").replace("<", "&lt;")
