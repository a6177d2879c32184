"""Projects: made, changed, opened and closed; their queries, their members, and the tasks that follow from these.

What is written first, in one transaction, is what was asked for: a project, its queries, a member. The tasks follow from that
(:mod:`podium.projects.plans`) and are made after it, in the store one by one, in the project all at once. So whoever is killed half way
leaves a project that lacks tasks, never one with wrong ones, and whatever is done to it next makes those that are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from sqlalchemy import Connection, exc, insert, or_, select, text, update

from podium.errors import DataError, UnknownName
from podium.pool import Pool
from podium.projects.facts import STATES, Conflict, Member, Project, ProjectSettings, ProjectTask
from podium.projects.leaving import leave, set_aside
from podium.projects.model_settings import checked_settings
from podium.projects.names import checked_name, name_key
from podium.projects.plans import PlannedTask, by_query, check_queries, check_settings, planned_tasks, replacements, task_options
from podium.projects.rows import (
    PROJECT,
    find_member,
    find_person,
    find_project,
    find_task,
    members_of,
    pools_of,
    project_of,
    queries_of,
    tasks_of,
)  # fmt: skip
from podium.projects.seats import bring_in, bring_in_model, change_seats, come_back, make_seats, part_shared_tasks
from podium.projects.settings import checked_line, settings_from, settings_to
from podium.store.leases import as_text
from podium.store.project_tables import PEOPLE, PROJECT_TASKS, PROJECTS, QUERIES
from podium.store.rows import dump, pool_to
from podium.store.store import Store
from podium.store.tables import TASKS

__all__ = ["CHANGEABLE", "LONGEST_NAME", "Projects"]

LONGEST_NAME = 120
CHANGEABLE = ("instructions", "gold_every", "ties", "both_bad", "overlap")  # also once there are tasks
_NEXT_STATES = {"open": ("closed",), "closed": ("open", "archived"), "archived": ("closed",)}
_NAMES_LOCK = 0x6E616D6573  # "names"; an advisory lock of PostgreSQL has a number


class Projects:
    """The projects of a store, by number."""

    def __init__(self, store: Store) -> None:
        self.store = store

    # Projects.

    def create(self, name: str, settings: ProjectSettings, pools: Sequence[Pool] = ()) -> Project:
        """Make a project; everything is checked before anything is written.

        It opens when its tasks are made. A study has its seats at once and its tasks as soon as it has queries; until then it is closed.
        """
        name, settings = checked_line("name of a project", name, longest=LONGEST_NAME), settings_from(settings_to(settings))
        new = by_query(pools)
        check_settings(settings)
        check_queries(settings, list(new))
        is_waiting = settings.study is not None or bool(new)
        with self.store.database.writing() as connection:
            self._reserve(connection, name)
            row = {"name": name, "state": "closed" if is_waiting else "open", "settings": dump(settings_to(settings))}
            row["created_at"] = as_text(self.store.time(connection))
            number = int(connection.execute(insert(PROJECTS).values(row).returning(PROJECTS.c.number)).scalar_one())
            if settings.study is not None:
                make_seats(connection, number, settings.study.assessors)
            _insert_queries(connection, number, 0, new.values())
        self._complete(number, opens=bool(new))
        return self.get(number)

    def _reserve(self, connection: Connection, name: str, but: int | None = None) -> None:
        """Refuse a name that another project has, whatever its case; nobody else can take it before this transaction is over."""
        if not self.store.database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _NAMES_LOCK})
        for number, known in connection.execute(select(PROJECTS.c.number, PROJECTS.c.name)):
            if number != but and name_key(known) == name_key(name):
                raise Conflict(f"there is a project {known!r} already (number {number}); choose another name")

    def all(self, *, with_archived: bool = False) -> list[Project]:
        """All projects, by number; those that were archived only if they are wanted."""
        query = PROJECT.order_by(PROJECTS.c.number)
        with self.store.database.reading() as connection:
            rows = connection.execute(query if with_archived else query.where(PROJECTS.c.state != "archived")).all()
        return [project_of(row) for row in rows]

    def get(self, number: int) -> Project:
        with self.store.database.reading() as connection:
            return find_project(connection, number)

    def find(self, name: str) -> Project | None:
        """The project of this name, whatever its case."""
        return next((project for project in self.all(with_archived=True) if name_key(project.name) == name_key(name)), None)

    def update(self, number: int, *, name: str | None = None, **changes: Any) -> Project:
        """Change the name, or fields of the settings: once there are tasks only those in :data:`CHANGEABLE`.

        Overlap by copies may grow: a query that one assessor has begun stays theirs, and gets further copies.
        """
        known = [field.name for field in fields(ProjectSettings)]
        if unknown := [field for field in changes if field not in known]:
            raise UnknownName("setting", unknown[0], known)
        with self.store.database.writing() as connection:
            if name is not None:
                name = checked_line("name of a project", name, longest=LONGEST_NAME)
                self._reserve(connection, name, but=number)
            project = find_project(connection, number, is_locked=True)
            said = {field: _plain(value) for field, value in changes.items()}
            settings = settings_from({**settings_to(project.settings), **said})
            check_settings(settings)
            self._change(connection, project, settings)
            values = {"name": project.name if name is None else name, "settings": dump(settings_to(settings))}
            connection.execute(update(PROJECTS).where(PROJECTS.c.number == number).values(values))
        self._complete(number)
        return self.get(number)

    def _change(self, connection: Connection, project: Project, new: ProjectSettings) -> None:
        """Check what follows from other settings, and do what must be done before they are written."""
        old = project.settings
        if _has_tasks(connection, project.number):
            changed = [field.name for field in fields(ProjectSettings) if getattr(old, field.name) != getattr(new, field.name)]
            if fixed := [name for name in changed if name not in CHANGEABLE]:
                raise DataError(
                    f"{', '.join(fixed)} cannot be changed once there are tasks; {', '.join(CHANGEABLE)} can; otherwise make a new project"
                )
            if new.overlap < old.overlap or (new.overlap != old.overlap and old.overlap_by == "votes"):
                raise DataError(
                    f"overlap {old.overlap} by {old.overlap_by} cannot become {new.overlap} once there are tasks: by copies it may grow"
                )
            if old.overlap == 1 < new.overlap:
                part_shared_tasks(connection, project.number, as_text(self.store.time(connection)))
        elif old.study != new.study:
            change_seats(connection, project, 0 if new.study is None else new.study.assessors)
            check_queries(new, queries_of(connection, project.number))

    def set_state(self, number: int, state: str) -> Project:
        """Open, close or archive a project: open ↔ closed ↔ archived. Before it opens, tasks that are missing are made."""
        if state not in STATES:
            raise UnknownName("state of a project", str(state), STATES)
        if state == "open":
            self._complete(number)
        with self.store.database.writing() as connection:
            project = find_project(connection, number, is_locked=True)
            if state not in (project.state, *_NEXT_STATES[project.state]):
                raise DataError(f"a project that is {project.state} cannot become {state}; make it {_NEXT_STATES[project.state][0]} first")
            if state == "open" and project.is_study and not project.n_queries:
                raise DataError("a study cannot be opened before it has queries; add them first")
            connection.execute(update(PROJECTS).where(PROJECTS.c.number == number).values(state=state))
        return self.get(number)

    # Queries and tasks.

    def add_queries(self, number: int, pools: Sequence[Pool]) -> int:
        """Add queries and make their tasks; return how many queries were new.

        A query that the project has is nothing new, and refused with other documents. A study takes all its queries at once, and opens.
        """
        given = by_query(pools)
        with self.store.database.writing() as connection:
            project = find_project(connection, number, is_locked=True)
            _check_not_archived(project)
            for query, pool in pools_of(connection, number, list(given)).items():
                if given.pop(query) != pool:
                    raise DataError(f"the project has query {query!r} with other documents; give it another id")
            is_first = not _has_tasks(connection, number)
            if given and project.is_study and not is_first:
                raise DataError("a study that has its tasks takes no further queries: they are dealt to its assessors; make a new project")
            check_queries(project.settings, [*queries_of(connection, number), *given])
            _insert_queries(connection, number, project.n_queries, given.values())
        self._complete(number, opens=project.is_study and not self.tasks(number))
        return len(given)

    def queries(self, number: int) -> list[str]:
        """The ids of the queries, in the order in which they were added."""
        with self.store.database.reading() as connection:
            find_project(connection, number)
            return queries_of(connection, number)

    def pool(self, number: int, query_id: str) -> Pool:
        """The documents of a query."""
        with self.store.database.reading() as connection:
            project = find_project(connection, number)
            found = pools_of(connection, number, [query_id])
        if query_id not in found:
            raise DataError(f"project {project.name!r} has no query {query_id!r}")
        return found[query_id]

    def tasks(self, number: int, *, member: int | None = None) -> list[ProjectTask]:
        """The tasks, in the order of the queries; only those that are a member's own, if one is named."""
        with self.store.database.reading() as connection:
            find_project(connection, number)
            return tasks_of(connection, number, member=member)

    def _complete(self, number: int, *, opens: bool = False) -> None:
        """Make the tasks that are missing. Judges see them all at once, together with the project's opening."""
        with self.store.database.reading() as connection:
            project = find_project(connection, number)
            planned = planned_tasks(project, members_of(connection, number), queries_of(connection, number))
            planned += replacements(project, planned, tasks_of(connection, number, is_dropped=True))
            there = {(task.query_id, task.tool, task.copy) for task in tasks_of(connection, number, is_dropped=None)}
            missing = [task for task in planned if (task.query_id, task.tool, task.copy) not in there]
            pools = pools_of(connection, number, sorted({task.query_id for task in missing})) if missing else {}
        made = {self.store.add(pools[task.query_id], **task_options(project.settings, task)): task for task in missing}
        if not made and not opens:
            return
        with self.store.database.writing() as connection:
            find_project(connection, number, is_locked=True)
            there_now = {task.task for task in tasks_of(connection, number, is_dropped=None)}  # another process may have made them since
            for task, facts in made.items():
                if task not in there_now:
                    connection.execute(insert(PROJECT_TASKS), {"task": task, **_row_of(facts)})
            if opens and planned:
                connection.execute(update(PROJECTS).where(PROJECTS.c.number == number).values(state="open"))

    # Members.

    def members(self, number: int) -> list[Member]:
        """Who judges or looks on, and the free seats of a study."""
        with self.store.database.reading() as connection:
            find_project(connection, number)
            return members_of(connection, number)

    def member(self, number: int) -> Member:
        with self.store.database.reading() as connection:
            return find_member(connection, number)

    def add_member(self, project: int, person: int, role: str) -> Member:
        """Make a person a judge or a viewer of a project; of a study, a judge takes the lowest free seat."""
        if role not in ("judge", "viewer"):
            raise UnknownName("role in a project", str(role), ("judge", "viewer"))
        try:
            return self._add_member(project, person, role)
        except exc.IntegrityError:  # they came in by an invitation at the same time
            return self._add_member(project, person, role)

    def _add_member(self, project: int, person: int, role: str) -> Member:
        with self.store.database.writing() as connection:
            found = find_project(connection, project, is_locked=True)
            at = as_text(self.store.time(connection))
            return find_member(connection, bring_in(connection, found, find_person(connection, person), role, at))

    def set_member_active(self, member: int, is_active: bool) -> Member:
        """Whoever is not active has no part in the project any more; what they judged stays.

        What they had not begun is for others: copies are free again, and a study's seat is, with all that is unfinished there; see
        :mod:`podium.projects.leaving`. Who comes back to a study takes a free seat.
        """
        found = self.member(member)
        if found.kind == "person" and found.person is None:
            raise DataError(f"seat {found.seat} is free: there is nobody to let in or keep out")
        with self.store.database.writing() as connection:
            project = find_project(connection, found.project, is_locked=True)
            if is_active:
                come_back(connection, project, find_member(connection, member))
            else:
                leave(connection, find_member(connection, member))
        self._complete(found.project)
        return self.member(member)

    def reassign(self, task: int) -> ProjectTask:
        """Set the unfinished task of one assessor aside, and return the one that is judged in its place.

        The task stays in the store with its log, and counts no more as something to be done. Another copy of the query is made, free for
        the next who asks, but not for whoever had the first; in a study it belongs to the seat, which its holder must have left. A task
        that was not begun is only made free.
        """
        with self.store.database.writing() as connection:
            found = find_task(connection, task)
            project = find_project(connection, found.project, is_locked=True)
            copy = set_aside(connection, project, find_task(connection, task))
        self._complete(project.number)
        wanted = found.query_id, found.tool, copy
        return next(each for each in self.tasks(project.number) if (each.query_id, each.tool, each.copy) == wanted)

    def add_model(self, project: int, name: str, settings: Mapping[str, Any]) -> Member:
        """Make a model a judge, with a task of its own for every query; in a study it judges pairs."""
        name, values = checked_name(name), checked_settings(settings)
        with self.store.database.writing() as connection:
            if not self.store.database.is_sqlite:  # nobody may be given the model's name meanwhile
                connection.execute(text(f"LOCK TABLE {PEOPLE.name} IN SHARE ROW EXCLUSIVE MODE"))
            found = find_project(connection, project, is_locked=True)
            _check_not_archived(found)
            member = bring_in_model(connection, found, name, values, as_text(self.store.time(connection)))
        self._complete(project)
        return self.member(member)


