"""Looking ahead: the comparisons that can be asked at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from podium.labelling.evidence import Pair, pair_of
from podium.labelling.known import Outcome
from podium.labelling.strategies import Compare, Strategy

__all__ = ["look_ahead"]


def look_ahead(run: Strategy, outcome_of: Callable[[Compare], int | None]) -> Iterator[tuple[Compare, bool]]:
    """Run a strategy on what is known and, where nothing is, on its own guesses: what it wants to know, and whether that can be asked now.

    It can if it touches no item whose place was guessed. The first is the strategy's next question. Whatever a later one is answered,
    the strategy would sooner or later want to know it, or what follows from it; so asking several at once costs little and changes
    nothing of the outcome. All of them together are about what is left to ask.
    """
    uncertain: set[str] = set()
    guesses: dict[Pair, int] = {}  # how the first of each pair fares
    try:
        compare = next(run)
        while True:
            outcome = outcome_of(compare)
            if outcome is None:
                pair = pair_of(compare)
                if pair not in guesses:
                    yield compare, not uncertain & set(pair)
                guess = guesses.setdefault(pair, compare.guess if compare.item == pair[0] else compare.guess.reversed)
                outcome = Outcome(guess) if compare.item == pair[0] else Outcome(guess).reversed
                uncertain.update(compare.hangs)
            compare = run.send(outcome)
    except StopIteration:
        return
