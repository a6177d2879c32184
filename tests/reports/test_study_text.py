"""The report of a study for a terminal."""

from __future__ import annotations

from tests.labelling.studies import QUICK, said, tiny, tiny_study

from podium.labelling.study import JudgedTask, study_report
from podium.reports.study_text import study_text


def line(text: str, begin: str) -> list[str]:
    """The words of the first line that begins so, after it."""
    return next(found for found in text.splitlines() if found.startswith(begin)).removeprefix(begin).split()


def test_the_papers_figures_stand_beside_ours() -> None:
    text = study_text(tiny())
    assert line(text, "overall agreement")[:2] == ["80.0", "%"]
    assert "74.5 %" in " ".join(line(text, "overall agreement"))
    assert "54.7 %" in " ".join(line(text, "overall agreement"))
    assert line(text, "seconds per judgment, mean")[-1] == "13.87"
    assert line(text, "minutes per query, active")[-1] == "11.78"
    assert line(text, "all pairs")[:4] == ["4", "1", "3", "3"]
    assert "420.7," in line(text, "all pairs")
    assert "A pair is judged 2.31 times as fast as a grade is given; the paper has 2 to 3 times." in text


def test_every_assessor_and_every_note_is_there() -> None:
    text = study_text(tiny())
    for name in ("ann", "bob", "cid", "dan"):
        assert any(found.startswith(f"{name} ") for found in text.splitlines())
    assert "few queries: with 2" in text
    assert "Gold questions" in text
    assert "People against models" not in text


def test_a_model_and_its_table_are_shown() -> None:
    model = JudgedTask("p", "pairs", said("gpt", "a>b", role="model"), "gpt", role="model", is_finished=True, top=("a", "b"))
    text = study_text(study_report([*tiny_study(), model], bootstrap=QUICK))
    assert "People against models" in text
    assert "What people said (row) and gpt said of the same (column): pairs (T1)" in text


def test_one_tool_shows_no_test_between_tools() -> None:
    text = study_text(study_report(tiny_study()[:2], bootstrap=QUICK))
    assert "χ² with 1 degree" not in text
    assert "there is no χ² test between tools" in text
    assert "grades (T2)" not in text


def test_counts_are_put_in_good_english() -> None:
    text = study_text(study_report([JudgedTask("q", "pairs", said("ann", "a>b"), "ann")], bootstrap=QUICK))
    assert "1 query, 0 of 1 task finished, 1 person, 0 models" in text


def test_a_report_with_nobody_says_so_instead_of_an_empty_table() -> None:
    text = study_text(study_report([JudgedTask("q", "pairs", [])], bootstrap=QUICK))
    assert "Nobody has judged yet." in text
    assert "Each assessor with each tool" not in text


def test_notes_of_what_is_compared_reach_the_reader() -> None:
    text = study_text(tiny())
    assert "- like for like: few items: 5 pairs in common" in text
    assert "- pairs against grades: few items: 5 pairs in common" in text
    assert "pairs (T1), agreements of two people" in text
    assert any(found.startswith("pairs against grades ") for found in text.splitlines())
    apart = [JudgedTask("p", "pairs", said("ann", "a>b")), JudgedTask("q", "grades", said("bob", "a:Good", "b:Bad"))]
    assert "- pairs against grades: no pair was judged by both those who judged pairs and those who graded" in study_text(
        study_report(apart, bootstrap=QUICK)
    )


def test_the_kappas_of_many_people_are_in_files_only() -> None:
    def of(n: int) -> str:
        names = [f"u{number:02}" for number in range(n)]
        return study_text(study_report([JudgedTask("q", "pairs", said(name, "a>b"), name) for name in names], bootstrap=QUICK))

    assert "Cohen's κ of every two people" in of(10)
    assert "Cohen's κ of every two people" not in of(11)
    assert "the κ of every two of the 11 people are in the files of figures only (CSV, JSON)" in of(11)
