"""The facts of projects: settings, people, members, tasks and questions, as frozen values, checked where they are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.errors import DataError, UnknownName
from podium.labelling.questions import GRADES
from podium.pool import Document

__all__ = [
    "KINDS_OF_SECRET",
    "OVERLAPS",
    "ROLES",
    "STATES",
    "TOOLS",
    "Closed",
    "Conflict",
    "Elsewhere",
    "Member",
    "NotAllowed",
    "Offer",
    "Person",
    "Progress",
    "Project",
    "ProjectSettings",
    "ProjectTask",
    "Put",
    "Secret",
    "StudyPlan",
]

ROLES = {  # from the least to the most
    "viewer": "sees progress, reports and exports of a project",
    "judge": "judges in a project, and sees nothing else",
    "admin": "may do everything",
}
STATES = {"open": "is judged", "closed": "can be looked at, not judged", "archived": "is put away; lists leave it out"}
TOOLS = {"pairs": "T1: which of two documents is better", "grades": "T2: what grade does a document deserve"}
OVERLAPS = {
    "copies": "each of several assessors labels the whole query alone; agreement is measured on what they have in common",
    "votes": "each question is put to several assessors, and the majority counts",
}
KINDS_OF_SECRET = ("invitation", "link", "session", "token")


class NotAllowed(DataError):
    """Someone wants what is not theirs to have."""


class Conflict(DataError):
    """What is asked for cannot be had beside what is there: a name is taken, a question was answered otherwise."""


class Closed(DataError):
    """The project is not open for judging."""


class Elsewhere(Conflict):
    """The same member judges in another browser tab."""


@dataclass(frozen=True)
class StudyPlan:
    """A study as the paper's: queries in folds, assessors who use both tools, rounds. See :mod:`podium.labelling.assignment`."""

    assessors: int
    folds: int
    rounds: int


@dataclass(frozen=True)
class ProjectSettings:
    """How a project is judged. A study uses both tools; other projects the one that is named.

    ``ties`` and ``both_bad`` say whether these answers are offered; ``gold_every`` puts a gold question after so many judgments of an
    assessor, 0 never. ``options`` are those of the strategy.
    """

    tool: str = "pairs"
    k: int = 10
    strategy: str = "adaptive"
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    ties: bool = True
    both_bad: bool = True
    ties_are_transitive: bool = True
    overlap: int = 1
    overlap_by: str = "copies"
    grades: tuple[str, ...] = GRADES
    instructions: str = ""
    gold_every: int = 0
    study: StudyPlan | None = None

    def __post_init__(self) -> None:
        for what, name, known in (("tool", self.tool, TOOLS), ("kind of overlap", self.overlap_by, OVERLAPS)):
            if name not in known:
                raise UnknownName(what, str(name), known)
        for name, least in (("k", 1), ("overlap", 1), ("gold_every", 0), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
                raise DataError(f"{name} must be a whole number of {least} or more, got {value!r}")


@dataclass(frozen=True)
class Project:
    number: int
    name: str
    state: str
    settings: ProjectSettings
    created_at: str
    n_queries: int

    @property
    def is_study(self) -> bool:
        return self.settings.study is not None


@dataclass(frozen=True)
class Person:
    number: int
    name: str
    role: str
    is_active: bool
    created_at: str


@dataclass(frozen=True)
class Member:
    """One who judges in a project or looks on; a free seat of a study has no name."""

    number: int
    project: int
    person: int | None
    kind: str  # person or model
    name: str
    role: str
    seat: int | None
    is_active: bool
    joined_at: str | None
    settings: Mapping[str, Any] | None = None  # of a model


@dataclass(frozen=True)
class Secret:
    """What opens a door, without the secret itself, which is shown once and then known by its hash only."""

    number: int
    kind: str
    person: int | None
    project: int | None
    role: str
    note: str
    uses_left: int | None
    created_at: str
    created_by: int | None
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


@dataclass(frozen=True)
class ProjectTask:
    """A task of a project at a glance."""

    task: int
    project: int
    query_id: str
    tool: str
    copy: int
    is_shared: bool
    member: int | None
    fold: int | None
    round: int | None
    documents: int
    judgments: int
    is_finished: bool


@dataclass(frozen=True)
class Put:
    """A question as it is put to someone. Whether it is a gold question cannot be seen from it."""

    token: str
    task: int  # of a gold question, the task of its query that this member works on, or 0
    tool: str
    query_id: str
    query: str
    description: str
    left: Document
    right: Document | None
    answers: tuple[str, ...]  # what may be said, in the order of the buttons


@dataclass(frozen=True)
class Progress:
    """How far one member is."""

    done: int  # judgments given in this project
    about_left: int  # in the query that is being judged
    queries_done: int
    queries: int  # assigned, or to be had


@dataclass(frozen=True)
class Offer:
    """What a member is to do next: a ``question``; ``wait`` for others; or nothing, as all is ``finished``."""

    status: str
    question: Put | None
    progress: Progress
