"""How far a project is, as JSON for a dashboard that asks every few seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from statistics import median
from typing import Any

from sqlalchemy import Connection, select

from podium.projects.desks import HERE_SECONDS
from podium.projects.facts import Member, Project, ProjectTask
from podium.projects.gold import Gold, GoldScore
from podium.projects.rows import members_of, queries_of, tasks_of
from podium.projects.tallies import MOST_TIMES, Share, Tallies, Tally, tallies_of
from podium.store.leases import as_text
from podium.store.project_tables import MEMBERS
from podium.store.store import Store

__all__ = ["MOST_REPLAYED", "progress_of"]

MOST_REPLAYED = 200  # tasks; of more, these stand for the others


def progress_of(store: Store, project: Project) -> dict[str, Any]:
    """How far the project, its members and its queries are; only answers that stand count.

    Judgments in tasks that were set aside are counted, the tasks are not.
    ``about_left`` is the sum over the tasks that are not finished; of more than 200, an even choice of 200 stands for all. A member's tasks
    are their own, and the shared ones in which they judged.
    """
    number, known = project.number, tallies_of(store)
    with store.database.reading() as connection:
        members, tasks = members_of(connection, number), tasks_of(connection, number)
        tallies = known.of(connection, number)
        texts = known.queries(connection, number, queries_of(connection, number))
        here = _here(connection, store, number)
    gold = Gold(store).scores(number)
    unfinished = [task for task in tasks if not task.is_finished]
    return {
        "project": number,
        "state": project.state,
        "queries": len(texts),
        "tasks": len(tasks),
        "tasks_finished": len(tasks) - len(unfinished),
        "judgments": sum(share.judgments for tally in tallies.values() for share in tally.shares.values()),
        "about_left": _about_left(store, known, unfinished, tallies),
        "members": [_member(member, tasks, tallies, gold.get(member.name)) | {"is_here": member.number in here} for member in members],
        "queries_table": _queries_table(texts, tasks, {member.number: member.name for member in members}, tallies),
        "by_day": _by_day(tallies.values()),
    }


def _here(connection: Connection, store: Store, project: int) -> set[int]:
    """The members who have a desk and were heard of lately."""
    since = as_text(store.time(connection) - timedelta(seconds=HERE_SECONDS))
    is_here = (MEMBERS.c.project == project, MEMBERS.c.desk != "", MEMBERS.c.desk_at > since)
    return set(connection.scalars(select(MEMBERS.c.number).where(*is_here)))


def _about_left(store: Store, known: Tallies, tasks: Sequence[ProjectTask], tallies: Mapping[int, Tally]) -> int:
    some = [tasks[place * len(tasks) // MOST_REPLAYED] for place in range(MOST_REPLAYED)] if len(tasks) > MOST_REPLAYED else tasks
    left = sum(known.about_left(store, task.task, tallies[task.task].events) for task in some)
    return round(left * len(tasks) / len(some)) if some else 0


def _member(member: Member, tasks: Sequence[ProjectTask], tallies: Mapping[int, Tally], gold: GoldScore | None) -> dict[str, Any]:
    shares = {number: tally.shares[member.name] for number, tally in tallies.items() if member.name in tally.shares}
    own = [task for task in tasks if task.member == member.number or (task.is_shared and task.task in shares)]
    return {
        "member": member.number,
        "name": member.name,
        "kind": member.kind,
        "role": member.role,
        "is_active": member.is_active,
        "judgments": sum(share.judgments for share in shares.values()),
        "tasks": len(own),
        "tasks_finished": sum(task.is_finished for task in own),
        "median_seconds": _median_seconds(shares.values()),
        "last_at": max((share.last_at for share in shares.values()), default=None),
        "gold_right": 0 if gold is None else gold.right,
        "gold_asked": 0 if gold is None else gold.asked,
    }


def _median_seconds(shares: Iterable[Share]) -> float | None:
    """Of the last answers, as many as are looked at: those of the tasks that were worked on last."""
    seconds: list[float] = []
    for share in sorted(shares, key=lambda share: share.last_at, reverse=True):
        room = MOST_TIMES - len(seconds)
        seconds += share.seconds[-room:] if room else ()
    return median(seconds) if seconds else None


def _queries_table(
    texts: Mapping[str, str], tasks: Sequence[ProjectTask], names: Mapping[int, str], tallies: Mapping[int, Tally]
) -> list[dict[str, Any]]:
    rows: dict[str, list[dict[str, Any]]] = {query_id: [] for query_id in texts}
    for task in tasks:
        shares = tallies[task.task].shares
        assessor = names[task.member] if task.member is not None else ", ".join(sorted(shares))
        facts = {"task": task.task, "tool": task.tool, "copy": task.copy, "assessor": assessor, "member": task.member}
        rows[task.query_id].append({**facts, "judgments": task.judgments, "is_finished": task.is_finished})
    return [{"query_id": query_id, "query": texts[query_id], "tasks": found} for query_id, found in rows.items()]


def _by_day(tallies: Iterable[Tally]) -> list[dict[str, Any]]:
    days: dict[str, int] = {}
    for tally in tallies:
        for share in tally.shares.values():
            for day, judgments in share.by_day.items():
                days[day] = days.get(day, 0) + judgments
    return [{"day": day, "judgments": judgments} for day, judgments in sorted(days.items())]
