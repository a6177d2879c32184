"""The inner loop of the LETOR reader: bytes in, numbers out.

One pass over the text does everything: labels, query ids, features and comments. A value that cannot be rounded to float32 surely
(see :mod:`podium.sources.decimals`) is put off, and Python's own ``float`` decides afterwards, so that every value equals
``numpy.float32(float(text))``.

The caller guarantees a newline at the end of the text and eight more bytes behind it: the newline stops every loop, so none of
them checks for the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from podium.ragged import kernel
from podium.sources.decimals import POWERS, WHOLE_POWERS, byte, decimal, digits, is_digit, ones, put_word, rounds_surely, word

__all__ = [
    "AT",
    "PROBLEM",
    "PROBLEMS",
    "PUT_OFF",
    "ROWS",
    "RUNS",
    "WIDER",
    "copy_spans",
    "count_newlines",
    "expected_heads",
    "parse_rows",
    "widest_feature",
]

# What can be wrong with a line; the index is the code the kernel returns.
PROBLEMS = (
    "",
    "first field must be the label, a finite number such as 2 or 0.5",
    "second field must be 'qid:<id>'",
    "feature must be '<number>:<value>'",
    "feature number must be a whole number from 1 on",
    "feature numbers must ascend within a line",
    "feature number must be at most {limit} (features are stored densely; pass max_features= if it is meant)",
    "feature value must be a finite number or NULL",
    "carriage return in the middle of a line",
)
_BAD_LABEL, _BAD_QID, _BAD_FEATURE, _BAD_NUMBER, _NOT_ASCENDING, _TOO_LARGE, _BAD_VALUE, _STRAY_RETURN = range(1, 9)
WIDER = -1  # not a problem of the file: the table has too few columns


ROWS, RUNS, PUT_OFF, PROBLEM, AT = range(5)  # places in the kernel's answer, `state`
_SPACE, _TAB, _NEWLINE, _RETURN, _HASH, _COLON, _DOT, _MINUS, _ZERO, _EQUALS = (ord(c) for c in " \t\n\r#:.-0=")
_FLOAT32_MAX = 3.4028235677973366e38  # from here on, float32 rounds to infinity
_NEWLINES, _LOW_BITS, _TOP_BITS = (np.uint64(n * 0x0101010101010101) for n in (_NEWLINE, 0x7F, 0x80))


@kernel
def count_newlines(text: Any, begin: int, end: int) -> int:
    """How many newlines lie in ``text[begin:end]``."""
    count, i = 0, begin
    while i + 8 <= end:
        difference = word(text, i) ^ _NEWLINES
        count += ones(~(((difference & _LOW_BITS) + _LOW_BITS) | difference | _LOW_BITS))  # a top bit for each zero byte
        i += 8
    while i < end:
        count += byte(text, i) == _NEWLINE
        i += 1
    return count


@kernel
def _ends_field(c: int) -> bool:
    return c == _SPACE or c == _NEWLINE or c == _TAB or c == _RETURN or c == _HASH


@kernel
def _skip_blanks(text: Any, i: int) -> int:
    while byte(text, i) == _SPACE or byte(text, i) == _TAB:
        i += 1
    return i


@kernel
def _line_end(text: Any, i: int) -> int:
    while byte(text, i) != _NEWLINE:
        i += 1
    return i


@kernel
def _is_null(text: Any, i: int) -> Any:
    return byte(text, i) == 78 and byte(text, i + 1) == 85 and byte(text, i + 2) == 76 and byte(text, i + 3) == 76


@kernel
def _same(text: Any, a: int, a_end: int, b: int, b_end: int) -> bool:
    if a_end - a != b_end - b:
        return False
    for j in range(a_end - a):
        if byte(text, a + j) != byte(text, b + j):
            return False
    return True


@kernel
def _comment(text: Any, i: int, spans: Any, row: int) -> int:
    """Note where the document id and the rest of the comment lie; ``i`` is behind the '#'. Returns the place of the newline."""
    i = _skip_blanks(text, i)
    if (word(text, i) & np.uint64(0xFFFFFFFFFF)) == np.uint64(0x6469636F64):  # 'docid'
        j = _skip_blanks(text, i + 5)
        if byte(text, j) == _EQUALS:
            i = _skip_blanks(text, j + 1)
    spans[row, 0] = i
    while not (byte(text, i) == _SPACE or byte(text, i) == _NEWLINE or byte(text, i) == _TAB or byte(text, i) == _RETURN):
        i += 1
    spans[row, 1] = i
    i = _skip_blanks(text, i)
    start, i = i, _line_end(text, i)
    stop = i
    while stop > start and (byte(text, stop - 1) == _SPACE or byte(text, stop - 1) == _TAB or byte(text, stop - 1) == _RETURN):
        stop -= 1
    spans[row, 2], spans[row, 3] = start, stop
    return i


@kernel
def _feature_number(text: Any, i: int, limit: int) -> tuple[int, int, int]:
    """A feature's number at ``i``: the number, where its value begins, and the problem if there is one."""
    number, start = 0, i
    while is_digit(byte(text, i)):
        number = min(number * 10 + byte(text, i) - _ZERO, limit + 1)
        i += 1
    if byte(text, i) == _COLON and i > start:
        return number, i + 1, _BAD_NUMBER if number == 0 else (_TOO_LARGE if number > limit else 0)
    while not (_ends_field(byte(text, i)) or byte(text, i) == _COLON):
        i += 1
    return 0, i, _BAD_NUMBER if byte(text, i) == _COLON and i > start else _BAD_FEATURE


