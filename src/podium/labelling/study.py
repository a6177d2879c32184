"""The report of a study: time, judgments, agreement, χ², quality of each assessor, people against models; of any other project as well."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from podium.labelling.acts import Acts, acts_of
from podium.labelling.agreement import chi_square
from podium.labelling.between import between, only, same_pairs
from podium.labelling.coefficients import Bootstrap
from podium.labelling.quality import assessor_figures
from podium.labelling.questions import Event
from podium.labelling.quotients import wilson
from podium.labelling.ratings import Ratings, grades_of, inferred, ratings_of
from podium.labelling.study_facts import PAPER, GoldFigures, JudgedTask, ModelFigures, StudyReport, ToolComparison, ToolFigures, TopOverlap
from podium.labelling.tool_figures import tool_figures
from podium.labelling.tops import GradesOf, grades_alike, in_pairs, top_overlap, tops_of

__all__ = ["PAPER", "JudgedTask", "StudyReport", "study_report"]

_MOST_INFERRED = 200  # graded documents of a query from which all pairs are inferred: 19,900 pairs an assessor


def study_report(
    tasks: Sequence[JudgedTask],
    *,
    title: str = "",
    about: Sequence[tuple[str, str]] = (),
    gold: Mapping[str, tuple[int, int]] | None = None,
    bootstrap: Bootstrap | None = None,
) -> StudyReport:
    """Everything there is to say about some tasks. ``gold`` has for each assessor how many gold questions were right, and how many asked.

    Figures of time and agreement are of people; models come apart. What assessors said counts as they said it, corrected or not. What
    cannot be had is NaN or ``None``, and a note says why. Oracles and recorded answers count as people, which a note says too.

    >>> from podium.labelling.questions import Event
    >>> ask = lambda who, answer: Event(left="a", right="b", answer=answer, assessor=who, seconds=6.0)
    >>> report = study_report([JudgedTask("q", "pairs", [ask(who, "left")], who, is_finished=True) for who in ("ann", "bob")])
    >>> report.tools[0].agreement.overall.value, report.tools[0].minutes_per_query.value, report.comparison
    (1.0, 0.1, None)
    """
    bootstrap = bootstrap or Bootstrap()
    acts = _with_own_names([one for task in tasks for one in acts_of(task)])
    people = sorted({one.assessor for one in acts if one.answers and not one.is_model})
    models = sorted({one.assessor for one in acts if one.answers and one.is_model})
    by_tool = {tool: [one for one in acts if one.task.tool == tool] for tool in ("pairs", "grades")}
    ratings = {tool: _ratings(tool, some) for tool, some in by_tool.items()}
    used = [tool for tool in by_tool if any(task.tool == tool for task in tasks)]
    of_people = {tool: only(found, people) for tool, found in ratings.items()}
    figures = [
        tool_figures(
            tool, [task for task in tasks if task.tool == tool and task.role != "model"],
            [one for one in by_tool[tool] if not one.is_model], of_people[tool], _alike(tool, by_tool[tool], people, bootstrap), bootstrap,
        ) for tool in used
    ]  # fmt: skip
    both = len([one for one in figures if one.n_judgments]) == 2
    return StudyReport(
        title=title,
        about=tuple(about),
        n_queries=len({task.query for task in tasks}),
        n_tasks=len(tasks),
        n_finished=sum(task.is_finished for task in tasks),
        people=tuple(people),
        models=tuple(models),
        tools=tuple(figures),
        comparison=compare_tools(figures, of_people, bootstrap) if both else None,
        assessors=tuple(
            one for tool in used for one in assessor_figures(tool, by_tool[tool], ratings[tool], people, bootstrap)
        ),
        gold=tuple(GoldFigures(name, right, asked, wilson(right, asked)) for name, (right, asked) in sorted((gold or {}).items())),
        versus_models=tuple(
            _versus(model, tool, by_tool[tool], ratings[tool], people, bootstrap)
            for tool in used for model in models if any(one.assessor == model for one in by_tool[tool])
        ),
        notes=tuple(_notes(tasks, acts, figures)),
    )  # fmt: skip


def _with_own_names(acts: Sequence[Acts]) -> list[Acts]:
    """A model that is called like a person gets another name, so that the two are never mixed."""
    people = {one.assessor for one in acts if not one.is_model}
    return [replace(one, assessor=f"{one.assessor} (model)") if one.is_model and one.assessor in people else one for one in acts]


def _ratings(tool: str, acts: Sequence[Acts]) -> Ratings:
    """What everybody said of pairs, or what their grades say of them."""
    if tool == "pairs":
        return ratings_of(_logs(acts))
    grades: dict[str, dict[str, dict[str, float]]] = {}
    for query, name, documents in _grades(acts):
        grades.setdefault(query, {})[name] = _some(documents)
    return inferred(grades)


def _grades(acts: Sequence[Acts]) -> list[GradesOf]:
    """What everybody graded, of each query."""
    grades: dict[tuple[str, str], dict[str, float]] = {}
    for one in acts:
        for query, given in grades_of(_logs([one]), one.task.grades).items():
            for name, documents in given.items():
                grades.setdefault((query, name), {}).update(documents)
    return [(query, name, documents) for (query, name), documents in grades.items()]


def _alike(tool: str, acts: Sequence[Acts], people: Collection[str], bootstrap: Bootstrap) -> TopOverlap:
    """How alike every two people order the documents of a query."""
    if tool == "grades":
        return grades_alike(in_pairs([one for one in _grades(acts) if one[1] in people]), bootstrap)
    return top_overlap(in_pairs([top for top in tops_of(acts) if top[1] in people]), bootstrap)


def _alike_with(model: str, tool: str, acts: Sequence[Acts], people: Collection[str], bootstrap: Bootstrap) -> TopOverlap:
    """How alike a model and each of the people order them."""
    is_theirs = {model, *people}
    if tool == "grades":
        graded = in_pairs([one for one in _grades(acts) if one[1] in is_theirs])
        return grades_alike((both for both in graded if model in (both[0][1], both[1][1])), bootstrap)
    tops = in_pairs([top for top in tops_of(acts) if top[1] in is_theirs])
    return top_overlap((both for both in tops if model in (both[0][1], both[1][1])), bootstrap)


def _some(documents: Mapping[str, float]) -> dict[str, float]:
    """At most so many, the same for every assessor as far as they graded the same: those whose ids come first."""
    return {item: documents[item] for item in sorted(documents)[:_MOST_INFERRED]}


def _logs(acts: Sequence[Acts]) -> dict[str, list[Event]]:
    logs: dict[str, list[Event]] = {}
    for one in acts:
        logs.setdefault(one.task.query, []).extend(replace(event, assessor=one.assessor) for event in one.answers)
    return logs


def compare_tools(figures: Sequence[ToolFigures], ratings: Mapping[str, Ratings], bootstrap: Bootstrap) -> ToolComparison:
    """Pairs against grades: first the figures of one, then of the other."""
    tables = [one.agreement.table for one in figures]
    pair, grade = (one.seconds_mean.value for one in figures)
    return ToolComparison(
        chi_square=chi_square(tables[0].all_pairs, tables[1].all_pairs),
        chi_square_without_ties=chi_square(tables[0].strict_pairs, tables[1].strict_pairs),
        times_faster=grade / pair if pair else math.nan,
        same_pairs=same_pairs(ratings, bootstrap),
        between=between(ratings["pairs"], ratings["grades"], ("those who judged pairs", "those who graded"), bootstrap),
    )


def _versus(model: str, tool: str, acts: Sequence[Acts], ratings: Ratings, people: Collection[str], bootstrap: Bootstrap) -> ModelFigures:
    return ModelFigures(
        model, tool, between(only(ratings, people), only(ratings, {model}), ("people", model), bootstrap),
        _alike_with(model, tool, acts, people, bootstrap),
    )  # fmt: skip


def _notes(tasks: Sequence[JudgedTask], acts: Sequence[Acts], figures: Sequence[ToolFigures]) -> Iterator[str]:
    judged = [one for one in acts if one.answers]
    if not judged:
        yield "nobody has judged anything yet"
    if judged and all(one.is_model for one in judged):
        yield "only models have judged: there are no figures of people"
    others = Counter(one.role for one in acts if one.role in ("oracle", "recorded"))
    for role in sorted(others):
        yield f"{'oracles (simulated judges)' if role == 'oracle' else 'recorded answers'} count as people here"
    if len(figures) == 1:
        yield f"only the tool {figures[0].tool} was used: there is no χ² test between tools"
    lost = sum(task.is_finished and task.tool == "pairs" and task.top is None for task in tasks)
    if lost:
        yield (
            f"{lost} finished task{' is' if lost == 1 else 's are'} left out where the top k are compared: as their assessors said it, "
            "without corrections, there would be more to ask"
        )
    if any(len(documents) > _MOST_INFERRED for _, _, documents in _grades([one for one in acts if one.task.tool == "grades"])):
        yield f"of queries with more than {_MOST_INFERRED} graded documents, preferences are inferred among the first of them by id"
    if any(one.n_assessors > 2 for one in figures):
        yield (
            "χ² counts the agreements of every two people: what three say of a pair are three of them, and what n say n (n − 1) / 2, "
            "which hang together"
        )
    if any(one.agreement.n_pairs for one in figures):
        yield "pairs of one query hang together, so that the p-values of χ² are smaller than they should be; intervals draw whole queries"
