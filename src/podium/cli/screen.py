"""What a person sees at the terminal: two documents side by side, or one to be graded. Pure: text in, text out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from podium.labelling.questions import Question
from podium.pool import Document, Pool
from podium.sources.markup import readable_text

__all__ = ["MOST_SHOWN", "clean", "cut", "page", "wrap"]

MOST_SHOWN = 200_000  # characters of a document; nobody reads more before answering, and the rest would only cost time

_GAP = " │ "
_NARROW = 30  # columns below which two documents stand one under the other
_SOFT_BREAK = re.compile(r"(?<=\S)\r?\n(?=[^\s\-*•\d])")  # a line that goes on in the next; not before a blank line, an indent or a list
_JOINER, _AS_EMOJI = "\u200d", "\ufe0f"
_LONGEST = 32  # signs that are kept together as one; a heap of accents beyond is not worth the time


def clean(text: str) -> str:
    r"""Text that cannot steer a terminal: whatever is not to be seen becomes a space, lines stay lines, joined emoji stay joined.

    >>> clean("a\x1b[2Jb\tc\r\nd")
    'a [2Jb c\nd'
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line if line.isascii() and line.isprintable() else "".join(map(_seen, line)) for line in lines)


def _seen(sign: str) -> str:
    return sign if sign == _JOINER or unicodedata.category(sign)[0] not in "CZ" else " "


def _signs(text: str) -> list[str]:
    """Text cut where it may be cut: accents, variation selectors, skin tones and what a joiner joins stay with the sign before."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for sign in text:
        is_joined = found and (_cells_of(sign) == 0 or "\U0001f3fb" <= sign <= "\U0001f3ff" or found[-1].endswith(_JOINER))
        if is_joined and len(found[-1]) < _LONGEST:
            found[-1] += sign
        else:
            found.append(sign)
    return found


@lru_cache(maxsize=4096)  # a text has few different signs
def _cells_of(sign: str) -> int:
    if sign == _JOINER or unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def _width(sign: str) -> int:
    """Cells of one of :func:`_signs`: a family of emoji is as wide as one of them."""
    return 1 if sign.isascii() else 2 if _AS_EMOJI in sign else max(map(_cells_of, sign))


def _cells(text: str) -> int:
    """How wide a text is on a terminal."""
    return len(text) if text.isascii() else sum(map(_width, _signs(text)))


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken at spaces where there are any; signs of Chinese or Japanese take two cells.

    Linear in the length of the text. A sign wider than a whole line becomes a question mark.

    >>> wrap("the wing flutters", 9)
    ['the wing', 'flutters']
    """
    lines = []
    for paragraph in clean(text).split("\n"):
        line, used = list[str](), 0
        for word in paragraph.split():
            for piece, cells in _pieces(word, width):
                if line and used + 1 + cells > width:  # always so after a piece of the same word, which took all there was
                    lines.append(" ".join(line))
                    line, used = [], 0
                used += cells + (1 if line else 0)
                line.append(piece)
        lines.append(" ".join(line))
    return lines


def _pieces(word: str, width: int) -> list[tuple[str, int]]:
    """A word cut into parts that fit, each with its cells."""
    if word.isascii():
        return [(word[begin : begin + width], len(word[begin : begin + width])) for begin in range(0, len(word), width)]
    pieces, piece, used = list[tuple[str, int]](), list[str](), 0
    for sign in _signs(word):
        cells = _width(sign)
        if cells > width:
            sign, cells = "?", 1
        if piece and used + cells > width:
            pieces.append(("".join(piece), used))
            piece, used = [], 0
        piece.append(sign)
        used += cells
    return [*pieces, ("".join(piece), used)]


def cut(text: str, width: int) -> str:
    """One line of at most ``width`` cells, with a sign at its end if something was left out.

    >>> cut("the wing flutters", 9)
    'the wing…'
    """
    line = " ".join(clean(text).split())
    return line if _cells(line) <= width else (_pieces(line, width - 1)[0][0] if width > 1 else "") + "…"


