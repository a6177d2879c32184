"""The strategy for judges who err: sort first, then ask again where it tells most, until a budget is spent or the top k is sure."""

from __future__ import annotations

from collections.abc import Sequence

from podium.errors import DataError
from podium.labelling.adaptive import adaptive
from podium.labelling.counts import chosen
from podium.labelling.questions import ROLES, Event
from podium.labelling.rescoring import called_bad, fit_of_kept
from podium.labelling.strategies import Compare, Strategy, heap, insertion, tournament
from podium.labelling.telling import Certainty, is_sure, most_telling

__all__ = ["MIXED", "STARTS", "active"]

_SORTING = {"heap": heap, "tournament": tournament, "insertion": insertion, "adaptive": adaptive}
STARTS = ("none", *_SORTING)
MIXED = {"people": ("person", "recorded", "oracle"), "models": ("model", "oracle"), "all": ROLES}  # whose answers count, where both answer
_AT_ONCE = 64  # most assessors who could be asked at the same time


def active(
    items: Sequence[str],
    k: int,
    *,
    judgments: Sequence[Event],
    has_prior: bool = False,
    budget: int = 200,
    confidence: float | None = None,
    sure_of: Certainty = "set",
    start: str = "insertion",
    count: str | None = None,
) -> Strategy:
    """Go by the Bradley-Terry fit of all judgments: ask the pair that tells most about the top k, return the k of highest score.

    A sorting strategy may go first; it gives the fit a first idea of everything, and what it asks counts towards the ``budget``. With a
    ``confidence`` the end comes as soon as the top k is right with that probability, by the fit: as a set, or in its order. Items that
    were called bad more often than they won are out. Each answer changes all scores, so the strategy is begun anew after each, on
    all ``judgments`` so far.
    """
    if len(judgments) < budget and start != "none":
        yield from _SORTING[start](items, k)
    answers = chosen(list(judgments), None if count is None else MIXED[count])
    if judgments and not answers:
        raise DataError(
            f"none of the {len(judgments)} judgments is by {count}, whose answers are to count; make the task with another count"
        )
    found = fit_of_kept(answers, items, called_bad(answers), has_prior=has_prior)
    if len(judgments) < budget and len(found.items) > 1 and not (confidence is not None and is_sure(found, k, confidence, what=sure_of)):
        for pair in most_telling(found, k, count=_AT_ONCE):
            yield Compare(*pair, "repeat", at_stake=())
    return list(found.order[:k])
