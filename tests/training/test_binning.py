"""Bins of features: a byte a value that knows every threshold below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

from podium.ragged import Ints, offsets_of
from podium.scaling import SCALINGS, Lines, lines_of
from podium.training import binning
from podium.training.binning import LANES, Binned, bin_features

LARGEST, SMALLEST = float(np.finfo(np.float32).max), float(np.float32(1e-45))
AFTER_1, BEFORE_LARGEST = (float(np.nextafter(np.float32(x), np.float32(to))) for x, to in ((1, 2), (LARGEST, 0)))
EXTREMES = [0.0, -0.0, SMALLEST, -SMALLEST, 2 * SMALLEST, 1e-38, -1e-38, 1.0, AFTER_1, 1e38, -1e38, BEFORE_LARGEST, LARGEST, -LARGEST]

Drawn = tuple[np.ndarray[Any, np.dtype[np.float32]], Ints]


def in_order(offsets: Ints) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Rows as they are."""
    return np.concatenate([np.arange(size, dtype=np.int32) for size in np.diff(offsets)] or [np.empty(0, np.int32)])


def binned_as_they_are(column: Any, bins: int) -> Binned:
    features = np.asarray(column, np.float32).reshape(-1, 1)
    offsets = np.array([0, len(features)])
    return bin_features(features, offsets, lines_of(features, offsets, "none"), in_order(offsets), bins)


def scaled(features: np.ndarray[Any, Any], offsets: Ints, lines: Lines) -> np.ndarray[Any, np.dtype[np.float32]]:
    """(x - shift) factor of every value, one by one, in doubles, then in single precision as features are."""
    out = np.empty(features.shape, np.float32)
    for query in range(len(offsets) - 1):
        line = query if len(lines.factor) > 1 else 0
        for row in range(offsets[query], offsets[query + 1]):
            for f in range(features.shape[1]):
                out[row, f] = np.float32((float(features[row, f]) - lines.shift[line, f]) * lines.factor[line, f])
    return out


@st.composite
def tables(draw: st.DrawFn) -> Drawn:
    """Features of several kinds side by side: many values, few, one, extremes; queries of any size."""
    sizes = draw(st.lists(st.integers(0, 30), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) > 0))
    rows, random = sum(sizes), np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds: list[Callable[[], Any]] = [
        lambda: random.normal(size=rows) * 10 ** random.uniform(-3, 3) + random.normal(),
        lambda: random.integers(-2, 3, rows) / 2,
        lambda: np.full(rows, random.normal()),
        lambda: random.choice(EXTREMES, rows),
        lambda: np.repeat(np.arange(len(sizes)), sizes) * 1.5,
    ]
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=18))
    return np.column_stack([kind() for kind in chosen]).astype(np.float32), offsets_of(sizes)


