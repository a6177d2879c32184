"""Ranking rows within their query: best first, equal values in input order, exact to the last bit.

A score and its row's place in the query share one 32-bit key: the upper bits say how far the score lies below the query's best, in
equal steps, and the lower ones hold the place. NumPy sorts such keys with the processor's vector instructions, twenty times faster
than a compiled sort of pairs. Rows that fall into the same step are put right by their exact scores afterwards.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from podium.errors import DataError
from podium.ragged import Floats, Ints, in_parallel, kernel, over_queries, spans

__all__ = ["DEEPEST", "keep_top", "rank_rows", "rank_values", "top_offsets_of", "top_rows"]

_U1 = np.uint32(1)
_63, _LOWEST, _HIGHEST = np.int64(63), np.int64(-(2**63)), np.int64(2**63 - 1)
_SHORT = 16  # rows up to which insertion beats merging


@kernel
def _place_bits(n):  # type: ignore[no-untyped-def]
    bits = 1
    while (1 << bits) < n:
        bits += 1
    return bits


@kernel
def _extremes(bits):  # type: ignore[no-untyped-def]
    """The best and the worst of some scores, given their bits: turned so that they compare like the numbers, four at a time."""
    high, low = _LOWEST, _HIGHEST
    for i in range(len(bits)):
        turned = bits[i] ^ ((bits[i] >> _63) & _HIGHEST)
        high = turned if turned > high else high
        low = turned if turned < low else low
    return _score(high), _score(low)


@kernel
def _score(turned):  # type: ignore[no-untyped-def]
    return np.int64(turned ^ ((turned >> _63) & _HIGHEST)).view(np.float64)


@kernel
def _pack(first, last, offsets, all_scores, all_bits, all_keys):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        if begin == end:
            continue
        scores, keys = all_scores[begin:end], all_keys[begin:end]  # an index into these is never negative: loops become vectors
        shift = np.uint32(_place_bits(end - begin))
        steps = float((1 << (32 - shift)) - 1)
        best, worst = _extremes(all_bits[begin:end])
        scale = steps / (best - worst)
        if 0.0 < scale < np.inf:
            for i in range(len(scores)):
                step = (best - scores[i]) * scale
                step = step if step < steps else steps
                keys[i] = (np.uint32(step) << shift) | np.uint32(i)
        else:  # all scores are equal, or no double holds their range (minus infinity is one): one step, and exact scores decide
            for i in range(len(scores)):
                keys[i] = np.uint32(i)


@kernel
def _put_right(order, scores):  # type: ignore[no-untyped-def]
    """Sort places of one step by score; they come in ascending order, so equal scores are right already."""
    is_right = True
    for i in range(1, len(order)):
        is_right = is_right and scores[order[i - 1]] >= scores[order[i]]
    if is_right:
        return
    if len(order) > _SHORT:
        order[:] = order[np.argsort(-scores[order], kind="mergesort")]
        return
    for i in range(1, len(order)):
        place, j = order[i], i - 1
        while j >= 0 and scores[order[j]] < scores[place]:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = place


@kernel
def _has_equal_steps(keys, shift):  # type: ignore[no-untyped-def]
    equal = 0
    for i in range(1, len(keys)):
        equal += (keys[i] >> shift) == (keys[i - 1] >> shift)
    return equal > 0


@kernel
def _places(scores, keys, shift, order):  # type: ignore[no-untyped-def]
    """The places of one query's rows in the order of its sorted keys, those of one step put right."""
    mask = (_U1 << shift) - _U1
    for i in range(len(keys)):
        order[i] = keys[i] & mask
    if not _has_equal_steps(keys, shift):
        return
    run = 0
    for i in range(1, len(keys) + 1):
        if i == len(keys) or (keys[i] >> shift) != (keys[run] >> shift):
            if i - run > 1:
                _put_right(order[run:i], scores)
            run = i


