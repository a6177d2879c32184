"""A loss or measure with one mistake is caught; the same plain code without the mistake is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.theory.wrong import bench_with, cs_listmle, hom_og, top_k_listmle

from podium.measures.ranking import Ranking
from podium.ragged import Floats
from podium.theory import Bench, Key, check_all
from podium.theory.cost_bounds import list_above_pairs
from podium.theory.sensitivity import failures
from podium.theory.sufficiency import lemma_1, theorem_2_pairwise
from podium.theory.survey import look


def test_a_flipped_sign_in_top_k_listmle_breaks_the_bound_on_ndcg() -> None:
    right, wrong = bench_with("top-k-listmle", top_k_listmle), bench_with("top-k-listmle", top_k_listmle, sign=1.0)
    assert check_all(right, only=["000-corrected"]).surprises == []
    report = check_all(wrong, only=["000-corrected"])
    assert report.surprises == ["000-corrected"]
    assert report.outcomes[0][1].counterexample.startswith("n = 2, k = 1, scores (")


@pytest.mark.parametrize(("name", "make"), [("top-k-listmle", top_k_listmle), ("hom-og", hom_og)])
def test_a_flipped_sign_breaks_definition_3(name: str, make: Any) -> None:
    key = Key(name, "top-k", 3, 2)
    right, wrong = (failures(look(bench_with(name, make, sign=sign), key))[1] for sign in (-1.0, 1.0))
    assert right is None
    assert wrong is not None
    assert "n = 3" in wrong.example


def test_a_flipped_sign_in_hom_og_is_no_longer_the_model_of_the_paper() -> None:
    assert check_all(bench_with("hom-og", hom_og), only=["003-normalised"]).surprises == []
    assert check_all(bench_with("hom-og", hom_og, sign=1.0), only=["003-normalised"]).surprises == ["003-normalised"]


@pytest.mark.parametrize(
    "mistake", [{"sign": -1.0}, {"base": np.e}, {"other": -1.0}], ids=["flipped sign", "missing 1 / ln 2", "c_j - c_t for c_j + c_t"]
)
def test_a_mistake_in_cs_listmle_breaks_its_bound_on_the_lattice(mistake: dict[str, float]) -> None:
    assert list_above_pairs(bench_with("cs-listmle", cs_listmle)).holds
    found = list_above_pairs(bench_with("cs-listmle", cs_listmle, **mistake))
    assert found.counterexample.startswith("n = 2, ")


def test_the_logistic_loss_without_its_factor_breaks_theorem_2() -> None:
    wrong = theorem_2_pairwise(Bench(trials=200), {"pairwise-logistic": 1.0})
    assert wrong.counterexample == f"n = 2, k = 1, scores (0, 0.25): 1 > {np.log1p(np.exp(0.25)):.4g}"


def test_a_tau_that_counts_ties_is_not_the_one_of_the_paper() -> None:
    def loose(ranking: Ranking, *, cutoff: int) -> Floats:
        out = np.zeros(ranking.n_queries)
        for query, begin in enumerate(ranking.offsets[:-1]):
            scores, labels = (part[begin : ranking.offsets[query + 1]] for part in (ranking.scores, ranking.labels))
            order = np.argsort(-labels, kind="stable")
            for j in range(cutoff):
                out[query] += (2.0 ** labels[order[j]] - 1) / np.log2(2.0 + j) * (scores[order[j]] <= scores[order[j + 1 :]]).sum()
        return out

    assert lemma_1(Bench(trials=100)).holds
    found = lemma_1(Bench(trials=100), loose)
    assert found.counterexample == "n = 2, k = 1, scores (0, 0): 1, but 0 in the order [1, 2]"
