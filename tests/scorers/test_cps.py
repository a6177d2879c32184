"""Prediction by Top-k CPS: stagewise, by ranks alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings
from tests.training import plain_cps

import podium
from podium import DataError, FileError
from podium.ragged import Floats, offsets_of, spans
from podium.scorers import SCORERS, CpsScorer, kind_of
from podium.scorers.cps import ranks_of
from podium.scorers.models import Model, model_from_bytes, model_to_bytes

MARK = b',\n  "checksum": "'
SIZES = st.lists(st.integers(0, 8), min_size=1, max_size=4)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def table_of(sizes: list[int], width: int, n_values: int, seed: int) -> np.ndarray:
    """Whole numbers, so that documents tie on many features."""
    return np.random.default_rng(seed).integers(-n_values, n_values + 1, (sum(sizes), width)).astype(np.float32)


# ---- ranks ----


@given(sizes=SIZES, width=st.integers(1, 5), n_values=st.sampled_from([0, 1, 3, 100]), seed=st.integers(0, 10**6))
@example(sizes=[0, 1, 0, 7], width=2, n_values=1, seed=0)
def test_a_rank_is_the_number_of_documents_above_with_ties_half(sizes: list[int], width: int, n_values: int, seed: int) -> None:
    features, offsets = table_of(sizes, width, n_values, seed), offsets_of(sizes)
    expected = []
    for begin, size in zip(offsets.tolist(), sizes, strict=False):
        rows = features[begin : begin + size].tolist()
        expected += [[float(plain_cps.count_above(rows, j, range(size), m)) for m in range(width)] for j in range(size)]
    for table in (features, np.asfortranarray(features)):
        found = ranks_of(table, offsets)
        assert found.dtype == np.float32
        assert found.tolist() == expected


def test_ranks_by_hand() -> None:
    features = np.array([[3.0, 0.0], [1.0, -0.0], [3.0, -2.0], [9.0, 5.0]], np.float32)
    assert ranks_of(features, np.array([0, 3, 4])).tolist() == [[0.5, 0.5], [2.0, 0.5], [0.5, 2.0], [0.0, 0.0]]
    assert ranks_of(features, np.array([0, 4])).tolist() == [[1.5, 1.5], [3.0, 1.5], [1.5, 3.0], [0.0, 0.0]]


# ---- prediction ----


@given(sizes=SIZES, width=st.integers(1, 5), n_values=st.sampled_from([0, 1, 3, 100]), seed=st.integers(0, 10**6))
def test_prediction_takes_the_least_energy_among_those_left(sizes: list[int], width: int, n_values: int, seed: int) -> None:
    features, offsets = table_of(sizes, width, n_values, seed), offsets_of(sizes)
    theta = np.random.default_rng(seed).normal(size=width)
    assert CpsScorer(theta).scores(features, offsets).tolist() == plain_cps.prediction(theta, features, offsets)


@given(sizes=SIZES, theta=st.lists(st.integers(-4, 4), min_size=1, max_size=5), seed=st.integers(0, 10**6))
def test_documents_of_equal_energy_keep_the_order_of_the_input(sizes: list[int], theta: list[int], seed: int) -> None:
    features, offsets = table_of(sizes, len(theta), 1, seed), offsets_of(sizes)
    weights = np.array(theta) / 4  # counts and weights are exact in doubles, and so are their sums: equals are equal
    assert CpsScorer(weights).scores(features, offsets).tolist() == plain_cps.prediction(weights, features, offsets)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_single_feature_sorts_by_itself_and_backwards_if_its_weight_is_negative(sign: int) -> None:
    features = np.array([[0.2], [0.9], [0.2], [-3.0]], np.float32)
    found = CpsScorer(np.array([0.7 * sign])).scores(features, np.array([0, 4]))
    assert found.tolist() == ([-2, -1, -3, -4] if sign == 1 else [-2, -4, -3, -1])


def test_removing_a_document_changes_who_comes_next() -> None:
    """Features order b, c, a (θ = 3) and a, b, c (θ = 2): a, b, c have energies 6, 2, 7, so b goes; then a has 3 and c has 2."""
    features, theta = np.array([[1.0, 3.0], [3.0, 2.0], [2.0, 1.0]], np.float32), np.array([3.0, 2.0])
    assert (ranks_of(features, np.array([0, 3])) @ theta).tolist() == [6, 2, 7]
    assert CpsScorer(theta).scores(features, np.array([0, 3])).tolist() == [-3, -1, -2]


def test_the_stagewise_order_is_not_the_order_of_the_first_energies() -> None:
    """Somewhere among random tables the two differ, or else nothing would need to be removed."""
    features, theta = table_of([8] * 20, 3, 100, 3), np.array([1.0, 0.75, 0.5])
    offsets = offsets_of([8] * 20)
    found = CpsScorer(theta).scores(features, offsets).reshape(20, 8)
    at_once = -(ranks_of(features, offsets) @ theta).reshape(20, 8)
    assert (np.argsort(-found, axis=1) != np.argsort(-at_once, axis=1, kind="stable")).any()
    assert found.ravel().tolist() == plain_cps.prediction(theta, features, offsets)


def test_long_lists_agree_with_counting_anew() -> None:
    features, theta = table_of([50], 4, 12, 1), np.array([0.3, -0.9, 1.7, 0.05])
    offsets = np.array([0, 50])
    assert CpsScorer(theta).scores(features, offsets).tolist() == plain_cps.prediction(theta, features, offsets)


@given(sizes=SIZES, width=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_scores_are_minus_the_places_of_each_query(sizes: list[int], width: int, seed: int) -> None:
    features, offsets = table_of(sizes, width, 2, seed), offsets_of(sizes)
    found = CpsScorer(np.random.default_rng(seed).normal(size=width)).scores(features, offsets)
    for begin, size in zip(offsets.tolist(), sizes, strict=False):
        assert sorted(-found[begin : begin + size]) == list(range(1, size + 1))


TRANSFORMS: list[Callable[[Floats], Any]] = [
    lambda x: x**3 - 7,
    np.exp,
    lambda x: 1000 * x,
    np.arctan,
    lambda x: np.where(x > 0, x + 50, x),
]


@given(
    sizes=SIZES,
    chosen=st.lists(st.integers(0, len(TRANSFORMS) - 1), min_size=1, max_size=4),
    seed=st.integers(0, 10**6),
)
def test_a_rising_transform_of_a_feature_changes_nothing(sizes: list[int], chosen: list[int], seed: int) -> None:
    features, offsets = table_of(sizes, len(chosen), 3, seed), offsets_of(sizes)
    other = np.column_stack([TRANSFORMS[number](features[:, m].astype(np.float64)) for m, number in enumerate(chosen)]).astype(np.float32)
    scorer = CpsScorer(np.random.default_rng(seed).normal(size=len(chosen)))
    assert ranks_of(other, offsets).tolist() == ranks_of(features, offsets).tolist()
    assert scorer.scores(other, offsets).tolist() == scorer.scores(features, offsets).tolist()


def test_turning_every_feature_and_every_weight_changes_nothing() -> None:
    """Above and below change places: energies become a constant of the stage less the old ones, times -1."""
    features, theta, offsets = table_of([6, 9], 3, 100, 5), np.array([0.3, -0.8, 0.55]), offsets_of([6, 9])
    np.testing.assert_array_equal(CpsScorer(-theta).scores(-features, offsets), CpsScorer(theta).scores(features, offsets))


def test_queries_are_independent() -> None:
    sizes = [5, 0, 1, 7, 3]
    features, offsets, scorer = table_of(sizes, 3, 2, 4), offsets_of(sizes), CpsScorer(np.array([0.4, -1.1, 0.7]))
    whole = scorer.scores(features, offsets)
    for begin, size in zip(offsets.tolist(), sizes, strict=False):
        rows = slice(begin, begin + size)
        assert scorer.scores(features[rows], np.array([0, size])).tolist() == whole[rows].tolist()
    assert scorer.scores(features, np.array([0, len(features)])).tolist() != whole.tolist()
    assert scorer.needs_queries


def test_a_missing_feature_gives_no_score_and_spares_other_queries() -> None:
    sizes = [4, 5]
    features, offsets, scorer = table_of(sizes, 3, 5, 4), offsets_of(sizes), CpsScorer(np.array([0.4, -1.1, 0.7]))
    holes = features.copy()
    holes[1, 2] = holes[3, 0] = np.nan
    found = scorer.scores(holes, offsets)
    assert np.flatnonzero(np.isnan(found)).tolist() == [1, 3]
    assert found[4:].tolist() == scorer.scores(features, offsets)[4:].tolist()
    with pytest.raises(DataError, match="row 1 has missing features"):
        Model(scorer, "top-k-cps").scores(holes, offsets)


@pytest.mark.usefixtures("any_threads")
def test_the_number_of_threads_and_the_layout_change_no_bit() -> None:
    random = np.random.default_rng(1)
    offsets = offsets_of(random.integers(0, 60, 250).tolist())
    features, scorer = random.integers(0, 9, (int(offsets[-1]), 6)).astype(np.float32), CpsScorer(random.normal(size=6))
    found, ranks = [], []
    for number in (1, 2, 3):
        podium.set_threads(number)
        assert len(spans(offsets, 2_000)) == number
        tables = (features, np.asfortranarray(features))
        found += [scorer.scores(table, offsets).tobytes() for table in tables]
        ranks += [ranks_of(table, offsets).tobytes() for table in tables]
    assert len(set(found)) == len(set(ranks)) == 1


# ---- files ----


def signed(content: dict[str, Any]) -> bytes:
    """A file with this content, whose checksum fits."""
    body = json.dumps(content, indent=2).encode().removesuffix(b"\n}")
    return body + MARK + hashlib.sha256(body).hexdigest().encode() + b'"\n}\n'


def changed(**fields: Any) -> bytes:
    content = json.loads(model_to_bytes(Model(CpsScorer(np.array([1.5, -2.0])), "top-k-cps")))
    del content["checksum"]
    return signed({**content, **fields})


@given(weights=st.lists(NUMBERS, min_size=1, max_size=5))
@example(weights=[-0.0, 5e-324, 1e308, -2.2250738585072014e-308, 0.1])
@settings(max_examples=50)
def test_a_model_comes_back_to_the_bit(weights: list[float]) -> None:
    first = Model(CpsScorer(np.array(weights)), "top-k-cps", {"k": 10, "l2": 1.0}, seed=4, training={"stopped": "converged"})
    again = model_from_bytes(model_to_bytes(first))
    assert isinstance(again.scorer, CpsScorer)
    assert again.scorer.weights.tobytes() == np.array(weights).tobytes()
    assert (again.algorithm, again.settings, again.seed, again.training) == (first.algorithm, first.settings, 4, first.training)
    assert model_to_bytes(again) == model_to_bytes(first)


def test_a_model_predicts_the_same_from_its_file() -> None:
    features, offsets = table_of([9, 4], 3, 2, 8), offsets_of([9, 4])
    first = Model(CpsScorer(np.array([0.1, -0.7, 1 / 3])), "top-k-cps")
    again = model_from_bytes(model_to_bytes(first))
    assert again.scores(features, offsets).tobytes() == first.scores(features, offsets).tobytes()
    assert json.loads(model_to_bytes(first))["scorer"] == {"weights": [0.1, -0.7, 1 / 3]}


def test_the_kind_is_listed() -> None:
    scorer = CpsScorer(np.ones(3))
    assert kind_of(scorer) == "cps"
    assert SCORERS["cps"][0] is CpsScorer
    assert scorer.n_features == 3


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"scorer": {}}, "scorer: a cps scorer has weights, got nothing"),
    ({"scorer": {"weights": [1.0, 2.0], "more": 1}}, "scorer: a cps scorer has weights, got more, weights"),
    ({"scorer": {"weight": [1.0, 2.0]}}, "scorer: a cps scorer has weights, got weight"),
    ({"scorer": {"weights": {"0": 1.0}}}, "scorer: weights must be a list of numbers"),
    ({"scorer": {"weights": [1.0, "2"]}}, "scorer: weights must be a list of numbers"),
    ({"scorer": {"weights": [1.0, True]}}, "scorer: weights must be a list of numbers"),
    ({"scorer": {"weights": [1.0, None]}}, "scorer: weights must be a list of numbers"),
    ({"scorer": {"weights": [[1.0], [2.0]]}}, "scorer: weights must be a list of numbers"),
    ({"scorer": {"weights": [1.0, 10**400]}}, "scorer: weights must be finite numbers"),
    ({"scorer": {"weights": [1.0]}}, "says 2 features, but has 1 weights"),
    ({"scorer": {"weights": []}}, "says 2 features, but has 0 weights"),
    ({"features": 3}, "says 3 features, but has 2 weights"),
    ({"names": ["one"]}, "says 2 features, but has 1 names"),
    ({"kind": "linear"}, "scorer: a linear scorer has weights, scaling and lines, got weights"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_content_that_does_not_fit_is_refused(fields: dict[str, Any], message: str) -> None:
    assert model_from_bytes(changed()).scorer.n_features == 2
    with pytest.raises(FileError, match=message):
        model_from_bytes(changed(**fields))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(number: float) -> None:
    with pytest.raises(DataError, match="weights must be finite numbers"):
        CpsScorer.from_plain({"weights": [1.0, number]})
    with pytest.raises(FileError, match=r"is not valid JSON: .* is not a number"):
        model_from_bytes(changed(scorer={"weights": [1.0, number]}))


def test_energies_that_only_rounding_tells_apart_are_equal() -> None:
    """0.1 and -0.1 cancel for every row: all energies are 0, and the order is that of the input."""
    table = np.array([[1, 0], [1, 0], [2, 2]], np.float32)
    assert CpsScorer(np.array([0.1, -0.1])).scores(table, np.array([0, 3])).tolist() == [-1.0, -2.0, -3.0]
