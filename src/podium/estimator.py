"""Ranker: the scikit-learn face of every algorithm."""

from __future__ import annotations

import os
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from podium import algorithms, measures
from podium.dataset import Dataset
from podium.errors import DataError
from podium.ragged import Floats, Ints
from podium.scorers.linear import LinearScorer
from podium.scorers.models import Model, read_model, write_model
from podium.sorting import rank_rows
from podium.training.watching import Callback, Validation

__all__ = ["Ranker", "load"]


class Ranker(BaseEstimator):  # type: ignore[misc]
    """Any algorithm of :data:`podium.algorithms.ALGORITHMS` as a scikit-learn estimator.

    Settings left at ``None`` have the algorithm's defaults; one that the algorithm does not know is an error at ``fit``. What they mean
    is listed by ``podium algorithms``. ``measure`` is what ``score`` returns and what validation data are measured by.

    >>> data = Dataset.from_arrays([[0.0], [1.0], [2.0], [5.0], [3.0]], y=[0, 1, 2, 0, 1], qid=["a", "a", "a", "b", "b"])
    >>> ranker = Ranker("top-k-listmle", k=2).fit(data)
    >>> ranker.rank(data).tolist()
    [2, 1, 0, 3, 4]
    >>> round(ranker.score(data), 3)
    0.815
    """

    # what fit, predict and score take besides X and y; scikit-learn passes it on to them where it was asked to
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    def __init__(
        self,
        algorithm: str = "top-k-listmle",
        *,
        k: int | None = None,
        balance: float | None = None,
        rest: float | None = None,
        C: float | None = None,
        target: str | None = None,
        repeats: int | None = None,
        l2: float | None = None,
        l1: float | None = None,
        optimizer: str | None = None,
        learning_rate: float | None = None,
        batch_queries: int | None = None,
        bins: int | None = None,
        max_iter: int | None = None,
        tol: float | None = None,
        scaling: str | None = None,
        ties: str | None = None,
        orders: int | None = None,
        patience: int | None = None,
        measure: str = "ndcg@10",
        seed: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.algorithm = algorithm
        self.k = k
        self.balance = balance
        self.rest = rest
        self.C = C
        self.target = target
        self.repeats = repeats
        self.l2 = l2
        self.l1 = l1
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.batch_queries = batch_queries
        self.bins = bins
        self.max_iter = max_iter
        self.tol = tol
        self.scaling = scaling
        self.ties = ties
        self.orders = orders
        self.patience = patience
        self.measure = measure
        self.seed = seed
        self.warm_start = warm_start

    # ---- learning ----

    def fit(
        self,
        X: ArrayLike | Dataset,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        validation: Dataset | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Learn from a dataset, or from a table, labels and a query id per row (all rows are one query without).

        ``validation`` holds other queries, on which ``measure`` is taken after every iteration; with ``patience`` the best iteration is
        kept. ``callback`` sees every :class:`podium.training.watching.Step`. An interrupt (Ctrl-C) keeps the best model so far.
        """
        if validation is not None and not isinstance(validation, Dataset):
            raise DataError(f"validation must be a Dataset, got {type(validation).__name__}; make one with Dataset.from_arrays(X, y, qid)")
        data = self._learning_data(X, y, qid)
        chosen = {name: value for name in algorithms.SETTINGS if (value := getattr(self, name)) is not None}
        self.model_ = algorithms.fit(
            self.algorithm,
            data,
            chosen,
            seed=_as_seed(self.seed),
            validation=None if validation is None else Validation(validation, self.measure),
            start=getattr(self, "model_", None) if self.warm_start else None,
            callback=callback,
        )
        self.n_features_in_ = data.n_features
        if isinstance(X, Dataset) and hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # those of an earlier fit
        self.n_iter_ = self.model_.training["iterations"]
        return self

    def _learning_data(self, X: ArrayLike | Dataset, y: ArrayLike | None, qid: ArrayLike | None) -> Dataset:
        if isinstance(X, Dataset):
            if y is not None or qid is not None:
                raise DataError("a dataset has its labels and query ids; give neither y nor qid with it")
            return X
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        table, labels = validate_data(self, X, y, dtype="numeric", ensure_all_finite=True, y_numeric=True)
        return Dataset.from_arrays(table, labels, qid, feature_names=getattr(self, "feature_names_in_", None))

    # ---- ranking ----

    def predict(self, X: ArrayLike | Dataset, *, qid: ArrayLike | None = None) -> Floats:
        """A score for every row, in the order of the rows given; larger is better.

        ``qid`` is needed only by models that look at whole queries: those that scale features within them, and top-k CPS.
        """
        return self._scored(X, qid)[1]

    def _scored(self, X: ArrayLike | Dataset, qid: ArrayLike | None) -> tuple[Dataset, Floats]:
        """The rows by query, and their scores in the order they were given."""
        model = self._model()
        if isinstance(X, Dataset):
            if qid is not None:
                raise DataError("a dataset has its query ids; do not give qid with it")
            return X, model.scores(X.features, X.offsets, X.given_names)
        table = validate_data(self, X, dtype="numeric", ensure_all_finite=True, reset=False)
        if qid is None and model.scorer.needs_queries:
            scaling = getattr(model.scorer, "scaling", None)
            does = "orders the documents of each query together" if scaling is None else f"scales features within each query ({scaling})"
            raise DataError(f"this model {does}: give qid, the query id of each row")
        data = Dataset.from_arrays(table, qid=qid)
        return data, data.in_input_order(model.scores(data.features, data.offsets))

    def rank(self, X: ArrayLike | Dataset, qid: ArrayLike | None = None) -> Ints:
        """The positions of the rows, best first, query by query in order of first appearance; equal scores in input order."""
        data, scores = self._scored(X, qid)
        if isinstance(X, Dataset):
            return rank_rows(scores, data.offsets)
        order = rank_rows(data.from_input_order(scores), data.offsets)
        return order if data.input_rows is None else data.input_rows[order]

    def score(
        self, X: ArrayLike | Dataset, y: ArrayLike | None = None, *, qid: ArrayLike | None = None, sample_weight: None = None
    ) -> float:
        """The mean of ``measure`` over the queries; negated if smaller is better there, as scikit-learn expects.

        ``sample_weight`` is there because scikit-learn's pipelines always name it; queries weigh the same.
        """
        if sample_weight is not None:
            raise DataError("measures have no sample weights: queries weigh the same")
        data, scores = self._scored(X, qid)
        if isinstance(X, Dataset):
            labels = X.labels
        else:
            if y is None:
                raise ValueError("score requires y, the labels")
            labels, scores = data.from_input_order(np.asarray(y, dtype=np.float64)), data.from_input_order(scores)
        measure = measures.get(self.measure)
        value = measures.mean(measure(scores, labels, data.offsets))
        return value if measure.entry.larger_is_better else -value

    # ---- what was learned ----

    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first, or podium.load a saved one")
        return self.model_

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the scaled features, for linear models."""
        scorer = self._model().scorer
        if not isinstance(scorer, LinearScorer):
            raise AttributeError("only linear models have coef_")
        return scorer.weights

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as readable JSON; the file appears whole or not at all."""
        write_model(self._model(), path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _as_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError(f"seed must be a whole number from 0 on, got {seed!r}")
    return int(seed)


def load(path: str | os.PathLike[str]) -> Ranker:
    """A ranker from a model file; it predicts the same bits as the one that was saved. Executes no code from the file."""
    model = read_model(path)
    known = {name: model.settings[name] for name in algorithms.SETTINGS if name in model.settings}
    ranker = Ranker(model.algorithm, seed=model.seed, **known)
    ranker.model_ = model
    ranker.n_features_in_ = model.scorer.n_features
    if model.feature_names:
        ranker.feature_names_in_ = np.array(model.feature_names, dtype=object)
    ranker.n_iter_ = model.training.get("iterations", 0)
    return ranker
