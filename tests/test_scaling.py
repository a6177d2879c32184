"""Features made comparable within a query."""

from __future__ import annotations

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from podium import UnknownName
from podium.ragged import offsets_of, set_threads
from podium.scaling import SCALINGS, scale

VALUES = st.one_of(st.floats(-1e6, 1e6, width=32), st.sampled_from([0.0, 1.0, np.nan, 3.4e38, -3.4e38, 1e-45]))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    rows, width = sum(sizes), draw(st.integers(0, 4))
    values = draw(st.lists(VALUES, min_size=rows * width, max_size=rows * width))
    return np.array(values, np.float32).reshape(rows, width), offsets_of(sizes)


def plain_minmax(column: list[float]) -> list[float]:
    """LETOR's QueryLevelNorm.pl, one feature of one query."""
    known = [value for value in column if value == value]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return [value if value != value else (value - low) / (high - low) if high > low else 0.0 for value in column]


def plain_zscore(column: list[float]) -> list[float]:
    known = [value for value in column if value == value]
    mean = sum(known) / max(1, len(known))
    deviation = (sum((value - mean) ** 2 for value in known) / max(1, len(known))) ** 0.5
    return [value if value != value else (value - mean) / deviation if deviation > 0 else 0.0 for value in column]


def plainly(rule: object, features: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    out = np.empty_like(features)
    for begin, end in itertools.pairwise(offsets):
        for j in range(features.shape[1]):
            out[begin:end, j] = rule([float(value) for value in features[begin:end, j]])  # type: ignore[operator]
    return out


@given(table=tables())
def test_minmax_is_letors_query_level_norm(table: tuple[np.ndarray, np.ndarray]) -> None:
    scaled = scale(*table, "minmax")
    np.testing.assert_array_equal(scaled, plainly(plain_minmax, *table))
    assert ((scaled >= 0) & (scaled <= 1) | np.isnan(scaled)).all()


@given(table=tables())
def test_zscore_is_distance_from_the_mean_in_standard_deviations(table: tuple[np.ndarray, np.ndarray]) -> None:
    np.testing.assert_allclose(scale(*table, "zscore"), plainly(plain_zscore, *table), rtol=1e-6, atol=1e-6)


def test_values_worked_by_hand() -> None:
    features = np.array([[1, 5, np.nan, 2], [3, 5, 4, np.nan], [2, 5, 8, np.nan], [9, 9, 9, 9]], np.float32)
    offsets = np.array([0, 3, 4])
    half, gone = (2 - 1) / (3 - 1), np.nan
    np.testing.assert_array_equal(
        scale(features, offsets, "minmax"), np.array([[0, 0, gone, 0], [1, 0, 0, gone], [half, 0, 1, gone], [0, 0, 0, 0]])
    )
    far = np.float32(1 / (2 / 3) ** 0.5)  # values 1, 3, 2: mean 2, variance 2/3
    np.testing.assert_array_equal(
        scale(features, offsets, "zscore"), np.array([[-far, 0, gone, 0], [far, 0, -1, gone], [0, 0, 1, gone], [0, 0, 0, 0]])
    )


@pytest.mark.parametrize("method", SCALINGS)
@given(table=tables())
def test_a_scaling_keeps_shape_type_missing_values_and_its_input(method: str, table: tuple[np.ndarray, np.ndarray]) -> None:
    features, offsets = table
    before = features.copy()
    scaled = scale(features, offsets, method)
    assert scaled.shape == features.shape
    assert scaled.dtype == np.float32
    np.testing.assert_array_equal(np.isnan(scaled), np.isnan(features))
    np.testing.assert_array_equal(features, before)
    assert np.isfinite(scaled[~np.isnan(features)]).all()


@pytest.mark.parametrize("method", [name for name, scaling in SCALINGS.items() if scaling.is_within_query])
def test_queries_do_not_influence_one_another_whatever_the_number_of_threads(method: str) -> None:
    random = np.random.default_rng(0)
    sizes = random.integers(0, 3000, 40)
    features = random.standard_normal((sizes.sum(), 3)).astype(np.float32)
    offsets = offsets_of(sizes)
    alone = [scale(features[a:b], np.array([0, b - a]), method) for a, b in itertools.pairwise(offsets)]
    try:
        for number in (1, 2, 5):
            set_threads(number)
            np.testing.assert_array_equal(scale(features, offsets, method), np.concatenate(alone))
    finally:
        set_threads(None)


@pytest.mark.parametrize("method", SCALINGS)
def test_tables_in_any_memory_order_are_scaled_alike(method: str) -> None:
    features = np.random.default_rng(0).random((6, 4), np.float32)
    offsets = np.array([0, 2, 6])
    expected = scale(features, offsets, method)
    np.testing.assert_array_equal(scale(np.asfortranarray(features), offsets, method), expected)
    wide = np.zeros((6, 8), np.float32)
    wide[:, ::2] = features
    np.testing.assert_array_equal(scale(wide[:, ::2], offsets, method), expected)


def test_standard_gives_every_feature_mean_0_and_deviation_1_over_all_rows_whatever_the_number_of_threads() -> None:
    random = np.random.default_rng(0)
    features = (random.standard_normal((30_000, 3)) * [1, 100, 0] + [0, 1e5, 7]).astype(np.float32)
    features[5, 0] = np.nan
    try:
        tables = []
        for number in (1, 2, 5):
            set_threads(number)
            tables.append(scale(features, np.array([0, 10_000, 30_000]), "standard"))
    finally:
        set_threads(None)
    exact = features.astype(np.float64)
    np.testing.assert_allclose(tables[0][:, :2], (exact - np.nanmean(exact, axis=0))[:, :2] / np.nanstd(exact, axis=0)[:2], rtol=1e-5)
    assert (tables[0][:, 2] == 0).all()
    for table in tables[1:]:
        np.testing.assert_array_equal(table, tables[0])


def test_none_returns_the_very_same_table() -> None:
    features = np.ones((2, 2), np.float32)
    assert scale(features, np.array([0, 2]), "none") is features


def test_an_unknown_scaling_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="unknown scaling 'minmx'; did you mean 'minmax'\\? choose from minmax, none, standard, zscore"):
        scale(np.ones((1, 1), np.float32), np.array([0, 1]), "minmx")
