"""What judging with one tool costs: time, judgments, and how often people tie, skip or take back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

import numpy as np

from podium.labelling.acts import Acts
from podium.labelling.between import agreement_of
from podium.labelling.coefficients import Bootstrap, Figure
from podium.labelling.questions import Event
from podium.labelling.quotients import median_figure, quotient_figure, share_figure
from podium.labelling.ratings import Ratings
from podium.labelling.study_facts import JudgedTask, ToolFigures, TopOverlap

__all__ = ["tool_figures"]

_PERCENTILES = (5, 25, 50, 75, 95)
_UNTIMED = "no judgment says how long it took"


def tool_figures(
    tool: str, tasks: Sequence[JudgedTask], acts: Sequence[Acts], ratings: Ratings, tops: TopOverlap, bootstrap: Bootstrap
) -> ToolFigures:
    """The figures of one tool: its tasks, what people did in them, what they said of pairs, and how alike their orders are."""
    answers = [(one.task.query, event) for one in acts for event in one.answers]
    timed = [(query, event.seconds) for query, event in answers if event.seconds is not None]
    queries, seconds = [query for query, _ in timed], [value for _, value in timed]

    def of_answers(part: Callable[[Event], bool]) -> Figure:
        return share_figure(((query, float(part(event)), 1.0) for query, event in answers), bootstrap, "there are no judgments")

    def of_acts(part: Callable[[Acts], int], whole: Callable[[Acts], int]) -> Figure:
        return share_figure(((one.task.query, part(one), whole(one)) for one in acts), bootstrap, "there are no judgments")

    finished = {id(one.task) for one in acts if one.task.is_finished}
    spent = [event for one in acts for event in one.spent]
    by_task = _Costs([one for one in acts if id(one.task) in finished], _mean_seconds(seconds, spent), bootstrap)
    return ToolFigures(
        tool=tool,
        n_tasks=len(tasks),
        n_finished=sum(task.is_finished for task in tasks),
        n_queries=len({query for query, _ in answers}),
        n_assessors=len({one.assessor for one in acts if one.answers}),
        n_judgments=len(answers),
        n_timed=len(timed),
        seconds_mean=quotient_figure(((query, value, 1.0) for query, value in timed), bootstrap, _UNTIMED),
        seconds_median=median_figure(queries, seconds, bootstrap, _UNTIMED),
        seconds_box=tuple(np.percentile(seconds, _PERCENTILES).tolist()) if seconds else (),
        judgments_per_query=by_task.mean(lambda one: len(one.answers)),
        minutes_per_query=by_task.minutes(),
        paused_per_query=by_task.mean(lambda one: sum(event.paused or 0.0 for event in one.spent) / 60),
        idle_per_query=by_task.mean(lambda one: sum(event.idle or 0.0 for event in one.spent) / 60),
        ties=of_answers(lambda event: event.answer == "tie") if tool == "pairs" else Figure(math.nan, notes=("a grade is never a tie",)),
        both_bad=of_answers(lambda event: event.answer == "bad") if tool == "pairs" else Figure(math.nan),
        skips=of_acts(lambda one: one.skips, lambda one: one.skips + len(one.answers)),
        taken_back=of_acts(lambda one: one.taken_back, lambda one: one.taken_back + len(one.answers)),
        agreement=agreement_of(ratings, bootstrap),
        tops=tops,
        notes=tuple(_notes(tasks, acts, spent)),
    )


def _mean_seconds(of_judgments: Sequence[float], spent: Sequence[Event]) -> float:
    """How long an act that says no time is taken to have lasted: as judgments that stand, or if none is timed, as all acts that are."""
    known = of_judgments or [event.seconds for event in spent if event.seconds is not None]
    return fmean(known) if known else math.nan


class _Costs:
    """Means over the finished tasks: a task is one labelling of a query, by one person or by several together."""

    def __init__(self, acts: Sequence[Acts], seconds: float, bootstrap: Bootstrap) -> None:
        self._acts, self._seconds, self._bootstrap = acts, seconds, bootstrap

    def mean(self, cost: Callable[[Acts], float]) -> Figure:
        first: dict[int, Acts] = {}  # a task counts once, however many worked on it
        for one in self._acts:
            first.setdefault(id(one.task), one)
        parts = ((one.task.query, cost(one), float(first[id(one.task)] is one)) for one in self._acts)
        return quotient_figure(parts, self._bootstrap, "no query is finished")

    def minutes(self) -> Figure:
        if math.isnan(self._seconds):
            return Figure(math.nan, notes=(_UNTIMED,))
        return self.mean(lambda one: sum(self._seconds if event.seconds is None else event.seconds for event in one.spent) / 60)


def _notes(tasks: Sequence[JudgedTask], acts: Sequence[Acts], spent: Sequence[Event]) -> Iterator[str]:
    open_ones, judged = sum(not task.is_finished for task in tasks), [one for one in acts if one.answers]
    if open_ones:
        yield f"{open_ones} of {len(tasks)} tasks are not finished: judgments and minutes per query are of those that are"
    untimed = sum(event.seconds is None for event in spent)
    if 0 < untimed < len(spent):
        yield (
            f"{untimed} of {len(spent)} judgments and skips, those taken back among them, say no time: in minutes per query each counts "
            "as long as the mean of judgments that do"
        )
    if judged and len({one.assessor for one in judged}) == 1:
        yield "one assessor only: there is nobody to agree with"
