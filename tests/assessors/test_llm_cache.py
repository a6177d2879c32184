from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from podium.assessors.cache import ReplyCache, request_key
from podium.assessors.llm_answers import Completion
from podium.errors import FileError

REPLY = Completion('{"answer": "A"}', "stop", "big-1", 90, 7, 0.5)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[ReplyCache]:
    with contextlib.closing(ReplyCache(path)) as cache:
        yield cache


def change(path: Path, statement: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def test_a_reply_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with opened(path) as cache:
        assert cache.get("k") is None
        cache.put("k", REPLY)
    with opened(path) as cache:
        assert cache.get("k") == REPLY


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("reply", '{"text": "{\\"answer\\": \\"B\\"}"}'),
        ("reply", "not JSON"),
        ("reply", b"\x80\x04\x95"),
        ("reply", b"\xff\xff"),
        ("checksum", "0"),
    ],
)
def test_a_damaged_row_is_a_miss_and_is_written_anew(tmp_path: Path, column: str, value: object) -> None:
    path = tmp_path / "replies.sqlite"
    with opened(path) as cache:
        cache.put("k", REPLY)
        change(path, f"UPDATE replies SET {column} = ?", value)
        assert cache.get("k") is None
        cache.put("k", REPLY)
        assert cache.get("k") == REPLY


def test_a_row_moved_to_another_key_is_a_miss(tmp_path: Path) -> None:
    with opened(tmp_path / "replies.sqlite") as cache:
        cache.put("k", REPLY)
        change(cache.path, "UPDATE replies SET key = 'other'")
        assert cache.get("other") is None


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(b"something else altogether, long enough to have a header" * 40)
    with pytest.raises(FileError, match=r"replies.sqlite: is not a cache of replies, or is damaged .*move it away"):
        ReplyCache(path)
    assert path.read_bytes().startswith(b"something")


def test_a_database_damaged_within_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with opened(path) as cache:
        for n in range(200):
            cache.put(f"k{n}", REPLY)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xaa" * (len(data) - 4096)
    path.write_bytes(data)
    with opened(path) as cache, pytest.raises(FileError, match=r"replies.sqlite: is not a cache of replies, or is damaged"):
        cache.get("k7")


def test_another_programs_database_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    change(path, "CREATE TABLE people (name TEXT)")
    with pytest.raises(FileError, match="another program's database"):
        ReplyCache(path)
    with pytest.raises(FileError, match=r"nowhere/replies.sqlite: cannot be used as a cache of replies: unable to open"):
        ReplyCache(tmp_path / "nowhere" / "replies.sqlite")


def test_threads_share_one_cache(tmp_path: Path) -> None:
    with opened(tmp_path / "replies.sqlite") as cache:
        threads = [threading.Thread(target=lambda n=n: [cache.put(f"{n}/{m}", REPLY) for m in range(20)]) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(cache.get(f"{n}/{m}") == REPLY for n in range(4) for m in range(20))


WRITER = """
import sys
from podium.assessors.cache import ReplyCache
from podium.assessors.llm_answers import Completion
path, name = sys.argv[1:]
for n in range(20):
    cache = ReplyCache(path)
    cache.put(f"{name}/{n}", Completion(name, "stop", "m", n, 0, 0.0))
    cache.close()
"""


def test_processes_share_one_file_from_its_first_moment(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, str(name)]) for name in range(4)]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    with opened(path) as cache:
        got = [cache.get(f"{name}/{n}") for name in range(4) for n in range(20)]
    assert [(reply.text, reply.tokens_in) for reply in got if reply] == [(str(name), n) for name in range(4) for n in range(20)]


def test_the_key_of_a_request_changes_with_each_of_its_parts() -> None:
    messages = [{"role": "user", "content": "which?"}]
    parts = [
        ("m", messages, {"temperature": 0.0}, 0),
        ("m2", messages, {"temperature": 0.0}, 0),
        ("m", [{"role": "user", "content": "what?"}], {"temperature": 0.0}, 0),
        ("m", messages, {"temperature": 1.0}, 0),
        ("m", messages, {"temperature": 0.0}, 1),
    ]
    assert len({request_key(*part) for part in parts}) == 5  # type: ignore[arg-type]
    assert request_key("m", messages, {"a": 1, "b": 2}, 0) == request_key("m", messages, {"b": 2, "a": 1}, 0)
