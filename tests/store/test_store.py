"""What a store promises, on both databases."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from tests.store.raw import rows

from podium.errors import DataError, UnknownName
from podium.labelling import Event, TopK
from podium.pool import Document, Pool
from podium.store import Asked, Store, open_store


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def best(asked: Asked) -> str:
    """The oracle: the smaller id is better."""
    return "left" if asked.question.left < str(asked.question.right) else "right"


def ask(store: Store, number: int, assessor: str = "", **options: float) -> Asked:
    asked = store.ask(number, assessor, **options)
    assert asked is not None
    return asked


# ---- tasks ----


def test_a_task_comes_back_as_it_was_added(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="adaptive", seed=4, prior=["d2", "d1"], stop_after=5, name="a name")
    task = TopK(pool.items, 3, strategy="adaptive", seed=4, prior=["d2", "d1"], stop_after=5)
    assert store.pool(number) == pool
    assert store.settings(number) == task.settings()
    assert store.task(number).ask() == task.ask()
    (info,) = store.tasks()
    assert info == store.info(number)
    assert dataclasses.astuple(info) == (number, "a name", "q1", "adaptive", 3, 8, 0, 0, False)
    assert store.number("a name") == number


def test_a_pool_keeps_any_text(store: Store) -> None:
    strange = "Ünï\u2028 \U0001f600 \x00 \ud800 'quote' \"\\"
    pool = Pool("q", strange, (Document("ä\n'", strange, strange), Document(" b")), strange)
    assert store.pool(store.add(pool, k=1)) == pool


def test_a_pool_in_a_trusted_order_gives_the_prior_to_strategies_that_take_one(store: Store, pool: Pool) -> None:
    trusted = pool.ranked(pool.items[::-1])
    number, heap = store.add(trusted, k=2, name="a"), store.add(trusted, k=2, strategy="heap", name="b")
    assert store.settings(number)["prior"] == list(pool.items[::-1])
    assert store.settings(heap)["prior"] is None
    assert store.settings(store.add(trusted, k=2, name="c", prior=None))["prior"] is None


def test_the_same_task_added_again_is_the_same_task(store: Store, place: str, pool: Pool) -> None:
    number = store.add(pool, k=3, seed=1)
    assert store.add(pool, k=3, seed=1) == number
    with open_store(place) as other:
        assert other.add(pool, k=3, seed=1) == number
    assert len(store.tasks()) == 1


@pytest.mark.parametrize(
    ("change", "named"),
    [({"k": 4}, "k"), ({"seed": 2}, "seed"), ({"strategy": "heap"}, "strategy"), ({"repeats": 3}, "repeats"), ({}, "text of the query")],
)
def test_another_task_of_the_same_name_is_refused_and_says_what_differs(
    store: Store, pool: Pool, change: dict[str, int], named: str
) -> None:
    store.add(pool, k=3, seed=1, name="x")
    other = pool if change else dataclasses.replace(pool, query="another")
    with pytest.raises(DataError, match=f"'x' that differs in .*{named}.*; give it another name, or use another store"):
        store.add(other, **{"k": 3, "seed": 1, "name": "x", **change})
    assert len(store.tasks()) == 1


def test_threads_that_add_the_same_task_at_once_get_one_number(place: str, pool: Pool) -> None:
    stores, numbers, barrier = [open_store(place) for _ in range(4)], list[int](), threading.Barrier(4)

    def add(store: Store) -> None:
        barrier.wait()
        numbers.append(store.add(pool, k=3))

    _together([lambda store=store: add(store) for store in stores])  # type: ignore[misc]
    assert len(numbers) == 4
    assert len(set(numbers)) == 1
    for store in stores:
        store.close()


def _together(calls: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_task_that_is_not_there_is_named(store: Store) -> None:
    numbers: list[object] = [0, -1, 7, 2**40, 2**70, "1", None, True]
    for call in ("info", "pool", "settings", "task", "events", "result", "ask", "undo", "redo", "release", "about_left"):
        for number in numbers:
            with pytest.raises(DataError, match="has no task"):
                getattr(store, call)(number)


def test_a_name_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(DataError, match="has no task 'flutter'"):
        store.number("flutter")


@pytest.mark.parametrize(("wrong", "problem"), [("a\0b", "NUL"), ("a\ud800", "surrogate"), ("a" * 501, "at most 500 characters, got 501")])
def test_text_that_a_database_cannot_keep_is_refused_at_the_door(store: Store, pool: Pool, wrong: str, problem: str) -> None:
    number = store.add(pool, k=3)
    asked = ask(store, number)
    calls: list[Callable[[], object]] = [
        lambda: store.add(pool, name=wrong), lambda: store.ask(number, wrong), lambda: store.answer(number, wrong, "left"),
        lambda: store.skip(number, asked.token, assessor=wrong), lambda: store.undo(number, assessor=wrong),
        lambda: store.release(number, wrong),
        lambda: store.redo(number, key=wrong), lambda: store.record(number, Event("skip", "d1", "d2", key=wrong)),
        lambda: store.record(number, Event("skip", "d1", "d2", assessor=wrong)),
    ]  # fmt: skip
    if len(wrong) < 500:
        bad = Pool("q", "query", (Document(wrong), Document("b")))
        calls += [
            lambda: store.add(bad), lambda: store.answer(number, asked.token, wrong), lambda: store.number(wrong),
            lambda: store.answer(number, asked.token, "left", model=wrong),
            lambda: store.add(dataclasses.replace(pool, query_id=wrong), name="y"),
        ]  # fmt: skip
    for call in calls:
        with pytest.raises(DataError, match=problem):
            call()
    assert store.events(number) == []
    assert len(store.tasks()) == 1


def test_an_unknown_strategy_adds_nothing(store: Store, pool: Pool) -> None:
    with pytest.raises(UnknownName, match="unknown strategy"):
        store.add(pool, strategy="quick")
    assert store.tasks() == []


# ---- asking and answering ----


@pytest.mark.parametrize("strategy", ["heap", "tournament", "insertion", "adaptive"])
def test_a_task_is_asked_as_the_engine_asks_it_and_ends_with_its_result(store: Store, pool: Pool, strategy: str) -> None:
    number, task = store.add(pool, k=3, strategy=strategy, seed=3), TopK(pool.items, 3, strategy=strategy, seed=3)
    while (question := task.ask("ann")) is not None:
        asked = ask(store, number, "ann")
        assert asked.question == question
        assert store.info(number).is_finished is False
        event = store.answer(number, asked.token, best(asked), assessor="ann")
        task.record(event)
    assert store.ask(number, "ann") is None
    assert store.result(number) == task.result()
    assert store.result(number).top == ("d0", "d1", "d2")
    assert store.events(number) == list(task.log)
    info = store.info(number)
    assert (info.is_finished, info.events, info.judgments) == (True, len(task.log), len(task.judgments))


def test_grades_are_kept_like_any_answer(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=2, strategy="graded", grades=["no", "yes"])
    while (asked := store.ask(number)) is not None:
        assert asked.question.right is None
        store.answer(number, asked.token, "yes" if asked.question.left in ("d3", "d5") else "no")
    assert set(store.result(number).top) == {"d3", "d5"}


def test_a_result_is_refused_while_questions_are_open(store: Store, pool: Pool) -> None:
    with pytest.raises(DataError, match="not finished"):
        store.result(store.add(pool, k=2))


def test_an_answer_keeps_everything_it_is_sent_with(place: str, pool: Pool) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        number = store.add(pool, k=3)
        asked = ask(store, number, "änn")
        assert asked.opened_at == clock.now
        clock.pass_by(2.5)
        details = {"role": "model", "model": "m 1", "prompt": "p\n", "prompt_hash": "0xff"}
        event = store.answer(number, asked.token, "tie", assessor="änn", seconds=0.1 + 0.2, paused=1e-300, **details)
        shown = {"left": asked.question.left, "right": asked.question.right, "stage": asked.question.stage}
        assert event == Event(
            "answer", answer="tie", assessor="änn", seconds=0.1 + 0.2, paused=1e-300, key=asked.token, strategy=store.task(number).version,
            at="2026-01-02T03:04:08.178901+00:00", **shown, **details,
        )  # fmt: skip
        assert store.events(number) == [event]


def test_the_same_answer_sent_again_is_recorded_once_and_acknowledged_again(store: Store, place: str, pool: Pool) -> None:
    number = store.add(pool, k=3)
    asked = ask(store, number, "ann")
    event = store.answer(number, asked.token, "left", assessor="ann")
    assert store.answer(number, asked.token, "left", assessor="ann", seconds=9.0) == event
    with open_store(place) as other:
        assert other.answer(number, asked.token, "left", assessor="ann") == event
    store.undo(number, assessor="ann")
    assert store.answer(number, asked.token, "left", assessor="ann") == event  # an old copy of it, which changes nothing
    assert [each.action for each in store.events(number)] == ["answer", "undo"]


def test_another_answer_with_the_same_token_is_refused(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    asked = ask(store, number)
    store.answer(number, asked.token, "left")
    with pytest.raises(DataError, match="was used to say 'left', now 'right'; to change an answer, undo it"):
        store.answer(number, asked.token, "right")
    with pytest.raises(DataError, match="now 'skip'"):
        store.skip(number, asked.token)
    assert len(store.events(number)) == 1


def test_a_token_is_good_for_its_own_task_and_assessor_only(store: Store, pool: Pool) -> None:
    number, other = store.add(pool, k=3), store.add(pool, k=3, name="other")
    asked = ask(store, number, "ann")
    wrong: list[Callable[[], object]] = [
        lambda: store.answer(number, asked.token, "left", assessor="bob"), lambda: store.answer(number, asked.token, "left"),
        lambda: store.answer(other, asked.token, "left", assessor="ann"), lambda: store.answer(number, "guess", "left", assessor="ann"),
        lambda: store.skip(number, asked.token, assessor="bob"), lambda: store.answer(number, "", "left", assessor="ann"),
    ]  # fmt: skip
    for call in wrong:
        with pytest.raises(DataError, match="token"):
            call()
    store.answer(number, asked.token, "left", assessor="ann")
    for call in wrong:
        with pytest.raises(DataError, match="token"):
            call()
    assert (len(store.events(number)), len(store.events(other))) == (1, 0)


def test_an_answer_that_is_none_is_refused_and_the_question_stays_open(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="heap")
    asked = ask(store, number)
    for answer in ("bad", "Left", ""):
        with pytest.raises(DataError, match="say one of left, right, tie"):
            store.answer(number, asked.token, answer)
    with pytest.raises(DataError, match="role of an event"):
        store.answer(number, asked.token, "left", role="robot")
    with pytest.raises(DataError, match=r"seconds of an event must be .*, got nan"):
        store.answer(number, asked.token, "left", seconds=float("nan"))
    assert store.events(number) == []
    assert ask(store, number) == asked
    store.answer(number, asked.token, "left")


def test_an_open_question_comes_back_with_its_token(store: Store, place: str, pool: Pool) -> None:
    number = store.add(pool, k=3)
    asked = ask(store, number, "ann")
    assert ask(store, number, "ann") == asked
    with open_store(place) as other:
        assert ask(other, number, "ann") == asked


def test_assessors_at_the_same_time_get_different_questions(store: Store, place: str, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="tournament")
    with open_store(place) as other:
        asked = [ask(each, number, name) for each, name in zip((store, other, store, other), ("ann", "bob", "cy", "di"), strict=True)]
        assert len({each.question.pair for each in asked}) == 4  # 8 documents, 4 first matches
        assert other.ask(number, "eve") is None
        assert len({each.token for each in asked}) == 4


def test_assessors_who_take_turns_end_with_the_right_top(store: Store, place: str, pool: Pool) -> None:
    number, names = store.add(pool, k=4, strategy="insertion"), ("ann", "bob", "cy")
    with open_store(place) as other:
        for each, name in itertools.cycle(itertools.product((store, other), names)):
            if (asked := each.ask(number, name)) is not None:
                each.answer(number, asked.token, best(asked), assessor=name)
            if each.info(number).is_finished:
                break
    assert store.result(number).top == ("d0", "d1", "d2", "d3")


def test_with_repeats_so_many_assessors_get_the_same_question_and_no_more(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="tournament", repeats=2)
    ann, bob, cy = (ask(store, number, name) for name in ("ann", "bob", "cy"))
    assert ann.question.pair == bob.question.pair != cy.question.pair
    assert ann.question.left == bob.question.right  # the sides are turned
    store.answer(number, ann.token, best(ann), assessor="ann")
    assert ask(store, number, "ann").question.pair != bob.question.pair


def test_threads_of_one_store_never_hold_the_same_question_and_end_right(store: Store, pool: Pool) -> None:
    number, problems = store.add(pool, k=5, strategy="tournament"), list[BaseException]()

    def work(name: str) -> None:
        try:
            while not store.info(number).is_finished:
                if (asked := store.ask(number, name)) is not None:
                    store.answer(number, asked.token, best(asked), assessor=name)
        except BaseException as problem:
            problems.append(problem)

    _together([lambda name=name: work(name) for name in "abcdef"])  # type: ignore[misc]
    assert problems == []
    assert store.result(number).top == ("d0", "d1", "d2", "d3", "d4")
    asked = [event.question.pair for event in store.events(number)]
    assert len(set(asked)) == len(asked)


def test_an_assessor_with_several_seats_has_a_question_at_each(store: Store, place: str, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="tournament")
    seats = [store.ask(number, "model", seat=seat) for seat in range(5)]
    assert seats[4] is None  # 8 documents, 4 first matches
    with open_store(place) as other:
        assert [other.ask(number, "model", seat=seat) for seat in range(5)] == seats
    assert len({asked.question.pair for asked in seats if asked is not None}) == 4
    for asked in seats[:2]:
        assert asked is not None
        store.answer(number, asked.token, best(asked), assessor="model")
    assert store.ask(number, "model", seat=3) == seats[3]
    store.undo(number, assessor="model")
    new = [store.ask(number, "model", seat=seat) for seat in range(4)]
    assert {asked.token for asked in new if asked is not None}.isdisjoint(asked.token for asked in seats if asked is not None)


def test_an_assessor_is_asked_only_the_stages_named(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="adaptive")
    assert ask(store, number, "model", stages={"triage"}).question.stage == "triage"  # type: ignore[arg-type]
    assert store.ask(number, "ann", stages={"boundary"}) is None


@pytest.mark.parametrize("seat", [-1, 2**31, "0", True])
def test_a_seat_that_is_none_is_refused(store: Store, pool: Pool, seat: int) -> None:
    with pytest.raises(DataError, match="seat must be a whole number"):
        store.ask(store.add(pool), seat=seat)
    with pytest.raises(DataError, match="seat must be a whole number"):
        store.release(store.add(pool), seat=seat)


# ---- leases ----


def test_a_lease_that_ran_out_frees_the_question_and_a_late_answer_is_still_recorded(place: str, pool: Pool) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        number = store.add(pool, k=1, strategy="insertion")
        ann = ask(store, number, "ann", lease_seconds=60)
        clock.pass_by(59.9)
        assert ask(store, number, "bob", lease_seconds=60).question.pair != ann.question.pair
        clock.pass_by(0.1)
        cy = ask(store, number, "cy", lease_seconds=60)
        assert cy.question.pair == ann.question.pair
        assert cy.token != ann.token
        assert ask(store, number, "ann").question.pair != ann.question.pair  # another's now
        first = store.answer(number, cy.token, best(cy), assessor="cy")
        late = store.answer(number, ann.token, {"left": "right", "right": "left"}[best(ann)], assessor="ann")
        assert store.events(number) == [first, late]
        while (asked := store.ask(number, "ann")) is not None or (asked := store.ask(number, "bob")) is not None:
            who = "ann" if store.ask(number, "ann") == asked else "bob"
            store.answer(number, asked.token, best(asked), assessor=who)
        assert store.result(number).top == ("d0",)  # the first answer counts


def test_a_lease_that_ran_out_goes_on_if_nobody_else_took_the_question(place: str, pool: Pool) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        number = store.add(pool, k=3)
        asked = ask(store, number, "ann", lease_seconds=60)
        clock.pass_by(1000)
        assert ask(store, number, "ann", lease_seconds=60) == asked
        clock.pass_by(59)
        assert ask(store, number, "bob").question.pair != asked.question.pair  # it runs anew


def test_asking_again_in_the_second_half_of_a_lease_renews_it(place: str, pool: Pool) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        number = store.add(pool, k=3)
        asked = ask(store, number, "ann", lease_seconds=60)
        clock.pass_by(40)
        ask(store, number, "ann", lease_seconds=60)
        clock.pass_by(59)
        assert ask(store, number, "bob").question.pair != asked.question.pair


def test_a_question_that_was_decided_meanwhile_is_replaced_and_held_no_longer(place: str, pool: Pool) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        number = store.add(pool, k=1, strategy="tournament")
        bob = ask(store, number, "bob", lease_seconds=60)
        clock.pass_by(60)
        ann = ask(store, number, "ann", lease_seconds=600)
        assert ann.question.pair == bob.question.pair
        store.answer(number, bob.token, best(bob), assessor="bob")
        replaced = ask(store, number, "ann", lease_seconds=600)
        assert replaced.question.pair != ann.question.pair
        assert ask(store, number, "ann") == replaced
        store.undo(number, assessor="bob")
        assert ask(store, number, "cy").question.pair == ann.question.pair
        assert rows(place, "SELECT COUNT(*) FROM leases WHERE assessor = 'ann' AND expires_at IS NOT NULL") == [(1,)]


def test_the_longest_lease_is_ten_years(place: str, pool: Pool) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        number = store.add(pool, k=3)
        asked = ask(store, number, "ann", lease_seconds=10 * 365 * 86400)
        clock.pass_by(10 * 365 * 86400 - 1)
        assert ask(store, number, "bob").question.pair != asked.question.pair


def test_a_question_that_is_given_back_goes_to_the_next_who_asks_and_a_late_answer_is_still_recorded(
    store: Store, place: str, pool: Pool
) -> None:
    number = store.add(pool, k=3, strategy="tournament")
    ann, bob = ask(store, number, "ann"), ask(store, number, "bob")
    store.release(number, "ann")
    with open_store(place) as other:
        cy = ask(other, number, "cy")
    assert cy.question.pair == ann.question.pair
    assert cy.token != ann.token
    assert ask(store, number, "bob") == bob  # only ann's
    late = store.answer(number, ann.token, best(ann), assessor="ann")
    assert store.events(number) == [late]
    store.release(number, "nobody")


def test_one_seat_or_all_are_given_back(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="tournament")
    seats = [ask(store, number, "model", seat=seat) for seat in range(3)]
    store.release(number, "model", seat=1)
    assert ask(store, number, "ann").question.pair == seats[1].question.pair
    assert [ask(store, number, "model", seat=seat) for seat in (0, 2)] == [seats[0], seats[2]]
    store.release(number, "model")
    assert {ask(store, number, name).question.pair for name in ("bob", "cy")} == {seats[0].question.pair, seats[2].question.pair}


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 10 * 365 * 86400 + 1, 1e300])
def test_a_lease_of_no_length_is_refused(store: Store, pool: Pool, seconds: float) -> None:
    with pytest.raises(DataError, match="lease_seconds must be a positive number of at most ten years"):
        store.ask(store.add(pool), lease_seconds=seconds)


# ---- skip, undo, redo ----


def test_a_skipped_question_goes_to_others_and_comes_back_last(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="tournament")
    skipped = ask(store, number, "ann")
    event = store.skip(number, skipped.token, assessor="ann", seconds=1.5)
    assert (event.action, event.key, event.seconds) == ("skip", skipped.token, 1.5)
    assert store.skip(number, skipped.token, assessor="ann") == event
    assert ask(store, number, "ann").question.pair != skipped.question.pair
    assert ask(store, number, "bob").question.pair == skipped.question.pair
    assert (store.info(number).events, store.info(number).judgments) == (1, 0)


def test_undo_and_redo_are_events_and_the_counters_follow(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="heap")
    first, second = (store.answer(number, (asked := ask(store, number)).token, best(asked)) for _ in range(2))
    following = ask(store, number)
    undo = store.undo(number)
    assert (undo.action, undo.target) == ("undo", 2)
    assert store.info(number).judgments == 1
    again = ask(store, number)
    assert again.question == second.question
    assert again.token not in (second.key, following.token)
    redo = store.redo(number)
    assert (redo.action, redo.target) == ("redo", 3)
    assert store.info(number).judgments == 2
    assert ask(store, number).question == following.question
    assert store.events(number) == [first, second, undo, redo]
    assert store.task(number).judgments == (first, second)


def test_undoing_the_last_answer_opens_a_finished_task_again(store: Store) -> None:
    number = store.add(Pool("q", "query", (Document("a"), Document("b"))), k=1, strategy="heap")
    asked = ask(store, number)
    store.answer(number, asked.token, best(asked))
    assert store.info(number).is_finished
    store.undo(number)
    assert not store.info(number).is_finished
    store.redo(number)
    assert store.info(number).is_finished


def test_a_skip_that_is_undone_and_redone_counts_as_no_judgment(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    store.skip(number, ask(store, number).token)
    assert store.undo(number).target == 1
    assert store.info(number).judgments == 0
    store.redo(number)
    assert (store.info(number).events, store.info(number).judgments) == (3, 0)


def test_everybody_undoes_their_own_answers(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3, strategy="tournament")
    ann, bob = ask(store, number, "ann"), ask(store, number, "bob")
    store.answer(number, ann.token, best(ann), assessor="ann")
    store.answer(number, bob.token, best(bob), assessor="bob")
    assert store.undo(number, assessor="ann").target == 1
    for call, who in ((store.undo, "ann"), (store.redo, "bob"), (store.undo, "cy")):
        with pytest.raises(DataError, match=f"{who} has nothing to"):
            call(number, assessor=who)


def test_an_undo_with_a_key_is_recorded_once(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    for _ in range(2):
        asked = ask(store, number)
        store.answer(number, asked.token, best(asked))
    undo = store.undo(number, key="click 1")
    assert store.undo(number, key="click 1") == undo
    with pytest.raises(DataError, match="'click 1' was used to say 'undo', now 'redo'"):
        store.redo(number, key="click 1")
    assert len(store.events(number)) == 3


# ---- events from elsewhere ----


def test_an_event_from_elsewhere_is_kept_as_it_is_and_once_by_its_key(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    event = Event("answer", "d1", "d2", "left", assessor="paper", role="recorded", key="p1", at="yesterday", seconds=1.25)
    assert store.record(number, event) == 1
    assert store.record(number, Event("answer", "d3", "d2", "tie", key="p2")) == 2
    assert store.record(number, event) == 1
    assert store.events(number)[0] == event
    assert len(store.events(number)) == 2
    assert store.info(number).judgments == 2
    with pytest.raises(DataError, match="used for another event"):
        store.record(number, dataclasses.replace(event, answer="right"))
    with pytest.raises(DataError, match="'d9', no item of this task"):
        store.record(number, Event("answer", "d9", "d2", "left"))


def test_every_field_of_an_event_comes_back_exactly(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    numbers = (0.0, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 2.5, 3, None)
    texts = ("", " ", "e\u0301 é", "\U0001f600", "\r\n\t\x01\x7f", "'; DROP TABLE events; --", "%s :x {} %(y)s", "\uffff" * 400)
    names = ("assessor", "at", "stage", "strategy", "model", "prompt", "prompt_hash")
    events = [
        Event("skip", "d1", "d2", key=f"{text}{place}", seconds=seconds, paused=numbers[-place], **dict.fromkeys(names, text))
        for place, (seconds, text) in enumerate(zip(numbers, texts, strict=True))
    ]
    store.extend(number, events)
    assert [dataclasses.astuple(event) for event in store.events(number)] == [dataclasses.astuple(event) for event in events]


def test_a_log_is_taken_up_as_a_whole_or_not_at_all(store: Store, pool: Pool) -> None:
    number = store.add(pool, k=3)
    good = [Event("answer", "d1", "d2", "left"), Event("undo", target=1), Event("redo", target=2), Event("skip", "d3", "d4")]
    with pytest.raises(DataError, match="'d9', no item of this task"):
        store.extend(number, [*good, Event("answer", "d9", "d2", "left")])
    assert store.events(number) == []
    assert store.extend(number, good[:2]) == 2
    assert store.extend(number, good) == 2
    assert store.extend(number, good[:1]) == 0
    assert store.events(number) == good
    assert (store.info(number).events, store.info(number).judgments) == (4, 1)
    with pytest.raises(DataError, match="event 2 differs from event 2 of task"):
        store.extend(number, [good[0], good[3], *good])
    with pytest.raises(DataError, match="event 6 has the key 'k' of an earlier one"):
        store.extend(number, [*good, *[Event("skip", "d3", "d4", key="k")] * 2])
    assert store.events(number) == good


@pytest.mark.parametrize("statement", ["UPDATE events SET answer = 'right'", "DELETE FROM events", "DELETE FROM events WHERE number = 1"])
def test_the_database_itself_refuses_to_change_or_delete_events(store: Store, place: str, pool: Pool, statement: str) -> None:
    number = store.add(pool, k=3)
    event = store.answer(number, ask(store, number).token, "left")
    with pytest.raises(Exception, match="only ever appended"):
        rows(place, statement)
    assert store.events(number) == [event]


@pytest.mark.parametrize("wrong", [1, 3, 0])
def test_the_database_itself_refuses_an_event_out_of_order(store: Store, place: str, pool: Pool, wrong: int) -> None:
    number = store.add(pool, k=3)
    event = store.answer(number, ask(store, number).token, "left")
    verb = "INSERT OR REPLACE" if "://" not in place else "INSERT"  # which would delete without a trigger's knowing
    columns = ", ".join(f'"{field.name}"' for field in dataclasses.fields(Event) if field.name not in ("key", "answer"))
    copy = f"{verb} INTO events (task, number, key, answer, {columns}) SELECT task, {wrong}, 'x', 'right', {columns} FROM events"
    with pytest.raises(Exception, match="numbered from 1 without gaps"):
        rows(place, copy)
    assert store.events(number) == [event]
    rows(place, copy.replace(f"task, {wrong}", "task, 2"))
    assert [each.answer for each in store.events(number)] == ["left", "right"]


def test_what_could_not_be_committed_is_forgotten(store: Store, place: str, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    number = store.add(pool, k=3)
    asked = ask(store, number)
    with monkeypatch.context() as patched:
        patched.setattr("podium.store.live.LiveTask.told", _fail)
        with pytest.raises(RuntimeError, match="power cut"):
            store.answer(number, asked.token, "left")
    assert store.events(number) == []
    assert ask(store, number) == asked
    store.answer(number, asked.token, "left")
    assert len(store.events(number)) == 1


def _fail(*_: object) -> None:
    raise RuntimeError("power cut")
