"""Who may do what, by every route; and what comes from outside to do harm."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from tests.databases import DATABASES
from tests.server.clients import HOME, Client
from tests.server.conftest import World

from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings
from podium.projects.secrets import new_secret
from podium.server import documents
from podium.server.documents import LONGEST, frame_address
from podium.server.rates import Limits, Rates
from podium.server.tidying import DEEPEST, MOST_TAGS

API = "/api/v1"
P = f"{API}/projects/{{project}}"

# Who may use a route; whoever is not named is turned away. `root:viewer` is a token of the admin that goes no further than looking on,
# `root:other` one that opens the other project only.
WHO = ("nobody", "otto", "ann", "vera", "root", "root:judge", "root:viewer", "root:other")
ALL = set(WHO)
SIGNED = ALL - {"nobody"}
BROWSERS = {"otto", "ann", "vera", "root"}
JUDGES = {"ann"}
VIEWERS = {"vera", "root", "root:viewer"}
MEMBERS = JUDGES | VIEWERS
ADMINS = {"root"}
ALLOWED: dict[str, set[str]] = {
    f"GET {API}/openapi.json": ALL,
    f"POST {API}/join": ALL,
    f"POST {API}/sign-out": ALL,
    f"GET {API}/me": SIGNED,
    f"POST {API}/me/links": BROWSERS,
    **{f"POST {P}/{name}": JUDGES for name in ("next", "answers", "skips", "undo", "redo", "release")},
    **{f"GET {P}/{name}": JUDGES for name in ("ahead", "guide")},
    f"GET {API}/projects": SIGNED,
    f"GET {P}": VIEWERS,
    **{
        f"GET {P}/{name}": VIEWERS
        for name in (
            "progress", "tasks", "queries", "members", "judgments", "judgments/{task}/{event}", "report", "report.csv", "exports/{kind}",
        )
    },
    f"POST {API}/projects": ADMINS,
    f"PATCH {P}": ADMINS,
    **{
        f"POST {P}/{name}": ADMINS
        for name in (
            "state", "queries", "files", "invitations", "models", "models/test", "models/{member}/start", "models/{member}/stop", "gold",
            "judgments/{task}/{event}/corrections", "tasks/{task}/reassign",
        )
    },
    **{f"GET {P}/{name}": ADMINS for name in ("invitations", "models/{member}", "gold")},
    f"PATCH {P}/members/{{member}}": ADMINS,
    f"DELETE {P}/gold/{{number}}": ADMINS,
    f"DELETE {API}/secrets/{{number}}": ADMINS,
    f"GET {API}/people": ADMINS,
    f"POST {API}/people": ADMINS,
    f"PATCH {API}/people/{{number}}": ADMINS,
    f"POST {API}/people/{{number}}/links": ADMINS,
    f"GET {API}/people/{{number}}/secrets": ADMINS,
    f"DELETE {API}/people/{{number}}/sessions": ADMINS,
    f"GET {API}/tokens": ADMINS,
    f"POST {API}/tokens": ADMINS,
    f"GET {API}/audit": ADMINS,
    # pages
    "GET /": ALL,
    "GET /join/{secret}": ALL,
    "GET /static/{name}": ALL,
    "GET /api": SIGNED,
    "GET /frames/{project}": MEMBERS,
    "GET /projects/{project}/judge": JUDGES,
    "GET /projects/{project}": VIEWERS,
    "GET /report.css": ALL,
    **{
        f"GET /projects/{{project}}/{name}": VIEWERS
        for name in ("queries", "people", "review", "review/{task}/{event}", "report", "settings")
    },
    "GET /projects/{project}/gold": ADMINS,
    "GET /projects/new": ADMINS,
    "GET /projects/new/check": ADMINS,
    "GET /people": ADMINS,
    "GET /tokens": ADMINS,
    "GET /audit": ADMINS,
}  # fmt: skip
FILLED = {
    "task": "1",
    "event": "1",
    "member": "1",
    "number": "9999",
    "kind": "letor",
    "secret": "pdm_i_x",
    "name": "podium.css",
}


def routes(app: Any) -> Iterator[str]:
    """Every method and path that the application answers."""

    def walk(routes: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
        for route in routes:
            if (router := getattr(route, "original_router", None)) is not None:  # newer versions of FastAPI keep routers within routers
                yield from walk(router.routes, prefix + route.include_context.prefix)
            else:
                for method in route.methods - {"HEAD"}:
                    yield method, prefix + route.path

    return (f"{method} {path}" for method, path in walk(app.routes))


def filled(route: str, world: World) -> tuple[str, str]:
    method, path = route.split(" ")
    path = path.replace("{project}", str(world.mine.number))
    return method, re.sub(r"\{(\w+)\}", lambda found: FILLED[found[1]], path)


def test_every_route_is_in_the_table(world: World) -> None:
    found = set(routes(world.app))
    assert len(found) > 40
    assert found <= set(ALLOWED), "say in the table who may use a new route"
    assert {route for route in ALLOWED if API in route} <= found


def test_nobody_gets_further_than_the_table_says(make_world: Callable[..., World]) -> None:
    world = make_world(limits=Limits(rate=1e6, burst=10**6, address_rate=1e6, address_burst=10**6, failures=10**6))
    everyone = everyone_in(world)
    seen = []
    for route in sorted(set(routes(world.app)), key=lambda route: ("sign-out" in route, route)):  # which ends sessions
        method, path = filled(route, world)
        body = {"json": {}} if method in ("POST", "PATCH") and not path.endswith(("/files", "/sign-out", "/links")) else {}
        for who, client in everyone.items():
            status = client.ask(method, path, **body).status_code
            is_let_in = status not in (401, 403, 404)
            if who not in ALLOWED[route] and is_let_in:
                seen.append(f"{who} got {status} from {route}")
            if (who in ALLOWED[route] and status in (401, 403)) or status >= 500:
                seen.append(f"{who} was refused with {status} by {route}")
    assert seen == []


def everyone_in(world: World) -> dict[str, Client]:
    browsers = {name: world.browser(name) for name in ("otto", "ann", "vera", "root")}
    tokens = {f"root:{role}": world.token("root", role) for role in ("judge", "viewer")}
    return {"nobody": world.client(), **browsers, **tokens, "root:other": world.token("root", "admin", world.other.number)}


def test_another_projects_things_are_not_there(world: World) -> None:
    """Numbers that belong to another project, below a project that is the caller's own."""
    root = world.browser("root")
    mine, other = world.mine.number, world.other.number
    member = world.office.projects.members(other)[0]
    gold = world.office.gold.add(other, "q1", "d0", "d1", "left")
    task = world.office.projects.tasks(other)[0].task
    assert root.ask("PATCH", f"{API}/projects/{mine}/members/{member.number}", json={"is_active": False}).status_code == 404
    assert root.ask("DELETE", f"{API}/projects/{mine}/gold/{gold.number}").status_code == 404
    assert root.get(f"{API}/projects/{mine}/judgments/{task}/1").status_code == 404
    assert world.office.projects.member(member.number).is_active
    assert [each.number for each in world.office.gold.all(other)] == [gold.number]


