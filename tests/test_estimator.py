"""Ranker, the scikit-learn face."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import podium
from podium import DataError, Dataset, FileError, Ranker, UnknownName, algorithms, measures
from podium.scaling import SCALINGS
from podium.scorers.models import model_to_bytes
from podium.training.watching import Step, Validation


@pytest.fixture(scope="module")
def data() -> Dataset:
    """15 queries of 8 documents, 4 features, the top 3 in order."""
    return podium.synthetic(15, 8, 4, seed=6).top_k(3)


@pytest.fixture(scope="module")
def table(data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same rows as X, y and qid, shuffled."""
    order = np.random.default_rng(0).permutation(data.n_rows)
    return data.features[order], data.labels[order], np.array(data.qid.tolist())[order]


def same_model(a: Ranker, b: Ranker) -> bool:
    return model_to_bytes(a.model_) == model_to_bytes(b.model_)


# ---- scikit-learn's own checks ----


@pytest.mark.parametrize(
    "ranker",
    [
        Ranker(),
        Ranker("hom-og", k=2, optimizer="adam", max_iter=5),
        Ranker("rankcosine"),
        Ranker("ranksvm"),
        Ranker("rankboost", max_iter=20),
        Ranker("adarank", scaling="standard"),
    ],
    ids=str,
)
def test_scikit_learns_checks_pass(ranker: Ranker) -> None:
    outcomes = check_estimator(ranker, on_skip=None, on_fail=None)
    assert len(outcomes) > 40
    rest = [(outcome["check_name"], outcome["status"], repr(outcome["exception"])) for outcome in outcomes if outcome["status"] != "passed"]
    skipped = "SkipTest('SCIPY_ARRAY_API is not set: not checking array_api input')"
    assert rest == [("check_array_api_input", "skipped", skipped)]


def test_parameters_come_and_go_as_scikit_learn_expects(data: Dataset) -> None:
    ranker = Ranker("hom-og", k=3, l2=0.5, measure="map", seed=4, warm_start=True)
    parameters = ranker.get_params()
    assert set(parameters) == {*algorithms.SETTINGS, "algorithm", "measure", "seed", "warm_start"}
    given = {name: value for name, value in parameters.items() if value is not None}
    assert given == {"algorithm": "hom-og", "k": 3, "l2": 0.5, "measure": "map", "seed": 4, "warm_start": True}
    assert Ranker(**parameters).get_params() == parameters
    assert repr(Ranker("hom-og", k=3)) == "Ranker(algorithm='hom-og', k=3)"
    twin = clone(ranker.fit(data))
    assert twin.get_params() == parameters == ranker.get_params()
    assert not hasattr(twin, "model_")
    assert ranker.set_params(k=1, algorithm="top-k-listmle") is ranker
    assert same_model(ranker.set_params(warm_start=False).fit(data), Ranker("top-k-listmle", k=1, l2=0.5, measure="map", seed=4).fit(data))
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        ranker.set_params(depth=3)


def test_settings_are_checked_at_fit_and_kept_as_given(data: Dataset) -> None:
    values = np.float32(0.5), np.int64(3)
    ranker = Ranker(l2=values[0], k=values[1])
    assert (ranker.l2 is values[0], ranker.k is values[1]) == (True, True)
    assert ranker.fit(data).model_.settings["k"] == 3
    with pytest.raises(DataError, match="l2 must be a number from 0 on, got -1"):
        Ranker(l2=-1).fit(data)
    with pytest.raises(UnknownName, match="unknown setting of listmle 'k'; choose from batch_queries, l1, l2, learning_rate, max_iter, "):
        Ranker("listmle", k=3).fit(data)
    with pytest.raises(UnknownName, match="unknown algorithm 'listmel'; did you mean 'listmle'"):
        Ranker("listmel").fit(data)
    for seed in (-1, 1.5, None, True, "0"):
        with pytest.raises(DataError, match="seed must be a whole number from 0 on"):
            Ranker(seed=seed).fit(data)  # type: ignore[arg-type]
    assert Ranker(seed=np.int32(5)).fit(data).model_.seed == 5  # type: ignore[arg-type]


# ---- learning and ranking ----


