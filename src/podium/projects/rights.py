"""Who asks, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podium.projects.facts import ROLES, Person, Secret

__all__ = ["Caller", "lesser_role"]


def lesser_role(one: str, other: str) -> str:
    """The one of two roles that may do less.

    >>> lesser_role("admin", "viewer")
    'viewer'
    """
    return min(one, other, key=list(ROLES).index)


@dataclass(frozen=True)
class Caller:
    """A person, the session or token they came with, and the projects of which they are an active member, each with the role in it.

    An admin may do everything. In a project a viewer looks on and a judge judges; neither can do what the other can, and a judge must not
    see what others judged. A token narrows that and never widens it: a judge's token "viewer" is good for nothing in that project.
    """

    person: Person
    secret: Secret
    roles: Mapping[int, str] = field(default_factory=dict, hash=False)

    @property
    def role(self) -> str:
        """The lesser of the person's and the token's."""
        return self.person.role if self._limit == "admin" else lesser_role(self.person.role, self._limit)

    @property
    def is_admin(self) -> bool:
        """May do everything everywhere; a token for one project does not give that, see :meth:`role_in`."""
        return self.role == "admin" and self.secret.project is None

    def role_in(self, project: int) -> str | None:
        """What they are in this project: admin, viewer or judge; ``None``: for them it is not there."""
        if not self._opens(project):
            return None
        if self.person.role == "admin" and self._limit != "judge":
            return self._limit  # an admin sees every project, and a token may let them look on only
        role = self.roles.get(project)
        return role if self._limit in ("admin", role) else None

    def may_see(self, project: int) -> bool:
        """Whether they may see progress, judgments, reports and exports of this project."""
        return self.role_in(project) in ("viewer", "admin")

    def may_judge(self, project: int) -> bool:
        """Whether they are a judge of this project; an admin may be one too."""
        return self._opens(project) and self.roles.get(project) == "judge" and self._limit in ("admin", "judge")

    @property
    def _limit(self) -> str:
        """The role beyond which the secret does not go. A session knows no limit: a person's role may change while it lasts."""
        return self.secret.role if self.secret.kind == "token" else "admin"

    def _opens(self, project: int) -> bool:
        return self.secret.kind != "token" or self.secret.project in (None, project)
