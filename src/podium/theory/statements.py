"""STATEMENTS: every claim that is checked, one row each; the command, the page and the tests all read this table."""

from __future__ import annotations

from collections.abc import Callable

from podium.theory import consistency, cost_bounds, likelihoods, limits, sufficiency
from podium.theory.facts import Bench, Outcome, Statement
from podium.theory.survey import Cell

__all__ = ["STATEMENTS"]

Check = Callable[[Bench, tuple[Cell, ...]], Outcome]


def _alone(check: Callable[[Bench], Outcome]) -> Check:
    """A check that does not need the survey of all losses."""
    return lambda bench, _cells: check(bench)


STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "000-lemma-1",
        "000, Lemma 1",
        "Weighted Kendall's Tau is the same for every order of the documents below place k",
        _alone(sufficiency.lemma_1),
    ),
    Statement(
        "000-theorem-1", "000, Theorem 1", "1 − NDCG@k ≤ WKT / N_k (NDCG as in Eq. 15), scores all different", _alone(sufficiency.theorem_1)
    ),
    Statement(
        "000-theorem-1-ties",
        "000, Theorem 1",
        "the same with equal scores, ranked in any order",
        _alone(sufficiency.theorem_1_tied),
        "a tie that falls the wrong way costs NDCG, and WKT does not count it",
    ),
    Statement(
        "000-theorem-2-1",
        "000, Theorem 2 (1)",
        "WKT ≤ max α · pairwise loss: hinge, exponential, logistic to base 2",
        _alone(sufficiency.theorem_2_pairwise),
    ),
    Statement(
        "000-theorem-2-1-ln",
        "000, Theorem 2 (1)",
        "the same for the logistic loss in natural logarithms (Eq. 4)",
        _alone(sufficiency.theorem_2_natural),
        "φ(0) must be 1",
    ),
    Statement(
        "000-theorem-2-2",
        "000, Theorem 2 (2)",
        "WKT ≤ (max α / ln 2) · top-k ListMLE, as printed",
        _alone(sufficiency.theorem_2_listwise),
        "WKT counts m overtaking documents, the loss grows with ln(1 + m)",
    ),
    Statement(
        "000-corrected", "000, 5.3, corrected", "1 − NDCG@k ≤ (max α / (N_k ln 2)) · top-k ListMLE", _alone(sufficiency.corrected_bound)
    ),
    Statement("000-sharper", "ours", "1 − NDCG@k ≤ (max α / N_k) · top-k ListMLE", _alone(sufficiency.sharper_bound)),
    Statement(
        "000-settings",
        "000, 5.1",
        "hinge, exponential, logistic and ListMLE losses in the top-k setting ≤ those in the full-order setting",
        _alone(sufficiency.top_k_below_full),
    ),
    Statement(
        "001-balance",
        "ours",
        "FocusedNet is top-2 order sensitive on three documents whatever its balance",
        _alone(limits.focused_net),
        "where the order inside the top weighs much, a better document there makes it harder to explain by more than it saves in the rest",
    ),
    Statement(
        "002-section-3",
        "002, 3.2",
        "share of pairs lost ≤ mean log2(1 + e^z) ≤ log2(1 + mean e^z) ≤ −log2 h",
        _alone(cost_bounds.section_3),
    ),
    Statement("002-lemma-1", "002, Lemma 1", "NDCG@k loss ≤ weighted pair loss + C2, scores all different", _alone(cost_bounds.lemma_1)),
    Statement(
        "002-lemma-1-eq-2",
        "002, Lemma 1",
        "the same with equal scores that share the better rank, as Eq. 2 has it",
        _alone(cost_bounds.lemma_1_shared),
    ),
    Statement(
        "002-lemma-1-ties",
        "002, Lemma 1",
        "the same with equal scores, ranked in any order as our NDCG does",
        _alone(cost_bounds.lemma_1_tied),
        "I[f(x_j) < f(x_i)] does not count ties, and a tie that falls the wrong way costs NDCG",
    ),
    Statement("002-pairs", "002, Theorem 1", "weighted pair loss ≤ CS-ListMLE", _alone(cost_bounds.list_above_pairs)),
    Statement("002-theorem-1", "002, Theorem 1", "NDCG@k loss ≤ CS-ListMLE + C2, ties included", _alone(cost_bounds.theorem_1)),
    Statement(
        "003-gg",
        "003, Eq. 5",
        "HOM-GG over all top-k rankings sums to C(n−1, k−1), so to 1 after that constant factor",
        _alone(likelihoods.constant_gg),
    ),
    Statement(
        "003-oo",
        "003, Eq. 6",
        "HOM-OO needs a constant factor only: its sum does not depend on the scores",
        _alone(likelihoods.constant_oo),
        "the normaliser depends on the scores, so the loss is not exactly −ln P",
    ),
    Statement(
        "003-og",
        "003, Eq. 7",
        "HOM-OG needs a constant factor only: its sum does not depend on the scores",
        _alone(likelihoods.constant_og),
        "the normaliser depends on the scores for 1 < k < n, so the loss is not exactly −ln P",
    ),
    Statement(
        "003-normalised",
        "003, Eq. 4–8",
        "divided by their sums, GG, OO and OG are distributions, and the sets T have the chances of Eq. 5–7",
        _alone(likelihoods.normalised),
    ),
    Statement(
        "003-og-order",
        "ours",
        "HOM-OG is top-k order sensitive for every n and k",
        _alone(limits.hom_og),
        "next to a strong document in the rest, a better third one saves little there and makes the order inside the top harder to explain",
    ),
    Statement(
        "004-proposition-4",
        "004, Proposition 4",
        "an order-sensitive loss is the same on all orders of a top-k subgroup",
        consistency.proposition_4,
        needs_cells=True,
    ),
    Statement(
        "004-proposition-5",
        "004, Proposition 5",
        "at g_i = g_j slopes of an order-sensitive loss follow the truth",
        consistency.proposition_5,
        needs_cells=True,
    ),
    Statement(
        "004-theorem-6",
        "004, Theorem 6",
        "the risk of an order-sensitive loss is least at the top-k Bayes ranker (order preserving for n − 1 pairs)",
        consistency.theorem_6,
        needs_cells=True,
    ),
    Statement(
        "004-theorem-7",
        "004, Theorem 7",
        "a space that is order preserving for i, j has g_i > g_j at the least risk",
        consistency.theorem_7,
        needs_cells=True,
    ),
    Statement(
        "004-proposition-8", "004, Proposition 8", "top-k order preserving implies top-(k−1) order preserving", consistency.proposition_8
    ),
    Statement(
        "004-proposition-9",
        "004, Proposition 9",
        "top-k order sensitive implies top-(k+1) order sensitive",
        consistency.proposition_9,
        needs_cells=True,
    ),
    Statement(
        "004-proposition-10",
        "004, Proposition 10",
        "with p1 = 0.334, p2 = 0.333 every top-3 order-sensitive loss that has φ(g, (3 1 2)) < φ(g, (3 2 1)) for g_1 > g_2 "
        "misses the top-1 Bayes ranker",
        consistency.proposition_10,
        needs_cells=True,
    ),
    Statement(
        "004-proposition-10-all",
        "004, Proposition 10",
        "the same for every p1 > p2, as the wording could be read",
        consistency.proposition_10_always,
        "a large p1 puts document 1 first",
        needs_cells=True,
    ),
    Statement(
        "004-section-4.3",
        "004, 4.3",
        "top-k ListMLE, RankCosine and cross entropy on top-k labels are top-k order sensitive",
        consistency.section_4_3,
        needs_cells=True,
    ),
    Statement(
        "004-permutations",
        "004, 4.2–4.3",
        "ListMLE, RankCosine and ListNet on full orders are order sensitive for k ≥ n − 1 and for no smaller k",
        consistency.permutation_level,
        needs_cells=True,
    ),
    Statement(
        "004-footnote-4",
        "004, footnote 4",
        "cross entropy of Luce's top-k chances on full orders, tried in its top-one form (ListNet), is permutation-level order sensitive, "
        "but not top-k order sensitive for k < n − 1",
        consistency.footnote_4,
        needs_cells=True,
    ),
)
