"""Everything that must be known before a member is asked or answers, read in one go."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Integer, and_, bindparam, case, func, not_, or_, select

from podium.errors import DataError
from podium.projects.choosing import IS_CLAIMED
from podium.projects.facts import Member, NotAllowed, ProjectSettings
from podium.projects.gold import SKIPPED
from podium.projects.settings import settings_from
from podium.store.leases import as_text
from podium.store.project_tables import GOLD_ANSWERS, MEMBERS, PROJECT_TASKS, PROJECTS
from podium.store.rows import LONGEST, checked_text
from podium.store.store import Store
from podium.store.tables import LEASES, TASKS

__all__ = ["Scene", "SettingsRead", "read_scene"]


@dataclass(frozen=True)
class Scene:
    """The project and the member as they are now; of a token that was sent along, what it stands for."""

    now: datetime
    is_open: bool
    settings: ProjectSettings
    desk: str
    desk_at: str | None
    queries: int
    queries_done: int
    gold_done: int  # gold questions that were answered count as judgments: nobody is to know them
    query_id: str | None = None  # of the task that was named
    tool: str | None = None
    opened_at: datetime | None = None  # of the question, if it is neither answered nor skipped yet
    is_gold: bool = False
    is_fresh: bool = False  # the task is a copy for one assessor in which nothing was said yet

    @property
    def now_text(self) -> str:
        return as_text(self.now)


class SettingsRead:
    """The settings of projects as they were last read: the same text is not parsed again for every question."""

    def __init__(self, most: int = 256) -> None:
        self._most, self._lock = most, threading.Lock()
        self._settings: OrderedDict[str, ProjectSettings] = OrderedDict()

    def of(self, text: str) -> ProjectSettings:
        with self._lock:
            if text not in self._settings:
                self._settings[text] = settings_from(json.loads(text))
            self._settings.move_to_end(text)
            while len(self._settings) > self._most:
                self._settings.popitem(last=False)
            return self._settings[text]


_MEMBER = bindparam("member_number", type_=Integer)
_MAY_WORK = and_(
    not_(PROJECT_TASKS.c.is_dropped),
    or_(PROJECT_TASKS.c.is_shared, PROJECT_TASKS.c.member == MEMBERS.c.number, PROJECT_TASKS.c.member.is_(None)),
)
_SCENE = (
    select(
        PROJECTS.c.state, PROJECTS.c.settings, MEMBERS.c.role, MEMBERS.c.is_active, MEMBERS.c.desk, MEMBERS.c.desk_at,
        PROJECT_TASKS.c.query_id, PROJECT_TASKS.c.tool, LEASES.c.opened_at,
        GOLD_ANSWERS.c.token.is_not(None).label("is_gold"),
        and_(IS_CLAIMED, TASKS.c.events == 0).label("is_fresh"),
    )
    .select_from(MEMBERS)
    .join(PROJECTS, PROJECTS.c.number == MEMBERS.c.project)
    .outerjoin(
        PROJECT_TASKS, and_(PROJECT_TASKS.c.task == bindparam("task"), PROJECT_TASKS.c.project == MEMBERS.c.project, _MAY_WORK)
    )
    .outerjoin(TASKS, TASKS.c.number == PROJECT_TASKS.c.task)
    .outerjoin(LEASES, and_(LEASES.c.token == bindparam("token"), LEASES.c.task == PROJECT_TASKS.c.task))
    .outerjoin(GOLD_ANSWERS, and_(GOLD_ANSWERS.c.token == bindparam("token"), GOLD_ANSWERS.c.member == MEMBERS.c.number))
    .where(MEMBERS.c.number == _MEMBER)
)  # fmt: skip

_IS_OWN = and_(PROJECT_TASKS.c.member.is_not(None), PROJECT_TASKS.c.member == _MEMBER)
_IS_DONE = and_(TASKS.c.is_finished, or_(_IS_OWN, PROJECT_TASKS.c.is_shared))
_GOLD_DONE = select(func.count()).where(
    GOLD_ANSWERS.c.member == _MEMBER, GOLD_ANSWERS.c.is_standing, GOLD_ANSWERS.c.answer.is_not(None), GOLD_ANSWERS.c.answer != SKIPPED
)
_COUNTS = (
    select(
        func.count(PROJECT_TASKS.c.query_id.distinct()),
        func.count(case((_IS_DONE, PROJECT_TASKS.c.query_id)).distinct()),
        _GOLD_DONE.scalar_subquery(),
    )
    .join(TASKS, TASKS.c.number == PROJECT_TASKS.c.task)
    .where(PROJECT_TASKS.c.project == bindparam("project"), not_(PROJECT_TASKS.c.is_dropped))
)
_COUNTS_OF_PEOPLE = _COUNTS.where(or_(_IS_OWN, PROJECT_TASKS.c.member.is_(None)))  # their own, shared ones, and what is free
_COUNTS_OF_MODELS = _COUNTS.where(_IS_OWN)


def read_scene(
    connection: Connection, store: Store, read: SettingsRead, member: Member, *, task: int | None = None, token: str = ""
) -> Scene:
    """The scene; refused to whoever is not (any more) a judge of the project."""
    checked_text("token", token, longest=LONGEST)
    if task is not None and (isinstance(task, bool) or not isinstance(task, int) or not 0 <= task < 2**31):
        raise DataError(f"task must be the number of a task, got {task!r}")
    row = connection.execute(_SCENE, {"member_number": member.number, "task": task or 0, "token": token}).one_or_none()
    if row is None or not row.is_active or row.role != "judge":
        raise NotAllowed("you are not a judge of this project (any more); ask those who lead it for an invitation")
    counts = _COUNTS_OF_MODELS if member.kind == "model" else _COUNTS_OF_PEOPLE
    queries, done, gold_done = connection.execute(counts, {"member_number": member.number, "project": member.project}).one()
    return Scene(
        now=store.time(connection),
        is_open=row.state == "open",
        settings=read.of(row.settings),
        desk=row.desk,
        desk_at=row.desk_at,
        queries=queries,
        queries_done=done,
        gold_done=gold_done,
        query_id=row.query_id,
        tool=row.tool,
        opened_at=None if row.opened_at is None else datetime.fromisoformat(row.opened_at),
        is_gold=bool(row.is_gold),
        is_fresh=bool(row.is_fresh),
    )
