"""What a dataset holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from podium import Dataset, read_letor, synthetic
from podium.summary import summarise


def test_counts_by_hand() -> None:
    data = Dataset.from_arrays(
        [[1, 5, 0.1], [1, 5, 0.2], [1, 6, np.nan], [1, 6, 0.3], [1, 6, 0.3]],
        y=[0, 2, 0, 0, 0], qid=["a", "a", "b", "b", "b"], document_ids=["x", "x", "x", "y", "z"],
    )  # fmt: skip
    facts = summarise(data)
    assert (facts.queries, facts.documents, facts.features) == (2, 5, 3)
    assert facts.documents_per_query == {"least": 2.0, "median": 2.5, "most": 3.0}
    assert facts.labels == {"0": 4, "2": 1}
    assert facts.blank_queries == facts.undecided_queries == 1
    assert facts.missing_values == 1
    assert facts.constant_features == ["f1"]
    assert facts.constant_within_queries == ["f2"]
    assert facts.duplicate_documents == 1
    assert facts.duplicate_ids == 1


def test_a_query_of_equal_positive_labels_is_undecided_but_not_blank() -> None:
    facts = summarise(Dataset.from_arrays(np.arange(4.0).reshape(-1, 1), y=[1, 1, 0, 1], qid=[1, 1, 2, 2]))
    assert (facts.undecided_queries, facts.blank_queries) == (1, 0)


def test_many_labels_are_summed_up_by_their_range() -> None:
    data = Dataset.from_arrays(np.zeros((30, 1)), y=np.arange(30), qid=np.ones(30))
    assert summarise(data).labels == {"0 … 29 (30 different)": 30}


def test_the_kind_of_truth_is_told() -> None:
    data = synthetic(4, 12, 3)
    assert summarise(data).truth == "full order"
    assert summarise(data.top_k(5)).truth == "top-5"
    assert summarise(data.top_k(20)).truth in ("top-20", "full order")
    assert summarise(data.with_labels(np.minimum(data.labels, 2))).truth == "graded"
    gap = np.where(data.labels > 8, data.labels - 7, 0)  # 5, 4, 3, 2 and no 1
    assert summarise(data.with_labels(gap)).truth == "graded"


def test_published_counts(benchmark_data: Path) -> None:
    facts = summarise(read_letor(*(benchmark_data / "OHSUMED2" / f"Fold{fold}" / "test.txt" for fold in range(1, 6))))
    assert (facts.queries, facts.documents, facts.features) == (106, 16_140, 25)
    assert set(facts.labels) == {"0", "1", "2"}