def test_a_judge_cannot_answer_anothers_question(world: World) -> None:
    ann, bob, otto = (world.browser(name) for name in ("ann", "bob", "otto"))
    here = f"{API}/projects/{world.mine.number}"
    question = ann.post(f"{here}/next", {}).json()["question"]
    said = {"task": question["task"], "token": question["token"], "answer": "left"}
    assert bob.post(f"{here}/answers", said).status_code in (403, 404, 409, 422)
    assert otto.post(f"{here}/answers", said).status_code == 404
    assert otto.post(f"{API}/projects/{world.other.number}/answers", said).status_code in (403, 404, 409, 422)
    assert world.office.review.judgments(world.mine.number).total == 0
    assert ann.post(f"{here}/answers", said).status_code == 200
    assert world.office.review.judgments(world.mine.number).total == 1


# ---- cross-site requests ----


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
        {"sec-fetch-site": "same-site", "origin": HOME},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": f"{HOME}.evil.example"},
        {"origin": "http://127.0.0.1:81"},
        {"origin": "https://127.0.0.1"},
        {"referer": "https://evil.example/?http://127.0.0.1/"},
        {"referer": "http://[evil"},
        {},
    ],
)
def test_what_another_site_makes_a_browser_send_is_refused(world: World, headers: dict[str, str]) -> None:
    root = world.browser("root")
    del root._client.headers["sec-fetch-site"], root._client.headers["origin"]
    answer = root.post(f"{API}/people", {"name": "eve", "role": "admin"}, headers=headers)
    assert answer.status_code == 403
    assert world.office.people.find("eve") is None


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "same-origin"}, {"origin": HOME}, {"referer": f"{HOME}/people"}])
def test_what_our_own_pages_send_is_taken(world: World, headers: dict[str, str]) -> None:
    root = world.browser("root")
    del root._client.headers["sec-fetch-site"], root._client.headers["origin"]
    assert root.post(f"{API}/people", {"name": "eve", "role": "judge"}, headers=headers).status_code == 201


