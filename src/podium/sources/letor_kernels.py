"""The inner loop of the LETOR reader: bytes in, numbers out.

One pass over the text does everything: labels, query ids, features and comments. A number is read as an integer of at most 19
digits and a power of ten. Where that cannot be exact and rounding it to float32 could go either way, the place is put off and
Python's own ``float`` decides afterwards, so that every value equals ``numpy.float32(float(text))``.

The caller guarantees a newline at the end of the text and eight more bytes behind it: the newline stops every loop, so none of
them checks for the end, and digits can be taken eight at a time (they lie in one machine word; three multiplications turn them
into a number).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from podium.ragged import kernel

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
_SPACE, _TAB, _NEWLINE, _RETURN, _HASH, _COLON, _DOT, _MINUS, _PLUS, _ZERO, _NINE, _EQUALS = (ord(c) for c in " \t\n\r#:.-+09=")
_SMALL_E, _LARGE_E = ord("e"), ord("E")
_POWERS = np.array([float(f"1e{e}") for e in range(309)])
_WHOLE_POWERS = np.array([10**e for e in range(9)], dtype=np.uint64)
_EXACT_POWER = 22  # 10^22 is the largest power of ten that a double holds exactly
_TWO53 = np.uint64(2**53)
_FULL = np.uint64(10**18)  # one more digit always fits below this, 19 digits in all
_U0, _U8, _U10, _U16, _U32 = (np.uint64(n) for n in (0, 8, 10, 16, 32))
_ZEROS, _TOP_BITS, _LOW_BITS = (np.uint64(n * 0x0101010101010101) for n in (0x30, 0x80, 0x7F))
_NOT_DIGIT = np.uint64(0x7676767676767676)  # carries into the top bit from 10 on
_NEWLINES = np.uint64(_NEWLINE * 0x0101010101010101)
_PAIRS = np.uint64(0x000000FF000000FF)
_HIGH_PAIRS, _LOW_PAIRS = np.uint64(100 + (1000000 << 32)), np.uint64(1 + (10000 << 32))
_FLOAT32_TINY, _FLOAT32_MAX = 1.2e-38, 3.4028235677973366e38  # below: subnormal; from the second on: rounds to infinity


def _instruction(function: Any) -> Any:
    """A function that says which machine instructions stand for a call of it."""
    return intrinsic(function)


@_instruction
def _byte(_context: Any, text: Any, _i: Any) -> Any:
    """``text[i]`` as int64, without Numba's handling of negative indices: a tenth faster."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.zext(builder.load(builder.gep(array.data, [arguments[1]])), ir.IntType(64))

    return types.int64(text, types.int64), generate


