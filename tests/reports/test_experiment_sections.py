"""The parts of a report: which there are, what stands in their tables, and that the long table has the same figures."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.reports.experiment_runs import CURVE, JUDGMENTS, TABLE, Run, curve_run, made, table_run

from podium.experiments.facts import DataSpec
from podium.reports.experiments.cells import Cell, Section, Table
from podium.reports.experiments.charts import curve_charts
from podium.reports.experiments.curves import HOW_FLAT
from podium.reports.experiments.findings import Findings, findings
from podium.reports.experiments.latex import experiment_latex, latex
from podium.reports.experiments.pages import experiment_page
from podium.reports.experiments.reproduction import reproduction
from podium.reports.experiments.reruns import cost, settings
from podium.reports.experiments.sentences import data_words, disagreements, truth_words
from podium.reports.experiments.summary import summary_table
from podium.reports.experiments.tables import asked, curves, results
from podium.reports.experiments.text import experiment_csv

NET = "Rank_Net <x>"
QUERIES = CURVE.replace('over = "k"', 'over = "queries"').replace('100, "full"]', '100, "all"]')


def flat(text: str, arms: tuple[str, ...], points: tuple[str, ...] = ("1", "10"), measures: tuple[str, ...] = ("ndcg@10",)) -> Run:
    """Two folds of three queries each, equal wherever one looks."""
    return made(text, {(arm, at, measure): ([0.5] * 3, [0.5] * 3) for arm in arms for at in points for measure in measures})


def rows_of(part: Section | None) -> list[list[str]]:
    assert part is not None
    return [[cell.text for cell in row] for row in part.tables[0].rows]


# ---- what was asked and measured ----


def test_data_and_truth_are_told_as_the_config_has_them() -> None:
    config = findings(table_run()).config
    cut = replace(config, data=DataSpec("MQ2007-list", only_in="MQ2007", best=100))
    assert data_words(cut) == "MQ2007-list, only documents that MQ2007 has too, the best 100 documents of each query"
    judged = made(JUDGMENTS, {("ListMLE · heap · 100 %", "10", "ndcg@10"): ([0.1],)}).config
    assert (
        truth_words(judged)
        == "trained on the best 10 of each query as judgments found them, measured on a total order (ties broken by seed)"
    )


def test_what_the_paper_says_of_its_figure_stands_before_the_notes() -> None:
    text = CURVE.replace("seeds =", 'says = "flat from 10 on"\nnotes = ["Ours is not."]\nseeds =')
    found = findings(flat(text, ("ListMLE", "RankNet")))
    assert asked(found).notes == ("The paper: flat from 10 on.", "Ours is not.")
    assert "- The paper: flat from 10 on.\n- Ours is not.\n" in reproduction([found.run])[0]


def test_several_seeds_and_the_point_of_the_curve_are_told_where_there_are_such() -> None:
    both = ("ListMLE", "RankNet")
    over_k, over_queries = (results(findings(flat(text, both))) for text in (CURVE, QUERIES))
    assert "; values of several seeds are averaged per query first. " in over_k.lead
    assert over_k.notes[-1] == "Each ranker stands at the point of the curve with the best mean on validation queries."
    assert over_queries.notes[-1] == "Each ranker stands at the last point of the curve that all of them have."
    table = results(findings(table_run()))
    assert "seeds" not in table.lead
    assert [part.key for part in table.tables] == ["means", "changes"]
    assert len(table.notes) == 1


def test_one_ranker_alone_is_compared_with_nothing() -> None:
    alone = results(findings(flat(CURVE, ("ListMLE",))))
    assert [part.key for part in alone.tables] == ["means"]
    assert not any("▲" in note for note in alone.notes)


def test_how_flat_is_meant_is_told_of_every_curve_but_one_over_the_balance() -> None:
    part = curves(findings(curve_run()))
    assert part is not None
    assert part.notes[-1] == HOW_FLAT
    assert part.lead.endswith(" over queries; values of several seeds are averaged per query first.")
    text = CURVE.replace('over = "k"', 'over = "balance"').replace('[1, 10, 100, "full"]', "[0.0, 1.0]")
    balance = curves(findings(flat(text.replace('algorithm = "listmle"', 'algorithm = "focused-net"'), ("ListMLE",), ("0", "1"))))
    assert balance is not None
    assert HOW_FLAT not in balance.notes


# ---- the main measure ----


def test_the_measure_that_settings_are_chosen_by_comes_first() -> None:
    def measures(choose: str) -> list[str]:
        text = CURVE.replace('["ndcg@10"]', '["map", "ndcg@10"]').replace('choose = "ndcg@10"', f'choose = "{choose}"')
        return [chart.measure for chart in curve_charts(findings(flat(text, ("ListMLE",), measures=("map", "ndcg@10"))))]

    assert measures("ndcg@10") == ["ndcg@10", "map"]
    assert measures("map") == ["map", "ndcg@10"]
    assert measures("err") == ["map", "ndcg@10"]  # by which nothing is measured


def test_names_with_a_dot_are_no_groups() -> None:
    names = tuple(f"R{number} · fast" for number in range(7))
    rankers = "".join(f'[[rankers]]\nname = "{name}"\nalgorithm = "listmle"\n' for name in names)
    text = CURVE.split("[[rankers]]")[0].replace('"ListMLE"', f'"{names[0]}"') + rankers + "[curve]" + CURVE.split("[curve]")[1]
    (chart,) = curve_charts(findings(flat(text, names)))
    assert chart.title == "ndcg@10 against k of the training truth"
    assert tuple(line.name for line in chart.lines) == names


def test_of_a_run_of_no_paper_the_summary_says_that_it_is_ours_only() -> None:
    def told(text: str) -> list[str]:
        return [cell.text for cell in summary_table([findings(flat(text, ("ListMLE", "RankNet")))]).rows[0]]

    own = told(CURVE.replace('paper = "000"\n', ""))
    assert (own[1], own[3].split("; ")[1:]) == ("nothing", ["ours only"])
    theirs = told(CURVE)
    assert (theirs[1], theirs[3].split("; ")[1:]) == ("a chart, no numbers", ["different data (another collection)"])


def test_a_page_of_papers_may_have_runs_of_ours_and_tables_stand_where_there_is_no_curve() -> None:
    own = curve_run(name="own")
    own = type(own)(replace(own.config, paper="", title="A shop"), own.facts, own.rows, own.trials, own.costs)
    text = reproduction([table_run(), own])[0]
    assert text.startswith("# Reproduction\n")
    first, second = text.split("\n## A shop\n")
    assert "**Means**" in first  # it has claims
    assert "**Means**" not in second
    claim = '[[claims]]\npaper = "000"\nbetter = "RankNet"\nthan = "ListMLE"\nmeasure = "ndcg@10"\n'
    assert "**Means**" not in reproduction([flat(CURVE + claim, ("ListMLE", "RankNet"))])[0]


# ---- sentences ----


def test_intervals_that_hold_some_of_the_figures_are_told_apart() -> None:
    text = TABLE.replace('figures = { "ndcg@10" = 0.5 }', 'figures = { "ndcg@10" = 0.5, "wkt" = 0.5 }', 1)
    wide, narrow = (0.45 + spread * np.tile([-1.0, 1.0], 50) for spread in (0.4, 0.001))
    cells = {("ListMLE", "", "ndcg@10"): (wide,), ("ListMLE", "", "wkt"): (narrow,)}
    assert "hold the printed figures but at wkt." in disagreements(findings(made(text, cells)))[0]
    elsewhere = text.replace('"OHSUMED2"', '"OHSUMED2"\nin_place_of = "MQ2007"')
    assert (
        "hold the printed figures but at wkt, where chance alone hardly explains it." in disagreements(findings(made(elsewhere, cells)))[0]
    )


# ---- cost and settings ----


def test_time_is_summed_and_memory_is_the_highest_of_all_trials_of_all_folds() -> None:
    part = cost(findings(table_run()))
    assert rows_of(part) == [["ListMLE", "4", "18.0", "3.50", "5"], [NET, "4", "36.0", "7.00", "5"]]  # of 1, 2, 5, 10; doubled
    assert part is not None
    assert part.lead.startswith("Of every trial, chosen or not; times depend on how many ran at once and how many cores each had.")


def test_the_settings_of_each_fold_are_those_chosen_in_it() -> None:
    part = settings(findings(table_run()))
    assert rows_of(part) == [["ListMLE", "l2=0.1", "l2=1"], [NET, "l2=0.1", "l2=1"]]
    assert part is not None
    assert part.lead == "Chosen on validation queries only. Of several seeds, each different choice once."


def test_where_no_ranker_has_a_grid_nothing_was_chosen() -> None:
    run = table_run()
    run.trials["setting"][:] = ""
    assert settings(findings(run)) is None


def test_choices_that_nothing_decided_are_told() -> None:
    run = table_run()
    run.trials["validation"][run.trials["algorithm"] == NET] = 0.25
    part = settings(findings(run))
    assert part is not None
    assert part.lead.endswith(f"choice once. All settings were equal on validation queries, and the first was taken: {NET} (always).")


# ---- forms ----


def test_a_folded_section_of_a_page_is_folded() -> None:
    page = experiment_page([("one", "One", (Section("s", "Folded", notes=("x",), is_folded=True), Section("t", "Open", notes=("y",))))])
    assert "<details><summary>Folded</summary>" in page
    assert "<h2>Open</h2>" in page
    assert "<h2>Folded</h2>" not in page


def test_a_caption_of_latex_says_how_means_are_taken_and_minus_is_minus() -> None:
    table = Table("means", "Means", ("a", "b"), ((Cell("x"), Cell("−0.5")),))
    text = experiment_latex([("one", "One", (Section("results", "Results", "Over folds.", tables=(table,), notes=("A note.",)),))])
    assert r"\caption{One. Results: Means. Over folds. A note.}" in text
    assert "x & $-$0.5" in text
    assert latex("−1") == "$-$1"


def long_table(found: Findings, part: str) -> list[dict[str, Any]]:
    """The lines of a part of the CSV: numbers as numbers, and only what is there."""
    rows = [row for row in csv.DictReader(io.StringIO(experiment_csv([found]))) if row.pop("part") == part]
    return [{name: _number(text) for name, text in row.items() if text} for row in rows]


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def test_every_field_of_a_result_in_the_csv_is_that_of_its_finding() -> None:
    found = findings(table_run())
    first, *_, second = (row for row in long_table(found, "results") if row["measure"] == "ndcg@10")
    base, net = found.entries["ListMLE", "ndcg@10"], found.entries[NET, "ndcg@10"]
    shared = {"run": "t", "measure": "ndcg@10", "queries": 60.0}
    assert first == {**shared, "ranker": "ListMLE", "value": base.mean, "low": base.low, "high": base.high, "is_best": "false"}
    assert second == {
        **shared, "ranker": NET, "value": net.mean, "low": net.low, "high": net.high, "is_best": "true", "against": "ListMLE",
        "difference": net.difference, "change_percent": 100 * net.change, "p_value": net.p_value,
    }  # fmt: skip
    assert second["change_percent"] == pytest.approx(100 * 0.1 / 0.45)
    assert base.low < base.mean < base.high


def test_every_field_of_a_printed_figure_and_of_a_claim_in_the_csv_is_that_of_its_finding() -> None:
    found = findings(table_run())
    ours, (claim,) = found.entries[NET, "ndcg@10"], found.claims
    assert long_table(found, "printed")[1] == {
        "run": "t", "ranker": NET, "measure": "ndcg@10", "value": ours.mean, "low": ours.low, "high": ours.high, "queries": 60.0,
        "paper": 4.0, "where": "Table 4", "printed": 0.5, "difference": ours.mean - 0.5, "verdict": "higher",
    }  # fmt: skip
    assert long_table(found, "claim") == [{
        "run": "t", "ranker": NET, "measure": "ndcg@10", "against": "ListMLE", "change_percent": claim.percent, "low": claim.low,
        "high": claim.high, "p_value": claim.p_value, "queries": 60.0, "difference": claim.difference, "paper": 3.0,
        "where": "MQ2007-list", "printed": 4.13, "verdict": "agrees",
    }]  # fmt: skip
    assert claim.low < claim.percent < claim.high


def test_every_field_of_a_curve_in_the_csv_is_that_of_its_finding() -> None:
    found = findings(curve_run())
    one = found.curves[0]
    assert long_table(found, "curve")[1] == {
        "run": "t", "ranker": "ListMLE", "point": 10.0, "measure": "ndcg@10", "value": one.means[1], "low": one.low[1],
        "high": one.high[1], "is_best": "true",
    }  # fmt: skip
    assert one.low[1] < one.means[1] < one.high[1]