def test_origins_that_cannot_be_read_are_not_the_same(make_world: Callable[..., World]) -> None:
    world = make_world(allow_hosts=["*"])
    root = world.browser("root")
    del root._client.headers["sec-fetch-site"], root._client.headers["origin"]
    for host, source in (("127.0.0.1:99999", "http://127.0.0.1:99999"), ("127.0.0.1:99999", "http://[evil"), ("[evil", "http://[evil")):
        answer = root.post(f"{API}/people", {"name": "eve", "role": "admin"}, headers={"host": host, "origin": source})
        assert answer.status_code in (400, 403), host
    assert world.office.people.find("eve") is None


def test_another_site_cannot_sign_a_browser_in(world: World) -> None:
    """With a link of the attacker's own, so that the victim works under the attacker's name."""
    secret, _ = world.office.people.link(world.people["otto"])
    victim = world.client(**{"sec-fetch-site": "cross-site"})
    assert victim.post(f"{API}/join", {"secret": secret}).status_code == 403
    assert not victim.cookies
    assert world.office.people.look(secret) is not None


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])
def test_a_body_of_another_type_is_refused(world: World, kind: str) -> None:
    root = world.browser("root")
    answer = root.ask("POST", f"{API}/people", content=b'{"name": "eve"}', headers={"content-type": kind} if kind else {})
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported")


def test_a_foreign_host_name_is_refused(world: World) -> None:
    """DNS rebinding: a name of the attacker's that leads here."""
    for host in (
        "evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "127.0.0.1:80.evil.example", "localhost:x", "localhost:",
        "[::1].evil.example", "[::1]x", "[::1", "localhost:80:80", "localhost/", "a@localhost",
    ):  # fmt: skip
        assert world.client().get("/api/v1/me", headers={"host": host}).status_code == 400
    for host in ("localhost:8070", "127.0.0.1", "[::1]:80"):
        assert world.client().get("/api/v1/me", headers={"host": host}).status_code == 401


def test_the_public_host_is_allowed_and_cookies_are_then_for_https(make_world: Callable[..., World]) -> None:
    world = make_world(public_url="https://labels.example")
    secret, _ = world.office.people.link(world.people["root"])
    client = world.client(host="labels.example", origin="https://labels.example")
    answer = client.post(f"{API}/join", {"secret": secret})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(cookie.split("; "))


# ---- coming in ----


def test_an_invitation_works_as_often_as_it_says_and_no_more(world: World) -> None:
    root = world.browser("root")
    link = root.post(f"{API}/projects/{world.mine.number}/invitations", {"role": "judge", "uses": 1}).json()["link"]
    assert link.startswith(f"{HOME}/join/pdm_i_")
    secret = link.rsplit("/", 1)[1]
    first, second = world.client(), world.client()
    assert first.get(f"/join/{secret}").status_code == 200  # a preview uses nothing up
    assert first.post(f"{API}/join", {"secret": secret, "name": "zoe"}).json() == {"to": f"/projects/{world.mine.number}/judge"}
    again = second.post(f"{API}/join", {"secret": secret, "name": "yan"})
    assert (again.status_code, again.json()["error"]["code"]) == (410, "gone")
    assert not second.cookies
    assert world.office.people.find("yan") is None


def test_a_revoked_session_or_token_is_worth_nothing_at_once(world: World) -> None:
    root, ann, token = world.browser("root"), world.browser("ann"), world.token("ann", "judge")
    for client in (ann, token):
        assert client.get(f"{API}/me").status_code == 200
    for secret in world.office.people.secrets(person=world.people["ann"].number):
        assert root.ask("DELETE", f"{API}/secrets/{secret.number}").status_code == 204
    for client in (ann, token):
        assert client.get(f"{API}/me").status_code == 401


def test_whoever_signs_out_is_out(world: World) -> None:
    ann = world.browser("ann")
    session = ann.cookies["podium_session"]
    assert ann.post(f"{API}/sign-out").status_code == 204
    assert "podium_session" not in ann.cookies
    assert world.client(cookie=f"podium_session={session}").get(f"{API}/me").status_code == 401


