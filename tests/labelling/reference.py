"""Labelling once more, slow and plain: what answers imply, the strategies, judges, and a driver that checks every question."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from podium.labelling import STRATEGIES, Event, Question, TopK

WORSE, TIE, BETTER, BAD = -1, 0, 1, 2
Answer = tuple[str, str, int]  # how the first item compares with the second
Judge = Callable[[str, str], int]
Compare = Callable[[str, str], int]

SORTING = [name for name, entry in STRATEGIES.items() if not (entry.asks_grades or entry.is_repeating)]
WITH_BAD = [name for name in SORTING if "bad" in STRATEGIES[name].answers]
WITH_PRIOR = [name for name in SORTING if STRATEGIES[name].takes_prior]
WITHOUT_REPEATING = [name for name, entry in STRATEGIES.items() if not entry.is_repeating]


def turned(outcome: int) -> int:
    """The same outcome, seen from the second item."""
    return {BETTER: WORSE, WORSE: BETTER}.get(outcome, outcome)


# What answers imply, twice: by walking from item to item, and by Warshall's closure of a matrix.


def implied(answers: Iterable[Answer], first: str, second: str, *, ties_are_transitive: bool = True) -> int | None:
    """What the answers, none of which contradicts those before it, say of a pair. Both bad, and a tie if ties are not transitive,
    are about their own pair alone; strict answers, and ties otherwise, are steps that one may take one after the other.
    """
    answers = list(answers)
    for one, other, outcome in answers:
        if {one, other} == {first, second} and (outcome == BAD or (outcome == TIE and not ties_are_transitive)):
            return outcome
    down: dict[str, list[tuple[str, bool]]] = {}  # to items no better, and whether they are worse
    for one, other, outcome in answers:
        if outcome == BETTER:
            down.setdefault(one, []).append((other, True))
        elif outcome == WORSE:
            down.setdefault(other, []).append((one, True))
        elif outcome == TIE and ties_are_transitive:
            down.setdefault(one, []).append((other, False))
            down.setdefault(other, []).append((one, False))
    if (second, True) in _reached(down, first):
        return BETTER
    if (first, True) in _reached(down, second):
        return WORSE
    return TIE if (second, False) in _reached(down, first) else None


def _reached(down: Mapping[str, list[tuple[str, bool]]], start: str) -> set[tuple[str, bool]]:
    reached, ahead = {(start, False)}, [(start, False)]
    while ahead:
        item, is_worse = ahead.pop()
        for other, is_step_down in down.get(item, ()):
            if (state := (other, is_worse or is_step_down)) not in reached:
                reached.add(state)
                ahead.append(state)
    return reached


def warshall(items: Sequence[str], answers: Sequence[Answer], *, ties_are_transitive: bool) -> dict[tuple[str, str], int]:
    """The outcomes of all pairs that the answers say or imply; an answer that contradicts earlier ones is left out."""
    accepted: list[Answer] = []
    table: dict[tuple[str, str], int] = {}
    for one, other, outcome in answers:
        if (one, other) not in table:
            accepted.append((one, other, outcome))
            table = _closed(items, accepted, ties_are_transitive)
    return table


def _closed(items: Sequence[str], accepted: Sequence[Answer], ties_are_transitive: bool) -> dict[tuple[str, str], int]:
    group = {item: item for item in items}  # its group's name
    for one, other, outcome in accepted:
        if outcome == TIE and ties_are_transitive:
            joined, into = group[other], group[one]
            group = {item: into if name == joined else name for item, name in group.items()}
    names = sorted(set(group.values()))
    above = np.zeros((len(names), len(names)), bool)
    for one, other, outcome in accepted:
        if outcome in (BETTER, WORSE):
            upper, lower = (one, other) if outcome == BETTER else (other, one)
            above[names.index(group[upper]), names.index(group[lower])] = True
    for middle in range(len(names)):
        above |= np.outer(above[:, middle], above[middle])
    table: dict[tuple[str, str], int] = {}
    for one in items:
        for other in items:
            i, j = names.index(group[one]), names.index(group[other])
            if above[i, j]:
                table[one, other] = BETTER
            elif above[j, i]:
                table[one, other] = WORSE
            elif i == j and one != other:
                table[one, other] = TIE
    for one, other, outcome in accepted:
        if outcome == BAD or (outcome == TIE and not ties_are_transitive):
            table[one, other] = table[other, one] = outcome
    return table


class Interview:
    """Puts comparisons to a judge, except those that the answers so far imply; remembers what was asked, in order."""

    def __init__(self, judge: Judge, *, ties_are_transitive: bool = True) -> None:
        self.judge, self.ties_are_transitive = judge, ties_are_transitive
        self.answers: list[Answer] = []

    def __call__(self, first: str, second: str) -> int:
        outcome = implied(self.answers, first, second, ties_are_transitive=self.ties_are_transitive)
        if outcome is None:
            outcome = self.judge(first, second)
            self.answers.append((first, second, outcome))
        return outcome

    @property
    def pairs(self) -> list[frozenset[str]]:
        return [frozenset(answer[:2]) for answer in self.answers]


# Judges. Each says how the first compares with the second; the same for the same pair, whichever comes first.


def by_value(values: Mapping[str, float], *, bar: float | None = None) -> Judge:
    """Three-way: the greater value wins, equal ones tie; with a bar, two below it are both bad."""

    def judge(first: str, second: str) -> int:
        if bar is not None and values[first] < bar and values[second] < bar:
            return BAD
        return (values[first] > values[second]) - (values[first] < values[second])

    return judge


def by_chance(seed: int, outcomes: Sequence[int] = (WORSE, TIE, BETTER)) -> Judge:
    """No order at all, but the same answer to the same pair."""

    def judge(first: str, second: str) -> int:
        outcome = random.Random(f"{seed} {min(first, second)} {max(first, second)}").choice(outcomes)
        return outcome if first < second else turned(outcome)

    return judge


def outcomes_of(name: str) -> tuple[int, ...]:
    """What a judge may say to a strategy."""
    return (WORSE, TIE, BETTER, BAD) if "bad" in STRATEGIES[name].answers else (WORSE, TIE, BETTER)


# Driving a task, every question checked.

SAID = {BETTER: "left", WORSE: "right", TIE: "tie", BAD: "bad"}
MEANT = {word: outcome for outcome, word in SAID.items()}


def words(judge: Judge, question: Question) -> str:
    """What a judge answers to a question about a pair."""
    assert question.right is not None
    return SAID[judge(question.left, question.right)]


def meanings(events: Iterable[Event]) -> list[Answer]:
    """Answers of a log as the reference writes them."""
    return [(event.left, event.right, MEANT[event.answer]) for event in events]  # type: ignore[misc,index]


def finish(task: TopK, judge: Judge) -> TopK:
    """Let one judge answer until nothing is asked, and check that nothing is asked that was asked or is implied."""
    answers: list[Answer] = meanings(task.judgments)
    while (question := task.ask()) is not None:
        assert question.right is not None
        left, right = question.left, question.right
        assert implied(answers, left, right, ties_are_transitive=task.ties_are_transitive) is None, (question, answers)
        answers.append((left, right, judge(left, right)))
        task.answer(SAID[answers[-1][2]])
    assert task.is_finished
    assert meanings(task.judgments) == answers
    return task


ITEMS = ["a", "b", "c", "d", "e", "f"]
ALPHABETIC = by_value({item: -place for place, item in enumerate(ITEMS)})  # a is the best


def answered(task: TopK, how_many: int, assessor: str = "") -> TopK:
    """A task of these items after so many answers by the alphabet."""
    for _ in range(how_many):
        question = task.ask(assessor)
        assert question is not None
        task.answer(words(ALPHABETIC, question), assessor=assessor)
    return task


def pairs_of(events: Iterable[Event]) -> list[frozenset[str]]:
    """The pairs of a log, in order."""
    return [frozenset((event.left, event.right)) for event in events]  # type: ignore[arg-type]


def drawn(items: Sequence[str], seed: int) -> list[str]:
    """The order in which a task takes its items, read off a task that asks for one after the other."""
    task, order = TopK(items, 1, strategy="graded", seed=seed), []
    while (question := task.ask()) is not None:
        order.append(question.left)
        task.answer("Good")
    return order


def through_json(value: Any) -> Any:
    """What is left of a value after it was written to a file and read again."""
    return json.loads(json.dumps(value))


def rebuilt(task: TopK, log: Iterable[Event] | None = None) -> TopK:
    """The task after a crash: made anew from its settings and its log, both as JSON holds them."""
    lines = through_json([event.to_dict() for event in (task.log if log is None else log)])
    return TopK(**through_json(task.settings()), log=map(Event.from_dict, lines))


# The strategies once more.


def plain_heap(items: Sequence[str], k: int, compare: Compare) -> list[str]:
    """Algorithm 1 of paper 001 as SPEC §5 has it."""
    tree = list(items[:k])

    def sift(place: int) -> None:
        children = [child for child in (2 * place + 1, 2 * place + 2) if child < len(tree)]
        if not children:
            return
        least = children[0]
        if len(children) == 2 and compare(tree[children[0]], tree[children[1]]) == BETTER:
            least = children[1]
        if compare(tree[place], tree[least]) == BETTER:
            tree[place], tree[least] = tree[least], tree[place]
            sift(least)

    def build(place: int) -> None:
        if place >= 0:
            sift(place)
            build(place - 1)

    def take_worst() -> list[str]:
        if not tree:
            return []
        worst, tree[0] = tree[0], tree[-1]
        tree.pop()
        sift(0)
        return [*take_worst(), worst]

    build(len(tree) // 2 - 1)
    for newcomer in items[k:]:
        if compare(newcomer, tree[0]) == BETTER:
            tree[0] = newcomer
            sift(0)
    return take_worst()


def plain_tournament(items: Sequence[str], k: int, compare: Compare) -> list[str]:
    """Matches of the two least tried among those nobody has beaten; then again among the victims of the champion."""
    victims: dict[str, list[str]] = {item: [] for item in items}
    top: list[str] = []

    def tried(item: str) -> int:
        return 1 + sum(map(tried, victims[item]))

    def champion_of(waiting: list[str]) -> str:
        if len(waiting) == 1:
            return waiting[0]
        first, second, *others = sorted(waiting, key=tried)
        winner, loser = (second, first) if compare(first, second) == WORSE else (first, second)
        victims[winner].append(loser)
        return champion_of([winner, *others])

    waiting = list(items)
    while waiting and len(top) < k:
        top.append(champion_of(waiting))
        waiting = victims.pop(top[-1])
    return top


def plain_insertion(items: Sequence[str], k: int, compare: Compare) -> list[str]:
    """HOUSE_STYLE §5: the k-th best first, then halving."""

    def place(newcomer: str, ranked: list[str]) -> list[str]:
        if not ranked:
            return [newcomer]
        middle = len(ranked) // 2
        if compare(newcomer, ranked[middle]) == BETTER:
            return place(newcomer, ranked[:middle]) + ranked[middle:]
        return ranked[: middle + 1] + place(newcomer, ranked[middle + 1 :])

    best: list[str] = []
    for newcomer in items:
        if len(best) < k:
            best = place(newcomer, best)
        elif compare(newcomer, best[-1]) == BETTER:
            best = place(newcomer, best[:-1])
    return best


def plain_adaptive(items: Sequence[str], k: int, compare: Compare, *, has_prior: bool = False, stop_after: int | None = None) -> list[str]:
    """Insertion into buckets of ties after triage of newcomers, as its docstring and the comments beside it say."""
    best: list[list[str]] = []
    waiting: list[tuple[str, str]] = []
    met_bad = False  # then a prior order is not that good, and newcomers are triaged from the start

    def is_full() -> bool:
        return len([item for bucket in best for item in bucket]) >= k

    def place(newcomer: str) -> bool:
        """Whether it turned out to be bad."""
        nonlocal best, met_bad
        above, between, below = [], list(best), []  # type: ignore[var-annotated]
        at_the_boundary = is_full()
        while between:
            middle = len(between) - 1 if at_the_boundary else len(between) // 2
            is_last_of_all = is_full() and between[middle] is best[-1]
            at_the_boundary = False
            outcome = compare(newcomer, between[middle][0])
            if outcome == BAD:
                best, met_bad = above + between[:middle], True
                return True
            if outcome == TIE:
                between[middle].append(newcomer)
                best = cut(best)
                return False
            if outcome == WORSE and is_last_of_all:
                return False
            if outcome == BETTER:
                between, below = between[:middle], between[middle:] + below
            else:
                above, between = above + between[: middle + 1], between[middle + 1 :]
        best = cut([*above, [newcomer], *below])
        return False

    def cut(buckets: list[list[str]]) -> list[list[str]]:
        kept: list[list[str]] = []
        for bucket in buckets:  # a bucket is on top if fewer than k are in those before it
            if sum(map(len, kept)) < k:
                kept.append(bucket)
        return kept

    seen_ties, bad_pairs, newcomers = 0.0, 0, list(items)
    while newcomers and bad_pairs != stop_after:
        seen_ties *= 0.95
        first, *newcomers = newcomers
        if not newcomers or (has_prior and not met_bad and not is_full()) or seen_ties >= 2:
            place(first)
            continue
        second, *newcomers = newcomers
        outcome = compare(first, second)
        if outcome == BAD:
            bad_pairs += 1
            continue
        bad_pairs = 0
        better, worse = (second, first) if outcome == WORSE else (first, second)
        was_bad = place(better)
        if outcome == TIE:
            seen_ties += 1
            if not was_bad:  # what is no better than a bad document is bad
                place(worse)
        else:
            waiting.append((worse, better))
    for worse, better in waiting:
        if better in [item for bucket in best for item in bucket]:
            place(worse)
    return [item for bucket in best for item in bucket][:k]


PLAIN: dict[str, Callable[..., list[str]]] = {
    "heap": plain_heap,
    "tournament": plain_tournament,
    "insertion": plain_insertion,
    "adaptive": plain_adaptive,
}
