"""The pages as HTML: each opens for those who may see it and for nobody else, and shows what others wrote as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from tests.server.clients import Client
from tests.server.conftest import World
from tests.server.page_addresses import OPENS, address, routed

from podium.labelling.table import STRATEGIES
from podium.pool import Document, Pool
from podium.projects.exports import EXPORTS
from podium.projects.facts import Project, ProjectSettings, StudyPlan
from podium.server.pages.projects import next_steps
from podium.server.pages.words import formatted
from podium.sources.pools import POOL_FORMATS

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{7*7}}"
ROLES = {"admin": "root", "viewer": "vera", "judge": "ann"}


class Tags(HTMLParser):
    """The tags of a page, each with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def judged(world: World, name: str = "ann") -> tuple[int, int]:
    """Let someone answer once in their project; the task and the number of the event."""
    member = world.office.people.membership(world.people[name], world.mine.number)
    assert member is not None
    put = world.office.work.next(member, desk="here").question
    assert put is not None
    world.office.work.answer(member, put.task, put.token, "left", seconds=3.0, desk="here")
    return put.task, 1


def who(world: World, role: str) -> Client:
    return world.client() if role == "nobody" else world.browser(ROLES[role])


def addresses(world: World) -> dict[str, str]:
    """Every page, of the project that is mine, with a judgment and an invitation that are there."""
    task, event = judged(world)
    secret, _ = world.office.people.invite(role="judge", project=world.mine.number)
    return {path: address(path, project=world.mine.number, task=task, event=event, secret=secret) for path in OPENS}


def test_the_table_of_pages_has_every_page() -> None:
    assert set(OPENS) == routed()


@pytest.mark.parametrize("role", ["admin", "viewer", "judge", "nobody"])
def test_each_page_opens_for_those_who_may_see_it_and_for_nobody_else(world: World, role: str) -> None:
    client = who(world, role)
    for path, here in addresses(world).items():
        answer = client.get(here)
        refused = {401} if role == "nobody" else {403, 404}
        assert answer.status_code in ({200} if role in OPENS[path] else refused), (path, answer.status_code)
        assert answer.headers["content-type"].startswith("text/html")
        tags = [tag for tag, _ in Tags(answer.text).found]
        assert tags.count("main") == 1, path
        assert tags.count("h1") == 1, path


def test_nothing_on_a_page_runs_inline_or_comes_from_elsewhere(world: World) -> None:
    leading, judging = world.browser("root"), world.browser("ann")
    for path, here in addresses(world).items():
        page = (judging if path.endswith("/judge") else leading).get(here).text
        for tag, attributes in Tags(page).found:
            assert tag != "style"
            assert "style" not in attributes
            assert not [name for name in attributes if name.startswith("on")]
            assert tag != "script" or (attributes.get("src") or "").startswith("/static/") or attributes.get("type") == "application/json"
            for name in ("src", "href", "action"):
                assert re.match(r"/(?!/)|#|\?|data:image/|$", attributes.get(name) or ""), (path, tag, attributes)


def test_someone_elses_project_does_not_exist(world: World) -> None:
    client = world.browser("otto")
    for path, here in addresses(world).items():
        if path.startswith("/projects/{project}"):
            missing = here.replace(f"/projects/{world.mine.number}", "/projects/99")
            answers = [client.get(place) for place in (here, missing)]
            assert [answer.status_code for answer in answers] == [404, 404], path


def test_a_judgment_of_another_project_is_not_shown(world: World) -> None:
    task, event = judged(world)
    assert world.browser("root").get(f"/projects/{world.other.number}/review/{task}/{event}").status_code == 404


def evil_world(world: World) -> Project:
    """A project in which every text that someone can write is an attack."""
    documents = tuple(Document(f"{EVIL}{kind}", EVIL, EVIL, kind, url) for kind, url in KINDS)
    pool = Pool(EVIL, EVIL, documents, EVIL)
    settings = ProjectSettings(k=1, instructions=EVIL, gold_every=1, overlap=2)
    project = world.office.projects.create(EVIL[:120], settings, [pool])
    person = world.office.people.add(EVIL[:80], "judge")
    member = world.office.projects.add_member(project.number, person.number, "judge")
    put = world.office.work.next(member, desk=EVIL).question
    assert put is not None
    world.office.work.answer(member, put.task, put.token, "left", seconds=3.0, desk=EVIL)
    world.office.gold.add(project.number, EVIL, documents[0].id, documents[1].id, "left")
    world.office.people.invite(role="judge", project=project.number, note=EVIL)
    world.office.people.token(world.people["root"], role="viewer", note=EVIL)
    world.office.audit.record(None, EVIL, project=project.number, **{EVIL: EVIL})
    return project