def test_a_token_is_no_session_and_a_session_no_token(world: World) -> None:
    ann = world.browser("ann")
    token, _ = world.office.people.token(world.people["ann"], role="judge")
    assert world.client(token=ann.cookies["podium_session"]).get(f"{API}/me").status_code == 401
    assert world.client(cookie=f"podium_session={token}").get(f"{API}/me").status_code == 401


def test_a_token_cannot_become_more_than_it_is(world: World) -> None:
    viewer = world.token("root", "viewer")
    assert viewer.post(f"{API}/me/links").status_code == 403
    assert viewer.post(f"{API}/tokens", {"role": "admin"}).status_code == 403


def test_after_ten_failures_an_address_has_to_wait(world: World) -> None:
    client = world.client()
    statuses = [client.post(f"{API}/join", {"secret": new_secret("invitation")}).status_code for number in range(12)]
    assert statuses == [410] * 10 + [429] * 2
    answer = world.client(token=new_secret("token")).get(f"{API}/me")
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert world.browser("ann").get(f"{API}/me").status_code == 200  # those who are known are not kept waiting


def test_whoever_asks_too_often_has_to_wait(make_world: Callable[..., World]) -> None:
    world = make_world(limits=Limits(rate=0.001, burst=3, address_rate=0.001, address_burst=2))
    token = world.token("ann", "judge")
    assert [token.get(f"{API}/me").status_code for _ in range(5)] == [200] * 3 + [429] * 2
    assert world.token("bob", "judge").get(f"{API}/me").status_code == 200
    assert [world.client().get(f"{API}/me").status_code for _ in range(3)] == [401] * 2 + [429]
    assert world.client().get("/static/podium.css").status_code == 200


def test_what_has_ended_is_no_guess_and_keeps_nobody_waiting(world: World) -> None:
    ann, token = world.browser("ann"), world.token("ann", "judge")
    link, _ = world.office.people.link(world.people["ann"])
    assert world.client().post(f"{API}/join", {"secret": link}).status_code == 200
    world.office.people.set_active(world.people["ann"].number, False)
    for _ in range(12):
        assert [ann.get(f"{API}/me").status_code, token.get(f"{API}/me").status_code] == [401, 401]
        assert world.client().post(f"{API}/join", {"secret": link}).status_code == 410
        assert world.client(token="pdm_t_cut").get(f"{API}/me").status_code == 401
    guesses = [world.client(token=new_secret("token")).get(f"{API}/me").status_code for _ in range(11)]
    assert guesses == [401] * 10 + [429]
    assert ann.get(f"{API}/me").status_code == 401  # also now
    assert world.client().post(f"{API}/join", {"secret": link}).status_code == 410


@pytest.mark.parametrize("headers", [
    lambda number: {"authorization": f"Bearer pdm_t_{number}"}, lambda number: {"cookie": f"podium_session={new_secret('session')}"},
    lambda number: {"authorization": f"Basic {number}"},
])  # fmt: skip
def test_whoever_makes_up_credentials_is_counted_by_address(make_world: Callable[..., World], headers: Any) -> None:
    world = make_world(limits=Limits(rate=0.001, burst=3, address_rate=0.001, address_burst=4, failures=10**6))
    assert [world.client(**headers(number)).get(f"{API}/me").status_code for number in range(6)] == [401] * 4 + [429] * 2


def test_what_has_ended_is_counted_by_address_again(make_world: Callable[..., World]) -> None:
    world = make_world(limits=Limits(rate=0.001, burst=100, address_rate=0.001, address_burst=2))
    text, secret = world.office.people.token(world.people["ann"], role="judge")
    token = world.client(text)
    assert token.get(f"{API}/me").status_code == 200
    world.office.people.revoke(secret.number)
    assert [token.get(f"{API}/me").status_code for _ in range(4)] == [401] * 3 + [429]


def test_one_token_has_one_bucket_however_it_is_written(make_world: Callable[..., World]) -> None:
    world = make_world(limits=Limits(rate=0.001, burst=3))
    token, _ = world.office.people.token(world.people["ann"], role="judge")
    written = [f"Bearer {token}", f"bearer {token}", f"BEARER  {token}", f"bEARER {token}"]
    assert [world.client(authorization=each).get(f"{API}/me").status_code for each in written] == [200] * 3 + [429]


