"""The clock of the judging page: active, paused and idle time."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from tests.server.browser import Visit, chromium, office, server, visit
from tests.server.judges import (
    Hire,
    hide,
    hire,
    judge_one,
    open_still,
    press,
    ready,
    shown,
    small_pool,
    times_sent,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["chromium", "hire", "office", "server", "visit"]


def test_time_is_active_paused_or_idle(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)
    assert ready(page)
    page.clock.run_for(8_000)
    page.keyboard.press("p")
    page.get_by_role("heading", name="Paused").wait_for()
    assert not page.locator("#stage-left").is_visible()  # nobody reads off the clock
    press(page, "left")
    page.clock.run_for(100_000)
    assert job.events() == []
    page.get_by_role("button", name="Go on").click()
    page.clock.run_for(20_000)
    move_and_be_seen(page, 300, 300)
    page.clock.run_for(70_000)  # without a movement
    page.get_by_role("heading", name="Still there?").wait_for()
    assert not page.locator("#stage-left").is_visible()
    press(page, "left")
    page.clock.run_for(30_000)
    answer_who_is_there(page)
    page.clock.run_for(4_400)  # to 32.7 seconds: the clock is written every 500 ms, so never on the edge of a second here
    assert page.inner_text("#clock") == "0:32"
    assert times_sent(page, lambda: press(page, "left")) == (0.3 + 8 + 20 + 4.4, 100, 70 + 30)  # the 0.3 are of ready()
    assert ready(page)
    page.clock.run_for(1_000)
    assert times_sent(page, lambda: press(page, "left")) == (0.3 + 1, 0, 0)  # each question has a clock of its own


def test_a_page_out_of_sight_is_idle(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)
    assert ready(page)
    page.clock.run_for(5_000)
    hide(page, is_hidden=True)
    page.clock.run_for(200_000)
    hide(page, is_hidden=False)
    page.clock.run_for(3_000)
    assert not page.get_by_role("heading", name="Still there?").is_visible()
    assert times_sent(page, lambda: press(page, "left")) == (0.3 + 5 + 3, 0, 200)


def test_a_movement_just_after_the_limit_asks_who_is_there(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)  # which looks at its clock every 500 ms from now on
    assert ready(page)
    page.clock.run_for(250)
    move_and_be_seen(page, 300, 300)
    page.clock.run_for(60_200)  # the limit and a little more; the next look is at 61 000 ms
    move_and_be_seen(page, 310, 300)
    assert_asked_and_going_on(page, 0.55)


def move_and_be_seen(page: Page, x: int, y: int) -> None:
    """Move the mouse until the page was told at this very time: a browser hands movements on late, and may drop one."""
    start = page.evaluate(
        "() => { addEventListener('pointermove', () => { window.movedAt = performance.now(); }); return performance.now(); }"
    )
    for step in count():
        page.mouse.move(x + step % 2, y)
        if page.evaluate("window.movedAt ?? -1") >= start:
            return


def test_a_movement_first_thing_after_a_long_sleep_asks_who_is_there(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)
    assert ready(page)
    page.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => now() + 3_600_000; }")
    move_and_be_seen(page, 310, 300)
    assert_asked_and_going_on(page, 0)


def answer_who_is_there(page: Page) -> None:
    """Say so, and wait until the page goes on: it hears of a closed dialog a moment after the click."""
    page.get_by_role("button", name="Go on judging").click()
    page.locator("#stage-left").wait_for()


def assert_asked_and_going_on(page: Page, seconds: float) -> None:
    """The page asks who is there, goes on when somebody is, and counts these seconds before it."""
    page.get_by_role("heading", name="Still there?").wait_for()
    assert not page.locator("#stage-left").is_visible()
    answer_who_is_there(page)
    page.clock.run_for(2_000)
    assert times_sent(page, lambda: press(page, "left"))[0] == pytest.approx(seconds + 2)
    assert ready(page)


def test_reading_time_goes_on_when_the_page_is_loaded_again(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)
    assert ready(page)
    page.clock.run_for(8_000)
    page.keyboard.press("p")
    page.clock.run_for(20_000)
    page.get_by_role("button", name="Go on").click()
    pair = shown(page)
    page.reload()
    assert ready(page)
    assert shown(page) == pair
    page.clock.run_for(4_000)
    assert times_sent(page, lambda: press(page, "left")) == (12.6, 20, 0)  # 0.3 of each ready()


def test_a_question_that_comes_back_by_an_undo_has_a_new_clock(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)
    assert ready(page)
    pair = shown(page)
    page.clock.run_for(8_000)
    judge_one(page, job.pool)
    page.clock.run_for(1_000)
    assert ready(page)
    page.keyboard.press("u")
    page.get_by_text("Your answer was taken back.").first.wait_for()
    assert ready(page)
    assert shown(page) == pair
    assert times_sent(page, lambda: press(page, "left")) == (0.3, 0, 0)
