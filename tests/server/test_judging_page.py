"""The page where people judge, in a browser, against a server in a process of its own: a query is judged to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.browser import PHONE, Visit, chromium, office, server, visit
from tests.server.judges import (
    PIXEL,
    READY,
    Hire,
    assert_done,
    click,
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
    tap,
    wanted,
)

from podium.pool import Document, Pool

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

__all__ = ["chromium", "cranfield", "hire", "office", "server", "visit"]


SCRIPT = "<script>document.title = 'run'; parent.document.title = 'run'</script><img src=x onerror=\"parent.document.title='run'\">"


@pytest.mark.parametrize("give", [press, click], ids=["keys", "mouse"])
def test_a_cranfield_query_is_judged_to_the_end(hire: Hire, visit: Visit, cranfield: Pool, give: Callable[[Page, str], None]) -> None:
    job = hire(cranfield)
    page = open_page(visit, job)
    given = list(judge_all(page, cranfield, give))
    assert_done(page, job, given)
    assert {(event.assessor, event.paused, event.idle) for event in job.events()} == {(job.judge.name, 0.0, 0.0)}
    assert all(event.seconds is not None and event.seconds >= 0.3 for event in job.events())


def test_a_cranfield_query_is_judged_on_a_phone(hire: Hire, visit: Visit, cranfield: Pool) -> None:
    job = hire(cranfield)
    page = open_page(visit, job, **PHONE)
    assert ready(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    left, right = (page.locator(f"#stage-{side}").bounding_box() for side in ("left", "right"))
    assert left is not None
    assert right is not None
    assert (left["width"], left["height"]) == (right["width"], right["height"])
    assert left["height"] > 150
    for button in page.locator("button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44, button.inner_text()
        assert box["width"] >= 44, button.inner_text()
        assert box["y"] + box["height"] <= 844
    assert_done(page, job, list(judge_all(page, cranfield, tap)))


GRADES = ("Bad", "Fair", "Good", "Excellent", "Perfect")


def test_grades_are_given_by_the_keys_1_to_5(hire: Hire, visit: Visit, cranfield: Pool) -> None:
    job = hire(cranfield, k=3, tool="grades", strategy="graded")
    order = wanted(cranfield)
    page = open_page(visit, job)
    given = []
    while ready(page):
        (item,) = shown(page)
        place = max(0, 4 - order.index(item))  # the best Perfect, the next Excellent, …
        page.keyboard.press(str(place + 1))
        given.append((item, None, GRADES[place]))
        page.wait_for_selector(READY, state="attached")
    assert_done(page, job, given)  # type: ignore[arg-type]
    assert len(given) == len(cranfield.items)


def test_only_the_answers_on_offer_are_there(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool(), ties=False, both_bad=False)
    page = open_page(visit, job)
    assert ready(page)
    assert page.locator("#answers button").all_inner_texts() == ["←\n1 is better", "2 is better\n→"]
    pair = shown(page)
    for key in ("ArrowDown", "b"):
        page.keyboard.press(key)
    assert shown(page) == pair
    assert job.events() == []


def test_an_answer_can_be_taken_back_and_given_again(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    before = shown(page)
    given = judge_one(page, job.pool)
    assert ready(page)
    page.keyboard.press("u")
    page.get_by_text("Your answer was taken back.").first.wait_for()
    assert ready(page)
    assert shown(page) == before
    page.keyboard.press("Shift+U")
    page.get_by_text("Your answer counts again.").first.wait_for()
    assert ready(page)
    assert [event.action for event in job.events()] == ["answer", "undo", "redo"]
    assert_done(page, job, [given, *judge_all(page, job.pool)])
    go_on(page, "Take back my last answer")
    assert ready(page)
    last = judge_one(page, job.pool)
    page.get_by_role("heading", name="All done").wait_for()
    assert job.answers()[-2:] == [last, last]
    assert job.top() == tuple(wanted(job.pool)[:2])


def test_a_skipped_question_comes_back(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    page.keyboard.press("s")
    page.get_by_text("Skipped.").first.wait_for()
    given = list(judge_all(page, job.pool))
    assert_done(page, job, given)
    assert job.events()[0].action == "skip"


# Keys.


def test_keys_that_are_held_down_or_meant_for_others_answer_nothing(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    pair = shown(page)
    held = "new KeyboardEvent('keydown', {key: 'ArrowLeft', repeat: true, bubbles: true})"
    page.evaluate(f"document.body.dispatchEvent({held})")
    for key in ("Control+ArrowLeft", "Alt+b", "Meta+ArrowRight"):
        page.evaluate("event => document.body.dispatchEvent(new KeyboardEvent('keydown', event))", modified(key))
    page.keyboard.press("?")
    press(page, "left")  # while the help is open
    page.locator("#letters").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("b")  # letters are switched off
    page.keyboard.press("1")
    page.evaluate("document.querySelector('main').append(document.createElement('textarea'))")
    page.focus("textarea")
    press(page, "left")
    page.evaluate("document.querySelector('textarea').remove()")
    assert shown(page) == pair
    assert job.events() == []
    press(page, "left")
    assert ready(page)
    assert job.answers() == [(*pair, "left")]


def modified(key: str) -> dict[str, Any]:
    modifier, name = key.split("+")
    return {"key": name, f"{modifier.lower().replace('control', 'ctrl')}Key": True, "bubbles": True}


def test_an_answer_right_after_a_new_pair_is_not_meant_for_it(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_still(visit, job)
    page.wait_for_selector(READY, state="attached")
    page.clock.run_for(249)
    press(page, "left")
    assert page.get_attribute("#answers", "aria-busy") == "false"  # nothing is being saved
    assert job.events() == []
    page.clock.run_for(1)
    press(page, "left")
    page.get_by_text("Saved.", exact=True).first.wait_for()
    assert len(job.answers()) == 1


def test_focus_stays_on_the_button_that_was_pressed(hire: Hire, visit: Visit) -> None:
    job = hire(small_pool())
    page = open_page(visit, job)
    assert ready(page)
    page.focus("[data-answer=left]")
    page.keyboard.press("Enter")
    assert ready(page)
    assert page.evaluate("document.activeElement.dataset.answer") == "left"
    assert len(job.answers()) == 1


# What is shown.


def test_words_of_the_query_are_marked_in_their_usual_forms(hire: Hire, visit: Visit) -> None:
    text = "Fluttering wings flutter; the FLUTTERS of a wing's edge, not winged or a flute."
    job = hire(small_pool(Document("a", "On flutters", text), Document("b", text=text)))
    job = hire(Pool("q", "wing flutter of", job.pool.documents[:2]), k=1)
    page = open_page(visit, job)
    assert ready(page)
    marks = page.locator(f".judge-document[data-document=a] {'mark'}").all_inner_texts()
    assert marks == ["flutters", "Fluttering", "wings", "flutter", "FLUTTERS", "wing", "winged"]


def test_a_new_query_is_pointed_out(hire: Hire, visit: Visit) -> None:
    documents = small_pool().documents[:2]
    job = hire(Pool("q1", "wing", documents), k=1)
    job.office.projects.add_queries(job.project.number, [Pool("q2", "heat", documents, "How hot?")])
    page = open_page(visit, job)
    assert ready(page)
    assert page.inner_text("#progress-text") == "About 1 judgment left in this query · query 1 of 2"
    assert (page.inner_text("#query"), page.inner_text("#description")) == ("wing", "")
    judge_one(page, job.pool)
    page.get_by_text("Saved. A new query.").first.wait_for()
    assert page.inner_text("#progress-text") == "About 1 judgment left in this query · query 2 of 2"
    assert (page.inner_text("#query"), page.inner_text("#description")) == ("heat", "How hot?")


def test_the_next_pair_is_there_before_the_answer(hire: Hire, visit: Visit, cranfield: Pool) -> None:
    job = hire(cranfield)
    page = open_page(visit, job)
    assert ready(page)
    with page.expect_response("**/ahead?*") as ahead:  # of a page that is loaded while one listens
        page.reload()
    assert ready(page)
    foreseen = ahead.value.json()["left"]
    pair = [foreseen["left"]["id"], foreseen["right"]["id"]]
    page.wait_for_selector(".judge-document[hidden]", state="attached")
    held: list[Route] = []
    page.route("**/api/v1/projects/*/answers", lambda route: held.append(route))
    press(page, "left")
    assert shown(page) == pair  # though the server has not answered
    assert page.get_attribute("#answers", "aria-busy") == "true"
    held[0].continue_()
    assert ready(page)
    assert shown(page) == pair


def test_documents_run_no_script(hire: Hire, visit: Visit) -> None:
    documents = (
        Document("html", SCRIPT, f"<h1>Wings</h1>{SCRIPT}", "html"),
        Document("image", "a picture", "A wing", "image", PIXEL),
        Document("link", "a link", SCRIPT, "link", "https://example.org/wing"),
        Document("text", SCRIPT, SCRIPT),
    )
    job = hire(Pool("q<script>", SCRIPT, documents, SCRIPT), instructions=SCRIPT)
    page = open_page(visit, job)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    seen = set[str]()
    given = []
    while ready(page):
        seen |= set(shown(page))
        if "html" in shown(page):
            frame = page.locator(".judge-document:not([hidden]) iframe")
            assert frame.get_attribute("sandbox") == ""
            frame.content_frame.get_by_role("heading", name="Wings").click()  # does not take the keys away
        given.append(judge_one(page, job.pool))
        page.wait_for_selector(READY, state="attached")
    assert seen == {"html", "image", "link", "text"}
    assert "run" not in page.title()
    assert [url for url in asked if not url.startswith((page.url.partition("/projects")[0], "data:"))] == []
    assert_done(page, job, given)


def test_a_document_without_text_says_so(hire: Hire, visit: Visit) -> None:
    job = hire(Pool("q", "wing", (Document("a"), Document("b", "Only a title", " \n "))), k=1)
    page = open_page(visit, job)
    assert ready(page)
    assert page.inner_text("[data-document=a]") == "This document is empty."
    assert page.inner_text("[data-document=b]").split("\n")[-1] == "This document has no text."


def test_each_text_runs_in_its_own_direction(hire: Hire, visit: Visit) -> None:
    arabic = "مرحبا بالعالم"
    documents = (Document("a", arabic, arabic, "link", "https://example.org/wing"), Document("b", arabic, arabic))
    page = open_page(visit, hire(Pool("q", arabic, documents, arabic), k=1, instructions=arabic))
    assert ready(page)
    texts = ["#query", "#description", ".judge-guidelines", ".judge-link h3", ".judge-link p:last-child", "[data-document=b] .judge-text"]
    direction = "found => getComputedStyle(found).direction"
    assert {text: page.eval_on_selector(text, direction) for text in texts} == dict.fromkeys(texts, "rtl")
    assert page.eval_on_selector(".judge-link p", direction) == "ltr"  # the address
