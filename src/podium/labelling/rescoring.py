"""A log rescored: the order that all judgments together speak for, where a sorting strategy believes each answer it hears."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from podium.labelling.bradley_terry import Fit, fit, prior_scores
from podium.labelling.questions import Event

__all__ = ["rescore"]

_SPREAD = 1.5  # of the prior means that a prior order gives: half the spread that the fit expects of scores


def rescore(
    judgments: Iterable[Event],
    items: Sequence[str],
    *,
    has_prior: bool = False,
    roles: Collection[str] | None = None,
    side_bias: bool = False,
) -> Fit:
    """The Bradley-Terry fit of the standing answers about pairs, over the items that nobody called bad.

    ``has_prior`` says that ``items`` stand in an order worth trusting, best first. People and models together: see ``roles`` of
    :func:`podium.labelling.bradley_terry.fit`.

    >>> said = [Event(left="a", right="b", answer="right"), Event(left="c", right="d", answer="bad")]
    >>> rescore(said, ["a", "b", "c", "d"]).order
    ('b', 'a')
    """
    answers = [event for event in judgments if event.action == "answer" and event.right is not None]
    bad = {item for event in answers if event.answer == "bad" for item in event.question.pair}
    kept = [item for item in items if item not in bad]
    prior = prior_scores(kept, _SPREAD) if has_prior and kept else None
    return fit([event for event in answers if bad.isdisjoint(event.question.pair)], kept, prior=prior, roles=roles, side_bias=side_bias)
