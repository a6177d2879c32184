"""What the judging page says when there is nothing to judge, or nobody may; and that everyone can read it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.browser import PHONE, Server, Visit, chromium, office, server, sign_in, violations, visit
from tests.server.judges import (
    PIXEL,
    READY,
    Hire,
    Job,
    assert_done,
    go_on,
    hide,
    hire,
    judge_all,
    judge_one,
    open_page,
    ready,
    shown,
    small_pool,
)

from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Route

__all__ = ["chromium", "hire", "office", "server", "visit"]


def test_a_session_that_ended_keeps_the_answer_until_the_judge_is_back(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    first = judge_one(page, job.pool)
    page.get_by_role("heading", name="You are signed out").wait_for()
    assert page.inner_text("#state") == "Your last answer is kept in this browser, and not sent yet."
    page.context.add_cookies(json.loads(json.dumps(cookies)))
    go_on(page, "Try again")
    assert_done(page, job, [first, *judge_all(page, job.pool)])


def test_a_project_that_was_closed_says_so(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    job.office.projects.set_state(job.project.number, "closed")
    first = judge_one(page, job.pool)
    page.get_by_role("heading", name="This project is closed").wait_for()
    assert job.events() == []
    job.office.projects.set_state(job.project.number, "open")
    go_on(page, "Look again")
    assert_done(page, job, [first, *judge_all(page, job.pool)])


def test_who_has_nothing_to_do_waits_for_the_others(hire: Hire, visit: Visit) -> None:
    job = hire(Pool("q", "wing", small_pool().documents[:2]), k=1)
    other = job.office.people.add(f"{job.judge.name}'s friend", "judge")
    job.office.projects.add_member(job.project.number, other.number, "judge")
    page = open_page(visit, job)
    assert ready(page)
    friend = open_page(visit, job._replace(judge=other))
    friend.get_by_role("heading", name="Nothing for you just now").wait_for()
    judge_one(page, job.pool)
    page.get_by_role("heading", name="All done. Thank you!").wait_for()
    friend.clock.run_for(6_000)
    friend.get_by_role("heading", name="All done. Thank you!").wait_for()
    assert friend.inner_text("#panel-text") == "You gave 0 judgments in 1 query."
    assert len(job.answers()) == 1


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, PHONE], ids=["wide", "dark", "phone"])
def test_axe_finds_nothing_wrong_in_any_state(hire: Hire, visit: Visit, options: dict[str, Any]) -> None:
    long = "Wings flutter when they bend and twist at once.\n" * 80
    html = Document("html", "A page", "<h1>Wings</h1><p>flutter</p>", "html")
    job = hire(
        Pool("q", "wing flutter", (html, Document("z", "A long one", long), Document("i", "", "A wing", "image", PIXEL)), long[:600]), k=1
    )
    page = open_page(visit, job, **options)
    found: dict[str, list[str]] = {}
    for number in itertools.count(1):
        if not ready(page):
            break
        found[f"question {number}"] = violations(page)
        if number == 1:
            for name, key in {"paused": "p", "guidelines": "g", "help": "?"}.items():
                page.keyboard.press(key)
                found[name] = violations(page)
                page.keyboard.press("p" if name == "paused" else "Escape")
            page.clock.run_for(200_000)
            page.get_by_role("heading", name="Still there?").wait_for()
            found["still there"] = violations(page)
            page.keyboard.press("Enter")
            page.clock.run_for(300)
        judge_one(page, job.pool)
        page.wait_for_selector(READY, state="attached")
    found["finished"] = violations(page)
    assert set(found) > {"question 1", "question 2"}
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


def set_active(job: Job, *, is_active: bool) -> None:
    (member,) = [member for member in job.office.projects.members(job.project.number) if member.name == job.judge.name]
    job.office.projects.set_member_active(member.number, is_active)


def test_who_may_not_judge_any_more_keeps_the_answer_and_is_told(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    set_active(job, is_active=False)
    first = judge_one(page, job.pool)
    page.get_by_role("heading", name="You cannot judge here any more").wait_for()
    assert page.inner_text("#state") == "Your last answer is kept in this browser, and not sent yet."
    assert job.events() == []
    set_active(job, is_active=True)
    go_on(page, "Try again")
    assert ready(page)
    assert job.answers() == [first]


def test_an_undo_that_was_refused_is_not_said_to_be_done(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    judge_one(page, job.pool)
    assert ready(page)
    job.office.projects.set_state(job.project.number, "closed")
    page.keyboard.press("u")
    page.get_by_role("heading", name="This project is closed").wait_for()
    assert page.inner_text("#state") == "The server did not do that."
    assert [event.action for event in job.events()] == ["answer"]


def empty_job(hire: Hire) -> Job:
    """A judge in a project that has no queries yet."""
    job = hire(small_pool())
    project = job.office.projects.create(f"{job.project.name} without queries", ProjectSettings(k=2))
    job.office.projects.add_member(project.number, job.judge.number, "judge")
    return job._replace(project=project)


def test_a_project_without_queries_waits_for_them(hire: Hire, visit: Visit) -> None:
    job = empty_job(hire)
    page = open_page(visit, job)
    page.get_by_role("heading", name="There is nothing to judge yet").wait_for()
    page.get_by_role("button", name="Look again").click()
    page.get_by_text("Nothing new so far.").first.wait_for()
    job.office.projects.add_queries(job.project.number, [job.pool])
    page.clock.run_for(46_000)
    page.wait_for_selector("body:not(.is-bare)")
    assert_done(page, job, list(judge_all(page, job.pool)))


def test_what_is_finished_is_looked_at_again_while_it_is_in_sight(hire: Hire, visit: Visit) -> None:
    pair = small_pool().documents[:2]
    job = hire(Pool("q1", "wing", pair), k=1)
    page = open_page(visit, job)
    judge_one(page, job.pool)
    page.get_by_role("heading", name="All done. Thank you!").wait_for()
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if request.url.endswith("/next") else None)
    hide(page, is_hidden=True)
    page.clock.run_for(100_000)
    assert asked == []
    job.office.projects.add_queries(job.project.number, [Pool("q2", "heat", pair)])
    hide(page, is_hidden=False)
    page.wait_for_selector("body:not(.is-bare)")
    assert page.inner_text("#query") == "heat"


def test_an_undo_after_which_another_question_comes_says_so(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)

    def offer_another(route: Route) -> None:
        answer = route.fetch()
        said = answer.json()
        said["question"]["left"] |= {"id": "other", "text": "Somebody else has the one that was taken back."}
        route.fulfill(response=answer, json=said)

    page.route("**/api/v1/projects/*/undo", offer_another)
    judge_one(page, job.pool)
    assert ready(page)
    page.keyboard.press("u")
    page.get_by_text("Your answer was taken back. Another question comes first.").first.wait_for()
    assert "other" in shown(page)


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, PHONE], ids=["wide", "dark", "phone"])
def test_axe_finds_nothing_wrong_where_nobody_can_judge(hire: Hire, visit: Visit, server: Server, options: dict[str, Any]) -> None:
    job = hire(Pool("q", "wing", small_pool().documents[:2]), k=1)
    friend = job.office.people.add(f"{job.judge.name}'s friend", "judge")
    job.office.projects.add_member(job.project.number, friend.number, "judge")
    page = open_page(visit, job, **options)
    assert ready(page)
    other = page.context.new_page()
    other.goto(job.path)
    waiting = open_page(visit, job._replace(judge=friend), **options)
    found = {
        "elsewhere": looked_at(other, "You are judging in another tab"),
        "wait": looked_at(waiting, "Nothing for you just now"),
        "empty": looked_at(open_page(visit, empty_job(hire), **options), "There is nothing to judge yet"),
    }
    sign_in(other.context, job.office, friend, server.url)
    found["another person"] = looked_at(other, "is signed in in this browser", "Judge here instead")
    other.context.clear_cookies()
    found["signed out"] = looked_at(other, "You are signed out", "Try again")
    sign_in(other.context, job.office, job.judge, server.url)
    set_active(job, is_active=False)
    found["barred"] = looked_at(other, "You cannot judge here any more", "Try again")
    set_active(job, is_active=True)
    job.office.projects.set_state(job.project.number, "closed")
    found["closed"] = looked_at(other, "This project is closed", "Try again")
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


def looked_at(page: Page, title: str, button: str = "") -> list[str]:
    """What axe finds in the state with this title, to which a button may lead."""
    if button:
        page.get_by_role("button", name=button).click()
    page.get_by_role("heading", name=title).wait_for()
    return violations(page)
