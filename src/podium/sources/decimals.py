"""Decimal numbers out of text, exactly: digits eight at a time, and a note where only Python's own ``float`` can decide.

A number is read as an integer of at most 19 digits and a power of ten. Where both fit a double without rounding, one division gives the
nearest double. The text must go on for eight bytes behind any number, so that digits can be taken as one machine word; three
multiplications turn that into a value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from podium.ragged import kernel

__all__ = ["POWERS", "WHOLE_POWERS", "byte", "decimal", "digits", "is_digit", "ones", "put_word", "rounds_surely", "word"]

POWERS = np.array([float(f"1e{e}") for e in range(309)])
WHOLE_POWERS = np.array([10**e for e in range(9)], dtype=np.uint64)
_DOT, _MINUS, _PLUS, _ZERO, _NINE, _SMALL_E, _LARGE_E = (ord(c) for c in ".-+09eE")
_EXACT_POWER = 22  # 10^22 is the largest power of ten that a double holds exactly
_TWO53 = np.uint64(2**53)
_FULL = np.uint64(10**18)  # one more digit always fits below this, 19 digits in all
_U0, _U8, _U10, _U16, _U32 = (np.uint64(n) for n in (0, 8, 10, 16, 32))
_ZEROS, _TOP_BITS = (np.uint64(n * 0x0101010101010101) for n in (_ZERO, 0x80))
_NOT_DIGIT = np.uint64(0x7676767676767676)  # carries into the top bit from 10 on
_PAIRS = np.uint64(0x000000FF000000FF)
_HIGH_PAIRS, _LOW_PAIRS = np.uint64(100 + (1000000 << 32)), np.uint64(1 + (10000 << 32))
_FLOAT32_TINY = 1.2e-38  # below, float32 rounds at another place


def _instruction(function: Any) -> Any:
    """A function that says which machine instructions stand for a call of it."""
    return intrinsic(function)


@_instruction
def byte(_context: Any, text: Any, _i: Any) -> Any:
    """``text[i]`` as int64, without Numba's handling of negative indices: a tenth faster."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.zext(builder.load(builder.gep(array.data, [arguments[1]])), ir.IntType(64))

    return types.int64(text, types.int64), generate


@_instruction
def word(_context: Any, text: Any, _i: Any) -> Any:
    """``text[i:i + 8]`` as one little-endian word, at any address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(text, types.int64), generate


@_instruction
def put_word(_context: Any, text: Any, _i: Any, _value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(text, types.int64, types.uint64), generate


@_instruction
def _trailing_zeros(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@_instruction
def ones(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@kernel
def is_digit(c: int) -> bool:
    return _ZERO <= c <= _NINE


@kernel
def digits(word: Any) -> tuple[int, Any]:
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
    c, after_point = byte(text, i), False
    while is_digit(c) or (c == _DOT and not after_point):
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
        c = byte(text, i)
    return number, exponent, count, dropped, i


@kernel
def decimal(text: Any, i: int) -> tuple[float, int, int]:
    """A number at ``i``: its value, how good that is, and where it ends.

    How good: 0 = there is no number here, 1 = the nearest double, 2 = a few units in the last place off at most, 3 = unknown.
    """
    start, negative = i, byte(text, i) == _MINUS
    i += negative or byte(text, i) == _PLUS
    number, exponent, count, dropped, i = _mantissa(text, i)
    if count == 0:
        return 0.0, 0, start
    c = byte(text, i)
    if c == _SMALL_E or c == _LARGE_E:
        i += 1
        minus = byte(text, i) == _MINUS
        i += minus or byte(text, i) == _PLUS
        if not is_digit(byte(text, i)):
            return 0.0, 0, start
        power = 0
        while is_digit(byte(text, i)):
            power = min(power * 10 + byte(text, i) - _ZERO, 1_000_000_000)
            i += 1
        exponent += -power if minus else power
    value, quality = float(number), 3
    if number == _U0 and not dropped:
        quality = 1
    elif -300 <= exponent <= 280:
        value = value / POWERS[-exponent] if exponent < 0 else value * POWERS[exponent]
        is_exact = number < _TWO53 and not dropped and -_EXACT_POWER <= exponent <= _EXACT_POWER
        quality = 1 if is_exact else 2
    return -value if negative else value, quality, i


@kernel
def rounds_surely(value: float) -> Any:
    """Whether a double a few units off rounds to the same float32 as the number it stands for."""
    size = abs(value)
    if not _FLOAT32_TINY < size < 3.4e38:
        return False
    tail = np.float64(size).view(np.int64) & 0x1FFFFFFF  # what the rounding cuts off; its middle is where it turns
    return abs(tail - 0x10000000) > 16
