"""A judge at the judging page: fixtures and steps that the tests of the page share. Import the fixtures that a test uses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.server.browser import Visit

from podium.labelling.questions import Event
from podium.pool import Document, Pool
from podium.projects.facts import Person, Project, ProjectSettings
from podium.sources.pools import read_pools

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from podium.projects.office import Office

NUMBERS = itertools.count(1)
READY = "body.is-bare, #answers[aria-busy='false']"  # as a selector: the page's content security policy refuses Playwright's functions
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Job(NamedTuple):
    """A project with one judge, made for one test."""

    office: Office
    project: Project
    judge: Person
    pool: Pool

    @property
    def path(self) -> str:
        return f"/projects/{self.project.number}/judge"

    @property
    def task(self) -> int:
        (task,) = self.office.projects.tasks(self.project.number)
        return task.task

    def events(self) -> list[Event]:
        return self.office.store.events(self.task)

    def answers(self) -> list[tuple[str | None, str | None, str | None]]:
        return [(event.left, event.right, event.answer) for event in self.events() if event.action == "answer"]

    def top(self) -> tuple[str, ...]:
        return self.office.store.result(self.task).top


Hire = Callable[..., Job]


@pytest.fixture
def hire(office: Office) -> Hire:
    """Makes a project of a pool, and a judge for it; keywords are settings of the project."""

    def make(pool: Pool, *, k: int = 2, **settings: Any) -> Job:
        number = next(NUMBERS)
        project = office.projects.create(f"project {number}", ProjectSettings(k=k, **settings), [pool])
        judge = office.people.add(f"judge {number}", "judge")
        office.projects.add_member(project.number, judge.number, "judge")
        return Job(office, project, judge, pool)

    return make


@pytest.fixture(scope="module")
def cranfield(benchmark_data: Path) -> Pool:
    (pool,) = read_pools(benchmark_data / "cranfield", queries=["1"], depth=7)
    return pool


def small_pool(*documents: Document) -> Pool:
    plain = [Document(f"d{number}", f"Title {number}", f"About the flutter of wing {number}.") for number in range(5 - len(documents))]
    return Pool("q1", "wing flutter", (*documents, *plain), "What makes wings flutter?")


def wanted(pool: Pool) -> list[str]:
    """The order that the judge of these tests has in mind, best first: by id, backwards, which no strategy can know."""
    return sorted(pool.items, reverse=True)


# The judge at the page. The page's time is moved on before each answer, as nobody answers in the first moments.


def open_page(visit: Visit, job: Job, **options: Any) -> Page:
    page = visit(job.judge, "/static/icon.svg", **options)  # somewhere on the server, so that the clock is there before the page
    page.clock.install()
    page.goto(job.path)
    return page


def open_still(visit: Visit, job: Job) -> Page:
    """The page with a time that stands still but where the test moves it."""
    page = visit(job.judge, "/static/icon.svg")
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    page.goto(job.path)
    return page


def ready(page: Page) -> bool:
    """Wait until there is a question to answer; false if there is none any more."""
    page.wait_for_selector(READY, state="attached")
    page.clock.run_for(300)
    return not page.evaluate("document.body.classList.contains('is-bare')")


def go_on(page: Page, button: str) -> None:
    """Press a button that leads back to the questions."""
    page.get_by_role("button", name=button).click()
    page.wait_for_selector("body:not(.is-bare)")


def shown(page: Page) -> list[str]:
    return page.eval_on_selector_all(".judge-document:not([hidden])", "found => found.map(one => one.dataset.document)")


def preferred(pool: Pool, pair: Sequence[str]) -> str:
    left, right = pair
    return "left" if wanted(pool).index(left) < wanted(pool).index(right) else "right"


KEYS = {"left": "ArrowLeft", "right": "ArrowRight"}


def press(page: Page, answer: str) -> None:
    page.keyboard.press(KEYS[answer])


def click(page: Page, answer: str) -> None:
    page.click(f"[data-answer={answer}]")


def tap(page: Page, answer: str) -> None:
    page.tap(f"[data-answer={answer}]")


def judge_one(page: Page, pool: Pool, give: Callable[[Page, str], None] = press) -> tuple[str, str, str]:
    assert ready(page)
    pair = shown(page)
    answer = preferred(pool, pair)
    give(page, answer)
    return pair[0], pair[1], answer


def judge_all(page: Page, pool: Pool, give: Callable[[Page, str], None] = press) -> Iterator[tuple[str, str, str]]:
    while ready(page):
        yield judge_one(page, pool, give)
        page.wait_for_selector(READY, state="attached")


def assert_done(page: Page, job: Job, given: Sequence[tuple[str, str, str]]) -> None:
    """The page says so, everything given was recorded once and in order, and the top k is the one that was meant."""
    page.get_by_role("heading", name="All done. Thank you!").wait_for()
    assert page.inner_text("#panel-text") == f"You gave {len(given)} judgments in 1 query."
    assert job.answers() == list(given)
    assert job.top() == tuple(wanted(job.pool)[: job.project.settings.k])


def times_sent(page: Page, act: Callable[[], object]) -> tuple[float, float, float]:
    with page.expect_request("**/answers") as sent:
        act()
    said = sent.value.post_data_json
    return said["seconds"], said["paused"], said["idle"]


def hide(page: Page, *, is_hidden: bool) -> None:
    """Headless pages are never hidden by themselves."""
    page.evaluate(
        "isHidden => { Object.defineProperty(document, 'hidden', {value: isHidden, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        is_hidden,
    )
