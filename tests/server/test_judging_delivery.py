"""What is said on the judging page is recorded once, whatever becomes of the connection, the tab, the browser or the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.server.browser import Server, Visit, chromium, office, server, sign_in, visit
from tests.server.judges import (
    READY,
    Hire,
    Job,
    assert_done,
    cranfield,
    go_on,
    hire,
    judge_all,
    judge_one,
    open_page,
    open_still,
    press,
    ready,
    shown,
    small_pool,
)

from podium.pool import Pool
from podium.projects.facts import Person

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

__all__ = ["chromium", "cranfield", "hire", "office", "server", "visit"]


def test_an_answer_given_without_connection_is_kept_and_sent_once(hire: Hire, visit: Visit, cranfield: Pool) -> None:
    job = hire(cranfield)
    page = open_page(visit, job)
    given = [judge_one(page, cranfield) for _ in range(3)]
    assert ready(page)
    page.context.set_offline(True)
    given.append(judge_one(page, cranfield))
    page.get_by_text("No connection. Your answer is kept and will be sent.").first.wait_for()
    page.clock.run_for(300)
    press(page, "left")  # the question after it has no token yet
    page.get_by_text("your last answer waits for the connection").first.wait_for()
    assert len(job.answers()) == 3
    page.context.set_offline(False)
    page.clock.run_for(10_000)
    given += judge_all(page, cranfield)
    assert_done(page, job, given)


def test_an_answer_survives_the_crash_of_the_tab_that_kept_it(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    page.route("**/api/v1/projects/*/answers", lambda route: route.abort())
    page.evaluate("navigator.sendBeacon = () => false")  # a tab that crashes says nothing
    first = judge_one(page, job.pool)
    page.get_by_text("No connection. Your answer is kept and will be sent.").first.wait_for()
    context = page.context
    page.close()
    assert job.answers() == []
    other = context.new_page()
    other.clock.install()
    other.goto(job.path)
    go_on(other, "Judge here instead")  # the server does not know that the tab is gone
    assert ready(other)
    assert job.answers() == [first]
    assert_done(other, job, [first, *judge_all(other, job.pool)])


def test_an_answer_whose_acknowledgment_was_lost_is_counted_once(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    lost: list[int] = []

    def lose(route: Route) -> None:
        if len(lost) < 2:
            lost.append(route.fetch().status)
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/projects/*/answers", lose)
    first = judge_one(page, job.pool)
    page.get_by_text("Your answer is kept").first.wait_for()
    page.clock.run_for(5_000)
    given = [first, *judge_all(page, job.pool)]
    assert lost == [200, 200]
    assert_done(page, job, given)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"status": 429, "headers": {"Retry-After": "3"}, "json": {"error": {"code": "too_many", "message": "slower"}}},
            "asks for a moment",
        ),
        ({"status": 500, "json": {"error": {"code": "internal", "message": "error 7"}}}, "has a problem"),
        ({"status": 502, "body": "<h1>Bad gateway</h1>", "content_type": "text/html"}, "has a problem"),
        ({"status": 200, "body": '{"status": "quest', "content_type": "application/json"}, "No connection"),
    ],
    ids=["too many", "internal", "gateway", "cut off"],
)
def test_an_answer_is_sent_again_after_a_passing_refusal(hire: Hire, visit: Visit, answer: dict[str, Any], words: str) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)  # or it would be sent again before one could look
    page.route("**/api/v1/projects/*/answers", lambda route: route.fulfill(**answer), times=1)
    first = judge_one(page, job.pool)
    page.get_by_text(words).first.wait_for()
    assert job.answers() == []
    page.clock.run_for(5_000)
    assert ready(page)
    assert job.answers() == [first]


def test_the_server_is_killed_and_the_page_goes_on_by_itself(hire: Hire, visit: Visit, cranfield: Pool, server: Server) -> None:
    job = hire(cranfield)
    page = open_page(visit, job)
    page.evaluate("window.isTheSame = true")
    given = [judge_one(page, cranfield) for _ in range(2)]
    assert ready(page)
    server.kill()
    given.append(judge_one(page, cranfield))
    page.get_by_text("No connection. Your answer is kept and will be sent.").first.wait_for()
    server.start()
    page.clock.run_for(10_000)
    given += judge_all(page, cranfield)
    assert_done(page, job, given)
    assert page.evaluate("window.isTheSame")  # was not loaded anew


def test_of_two_tabs_the_second_is_told_and_nothing_is_recorded_twice(hire: Hire, visit: Visit, cranfield: Pool) -> None:
    job = hire(cranfield)
    first = open_page(visit, job)
    given = [judge_one(first, cranfield)]
    assert ready(first)
    second = first.context.new_page()
    second.clock.install()
    second.goto(job.path)
    second.get_by_role("heading", name="You are judging in another tab or on another device").wait_for()
    assert shown(second) == []
    go_on(second, "Judge here instead")
    assert ready(second)
    assert shown(second) == shown(first)
    given.append(judge_one(second, cranfield))
    assert ready(second)
    press(first, "left" if given[-1][2] == "right" else "right")  # the other answer to the same question
    first.get_by_role("heading", name="You are judging in another tab or on another device").wait_for()
    assert job.answers() == given
    given += judge_all(second, cranfield)
    assert_done(second, job, given)
    second.close()
    first.get_by_role("button", name="Judge here instead").click()
    first.get_by_role("heading", name="All done. Thank you!").wait_for()
    assert "answered elsewhere" in first.inner_text("#state")
    assert job.answers() == given


def test_an_undo_in_a_tab_that_is_not_in_use_is_forgotten(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    first = open_page(visit, job)
    given = [judge_one(first, job.pool)]
    assert ready(first)
    second = first.context.new_page()
    second.clock.install()
    second.goto(job.path)
    go_on(second, "Judge here instead")
    given.append(judge_one(second, job.pool))
    assert ready(second)
    first.keyboard.press("u")
    first.get_by_role("heading", name="You are judging in another tab").wait_for()
    go_on(first, "Judge here instead")
    assert ready(first)
    assert [event.action for event in job.events()] == ["answer", "answer"]
    assert job.answers() == given


def test_a_duplicated_tab_is_a_tab_of_its_own(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    first = open_page(visit, job)
    assert ready(first)
    with first.context.expect_page() as opened:
        first.evaluate("window.open(location.href)")  # inherits what the tab keeps, as a duplicate does
    opened.value.get_by_role("heading", name="You are judging in another tab").wait_for()


def test_a_duplicated_tab_is_a_tab_of_its_own_also_without_https(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    first = visit(job.judge, "/static/icon.svg")
    first.context.add_init_script("Object.defineProperty(Navigator.prototype, 'locks', {value: undefined})")  # as on plain http
    first.goto(job.path)
    first.wait_for_selector(READY, state="attached")
    first.reload()  # the tab keeps its id, and the project knows it
    first.wait_for_selector(READY, state="attached")
    assert shown(first) != []
    with first.context.expect_page() as opened:
        first.evaluate("window.open(location.href)")
    opened.value.get_by_role("heading", name="You are judging in another tab").wait_for()


def kept(page: Page) -> list[str]:
    return page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('podium.outbox'))")


def test_an_answer_in_a_tab_that_another_has_taken_over_from_is_saved_and_said_to_be(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    first = open_page(visit, job)
    assert ready(first)
    second = first.context.new_page()
    second.clock.install()
    second.goto(job.path)
    go_on(second, "Judge here instead")
    given = judge_one(first, job.pool)
    first.get_by_role("heading", name="You are judging in another tab").wait_for()
    assert first.inner_text("#state") == "Saved."
    assert job.answers() == [given]
    assert kept(first) == []


def friend_of(job: Job, *, is_member: bool) -> Person:
    friend = job.office.people.add(f"{job.judge.name}'s friend", "judge")
    if is_member:
        job.office.projects.add_member(job.project.number, friend.number, "judge")
    return friend


@pytest.mark.parametrize("is_member", [True, False], ids=["of the project", "of none"])
def test_nobody_judges_in_the_page_of_another(hire: Hire, visit: Visit, server: Server, is_member: bool) -> None:
    job = hire(small_pool())
    friend = friend_of(job, is_member=is_member)
    page = open_page(visit, job)
    assert ready(page)
    page.route("**/api/v1/**", lambda route: route.abort())
    first = judge_one(page, job.pool)
    page.get_by_text("Your answer is kept and will be sent.").first.wait_for()
    sign_in(page.context, job.office, friend, server.url)
    page.unroute("**/api/v1/**")
    page.clock.run_for(10_000)
    page.get_by_role("heading", name=f"{friend.name} is signed in in this browser").wait_for()
    assert page.inner_text("#state") == "Your last answer is kept in this browser, and not sent yet."
    assert job.events() == []
    assert not page.locator("#stage-left").is_visible()
    sign_in(page.context, job.office, job.judge, server.url)
    go_on(page, "Try again")
    assert ready(page)
    assert job.answers() == [first]
    assert {event.assessor for event in job.events()} == {job.judge.name}
    assert kept(page) == []


FILL = """() => {
  for (let size = 1024 * 1024; size >= 1; )
    try { localStorage.setItem('fill' + size + Math.random(), 'x'.repeat(size)); } catch { size = Math.floor(size / 2); }
}"""
FORBID = (
    "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, {get() { throw new DOMException('no'); }})"
)


def test_a_full_storage_is_told_once_and_does_not_stop_the_judging(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    page.evaluate(FILL)
    given = [judge_one(page, job.pool)]
    assert ready(page)
    assert page.inner_text("#state").startswith("Saved. This browser cannot keep answers")
    given.append(judge_one(page, job.pool))
    assert ready(page)
    assert page.inner_text("#state") == "Saved."
    page.context.set_offline(True)
    given.append(judge_one(page, job.pool))
    page.get_by_text("Your answer is kept and will be sent; do not close this page.").first.wait_for()
    page.context.set_offline(False)
    page.clock.run_for(10_000)
    assert_done(page, job, [*given, *judge_all(page, job.pool)])


def test_judging_needs_no_storage(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = visit(job.judge, "/static/icon.svg")
    page.add_init_script(FORBID)
    page.clock.install()
    page.goto(job.path)
    assert_done(page, job, list(judge_all(page, job.pool)))


def test_an_answer_that_was_refused_is_not_said_to_be_saved(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    refusal = {"status": 422, "json": {"error": {"code": "invalid", "message": "the token is not known"}}}
    page.route("**/api/v1/projects/*/answers", lambda route: route.fulfill(**refusal), times=1)
    judge_one(page, job.pool)
    page.get_by_text("Your last answer was not taken: the token is not known").first.wait_for()
    assert job.answers() == []
    assert kept(page) == []
    assert_done(page, job, list(judge_all(page, job.pool)))
