"""A server in this process, over a store with two projects, and people of every role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.databases import new_place, postgresql
from tests.server.clients import Client, Loop

from podium.pool import Document, Pool
from podium.projects.facts import Person, Project, ProjectSettings
from podium.projects.office import Office, open_office
from podium.server.app import make_app

__all__ = ["POOLS", "World", "new_place", "postgresql"]

POOLS = (
    Pool("q1", "wing flutter", tuple(Document(f"d{number}", f"title {number}", f"text {number}") for number in range(4)), "about wings"),
    Pool("q2", "heat", tuple(Document(f"e{number}", text=f"warm {number}") for number in range(3))),
)


@dataclass
class World:
    """An office, its application, and a way in for everyone."""

    office: Office
    app: Any
    loop: Loop
    mine: Project  # in which ann judges and vera looks on
    other: Project  # in which otto judges
    people: dict[str, Person]
    _clients: list[Client] = field(default_factory=list)

    def client(self, token: str = "", **headers: str) -> Client:
        self._clients.append(Client(self.app, self.loop, token, **headers))
        return self._clients[-1]

    def browser(self, name: str) -> Client:
        """Signed in by a link, as people are."""
        client = self.client()
        secret, _ = self.office.people.link(self.people[name])
        assert client.post("/api/v1/join", {"secret": secret}).status_code == 200
        return client

    def token(self, name: str, role: str, project: int | None = None) -> Client:
        return self.client(self.office.people.token(self.people[name], role=role, project=project)[0])

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


@pytest.fixture
def make_world(tmp_path: Path, loop: Loop) -> Iterator[Callable[..., World]]:
    worlds: list[World] = []

    def make(place: str | None = None, **options: Any) -> World:
        office = open_office(place or tmp_path / f"labels{len(worlds)}.db")
        projects = [office.projects.create(name, ProjectSettings(k=2), POOLS) for name in ("mine", "other")]
        people = {name: office.people.add(name, role) for name, role in PEOPLE.items()}
        for name, project, role in (("ann", 0, "judge"), ("bob", 0, "judge"), ("vera", 0, "viewer"), ("otto", 1, "judge")):
            office.projects.add_member(projects[project].number, people[name].number, role)
        worlds.append(World(office, make_app(office, **options), loop, *projects, people))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()
        world.office.close()


PEOPLE = {"root": "admin", "ann": "judge", "bob": "judge", "vera": "viewer", "otto": "judge"}


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()
