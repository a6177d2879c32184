"""A store of labelling tasks: questions are leased, answers are recorded once, and nothing counts before it is committed."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, exc, insert, select

from podium.errors import DataError
from podium.labelling.questions import Event, Question
from podium.labelling.result import Result
from podium.labelling.table import get
from podium.labelling.task import TopK
from podium.pool import Pool
from podium.store.database import Database, open_database
from podium.store.leases import as_text, close_lease, find_lease, held_leases, supersede_leases
from podium.store.live import LiveTasks, read_events, read_settings
from podium.store.rows import LONGEST, checked_text, dump, pool_from, pool_to, row_of
from podium.store.tables import INPUTS, TASKS
from podium.store.turns import Answered, Asked, Turn, check_same

if TYPE_CHECKING:
    from podium.store.desk import Desk

__all__ = ["Asked", "Clock", "Look", "Store", "TaskInfo", "open_store"]

Clock = Callable[[], datetime]

_LEASE_SECONDS = 900.0  # long enough to read two documents and be called away once
_LONGEST_LEASE = 10 * 365 * 86400.0
_ROW = select(TASKS).where(TASKS.c.number == bindparam("row_number"))
_LOCKED_ROW = _ROW.with_for_update()


@dataclass(frozen=True)
class TaskInfo:
    """One task of a store, at a glance."""

    number: int
    name: str
    query_id: str
    strategy: str
    k: int
    documents: int
    events: int
    judgments: int  # answers that stand
    is_finished: bool


@dataclass(frozen=True)
class Look:
    """Whether a task has a question for someone, at so many ``events``; ``is_held`` if others hold questions, which they may give back."""

    has_question: bool
    events: int
    is_held: bool


def open_store(place: str | os.PathLike[str], *, clock: Clock | None = None, busy_seconds: float = 30.0, must_exist: bool = False) -> Store:
    """Open a store, and make it if it is not there yet, unless it ``must_exist``: then what is missing or empty is refused.

    ``place`` is the path of a file (SQLite), or a URL that begins with ``postgresql://``. What is neither a store nor new or empty is
    refused and left as it is. ``busy_seconds`` is how long a writer waits for others in SQLite. Open a store after a fork, not before.
    Time is told by the ``clock`` if there is one, otherwise by the PostgreSQL server, so that all agree, or by this machine. A file that
    is write-protected can be looked at.
    """
    return Store(open_database(place, busy_seconds=busy_seconds, must_exist=must_exist), clock=clock)


class Store:
    """Labelling tasks in a database, by number; :func:`open_store` opens one. Threads may share it."""

    def __init__(self, database: Database, *, clock: Clock | None = None) -> None:
        self.database, self._clock, self._live = database, clock, LiveTasks()

    def __repr__(self) -> str:
        return f"Store({self.where!r})"

    @property
    def where(self) -> str:
        """The path of the file, or the URL of the database without its password; for messages."""
        return self.database.where

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; everything acknowledged is on disk already."""
        self.database.close()

    # Tasks.

    def add(self, pool: Pool, *, k: int = 10, strategy: str = "adaptive", seed: int = 0, name: str | None = None, **options: Any) -> int:
        """Make a task for a pool and return its number.

        ``name`` is the query's id if not given, and unique. Adding the same again returns the same number; the same name with other
        documents or settings is refused. ``options`` are those of :class:`podium.labelling.TopK`. A pool that stands in an order worth
        trusting gives it as the ``prior``, to strategies that take one.
        """
        if pool.has_prior and get(strategy).takes_prior:
            options.setdefault("prior", pool.items)
        task = TopK(pool.items, k, strategy=strategy, seed=seed, **options)
        name = checked_text("name of a task", pool.query_id if name is None else name, longest=LONGEST)
        checked_text("query id", pool.query_id)
        for item in pool.items:
            checked_text("id of a document", item)
        try:
            return self._add(name, pool, task)
        except exc.IntegrityError:  # another process added one of this name at the same time
            return self._add(name, pool, task)

    def _add(self, name: str, pool: Pool, task: TopK) -> int:
        inputs = {"settings": dump(task.settings()), "pool": dump(pool_to(pool))}
        with self.database.writing() as connection:
            found = connection.execute(select(TASKS.c.number).where(TASKS.c.name == name)).scalar()
            if found is not None:
                self._check_inputs(connection, int(found), name, inputs)
                return int(found)
            facts = {"query_id": pool.query_id, "strategy": task.strategy, "k": task.k, "documents": len(task.items)}
            row = {"name": name, **facts, "is_finished": task.is_finished}
            number = int(connection.execute(insert(TASKS).values(row).returning(TASKS.c.number)).scalar_one())
            connection.execute(insert(INPUTS), {"task": number, **inputs})
            return number

    def _check_inputs(self, connection: Connection, number: int, name: str, inputs: dict[str, str]) -> None:
        """That a task which is there already was made from the same."""
        stored = connection.execute(select(INPUTS.c.settings, INPUTS.c.pool).where(INPUTS.c.task == number)).one()
        old, new = json.loads(stored.settings), json.loads(inputs["settings"])
        differing = sorted(key for key in {**old, **new} if old.get(key) != new.get(key))
        if stored.pool != inputs["pool"] and "items" not in differing:
            differing.append("text of the query or the documents")
        if differing:
            raise DataError(
                f"{self.where} has a task {name!r} that differs in {', '.join(differing)}; give it another name, or use another store"
            )

    def tasks(self) -> list[TaskInfo]:
        """All tasks, by number."""
        with self.database.reading() as connection:
            return [TaskInfo(*row) for row in connection.execute(select(TASKS).order_by(TASKS.c.number))]

    def info(self, number: int) -> TaskInfo:
        """One task at a glance."""
        with self.database.reading() as connection:
            return TaskInfo(*self._row(connection, number))

    def number(self, name: str) -> int:
        """The number of the task of this name."""
        with self.database.reading() as connection:
            found = connection.execute(select(TASKS.c.number).where(TASKS.c.name == checked_text("name of a task", name))).scalar()
            if found is None:
                raise DataError(f"{self.where} has no task {name!r}; tasks() lists those it has")
            return int(found)

    def pool(self, number: int) -> Pool:
        """The documents of a task, as they are shown."""
        with self.database.reading() as connection:
            self._row(connection, number)
            return pool_from(json.loads(connection.execute(select(INPUTS.c.pool).where(INPUTS.c.task == number)).scalar_one()))

    def settings(self, number: int) -> dict[str, Any]:
        """What the task was made with: ``TopK(**settings, log=events)`` is the task."""
        with self.database.reading() as connection:
            self._row(connection, number)
            return read_settings(connection, number)

    def events(self, number: int) -> list[Event]:
        """The whole log; event number n stands at place n - 1."""
        with self.database.reading() as connection:
            self._row(connection, number)
            return read_events(connection, number)

    def task(self, number: int) -> TopK:
        """The task, replayed: a copy to look at; what is done to it is not recorded."""
        with self.database.reading() as connection:
            self._row(connection, number)
            return TopK(**read_settings(connection, number), log=read_events(connection, number))

    def result(self, number: int) -> Result:
        """The ordered top k of a finished task."""
        return self.task(number).result()

    def desk(self, number: int) -> Desk:
        """The task as assessors use it: the calls of :class:`podium.labelling.TopK`, each committed before it returns."""
        from podium.store.desk import Desk

        return Desk(self, number)

    def _row(self, connection: Connection, number: int, *, is_locked: bool = False) -> Any:
        is_number = isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**31
        row = connection.execute(_LOCKED_ROW if is_locked else _ROW, {"row_number": number}).one_or_none() if is_number else None
        if row is None:
            raise DataError(f"{self.where} has no task {number!r}; tasks() lists those it has")
        return row

    # Asking.

    @contextlib.contextmanager
    def _turn(self, number: int) -> Iterator[Turn]:
        live = self._live[number]
        with live.lock:
            try:
                with self.database.writing() as connection:
                    row = self._row(connection, number, is_locked=True)
                    task = live.catch_up(connection, number, row.events)
                    yield Turn(connection, number, live, task, row.events, row.judgments)
            except BaseException:
                live.forget()
                raise

    def ask(
        self,
        number: int,
        assessor: str = "",
        *,
        seat: int = 0,
        stages: Collection[str] | None = None,
        lease_seconds: float = _LEASE_SECONDS,
        first: tuple[str, str] | None = None,
        with_skipped: bool = True,
        before: Callable[[Connection], None] | None = None,
    ) -> Asked | None:
        """The next question for this assessor; ``None`` if there is nothing to ask (now).

        The same question comes back, with the same token, until it is answered or skipped, also after a crash. Nobody else gets it for
        ``lease_seconds``; then it is free for others, and whoever answers it first counts. An answer that comes later is recorded as well.
        A question that was given back and is asked again keeps its token. ``seat``, ``stages``, ``first`` and ``with_skipped`` are those of
        :meth:`podium.labelling.TopK.ask`. ``before`` is done first, in the same transaction; if it raises, nothing is asked.
        """
        checked_text("assessor", assessor, longest=LONGEST)
        _check_seat(seat)
        length = _checked_length(lease_seconds)
        with self._turn(number) as turn:
            if before is not None:
                before(turn.connection)
            return turn.ask((assessor, seat), stages, self.time(turn.connection), length, first=first, with_skipped=with_skipped)

    def look(self, number: int, assessor: str = "", *, with_skipped: bool = True) -> Look:
        """Whether :meth:`ask` would have a question for this assessor now; nothing is written."""
        checked_text("assessor", assessor, longest=LONGEST)
        with self._seen(number) as (connection, task):
            now = self.time(connection)
            running = [lease for lease in held_leases(connection, number).values() if lease.expires_at and lease.expires_at > now]
            self._live[number].hold(running)
            has_question = task.ask(assessor, with_skipped=with_skipped) is not None
            return Look(has_question, len(task.log), any(lease.assessor != assessor for lease in running))

    def release(self, number: int, assessor: str = "", *, seat: int | None = None) -> None:
        """Give back the assessor's open question, or those of all their seats: others need not wait for them any more.

        An answer that comes nevertheless is still taken. Whoever has nothing open has nothing to give back.
        """
        checked_text("assessor", assessor, longest=LONGEST)
        if seat is not None:
            _check_seat(seat)
        with self.database.writing() as connection:
            self._row(connection, number, is_locked=True)
            supersede_leases(connection, number, assessor, seat)

    def about_left(self, number: int) -> int:
        """About how many judgments a task still needs; see :meth:`podium.labelling.TopK.about_left`."""
        with self._seen(number) as (_, task):
            return task.about_left()

    def ahead(self, number: int, token: str, assessor: str = "") -> dict[str, Question | None]:
        """What the assessor would be asked after each answer to the open question of this token, if nobody else did anything.

        Empty if the token is not of an open question of theirs, or if the strategy weighs all answers anew, which takes long.
        """
        _check_token(token, assessor)
        with self._seen(number) as (connection, task):
            lease = None if task.entry.is_repeating else find_lease(connection, number, token)
            if lease is None or lease.assessor != assessor:
                return {}
            held = (each for each in held_leases(connection, number).values() if each.token != token)
            now, task = self.time(connection), task.copy()
        task.release_all()
        for other in held:
            if other.expires_at is not None and other.expires_at > now:
                task.hold(other.question, other.assessor, other.seat)
        return {answer: task.if_answered(answer, question=lease.question, assessor=assessor) for answer in task.answers}

    @contextlib.contextmanager
    def _seen(self, number: int) -> Iterator[tuple[Connection, TopK]]:
        """The task in memory, up to date, to look at while nobody changes it."""
        live = self._live[number]
        with live.lock:
            try:
                with self.database.reading() as connection:
                    yield connection, live.catch_up(connection, number, self._row(connection, number).events)
            except BaseException:
                live.forget()
                raise

    def time(self, connection: Connection) -> datetime:
        """Now, by the clock that everyone who uses the store shares."""
        return self.database.time(connection) if self._clock is None else self._clock()

    # Answering.

    def answer(
        self,
        number: int,
        token: str,
        answer: str,
        *,
        assessor: str = "",
        role: str = "person",
        seconds: float | None = None,
        paused: float | None = None,
        idle: float | None = None,
        model: str = "",
        prompt: str = "",
        prompt_hash: str = "",
    ) -> Event:
        """Record the answer to the question of this token, and return the event once it is committed.

        The same answer sent again is not recorded again, and gets the same event back; another answer with the same token is refused.
        """
        details = {
            "role": role,
            "seconds": seconds,
            "paused": paused,
            "idle": idle,
            "model": model,
            "prompt": prompt,
            "prompt_hash": prompt_hash,
        }
        return self._respond(number, token, assessor, action="answer", answer=checked_text("answer", answer), **details)

    def skip(
        self,
        number: int,
        token: str,
        *,
        assessor: str = "",
        role: str = "person",
        seconds: float | None = None,
        paused: float | None = None,
        idle: float | None = None,
    ) -> Event:
        """Set the question of this token aside: others may get it, and it comes back to this assessor when nothing else is left."""
        return self._respond(number, token, assessor, action="skip", role=role, seconds=seconds, paused=paused, idle=idle)

    def answer_and_ask(
        self,
        number: int,
        token: str,
        answer: str | None,
        *,
        assessor: str = "",
        role: str = "person",
        seconds: float | None = None,
        paused: float | None = None,
        idle: float | None = None,
        lease_seconds: float = _LEASE_SECONDS,
        with_skipped: bool = True,
        before: Callable[[Connection], None] | None = None,
    ) -> Answered:
        """Record an answer (``None`` skips) and ask the same assessor's next question, in one transaction: the disk is waited for once.

        As :meth:`answer` or :meth:`skip` and then :meth:`ask`: what is sent again is not recorded again, and the next question is the same.
        ``before`` is done first, in the same transaction; if it raises, nothing is recorded.
        """
        details = {"role": role, "seconds": seconds, "paused": paused, "idle": idle}
        details |= {"action": "skip"} if answer is None else {"action": "answer", "answer": checked_text("answer", answer)}
        _check_token(token, assessor)
        length = _checked_length(lease_seconds)
        with self._turn(number) as turn:
            if before is not None:
                before(turn.connection)
            now = self.time(turn.connection)
            event = self._record_once(turn, token, assessor, details, now)
            asked = turn.ask((assessor, 0), None, now, length, with_skipped=with_skipped)
        with turn.live.lock:  # after the commit: others need not wait for the estimate
            return Answered(event, asked, turn.task.about_left())

    def _respond(self, number: int, token: str, assessor: str, **details: Any) -> Event:
        _check_token(token, assessor)
        with self._turn(number) as turn:
            return self._record_once(turn, token, assessor, details, self.time(turn.connection))

    def _record_once(self, turn: Turn, token: str, assessor: str, details: Mapping[str, Any], now: datetime) -> Event:
        if (recorded := turn.recorded(token)) is not None:
            return check_same(recorded, assessor, details["action"], details.get("answer"))
        lease = find_lease(turn.connection, turn.number, token)
        if lease is None or lease.assessor != assessor:
            raise DataError(
                f"token {token!r} is not of a question that task {turn.number} put to {assessor or 'this assessor'}; ask() gives one"
            )
        turn.check_new(assessor, lease.question)
        asked: dict[str, Any] = {"left": lease.question.left, "right": lease.question.right, "stage": lease.question.stage, "key": token}
        event = Event(assessor=assessor, at=as_text(now), strategy=turn.task.version, **asked, **details)
        close_lease(turn.connection, token)
        turn.append([event])
        return event

    def undo(self, number: int, *, assessor: str = "", key: str = "", role: str = "person", target: int | None = None) -> Event:
        """Take back this assessor's last answer, skip or correction that stands, or the one that is event number ``target``.

        A ``key`` makes it safe to send twice. An answer that another has corrected stays.
        """
        return self._take_back("undo", number, assessor, key, role, **({} if target is None else {"target": target}))

    def redo(self, number: int, *, assessor: str = "", key: str = "", role: str = "person") -> Event:
        """Take back this assessor's last undo, if they have neither answered nor skipped since."""
        return self._take_back("redo", number, assessor, key, role)

    def _take_back(self, action: str, number: int, assessor: str, key: str, role: str, **which: int) -> Event:
        checked_text("assessor", assessor, longest=LONGEST)
        checked_text("key", key, longest=LONGEST)
        with self._turn(number) as turn:
            if key and (recorded := turn.recorded(key)) is not None:
                return check_same(recorded, assessor, action, None)
            take_back = turn.task.undo if action == "undo" else turn.task.redo
            event = take_back(assessor=assessor, key=key, role=role, at=as_text(self.time(turn.connection)), **which)
            supersede_leases(turn.connection, number, assessor)  # what is asked now may be another question
            turn.write([event])
            return event

    def correct(self, number: int, event: int, answer: str, *, assessor: str = "", key: str = "", role: str = "person") -> Event:
        """Put another answer in the place of the one that is event number ``event``; see :meth:`podium.labelling.TopK.correct`."""
        checked_text("assessor", assessor, longest=LONGEST)
        checked_text("key", key, longest=LONGEST)
        checked_text("answer", answer)
        with self._turn(number) as turn:
            if key and (recorded := turn.recorded(key)) is not None:
                return check_same(recorded, assessor, "correct", answer, target=event)
            at = as_text(self.time(turn.connection))
            corrected = turn.task.correct(event, answer, assessor=assessor, key=key, role=role, at=at)
            turn.write([corrected])
            return corrected

    def record(self, number: int, event: Event) -> int:
        """Append an event from elsewhere as it is, and return its number. An event whose key is in the log is not recorded again."""
        row_of(number, 1, event)
        with self._turn(number) as turn:
            place = turn.task.record(event)
            if place > turn.events:
                turn.write([event])
            return place

    def extend(self, number: int, events: Iterable[Event]) -> int:
        """Bring the log up to ``events``, which is the same log from its first event on; return how many were new.

        All or none are recorded. Where the two logs differ they cannot be joined, as undo and redo name events by number.
        """
        events = list(events)
        with self._turn(number) as turn:
            for place, (event, own) in enumerate(zip(events, turn.task.log, strict=False), start=1):
                if event != own:
                    raise DataError(f"event {place} differs from event {place} of task {number}; logs that parted cannot be joined")
            new = events[turn.events :]
            turn.append(new)
            return len(new)


def _check_seat(seat: object) -> None:
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < 2**31:
        raise DataError(f"seat must be a whole number of 0 or more, got {seat!r}")


def _check_token(token: str, assessor: str) -> None:
    checked_text("token", token, longest=LONGEST)
    checked_text("assessor", assessor, longest=LONGEST)
    if not token:
        raise DataError("the token of the question is missing; ask() gives it")


def _checked_length(lease_seconds: float) -> timedelta:
    if not 0 < lease_seconds <= _LONGEST_LEASE:
        raise DataError(f"lease_seconds must be a positive number of at most ten years, got {lease_seconds!r}")
    return timedelta(seconds=lease_seconds)
