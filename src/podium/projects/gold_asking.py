"""Gold questions as they are put to members: when, which, on which sides; answered once, taken back, and put again.

What was put is a row under its token. A row is open until it is answered; it is taken back by an undo, which opens another one for the same
question. Nothing is deleted: a row that is neither open nor answered was withdrawn. The rows that an undo or a redo makes have a token that
is drawn from its key, so that the same key sent twice is known by its row.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, exists, insert, select, update

from podium.projects.facts import Closed, Conflict, Member
from podium.projects.gold import GoldQuestion
from podium.projects.timing import Times
from podium.store.leases import as_text
from podium.store.project_tables import GOLD, GOLD_ANSWERS, MEMBERS, PROJECT_TASKS
from podium.store.store import Store
from podium.store.turns import ANSWERED, said_otherwise

__all__ = [
    "GoldPut",
    "Moment",
    "answer_gold",
    "due_gold",
    "find_put",
    "find_puts",
    "last_answer",
    "last_undone",
    "next_gold",
    "redo_gold",
    "undo_gold",
    "was_done",
]

_FIELDS = ("token", "gold", "left", "right", "opened_at", "answer", "at", "is_standing")
_PUT = select(*(GOLD_ANSWERS.c[name] for name in _FIELDS))


@dataclass(frozen=True)
class GoldPut:
    """A gold question that was put to a member."""

    token: str
    gold: int
    left: str
    right: str | None
    opened_at: str
    answer: str | None
    at: str | None
    is_standing: bool

    @property
    def is_open(self) -> bool:
        return self.is_standing and self.answer is None

    @property
    def is_answered(self) -> bool:
        """Answered or skipped, and not taken back."""
        return self.is_standing and self.answer is not None

    @property
    def is_taken_back(self) -> bool:
        return not self.is_standing and self.answer is not None


@dataclass(frozen=True)
class Moment:
    """What the member is about to be asked, where a gold question may come first."""

    tool: str
    query_id: str
    task: int
    is_change: bool  # they come to another task: a query that is neither the last nor the next one is no surprise


def _draw(*words: object) -> bytes:
    return hashlib.blake2b(repr(words).encode(), digest_size=16).digest()


def find_puts(connection: Connection, member: Member) -> list[GoldPut]:
    """Everything that was put to a member, in the order in which it was."""
    rows = connection.execute(_PUT.where(GOLD_ANSWERS.c.member == member.number).order_by(GOLD_ANSWERS.c.opened_at))
    return [GoldPut(*row) for row in rows]


def find_put(connection: Connection, member: Member, token: str) -> GoldPut | None:
    row = connection.execute(_PUT.where(GOLD_ANSWERS.c.member == member.number, GOLD_ANSWERS.c.token == token)).one_or_none()
    return None if row is None else GoldPut(*row)


def _lock(connection: Connection, member: Member) -> None:
    """Until this transaction is over, nobody else puts a question to this member or takes one back."""
    connection.execute(select(MEMBERS.c.number).where(MEMBERS.c.number == member.number).with_for_update())


# Which is put, and when.


def _questions(connection: Connection, member: Member, tool: str) -> list[GoldQuestion]:
    """The gold questions for a tool, but for queries that the member judges with the other tool: nobody sees a query in both."""
    elsewhere = exists().where(
        PROJECT_TASKS.c.member == member.number, PROJECT_TASKS.c.query_id == GOLD.c.query_id, PROJECT_TASKS.c.tool != tool
    )
    query = select(GOLD).where(GOLD.c.project == member.project, GOLD.c.is_active, ~elsewhere).order_by(GOLD.c.number)
    found = (GoldQuestion(**row._mapping) for row in connection.execute(query))
    return [question for question in found if question.tool == tool]


def next_gold(
    store: Store, member: Member, moment: Moment, *, every: int, judgments_since: Callable[[str], int]
) -> tuple[GoldPut, GoldQuestion, int] | None:
    """The gold question that is due and the task that it passes for, see :func:`due_gold`; opened, if it was not before.

    It stays the same, under the same token, until it is answered.
    """
    due = due_gold(store, member, moment, every=every, judgments_since=judgments_since)
    if due is None or due[0].token:
        return due
    _, question, task = due
    return _open(store, member, question), question, task


def due_gold(
    store: Store, member: Member, moment: Moment, *, every: int, judgments_since: Callable[[str], int]
) -> tuple[GoldPut, GoldQuestion, int] | None:
    """The gold question that is due, if the member has given so many judgments since the last one, and one is left that does not stand out.

    That is one of the query that is judged at the moment or, if there is none, any when they come to another task anyhow. With it comes the
    number of the task that it passes for. Without a token it is not open yet.
    """
    with store.database.reading() as connection:
        puts = find_puts(connection, member)
        if judgments_since(max((put.at or "" for put in puts if put.is_answered), default="")) < every:
            return None
        found = _questions(connection, member, moment.tool)
        here = [question for question in found if question.query_id == moment.query_id]
        for fitting in (here, found if moment.is_change else []):
            questions = {question.number: question for question in fitting}
            if (chosen := _choose(member, questions, puts)) is None:
                continue
            put = chosen if isinstance(chosen, GoldPut) else _unopened(member, chosen)
            question = questions[put.gold]
            return put, question, moment.task if question.query_id == moment.query_id else _task_of(connection, member, question)
    return None


def _task_of(connection: Connection, member: Member, question: GoldQuestion) -> int:
    """The member's own task of the query if they have one, otherwise one that all share, or any."""
    query = select(PROJECT_TASKS.c.task, PROJECT_TASKS.c.member, PROJECT_TASKS.c.is_shared).where(
        PROJECT_TASKS.c.project == member.project, PROJECT_TASKS.c.query_id == question.query_id, PROJECT_TASKS.c.tool == question.tool
    )
    rows = connection.execute(query.order_by(PROJECT_TASKS.c.is_dropped, PROJECT_TASKS.c.copy)).all()
    tasks = sorted(rows, key=lambda row: (row.member != member.number, not row.is_shared))  # stable: the first copy of those alike
    return int(tasks[0].task) if tasks else 0


