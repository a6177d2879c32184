"""Runs in short: what the paper says, what was found, and the verdict."""

from __future__ import annotations

import csv
import io

import numpy as np
from tests.reports.experiment_runs import CURVE, TABLE, Cells, curve_run, made

from podium.experiments.config import config_from_text
from podium.reports.experiments.findings import findings
from podium.reports.experiments.summary import summary_table
from podium.reports.experiments.tables import beside_table
from podium.reports.experiments.text import experiment_csv


def in_short(text: str, cells: Cells) -> list[list[str]]:
    """The lines of the summary without its first column."""
    return [[cell.text for cell in row[1:]] for row in summary_table([findings(made(text, cells))]).rows]


def flat(**means: float) -> Cells:
    """Both rankers with these means, by measures."""
    named = {"ndcg": "ndcg@10", "wkt": "wkt"}
    return {(arm, "", named[short]): ([mean, mean],) for arm in ("ListMLE", "Rank_Net <x>") for short, mean in means.items()}


def test_a_table_agrees_only_if_every_figure_does_and_pages_and_csv_say_the_same() -> None:
    text = TABLE.replace('{ "ndcg@10" = 0.5 }', '{ "ndcg@10" = 0.5, "wkt" = 0.4 }', 1)
    assert in_short(text, flat(ndcg=0.508, wkt=0.41))[0][2] == "agrees: all 3 figures within 0.010"
    assert in_short(text, flat(ndcg=0.508, wkt=0.42))[0][2] == "ndcg@10: all within 0.010; over all measures 2 of 3 within 0.010"
    found = findings(made(text, flat(ndcg=0.508, wkt=0.42)))
    verdicts = [row["verdict"] for row in csv.DictReader(io.StringIO(experiment_csv([found]))) if row["part"] == "printed"]
    marked = [cell.kind for row in beside_table(found).rows for cell in row if cell.text.startswith(("+", "−"))]
    assert verdicts == ["agrees", "higher", "agrees"]
    assert marked == ["", "far", ""]


def test_what_others_print_is_not_what_the_paper_says() -> None:
    others = '[[rankers.printed]]\npaper = "LETOR 2.0"\nwhere = "publisher\'s table"\nfigures = { "ndcg@10" = 0.9 }\n'
    text = TABLE.replace("[[claims]]", others + "[[claims]]")
    assert in_short(text, flat(ndcg=0.5))[0] == ["ndcg@10: 0.500 (2 rankers)", "ndcg@10: 0.500", "agrees: all 2 figures within 0.010"]
    names = [row[1].text for row in beside_table(findings(made(text, flat(ndcg=0.5)))).rows]
    assert [name for name in names if name not in ("ours", "difference")] == ["paper 004, Table 4"] * 2 + ["LETOR 2.0, publisher's table"]
    said, ours, _ = in_short(TABLE.replace('printed]]\npaper = "004"', 'printed]]\npaper = "LETOR 2.0"'), flat(ndcg=0.45))[0]
    assert said == "no paper; LETOR 2.0, ndcg@10: 0.500 (2 rankers)"
    assert ours == "ndcg@10: 0.450; of all rankers, by ndcg@10, best is ListMLE, 0.450"


def test_the_claims_in_short_are_of_one_measure_and_all_are_counted() -> None:
    more = TABLE.split("[[claims]]")[1].replace("percent = 4.13\n", "").replace('measure = "ndcg@10"', 'measure = "wkt"')
    said, ours, verdict = in_short(f"{TABLE}[[claims]]{more}", flat(ndcg=0.5, wkt=0.5))[1]
    assert said == "ndcg@10: Rank_Net <x> over ListMLE +4.13 %; and 1 more below"
    assert ours == "ndcg@10: Rank_Net <x> over ListMLE 0.00 % (p = 1.000); and 1 more below"
    assert verdict == "2 of all 2: no difference; different data (MQ2007-list)"


def test_what_is_claimed_of_two_collections_is_compared_and_counted_once() -> None:
    again = (
        TABLE.split("[[claims]]")[1]
        .replace("percent = 4.13", "percent = 8.59")
        .replace('on = "MQ2007-list"', 'on = "MQ2008-list and others"')
    )
    values = np.random.default_rng(1).random((2, 30))
    cells = {("ListMLE", "", "ndcg@10"): (values[0],), ("Rank_Net <x>", "", "ndcg@10"): (values[1],)}
    once, twice = (findings(made(text, cells)).claims for text in (TABLE, f"{TABLE}[[claims]]{again}"))
    assert [one.p_value for one in twice] == [once[0].p_value] * 2
    said, ours, verdict = in_short(f"{TABLE}[[claims]]{again}", cells)[1]
    assert said == "ndcg@10: Rank_Net <x> over ListMLE +4.13 % on MQ2007-list, +8.59 % on MQ2008-list and others"
    assert ours.count("ndcg@10") == 1
    assert verdict == f"{once[0].verdict}; different data (MQ2007-list, MQ2008-list, others)"


def test_claims_of_more_than_three_pairs_are_counted_in_short_and_shown_below() -> None:
    names = ("A", "B", "C")
    rankers = "".join(f'[[rankers]]\nname = "{name}"\nalgorithm = "listnet"\n' for name in names)
    claim = TABLE.split("[[claims]]")[1]
    more = "".join("[[claims]]" + claim.replace('than = "ListMLE"', f'than = "{name}"') for name in names)
    text = TABLE.replace("[[claims]]", f"{rankers}[[claims]]") + more
    cells = {**flat(ndcg=0.5), **{(name, "", "ndcg@10"): next(iter(flat(ndcg=0.5).values())) for name in names}}
    said, ours, verdict = in_short(text, cells)[1]
    assert said.endswith("Rank_Net <x> over B +4.13 %; and 1 more below")
    assert ours.count("over") == 3
    assert verdict.startswith("4 of all 4: ")


def test_a_curve_in_short_says_what_the_paper_saw_and_what_we_see() -> None:
    run = curve_run()
    said = CURVE.replace("seeds =", 'says = "flat from 10 on."\nnotes = ["The paper: no note of ours."]\nseeds =')
    noted = type(run)(config_from_text(said, "t"), run.facts, run.rows, run.trials, run.costs)
    (row,) = summary_table([findings(noted)]).rows
    assert [cell.text for cell in row[1:]] == [
        "flat from 10 on.",
        "ndcg@10: ListMLE best at 10 (0.500), worse after 100 (−0.100); RankNet best at full (0.450)",
        "over all measures 1 of 2 curves as good as their best to the end, 1 worse there; different data (another collection)",
    ]


def test_a_curve_over_the_balance_in_short_says_where_it_peaks_and_how_it_spreads() -> None:
    text = CURVE.replace('over = "k"', 'over = "balance"').replace('[1, 10, 100, "full"]', "[0.0, 0.5, 1.0]")
    text = text.replace('algorithm = "listmle"', 'algorithm = "focused-net"')
    means = {"ListMLE": (0.4, 0.5, 0.45), "RankNet": (0.4, 0.3, 0.2)}
    cells = {(arm, at, "ndcg@10"): ([mean] * 2,) for arm, line in means.items() for at, mean in zip(("0", "0.5", "1"), line, strict=True)}
    ((says, ours, verdict),) = in_short(text, cells)
    assert says == "a chart, no numbers"
    assert ours == "ndcg@10: ListMLE best at 0.5 (0.500), spread 0.100; RankNet best at 0 (0.400), spread 0.200"
    assert verdict == "over all measures 1 of 2 curves peak inside; spread 0.100 to 0.200; different data (another collection)"
