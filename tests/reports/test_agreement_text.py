"""Agreement and cost as text: every figure in its line, dashes where there is none, and the notes."""

from __future__ import annotations

import math
import re

import numpy as np

from podium.labelling.agreement import Agreement, OutcomeTable, agreement
from podium.labelling.coefficients import Figure
from podium.labelling.cost import Cost
from podium.labelling.cycles import Cycles, Triples
from podium.labelling.ratings import Rating, Ratings
from podium.reports.agreement_text import agreement_text, cost_text

TRIPLES = Triples(0, 0, 0, 0, 0, 0)


def invented() -> Agreement:
    return Agreement(
        n_queries=12,
        n_pairs=3456,
        n_judgments=7890,
        assessors=("ann", "bob"),
        table=OutcomeTable(np.array([[6, 3, 1], [3, 4, 3], [1, 3, 6]])),
        overall=Figure(0.11, 0.01, 0.21, ("few queries",)),
        without_ties=Figure(0.12, 0.02, 0.22),
        cohen={("ann", "bob"): Figure(0.16, 0.06, 0.26, ("few queries", "skewed"))},
        fleiss=Figure(0.13, 0.03, 0.23),
        alpha_nominal=Figure(0.14, 0.04, 0.24),
        alpha_ordinal=Figure(math.nan),
        cycles={
            "ann": Cycles(Figure(0.31, 0.30, 0.32), Figure(0.33, notes=("one query",)), Figure(math.nan), TRIPLES),
            "": Cycles(Figure(0.41), Figure(0.42), Figure(0.43), TRIPLES),
        },
        majority_cycles=Cycles(Figure(0.51), Figure(0.52), Figure(0.53), TRIPLES),
    )


def cells(text: str, first: str) -> list[str]:
    """The columns of the one line that begins with ``first``."""
    (line,) = (line for line in text.splitlines() if re.match(rf"{re.escape(first)}  ", line))
    return re.split(r"  +", line)


def test_every_figure_stands_in_its_line_with_its_interval() -> None:
    text = agreement_text(invented())
    assert "3,456 pairs of 12 queries, with 7,890 judgments by 2 assessors" in text
    assert cells(text, "A∼B") == ["A∼B", "0.300", "0.400", "0.300"]  # of the row's 3 + 4 + 3
    assert cells(text, "overall agreement")[1:] == ["0.110", "0.010 to 0.210"]
    assert cells(text, "agreement without ties")[1:] == ["0.120", "0.020 to 0.220"]
    assert cells(text, "Fleiss' κ")[1:] == ["0.130", "0.030 to 0.230"]
    assert cells(text, "Krippendorff's α, nominal")[1:] == ["0.140", "0.040 to 0.240"]
    assert cells(text, "Krippendorff's α, ordinal")[1:] == ["–", "–"]
    assert cells(text, "Cohen's κ, ann and bob")[1:] == ["0.160", "0.060 to 0.260"]


def test_contradictions_of_each_assessor_and_of_the_majority_stand_below_one_another() -> None:
    text = agreement_text(invented())
    assert cells(text, "ann") == ["ann", "0.310 (0.300 to 0.320)", "0.330", "–"]
    assert cells(text, "(no name)")[1:] == ["0.410", "0.420", "0.430"]
    assert cells(text, "(majority)")[1:] == ["0.510", "0.520", "0.530"]


def test_each_note_is_said_once_at_the_end_and_nothing_if_there_is_none() -> None:
    assert agreement_text(invented()).endswith("\n\nRead with care:\n- few queries\n- skewed\n- contradictions: one query")
    orders = [Rating(f"q{number}", *pair, who, 1) for number in range(40) for pair in ("ab", "bc", "ac", "bd") for who in ("ann", "bob")]
    tied = [
        Rating(f"q{number}", *pair, who, 0) for number in range(40) for pair in ("de", "df", "ef", "eg", "ad") for who in ("ann", "bob")
    ]
    chain = [Rating(f"q{number}", "a", "e", who, 1) for number in range(40) for who in ("ann", "bob")]
    assert "Read with care" not in agreement_text(agreement(Ratings.of([*orders, *tied, *chain])))


def test_nobody_at_all_still_has_a_report() -> None:
    text = agreement_text(agreement(Ratings.of([])))
    assert "no pair was judged by two assessors" in text
    assert "nan" not in text


def test_cost_has_a_line_an_assessor_and_dashes_where_nothing_was_timed() -> None:
    text = cost_text(
        {"ann": Cost(3, 1234, 1234, 411.3, 1.234, 5.678, 4.321, 38.91), "": Cost(1, 2, 0, 2.0, 1.5, math.nan, math.nan, math.nan)}
    )
    assert cells(text, "ann") == ["ann", "3", "1,234", "411.3", "1.23", "5.7", "4.3", "38.9"]
    assert cells(text, "(no name)")[1:] == ["1", "2", "2.0", "1.50", "–", "–", "–"]