def test_made_up_credentials_put_no_bucket_out() -> None:
    rates = Rates(Limits(rate=0.001, burst=2, address_rate=1e6, address_burst=10**6))
    rates.is_good("ann", "here")  # which counts her first request
    assert rates.ask("ann", "here") == 0
    for number in range(30_000):  # more than are kept
        rates.ask(f"made up {number}", "here")
    assert rates.ask("ann", "here") > 0


# ---- what is sent ----


def test_a_token_for_one_project_may_send_as_much_there_as_an_admin(make_world: Callable[..., World]) -> None:
    world = make_world(limits=Limits(body=1000, queries=50_000, upload=50_000))
    pool = {"query_id": "long", "documents": [{"id": "a", "text": "x" * 2000}, {"id": "b"}]}
    line = json.dumps({"query_id": "file", "query": "x", "id": "d1", "text": "t" * 2000}).encode() + b"\n"
    for role, number, status in (("admin", world.mine.number, 200), ("viewer", world.mine.number, 413), ("admin", world.other.number, 413)):
        token, here = world.token("root", role, number), f"{API}/projects/{world.mine.number}"
        assert token.post(f"{here}/queries", {"pools": [pool]}).status_code in (status, status + 1), role
        assert token.ask("POST", f"{here}/files", files=[("files", ("a.jsonl", line))]).status_code in (status, status + 1), role


@pytest.mark.parametrize("declares", [True, False])
def test_a_body_that_is_too_large_is_refused_while_it_comes(make_world: Callable[..., World], declares: bool) -> None:
    world = make_world(limits=Limits(body=1000, queries=5000))
    sent = 0

    async def chunks() -> Any:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b" " * 100

    root, ann = world.browser("root"), world.browser("ann")
    kind = {"content-type": "application/json"}
    declared = {"content-length": "10000"} if declares else {}
    for client, path, most in ((root, "/people", 11), (ann, "/projects/1/queries", 11), (root, "/projects/1/queries", 51)):
        sent = 0
        answer = client.ask("POST", f"{API}{path}", content=chunks(), headers=kind | declared)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert sent <= (1 if declares else most)


def test_uploads_have_limits_of_their_own(make_world: Callable[..., World]) -> None:
    world = make_world(limits=Limits(body=1000, upload=20_000, files=3))
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}/files"
    many = [("files", (f"{number}.jsonl", b"{}")) for number in range(6)]
    assert root.ask("POST", here, files=many).status_code == 413
    assert root.ask("POST", here, files=[("files", ("a.jsonl", b"x" * 30_000))]).status_code == 413
    assert root.ask("POST", here, data={"depth": "1"}, files=[("other", ("a.jsonl", b"{}"))]).status_code == 422


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd", "/etc/passwd", "a/../../b.jsonl", "a//b.jsonl", "./a.jsonl", "..", "a\\..\\b.jsonl", "a" * 300,
        "/".join("abcdefghij"), "a.jsonl.gz", "pools.zip", "a/.",
    ],
)  # fmt: skip
def test_a_file_whose_name_leads_elsewhere_is_refused(world: World, name: str) -> None:
    root = world.browser("root")
    line = b'{"query_id": "7", "query": "x", "id": "d1", "text": "t"}\n'
    answer = root.ask("POST", f"{API}/projects/{world.mine.number}/files", files=[("files", (name, line))])
    assert answer.status_code == 422
    assert world.office.projects.queries(world.mine.number) == ["q1", "q2"]


