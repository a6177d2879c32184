"""The pictures of the server in docs/images, from the built-in example and a simulated study: ``make screenshots``.

Needs Chromium (its path in PODIUM_CHROMIUM, if it is not found by name) and Playwright. Everything is made anew in a temporary store.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from podium.projects.example import example_pools
from podium.projects.facts import Offer, ProjectSettings
from podium.projects.office import Office, open_office
from podium.projects.simulation import SimulatedClock, Simulation, simulate

IMAGES = Path(__file__).parent / "images"
WIDE, PHONE = (1120, 700), (390, 780)
WORTH = ["b01", "b06", "b03", "b10", "b08", "b02", "b12", "b05", "b04", "b07", "b11", "b09",
         "k02", "k01", "k09", "k06", "k07", "k03", "k05", "k10", "k08", "k04"]  # fmt: skip


def judged(office: Office, clock: SimulatedClock) -> tuple[int, int]:
    """Two projects of the example, pairs partly judged by three people, and one of grades."""
    pairs = office.projects.create("Household questions", ProjectSettings(k=3, overlap=3), example_pools()).number
    grades = office.projects.create("Household questions, graded", ProjectSettings(tool="grades"), example_pools()).number
    draw = random.Random(3)
    for name, until in (("Ann", 99), ("Bob", 99), ("Chandra", 14)):
        person = office.people.add(name, "judge").number
        for project in (pairs, grades):
            office.projects.add_member(project, person, "judge")
        member = office.people.membership(person, pairs)
        assert member is not None
        offer, given = office.work.next(member), 0
        while offer.question is not None and given < until:
            offer, given = _answered(office, clock, draw, member, offer), given + 1
        clock.advance(draw.uniform(3600, 40000))
    return pairs, grades


def _answered(office: Office, clock: SimulatedClock, draw: random.Random, member: object, offer: Offer) -> Offer:
    put = offer.question
    assert put is not None
    assert put.right is not None
    seconds = draw.lognormvariate(1.9, 0.5)
    clock.advance(seconds + 0.5)
    is_left = (WORTH.index(put.left.id) < WORTH.index(put.right.id)) != (draw.random() < 0.1)
    return office.work.answer(member, put.task, put.token, "left" if is_left else "right", seconds=seconds, paused=0.0, idle=0.0)  # type: ignore[arg-type]


def session(office: Office, name: str) -> str:
    person = office.people.find(name)
    assert person is not None
    return office.people.join(office.people.link(person.number)[0]).session


def picture(
    browser: Browser, url: str, cookie: str, path: str, name: str, *, size: tuple[int, int] = WIDE, scheme: str = "light", scroll: int = 0
) -> None:
    look = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme, "device_scale_factor": 0.75}
    context = browser.new_context(**look)  # type: ignore[arg-type]
    context.add_cookies([{"name": "podium_session", "value": cookie, "url": url}])
    page = context.new_page()
    page.goto(url + path, wait_until="networkidle")
    page.mouse.wheel(0, scroll)
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / f"{name}.png")
    context.close()


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    folder = tempfile.mkdtemp()
    place, port = f"{folder}/labels.db", 8791
    clock = SimulatedClock(datetime.now(UTC) - timedelta(days=3))
    with open_office(place, clock=clock) as office:
        office.people.add("Lead", "admin")
        pairs, grades = judged(office, clock)
        study = simulate(office, Simulation(queries=10, documents=20, k=5), clock).number
    with open_office(place) as office:
        cookies = {name: session(office, name) for name in ("Lead", "Chandra")}
    server = subprocess.Popen([sys.executable, "-m", "podium", "serve", "--store", place, "--port", str(port)], stdout=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(url)
        with sync_playwright() as driver:
            path = os.environ.get("PODIUM_CHROMIUM") or shutil.which("chromium")
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-background-networking"])
            judge, lead = cookies["Chandra"], cookies["Lead"]
            picture(browser, url, judge, f"/projects/{pairs}/judge", "pairs")
            picture(browser, url, judge, f"/projects/{pairs}/judge", "pairs-phone", size=PHONE)
            picture(browser, url, judge, f"/projects/{grades}/judge", "grades-dark", scheme="dark")
            picture(browser, url, lead, f"/projects/{pairs}", "dashboard", size=(1120, 900))
            picture(browser, url, lead, f"/projects/{study}/report", "report", size=(1120, 1000), scroll=1620)
            browser.close()
    finally:
        server.terminate()
        server.wait(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(url: str, patience: float = 60.0) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    main()
