"""A small project to try things out: two queries, written for this purpose."""

from __future__ import annotations

from pathlib import Path

from podium.pool import Pool
from podium.projects.facts import Project, ProjectSettings
from podium.projects.projects import Projects
from podium.sources.pools import read_pools

__all__ = ["EXAMPLE", "example_pools", "make_example"]

EXAMPLE = "Example"
_INSTRUCTIONS = """Which page helps more with what the description asks for?

- A page that answers the question beats one that only mentions its words.
- Where one is clearer or more complete, it is better.
- **Both bad** is for two pages that do not help at all; a tie for two that help equally."""


def example_pools() -> list[Pool]:
    """The queries with their documents.

    >>> [(pool.query, len(pool.documents)) for pool in example_pools()]
    [('sourdough bread does not rise', 12), ('remove limescale from a kettle', 10)]
    """
    return read_pools(Path(__file__).with_name("example.jsonl"))


def make_example(projects: Projects) -> Project:
    """A project of pairs with the example's queries."""
    return projects.create(EXAMPLE, ProjectSettings(k=3, instructions=_INSTRUCTIONS), example_pools())