def test_messages_do_not_tell_where_files_were_kept(world: World) -> None:
    root = world.browser("root")
    answer = root.ask("POST", f"{API}/projects/{world.mine.number}/files", files=[("files", ("folder/bad.jsonl", b"{]"))])
    assert answer.status_code == 422
    message = answer.json()["error"]["message"]
    assert message.startswith("folder/bad.jsonl")
    assert "/tmp" not in message
    assert "podium-" not in message


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/", "/static/.x.js"]
)
def test_static_files_are_those_of_the_folder_only(world: World, path: str) -> None:
    answer = world.client().get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """The elements of a page with their attributes, as a browser reads them."""
    found: list[tuple[str, dict[str, str | None]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

    Reader().feed(page)
    return found


EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{7*7}}"


def test_script_in_names_queries_and_documents_stays_text(world: World) -> None:
    project = world.office.projects.create(
        f"p {EVIL}",
        ProjectSettings(k=1, instructions=EVIL),
        [Pool(f"q {EVIL}", EVIL, (Document(f"d {EVIL}", EVIL, EVIL), Document("e")), EVIL)],
    )
    judge = world.office.people.add(f"j {EVIL}"[:80], "judge")
    world.people["judge"] = judge
    world.office.projects.add_member(project.number, judge.number, "judge")
    root, judging = world.browser("root"), world.browser("judge")
    here = f"/projects/{project.number}"
    question = judging.post(f"{API}{here}/next", {}).json()["question"]
    judging.post(f"{API}{here}/answers", {"task": question["task"], "token": question["token"], "answer": question["answers"][0]})
    pages = [
        "/",
        here,
        *(f"{here}/{name}" for name in ("settings", "people", "queries", "review", "gold", "report")),
        "/people",
        "/audit",
        "/tokens",
    ]
    pages.append(f"{here}/review/{question['task']}/1")
    for client, path in [(root, page) for page in pages] + [(judging, "/"), (judging, f"{here}/judge")]:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "<script>alert" not in answer.text, path
        assert "<img src=x" not in answer.text, path
        assert "49" not in re.findall(r"`(\d+)", answer.text), path
        for tag, attributes in tags(answer.text):
            assert (
                tag != "script" or (attributes.get("src") or "").startswith("/static/") or attributes.get("type") == "application/json"
            ), path
            assert not any(name == "style" or name.startswith("on") for name in attributes), path


HTML = """<style>body{background:url(https://evil.example/a)}</style><script>alert(1)</script>
<p style="color:red" onclick="x()" id="main">text <img src="https://evil.example/a.png"></p>
<img src="data:image/png;base64,AAAA" srcset="https://evil.example/b.png 2x"><a href="javascript:x()">j</a>
<a href="https://example.org/" target="_top">l</a><iframe src="https://evil.example"></iframe>
<form action="https://evil.example"><input name=a></form><svg><script>alert(1)</script></svg><object data="x"></object>
<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math><link rel="stylesheet" href="https://evil.example/c.css">
<meta http-equiv="refresh" content="0;url=https://evil.example"><base href="https://evil.example">"""
BAD = ("script", "evil.example", "javascript:", "onclick", "onerror", "style", "iframe", "form", "target", "object", "meta", "base ", "svg")


def test_a_document_of_html_is_cleaned_and_runs_in_a_sandbox(world: World) -> None:
    pool = Pool("a/b?c", "x", (Document("d/1 #", "T<i>", HTML, "html"), Document("plain", "", "<b>text</b>")))
    world.office.projects.add_queries(world.mine.number, [pool])
    ann = world.browser("ann")
    frame = f"/frames/{world.mine.number}?query=a%2Fb%3Fc&document=d%2F1%20%23"
    answer = ann.get(frame)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    body = answer.text.split("<body>")[1].lower()
    for bad in (*BAD, "href"):
        assert bad not in body, bad
    assert '<img src="data:image/png;base64,aaaa">' in body
    assert '<a title="https://example.org/">l</a>' in body
    assert ann.get(f"/frames/{world.mine.number}?query=a%2Fb%3Fc&document=plain").status_code == 404
    assert world.browser("otto").get(frame).status_code == 404


def frame_of(world: World, source: str, document: str = "d", query: str = "html") -> str:
    """A page among the documents of ann's project: where it is served."""
    world.office.projects.add_queries(world.mine.number, [Pool(query, "x", (Document(document, "T", source, "html"), Document("e")))])
    return frame_address(world.mine.number, query, document)


@pytest.mark.parametrize("source", ["<div>" * 100_000, "<p><b>" * 20_000, "<dd><li>" * 20_000, "<table><tr><td>" * 9_000])
def test_html_that_lies_too_deep_is_shown_without_its_depth(world: World, source: str) -> None:
    body = world.browser("ann").get(frame_of(world, f"<p>be<b>fo</b>re {source} after")).text.split("<body>")[1]
    assert "re" in body
    assert "after" in body
    assert depth(body) <= 2 * DEEPEST  # the parser of browsers adds a tbody to each table


def depth(page: str) -> int:
    deepest = now = 0

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            nonlocal deepest, now
            now += 1
            deepest = max(deepest, now)

        def handle_endtag(self, tag: str) -> None:
            nonlocal now
            now -= 1

    Reader().feed(page)
    return deepest


@pytest.mark.parametrize("source", ["<br>" * (MOST_TAGS + 1) + "<b>the text</b>", "<b>the text</b>" + " " * LONGEST])
def test_html_that_is_too_large_is_shown_as_text(world: World, source: str) -> None:
    body = world.browser("ann").get(frame_of(world, source)).text.split("<body>")[1]
    assert "too large" in body
    assert "<pre>the text</pre>" in body


def test_a_page_is_cleaned_once_however_many_look_at_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cleaned: list[str] = []
    second = threading.Barrier(2)

    def clean(source: str) -> str:
        cleaned.append(source)
        with contextlib.suppress(threading.BrokenBarrierError):
            second.wait(timeout=0.2)  # time for another to come, who should not
        return "clean"

    monkeypatch.setattr(documents, "clean_html", clean)
    ann, frame = world.browser("ann"), frame_of(world, "<p>a")

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(ann._client.get(frame) for _ in range(20)))

    assert {answer.text.split("<body>")[1] for answer in world.loop.run(all_at_once())} == {"clean</body></html>"}
    assert cleaned == ["<p>a"]


