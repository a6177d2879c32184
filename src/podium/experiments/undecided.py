"""What validation queries leave undecided: no setting has a value there, and nothing can be chosen; or all are equal, and that is told."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError
from podium.experiments.curves import point_name
from podium.experiments.trials import Trial
from podium.ragged import Floats

__all__ = ["check_decided", "undecided"]


def check_decided(trials: Sequence[Trial], validation: Floats, measure: str) -> None:
    """Refuse a cell where validation must choose and no trial has a value (NaN).

    It chooses among several settings, and with ``patience`` among the steps of one. A single setting without that needs no value.
    """
    for places in _by_cell([trial.cell for trial in trials]):
        trial = trials[places[0]]
        is_choice = len(places) > 1 or trial.settings.get("patience") is not None
        if is_choice and np.isnan(validation[places]).all():
            at = f" at {point_name(trial.point)}" if trial.point != "" else ""
            raise DataError(
                f"ranker {trial.arm.name!r}{at}, {trial.fold}, seed {trial.seed}: no validation query has a value of {measure} with any of "
                "its settings, so none can be chosen; name another measure in choose, or use folds whose validation labels differ"
            )


def undecided(trials: Mapping[str, NDArray[Any]]) -> str:
    """What to say of a run's trials where all settings of a grid are equal on validation queries; empty if there is no such choice.

    >>> trials = {"fold": ["Fold1", "Fold1"], "algorithm": ["RankNet"] * 2, "point": [""] * 2, "seed": [0, 0], "validation": [0.5, 0.5]}
    >>> undecided({name: np.array(column) for name, column in trials.items()})
    'all settings were equal on validation queries, and the first was taken: RankNet (always)'
    """
    found: dict[str, list[bool]] = {}
    cells = zip(*(trials[name].tolist() for name in ("fold", "algorithm", "point", "seed")), strict=True)
    for places in _by_cell(cells):
        if len(places) > 1:
            values = trials["validation"][places]
            found.setdefault(str(trials["algorithm"][places[0]]), []).append(bool((values == values[0]).all()))
    told = [
        f"{arm} ({'always' if all(are_equal) else f'{sum(are_equal)} of {len(are_equal)} times'})"
        for arm, are_equal in found.items()
        if any(are_equal)
    ]
    return f"all settings were equal on validation queries, and the first was taken: {'; '.join(told)}" if told else ""


def _by_cell(cells: Iterable[Hashable]) -> list[list[int]]:
    """The places of trials that compete, in the order in which cells appear."""
    found: dict[Hashable, list[int]] = {}
    for place, cell in enumerate(cells):
        found.setdefault(cell, []).append(place)
    return list(found.values())
