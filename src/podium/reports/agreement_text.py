"""Agreement and cost for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from podium.labelling.agreement import Agreement
from podium.labelling.coefficients import Figure
from podium.labelling.cost import Cost
from podium.labelling.cycles import Cycles
from podium.labelling.ratings import OUTCOMES
from podium.reports.text import number, text_table

__all__ = ["agreement_text", "cost_text"]


def agreement_text(agreement: Agreement) -> str:
    """The table of outcomes, every figure with its interval, how often assessors contradict themselves, and what may mislead.

    A dash is a figure that cannot be had; the notes say why.

    >>> from podium.labelling.agreement import agreement
    >>> from podium.labelling.ratings import Rating, Ratings
    >>> said = [Rating("q", *pair, who, 1) for pair in ("ab", "bc") for who in ("ann", "bob")]
    >>> text = agreement_text(agreement(Ratings.of([*said, Rating("q", "a", "c", "ann", 1), Rating("q", "a", "c", "bob", 0)])))
    >>> print(text.split("\\n\\n")[1])
    What one assessor said (row), and what another said of the same pair (column)
          A≻B    A∼B    B≻A
    ---  -----  -----  -----
    A≻B  0.800  0.200  0.000
    A∼B  0.500  0.000  0.500
    B≻A  0.000  0.200  0.800
    """
    return "\n\n".join(
        [_sizes(agreement), _outcomes(agreement), _figures(agreement), _contradictions(agreement), *_notes(agreement)],
    )


def cost_text(costs: Mapping[str, Cost]) -> str:
    """What each assessor's judgments cost, a line each, as :func:`podium.labelling.cost.cost_by_assessor` counts it.

    >>> print(cost_text({"ann": Cost(2, 61, 60, 30.5, 1.25, 9.0, 7.5, 4.575)}))
    assessor  queries  judgments  per query  fresh documents each  seconds, mean  median  minutes per query
    --------  -------  ---------  ---------  --------------------  -------------  ------  -----------------
    ann             2         61       30.5                  1.25            9.0     7.5                4.6
    """
    head = ["assessor", "queries", "judgments", "per query", "fresh documents each", "seconds, mean", "median", "minutes per query"]
    rows = [
        [
            name or "(no name)", f"{cost.n_queries:,}", f"{cost.n_judgments:,}", number(cost.judgments_per_query, 1),
            number(cost.fresh_per_judgment, 2), number(cost.mean_seconds, 1), number(cost.median_seconds, 1),
            number(cost.minutes_per_query, 1),
        ]
        for name, cost in costs.items()
    ]  # fmt: skip
    return text_table(head, rows)


def _sizes(agreement: Agreement) -> str:
    return (
        f"Judged by two assessors or more: {agreement.n_pairs:,} pairs of {agreement.n_queries:,} queries, "
        f"with {agreement.n_judgments:,} judgments by {len(agreement.assessors):,} assessors"
    )


def _outcomes(agreement: Agreement) -> str:
    shares = agreement.table.row_shares.tolist()
    rows = [[name, *(number(share, 3) for share in row)] for name, row in zip(OUTCOMES, shares, strict=True)]
    return "What one assessor said (row), and what another said of the same pair (column)\n" + text_table(["", *OUTCOMES], rows)


def _figures(agreement: Agreement) -> str:
    figures = {
        "overall agreement": agreement.overall,
        "agreement without ties": agreement.without_ties,
        "Fleiss' κ": agreement.fleiss,
        "Krippendorff's α, nominal": agreement.alpha_nominal,
        "Krippendorff's α, ordinal": agreement.alpha_ordinal,
        **{f"Cohen's κ, {first} and {second}": figure for (first, second), figure in agreement.cohen.items()},
    }
    return text_table(
        ["figure", "value", "interval"], [[name, number(figure.value, 3), _interval(figure)] for name, figure in figures.items()]
    )


def _interval(figure: Figure) -> str:
    return f"{number(figure.low, 3)} to {number(figure.high, 3)}" if figure.low == figure.low else "–"


def _contradictions(agreement: Agreement) -> str:
    rows = [[name or "(no name)", *map(_share, _parts(cycles))] for name, cycles in _all_cycles(agreement)]
    head = ["contradictions", "A≻B≻C≻A", "A≻B≻C∼A", "A∼B∼C, not A∼C"]
    return (
        text_table(head, rows)
        + "\n(of triples without ties, with one tie, with two or three; answers by coin have 0.250 and 0.500 of the first two)"
    )


def _all_cycles(agreement: Agreement) -> list[tuple[str, Cycles]]:
    return [*agreement.cycles.items(), ("(majority)", agreement.majority_cycles)]


def _parts(cycles: Cycles) -> tuple[Figure, Figure, Figure]:
    return cycles.circular, cycles.weak, cycles.broken_ties


def _share(figure: Figure) -> str:
    interval = f" ({_interval(figure)})" if figure.low == figure.low else ""
    return number(figure.value, 3) + interval


def _notes(agreement: Agreement) -> list[str]:
    of_cycles = dict.fromkeys(note for _, cycles in _all_cycles(agreement) for figure in _parts(cycles) for note in figure.notes)
    notes = [*agreement.notes, *(f"contradictions: {note}" for note in of_cycles)]
    return ["\n".join(["Read with care:", *(f"- {note}" for note in notes)])] if notes else []
