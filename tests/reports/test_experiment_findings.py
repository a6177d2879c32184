"""What a run found: marks, papers' figures, claims, curves, and the sentences on them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reports.experiment_runs import CURVE, TABLE, curve_run, made, table_run

from podium.errors import UnknownName
from podium.experiments.facts import Config, DataSpec, Synthetic, TruthSpec
from podium.reports.experiments.findings import findings, other_data
from podium.reports.experiments.sentences import by_printed_row, claim_sentence, curve_sentence, disagreement, disagreements
from podium.results import compare

NET = "Rank_Net <x>"


def test_the_better_ranker_is_best_and_marked_by_the_direction_of_the_measure() -> None:
    found = findings(table_run())
    assert (found.entries[NET, "ndcg@10"].mark, found.entries[NET, "ndcg@10"].is_best) == ("▲", True)
    assert (found.entries[NET, "wkt"].mark, found.entries[NET, "wkt"].is_best) == ("▼", False)  # of wkt less is better
    assert (found.entries["ListMLE", "ndcg@10"].mark, found.entries["ListMLE", "wkt"].is_best) == ("", True)


def test_a_change_is_relative_to_the_baseline_and_another_baseline_can_be_asked_for() -> None:
    assert findings(table_run()).entries[NET, "ndcg@10"].change == pytest.approx(0.1 / 0.45)
    other = findings(table_run(), baseline=NET)
    assert other.entries["ListMLE", "ndcg@10"].change == pytest.approx(-0.1 / 0.55)
    assert other.entries["ListMLE", "ndcg@10"].mark == "▼"
    with pytest.raises(UnknownName, match="choose from ListMLE"):
        findings(table_run(), baseline="BM25")


def test_p_values_are_corrected_over_the_whole_table() -> None:
    values = np.random.default_rng(3).random((2, 12))
    cells = {(arm, "", measure): (values[row],) for row, arm in enumerate(("ListMLE", NET)) for measure in ("ndcg@10", "wkt")}
    found = findings(made(TABLE, cells))
    alone = compare(values[0], values[1]).randomisation
    assert found.entries[NET, "ndcg@10"].p_value == pytest.approx(min(1.0, 2 * alone))  # Holm, two equal p-values


def test_a_mark_is_of_the_means_over_folds() -> None:
    """Over queries the second ranker is better, 60 of 72 times; over folds it is worse: (0.4 + 0) / 2 against (0.2 + 0.9) / 2."""
    base, other = (np.full(60, 0.2), np.full(12, 0.9)), (np.full(60, 0.4) + np.linspace(0, 0.001, 60), np.zeros(12))
    entry = findings(made(TABLE, {("ListMLE", "", "ndcg@10"): base, (NET, "", "ndcg@10"): other})).entries[NET, "ndcg@10"]
    assert entry.p_value < 0.05
    assert (entry.difference < 0, entry.mark) == (True, "▼")
    few = {("ListMLE", "", "ndcg@10"): (base[0], base[1][:2]), (NET, "", "ndcg@10"): (other[0], other[1][:2])}
    assert findings(made(TABLE, few)).entries[NET, "ndcg@10"].mark == ""  # two queries decide, and may be chance


@pytest.mark.parametrize("base", [0.0, -0.3])
def test_there_is_no_per_cent_of_a_mean_that_is_not_positive(base: float) -> None:
    wobble = np.tile([-0.01, 0.01], 10)
    found = findings(made(TABLE, {("ListMLE", "", "ndcg@10"): (base + wobble,), (NET, "", "ndcg@10"): (0.1 + wobble[::-1],)}))
    entry, claimed = found.entries[NET, "ndcg@10"], found.claims[0]
    assert np.isnan([entry.change, claimed.percent, claimed.low, claimed.high]).all()
    assert (entry.mark, claimed.difference, claimed.verdict) == ("▲", pytest.approx(0.1 - base), "agrees")
    assert f"queries: {0.1 - base:+.3f}, p < 0.001: agrees." in claim_sentence(claimed, found.config)


def test_chance_is_no_mark() -> None:
    values = np.random.default_rng(3).random((2, 40))
    cells = {(arm, "", "ndcg@10"): (values[row],) for row, arm in enumerate(("ListMLE", NET))}
    assert findings(made(TABLE, cells)).entries[NET, "ndcg@10"].mark == ""


def printed_row(mean: float, spread: float) -> tuple[str, bool]:
    """The sentence on the second ranker's row, whose paper prints 0.500, and whether it agrees."""
    values = mean + spread * np.tile([-1.0, 1.0], 50)
    found = findings(made(TABLE, {("ListMLE", "", "ndcg@10"): (values,), (NET, "", "ndcg@10"): (values,)}))
    row = by_printed_row(found.besides)[1]
    return disagreement(row, found.config), row[0].agrees


