"""How well each assessor judges: speed, side, contradictions, agreement with the others; and what deserves a look."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from podium.labelling.acts import Acts
from podium.labelling.coefficients import Bootstrap, Figure
from podium.labelling.cycles import Cycles, cycles_of, triples_of
from podium.labelling.quotients import share_figure, wilson, with_width
from podium.labelling.ratings import Ratings
from podium.labelling.study_facts import AssessorFigures
from podium.ragged import Ints

__all__ = ["FAST_SECONDS", "assessor_figures", "with_others"]

FAST_SECONDS = 2.0  # hardly time to read a title
_MANY_FAST = 0.1
_FEW = 20  # judgments with which a share says little


def assessor_figures(
    tool: str, acts: Sequence[Acts], ratings: Ratings, people: Collection[str], bootstrap: Bootstrap
) -> list[AssessorFigures]:
    """Everyone who judged or skipped with a tool, people first. ``ratings`` are everybody's; all are compared with people."""
    cycles = dict(zip(ratings.assessors, triples_of(ratings), strict=True)) if tool == "pairs" else {}
    by_name: dict[tuple[bool, str], list[Acts]] = {}
    for one in acts:
        by_name.setdefault((one.is_model, one.assessor), []).append(one)
    return [
        _figures(tool, own, ratings, people, _cycles(cycles[name], bootstrap) if name in cycles else None, bootstrap)
        for (_, name), own in sorted(by_name.items())
    ]


def _cycles(counts: Ints, bootstrap: Bootstrap) -> Cycles:
    found = cycles_of(counts, bootstrap)
    return replace(
        found,
        circular=with_width(found.circular, found.counts.strict),
        weak=with_width(found.weak, found.counts.one_tie),
        broken_ties=with_width(found.broken_ties, found.counts.tie_chains),
    )


def _figures(
    tool: str, acts: Sequence[Acts], ratings: Ratings, people: Collection[str], cycles: Cycles | None, bootstrap: Bootstrap
) -> AssessorFigures:
    answers = [event for one in acts for event in one.answers]
    said = [event.answer for event in answers]
    seconds = [event.seconds for event in answers if event.seconds is not None]
    fast = wilson(sum(value < FAST_SECONDS for value in seconds), len(seconds), "no judgment says how long it took")
    is_pairs = tool == "pairs"
    left = wilson(said.count("left") if is_pairs else 0, said.count("left") + said.count("right") if is_pairs else 0, "no side was taken")
    agreement, n_compared = with_others(ratings, acts[0].assessor, people, bootstrap)
    return AssessorFigures(
        assessor=acts[0].assessor,
        role=acts[0].role,
        tool=tool,
        n_finished=sum(one.task.is_finished for one in acts),
        n_judgments=len(answers),
        median_seconds=median(seconds) if seconds else math.nan,
        fast=fast,
        agreement=agreement,
        n_compared=n_compared,
        ties=wilson(said.count("tie"), len(said) if is_pairs else 0, "no pair was judged"),
        left=left,
        cycles=cycles,
        n_skips=sum(one.skips for one in acts),
        n_taken_back=sum(one.taken_back for one in acts),
        n_corrected=sum(one.corrected for one in acts),
        flags=tuple(_flags(len(answers), fast, left, cycles)),
    )


def with_others(ratings: Ratings, name: str, people: Collection[str], bootstrap: Bootstrap) -> tuple[Figure, int]:
    """The share of agreement of one assessor with the people, without himself or herself, and of how many comparisons."""
    nobody = "no pair was judged by another too"
    if name not in ratings.assessors:
        return Figure(math.nan, notes=(nobody,)), 0
    own = ratings.codes[:, ratings.assessors.index(name)][:, None]
    others = ratings.codes[:, [column for column, other in enumerate(ratings.assessors) if other != name and other in people]]
    both = (own >= 0) & (others >= 0)
    agreed, judged = ((own == others) & both).sum(axis=1), both.sum(axis=1)
    rows = np.flatnonzero(judged)
    parts = ((str(ratings.queries[row]), float(agreed[row]), float(judged[row])) for row in rows)
    return share_figure(parts, bootstrap, nobody), int(judged.sum())


def _flags(n_judgments: int, fast: Figure, left: Figure, cycles: Cycles | None) -> Iterator[str]:
    if 0 < n_judgments < _FEW:
        yield f"few judgments: with {n_judgments} every share is uncertain"
    if fast.value >= _MANY_FAST:
        yield f"{fast.value:.0%} of the judgments took less than {FAST_SECONDS:g} seconds"
    if left.low > 0.5 or left.high < 0.5:
        side = "left" if left.value > 0.5 else "right"
        yield f"prefers the {side} side: left in {left.value:.0%} of decided pairs, {left.low:.0%} to {left.high:.0%}"
    if cycles is not None and cycles.counts.strict >= _FEW and cycles.circular.value > 0.125:
        yield f"contradictions: {cycles.circular.value:.0%} of triples go in a circle; answers by coin have 25 %"
