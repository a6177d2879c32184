"""The example that a new user meets first."""

from __future__ import annotations

from podium.projects.example import EXAMPLE, example_pools, make_example
from podium.projects.projects import Projects
from podium.store import Store


def test_the_example_is_a_project_that_can_be_judged(store: Store) -> None:
    project = make_example(Projects(store))
    assert (project.name, project.state, project.n_queries) == (EXAMPLE, "open", 2)
    assert "**Both bad**" in project.settings.instructions


def test_every_document_of_the_example_has_something_to_read() -> None:
    for pool in example_pools():
        assert pool.description
        assert all(document.title and len(document.text) > 40 for document in pool.documents)