@_instruction
def _word(_context: Any, text: Any, _i: Any) -> Any:
    """``text[i:i + 8]`` as one little-endian word, at any address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(text, types.int64), generate


@_instruction
def _put_word(_context: Any, text: Any, _i: Any, _value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(text, types.int64, types.uint64), generate


@_instruction
def _trailing_zeros(_context: Any, _word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@_instruction
def _ones(_context: Any, _word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@kernel
def count_newlines(text: Any, begin: int, end: int) -> int:
    """How many newlines lie in ``text[begin:end]``."""
    count, i = 0, begin
    while i + 8 <= end:
        difference = _word(text, i) ^ _NEWLINES
        count += _ones(~(((difference & _LOW_BITS) + _LOW_BITS) | difference | _LOW_BITS))  # a top bit for each zero byte
        i += 8
    while i < end:
        count += _byte(text, i) == _NEWLINE
        i += 1
    return count


@kernel
def _is_digit(c: int) -> bool:
    return _ZERO <= c <= _NINE


@kernel
def _ends_field(c: int) -> bool:
    return c == _SPACE or c == _NEWLINE or c == _TAB or c == _RETURN or c == _HASH


@kernel
def _skip_blanks(text: Any, i: int) -> int:
    while _byte(text, i) == _SPACE or _byte(text, i) == _TAB:
        i += 1
    return i


@kernel
def _line_end(text: Any, i: int) -> int:
    while _byte(text, i) != _NEWLINE:
        i += 1
    return i


@kernel
def _digits(word: Any) -> tuple[int, Any]:
    """How many of the eight characters, from the first on, are digits, and their value."""
    values = word ^ _ZEROS
    others = ((values + _NOT_DIGIT) | values) & _TOP_BITS
    count = 8 if others == _U0 else _trailing_zeros(others) >> 3
    if count == 0:
        return 0, _U0
    pairs = values << np.uint64(64 - 8 * count)
    pairs = pairs * _U10 + (pairs >> _U8)
    number = ((pairs & _PAIRS) * _HIGH_PAIRS + ((pairs >> _U16) & _PAIRS) * _LOW_PAIRS) >> _U32
    return count, number


@kernel
def _mantissa(text: Any, i: int) -> tuple[Any, int, int, bool, int]:
    """Digits with at most one point: the first 19 as a number, its power of ten, the count, whether some were dropped, the end."""
    number, exponent, count, dropped = _U0, 0, 0, False
    c, after_point = _byte(text, i), False
    while _is_digit(c) or (c == _DOT and not after_point):
        if c == _DOT:
            after_point = True
        else:
            if number < _FULL:
                number = number * _U10 + np.uint64(c - _ZERO)
                exponent -= after_point
            else:
                dropped = dropped or c != _ZERO
                exponent += not after_point
            count += 1
        i += 1
        c = _byte(text, i)
    return number, exponent, count, dropped, i


@kernel
def _decimal(text: Any, i: int) -> tuple[float, int, int]:
    """A number at ``i``: its value, how good that is, and where it ends.

    How good: 0 = there is no number here, 1 = the nearest double, 2 = a few units in the last place off at most, 3 = unknown.
    """
    start, negative = i, _byte(text, i) == _MINUS
    i += negative or _byte(text, i) == _PLUS
    number, exponent, count, dropped, i = _mantissa(text, i)
    if count == 0:
        return 0.0, 0, start
    c = _byte(text, i)
    if c == _SMALL_E or c == _LARGE_E:
        i += 1
        minus = _byte(text, i) == _MINUS
        i += minus or _byte(text, i) == _PLUS
        if not _is_digit(_byte(text, i)):
            return 0.0, 0, start
        power = 0
        while _is_digit(_byte(text, i)):
            power = min(power * 10 + _byte(text, i) - _ZERO, 1_000_000_000)
            i += 1
        exponent += -power if minus else power
    value, quality = float(number), 3
    if number == _U0 and not dropped:
        quality = 1
    elif -300 <= exponent <= 280:
        value = value / _POWERS[-exponent] if exponent < 0 else value * _POWERS[exponent]
        is_exact = number < _TWO53 and not dropped and -_EXACT_POWER <= exponent <= _EXACT_POWER
        quality = 1 if is_exact else 2
    return -value if negative else value, quality, i


@kernel
def _rounds_surely(value: float) -> Any:
    """Whether a double a few units off rounds to the same float32 as the number it stands for."""
    size = abs(value)
    if not _FLOAT32_TINY < size < 3.4e38:
        return False
    tail = np.float64(size).view(np.int64) & 0x1FFFFFFF  # what the rounding cuts off; its middle is where it turns
    return abs(tail - 0x10000000) > 16


@kernel
def _is_null(text: Any, i: int) -> Any:
    return _byte(text, i) == 78 and _byte(text, i + 1) == 85 and _byte(text, i + 2) == 76 and _byte(text, i + 3) == 76


@kernel
def _same(text: Any, a: int, a_end: int, b: int, b_end: int) -> bool:
    if a_end - a != b_end - b:
        return False
    for j in range(a_end - a):
        if _byte(text, a + j) != _byte(text, b + j):
            return False
    return True


@kernel
def _comment(text: Any, i: int, spans: Any, row: int) -> int:
    """Note where the document id and the rest of the comment lie; ``i`` is behind the '#'. Returns the place of the newline."""
    i = _skip_blanks(text, i)
    if (_word(text, i) & np.uint64(0xFFFFFFFFFF)) == np.uint64(0x6469636F64):  # 'docid'
        j = _skip_blanks(text, i + 5)
        if _byte(text, j) == _EQUALS:
            i = _skip_blanks(text, j + 1)
    spans[row, 0] = i
    while not (_byte(text, i) == _SPACE or _byte(text, i) == _NEWLINE or _byte(text, i) == _TAB or _byte(text, i) == _RETURN):
        i += 1
    spans[row, 1] = i
    i = _skip_blanks(text, i)
    start, i = i, _line_end(text, i)
    stop = i
    while stop > start and (_byte(text, stop - 1) == _SPACE or _byte(text, stop - 1) == _TAB or _byte(text, stop - 1) == _RETURN):
        stop -= 1
    spans[row, 2], spans[row, 3] = start, stop
    return i


@kernel
def _feature_number(text: Any, i: int, limit: int) -> tuple[int, int, int]:
    """A feature's number at ``i``: the number, where its value begins, and the problem if there is one."""
    number, start = 0, i
    while _is_digit(_byte(text, i)):
        number = min(number * 10 + _byte(text, i) - _ZERO, limit + 1)
        i += 1
    if _byte(text, i) == _COLON and i > start:
        return number, i + 1, _BAD_NUMBER if number == 0 else (_TOO_LARGE if number > limit else 0)
    while not (_ends_field(_byte(text, i)) or _byte(text, i) == _COLON):
        i += 1
    return 0, i, _BAD_NUMBER if _byte(text, i) == _COLON and i > start else _BAD_FEATURE


