"""The report of a project, from what the store holds; and of a store whose tasks belong to no project."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from podium.errors import DataError
from podium.labelling.assignment import explain
from podium.labelling.log import standing
from podium.labelling.questions import Event
from podium.labelling.study import JudgedTask, StudyReport, study_report
from podium.labelling.task import TopK
from podium.projects.facts import TOOLS, Member, Project, ProjectTask
from podium.projects.gold import Gold
from podium.projects.projects import Projects
from podium.store.project_tables import PROJECT_TASKS
from podium.store.store import Store
from podium.store.tables import TASKS

if TYPE_CHECKING:
    from podium.labelling.coefficients import Bootstrap

__all__ = ["Reporting", "report_of_tasks"]

_MOST_KEPT = 8  # reports; one of fifty assessors takes a megabyte
_Key = tuple[int, int, str]  # project, events, and whatever else the report is made of


class Reporting:
    """Reports of projects. Threads may share it: who asks for the same at the same time waits for the one that is being made."""

    def __init__(self, store: Store, projects: Projects, gold: Gold) -> None:
        self._store, self._projects, self._gold = store, projects, gold
        self._tops: dict[int, tuple[int, tuple[str, ...] | None]] = {}  # of a task with so many events; to replay it is what takes time
        self._made: OrderedDict[_Key, Future[StudyReport]] = OrderedDict()  # the one that was wanted last comes last
        self._lock = threading.Lock()

    def report(self, project: int, *, bootstrap: Bootstrap | None = None) -> StudyReport:
        """Everything there is to say about a project now. As long as nothing was judged or changed, it is the one that was made before."""
        found, members = self._projects.get(project), self._projects.members(project)
        gold = {name: (score.right, score.asked) for name, score in self._gold.scores(project).items()}
        seen = (found, [(member.number, member.name, member.kind) for member in members], gold, bootstrap)
        return self._once(
            (project, self._events(project), repr(seen)),
            lambda: study_report(
                self._judged_tasks(found, members), title=found.name, about=_about(found), gold=gold, bootstrap=bootstrap
            ),
        )  # fmt: skip

    def _events(self, project: int) -> int:
        """How many events and tasks there are. Logs only grow, and a task that is set aside gets another, so that as many are the same."""
        query = select(func.sum(TASKS.c.events) + func.count()).join(PROJECT_TASKS, PROJECT_TASKS.c.task == TASKS.c.number)
        with self._store.database.reading() as connection:
            return int(connection.execute(query.where(PROJECT_TASKS.c.project == project)).scalar_one() or 0)

    def _once(self, key: _Key, make: Callable[[], StudyReport]) -> StudyReport:
        """What was made for this key, or is being made by another thread, or is made now."""
        with self._lock:
            made, is_ours = self._made.get(key), key not in self._made
            if made is None:
                made = self._made[key] = Future()
            self._made.move_to_end(key)
            while len(self._made) > _MOST_KEPT:
                self._made.popitem(last=False)
        if not is_ours:
            return made.result()
        try:
            made.set_result(make())
        except BaseException as error:
            with self._lock:
                self._made.pop(key, None)  # whoever asks next tries again
            made.set_exception(error)
        return made.result()

    def _judged_tasks(self, project: Project, members: Sequence[Member]) -> list[JudgedTask]:
        names = {member.number: (member.name, member.kind) for member in members}
        return [self._judged(project, task, names) for task in self._projects.tasks(project.number)]

    def _judged(self, project: Project, task: ProjectTask, names: Mapping[int, tuple[str, str]]) -> JudgedTask:
        name, kind = ("", "person") if task.member is None or task.is_shared else names.get(task.member, ("", "person"))
        events = self._store.events(task.task)
        return JudgedTask(
            task.query_id, task.tool, events, name, "model" if kind == "model" else "person", task.round, task.fold,
            is_finished=task.is_finished, grades=project.settings.grades, k=project.settings.k,
            top=self._top(task.task, events) if task.tool == "pairs" and (task.is_finished or _is_corrected(events)) else None,
        )  # fmt: skip

    def _top(self, task: int, events: Sequence[Event]) -> tuple[str, ...] | None:
        with self._lock:
            known = self._tops.get(task)
        if known is not None and known[0] == len(events):
            return known[1]
        top = _top_as_said(self._store.settings(task), events)
        with self._lock:
            self._tops[task] = (len(events), top)
        return top


def _is_corrected(events: Sequence[Event]) -> bool:
    return any(event.action == "correct" for event in events)


def _top_as_said(settings: Mapping[str, Any], events: Sequence[Event]) -> tuple[str, ...] | None:
    """The top k by the answers that stand, as their assessors said them; none if there would be more to ask without the corrections."""
    try:
        task = TopK(**settings, log=standing(events, as_said=True))
    except DataError:  # what was taken back and done again mixes people and models, which is not weighed together
        return None
    return task.result().top if task.is_finished else None


def _about(project: Project) -> list[tuple[str, str]]:
    settings, plan = project.settings, project.settings.study
    kind = "a study of two tools" if plan is not None else TOOLS[settings.tool]
    asks = [("Strategy", f"{settings.strategy}, top {settings.k}")] if plan is not None or settings.tool == "pairs" else []
    grades = [("Grades", ", ".join(settings.grades))] if plan is not None or settings.tool == "grades" else []
    spread = [("Assignment", explain(plan.assessors, plan.folds, plan.rounds))] if plan is not None else []
    told = [("Instructions", settings.instructions)] if settings.instructions else []
    return [("Kind", kind), *asks, *grades, *spread, ("State", project.state), *told]


def report_of_tasks(store: Store, *, title: str = "", bootstrap: Bootstrap | None = None) -> StudyReport:
    """The report of all tasks of a store that has no projects, as ``podium label`` makes it."""
    tasks = []
    for info in store.tasks():
        labelled = store.task(info.number)
        tool = "grades" if labelled.entry.asks_grades else "pairs"
        top = _top_as_said(labelled.settings(), labelled.log) if tool == "pairs" else None
        tasks.append(
            JudgedTask(info.query_id, tool, labelled.log, is_finished=labelled.is_finished, grades=labelled.grades, k=info.k, top=top)
        )
    if not tasks:
        raise DataError(f"{store.where} has no projects and no tasks; there is nothing to report")
    return study_report(tasks, title=title, bootstrap=bootstrap)