def _choose(member: Member, questions: dict[int, GoldQuestion], puts: Sequence[GoldPut]) -> GoldPut | GoldQuestion | None:
    is_open = next((put for put in puts if put.is_open and put.gold in questions), None)
    seen = {put.gold for put in puts}
    unseen = [question for question in questions.values() if question.number not in seen]
    return is_open or min(unseen, key=lambda question: _draw("order", member.number, question.number), default=None)


def _open(store: Store, member: Member, question: GoldQuestion) -> GoldPut:
    with store.database.writing() as connection:
        _lock(connection, member)
        there = next((put for put in find_puts(connection, member) if put.gold == question.number and put.is_open), None)
        return there or _insert(store, connection, member, question.number, question.left, question.right, secrets.token_urlsafe(16))


def _sides(member: Member, gold: int, left: str, right: str | None) -> tuple[str, str | None]:
    if right is None:
        return left, None
    first, second = sorted((left, right), reverse=bool(_draw("side", member.number, gold)[0] % 2))
    return first, second


def _unopened(member: Member, question: GoldQuestion) -> GoldPut:
    """As the question would be put."""
    return GoldPut("", question.number, *_sides(member, question.number, question.left, question.right), "", None, None, True)


def _insert(
    store: Store, connection: Connection, member: Member, gold: int, left: str, right: str | None, token: str, *, is_standing: bool = True
) -> GoldPut:
    """A new row; the sides are drawn by member and question, whichever way round it was given."""
    left, right = _sides(member, gold, left, right)
    put = GoldPut(token, gold, left, right, as_text(store.time(connection)), None, None, is_standing)
    connection.execute(insert(GOLD_ANSWERS), {"member": member.number, **{name: getattr(put, name) for name in _FIELDS}})
    return put


# Answering.


def answer_gold(store: Store, member: Member, token: str, answer: str, times: Times, *, is_open: bool) -> None:
    """Record an answer once; refused if the token was used to say something else, or the project ``is_open`` no more."""
    with store.database.writing() as connection:
        _lock(connection, member)
        put = find_put(connection, member, token)
        assert put is not None
        if put.answer is not None:
            if put.answer != answer:
                raise Conflict(said_otherwise(token, put.answer or "skip", answer or "skip"))
            return
        if not is_open:
            raise Closed("the project is closed: it is not judged any more")
        if not put.is_standing:
            raise Conflict(ANSWERED)  # the answer that was undone stands again; said as of any other question
        at = as_text(store.time(connection))
        row = update(GOLD_ANSWERS).where(GOLD_ANSWERS.c.token == token)
        connection.execute(row.values(answer=answer, at=at, seconds=times.seconds, paused=times.paused, idle=times.idle))


# Taking back.


def _token_of(member: Member, action: str, key: str) -> str:
    """Of the same shape as all other tokens."""
    return base64.urlsafe_b64encode(_draw(action, member.number, key)).decode().rstrip("=")


def was_done(puts: Sequence[GoldPut], member: Member, action: str, key: str) -> bool:
    """Whether the undo or redo of this key was about a gold question, and is done."""
    return any(put.token == _token_of(member, action, key) for put in puts)


def last_answer(puts: Sequence[GoldPut]) -> GoldPut | None:
    """The last gold question that was answered or skipped: what an undo may be about."""
    return max((put for put in puts if put.is_answered), key=lambda put: put.at or "", default=None)


def last_undone(puts: Sequence[GoldPut]) -> tuple[GoldPut, GoldPut] | None:
    """The question that was opened by the last undo, and what was answered before it: what a redo may be about."""
    opened = (put for put in puts if put.is_open)
    pairs = [(put, before[-1]) for put in opened if (before := [each for each in puts if each.gold == put.gold and each.is_taken_back])]
    return max(pairs, key=lambda pair: pair[0].opened_at, default=None)


def undo_gold(store: Store, member: Member, put: GoldPut, key: str) -> None:
    """Take the answer back and open the question again, once for each key."""
    with store.database.writing() as connection:
        _lock(connection, member)
        if not was_done(find_puts(connection, member), member, "undo", key):
            _set_standing(connection, put.token, False)
            _insert(store, connection, member, put.gold, put.left, put.right, _token_of(member, "undo", key))


def redo_gold(store: Store, member: Member, undone: tuple[GoldPut, GoldPut], key: str) -> None:
    """Let the answer stand again and withdraw the question that was opened instead, once for each key."""
    opened, put = undone
    with store.database.writing() as connection:
        _lock(connection, member)
        if not was_done(find_puts(connection, member), member, "redo", key):
            _set_standing(connection, opened.token, False)
            _set_standing(connection, put.token, True)
            _insert(store, connection, member, put.gold, put.left, put.right, _token_of(member, "redo", key), is_standing=False)


def _set_standing(connection: Connection, token: str, is_standing: bool) -> None:
    connection.execute(update(GOLD_ANSWERS).where(GOLD_ANSWERS.c.token == token).values(is_standing=is_standing))