def test_figures_that_agree_need_no_sentence() -> None:
    assert printed_row(0.508, 0.2) == ("", True)
    assert printed_row(0.4896, 0.2) == ("", True)  # 0.490 to three decimals


def test_on_the_same_queries_a_difference_is_never_put_down_to_chance() -> None:
    text, agrees = printed_row(0.489, 0.2)
    assert not agrees
    assert text.startswith(f"{NET}: ours is lower by 0.011 at ndcg@10 (0.4")
    assert text.endswith("; the 95 % interval in brackets, over 100 queries, holds the printed figure. It stops early.")
    assert "over 100 queries, does not hold the printed figure." in printed_row(0.52, 0.001)[0]
    assert "chance" not in text + printed_row(0.52, 0.001)[0]
    values = np.full(10, 0.4)
    told = disagreements(findings(made(TABLE, {("ListMLE", "", "ndcg@10"): (values,), (NET, "", "ndcg@10"): (values,)})))
    assert [text.split(":")[0] for text in told] == ["ListMLE", NET, "The test queries are those of the printed figures"]
    assert told[2].endswith("not from the draw of queries.")


def test_of_a_collection_of_ones_own_nobody_says_that_it_is_the_papers() -> None:
    for folder, is_same in (("OHSUMED2", True), ("Shop", False), ("OHSUMED2-mine", False)):
        told = disagreements(findings(made(TABLE.replace('"OHSUMED2"', f'"{folder}"'), {("ListMLE", "", "ndcg@10"): ([0.3, 0.4],)})))
        assert told[0].startswith("ListMLE: ours is lower by 0.150")  # 0.350 less 0.500
        assert any("queries are those of the printed figures" in text for text in told) == is_same


def test_on_other_data_chance_is_named_where_the_interval_speaks_for_it() -> None:
    elsewhere = TABLE.replace('"OHSUMED2"', '"OHSUMED2"\nin_place_of = "MQ2007"')

    def told(mean: float, spread: float) -> tuple[str, ...]:
        values = mean + spread * np.tile([-1.0, 1.0], 50)
        return disagreements(findings(made(elsewhere, {("ListMLE", "", "ndcg@10"): (values,)})))

    (inside,), (outside,) = told(0.489, 0.2), told(0.489, 0.001)
    assert "holds the printed figure, so chance can explain it. The printed figures are of MQ2007, ours of OHSUMED2." in inside
    assert "does not hold the printed figure, so chance alone hardly explains it." in outside


def test_every_interval_stands_beside_its_measure() -> None:
    text = TABLE.replace('figures = { "ndcg@10" = 0.5 }', 'figures = { "ndcg@10" = 0.5, "wkt" = 0.5, "map" = 0.5 }', 1)
    text = text.replace('"wkt"]', '"wkt", "map"]')
    means = {"ndcg@10": 0.7, "wkt": 0.2, "map": 0.8}
    found = findings(made(text, {("ListMLE", "", measure): (np.full(9, mean),) for measure, mean in means.items()}))
    assert disagreements(found)[0].startswith(
        "ListMLE: ours is lower by 0.300 at wkt (0.200 to 0.200), and higher by 0.200 at ndcg@10 (0.700 to 0.700) "
        "and 0.300 at map (0.800 to 0.800); the 95 % intervals in brackets, over 9 queries, do not hold the printed figures."
    )


