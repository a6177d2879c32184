"""podium study, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import fails, run

from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings
from podium.projects.office import open_office
from podium.store import open_store

SMALL = ("--assessors", "4", "--folds", "4", "--rounds", "2", "--queries", "4", "--documents", "5", "-k", "2")


def test_plan_lists_what_would_work(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "study", "plan", "--assessors", "10")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line[:1].isdigit() and line.split()[0].isdigit() and len(line.split()) == 3]
    assert ["2", "1", "5"] in rows
    assert [line.split() for line in out.splitlines() if line.startswith("4 ")] == [["4", "1", "to", "2", "5"]]
    assert [line.split() for line in out.splitlines() if line.startswith("7 ")] == [
        ["7", "1", "to", "3", "4", "to", "5"]
    ]  # 30 places over 7
    found = json.loads(run(capsys, "study", "plan", "--assessors", "10", "--json")[1])
    assert found == [{"folds": folds, "fewest": 1, "most": folds // 2} for folds in range(2, 11)]


def test_plan_shows_the_papers_assignment(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "study", "plan", "--assessors", "5", "--folds", "5", "--rounds", "1")[1]
    rows = [line.split() for line in out.splitlines() if line.startswith("U")]
    assert rows == [["U1", "Q1", "Q2"], ["U2", "Q2", "Q3"], ["U3", "Q3", "Q4"], ["U4", "Q4", "Q5"], ["U5", "Q5", "Q1"]]
    assert "nothing can be said about agreement" in out
    places = json.loads(run(capsys, "study", "plan", "--assessors", "5", "--folds", "5", "--json")[1])
    assert len(places) == 5 * 2 * 2
    assert places[0] == {"seat": 1, "fold": 1, "round": 1, "tool": "pairs"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--assessors", "3", "--folds", "6", "--rounds", "1"), "for 3 assessors, 6 folds with 2 to 3 rounds would work"),
        (("--assessors", "5", "--folds", "5", "--rounds", "3"), "3 rounds over 5 folds would show somebody a query in both tools"),
        (("--assessors", "1"), "a study needs 2 assessors or more"),
        (("--assessors", "4", "--rounds", "2"), "--rounds needs --folds too"),
    ],
)
def test_plan_says_why_there_is_none(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert message in fails(capsys, "study", "plan", *words)


def test_a_simulated_study_is_kept_and_reported_alike_in_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "simulated.db"
    code, out, err = run(capsys, "study", "simulate", *SMALL, "--store", store, "--json")
    assert (code, err) == (0, "")
    simulated = json.loads(out)
    assert (simulated["n_finished"], simulated["n_tasks"]) == (16, 16)
    assert json.loads(run(capsys, "study", "report", store, "--json")[1]) == simulated
    assert json.loads(run(capsys, "study", "simulate", *SMALL, "--json")[1]) == simulated
    text = run(capsys, "study", "report", store)[1]
    assert "SIMULATED: nobody judged here." in text
    assert "74.5 %" in text
    assert run(capsys, "study", "report", store, "--csv")[1].startswith("section,tool,assessor,figure,value,low,high,n,note\n")
    for name, begin in (("page.html", "<!doctype html>"), ("figures.csv", "section,"), ("report.json", "{")):
        code, out, _ = run(capsys, "study", "report", store, "--out", tmp_path / name)
        assert (code, out) == (0, f"report written to {tmp_path / name}\n")
        assert (tmp_path / name).read_text().startswith(begin)
    assert json.loads((tmp_path / "report.json").read_text()) == simulated


def test_a_simulated_study_never_goes_into_a_store_that_is_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "labels.db"
    open_store(store).close()
    before = store.read_bytes()
    assert "is there already" in fails(capsys, "study", "simulate", *SMALL, "--store", store)
    assert store.read_bytes() == before


def test_a_study_of_too_few_queries_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "3 queries cannot fill 4 folds" in fails(
        capsys, "study", "simulate", "--assessors", "4", "--folds", "4", "--queries", "3", "--documents", "5"
    )


def test_a_store_with_several_projects_wants_a_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "labels.db"
    with open_office(store) as office:
        for name in ("Wings", "Heat"):
            office.projects.create(name, ProjectSettings(), [Pool("q", "query", (Document("a"), Document("b")))])
    assert "has 2 projects: 'Wings', 'Heat'; choose one with --project" in fails(capsys, "study", "report", store)
    assert "did you mean 'Wings'?" in fails(capsys, "study", "report", store, "--project", "Wing")
    assert run(capsys, "study", "report", store, "--project", "Heat")[1].startswith("Heat\n====\n1 query, 0 of 1 task finished")


def test_a_store_without_projects_is_reported_as_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "labels.db"
    with open_store(place) as store:
        number = store.add(Pool("q", "query", (Document("a"), Document("b"))), k=1)
        asked = store.ask(number, "ann")
        assert asked is not None
        store.answer(number, asked.token, "left", assessor="ann", seconds=4.0)
    out = run(capsys, "study", "report", place)[1]
    assert out.startswith("labels.db\n=========\n1 query, 1 of 1 task finished, 1 person, 0 models\n")
    assert "nobody to agree with" in out


def test_wrong_uses_are_refused_in_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "there is no such store" in fails(capsys, "study", "report", tmp_path / "none.db")
    assert "exclude each other" in fails(capsys, "study", "report", tmp_path / "none.db", "--json", "--csv")
    assert "there is no folder" in fails(capsys, "study", "simulate", "--out", tmp_path / "no" / "page.html")
    open_store(tmp_path / "empty.db").close()
    assert "nothing to report" in fails(capsys, "study", "report", tmp_path / "empty.db")


def test_a_file_of_another_kind_is_not_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command in (("report", tmp_path / "none.db"), ("simulate",)):
        for name in ("report.txt", "report"):
            assert f".html, .json, .csv, got '{name}'" in fails(capsys, "study", *command, "--out", tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_report_makes_no_store(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "labels.db"
    assert "there is no such store" in fails(capsys, "study", "report", place)
    assert not place.exists()
    place.touch()
    assert "is empty, and no store" in fails(capsys, "study", "report", place)
    assert place.read_bytes() == b""
    assert [path.name for path in tmp_path.iterdir()] == ["labels.db"]
