"""The strategy for people: documents tie, most are plainly bad, and often an old ranker has a good idea of the order already."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from podium.labelling.known import Outcome
from podium.labelling.strategies import Compare, Strategy, meets_the_last

__all__ = ["adaptive"]

WORSE, TIE, BETTER, BOTH_BAD = Outcome
Buckets = list[list[str]]  # best first; the documents of one bucket are tied, and its first speaks for all

# Ties among newcomers make triage dear: two documents that tie must both go on. While this many (fading by a twentieth with each turn)
# were seen lately, newcomers go straight to the boundary. Chosen by simulation over the settings of `python -m benchmarks label`.
_MANY_TIES, _FADING = 2.0, 0.95


def adaptive(items: Sequence[str], k: int, *, has_prior: bool = False, stop_after: int | None = None) -> Strategy:
    """Insertion with buckets of ties, removal of what is bad, and triage: two newcomers meet first, and the worse one waits.

    ``items`` come best first if there is a prior order. A tie joins the bucket it tied with and is not asked again; the last bucket may
    reach beyond the k-th place. Both bad removes both, and whatever is known to be no better. The worse of two newcomers is looked at only
    if the better one is on top in the end, which few are. By a prior order, the first k go straight in, until one of them turns out to be
    bad: they mostly stay, and would meet anyway. ``stop_after`` so many bad pairs in a row the newcomers left are
    given up unseen: what is good among them is lost.
    """
    best: Buckets = []
    newcomers, losers = list(items[::-1]), list[tuple[str, str]]()
    ties, bad_in_a_row, has_met_bad = 0.0, 0, False
    while newcomers and (stop_after is None or bad_in_a_row < stop_after):
        ties *= _FADING
        first = newcomers.pop()
        is_filling_by_prior = has_prior and _size(best) < k and not has_met_bad  # the first of a good order mostly stay: they meet anyway
        if not newcomers or is_filling_by_prior or ties >= _MANY_TIES:
            has_met_bad |= yield from _place(first, best, k)
            continue
        second = newcomers.pop()
        outcome = yield Compare(first, second, "triage")
        ties += outcome is TIE
        bad_in_a_row = bad_in_a_row + 1 if outcome is BOTH_BAD else 0
        if outcome is BOTH_BAD:
            continue
        better, worse = (second, first) if outcome is WORSE else (first, second)
        is_bad = yield from _place(better, best, k)
        has_met_bad |= is_bad
        if outcome is not TIE:
            losers.append((worse, better))
        elif not is_bad:
            yield from _place(worse, best, k)
    for loser, better in losers:
        if any(better in bucket for bucket in best):
            yield from _place(loser, best, k)
    return [item for bucket in best for item in bucket][:k]


def _size(best: Buckets) -> int:
    return sum(map(len, best))


def _place(newcomer: str, best: Buckets, k: int) -> Generator[Compare, int, bool]:
    """Put a newcomer into the bucket of its equals, or into a new one between the better and the worse; or leave it out.

    Returns whether it turned out to be bad.
    """
    low, high, middle = 0, len(best), len(best) // 2
    if _size(best) >= k:
        middle = high - 1  # most leave after one question
    bucket: list[str] = []
    while low < high:
        is_boundary = middle == len(best) - 1 and _size(best) >= k
        other = best[middle][0]
        outcome = yield meets_the_last(newcomer, other) if is_boundary else Compare(newcomer, other, at_stake=(newcomer,))
        if outcome is BOTH_BAD:
            del best[middle:]  # what is no better than a bad document is bad too
        if outcome is BOTH_BAD or (outcome is WORSE and is_boundary):
            return outcome is BOTH_BAD
        if outcome is TIE:
            bucket = best[middle]
            break
        low, high = (low, middle) if outcome is BETTER else (middle + 1, high)
        middle = (low + high) // 2
    else:
        best.insert(low, bucket)
    bucket.append(newcomer)
    while _size(best) - len(best[-1]) >= k:
        best.pop()
    return False
