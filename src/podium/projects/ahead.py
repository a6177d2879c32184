"""What comes after each answer, so that a page can load it before the answer is given."""

from __future__ import annotations

from podium.pool import Pool
from podium.projects.facts import Member, ProjectSettings, Put
from podium.projects.putting import answers_offered, put_question
from podium.store.store import Store

__all__ = ["puts_ahead"]


def puts_ahead(
    store: Store, member: Member, task: int, token: str, *, tool: str, pool: Pool, settings: ProjectSettings
) -> dict[str, Put | None]:
    """For each answer that is offered the question that would come next in the same task, without a token; ``None``: the task is finished.

    Empty if that cannot be told cheaply; see :meth:`podium.store.Store.ahead`.
    """
    questions = store.ahead(task, token, member.name)
    return {
        answer: None if (question := questions[answer]) is None else put_question(question, pool, settings, token="", task=task)
        for answer in answers_offered(settings, tool)
        if answer in questions
    }