def test_cleaned_pages_are_kept_up_to_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    cleaned: list[str] = []
    monkeypatch.setattr(documents, "clean_html", lambda source: cleaned.append(source) or source)
    size = len(documents.Frames().page("T", "a" * 1000))
    frames, cleaned[:] = documents.Frames(most=2 * size), []
    for letter in "aabbacab":  # c puts b out, which was not looked at for longest
        assert letter * 1000 in frames.page("T", letter * 1000).decode()
    assert [source[0] for source in cleaned] == ["a", "b", "c", "b"]
    frames.page("T", "d" * 3000)
    assert frames._size == sum(map(len, frames._kept.values())) <= 2 * size


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%2Fb", "?&#+ ", "\u00fc"])
def test_a_document_of_any_id_has_a_frame(world: World, name: str) -> None:
    address = frame_of(world, "<p>here", name, name)
    assert urljoin(HOME, address) == HOME + address  # a browser changes nothing
    assert "<p>here</p>" in world.browser("ann").get(address).text
    page = world.browser("vera").get(f"/projects/{world.mine.number}/queries", params={"query": name}).text
    links = [attributes["href"] or "" for tag, attributes in tags(page) if (attributes.get("href") or "").startswith("/frames/")]
    assert [parse_qs(urlsplit(link).query) for link in links] == [{"query": [name], "document": [name]}]


@pytest.mark.parametrize("kind", DATABASES)
def test_ids_that_a_database_cannot_hold_are_not_found(
    make_world: Callable[..., World], new_place: Callable[[str], str], kind: str
) -> None:
    world = make_world(new_place(kind))
    root, number = world.browser("root"), world.mine.number
    frames = [f"/frames/{number}?query={query}&document={document}" for query, document in (("%00", "x"), ("q1", "%00"))]
    for path in (*frames, f"/projects/{number}/queries?query=%00", f"/projects/{number}/gold?query=%00"):
        assert root.get(path).status_code == 404, path
    for path in (f"/projects/{number}/review", f"{API}/projects/{number}/judgments"):
        for name in ("query_id", "assessor", "answer"):
            assert root.get(path, params={name: "\0"}).status_code < 500, (path, name)
    for path in (
        f"{API}/projects/{number}/exports/letor?of=%00",
        "/join/%00",
        "/static/%00",
        f"{API}/projects/{number}/ahead?task=1&token=%00",
    ):
        assert root.get(path).status_code < 500, path


def test_numbers_of_any_size_are_answered(world: World) -> None:
    root, huge = world.browser("root"), "9" * 5000
    assert root.get("/audit", params={"project": huge}).status_code < 500
    for numbers in ({"assessors": 10**9, "folds": 10**9, "rounds": 7}, {"assessors": 1001, "folds": 3, "rounds": 1}):
        answer = root.get("/projects/new/check", params=numbers).json()
        assert not answer["is_possible"]
        assert "1,000" in answer["text"]
    assert root.get("/projects/new/check", params={"assessors": huge}).status_code < 500


