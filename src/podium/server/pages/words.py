"""Numbers, times and plain text as pages show them; every template has this module as ``words``."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from markupsafe import Markup, escape

__all__ = ["formatted", "many", "moment", "percent", "seconds", "thousands"]

_BOLD, _BOLD_END = re.compile(r"\*\*(?=\S)"), re.compile(r"(?<=\S)\*\*")
_ITEM = re.compile(r"\s*[-*•]\s+")


def formatted(text: str) -> Markup:
    """Plain text as safe HTML: paragraphs, lists of lines that begin with "-", and **bold**. Everything else is shown as it was written.

    >>> print(formatted("Read **both**."))
    <p>Read <strong>both</strong>.</p>
    >>> print(formatted("Look for <b>:\\n- facts\\n- dates"))
    <p>Look for &lt;b&gt;:</p><ul><li>facts</li><li>dates</li></ul>
    """
    return Markup("").join(
        _block(block) for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip()) for block in _blocks(paragraph)
    )


def _blocks(paragraph: str) -> list[list[str]]:
    """Runs of lines that are all items of a list, or none of them."""
    blocks: list[list[str]] = []
    for line in filter(str.strip, paragraph.split("\n")):
        if blocks and bool(_ITEM.match(blocks[-1][0])) == bool(_ITEM.match(line)):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _block(lines: list[str]) -> Markup:
    if not _ITEM.match(lines[0]):
        return Markup("<p>{}</p>").format(Markup("<br>").join(map(_line, lines)))
    items = (Markup("<li>{}</li>").format(_line(_ITEM.sub("", line, count=1))) for line in lines)
    return Markup("<ul>{}</ul>").format(Markup("").join(items))


def _line(text: str) -> Markup:
    return Markup(_bolded(str(escape(text.strip()))))  # escaped first: the only tags are ours


def _bolded(text: str) -> str:
    """Not by one expression: where no end follows, it would look for one from every beginning."""
    parts, place = [], 0
    while (begin := _BOLD.search(text, place)) and (end := _BOLD_END.search(text, begin.end() + 1)):
        parts += [text[place : begin.start()], "<strong>", text[begin.end() : end.start()], "</strong>"]
        place = end.end()
    return "".join([*parts, text[place:]])


def moment(text: str | None) -> Markup:
    """A time of the store for reading, with the exact one for machines.

    >>> print(moment("2026-11-16T09:39:46.123456+00:00"))
    <time datetime="2026-11-16T09:39:46.123456+00:00">16 Nov 2026, 09:39</time>
    >>> print(moment(None))
    never
    """
    if not text:
        return Markup("never")
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return escape(text)
    return Markup('<time datetime="{}">{}</time>').format(text, f"{at.day} {at:%b %Y, %H:%M}")


def many(count: int, one: str, several: str = "") -> str:
    """A count with its noun.

    >>> many(1, "query", "queries"), many(1200, "judgment")
    ('1 query', '1,200 judgments')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def thousands(count: int) -> str:
    return f"{count:,}"


def percent(part: float, whole: float) -> str:
    """A share as a whole percentage, which is 100 only if nothing is missing.

    >>> percent(1, 3), percent(999, 1000), percent(0, 0)
    ('33 %', '99 %', '0 %')
    """
    return f"{int(100 * part / whole) if whole else 0} %"


def seconds(value: float | None) -> str:
    """A duration, or a dash for none.

    >>> seconds(8.123), seconds(None)
    ('8.1 s', '–')
    """
    return "–" if value is None else f"{value:.1f} s"
