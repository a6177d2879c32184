"""Agreement with the outside: LETOR's published figures, trec_eval, SciPy."""

from __future__ import annotations

import csv
import functools
import math
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from tests.measures.strategies import Lists, rankings

import podium
from podium.measures import evaluate, get, mean

LETOR4 = {"MAP": "map", "MeanNDCG": "mean-ndcg[letor]"}
LETOR4 |= {f"P@{rank}": f"p@{rank}" for rank in range(1, 11)}
LETOR4 |= {f"NDCG@{rank}": f"ndcg@{rank}[letor4]" for rank in range(1, 11)}

Printed = dict[tuple[str, str], str]  # (query or "Average", column) to the figure as printed


def read_eval(path: Path) -> Printed:
    """Two tables in one file, each with a line of columns before its queries."""
    figures: Printed = {}
    for cells in (line.split("\t") for line in path.read_text().splitlines() if line.strip()):
        if cells[0] == "qid":
            columns = [cell.strip() for cell in cells[1:]]
        else:
            figures |= {(cells[0], column): cell for column, cell in zip(columns, cells[1 : 1 + len(columns)], strict=True)}
    return figures


@functools.cache
def mq2008(home: Path, fold: str) -> podium.Dataset:
    return podium.read_letor(home / "MQ2008" / fold / "test.txt")


def computed(data: podium.Dataset, scores: np.ndarray) -> Printed:
    values = evaluate(list(LETOR4.values()), scores, data.labels, data.offsets)
    queries = [str(query) for query in data.query_ids]
    return {
        (query, column): f"{value:.4f}"
        for column, name in LETOR4.items()
        for query, value in zip([*queries, "Average"], [*values[name], mean(values[name])], strict=True)
    }


def test_every_figure_of_letor_4s_own_evaluations_is_reproduced_as_printed(benchmark_data: Path) -> None:
    files = sorted((benchmark_data / "measures" / "MQ2008").glob("*.eval.txt"))
    assert len(files) == 20
    n_figures = 0
    for file in files:
        data = mq2008(benchmark_data, file.name.split(".")[1])
        scores = np.loadtxt(file.with_name(file.name.replace(".eval.", ".scores.")))
        published = read_eval(file)
        assert {query for query, _ in published} == {*map(str, data.query_ids), "Average"}
        assert published == computed(data, scores)
        n_figures += len(published)
    assert n_figures == 69_432


@functools.cache
def ohsumed(home: Path) -> podium.Dataset:
    return podium.read_letor(*(home / "OHSUMED2" / f"Fold{fold}" / "test.txt" for fold in range(1, 6)))


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("NDCG", [f"ndcg@{rank}[letor]" for rank in range(1, 11)]),
        ("Precision", [*(f"p@{rank}" for rank in range(1, 11)), "map"]),
    ],
)
def test_the_publishers_table_of_single_features_is_reproduced(benchmark_data: Path, table: str, names: list[str]) -> None:
    data = ohsumed(benchmark_data)
    with (benchmark_data / "measures" / "OHSUMED2" / f"SingleFeatures_OHSUMED__{table}.csv").open() as file:
        rows = [row for row in csv.reader(file) if row[0].replace(".", "").isdigit()]
    assert [float(row[0]) for row in rows] == list(range(1, data.features.shape[1] + 1))
    for feature, row in enumerate(rows):
        values = evaluate(names, data.features[:, feature], data.labels, data.offsets)
        published = [float(cell) for cell in row[1 : 1 + len(names)]]
        assert [mean(values[name]) for name in names] == pytest.approx(published, rel=0, abs=1e-12)


TREC = {
    "map": "map", "ndcg": "ndcg[gain=linear]", "ndcg_cut_10": "ndcg@10[gain=linear]", "P_10": "p@10", "recall_10": "recall@10",
    "recip_rank": "mrr", "bpref": "bpref", "map_cut_5": "map@5",
}  # fmt: skip


@st.composite
def runs(draw) -> Lists:
    """Judged or not, retrieved or not, never neither; scores are distinct, because trec_eval breaks ties by document id."""
    queries = []
    for n in draw(st.lists(st.integers(1, 25), min_size=1, max_size=3)):
        scores = [float(place) for place in draw(st.permutations(range(n)))]
        kinds = draw(st.lists(st.sampled_from(["both", "both", "not judged", "not retrieved"]), min_size=n, max_size=n))
        labels = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=n, max_size=n))
        kinds[0] = "both"  # trec_eval leaves out queries of which nothing is judged, or nothing retrieved
        scores = [-math.inf if kind == "not retrieved" else score for score, kind in zip(scores, kinds, strict=True)]
        queries.append((scores, [math.nan if kind == "not judged" else label for label, kind in zip(labels, kinds, strict=True)]))
    return Lists.of(queries)


def trec_eval(lists: Lists) -> list[dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number, query in enumerate(lists.queries()):
        documents = [f"d{row}" for row in range(len(query.scores))]
        run[f"q{number}"] = {name: s for name, s in zip(documents, query.scores.tolist(), strict=True) if s > -math.inf}
        qrels[f"q{number}"] = {name: int(y) for name, y in zip(documents, query.labels.tolist(), strict=True) if not math.isnan(y)}
    wanted = {"map", "ndcg", "ndcg_cut.10", "P.10", "recall.10", "recip_rank", "bpref", "map_cut.5"}
    values = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    return [values[f"q{number}"] for number in range(len(lists.offsets) - 1)]


@given(lists=runs())
def test_trec_eval_computes_the_same(lists: Lists) -> None:
    theirs = trec_eval(lists)
    for their_name, our_name in TREC.items():
        tolerance = 1e-6 if their_name == "bpref" else 1e-12  # trec_eval adds bpref up in single precision
        assert get(our_name)(*lists).tolist() == pytest.approx([values[their_name] for values in theirs], rel=0, abs=tolerance), our_name


@given(lists=rankings(max_queries=1, min_documents=2, max_documents=30))
def test_scipy_computes_the_same_tau_b(lists: Lists) -> None:
    theirs = kendalltau(lists.scores, lists.labels, variant="b").statistic
    assert get("tau")(*lists)[0] == pytest.approx(theirs, rel=0, abs=1e-12, nan_ok=True)
