"""Judging: what a member is asked next, and what becomes of what they say.

Every judgment of every assessor comes through here. It costs a reading transaction (who and where, what they did since) and a writing one
(the answer and the next question); the documents, the settings and what a member did before are remembered.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import bindparam, select

from podium.errors import DataError
from podium.labelling.questions import Question
from podium.labelling.table import get
from podium.projects.ahead import puts_ahead
from podium.projects.choosing import Candidate, free_copies, keep
from podium.projects.desks import checked_desk, leave_desk, take_desk
from podium.projects.facts import Closed, Conflict, Member, Offer, Progress, Put
from podium.projects.gold import SKIPPED
from podium.projects.gold_asking import Moment, answer_gold, due_gold, find_put, find_puts, next_gold
from podium.projects.history import Histories
from podium.projects.projects import Projects
from podium.projects.putting import Pools, answers_offered, put_question
from podium.projects.scene import Scene, SettingsRead, read_scene
from podium.projects.search import Search
from podium.projects.taking_back import is_done, take_back, what_to_redo, what_to_undo
from podium.projects.timing import Times, checked_times
from podium.store.project_tables import PROJECT_TASKS
from podium.store.rows import LONGEST, checked_text
from podium.store.store import Asked, Store
from podium.store.tables import LEASES
from podium.store.turns import SaidOtherwise

__all__ = ["Work"]

_SET_ASIDE = select(PROJECT_TASKS.c.task).where(PROJECT_TASKS.c.project == bindparam("project"), PROJECT_TASKS.c.is_dropped)


@dataclass(frozen=True)
class _Asked:
    """A question in the task that a member works on now."""

    task: int
    query_id: str
    tool: str
    asked: Asked
    left: int


class Work:
    """The work of a project's members. Threads may share it, and processes the database."""

    def __init__(self, store: Store, projects: Projects) -> None:
        self._store, self._settings, self._pools, self._histories = store, SettingsRead(), Pools(projects), Histories()
        self._search = Search(store)

    # Asking.

    def next(self, member: Member, *, desk: str = "", take: bool = False) -> Offer:
        """What the member is to do next; the same question until it is answered.

        Refused with :class:`Closed` if the project is not open, and with :class:`Elsewhere` if the member is at another ``desk``, that is
        browser tab, and does not ``take`` over. Without a desk that is not looked at.
        """
        scene = self._scene(member)
        _check_open(scene)
        self._sit(member, scene, desk, take=take)
        return self._choose(member, scene)

    def _scene(self, member: Member, task: int | None = None, token: str = "") -> Scene:
        history = self._histories[member.number]
        with self._store.database.reading() as connection:
            scene = read_scene(connection, self._store, self._settings, member, task=task, token=token)
            with history.lock:
                history.catch_up(connection, member)
        return scene

    def _sit(self, member: Member, scene: Scene, desk: str, *, take: bool = False) -> None:
        take_desk(self._store, member, checked_desk(desk), (scene.desk, scene.desk_at), scene.now, take=take)

    def _choose(self, member: Member, scene: Scene) -> Offer:
        """What is next, in whatever task."""
        history = self._histories[member.number]
        found, is_unfinished = self._search.find(member, history, scene.now_text)
        with history.lock:
            last, done = history.last_standing(), history.judgments + scene.gold_done
        if found is not None:
            asked = self._asked(found.candidate, found.asked)
            return self._offer(member, scene, asked, done, is_change=last is None or last.task != asked.task)
        return Offer("wait" if is_unfinished else "finished", None, Progress(done, 0, scene.queries_done, scene.queries))

    def _asked(self, candidate: Candidate, asked: Asked) -> _Asked:
        return _Asked(candidate.task, candidate.query_id, candidate.tool, asked, self._store.about_left(candidate.task))

    def _offer(self, member: Member, scene: Scene, asked: _Asked, done: int, fresh: int = 0, *, is_change: bool = False) -> Offer:
        """The question, or a gold question in front of it; ``fresh`` judgments were given that the history does not have yet."""
        moment = Moment(asked.tool, asked.query_id, asked.task, is_change)
        put = self._gold_put(member, scene, moment, fresh) or self._put(member, scene, asked.query_id, asked.asked, asked.task)
        return Offer("question", put, Progress(done, asked.left, scene.queries_done, scene.queries))

    def _put(self, member: Member, scene: Scene, query_id: str, asked: Asked, task: int) -> Put:
        return put_question(asked.question, self._pools.get(member.project, query_id), scene.settings, token=asked.token, task=task)

    def _gold_put(self, member: Member, scene: Scene, moment: Moment, fresh: int, *, opens: bool = True) -> Put | None:
        """The gold question that comes now; without ``opens``, the one that would come, which gets no token."""
        every, history = scene.settings.gold_every, self._histories[member.number]
        if not every:
            return None

        def judgments_since(at: str) -> int:
            with history.lock:
                return history.judgments_since(at) + fresh

        find = next_gold if opens else due_gold
        found = find(self._store, member, moment, every=every, judgments_since=judgments_since)
        if found is None:
            return None
        put, question, task = found
        pool, token = self._pools.get(member.project, question.query_id), put.token if opens else ""
        return put_question(Question(put.left, put.right), pool, scene.settings, token=token, task=task)

    # Answering.

    def answer(
        self,
        member: Member,
        task: int,
        token: str,
        answer: str,
        *,
        seconds: float | None = None,
        paused: float | None = None,
        idle: float | None = None,
        desk: str = "",
    ) -> Offer:
        """Record the answer to the question of this token, once, and say what is next.

        Sent again it changes nothing; another answer under the same token is a :class:`Conflict`. What is said at a desk that was left for
        another is recorded, and only then refused with :class:`Elsewhere`.
        """
        if not isinstance(answer, str) or not answer:
            raise DataError(f"answer must be one of those that the question offers, got {answer!r}")
        return self._say(member, task, token, answer, checked_times(seconds, paused, idle), desk)

    def skip(
        self,
        member: Member,
        task: int,
        token: str,
        *,
        seconds: float | None = None,
        paused: float | None = None,
        idle: float | None = None,
        desk: str = "",
    ) -> Offer:
        """Set the question of this token aside, and say what is next; sent again it changes nothing."""
        return self._say(member, task, token, None, checked_times(seconds, paused, idle), desk)

    def _say(self, member: Member, task: int, token: str, answer: str | None, times: Times, desk: str) -> Offer:
        scene = self._scene(member, task, token)
        if scene.is_gold:
            self._say_gold(member, scene, token, answer, times)
            self._stay(member, scene, desk)
            return self._after(member)
        if scene.query_id is None:
            raise DataError(f"task {task} is not one that you work on in this project; ask for the next question")
        if scene.opened_at is not None:  # what was recorded before is not checked again: it may be sent again whenever
            _check_open(scene)
            _check_offered(answer, answers_offered(scene.settings, scene.tool or ""))
            times = times.within((scene.now - scene.opened_at).total_seconds())
        return self._record(member, scene, task, token, answer, times, desk, fresh=int(scene.opened_at is not None and answer is not None))

    def _record(
        self, member: Member, scene: Scene, task: int, token: str, answer: str | None, times: Times, desk: str, *, fresh: int
    ) -> Offer:
        said: dict[str, Any] = {"assessor": member.name, "role": member.kind, **asdict(times)}
        before = partial(keep, member=member, task=task) if scene.is_fresh else None
        try:
            answered = self._store.answer_and_ask(task, token, answer, with_skipped=False, before=before, **said)
        except SaidOtherwise as error:
            raise Conflict(str(error)) from None
        self._stay(member, scene, desk)
        if answered.asked is None or not scene.is_open:
            return self._after(member)
        history = self._histories[member.number]
        with history.lock:
            done = history.judgments + scene.gold_done + fresh
        assert scene.query_id is not None
        assert scene.tool is not None
        return self._offer(member, scene, _Asked(task, scene.query_id, scene.tool, answered.asked, answered.left), done, fresh)

    def _say_gold(self, member: Member, scene: Scene, token: str, answer: str | None, times: Times) -> None:
        with self._store.database.reading() as connection:
            put = find_put(connection, member, token)
        assert put is not None
        if put.answer is None:
            _check_offered(answer, answers_offered(scene.settings, "grades" if put.right is None else "pairs"))
        times = times.within((scene.now - datetime.fromisoformat(put.opened_at)).total_seconds())
        answer_gold(self._store, member, token, SKIPPED if answer is None else answer, times, is_open=scene.is_open)

    def _stay(self, member: Member, scene: Scene, desk: str) -> None:
        """After something was said: the member is at this desk, unless another took over."""
        if scene.is_open:
            self._sit(member, scene, desk)

    def _after(self, member: Member) -> Offer:
        """What is next after something was recorded that may have changed more than one task; nothing, if the project is closed."""
        scene = self._scene(member)
        if scene.is_open:
            return self._choose(member, scene)
        history = self._histories[member.number]
        with history.lock:
            progress = Progress(history.judgments + scene.gold_done, 0, scene.queries_done, scene.queries)
        return Offer("finished", None, progress)

    # Taking back.

    def undo(self, member: Member, *, key: str, desk: str = "") -> Offer:
        """Take back the member's last answer or skip in this project, whatever the task, or the gold question.

        It is what is offered next, unless it is not open any more: others who share the task may have answered it, or made it needless.
        The same ``key`` sent twice takes back once. What somebody corrected since is not the member's to take back; their own corrections
        are left alone, too.
        """
        return self._take_back("undo", member, key, desk)

    def redo(self, member: Member, *, key: str, desk: str = "") -> Offer:
        """Take back the member's last undo in this project, if nothing was said since."""
        return self._take_back("redo", member, key, desk)

    def _take_back(self, action: str, member: Member, key: str, desk: str) -> Offer:
        key = checked_text("key", key, longest=LONGEST) or secrets.token_urlsafe(16)
        scene, history = self._scene(member), self._histories[member.number]
        with self._store.database.reading() as connection:
            puts, set_aside = find_puts(connection, member), connection.scalars(_SET_ASIDE, {"project": member.project}).all()
        with history.lock:
            history.leave_out(set_aside)  # what was said there is not to be taken back
            was_done = is_done(history, puts, member, action, key)
            target = what_to_undo(history, puts) if action == "undo" else what_to_redo(history, puts)
        if not was_done:
            _check_open(scene)
            self._sit(member, scene, desk)
            take_back(self._store, member, action, key, target)
        return self._after(member)

    # Coming and going.

    def ahead(self, member: Member, task: int, token: str) -> dict[str, Put | None]:
        """For each answer that may be given the question that would come next, without its token, if nobody else did anything.

        Empty if that cannot be told cheaply, for strategies that weigh all answers anew. ``None`` for an answer that would finish the task.
        Around gold questions it is as full as elsewhere: before one each answer leads to it, after it to the question that waits.
        """
        scene = self._scene(member, task, token)
        if scene.is_open and scene.is_gold:
            return self._ahead_of_gold(member, scene, token)
        if not scene.is_open or scene.opened_at is None or scene.query_id is None or scene.tool is None:
            return {}
        pool = self._pools.get(member.project, scene.query_id)
        ahead = puts_ahead(self._store, member, task, token, tool=scene.tool, pool=pool, settings=scene.settings)
        gold = self._gold_put(member, scene, Moment(scene.tool, scene.query_id, task, is_change=False), 1, opens=False) if ahead else None
        return ahead if gold is None else {answer: put and gold for answer, put in ahead.items()}

    def _ahead_of_gold(self, member: Member, scene: Scene, token: str) -> dict[str, Put | None]:
        with self._store.database.reading() as connection:
            gold = find_put(connection, member, token)
        found, _ = self._search.find(member, self._histories[member.number], scene.now_text)
        if gold is None or not gold.is_open or found is None or (gold.right is not None and get(scene.settings.strategy).is_repeating):
            return {}
        asked = replace(self._asked(found.candidate, found.asked).asked, token="")
        put = self._put(member, scene, found.candidate.query_id, asked, found.candidate.task)
        return dict.fromkeys(answers_offered(scene.settings, put.tool), put)

    def release(self, member: Member, desk: str) -> None:
        """The tab was closed: others need not wait for what was asked there, nor for a copy of which the member only saw a question.

        What is answered nevertheless is still taken, unless somebody else has begun the copy.
        """
        if not leave_desk(self._store, member, checked_desk(desk)):
            return  # another tab has taken over
        held = (
            select(LEASES.c.task)
            .distinct()
            .join(PROJECT_TASKS, PROJECT_TASKS.c.task == LEASES.c.task)
            .where(PROJECT_TASKS.c.project == member.project, LEASES.c.assessor == member.name, LEASES.c.expires_at.is_not(None))
        )
        with self._store.database.reading() as connection:
            tasks = connection.scalars(held).all()
        for task in tasks:
            self._store.release(task, member.name)
        with self._store.database.writing() as connection:
            free_copies(connection, member.number)


def _check_open(scene: Scene) -> None:
    if not scene.is_open:
        raise Closed("the project is closed: it is not judged any more")


def _check_offered(answer: str | None, offered: tuple[str, ...]) -> None:
    if answer is not None and answer not in offered:
        raise DataError(f"{answer!r} is no answer to this question; say one of {', '.join(offered)}")
