"""Many judges at once, in threads and over two open stores: nothing is lost or doubled, and everyone gets what is theirs."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.projects.working import Bureau, Ticking, best, question

from podium.projects.choosing import Candidate, in_order
from podium.projects.facts import Conflict, Member, Offer
from podium.projects.work import Work
from podium.store import Store, open_store

NAMES = [f"judge {number}" for number in range(8)]
QUERIES = ["q1", "q2", "q3", "q4"]
Said = tuple[int, str, str]


@pytest.fixture
def stores(place: str) -> Iterator[tuple[Store, Store]]:
    with open_store(place) as one, open_store(place) as other:
        yield one, other


def judge_all(work: Work, member: Member, stopped: threading.Event) -> list[Said]:
    """Answer all there is; every third answer is sent twice, as by a client that got no reply. What was acknowledged is returned."""
    said: list[Said] = []
    offer = work.next(member)
    while offer.status != "finished" and not stopped.is_set():
        if offer.question is None:
            stopped.wait(0.01)  # for the others, whose answers this one cannot see come
            offer = work.next(member)
            continue
        put = offer.question
        offer = work.answer(member, put.task, put.token, best(put))
        said.append((put.task, put.token, best(put)))
        if len(said) % 3 == 0:
            offer = work.answer(member, put.task, put.token, best(put))
    return said


def all_at_once(bureau: Bureau, crew: list[Member], works: list[Work]) -> dict[str, list[Said]]:
    stopped = threading.Event()
    with ThreadPoolExecutor(len(crew)) as threads:
        running = [threads.submit(judge_all, work, member, stopped) for member, work in zip(crew, itertools.cycle(works), strict=False)]
        try:
            return {member.name: each.result(timeout=240) for member, each in zip(crew, running, strict=True)}
        finally:
            stopped.set()


def check_nothing_lost_or_doubled(bureau: Bureau, said: dict[str, list[Said]]) -> None:
    tasks = [task.task for task in bureau.projects.tasks(bureau.number)]
    recorded = [(task, event.key, str(event.answer), event.assessor) for task in tasks for event in bureau.store.events(task)]
    acknowledged = [(*each, name) for name, answers in said.items() for each in answers]
    assert Counter(recorded) == Counter(acknowledged)
    assert len({key for _, key, _, _ in recorded}) == len(recorded)


@pytest.mark.parametrize("strategy", ["adaptive", "tournament"])
def test_judges_of_shared_queries_lose_and_double_nothing(stores: tuple[Store, Store], strategy: str) -> None:
    bureau = Bureau(stores[0], queries=QUERIES, items="abcdefgh", k=3, strategy=strategy)
    crew = [bureau.judge(name) for name in NAMES]
    said = all_at_once(bureau, crew, [bureau.work, Work(stores[1], bureau.projects)])
    check_nothing_lost_or_doubled(bureau, said)
    for query in QUERIES:
        assert bureau.store.result(bureau.task_of(query)).top == ("a", "b", "c")
    for member in crew:
        progress = bureau.work.next(member).progress
        assert (progress.done, progress.queries_done, progress.queries) == (len(said[member.name]), 4, 4)


def test_judges_of_copies_never_take_the_same_or_two_of_a_query(stores: tuple[Store, Store]) -> None:
    bureau = Bureau(stores[0], queries=QUERIES, items="abcde", overlap=3)
    crew = [bureau.judge(name) for name in NAMES]
    said = all_at_once(bureau, crew, [bureau.work, Work(stores[1], bureau.projects)])
    check_nothing_lost_or_doubled(bureau, said)
    tasks = bureau.projects.tasks(bureau.number)
    assert len(tasks) == 12
    assert all(task.is_finished for task in tasks)
    assert len({(task.query_id, task.member) for task in tasks}) == 12  # nobody has two copies of a query
    names = {member.number: member.name for member in crew}
    for task in tasks:
        assert task.member is not None
        assert {event.assessor for event in bureau.store.events(task.task)} == {names[task.member]}
        assert bureau.store.result(task.task).top == ("a", "b")


def test_one_member_in_many_tabs_gets_one_copy_of_a_query_and_one_gold_question(stores: tuple[Store, Store]) -> None:
    bureau = Bureau(stores[0], queries=["q1"], items="abcde", overlap=8, gold_every=1)
    bureau.gold.add(bureau.number, "q1", "d", "e", "left")
    ann = bureau.judge("ann")
    works = [bureau.work, Work(stores[1], bureau.projects)]
    barrier = threading.Barrier(8)

    def ask(place: int) -> Offer:
        barrier.wait(timeout=60)
        return works[place % 2].next(ann)

    with ThreadPoolExecutor(8) as threads:
        tokens = {question(offer).token for offer in threads.map(ask, range(8))}
        assert len(tokens) == 1
        assert len([task for task in bureau.projects.tasks(bureau.number) if task.member is not None]) == 1
        bureau.say(ann)
        tokens = {question(offer).token for offer in threads.map(ask, range(8))}
    assert len(tokens) == 1
    assert bureau.work.answer(ann, bureau.projects.tasks(bureau.number, member=ann.number)[0].task, tokens.pop(), "tie").progress.done == 2


def test_the_same_undo_sent_many_times_at_once_undoes_once(stores: tuple[Store, Store]) -> None:
    bureau = Bureau(stores[0], queries=["q1", "q2"], items="abc", k=1)
    ann = bureau.judge("ann")
    works = [bureau.work, Work(stores[1], bureau.projects)]
    done = 0
    while bureau.work.next(ann).question is not None:
        done = bureau.say(ann).progress.done
    barrier = threading.Barrier(6)

    def undo(place: int) -> Offer:
        barrier.wait(timeout=60)
        return works[place % 2].undo(ann, key="the same")

    with ThreadPoolExecutor(6) as threads:
        offers = list(threads.map(undo, range(6)))
    assert {offer.progress.done for offer in offers} == {done - 1}
    assert bureau.work.next(ann).progress.done == done - 1


# ---- the choice, against the rule in words ----


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    found = []
    for task in range(1, draw(st.integers(0, 8)) + 1):
        kind = draw(st.sampled_from(["own", "free", "shared"]))
        found.append(
            Candidate(
                task,
                f"q{task}",
                draw(st.sampled_from(["pairs", "grades"])),
                draw(st.integers(1, 3)),
                draw(st.integers(0, 3)),
                draw(st.sampled_from([None, 1, 2])),
                is_own=kind == "own",
                is_shared=kind == "shared",
                is_mine=draw(st.booleans()),
                is_held=draw(st.booleans()),
            )
        )
    return found


@given(candidates=candidates(), last=st.sampled_from([None, 1, 2, 3]))
def test_tasks_are_tried_in_the_order_of_the_rule(candidates: list[Candidate], last: int | None) -> None:
    order = in_order(candidates, last)
    assert sorted(each.task for each in order) == sorted(each.task for each in candidates)
    groups = [  # the rule, one line a clause
        [each for each in order if each.task == last and not each.is_free],
        [each for each in order if each.is_own and each.task != last],
        [each for each in order if each.is_free],
        [each for each in order if each.is_shared and each.task != last and each.is_mine],
        [each for each in order if each.is_shared and each.task != last and not each.is_mine and not each.is_held],
        [each for each in order if each.is_shared and each.task != last and not each.is_mine and each.is_held],
    ]
    assert [each for group in groups for each in group] == order
    own = [(each.round or 0, each.tool == "grades", each.place) for each in groups[1]]
    assert own == sorted(own)
    for group in groups[2:]:
        assert [each.place for each in group] == sorted(each.place for each in group)


# ---- undo and redo, against a stack ----


@settings(max_examples=25, deadline=None)
@given(
    deeds=st.lists(st.sampled_from(["say", "say", "say", "skip", "undo", "undo", "redo", "again", "pause"]), max_size=30),
    every=st.sampled_from([0, 2]),
)
def test_undo_and_redo_across_tasks_and_gold_are_those_of_a_stack(
    deeds: list[str], every: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clock = Ticking()
    with open_store(tmp_path_factory.mktemp("stack") / "labels.db", clock=clock) as store:
        bureau = Bureau(store, queries=["q1", "q2", "q3"], items="abc", k=1, gold_every=every)
        for left, right in ("ab", "cb", "ca"):
            bureau.gold.add(bureau.number, "q3", left, right, "tie")
        ann = bureau.judge("ann")
        stands: list[tuple[frozenset[str], str, int]] = []  # what was asked, in which query and task, and whether it was a judgment
        undone: list[tuple[frozenset[str], str, int]] = []
        offer, key = bureau.work.next(ann), ""
        for deed in deeds:
            if deed in ("undo", "redo"):
                source, target = (stands, undone) if deed == "undo" else (undone, stands)
                key = bureau.key()
                if not source:
                    with pytest.raises(Conflict, match=f"nothing to {deed}"):
                        getattr(bureau.work, deed)(ann, key=key)
                    continue
                offer = getattr(bureau.work, deed)(ann, key=key)
                target.append(source.pop())
                if deed == "undo":
                    assert _what(offer)[:2] == target[-1][:2]
                assert getattr(bureau.work, deed)(ann, key=key) == offer  # sent again
            elif deed == "pause":
                clock.now += timedelta(seconds=20)
            elif deed == "again":
                assert bureau.work.next(ann) == offer
            elif offer.question is not None:
                put = offer.question
                stands.append((*_what(offer)[:2], int(deed == "say")))
                undone.clear()
                act = (
                    bureau.work.answer(ann, put.task, put.token, best(put)) if deed == "say" else bureau.work.skip(ann, put.task, put.token)
                )
                offer = act
            assert offer.progress.done == sum(each[2] for each in stands)


def _what(offer: Offer) -> tuple[frozenset[str], str]:
    put = question(offer)
    assert put.right is not None
    return frozenset((put.left.id, put.right.id)), put.query_id