KINDS = (("text", ""), ("html", ""), ("link", "https://example.org/?x=javascript:alert(1)"))


def test_what_others_wrote_is_shown_as_text(world: World) -> None:
    project = evil_world(world)
    (row,) = world.office.review.judgments(project.number).rows
    secret, _ = world.office.people.invite(role="judge", project=project.number)
    client = world.browser("root")
    for path in OPENS:
        here = address(path, project=project.number, task=row.task, event=row.event, secret=secret)
        for more in ({}, {"query": EVIL}, {"assessor": EVIL, "answer": EVIL, "query_id": EVIL}):
            page = client.get(here, params=more).text
            assert "<script>alert" not in page, here
            assert "<img src=x" not in page, here
            assert "&amp;49" not in page, f"{here}: a template within a text was run"
            assert 'href="javascript:' not in page, here


def test_a_query_with_its_documents_is_shown_as_text(world: World) -> None:
    project = evil_world(world)
    page = world.browser("root").get(f"/projects/{project.number}/queries", params={"query": EVIL}).text
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3


def test_viewers_see_a_project_without_the_forms(world: World) -> None:
    judged(world)
    client = world.browser("vera")
    for path in OPENS:
        if "viewer" in OPENS[path] and path.startswith("/projects/{project}") and "{task}" not in path:
            page = client.get(address(path, project=world.mine.number)).text
            forms = [attributes["data-api"] for tag, attributes in Tags(page).found if tag == "form" and "data-api" in attributes]
            assert forms == ["POST /api/v1/sign-out"], path
            assert "data-upload" not in page


def test_a_judge_sees_only_their_own_projects(world: World) -> None:
    page = world.browser("ann").get("/").text
    assert re.findall("<h2>(.*)</h2>", page) == ["mine"]
    assert f"/projects/{world.mine.number}/judge" in page
    assert f'href="/projects/{world.mine.number}"' not in page


def test_a_link_is_looked_at_without_being_used(world: World) -> None:
    secret, _ = world.office.people.invite(role="judge", project=world.mine.number, uses=1)
    client = world.client()
    assert [client.get(f"/join/{secret}").status_code for _ in range(3)] == [200, 200, 200]
    assert client.post("/api/v1/join", {"secret": secret, "name": "new"}).status_code == 200
    assert client.get(f"/join/{secret}").status_code == 410


def test_the_form_of_a_new_project_offers_what_the_tables_have(world: World) -> None:
    page = world.browser("root").get("/projects/new").text
    values = {
        attributes.get("value") for tag, attributes in Tags(page).found if tag == "input" and attributes.get("name") == "settings.strategy"
    }
    assert values == {name for name, entry in STRATEGIES.items() if not entry.asks_grades}
    assert all(f"<code>{name}</code>" in page for name in POOL_FORMATS)


def test_every_export_is_offered(world: World) -> None:
    page = world.browser("vera").get(f"/projects/{world.mine.number}/report").text
    offered = [attributes["action"] for tag, attributes in Tags(page).found if tag == "form" and "action" in attributes]
    assert offered == [f"/api/v1/projects/{world.mine.number}/exports/{kind}" for kind in EXPORTS]


@pytest.mark.parametrize(
    ("sizes", "is_possible"), [((5, 5, 2), True), ((5, 4, 1), True), ((3, 6, 1), False), ((5, 5, 3), False), ((0, 0, 0), False)]
)
def test_a_study_is_checked_while_it_is_planned(world: World, sizes: tuple[int, int, int], is_possible: bool) -> None:
    names = dict(zip(("assessors", "folds", "rounds"), sizes, strict=True))
    answer = world.browser("root").get("/projects/new/check", params=names).json()
    assert answer["is_possible"] is is_possible
    assert answer["text"].startswith("The queries are dealt" if is_possible else "There is no such assignment")
    assert world.browser("ann").get("/projects/new/check", params=names).status_code == 403


def progress(**changes: object) -> dict[str, object]:
    judge = {"role": "judge", "kind": "person", "name": "ann", "is_active": True}
    return {"queries": 2, "tasks": 2, "tasks_finished": 0, "members": [judge], **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        ({"queries": 0, "tasks": 0}, ["nothing to judge"]),
        ({"members": []}, ["Nobody judges"]),
        ({"members": [{"role": "judge", "kind": "person", "name": "", "is_active": True}]}, ["1 seat of the study is free"]),
        ({"tasks_finished": 2}, ["Everything is judged", "Nothing is left"]),
    ],
)
def test_the_dashboard_says_what_to_do_next(changes: dict[str, object], words: list[str]) -> None:
    project = Project(3, "p", "open", ProjectSettings(instructions="read"), "", 2)
    told = [step.text for step in next_steps(project, progress(**changes), 0)]
    assert [word in text for word, text in zip(words, told, strict=True)] == [True] * len(words)


