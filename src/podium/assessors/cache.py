"""The cache of replies: one SQLite file, so that a question once paid for is never paid for again.

Replies are kept as JSON text under a hash of what was asked, each with a checksum; nothing in the file is ever executed, and neither
documents nor keys are in it. Any number of threads and processes may use one file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from podium.assessors.llm_answers import Completion
from podium.errors import FileError

__all__ = ["ReplyCache", "request_key"]

_OURS = 0x504F4443  # "PODC", in the file's header: another program's database is refused
_PATIENCE = 30.0  # seconds to wait for another process that writes


def request_key(model: str, messages: Sequence[Mapping[str, str]], parameters: Mapping[str, Any], attempt: int) -> str:
    """The name of a request in the cache: the same for the same model, messages, parameters and number of attempt.

    The server's address is left out, since the same model moves from port to port; two servers that give one name to different
    models need two files.
    """
    request = {"model": model, "messages": messages, "parameters": parameters, "attempt": attempt}
    return _sha256(json.dumps(request, sort_keys=True, allow_nan=False))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ReplyCache:
    """Replies on disk, by the key of their request.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, contextlib.closing(ReplyCache(Path(folder) / "replies.sqlite")) as cache:
    ...     cache.put("key", Completion('{"answer": "A"}', "stop", "m", 90, 7, 0.5))
    ...     cache.get("key").text, cache.get("another")
    ('{"answer": "A"}', None)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._damage_named():
            self._database = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            with self._damage_named():
                self._prepare()
        except BaseException:
            self._database.close()
            raise

    def get(self, key: str) -> Completion | None:
        """The reply to a request; None if there is none, or if its row is damaged (the next reply takes its place)."""
        with self._lock, self._damage_named():
            row = self._database.execute("SELECT reply, checksum FROM replies WHERE key = ?", (key,)).fetchone()
        if row is None or not isinstance(row[0], str) or _sha256(key + row[0]) != row[1]:
            return None
        try:
            return Completion(**json.loads(row[0]))
        except (ValueError, TypeError, RecursionError):
            return None

    def put(self, key: str, reply: Completion) -> None:
        """Keep a reply; it is on disk when this returns."""
        text = json.dumps(asdict(reply))
        with self._lock, self._damage_named():
            self._database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", (key, text, _sha256(key + text)))

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _prepare(self) -> None:
        self._begin_log()
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("BEGIN IMMEDIATE")
        owner = self._database.execute("PRAGMA application_id").fetchone()[0]
        tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if owner != _OURS and (owner or tables):
            raise FileError(self.path, None, "is another program's database, not a cache of replies; choose another file")
        self._database.execute(f"PRAGMA application_id = {_OURS}")
        self._database.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, checksum TEXT NOT NULL)")
        self._database.execute("COMMIT")

    def _begin_log(self) -> None:
        """Write-ahead logging; SQLite does not wait by itself when two processes turn it on at once."""
        patience = time.monotonic() + _PATIENCE
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > patience:
                    raise
                time.sleep(0.01)
            else:
                return

    @contextlib.contextmanager
    def _damage_named(self) -> Iterator[None]:
        """Turn what SQLite raises into an error that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:  # no such folder, no rights, a full disk, a lock that lasts
            raise FileError(self.path, None, f"cannot be used as a cache of replies: {error}") from error
        except sqlite3.DatabaseError as error:
            raise FileError(self.path, None, f"is not a cache of replies, or is damaged ({error}); move it away to begin anew") from error
