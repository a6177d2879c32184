"""Logs as JSONL: everything comes back, twice is once, and whatever is wrong is named by its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from podium.errors import DataError, FileError
from podium.labelling import Event
from podium.pool import Document, Pool
from podium.store import Store, export_log, import_log, open_store


def labelled(store: Store, pool: Pool) -> int:
    """A task with events of every kind."""
    number = store.add(pool, k=3, strategy="adaptive", seed=2, prior=["d3", "d1"])
    for answer in ("left", "tie", "bad", "right"):
        asked = store.ask(number, "änn")
        assert asked is not None
        store.answer(
            number, asked.token, answer, assessor="änn", seconds=0.1, paused=0.0, role="model", model="m", prompt="p", prompt_hash="h"
        )
    asked = store.ask(number, "bob")
    assert asked is not None
    store.skip(number, asked.token, assessor="bob")
    store.undo(number, assessor="änn")
    store.redo(number, assessor="änn")
    return number


@pytest.fixture
def exported(store: Store, pool: Pool, tmp_path: Path) -> Path:
    path = tmp_path / "task.jsonl"
    export_log(store, labelled(store, pool), path)
    return path


def test_a_log_read_back_elsewhere_is_the_same_task(store: Store, exported: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "other.db") as other:
        other.add(Pool("x", "x", (Document("x"),)))  # so that the numbers differ
        number = import_log(other, exported)
        assert number == 2
        assert other.events(2) == store.events(1)
        assert other.settings(2) == store.settings(1)
        assert other.pool(2) == store.pool(1)
        assert other.info(2).judgments == store.info(1).judgments == 4
        assert other.task(2).ask("cy") == store.task(1).ask("cy")
        export_log(other, 2, tmp_path / "again.jsonl")
        assert (tmp_path / "again.jsonl").read_bytes() == exported.read_bytes()


def test_a_log_is_a_header_and_an_event_a_line(store: Store, exported: Path) -> None:
    head, *events = [json.loads(line) for line in exported.read_text().splitlines()]
    assert (head["podium"], head["version"], head["name"]) == ("task", 1, "q1")
    assert head["settings"] == store.settings(1)
    assert head["pool"]["documents"][0] == {"id": "d0", "title": "", "text": "text 0"}
    assert [Event.from_dict(event) for event in events] == store.events(1)


def test_importing_twice_adds_nothing_twice(store: Store, exported: Path) -> None:
    before = store.events(1)
    assert import_log(store, exported) == 1
    assert store.events(1) == before
    other = import_log(store, exported, name="copy")
    assert import_log(store, exported, name="copy") == other
    assert store.events(other) == before
    assert [task.name for task in store.tasks()] == ["q1", "copy"]


def test_a_longer_log_adds_what_is_new_and_a_shorter_one_nothing(store: Store, exported: Path, tmp_path: Path) -> None:
    lines = exported.read_text().splitlines(keepends=True)
    short = tmp_path / "short.jsonl"
    short.write_text("".join(lines[:4]) + "\n")
    with open_store(tmp_path / "other.db") as other:
        assert [len(other.events(import_log(other, path))) for path in (short, exported, short)] == [3, 7, 7]


def test_logs_that_parted_are_not_joined(store: Store, exported: Path) -> None:
    lines = [json.loads(line) for line in exported.read_text().splitlines()]
    lines[2]["assessor"] = "eve"
    exported.write_text("".join(json.dumps(line) + "\n" for line in lines[:3]))
    with pytest.raises(DataError, match="event 2 differs from event 2 of task 1"):
        import_log(store, exported)
    assert len(store.events(1)) == 7


def test_a_log_may_be_compressed(store: Store, pool: Pool, tmp_path: Path) -> None:
    number = labelled(store, pool)
    export_log(store, number, tmp_path / "task.jsonl.gz")
    assert len(gzip.decompress((tmp_path / "task.jsonl.gz").read_bytes()).splitlines()) == 8
    assert import_log(store, tmp_path / "task.jsonl.gz") == number


def test_an_export_that_fails_leaves_the_old_file(store: Store, exported: Path) -> None:
    before = exported.read_bytes()
    with pytest.raises(DataError, match="has no task 7"):
        export_log(store, 7, exported)
    assert exported.read_bytes() == before


def head(**changes: Any) -> dict[str, Any]:
    pool = {
        "query_id": "q",
        "query": "x",
        "description": "",
        "has_prior": False,
        "documents": [{"id": i, "title": "", "text": ""} for i in "ab"],
    }
    settings = {"items": ["a", "b"], "k": 1, "strategy": "heap", "seed": 0}
    return {"podium": "task", "version": 1, "name": "q", "pool": pool, "settings": settings, **changes}


ANSWER = {"left": "a", "right": "b", "answer": "left"}


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        ([], 1, "must begin with a line"),
        ([ANSWER], 1, "must begin with a line"),
        ([head(podium="model")], 1, "must begin with a line"),
        ([head(version=2)], 1, "must be of version 1"),
        ([head(name=7)], 1, "field 'name' must be text, got 7"),
        ([head(pool=None)], 1, "a pool must have the fields query_id, query, description, has_prior, documents, got NoneType"),
        ([head(pool={**head()["pool"], "query": 3})], 1, "field 'query' of a pool must be str, got 3"),
        (
            [head(pool={**head()["pool"], "documents": [{"id": "a"}]})],
            1,
            "a document must have the fields id, title, text (it may have kind and url), got id",
        ),
        ([head(settings={"items": ["a", "c"]})], 1, "the items of the settings must be the documents"),
        ([head(settings={"items": ["a", "b"], "k": 0})], 1, "k must be a whole number"),
        ([head(settings={"items": ["a", "b"], "strategy": "quick"})], 1, "unknown strategy 'quick'"),
        ([head(settings={"items": ["a", "b"], "grades": 3})], 1, "field 'settings' cannot be understood"),
        ([head(settings={"items": ["a", "b"], "log": []})], 1, "field 'settings' must be those of a task"),
        ([head(), ANSWER, {**ANSWER, "seconds": "3"}], 3, "field 'seconds' of an event must be float"),
        ([head(), ANSWER, {"left": "z", "right": "b", "answer": "left"}], 3, "'z', no item of this task"),
        ([head(), {**ANSWER, "colour": "red"}], 2, "unknown field 'colour'"),
        ([head(), {**ANSWER, "key": "k"}, {**ANSWER, "key": "k"}], 3, "the key 'k' occurs twice"),
        ([head(), {"action": "undo", "target": 4}], 2, "cannot undo event 4"),
        ([head(), ANSWER, 7], 3, "must be one JSON object a line"),
    ],
)
def test_whatever_is_wrong_in_a_file_is_named_by_its_line_and_nothing_is_taken(
    tmp_path: Path, lines: list[Any], line: int, problem: str
) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    with open_store(tmp_path / "labels.db") as store:
        with pytest.raises(FileError) as caught:
            import_log(store, path)
        assert str(caught.value).startswith(f"{path}:{line}: ")
        assert problem in str(caught.value)
        assert store.tasks() == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with open_store(tmp_path / "labels.db") as store, pytest.raises(FileError, match="there is no such file"):
        import_log(store, tmp_path / "no.jsonl")