def test_whatever_can_be_got_has_a_head_and_an_address_tells_its_methods(world: World) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}"
    for path in ("/", "/people", "/static/podium.css", f"{API}/people", f"{here}/exports/pools.jsonl", "/nothing"):
        whole, head = root.get(path), root.ask("HEAD", path)
        assert (head.status_code, head.content) == (whole.status_code, b""), path
        assert head.headers["content-type"] == whole.headers["content-type"]
    allowed = {
        f"{API}/people": {"HEAD", "GET", "POST"},
        here: {"HEAD", "GET", "PATCH"},
        f"{API}/join": {"POST"},
        "/people": {"HEAD", "GET"},
    }
    for path, methods in allowed.items():
        answer = root.ask("PUT", path, json={})
        assert answer.status_code == 405
        assert set(answer.headers["allow"].split(", ")) == methods
    assert root.ask("HEAD", f"{API}/join").status_code == 405


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("link", "javascript:alert(1)"), ("link", "data:text/html,<script>"), ("link", "file:///etc/passwd"), ("link", "//evil.example"),
        ("link", ""), ("image", "https://evil.example/a.png"), ("image", "data:text/html,x"), ("image", "data:image/png"), ("text", "https://example.org"),
    ],
)  # fmt: skip
def test_a_document_with_an_address_that_is_not_harmless_is_refused(world: World, kind: str, url: str) -> None:
    root = world.browser("root")
    pool = {"query_id": "z", "documents": [{"id": "a", "kind": kind, "url": url}]}
    answer = root.post(f"{API}/projects/{world.mine.number}/queries", {"pools": [pool]})
    assert answer.status_code == 422
    assert "z" not in world.office.projects.queries(world.mine.number)


SQL = "x'; DROP TABLE people; --\" OR 1=1 %s ? :name \\"


def test_sql_in_names_ids_and_filters_is_text(world: World) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}"
    pool = {"query_id": SQL, "query": SQL, "documents": [{"id": SQL, "text": SQL}, {"id": "b"}]}
    assert root.post(f"{here}/queries", {"pools": [pool]}).json() == {"added": 1}
    name = SQL.replace(":", "")  # which names must not hold
    assert root.post(f"{API}/people", {"name": name, "role": "judge"}).json()["name"] == name
    assert root.get(f"{here}/judgments", params={"assessor": SQL, "query_id": SQL, "answer": SQL}).json() == {"rows": [], "total": 0}
    assert SQL in [query["query_id"] for query in root.get(f"{here}/queries").json()]
    assert len(world.office.people.all()) == len(world.people) + 1
    assert world.client(token=SQL.encode("ascii", "ignore").decode()).get(f"{API}/me").status_code == 401


def test_no_name_can_write_a_header(world: World) -> None:
    name = 'a"; filename="b\\../c%0d%0aSet-Cookie: x=1; ünï'
    project = world.office.projects.create(name, ProjectSettings(k=1), [Pool("q", "x", (Document("d"), Document("e")))])
    answer = world.browser("root").get(f"{API}/projects/{project.number}/exports/pools.jsonl")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    disposition = answer.headers["content-disposition"]
    assert re.fullmatch(r"attachment; filename=\"[^\"\\/%;]*\"; filename\*=UTF-8''[A-Za-z0-9%._~-]+", disposition), disposition
    for bad in ("two\r\nSet-Cookie: x=1", "nul\0"):
        assert world.browser("root").post(f"{API}/projects", {"name": bad}).status_code == 422


# ---- what is said ----


def test_every_answer_has_the_headers_that_keep_browsers_safe(world: World) -> None:
    root = world.browser("root")
    for path in ("/", "/api", "/nothing", f"{API}/me", f"{API}/nothing", "/static/podium.css"):
        headers = root.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cache-control"] == ("no-cache" if path.startswith("/static") else "no-store")
        assert "access-control-allow-origin" not in headers


def test_a_mistake_of_ours_tells_the_caller_an_id_only(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = world.browser("root")

    def fail() -> None:
        raise RuntimeError("the password is 1234")

    monkeypatch.setattr(world.office.people, "all", fail)
    answer = root.get(f"{API}/people")
    assert answer.status_code == 500
    found = re.fullmatch(r"something went wrong on the server; its log calls it ([0-9a-f]{12})", answer.json()["error"]["message"])
    assert found is not None
    assert found[1] in caplog.text
    assert "1234" in caplog.text  # the trace is in the log
    assert "1234" not in answer.text


def test_the_access_log_holds_no_secrets_and_no_second_line(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "podium.access")
    secret, _ = world.office.people.link(world.people["ann"])
    client = world.client()
    client.get(f"/join/{secret}")
    client.get("/nothing%0aforged", params={"token": "pdm_t_secret"})
    lines = [record.getMessage() for record in caplog.records if record.name == "podium.access"]
    assert len(lines) == 2
    assert "/join/…" in lines[0]
    assert secret not in caplog.text
    assert "pdm_t_secret" not in caplog.text
    assert not any("\n" in line for line in lines)
