"""Sums of weak rankers: steps above thresholds, and single features."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import podium
from podium import DataError, FileError
from podium.ragged import Floats, Ints, offsets_of, spans
from podium.scaling import SCALINGS, Lines, lines_of
from podium.scorers import SCORERS, LinearScorer, WeakScorer, kind_of
from podium.scorers.models import Model, model_from_bytes, model_to_bytes

MARK = b',\n  "checksum": "'
SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)
DOUBLES = st.floats(-1e6, 1e6)
PLAIN: dict[str, Any] = {
    "weights": [0.0, 2.0, 0.0], "features": [0, 0, 2], "thresholds": [-1.0, 0.5, 0.25], "steps": [1.0, -3.0, 0.125],
    "scaling": "standard", "lines": {"shift": [1.0, 2.0, 0.0], "factor": [0.5, 0.25, 1.0]},
}  # fmt: skip

Rows = np.ndarray[Any, np.dtype[np.float32]]


def plain_scores(scorer: WeakScorer, features: Rows, offsets: Ints) -> Floats:
    """Σ step [x_f > θ] + Σ w_f x_f, one by one."""
    lines = scorer.lines if scorer.lines is not None else lines_of(features, offsets, scorer.scaling)
    out = np.zeros(len(features))
    for query in range(len(offsets) - 1):
        line = query if len(lines.factor) > 1 else 0
        for row in range(offsets[query], offsets[query + 1]):
            x = [(float(features[row, f]) - lines.shift[line, f]) * lines.factor[line, f] for f in range(features.shape[1])]
            out[row] += sum(step for f, threshold, step in scorer.rounds() if np.float32(x[f]) > np.float32(threshold))
            out[row] += sum(float(scorer.weights[f]) * x[f] for f in range(len(x)))
    return out


def random_scorer(random: np.random.Generator, width: int, scaling: str, lines: Lines | None, n_steps: int = 30) -> WeakScorer:
    weights = random.normal(size=width) * (random.random(width) < 0.3)
    rounds = [(int(random.integers(width)), float(np.round(random.normal(), 1)), float(random.normal())) for _ in range(n_steps)]
    return WeakScorer.of(weights, rounds, scaling, lines)


# ---- scores ----


@pytest.mark.parametrize("scaling", SCALINGS)
@given(
    sizes=st.lists(st.integers(0, 11), min_size=1, max_size=5),
    width=st.integers(1, 12),
    n_steps=st.integers(0, 60),
    is_kept=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None)
def test_a_score_is_the_plain_sum(scaling: str, sizes: list[int], width: int, n_steps: int, is_kept: bool, seed: int) -> None:
    random, offsets = np.random.default_rng(seed), offsets_of(sizes)
    features = np.round(random.normal(size=(sum(sizes), width)) * 2, 1).astype(np.float32)  # many values lie on thresholds
    lines = lines_of(features, offsets, scaling) if is_kept and not SCALINGS[scaling].is_within_query else None
    scorer = random_scorer(random, width, scaling, lines, n_steps)
    np.testing.assert_allclose(scorer.scores(features, offsets), plain_scores(scorer, features, offsets), rtol=1e-12, atol=1e-12)


def test_a_value_on_a_threshold_is_not_above_it() -> None:
    scorer = WeakScorer.of(np.zeros(1), [(0, 0.5, 1.0), (0, 0.7, 10.0), (0, -2.0, 100.0)])
    single = np.float32(0.7)
    rows = np.array(
        [[-3], [-2], [0.5], [np.nextafter(np.float32(0.5), np.float32(1))], [single], [np.nextafter(single, np.float32(1))]], np.float32
    )
    assert scorer.scores(rows, np.array([0, 6])).tolist() == [0, 0, 100, 101, 101, 111]


def test_extremes_of_single_precision_and_infinities_are_numbers_like_others() -> None:
    largest = float(np.finfo(np.float32).max)
    scorer = WeakScorer.of(np.zeros(1), [(0, -largest, 1.0), (0, 0.0, 10.0), (0, 1e-45, 100.0)])
    rows = np.array([[-np.inf], [-largest], [-0.0], [0.0], [1e-45], [largest], [np.inf]], np.float32)
    assert scorer.scores(rows, np.array([0, 7])).tolist() == [0, 0, 1, 1, 11, 111, 111]


def test_without_steps_and_weights_every_score_is_0() -> None:
    scorer = WeakScorer.of(np.zeros(3), [], "minmax")
    assert scorer.scores(np.ones((4, 3), np.float32), np.array([0, 1, 4])).tolist() == [0.0] * 4
    assert scorer.scores(np.ones((0, 3), np.float32), np.array([0])).tolist() == []


@pytest.mark.parametrize("scaling", ["none", "minmax"])
def test_equal_patterns_give_equal_bits(scaling: str) -> None:
    """Rows between the same thresholds, in any place of any query, and rows that are equal."""
    random = np.random.default_rng(2)
    scorer = random_scorer(random, 9, scaling, None, 200)
    scorer = WeakScorer.of(np.zeros(9), scorer.rounds(), scaling)
    codes = random.integers(0, 3, size=(40, 9))
    base = np.array([-50.0, 0.03, 50.0])[codes] if scaling == "none" else codes.astype(float)
    rows = np.vstack([base, base[::-1], base + (0.001 * random.random((40, 9)) if scaling == "none" else 0)]).astype(np.float32)
    rows[[0, 40, 80]], rows[[1, 41, 81]] = rows.min(), rows.max()  # the same range in every query
    found = scorer.scores(rows, np.array([0, 40, 80, 120]))
    edges = [scorer.thresholds[scorer.features == f] for f in range(9)]
    scaled = rows if scaling == "none" else podium.scaling.scale(rows, np.array([0, 40, 80, 120]), "minmax")
    patterns = [tuple(int((edges[f] < row[f]).sum()) for f in range(9)) for row in scaled]
    by_pattern: dict[tuple[int, ...], set[bytes]] = {}
    for pattern, score in zip(patterns, found, strict=True):
        by_pattern.setdefault(pattern, set()).add(score.tobytes())
    assert len(by_pattern) < 60
    assert all(len(bits) == 1 for bits in by_pattern.values())


@pytest.mark.parametrize("scaling", SCALINGS)
def test_only_scalings_within_a_query_look_at_its_other_rows(scaling: str) -> None:
    features = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    lines = None if SCALINGS[scaling].is_within_query else lines_of(features, np.array([0, 6]), scaling)
    scorer = WeakScorer.of(np.array([1.0, 2.0]), [(0, 0.3, 1.0)], scaling, lines)
    together, apart = (scorer.scores(features, np.array(offsets)) for offsets in ([0, 6], [0, 3, 6]))
    assert scorer.needs_queries == (together != apart).any() == (scaling in ("minmax", "zscore"))


@pytest.mark.parametrize("scaling", ["minmax", "none"])
@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_and_the_layout_change_no_bit(scaling: str) -> None:
    random = np.random.default_rng(1)
    offsets = offsets_of(random.integers(0, 1000, 80).tolist())
    features, scorer, found = random.normal(size=(int(offsets[-1]), 7)).astype(np.float32), random_scorer(random, 7, scaling, None, 100), []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(offsets, 10_000)) == number
        found += [scorer.scores(table, offsets).tobytes() for table in (features, np.asfortranarray(features))]
    assert len(set(found)) == 1


# ---- missing features ----


@pytest.mark.parametrize("scaling", ["none", "minmax", "standard"])
def test_a_missing_feature_that_counts_gives_nan_and_one_that_does_not_is_passed_over(scaling: str) -> None:
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    offsets = np.array([0, 3, 6])
    lines = None if SCALINGS[scaling].is_within_query else lines_of(rows, offsets, scaling)
    scorer = WeakScorer.of(np.array([0.0, 2.0, 0.0, 0.0]), [(0, 0.1, 1.0)], scaling, lines)
    whole = scorer.scores(rows, offsets)
    for column, counts in enumerate([True, True, False, False]):
        holes = rows.copy()
        holes[4, column] = np.nan
        found = scorer.scores(holes, offsets)
        assert np.isnan(found).tolist() == [False] * 4 + [counts] + [False]
        assert (found[:3] == whole[:3]).all()
        if counts:
            with pytest.raises(DataError, match=r"row 4 has missing features \(NaN\); fill them first: Dataset\.fill_missing\(\)"):
                Model(scorer, "rankboost").scores(holes, offsets)
        else:
            assert Model(scorer, "rankboost").scores(holes, offsets).tolist() == whole.tolist()


# ---- made from rounds ----


def test_rounds_come_in_any_order_and_equal_places_are_added_up() -> None:
    rounds = [(2, 0.5, 1.0), (0, 3.0, 4.0), (2, 0.25, -1.0), (0, 3.0, 0.5), (2, 0.5, -3.0)]
    scorer = WeakScorer.of(np.array([0.0, 7.0, 0.0]), rounds, "none")
    assert scorer.rounds() == [(0, 3.0, 4.5), (2, 0.25, -1.0), (2, 0.5, -2.0)]
    assert [str(column.dtype) for column in (scorer.features, scorer.thresholds, scorer.steps)] == ["int64", "float32", "float64"]
    assert scorer.n_features == 3
    assert WeakScorer.of(np.zeros(1), []).rounds() == []


def test_thresholds_that_are_one_number_of_single_precision_are_one_place() -> None:
    scorer = WeakScorer.of(np.zeros(1), [(0, 0.1, 1.0), (0, float(np.float32(0.1)), 2.0), (0, -0.0, 4.0), (0, 0.0, 8.0)])
    assert scorer.rounds() == [(0, 0.0, 12.0), (0, float(np.float32(0.1)), 3.0)]


# ---- to a file and back ----


@given(
    rounds=st.lists(st.tuples(st.integers(0, 2), SINGLES, DOUBLES), max_size=12),
    weights=st.lists(st.one_of(DOUBLES, st.just(-0.0)), min_size=3, max_size=3),
    scaling=st.sampled_from(list(SCALINGS)),
)
@settings(deadline=None)
def test_a_model_comes_back_to_the_bit(rounds: list[tuple[int, float, float]], weights: list[float], scaling: str) -> None:
    lines = None if SCALINGS[scaling].is_within_query else Lines(np.array([[0.1, -2.0, 0.0]]), np.array([[0.3, 1e-3, 1.0]]))
    first = Model(WeakScorer.of(np.array(weights), rounds, scaling, lines), "rankboost")
    again = model_from_bytes(model_to_bytes(first))
    assert isinstance(again.scorer, WeakScorer)
    assert isinstance(first.scorer, WeakScorer)
    for name in ("weights", "features", "thresholds", "steps"):
        one, other = getattr(again.scorer, name), getattr(first.scorer, name)
        assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())
    assert again.scorer.as_plain() == first.scorer.as_plain()
    rows = np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)
    assert again.scorer.scores(rows, np.array([0, 3, 7])).tobytes() == first.scorer.scores(rows, np.array([0, 3, 7])).tobytes()
    assert model_to_bytes(again) == model_to_bytes(first)


def test_plain_values_are_these() -> None:
    lines = Lines(np.array([[1.0, 2.0, 0.0]]), np.array([[0.5, 0.25, 1.0]]))
    scorer = WeakScorer.of(np.array([0.0, 2.0, 0.0]), [(2, 0.25, 0.125), (0, 0.5, -3.0), (0, -1.0, 1.0)], "standard", lines)
    assert scorer.as_plain() == PLAIN == WeakScorer.from_plain(PLAIN).as_plain()
    assert kind_of(scorer) == "weak"
    assert SCORERS["weak"][0] is WeakScorer


def filed(plain: Any, **fields: Any) -> bytes:
    """A model file with this scorer, whose checksum fits."""
    content = json.loads(model_to_bytes(Model(WeakScorer.from_plain(PLAIN), "rankboost")))
    del content["checksum"]
    body = json.dumps({**content, "scorer": plain, **fields}, indent=2).encode().removesuffix(b"\n}")
    return body + MARK + hashlib.sha256(body).hexdigest().encode() + b'"\n}\n'


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in PLAIN.items() if key != name}


HAS = "a weak scorer has weights, features, thresholds, steps, scaling and lines, got"
SORTED = "steps must be sorted by feature and threshold, each place once"
SINGLE = "thresholds must be numbers of single precision, as features are"
PLACES = "features must be a list of whole numbers from 0 on and below 3"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, f"{HAS} nothing"),
    *((without(name), f"{HAS} {', '.join(sorted(without(name)))}") for name in PLAIN),
    ({**PLAIN, "more": 1}, f"{HAS} features, lines, more"),
    *(
        ({**PLAIN, name: value}, f"{name} must be a list of numbers")
        for name in ("weights", "thresholds", "steps")
        for value in (None, 1.0, "123", {"0": 1.0}, [1.0, 2.0, "3"], [1.0, 2.0, True], [1.0, 2.0, None], [[1.0], [2.0], [3.0]])
    ),
    *(({**PLAIN, name: [0.0, 1.0, 10**400]}, f"{name} must be finite numbers") for name in ("weights", "thresholds", "steps")),
    *(
        ({**PLAIN, "features": value}, PLACES)
        for value in (None, 0, "0", {"0": 0}, [0, 0, 2.0], [0, 0, True], [0, 0, "2"], [0, 0, None], [0, 0, 3], [-1, 0, 2], [0, 0, 10**30])
    ),
    ({**PLAIN, "features": [0, 0, 1, 2]}, "thresholds must have 4 numbers"),
    ({**PLAIN, "features": [0, 0]}, "thresholds must have 2 numbers"),
    ({**PLAIN, "thresholds": [-1.0, 0.5]}, "thresholds must have 3 numbers"),
    ({**PLAIN, "steps": [1.0, -3.0, 0.125, 1.0]}, "steps must have 3 numbers"),
    ({**PLAIN, "features": [0, 2, 0]}, SORTED),
    ({**PLAIN, "thresholds": [0.5, -1.0, 0.25]}, SORTED),
    ({**PLAIN, "thresholds": [0.5, 0.5, 0.25]}, SORTED),
    ({**PLAIN, "thresholds": [-0.0, 0.0, 0.25]}, SORTED),
    ({**PLAIN, "thresholds": [-1.0, 0.1, 0.25]}, SINGLE),
    ({**PLAIN, "thresholds": [-1.0, 0.5, 1e39]}, SINGLE),
    ({**PLAIN, "thresholds": [-1.0, 0.5, 1e-46]}, SINGLE),
    ({**PLAIN, "scaling": "log"}, "scaling must be one of minmax, zscore, standard, none, got 'log'"),
    ({**PLAIN, "scaling": ["none"]}, "scaling must be one of"),
    ({**PLAIN, "scaling": "minmax"}, "scaling minmax keeps no shifts and factors"),
    ({**PLAIN, "lines": None}, "scaling standard needs its shifts and factors"),
    ({**PLAIN, "lines": [1, 2]}, "lines must have shift and factor"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0, 3.0]}}, "lines must have shift and factor"),
    ({**PLAIN, "lines": {**PLAIN["lines"], "more": []}}, "lines must have shift and factor"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0, 3.0], "factor": [1.0]}}, "factor must have 3 numbers"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0], "factor": [1.0, 2.0, 3.0]}}, "shift must have 3 numbers"),
    ({**PLAIN, "lines": {"shift": [1.0, 2.0, None], "factor": [1.0, 2.0, 3.0]}}, "shift must be a list of numbers"),
]


@pytest.mark.parametrize(("plain", "message"), WRONG)
def test_a_file_whose_scorer_does_not_fit_is_refused_with_what_is_wrong(plain: dict[str, Any], message: str) -> None:
    with pytest.raises(FileError, match=f"^m: scorer: {re.escape(message)}"):
        model_from_bytes(filed(plain), "m")
    with pytest.raises(DataError, match=f"^{re.escape(message)}"):
        WeakScorer.from_plain(plain)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(number: float) -> None:
    for name in ("weights", "thresholds", "steps"):
        with pytest.raises(DataError, match=f"{name} must be finite numbers"):
            WeakScorer.from_plain({**PLAIN, name: [0.0, 0.5, number]})
        with pytest.raises(FileError, match="is not valid JSON"):
            model_from_bytes(filed({**PLAIN, name: [0.0, 0.5, number]}))


def test_a_file_that_says_another_kind_or_number_of_features_is_refused() -> None:
    assert isinstance(model_from_bytes(filed(PLAIN)).scorer, WeakScorer)
    with pytest.raises(FileError, match="scorer: a linear scorer has weights, scaling and lines"):
        model_from_bytes(filed(PLAIN, kind="linear"))
    with pytest.raises(FileError, match="says 4 features, but has 3 weights"):
        model_from_bytes(filed(PLAIN, features=4))
    with pytest.raises(FileError, match=HAS):
        model_from_bytes(filed(LinearScorer(np.zeros(3), "minmax").as_plain()))


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(DataError, match="the model was trained on 3 features, these rows have 2"):
        Model(WeakScorer.from_plain(PLAIN), "rankboost").scores(np.zeros((4, 2), np.float32), np.array([0, 4]))
