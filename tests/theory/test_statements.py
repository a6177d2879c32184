"""The table of claims: each comes out as it is known to, and the known counterexamples are the hand-made ones."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from podium.losses import LOSSES, get
from podium.reports.theory_text import claim_rows, verdict
from podium.theory import STATEMENTS, Bench, Cell, check_all, judge, keys
from podium.theory.consistency import _meets_premise, risk_10, space_10
from podium.theory.cost_bounds import Graded, weighted_pairs
from podium.theory.facts import Statement
from podium.theory.likelihoods import totals
from podium.theory.lists import Lists
from podium.theory.risks import smallest_risk
from podium.theory.running import Report
from podium.theory.sensitivity import failures
from podium.theory.sufficiency import ndcg_loss, tau_of
from podium.theory.survey import Key, Mistake, look
from podium.theory.verdicts import KNOWN, is_as_known

ALONE = [statement for statement in STATEMENTS if not statement.needs_cells]
PAGE = Path(__file__).parents[2] / "docs" / "theory.md"


def test_ids_are_unique() -> None:
    assert len({statement.id for statement in STATEMENTS}) == len(STATEMENTS) >= 25


@pytest.mark.parametrize("statement", ALONE, ids=lambda one: one.id)
@pytest.mark.parametrize("seed", [0, 7])
def test_a_claim_comes_out_as_it_is_known_to(statement: Statement, seed: int) -> None:
    found = statement.check(Bench(seed, trials=400), ())
    assert found.holds == statement.is_known_to_hold, found.counterexample
    assert found.trials >= 100


def test_two_documents_that_overtake_break_theorem_2_part_2() -> None:
    # α(1) = (2^2 - 1) / log2 2 = 3, overtaken twice; the loss is ln(1 + 2 e^(1/4)), and 2 > ln(1 + 2 e^(1/4)) / ln 2 as 2 > ln 3 / ln 2
    report = check_all(Bench(trials=7000), only=["000-theorem-2-2"])
    (_, found) = report.outcomes[0]
    assert 2 > math.log(1 + 2 * math.exp(0.25)) / math.log(2) > math.log(3) / math.log(2)
    assert found.counterexample == f"n = 3, k = 1, scores (0, 0.25, 0.25): 6 > {3 * math.log(1 + 2 * math.exp(0.25)) / math.log(2):.4g}"
    (share,) = re.findall(r"broken by ([\d.]+) %", found.remark)
    assert 5 <= float(share) <= 20
    assert claim_rows(report)[0][4] == "fails, as known"
    assert report.surprises == []


def test_eq_15_and_tau_by_hand() -> None:
    # three documents, the best ranked last: its gain 3 at rank 3, the second's gain 1 at rank 1; k = 2
    lists = Lists(2, np.array([[0.0, 2.0, 1.0]]))
    ideal = 3 / math.log2(2) + 1 / math.log2(3)
    assert ndcg_loss(lists)[0] == pytest.approx(1 - (3 / math.log2(4) + 1 / math.log2(2)) / ideal)
    assert tau_of(lists)[0] == pytest.approx(2 * 3 / math.log2(2))


def test_the_constant_of_paper_002_by_hand() -> None:
    # labels 1, 1, 0 and k = 1: both have ĝ = 1, c = 1 / (2 ln 2), DCG_ĝ = 2; C1 = 2 / log2 2, and one pair of equal labels weighs c + c
    graded = Graded(np.array([1.0, 1.0, 0.0]), 1, np.array([[0.0, 0.0, 1.0]]))
    c = 1 / (2 * math.log(2))
    assert graded.constant == pytest.approx((2 + 2 * c) / 2)
    assert weighted_pairs(graded)[0] == pytest.approx(2 * c / 2)  # both lose against the third, whose own cost is 0


@pytest.mark.parametrize(("name", "total"), [("hom-gg", 2.0), ("hom-oo", 3 / 4), ("hom-og", 3 / 4)])
def test_what_the_models_of_paper_003_sum_to_for_equal_scores(name: str, total: float) -> None:
    # n = 3, k = 2: three sets T; GG 2/3 each; OO two pairs won, 1/4 each; OG two draws of one from two, 1/4 each
    assert totals(get(name, k=2), np.zeros((1, 3)), 2)[0] == pytest.approx(total)


@pytest.fixture(scope="module")
def cells() -> tuple[Cell, ...]:
    chosen = (
        "listmle",
        "top-k-listmle",
        "rankcosine",
        "listnet",
        "listnet-exact",
        "top-k-rankcosine",
        "top-k-listnet",
        "hom-gg",
        "map-hinge",
    )
    return tuple(judge(Bench(), key) for key in keys(chosen) if key.n <= 3)


@pytest.mark.parametrize("statement", [one for one in STATEMENTS if one.needs_cells], ids=lambda one: one.id)
def test_a_claim_of_paper_004_comes_out_as_it_is_known_to(statement: Statement, cells: tuple[Cell, ...]) -> None:
    found = statement.check(Bench(), cells)
    assert found.holds == statement.is_known_to_hold, found.counterexample
    assert found.trials > 0


def test_losses_on_short_lists_come_out_as_known(cells: tuple[Cell, ...]) -> None:
    assert [cell.key for cell in cells if not is_as_known(cell)] == []
    answers = {(cell.key.loss, cell.key.kind, cell.key.n, cell.key.k): (cell.sensitivity, cell.mistake is None) for cell in cells}
    assert answers["listmle", "full", 3, 1] == ("2=", False)
    assert answers["listmle", "top-k", 3, 1] == ("yes", True)
    assert answers["map-hinge", "top-k", 3, 1] == ("~yes", False)
    assert answers["map-hinge", "full", 3, 1] == ("2>", False)  # all relevant: the loss is 0 everywhere


def test_hom_gg_is_neither_order_sensitive_nor_consistent_for_three_of_four() -> None:
    cell = judge(Bench(), Key("hom-gg", "top-k", 4, 3))
    assert (cell.sensitivity, cell.consistency) == ("2≥", "no")
    # y = (2 3 1 | 4) against (2 3 4 | 1): only lse of places 2 and 3 differs, ln(1 + 1) against ln(1 + e^½); the better top is the dearer
    everything = math.log(3 + math.exp(0.5))
    assert cell.failure is not None
    assert f"{everything + math.log(2):.5g} against {everything + math.log(1 + math.exp(0.5)):.5g}" in cell.failure.example


def test_hom_og_is_neither_order_sensitive_nor_consistent_for_three_of_five() -> None:
    def plain(order: list[int]) -> float:
        """Order inside the top, then each of the top against the rest."""
        top, rest, g = order[:3], order[3:], [0.0, 0.0, 0.0, 1.0, 4.0]
        weigh = lambda some: sum(math.exp(g[document - 1]) for document in some)
        inside = sum(math.log(weigh(top[place:])) - g[top[place] - 1] for place in range(3))
        return inside + sum(math.log(weigh([one, *rest])) - g[one - 1] for one in top)

    left, right = plain([2, 3, 1, 4, 5]), plain([2, 3, 4, 1, 5])  # document 4 has the higher score, and costs more
    assert (round(left, 4), round(right, 4)) == (13.9894, 14.0025)
    (_, found) = check_all(Bench(), only=["003-og-order"]).outcomes[0]
    assert found.counterexample == f"k = 3, n = 5, g = (0, 0, 0, 1, 4), documents 1 and 4, y = (2 3 1 4 5): {left:.5g} against {right:.5g}"
    cell = judge(Bench(), Key("hom-og", "top-k", 5, 3))
    assert (cell.sensitivity, cell.consistency) == ("2≥", "no")


def test_focused_net_with_much_weight_inside_the_top_fails_for_three_documents() -> None:
    (_, found) = check_all(Bench(), only=["001-balance"]).outcomes[0]
    assert found.counterexample.startswith("balance 0.7, k = 2, n = 3, ")


@pytest.mark.parametrize("k", [3, 4])
def test_hom_gg_is_not_order_sensitive_for_three_or_four_of_five(k: int) -> None:
    failure = failures(look(Bench(), Key("hom-gg", "top-k", 5, k)))[k - 1]
    assert failure is not None
    assert failure.clause == "2≥"


def test_proposition_10_is_about_losses_that_tell_the_last_two_apart() -> None:
    # at k = 1 both orders have the same top, so such a loss need not, and top-1 ListMLE does not
    assert _meets_premise(Bench(), Key("listmle", "full", 3, 3))
    assert not _meets_premise(Bench(), Key("top-k-listmle", "top-k", 3, 1))


def test_proposition_10_by_its_own_numbers() -> None:
    assert space_10(0.4).tolist() == pytest.approx([0.4, 0, 0.3, 0, 0, 0.3])
    risk = risk_10(Bench(), Key("listmle", "full", 3, 3), 0.35)
    least = smallest_risk(risk, is_scale_free=False)
    assert np.abs(risk(least.scores)[1]).max() < 1e-6
    assert least.scores[1] > least.scores[0]  # though document 1 is the likeliest to be first
    assert risk(least.scores[[1, 0, 2]])[0] > least.risk


def test_known_answers_cover_every_loss_of_the_table() -> None:
    assert set(KNOWN) == {(key.loss, key.kind) for key in keys()}
    assert {loss for loss, _ in KNOWN} == set(LOSSES)
    assert all(len(line.split()) == 14 for lines in KNOWN.values() for line in lines)


def test_a_search_that_misses_is_no_surprise_but_a_mistake_of_a_consistent_loss_is() -> None:
    searched, sound = judge(Bench(), Key("hom-gg", "top-k", 4, 3)), judge(Bench(), Key("hom-oo", "top-k", 3, 1))
    assert is_as_known(replace(searched, mistake=None))
    assert is_as_known(sound)
    assert not is_as_known(replace(sound, mistake=Mistake("wrong", is_tie=True)))
    assert not is_as_known(replace(judge(Bench(), Key("pairwise-hinge", "top-k", 3, 1)), mistake=None))  # its ties need no search


def test_a_surprise_is_said_both_ways() -> None:
    statement = ALONE[0]
    broken = check_all(Bench(trials=100), only=["000-theorem-2-2"]).outcomes[0][1]
    assert verdict(statement, broken) == "fails, though it is known to hold"
    assert "known to fail" in verdict(next(one for one in ALONE if not one.is_known_to_hold), statement.check(Bench(trials=100), ()))


def test_what_was_tried_on_nothing_does_not_hold() -> None:
    """A claim about order-sensitive losses, and no loss that is one."""
    statement = next(one for one in STATEMENTS if one.id == "004-proposition-5")
    found = statement.check(Bench(), ())
    assert (found.trials, verdict(statement, found)) == (0, "not tried, nothing meets its premise")
    assert Report(((statement, found),), ()).surprises == ["004-proposition-5"]


def test_trials_are_what_a_claim_looks_at(cells: tuple[Cell, ...]) -> None:
    """Two documents: lattices of 6 and 4 values, 20 drawn scorings both ways; 6^2 + 4^2 + 40 scorings, 6 + 4 of them ties; two orders."""
    cell = next(one for one in cells if (one.key.loss, one.key.n, one.key.k) == ("top-k-listmle", 2, 1))
    assert (cell.values, cell.trials, cell.tied_trials) == (92 * 2, 92 * 2, 10 * 2)


def test_the_page_has_every_claim_and_every_loss() -> None:
    page = PAGE.read_text()
    for statement in STATEMENTS:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{statement.id}` |"))
        assert statement.text.replace("|", "\\|") in row
        assert ("| holds |" in row) == statement.is_known_to_hold
    for loss, kind in KNOWN:
        assert page.count(f"| `{loss}` | {kind} |") == 2
