"""Of some measures less is better: whatever a report says of more, it says of less where that is so."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reports.experiment_runs import CURVE, TABLE, Run, made

from podium.reports.experiments.charts import curve_charts, win_loss_charts
from podium.reports.experiments.claims import ClaimFinding
from podium.reports.experiments.findings import findings
from podium.reports.experiments.sentences import curve_sentence
from podium.reports.experiments.summary import summary_table
from podium.reports.experiments.tables import results
from podium.reports.figures import curve_svg
from podium.results import compare

NET = "Rank_Net <x>"
MEASURES = {"ndcg@10": 1.0, "wkt": -1.0}
POINTS = ("1", "10", "100", "full")
MEANS = {"ListMLE": (0.3, 0.5, 0.498, 0.4), "RankNet": (0.2, 0.3, 0.4, 0.45)}
VALIDATION = {"ListMLE": (0.5, 0.5, 0.9, 0.5), "RankNet": (0.8, 0.5, 0.5, 0.5)}
CLAIM = '[[claims]]\npaper = "000"\nbetter = "RankNet"\nthan = "ListMLE"\nmeasure = "ndcg@10"\n'


def mirrored(measure: str) -> Run:
    """A run by a measure of which more is better, and its mirror image: all values negated, by a measure of which less is better."""
    sign, wobble = MEASURES[measure], 0.01 * np.sin(np.arange(20))
    cells = {
        (arm, point, measure): (sign * (mean + np.roll(wobble, 5 * place)),)
        for arm, line in MEANS.items()
        for place, (point, mean) in enumerate(zip(POINTS, line, strict=True))
    }
    validation = {(arm, point): sign * own for arm, line in VALIDATION.items() for point, own in zip(POINTS, line, strict=True)}
    return made((CURVE + CLAIM).replace("ndcg@10", measure), cells, validation=validation)


@pytest.mark.parametrize("measure", MEASURES)
def test_values_negated_by_a_measure_of_which_less_is_better_are_found_to_be_the_same(measure: str) -> None:
    found = findings(mirrored(measure))
    first, second = found.curves
    assert (first.peak, first.good_from, first.good_to, first.is_falling) == ("10", "10", "100", True)
    assert (second.peak, second.good_from, second.is_flat) == ("full", "full", True)
    assert found.points == {"ListMLE": "100", "RankNet": "1"}  # the best on validation queries
    entry = found.entries["RankNet", measure]
    assert (entry.mark, entry.is_best, found.entries["ListMLE", measure].is_best) == ("▼", False, True)
    assert found.claims[0].difference == pytest.approx(0.2 - 0.498)
    assert found.claims[0].verdict == "opposite"
    (chart,) = win_loss_charts(found)
    assert chart.title == "RankNet: 0 won, 0 tied, 20 lost"
    assert max(chart.differences) < 0


def test_a_curve_of_which_less_is_better_gets_worse_and_does_not_fall() -> None:
    told = curve_sentence(findings(mirrored("wkt")).curves[0], "k")
    assert told.endswith("as good from 10 to 100, then it gets worse, to -0.400 at full (+0.100).")


def test_heads_and_axes_say_that_less_is_better() -> None:
    for measure, head, axis in (("ndcg@10", "ndcg@10", "ndcg@10"), ("wkt", "wkt ↓", "wkt (smaller is better)")):
        found = findings(mirrored(measure))
        assert [table.head[-1] for table in results(found).tables] == [head, head]
        assert f">{axis}</text>" in curve_svg(curve_charts(found)[0])


@pytest.mark.parametrize(("measure", "best"), [("ndcg@10", "F best at 10 (0.610)"), ("wkt", "A best at 1 (0.100)")])
def test_of_more_than_five_curves_the_best_is_told_in_short(measure: str, best: str) -> None:
    text = CURVE.replace("ndcg@10", measure).replace('baseline = "ListMLE"', 'baseline = "A"')
    rankers = "".join(f'[[rankers]]\nname = "{name}"\nalgorithm = "listnet"\n' for name in "ABCDEF")
    text = text.split("[[rankers]]")[0] + rankers + "[curve]" + text.split("[curve]")[1]
    cells = {
        (arm, at, measure): ([mean + more] * 5,) for mean, arm in enumerate_tenths("ABCDEF") for at, more in (("1", 0.0), ("10", 0.01))
    }
    ((_, _, ours, _),) = summary_table([findings(made(text, cells))]).rows
    assert ours.text.startswith(f"{measure}, the best of 6 curves: {best}")


def enumerate_tenths(names: str) -> list[tuple[float, str]]:
    return [(place / 10, name) for place, name in enumerate(names, start=1)]


# ---- claims ----


def claimed(text: str, measure: str, better: float, than: float) -> ClaimFinding:
    """The finding on the first claim, with these means over 40 queries that hardly differ."""
    wobble = 0.01 * np.sin(np.arange(40))
    cells = {(NET, "", measure): (better + wobble,), ("ListMLE", "", measure): (than + np.roll(wobble, 7),)}
    return findings(made(text, cells)).claims[0]


def test_an_improvement_by_a_measure_of_which_less_is_better_is_positive_with_its_interval() -> None:
    text = TABLE.replace('measure = "ndcg@10"', 'measure = "wkt"')
    one = claimed(text, "wkt", better=0.4, than=0.5)
    assert one.percent == pytest.approx(20, abs=0.2)  # 100 (0.5 - 0.4) / 0.5
    assert 19 < one.low < one.percent < one.high < 21
    assert one.verdict == "agrees"
    assert claimed(text, "wkt", better=0.5, than=0.4).verdict == "opposite"


def test_a_claim_to_be_worse_agrees_where_ours_is_worse() -> None:
    worse = TABLE.replace("percent = 4.13", "percent = -4.13")
    assert claimed(worse, "ndcg@10", better=0.4, than=0.5).verdict == "agrees"
    assert claimed(worse, "ndcg@10", better=0.5, than=0.4).verdict == "opposite"


def test_p_values_of_claims_are_corrected_over_all_of_them() -> None:
    generator = np.random.default_rng(4)
    values = {measure: generator.normal([[more], [0.0]], 0.3, (2, 30)) for measure, more in (("ndcg@10", 0.15), ("wkt", 0.2))}
    cells = {(arm, "", measure): (own[row],) for measure, own in values.items() for row, arm in enumerate((NET, "ListMLE"))}
    text = f"{TABLE}[[claims]]{TABLE.split('[[claims]]')[1]}".replace('measure = "ndcg@10"', 'measure = "wkt"', 1)
    alone = {measure: compare(own[1], own[0]).randomisation for measure, own in values.items()}
    (small, least), (large, most) = sorted(alone.items(), key=lambda item: item[1])
    expected = {small: min(1.0, 2 * least), large: min(1.0, max(2 * least, most))}  # Holm, by its definition for two
    found = {one.claim.measure: one.p_value for one in findings(made(text, cells)).claims}
    assert found == pytest.approx(expected)
    assert most < 0.5