OTHERS = """[[rankers.printed]]
paper = "LETOR 2.0"
where = "publisher's table"
figures = { "ndcg@10" = 0.6 }
"""


def test_only_rows_of_the_papers_own_are_the_papers_and_a_ranker_has_one_sentence() -> None:
    values = {("ListMLE", "", "ndcg@10"): (np.full(9, 0.4),), (NET, "", "ndcg@10"): (np.full(9, 0.4),)}
    found = findings(made(TABLE.replace("[[claims]]", OTHERS + "[[claims]]"), values))  # of the second ranker
    assert [one.printed.paper for one in found.of_paper] == ["004", "004"]
    assert [text.split(":")[0] for text in disagreements(found)[:-1]] == ["ListMLE", NET]
    only = TABLE.replace('printed]]\npaper = "004"', 'printed]]\npaper = "LETOR 2.0"')
    found = findings(made(only, values))
    assert found.of_paper == ()
    assert disagreements(found)[0].startswith("ListMLE against LETOR 2.0: ours is lower by 0.100")


def claim(gain: float, spread: float) -> str:
    base, wobble = np.linspace(0.2, 0.7, 40), spread * np.tile([-1.0, 1.0], 20)
    cells = {("ListMLE", "", "ndcg@10"): (base,), (NET, "", "ndcg@10"): (base + gain + wobble,)}
    return findings(made(TABLE, cells)).claims[0].verdict


def test_a_claim_agrees_if_sign_and_significance_do() -> None:
    assert claim(0.05, spread=0.001) == "agrees"
    assert claim(-0.05, spread=0.001) == "opposite"
    assert claim(0.005, spread=0.1) == "same sign, but within chance"
    assert claim(-0.005, spread=0.1) == "opposite sign, but within chance"
    assert claim(0.0, spread=0.0) == "no difference"
    assert claim(0.0, spread=0.1) == "no difference"  # the means are equal but for rounding errors


@pytest.mark.parametrize("values", [[0.1, np.nan], [np.nan, np.nan]])
def test_a_claim_needs_two_shared_queries(values: list[float]) -> None:
    found = findings(made(TABLE, {("ListMLE", "", "ndcg@10"): ([0.1, 0.2],), (NET, "", "ndcg@10"): (values,)}))
    assert found.claims == ()
    assert f"the claim of paper 003 on {NET} and ListMLE by ndcg@10 cannot be looked at here" in found.missing


def test_a_claim_is_told_with_both_figures_and_both_data() -> None:
    found = findings(table_run(gain=0.045))
    text = claim_sentence(found.claims[0], found.config)
    assert text.startswith(
        f"Paper 003: {NET} is better by 4.13 % than ListMLE by ndcg@10 on MQ2007-list. Ours, on OHSUMED2 over 60 queries: +10.0 % (+"
    )
    assert text.endswith("p < 0.001: agrees.")


def test_what_the_rows_do_not_have_is_said() -> None:
    found = findings(made(TABLE, {("ListMLE", "", "ndcg@10"): ([0.1, 0.2],)}))
    assert found.missing == (
        f"{NET} has no ndcg@10 here; paper 004 prints 0.500",
        f"the claim of paper 003 on {NET} and ListMLE by ndcg@10 cannot be looked at here",
    )


