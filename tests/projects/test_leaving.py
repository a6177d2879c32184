"""Those who leave, or only look: what they did not finish is for others, and nothing that was judged is lost; on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.projects.working import Bureau, Ticking, finish, question

from podium.errors import DataError
from podium.projects.exports import export
from podium.projects.facts import Conflict, StudyPlan
from podium.projects.progress import progress_of
from podium.store import Store, open_store

Make = Callable[..., Bureau]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def store(place: str, clock: Ticking) -> Iterator[Store]:
    with open_store(place, clock=clock) as store:
        yield store


@pytest.fixture
def make(store: Store) -> Make:
    return lambda **settings: Bureau(store, **settings)


def owners(bureau: Bureau) -> list[int | None]:
    return [task.member for task in bureau.projects.tasks(bureau.number)]


# ---- only looking ----


def test_a_copy_that_was_only_looked_at_is_free_when_its_question_is_given_back(make: Make) -> None:
    bureau = make(queries=["q1"], overlap=2)
    ann, bob, cy = (bureau.judge(name) for name in ("ann", "bob", "cy"))
    for member in (ann, bob):
        bureau.work.next(member, desk="tab")
    assert bureau.work.next(cy).status == "finished"  # both copies are taken
    bureau.work.release(ann, "tab")
    assert question(bureau.work.next(cy)).task == bureau.task_of("q1")
    assert owners(bureau) == [cy.number, bob.number]


def test_a_copy_that_was_only_looked_at_is_free_when_its_time_is_over(make: Make, clock: Ticking) -> None:
    bureau = make(queries=["q1"], overlap=2)
    ann, bob, cy = (bureau.judge(name) for name in ("ann", "bob", "cy"))
    put = question(bureau.work.next(ann))
    bureau.say(bob)
    clock.pass_by(901)
    assert question(bureau.work.next(cy)).task == put.task  # not bob's, who has begun
    assert owners(bureau) == [cy.number, bob.number]
    with pytest.raises(DataError, match="not one that you work on"):
        bureau.work.answer(ann, put.task, put.token, "left")


def test_what_is_said_in_a_copy_that_was_given_back_is_taken_if_nobody_has_it(make: Make) -> None:
    bureau = make(queries=["q1"], overlap=2)
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann, desk="tab"))
    bureau.work.release(ann, "tab")
    assert owners(bureau) == [None, None]
    bureau.work.answer(ann, put.task, put.token, "left")
    assert owners(bureau) == [ann.number, None]
    bureau.work.release(ann, "")  # begun: it stays hers
    assert owners(bureau) == [ann.number, None]


def test_a_question_that_is_given_back_and_asked_again_keeps_its_token(make: Make) -> None:
    bureau = make(queries=["q1"], items="ab", k=1, overlap=2, overlap_by="votes")
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann, desk="one"))
    bureau.work.release(ann, "one")
    assert question(bureau.work.next(ann, desk="two")) == put
    bureau.work.answer(ann, put.task, put.token, "left", desk="two")
    with pytest.raises(Conflict):
        bureau.work.answer(ann, put.task, put.token, "right", desk="two")
    assert len(bureau.store.events(put.task)) == 1


# ---- leaving ----


def test_who_leaves_gives_back_what_they_did_not_begin(make: Make) -> None:
    bureau = make(queries=["q1", "q2"], overlap=2)
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    bureau.work.next(ann)
    bureau.say(bob)
    for member in (ann, bob):
        bureau.projects.set_member_active(member.number, False)
    assert owners(bureau) == [None, bob.number, None, None]


def test_a_task_that_is_reassigned_keeps_its_log_and_another_copy_is_judged(make: Make) -> None:
    bureau = make(queries=["q1"], overlap=2)
    ann, bob, cy = (bureau.judge(name) for name in ("ann", "bob", "cy"))
    bureau.say(ann)
    finish(bureau, bob)
    old = bureau.task_of("q1")
    pending = question(bureau.work.next(ann))
    fresh = bureau.projects.reassign(old)
    assert (fresh.query_id, fresh.member, fresh.judgments, fresh.is_shared) == ("q1", None, 0, False)
    assert old not in {task.task for task in bureau.projects.tasks(bureau.number)}
    assert len(bureau.store.events(old)) == 1
    with pytest.raises(DataError, match="not one that you work on"):
        bureau.work.answer(ann, pending.task, pending.token, "left")
    assert bureau.work.next(ann).status == "finished"  # never two copies of a query by one
    finish(bureau, cy)
    tasks = bureau.projects.tasks(bureau.number)
    assert [(task.member, task.is_finished) for task in tasks] == [(bob.number, True), (cy.number, True)]
    progress = progress_of(bureau.store, bureau.projects.get(bureau.number))
    assert progress["tasks"] == progress["tasks_finished"] == 2
    assert progress["judgments"] == sum(member["judgments"] for member in progress["members"])
    rows = export(bureau.store, bureau.projects.get(bureau.number), "judgments.csv")[1].decode().splitlines()
    assert sum(",ann," in row for row in rows) == 1  # nothing that was judged is lost
    bureau.projects.update(bureau.number, overlap=3)
    assert len(bureau.projects.tasks(bureau.number)) == 3  # one more, beside what took the place of another


def test_only_what_one_person_has_not_finished_can_be_reassigned(make: Make) -> None:
    shared = make(queries=["q1"])
    with pytest.raises(DataError, match="everybody's"):
        shared.projects.reassign(shared.task_of("q1"))
    bureau = make(queries=["q1"], overlap=2)
    ann = bureau.judge("ann")
    with pytest.raises(DataError, match="free already"):
        bureau.projects.reassign(bureau.task_of("q1"))
    bureau.work.next(ann)
    assert bureau.projects.reassign(bureau.task_of("q1")).task == bureau.task_of("q1")  # not begun: only made free
    finish(bureau, ann)
    with pytest.raises(DataError, match="finished"):
        bureau.projects.reassign(bureau.projects.tasks(bureau.number, member=ann.number)[0].task)
    for wrong in (0, 999, "1"):
        with pytest.raises(DataError, match="no project has a task"):
            bureau.projects.reassign(wrong)  # type: ignore[arg-type]


# ---- seats ----


def study(make: Make) -> Bureau:
    return make(queries=[f"q{number}" for number in range(4)], items="abc", k=1, study=StudyPlan(4, 4, 2))


def test_the_seat_of_one_who_leaves_is_for_the_next_with_what_is_unfinished(make: Make) -> None:
    bureau = study(make)
    ann, *_ = (bureau.judge(name) for name in ("ann", "bob", "cy", "di"))
    own = bureau.projects.tasks(bureau.number, member=ann.number)
    with pytest.raises(Conflict, match="all seats of this study are taken; ask those who lead it"):
        bureau.judge("eve")
    first = question(bureau.work.next(ann)).task
    while question(bureau.say(ann)).task == first:
        pass
    bureau.say(ann)  # a second one is begun
    second = question(bureau.work.next(ann)).task
    left = bureau.projects.set_member_active(ann.number, False)
    assert (left.is_active, left.seat) == (False, None)
    eve = bureau.judge("eve")
    assert eve.seat == ann.seat
    assert [task.task for task in bureau.projects.tasks(bureau.number, member=ann.number)] == [first]
    hers = bureau.projects.tasks(bureau.number, member=eve.number)
    unfinished = sorted((task.query_id, task.tool, task.fold, task.round) for task in own if task.task != first)
    assert sorted((task.query_id, task.tool, task.fold, task.round) for task in hers) == unfinished
    assert second not in {task.task for task in hers}  # begun by another: a copy of its own
    finish(bureau, eve)
    assert all(task.is_finished for task in bureau.projects.tasks(bureau.number, member=eve.number))
    with pytest.raises(Conflict, match="all seats"):
        bureau.projects.set_member_active(ann.number, True)


def test_who_comes_back_to_a_study_takes_the_seat_that_is_free(make: Make) -> None:
    bureau = study(make)
    crew = [bureau.judge(name) for name in ("ann", "bob", "cy", "di")]
    bureau.say(crew[1])
    before = [(task.query_id, task.tool) for task in bureau.projects.tasks(bureau.number, member=crew[1].number)]
    bureau.projects.set_member_active(crew[1].number, False)
    assert [member.seat for member in bureau.projects.members(bureau.number) if not member.name] == [crew[1].seat]
    back = bureau.projects.set_member_active(crew[1].number, True)
    assert (back.seat, back.is_active) == (crew[1].seat, True)
    assert [(task.query_id, task.tool) for task in bureau.projects.tasks(bureau.number, member=back.number)] == before
    assert all(member.name for member in bureau.projects.members(bureau.number))
