"""Projects: made whole or not at all as far as anyone can see, healed after a crash, changed by rules."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podium.errors import DataError, UnknownName
from podium.pool import Document, Pool
from podium.projects.facts import Conflict, Project, ProjectSettings, StudyPlan
from podium.projects.people import People
from podium.projects.projects import Projects
from podium.store import Store, open_store

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}

STUDY = ProjectSettings(k=2, study=StudyPlan(assessors=4, folds=4, rounds=2))


def pool(query_id: str, documents: int = 3, **more: Any) -> Pool:
    return Pool(
        query_id, f"what about {query_id}", tuple(Document(f"d{number}", text=f"text {number}") for number in range(documents)), **more
    )


def pools(count: int) -> list[Pool]:
    return [pool(f"q{number}") for number in range(count)]


@pytest.fixture
def projects(store: Store) -> Projects:
    return Projects(store)


class Crash(Exception):
    """Instead of kill −9."""


def crash_after(monkeypatch: pytest.MonkeyPatch, tasks: int) -> None:
    """Let the store make so many tasks, and no more."""
    add, left = Store.add, itertools.count(tasks, -1)

    def add_or_crash(self: Store, *args: Any, **options: Any) -> int:
        if next(left) <= 0:
            raise Crash
        return add(self, *args, **options)

    monkeypatch.setattr(Store, "add", add_or_crash)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What the acts return or raise, all begun at the same moment."""
    barrier, results = threading.Barrier(len(acts)), [None] * len(acts)

    def run(place: int) -> None:
        barrier.wait()
        try:
            results[place] = acts[place]()
        except Exception as error:
            results[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# ---- making ----


def test_a_project_has_one_shared_task_a_query_that_is_named_after_it(store: Store, projects: Projects) -> None:
    project = projects.create("Wings", ProjectSettings(k=2, strategy="heap"), pools(2))
    assert (project.state, project.n_queries, project.settings.strategy) == ("open", 2, "heap")
    tasks = projects.tasks(project.number)
    assert [(task.query_id, task.tool, task.copy, task.is_shared, task.member) for task in tasks] == [
        ("q0", "pairs", 1, True, None),
        ("q1", "pairs", 1, True, None),
    ]
    assert [store.info(task.task).name for task in tasks] == [f"{project.number}/pairs/q0/1", f"{project.number}/pairs/q1/1"]
    assert (tasks[0].documents, tasks[0].judgments, tasks[0].is_finished) == (3, 0, False)
    assert projects.get(project.number) == project == projects.find("wINGS")
    assert projects.pool(project.number, "q1") == pool("q1")


def test_copies_take_pairs_in_one_order_on_sides_of_their_own_and_grades_in_orders_of_their_own(store: Store, projects: Projects) -> None:
    number = projects.create("three", ProjectSettings(k=2, overlap=3, strategy="heap"), [pool("q", 12)]).number
    tasks = projects.tasks(number)
    assert [(task.copy, task.is_shared) for task in tasks] == [(1, False), (2, False), (3, False)]
    assert len({store.task(task.task).order for task in tasks}) == 1
    assert len({store.settings(task.task)["sides"] for task in tasks}) == 3
    grades = projects.create("grades", ProjectSettings(tool="grades", overlap=3), [pool("q", 12)]).number
    assert len({store.task(task.task).order for task in projects.tasks(grades)}) == 3
    other = projects.create("other seed", ProjectSettings(k=2, overlap=3, seed=1, strategy="heap"), [pool("q", 12)]).number
    settings = [store.settings(task.task) for task in [*tasks, *projects.tasks(other)]]
    assert len({each["seed"] for each in settings}) == 2
    assert len({each["sides"] for each in settings}) == 6


def test_the_same_project_in_another_store_asks_the_same_unless_the_seed_differs(new_place: Callable[[str], str]) -> None:
    orders = []
    for seed in (5, 5, 6):
        with open_store(new_place("sqlite")) as store:
            number = Projects(store).create("same", ProjectSettings(seed=seed, overlap=2), [pool("q", 12)]).number
            orders.append([store.task(task.task).order for task in Projects(store).tasks(number)])
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_votes_are_one_task_whose_questions_are_put_to_several(store: Store, projects: Projects) -> None:
    number = projects.create("votes", ProjectSettings(overlap=3, overlap_by="votes"), pools(1)).number
    (task,) = projects.tasks(number)
    assert task.is_shared
    assert store.settings(task.task)["repeats"] == 3


def test_the_tool_grades_asks_for_the_grades_of_the_project(store: Store, projects: Projects) -> None:
    number = projects.create("grades", ProjectSettings(tool="grades", grades=("no", "yes")), pools(1)).number
    (task,) = projects.tasks(number)
    assert (task.tool, store.info(task.task).strategy, store.settings(task.task)["grades"]) == ("grades", "graded", ["no", "yes"])


def test_a_pool_in_an_order_worth_trusting_gives_it_as_the_prior(store: Store, projects: Projects) -> None:
    number = projects.create("prior", ProjectSettings(), [pool("q", has_prior=True)]).number
    assert store.settings(projects.tasks(number)[0].task)["prior"] == ["d0", "d1", "d2"]


WRONG: list[tuple[str, ProjectSettings, Sequence[Pool], str]] = [
    (" ", ProjectSettings(), [], "name of a project must have 1 to 120 characters"),
    ("x" * 121, ProjectSettings(), [], "name of a project must have 1 to 120 characters"),
    ("a\x07b", ProjectSettings(), [], "none of them a control character"),
    ("x", ProjectSettings(strategy="quick"), [], "unknown strategy 'quick'"),
    ("x", ProjectSettings(strategy="heap", options={"budget": 5}), [], "unknown option of heap 'budget'"),
    ("x", ProjectSettings(options={"k": 5}), [], "unknown option of adaptive 'k'"),
    ("x", ProjectSettings(strategy="active", options={"budget": 0}), [], "budget must be a whole number of 1 or more"),
    ("x", ProjectSettings(strategy="active", overlap=2, overlap_by="votes"), [], "active asks again where it pays"),
    ("x", ProjectSettings(strategy="graded"), [], "choose the tool grades"),
    ("x", ProjectSettings(tool="grades", options={"stop_after": 3}), [], "leave them out"),
    ("x", ProjectSettings(overlap=101), [], "overlap must be at most 100"),
    ("x", ProjectSettings(grades=("a", "a")), [], "different names"),
    ("x", ProjectSettings(study=StudyPlan(3, 6, 1)), [], "1 round over 6 folds would leave queries that nobody judges"),
    ("x", ProjectSettings(study=StudyPlan(4, 4, 2), overlap=2), [], "leave overlap at 1"),
    ("x", STUDY, [pool("q1"), pool("q2")], "2 queries cannot fill 4 folds"),
    ("x", ProjectSettings(), [pool("q"), pool("q", 4)], "given twice, with other documents"),
    ("x", ProjectSettings(), [pool("q", 0)], "has no documents"),
    ("x", ProjectSettings(), [pool("")], "query id must not be empty"),
    ("x", ProjectSettings(), [pool("q" * 401)], "at most 400 characters"),
    ("x", ProjectSettings(), [pool("q\0")], "NUL"),
    ("x", ProjectSettings(), [Pool("q", "?", (Document(""),))], "items must be ids"),
    ("x", ProjectSettings(), [Pool("q", "?", (Document("d", text="\ud800"),))], "half of one"),
]


@pytest.mark.parametrize(("name", "how", "what", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_what_cannot_be_is_refused_before_anything_is_written(
    store: Store, projects: Projects, name: str, how: ProjectSettings, what: Sequence[Pool], message: str
) -> None:
    with pytest.raises((DataError, UnknownName), match=message):
        projects.create(name, how, what)
    assert projects.all(with_archived=True) == []
    assert store.tasks() == []


def test_a_name_is_taken_whatever_its_case(projects: Projects) -> None:
    projects.create("Größe", ProjectSettings())
    with pytest.raises(Conflict, match="there is a project 'Größe' already"):
        projects.create(" GRÖSSE ", ProjectSettings())
    other = projects.create("other", ProjectSettings()).number
    with pytest.raises(Conflict, match="there is a project 'Größe' already"):
        projects.update(other, name="größe")
    assert projects.update(other, name="OTHER").name == "OTHER"  # its own name is not another's


def test_of_many_who_make_the_same_project_at_once_one_does(place: str) -> None:
    open_store(place).close()
    stores = [open_store(place) for _ in range(4)]
    names = ["same", "Same", "SAME", "same"]
    made = at_once(
        *(lambda store=store, name=name: Projects(store).create(name, STUDY, pools(4)) for store, name in zip(stores, names, strict=True))
    )
    assert Counter(type(one).__name__ for one in made) == {"Project": 1, "Conflict": 3}
    (project,) = Projects(stores[0]).all()
    assert len(Projects(stores[0]).tasks(project.number)) == 4 * 2 * 2  # queries, tools, rounds
    for store in stores:
        store.close()


def test_many_who_add_the_same_queries_at_once_add_them_once(place: str) -> None:
    with open_store(place) as one, open_store(place) as two:
        number = Projects(one).create("p", ProjectSettings(overlap=2)).number
        added = at_once(lambda: Projects(one).add_queries(number, pools(5)), lambda: Projects(two).add_queries(number, pools(6)))
        assert sum(added) == 6
        tasks = Projects(one).tasks(number)
        assert sorted((task.query_id, task.copy) for task in tasks) == [(f"q{number}", copy) for number in range(6) for copy in (1, 2)]


# ---- crashes ----


@pytest.mark.parametrize("made", [0, 1, 7, 15])
def test_a_study_whose_making_was_cut_short_is_closed_and_completed_by_the_same_queries(
    projects: Projects, monkeypatch: pytest.MonkeyPatch, made: int
) -> None:
    with monkeypatch.context() as patch:
        crash_after(patch, made)
        with pytest.raises(Crash):
            projects.create("cut", STUDY, pools(4))
    project = projects.all()[0]
    assert (project.state, project.n_queries, projects.tasks(project.number)) == ("closed", 4, [])
    assert projects.add_queries(project.number, pools(4)) == 0
    assert projects.get(project.number).state == "open"
    check_study(projects, projects.get(project.number))


def test_killed_between_the_last_task_and_its_listing_nothing_is_half_there(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = itertools.count(1)
    import podium.projects.projects as module

    row_of = module._row_of

    def crash(task: Any) -> dict[str, Any]:
        if next(listed) == 9:
            raise Crash
        return row_of(task)

    with monkeypatch.context() as patch:
        patch.setattr(module, "_row_of", crash)
        with pytest.raises(Crash):
            projects.create("cut", STUDY, pools(4))
    number = projects.all()[0].number
    assert (projects.get(number).state, projects.tasks(number)) == ("closed", [])
    assert projects.set_state(number, "open").state == "open"  # opening heals too
    check_study(projects, projects.get(number))


def test_a_half_made_project_keeps_the_settings_of_the_tasks_it_has(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        crash_after(patch, 1)
        with pytest.raises(Crash):
            projects.create("cut", ProjectSettings(k=2), pools(3))
    number = projects.all()[0].number
    with pytest.raises(DataError, match="k cannot be changed once there are tasks"):
        projects.update(number, k=3)
    assert projects.update(number, instructions="read").settings.instructions == "read"
    assert len(projects.tasks(number)) == 3


def test_adding_queries_that_was_cut_short_is_completed_by_adding_them_again(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    number = projects.create("cut", ProjectSettings(overlap=2), pools(2)).number
    with monkeypatch.context() as patch:
        crash_after(patch, 1)
        with pytest.raises(Crash):
            projects.add_queries(number, pools(4))
    assert len(projects.tasks(number)) == 2 * 2
    assert projects.add_queries(number, pools(4)) == 0
    assert len(projects.tasks(number)) == 4 * 2


def test_a_model_whose_adding_was_cut_short_gets_its_tasks_when_it_is_added_again(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = projects.create("cut", ProjectSettings(), pools(3)).number
    with monkeypatch.context() as patch:
        crash_after(patch, 1)
        with pytest.raises(Crash):
            projects.add_model(number, "gpt", MODEL)
    member = projects.add_model(number, "gpt", MODEL)
    assert [task.query_id for task in projects.tasks(number, member=member.number)] == ["q0", "q1", "q2"]


# ---- studies ----


def check_study(projects: Projects, project: Project) -> None:
    """By the definition of SPEC §5: in round r, seat i has fold i + 2r in pairs and fold i + 2r + 1 in grades; groups of seats repeat."""
    plan = project.settings.study
    assert plan is not None
    tasks = projects.tasks(project.number)
    fold_of = {task.query_id: task.fold for task in tasks}
    assert set(fold_of) == set(projects.queries(project.number))
    assert all(fold_of[task.query_id] == task.fold for task in tasks)
    sizes = Counter(fold_of.values())
    assert set(sizes) == set(range(1, plan.folds + 1))
    assert max(sizes.values()) - min(sizes.values()) <= 1
    seats = {member.number: member.seat for member in projects.members(project.number)}
    assert sorted(seat for seat in seats.values() if seat) == list(range(1, plan.assessors + 1))
    expected = Counter(
        (seat, query, tool, turn + 1)
        for seat in range(1, plan.assessors + 1)
        for turn in range(plan.rounds)
        for step, tool in enumerate(["pairs", "grades"])
        for query, fold in fold_of.items()
        if (seat - 1 + 2 * turn + step) % plan.folds + 1 == fold
    )
    assert Counter((seats[task.member or 0], task.query_id, task.tool, task.round) for task in tasks) == expected
    assert not any(task.is_shared for task in tasks)
    seen = Counter((task.member, task.query_id) for task in tasks)
    assert set(seen.values()) == {1}  # nobody has a query in both tools, or twice


@pytest.mark.parametrize("plan", [StudyPlan(2, 2, 1), StudyPlan(5, 5, 2), StudyPlan(6, 3, 1)])
def test_a_study_gives_every_seat_exactly_its_tasks(projects: Projects, plan: StudyPlan) -> None:
    project = projects.create("study", ProjectSettings(study=plan), pools(plan.folds + 1))
    assert project.state == "open"
    check_study(projects, project)


@st.composite
def plans(draw: st.DrawFn) -> tuple[StudyPlan, int]:
    folds = draw(st.integers(2, 6))
    plan = StudyPlan(folds * draw(st.integers(1, 2)), folds, draw(st.integers(1, folds // 2)))
    return plan, draw(st.integers(folds, folds + 3))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(study=plans(), seed=st.integers(0, 100))
def test_any_legal_study_gives_every_seat_exactly_its_tasks(tmp_path: Path, study: tuple[StudyPlan, int], seed: int) -> None:
    plan, queries = study
    with open_store(tmp_path / "studies.db") as store:
        projects = Projects(store)
        name = f"study {len(projects.all())}"
        check_study(projects, projects.create(name, ProjectSettings(study=plan, seed=seed), pools(queries)))


def test_a_study_without_queries_is_closed_until_it_has_them_all(projects: Projects) -> None:
    number = projects.create("later", STUDY).number
    assert projects.get(number).state == "closed"
    assert [member.seat for member in projects.members(number)] == [1, 2, 3, 4]
    assert all((member.name, member.person, member.role) == ("", None, "judge") for member in projects.members(number))
    with pytest.raises(DataError, match="before it has queries"):
        projects.set_state(number, "open")
    with pytest.raises(DataError, match="3 queries cannot fill 4 folds"):
        projects.add_queries(number, pools(3))
    assert projects.queries(number) == []
    assert projects.add_queries(number, pools(6)) == 6
    check_study(projects, projects.get(number))
    assert projects.get(number).state == "open"
    with pytest.raises(DataError, match="takes no further queries"):
        projects.add_queries(number, pools(7))
    projects.set_state(number, "closed")
    assert projects.add_queries(number, pools(6)) == 0  # nothing new, and nothing that opens it
    assert projects.get(number).state == "closed"


def test_the_plan_of_a_study_can_be_changed_until_somebody_sits(store: Store, projects: Projects) -> None:
    number = projects.create("plan", STUDY).number
    projects.update(number, study=StudyPlan(2, 2, 1))
    assert [member.seat for member in projects.members(number)] == [1, 2]
    projects.update(number, study={"assessors": 3, "folds": 3, "rounds": 1})
    projects.add_member(number, People(store).add("Ann", "judge").number, "judge")
    with pytest.raises(DataError, match="and Ann came"):
        projects.update(number, study=None)


# ---- queries ----


def test_the_same_query_again_is_nothing_new_and_with_other_documents_refused(projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(), pools(1)).number
    assert projects.add_queries(number, [*pools(3), pool("q1")]) == 2
    assert projects.queries(number) == ["q0", "q1", "q2"]
    with pytest.raises(DataError, match="has query 'q1' with other documents"):
        projects.add_queries(number, [pool("new"), pool("q1", 4)])
    assert projects.queries(number) == ["q0", "q1", "q2"]
    with pytest.raises(DataError, match="has no query 'q9'"):
        projects.pool(number, "q9")


def test_queries_that_are_added_to_a_closed_project_do_not_open_it(projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(), pools(1)).number
    projects.set_state(number, "closed")
    projects.add_queries(number, pools(2))
    assert projects.get(number).state == "closed"
    assert len(projects.tasks(number)) == 2


def test_documents_of_every_kind_are_kept_as_they_are(projects: Projects) -> None:
    documents = (
        Document("h", text="<b>x</b>", kind="html"),
        Document("i", text="a wing", kind="image", url="data:image/png;base64,AAAA"),
        Document("l", "A link", kind="link", url="https://example.org/?a=b&c"),
    )
    number = projects.create("kinds", ProjectSettings(), [Pool("ü/ %?", "q", documents, "long")]).number
    assert projects.pool(number, "ü/ %?") == Pool("ü/ %?", "q", documents, "long")


# ---- changes ----


def test_once_there_are_tasks_only_what_does_not_change_them_may_be_changed(projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(k=2)).number
    assert projects.update(number, k=3, strategy="heap", grades=["no", "yes"]).settings.k == 3
    projects.add_queries(number, pools(1))
    changed = projects.update(number, name="new", instructions="read", gold_every=5, ties=False, both_bad=False, k=3)
    assert (changed.name, changed.settings.instructions, changed.settings.gold_every) == ("new", "read", 5)
    assert (changed.settings.ties, changed.settings.both_bad) == (False, False)
    for change in ({"k": 4}, {"strategy": "adaptive"}, {"seed": 1}, {"tool": "grades"}, {"grades": ("a", "b")}, {"overlap_by": "votes"}):
        with pytest.raises(DataError, match=f"{next(iter(change))} cannot be changed once there are tasks"):
            projects.update(number, **change)
    with pytest.raises(UnknownName, match="unknown setting 'kk'"):
        projects.update(number, kk=3)
    with pytest.raises(DataError, match="'ties' must be true or false"):
        projects.update(number, ties="no")
    assert projects.get(number) == changed


def test_overlap_by_copies_may_grow_and_not_shrink(projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(overlap=2), pools(2)).number
    before = projects.tasks(number)
    assert projects.update(number, overlap=3).settings.overlap == 3
    after = projects.tasks(number)
    assert [(task.query_id, task.copy) for task in after] == [(f"q{query}", copy) for query in range(2) for copy in (1, 2, 3)]
    assert {task.task for task in before} < {task.task for task in after}
    with pytest.raises(DataError, match="overlap 3 by copies cannot become 2"):
        projects.update(number, overlap=2)


def test_overlap_by_votes_is_fixed_once_there_are_tasks(projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(overlap=2, overlap_by="votes"), pools(1)).number
    with pytest.raises(DataError, match="overlap 2 by votes cannot become 3"):
        projects.update(number, overlap=3)


def test_a_shared_task_becomes_the_copy_of_the_one_who_began_it(store: Store, projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(k=1), pools(3)).number
    people = People(store)
    ann, bob = (projects.add_member(number, people.add(name, "judge").number, "judge") for name in ("Ann", "Bob"))
    first, second, _ = projects.tasks(number)
    asked = store.ask(first.task, "Ann")
    assert asked is not None
    store.answer(first.task, asked.token, "left", assessor="Ann")
    store.ask(second.task, "Bob")  # looks at it, and has not answered yet
    projects.update(number, overlap=2)
    owners = {(task.query_id, task.copy): (task.is_shared, task.member) for task in projects.tasks(number)}
    assert owners == {
        ("q0", 1): (False, ann.number), ("q0", 2): (False, None), ("q1", 1): (False, bob.number), ("q1", 2): (False, None),
        ("q2", 1): (False, None), ("q2", 2): (False, None),
    }  # fmt: skip


def test_a_query_that_several_judged_together_cannot_be_parted(store: Store, projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(k=1), [pool("q", 6)]).number
    (task,) = projects.tasks(number)
    for name in ("Ann", "Bob"):
        asked = store.ask(task.task, name)
        assert asked is not None
        store.answer(task.task, asked.token, "left", assessor=name)
    with pytest.raises(DataError, match="Ann, Bob judge a query together"):
        projects.update(number, overlap=2)
    assert projects.get(number).settings.overlap == 1
    assert projects.tasks(number)[0].is_shared


def test_states_follow_one_another_and_archived_projects_are_left_out_of_lists(projects: Projects) -> None:
    kept, gone = projects.create("kept", ProjectSettings()), projects.create("gone", ProjectSettings(), pools(1))
    with pytest.raises(DataError, match="that is open cannot become archived; make it closed first"):
        projects.set_state(gone.number, "archived")
    assert projects.set_state(gone.number, "open").state == "open"
    assert projects.set_state(gone.number, "closed").state == "closed"
    assert projects.set_state(gone.number, "archived").state == "archived"
    assert [project.number for project in projects.all()] == [kept.number]
    assert [project.number for project in projects.all(with_archived=True)] == [kept.number, gone.number]
    with pytest.raises(DataError, match="that is archived cannot become open; make it closed first"):
        projects.set_state(gone.number, "open")
    with pytest.raises(Conflict, match="is archived"):
        projects.add_queries(gone.number, pools(2))
    with pytest.raises(Conflict, match="is archived"):
        projects.add_model(gone.number, "gpt", MODEL)
    assert projects.set_state(gone.number, "closed").state == "closed"
    with pytest.raises(UnknownName, match="unknown state of a project 'shut'"):
        projects.set_state(gone.number, "shut")


@pytest.mark.parametrize("number", [0, 99, -1, 2**31, 2**70, True, "1", None])
def test_what_is_not_there_is_said_not_to_be_there(projects: Projects, number: Any) -> None:
    projects.create("p", ProjectSettings())
    for look in (projects.get, projects.queries, projects.tasks, projects.members, lambda n: projects.set_state(n, "closed")):
        with pytest.raises(DataError, match="there is no project"):
            look(number)
    with pytest.raises(DataError, match="there is no member"):
        projects.member(number)
    with pytest.raises(DataError, match="there is no person"):
        projects.add_member(1, number, "judge")


# ---- members ----


def test_a_person_is_a_member_once_and_in_one_role(store: Store, projects: Projects) -> None:
    number, ann = projects.create("p", ProjectSettings()).number, People(store).add("Ann", "judge")
    member = projects.add_member(number, ann.number, "judge")
    assert (member.name, member.person, member.role, member.kind, member.seat, member.is_active) == (
        "Ann",
        ann.number,
        "judge",
        "person",
        None,
        True,
    )
    assert member.joined_at is not None
    assert projects.member(member.number) == member == projects.add_member(number, ann.number, "judge")
    with pytest.raises(Conflict, match="Ann is a judge of this project already"):
        projects.add_member(number, ann.number, "viewer")
    assert not projects.set_member_active(member.number, False).is_active
    assert projects.add_member(number, ann.number, "judge").is_active
    assert [one.number for one in projects.members(number)] == [member.number]
    with pytest.raises(UnknownName, match="unknown role in a project 'admin'"):
        projects.add_member(number, ann.number, "admin")


def test_whoever_was_shut_out_cannot_be_made_a_member(store: Store, projects: Projects) -> None:
    number, people = projects.create("p", ProjectSettings()).number, People(store)
    ann = people.set_active(people.add("Ann", "judge").number, False)
    with pytest.raises(DataError, match="Ann is not active"):
        projects.add_member(number, ann.number, "judge")


def test_judges_of_a_study_take_the_lowest_free_seat_until_none_is_left(store: Store, projects: Projects) -> None:
    number, people = projects.create("p", ProjectSettings(study=StudyPlan(2, 2, 1)), pools(2)).number, People(store)
    with pytest.raises(DataError, match="seat 1 is free"):
        projects.set_member_active(projects.members(number)[0].number, False)
    viewer = projects.add_member(number, people.add("Vic", "viewer").number, "viewer")
    assert viewer.seat is None
    seats = [projects.add_member(number, people.add(name, "judge").number, "judge").seat for name in ("Ann", "Bob")]
    assert seats == [1, 2]
    assert all(projects.tasks(number, member=member.number) for member in projects.members(number) if member.seat)
    with pytest.raises(Conflict, match="all seats of this study are taken"):
        projects.add_member(number, people.add("Cy", "judge").number, "judge")


def test_two_who_come_in_at_once_never_share_a_seat(place: str) -> None:
    with open_store(place) as one, open_store(place) as two:
        number, people = Projects(one).create("p", ProjectSettings(study=StudyPlan(2, 2, 1))).number, People(one)
        ann, bob = people.add("Ann", "judge").number, people.add("Bob", "judge").number
        came = at_once(
            lambda: Projects(one).add_member(number, ann, "judge"), lambda: Projects(two).add_member(number, bob, "judge"),
            lambda: Projects(two).add_member(number, ann, "judge"),
        )  # fmt: skip
        assert {member.seat for member in came} == {1, 2}
        assert sorted(member.name for member in Projects(one).members(number)) == ["Ann", "Bob"]


def test_a_model_has_a_task_of_its_own_for_every_query(store: Store, projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(overlap=2, overlap_by="votes"), pools(2)).number
    member = projects.add_model(number, "gpt", MODEL)
    assert (member.kind, member.name, member.role) == ("model", "gpt", "judge")
    assert member.settings is not None
    assert MODEL.items() <= member.settings.items()
    projects.add_queries(number, pools(3))
    own = projects.tasks(number, member=member.number)
    assert [(task.query_id, task.tool, task.is_shared) for task in own] == [(f"q{query}", "pairs", False) for query in range(3)]
    assert [store.settings(task.task)["repeats"] for task in own] == [1, 1, 1]  # a model gives one opinion
    assert len(projects.tasks(number)) == 6


def test_a_model_in_a_study_judges_pairs(projects: Projects) -> None:
    number = projects.create("p", STUDY, pools(4)).number
    member = projects.add_model(number, "gpt", MODEL)
    own = projects.tasks(number, member=member.number)
    assert [(task.query_id, task.tool) for task in own] == [(f"q{query}", "pairs") for query in range(4)]


def test_overlap_may_grow_beside_models(projects: Projects) -> None:
    number = projects.create("p", ProjectSettings(), pools(1)).number
    models = [projects.add_model(number, name, MODEL) for name in ("one", "two")]
    projects.update(number, overlap=4)
    tasks = projects.tasks(number)
    assert Counter(task.member for task in tasks) == {None: 4, models[0].number: 1, models[1].number: 1}
    assert len({task.copy for task in tasks}) == 6


def test_a_model_has_a_name_that_nobody_else_has(store: Store, projects: Projects) -> None:
    number = projects.create("p", ProjectSettings()).number
    projects.add_model(number, "gpt", MODEL)
    People(store).add("Ann", "judge")
    with pytest.raises(Conflict, match="ANN is the name of a person"):
        projects.add_model(number, "ANN", MODEL)
    for name, how in (("GPT", MODEL), ("gpt", {**MODEL, "model": "other"})):
        with pytest.raises(Conflict, match="has a member gpt already"):
            projects.add_model(number, name, how)
    with pytest.raises(DataError, match="settings of a model"):
        projects.add_model(number, "other", [])  # type: ignore[arg-type]