def test_the_dashboard_asks_for_instructions_and_gold_questions_that_are_missing() -> None:
    project = Project(3, "p", "open", ProjectSettings(gold_every=5), "", 2)
    assert [step.address for step in next_steps(project, progress(), 0)] == ["/projects/3/gold", "/projects/3/settings"]


def test_a_study_shows_its_seats_and_its_assignment(world: World) -> None:
    pools = [Pool(f"q{number}", f"query {number}", (Document("a"), Document("b"))) for number in range(2)]
    study = world.office.projects.create("study", ProjectSettings(k=1, study=StudyPlan(2, 2, 1)), pools)
    client = world.browser("root")
    people = client.get(f"/projects/{study.number}/people").text
    assert people.count("Waits for somebody") == 2
    overview = client.get(f"/projects/{study.number}").text
    assert [overview.count(tool) for tool in ("T1 ", "T2 ")] == [2, 2]
    assert "2 seats of the study are free" in overview


def test_judgments_can_be_filtered_and_paged(make_world: Callable[..., World]) -> None:
    world = make_world()
    judged(world, "ann")
    judged(world, "bob")
    client, here = world.browser("vera"), f"/projects/{world.mine.number}/review"
    rows = re.compile(rf'href="{here}/\d+/\d+')
    assert len(rows.findall(client.get(here).text)) == 2
    assert len(rows.findall(client.get(here, params={"assessor": "ann"}).text)) == 1
    assert len(rows.findall(client.get(here, params={"answer": "tie"}).text)) == 0
    assert len(rows.findall(client.get(here, params={"corrected": "yes"}).text)) == 0
    assert "Nothing fits these filters" in client.get(here, params={"answer": "tie"}).text


def test_a_judgment_leads_to_its_neighbours_in_the_list_it_was_opened_from(world: World) -> None:
    tasks = [judged(world, name) for name in ("ann", "ann", "bob")]
    rows = [(row.task, row.event) for row in world.office.review.judgments(world.mine.number).rows]
    assert len(rows) == len(tasks)
    client, here = world.browser("vera"), f"/projects/{world.mine.number}/review"
    page = client.get(f"{here}/{rows[1][0]}/{rows[1][1]}").text
    keys = {attributes["data-key"]: attributes["href"] for tag, attributes in Tags(page).found if "data-key" in attributes}
    assert keys == {"ArrowLeft": f"{here}/{rows[0][0]}/{rows[0][1]}", "ArrowRight": f"{here}/{rows[2][0]}/{rows[2][1]}"}
    (bobs,) = world.office.review.judgments(world.mine.number, assessor="bob").rows
    alone = client.get(f"{here}/{bobs.task}/{bobs.event}", params={"assessor": "bob"}).text
    assert "data-key" not in alone


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("- a\n- **b**\nc", "<ul><li>a</li><li><strong>b</strong></li></ul><p>c</p>"),
        ('<i>"x"</i> & ** no **', "<p>&lt;i&gt;&#34;x&#34;&lt;/i&gt; &amp; ** no **</p>"),
        ("**<script>**", "<p><strong>&lt;script&gt;</strong></p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    ],
)
def test_instructions_are_plain_text_with_paragraphs_lists_and_bold(text: str, html: str) -> None:
    assert formatted(text) == html


def test_an_error_is_a_page_that_says_what_is_wrong(world: World) -> None:
    answer = world.browser("root").get("/projects/99")
    assert answer.status_code == 404
    assert "There is no project 99." in answer.text
    assert world.browser("root").get("/projects/abc").status_code == 404
    assert "Please sign in" in world.client().get("/people").text


def test_the_dashboard_says_when_there_are_fewer_assessors_than_each_query_needs() -> None:
    for overlap_by, words in (
        ("votes", "3 votes a question need 2 more assessors."),
        ("copies", "3 copies of each query need 2 more assessors."),
    ):
        project = Project(3, "p", "open", ProjectSettings(instructions="read", overlap=3, overlap_by=overlap_by), "", 2)
        assert [step.text for step in next_steps(project, progress(), 0)] == [words]