def test_fit_is_what_the_algorithm_does(data: Dataset) -> None:
    ranker = Ranker("hom-og", k=2, l2=0.1, scaling="zscore", seed=3).fit(data)
    assert model_to_bytes(ranker.model_) == model_to_bytes(algorithms.fit("hom-og", data, {"k": 2, "l2": 0.1, "scaling": "zscore"}, seed=3))
    assert ranker.n_features_in_ == 4
    assert ranker.n_iter_ == ranker.model_.training["iterations"] > 0
    np.testing.assert_array_equal(ranker.coef_, ranker.model_.scorer.as_plain()["weights"])


@pytest.mark.parametrize("scaling", SCALINGS)
@given(seed=st.integers(0, 1000))
@settings(max_examples=10)
def test_shuffled_rows_are_the_same_data_and_scores_come_in_their_order(scaling: str, seed: int) -> None:
    data = podium.synthetic(6, 5, 3, seed=seed).top_k(2)
    order = np.random.default_rng(seed).permutation(data.n_rows)
    X, y, qid = data.features[order], data.labels[order], np.array(data.qid.tolist())[order]
    grouped = Dataset.from_arrays(X, y, qid)
    ranker, by_dataset = Ranker(scaling=scaling, k=2).fit(X, y, qid=qid), Ranker(scaling=scaling, k=2).fit(grouped)
    assert same_model(ranker, by_dataset)
    np.testing.assert_array_equal(ranker.predict(X, qid=qid), grouped.in_input_order(by_dataset.predict(grouped)))
    np.testing.assert_allclose(ranker.predict(X, qid=qid), Ranker(scaling=scaling, k=2).fit(data).predict(data)[order], atol=2e-3)
    assert ranker.score(X, y, qid=qid) == by_dataset.score(grouped)


def test_without_query_ids_all_rows_are_one_query(data: Dataset) -> None:
    X, y = data.features[:20], data.labels[:20]
    assert same_model(Ranker().fit(X, y), Ranker().fit(X, y, qid=np.zeros(20)))
    assert not same_model(Ranker().fit(X, y), Ranker().fit(X, y, qid=data.qid.tolist()[:20]))


@pytest.mark.parametrize("scaling", SCALINGS)
def test_query_ids_are_needed_for_scores_only_where_features_are_scaled_within_queries(
    scaling: str, table: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    X, y, qid = table
    ranker = Ranker(scaling=scaling).fit(X, y, qid=qid)
    if scaling in ("minmax", "zscore"):
        for call in (ranker.predict, ranker.rank, lambda X: ranker.score(X, y)):
            with pytest.raises(DataError, match=rf"this model scales features within each query \({scaling}\): give qid"):
                call(X)
    else:
        np.testing.assert_array_equal(ranker.predict(X), ranker.predict(X, qid=qid))


@pytest.mark.parametrize("measure", ["ndcg@10", "map", "top-k-loss@1", "wkt", "tau"])
def test_the_score_is_the_mean_of_the_measure_larger_is_better(
    measure: str, data: Dataset, table: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    ranker = Ranker(measure=measure, l2=1.0).fit(data)
    mean = np.nanmean(measures.get(measure)(ranker.predict(data), data.labels, data.offsets))
    assert mean > 0
    expected = -mean if measure in ("top-k-loss@1", "wkt") else mean
    assert ranker.score(data) == pytest.approx(expected, rel=1e-12)
    X, y, qid = table
    assert ranker.score(X, y, qid=qid) == pytest.approx(expected, rel=1e-12)
    turned = ranker.model_.scorer.weights.copy()
    ranker.model_.scorer.weights[:] *= -1
    assert ranker.score(data) < expected
    ranker.model_.scorer.weights[:] = turned


def test_rank_gives_positions_best_first_queries_in_order_of_first_appearance() -> None:
    ranker = Ranker(scaling="none", l2=1.0).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert ranker.coef_[0] > 0
    X = [[5.0], [1.0], [7.0], [3.0], [7.0], [2.0]]
    assert ranker.rank(X, qid=["b", "a", "b", "a", "b", "a"]).tolist() == [2, 4, 0, 3, 5, 1]
    assert ranker.rank(X, ["b", "a", "b", "a", "b", "a"]).tolist() == [2, 4, 0, 3, 5, 1]
    assert ranker.rank(X).tolist() == [2, 4, 0, 3, 5, 1]
    assert ranker.rank(X, qid=[1, 1, 2, 2, 3, 3]).tolist() == [0, 1, 2, 3, 4, 5]
    grouped = Dataset.from_arrays(X, qid=["b", "a", "b", "a", "b", "a"])
    assert ranker.rank(grouped).tolist() == [1, 2, 0, 4, 5, 3]  # rows of the dataset


@given(qid=st.lists(st.sampled_from("abc"), min_size=1, max_size=9), data=st.data())
@settings(max_examples=60)
def test_rank_agrees_with_sorting_each_query_by_its_scores(qid: list[str], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, 4), min_size=len(qid), max_size=len(qid)))
    ranker = Ranker(scaling="none", max_iter=1).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    X = np.array(values, float)[:, None]
    expected = [
        row for query in dict.fromkeys(qid) for row in sorted((r for r, q in enumerate(qid) if q == query), key=lambda row: -values[row])
    ]
    assert ranker.rank(X, qid).tolist() == expected


