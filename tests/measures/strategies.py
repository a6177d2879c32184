"""Rankings drawn by Hypothesis, and every way to call a measure, read from its signature."""

from __future__ import annotations

import functools
import itertools
import typing
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from podium.measures import MEASURES, Measure, get
from podium.measures.names import Option, options_of
from podium.ragged import Floats, Ints, offsets_of

WHOLE_NUMBERS = (1, 2, 5)
REAL_NUMBERS = (0.5, 1.0, 4.0)


class Lists(NamedTuple):
    """What a measure is called with."""

    scores: Floats
    labels: Floats
    offsets: Ints

    def queries(self) -> list[Lists]:
        """Each query alone."""
        edges = zip(self.offsets[:-1], self.offsets[1:], strict=True)
        return [Lists(self.scores[a:b], self.labels[a:b], np.array([0, b - a])) for a, b in edges]

    @classmethod
    def of(cls, queries: list[tuple[list[float], list[float]]]) -> Lists:
        scores, labels = ([value for query in queries for value in query[part]] for part in (0, 1))
        return cls(np.array(scores, float), np.array(labels, float), offsets_of(len(query[0]) for query in queries))


def choices(option: Option) -> list[Any]:
    """Values to try for an option: all of a Literal, some numbers else, and the default where there is one."""
    if typing.get_origin(option.kind) is typing.Literal:
        return list(typing.get_args(option.kind))
    kinds = typing.get_args(option.kind) or (option.kind,)
    numbers = WHOLE_NUMBERS if int in kinds else REAL_NUMBERS
    return [*numbers] if option.is_required else [option.default, *numbers]


@functools.cache
def variants(name: str) -> list[Measure]:
    """The measure with every combination of its options."""
    options = options_of(MEASURES[name].function)
    named = []
    for values in itertools.product(*(choices(option) for option in options.values())):
        given = {key: value for key, value in zip(options, values, strict=True) if value is not None}
        cutoff = f"@{given.pop('cutoff')}" if "cutoff" in given else ""
        named.append(get(f"{name}{cutoff}[{','.join(f'{key}={value}' for key, value in given.items())}]"))
    return list(dict.fromkeys(named))


def at_cutoffs(name: str) -> list[Measure]:
    """The measure as it comes, at every cutoff it takes."""
    return [measure for measure in variants(name) if not measure.options]


def needs_an_order(measure: Measure) -> bool:
    """Whether the measure refuses labels that tie (at the top)."""
    return measure.name == "full-ndcg" or "k" in dict(measure.options)


def tied_or_any_scores(n: int) -> st.SearchStrategy[list[float]]:
    few = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5])
    return st.one_of(*(st.lists(value, min_size=n, max_size=n) for value in (few, st.floats(-1e6, 1e6))))


def distinct_scores(n: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n, unique=True)


def top_k_labels(n: int) -> st.SearchStrategy[list[float]]:
    return st.integers(1, 4).flatmap(lambda k: st.permutations([float(max(k - place, 0)) for place in range(n)]))


def strict_labels(n: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.integers(-2, max(12, 2 * n)), min_size=n, max_size=n, unique=True)


def any_labels(n: int) -> st.SearchStrategy[list[float]]:
    """Grades, one grade for all, top-k labels, full orders, quarters on both sides of 0."""
    grades = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    quarters = st.lists(st.integers(-6, 16).map(lambda number: number / 4), min_size=n, max_size=n)
    return st.one_of(grades, st.integers(0, 2).map(lambda grade: [grade] * n), top_k_labels(n), strict_labels(n), quarters)


LABELS_AT_LENGTH = {  # of n documents, in the kinds that are sorted, counted and looked up differently
    "grades": lambda n: np.random.default_rng(1).integers(0, 5, n).astype(float),
    "up to 16": lambda n: np.random.default_rng(2).integers(0, 17, n).astype(float),
    "up to 60": lambda n: np.random.default_rng(3).integers(0, 61, n).astype(float),
    "up to 900": lambda n: np.random.default_rng(4).integers(0, 901, n).astype(float),
    "quarters": lambda n: np.random.default_rng(5).integers(-9, 20, n) / 4,
    "not judged": lambda n: np.where(np.random.default_rng(6).random(n) < 0.2, np.nan, np.random.default_rng(7).integers(0, 4, n)),
}


@st.composite
def rankings(draw, labels=any_labels, scores=tied_or_any_scores, max_queries=4, min_documents=0, max_documents=7) -> Lists:
    sizes = draw(st.lists(st.integers(min_documents, max_documents), min_size=1, max_size=max_queries))
    return Lists.of([(draw(scores(n)), draw(labels(n))) for n in sizes])


@st.composite
def partial_rankings(draw) -> Lists:
    """Some documents are not retrieved, some are not judged, some are neither."""
    scores, labels, offsets = draw(rankings())
    marks = st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)).map(lambda bits: np.array(bits, bool))
    return Lists(np.where(draw(marks), -np.inf, scores), np.where(draw(marks), np.nan, labels), offsets)
