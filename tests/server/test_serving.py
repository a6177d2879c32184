"""``podium serve`` as people run it: a process, its signals, its links and its backups."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from podium.cli import main
from podium.projects.office import open_office

LINE = '{"query_id": "%s", "query": "wing", "id": "%s", "text": "flutter"}\n'


class Server:
    """A running server: its address, the link that it printed, and a way to end it."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "podium", "serve", "--store", "labels.db", "--port", "0", *options]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if found := re.search(r"(http://127\.0\.0\.1:\d+)/join/(\S+)", line):
                self.home, self.secret = found.groups()
                return
        raise AssertionError(f"the server ended: {self.process.communicate()}")

    def client(self, session: str = "") -> httpx.Client:
        cookies = {"podium_session": session} if session else None
        return httpx.Client(base_url=self.home, cookies=cookies, headers={"origin": self.home}, timeout=60)

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=60)
        return self.process.returncode, complaints


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def make(*options: str) -> Server:
        servers.append(Server(tmp_path, *options))
        return servers[-1]

    yield make
    for server in servers:
        if server.process.poll() is None:
            server.end(signal.SIGTERM)


def podium(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "podium", *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@contextlib.contextmanager
def signed_in(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        answer = client.post("/api/v1/join", json={"secret": server.secret})
        assert answer.status_code == 200, answer.text
        yield client


def test_the_admin_link_works_once_and_sessions_outlive_a_server_that_is_killed(start: Callable[..., Server]) -> None:
    server = start()
    with signed_in(server) as admin, server.client() as thief:
        assert admin.get("/api/v1/me").json()["role"] == "admin"
        assert thief.post("/api/v1/join", json={"secret": server.secret}).status_code == 410
        session = admin.cookies["podium_session"]
    server.end(signal.SIGKILL)
    again = start()
    assert again.secret != server.secret
    with again.client(session) as admin:
        assert admin.get("/api/v1/me").json()["name"] == "admin"
    assert again.end(signal.SIGINT) == (0, "")


def test_copies_and_admin_links_can_be_had_while_the_server_runs(start: Callable[..., Server], tmp_path: Path) -> None:
    server = start()
    with signed_in(server) as admin:
        assert admin.post("/api/v1/projects", json={"name": "wings"}).status_code == 201
        done = podium(tmp_path, "serve", "--store", "labels.db", "--backup", "copy.db")
        assert (done.returncode, done.stderr) == (0, "")
        assert admin.post("/api/v1/projects", json={"name": "later"}).status_code == 201
    with open_office(tmp_path / "copy.db") as office:
        assert [project.name for project in office.projects.all()] == ["wings"]
    done = podium(tmp_path, "serve", "--store", "labels.db", "--port", server.home.rsplit(":", 1)[1], "--admin-link")
    assert done.stdout.startswith(f"{server.home}/join/pdm_l_")
    assert "the server is taken to be at 127.0.0.1, port" in done.stderr
    with server.client() as client:
        assert client.post("/api/v1/join", json={"secret": done.stdout.strip().rsplit("/", 1)[1]}).status_code == 200


def test_what_is_imported_is_served_and_the_log_holds_no_secrets(start: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "pools.jsonl").write_text("".join(LINE % (query, document) for query in "12" for document in "abc"))
    options = ("--import", "pools.jsonl", "--name", "wings", "-k", "2", "--strategy", "heap", "--query", "2")
    server = start(*options, "--access-log", "--host", "0.0.0.0")
    assert "Made project 1, wings, with 1 query." in server.said
    with signed_in(server) as admin:
        (project,) = admin.get("/api/v1/projects").json()
        assert (project["name"], project["settings"]["k"], project["settings"]["strategy"]) == ("wings", 2, "heap")
        assert [query["query_id"] for query in admin.get("/api/v1/projects/1/queries").json()] == ["2"]
        admin.get(f"/join/{server.secret}")
        admin.get("/api/v1/me", params={"token": server.secret})
    code, log = server.end(signal.SIGTERM)
    assert code == 0
    assert "put it behind https" in log.splitlines()[0]  # as others can reach it
    assert "GET /join/…" in log
    assert "GET /api/v1/me 200" in log
    assert server.secret not in log


def test_several_workers_share_the_store_and_end_with_their_supervisor(start: Callable[..., Server]) -> None:
    server = start("--workers", "2")
    with signed_in(server) as admin:
        assert admin.post("/api/v1/projects", json={"name": "wings"}).status_code == 201
        session = admin.cookies["podium_session"]
    for _ in range(6):  # a connection each: whichever worker takes it
        with server.client(session) as client:
            assert [project["name"] for project in client.get("/api/v1/projects").json()] == ["wings"]
    assert server.end(signal.SIGKILL)[0] == -signal.SIGKILL  # which waits until the workers, too, have closed what they inherited
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", int(server.home.rsplit(":", 1)[1])))


def test_a_port_in_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--store", str(tmp_path / "labels.db"), "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert said == f"podium: cannot listen at 127.0.0.1, port {port}: address already in use; choose another --port\n"
    assert not (tmp_path / "labels.db").exists()


@pytest.mark.parametrize("url", ["labels.example", "ftp://labels.example", "https://labels.example/podium", "https://", "https://a b"])
def test_a_public_url_that_cannot_be_meant_is_one_line(tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--store", str(tmp_path / "labels.db"), "--admin-link", "--public-url", url]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "https://labels.example" in said


def test_without_the_libraries_it_says_how_to_install_them(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found: Any = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "fastapi" else found(name, *rest))
    assert main(["serve"]) == 2
    assert (
        capsys.readouterr().err == "podium: fastapi is needed to serve labelling projects; install it with: pip install 'podium[serve]'\n"
    )


def test_a_link_that_was_printed_and_not_used_ends_with_the_next_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, links = tmp_path / "labels.db", []
    with open_office(place) as office:
        own, _ = office.people.link(office.people.add("root", "admin"))
    for _ in range(2):
        assert main(["serve", "--store", str(place), "--admin-link"]) == 0
        links.append(capsys.readouterr().out.strip().rsplit("/", 1)[1])
    with open_office(place) as office:
        assert [office.people.look(link) is not None for link in (*links, own)] == [False, True, True]
        secret = office.people.look(links[1])
        assert secret is not None
        assert secret.expires_at is not None
        lasts = datetime.fromisoformat(secret.expires_at) - datetime.fromisoformat(secret.created_at)
        assert lasts == timedelta(hours=1)


@pytest.mark.parametrize(("host", "home"), [("::1", "http://[::1]:8070/"), ("0.0.0.0", "http://127.0.0.1:8070/")])
def test_an_admin_link_has_an_address_that_a_browser_can_open(
    tmp_path: Path, host: str, home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    open_office(tmp_path / "labels.db").close()
    assert main(["serve", "--store", str(tmp_path / "labels.db"), "--admin-link", "--host", host]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"{home}join/pdm_l_")
    assert f"taken to be at {host}, port 8070" in said.err


def test_an_admin_link_for_a_store_that_is_not_there_makes_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--store", str(tmp_path / "typo.db"), "--admin-link"]) == 2
    assert "there is no such store" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [
    ("--name", "x"), ("-k", "5"), ("--strategy", "heap"), ("--tool", "grades"), ("--overlap", "2"), ("--run", "bm25"),
    ("--topics", "t"), ("--depth", "3"), ("--query", "1"), ("--seed", "1"),
])  # fmt: skip
def test_what_a_new_project_is_like_is_refused_where_none_is_made(
    tmp_path: Path, option: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--store", str(tmp_path / "labels.db"), "--example", *option]) == 2
    assert f"{option[0]} belong to a new project: give --import POOLS too" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_place_for_models_that_cannot_be_meant_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--store", str(tmp_path / "labels.db"), "--model-url", "models.example"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("podium: --model-url: ")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_every_worker_knows_where_models_may_be(start: Callable[..., Server], workers: str) -> None:
    server = start("--example", "--workers", workers, "--model-url", "http://127.0.0.1:9/v1")
    with signed_in(server) as admin:
        settings = {"model": "m", "key_variable": "PODIUM_KEY"}
        statuses = {
            url: admin.post("/api/v1/projects/1/models/test", json={"settings": {**settings, "base_url": url}}).status_code
            for url in ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v2")
        }
    assert statuses == {"http://127.0.0.1:9/v1": 200, "http://127.0.0.1:9/v2": 403}