def _plain(value: object) -> object:
    """A value of the settings as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return list(value) if isinstance(value, tuple) else value


def _check_not_archived(project: Project) -> None:
    if project.state == "archived":
        raise Conflict(f"project {project.name!r} is archived; close it again to change it")


def _has_tasks(connection: Connection, number: int) -> bool:
    """Whether tasks were made, also if they were not all made yet: then those that are there must fit the others."""
    prefixes = (TASKS.c.name.startswith(f"{number}/{tool}/", autoescape=True) for tool in ("pairs", "grades"))
    own = select(PROJECT_TASKS.c.task).where(PROJECT_TASKS.c.project == number)
    return connection.execute(select(TASKS.c.number).where(or_(*prefixes, TASKS.c.number.in_(own))).limit(1)).first() is not None


def _insert_queries(connection: Connection, number: int, place: int, pools: Iterable[Pool]) -> None:
    for later, pool in enumerate(pools, start=1):
        row = {"project": number, "query_id": pool.query_id, "place": place + later, "pool": dump(pool_to(pool))}
        connection.execute(insert(QUERIES), row)


def _row_of(task: PlannedTask) -> dict[str, Any]:
    return {name: getattr(task, name) for name in ("project", "query_id", "tool", "copy", "is_shared", "member", "fold", "round")}
