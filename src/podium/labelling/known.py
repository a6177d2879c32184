"""What the answers so far say of every pair: asked, or implied by transitivity. Nothing known is ever asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

__all__ = ["Known", "Outcome"]


class Outcome(IntEnum):
    """How the first of two items compares with the second."""

    WORSE = -1
    TIE = 0
    BETTER = 1
    BOTH_BAD = 2

    @property
    def reversed(self) -> Outcome:
        """The same, seen from the second item."""
        return Outcome(-self) if self in (Outcome.WORSE, Outcome.BETTER) else self


def _members(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Known:
    """The transitive closure of the answers, kept as one bit set of better and one of worse items for every item.

    Strict answers are transitive: a over b and b over c say a over c. If ties are transitive too, tied items form a group, and what is
    known of one is known of all; if not, a tie is known of its own pair only. That both are bad is known of the pair only, in any
    case. What is known never changes: an answer that says otherwise than what was known before is left out (:meth:`add` returns
    ``False``), so the outcome does not depend on when answers were looked at.

    >>> known = Known(["a", "b", "c"])
    >>> known.add("a", "b", Outcome.BETTER), known.add("b", "c", Outcome.BETTER)
    (True, True)
    >>> known.outcome("c", "a")
    <Outcome.WORSE: -1>
    >>> known.add("c", "a", Outcome.BETTER)
    False
    """

    def __init__(self, items: Sequence[str], *, ties_are_transitive: bool = True) -> None:
        self._place = {item: place for place, item in enumerate(items)}
        self._better = [0] * len(items)
        self._worse = [0] * len(items)
        self._group = [1 << place for place in range(len(items))]  # items that are tied with one another, itself among them
        self._of_pair: dict[tuple[int, int], Outcome] = {}  # answers that say nothing of other pairs
        self._ties_are_transitive = ties_are_transitive

    def outcome(self, first: str, second: str) -> Outcome | None:
        """How ``first`` compares with ``second``, or ``None`` if no answer says."""
        i, j = self._place[first], self._place[second]
        if (of_pair := self._of_pair.get((i, j))) is not None:  # before the closure: it was known first
            return of_pair
        if self._worse[i] >> j & 1:
            return Outcome.BETTER
        if self._better[i] >> j & 1:
            return Outcome.WORSE
        return Outcome.TIE if self._group[i] >> j & 1 else None

    def add(self, first: str, second: str, outcome: Outcome) -> bool:
        """Take in an answer; ``False`` if it contradicts what is known, which then stands."""
        if (known := self.outcome(first, second)) is not None:
            return known is outcome
        i, j = self._place[first], self._place[second]
        if outcome is Outcome.BETTER:
            self._order(i, j)
        elif outcome is Outcome.WORSE:
            self._order(j, i)
        elif outcome is Outcome.TIE and self._ties_are_transitive:
            self._tie(i, j)
        else:
            self._of_pair[i, j] = self._of_pair[j, i] = outcome
        return True

    def _order(self, better: int, worse: int) -> None:
        upper = self._group[better] | self._better[better]
        lower = self._group[worse] | self._worse[worse]
        for place in _members(upper):
            self._worse[place] |= lower
        for place in _members(lower):
            self._better[place] |= upper

    def _tie(self, i: int, j: int) -> None:
        group = self._group[i] | self._group[j]
        better, worse = self._better[i] | self._better[j], self._worse[i] | self._worse[j]
        for place in _members(group):
            self._group[place], self._better[place], self._worse[place] = group, better, worse
        for place in _members(better):
            self._worse[place] |= group | worse
        for place in _members(worse):
            self._better[place] |= group | better

    def ties(self) -> list[tuple[str, ...]]:
        """The groups of items that are tied; if ties are not transitive, the pairs that were called a tie."""
        items = list(self._place)
        groups = {mask for mask in self._group if mask & (mask - 1)}
        pairs = [(i, j) for (i, j), outcome in self._of_pair.items() if outcome is Outcome.TIE and i < j]
        found = [tuple(_members(mask)) for mask in groups] + pairs
        return [tuple(items[place] for place in members) for members in sorted(found)]
