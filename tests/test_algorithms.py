"""The table of algorithms and their settings."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import podium
from podium import DataError, Dataset, UnknownName, algorithms, losses
from podium.algorithms import ALGORITHMS, SETTINGS, TRAINERS, parse_setting, resolve
from podium.scorers import LinearScorer
from podium.search import grid_of
from podium.training.smooth import SmoothSettings
from podium.training.watching import Step, Validation

over_the_table = pytest.mark.parametrize("name", ALGORITHMS)

WRONG: dict[str, list[Any]] = {
    "k": [0, -1, 1.5, "5", None, True, [5]],
    "balance": [-0.1, 1.1, "half", None, True, np.nan],
    "rest": [-1.0, np.inf, "x", None, False],
    "C": [0.0, -1, np.inf, "1", None, True],
    "target": ["ndgc", "wkt", "", None, 3],
    "repeats": [-1, 1.5, "2", None, True],
    "l2": [-1e-9, np.nan, np.inf, "0.1", None, True],
    "l1": [-1.0, np.nan, "0", None],
    "optimizer": ["newton", "", None, 1, ["gd"]],
    "learning_rate": [0.0, -1, np.inf, "fast", True],
    "batch_queries": [0, 2.5, None, "32"],
    "bins": [1, 257, 64.0, None, "256"],
    "max_iter": [0, -5, 10.0, None, np.bool_(True)],
    "tol": [-1e-4, np.nan, None, "0"],
    "scaling": ["log", "", None, 3],
    "ties": ["random", "", None, 0],
    "orders": [0, 1.0, None],
    "patience": [0, -1, 2.5, "3", False],
}
RIGHT: dict[str, list[Any]] = {
    "k": [1, 10, np.int64(3)],
    "balance": [0, 1, 0.5, np.float32(0.25)],
    "rest": [0, 0.5],
    "C": [1e-9, 1, np.float32(0.5)],
    "target": ["map", "ndcg@10", "k-ndcg@5", "ndcg@10[letor]"],
    "repeats": [0, 5],
    "l2": [0, 0.0, 1e-3, 10, np.float64(0.1), np.int64(1), np.int32(0)],
    "l1": [0, 0.3],
    "optimizer": ["lbfgs", "gd", "sgd", "adam"],
    "learning_rate": [None, 1e-5, 1],
    "batch_queries": [1, 500],
    "bins": [2, 256],
    "max_iter": [1, 10_000],
    "tol": [0, 1e-8],
    "scaling": ["none", "minmax", "zscore", "standard"],
    "ties": ["keep", "break", "average", "resample"],
    "orders": [1, 7],
    "patience": [None, 1, 20],
}


def one_with(setting: str) -> str:
    """An algorithm that has the setting."""
    return next(name for name, algorithm in ALGORITHMS.items() if setting in algorithm.settings)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return podium.synthetic(20, 30, 6).top_k(5)


# ---- the table ----


@over_the_table
def test_every_algorithm_learns(name: str, data: Dataset) -> None:
    seen: list[Step] = []
    model = algorithms.fit(name, data, callback=seen.append)
    value = Validation(data).value
    random = np.random.default_rng(0)
    by_chance = max(value(LinearScorer(random.normal(size=6))) for _ in range(3))
    shuffled = data.with_labels(np.concatenate([random.permutation(data.labels[a : a + 30]) for a in range(0, 600, 30)]))
    assert value(model.scorer) > Validation(shuffled).value(model.scorer) + 0.2  # what the same scores get for labels by chance
    assert value(model.scorer) > by_chance
    assert model.training["objective"] < seen[0].objective
    assert model.algorithm == name
    assert model.settings == resolve(name, {})
    assert (model.training["queries"], model.training["documents"]) == (20, 600)
    assert model.training["iterations"] == seen[-1].iteration
    is_boosted = model.training["iterations"] == model.settings["max_iter"] and algorithms.get(name).trainer in {"rankboost", "adarank"}
    assert model.training["stopped"] == ("max_iter" if is_boosted else "converged")


@over_the_table
def test_every_setting_of_an_algorithm_is_explained_and_its_default_is_allowed(name: str) -> None:
    algorithm = ALGORITHMS[name]
    assert set(algorithm.settings) <= set(SETTINGS)
    assert set(algorithm.defaults) <= set(algorithm.settings)
    trainer = TRAINERS[algorithm.trainer]
    assert {*algorithm.settings, *algorithm.without} == {*algorithm.own_settings, *trainer.settings.__dataclass_fields__}
    assert not trainer.takes_loss or algorithm.own_settings == losses.LOSSES[algorithm.loss].settings
    assert resolve(name, {}) == algorithm.settings
    assert algorithm.meaning
    assert algorithm.paper


@over_the_table
def test_every_preset_of_a_grid_resolves(name: str) -> None:
    assert {"default", "paper"} <= set(ALGORITHMS[name].grids)
    for preset, values in ALGORITHMS[name].grids.items():
        settings = grid_of(name, preset)
        assert len(settings) == np.prod([len(each) for each in values.values()]) > 1
        assert len({str(each) for each in settings}) == len(settings)
        for each in settings:
            assert resolve(name, each).items() >= each.items()


def test_defaults_are_those_of_loss_trainer_and_row_in_this_order() -> None:
    assert ALGORITHMS["rankcosine"].settings["l2"] == 0.0
    assert ALGORITHMS["listmle"].settings["l2"] == SmoothSettings().l2 == 1e-3
    assert ALGORITHMS["hom-og"].settings["k"] == losses.LOSSES["hom-og"].settings["k"]


def test_settings_reach_the_loss_and_the_trainer(data: Dataset) -> None:
    weights = lambda **settings: algorithms.fit("top-k-listmle", data, {"max_iter": 5, **settings}).scorer.as_plain()["weights"]
    usual = weights()
    assert weights() == usual
    for settings in ({"k": 2}, {"l2": 0.5}, {"l1": 0.5}, {"scaling": "none"}, {"optimizer": "gd"}, {"ties": "break"}, {"max_iter": 2}):
        assert weights(**settings) != usual, settings


def test_the_ranker_has_exactly_these_settings() -> None:
    parameters = inspect.signature(podium.Ranker).parameters
    assert set(parameters) == {*SETTINGS, "algorithm", "measure", "seed", "warm_start"}
    assert all(parameters[name].default is None for name in SETTINGS)


# ---- values ----


def test_every_setting_has_examples_here() -> None:
    assert set(WRONG) == set(RIGHT) == set(SETTINGS)
    assert all(SETTINGS[name].meaning and SETTINGS[name].expected for name in SETTINGS)


@pytest.mark.parametrize(("setting", "value"), [(setting, value) for setting, values in WRONG.items() for value in values])
def test_a_wrong_value_is_refused_with_the_name_and_what_would_do(setting: str, value: Any) -> None:
    with pytest.raises(DataError) as caught:
        resolve(one_with(setting), {setting: value})
    assert str(caught.value).startswith(f"{setting} must be {SETTINGS[setting].expected}, got ")


@pytest.mark.parametrize(("setting", "value"), [(setting, value) for setting, values in RIGHT.items() for value in values])
def test_a_right_value_is_taken_in_its_own_type(setting: str, value: Any) -> None:
    found = resolve(one_with(setting), {setting: value})[setting]
    assert found == value
    assert type(found) is (type(None) if value is None else SETTINGS[setting].kind)


@pytest.mark.parametrize("setting", ["l2", "l1", "balance", "rest", "tol", "learning_rate"])
def test_a_number_beyond_all_doubles_is_refused(setting: str) -> None:
    with pytest.raises(DataError, match=f"{setting} must be"):
        resolve("focused-net" if setting == "balance" else one_with(setting), {setting: 10**400})


@over_the_table
def test_an_unknown_setting_lists_the_known(name: str) -> None:
    with pytest.raises(UnknownName) as caught:
        resolve(name, {"depth": 3})
    assert str(caught.value) == f"unknown setting of {name} 'depth'; choose from {', '.join(sorted(ALGORITHMS[name].settings))}"


def test_a_setting_of_another_algorithm_is_refused(data: Dataset) -> None:
    with pytest.raises(UnknownName, match="unknown setting of ranknet 'k'; choose from batch_queries, l1, l2"):
        algorithms.fit("ranknet", data, {"k": 5})
    with pytest.raises(UnknownName, match="unknown setting of listmle 'max_iters'; did you mean 'max_iter'"):
        algorithms.fit("listmle", data, {"max_iters": 5})


def test_an_unknown_algorithm_lists_the_known(data: Dataset) -> None:
    for call in (lambda: algorithms.get("listmel"), lambda: resolve("listmel", {}), lambda: algorithms.fit("listmel", data)):
        with pytest.raises(UnknownName, match="unknown algorithm 'listmel'; did you mean 'listmle'\\? choose from adarank, cs-listmle, "):
            call()


# ---- as text ----


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k=5", ("k", 5)),
        (" k = 5 ", ("k", 5)),
        ("l2=0.01", ("l2", 0.01)),
        ("l2=1e-3", ("l2", 0.001)),
        ("l2=1", ("l2", 1.0)),
        ("scaling=minmax", ("scaling", "minmax")),
        ("optimizer=adam", ("optimizer", "adam")),
        ("patience=", ("patience", None)),
        ("learning_rate=", ("learning_rate", None)),
        ("patience=3", ("patience", 3)),
    ],
)
def test_a_setting_is_read_from_text(text: str, expected: tuple[str, Any]) -> None:
    found = parse_setting(text)
    assert found == expected
    assert type(found[1]) is type(expected[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k", "a setting is written name=value, such as l2=0.01, got 'k'"),
        ("", "a setting is written name=value"),
        ("k=", "k must be a whole number from 1 on, below 2\\^31, got ''"),
        ("k=five", "k must be a whole number from 1 on, below 2\\^31, got 'five'"),
        ("k=5.0", "k must be a whole number from 1 on, below 2\\^31, got '5.0'"),
        ("k=0", "k must be a whole number from 1 on, below 2\\^31, got '0'"),
        ("l2=nan", "l2 must be a number from 0 on, got 'nan'"),
        ("l2=inf", "l2 must be a number from 0 on, got 'inf'"),
        ("l2=1e999", "l2 must be a number from 0 on, got '1e999'"),
        ("l2=0,1", "l2 must be a number from 0 on, got '0,1'"),
        ("l2=0.1=0.2", "l2 must be a number from 0 on, got '0.1=0.2'"),
        ("scaling=log", "scaling must be one of minmax, zscore, standard, none, got 'log'"),
        ("scaling=", "scaling must be one of minmax"),
        ("patience=none", "patience must be a whole number from 1 on, got 'none'"),
    ],
)
def test_text_that_is_no_setting_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_setting(text)


def test_text_with_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UnknownName, match="unknown setting 'l3'; choose from C, balance, batch_queries, bins, k, "):
        parse_setting("l3=1")
    with pytest.raises(UnknownName, match="unknown setting ''; choose from"):
        parse_setting("=1")


# ---- from a model on ----


def test_a_model_is_a_place_to_start_from(data: Dataset) -> None:
    first = algorithms.fit("listmle", data, {"tol": 1e-6})
    again = algorithms.fit("listmle", data, start=first)
    assert first.training["iterations"] > 3
    assert again.training["iterations"] == 0
    other = algorithms.fit("hom-og", data, start=first)
    assert other.training["iterations"] > 0


@pytest.mark.parametrize("name", ["listmle", "ranksvm", "adarank"])
def test_a_start_on_other_data_orders_them_as_its_model_does(name: str, data: Dataset) -> None:
    """Mean and deviation are those of the new rows; the weights are turned accordingly."""
    settings = {"scaling": "standard", "max_iter": 2}
    first = algorithms.fit(name, data, settings)
    other = Dataset.from_arrays(data.features * np.float32(10) + np.float32(3), data.labels, data.query_of_row)
    begun = algorithms.fit(name, other, settings, start=first, callback=lambda _: True)
    before, after = (model.scores(other.features, other.offsets) for model in (first, begun))
    differences = [np.diff(scores.reshape(20, 30), axis=1) for scores in (before, after)]
    np.testing.assert_allclose(differences[1], differences[0], rtol=1e-3, atol=1e-3 * np.abs(differences[0]).max())


def test_a_model_of_another_scaling_or_width_is_no_place_to_start_from(data: Dataset) -> None:
    first = algorithms.fit("listmle", data, {"scaling": "minmax", "max_iter": 1})
    with pytest.raises(DataError, match="to start from a model, both must scale features alike: it has"):
        algorithms.fit("listmle", data, start=first)
    with pytest.raises(DataError, match="to start from a model, it must have 2 finite weights"):
        algorithms.fit("listmle", data.select_features([0, 1]), {"scaling": "minmax"}, start=first)


def test_the_model_keeps_given_feature_names_seed_and_what_validation_said(data: Dataset) -> None:
    named = Dataset.from_arrays(data.features[:, :2], data.labels, offsets=data.offsets, feature_names=["bm25", "age"])
    model = algorithms.fit("listmle", named, {"max_iter": 2}, seed=9, validation=Validation(named, "map"))
    assert (model.feature_names, model.seed, model.settings["max_iter"]) == (("bm25", "age"), 9, 2)
    assert model.training["validation_measure"] == "map"
    assert model.training["validation"] == Validation(named, "map").value(model.scorer)
    assert algorithms.fit("listmle", data, {"max_iter": 1}).feature_names == ()


def test_an_interrupt_gives_the_model_so_far(data: Dataset) -> None:
    def interrupt(step: Step) -> None:
        if step.iteration == 3:
            raise KeyboardInterrupt

    model = algorithms.fit("listmle", data, callback=interrupt)
    assert (model.training["stopped"], model.training["iterations"]) == ("interrupt", 3)
    assert model.scorer.as_plain() == algorithms.fit("listmle", data, {"max_iter": 3}).scorer.as_plain()
