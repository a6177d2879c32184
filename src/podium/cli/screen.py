"""What a person sees at the terminal: two documents side by side, or one to be graded. Pure: text in, text out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from podium.labelling.questions import Question
from podium.pool import Document, Pool

__all__ = ["clean", "page", "wrap"]

_GAP = " │ "
_SOFT_BREAK = re.compile(r"(?<=\S)\r?\n(?=[^\s\-*•\d])")  # a line that goes on in the next; not before a blank line, an indent or a list


def clean(text: str) -> str:
    r"""Text that cannot steer a terminal: whatever is not to be seen becomes a space, lines stay lines.

    >>> clean("a\x1b[2Jb\tc\r\nd")
    'a [2Jb c\nd'
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("".join(" " if unicodedata.category(sign).startswith("C") else sign for sign in line) for line in lines)


def _cells(text: str) -> int:
    """How wide a text is on a terminal."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(bool(unicodedata.combining(sign)) for sign in text)


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken at spaces where there are any; signs of Chinese or Japanese take two cells.

    >>> wrap("the wing flutters", 9)
    ['the wing', 'flutters']
    """
    lines = []
    for paragraph in clean(text).split("\n"):
        line = ""
        for word in paragraph.split():
            pieces = _pieces(word, width)
            for number, piece in enumerate(pieces):
                joined = f"{line} {piece}" if line and number == 0 else line + piece if not line else ""
                if joined and _cells(joined) <= width:
                    line = joined
                else:
                    lines.append(line)
                    line = piece
        lines.append(line)
    return lines


def _pieces(word: str, width: int) -> list[str]:
    pieces, piece = [], ""
    for sign in word:
        if piece and _cells(piece + sign) > width:
            pieces.append(piece)
            piece = ""
        piece += sign
    return [*pieces, piece]


def _fill(line: str, width: int) -> str:
    return line + " " * max(width - _cells(line), 0)


def _document(document: Document, width: int) -> list[str]:
    head = wrap(document.title, width) if document.title else []
    text = _SOFT_BREAK.sub(" ", document.text) or f"(only its id is known: {document.id})"
    return [*head, *([""] if head else []), *wrap(text, width)]


def page(
    pool: Pool, question: Question, *, size: tuple[int, int], scroll: int = 0, status: str = "", keys: Sequence[str] = ()
) -> tuple[str, int]:
    """A screen of ``size`` (columns, lines), and how far one could scroll on."""
    columns, lines = max(size[0], 24), max(size[1], 10)
    foot = [*wrap(" · ".join(keys), columns), _fill(status, columns)]
    head = [*wrap(f"Query {pool.query_id}: {pool.query}", columns), *(wrap(pool.description, columns) if pool.description else [])][
        : lines // 3
    ]
    room = max(lines - len(head) - len(foot) - 2, 1)
    body = _two_columns(pool, question, columns) if question.right is not None else _document(pool[question.left], columns)
    beyond = max(len(body) - room, 0)
    begin = min(scroll, beyond)
    shown = body[begin : begin + room]
    more = f" {begin + len(shown)} of {len(body)} lines, space for more " if beyond else ""
    rule = "─" * columns
    return "\n".join([*head, rule, *shown, *[""] * (room - len(shown)), (more + rule[len(more) :])[:columns], *foot]), beyond


def _two_columns(pool: Pool, question: Question, columns: int) -> list[str]:
    assert question.right is not None
    width = (columns - len(_GAP)) // 2
    left, right = _document(pool[question.left], width), _document(pool[question.right], width)
    height = max(len(left), len(right))
    pairs = zip(left + [""] * (height - len(left)), right + [""] * (height - len(right)), strict=True)
    return [(_fill(one, width) + _GAP + other).rstrip() for one, other in pairs]
