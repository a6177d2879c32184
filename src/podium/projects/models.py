"""Language models that judge in projects: started, stopped and watched from any process; each run is in the process that started it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from podium.errors import DataError
from podium.labelling.questions import GRADES, Question
from podium.pool import Document, Pool
from podium.projects import runs
from podium.projects.facts import Closed, Member, Project
from podium.projects.model_places import check_place
from podium.projects.model_run import ModelRun
from podium.projects.model_settings import ModelSettings
from podium.projects.runs import Run
from podium.store.store import Store

if TYPE_CHECKING:
    from podium.projects.projects import Projects

__all__ = ["Models", "Run"]

_TRIAL = Pool("trial", "capital of France", (Document("a", text="Paris is the capital of France."), Document("b", text="Cows eat grass.")))
_TRIAL_SECONDS = 20.0


class Models:
    """The models of all projects of a store. Replies are kept in ``folder``; without one, beside the store's file, if it is a file.

    ``model_urls`` are the places at which models may be asked, with keys; see :func:`podium.projects.model_places.check_place`.
    """

    def __init__(
        self,
        store: Store,
        projects: Projects,
        *,
        model_urls: Sequence[str] = (),
        folder: Path | None = None,
        beat_seconds: float = 2.0,
        grace_seconds: float = 5.0,
    ) -> None:
        self._store, self._projects, self._model_urls = store, projects, tuple(model_urls)
        self._beat_seconds, self._grace_seconds = beat_seconds, grace_seconds
        self._cache = _replies(store, folder)
        self._lock = threading.Lock()
        self._here: dict[int, ModelRun] = {}
        self._is_closed = False

    def checked(self, settings: object) -> ModelSettings:
        """The settings of a model, if they can be meant and this server may ask it."""
        checked = ModelSettings.of(settings)
        check_place(checked, self._model_urls)
        return checked

    def start(self, member: Member | int) -> Run:
        """Let a model judge what is left of its tasks, in the background; Conflict if it is running, here or elsewhere.

        A run that ended, in whatever way, goes on from there: what was answered is recorded, and replies are kept.
        """
        found = self._model(member)
        project = self._projects.get(found.project)
        if project.state != "open":
            raise Closed(f"project {project.name!r} is {project.state}; open it to let a model judge")
        if not found.is_active:
            raise Closed(f"{found.name} is not active in project {project.name!r}")
        _check_prompt(self.checked(found.settings), project)
        with self._lock:
            if self._is_closed:
                raise Closed("the server is shutting down")
            claim = runs.claim(self._store, found.number)
            self._here[found.number] = ModelRun(
                self._store, self._projects, claim, found, cache=self._cache, beat_seconds=self._beat_seconds,
                grace_seconds=self._grace_seconds,
            )  # fmt: skip
        return self.state(found)

    def stop(self, member: Member | int) -> Run:
        """Ask a run to stop after the answers that are under way, wherever it runs; what does not run stays as it is."""
        number = self._model(member).number
        run = runs.stop(self._store, number)
        if run.is_under_way and (here := self._here.get(number)) is not None:
            here.stop("stopped")
        return run

    def state(self, member: Member | int) -> Run:
        """What a model is doing."""
        return runs.look(self._store, _number(member))

    def wait(self, member: Member | int, timeout: float | None = None) -> Run:
        """What a model is doing when its run in this process has ended, or after so many seconds."""
        if (here := self._here.get(_number(member))) is not None:
            here.join(timeout)
        return self.state(member)

    def close(self) -> None:
        """Stop the runs of this process after the answers that are under way, and wait until they are told as stopped."""
        with self._lock:
            self._is_closed = True
            here = list(self._here.values())
        for run in here:
            run.stop("stopped, as the server was shut down")
        for run in here:
            run.join()

    def test_connection(self, settings: object) -> str:
        """Ask one tiny question, once: one line that tells whether server and model answer. Wrong settings are a DataError.

        What the server said is not repeated: it may be no model at all, and not for whoever tries.
        """
        from podium.assessors.llm import LimitReached, RequestFailed, UnparsableAnswer
        from podium.assessors.making import make_language_model

        checked = self.checked(settings)
        brief = replace(checked, timeout=min(checked.timeout, _TRIAL_SECONDS), order="random", concurrency=1, max_requests=1, max_cost=None)
        with make_language_model({**brief.values(), "max_retries": 0, "max_unparsable": 1}, grades=GRADES) as model:
            try:
                reply = model.answer(Question("a", "b"), _TRIAL)
            except UnparsableAnswer:
                return f"{checked.model} at {model.base_url} replies, but not as it is asked to; try another model, or another prompt"
            except RequestFailed as error:
                hint = f"; {checked.key_variable} is not set" if checked.key_variable and not os.environ.get(checked.key_variable) else ""
                return f"{checked.model} at {model.base_url} gave no answer: {error.reason}{hint}"
            except LimitReached as error:
                return str(error)
        said = (
            "and chose rightly" if reply.answer == "left" else f"though it answered {reply.answer!r} to a question whose answer is 'left'"
        )
        return f"{checked.model} at {model.base_url} replied in {reply.seconds:.1f} seconds, {said} ({model.spent})"

    def _model(self, member: Member | int) -> Member:
        found = self._projects.member(_number(member))
        if found.kind != "model":
            raise DataError(f"member {found.number} is a person; only models are started and stopped")
        return found


def _number(member: Member | int) -> int:
    return member if isinstance(member, int) else member.number


def _replies(store: Store, folder: Path | None) -> Path | None:
    """The file of replies, where ``podium label`` would have it."""
    if folder is not None:
        return folder / "replies.sqlite"
    return Path(f"{store.where}.replies") if store.database.is_sqlite else None


def _check_prompt(settings: ModelSettings, project: Project) -> None:
    """That a template of one's own is for the tool of the project; otherwise it would never be used."""
    from podium.assessors.making import prompt_of

    tool = "pairs" if project.is_study else project.settings.tool
    if settings.prompt and {"pair": "pairs", "grade": "grades"}[prompt_of("prompt", settings.prompt).kind] != tool:
        shown = "{document_a} and {document_b}" if tool == "pairs" else "{document}"
        raise DataError(f"the prompt of the model must show {shown}, as the tool of project {project.name!r} is {tool}")
