"""Recorded people: pairs of images judged by three persons each, and grades of single images, as ``thu_image_search`` keeps them.

The data is of Xie et al., "Preference-based Evaluation Metrics for Web Image Search" (SIGIR 2020): for each query every pair of its
images, three tags a pair. Both files are separated by tabs and begin with a line of headings. The three columns are first, second
and third answer, and **not three persons**: the data does not say who judged what, and probably another three judged other queries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from podium.errors import DataError, FileError
from podium.ragged import Ints
from podium.sources.streams import read_text

__all__ = ["TAGS", "RecordedPairs", "Side", "read_image_preferences", "read_image_relevance"]

Side = Literal["left", "tie", "right"]
TAGS: dict[int, str] = {-2: "definitely left", -1: "left", 0: "tie", 1: "right", 2: "definitely right"}
_SIDES: dict[int, Side] = {-1: "left", 0: "tie", 1: "right"}
_NUMBERS = {text: tag for tag in TAGS for text in (str(tag), f"{tag}.0")} | {"-0": 0, "-0.0": 0}  # the file has both 1 and 1.0


@final
@dataclass(frozen=True, eq=False)
class RecordedPairs:
    """What people said of the pairs of one query: ``tags[row]`` are the answers to ``pairs[row]``, two places in ``items``.

    A tag is −2, −1, 0, 1 or 2, from definitely left to definitely right, with the sides as shown. A question may name a pair either way.

    >>> said = RecordedPairs("cats", ("a", "b", "c"), np.array([[0, 1], [2, 0]]), np.array([[-1, -2, 1], [0, 1, -1]], np.int8))
    >>> said.answer("a", "b", 0), said.answer("b", "a", 0), said.tag("b", "a", 1)
    ('left', 'right', 2)
    >>> said.majority("a", "b"), said.majority("c", "a"), said.is_judged("b", "c")
    ('left', 'tie', False)
    """

    query_id: str
    items: tuple[str, ...]
    pairs: Ints
    tags: NDArray[np.int8]
    _rows: dict[tuple[str, str], int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.pairs) != len(self.tags):
            raise DataError(f"query {self.query_id!r} has {len(self.pairs)} pairs, but answers to {len(self.tags)}")
        for row, (left, right) in enumerate(self.pairs.tolist()):
            pair = self.items[left], self.items[right]
            if left == right or self.is_judged(*pair):
                raise DataError(f"query {self.query_id!r} has the pair {pair} twice, or of an item with itself")
            self._rows[pair] = row

    @property
    def n_answers(self) -> int:
        """How many answers each pair has."""
        return int(self.tags.shape[1])

    @property
    def majorities(self) -> NDArray[np.int8]:
        """Of each pair as shown, what most said: −1 left, 1 right, 0 a tie or no majority; how definitely they said it does not count."""
        more_left, more_right = (2 * (self.tags * sign > 0).sum(axis=1) > self.n_answers for sign in (-1, 1))
        return np.asarray(more_right, np.int8) - np.asarray(more_left, np.int8)

    def is_judged(self, left: str, right: str) -> bool:
        """Whether the pair was judged, on whatever sides."""
        return (left, right) in self._rows or (right, left) in self._rows

    def tag(self, left: str, right: str, which: int) -> int:
        """The tag in column ``which``, from 0, turned to these sides."""
        row, sign = self._find(left, right)
        if not 0 <= which < self.n_answers:
            raise DataError(f"pairs of query {self.query_id!r} have answers 0 to {self.n_answers - 1}, got {which}")
        return sign * int(self.tags[row, which])

    def answer(self, left: str, right: str, which: int) -> Side:
        """The side that the person of column ``which`` preferred, or a tie."""
        tag = self.tag(left, right, which)
        return _SIDES[(tag > 0) - (tag < 0)]

    def majority(self, left: str, right: str) -> Side:
        """The side that more than half preferred; a tie if there is none."""
        row, sign = self._find(left, right)
        tags = self.tags[row].tolist()
        more_left, more_right = 2 * sum(tag < 0 for tag in tags) > len(tags), 2 * sum(tag > 0 for tag in tags) > len(tags)
        return _SIDES[sign * (more_right - more_left)]

    def _find(self, left: str, right: str) -> tuple[int, int]:
        row = self._rows.get((left, right))
        if row is not None:
            return row, 1
        row = self._rows.get((right, left))
        if row is None:
            raise DataError(f"nobody judged the pair {left!r}, {right!r} of query {self.query_id!r}")
        return row, -1


@dataclass
class _Pairs:
    """The pairs of one query while its lines are read."""

    places: dict[str, int] = field(default_factory=dict)
    rows: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # the pair, smaller place first -> as shown
    tags: list[int] = field(default_factory=list)

    def enter(self, left: str, right: str, tags: list[int]) -> bool:
        """Add a pair; False if it is there already, on whatever sides."""
        a = self.places.setdefault(left, len(self.places))
        b = self.places.setdefault(right, len(self.places))
        key = (a, b) if a < b else (b, a)
        if key in self.rows:
            return False
        self.rows[key] = a, b
        self.tags += tags
        return True

    def frozen(self, query: str) -> RecordedPairs:
        tags = np.array(self.tags, np.int8).reshape(len(self.rows), -1)
        return RecordedPairs(query, tuple(self.places), np.array(list(self.rows.values()), np.int64), tags)


def _lines(path: str | os.PathLike[str], n_fields: int, meaning: str) -> Iterator[tuple[int, list[str]]]:
    """The lines below the heading, in fields; names may hold any character but a tab and a newline."""
    lines = read_text(path).split("\n")
    if lines[0].split("\t")[0].strip("\ufeff ").lower() != "query":
        raise FileError(path, 1, "the first line must be the headings, beginning with 'Query' and a tab", got=lines[0][:60])
    is_empty = True
    for number, line in enumerate(lines[1:], start=2):
        fields = line.rstrip("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) != n_fields or not fields[0]:
            problem = f"a line has {n_fields} fields separated by tabs ({meaning})"
            raise FileError(path, number, f"{problem}, this one has {len(fields) if fields[0] else 'no query'}", got=line[:60])
        is_empty = False
        yield number, fields
    if is_empty:
        raise FileError(path, None, f"has nothing below its headings; expected lines of {n_fields} fields ({meaning})")


def _two_items(path: str | os.PathLike[str], line: int, text: str) -> tuple[str, str]:
    left, _, right = text.partition(",")
    if not left or not right or "," in right:
        raise FileError(path, line, "the pair, the second field, must be two items with one comma between", got=text[:60])
    if left == right:
        raise FileError(path, line, "an item cannot be compared with itself", got=text[:60])
    return left, right


def _tags(path: str | os.PathLike[str], line: int, texts: list[str]) -> list[int]:
    try:
        return [_NUMBERS[text] for text in texts]
    except KeyError:
        wrong = next(text for text in texts if text not in _NUMBERS)
        raise FileError(path, line, f"a tag must be one of {', '.join(map(str, TAGS))}", got=wrong[:60]) from None


def read_image_preferences(path: str | os.PathLike[str]) -> list[RecordedPairs]:
    """Read judged pairs: five fields a line, query, ``left,right``, three tags from −2 (definitely left) to 2 (definitely right).

    Queries and items come in the order in which the file first names them. Refused, with the line: another number of fields, a tag
    that is none, a pair of an item with itself, and a pair that its query has already, on whatever sides.
    """
    queries: dict[str, _Pairs] = {}
    for line, (query, pair, *tags) in _lines(path, 5, "query, left,right, three tags"):
        left, right = _two_items(path, line, pair)
        if not queries.setdefault(query, _Pairs()).enter(left, right, _tags(path, line, tags)):
            raise FileError(path, line, f"the pair is there twice for query {query!r}", got=pair[:120])
    return [pairs.frozen(query) for query, pairs in queries.items()]


def _score(path: str | os.PathLike[str], line: int, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 100:  # NaN is refused, too
        raise FileError(path, line, "a score, the third field, must be a number from 0 to 100", got=text[:60])
    return score


def read_image_relevance(path: str | os.PathLike[str]) -> dict[str, dict[str, float]]:
    """Read grades: three fields a line, query, item, score from 0 to 100 (a mean of three persons); query -> item -> score."""
    scores: dict[str, dict[str, float]] = {}
    for line, (query, item, text) in _lines(path, 3, "query, item, score"):
        if not item or item in scores.setdefault(query, {}):
            raise FileError(path, line, f"an item must be named, and once for query {query!r}", got=item[:60])
        scores[query][item] = _score(path, line, text)
    return scores
