"""Labelling training queries with a judge who may err, within a budget."""

from __future__ import annotations

import math

import numpy as np
import pytest

from podium import DataError, Dataset, synthetic, truth
from podium.assessors.oracle import noise_for_accuracy
from podium.errors import UnknownName
from podium.experiments.spending import Spent, labelled, within
from podium.labelling import STRATEGIES

PAIRWISE = [name for name, entry in STRATEGIES.items() if not entry.asks_grades]
DATA = synthetic(queries=4, documents=12, features=3, seed=2)


@pytest.mark.parametrize("strategy", [name for name in PAIRWISE if name != "active"])
def test_a_judge_who_never_errs_gives_the_true_top_k(strategy: str) -> None:
    spent = labelled(DATA, strategy=strategy, accuracy=1.0, k=3, seed=0)
    assert spent.data.labels.tolist() == truth.top_k(DATA.labels, DATA.offsets, 3, seed=0).tolist()
    assert np.array_equal(spent.data.features, DATA.features)


@pytest.mark.parametrize("strategy", PAIRWISE)
def test_no_strategy_asks_fewer_questions_than_can_tell_the_top_k_of_n(strategy: str) -> None:
    """Each of the n! / (n - k)! outcomes is possible, and an answer halves them at best; the worst of many queries needs that many."""
    data = synthetic(queries=2, documents=8, features=2, seed=0)
    costs = labelled(data, strategy=strategy, accuracy=1.0, k=2, seed=0).costs
    assert len(costs) == 2
    assert costs.max() >= math.log2(8 * 7)


def test_two_documents_take_one_judgment() -> None:
    pair = Dataset.from_arrays(np.zeros((2, 1)), [1.0, 2.0])
    spent = labelled(pair, strategy="tournament", accuracy=1.0, k=1, seed=0)
    assert (spent.costs.tolist(), spent.data.labels.tolist()) == ([1], [0.0, 1.0])


def test_a_judge_is_right_about_a_pair_as_often_as_the_bradley_terry_model_says() -> None:
    """A task of two documents is one comparison, so its outcome shows how often the better one wins."""
    queries = 4000
    pairs = Dataset.from_arrays(np.zeros((2 * queries, 1)), np.tile([2.0, 1.0], queries), np.repeat(np.arange(queries), 2))
    won = labelled(pairs, strategy="heap", accuracy=0.8, k=1, seed=0).data.labels[::2].mean()
    assert abs(won - 0.8) < 4 * math.sqrt(0.8 * 0.2 / queries)
    assert noise_for_accuracy([1.0, 2.0], 0.8) == pytest.approx(1 / math.log(4))  # 1 / (1 + e^(-1 / noise)) = 0.8


def test_less_accurate_judges_find_fewer_of_the_best() -> None:
    data = synthetic(queries=30, documents=40, features=2, seed=0)
    best = data.top_k(5).labels > 0
    found = [(labelled(data, strategy="insertion", accuracy=a, k=5, seed=0).data.labels[best] > 0).mean() for a in (1.0, 0.9, 0.6)]
    assert 1.0 == found[0] > found[1] > found[2]


def test_a_query_is_labelled_the_same_whatever_stands_beside_it() -> None:
    whole = labelled(DATA, strategy="heap", accuracy=0.7, k=3, seed=5)
    alone = labelled(DATA.select_queries([2]), strategy="heap", accuracy=0.7, k=3, seed=5)
    assert alone.data.labels.tolist() == whole.data.select_queries([2]).labels.tolist()
    assert alone.costs.tolist() == whole.costs[2:3].tolist()


def test_queries_of_one_order_are_judged_with_luck_of_their_own() -> None:
    same = Dataset.from_arrays(np.zeros((400, 1)), np.tile(np.arange(20.0, 0, -1), 20), np.repeat(np.arange(20), 20))
    labels = labelled(same, strategy="heap", accuracy=0.7, k=3, seed=0).data.labels.reshape(20, 20)
    assert len(np.unique(labels, axis=0)) > 10


def test_another_seed_is_another_judge() -> None:
    one, other = (labelled(DATA, strategy="heap", accuracy=0.7, k=3, seed=seed) for seed in (0, 1))
    assert one.data.labels.tolist() != other.data.labels.tolist()


def test_what_is_labelled_once_does_not_change_when_its_labels_are_changed() -> None:
    """Results are kept; a caller must not be able to spoil them."""
    first = labelled(DATA, strategy="heap", accuracy=1.0, k=3, seed=0)
    kept = first.data.labels.tolist()
    first.data.labels[:] = 7.0
    assert labelled(DATA, strategy="heap", accuracy=1.0, k=3, seed=0).data.labels.tolist() == kept


def test_with_fewer_than_k_documents_the_best_still_has_label_k() -> None:
    short = Dataset.from_arrays(np.zeros((3, 1)), [1.0, 3.0, 2.0])
    found = labelled(short, strategy="insertion", accuracy=1.0, k=10, seed=0).data.labels
    assert found.tolist() == truth.top_k(short.labels, short.offsets, 10, seed=0).tolist() == [8.0, 10.0, 9.0]


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"strategy": "graded"}, DataError, "asks for grades.*choose from heap"),
        ({"strategy": "bubble"}, UnknownName, "bubble.*choose from"),
        ({"accuracy": 0.5}, DataError, "above 0.5"),
        ({"accuracy": 1.1}, DataError, "at most 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(changed: dict[str, object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        labelled(DATA, **{"strategy": "heap", "accuracy": 1.0, "k": 3, "seed": 0, **changed})  # type: ignore[arg-type]


def test_equal_labels_are_refused_with_the_query() -> None:
    graded = Dataset.from_arrays(np.zeros((4, 1)), [2.0, 1.0, 1.0, 1.0], ["a", "a", "b", "b"])
    with pytest.raises(DataError, match=r"query b.*full order"):
        labelled(graded, strategy="heap", accuracy=1.0, k=1, seed=0)


SPENT = Spent(Dataset.from_arrays(np.arange(4.0)[:, None], np.ones(4), ["a", "b", "c", "d"]), np.array([10, 20, 30, 40]))


def paid_for(budget: int, seed: int = 0) -> tuple[set[str], int]:
    data, judgments = within(SPENT, budget, seed)
    return set(data.query_ids), judgments


def test_a_budget_pays_for_queries_until_the_next_one_would_go_over_it() -> None:
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(4).tolist()
        costs = [(10, 20, 30, 40)[query] for query in order]
        two = costs[0] + costs[1]
        expected = {"abcd"[query] for query in order[:2]}
        assert paid_for(two, seed) == paid_for(two + costs[2] - 1, seed) == (expected, two)
        assert paid_for(two - 1, seed) == ({"abcd"[order[0]]}, costs[0])


def test_more_than_enough_pays_for_all_of_them_in_their_old_order() -> None:
    data, judgments = within(SPENT, 1000, 3)
    assert (list(data.query_ids), judgments) == (["a", "b", "c", "d"], 100)


def test_orders_of_queries_hang_on_the_seed() -> None:
    assert len({frozenset(paid_for(50, seed)[0]) for seed in range(10)}) > 1


def test_a_budget_for_nothing_is_refused_and_says_what_would_do() -> None:
    with pytest.raises(DataError, match=r"budget of 9 judgments pays for no training query; the first one takes [1-4]0; raise"):
        within(SPENT, 9, 0)
