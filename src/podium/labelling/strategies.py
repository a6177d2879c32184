"""Which question next? Strategies are generators: each yields a comparison, is sent its outcome, and returns the ordered top k.

They read like the algorithms they are and know of no clock, file or person. Whatever is already known is answered by who drives them
(:mod:`podium.labelling.task`), so no strategy need remember what it has asked. A comparison says what a driver may look past while
it waits: ``guess``, the likeliest outcome, and ``at_stake``, the items whose place hangs on it. Comparisons found behind a guess that
touch no item at stake can be asked at the same time, of other assessors.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from podium.labelling.known import Outcome

__all__ = ["Compare", "Step", "Strategy", "graded", "heap", "insertion", "meets_the_last", "tournament"]

WORSE, TIE, BETTER, BOTH_BAD = Outcome


@dataclass(frozen=True, slots=True)
class Compare:
    """Is ``item`` better than ``other``? If there is no other: which grade does it deserve?"""

    item: str
    other: str | None
    stage: str = "order"
    guess: Outcome = BETTER
    at_stake: tuple[str, ...] | None = None  # both items, if not said

    @property
    def hangs(self) -> tuple[str, ...]:
        """The items whose place hangs on the outcome."""
        if self.at_stake is not None:
            return self.at_stake
        return (self.item,) if self.other is None else (self.item, self.other)


Strategy = Generator[Compare, int, list[str]]
Step = Generator[Compare, int, None]


def meets_the_last(newcomer: str, last: str) -> Compare:
    """A newcomer meets the last of the top k; most leave at once, so one may look past it."""
    return Compare(newcomer, last, "boundary", guess=WORSE, at_stake=(newcomer,))


def heap(items: Sequence[str], k: int) -> Strategy:
    """Algorithm 1 of paper 001: k documents become a min-heap, the others meet its root, the heap is sorted.

    A document that is better than the root replaces it and sifts down; a tie with the root leaves the newcomer in the rest.
    O(k) + O((n - k) log k) + O(k log k) comparisons.
    """
    top = list(items[:k])
    for place in reversed(range(len(top) // 2)):
        yield from _sift_down(top, place)
    for newcomer in items[k:]:
        if (yield meets_the_last(newcomer, top[0])) is BETTER:
            top[0] = newcomer
            yield from _sift_down(top, 0)
    ascending = []
    while top:
        ascending.append(top[0])
        last = top.pop()
        if top:
            top[0] = last
            yield from _sift_down(top, 0)
    return ascending[::-1]


def _sift_down(top: list[str], place: int) -> Step:
    while (child := 2 * place + 1) < len(top):
        if child + 1 < len(top) and (yield Compare(top[child + 1], top[child])) is WORSE:
            child += 1
        if (yield Compare(top[child], top[place])) is not WORSE:
            return
        top[child], top[place] = top[place], top[child]
        place = child


def tournament(items: Sequence[str], k: int) -> Strategy:
    """A selection tree with replay: matches among those nobody has beaten, least tried first; the champion leaves, its victims play on.

    n - 1 matches find the best; each further place costs about log2 n, as only those who lost to the last champion alone can follow it.
    """
    beaten: dict[str, list[str]] = {item: [] for item in items}
    size = dict.fromkeys(items, 1)  # how many are known not to be better, itself among them
    unbeaten, top = list(items), list[str]()
    while unbeaten and len(top) < k:
        while len(unbeaten) > 1:
            unbeaten.sort(key=size.__getitem__)  # stable, so that the outcome is a function of the order of the items
            first, second = unbeaten[:2]
            winner, loser = (second, first) if (yield Compare(first, second)) is WORSE else (first, second)
            beaten[winner].append(loser)
            size[winner] += size[loser]
            unbeaten.remove(loser)
        champion = unbeaten.pop()
        top.append(champion)
        unbeaten = beaten[champion]
    return top


def insertion(items: Sequence[str], k: int) -> Strategy:
    """Each newcomer meets the k-th best first, then finds its place by halving. Few fresh documents per judgment."""
    best: list[str] = []
    for newcomer in items:
        if len(best) == k:
            if (yield meets_the_last(newcomer, best[-1])) is not BETTER:
                continue
            best.pop()
        low, high = 0, len(best)
        while low < high:
            middle = (low + high) // 2
            if (yield Compare(newcomer, best[middle], at_stake=(newcomer,))) is BETTER:
                high = middle
            else:
                low = middle + 1
        best.insert(low, newcomer)
    return best


def graded(items: Sequence[str], k: int) -> Strategy:
    """Every document gets a grade; the top k are the k best graded, equal grades in the order of the items."""
    grades: dict[str, int] = {}
    for item in items:
        grades[item] = yield Compare(item, None, "grade")
    return sorted(items, key=grades.__getitem__, reverse=True)[:k]
