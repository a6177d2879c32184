"""Choosing: the first of the best on validation, in each cell by itself."""

from __future__ import annotations

import numpy as np
import pytest

from podium import measures
from podium.experiments.choosing import choose, first_of_the_best


def test_the_first_of_equals_is_chosen() -> None:
    assert first_of_the_best(np.array([0.1, 0.7, 0.7]), larger_is_better=True) == 1
    assert first_of_the_best(np.array([0.5, 0.2, 0.2]), larger_is_better=False) == 1


@pytest.mark.parametrize("larger", [True, False])
def test_no_value_is_worse_than_any(larger: bool) -> None:
    assert first_of_the_best(np.array([np.nan, 0.0, np.nan]), larger_is_better=larger) == 1
    assert first_of_the_best(np.array([np.nan, np.nan]), larger_is_better=larger) == 0


def test_every_cell_has_its_own_choice_also_where_cells_are_mixed() -> None:
    cells = ["a", "b", "a", "b", "c"]
    assert choose(cells, np.array([0.1, 0.9, 0.3, 0.2, 0.0]), "ndcg@10") == [2, 1, 4]


def test_a_loss_is_chosen_from_below() -> None:
    assert not measures.get("top-k-loss@3").entry.larger_is_better
    assert choose(["a", "a"], np.array([0.1, 0.9]), "top-k-loss@3") == [0]
