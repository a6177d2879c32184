"""What losses refuse: messages say what is wrong, where, and what was seen."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from podium.errors import DataError, UnknownName
from podium.losses import LOSSES, get

over_the_table = pytest.mark.parametrize("name", LOSSES)


def test_an_unknown_loss_is_told_all_known_ones() -> None:
    with pytest.raises(UnknownName, match="unknown loss 'listnett'; did you mean 'listnet'") as caught:
        get("listnett")
    assert all(name in str(caught.value) for name in LOSSES)


def test_an_unknown_setting_is_told_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=re.escape("unknown setting of focused-net 'beta'; choose from balance, k")):
        get("focused-net", beta=0.5)


def test_a_loss_with_settings_takes_no_more() -> None:
    loss = get("hom-og", k=5)
    assert get(loss) is loss
    with pytest.raises(DataError, match="hom-og has its settings already"):
        get(loss, k=3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k must be a whole number from 1 on, got 0"),
        ({"k": -3}, "k must be a whole number from 1 on, got -3"),
        ({"k": 2.5}, "k must be a whole number from 1 on, got 2.5"),
        ({"k": True}, "k must be a whole number from 1 on, got True"),
        ({"k": "3"}, "k must be a whole number from 1 on, got '3'"),
        ({"balance": 1.5}, "balance must be a number from 0 to 1, got 1.5"),
        ({"balance": -0.1}, "balance must be a number from 0 to 1, got -0.1"),
        ({"balance": float("nan")}, "balance must be a number from 0 to 1, got nan"),
        ({"balance": "half"}, "balance must be a number from 0 to 1, got 'half'"),
        ({"rest": -1}, "rest must be a number from 0 on, got -1"),
        ({"rest": float("inf")}, "rest must be a number from 0 on, got inf"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings: dict[str, Any], message: str) -> None:
    name = "top-k-rankcosine" if "rest" in settings else "focused-net"
    with pytest.raises(DataError, match=re.escape(message)):
        get(name, **settings)
    with pytest.raises(DataError, match=re.escape(message)):
        LOSSES[name].function([0.0, 1.0], [1, 0], [0, 2], **settings)


@over_the_table
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_refused_with_their_row(name: str, bad: float) -> None:
    with pytest.raises(DataError, match=f"scores must be finite; row 1 is {bad}"):
        get(name)([0.0, bad, 1.0], [2, 1, 0], [0, 3])


@over_the_table
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_labels_that_are_not_finite_are_refused_with_their_row(name: str, bad: float) -> None:
    with pytest.raises(DataError, match=f"labels must be finite; row 2 is {bad}"):
        get(name)([0.0, 0.0, 1.0], [2, 1, bad], [0, 3])


@over_the_table
def test_scores_and_labels_must_be_as_many(name: str) -> None:
    with pytest.raises(DataError, match=re.escape("there are 3 labels but scores have shape (2,)")):
        get(name)([0.0, 1.0], [2, 1, 0], [0, 3])


def test_labels_must_be_a_line() -> None:
    with pytest.raises(DataError, match=re.escape("labels must be a line of numbers, got shape (1, 3)")):
        get("listmle")([0.0, 1.0, 2.0], [[2, 1, 0]], [0, 3])


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 2], "offsets must end at the number of rows, 3, got 2"),
        ([1, 3], "offsets must begin at 0, got 1"),
        ([0, 2, 1, 3], "offsets must not descend; they do after query 1"),
        ([0.0, 3.0], "offsets must be whole numbers, got dtype float64"),
        ([[0, 3]], "offsets must be a line of one number more than queries, got shape (1, 2)"),
    ],
)
def test_offsets_that_do_not_fit_are_refused(offsets: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        get("listmle")([0.0, 1.0, 2.0], [2, 1, 0], offsets)


def test_cs_listmle_refuses_labels_below_0() -> None:
    with pytest.raises(DataError, match=re.escape("cs-listmle takes labels from 0 on, since their gains are 2^y - 1; got -0.5")):
        get("cs-listmle")([0.0, 1.0], [1, -0.5], [0, 2])


def test_exact_listnet_refuses_thirteen_documents_and_says_which_query_has_them() -> None:
    with pytest.raises(DataError, match="up to 12 documents; query 1 has 13; use listnet"):
        get("listnet-exact")(np.zeros(15), np.arange(15.0), [0, 2, 15])
