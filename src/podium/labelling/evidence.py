"""What the standing events of a log say: votes on every pair, the outcome they decide, grades, and what was skipped by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from podium.labelling.known import Known, Outcome
from podium.labelling.questions import Event
from podium.labelling.strategies import Compare

__all__ = ["OUTCOMES", "Evidence", "Pair", "majority", "pair_of"]

Pair = tuple[str, str]
OUTCOMES = {"left": Outcome.BETTER, "right": Outcome.WORSE, "tie": Outcome.TIE, "bad": Outcome.BOTH_BAD}


def pair_of(compare: Compare) -> Pair:
    """The two items, whichever is named first; of a question for a grade, the one item twice."""
    other = compare.item if compare.other is None else compare.other
    return (compare.item, other) if compare.item <= other else (other, compare.item)


def majority(votes: Sequence[Outcome], repeats: int) -> Outcome | None:
    """What more than half of ``repeats`` votes say, as soon as they do; the most frequent once all are in, a tie if there are two such.

    >>> majority([Outcome.BETTER, Outcome.BETTER], 3)
    <Outcome.BETTER: 1>
    >>> majority([Outcome.BETTER, Outcome.WORSE], 3) is None
    True
    >>> majority([Outcome.BETTER, Outcome.WORSE, Outcome.TIE], 3)
    <Outcome.TIE: 0>
    """
    counts = Counter(votes[:repeats]).most_common()
    if 2 * counts[0][1] > repeats:
        return counts[0][0]
    if len(votes) < repeats:
        return None
    return counts[0][0] if len(counts) == 1 or counts[0][1] > counts[1][1] else Outcome.TIE


class Evidence:
    """The tallies of a task; built up event by event, and built anew when something is undone."""

    def __init__(self, items: Sequence[str], *, grades: Sequence[str], repeats: int, ties_are_transitive: bool) -> None:
        self.known = Known(items, ties_are_transitive=ties_are_transitive)
        self.answers = Counter[Pair]()  # how often each was answered
        self.votes: dict[Pair, list[tuple[str, int]]] = {}  # assessor and vote, one each; of a pair, how its first item fares
        self.grades: dict[str, int] = {}  # decided ones
        self.bad: dict[str, None] = {}  # items of pairs that were decided to be both bad, in the order of decision
        self._skipped: dict[str, list[Pair]] = {}
        self._repeats, self._grade_names = repeats, grades

    def take_in(self, event: Event) -> None:
        """Count an answer or a skip that stands."""
        pair = event.question.pair
        skipped = self._skipped.setdefault(event.assessor, [])
        if pair in skipped:
            skipped.remove(pair)
        if event.action == "skip":
            skipped.append(pair)
            return
        self.answers[pair] += 1
        if event.right is None:
            self._grade(event, pair)
        else:
            self._compare(event, pair)

    def _vote(self, assessor: str, pair: Pair, vote: int) -> list[tuple[str, int]]:
        votes = self.votes.setdefault(pair, [])
        if not assessor or all(who != assessor for who, _ in votes):  # the same eyes twice are no second opinion
            votes.append((assessor, vote))
        return votes

    def _grade(self, event: Event, pair: Pair) -> None:
        votes = self._vote(event.assessor, pair, self._grade_names.index(event.answer or ""))
        if len(votes) == self._repeats:
            self.grades[pair[0]] = sorted(grade for _, grade in votes)[(len(votes) - 1) // 2]  # the median; the lower of two

    def _compare(self, event: Event, pair: Pair) -> None:
        outcome = OUTCOMES[event.answer or ""]
        votes = self._vote(event.assessor, pair, outcome if event.left == pair[0] else outcome.reversed)
        decided = majority([Outcome(vote) for _, vote in votes], self._repeats)
        if decided is None:
            return
        if self.known.add(*pair, decided) and decided is Outcome.BOTH_BAD:
            self.bad.update(dict.fromkeys(pair))

    def outcome(self, compare: Compare) -> int | None:
        """The outcome of a comparison, or the grade of a document, if it is known."""
        if compare.other is None:
            return self.grades.get(compare.item)
        return self.known.outcome(compare.item, compare.other)

    def skipped(self, assessor: str) -> list[Pair]:
        """The pairs that an assessor set aside, longest ago first."""
        return self._skipped.get(assessor, [])
