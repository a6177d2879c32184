"""One run of a model over its tasks: a thread puts the questions, another beats, looks whether to stop, and tells the end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection
from concurrent.futures import CancelledError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.assessors import label_by_model
from podium.assessors.limits import Spent
from podium.errors import PodiumError
from podium.labelling.questions import Event, Question
from podium.projects.facts import Member, Project
from podium.projects.model_settings import ModelSettings
from podium.projects.runs import TAKEN_OVER, Claim, say, wanted
from podium.store.desk import Desk
from podium.store.store import Store

if TYPE_CHECKING:
    from podium.assessors.llm import LanguageModel
    from podium.projects.projects import Projects

__all__ = ["ModelRun"]

_LOG = logging.getLogger(__name__)


class ModelRun:
    """A run that was claimed. Both threads end with the process; a run that ends so is known by its beat."""

    def __init__(
        self,
        store: Store,
        projects: Projects,
        claim: Claim,
        member: Member,
        *,
        cache: Path | None,
        beat_seconds: float,
        grace_seconds: float,
    ) -> None:
        self._store, self._projects, self._claim, self._member, self._cache = store, projects, claim, member, cache
        self._beat_seconds, self._grace_seconds = beat_seconds, grace_seconds
        self._project: Project = projects.get(member.project)
        self._model: LanguageModel | None = None
        self._answers = 0
        self._reason = ""  # why it is to stop
        self._outcome = ("failed", "")
        self._is_over = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name=f"podium-model-{member.number}", daemon=True)
        self._keeper.start()

    def stop(self, reason: str) -> None:
        """Stop after the answers that are under way; if they take too long, they are given up."""
        self._reason = self._reason or reason

    def join(self, timeout: float | None = None) -> None:
        """Wait until the end is told."""
        self._keeper.join(timeout)

    # The thread that keeps the run.

    def _keep(self) -> None:
        threading.Thread(target=self._label, name=f"{self._keeper.name}-asking", daemon=True).start()
        until = None
        while not self._is_over.wait(self._beat_seconds):
            self._tell(f"{self._answers} answers so far")
            if self._reason:
                until = until or time.monotonic() + self._grace_seconds
                if time.monotonic() >= until and self._model is not None:
                    self._model.abort()
        state, message = self._outcome
        self._tell(message, state=state)

    def _tell(self, message: str, *, state: str | None = None) -> None:
        """A database that cannot be reached now may be so at the next beat."""
        spent = Spent() if self._model is None else self._model.spent
        try:
            self.stop(say(self._store, self._claim, message, spent, state=state))
        except Exception:
            _LOG.exception("the run of model %s could not tell how it is", self._member.number)

    # The thread that puts the questions.

    def _label(self) -> None:
        try:
            self._outcome = self._work()
        except CancelledError:
            self._outcome = self._stopped()
        except PodiumError as error:
            self._outcome = self._stopped() if self._reason else ("failed", f"{error}; {self._answers} answers were recorded")
        except Exception:
            _LOG.exception("the run of model %s failed", self._member.number)
            self._outcome = ("failed", f"an internal error, which the server's log tells; {self._answers} answers were recorded")
        finally:
            self._is_over.set()

    def _stopped(self) -> tuple[str, str]:
        return "stopped", f"{self._reason or 'stopped'}; {self._answers} answers were recorded"

    def _work(self) -> tuple[str, str]:
        from podium.assessors.making import make_language_model, prompt_of

        settings = ModelSettings.of(self._member.settings)
        prompt = prompt_of("of the project", settings.prompt) if settings.prompt else None
        values = {**settings.values(), "assessor": self._member.name}
        with make_language_model(values, grades=self._project.settings.grades, prompt=prompt, cache=self._cache) as self._model:
            is_finished = self._work_through(self._model)
        return ("done", f"{self._answers} answers; nothing is left to ask") if is_finished else self._stopped()

    def _work_through(self, model: LanguageModel) -> bool:
        """One task after the other, also those that are added meanwhile; false if it was stopped.

        An answer that cannot be read is told at the end, so that other queries can go on.
        """
        from podium.assessors.llm import UnparsableAnswer

        seen, unread = set[int](), None
        while left := [task for task in self._unfinished() if task not in seen]:
            for task in left:
                seen.add(task)
                try:
                    self._label_task(task, model)
                except UnparsableAnswer as error:
                    unread = unread or error
                if self._reason:
                    return False
        if unread is not None:
            raise unread
        return True

    def _unfinished(self) -> list[int]:
        tasks = self._projects.tasks(self._project.number, member=self._member.number)
        return [task.task for task in tasks if not task.is_finished]

    def _label_task(self, task: int, model: LanguageModel) -> None:
        desk = self._store.desk(task)
        desk.release(model.assessor)  # what a run that was killed has left open
        try:
            label_by_model(_WatchedDesk(desk, self), model, self._store.pool(task))
        finally:
            if self._reason != TAKEN_OVER:  # what is open now is another's
                desk.release(model.assessor)

    # What the desk asks.

    @property
    def is_to_stop(self) -> bool:
        return bool(self._reason)

    @property
    def may_say_bad(self) -> bool:
        return self._project.settings.both_bad

    def before_answer(self) -> None:
        """Look whether the run is still ours, and whether it is to go on; an answer of a run that was taken over is another's to give."""
        with self._store.database.reading() as connection:
            self.stop(wanted(connection, self._claim))
        if self._reason == TAKEN_OVER:
            raise CancelledError

    def after_answer(self) -> None:
        self._answers += 1


class _WatchedDesk:
    """A task of the store, at which a run that is to stop is asked nothing more."""

    def __init__(self, desk: Desk, run: ModelRun) -> None:
        self._desk, self._run = desk, run
        self.answers = tuple(answer for answer in desk.answers if answer != "bad" or run.may_say_bad)

    @property
    def judgments(self) -> tuple[Event, ...]:
        return self._desk.judgments

    def ask(self, assessor: str = "", *, seat: int = 0, stages: Collection[str] | None = None) -> Question | None:
        return None if self._run.is_to_stop else self._desk.ask(assessor, seat=seat, stages=stages)

    def answer(self, answer: str, *, assessor: str = "", question: Question | None = None, **details: Any) -> Event:
        self._run.before_answer()
        event = self._desk.answer(answer, assessor=assessor, question=question, **details)
        self._run.after_answer()
        return event
