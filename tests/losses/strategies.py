"""Scores, labels and settings for losses, drawn by Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.measures.strategies import Lists, top_k_labels

from podium.losses import LOSSES, Loss, get

SETTINGS = {
    "k": st.integers(1, 8),
    "balance": st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]),
    "rest": st.sampled_from([0.0, 0.5, 3.0]),
}


def losses(name: str) -> st.SearchStrategy[Loss]:
    """The loss with any settings."""
    chosen = {setting: SETTINGS[setting] for setting in LOSSES[name].settings}
    return st.fixed_dictionaries(chosen).map(lambda settings: get(name, **settings))


def some_scores(n: int) -> st.SearchStrategy[list[float]]:
    """Eighths, of which many tie and sums are exact; or thousandths."""
    numbers = (st.integers(-12, 12).map(lambda number: number / 8), st.integers(-20_000, 20_000).map(lambda number: number / 1000))
    return st.one_of(*(st.lists(number, min_size=n, max_size=n) for number in numbers))


def some_labels(n: int) -> st.SearchStrategy[list[float]]:
    """Grades, two grades, one grade for all, top-k labels, full orders, quarters; all from 0 on, as cs-listmle wants them."""
    kinds = (st.integers(0, 3), st.integers(0, 1), st.integers(0, 16).map(lambda number: number / 4))
    many = [st.lists(kind, min_size=n, max_size=n) for kind in kinds]
    order = st.permutations([float(label) for label in range(n)])
    return st.one_of(*many, st.integers(0, 2).map(lambda grade: [grade] * n), top_k_labels(n), order)


@st.composite
def queries(draw, max_queries: int = 3, max_documents: int = 6) -> Lists:
    sizes = draw(st.lists(st.integers(0, max_documents), min_size=1, max_size=max_queries))
    return Lists.of([(draw(some_scores(n)), draw(some_labels(n))) for n in sizes])