def test_interrupted_and_stopped_fits_leave_a_fitted_ranker(data: Dataset) -> None:
    def interrupt(step: Step) -> None:
        if step.iteration == 2:
            raise KeyboardInterrupt

    ranker = Ranker().fit(data, callback=interrupt)
    check_is_fitted(ranker)
    assert ranker.model_.training["stopped"] == "interrupt"
    assert ranker.n_iter_ == 2
    np.testing.assert_array_equal(ranker.predict(data), Ranker(max_iter=2).fit(data).predict(data))
    seen: list[Step] = []
    assert Ranker().fit(data, callback=lambda step: seen.append(step) or len(seen) == 4).n_iter_ == 3


def test_validation_is_measured_by_the_measure_and_patience_chooses_by_it(data: Dataset) -> None:
    train, other = data.split(0.3, 0.7, seed=1)
    seen: list[Step] = []
    ranker = Ranker(measure="map", patience=3, l2=0.0).fit(train, validation=other, callback=seen.append)
    assert ranker.score(other) == max(step.validation for step in seen if step.validation is not None)
    assert ranker.model_.training["validation"] == Validation(other, "map").value(ranker.model_.scorer)
    assert ranker.model_.training["validation_measure"] == "map"
    with pytest.raises(DataError, match="patience needs validation data"):
        Ranker(patience=3).fit(train)


def test_a_warm_start_goes_on_where_the_last_fit_ended(data: Dataset) -> None:
    ranker = Ranker(warm_start=True, tol=1e-6).fit(data)
    assert ranker.n_iter_ > 3
    assert ranker.fit(data).n_iter_ <= 1
    first = ranker.coef_.copy()
    assert ranker.set_params(l2=1e-2).fit(data).n_iter_ > 0
    np.testing.assert_allclose(ranker.coef_, Ranker(l2=1e-2, tol=1e-6).fit(data).coef_, atol=1e-4)
    assert (ranker.coef_ != first).any()
    cold = Ranker(tol=1e-6).fit(data)
    assert cold.n_iter_ == cold.fit(data).n_iter_ > 3
    with pytest.raises(DataError, match="both must scale features alike: it has standard; give scaling=standard"):
        ranker.set_params(scaling="minmax").fit(data)


# ---- with other parts of scikit-learn ----


def test_a_pipeline_scales_and_ranks(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, qid = table
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), Ranker(scaling="none")).fit(X, y, qid=qid)
        scores = pipeline.predict(X, qid=qid)
    np.testing.assert_allclose(scores, Ranker(scaling="standard").fit(X, y, qid=qid).predict(X), atol=1e-2)
    one_query = Ranker(scaling="standard").fit(X, y)
    assert np.abs(scores - one_query.predict(X)).max() > 0.05  # the query ids arrived