@kernel
def _long_value(text: Any, i: int) -> tuple[float, int, int]:
    """The value at ``i``, how good it is (0 = not a value, 1 = rounds to the right float32, 3 = unknown), and its end."""
    value, quality, stop = _decimal(text, i)
    if quality == 0 and _is_null(text, i):
        value, quality, stop = np.nan, 1, i + 4
    if quality == 0 or not _ends_field(_byte(text, stop)) or (quality == 1 and abs(value) >= _FLOAT32_MAX):
        return 0.0, 0, i
    if quality == 2:
        quality = 1 if _rounds_surely(value) else 3
    return value, quality, stop


@kernel
def _query_id(text: Any, i: int) -> tuple[int, int]:
    """Where the id of a ``qid:<id>`` field at ``i`` begins and ends; the same place twice if it is not one."""
    if (_word(text, i) & np.uint64(0xFFFFFFFF)) != np.uint64(0x3A646971):  # 'qid:'
        return i, i
    start = i + 4
    i = start
    while not _ends_field(_byte(text, i)):
        i += 1
    return start, i


@kernel
def _fail(state: Any, problem: int, at: int) -> int:
    state[PROBLEM], state[AT] = problem, at
    return -1


@kernel
def _fail_at(text: Any, state: Any, problem: int, at: int) -> None:
    """The same for a field that is not there at all: it may be a carriage return that is in the way."""
    is_stray = _byte(text, at) == _RETURN and _byte(text, at + 1) != _NEWLINE
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
        if column < width and (_word(text, i) & heads[column, 1]) == heads[column, 0]:
            field = i + 1
            i += np.int64(heads[column, 2])
        else:
            i = _skip_blanks(text, i)
            c = _byte(text, i)
            if c == _NEWLINE or c == _HASH or (c == _RETURN and _byte(text, i + 1) == _NEWLINE):
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
        start, sign = i, _byte(text, i) == _MINUS
        c = _byte(text, i + sign)
        count, value = 0, 0.0
        if _is_digit(c) and _byte(text, i + sign + 1) == _DOT:
            count, fraction = _digits(_word(text, i + sign + 2))
        if count > 0 and _ends_field(_byte(text, i + sign + 2 + count)):
            value = float(np.uint64(c - _ZERO) * _WHOLE_POWERS[count] + fraction) / _POWERS[count]
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
        c = _byte(text, i)
        if c == _NEWLINE or c == _HASH or (c == _RETURN and _byte(text, i + 1) == _NEWLINE):  # empty, or only a comment
            i = _line_end(text, i) + 1
            continue
        field = i
        value, quality, i = _decimal(text, i)
        if quality == 0 or not _ends_field(_byte(text, i)):
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
        if _byte(text, i) == _HASH:
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
        while not (_ends_field(_byte(text, i))):
            i += 1
        if _byte(text, i) == _HASH:
            i = _line_end(text, i)
        i += 1
        if i < end and _is_digit(_byte(text, i)):
            number, _, problem = _feature_number(text, i, limit)
            if problem == 0:
                widest = max(widest, number)
    return widest


@kernel
def copy_spans(text: Any, starts: Any, stops: Any, out: Any, at: int, new_starts: Any, new_stops: Any) -> int:
    """Copy each ``text[start:stop]`` behind one another into ``out`` from ``at`` on; note the new places; return the end.

    Eight bytes at a time, so up to seven behind the end are written too: the next string, or nobody, owns them.
    """
    for j in range(len(starts)):
        new_starts[j] = at
        for i in range(0, stops[j] - starts[j], 8):
            _put_word(out, at + i, _word(text, starts[j] + i))
        at += stops[j] - starts[j]
        new_stops[j] = at
    return at


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