@kernel
def _rows(first, last, offsets, scores, keys, _values, out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        order = out[begin:end]
        _places(scores[begin:end], keys[begin:end], np.uint32(_place_bits(end - begin)), order)
        for i in range(len(order)):
            order[i] += begin


@kernel
def _values(first, last, offsets, all_scores, all_keys, all_values, all_out):  # type: ignore[no-untyped-def]
    for query in range(first, last):
        begin, end = offsets[query], offsets[query + 1]
        keys, values, out = all_keys[begin:end], all_values[begin:end], all_out[begin:end]
        shift = np.uint32(_place_bits(end - begin))
        if _has_equal_steps(keys, shift):
            order = np.empty(end - begin, np.int64)
            _places(all_scores[begin:end], keys, shift, order)
            for i in range(len(order)):
                out[i] = values[order[i]]
        else:
            mask = (_U1 << shift) - _U1
            for i in range(len(keys)):
                out[i] = values[np.uint64(keys[i] & mask)]


def _sort_span(read_out: Any, first: int, last: int, offsets: Ints, scores: Floats, keys: Any, values: Floats, out: Any) -> None:
    _pack(first, last, offsets, scores, scores.view(np.int64), keys)
    begin, end = offsets[first], offsets[last]
    size, queries = offsets[first + 1] - begin, last - first
    if (np.diff(offsets[first : last + 1]) == size).all():
        keys[begin:end].reshape(queries, size).sort(axis=1)
    else:
        edges = offsets[first : last + 1].tolist()
        for low, high in itertools.pairwise(edges):
            keys[low:high].sort()
    read_out(first, last, offsets, scores, keys, values, out)


def _sort(read_out: Any, scores: Floats, offsets: Ints, values: Floats, out: Any) -> None:
    keys = np.empty(len(scores), np.uint32)
    if len(scores):
        in_parallel(
            [functools.partial(_sort_span, read_out, *span, offsets, scores, keys, values, out) for span in spans(offsets, grain=50_000)]
        )


def rank_rows(scores: Floats, offsets: Ints) -> Ints:
    """Every row, query by query, the highest score first; equal scores in input order.

    >>> rank_rows(np.array([1.0, 3.0, 3.0, 0.5, 2.0]), np.array([0, 3, 5]))
    array([1, 2, 0, 4, 3])
    """
    order = np.empty(len(scores), np.int64)
    _sort(_rows, scores, offsets, scores, order)
    return order


def rank_values(scores: Floats, offsets: Ints, values: Floats) -> Floats:
    """``values[rank_rows(scores, offsets)]``, without the detour.

    >>> rank_values(np.array([1.0, 3.0, 2.0]), np.array([0, 3]), np.array([10.0, 30.0, 20.0]))
    array([30., 20., 10.])
    """
    out = np.empty(len(scores))
    _sort(_values, scores, offsets, values, out)
    return out


@kernel
def _insert(best, order, base, place, score, row):  # type: ignore[no-untyped-def]
    """Put a row among those kept, which end before ``place``; whatever is at ``place`` goes."""
    while place > 0 and best[place - 1] < score:
        best[place], order[base + place] = best[place - 1], order[base + place - 1]
        place -= 1
    best[place], order[base + place] = score, row


@kernel
def keep_top(first, last, offsets, all_scores, depth, top_offsets, order):  # type: ignore[no-untyped-def]
    """Keep the best ``depth`` rows in order while passing over the others once: most fail the first comparison."""
    best = np.empty(depth)  # the scores of the rows kept, close at hand
    for query in range(first, last):
        base, begin = top_offsets[query], offsets[query]
        scores = all_scores[begin : offsets[query + 1]]
        kept = min(depth, len(scores))
        for i in range(kept):
            _insert(best, order, base, i, scores[i], begin + i)
        for i in range(kept, len(scores)):
            if scores[i] > best[kept - 1]:
                _insert(best, order, base, kept - 1, scores[i], begin + i)


DEEPEST = 64  # ranks up to which keeping the best is faster than sorting whole lists


def top_offsets_of(offsets: Ints, depth: int) -> Ints:
    """The offsets of lists of which only the first ``depth`` rows are kept."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.minimum(np.diff(offsets), depth))])


def top_rows(scores: Floats, offsets: Ints, depth: int) -> tuple[Ints, Ints]:
    """The best ``depth`` rows of every query, best first, and the offsets of that shorter list.

    >>> top_rows(np.array([1.0, 3.0, 3.0, 0.5, 2.0]), np.array([0, 3, 5]), depth=1)
    (array([1, 4]), array([0, 1, 2]))
    """
    if depth < 1:
        raise DataError(f"depth must be 1 or more, got {depth}")
    top_offsets = top_offsets_of(offsets, depth)
    if depth > DEEPEST:
        order = rank_rows(scores, offsets)
        places = np.arange(top_offsets[-1]) + np.repeat(offsets[:-1] - top_offsets[:-1], np.diff(top_offsets))
        return order[places], top_offsets
    order = np.empty(top_offsets[-1], np.int64)
    over_queries(keep_top, offsets, scores, depth, top_offsets, order)
    return order, top_offsets
