"""A question as it is put to someone: with the query, the documents, and the answers that may be given."""

from __future__ import annotations

import threading
from collections import OrderedDict

from podium.labelling.questions import Question
from podium.labelling.table import get
from podium.pool import Pool
from podium.projects.facts import ProjectSettings, Put
from podium.projects.projects import Projects

__all__ = ["Pools", "answers_offered", "put_question"]


def answers_offered(settings: ProjectSettings, tool: str) -> tuple[str, ...]:
    """What may be said: grades, worst first; or of a pair what the strategy knows, and the project allows.

    >>> answers_offered(ProjectSettings(ties=False), "pairs")
    ('left', 'right', 'bad')
    """
    if tool == "grades":
        return settings.grades
    left_out = {answer for answer, is_allowed in (("tie", settings.ties), ("bad", settings.both_bad)) if not is_allowed}
    return tuple(answer for answer in get(settings.strategy).answers if answer not in left_out)


def put_question(question: Question, pool: Pool, settings: ProjectSettings, *, token: str, task: int) -> Put:
    """The question with all that is shown of it."""
    tool = "grades" if question.right is None else "pairs"
    return Put(
        token=token,
        task=task,
        tool=tool,
        query_id=pool.query_id,
        query=pool.query,
        description=pool.description,
        left=pool[question.left],
        right=None if question.right is None else pool[question.right],
        answers=answers_offered(settings, tool),
    )


class Pools:
    """The pools that were shown last, at most so many: they never change, and to read one takes longer than to answer a question."""

    def __init__(self, projects: Projects, most: int = 256) -> None:
        self._projects, self._most, self._lock = projects, most, threading.Lock()
        self._pools: OrderedDict[tuple[int, str], Pool] = OrderedDict()

    def get(self, project: int, query_id: str) -> Pool:
        with self._lock:
            if (pool := self._pools.get((project, query_id))) is not None:
                self._pools.move_to_end((project, query_id))
                return pool
        pool = self._projects.pool(project, query_id)
        with self._lock:
            self._pools[project, query_id] = pool
            while len(self._pools) > self._most:
                self._pools.popitem(last=False)
        return pool
