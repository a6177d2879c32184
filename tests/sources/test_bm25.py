"""BM25 against the formula, slowly."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import DataError
from podium.pool import Document
from podium.sources.bm25 import bm25_run, terms

WORDS = st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join)


def score_by_the_formula(query: str, text: str, texts: list[str], k1: float, b: float) -> float:
    mean = sum(len(each.split()) for each in texts) / len(texts)
    total = 0.0
    for term in query.split():
        holding = sum(term in each.split() for each in texts)
        times = text.split().count(term)
        if times:
            idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            total += idf * times / (times + k1 * (1 - b + b * len(text.split()) / mean))
    return total


@given(query=WORDS, texts=st.lists(WORDS, min_size=1, max_size=6), k1=st.sampled_from([0.0, 0.9, 1.2]), b=st.sampled_from([0.0, 0.4, 1.0]))
def test_scores_are_those_of_the_formula_best_first(query: str, texts: list[str], k1: float, b: float) -> None:
    documents = [Document(str(number), text=text) for number, text in enumerate(texts)]
    expected = {str(number): score_by_the_formula(query, text, texts, k1, b) for number, text in enumerate(texts)}
    found = bm25_run({"q": query}, documents, k1=k1, b=b).scores["q"]
    assert found == pytest.approx({document: score for document, score in expected.items() if score > 0})
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_one_score_worked_by_hand() -> None:
    documents = [Document("x", title="Wing", text="wing flutter"), Document("y", text="heat")]  # lengths 3 and 1, mean 2
    found = bm25_run({"q": "wing"}, documents).scores["q"]
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert found == pytest.approx({"x": idf * 2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))})


def test_equal_scores_keep_the_order_of_the_documents_and_depth_cuts_behind_it() -> None:
    documents = [Document(name, text="same words") for name in "dbca"] + [Document("z", text="others")]
    run = bm25_run({"1": "words", "2": "words words", "3": "nothing of the kind"}, documents, depth=3)
    assert {query: list(scores) for query, scores in run.scores.items()} == {"1": list("dbc"), "2": list("dbc"), "3": []}
    assert run.scores["2"]["d"] == pytest.approx(2 * run.scores["1"]["d"])  # a term said twice counts twice


def test_terms_are_letters_and_digits_in_lower_case() -> None:
    assert terms("Zürich's re_entry, MACH-5.2") == ["zürich", "s", "re", "entry", "mach", "5", "2"]


def test_no_documents_give_no_ranking_and_empty_ones_do_not_divide_by_nothing() -> None:
    assert bm25_run({"1": "words"}, []).scores == {}
    assert bm25_run({"1": "words"}, [Document("x")]).scores == {"1": {}}


@pytest.mark.parametrize(("options", "message"), [
    ({"k1": -1.0}, "BM25 needs k1 >= 0 and b from 0 to 1, got k1=-1.0 and b=0.75"),
    ({"b": 1.5}, "BM25 needs k1 >= 0 and b from 0 to 1, got k1=1.2 and b=1.5"),
    ({"b": math.nan}, "BM25 needs k1 >= 0 and b from 0 to 1, got k1=1.2 and b=nan"),
    ({"depth": 0}, "depth must be 1 or more, got 0"),
])  # fmt: skip
def test_impossible_settings_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(DataError) as caught:
        bm25_run({"1": "words"}, [Document("x", text="words")], **options)  # type: ignore[arg-type]
    assert str(caught.value) == message
