"""Looking through judgments and correcting them; on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.projects.working import Bureau, Ticking, best, finish, question

from podium.errors import DataError
from podium.projects.facts import Conflict
from podium.store import open_store

Make = Callable[..., Bureau]


@pytest.fixture
def make(place: str) -> Iterator[Make]:
    with open_store(place, clock=Ticking()) as store:
        yield lambda **settings: Bureau(store, **settings)


@pytest.fixture
def judged(make: Make) -> Bureau:
    """Two copies of two queries, judged by ann and bob; another project beside it."""
    other = make(queries=["q1"])
    finish(other, other.judge("ann"))
    bureau = make(overlap=2)
    for name in ("ann", "bob"):
        finish(bureau, bureau.judge(name))
    return bureau


def answers_of(bureau: Bureau) -> list[tuple[str, int, int]]:
    """Every answer of the project, newest first, read the plain way."""
    found = []
    for task in bureau.projects.tasks(bureau.number):
        for number, event in enumerate(bureau.store.events(task.task), start=1):
            if event.action == "answer":
                found.append((event.at, task.task, number))
    return sorted(found, reverse=True)


def test_judgments_come_newest_first_in_pages_that_miss_and_repeat_nothing(judged: Bureau) -> None:
    expected = answers_of(judged)
    seen = []
    for page in range(1, 100):
        found = judged.review.judgments(judged.number, page=page, most=4)
        assert found.total == len(expected)
        seen += [(row.at, row.task, row.event) for row in found.rows]
        if len(found.rows) < 4:
            break
    assert seen == expected
    assert judged.review.judgments(judged.number, page=100).rows == []


def test_a_judgment_says_what_was_said_and_what_counts(judged: Bureau) -> None:
    (row, *_) = judged.review.judgments(judged.number).rows
    event = judged.store.events(row.task)[row.event - 1]
    assert (row.left, row.right, row.answer, row.assessor, row.role) == (event.left, event.right, event.answer, event.assessor, "person")
    assert (row.stands, row.corrected_by, row.tool, row.query_id) == (event.answer, None, "pairs", "q2")


def test_filters_narrow_what_is_shown(judged: Bureau) -> None:
    every = judged.review.judgments(judged.number, most=500).rows
    target = every[3]
    other = "tie"
    judged.review.correct(judged.number, target.task, target.event, other, by="lead")
    for filters, fits in (
        ({"query_id": "q1"}, lambda row: row.query_id == "q1"),
        ({"assessor": "bob"}, lambda row: row.assessor == "bob"),
        ({"tool": "grades"}, lambda row: False),
        ({"tool": "pairs"}, lambda row: True),
        ({"answer": "left"}, lambda row: row.answer == "left"),  # as it was said
        ({"is_corrected": True}, lambda row: (row.task, row.event) == (target.task, target.event)),
        ({"is_corrected": False}, lambda row: (row.task, row.event) != (target.task, target.event)),
        ({"query_id": "q2", "assessor": "ann"}, lambda row: (row.query_id, row.assessor) == ("q2", "ann")),
        ({"assessor": "nobody"}, lambda row: False),
        ({"query_id": "q1' OR 1=1 --"}, lambda row: False),
    ):  # fmt: skip
        found = judged.review.judgments(judged.number, most=500, **filters)  # type: ignore[arg-type]
        expected = [(row.task, row.event) for row in every if fits(row)]
        assert [(row.task, row.event) for row in found.rows] == expected, filters
        assert found.total == len(expected)


@pytest.mark.parametrize(
    "wrong", [{"page": 0}, {"page": -1}, {"most": 0}, {"most": 501}, {"page": True}, {"assessor": "a\0"}, {"page": 2**31}]
)
def test_what_cannot_be_asked_for_is_refused(judged: Bureau, wrong: dict[str, object]) -> None:
    with pytest.raises(DataError):
        judged.review.judgments(judged.number, **wrong)  # type: ignore[arg-type]


def test_a_correction_is_appended_and_shown_with_its_history(make: Make) -> None:
    bureau = make(queries=["q1"])
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    bureau.work.answer(ann, put.task, put.token, best(put), seconds=0.5)
    detail = bureau.review.judgment(bureau.number, put.task, 1)
    assert (detail.query, detail.description, detail.left, detail.right) == (put.query, put.description, put.left, put.right)
    assert detail.answers == ("left", "right", "tie")
    assert [(entry.event, entry.action, entry.answer, entry.assessor) for entry in detail.history] == [(1, "answer", best(put), "ann")]
    bureau.say(ann)
    detail = bureau.review.correct(bureau.number, put.task, 1, "tie", by="lead", key="k")
    assert (detail.judgment.answer, detail.judgment.stands, detail.judgment.corrected_by) == (best(put), "tie", "lead")
    assert detail.judgment.seconds == 0.5
    assert bureau.review.correct(bureau.number, put.task, 1, "tie", by="lead", key="k") == detail  # sent again
    assert bureau.store.info(put.task).events == 3
    detail = bureau.review.correct(bureau.number, put.task, 1, "left", by="boss")
    assert (detail.judgment.stands, detail.judgment.corrected_by) == ("left", "boss")
    bureau.store.undo(put.task, assessor="boss")
    detail = bureau.review.judgment(bureau.number, put.task, 1)
    assert (detail.judgment.stands, detail.judgment.corrected_by) == ("tie", "lead")
    said = [(entry.event, entry.action, entry.answer, entry.assessor) for entry in detail.history]
    assert said == [
        (1, "answer", best(put), "ann"),
        (3, "correct", "tie", "lead"),
        (4, "correct", "left", "boss"),
        (5, "undo", None, "boss"),
    ]
    assert bureau.review.judgments(bureau.number, is_corrected=True).total == 1
    bureau.store.undo(put.task, assessor="lead")
    assert bureau.review.judgments(bureau.number, is_corrected=True).total == 0
    bureau.store.redo(put.task, assessor="lead")
    assert bureau.review.judgments(bureau.number, is_corrected=True).total == 1


def test_what_was_taken_back_is_shown_as_such_and_cannot_be_corrected(make: Make) -> None:
    bureau = make()
    ann = bureau.judge("ann")
    put = question(bureau.work.next(ann))
    bureau.say(ann)
    bureau.work.undo(ann, key="u")
    (row,) = bureau.review.judgments(bureau.number).rows
    assert (row.answer, row.stands, row.corrected_by) == (best(put), None, None)
    assert [entry.action for entry in bureau.review.judgment(bureau.number, put.task, 1).history] == ["answer", "undo"]
    with pytest.raises(DataError, match="no answer that stands"):
        bureau.review.correct(bureau.number, put.task, 1, "tie", by="lead")


def test_a_correction_gives_its_assessor_the_questions_that_follow(make: Make) -> None:
    bureau = make(queries=["q1"], items="xyz", strategy="insertion")
    ann = bureau.judge("ann")
    finish(bureau, ann)
    task = bureau.task_of("q1")
    top = bureau.store.result(task).top
    assert top == ("x", "y")
    for row in bureau.review.judgments(bureau.number).rows:
        better = "left" if row.answer == "right" else "right"
        bureau.review.correct(bureau.number, task, row.event, better, by="lead")
    while (put := bureau.work.next(ann).question) is not None:
        assert put.right is not None
        bureau.work.answer(ann, task, put.token, "left" if put.left.id > put.right.id else "right")
    assert bureau.store.result(task).top == ("z", "y")


def test_only_judgments_of_the_project_can_be_seen_and_corrected(judged: Bureau) -> None:
    other = judged.projects.tasks(1)[0].task
    assert other not in {task.task for task in judged.projects.tasks(judged.number)}
    for task, event in ((other, 1), (999, 1), (judged.task_of("q1"), 999), (judged.task_of("q1"), 0), (2**40, 1), ("1", 1), (True, 1)):
        with pytest.raises(DataError, match="has no judgment"):
            judged.review.judgment(judged.number, task, event)  # type: ignore[arg-type]
        with pytest.raises(DataError, match="has no judgment"):
            judged.review.correct(judged.number, task, event, "tie", by="lead")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="say one of left, right, tie"):
        judged.review.correct(judged.number, judged.task_of("q1"), 1, "bad", by="lead")
    judged.review.correct(judged.number, judged.task_of("q1"), 1, "tie", by="lead", key="k")
    with pytest.raises(Conflict, match="was used to"):
        judged.review.correct(judged.number, judged.task_of("q1"), 1, "left", by="lead", key="k")
