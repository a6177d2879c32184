"""A server in a process of its own and a Chromium to visit it with: fixtures for tests of the pages. Import the fixtures that a test uses.

``server`` runs on a store of its own for all tests of a module; ``office`` opens the same store from the test. ``chromium`` is a browser;
``visit`` opens a page in it as somebody. Run as a program, with a place and the number of a listening socket, this file is that server.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from podium.projects.facts import Person
    from podium.projects.office import Office

__all__ = ["DESKTOP", "PHONE", "Server", "Visit", "chromium", "office", "open_all", "server", "violations", "visit"]

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
Visit = Callable[..., "Page"]

_QUIET = (  # the tests run as root in a container, and nothing but the server is to be reached
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip
_IMPACTS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


class Server:
    """The labelling server on a free port of this machine, in a process that can be killed and started again."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start on the same port as before. The socket listens already, so that whoever comes early waits rather than being refused."""
        listening = socket.create_server(("127.0.0.1", self._port), backlog=128)
        self._port = listening.getsockname()[1]
        with listening:
            program = [sys.executable, __file__, self.place, str(listening.fileno()), self.url]
            self._process = subprocess.Popen(program, pass_fds=[listening.fileno()], stdout=subprocess.DEVNULL)

    def kill(self, sign: int = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(sign)
            self._process.wait(timeout=20)
            self._process = None


def _chromium_path() -> str:
    found = os.environ.get("PODIUM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("there is no Chromium here (Debian's package chromium, or its path in PODIUM_CHROMIUM)")
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the tests of one module; Playwright's event loop must not outlive it, other tests start theirs."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install 'podium[test]')")
    path = _chromium_path()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Server]:
    """A server with a new store; it is started only where there is a browser to visit it."""
    server = Server(str(tmp_path_factory.mktemp("server") / "labels.db"))
    yield server
    server.kill(signal.SIGTERM)


@pytest.fixture(scope="module")
def office(server: Server) -> Iterator[Office]:
    """The store of the server, opened beside it."""
    from podium.projects.office import open_office

    with open_office(server.place) as office:
        yield office


@pytest.fixture
def visit(server: Server, office: Office, chromium: Browser) -> Iterator[Visit]:
    """``visit(person, path, ...)`` opens a page as this person in a browser of their own; options are those of a Playwright context.

    An error of a script on a page, or anything that the content security policy refused, fails the test.
    """
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_page(person: Person | None, path: str, *, to: Server | None = None, **options: Any) -> Page:
        context = chromium.new_context(base_url=(to or server).url, **{**DESKTOP, **options})
        contexts.append(context)
        if person is not None:
            sign_in(context, office, person, (to or server).url)
        context.on("weberror", lambda error: wrong.append(str(error.error)))
        context.on("console", lambda message: wrong.append(message.text) if "Content Security Policy" in message.text else None)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == [], wrong


def sign_in(context: BrowserContext, office: Office, person: Person, url: str) -> None:
    secret, _ = office.people.link(person.number)
    joined = office.people.join(secret)
    context.add_cookies([{"name": "podium_session", "value": joined.session, "url": url, "httpOnly": True, "sameSite": "Lax"}])


def open_all(page: Page, addresses: Iterable[str]) -> list[Page]:
    """A tab for each address, beside the page; all of them are there once the network is silent."""
    tabs = []
    for address in addresses:
        tabs.append(page.context.new_page())
        tabs[-1].goto(address)
    for tab in tabs:
        tab.wait_for_load_state("networkidle")
    return tabs


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds wrong on the page as it is now, by these rules or all, a line each; skips where axe-core is not installed."""
    source = Path(os.environ.get("PODIUM_AXE") or Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js")
    if not source.is_file():
        pytest.skip("axe-core is not here (npm install axe-core; the path of axe.min.js in PODIUM_AXE)")
    if not page.evaluate("'axe' in window"):
        page.evaluate(source.read_text(encoding="utf-8"))  # not as a script of the page: its content security policy refuses that
    found = page.evaluate("only => axe.run(document, {runOnly: only, resultTypes: ['violations']})", list(rules or _IMPACTS))
    return [f"{rule['id']}: {node['target']} {_one_line(node['failureSummary'])}" for rule in found["violations"] for node in rule["nodes"]]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _serve(place: str, number: str, url: str) -> None:
    import uvicorn

    from podium.projects.office import open_office
    from podium.server.app import make_app

    with open_office(place) as office, socket.socket(fileno=int(number)) as listening:
        config = uvicorn.Config(make_app(office, public_url=url), log_level="warning", timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    _serve(*sys.argv[1:])
