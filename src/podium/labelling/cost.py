"""What labelling costs: judgments against the fewest possible, documents to read, seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from podium.errors import DataError
from podium.labelling.questions import Event

__all__ = ["Cost", "Logs", "answers_in", "average_bound", "cost_by_assessor", "cost_of", "worst_case_bound"]

Logs = Mapping[str, Sequence[Event]]  # query -> its standing answers, in the order in which they were given


def _sizes(n: int, k: int) -> tuple[int, int]:
    if n < 0 or k < 1:
        raise DataError(f"the top k of n needs n of 0 or more and k of 1 or more, got n = {n}, k = {k}")
    return n, min(n, k)


def average_bound(n: int, k: int) -> float:
    r"""No way of asking for the better of two needs fewer judgments on average for the ordered top k of n.

    .. math:: n - k + \log_2 k!

    Each of the n − k others must lose once, and the order of the k is one of k!, each answer halving what is left. k > n means
    k = n; nothing to order, n ≤ 1, costs 0. It is a bound and may be out of reach. Random order and no ties are assumed: a prior
    order, or documents put aside in pairs as bad, can cost less.

    >>> average_bound(50, 10) == 40 + math.log2(3628800)
    True
    """
    n, k = _sizes(n, k)
    return n - k + math.log2(math.factorial(k))


def worst_case_bound(n: int, k: int) -> int:
    r"""Any way of asking needs at least so many judgments for the ordered top k of n in its worst case.

    .. math:: n - k + \lceil \log_2 n(n-1)\cdots(n-k+2) \rceil

    See Knuth, The Art of Computer Programming 3, section 5.3.3. k > n means k = n; n ≤ 1 costs 0. Exact, in whole numbers.

    >>> worst_case_bound(50, 10), worst_case_bound(8, 1), worst_case_bound(5, 2)
    (90, 7, 6)
    """
    n, k = _sizes(n, k)
    if n <= 1:
        return 0
    orders = math.prod(range(n - k + 2, n + 1))
    return n - k + (orders - 1).bit_length()  # ⌈log2 x⌉ of a whole number x ≥ 1


def answers_in(events: Iterable[Event]) -> list[Event]:
    """The answers among standing events, without the skips; a log with an undo, redo or correction in it is refused, as not all stands."""
    events = list(events)
    if any(event.action not in ("answer", "skip") for event in events):
        raise DataError(
            "only standing answers can be counted, got a log with an undo, redo or correction in it; pass it through labelling.standing"
        )
    return [event for event in events if event.action == "answer"]


@dataclass(frozen=True)
class Cost:
    """What judging cost; seconds and minutes are NaN if no judgment was timed."""

    n_queries: int
    n_judgments: int
    n_timed: int  # judgments that say their seconds
    judgments_per_query: float
    fresh_per_judgment: float  # documents to be read anew
    mean_seconds: float  # per judgment, of the timed ones
    median_seconds: float
    minutes_per_query: float  # of all assessors together; an untimed judgment is taken to be as long as the mean


def cost_of(logs: Logs) -> Cost:
    """The cost of the standing answers to some queries, whoever gave them.

    *Fresh documents*: a judgment's documents that were not on the same assessor's screen in the answer just before it to the same
    query; all of them in the first. So 2 at first, then 0, 1 or 2, and the mean counts every judgment alike. For the top 10 of 50
    to 100 in random order, insertion keeps the newcomer or the k-th best on the screen and has 1.1, a heap has 1.4, a tournament
    mostly shows two others and has 1.6 to 1.7; grading has 1. Skips do not count.

    >>> ask = lambda left, right, seconds: Event(left=left, right=right, answer="left", seconds=seconds)
    >>> cost = cost_of({"q1": [ask("a", "b", 8.0), ask("c", "a", 3.0), ask("d", "e", 4.0)]})
    >>> cost.n_judgments, cost.fresh_per_judgment == (2 + 1 + 2) / 3, cost.mean_seconds, cost.minutes_per_query
    (3, True, 5.0, 0.25)
    """
    answers = {query: found for query, events in logs.items() if (found := answers_in(events))}
    flat = [event for events in answers.values() for event in events]
    seconds = [event.seconds for event in flat if event.seconds is not None]
    fresh = sum(_fresh_documents(events) for events in answers.values())
    per_query = len(flat) / len(answers) if answers else math.nan
    mean = fmean(seconds) if seconds else math.nan
    return Cost(
        n_queries=len(answers),
        n_judgments=len(flat),
        n_timed=len(seconds),
        judgments_per_query=per_query,
        fresh_per_judgment=fresh / len(flat) if flat else math.nan,
        mean_seconds=mean,
        median_seconds=median(seconds) if seconds else math.nan,
        minutes_per_query=mean * per_query / 60,
    )


def cost_by_assessor(logs: Logs) -> dict[str, Cost]:
    """The cost of each assessor's own answers, by name; the queries are those that he or she judged."""
    names = sorted({event.assessor for events in logs.values() for event in answers_in(events)})
    return {
        name: cost_of({query: [event for event in events if event.assessor == name] for query, events in logs.items()}) for name in names
    }


def _fresh_documents(answers: Sequence[Event]) -> int:
    seen: dict[str, set[str]] = {}  # assessor -> what his or her last question showed
    total = 0
    for event in answers:
        shown = set(event.question.pair)
        total += len(shown - seen.get(event.assessor, set()))
        seen[event.assessor] = shown
    return total
