"""The JSON API, from making a project to its labels."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from tests.server.clients import HOME, Client
from tests.server.conftest import World

API = "/api/v1"
POOL = {
    "query_id": "w",
    "query": "wing flutter",
    "description": "about wings",
    "has_prior": False,
    "documents": [{"id": name, "text": f"text of {name}"} for name in ("c", "a", "d", "b")],
}


def judge(client: Client, project: int) -> list[dict[str, Any]]:
    """Answer everything by the alphabet; what was asked."""
    here, asked = f"{API}/projects/{project}", []
    offer = client.post(f"{here}/next", {"desk": "tab"}).json()
    while offer["status"] == "question":
        question = offer["question"]
        asked.append(question)
        answer = "left" if question["left"]["id"] < question["right"]["id"] else "right"
        said = {"task": question["task"], "token": question["token"], "answer": answer, "seconds": 0.5, "desk": "tab"}
        offer = client.post(f"{here}/answers", said).json()
    assert offer["status"] == "finished"
    assert offer["progress"]["done"] == len(asked)
    return asked


def test_a_project_goes_from_nothing_to_labels(world: World) -> None:
    root = world.browser("root")
    made = root.post(f"{API}/projects", {"name": "wings", "settings": {"k": 3, "strategy": "heap", "instructions": "Which is better?"}})
    assert made.status_code == 201
    number = made.json()["number"]
    here = f"{API}/projects/{number}"
    assert root.post(f"{here}/queries", {"pools": [POOL]}).json() == {"added": 1}
    assert root.post(f"{here}/queries", {"pools": [POOL]}).json() == {"added": 0}
    link = root.post(f"{here}/invitations", {"role": "judge"}).json()["link"]
    zoe = world.client()
    assert zoe.post(f"{API}/join", {"secret": link.rsplit("/", 1)[1], "name": "zoe"}).json() == {"to": f"/projects/{number}/judge"}
    assert zoe.get(f"{API}/me").json() == {
        "name": "zoe",
        "role": "judge",
        "projects": [{"number": number, "name": "wings", "state": "open", "role": "judge", "is_study": False, "tool": "pairs"}],
    }
    guide = zoe.get(f"{here}/guide").json()
    assert (guide["instructions"], guide["k"], guide["tool"], guide["ties"]) == ("Which is better?", 3, "pairs", True)
    asked = judge(zoe, number)
    assert {question["query"] for question in asked} == {"wing flutter"}
    progress = root.get(f"{here}/progress").json()
    assert (progress["tasks_finished"], progress["judgments"]) == (1, len(asked))
    letor = root.get(f"{here}/exports/letor", params={"of": "shared"})
    labels = {line.split("docid = ")[1].split()[0]: line.split()[0] for line in letor.text.splitlines() if "docid" in line}
    assert labels == {"a": "3", "b": "2", "c": "1", "d": "0"}
    assert root.post(f"{here}/state", {"state": "closed"}).json()["state"] == "closed"
    refused = zoe.post(f"{here}/next", {})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "closed")


def test_what_admins_do_is_in_the_audit_log(world: World) -> None:
    root = world.browser("root")
    number = root.post(f"{API}/projects", {"name": "wings"}).json()["number"]
    here = f"{API}/projects/{number}"
    link = root.post(f"{here}/invitations", {}).json()["link"]
    person = root.post(f"{API}/people", {"name": "eve", "role": "viewer"}).json()["number"]
    token = root.post(f"{API}/tokens", {"role": "viewer"}).json()
    root.ask("PATCH", here, json={"settings": {"instructions": "x"}})
    root.post(f"{here}/queries", {"pools": [POOL]})
    gold = root.post(f"{here}/gold", {"query_id": "w", "left": "a", "right": "b", "answer": "left"}).json()["number"]
    root.ask("DELETE", f"{here}/gold/{gold}")
    root.ask("PATCH", f"{API}/people/{person}", json={"is_active": False})
    root.post(f"{API}/people/{world.people['ann'].number}/links")
    root.ask("DELETE", f"{API}/secrets/{token['number']}")
    root.post(f"{here}/state", {"state": "closed"})
    entries = root.get(f"{API}/audit").json()["entries"]
    assert [entry["action"] for entry in reversed(entries)] == [
        "sign-in", "project.create", "invitation.create", "person.add", "token.create", "project.change", "queries.add", "gold.add",
        "gold.remove", "person.change", "link.create", "secret.revoke", "project.state",
    ]  # fmt: skip
    assert {entry["name"] for entry in entries} == {"root"}
    assert link.rsplit("/", 1)[1] not in json.dumps(entries)
    assert token["token"] not in json.dumps(entries)
    assert {entry["project"] for entry in root.get(f"{API}/audit", params={"project": number}).json()["entries"]} == {number}
    oldest = min(entry["number"] for entry in entries)
    assert root.get(f"{API}/audit", params={"before": oldest}).json() == {"entries": []}


def test_the_same_answer_twice_is_one_and_another_answer_is_a_conflict(world: World) -> None:
    ann, here = world.browser("ann"), f"{API}/projects/{world.mine.number}"
    question = ann.post(f"{here}/next", {}).json()["question"]
    said = {"task": question["task"], "token": question["token"], "answer": "left", "seconds": 1}
    first, again = ann.post(f"{here}/answers", said), ann.post(f"{here}/answers", said)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["question"]["token"] == again.json()["question"]["token"]
    other = ann.post(f"{here}/answers", said | {"answer": "right"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "conflict")
    assert world.office.review.judgments(world.mine.number).total == 1


def test_a_second_tab_is_told_and_can_take_over(world: World) -> None:
    ann, here = world.browser("ann"), f"{API}/projects/{world.mine.number}"
    assert ann.post(f"{here}/next", {"desk": "one"}).status_code == 200
    refused = ann.post(f"{here}/next", {"desk": "two"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "elsewhere")
    assert ann.post(f"{here}/next", {"desk": "two", "take": True}).status_code == 200


def test_an_answer_can_be_taken_back_and_given_again(world: World) -> None:
    ann, here = world.browser("ann"), f"{API}/projects/{world.mine.number}"
    question = ann.post(f"{here}/next", {}).json()["question"]
    ann.post(f"{here}/answers", {"task": question["task"], "token": question["token"], "answer": "left"})
    back = ann.post(f"{here}/undo", {"key": "k1"}).json()
    pair = {question["left"]["id"], question["right"]["id"]}
    assert {back["question"]["left"]["id"], back["question"]["right"]["id"]} == pair
    assert back["progress"]["done"] == 0
    assert ann.post(f"{here}/redo", {"key": "k2"}).json()["progress"]["done"] == 1


def test_what_comes_next_can_be_looked_at_beforehand(world: World) -> None:
    ann, here = world.browser("ann"), f"{API}/projects/{world.mine.number}"
    question = ann.post(f"{here}/next", {}).json()["question"]
    ahead = ann.get(f"{here}/ahead", params={"task": question["task"], "token": question["token"]}).json()
    assert ahead, "this strategy can tell"
    offer = ann.post(f"{here}/answers", {"task": question["task"], "token": question["token"], "answer": "left"}).json()
    seen = {name: offer["question"][name] for name in ("left", "right", "query_id")}
    assert {name: ahead["left"][name] for name in ("left", "right", "query_id")} == seen


def test_a_judgment_is_reviewed_and_corrected_without_being_lost(world: World) -> None:
    ann, root, here = world.browser("ann"), world.browser("root"), f"{API}/projects/{world.mine.number}"
    question = ann.post(f"{here}/next", {}).json()["question"]
    ann.post(f"{here}/answers", {"task": question["task"], "token": question["token"], "answer": "left", "seconds": 0})
    found = root.get(f"{here}/judgments", params={"assessor": "ann"}).json()
    assert found["total"] == 1
    row = found["rows"][0]
    assert (row["answer"], row["stands"], row["assessor"]) == ("left", "left", "ann")
    where = f"{here}/judgments/{row['task']}/{row['event']}"
    detail = root.get(where).json()
    assert (detail["left"]["id"], detail["query"]) == (question["left"]["id"], question["query"])
    corrected = root.post(f"{where}/corrections", {"answer": "right", "key": "once"})
    assert corrected.status_code == 201
    judgment = corrected.json()["judgment"]
    assert (judgment["answer"], judgment["stands"], judgment["corrected_by"]) == ("left", "right", "root")
    assert len(corrected.json()["history"]) == 2
    assert root.get(f"{here}/judgments", params={"is_corrected": True}).json()["total"] == 1
    assert root.get(f"{here}/judgments", params={"is_corrected": False}).json()["total"] == 0


def test_documents_are_given_as_what_they_are(world: World) -> None:
    picture, page = "data:image/png;base64,iVBORw0KGgo=", "https://example.org/page"
    documents = [
        {"id": "a/1", "title": "T", "text": "<b>bold</b>", "kind": "html"},
        {"id": "b", "text": "a wing", "kind": "image", "url": picture},
        {"id": "c", "text": "seen", "kind": "link", "url": page},
        {"id": "d", "text": "plain <i>"},
    ]
    root = world.browser("root")
    number = root.post(f"{API}/projects", {"name": "kinds", "settings": {"tool": "grades", "strategy": "graded", "k": 2}}).json()["number"]
    here = f"{API}/projects/{number}"
    assert root.post(f"{here}/queries", {"pools": [{"query_id": "q/1", "documents": documents}]}).json() == {"added": 1}
    world.office.projects.add_member(number, world.people["ann"].number, "judge")
    ann, seen = world.browser("ann"), {}
    offer = ann.post(f"{here}/next", {}).json()
    while offer["status"] == "question":
        question = offer["question"]
        assert (question["tool"], question["right"]) == ("grades", None)
        assert question["answers"] == ["Bad", "Fair", "Good", "Excellent", "Perfect"]
        seen[question["left"]["id"]] = question["left"]
        offer = ann.post(f"{here}/answers", {"task": question["task"], "token": question["token"], "answer": "Good"}).json()
    frame = f"/frames/{number}?query=q%2F1&document=a%2F1"
    assert seen == {
        "a/1": {"id": "a/1", "title": "T", "kind": "html", "text": "", "url": frame},
        "b": {"id": "b", "title": "", "kind": "image", "text": "a wing", "url": picture},
        "c": {"id": "c", "title": "", "kind": "link", "text": "seen", "url": page},
        "d": {"id": "d", "title": "", "kind": "text", "text": "plain <i>", "url": ""},
    }
    assert "<b>bold</b>" in ann.get(frame).text


# ---- files ----


def send(client: Client, project: int, files: dict[str, str], data: dict[str, Any] | None = None, **beside: str) -> Any:
    parts = [("files", (name, text.encode())) for name, text in files.items()]
    parts += [(name, (name, text.encode())) for name, text in beside.items()]
    return client.ask("POST", f"{API}/projects/{project}/files", files=parts, data=data or {})


def line(query: str, document: str) -> str:
    return json.dumps({"query_id": query, "query": f"about {query}", "id": document, "text": f"text {document}"}) + "\n"


@pytest.fixture
def empty(world: World) -> tuple[Client, int]:
    root = world.browser("root")
    return root, root.post(f"{API}/projects", {"name": "empty"}).json()["number"]


def test_one_file_makes_queries(world: World, empty: tuple[Client, int]) -> None:
    root, number = empty
    assert send(root, number, {"pools.jsonl": line("1", "a") + line("1", "b") + line("2", "c")}).json() == {"added": 2}
    assert world.office.projects.pool(number, "1").items == ("a", "b")


def test_several_files_and_folders_make_queries(world: World, empty: tuple[Client, int]) -> None:
    root, number = empty
    files = {"folder/one.jsonl": line("1", "a") + line("1", "b"), "folder/deep/two.jsonl": line("2", "c") + line("2", "d")}
    assert send(root, number, files).json() == {"added": 2}
    assert sorted(world.office.projects.queries(number)) == ["1", "2"]


def test_a_folder_that_is_a_collection_is_read_as_one(world: World, empty: tuple[Client, int]) -> None:
    root, number = empty
    files = {
        "beir/corpus.jsonl": "".join(json.dumps({"_id": name, "title": "", "text": f"wing {name}"}) + "\n" for name in "abc"),
        "beir/queries.jsonl": json.dumps({"_id": "7", "text": "wing"}) + "\n",
        "beir/qrels/test.tsv": "query-id\tcorpus-id\tscore\n7\ta\t1\n7\tc\t0\n",
    }
    assert send(root, number, files).json() == {"added": 1}
    assert sorted(world.office.projects.pool(number, "7").items) == ["a", "c"]


def test_trec_documents_come_with_topics_and_a_run(world: World, empty: tuple[Client, int]) -> None:
    root, number = empty
    files = {f"{name}.sgml": f"<DOC><DOCNO>{name}</DOCNO><TEXT>wing {name}</TEXT></DOC>\n" for name in "abc"}
    topics = "<top>\n<num> Number: 7\n<title> wing\n<desc> Description:\nabout wings\n</top>\n"
    run = "7 Q0 c 1 2.0 x\n7 Q0 a 2 1.0 x\n7 Q0 b 3 0.5 x\n"
    assert send(root, number, files, {"depth": "2"}, topics=topics, run=run).json() == {"added": 1}
    assert world.office.projects.pool(number, "7").items == ("c", "a")


def test_only_the_queries_that_are_named_are_taken(world: World, empty: tuple[Client, int]) -> None:
    root, number = empty
    files = {"a.jsonl": line("1", "a") + line("2", "b"), "b.jsonl": line("3", "c")}
    assert send(root, number, files, {"queries": "1, 3"}).json() == {"added": 2}
    assert sorted(world.office.projects.queries(number)) == ["1", "3"]
    refused = send(root, number, files, {"queries": "4"})
    assert refused.status_code == 422
    assert "4" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ({"depth": "x"}, "depth"),
        ({"depth": "0"}, "depth"),
        ({"run": "else"}, "run"),
        ({"format": "odt"}, "odt"),
        ({"colour": "x"}, "colour"),
    ],
)
def test_a_field_that_cannot_be_meant_is_refused(empty: tuple[Client, int], data: dict[str, str], word: str) -> None:
    root, number = empty
    refused = send(root, number, {"a.jsonl": line("1", "a")}, data)
    assert refused.status_code == 422
    assert word in refused.json()["error"]["message"]


def test_exports_are_files_with_names(world: World) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}/exports"
    pools = root.get(f"{here}/pools.jsonl")
    assert [json.loads(each)["query_id"] for each in pools.text.splitlines()] == ["q1", "q2"]
    assert pools.headers["content-disposition"].startswith('attachment; filename="mine')
    logs = zipfile.ZipFile(io.BytesIO(root.get(f"{here}/jsonl").content))
    assert len(logs.namelist()) >= 2
    unknown = root.get(f"{here}/pdf")
    assert unknown.status_code == 404
    assert "letor" in unknown.json()["error"]["message"]


# ---- people, tokens, settings ----


def test_a_token_is_shown_once_and_acts_for_its_person(world: World) -> None:
    root = world.browser("root")
    made = root.post(f"{API}/tokens", {"role": "admin", "note": "nightly"})
    assert made.status_code == 201
    program = world.client(made.json()["token"])
    assert program.get(f"{API}/me").json()["role"] == "admin"
    assert program.post(f"{API}/projects", {"name": "by token"}).status_code == 201
    listed = program.get(f"{API}/tokens")
    assert [(token["number"], token["note"]) for token in listed.json()] == [(made.json()["number"], "nightly")]
    assert made.json()["token"] not in listed.text


def test_a_token_for_a_project_opens_that_project_only(world: World) -> None:
    root, mine, other = world.browser("root"), world.mine.number, world.other.number
    program = world.client(root.post(f"{API}/tokens", {"role": "admin", "project": mine}).json()["token"])
    assert program.get(f"{API}/projects/{mine}").status_code == 200
    assert program.post(f"{API}/projects/{mine}/queries", {"pools": [POOL]}).json() == {"added": 1}
    assert program.get(f"{API}/projects/{other}").status_code == 404
    assert [project["number"] for project in program.get(f"{API}/projects").json()] == [mine]
    for path in ("people", "tokens", "audit"):
        assert program.get(f"{API}/{path}").status_code == 403
    assert program.post(f"{API}/projects", {"name": "x"}).status_code == 403


def test_the_last_admin_stays(world: World) -> None:
    root, number = world.browser("root"), world.people["root"].number
    for change in ({"is_active": False}, {"role": "viewer"}):
        assert root.ask("PATCH", f"{API}/people/{number}", json=change).status_code == 409
    assert root.get(f"{API}/me").json()["role"] == "admin"


def test_a_member_who_is_shut_out_does_not_find_the_project(world: World) -> None:
    root, ann, here = world.browser("root"), world.browser("ann"), f"{API}/projects/{world.mine.number}"
    member = next(each for each in root.get(f"{here}/members").json() if each["name"] == "ann")
    assert root.ask("PATCH", f"{here}/members/{member['number']}", json={"is_active": False}).json()["is_active"] is False
    assert ann.post(f"{here}/next", {}).status_code == 404
    assert ann.get(f"{API}/me").json()["projects"] == []


def test_settings_that_would_change_what_is_judged_are_refused_once_there_is_something_to_judge(world: World) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}"
    changed = root.ask("PATCH", here, json={"name": "new", "settings": {"ties": False, "instructions": "Read both."}})
    assert (changed.json()["name"], changed.json()["settings"]["ties"]) == ("new", False)
    assert root.ask("PATCH", here, json={"settings": {"k": 3}}).status_code == 422
    assert root.get(here).json()["settings"]["k"] == 2


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"name": "x", "settings": {"k": 0}}, "settings.k"), ({"name": "x", "settings": {"k": "3"}}, "settings.k"),
        ({"name": "x", "settings": {"colour": 1}}, "settings.colour"), ({"name": "x", "owner": "me"}, "owner"), ({}, "name"), ([], "body"),
        ({"name": "x", "settings": {"strategy": "guess"}}, "guess"), ({"name": "x" * 1000}, "name"), ({"name": " "}, "name"),
        ({"name": "x", "settings": {"study": {"assessors": 2, "folds": 3, "rounds": 50}}}, ""),
        ({"name": "\ud800"}, "name"), ({"name": "x", "settings": {"options": {"depth": float("inf")}}}, ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(world: World, body: Any, word: str) -> None:
    content = json.dumps(body).encode()
    answer = world.browser("root").ask("POST", f"{API}/projects", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    assert word in error["message"]
    assert "\n" not in error["message"]


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000, b"1" * 5000, b'{"name": NaN}'])
def test_a_body_that_is_not_json_is_refused(world: World, content: bytes) -> None:
    answer = world.browser("root").ask("POST", f"{API}/projects", content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["code"] == "invalid"


def test_unknown_addresses_and_methods_are_errors_of_the_same_shape(world: World) -> None:
    root = world.browser("root")
    for method, path in (
        ("GET", f"{API}/nothing"),
        ("DELETE", f"{API}/me"),
        ("GET", f"{API}/projects/0"),
        ("GET", f"{API}/projects/99999999999"),
    ):
        answer = root.ask(method, path)
        assert answer.status_code in (404, 405, 422)
        assert set(answer.json()) == {"error"}
        assert set(answer.json()["error"]) == {"code", "message"}


def test_a_sign_in_link_for_another_device_works_once(world: World) -> None:
    ann = world.browser("ann")
    link = ann.post(f"{API}/me/links").json()["link"]
    assert link.startswith(f"{HOME}/join/pdm_l_")
    phone, thief = world.client(), world.client()
    assert phone.post(f"{API}/join", {"secret": link.rsplit("/", 1)[1]}).json() == {"to": "/"}
    assert phone.get(f"{API}/me").json()["name"] == "ann"
    assert thief.post(f"{API}/join", {"secret": link.rsplit("/", 1)[1]}).status_code == 410


def test_someone_who_is_signed_in_takes_an_invitation_under_their_own_name(world: World) -> None:
    root, otto = world.browser("root"), world.browser("otto")
    link = root.post(f"{API}/projects/{world.mine.number}/invitations", {"role": "judge"}).json()["link"]
    assert otto.post(f"{API}/join", {"secret": link.rsplit("/", 1)[1]}).status_code == 200
    assert {project["number"] for project in otto.get(f"{API}/me").json()["projects"]} == {world.mine.number, world.other.number}
    assert otto.get(f"{API}/me").json()["name"] == "otto"


def test_the_page_of_the_api_tells_of_every_operation(world: World) -> None:
    schema = world.client().get(f"{API}/openapi.json").json()
    page = world.browser("root").get("/api").text
    operations = [operation for path in schema["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations) > 40
    for operation in operations:
        assert operation["summary"]
        assert f'id="{operation["operationId"]}"' in page
        assert {"401", "404", "422", "429"} <= set(operation["responses"])


# ---- what lets people in, and what it must not become ----


def secret_in(link: str) -> str:
    return link.rsplit("/", 1)[1]


def test_links_and_sessions_are_listed_and_revoked(world: World) -> None:
    root, ann, number = world.browser("root"), world.browser("ann"), world.people["ann"].number
    made = [root.post(f"{API}/people/{number}/links").json(), ann.post(f"{API}/me/links").json()]
    listed = root.get(f"{API}/people/{number}/secrets").json()
    assert [each["number"] for each in listed if each["kind"] == "link"] == [made[1]["number"], made[0]["number"]]
    assert [each["kind"] for each in listed].count("session") == 1
    for each in made:
        assert root.ask("DELETE", f"{API}/secrets/{each['number']}").status_code == 204
        assert world.client().post(f"{API}/join", {"secret": secret_in(each["link"])}).status_code == 410
    assert root.ask("DELETE", f"{API}/people/{number}/sessions").json() == {"ended": 1}
    assert ann.get(f"{API}/me").status_code == 401
    assert root.get(f"{API}/people/{number}/secrets").json() == []
    assert root.get(f"{API}/me").status_code == 200
    assert root.get(f"{API}/people/9999/secrets").status_code == root.ask("DELETE", f"{API}/people/9999/sessions").status_code == 404


def test_a_token_makes_neither_links_nor_tokens(world: World) -> None:
    program = world.token("root", "admin")
    for person in ("root", "ann"):
        assert program.post(f"{API}/people/{world.people[person].number}/links").status_code == 403
    assert program.post(f"{API}/tokens", {"role": "viewer"}).status_code == 403
    assert program.post(f"{API}/me/links").status_code == 403
    assert world.office.people.secrets(kind="link") == []
    assert len(world.office.people.secrets(kind="token")) == 1


def test_an_admin_cannot_sign_in_as_another_who_has_come_in(world: World) -> None:
    root = world.browser("root")
    number = root.post(f"{API}/people", {"name": "eve", "role": "admin"}).json()["number"]
    eve = world.client()
    assert eve.post(f"{API}/join", {"secret": secret_in(root.post(f"{API}/people/{number}/links").json()["link"])}).status_code == 200
    assert root.post(f"{API}/people/{number}/links").status_code == 403
    assert root.post(f"{API}/tokens", {"role": "viewer", "person": number}).status_code == 403
    assert eve.post(f"{API}/tokens", {"role": "viewer"}).status_code == 201


def test_what_an_admin_does_for_their_own_entry_is_in_the_audit_log_and_each_change_by_itself(world: World) -> None:
    root, ann = world.browser("root"), world.browser("ann")
    root.post(f"{API}/me/links")
    ann.post(f"{API}/me/links")
    number = world.people["bob"].number
    root.ask("PATCH", f"{API}/people/{number}", json={"role": "viewer", "is_active": False})
    root.ask("PATCH", f"{API}/people/{world.people['root'].number}", json={"role": "admin", "is_active": False})  # of which half is done
    told = [(entry.action, entry.name, dict(entry.details)) for entry in reversed(world.office.audit.entries())]
    session, link = told[0][2]["session"], told[1][2]["number"]
    own = {"number": world.people["root"].number, "name": "root"}
    assert told == [
        ("sign-in", "root", {"session": session, "by": "link"}),
        ("link.create", "root", {"number": link, "person": "root"}),
        ("person.change", "root", {"number": number, "name": "bob", "role": "viewer"}),
        ("person.change", "root", {"number": number, "name": "bob", "is_active": False}),
        ("person.change", "root", {**own, "role": "admin"}),
    ]


# ---- models ----

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}


def test_models_are_added_tried_started_and_stopped_under_the_eyes_of_the_audit_log(world: World) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}/models"
    member = root.post(here, {"name": "small", "settings": MODEL}).json()["number"]
    message = root.post(f"{here}/test", {"settings": MODEL}).json()["message"]
    assert message.startswith("m at http://127.0.0.1:9/v1 gave no answer: ")
    assert root.post(f"{here}/{member}/start").status_code == 200
    assert root.post(f"{here}/{member}/stop").status_code == 200
    told = [entry for entry in reversed(world.office.audit.entries()) if entry.action.startswith("model.")]
    assert [entry.action for entry in told] == ["model.add", "model.test", "model.start", "model.stop"]
    assert {(entry.details["base_url"], entry.details["key_variable"]) for entry in told} == {("http://127.0.0.1:9/v1", "")}
    assert {entry.project for entry in told} == {world.mine.number}


def test_models_and_keys_go_nowhere_but_where_the_operator_said(world: World) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}/models"
    for settings in ({"base_url": "http://169.254.169.254/v1"}, {"key_variable": "OPENAI_API_KEY"}, {"key_variable": "PODIUM_KEY"}):
        for path, body in ((here, {"name": "small"}), (f"{here}/test", {})):
            answer = root.post(path, {**body, "settings": {**MODEL, **settings}})
            assert answer.status_code == 403
            assert "--model-url" in answer.json()["error"]["message"]
    assert [member for member in world.office.projects.members(world.mine.number) if member.kind == "model"] == []


def test_a_token_for_one_project_does_not_use_the_keys_of_the_server(world: World) -> None:
    root, program = world.browser("root"), world.token("root", "admin", world.mine.number)
    here = f"{API}/projects/{world.mine.number}/models"
    member = root.post(here, {"name": "small", "settings": MODEL}).json()["number"]
    assert program.post(here, {"name": "other", "settings": MODEL}).status_code == 403
    assert program.post(f"{here}/test", {"settings": MODEL}).status_code == 403
    assert program.post(f"{here}/{member}/start").status_code == 403
    assert program.post(f"{here}/{member}/stop").status_code == 200


@pytest.mark.parametrize("wrong", [
    {"temperature": 10**400}, {"max_cost": 10**400}, {"rate": -(10**400)}, {"base_url": "http://a..b/v1"},
    {"base_url": f"http://{'a' * 300}/v1"}, {"base_url": "http://xn--a/v1"},
])  # fmt: skip
def test_settings_of_a_model_that_cannot_be_meant_are_refused_and_no_crash(world: World, wrong: dict[str, Any]) -> None:
    root, here = world.browser("root"), f"{API}/projects/{world.mine.number}/models"
    for path, body in ((here, {"name": "small"}), (f"{here}/test", {})):
        answer = root.post(path, {**body, "settings": {**MODEL, **wrong}})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid")


def test_the_page_of_people_shows_what_is_open(world: World) -> None:
    root, number = world.browser("root"), world.people["ann"].number
    link = root.post(f"{API}/people/{number}/links").json()
    page = root.get("/people").text
    assert f'data-api="DELETE /api/v1/secrets/{link["number"]}"' in page
    assert f'data-api="DELETE /api/v1/people/{number}/sessions"' in page
    root.ask("DELETE", f"{API}/secrets/{link['number']}")
    assert f'data-api="DELETE /api/v1/people/{number}/sessions"' not in root.get("/people").text