def test_a_pipeline_is_scored_by_query(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, qid = table
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), Ranker(scaling="none", l2=0.1)).fit(X, y, qid=qid)
        expected = pipeline[-1].score(pipeline[0].transform(X), y, qid=qid)
        assert pipeline.score(X, y, qid=qid) == expected
        found = GridSearchCV(pipeline, {"ranker__l2": [0.1, 1.0]}, cv=GroupKFold(3), error_score="raise").fit(X, y, qid=qid, groups=qid)
    assert expected != pipeline[-1].score(pipeline[0].transform(X), y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_a_pipeline_without_routing_passes_by_the_name_of_the_step(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, qid = table
    pipeline = make_pipeline(StandardScaler(), Ranker(scaling="none")).fit(X, y, ranker__qid=qid)
    assert pipeline[-1].model_.training["queries"] == 15


def test_grid_search_by_groups_scores_whole_queries(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, qid = table
    with sklearn.config_context(enable_metadata_routing=True):
        found = GridSearchCV(Ranker(measure="ndcg@3"), {"l2": [1e-3, 1.0, 1e4]}, cv=GroupKFold(3)).fit(X, y, qid=qid, groups=qid)
    for number, (train, test) in enumerate(GroupKFold(3).split(X, y, qid)):
        assert not set(qid[train]) & set(qid[test])
        for place, l2 in enumerate((1e-3, 1.0, 1e4)):
            ranker = Ranker(measure="ndcg@3", l2=l2).fit(X[train], y[train], qid=qid[train])
            expected = ranker.score(X[test], y[test], qid=qid[test])
            assert found.cv_results_[f"split{number}_test_score"][place] == pytest.approx(expected, abs=1e-12)
    assert found.best_params_["l2"] == (1e-3, 1.0, 1e4)[int(np.argmax(found.cv_results_["mean_test_score"]))]
    assert same_model(found.best_estimator_, Ranker(measure="ndcg@3", **found.best_params_).fit(X, y, qid=qid))


def test_a_grid_may_be_numbers_of_numpy(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, qid = table
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ranker(), {"l2": np.array([0, 1]), "k": np.arange(1, 3)}, cv=GroupKFold(3), error_score="raise")
        found = search.fit(X, y, qid=qid, groups=qid)
    assert len(found.cv_results_["params"]) == 4


def test_a_ranker_survives_pickling_and_copying_by_its_own(data: Dataset) -> None:
    ranker = Ranker().fit(data)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ranker)).predict(data), ranker.predict(data))


# ---- names of features ----


def test_names_of_a_data_frame_are_kept_and_checked(data: Dataset) -> None:
    frame = pd.DataFrame(data.features, columns=["bm25", "age", "length", "links"])
    ranker = Ranker().fit(frame, data.labels, qid=data.qid.tolist())
    assert ranker.feature_names_in_.tolist() == ["bm25", "age", "length", "links"]
    np.testing.assert_array_equal(ranker.predict(frame), Ranker().fit(data).predict(data))
    with pytest.raises(ValueError, match="feature names should match"):
        ranker.predict(frame[["age", "bm25", "length", "links"]])
    series = Ranker().fit(frame, pd.Series(data.labels), qid=pd.Series(data.qid.tolist()))
    assert same_model(series, ranker)


def test_names_of_a_data_frame_are_in_the_model_file(data: Dataset, tmp_path: Path) -> None:
    frame = pd.DataFrame(data.features, columns=["bm25", "age", "length", "links"])
    ranker = Ranker().fit(frame, data.labels, qid=data.qid.tolist())
    ranker.save(tmp_path / "m.json")
    assert podium.load(tmp_path / "m.json").model_.feature_names == ("bm25", "age", "length", "links")


def test_a_fit_to_other_data_forgets_the_names_of_the_last(data: Dataset) -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 2.0]})
    ranker = Ranker().fit(frame, [0, 1, 2])
    ranker.fit(data)
    assert not hasattr(ranker, "feature_names_in_")
    assert len(ranker.predict(data.features)) == data.n_rows


