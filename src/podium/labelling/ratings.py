"""Who said what of which pair: judgments from logs, and from grades, as one table for figures of agreement.

Judgments of pairs become one table of :class:`Ratings`, a row a pair, a column an assessor.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError, UnknownName
from podium.labelling.cost import Logs, answers_in
from podium.labelling.questions import ANSWERS, GRADES
from podium.ragged import Ints

__all__ = ["OUTCOMES", "Codes", "Grades", "Rating", "Ratings", "count_votes", "grades_of", "inferred", "majority", "ratings_of"]

OUTCOMES = ("A≻B", "A∼B", "B≻A")
_SIGNS = {"left": 1, "right": -1, "tie": 0, "bad": 0}
assert _SIGNS.keys() == ANSWERS.keys()

Codes = NDArray[np.int8]


class Rating(NamedTuple):
    """What one assessor said of a pair: 1 the first is better, 0 neither, −1 the second."""

    query: str
    first: str
    second: str
    assessor: str
    outcome: int


@final
@dataclass(frozen=True, eq=False)
class Ratings:
    """Who said what of which pair: ``codes[pair, assessor]`` is a place in OUTCOMES, −1 where the assessor did not judge the pair.

    The same pair judged again by the same assessor: the last answer counts.

    >>> ratings = Ratings.of([Rating("q", "b", "a", "ann", 1), Rating("q", "a", "b", "bob", 0)])
    >>> ratings.pairs, ratings.assessors, ratings.codes.tolist()
    ([('a', 'b')], ('ann', 'bob'), [[2, 1]])
    """

    query_ids: tuple[str, ...]
    queries: Ints  # of each pair, the number of its query
    pairs: list[tuple[str, str]]  # the smaller id first: A, then B
    assessors: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, ratings: Iterable[Rating]) -> Ratings:
        """From judgments in any order."""
        said: dict[tuple[str, str, str], dict[str, int]] = {}
        for query, first, second, assessor, outcome in ratings:
            if first == second or outcome not in (-1, 0, 1):
                raise DataError(f"a rating is 1, 0 or -1 of two documents, got {outcome!r} of {first!r} and {second!r} of query {query!r}")
            key, sign = ((query, first, second), outcome) if first < second else ((query, second, first), -outcome)
            said.setdefault(key, {})[assessor] = 1 - sign
        assessors = tuple(sorted({name for row in said.values() for name in row}))
        query_ids = tuple(dict.fromkeys(query for query, _, _ in said))
        numbers = {query: number for number, query in enumerate(query_ids)}
        codes = np.array([[row.get(name, -1) for name in assessors] for row in said.values()], np.int8)
        queries = np.array([numbers[query] for query, _, _ in said], np.int64)
        return cls(query_ids, queries, [key[1:] for key in said], assessors, codes.reshape(len(said), len(assessors)))


def ratings_of(logs: Logs) -> Ratings:
    """What the standing answers of each query's log say of pairs; "both bad" counts as a tie, questions for a grade are left out."""
    return Ratings.of(_pair_ratings(logs))


def _pair_ratings(logs: Logs) -> Iterator[Rating]:
    for query, events in logs.items():
        for event in answers_in(events):
            if event.left is None or event.right is None:
                continue
            if event.answer not in _SIGNS:
                raise UnknownName("answer", str(event.answer), _SIGNS)
            yield Rating(query, event.left, event.right, event.assessor, _SIGNS[event.answer])


Grades = Mapping[str, Mapping[str, Mapping[str, float]]]  # query -> assessor -> document -> grade


def grades_of(logs: Logs, names: Sequence[str] = GRADES) -> Grades:
    """The grades in the standing answers of each query's log, as places in ``names``, worst first; questions of pairs are left out."""
    places = {name: place for place, name in enumerate(names)}
    grades: dict[str, dict[str, dict[str, float]]] = {}
    for query, events in logs.items():
        for event in answers_in(events):
            if event.left is None or event.right is not None:
                continue
            if event.answer not in places:
                raise UnknownName("grade", str(event.answer), places)
            grades.setdefault(query, {}).setdefault(event.assessor, {})[event.left] = places[event.answer]
    return grades


def inferred(grades: Grades) -> Ratings:
    """What grades say of pairs: of every two documents an assessor graded, the one with the higher grade is better; equal is a tie.

    >>> inferred({"q": {"ann": {"a": 3, "b": 1, "c": 1}}}).codes.ravel().tolist()  # a≻b, a≻c, b∼c
    [0, 0, 1]
    """
    return Ratings.of(
        Rating(query, first, second, assessor, (high > low) - (high < low))
        for query, assessors in grades.items()
        for assessor, given in assessors.items()
        for (first, high), (second, low) in itertools.combinations(given.items(), 2)
    )


def majority(ratings: Ratings) -> Ratings:
    """What more than half of a pair's assessors said, as one assessor named majority; a tie where there is none."""
    votes = count_votes(ratings.codes, len(OUTCOMES))
    wins = 2 * votes > votes.sum(axis=1, keepdims=True)
    codes = np.where(wins.any(axis=1), wins.argmax(axis=1), 1).astype(np.int8)
    return Ratings(ratings.query_ids, ratings.queries, ratings.pairs, ("majority",), codes[:, None])


def count_votes(codes: NDArray[np.integer], n_categories: int) -> Ints:
    """How many assessors of each item said each category: ``codes[item, assessor]``, −1 where there is no rating."""
    votes: Ints = (codes[:, :, None] == np.arange(n_categories)).sum(axis=1)
    return votes