def _fill(line: str, width: int) -> str:
    return line + " " * max(width - _cells(line), 0)


@lru_cache(maxsize=8)  # pure, and asked again at every key; a question has two documents
def _document(document: Document, width: int) -> tuple[str, ...]:
    head = [*wrap(document.title[:MOST_SHOWN], width), ""] if document.title else []
    whole = readable_text(document)
    text = whole[:MOST_SHOWN] if document.kind == "html" else _SOFT_BREAK.sub(" ", whole[:MOST_SHOWN])
    beyond = len(whole) - MOST_SHOWN
    rest = ["", *wrap(f"({beyond:,} more characters are not shown)", width)] if beyond > 0 else []
    return (*head, *wrap(text or _stand_in(document), width), *rest, *_where(document, width))


def _stand_in(document: Document) -> str:
    return f"(only its id is known: {document.id})" if document.kind == "text" else f"(of this {document.kind} there is no text)"


def _where(document: Document, width: int) -> list[str]:
    """The address of a link; of an image that there is one, as its own address is the whole image."""
    if document.kind == "image":
        return ["", *wrap(f"({document.url[5:].partition(';')[0]}: a terminal does not show it, podium serve does)", width)]
    return ["", *wrap(document.url, width)] if document.kind == "link" else []


@lru_cache(maxsize=2)
def _query(query: str, description: str, width: int) -> tuple[str, ...]:
    return (*wrap(query, width), *(wrap(description, width) if description else ()))


def page(
    pool: Pool, question: Question, *, size: tuple[int, int], scroll: int = 0, status: str = "", keys: Sequence[str] = ()
) -> tuple[str, int]:
    """A screen of ``size`` (columns, lines) whose last line is the status, and how far one could scroll on."""
    columns, lines = max(size[0], 1), max(size[1], 1)
    head = _query(f"Query {pool.query_id}: {pool.query}", pool.description, columns)[: lines // 3]
    foot = wrap(" · ".join(keys), columns)[: lines // 3]
    room = max(lines - len(head) - len(foot) - 3, 1)
    height, body = _body(pool, question, columns, scroll, room)
    beyond = max(height - room, 0)
    end = min(scroll, beyond) + len(body)
    more = f" {end} of {height} lines, space for more " if beyond else ""
    rule = "─" * columns
    above = [*head, rule, *body, *[""] * (room - len(body)), (more + rule[len(more) :])[:columns], *foot]
    return "\n".join([*above[: lines - 1], cut(status, columns)]), beyond


def _body(pool: Pool, question: Question, columns: int, scroll: int, room: int) -> tuple[int, list[str]]:
    """How many lines there are, and those that are seen."""
    if question.right is None:
        lines = _document(pool[question.left], columns)
    elif columns < _NARROW:
        left, right = _document(pool[question.left], columns), _document(pool[question.right], columns)
        lines = (cut("left:", columns), *left, "", cut("right:", columns), *right)
    else:
        return _two_columns(pool[question.left], pool[question.right], columns, scroll, room)
    begin = min(scroll, max(len(lines) - room, 0))
    return len(lines), list(lines[begin : begin + room])


def _two_columns(left: Document, right: Document, columns: int, scroll: int, room: int) -> tuple[int, list[str]]:
    width = (columns - len(_GAP)) // 2
    one, other = _document(left, width), _document(right, width)
    height = max(len(one), len(other))
    begin = min(scroll, max(height - room, 0))
    rows = range(begin, min(begin + room, height))  # the others are not seen: a key must not cost more in a longer document
    return height, [(_fill(_line(one, row), width) + _GAP + _line(other, row)).rstrip() for row in rows]


def _line(lines: Sequence[str], row: int) -> str:
    return lines[row] if row < len(lines) else ""
