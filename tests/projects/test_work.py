"""What members are asked, and what becomes of what they say; on both databases."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from tests.projects.working import Bureau, Ticking, best, finish, question

from podium.errors import DataError
from podium.projects.facts import Closed, Conflict, Elsewhere, NotAllowed, Offer, StudyPlan
from podium.projects.work import Work
from podium.store import Store, open_store

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def store(place: str, clock: Ticking) -> Iterator[Store]:
    with open_store(place, clock=clock) as store:
        yield store


@pytest.fixture
def make(store: Store) -> Callable[..., Bureau]:
    return lambda **settings: Bureau(store, **settings)


Make = Callable[..., Bureau]


# ---- the question ----


def test_a_question_has_the_query_both_documents_and_the_answers(make: Make) -> None:
    bureau = make(queries=["q1"], strategy="adaptive")
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    assert (put.task, put.tool, put.query_id, put.query, put.description) == (bureau.task_of("q1"), "pairs", "q1", "query q1", "about q1")
    assert put.right is not None
    assert put.left.text == f"{put.left.id} of q1"
    assert put.right.text == f"{put.right.id} of q1"
    assert put.left.id != put.right.id
    assert put.answers == ("left", "right", "tie", "bad")
    assert question(bureau.work.next(ann)) == put  # the same, under the same token, until it is answered


@pytest.mark.parametrize(
    ("settings", "answers"),
    [
        ({"strategy": "adaptive", "ties": False}, ("left", "right", "bad")),
        ({"strategy": "adaptive", "both_bad": False}, ("left", "right", "tie")),
        ({"strategy": "heap"}, ("left", "right", "tie")),  # which does not know bad
        ({"strategy": "heap", "ties": False, "both_bad": False}, ("left", "right")),
        ({"tool": "grades", "grades": ("no", "yes"), "ties": False}, ("no", "yes")),
    ],
)
def test_only_the_answers_that_are_offered_are_taken(make: Make, settings: dict[str, object], answers: tuple[str, ...]) -> None:
    bureau = make(**settings)
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    assert put.answers == answers
    assert (put.right is None) == (put.tool == "grades")
    for other in {"left", "tie", "bad", "Good", "", "LEFT"} - set(answers):
        with pytest.raises(DataError, match="answer"):
            bureau.work.answer(ann, put.task, put.token, other)
    assert bureau.store.info(put.task).events == 0
    bureau.work.answer(ann, put.task, put.token, answers[0])
    assert bureau.store.events(put.task)[0].answer == answers[0]


def test_judging_to_the_end_gives_the_top_k_that_the_answers_imply(make: Make) -> None:
    bureau = make(queries=["q1", "q2", "q3"])
    ann = bureau.judge("ann")
    asked = finish(bureau, ann)
    assert [put.query_id for put in asked] == sorted(put.query_id for put in asked)  # one query after the other
    offer = bureau.work.next(ann)
    assert (offer.status, offer.question) == ("finished", None)
    assert (offer.progress.done, offer.progress.about_left, offer.progress.queries_done, offer.progress.queries) == (len(asked), 0, 3, 3)
    for query in ("q1", "q2", "q3"):
        assert bureau.store.result(bureau.task_of(query)).top == ("a", "b")


def test_progress_counts_what_stands(make: Make) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    first = bureau.work.next(ann).progress
    assert (first.done, first.queries_done, first.queries) == (0, 0, 2)
    assert first.about_left == bureau.store.about_left(bureau.task_of("q1"))
    assert bureau.say(ann).progress.done == 1
    assert bureau.say(ann).progress.done == 2
    assert bureau.work.undo(ann, key="u").progress.done == 1
    put = question(bureau.work.next(ann))
    assert bureau.work.skip(ann, put.task, put.token).progress.done == 1  # a skip is no judgment


# ---- answering once ----


def test_an_answer_that_is_sent_again_changes_nothing(make: Make, place: str, clock: Ticking) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    offer = bureau.work.answer(ann, put.task, put.token, "left", seconds=0.5)
    with open_store(place, clock=clock) as other:  # another process
        for work in (bureau.work, Work(other, bureau.projects)):
            assert work.answer(ann, put.task, put.token, "left", seconds=0.7) == offer
    assert bureau.store.info(put.task).events == 1
    with pytest.raises(Conflict, match="was used to say 'left', now 'right'"):
        bureau.work.answer(ann, put.task, put.token, "right")
    with pytest.raises(Conflict, match="was used to say 'left', now 'skip'"):
        bureau.work.skip(ann, put.task, put.token)
    assert bureau.store.info(put.task).events == 1


def test_an_answer_of_long_ago_may_be_sent_again_when_the_member_is_in_another_task(make: Make) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    first = question(bureau.work.next(ann))
    while question(offer := bureau.say(ann)).query_id == "q1":
        pass
    assert bureau.work.answer(ann, first.task, first.token, best(first)).status == "question"
    assert bureau.store.info(first.task).events == offer.progress.done


def test_tokens_and_tasks_of_others_are_refused(make: Make) -> None:
    bureau = make(overlap=2)
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    hers, his = question(bureau.work.next(ann)), question(bureau.work.next(bob))
    assert hers.task != his.task
    with pytest.raises(DataError, match="not one that you work on"):
        bureau.work.answer(bob, hers.task, hers.token, "left")
    with pytest.raises(DataError, match="is not of a question"):
        bureau.work.answer(bob, his.task, hers.token, "left")
    with pytest.raises(DataError, match="is not of a question"):
        bureau.work.answer(ann, hers.task, "no token", "left")
    for task in (0, 999, -1, 2**40, True, "1"):
        with pytest.raises(DataError, match="task"):
            bureau.work.answer(ann, task, hers.token, "left")  # type: ignore[arg-type]
    other = make()
    with pytest.raises(DataError, match="not one that you work on"):
        bureau.work.answer(ann, other.task_of("q1"), hers.token, "left")
    assert sum(info.events for info in bureau.store.tasks()) == 0


def test_whoever_is_no_active_judge_is_refused(make: Make) -> None:
    bureau = make()
    viewer = bureau.judge("vic", "viewer")
    with pytest.raises(NotAllowed, match="not a judge"):
        bureau.work.next(viewer)
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    bureau.projects.set_member_active(ann.number, False)
    for call in (lambda: bureau.work.next(ann), lambda: bureau.work.answer(ann, put.task, put.token, "left")):
        with pytest.raises(NotAllowed, match="not a judge"):
            call()


def test_a_closed_project_takes_nothing_but_what_it_has_already(make: Make) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    old = question(bureau.work.next(ann))
    new = question(bureau.work.answer(ann, old.task, old.token, "left"))
    bureau.projects.set_state(bureau.number, "closed")
    for call in (
        lambda: bureau.work.next(ann),
        lambda: bureau.work.answer(ann, new.task, new.token, "left"),
        lambda: bureau.work.skip(ann, new.task, new.token),
        lambda: bureau.work.undo(ann, key="k"),
        lambda: bureau.work.redo(ann, key="k"),
    ):
        with pytest.raises(Closed, match="closed"):
            call()
    assert bureau.work.ahead(ann, new.task, new.token) == {}
    again = bureau.work.answer(ann, old.task, old.token, "left")
    assert (again.status, again.question, again.progress.done) == ("finished", None, 1)
    assert bureau.store.info(old.task).events == 1


# ---- time ----


def test_times_are_kept_as_far_as_they_can_be_true(make: Make, clock: Ticking) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    clock.pass_by(10)
    offer = bureau.work.answer(ann, put.task, put.token, "left", seconds=7.0, paused=2.0, idle=1.0)
    event = bureau.store.events(put.task)[-1]
    assert (event.seconds, event.paused, event.idle) == (7.0, 2.0, 1.0)
    put = question(offer)
    clock.pass_by(10)
    bureau.work.answer(ann, put.task, put.token, "left", seconds=100.0, paused=2.0, idle=1.0)
    event = bureau.store.events(put.task)[-1]
    assert (event.paused, event.idle) == (2.0, 1.0)
    assert event.seconds == pytest.approx(10 + 2 - 2 - 1, abs=0.1)  # what passed, two seconds of slack, less the rest
    put = question(bureau.work.next(ann))
    clock.pass_by(3)
    bureau.work.skip(ann, put.task, put.token, seconds=1.0, paused=100.0, idle=100.0)
    event = bureau.store.events(put.task)[-1]
    assert event.action == "skip"
    assert (event.seconds or 0) + (event.paused or 0) + (event.idle or 0) == pytest.approx(3 + 2, abs=0.1)


def test_who_says_no_times_has_none(make: Make) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    bureau.say(ann)
    event = bureau.store.events(bureau.task_of("q1"))[0]
    assert (event.seconds, event.paused, event.idle) == (None, None, None)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf, -math.inf, 1e300, "3", True])
@pytest.mark.parametrize("name", ["seconds", "paused", "idle"])
def test_times_that_cannot_be_are_refused(new_place: Callable[[str], str], wrong: object, name: str) -> None:
    with open_store(new_place("sqlite")) as store:
        bureau = Bureau(store)
        ann = bureau.judge("ann")
        put = question(bureau.work.next(ann))
        with pytest.raises(DataError, match=f"{name} must be a number between 0 and"):
            bureau.work.answer(ann, put.task, put.token, "left", **{name: wrong})  # type: ignore[arg-type]
        assert store.info(put.task).events == 0


# ---- which task ----


def test_judges_of_a_shared_query_share_its_questions_and_spread_over_queries(make: Make) -> None:
    bureau = make(items="abcdefgh", strategy="tournament")  # which asks several at once
    ann, bob, cy = (bureau.judge(name) for name in ("ann", "bob", "cy"))
    puts = [question(bureau.work.next(member)) for member in (ann, bob, cy)]
    assert [put.query_id for put in puts[:2]] == ["q1", "q2"]  # bob goes where nobody is
    assert len({(put.query_id, put.left.id, put.right.id if put.right else "") for put in puts}) == 3


def test_a_judge_stays_with_a_query_until_it_is_finished(make: Make) -> None:
    bureau = make(items="abcdefgh", queries=["q1", "q2", "q3"])
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    assert question(bureau.work.next(ann)).query_id == "q1"
    assert question(bureau.say(bob)).query_id == "q2"
    bureau.work.release(ann, "")  # nobody is at q1 now
    assert question(bureau.work.next(bob)).query_id == "q2"
    assert question(bureau.say(bob)).query_id == "q2"


def test_who_has_voted_on_all_there_is_waits_for_others(make: Make) -> None:
    bureau = make(queries=["q1"], items="ab", k=1, overlap=2, overlap_by="votes")
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    offer = bureau.say(ann)
    assert (offer.status, offer.question, offer.progress.queries_done) == ("wait", None, 0)
    assert bureau.work.next(ann).status == "wait"
    assert bureau.say(bob).status == "finished"
    assert bureau.work.next(ann).status == "finished"
    assert bureau.work.next(ann).progress.queries_done == 1
    assert bureau.store.result(bureau.task_of("q1")).top == ("a",)


def test_a_copy_belongs_to_the_first_who_takes_it_and_nobody_has_two_of_a_query(make: Make) -> None:
    bureau = make(queries=["q1", "q2"], overlap=2)
    crew = [bureau.judge(name) for name in ("ann", "bob", "cy")]
    offers = [bureau.work.next(member) for member in crew]
    assert [question(offer).query_id for offer in offers] == ["q1", "q1", "q2"]
    assert offers[2].progress.queries == 1  # both copies of q1 are taken
    for member in crew:
        finish(bureau, member)
        assert bureau.work.next(member).status == "finished"
    taken = [(task.query_id, task.member) for task in bureau.projects.tasks(bureau.number)]
    assert Counter(query for query, _ in taken) == {"q1": 2, "q2": 2}
    assert len(set(taken)) == 4
    assert all(task.is_finished for task in bureau.projects.tasks(bureau.number))
    for task in bureau.projects.tasks(bureau.number):
        assert bureau.store.result(task.task).top == ("a", "b")


def test_who_has_judged_a_query_is_not_given_another_copy_of_it(make: Make) -> None:
    bureau = make(queries=["q1", "q2"], overlap=3)
    ann = bureau.judge("ann")
    asked = finish(bureau, ann)
    assert len({put.task for put in asked}) == 2
    offer = bureau.work.next(ann)
    assert (offer.status, offer.progress.queries_done, offer.progress.queries) == ("finished", 2, 2)
    assert [task.member for task in bureau.projects.tasks(bureau.number)] == [ann.number, None, None] * 2


def test_members_of_a_study_judge_their_own_tasks_round_by_round(make: Make) -> None:
    queries = [f"q{number}" for number in range(10)]
    bureau = make(queries=queries, study=StudyPlan(5, 5, 2), items="abc", k=1)
    crew = [bureau.judge(name) for name in ("ann", "bob", "cy", "di", "ed")]
    for member in crew:
        asked = finish(bureau, member)
        own = {task.task: task for task in bureau.projects.tasks(bureau.number, member=member.number)}
        assert {put.task for put in asked} == set(own)
        order = [(own[put.task].round, put.tool != "pairs", queries.index(put.query_id)) for put in asked]
        assert order == sorted(order)
        tools = {put.query_id: put.tool for put in asked}
        assert all(tools[put.query_id] == put.tool for put in asked)  # no query in both tools
        progress = bureau.work.next(member).progress
        assert progress.queries_done == progress.queries == len(own) == len(tools)


def test_a_model_gets_its_own_tasks_only(make: Make) -> None:
    bureau = make()
    model = bureau.projects.add_model(bureau.number, "model", MODEL)
    asked = finish(bureau, model)
    assert all(task.is_finished == (task.member == model.number) for task in bureau.projects.tasks(bureau.number))
    assert {event.role for put in asked for event in bureau.store.events(put.task)} == {"model"}
    assert bureau.work.next(bureau.judge("ann")).progress.queries == 2


# ---- desks ----


def test_a_second_tab_is_told_and_may_take_over(make: Make, clock: Ticking) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann, desk="one"))
    with pytest.raises(Elsewhere, match="another tab"):
        bureau.work.next(ann, desk="two")
    assert question(bureau.work.next(ann, desk="")) == put  # a program minds nobody
    assert question(bureau.work.next(ann, desk="two", take=True)) == put
    with pytest.raises(Elsewhere, match="another tab"):
        bureau.work.next(ann, desk="one")
    for action in (bureau.work.undo, bureau.work.redo):
        with pytest.raises(Elsewhere, match="another tab"):
            action(ann, key="k", desk="one")
    clock.pass_by(46)
    assert question(bureau.work.next(ann, desk="one")) == put  # nothing was heard of the other for a while


def test_what_is_said_in_a_tab_that_was_left_is_recorded_once_and_then_refused(make: Make) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann, desk="one"))
    bureau.work.next(ann, desk="two", take=True)
    for _ in range(2):
        with pytest.raises(Elsewhere):
            bureau.work.answer(ann, put.task, put.token, "left", desk="one")
    assert [event.answer for event in bureau.store.events(put.task)] == ["left"]
    assert question(bureau.work.next(ann, desk="two")).token != put.token
    assert question(bureau.work.answer(ann, put.task, put.token, "left", desk="two")).token != put.token


def test_a_desk_stays_in_use_while_its_member_answers(make: Make, clock: Ticking) -> None:
    bureau = make(items="abcdefgh")
    ann = bureau.judge("ann")
    offer = bureau.work.next(ann, desk="one")
    for _ in range(4):
        clock.pass_by(30)
        put = question(offer)
        offer = bureau.work.answer(ann, put.task, put.token, best(put), desk="one")
    with pytest.raises(Elsewhere):
        bureau.work.next(ann, desk="two")


def test_a_tab_that_is_closed_leaves_its_desk_and_its_question(make: Make) -> None:
    bureau = make(queries=["q1"], items="ab", k=1)
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    put = question(bureau.work.next(ann, desk="one"))
    assert bureau.work.next(bob).status == "wait"  # ann is at the only question
    bureau.work.release(ann, "an old tab")
    assert bureau.work.next(bob).status == "wait"
    bureau.work.release(ann, "one")
    assert bureau.work.next(bob).status == "question"
    assert bureau.work.next(ann, desk="two").status == "wait"
    bureau.work.answer(ann, put.task, put.token, "left", desk="two")  # what she says nevertheless is taken
    assert bureau.store.info(put.task).is_finished


def test_the_desk_is_not_written_with_every_answer(make: Make, clock: Ticking) -> None:
    bureau = make(items="abcdefgh")
    ann = bureau.judge("ann")
    bureau.work.next(ann, desk="one")
    noted = _desk_at(bureau)
    bureau.say(ann, desk="one")
    assert _desk_at(bureau) == noted
    clock.pass_by(16)
    bureau.say(ann, desk="one")
    assert _desk_at(bureau) > noted


def _desk_at(bureau: Bureau) -> str:
    from sqlalchemy import select

    from podium.store.project_tables import MEMBERS

    with bureau.store.database.reading() as connection:
        return str(connection.execute(select(MEMBERS.c.desk_at)).scalar_one())


# ---- undo and redo ----


def test_undo_gives_back_the_last_question_whatever_its_task(make: Make) -> None:
    bureau = make(items="abc", k=1)
    ann = bureau.judge("ann")
    asked = finish(bureau, ann)
    offers: list[Offer] = []
    for put in reversed(asked):
        offers.append(bureau.work.undo(ann, key=bureau.key()))
        again = question(offers[-1])
        assert (again.task, {again.left, again.right}) == (put.task, {put.left, put.right})
        assert again.token != put.token
    assert offers[-1].progress.done == 0
    with pytest.raises(Conflict, match="nothing to undo"):
        bureau.work.undo(ann, key=bureau.key())
    for _ in asked:
        offer = bureau.work.redo(ann, key=bureau.key())
    assert (offer.status, offer.progress.done) == ("finished", len(asked))
    with pytest.raises(Conflict, match="nothing to redo"):
        bureau.work.redo(ann, key=bureau.key())
    for query in ("q1", "q2"):
        assert bureau.store.result(bureau.task_of(query)).top == ("a",)


def test_the_same_key_undoes_once(make: Make, place: str, clock: Ticking) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    for _ in range(3):
        bureau.say(ann)
    offer = bureau.work.undo(ann, key="u")
    assert offer.progress.done == 2
    with open_store(place, clock=clock) as other:
        for work in (bureau.work, Work(other, bureau.projects)):
            assert work.undo(ann, key="u") == offer
    assert bureau.work.redo(ann, key="r").progress.done == 3
    assert bureau.work.redo(ann, key="r").progress.done == 3
    with pytest.raises(Conflict, match="was used for"):
        bureau.work.redo(ann, key="u")
    assert bureau.work.undo(ann, key="u").progress.done == 3  # that was done long ago


def test_after_something_else_was_said_there_is_nothing_to_redo(make: Make) -> None:
    bureau = make(items="ab", k=1)
    ann = bureau.judge("ann")
    bureau.say(ann)  # q1 is finished
    put = question(bureau.work.next(ann))
    assert put.query_id == "q2"
    bureau.work.undo(ann, key="u")
    bureau.work.answer(ann, put.task, put.token, "left")  # an answer from before, which was under way
    with pytest.raises(Conflict, match="nothing to redo"):
        bureau.work.redo(ann, key="r")


def test_undo_takes_back_what_is_the_members_own_only(make: Make) -> None:
    bureau = make(queries=["q1"], items="abcdefgh")
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    bureau.say(ann)
    bureau.say(bob)
    bureau.work.undo(ann, key="u")
    assert [event.assessor for event in bureau.store.task(bureau.task_of("q1")).judgments] == ["bob"]
    with pytest.raises(Conflict, match="nothing to undo"):
        bureau.work.undo(ann, key="v")


def test_a_skip_is_taken_back_too(make: Make) -> None:
    bureau = make(queries=["q1"], items="abcdefgh", strategy="tournament")
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    other = question(bureau.work.skip(ann, put.task, put.token))
    assert {other.left, other.right} != {put.left, put.right}
    again = question(bureau.work.undo(ann, key="u"))
    assert {again.left, again.right} == {put.left, put.right}


def test_undo_takes_back_the_last_answer_even_if_the_clock_was_set_back(make: Make, clock: Ticking) -> None:
    bureau = make(items="abc", k=1)
    ann = bureau.judge("ann")
    while question(bureau.say(ann)).query_id == "q1":
        pass
    clock.pass_by(-60)
    last = question(bureau.work.next(ann))
    bureau.say(ann)
    again = question(bureau.work.undo(ann, key="u"))
    assert (again.query_id, {again.left, again.right}) == ("q2", {last.left, last.right})


def test_what_the_lead_corrected_cannot_be_taken_back(make: Make) -> None:
    bureau = make(queries=["q1"], items="abcdef")
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    bureau.say(ann)
    bureau.review.correct(bureau.number, put.task, 1, "tie", by="lead")
    with pytest.raises(Conflict, match="was corrected by lead"):
        bureau.work.undo(ann, key="u")
    assert bureau.store.info(put.task).events == 2
    assert bureau.review.judgment(bureau.number, put.task, 1).judgment.stands == "tie"


def test_undo_leaves_the_members_own_corrections_alone(make: Make) -> None:
    bureau = make(queries=["q1"], items="abcdef")
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    bureau.say(bob)
    bureau.say(ann)
    bureau.review.correct(bureau.number, bureau.task_of("q1"), 1, "tie", by="ann")
    bureau.work.undo(ann, key="u")
    assert [event.answer for event in bureau.store.task(bureau.task_of("q1")).judgments] == ["tie"]
    with pytest.raises(Conflict, match="nothing to undo"):
        bureau.work.undo(ann, key="v")


def test_who_skips_all_of_a_query_comes_to_the_next_and_then_back(make: Make) -> None:
    bureau = make(queries=["q1", "q2", "q3"], items="ab", k=1)
    ann = bureau.judge("ann")
    seen, offer = [], bureau.work.next(ann)
    for _ in range(7):
        put = question(offer)
        assert question(bureau.work.next(ann)) == put
        seen.append(put.query_id)
        offer = bureau.work.skip(ann, put.task, put.token)
    assert seen == ["q1", "q2", "q3", "q1", "q2", "q3", "q1"]


def test_a_query_that_has_nothing_for_a_member_is_not_written_to(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bureau = make(queries=[f"q{number}" for number in range(6)], items="ab", k=1, overlap=2, overlap_by="votes")
    ann, bob = bureau.judge("ann"), bureau.judge("bob")
    while bureau.work.next(ann).question is not None:
        bureau.say(ann)
    looked: list[int] = []
    look, ask = bureau.store.look, bureau.store.ask
    monkeypatch.setattr(bureau.store, "look", lambda number, *rest, **more: (looked.append(number), look(number, *rest, **more))[1])
    monkeypatch.setattr(bureau.store, "ask", lambda number, *rest, **more: (looked.append(-number), ask(number, *rest, **more))[1])
    assert bureau.work.next(ann).status == "wait"
    assert looked == []
    bureau.say(bob)
    assert bureau.work.next(ann).status == "wait"


# ---- looking ahead ----


def test_what_comes_after_each_answer_is_known_before(make: Make) -> None:
    bureau = make(queries=["q1"], items="abcdef", strategy="adaptive")
    ann = bureau.judge("ann")
    offer = bureau.work.next(ann)
    for answer in ("left", "tie", "bad", "right"):
        put = question(offer)
        ahead = bureau.work.ahead(ann, put.task, put.token)
        assert tuple(ahead) == put.answers
        offer = bureau.work.answer(ann, put.task, put.token, answer)
        then, expected = offer.question, ahead[answer]
        if then is None or expected is None:
            assert then is expected is None
            break
        assert expected.token == ""
        assert (expected.task, expected.query, expected.left, expected.right) == (then.task, then.query, then.left, then.right)
    assert bureau.work.ahead(ann, put.task, put.token) == {}  # it is answered
    assert bureau.work.ahead(ann, put.task, "no token") == {}


def test_of_a_strategy_that_weighs_all_anew_nothing_is_known_before(make: Make) -> None:
    bureau = make(queries=["q1"], strategy="active", options={"budget": 5})
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    assert bureau.work.ahead(ann, put.task, put.token) == {}