@pytest.mark.parametrize("scaling", ["none", "minmax", "standard"])
@given(drawn=tables(), bins=st.sampled_from([2, 3, 16, 256]), seed=st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_a_code_is_above_b_where_and_only_where_the_value_is_above_threshold_b(scaling: str, drawn: Drawn, bins: int, seed: int) -> None:
    (features, offsets), random = drawn, np.random.default_rng(seed)
    lines = lines_of(features, offsets, scaling)
    order = np.concatenate([random.permutation(size).astype(np.int32) for size in np.diff(offsets)])
    binned, values = bin_features(features, offsets, lines, order, bins), scaled(features, offsets, lines)
    assert binned.n_features == features.shape[1]
    assert binned.codes.shape == (-(-features.shape[1] // LANES), len(features), LANES)
    rows = order + np.repeat(offsets[:-1], np.diff(offsets))  # which row comes to each place
    for f, thresholds in enumerate(binned.thresholds):
        assert len(thresholds) <= bins - 1
        assert thresholds.dtype == np.float32
        assert (np.diff(thresholds) > 0).all()
        codes = binned.codes[f // 8, :, f % 8].astype(int)
        np.testing.assert_array_equal(codes[:, None] > np.arange(len(thresholds)), values[rows, f][:, None] > thresholds)
        assert codes.max() <= len(thresholds)


@given(
    values=st.lists(
        st.one_of(st.sampled_from(EXTREMES), st.floats(width=32, allow_nan=False, allow_infinity=False)), min_size=1, max_size=60
    )
)
@example(values=[SMALLEST, 2 * SMALLEST])
@example(values=[-LARGEST, LARGEST])
@example(values=[1.0, AFTER_1])
@example(values=[-0.0, 0.0])
@settings(deadline=None)
def test_with_as_many_bins_as_values_every_split_is_there(values: list[float]) -> None:
    distinct = sorted({float(value) for value in values})
    (thresholds,) = binned_as_they_are(values, max(len(distinct), 2)).thresholds
    splits = [[value > threshold for value in distinct] for threshold in thresholds.tolist()]
    assert splits == [[place > split for place in range(len(distinct))] for split in range(len(distinct) - 1)]


def test_256_values_have_255_thresholds_halfway_between_them() -> None:
    values = np.random.default_rng(0).permutation(np.arange(256))
    binned = binned_as_they_are(values, 256)
    np.testing.assert_array_equal(binned.thresholds[0], np.arange(255) + 0.5)
    np.testing.assert_array_equal(binned.codes[0, :, 0], values)


@pytest.mark.parametrize("bins", [2, 3, 10, 256])
@pytest.mark.parametrize("is_uneven", [False, True])
def test_more_values_than_bins_are_split_into_bins_about_equally_full(bins: int, is_uneven: bool) -> None:
    random = np.random.default_rng(bins)
    values = np.round(random.exponential(size=4000) * 300) if is_uneven else random.normal(size=4000)
    values = values.astype(np.float32)
    distinct, counts = np.unique(values, return_counts=True)
    assert len(distinct) > bins
    binned = binned_as_they_are(values, bins)
    assert 1 <= len(binned.thresholds[0]) <= bins - 1
    full = np.bincount(binned.codes[0, :, 0])
    assert full.min() > 0
    assert full.max() <= 4000 / bins + counts.max()  # a value is never cut in two
    if not is_uneven:
        assert len(full) == bins
        assert full.min() >= 4000 // bins - 1


def test_a_value_more_frequent_than_a_bin_leaves_fewer_bins_and_all_splits_beside_it() -> None:
    values = np.concatenate([np.zeros(900), np.arange(1, 101)])
    (thresholds,) = binned_as_they_are(values, 10).thresholds
    np.testing.assert_array_equal(thresholds, [0.5])  # 900 of 1000 are the first nine bins; the rest is the tenth
    (mirrored,) = binned_as_they_are(-values, 10).thresholds
    assert len(mirrored) == 1
    assert (values >= -mirrored[0]).sum() == 100


def test_a_constant_feature_has_no_threshold_and_code_0() -> None:
    features = np.full((5, 1), 7.0, np.float32)
    for scaling in SCALINGS:
        offsets = np.array([0, 2, 5])
        binned = bin_features(features, offsets, lines_of(features, offsets, scaling), in_order(offsets), 256)
        assert [len(cuts) for cuts in binned.thresholds] == [0]
        assert not binned.codes.any()


@pytest.mark.parametrize("width", [1, 7, 8, 9, 17])
def test_eight_features_lie_side_by_side_and_rows_in_the_order_asked_for(width: int) -> None:
    """Feature f of row r is (r + f) mod 5, so its code is the same number: four thresholds halfway between."""
    rows, f = np.arange(10), np.arange(width)
    features, offsets = ((rows[:, None] + f) % 5).astype(np.float32), np.array([0, 4, 4, 10])
    order = np.array([3, 1, 0, 2, 5, 4, 3, 2, 1, 0], np.int32)
    from_row = [3, 1, 0, 2, 9, 8, 7, 6, 5, 4]
    binned = bin_features(features, offsets, lines_of(features, offsets, "none"), order, 256)
    assert binned.codes.shape == ((width + 7) // 8, 10, 8)
    for place, row in enumerate(from_row):
        for feature in range(width):
            assert binned.codes[feature // 8, place, feature % 8] == (row + feature) % 5
    assert not binned.codes[-1, :, (width - 1) % 8 + 1 :].any()  # lanes without a feature


def test_of_a_large_collection_rows_at_equal_distances_choose_the_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binning, "_SAMPLED", 4096)
    values = np.arange(20_000).astype(np.float32)
    features, offsets = np.column_stack([values, -values]), offsets_of([1, 9_999, 10_000])
    lines = lines_of(features, offsets, "minmax")
    binned, expected = bin_features(features, offsets, lines, in_order(offsets), 16), scaled(features, offsets, lines)
    for f, thresholds in enumerate(binned.thresholds):
        assert len(thresholds) == 15
        np.testing.assert_array_equal(binned.codes[0, :, f][:, None] > np.arange(15), expected[:, f][:, None] > thresholds)
        np.testing.assert_allclose(np.bincount(binned.codes[0, :, f]), 20_000 / 16, rtol=0.05)


def test_the_layout_of_the_table_does_not_matter() -> None:
    features, offsets = np.random.default_rng(3).normal(size=(50, 11)).astype(np.float32), np.array([0, 20, 50])
    lines = lines_of(features, offsets, "minmax")
    one, other = (bin_features(table, offsets, lines, in_order(offsets), 8) for table in (features, np.asfortranarray(features)))
    np.testing.assert_array_equal(one.codes, other.codes)
    for cuts, others in zip(one.thresholds, other.thresholds, strict=True):
        np.testing.assert_array_equal(cuts, others)