@kernel
def _long_value(text: Any, i: int) -> tuple[float, int, int]:
    """The value at ``i``, how good it is (0 = not a value, 1 = rounds to the right float32, 3 = unknown), and its end."""
    value, quality, stop = decimal(text, i)
    if quality == 0 and _is_null(text, i):
        value, quality, stop = np.nan, 1, i + 4
    if quality == 0 or not _ends_field(byte(text, stop)) or (quality == 1 and abs(value) >= _FLOAT32_MAX):
        return 0.0, 0, i
    if quality == 2:
        quality = 1 if rounds_surely(value) else 3
    return value, quality, stop


@kernel
def _query_id(text: Any, i: int) -> tuple[int, int]:
    """Where the id of a ``qid:<id>`` field at ``i`` begins and ends; the same place twice if it is not one."""
    if (word(text, i) & np.uint64(0xFFFFFFFF)) != np.uint64(0x3A646971):  # 'qid:'
        return i, i
    start = i + 4
    i = start
    while not _ends_field(byte(text, i)):
        i += 1
    return start, i


@kernel
def _fail(state: Any, problem: int, at: int) -> int:
    state[PROBLEM], state[AT] = problem, at
    return -1


@kernel
def _fail_at(text: Any, state: Any, problem: int, at: int) -> None:
    """The same for a field that is not there at all: it may be a carriage return that is in the way."""
    is_stray = byte(text, at) == _RETURN and byte(text, at + 1) != _NEWLINE
    _fail(state, _STRAY_RETURN if is_stray else problem, at)


@kernel
def _put_off(put_off: Any, state: Any, row: int, column: int, at: int) -> None:
    """Leave a value to Python; where there is no room, only count it."""
    n = state[PUT_OFF]
    if n < len(put_off):
        put_off[n, 0], put_off[n, 1], put_off[n, 2] = row, column, at
    state[PUT_OFF] = n + 1


@kernel
def _features(text, i, row, width, limit, heads, features, put_off, state):  # type: ignore[no-untyped-def]
    """The features of one line from ``i`` on; returns where they end, or -1 if something is wrong."""
    base, column = row * width, 0
    while True:
        if column < width and (word(text, i) & heads[column, 1]) == heads[column, 0]:
            field = i + 1
            i += np.int64(heads[column, 2])
        else:
            i = _skip_blanks(text, i)
            c = byte(text, i)
            if c == _NEWLINE or c == _HASH or (c == _RETURN and byte(text, i + 1) == _NEWLINE):
                break
            if c == _RETURN:
                return _fail(state, _STRAY_RETURN, i)
            field = i
            number, i, problem = _feature_number(text, i, limit)
            if problem == 0 and number <= column:
                problem = _NOT_ASCENDING
            if problem == 0 and number > width:
                problem = WIDER
            if problem != 0:
                return _fail(state, problem, field)
            while column < number - 1:
                features[base + column] = 0.0
                column += 1
        # Most values look like 0.123456: one digit, a point, and up to eight more. This stands here, in branches, and not in a
        # function: merged into a choice between two values of i, each value would wait for the one before (half the speed).
        start, sign = i, byte(text, i) == _MINUS
        c = byte(text, i + sign)
        count, value = 0, 0.0
        if is_digit(c) and byte(text, i + sign + 1) == _DOT:
            count, fraction = digits(word(text, i + sign + 2))
        if count > 0 and _ends_field(byte(text, i + sign + 2 + count)):
            value = float(np.uint64(c - _ZERO) * WHOLE_POWERS[count] + fraction) / POWERS[count]
            if sign:
                value = -value
            i += sign + 2 + count
        else:
            value, quality, i = _long_value(text, i)
            if quality == 0:
                return _fail(state, _BAD_VALUE, field)
            if quality == 3:
                _put_off(put_off, state, row, column, start)
        features[base + column] = value
        column += 1
    while column < width:
        features[base + column] = 0.0
        column += 1
    return i


