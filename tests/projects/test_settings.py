"""Settings as JSON, checked at the door."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import DataError, UnknownName
from podium.projects.facts import ProjectSettings, StudyPlan
from podium.projects.settings import settings_from, settings_to

numbers = st.integers(1, 100)
some_settings = st.builds(
    ProjectSettings,
    tool=st.sampled_from(["pairs", "grades"]),
    k=numbers,
    strategy=st.sampled_from(["heap", "adaptive"]),
    options=st.sampled_from([{}, {"stop_after": 3}, {"confidence": 0.5, "sure_of": "order"}]),
    seed=st.integers(0, 2**31 - 1),
    ties=st.booleans(),
    both_bad=st.booleans(),
    ties_are_transitive=st.booleans(),
    overlap=numbers,
    overlap_by=st.sampled_from(["copies", "votes"]),
    grades=st.sampled_from([("no", "yes"), ("schlecht", "mittel", "größer")]),
    instructions=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    gold_every=st.integers(0, 100),
    study=st.none() | st.builds(StudyPlan, numbers, numbers, numbers),
)


@given(settings=some_settings)
def test_settings_come_back_from_json_as_they_went(settings: ProjectSettings) -> None:
    assert settings_from(json.loads(json.dumps(settings_to(settings)))) == settings


def test_what_is_left_out_is_as_if_nobody_had_said_anything() -> None:
    assert settings_from({}) == ProjectSettings()
    assert settings_from({"k": 3}) == ProjectSettings(k=3)


def test_an_unknown_setting_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"unknown setting 'kk'; .*choose from both_bad, .*, tool"):
        settings_from({"kk": 5})
    with pytest.raises(UnknownName, match=r"unknown field of a study 'fold'.*folds"):
        settings_from({"study": {"assessors": 2, "fold": 2, "rounds": 1}})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "settings must be an object"),
        ({"k": "10"}, "'k' must be a whole number, got '10'"),
        ({"k": True}, "'k' must be a whole number, got True"),
        ({"k": 2.0}, "'k' must be a whole number, got 2.0"),
        ({"k": 0}, "k must be a whole number of 1 or more"),
        ({"k": None}, "'k' must be a whole number, got None"),
        ({"ties": "yes"}, "'ties' must be true or false, got 'yes'"),
        ({"ties": 1}, "'ties' must be true or false, got 1"),
        ({"tool": "stars"}, "unknown tool 'stars'"),
        ({"tool": 3}, "'tool' must be text, got 3"),
        ({"overlap_by": "luck"}, "unknown kind of overlap"),
        ({"options": [1]}, "'options' must be an object"),
        ({"options": {"budget": float("nan")}}, "that JSON can hold"),
        ({"options": {"budget": object()}}, "that JSON can hold"),
        ({"grades": "Good"}, "'grades' must be a list"),
        ({"grades": ["only"]}, "2 to 20 names"),
        ({"grades": ["no", "No "]}, "different names"),
        ({"grades": ["no", 3]}, "a grade must have"),
        ({"grades": ["no", "ye\ns"]}, "a grade must have"),
        ({"instructions": "\ud800"}, "half of one"),
        ({"instructions": "x" * 100_001}, "at most 100000 characters"),
        ({"study": [5, 5, 2]}, "'study' must be an object or null"),
        ({"study": {"assessors": 5, "folds": 5}}, "rounds of a study must be a whole number"),
        ({"study": {"assessors": 5, "folds": "5", "rounds": 2}}, "folds of a study must be a whole number"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused_by_name(values: Any, message: str) -> None:
    with pytest.raises((DataError, UnknownName), match=message):
        settings_from(values)
