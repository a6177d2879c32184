"""Lines of text files: numbered and decoded one by one, whatever the file's size; and what a field of a line may hold."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from typing import Any

from podium.errors import DataError, FileError
from podium.sources.blocks import blocks

__all__ = ["finite_number", "json_lines", "one_word", "plain_number", "text_lines"]

_MARK = "\ufeff"  # what some editors put before the first line


def text_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Each line with its number from 1, without its end; decompressed by the file's ending, never more than a block in memory."""
    number = 0
    for buffer, end in blocks(path):
        for raw in buffer[: end - 1].tobytes().split(b"\n"):  # a block ends with a newline, which opens no line
            number += 1
            yield number, _decoded(path, number, raw)


def _decoded(path: str | os.PathLike[str], number: int, raw: bytes) -> str:
    try:
        line = raw.decode()
    except UnicodeDecodeError as error:
        raise FileError(path, number, f"must be UTF-8 text, got byte 0x{raw[error.start]:02x}; convert it with iconv, say") from None
    return (line.removeprefix(_MARK) if number == 1 else line).removesuffix("\r")


def json_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line of a JSONL file, an object, with its number; empty lines are passed over."""
    for number, line in text_lines(path):
        if line.strip():
            yield number, _object(path, number, line)


def _object(path: str | os.PathLike[str], number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(path, number, f"must be one JSON object a line ({error})", got=line[:60]) from None
    if not isinstance(value, dict):
        raise FileError(path, number, "must be one JSON object a line", got=line[:60])
    return value


def finite_number(path: str | os.PathLike[str], line: int, what: str, value: object) -> float:
    """The number that a field holds, as text or as JSON has it.

    >>> finite_number("run.txt", 3, "score", "0.5")
    0.5
    """
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise FileError(path, line, f"{what} must be a finite number", got=str(value)[:60])
    return number


def one_word(kind: str, text: str) -> str:
    """The text, refused if fields parted by blanks could not hold it.

    >>> one_word("document id", "GX008-86")
    'GX008-86'
    """
    if text.split() != [text]:
        raise DataError(f"{kind} must be one word to be written to a file of fields parted by blanks, got {text!r}")
    return text


def plain_number(value: float) -> str:
    """A number that reads back the same, without ``.0`` if it is whole.

    >>> plain_number(2.0), plain_number(0.5)
    ('2', '0.5')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