# ---- files ----


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_saved_ranker_predicts_the_same_bits(
    scaling: str, data: Dataset, table: tuple[np.ndarray, np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    ranker = Ranker("hom-og", k=2, l2=0.1, scaling=scaling, seed=5).fit(data)
    ranker.save(tmp_path / "m.json")
    again = podium.load(tmp_path / "m.json")
    check_is_fitted(again)
    X, _, qid = table
    assert again.predict(data).tobytes() == ranker.predict(data).tobytes()
    assert again.predict(X, qid=qid).tobytes() == ranker.predict(X, qid=qid).tobytes()
    assert (again.n_features_in_, again.n_iter_) == (ranker.n_features_in_, ranker.n_iter_)
    np.testing.assert_array_equal(again.coef_, ranker.coef_)
    parameters = again.get_params()
    assert {name: parameters[name] for name in ("algorithm", "k", "l2", "scaling", "seed")} == {
        "algorithm": "hom-og", "k": 2, "l2": 0.1, "scaling": scaling, "seed": 5,
    }  # fmt: skip
    assert same_model(clone(again).fit(data), ranker)  # it can be trained again as it was
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(FileError, match="is a pickle, not a Podium model"):
        podium.load(tmp_path / "m.json")
    with pytest.raises(FileError, match="No such file"):
        podium.load(tmp_path / "none.json")


# ---- what is refused ----


def test_nothing_works_before_fit(data: Dataset, tmp_path: Path) -> None:
    ranker: Any = Ranker()
    for call in (
        lambda: ranker.predict(data),
        lambda: ranker.predict(data.features),
        lambda: ranker.rank(data),
        lambda: ranker.score(data),
        lambda: ranker.coef_,
        lambda: ranker.save(tmp_path / "m.json"),
        lambda: check_is_fitted(ranker),
    ):
        with pytest.raises(NotFittedError, match=r"not fitted yet"):
            call()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataError):
        ranker.set_params(l2=-1).fit(data)
    assert not hasattr(ranker, "model_")


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 2, 0, 1, 2])
ONE = Dataset.from_arrays(X, Y)
REFUSED: list[tuple[Any, str]] = [
    (lambda fit, _: fit(X), "requires y to be passed, but the target y is None"),
    (lambda fit, _: fit(X, Y[:5]), "inconsistent numbers of samples"),
    (lambda fit, _: fit(X, ["a", "b", "c", "a", "b", "c"]), "labels must be numbers, larger is better"),
    (lambda fit, _: fit(X, [0, 1, np.nan, 0, 1, 2]), "NaN"),
    (lambda fit, _: fit(X, Y, qid=[1, 2]), r"qid must have 6 values, one a row, got shape \(2,\)"),
    (lambda fit, _: fit(np.where(X == 3, np.nan, X), Y), "NaN"),
    (lambda fit, _: fit(np.where(X == 3, np.inf, X), Y), "infinity"),
    (lambda fit, _: fit(ONE, Y), "a dataset has its labels and query ids; give neither y nor qid with it"),
    (lambda fit, _: fit(ONE, qid=Y), "a dataset has its labels and query ids; give neither y nor qid with it"),
    (lambda _, ranker: ranker.predict(ONE, qid=Y), "a dataset has its query ids; do not give qid with it"),
    (lambda _, ranker: ranker.predict(np.zeros((3, 5))), "X has 5 features, but Ranker is expecting 2 features"),
    (lambda _, ranker: ranker.predict(Dataset.from_arrays(np.zeros((3, 5)))), "was trained on 2 features, these rows have 5"),
    (lambda _, ranker: ranker.predict(np.where(X == 3, np.nan, X)), "NaN"),
    (lambda _, ranker: ranker.predict(X, qid=[1, 2]), "qid must have 6 values"),
    (lambda _, ranker: ranker.score(X), "score requires y, the labels"),
    (lambda _, ranker: ranker.score(X, Y[:5]), "expected 6 values, one a row, got 5"),
    (lambda _, ranker: ranker.score(X, Y, qid=[1, 2]), "qid must have 6 values"),
    (lambda _, ranker: ranker.set_params(measure="ndgc").score(X, Y), "unknown measure 'ndgc'; did you mean"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[f"{place}: {message[:30]}" for place, (_, message) in enumerate(REFUSED)])
def test_what_does_not_fit_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(Ranker().fit, Ranker().fit(X, Y))
