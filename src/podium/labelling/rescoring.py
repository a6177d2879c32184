"""A log rescored: the order that all judgments together speak for, where a sorting strategy believes each answer it hears."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from podium.labelling.bradley_terry import Fit, fit, prior_scores
from podium.labelling.counts import chosen
from podium.labelling.questions import Event

if TYPE_CHECKING:
    from podium.labelling.task import TopK

__all__ = ["called_bad", "fit_of_kept", "rescore"]

_SPREAD = 1.5  # of the prior means that a prior order gives: half the spread that the fit expects of scores


def rescore(task: TopK, *, roles: Collection[str] | None = None, side_bias: bool = False) -> Fit:
    """The Bradley-Terry fit of a task's judgments, over the items that were not found to be bad; a prior order of the task is its prior.

    The order is ``.order``; :func:`podium.labelling.how_sure` says how firm its top is. If people and models have both answered,
    ``roles`` must say whose answers count: see :func:`podium.labelling.bradley_terry.fit`.

    >>> from podium.labelling import TopK
    >>> said = [Event(left="a", right="b", answer="right"), Event(left="c", right="d", answer="bad")]
    >>> rescore(TopK(["a", "b", "c", "d"], 2, log=said)).order
    ('b', 'a')
    """
    answers = chosen([event for event in task.judgments if event.right is not None], roles)
    said = {item for event in answers if event.answer == "bad" for item in event.question.pair}
    return fit_of_kept(answers, task.order, said & set(task.bad), has_prior=task.prior is not None, side_bias=side_bias)


def fit_of_kept(answers: Sequence[Event], items: Sequence[str], bad: Collection[str], *, has_prior: bool, side_bias: bool = False) -> Fit:
    """The fit over the items that are not bad; ``has_prior`` says that ``items`` stand in an order worth trusting, best first."""
    kept = [item for item in items if item not in bad]
    prior = prior_scores(kept, _SPREAD) if has_prior and kept else None
    roles = {event.role for event in answers}  # chosen before
    about_kept = [event for event in answers if event.left not in bad and event.right not in bad]
    return fit(about_kept, kept, prior=prior, roles=roles, side_bias=side_bias)


def called_bad(answers: Iterable[Event]) -> set[str]:
    """The items that were called bad more often than they won, as judges who err would have it.

    >>> called_bad([Event(left="a", right="b", answer="left"), Event(left="a", right="b", answer="bad")])
    {'b'}
    """
    bad, won = Counter[str](), Counter[str]()
    for event in answers:
        if event.answer == "bad":
            bad.update(event.question.pair)
        elif event.answer in ("left", "right"):
            won[str(event.left if event.answer == "left" else event.right)] += 1
    return {item for item, count in bad.items() if count > won[item]}
