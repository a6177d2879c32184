"""Those who lead projects, in a browser: from a file to the archive; every page for every eye; nothing of what others wrote runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.server.browser import DESKTOP, PHONE, Server, Visit, chromium, office, open_all, server, violations, visit
from tests.server.page_addresses import OPENS, address, routed

from podium.pool import Document, Pool
from podium.projects.exports import EXPORTS
from podium.projects.facts import Member, Person, Project, ProjectSettings, StudyPlan

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

    from podium.projects.office import Office

__all__ = ["chromium", "office", "server", "visit"]

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>"
INSTRUCTIONS = "Read **both**.\n\n- Prefer facts.\n- Say tie if you must."


class Team(NamedTuple):
    """A project that is being judged, and one of each role."""

    project: Project
    admin: Person
    viewer: Person
    judge: Person
    task: int
    event: int
    secret: str

    def of(self, role: str) -> Person | None:
        return {"admin": self.admin, "viewer": self.viewer, "judge": self.judge}.get(role)

    def address(self, path: str) -> str:
        return address(path, project=self.project.number, task=self.task, event=self.event, secret=self.secret)


def pool(name: str, documents: int = 4) -> Pool:
    texts = (Document(f"{name}-d{number}", f"Title {number}", f"Wing flutter number {number}. " * 30) for number in range(documents))
    return Pool(name, f"wing flutter {name}", tuple(texts), "what is known of flutter")


def answer_once(office: Office, member: Member, answer: str = "left") -> None:
    put = office.work.next(member, desk="test").question
    assert put is not None
    office.work.answer(member, put.task, put.token, answer, seconds=4.0, desk="test")
    office.work.release(member, "test")


def hire(office: Office, project: Project, name: str, role: str = "judge") -> tuple[Person, Member]:
    person = office.people.add(name, role)
    return person, office.projects.add_member(project.number, person.number, role)


@pytest.fixture(scope="module")
def admin(office: Office) -> Person:
    return office.people.add("Grace", "admin")


@pytest.fixture(scope="module")
def team(office: Office, admin: Person) -> Team:
    settings = ProjectSettings(k=2, instructions=INSTRUCTIONS, gold_every=3)
    project = office.projects.create("Flutter", settings, [pool("q1"), pool("q2")])
    judge, member = hire(office, project, "Ann")
    viewer, _ = hire(office, project, "Vera", "viewer")
    answer_once(office, member)
    answer_once(office, member, "tie")
    office.gold.add(project.number, "q1", "q1-d0", "q1-d1", "left")
    office.projects.add_model(project.number, "llm small", {"base_url": "http://127.0.0.1:9/v1", "model": "small"})
    office.people.token(admin, role="viewer", note="nightly")
    secret, _ = office.people.invite(role="judge", project=project.number, uses=5, note="night shift")
    row = office.review.judgments(project.number).rows[-1]
    return Team(project, admin, viewer, judge, row.task, row.event, secret)


# ---- every page, for every eye ----


@pytest.mark.parametrize("options", [DESKTOP, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("role", ["admin", "viewer", "judge", "nobody"])
def test_axe_finds_nothing_wrong_on_any_page(visit: Visit, team: Team, role: str, options: dict[str, Any]) -> None:
    assert set(OPENS) == routed()
    refused = next(path for path in reversed(OPENS) if role not in OPENS[path])  # the page that says so must be as good
    paths = [*(path for path in OPENS if role in OPENS[path]), refused]
    wrong = {}
    first = visit(team.of(role), "/", reduced_motion="reduce", **options)  # colours change at once
    for path, page in zip(paths, open_all(first, map(team.address, paths)), strict=True):
        found = violations(page)
        page.emulate_media(color_scheme="dark")
        if found := [*found, *violations(page, "color-contrast")]:
            wrong[path] = found
        assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"], path
    assert wrong == {}


def test_a_page_is_as_good_when_its_parts_are_open(visit: Visit, team: Team) -> None:
    page = visit(team.admin, "/projects/new")
    for path in ("/projects/new", f"/projects/{team.project.number}/people", f"/projects/{team.project.number}/queries?query=q1"):
        page.goto(path)
        for summary in page.locator("summary").all():
            summary.click()
        assert violations(page) == []
    page.goto("/projects/new")
    for kind in ("Grades", "Study of both tools"):
        page.get_by_role("radio", name=kind).check()
        assert violations(page) == []
    page.goto(f"/projects/{team.project.number}/people")
    for act in ("Make the link", "Revoke night shift"):
        page.get_by_role("button", name=act).click()
        page.get_by_role("dialog").wait_for()
        assert violations(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="detached")
        page.wait_for_load_state("networkidle")


# ---- the whole way ----


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    rows = [
        {"query_id": "7", "query": "wing flutter", "id": f"d{number}", "title": f"Flutter {number}", "text": f"flutter of wings {number}"}
        for number in range(3)
    ]
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def make_project(page: Page, name: str, file: Path) -> int:
    page.goto("/projects/new")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Files to label").set_input_files(file)
    page.get_by_text("1 file chosen").wait_for()
    page.get_by_role("button", name="Make the project").click()
    page.wait_for_url(re.compile(r"/projects/\d+$"))
    return int(page.url.rsplit("/", 1)[1])


def test_from_a_file_to_the_archive(visit: Visit, office: Office, admin: Person, server: Server, jsonl: Path) -> None:
    secret, _ = office.people.link(admin)
    page = visit(None, f"/join/{secret}")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()
    number = make_project(page, "From a file", jsonl)
    page.get_by_text("1 query was added.").wait_for()
    assert office.projects.queries(number) == ["7"]

    # The judge comes by the invitation, in another browser, and the dashboard shows what they do without being loaded again.
    page.goto(f"/projects/{number}/people")
    page.get_by_label("Note for yourself").fill("for Bea")
    page.get_by_role("button", name="Make the link").click()
    link = page.get_by_label("What to copy").input_value()
    assert link.startswith(f"{server.url}/join/pdm_i_")
    page.goto(f"/projects/{number}")
    page.get_by_text("Nobody judges yet").first.wait_for()
    guest = visit(None, link.removeprefix(server.url))
    guest.get_by_label("Your name").fill("Bea")
    guest.get_by_role("button", name="Join and begin").click()
    guest.wait_for_url(f"**/projects/{number}/judge")
    row = page.locator("tr", has=page.get_by_role("rowheader", name="Bea"))
    row.get_by_text("Here now").wait_for()
    person = office.people.find("Bea")
    assert person is not None
    member = office.people.membership(person, number)
    assert member is not None
    put = office.work.next(member, desk="test", take=True).question
    assert put is not None
    office.work.answer(member, put.task, put.token, "left", seconds=4.0, desk="test")
    row.locator("[data-field=judgments]", has_text=re.compile("^1$")).wait_for()
    page.locator(f"[data-task='{put.task}']", has_text="1").wait_for()
    page.locator("[data-chart] svg").wait_for()

    # A judgment is corrected with both documents in view: the log keeps what was said, and has the correction after it.
    page.get_by_role("link", name="Review").click()
    page.get_by_role("link", name="Open").click()
    left, right = page.locator("[data-side=left]"), page.locator("[data-side=right]")
    left.get_by_text("flutter of wings").wait_for()
    right.get_by_text("flutter of wings").wait_for()
    page.get_by_role("button", name="Right is better").click()
    page.get_by_text("corrected by Grace").wait_for()
    first, second = office.store.events(put.task)
    assert (first.action, first.answer, first.assessor) == ("answer", "left", "Bea")
    assert (second.action, second.answer, second.target, second.assessor) == ("correct", "right", 1, "Grace")

    # Every export is to be had; labels once the query is finished.
    offer = office.work.next(member, desk="test")
    while offer.question is not None:
        offer = office.work.answer(member, offer.question.task, offer.question.token, "left", seconds=1.0, desk="test")
    page.get_by_role("link", name="Report").click()
    for kind, export in EXPORTS.items():
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {kind}", exact=True).click()
        assert download.value.suggested_filename.endswith(export.suffix)
        assert Path(download.value.path()).stat().st_size > 0

    # Closed and archived, each after a question that can be answered no.
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("Escape")
    assert office.projects.get(number).state == "open"
    for act, state in (("Close", "closed"), ("Archive", "archived")):
        page.get_by_role("button", name=act).click()
        page.get_by_role("dialog").get_by_role("button", name=act).click()
        page.get_by_text(f"The project is {state}.").first.wait_for()
        assert office.projects.get(number).state == state
    page.goto("/")
    assert page.get_by_role("link", name="From a file").count() == 0
    page.get_by_role("link", name="Show archived").click()
    page.get_by_role("link", name="From a file").wait_for()
    assert {entry.action for entry in office.audit.entries(project=number)} >= {"project.create", "judgment.correct"}


def test_files_that_cannot_be_read_are_refused_with_a_reason_and_can_be_sent_again(
    visit: Visit, office: Office, admin: Person, jsonl: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"query_id": "7"', encoding="utf-8")
    page = visit(admin, "/projects/new")
    page.get_by_label("Name", exact=True).fill("Second try")
    page.get_by_label("Files to label").set_input_files(broken)
    page.get_by_role("button", name="Make the project").click()
    error = page.get_by_role("alert")
    error.get_by_text("broken.jsonl").wait_for()
    assert error.evaluate("element => element === document.activeElement")
    page.get_by_role("button", name="Choose anew").click()
    page.get_by_label("Files to label").set_input_files(jsonl)
    page.get_by_role("spinbutton", name="Top k").fill("2")
    page.get_by_role("button", name="Make the project").click()
    page.wait_for_url(re.compile(r"/projects/\d+$"))
    project = office.projects.find("Second try")
    assert project is not None
    assert (project.settings.k, project.n_queries) == (2, 1)


def test_the_options_of_a_strategy_are_set_when_it_is_chosen(visit: Visit, office: Office, admin: Person, jsonl: Path) -> None:
    page = visit(admin, "/projects/new")
    page.get_by_label("Name", exact=True).fill("On a budget")
    page.get_by_label("Files to label").set_input_files(jsonl)
    page.get_by_text("Strategy, overlap, grades").click()
    assert not page.get_by_label("Budget", exact=True).is_visible()
    page.get_by_role("radio", name="Active").check()
    page.get_by_label("Budget", exact=True).fill("30")
    page.get_by_label("Confidence", exact=True).fill("0.9")
    page.get_by_role("button", name="Make the project").click()
    page.wait_for_url(re.compile(r"/projects/\d+$"))
    project = office.projects.find("On a budget")
    assert project is not None
    assert project.settings.strategy == "active"
    assert project.settings.options["budget"] == 30
    assert project.settings.options["confidence"] == 0.9
    assert project.settings.grades == ProjectSettings().grades


def test_a_study_that_cannot_be_is_told_while_it_is_typed(visit: Visit, office: Office, admin: Person, tmp_path: Path) -> None:
    rows = [
        {"query_id": f"q{query}", "query": f"query {query}", "id": f"d{document}", "text": f"text {document}"}
        for query in range(5)
        for document in range(3)
    ]
    path = tmp_path / "five.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    page = visit(admin, "/projects/new")
    page.get_by_label("Name", exact=True).fill("Study of five")
    page.get_by_label("Files to label").set_input_files(path)
    page.get_by_role("radio", name="Study of both tools").check()
    plan = page.locator("[data-plan]")
    plan.get_by_text("Each query is judged with each tool by 2 assessors").wait_for()
    page.get_by_label("Rounds").fill("3")
    plan.get_by_text("There is no such assignment: 3 rounds over 5 folds").wait_for()
    page.get_by_role("button", name="Make the project").click()
    page.get_by_role("alert").get_by_text("3 rounds over 5 folds").wait_for()
    assert office.projects.find("Study of five") is None
    page.get_by_label("Rounds").fill("2")
    plan.get_by_text("Each query is judged with each tool by 2 assessors").wait_for()
    page.get_by_role("button", name="Make the project").click()
    page.wait_for_url(re.compile(r"/projects/\d+$"))
    page.get_by_text("5 seats of the study are free").wait_for()
    project = office.projects.find("Study of five")
    assert project is not None
    assert project.settings.study == StudyPlan(5, 5, 2)
    assert len(office.projects.tasks(project.number)) == 5 * 2 * 2  # each of five does two folds with each tool; a fold is one query here


# ---- single acts ----


def test_an_export_that_cannot_be_made_says_why_and_one_of_several_assessors_can_be_chosen(
    visit: Visit, office: Office, admin: Person
) -> None:
    project = office.projects.create("Copies", ProjectSettings(k=1, overlap=2), [pool("q1", 2)])
    members = [hire(office, project, name)[1] for name in ("Cy", "Di")]
    page = visit(admin, f"/projects/{project.number}/report")
    page.get_by_role("button", name="Download qrels").click()
    page.get_by_role("alert").get_by_text("No task is finished").wait_for()
    for member, answer in zip(members, ("left", "tie"), strict=True):
        answer_once(office, member, answer)
    page.reload()
    for kind, of in (("qrels", "all"), ("letor", "Cy"), ("prefs", "")):
        page.get_by_label(f"Whose labels, for {kind}").select_option(of)
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {kind}").click()
        assert download.value.suggested_filename == f"copies{EXPORTS[kind].suffix}"


def test_an_invitation_is_revoked_after_a_question(visit: Visit, office: Office, admin: Person) -> None:
    project = office.projects.create("Doors", ProjectSettings(), [pool("q1")])
    secret, facts = office.people.invite(role="viewer", project=project.number, note="the press")
    page = visit(admin, f"/projects/{project.number}/people")
    revoke = page.get_by_role("button", name="Revoke the press")
    revoke.click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert revoke.evaluate("element => element === document.activeElement")
    assert office.people.look(secret) is not None
    revoke.click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    page.get_by_text("The invitation is revoked.").wait_for()
    assert office.people.look(secret) is None
    assert facts.number > 0


def test_a_token_is_shown_once_and_works_until_it_is_revoked(visit: Visit, office: Office, admin: Person) -> None:
    page = visit(admin, "/tokens")
    page.get_by_label("What it is for").fill("pull labels")
    page.get_by_label("Role").select_option("viewer")
    page.get_by_role("button", name="Make the token").click()
    token = page.get_by_label("What to copy").input_value()
    caller = office.people.by_token(token)
    assert caller is not None
    assert caller.role == "viewer"
    page.reload()
    assert token not in page.content()
    page.get_by_role("button", name="Revoke pull labels").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    page.get_by_text("The token is revoked.").wait_for()
    assert office.people.by_token(token) is None


def test_settings_and_gold_questions_are_changed(visit: Visit, office: Office, admin: Person) -> None:
    project = office.projects.create("To change", ProjectSettings(k=2), [pool("q1")])
    page = visit(admin, f"/projects/{project.number}/settings")
    page.get_by_label("Instructions for the assessors").fill("Be **kind**.")
    page.get_by_label("Tie").uncheck()
    page.get_by_label("A gold question after").fill("5")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    settings = office.projects.get(project.number).settings
    assert (settings.instructions, settings.ties, settings.both_bad, settings.gold_every) == ("Be **kind**.", False, True, 5)
    page.goto(f"/projects/{project.number}/gold?query=q1")
    page.get_by_label("Left document").select_option("q1-d2")
    page.get_by_label("Right document").select_option("q1-d3")
    page.get_by_label("Correct answer").select_option("right")
    page.get_by_role("button", name="Add it").click()
    page.get_by_text("The gold question is added.").wait_for()
    (question,) = office.gold.all(project.number)
    assert (question.query_id, question.left, question.right, question.answer) == ("q1", "q1-d2", "q1-d3", "right")


def test_keys_lead_from_judgment_to_judgment(visit: Visit, team: Team, office: Office) -> None:
    newest, older = office.review.judgments(team.project.number).rows[:2]
    here = f"/projects/{team.project.number}/review"
    page = visit(team.viewer, f"{here}/{newest.task}/{newest.event}")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**{here}/{older.task}/{older.event}")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**{here}/{newest.task}/{newest.event}")


# ---- what others wrote ----


@pytest.fixture(scope="module")
def evil(office: Office, admin: Person) -> Team:
    """A project in which every text that someone can write is an attack."""
    documents = tuple(
        Document(f"{SCRIPT}{kind}", SCRIPT, text, kind, url)
        for kind, text, url in (
            ("text", SCRIPT, ""),
            ("html", f"<a href='javascript:alert(1)'>x</a>{SCRIPT}", ""),
            ("link", SCRIPT, "https://example.invalid/?javascript:alert(1)"),
        )
    )
    settings = ProjectSettings(k=1, instructions=f"**{SCRIPT}**\n- [x](javascript:alert(1))", gold_every=50)
    project = office.projects.create(SCRIPT, settings, [Pool(SCRIPT, SCRIPT, documents, SCRIPT)])
    judge, member = hire(office, project, SCRIPT[:78])
    viewer, _ = hire(office, project, f"{SCRIPT[:70]}v", "viewer")
    answer_once(office, member)
    office.gold.add(project.number, SCRIPT, documents[0].id, documents[1].id, "left")
    office.people.token(admin, role="viewer", note=SCRIPT)
    office.audit.record(None, SCRIPT, project=project.number, **{SCRIPT: SCRIPT})
    secret, _ = office.people.invite(role="judge", project=project.number, uses=5, note=SCRIPT)
    (row,) = office.review.judgments(project.number).rows
    return Team(project, admin, viewer, judge, row.task, row.event, secret)


@pytest.mark.parametrize("role", ["admin", "viewer", "judge", "nobody"])
def test_nothing_of_what_others_wrote_runs(visit: Visit, evil: Team, role: str) -> None:
    page = visit(evil.of(role), "/")
    heard: list[str] = []

    def hear(dialog: Dialog) -> None:
        heard.append(dialog.message)
        dialog.dismiss()

    page.context.on("dialog", hear)
    open_all(page, map(evil.address, OPENS))
    if role in ("admin", "viewer"):
        page.goto(f"/projects/{evil.project.number}/queries")
        page.get_by_role("rowheader").get_by_role("link").first.click()
        for summary in page.locator("summary").all():
            summary.click()
        page.goto(f"/projects/{evil.project.number}/review")
        page.get_by_role("link", name="Open").first.click()
        page.locator("[data-side] .judge-document").first.wait_for()
    assert heard == []
