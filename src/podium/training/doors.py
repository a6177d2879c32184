"""What every trainer asks of data before it begins."""

from __future__ import annotations

import numpy as np

from podium.dataset import Dataset
from podium.errors import DataError
from podium.ragged import Floats
from podium.scaling import is_any_missing
from podium.scorers.models import check_names
from podium.training.watching import Validation

__all__ = ["as_start", "check_data"]


def check_data(data: Dataset, validation: Validation | None, patience: int | None) -> None:
    """Refuse what cannot be learned from."""
    if patience is not None and validation is None:
        raise DataError("patience needs validation data: it counts the steps without a better value there")
    if validation is not None and validation.data.n_features != data.n_features:
        raise DataError(f"validation data has {validation.data.n_features} features, training data {data.n_features}")
    if validation is not None:
        check_names(data.given_names, validation.data.given_names)
    if data.n_rows == 0 or data.n_features == 0:
        raise DataError(f"there is nothing to learn from: {data!r}")
    for name, part in (("features", data), ("validation features", None if validation is None else validation.data)):
        if part is None or not is_any_missing(part.features):
            continue
        row, column = (int(place) for place in np.argwhere(np.isnan(part.features))[0])
        raise DataError(
            f"{name} must not be missing (NaN) here; row {row}, column {column} is; "
            "fill them first: Dataset.fill_missing() takes the least value of the query, podium convert --fill-missing does the same"
        )


def as_start(start: Floats, count: int) -> Floats:
    """A copy of the weights to begin at."""
    weights = np.array(start, dtype=np.float64)
    if weights.shape != (count,) or not np.isfinite(weights).all():
        raise DataError(f"to start from a model, it must have {count} finite weights, got shape {weights.shape}")
    return weights
