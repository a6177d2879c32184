"""Ranking rows: the packed keys give what Python's own stable sort gives, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from podium import set_threads
from podium.ragged import Floats, Ints, offsets_of
from podium.sorting import rank_rows, rank_values, top_rows

SUBNORMAL = 5e-324
EDGES = [0.0, -0.0, SUBNORMAL, -SUBNORMAL, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, -math.inf, 1.0, -1.0]


KINDS = {
    "distinct": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: rng.integers(0, 40, n).astype(float),
    "all equal": lambda rng, n: np.full(n, 0.25),
    "last bits": lambda rng, n: (np.float64(1.0).view(np.int64) + rng.integers(0, 3000, n)).view(np.float64),
    "last bits of negatives": lambda rng, n: -(np.float64(1.0).view(np.int64) + rng.integers(0, 3000, n)).view(np.float64),
    "falling": lambda rng, n: -np.arange(n, dtype=float),
    "rising": lambda rng, n: np.arange(n, dtype=float),
    "not retrieved": lambda rng, n: np.where(rng.random(n) < 0.3, -math.inf, rng.integers(0, 40, n)),
    "from end to end": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "subnormal": lambda rng, n: rng.integers(-50, 50, n) * SUBNORMAL,
    "far below one": lambda rng, n: np.where(rng.random(n) < 0.01, 1e300, rng.normal(size=n)),
    "far above one": lambda rng, n: np.where(rng.random(n) < 0.01, -1e300, rng.integers(0, 40, n)),
}


def by_python(scores: Floats, offsets: Ints) -> list[list[int]]:
    """The rows of each query; ``sorted`` is stable and knows that 0.0 equals -0.0."""
    values = scores.tolist()
    edges = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return [sorted(range(begin, end), key=lambda row: -values[row]) for begin, end in edges]


def assert_ranked_as_by_python(scores: Floats, offsets: Ints, depths: tuple[int, ...] = (1, 2, 64, 65, 1000)) -> None:
    expected = by_python(scores, offsets)
    flat = [row for rows in expected for row in rows]
    assert rank_rows(scores, offsets).tolist() == flat
    values = np.arange(len(scores)) * 10.0 + 3.0
    assert rank_values(scores, offsets, values).tolist() == [row * 10.0 + 3.0 for row in flat]
    for depth in depths:
        rows, top_offsets = top_rows(scores, offsets, depth)
        assert rows.tolist() == [row for rows in expected for row in rows[:depth]]
        assert top_offsets.tolist() == offsets_of(len(rows[:depth]) for rows in expected).tolist()


def near(base: float, steps: list[int]) -> list[float]:
    """Numbers that differ from ``base`` in their last bits only."""
    return (np.array([base]).view(np.int64) + np.array(steps, np.int64)).view(np.float64).tolist()


scores_of_any_kind = st.one_of(
    st.lists(st.sampled_from(EDGES), max_size=12),
    st.lists(st.floats(allow_nan=False).filter(lambda number: number < math.inf), max_size=12),
    st.lists(st.integers(0, 3).map(float), max_size=12),
    st.builds(near, st.sampled_from([1.0, -1.0, 1e300, -1e-300, SUBNORMAL * 2**20]), st.lists(st.integers(-20, 20), max_size=40)),
)


@given(queries=st.lists(scores_of_any_kind, max_size=4))
@example(queries=[])
@example(queries=[[]])
@example(queries=[[], [1.0], [], []])
def test_ragged_queries_are_ranked_as_python_ranks_them(queries: list[list[float]]) -> None:
    assert_ranked_as_by_python(np.array([score for query in queries for score in query], float), offsets_of(map(len, queries)))


@given(n=st.integers(1, 9), n_queries=st.integers(2, 5), data=st.data())
def test_queries_of_one_size_are_ranked_as_python_ranks_them(n: int, n_queries: int, data: st.DataObject) -> None:
    score = st.one_of(st.sampled_from(EDGES), st.floats(-1e3, 1e3))
    scores = data.draw(st.lists(score, min_size=n * n_queries, max_size=n * n_queries))
    assert_ranked_as_by_python(np.array(scores), np.arange(n_queries + 1) * n)


@pytest.mark.parametrize("sizes", [[5000], [5000, 4999, 1, 0, 300], [100] * 30, [64, 65, 66, 128, 129]])
@pytest.mark.parametrize("kind", KINDS)
def test_long_queries_are_ranked_as_python_ranks_them(sizes: list[int], kind: str) -> None:
    offsets = offsets_of(sizes)
    scores = KINDS[kind](np.random.default_rng(5), int(offsets[-1]))
    assert_ranked_as_by_python(scores, offsets, depths=(1, 10, 63, 64, 65, 200, 10_000))


def test_scores_that_differ_in_their_last_bit_are_told_apart() -> None:
    scores = np.ones(1024)
    scores[700:] = np.nextafter(1.0, 2.0)
    scores[3] = np.nextafter(1.0, 0.0)
    assert rank_rows(scores, np.array([0, 1024])).tolist() == [*range(700, 1024), 0, 1, 2, *range(4, 700), 3]


def test_zeros_of_both_signs_are_equal() -> None:
    scores, offsets = np.array([-0.0, 0.0, -0.0, 0.0, SUBNORMAL, -SUBNORMAL]), np.array([0, 6])
    assert rank_rows(scores, offsets).tolist() == [4, 0, 1, 2, 3, 5]
    assert top_rows(scores, offsets, 3)[0].tolist() == [4, 0, 1]


def test_minus_infinity_stands_last() -> None:
    scores = np.array([-math.inf, -1.7976931348623157e308, -math.inf, 0.0])
    assert rank_rows(scores, np.array([0, 4])).tolist() == top_rows(scores, np.array([0, 4]), 4)[0].tolist() == [3, 1, 0, 2]


@pytest.mark.parametrize("sizes", [[400] * 400, [*range(1, 560), 1000]])
def test_two_threads_rank_as_one_does(sizes: list[int]) -> None:
    offsets = offsets_of(sizes)
    assert offsets[-1] > 150_000
    scores = np.random.default_rng(6).integers(0, 300, offsets[-1]).astype(float)
    expected = [row for rows in by_python(scores, offsets) for row in rows]
    try:
        for number in (1, 2, 3):
            set_threads(number)
            assert rank_rows(scores, offsets).tolist() == expected
            assert rank_values(scores, offsets, scores).tolist() == scores[expected].tolist()
            assert top_rows(scores, offsets, 1000)[0].tolist() == expected
    finally:
        set_threads(None)


def test_scores_are_left_as_they_are() -> None:
    scores, offsets = np.array([1.0, -0.0, 3.0]), np.array([0, 3])
    scores.flags.writeable = offsets.flags.writeable = False
    assert rank_rows(scores, offsets).tolist() == [2, 0, 1]
    assert top_rows(scores, offsets, 2)[0].tolist() == [2, 0]


@pytest.mark.parametrize("n", range(2, 40))
def test_runs_of_near_scores_are_put_right_at_every_length(n: int) -> None:
    """One score far away leaves the others a single step; in it, every second is out of place and has an equal."""
    near_ones = np.array([1.0 + 1e-13 * ((row * 7) % (n // 2 + 1)) for row in range(n)])
    assert_ranked_as_by_python(np.array([*near_ones, 1e9, *near_ones]), np.array([0, n + 1, 2 * n + 1]))
