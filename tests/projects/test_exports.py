"""What a project gives as files: read back by what reads such files, and by hand."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest

from podium.errors import DataError, UnknownName
from podium.pool import Document, Pool
from podium.projects.exports import COLUMNS, EXPORTS, export, label_choices, safe_cell
from podium.projects.facts import Project, ProjectSettings, StudyPlan
from podium.projects.people import People
from podium.projects.projects import Projects
from podium.sources.pools import read_pools
from podium.sources.preferences import read_preferences
from podium.sources.trec import read_qrels
from podium.store import Store, import_log, open_store

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}

ANN, BOB = ["d0", "d1", "d2"], ["d2", "d0", "d1"]  # the two orders, best first


def pool(query_id: str) -> Pool:
    return Pool(query_id, f"what about {query_id}", tuple(Document(name, text=f"text {name}") for name in ("d0", "d1", "d2")))


@pytest.fixture
def projects(store: Store) -> Projects:
    return Projects(store)


def judge(store: Store, task: int, assessor: str, order: Sequence[str], role: str = "person") -> None:
    """Answer everything as the order has it; grades by the place: the first is Perfect, the last Good."""
    while (asked := store.ask(task, assessor)) is not None:
        left, right = asked.question.left, asked.question.right
        if right is None:
            answer = ("Perfect", "Excellent", "Good")[order.index(left)]
        else:
            answer = "left" if order.index(left) < order.index(right) else "right"
        store.answer(task, asked.token, answer, assessor=assessor, role=role, seconds=2.5)


def copies(store: Store, projects: Projects) -> Project:
    """A query with a copy of Ann's and one of Bob's, both finished."""
    from sqlalchemy import update

    from podium.store.project_tables import PROJECT_TASKS

    project = projects.create("Two copies", ProjectSettings(k=2, strategy="heap", overlap=2), [pool("q1")])
    for task, (name, order) in zip(projects.tasks(project.number), (("Ann Lee", ANN), ("Bob", BOB)), strict=True):
        member = projects.add_member(project.number, People(store).add(name, "judge").number, "judge")
        with store.database.writing() as connection:
            connection.execute(update(PROJECT_TASKS).where(PROJECT_TASKS.c.task == task.task).values(member=member.number))
        judge(store, task.task, name, order)
    return project


def lines(content: bytes) -> list[str]:
    assert content.endswith(b"\n")
    return content.decode().splitlines()


# ---- labels ----


def test_labels_of_the_top_k_go_from_k_down_and_the_rest_has_none(store: Store, projects: Projects) -> None:
    project = projects.create("Wings & Heat!", ProjectSettings(k=2, strategy="heap"), [pool("q1"), pool("q2")])
    first, second = projects.tasks(project.number)
    judge(store, first.task, "Ann", BOB)
    asked = store.ask(second.task, "Ann")
    assert asked is not None  # q2 stays unfinished, and is left out
    name, content = export(store, project, "letor")
    assert name == "wings-heat-letor.txt"
    assert lines(content) == ["2 qid:q1 #docid = d2", "1 qid:q1 #docid = d0", "0 qid:q1 #docid = d1"]
    assert lines(export(store, project, "qrels")[1]) == ["q1 0 d2 2", "q1 0 d0 1", "q1 0 d1 0"]
    assert lines(export(store, project, "qrels", of="shared")[1]) == ["q1 0 d2 2", "q1 0 d0 1", "q1 0 d1 0"]
    assert lines(export(store, project, "prefs")[1]) == ["q1 podium 1 d2 3", "q1 podium 1 d0 2", "q1 podium 1 d1 1"]


def test_tied_documents_of_the_top_share_a_label_if_that_is_wanted(store: Store, projects: Projects) -> None:
    project = projects.create("ties", ProjectSettings(k=2, strategy="heap"), [Pool("q", "?", pool("q").documents[:2])])
    (task,) = projects.tasks(project.number)
    asked = store.ask(task.task, "Ann")
    assert asked is not None
    store.answer(task.task, asked.token, "tie", assessor="Ann")
    assert sorted(line.split()[-1] for line in lines(export(store, project, "qrels")[1])) == ["1", "2"]
    assert [line.split()[-1] for line in lines(export(store, project, "qrels", ties="equal")[1])] == ["2", "2"]
    with pytest.raises(UnknownName, match="unknown way with ties 'drop'"):
        export(store, project, "qrels", ties="drop")


def test_several_copies_need_a_choice_which_is_named(store: Store, projects: Projects) -> None:
    project = copies(store, projects)
    assert label_choices(store, project) == ["Ann Lee", "Bob", "all"]
    with pytest.raises(DataError, match=r"several finished tasks.* one of: Ann Lee, Bob, all$"):
        export(store, project, "qrels")
    assert lines(export(store, project, "qrels", of="Bob")[1]) == ["q1 0 d2 2", "q1 0 d0 1", "q1 0 d1 0"]
    assert lines(export(store, project, "letor", of="Ann Lee")[1])[0] == "2 qid:q1 #docid = d0"
    with pytest.raises(UnknownName, match=r"unknown choice of labels \(of\) 'Cy'; choose from Ann Lee, Bob, all"):
        export(store, project, "qrels", of="Cy")


def test_all_copies_together_give_the_mean_of_the_labels(store: Store, projects: Projects, tmp_path: Path) -> None:
    project = copies(store, projects)
    path = tmp_path / "qrels.txt"
    path.write_bytes(export(store, project, "qrels", of="all")[1])
    assert read_qrels(path).labels == {"q1": {"d0": (2 + 1) / 2, "d2": (0 + 2) / 2, "d1": (1 + 0) / 2}}
    assert [line.split()[2] for line in lines(path.read_bytes())] == ["d0", "d2", "d1"]  # best first


def test_preferences_have_a_judgment_group_an_assessor(store: Store, projects: Projects, tmp_path: Path) -> None:
    project = copies(store, projects)
    path = tmp_path / "prefs.txt"
    path.write_bytes(export(store, project, "prefs")[1])
    assert read_preferences(path).levels == {
        "q1": {"Ann%20Lee": {"1": {"d0": 3.0, "d1": 2.0, "d2": 1.0}}, "Bob": {"1": {"d2": 3.0, "d0": 2.0, "d1": 1.0}}}
    }
    assert {line.split()[1] for line in lines(export(store, project, "prefs", of="Bob")[1])} == {"Bob"}


def test_a_model_is_never_mixed_with_people(store: Store, projects: Projects) -> None:
    project = copies(store, projects)
    model = projects.add_model(project.number, "gpt", MODEL)
    (own,) = projects.tasks(project.number, member=model.number)
    judge(store, own.task, "gpt", ["d1", "d2", "d0"], role="model")
    assert lines(export(store, project, "qrels", of="all")[1]) == ["q1 0 d0 1.5", "q1 0 d2 1", "q1 0 d1 0.5"]
    assert lines(export(store, project, "qrels", of="gpt")[1])[0] == "q1 0 d1 2"


def test_the_two_tools_of_a_study_are_two_scales(store: Store, projects: Projects) -> None:
    project = projects.create("study", ProjectSettings(k=2, strategy="heap", study=StudyPlan(2, 2, 1)), [pool("q1"), pool("q2")])
    for name in ("Ann", "Bob"):
        projects.add_member(project.number, People(store).add(name, "judge").number, "judge")
    names = {member.number: member.name for member in projects.members(project.number)}
    for task in sorted(projects.tasks(project.number), key=lambda task: task.member or 0):
        judge(store, task.task, names[task.member or 0], ANN)
        if task.member == min(names):  # one query in pairs, or also the other in grades: one task each, and still two scales
            with pytest.raises(DataError, match="two scales"):
                export(store, project, "letor")
    with pytest.raises(DataError, match=r"two scales.* one of: Ann:grades, Ann:pairs, Bob:grades, Bob:pairs, all:grades, all:pairs$"):
        export(store, project, "letor")
    pairs = [line for query in ("q1", "q2") for line in (f"{query} 0 d0 2", f"{query} 0 d1 1", f"{query} 0 d2 0")]
    assert lines(export(store, project, "qrels", of="all:pairs")[1]) == pairs
    grades = sorted(f"{query} 0 {line}" for query in ("q1", "q2") for line in ("d0 4", "d1 3", "d2 2"))  # Perfect, Excellent, Good
    assert sorted(lines(export(store, project, "qrels", of="all:grades")[1])) == grades
    anns = {line.split()[0] for line in lines(export(store, project, "qrels", of="Ann:pairs")[1])}
    bobs = {line.split()[0] for line in lines(export(store, project, "qrels", of="Bob:pairs")[1])}
    assert sorted([*anns, *bobs]) == ["q1", "q2"]


def test_without_a_finished_task_there_are_no_labels(store: Store, projects: Projects) -> None:
    project = projects.create("open", ProjectSettings(), [pool("q1")])
    with pytest.raises(DataError, match="no task is finished"):
        export(store, project, "prefs")
    with pytest.raises(UnknownName, match=r"unknown export 'pdf'; choose from jsonl, judgments.csv, letor, pools.jsonl, prefs, qrels"):
        export(store, project, "pdf")
    for kind in ("jsonl", "judgments.csv", "pools.jsonl"):
        with pytest.raises(DataError, match="leave out of=Ann"):
            export(store, project, kind, of="Ann")


@pytest.mark.parametrize("name", ["Ähm: 100 %", "../../etc/passwd", 'a"b; filename=x', "日本語", "-x-"])
def test_the_name_of_a_file_is_plain_whatever_the_project_is_called(store: Store, projects: Projects, name: str) -> None:
    project = projects.create(name, ProjectSettings(), [pool("q1")])
    for kind, facts in EXPORTS.items():
        if facts.suffix.endswith((".zip", ".csv", ".jsonl")):
            file = export(store, project, kind)[0]
            assert file.endswith(facts.suffix)
            assert file.replace("-", "").replace(".", "").isalnum()
            assert file.isascii()
            assert ".." not in file
            assert not file.startswith("-")


# ---- everything ----


def test_logs_are_taken_up_by_another_store_and_are_the_same_bytes_every_time(
    store: Store, projects: Projects, new_place: Callable[[str], str], tmp_path: Path
) -> None:
    project = copies(store, projects)
    name, content = export(store, project, "jsonl")
    assert name == "two-copies-logs.zip"
    assert export(store, project, "jsonl")[1] == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == [f"{project.number}%2Fpairs%2Fq1%2F{copy}.jsonl" for copy in (1, 2)]
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        archive.extractall(tmp_path / "logs")
    with open_store(new_place("sqlite")) as other:
        for path, task in zip(sorted((tmp_path / "logs").iterdir()), projects.tasks(project.number), strict=True):
            number = import_log(other, path)
            assert other.events(number) == store.events(task.task)
            assert other.result(number).top == store.result(task.task).top


def test_what_was_imported_can_be_imported_again(store: Store, projects: Projects, tmp_path: Path) -> None:
    documents = (
        Document("t", "Title\u2028", "plain, “text”\n=1+1"),
        Document("h", text="<p>x</p>", kind="html"),
        Document("i", text="a wing", kind="image", url="data:image/png;base64,iVBORw0KGgo="),
        Document("l", "A link", kind="link", url="https://example.org/?a=b&c"),
    )
    pools = [Pool("ü/1", "größer?", documents, "long", has_prior=True), pool("q2")]
    project = projects.create("again", ProjectSettings(), pools)
    name, content = export(store, project, "pools.jsonl")
    path = tmp_path / name
    path.write_bytes(content)
    assert read_pools(path) == pools


def test_every_event_is_a_row_with_what_it_counts_as_now(store: Store, projects: Projects) -> None:
    project = projects.create("=1+1", ProjectSettings(k=2), [Pool("@q", "?", pool("q").documents)])
    (task,) = projects.tasks(project.number)

    def ask(assessor: str) -> str:
        asked = store.ask(task.task, assessor)
        assert asked is not None
        return asked.token

    store.answer(task.task, ask("-Ann"), "tie", assessor="-Ann", seconds=2.5, paused=1.0, idle=0.5)
    store.undo(task.task, assessor="-Ann")
    store.skip(task.task, ask("-Ann"), assessor="-Ann")
    store.answer(task.task, ask("gpt"), "left", assessor="gpt", role="model", model="m-1", seconds=0.25)
    store.correct(task.task, 4, "right", assessor="lead")
    name, content = export(store, project, "judgments.csv")
    assert name == "1-1-judgments.csv"
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert tuple(rows[0]) == COLUMNS
    shown = [tuple(row[name] for name in ("assessor", "role", "action", "answer", "target", "stands", "model")) for row in rows]
    assert shown == [
        ("'-Ann", "person", "answer", "tie", "", "", ""),
        ("'-Ann", "person", "undo", "", "1", "", ""),
        ("'-Ann", "person", "skip", "", "", "", ""),
        ("gpt", "model", "answer", "left", "", "right", "m-1"),
        ("lead", "person", "correct", "right", "4", "", ""),
    ]
    assert {(row["project"], row["query_id"], row["tool"], row["copy"]) for row in rows} == {("'=1+1", "'@q", "pairs", "1")}
    assert [rows[0][name] for name in ("seconds", "paused", "idle")] == ["2.5", "1.0", "0.5"]
    assert {rows[0]["left"], rows[0]["right"]} < {"d0", "d1", "d2"}
    assert rows[0]["at"].endswith("+00:00")
    assert rows[0]["strategy"] == "adaptive/1"


@pytest.mark.parametrize("begin", ["=", "+", "-", "@"])
def test_no_cell_of_a_table_is_taken_for_a_formula(store: Store, projects: Projects, begin: str) -> None:
    documents = (Document(f"{begin}cmd"), Document("d"))
    project = projects.create("p", ProjectSettings(k=1), [Pool("q", "?", documents)])
    (task,) = projects.tasks(project.number)
    asked = store.ask(task.task, "Ann")
    assert asked is not None
    store.answer(task.task, asked.token, "left", assessor="Ann")
    (row,) = csv.DictReader(io.StringIO(export(store, project, "judgments.csv")[1].decode(), newline=""))
    assert {row["left"], row["right"]} == {f"'{begin}cmd", "d"}


@pytest.mark.parametrize("begin", ["\t", "\r"])
def test_a_blank_does_not_hide_a_formula(begin: str) -> None:
    assert safe_cell(f"{begin}=1") == f"'{begin}=1"


# ---- ids ----

ODD = ("d 1", "d%201", "100%", "d\u30001", "d 1 %41")


def test_ids_with_blanks_are_written_as_words_that_can_be_told_apart(store: Store, projects: Projects, tmp_path: Path) -> None:
    project = projects.create("p", ProjectSettings(k=len(ODD), strategy="heap"), [Pool("q #1", "?", tuple(map(Document, ODD)))])
    (task,) = projects.tasks(project.number)
    judge(store, task.task, "Ann", ODD)
    wanted = {name: float(len(ODD) - place) for place, name in enumerate(ODD)}
    (tmp_path / "qrels").write_bytes(export(store, project, "qrels")[1])
    ((query, labels),) = read_qrels(tmp_path / "qrels").labels.items()
    assert (unquote(query), {unquote(name): label for name, label in labels.items()}) == ("q #1", wanted)
    assert "100%" in labels  # what needs no change has none
    (tmp_path / "prefs").write_bytes(export(store, project, "prefs")[1])
    (groups,) = read_preferences(tmp_path / "prefs").levels.values()
    assert {unquote(name) for name in groups["podium"]["1"]} == set(ODD)
    lines = [line.split(" ") for line in export(store, project, "letor")[1].decode().splitlines()]
    assert {(unquote(query), unquote(name)): float(label) for label, query, _, _, name in lines} == {
        ("qid:q #1", name): label for name, label in wanted.items()
    }
    for kind in ("letor", "qrels", "prefs"):
        assert "%20" in EXPORTS[kind].meaning


@pytest.mark.parametrize("wrong", ["d1 0\nq9 0 zz", "a\rb", "a\tb", "a\x1b[31m", "a\u2028b", "a\x85b"])
def test_an_id_that_would_break_a_line_is_refused(projects: Projects, wrong: str) -> None:
    for pool_of_it in (Pool("q", "?", (Document(wrong), Document("b"))), Pool(wrong, "?", (Document("a"), Document("b")))):
        with pytest.raises(DataError, match="must not hold control characters or ends of lines") as caught:
            projects.create("p", ProjectSettings(), [pool_of_it])
        assert str(caught.value).isprintable()
