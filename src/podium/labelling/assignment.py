"""Who judges what in a study of two tools: queries in folds, assessors in seats, rounds; nobody meets a query in both tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from podium.errors import DataError

__all__ = ["Choice", "Place", "assign", "check_assignment", "explain", "fewest_rounds", "folds_of", "judged_by", "most_rounds", "possible"]

_TOOLS = ("pairs", "grades")
_OURS = " The paper has one round, and says that two different assignments or more are needed; rounds are our way to have them."


class Place(NamedTuple):
    """In this round, whoever has this seat judges the queries of this fold with this tool; all are counted from 1."""

    seat: int
    fold: int
    round: int
    tool: str  # pairs (T1) or grades (T2)


class Choice(NamedTuple):
    """A number of folds, with the fewest and the most rounds in which the assessors can judge all of them with both tools."""

    folds: int
    fewest: int
    most: int


def fewest_rounds(assessors: int, folds: int) -> int:
    """In how many rounds every fold is judged with each tool by somebody: a round takes one fold a tool of each assessor.

    >>> [fewest_rounds(4, folds) for folds in (2, 4, 5, 9)]
    [1, 1, 2, 3]
    """
    return -(-folds // assessors)


def most_rounds(folds: int) -> int:
    """In how many rounds everyone can be given folds that they have not seen: each round takes two.

    >>> [most_rounds(folds) for folds in (1, 2, 3, 4, 5)]
    [0, 1, 1, 2, 2]
    """
    return folds // 2


def possible(assessors: int, most_folds: int | None = None) -> list[Choice]:
    """The numbers of folds over which so many assessors can be spread, each with its range of rounds; up to as many folds as assessors.

    >>> possible(3)
    [Choice(folds=2, fewest=1, most=1), Choice(folds=3, fewest=1, most=1)]
    >>> possible(2, 6)
    [Choice(folds=2, fewest=1, most=1), Choice(folds=4, fewest=2, most=2), Choice(folds=6, fewest=3, most=3)]
    """
    folds = range(2, (assessors if most_folds is None else most_folds) + 1)
    return [choice for count in folds if (choice := _choice(assessors, count)) is not None]


def _choice(assessors: int, folds: int) -> Choice | None:
    choice = Choice(folds, fewest_rounds(assessors, folds), most_rounds(folds))
    return choice if choice.fewest <= choice.most else None


def judged_by(assessors: int, folds: int, rounds: int) -> tuple[int, int]:
    """By how many assessors a query is judged with a tool, the fewest and the most; they differ by one if the places do not divide.

    >>> judged_by(7, 5, 2)
    (2, 3)
    """
    each, over = divmod(assessors * rounds, folds)
    return each, each + (over > 0)


def assign(assessors: int, folds: int, rounds: int) -> list[Place]:
    r"""Who judges which fold with which tool in which round, for any sizes for which that can be.

    Niu, Guo, Lan & Cheng, "Top-k Learning to Rank" (SIGIR 2012), section 4.1, have as many assessors as folds and one round: assessor
    :math:`U_i` judges with T1, pairs, the fold :math:`Q_i`, and with T2, grades, :math:`Q_{i+1}`; after the last fold comes the first.
    Agreement, they say, needs two such assignments that differ. Further rounds are ours: in round :math:`r = 0, 1, \dots` it is
    :math:`Q_{i+2r}` and :math:`Q_{i+2r+1}`. With twice as many assessors, two groups do the same.

    With other numbers of assessors that may leave folds out, or give them to very unlike numbers of assessors. Then everybody gets folds in
    a row instead, also ours: with T1 :math:`Q_{iR+r}` and with T2 :math:`Q_{iR+R+r}`, R being the rounds. The assessors go on where the one
    before them ended, so that no two folds differ by more than one assessor. So there is an assignment whenever there can be one: if
    everybody can have 2 R different folds, :math:`2 R \le F`, and if A R places are enough for all, :math:`A R \ge F`.

    >>> [place for place in assign(5, 5, 2) if place.seat == 5]  # doctest: +NORMALIZE_WHITESPACE
    [Place(seat=5, fold=5, round=1, tool='pairs'), Place(seat=5, fold=1, round=1, tool='grades'),
     Place(seat=5, fold=2, round=2, tool='pairs'), Place(seat=5, fold=3, round=2, tool='grades')]
    """
    check_assignment(assessors, folds, rounds)

    def places(step: Callable[[int, int, int], int]) -> list[Place]:
        return [
            Place(seat + 1, step(seat, turn, number) % folds + 1, turn + 1, tool)
            for seat in range(assessors)
            for turn in range(rounds)
            for number, tool in enumerate(_TOOLS)
        ]

    two_by_two = places(lambda seat, turn, number: seat + 2 * turn + number)
    by = Counter((place.fold, place.tool) for place in two_by_two)
    is_even = len(by) == 2 * folds and max(by.values()) - min(by.values()) <= 1
    return two_by_two if is_even else places(lambda seat, turn, number: (seat + number) * rounds + turn)


def check_assignment(assessors: int, folds: int, rounds: int) -> None:
    """Refuse sizes for which there is no assignment, and say which would do."""
    for name, value in (("assessors", assessors), ("folds", folds), ("rounds", rounds)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise DataError(f"a study needs a whole number of {name}, 1 or more, got {value!r}")
    if assessors < 2:
        raise DataError("a study needs 2 assessors or more: whoever judges a query with one tool may not judge it with the other")
    if folds < 2:
        raise DataError(f"1 fold would show everybody every query in both tools; {_would_work(assessors, folds)}")
    if rounds > most_rounds(folds):
        again = "a query in both tools" if folds % 2 else "the same queries twice"
        raise DataError(
            f"{_many(rounds, 'round')} over {folds} folds would show somebody {again}: a round takes two new folds of each assessor, "
            f"so that {_many(rounds, 'round')} need {2 * rounds} folds or more; {_would_work(assessors, folds)}"
        )
    if rounds < fewest_rounds(assessors, folds):
        raise DataError(
            f"{_many(rounds, 'round')} over {folds} folds would leave queries that nobody judges with a tool: {assessors} assessors judge "
            f"{rounds * assessors} folds with each; {_would_work(assessors, folds)}"
        )


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _would_work(assessors: int, folds: int) -> str:
    """The rounds for so many folds, if there are any; otherwise for the numbers of folds next to it."""
    near = [choice for count in range(max(2, folds - 1), folds + 3) if (choice := _choice(assessors, count))]
    chosen = [choice for choice in near if choice.folds == folds] or near[:2]
    told = [f"{choice.folds} folds with {_range(choice.fewest, choice.most, 'round')}" for choice in chosen]
    return f"for {assessors} assessors, {' or '.join(told)} would work"


def _range(fewest: int, most: int, what: str) -> str:
    return _many(most, what) if fewest == most else f"{fewest} to {most} {what}s"


def folds_of(queries: Sequence[str], folds: int, seed: int) -> dict[str, int]:
    """Deal queries into folds at random: the fold of each, from 1, in the order of the queries. Sizes differ by one at most.

    >>> sorted(folds_of(["a", "b", "c"], 2, seed=0).values())
    [1, 1, 2]
    """
    if folds < 1 or len(queries) < folds:
        raise DataError(
            f"{'1 query' if len(queries) == 1 else f'{len(queries)} queries'} cannot fill {folds} folds: each needs one at least"
        )
    if len(set(queries)) < len(queries):
        raise DataError("a query is named twice; each can be in one fold only")
    dealt = np.random.default_rng(seed).permutation(len(queries))
    places = {int(row): turn % folds + 1 for turn, row in enumerate(dealt)}
    return {query: places[row] for row, query in enumerate(queries)}


def explain(assessors: int, folds: int, rounds: int) -> str:
    """The assignment in plain words, or why there is none.

    >>> explain(5, 5, 2).split(". ")[0]
    'The queries are dealt into 5 folds'
    """
    try:
        check_assignment(assessors, folds, rounds)
    except DataError as error:
        return f"There is no such assignment: {error}."
    fewest, most = judged_by(assessors, folds, rounds)
    is_in_groups = assessors > folds and assessors % folds == 0
    groups = f" There are {assessors // folds} groups of {folds} assessors, who do the same." if is_in_groups else ""
    alone = " Where one assessor judges a query with a tool, nothing can be said about agreement: choose more rounds or assessors."
    when = "1 round" if rounds == 1 else f"each of {rounds} rounds"
    return (
        f"The queries are dealt into {folds} folds. In {when} everybody judges one fold with pairs (T1) and another with grades (T2), and "
        f"never the same fold again, so that nobody sees a query in both tools.{groups} Each query is judged with each tool by "
        f"{_range(fewest, most, 'assessor')}.{alone if fewest == 1 else ''}{_OURS if rounds > 1 else ''}"
    )
