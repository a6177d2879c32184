"""A made-up collection shaped like LETOR's MQ2007-list: 1,700 queries of 700 documents with 46 features and a full-order truth.

Each document has a utility that its features show only in part: a linear part, products of pairs of features, and its own taste of
the query. The true order is drawn from a Plackett-Luce model: at every rank the next document is chosen among those left with
probability proportional to exp(utility / temperature), and the temperature rises down the list, as people's care falls.
Same arguments, same bytes, on any number of threads.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

from podium.dataset import Dataset
from podium.errors import DataError
from podium.ragged import Floats, in_parallel, threads
from podium.strings import Strings

__all__ = ["check_arguments", "synthetic"]

_MOST_VALUES = 2**33  # of the features: 32 GiB
_FIRST_BLOCK = 10  # ranks drawn at the first temperature; each further block is twice as long


def synthetic(
    queries: int = 1700,
    documents: int = 700,
    features: int = 46,
    *,
    seed: int = 0,
    noise: float = 0.25,
    noise_growth: float = 1.6,
    interaction: float = 0.3,
) -> Dataset:
    """Make a collection with full-order truth: labels n for the best of n documents down to 1.

    ``noise`` is the temperature of the first ten ranks, in units of the utility's spread; it is multiplied by ``noise_growth`` for the
    next 10, the next 20, 40, … ranks. ``interaction`` is the share of the utility that products of features carry, which a linear
    ranker cannot see. Use :meth:`Dataset.top_k` for top-k truth.

    >>> data = synthetic(queries=3, documents=20, features=5, seed=1)
    >>> data, sorted(data.labels[:20].astype(int).tolist()) == list(range(1, 21))
    (Dataset(3 queries, 60 documents, 5 features), True)
    """
    check_arguments(queries, documents, features, noise=noise, noise_growth=noise_growth, interaction=interaction)
    model = _Model(features, interaction, np.random.default_rng([seed, 0]))
    table = np.empty((queries * documents, features), np.float32)
    labels = np.empty(queries * documents)

    def fill(first: int, last: int) -> None:
        for query in range(first, last):
            rows = slice(query * documents, (query + 1) * documents)
            generator = np.random.default_rng([seed, 1, query])  # a stream a query: any cut into threads gives the same
            shown, utility = model.draw(documents, generator)
            table[rows] = shown
            labels[rows] = documents - _positions(utility, noise, noise_growth, generator)

    edges = np.linspace(0, queries, threads() + 1).astype(int).tolist()
    in_parallel([functools.partial(fill, a, b) for a, b in itertools.pairwise(edges)])
    ids = Strings.of([f"D{row}" for row in range(queries * documents)])
    return Dataset(table, labels, np.arange(queries + 1) * documents, Strings.of(range(1, queries + 1)), ids)


def check_arguments(queries: int, documents: int, features: int, *, noise: float, noise_growth: float, interaction: float) -> None:
    """Refuse what :func:`synthetic` cannot make; each error begins with the argument's name."""
    for name, value in (("queries", queries), ("documents", documents), ("features", features)):
        if value < 1:
            raise DataError(f"{name} must be 1 or more, got {value}")
    if queries * documents * features > _MOST_VALUES:
        raise DataError(f"queries times documents times features must be at most {_MOST_VALUES:,}, got {queries * documents * features:,}")
    if not 0 <= interaction <= 1:
        raise DataError(f"interaction must be within 0..1, got {interaction}")
    if not 0 < noise < math.inf:
        raise DataError(f"noise must be above 0, got {noise}")
    if not 1 <= noise_growth < math.inf:
        raise DataError(f"noise_growth must be 1 or more, got {noise_growth}")


class _Model:
    """How features and utility hang together; one for the whole collection."""

    def __init__(self, features: int, interaction: float, generator: np.random.Generator) -> None:
        self.share = interaction
        self.weights = generator.exponential(size=features) * (generator.random(features) < 0.6)  # some features say nothing
        self.quality_load = generator.uniform(0.2, 0.8, features)  # features share the document's quality, so they correlate
        pairs = max(1, features // 4)
        self.left, self.right = generator.integers(features, size=(2, pairs))
        self.pair_weights = generator.normal(size=pairs)
        self.is_sparse = generator.random(features) < 0.25  # like anchor-text features: mostly zero

    def draw(self, documents: int, generator: np.random.Generator) -> tuple[Any, Floats]:
        """Features of one query's documents, scaled to 0..1 within the query as LETOR's are, and their utilities."""
        quality = generator.standard_normal((documents, 1))
        own = generator.standard_normal((documents, len(self.weights)))
        raw = self.quality_load * quality + np.sqrt(1 - self.quality_load**2) * own
        raw = np.where(self.is_sparse & (raw < 1.0), 1.0, raw)
        low, high = raw.min(axis=0), raw.max(axis=0)
        shown = ((raw - low) / np.where(high > low, high - low, 1.0)).astype(np.float32)
        taste = self.weights * generator.uniform(0.7, 1.3, len(self.weights))  # queries differ a little in what they want
        linear = shown @ taste
        crossed = ((shown[:, self.left] - 0.5) * (shown[:, self.right] - 0.5)) @ self.pair_weights
        return shown, (1 - self.share) * _spread(linear) + self.share * _spread(crossed)


def _spread(values: Floats) -> Floats:
    """Mean 0 and standard deviation 1 within the query; constant values become 0."""
    deviation = values.std()
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def _positions(utility: Floats, noise: float, growth: float, generator: np.random.Generator) -> Floats:
    """The place, from 0 on, of each document in an order drawn from the Plackett-Luce model described above.

    Within a block of ranks the temperature is constant, and taking the largest of utility / temperature + Gumbel noise is drawing
    without replacement from exactly that model.
    """
    positions = np.empty(len(utility))
    left, rank, block, temperature = np.arange(len(utility)), 0, _FIRST_BLOCK, noise
    while len(left):
        keys = utility[left] / temperature + generator.gumbel(size=len(left))
        order = left[np.argsort(-keys, kind="stable")]
        positions[order[:block]] = np.arange(rank, rank + len(order[:block]))
        rank += block
        left = np.sort(order[block:])
        block = rank  # 10, 10, 20, 40, …: each block as long as all before it
        temperature *= growth
    return positions
