"""Undo and redo across the tasks of a project and its gold questions: which act is meant, and that it happens once."""

from __future__ import annotations

from collections.abc import Sequence

from podium.errors import DataError
from podium.projects.facts import Conflict, Member
from podium.projects.gold_asking import GoldPut, last_answer, last_undone, redo_gold, undo_gold, was_done
from podium.projects.history import Act, History
from podium.store.store import Store

__all__ = ["is_done", "take_back", "what_to_redo", "what_to_undo"]

Undone = tuple[GoldPut, GoldPut]  # what an undo opened, and what was answered before


def what_to_undo(history: History, puts: Sequence[GoldPut]) -> Act | GoldPut | None:
    """The last thing the member said that stands, in any task or to a gold question."""
    act, gold = history.last_standing(), last_answer(puts)
    if act is None or gold is None:
        return act or gold
    return gold if (gold.at or "") > act.at else act


def what_to_redo(history: History, puts: Sequence[GoldPut]) -> Act | Undone | None:
    """The last undo, if nothing was said since."""
    act, gold = history.last_undo(), last_undone(puts)
    gold_at = max((put.at or "" for put in puts), default="")
    if act is not None and gold is not None:
        act, gold = (None, gold) if gold[0].opened_at > act.at else (act, None)
    if gold is not None:
        return None if max(history.last_said_at, gold_at) > gold[0].opened_at else gold
    return None if act is None or gold_at > act.at else act


def is_done(history: History, puts: Sequence[GoldPut], member: Member, action: str, key: str) -> bool:
    """Whether this key was used before, for the same; refused if it was used for something else."""
    before = history.of_key(key)
    if before is not None and before.action != action:
        raise Conflict(f"key {key!r} was used for an {before.action}; use another one to {action}")
    return before is not None or was_done(puts, member, action, key)


def take_back(store: Store, member: Member, action: str, key: str, target: Act | GoldPut | Undone | None) -> None:
    """Undo or redo what was found; the same key once, also if it is sent twice at the same time.

    What was undone is asked next in its task, if its task can ask it now.
    """
    if target is None:
        raise Conflict(f"you have nothing to {action} in this project")
    if isinstance(target, Act):
        try:
            _take_back_act(store, member, action, key, target)
        except DataError as error:  # somebody corrected it, or another tab was faster
            raise Conflict(str(error)) from None
    elif isinstance(target, GoldPut):
        undo_gold(store, member, target, key)
    else:
        redo_gold(store, member, target, key)


def _take_back_act(store: Store, member: Member, action: str, key: str, act: Act) -> None:
    said = {"assessor": member.name, "key": key, "role": member.kind}
    if action == "redo":
        store.redo(act.task, **said)
        return
    undo = store.undo(act.task, **said, target=act.number)
    undone = store.events(act.task)[(undo.target or 0) - 1]
    store.ask(act.task, member.name, first=undone.question.pair)
