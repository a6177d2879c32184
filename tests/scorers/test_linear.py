"""Linear scorers: a weighted sum of scaled features."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from tests.training.explicit import scaled

import podium
from podium import DataError
from podium.ragged import offsets_of, spans
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers import SCORERS, LinearScorer, kind_of

LINES = Lines(np.array([[1.0, 2.0]]), np.array([[0.5, 0.25]]))
PLAIN: dict[str, Any] = {"weights": [3.0, -1.0], "scaling": "standard", "lines": {"shift": [1.0, 2.0], "factor": [0.5, 0.25]}}


@pytest.mark.parametrize("scaling", SCALINGS)
@given(sizes=st.lists(st.integers(0, 11), min_size=1, max_size=5), width=st.sampled_from([1, 2, 3, 5, 16, 46]), seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_a_score_is_the_weighted_sum_of_scaled_features(scaling: str, sizes: list[int], width: int, seed: int) -> None:
    random, offsets = np.random.default_rng(seed), offsets_of(sizes)
    features, weights = (random.normal(size=(sum(sizes), width)) * 3 + 1).astype(np.float32), random.normal(size=width)
    found = LinearScorer(weights, scaling).scores(features, offsets)
    np.testing.assert_allclose(found, scaled(features, offsets, scaling) @ weights, rtol=1e-9, atol=1e-9)


def test_what_was_found_in_training_is_used_on_other_rows() -> None:
    scorer = LinearScorer(np.array([3.0, -1.0]), "standard", LINES)
    found = scorer.scores(np.array([[5.0, 4.0], [1.0, 2.0]], np.float32), np.array([0, 2]))
    assert found.tolist() == [3 * (5 - 1) * 0.5 - (4 - 2) * 0.25, 0.0]


@pytest.mark.parametrize("scaling", SCALINGS)
def test_only_scalings_within_a_query_look_at_its_other_rows(scaling: str) -> None:
    features = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    lines = None if SCALINGS[scaling].is_within_query else lines_of(features, np.array([0, 6]), scaling)
    scorer = LinearScorer(np.array([1.0, 2.0]), scaling, lines)
    together, apart = (scorer.scores(features, np.array(offsets)) for offsets in ([0, 6], [0, 3, 6]))
    assert scorer.needs_queries == (together != apart).any()
    assert scorer.needs_queries == (scaling in ("minmax", "zscore"))


@pytest.mark.parametrize("scaling", ["minmax", "none"])
@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_and_the_layout_change_no_bit(scaling: str) -> None:
    random = np.random.default_rng(1)
    offsets = offsets_of(random.integers(0, 2000, 80).tolist())
    features, weights = random.normal(size=(int(offsets[-1]), 7)).astype(np.float32), random.normal(size=7)
    found = []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(offsets, 20_000)) == number
        found += [LinearScorer(weights, scaling).scores(table, offsets).tobytes() for table in (features, np.asfortranarray(features))]
    assert len(set(found)) == 1


def test_plain_values_and_back() -> None:
    scorer = LinearScorer(np.array([3.0, -1.0]), "standard", LINES)
    assert scorer.as_plain() == PLAIN
    assert LinearScorer.from_plain(PLAIN).as_plain() == PLAIN
    within = {"weights": [1.0], "scaling": "minmax", "lines": None}
    assert LinearScorer.from_plain(within).as_plain() == within
    assert kind_of(scorer) == "linear"
    assert SCORERS["linear"][0] is LinearScorer


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "a linear scorer has weights, scaling and lines, got nothing"),
    ({**PLAIN, "more": 1}, "a linear scorer has weights, scaling and lines, got lines, more, scaling, weights"),
    ({**PLAIN, "weights": {"0": 1.0}}, "weights must be a list of numbers"),
    ({**PLAIN, "weights": [1.0, "2"]}, "weights must be a list of numbers"),
    ({**PLAIN, "weights": [1.0, True]}, "weights must be a list of numbers"),
    ({**PLAIN, "weights": [1.0, None]}, "weights must be a list of numbers"),
    ({**PLAIN, "weights": [[1.0], [2.0]]}, "weights must be a list of numbers"),
    ({**PLAIN, "weights": [1.0, np.inf]}, "weights must be finite numbers"),
    ({**PLAIN, "weights": [1.0, np.nan]}, "weights must be finite numbers"),
    ({**PLAIN, "weights": [1.0, 10**400]}, "weights must be finite numbers"),
    ({**PLAIN, "weights": [1.0]}, "shift must have 1 numbers, one a weight, got 2"),
    ({**PLAIN, "scaling": "log"}, "scaling must be one of minmax, zscore, standard, none, got 'log'"),
    ({**PLAIN, "scaling": ["none"]}, "scaling must be one of"),
    ({**PLAIN, "scaling": "minmax"}, "scaling minmax keeps no shifts and factors"),
    ({**PLAIN, "lines": None}, "scaling standard needs its shifts and factors"),
    ({**PLAIN, "lines": [1, 2]}, "lines must have shift and factor"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0]}}, "lines must have shift and factor"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0], "factor": [1.0]}}, "factor must have 2 numbers, one a weight, got 1"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0, 3.0], "factor": [1.0, 2.0]}}, "shift must have 2 numbers, one a weight, got 3"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0], "factor": [1.0, np.nan]}}, "factor must be finite numbers"),
]


@pytest.mark.parametrize(("plain", "message"), WRONG)
def test_plain_values_that_do_not_fit_are_refused(plain: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        LinearScorer.from_plain(plain)


def test_weights_and_lines_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="3 weights need as many shifts and factors, got 2"):
        LinearScorer(np.zeros(3), "standard", LINES)
