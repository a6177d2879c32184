"""Gold questions: made, put among the others, answered, taken back and scored; on both databases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from tests.projects.working import Bureau, Ticking, best, finish, question

from podium.errors import DataError
from podium.projects.facts import Closed, Conflict, Member, Offer, Put, StudyPlan
from podium.projects.gold import GoldScore
from podium.projects.work import Work
from podium.store import Store, open_store

Make = Callable[..., Bureau]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def make(place: str, clock: Ticking) -> Iterator[Make]:
    with open_store(place, clock=clock) as store:
        yield lambda **settings: Bureau(store, **{"queries": ["q1", "g"], "items": "abcdefgh", "k": 3, **settings})


@pytest.fixture
def quick(new_place: Callable[[str], str], clock: Ticking) -> Iterator[Store]:
    """Where the database does not matter."""
    with open_store(new_place("sqlite"), clock=clock) as store:
        yield store


def with_gold(make: Make, *pairs: tuple[str, str, str], every: int = 2, **settings: object) -> tuple[Bureau, Member]:
    bureau = make(gold_every=every, **settings)
    for left, right, answer in pairs:
        bureau.gold.add(bureau.number, "q1", left, right, answer)
    return bureau, bureau.judge("ann")


def is_gold(bureau: Bureau, put: Put) -> bool:
    """Nothing tells a gold question but the database."""
    return put.token in {row.token for row in _rows(bureau)}


def step(bureau: Bureau, member: Member, offer: Offer, answer: str | None = None) -> Offer:
    put = question(offer)
    return bureau.work.answer(member, put.task, put.token, answer or best(put))


# ---- making ----


def test_a_gold_question_must_be_one_that_the_project_can_ask(quick: Store) -> None:
    bureau = Bureau(quick, ties=False)
    made = bureau.gold.add(bureau.number, "q1", "a", "b", "left")
    assert bureau.gold.all(bureau.number) == [made]
    assert (made.query_id, made.left, made.right, made.answer, made.is_active) == ("q1", "a", "b", "left", True)
    for query, left, right, answer, problem in (
        ("q9", "a", "b", "left", "has no query 'q9'"),
        ("q1", "a", "z", "left", "no document 'z'"),
        ("q1", "z", "b", "left", "no document 'z'"),
        ("q1", "a", "a", "left", "two different documents"),
        ("q1", "c", "d", "tie", "say one of left, right"),
        ("q1", "c", "d", "Good", "say one of left, right"),
        ("q1", "a", None, "Good", "asks for pairs"),
    ):
        with pytest.raises(DataError, match=problem):
            bureau.gold.add(bureau.number, query, left, right, answer)
    for left, right in (("a", "b"), ("b", "a")):
        with pytest.raises(Conflict, match="asks the same already"):
            bureau.gold.add(bureau.number, "q1", left, right, "right")
    with pytest.raises(DataError, match="project"):
        bureau.gold.add(999, "q1", "a", "b", "left")
    assert len(bureau.gold.all(bureau.number)) == 1


def test_a_gold_question_that_was_removed_can_be_made_anew(quick: Store) -> None:
    bureau = Bureau(quick)
    made = bureau.gold.add(bureau.number, "q1", "a", "b", "left")
    bureau.gold.remove(made.number)
    assert bureau.gold.all(bureau.number) == []
    for number in (made.number, 999, 0, 2**40, "1"):
        with pytest.raises(DataError, match="no gold question"):
            bureau.gold.remove(number)  # type: ignore[arg-type]
    assert bureau.gold.add(bureau.number, "q1", "b", "a", "tie").number != made.number


def test_of_grades_a_gold_question_names_one_document(quick: Store) -> None:
    bureau = Bureau(quick, tool="grades", grades=("no", "yes"))
    assert bureau.gold.add(bureau.number, "q1", "a", None, "yes").tool == "grades"
    for right, answer, problem in ((None, "Good", "say one of no, yes"), ("b", "left", "asks for grades")):
        with pytest.raises(DataError, match=problem):
            bureau.gold.add(bureau.number, "q1", "b" if right is None else "a", right, answer)


# ---- asking ----


def test_a_gold_question_comes_after_every_so_many_judgments_until_none_is_left(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), ("c", "d", "left"), every=2)
    offer, kinds, tasks = bureau.work.next(ann), [], set()
    while (put := question(offer)).query_id == "q1":
        kinds.append("gold" if is_gold(bureau, put) else "q1")
        tasks.add(put.task)
        assert (put.answers, put.tool) == (("left", "right", "tie"), "pairs")
        assert question(bureau.work.next(ann)) == put  # the same, under the same token
        offer = step(bureau, ann, offer)
        assert offer.progress.done == len(kinds)  # gold counts: nobody is to know it by that
    assert kinds[:6] == ["q1", "q1", "gold", "q1", "q1", "gold"]
    assert set(kinds[6:]) == {"q1"}
    assert tasks == {bureau.task_of("q1")}  # nothing tells a gold question
    assert sum(info.events for info in bureau.store.tasks()) == len(kinds) - 2  # and it is in no log


def test_without_gold_every_none_is_put(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=0, queries=["q1", "g"])
    finish(bureau, ann)
    assert _rows(bureau) == []
    assert bureau.gold.scores(bureau.number) == {}


def test_sides_are_drawn_for_each_member_and_the_answer_is_turned_when_scored(make: Make) -> None:
    pairs = [(left, right, "left") for left, right in ("ab", "cd", "ef", "gh", "ac", "bd")]
    bureau, _ = with_gold(make, *pairs, every=1, overlap=4)
    shown = set()
    for name in ("bob", "cy"):
        member = bureau.judge(name)
        for put in finish(bureau, member):
            if (
                is_gold(bureau, put)
                and put.right is not None
                and (put.left.id, put.right.id) in {p[:2] for p in pairs} | {p[1::-1] for p in pairs}
            ):
                shown.add(put.left.id < put.right.id)
    assert shown == {True, False}  # on either side
    scores = bureau.gold.scores(bureau.number)
    assert scores == {name: GoldScore(6, 6, {"left": {"left": 6}}) for name in ("bob", "cy")}  # the oracle is always right


def test_scores_tell_what_was_right_and_what_was_said(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), ("d", "c", "right"), ("e", "f", "tie"), ("h", "g", "left"), every=1)
    said: list[str] = []
    offer = bureau.work.next(ann)
    while len(said) < 4:
        put = question(offer)
        assert put.right is not None
        if not is_gold(bureau, put):
            offer = step(bureau, ann, offer)
            continue
        pair = "".join(sorted((put.left.id, put.right.id)))
        better = {"ab": "a", "cd": "=", "ef": "=", "gh": "g"}[pair]  # right, wrong, right, wrong: h was said to be better
        offer = step(bureau, ann, offer, "tie" if better == "=" else "left" if put.left.id == better else "right")
        said.append(pair)
    assert sorted(said) == ["ab", "cd", "ef", "gh"]
    expected = {"left": {"left": 1, "right": 1}, "right": {"tie": 1}, "tie": {"tie": 1}}
    assert bureau.gold.scores(bureau.number) == {"ann": GoldScore(asked=4, right=2, answers=expected)}
    bureau.gold.remove(next(gold.number for gold in bureau.gold.all(bureau.number) if gold.answer == "tie"))
    assert bureau.gold.scores(bureau.number)["ann"].asked == 3


def test_an_answer_is_recorded_once_with_times_that_can_be(make: Make, place: str, clock: Ticking) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=1)
    put = question(bureau.say(ann))
    assert is_gold(bureau, put)
    with pytest.raises(DataError, match="say one of"):
        bureau.work.answer(ann, put.task, put.token, "Good")
    clock.pass_by(5)
    offer = bureau.work.answer(ann, put.task, put.token, "left", seconds=100.0, idle=1.0)
    with open_store(place, clock=clock) as other:
        for work in (bureau.work, Work(other, bureau.projects)):
            assert work.answer(ann, put.task, put.token, "left") == offer
    for again in (lambda: bureau.work.answer(ann, put.task, put.token, "right"), lambda: bureau.work.skip(ann, put.task, put.token)):
        with pytest.raises(Conflict, match="was used to say 'left'"):
            again()
    (row,) = _rows(bureau)
    assert row.answer == "left"
    assert (row.seconds, row.idle) == (pytest.approx(5 + 2 - 1, abs=0.1), 1.0)
    bob = bureau.judge("bob")
    with pytest.raises(DataError, match="not of a question"):
        bureau.work.answer(bob, put.task, put.token, "left")


def test_a_skipped_gold_question_is_not_scored_and_not_put_again(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=1)
    put = question(bureau.say(ann))
    assert is_gold(bureau, put)
    offer = bureau.work.skip(ann, put.task, put.token)
    assert not is_gold(bureau, question(offer))
    assert bureau.work.skip(ann, put.task, put.token) == offer
    assert not is_gold(bureau, question(step(bureau, ann, offer)))
    assert bureau.gold.scores(bureau.number) == {}


def test_a_closed_project_takes_no_gold_answer_but_the_one_it_has(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), ("c", "d", "left"), every=1)
    old = question(bureau.say(ann))
    new = question(step(bureau, ann, bureau.work.answer(ann, old.task, old.token, "left")))
    assert is_gold(bureau, old)
    assert is_gold(bureau, new)
    bureau.projects.set_state(bureau.number, "closed")
    with pytest.raises(Closed):
        bureau.work.answer(ann, new.task, new.token, "left")
    assert bureau.work.answer(ann, old.task, old.token, "left").status == "finished"


def test_in_a_study_gold_fits_the_tool_and_shows_no_query_in_both(make: Make) -> None:
    queries = [f"q{number}" for number in range(4)]
    bureau = make(queries=queries, items="abcd", k=1, gold_every=1, study=StudyPlan(2, 2, 1))
    for query in queries:
        bureau.gold.add(bureau.number, query, "a", "b", "left")
        bureau.gold.add(bureau.number, query, "c", None, "Bad")
    for name in ("ann", "bob"):
        member = bureau.judge(name)
        assigned = {task.query_id: task.tool for task in bureau.projects.tasks(bureau.number, member=member.number)}
        tool_of = {task.task: task.tool for task in bureau.projects.tasks(bureau.number)}
        for put in finish(bureau, member):
            assert put.tool == tool_of[put.task]
            assert assigned.get(put.query_id, put.tool) == put.tool
        assert bureau.gold.scores(bureau.number)[name].asked > 0


# ---- taking back ----


def test_undo_puts_the_same_gold_question_again_and_redo_lets_the_answer_stand(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=1)
    first = question(bureau.work.next(ann))
    put = question(bureau.say(ann))
    assert is_gold(bureau, put)
    after = step(bureau, ann, bureau.work.next(ann))
    assert bureau.gold.scores(bureau.number)["ann"].right == 1
    for _ in range(2):  # the same key twice
        offer = bureau.work.undo(ann, key="u1")
        again = question(offer)
        assert (again.query_id, again.left, again.right, again.task) == (put.query_id, put.left, put.right, put.task)
        assert again.token != put.token
        assert offer.progress.done == 1
    assert bureau.gold.scores(bureau.number) == {}
    for _ in range(2):
        assert bureau.work.redo(ann, key="r1") == after
    assert bureau.gold.scores(bureau.number)["ann"].right == 1
    with pytest.raises(Conflict, match="answered this question already"):
        bureau.work.answer(ann, again.task, again.token, "left")
    bureau.work.undo(ann, key="u2")
    wrong = "right" if best(put) == "left" else "left"
    step(bureau, ann, bureau.work.next(ann), wrong)
    assert bureau.gold.scores(bureau.number)["ann"] == GoldScore(1, 0, {"left": {"right": 1}})
    with pytest.raises(Conflict, match="nothing to redo"):
        bureau.work.redo(ann, key="r2")
    bureau.work.undo(ann, key="u3")
    before = question(bureau.work.undo(ann, key="u4"))  # beyond the gold question: the one before it
    assert {before.left, before.right} == {first.left, first.right}
    assert is_gold(bureau, question(step(bureau, ann, bureau.work.next(ann))))  # and it is due again


def test_an_undo_before_the_gold_question_was_answered_gives_back_the_judgment(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=2)
    bureau.say(ann)
    last = question(bureau.work.next(ann))
    gold = question(bureau.say(ann))
    assert is_gold(bureau, gold)
    again = question(bureau.work.undo(ann, key="u"))
    assert {again.left, again.right} == {last.left, last.right}
    assert question(bureau.say(ann)) == gold  # due once more, and still the same


def test_around_a_gold_question_as_much_is_known_ahead_as_elsewhere(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=2)
    offer = bureau.work.next(ann)
    for place in range(5):
        put = question(offer)
        ahead = bureau.work.ahead(ann, put.task, put.token)
        assert tuple(ahead) == put.answers
        offer = step(bureau, ann, offer)
        then, said = question(offer), ahead[best(put)]
        assert is_gold(bureau, then) == (place == 1)
        assert said is not None
        assert (said.token, said.task, said.query_id, said.left, said.right) == ("", then.task, then.query_id, then.left, then.right)


def test_gold_of_another_query_comes_only_with_a_change_of_query_and_names_its_task(make: Make) -> None:
    bureau = make(gold_every=1, queries=["q1", "q2", "g"], items="abc", k=1)
    bureau.gold.add(bureau.number, "g", "a", "b", "left")
    ann = bureau.judge("ann")
    asked = finish(bureau, ann)
    queries = [put.query_id for put in asked]
    place = queries.index("g")
    assert set(queries[:place]) == {"q1"}
    assert queries[place + 1] == "q2"
    assert all(put.task == bureau.task_of(put.query_id) for put in asked)
    assert len(_rows(bureau)) == 1


def test_all_tokens_have_one_shape_and_all_refusals_one_wording(make: Make) -> None:
    bureau, ann = with_gold(make, ("a", "b", "left"), every=1)
    plain = question(bureau.work.next(ann))
    gold = question(bureau.say(ann))
    step(bureau, ann, bureau.work.next(ann), "tie")
    said = []
    for put, before in ((plain, best(plain)), (gold, "tie")):
        with pytest.raises(Conflict) as refused:
            bureau.work.answer(ann, put.task, put.token, "left" if before == "right" else "right")
        said.append(str(refused.value).replace(put.token, "").replace(repr(before), "").replace("'left'", "").replace("'right'", ""))
    assert said[0] == said[1]
    again = question(bureau.work.undo(ann, key="u"))
    assert is_gold(bureau, again)
    for token in (plain.token, gold.token, again.token):
        assert re.fullmatch(r"[A-Za-z0-9_-]{22}", token)


def _rows(bureau: Bureau) -> list:  # type: ignore[type-arg]
    from sqlalchemy import select

    from podium.store.project_tables import GOLD_ANSWERS

    with bureau.store.database.reading() as connection:
        return list(connection.execute(select(GOLD_ANSWERS)))


def test_a_project_that_is_put_away_gets_no_gold_questions(make: Make) -> None:
    bureau = make()
    for state in ("closed", "archived"):
        bureau.projects.set_state(bureau.number, state)
    with pytest.raises(Conflict, match="is archived"):
        bureau.gold.add(bureau.number, "g", "a", "b", "left")
    bureau.projects.set_state(bureau.number, "closed")
    assert bureau.gold.add(bureau.number, "g", "a", "b", "left").number == 1
