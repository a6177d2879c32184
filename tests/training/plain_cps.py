"""Top-k CPS a second time, slowly: written from the definition (SPEC, section 3), nothing is updated, every count is taken anew.

A larger feature is ranked above a smaller one. Counts are fractions; energies and costs take them times whatever number θ is, so that
slopes are differences of values at neighbouring θ, with digits to spare.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from tests.losses.plain import top_and_rest

from podium import Dataset
from podium.ragged import Floats, Ints, offsets_of

Rows = Sequence[Sequence[float]]


def count_above(rows: Rows, j: int, among: Iterable[int], m: int) -> Fraction:
    """#{l ≠ j : feature m ranks l above j}; a tie counts ½."""
    found = Fraction(0)
    for other in among:
        if other != j:
            found += 1 if rows[other][m] > rows[j][m] else Fraction(1, 2) if rows[other][m] == rows[j][m] else 0
    return found


def energy(theta: Sequence[Any], rows: Rows, j: int, left: Iterable[int]) -> Any:
    found, left = 0 * theta[0], list(left)
    for m, weight in enumerate(theta):
        count = count_above(rows, j, left, m)
        found += weight * count.numerator / count.denominator
    return found


def stages(labels: Sequence[float], k: int) -> list[list[int]]:
    """left(i) for every i on top, which comes first: itself and the strictly worse."""
    return [[i, *(j for j in range(len(labels)) if labels[j] < labels[i])] for i in top_and_rest(labels, k)[0]]


def cost(theta: Sequence[Any], rows: Rows, labels: Sequence[float], k: int) -> Any:
    """Minus the log-likelihood of one query, with mpmath's digits."""
    found = mpmath.mpf(0)
    for left in stages(labels, k) if labels else []:
        energies = [energy(theta, rows, j, left) for j in left]
        found += energies[0] + mpmath.log(sum(mpmath.exp(-each) for each in energies))
    return found


def parts(data: Dataset) -> list[tuple[list[list[float]], list[float]]]:
    """Features and labels, query by query."""
    return [(data.features[a:b].tolist(), data.labels[a:b].tolist()) for a, b in itertools.pairwise(data.offsets.tolist())]


def objective(data: Dataset, theta: Sequence[Any], k: int, l2: float) -> Any:
    exact = [mpmath.mpf(weight) for weight in theta]
    whole = sum(cost(exact, rows, labels, k) for rows, labels in parts(data))
    return whole / data.n_queries + mpmath.mpf(l2) / 2 * sum(weight**2 for weight in exact)


def value_and_slope(data: Dataset, theta: Floats, k: int, l2: float, *, digits: int = 50) -> tuple[float, Floats]:
    """The objective, and central differences of it."""
    with mpmath.workdps(digits):
        h = mpmath.mpf(10) ** -(digits // 3)
        slope = []
        for place in range(len(theta)):
            right, left = ([mpmath.mpf(w) + side * (m == place) for m, w in enumerate(theta.tolist())] for side in (h, -h))
            slope.append(float((objective(data, right, k, l2) - objective(data, left, k, l2)) / (2 * h)))
        return float(objective(data, theta.tolist(), k, l2)), np.array(slope)


def counts(rows: np.ndarray) -> Floats:
    """How many of ``rows`` each feature ranks above each of them: one table, for lists too long for fractions."""
    higher, equal = rows[None] > rows[:, None], rows[None] == rows[:, None]
    return np.asarray(higher.sum(axis=1) + 0.5 * (equal.sum(axis=1) - 1))


def recounted(features: np.ndarray, labels: Floats, theta: Floats, k: int) -> tuple[float, Floats]:
    """Cost and slope of one query in doubles: at every stage, everything is counted again among those left."""
    value, slope = 0.0, np.zeros(len(theta))
    for left in stages(labels.tolist(), k):
        table = counts(features[left].astype(np.float64))
        energies = table @ theta
        weights = np.exp(energies.min() - energies)
        value += energies[0] - energies.min() + np.log(weights.sum())
        slope += table[0] - weights @ table / weights.sum()
    return float(value), slope


def mean_recounted(data: Dataset, theta: Floats, k: int, l2: float) -> tuple[float, Floats]:
    found = [recounted(data.features[a:b], data.labels[a:b], theta, k) for a, b in itertools.pairwise(data.offsets.tolist()) if b > a]
    value, slope = sum(value for value, _ in found), np.sum([slope for _, slope in found], axis=0)
    return value / data.n_queries + l2 / 2 * float(theta @ theta), slope / data.n_queries + l2 * theta


def prediction(theta: Floats, features: np.ndarray, offsets: Ints) -> list[float]:
    """Minus the place of every row: the least energy among those left, in exact arithmetic, the first of equals."""
    exact, scores = [Fraction(weight) for weight in theta.tolist()], []
    for a, b in itertools.pairwise(offsets.tolist()):
        rows, left, places = features[a:b].tolist(), list(range(b - a)), [0.0] * (b - a)
        for place in range(1, b - a + 1):
            chosen = min(left, key=lambda j: energy(exact, rows, j, left))  # the first of equals
            places[chosen] = -float(place)
            left.remove(chosen)
        scores += places
    return scores


# ---- data ----

TRUTHS = ("full order", "top k", "grades", "two grades", "no preference")


def labelled(truth: str, sizes: list[int], k: int, random: np.random.Generator) -> Floats:
    """One label a row, in no order."""
    found = []
    for n in sizes:
        order = random.permutation(n)
        grades = {"full order": order, "top k": np.maximum(k - order, 0), "grades": random.integers(0, 3, n)}
        found.append(grades.get(truth, random.integers(0, 2, n) if truth == "two grades" else np.full(n, 2.0)))
    return np.concatenate(found).astype(np.float64)


def random_data(truth: str, sizes: list[int], width: int, k: int, n_values: int, seed: int) -> tuple[Dataset, Floats]:
    """Data whose features tie often, and a θ."""
    random = np.random.default_rng(seed)
    features = random.integers(-n_values, n_values + 1, (sum(sizes), width)).astype(np.float32)
    return Dataset.from_arrays(features, labelled(truth, sizes, k, random), offsets=offsets_of(sizes)), random.normal(size=width)


def draw(theta: Floats, n_queries: int, n: int, seed: int) -> Dataset:
    """Full orders drawn from the model: the next with chance ∝ e^-energy among those left."""
    random = np.random.default_rng(seed)
    features, labels = random.normal(size=(n_queries * n, len(theta))).astype(np.float32), np.empty(n_queries * n)
    for begin in range(0, len(labels), n):
        left = list(range(begin, begin + n))
        while left:
            weights = np.exp(-counts(features[left]) @ theta)
            chosen = left[int(random.choice(len(left), p=weights / weights.sum()))]
            labels[chosen] = len(left)
            left.remove(chosen)
    return Dataset.from_arrays(features, labels, offsets=np.arange(0, len(labels) + 1, n))