@kernel
def parse_rows(text, begin, end, first_row, width, limit, heads, features, labels, spans, runs, put_off, state):  # type: ignore[no-untyped-def]
    """Parse the lines of ``text[begin:end]`` into rows from ``first_row`` on; stop at the first problem.

    ``heads`` holds, for each column, the text before its value where no feature is left out (see :func:`expected_heads`).
    Written: ``features`` (flat, ``width`` columns), ``labels``, ``spans`` (document id and note), ``runs`` (row, begin and end of
    the query id wherever it changes), ``put_off`` (row, column, begin: values left to Python) and ``state``.
    """
    row, n_runs, i = first_row, 0, begin
    qid_start, qid_stop = 0, -1
    while i < end:
        i = _skip_blanks(text, i)
        c = byte(text, i)
        if c == _NEWLINE or c == _HASH or (c == _RETURN and byte(text, i + 1) == _NEWLINE):  # empty, or only a comment
            i = _line_end(text, i) + 1
            continue
        field = i
        value, quality, i = decimal(text, i)
        if quality == 0 or not _ends_field(byte(text, i)):
            _fail_at(text, state, _BAD_LABEL, field)
            return
        labels[row] = value
        if quality > 1:
            _put_off(put_off, state, row, -1, field)
        field = _skip_blanks(text, i)
        start, i = _query_id(text, field)
        if i == start:
            _fail_at(text, state, _BAD_QID, field)
            return
        if not _same(text, start, i, qid_start, qid_stop):
            runs[n_runs, 0], runs[n_runs, 1], runs[n_runs, 2] = row, start, i
            n_runs += 1
        qid_start, qid_stop = start, i
        i = _features(text, i, row, width, limit, heads, features, put_off, state)
        if i < 0:
            return
        if byte(text, i) == _HASH:
            i = _comment(text, i + 1, spans, row)
        else:
            spans[row, 0], spans[row, 1], spans[row, 2], spans[row, 3] = i, i, i, i
            i = _line_end(text, i)
        i += 1
        row += 1
        state[ROWS], state[RUNS] = row - first_row, n_runs


@kernel
def widest_feature(text: Any, begin: int, end: int, limit: int) -> int:
    """The largest feature number before any comment, as far as it can be told without parsing."""
    widest, i = 0, begin
    while i < end:
        while not (_ends_field(byte(text, i))):
            i += 1
        if byte(text, i) == _HASH:
            i = _line_end(text, i)
        i += 1
        if i < end and is_digit(byte(text, i)):
            number, _, problem = _feature_number(text, i, limit)
            if problem == 0:
                widest = max(widest, number)
    return widest


@kernel
def copy_spans(text: Any, starts: Any, stops: Any, out: Any, at: int, end: int, new_starts: Any, new_stops: Any) -> Any:
    """Copy each ``text[start:stop]`` behind one another into ``out[at:end]``, which they fill; note the new places.

    Eight bytes at a time while that stays within ``end``; beyond it, another thread may be writing. Returns whether any byte that was
    looked at is not ASCII.
    """
    seen = np.uint64(0)
    for j in range(len(starts)):
        new_starts[j] = at
        size = stops[j] - starts[j]
        i = 0
        while i < size and at + i + 8 <= end:
            eight = word(text, starts[j] + i)
            seen |= eight
            put_word(out, at + i, eight)
            i += 8
        while i < size:
            one = text[starts[j] + i]
            seen |= np.uint64(one)
            out[at + i] = one
            i += 1
        at += size
        new_stops[j] = at
    return (seen & _TOP_BITS) != np.uint64(0)


def expected_heads(width: int) -> Any:
    """What stands before each column's value in a line without gaps (`` 12:``), as word, mask and length.

    >>> word, mask, length = expected_heads(12)[11]
    >>> int(length), int(word).to_bytes(8, "little")
    (4, b' 12:\\x00\\x00\\x00\\x00')
    """
    heads = np.zeros((width, 3), dtype=np.uint64)
    for column in range(width):
        text = f" {column + 1}:".encode()
        if len(text) > 8:  # from a million features on, the plain way
            heads[column] = (1, 0, 0)
        else:
            heads[column] = (int.from_bytes(text, "little"), 2 ** (8 * len(text)) - 1, len(text))
    return heads