def test_figures_are_of_other_data_where_the_config_says_so_and_never_by_its_prose() -> None:
    def config(data: DataSpec, *notes: str) -> Config:
        return Config("t", "", "", data, TruthSpec(), (), (), "map", "", notes=notes)

    assert other_data(config(DataSpec("MQ2008"))) == ""
    assert other_data(config(DataSpec("MQ2008", in_place_of="MQ2007"))) == "MQ2007"
    assert other_data(config(DataSpec(synthetic=Synthetic(), in_place_of="MQ2007"))) == "MQ2007"
    assert other_data(config(DataSpec(synthetic=Synthetic()))) == "another collection"
    assert other_data(config(DataSpec("MQ2008"), "Not the data of the paper: MQ2008 stands in for MQ2007.")) == ""
    found = findings(made(TABLE.replace('title = "Paper 004, Table 4', 'title = "Paper 002'), {("ListMLE", "", "ndcg@10"): ([0.3, 0.4],)}))
    assert [one.printed.paper for one in found.of_paper] == ["004"]


def test_a_curve_is_flat_from_the_first_point_that_is_as_good_as_the_best_and_may_fall() -> None:
    first, second = findings(curve_run()).curves
    assert (first.peak, first.good_from, first.good_to, first.is_falling) == ("10", "10", "100", True)
    assert (second.peak, second.good_from, second.is_flat, second.is_falling) == ("full", "full", True, False)
    assert (
        curve_sentence(first, "k")
        == "ListMLE, ndcg@10: best at 10 (0.500); as good from 10 to 100, then it falls to 0.400 at full (−0.100)."
    )
    assert curve_sentence(second, "k") == "RankNet, ndcg@10: best at full (0.450); no other point is as good."
    near = findings(curve_run({"ListMLE": (0.3, 0.497, 0.5, 0.499)})).curves[0]  # within 0.005 of the best
    assert (near.peak, near.good_from, near.is_flat, near.is_falling) == ("100", "10", True, False)
    assert curve_sentence(near, "k") == "ListMLE, ndcg@10: best at 100 (0.500); flat from 10 on."


def test_a_curve_with_a_dip_after_its_best_point_is_not_flat() -> None:
    dip = findings(curve_run({"ListMLE": (0.3, 0.5, 0.4, 0.499)})).curves[0]
    assert (dip.peak, dip.good_from, dip.good_to, dip.is_flat, dip.is_falling) == ("10", "10", "10", False, False)
    assert curve_sentence(dip, "k") == (
        "ListMLE, ndcg@10: best at 10 (0.500); no point beside it is as good, then it falls to 0.400 at 100 (−0.100); "
        "the end is as good again (0.499 at full)."
    )


def test_a_point_that_differs_by_chance_only_is_as_good_as_the_best() -> None:
    noise = np.random.default_rng(1).normal(0, 0.3, (4, 30))
    cells = {("ListMLE", point, "ndcg@10"): (0.5 + noise[place],) for place, point in enumerate(("1", "10", "100", "full"))}
    curve = findings(made(CURVE, cells)).curves[0]
    assert curve.spread > 0.02
    assert curve.good_from == "1"
    assert curve.is_flat
    assert not curve.is_falling


def test_the_spread_of_a_balance_curve_is_printed() -> None:
    text = CURVE.replace('over = "k"', 'over = "balance"').replace('[1, 10, 100, "full"]', "[0.0, 0.5, 1.0]")
    text = text.replace('algorithm = "listmle"', 'algorithm = "focused-net"')
    cells = {("ListMLE", point, "ndcg@10"): ([mean, mean],) for point, mean in (("0", 0.4), ("0.5", 0.5), ("1", 0.45))}
    curve = findings(made(text, cells)).curves[0]
    assert curve.variation == pytest.approx(np.sqrt(((0.4 - 0.45) ** 2 + 0.05**2 + 0) / 3) / 0.45)
    assert curve_sentence(curve, "balance") == (
        "ListMLE, ndcg@10: best at 0.5 (0.500); from 0.400 to 0.500, a spread of 0.100; "
        "the standard deviation over points is 9.1 % of their mean."
    )
