"""The report of a study as JSON and as one long table."""

from __future__ import annotations

import csv
import io
import json
import math

from tests.labelling.studies import QUICK, said, tiny, tiny_study

from podium.labelling.study import JudgedTask, study_report
from podium.reports.study_files import study_csv, study_json, study_json_text


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_json_has_every_figure_and_null_for_what_is_undefined() -> None:
    found = study_json(tiny())
    assert json.loads(json.dumps(found, allow_nan=False)) == json.loads(study_json_text(tiny()))
    pairs, grades = found["tools"]
    assert pairs["agreement"]["overall"]["value"] == 4 / 5
    assert pairs["agreement"]["table"]["counts"] == [[4, 0, 2], [0, 8, 0], [2, 0, 4]]
    assert grades["ties"]["value"] is None
    assert grades["ties"]["notes"] == ["a grade is never a tie"]
    assert [(entry["first"], entry["second"]) for entry in pairs["agreement"]["cohen"]] == [("ann", "bob"), ("cid", "dan")]
    assert {"value", "low", "high", "notes"} < pairs["agreement"]["cohen"][0].keys()
    assert pairs["agreement"]["table"]["pairs"] == [[2, 0, 1], [0, 2, 0], [1, 0, 2]]
    assert pairs["agreement"]["of_two_people"] == {
        "all_pairs": {"agreed": 4, "disagreed": 1}, "without_ties": {"agreed": 2, "disagreed": 1}
    }  # fmt: skip
    assert found["comparison"]["same_pairs"]["n_pairs"] == 5
    assert found["gold"] == [{"assessor": "ann", "right": 3, "asked": 4, "share": found["gold"][0]["share"]}]
    assert found["paper"]["overall"] == {"pairs": 0.745, "grades": 0.547}


def test_an_empty_report_is_json_too() -> None:
    found = json.loads(study_json_text(study_report([], bootstrap=QUICK)))
    assert found["comparison"] is None
    assert found["notes"] == ["nobody has judged anything yet"]


def test_the_long_table_has_a_line_a_figure_beside_the_papers() -> None:
    table = rows(study_csv(tiny()))
    assert list(table[0]) == ["section", "tool", "assessor", "figure", "value", "low", "high", "n", "note"]
    by_place = {(row["section"], row["tool"], row["assessor"], row["figure"]): row for row in table}
    assert len(by_place) == len(table)
    assert float(by_place["agreement", "pairs", "", "overall"]["value"]) == 4 / 5
    assert by_place["agreement", "pairs", "", "overall"]["n"] == "5"
    assert float(by_place["agreement", "grades", "", "without_ties"]["value"]) == 3 / 4
    assert by_place["effort", "grades", "", "ties"]["value"] == ""
    assert by_place["assessors", "pairs", "bob", "n_corrected"]["value"] == "1"
    assert by_place["paper", "grades", "", "minutes"]["value"] == "11.78"
    assert by_place["paper", "", "", "chi_square"]["value"] == "420.7"
    assert float(by_place["tools", "", "", "chi_square"]["value"]) > 0
    assert float(by_place["gold", "", "ann", "right"]["value"]) == 0.75
    assert float(by_place["agreement", "pairs", "", "said_first_other_second"]["value"]) == 1 / 3
    assert all(math.isfinite(float(row["value"])) for row in table if row["value"])


def test_names_that_a_spreadsheet_would_run_are_disarmed() -> None:
    name = '=HYPERLINK("x","y")'
    table = rows(study_csv(study_report([JudgedTask("q", "pairs", said(name, "a>b"), name)], bootstrap=QUICK)))
    names = {row["assessor"] for row in table if row["section"] == "assessors"}
    assert names == {f"'{name}"}


def test_a_model_has_its_lines() -> None:
    model = JudgedTask("p", "pairs", said("gpt", "a>b", role="model"), "gpt", role="model", is_finished=True, top=("a", "b"))
    table = rows(study_csv(study_report([*tiny_study(), model], bootstrap=QUICK)))
    found = {row["figure"]: row["value"] for row in table if row["section"] == "models"}
    assert float(found["overall"]) == 1.0
    assert float(found["top_overlap"]) == (1.0 + 0.5) / 2


def test_names_that_hold_an_and_keep_their_kappas() -> None:
    names = ("a", "b and c", "a and b", "c")
    report = study_report([JudgedTask("q", "pairs", said(name, "a>b"), name) for name in names], bootstrap=QUICK)
    found = study_json(report)["tools"][0]["agreement"]["cohen"]
    assert {(entry["first"], entry["second"]) for entry in found} == {(a, b) for a in sorted(names) for b in sorted(names) if a < b}
    assert len(found) == 6


def test_the_long_table_has_whatever_the_page_has() -> None:
    model = JudgedTask("p", "pairs", said("gpt", "a>b", "c=b", role="model"), "gpt", role="model", is_finished=True, top=("a", "b"))
    report = study_report([*tiny_study(), model], title="tiny", about=[("State", "open")], bootstrap=QUICK)
    by_place = {(row["section"], row["tool"], row["assessor"], row["figure"]): row for row in rows(study_csv(report))}
    assert by_place["about", "", "", "title"]["note"] == "tiny"
    assert by_place["about", "", "", "State"]["note"] == "open"
    assert [row["note"] for row in rows(study_csv(report)) if row["section"] == "notes" and not row["tool"]] == list(report.notes)
    assert by_place["paper", "", "", "times_faster"]["note"] == "2 to 3"
    counts = {tool: (4, 1) if tool == "pairs" else (3, 3) for tool in ("pairs", "grades")}
    for tool, (agreed, disagreed) in counts.items():
        assert by_place["tools", tool, "", "chi_square_agreements"]["value"] == str(agreed)
        assert by_place["tools", tool, "", "chi_square_disagreements"]["value"] == str(disagreed)
    assert by_place["tools", "pairs", "", "chi_square_without_ties_agreements"]["value"] == "2"
    # Two people said a≻b and b∼c, and so did the model: of four comparisons two are a preference met by the same.
    assert by_place["models", "pairs", "gpt", "said_first_other_first"]["n"] == "2"
    assert by_place["models", "pairs", "gpt", "said_tie_other_tie"]["n"] == "2"
    assert by_place["models", "pairs", "gpt", "said_first_other_tie"]["n"] == "0"
    assert "said_tie_other_first" in {row["figure"] for row in rows(study_csv(report)) if row["section"] == "between_tools"}


def test_the_cells_of_a_table_count_pairs() -> None:
    table = {row["figure"]: row["n"] for row in rows(study_csv(tiny())) if (row["section"], row["tool"]) == ("agreement", "pairs")}
    # Of five: two preferences and two ties are shared, and once the opposite was said.
    assert [table[f"said_{said}_other_{other}"] for said, other in (("first", "first"), ("tie", "tie"), ("first", "second"))] == [
        "2",
        "2",
        "1",
    ]
    graded = {row["figure"]: row["n"] for row in rows(study_csv(tiny())) if (row["section"], row["tool"]) == ("agreement", "grades")}
    # Of six: ac, and ab and ac of q are shared; bc of q is turned round; ab and bc of p are a tie to one.
    assert (graded["said_first_other_first"], graded["said_first_other_second"], graded["said_tie_other_second"]) == ("3", "1", "2")
    assert graded["said_tie_other_tie"] == "0"
