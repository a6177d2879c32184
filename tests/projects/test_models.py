"""Language models as assessors of projects, against a real server that knows the right answers and fails as it is told."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.assessors import llm_server
from tests.assessors.llm_server import KEY, FaultyServer

from podium.errors import DataError, UnknownName
from podium.pool import Document, Pool
from podium.projects.facts import Closed, Conflict, Member, NotAllowed, ProjectSettings
from podium.projects.model_places import check_place
from podium.projects.model_settings import ModelSettings, checked_settings
from podium.projects.models import Models
from podium.projects.people import People
from podium.projects.projects import Projects
from podium.store import Store, open_store
from podium.store.project_tables import RUNS

LONG = 60.0  # seconds that a test waits before it gives up
WORTHS = (31, 55, 12, 90, 47, 76)
BEST = ("d3", "d5", "d1")  # of worth 90, 76, 55


def pool(query_id: str) -> Pool:
    return Pool(
        query_id,
        "wing flutter",
        tuple(Document(f"d{n}", f"Title {n}", f"text of {query_id} worth={worth} end") for n, worth in enumerate(WORTHS)),
    )


@pytest.fixture
def projects(store: Store) -> Projects:
    return Projects(store)


@pytest.fixture
def make(store: Store, projects: Projects, tmp_path: Path) -> Iterator[Callable[..., Models]]:
    """Models that are closed after the test, as if each were in a process of its own."""
    made: list[Models] = []

    def models(store: Store = store, projects: Projects = projects, **options: Any) -> Models:
        made.append(Models(store, projects, **{"folder": tmp_path, "beat_seconds": 0.02, "grace_seconds": 0.1, **options}))
        return made[-1]

    yield models
    for each in made:
        each.close()


def add_model(projects: Projects, server: FaultyServer, queries: int = 2, **settings: Any) -> Member:
    number = projects.create("wings", ProjectSettings(k=3, strategy="heap"), [pool(f"q{n}") for n in range(queries)]).number
    return projects.add_model(number, "Qwen", {"base_url": server.base_url, "model": "qwen", "concurrency": 2, **settings})


def tops(store: Store, projects: Projects, member: Member) -> list[tuple[str, ...]]:
    return [store.result(task.task).top for task in projects.tasks(member.project, member=member.number)]


def events(store: Store, projects: Projects, member: Member) -> list[Any]:
    return [event for task in projects.tasks(member.project, member=member.number) for event in store.events(task.task)]


def pairs(store: Store, projects: Projects, member: Member) -> list[tuple[int, frozenset[str]]]:
    tasks = projects.tasks(member.project, member=member.number)
    return [(task.task, frozenset(event.question.pair)) for task in tasks for event in store.events(task.task)]


def age(store: Store, member: Member, seconds: float) -> None:
    """Make the last beat older."""
    with store.database.writing() as connection:
        at = datetime.fromisoformat(connection.execute(select(RUNS.c.beat_at)).scalar_one()) - timedelta(seconds=seconds)
        connection.execute(update(RUNS).where(RUNS.c.member == member.number), {"beat_at": at.isoformat()})


def test_a_run_labels_all_tasks_of_the_model_rightly(store: Store, projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer() as server:
        member, models = add_model(projects, server, price_in=1.0, price_out=10.0), make()
        assert models.state(member).state == "new"
        assert models.start(member).state == "running"
        run = models.wait(member, LONG)
        assert (run.state, run.message) == ("done", f"{server.count} answers; nothing is left to ask")
        cost = server.count * (100 * 1.0 + 10 * 10.0) / 1e6
        assert run.spent == {"requests": server.count, "tokens_in": 100 * server.count, "tokens_out": 10 * server.count, "cost": cost}
    assert tops(store, projects, member) == [BEST, BEST]
    recorded = events(store, projects, member)
    assert len(recorded) == server.count > 0
    assert {(event.assessor, event.role, event.model, event.prompt) for event in recorded} == {("Qwen", "model", "oracle-2026", "pair/1")}


def test_a_model_grades_with_the_grades_of_the_project(store: Store, projects: Projects, make: Callable[..., Models]) -> None:
    words = ("none", "little", "some", "much", "all")  # worth 0–19, 20–39, ...
    with FaultyServer() as server:
        number = projects.create("wings", ProjectSettings(tool="grades", k=2, grades=words), [pool("q")]).number
        settings = {"base_url": server.base_url, "model": "qwen", "prompt": "{query}\n{document}\n{answers}"}
        member = projects.add_model(number, "Qwen", settings)
        models = make()
        models.start(member)
        assert models.wait(member, LONG).state == "done"
    given = {event.left: event.answer for event in events(store, projects, member)}
    assert given == {f"d{n}": words[worth // 20] for n, worth in enumerate(WORTHS)}


@pytest.mark.parametrize("both_bad", [True, False])
def test_both_bad_is_offered_where_the_project_does(projects: Projects, make: Callable[..., Models], both_bad: bool) -> None:
    with FaultyServer() as server:
        number = projects.create("wings", ProjectSettings(k=1, strategy="adaptive", both_bad=both_bad), [pool("q")]).number
        member = projects.add_model(number, "Qwen", {"base_url": server.base_url, "model": "qwen"})
        models = make()
        models.start(member)
        assert models.wait(member, LONG).state == "done"
        assert {'{"answer": "bad"}' in asked for asked in server.asked} == {both_bad}


def test_a_run_that_was_done_goes_on_with_queries_that_were_added_since(
    store: Store, projects: Projects, make: Callable[..., Models]
) -> None:
    with FaultyServer() as server:
        member, models = add_model(projects, server, queries=1), make()
        models.start(member)
        assert models.wait(member, LONG).state == "done"
        before = server.count
        assert len(events(store, projects, member)) == before
        projects.add_queries(member.project, [pool("later")])
        models.start(member)
        assert models.wait(member, LONG).state == "done"
        assert all("text of later" in asked for asked in server.asked[before:])
        assert len(events(store, projects, member)) == server.count > before
    assert tops(store, projects, member) == [BEST, BEST]


def test_a_second_start_is_refused_here_and_in_another_process(place: str, projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer(["silence"] * 2) as server, open_store(place) as store:
        member, models = add_model(projects, server), make()
        models.start(member)
        with pytest.raises(Conflict, match="this model is running"):
            models.start(member)
        elsewhere = make(store, Projects(store))
        with pytest.raises(Conflict, match="this model is running"):
            elsewhere.start(member)
        assert elsewhere.state(member).state == "running"
        elsewhere.stop(member)
        assert models.wait(member, LONG).state == "stopped"
        elsewhere.close()


def test_of_many_that_start_at_once_one_does(projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer(["silence"] * 2) as server:
        member = add_model(projects, server)
        many, barrier, outcomes = [make() for _ in range(6)], threading.Barrier(6), list[str]()

        def start(models: Models) -> None:
            barrier.wait()
            try:
                models.start(member)
                outcomes.append("started")
            except Conflict:
                outcomes.append("refused")

        threads = [threading.Thread(target=start, args=(models,)) for models in many]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["refused"] * 5 + ["started"]
        server.released.set()


def test_a_stop_lets_the_answers_under_way_come_and_asks_no_more(store: Store, projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer() as server:
        member, models = add_model(projects, server, concurrency=1), make(grace_seconds=LONG)
        asked, go_on = threading.Event(), threading.Event()
        enter = server.enter

        def held(*request: Any) -> str:
            fault = enter(*request)
            if server.count == 3:
                asked.set()
                go_on.wait(LONG)
            return fault

        server.enter = held  # type: ignore[method-assign]
        models.start(member)
        assert asked.wait(LONG)
        assert models.stop(member).state == "stopping"
        go_on.set()
        run = models.wait(member, LONG)
        assert (run.state, run.message) == ("stopped", "stopped; 3 answers were recorded")
        assert server.count == len(events(store, projects, member)) == 3
        assert models.stop(member) == run  # what does not run stays as it is
        models.start(member)
        assert models.wait(member, LONG).state == "done"
    assert tops(store, projects, member) == [BEST, BEST]


def test_a_stop_gives_up_requests_that_never_end(projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer(["mute"]) as server:
        member, models = add_model(projects, server, concurrency=1), make()
        models.start(member)
        assert server.muted.acquire(timeout=LONG)
        models.stop(member)
        assert models.wait(member, LONG).state == "stopped"
        assert server.hung_up.get(timeout=LONG)
        assert server.count == 1


def test_closing_stops_the_runs_and_says_so(projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer(["silence"] * 2) as server:
        member, models = add_model(projects, server), make()
        models.start(member)
        models.close()
        run = models.state(member)
        assert (run.state, run.message) == ("stopped", "stopped, as the server was shut down; 0 answers were recorded")
        with pytest.raises(Closed, match="shutting down"):
            models.start(member)


@pytest.mark.parametrize("way", ["project", "member"])
def test_closing_the_project_or_shutting_out_the_model_stops_its_run(projects: Projects, make: Callable[..., Models], way: str) -> None:
    with FaultyServer(["silence"] * 2) as server:
        member, models = add_model(projects, server), make()
        models.start(member)
        if way == "project":
            projects.set_state(member.project, "closed")
        else:
            projects.set_member_active(member.number, False)
        run = models.wait(member, LONG)
        why = "the project is closed" if way == "project" else "the model is not active any more"
        assert (run.state, run.message) == ("stopped", f"stopped: {why}; 0 answers were recorded")
        with pytest.raises(Closed):
            models.start(member)


def test_a_run_that_died_is_taken_over_and_nothing_is_asked_or_recorded_twice(
    place: str, store: Store, projects: Projects, make: Callable[..., Models]
) -> None:
    with FaultyServer() as server, open_store(place) as other:
        member = add_model(projects, server, queries=1, concurrency=1)
        first, second = make(beat_seconds=LONG), make(other, Projects(other))  # the first never beats: it is as good as dead
        asked, go_on = threading.Event(), threading.Event()
        enter = server.enter

        def held(*request: Any) -> str:
            fault = enter(*request)
            if server.count == 3:
                asked.set()
                go_on.wait(LONG)
            return fault

        server.enter = held  # type: ignore[method-assign]
        first.start(member)
        assert asked.wait(LONG)
        age(store, member, 59)
        with pytest.raises(Conflict):
            second.start(member)
        age(store, member, 2)
        assert second.state(member).state == "stopped"
        assert "has gone" in second.state(member).message
        second.start(member)
        assert second.wait(member, LONG).state == "done"
        count = server.count
        go_on.set()  # the reply that the dead one waited for
        first.wait(member, LONG)
        assert first.state(member).state == "done"  # the one that was taken over says nothing any more
        recorded = pairs(store, projects, member)
        assert len(recorded) == len(set(recorded)) == count - 1  # one question was asked by both, none recorded by both
        second.close()
    assert tops(store, projects, member) == [BEST]


def test_a_reply_that_could_not_be_recorded_is_not_paid_for_again(
    store: Store, projects: Projects, make: Callable[..., Models], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, left = Store.answer, itertools.count(3, -1)

    def answer_or_crash(self: Store, *args: Any, **details: Any) -> Any:
        if next(left) == 0:
            raise RuntimeError("the disk is on fire")
        return answer(self, *args, **details)

    monkeypatch.setattr(Store, "answer", answer_or_crash)
    with FaultyServer() as server:
        member, models = add_model(projects, server, queries=1, concurrency=1), make()
        models.start(member)
        run = models.wait(member, LONG)
        assert (run.state, run.message) == ("failed", "an internal error, which the server's log tells; 3 answers were recorded")
        assert server.count == 4
        models.start(member)
        assert models.wait(member, LONG).state == "done"
        assert len(events(store, projects, member)) == server.count
    assert tops(store, projects, member) == [BEST]


@pytest.mark.parametrize(("plan", "settings", "message"), [
    (["401 echo"], {}, "the server answered 401"),
    (["404"], {}, "no such model"),
    (["ok"] * 2, {"max_requests": 2}, "max_requests = 2 is reached"),
    (["unsure"] * 500, {}, "no reply could be read"),
    (["key escaped in the answer"] * 500, {}, "no reply could be read"),
])  # fmt: skip
def test_a_failure_is_told_in_one_line_without_the_key(
    projects: Projects,
    make: Callable[..., Models],
    monkeypatch: pytest.MonkeyPatch,
    plan: list[str],
    settings: dict[str, Any],
    message: str,
) -> None:
    monkeypatch.setenv("PODIUM_TEST_KEY", KEY)
    with FaultyServer(plan) as server:
        member, models = (
            add_model(projects, server, concurrency=1, key_variable="PODIUM_TEST_KEY", **settings),
            make(model_urls=[server.base_url]),
        )
        models.start(member)
        run = models.wait(member, LONG)
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert run.state == "failed"
    assert message in run.message
    assert "\n" not in run.message
    assert KEY not in json.dumps(run.message)
    answers = 2 if "max_requests" in settings else 0
    assert run.message.endswith(f"; {answers} answers were recorded")


def test_a_limit_that_is_raised_by_starting_again_goes_on(store: Store, projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer() as server:
        member, models = add_model(projects, server, queries=1, concurrency=1, max_requests=4), make()
        starts = 0
        while models.state(member).state != "done":
            models.start(member)
            models.wait(member, LONG)
            starts += 1
        assert starts == -(-server.count // 4)  # four requests a start
        assert len(events(store, projects, member)) == server.count
    assert tops(store, projects, member) == [BEST]


def test_people_and_closed_projects_have_nothing_to_start(store: Store, projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer() as server:
        member, models = add_model(projects, server), make()
        person = projects.add_member(member.project, People(store).add("Ann", "judge").number, "judge")
        with pytest.raises(DataError, match="is a person"):
            models.start(person)
        projects.set_state(member.project, "closed")
        with pytest.raises(Closed, match="is closed"):
            models.start(member)
        assert models.state(member).state == "new"


def test_a_prompt_for_the_other_tool_is_refused(projects: Projects, make: Callable[..., Models]) -> None:
    with FaultyServer() as server:
        member = add_model(projects, server, prompt="{query} {document} {answers}")
        with pytest.raises(DataError, match=r"must show \{document_a\} and \{document_b\}"):
            make().start(member)


# ---- settings ----

GOOD = {"base_url": "http://127.0.0.1:8080/v1", "model": "qwen"}


@pytest.mark.parametrize(("settings", "problem"), [
    ({"key_variable": "PATH"}, "key_variable must be OPENAI_API_KEY or begin with PODIUM_"),
    ({"key_variable": "AWS_SECRET_ACCESS_KEY"}, "key_variable must be"),
    ({"key_variable": "podium_key"}, "key_variable must be"),
    ({"key_variable": "PODIUM_"}, "key_variable must be"),
    ({"key_variable": "PODIUM_KEY\n"}, "key_variable must be"),
    ({"key_variable": "OPENAI_API_KEY2"}, "key_variable must be"),
    ({"key_variable": "X_PODIUM_KEY"}, "key_variable must be"),
    ({"base_url": "ftp://x.org"}, "base_url must be as"),
    ({"base_url": "https://ann:secret@x.org/v1"}, "must not carry a user or a password"),
    ({"base_url": ""}, "need base_url"),
    ({"model": None}, "need model"),
    ({"model": " "}, "model must be the name"),
    ({"model": 3}, "model must be text"),
    ({"order": "left"}, "unknown order 'left'"),
    ({"prompt": "no placeholders"}, r"lacks \{query\}"),
    ({"temperature": "hot"}, "temperature must be a number from 0 to 10, got 'hot'"),
    ({"timeout": 0}, "timeout must be a number from 1 to 600"),
    ({"timeout": float("nan")}, "timeout must be"),
    ({"concurrency": 0}, "concurrency must be a whole number from 1 to 64"),
    ({"concurrency": 1.5}, "concurrency must be a whole number"),
    ({"concurrency": True}, "concurrency must be a whole number"),
    ({"max_requests": -1}, "max_requests must be"),
    ({"max_cost": 1.0}, "max_cost needs prices"),
    ({"price_in": -1}, "price_in must be"),
    ({"rate": 0}, "rate must be a number above 0"),
    *(({name: 10**400}, f"{name} must be") for name in ("temperature", "timeout", "max_cost", "price_in", "rate", "max_tokens")),
    ({"temperature": 10**5000}, "temperature must be a number from 0 to 10, got a number that is far too large"),
    ({"max_requests": -(10**400)}, "max_requests must be"),
    ({"base_url": "http://a..b/v1"}, "base_url must be as"),
    ({"base_url": f"http://{'a' * 300}/v1"}, "base_url must be as"),
    ({"base_url": "http://xn--a/v1"}, "base_url must be as"),
])  # fmt: skip
def test_settings_that_cannot_be_meant_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises((DataError, UnknownName), match=problem) as caught:
        checked_settings({**GOOD, **settings})
    assert "secret" not in str(caught.value)


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match=r"unknown setting of a model 'key'; .* key_variable"):
        checked_settings({**GOOD, "key": "sk-123"})
    with pytest.raises(DataError, match="must be an object"):
        checked_settings([])


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "PODIUM_MODEL_KEY", "", None])
def test_a_variable_that_is_meant_for_keys_may_be_named_or_none(name: str | None) -> None:
    assert ModelSettings.of({**GOOD, "key_variable": name}).key_variable == (name or "")


def test_settings_are_the_same_after_they_were_kept() -> None:
    said = checked_settings({**GOOD, "max_cost": 2, "price_in": 0.5, "rate": 30, "temperature": None, "order": "both", "max_requests": ""})
    assert checked_settings(json.loads(json.dumps(said))) == said
    assert (said["max_cost"], said["rate"], said["temperature"], said["max_requests"], said["timeout"]) == (2, 30, None, None, 60.0)


# ---- a trial ----


def trial(models: Models, server: FaultyServer, monkeypatch: pytest.MonkeyPatch, said: str = '{"answer": "A"}') -> str:
    monkeypatch.setenv("PODIUM_TEST_KEY", KEY)
    monkeypatch.setattr(llm_server, "right_answer", lambda request: said)
    line = models.test_connection({"base_url": server.base_url, "model": "qwen", "key_variable": "PODIUM_TEST_KEY", "order": "both"})
    assert server.count == 1
    assert KEY not in line
    assert "\n" not in line
    return line


@pytest.mark.parametrize(("plan", "said", "outcome"), [
    ([], '{"answer": "A"}', "and chose rightly (1 requests, 100 tokens read, 10 written, cost 0)"),
    ([], '{"answer": "B"}', "though it answered 'right' to a question whose answer is 'left'"),
    ([], "Hello!", "replies, but not as it is asked to"),
    (["401 echo"], "", "the server answered 401"),
    (["503"], "", "the server answered 503"),
])  # fmt: skip
def test_a_trial_tells_in_one_line_and_one_request_whether_the_model_answers(
    make: Callable[..., Models], monkeypatch: pytest.MonkeyPatch, plan: list[str], said: str, outcome: str
) -> None:
    with FaultyServer(plan) as server:
        line = trial(make(model_urls=[server.base_url]), server, monkeypatch, said)
        assert outcome in line
        assert "Hello" not in line


@pytest.mark.parametrize("plan", ["400", "403", "404", "500", "502", "200 echo", "garbage", "unsure"])
def test_a_trial_does_not_repeat_what_the_server_said(make: Callable[..., Models], monkeypatch: pytest.MonkeyPatch, plan: str) -> None:
    """Whatever answers there may be no model, and its words not for whoever tries."""
    with FaultyServer([plan]) as server:
        line = trial(make(model_urls=[server.base_url]), server, monkeypatch)
    for words in ("no such", "not yours", "oops", "bad gateway", "merits"):
        assert words not in line
    assert line.startswith(f"qwen at {server.base_url} ")
    assert len(line) < 300


def test_a_trial_says_that_a_key_is_not_set(make: Callable[..., Models], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODIUM_TEST_KEY", raising=False)
    with FaultyServer(["403"]) as server:
        models = make(model_urls=[server.base_url])
        line = models.test_connection({"base_url": server.base_url, "model": "qwen", "key_variable": "PODIUM_TEST_KEY"})
    assert line.endswith("; PODIUM_TEST_KEY is not set")


# ---- where models may be ----

NAMED = ("https://models.example/v1", "http://10.0.0.7:8080")


@pytest.mark.parametrize(("base_url", "key", "is_allowed"), [
    ("https://api.openai.com/v1", "", True),
    ("https://api.openai.com/v1", "OPENAI_API_KEY", True),
    ("https://API.openai.com:443/v1/", "OPENAI_API_KEY", True),
    ("https://api.openai.com/v1", "PODIUM_KEY", False),
    ("http://api.openai.com/v1", "OPENAI_API_KEY", False),
    ("https://api.openai.com/v2", "OPENAI_API_KEY", False),
    ("https://api.openai.com:8443/v1", "OPENAI_API_KEY", False),
    ("https://api.openai.com.evil.example/v1", "OPENAI_API_KEY", False),
    ("http://127.0.0.1:9/v1", "", True),
    ("http://localhost/v1", "", True),
    ("http://[::1]:9/v1", "", True),
    ("http://127.0.0.1:9/v1", "OPENAI_API_KEY", False),
    ("http://127.0.0.1:9/v1", "PODIUM_KEY", False),
    ("http://169.254.169.254/latest", "", False),
    ("http://10.0.0.8:8080", "", False),
    ("http://evil.example/v1", "", False),
    ("http://localhost.evil.example/v1", "", False),
    ("https://models.example/v1", "", True),
    ("https://models.example/v1/beta", "PODIUM_KEY", True),
    ("https://models.example/v1", "OPENAI_API_KEY", True),
    ("https://models.example/v12", "PODIUM_KEY", False),
    ("https://models.example/", "PODIUM_KEY", False),
    ("http://models.example/v1", "PODIUM_KEY", False),
    ("http://10.0.0.7:8080/any/where", "PODIUM_KEY", True),
    ("http://10.0.0.7:8081", "PODIUM_KEY", False),
])  # fmt: skip
def test_keys_and_questions_go_where_the_operator_said(base_url: str, key: str, is_allowed: bool) -> None:
    settings = ModelSettings.of({"base_url": base_url, "model": "m", "key_variable": key})
    if is_allowed:
        check_place(settings, NAMED)
    else:
        with pytest.raises(NotAllowed, match="podium serve --model-url"):
            check_place(settings, NAMED)


def test_a_model_at_a_place_that_is_not_allowed_is_neither_tried_nor_started(
    projects: Projects, make: Callable[..., Models], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FaultyServer() as server:
        member, models = add_model(projects, server, key_variable="OPENAI_API_KEY"), make(model_urls=["https://models.example/v1"])
        assert member.settings is not None
        with pytest.raises(NotAllowed, match="the key OPENAI_API_KEY is not sent"):
            models.start(member)
        with pytest.raises(NotAllowed, match="the key OPENAI_API_KEY is not sent"):
            models.test_connection(member.settings)
        assert models.state(member).state == "new"
        assert server.count == 0
