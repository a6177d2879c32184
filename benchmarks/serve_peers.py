"""Label Studio, for comparison: its own server on its own SQLite file, one annotation stored a request.

It lives in a virtual environment of its own, as its dependencies are many; ``make bench`` makes it. LABEL_STUDIO names another program.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.serve_client import Connection, free_port

__all__ = ["LabelStudio", "label_studio"]

_TOKEN = "0123456789abcdef0123456789abcdef01234567"
_CONFIG = (
    '<View><Text name="query" value="$query"/><Text name="left" value="$left"/><Text name="right" value="$right"/>'
    '<Choices name="better" toName="query"><Choice value="left"/><Choice value="right"/><Choice value="tie"/></Choices></View>'
)


class LabelStudio:
    """A server with a project and tasks to annotate."""

    def __init__(self, port: int, tasks: list[int]) -> None:
        self.port, self._tasks = port, itertools.cycle(tasks)

    def connection(self) -> Connection:
        return Connection(self.port, f"Token {_TOKEN}")

    async def annotate(self, connection: Connection) -> bool:
        """Store one annotation, by the request that its own page sends."""
        result = [{"from_name": "better", "to_name": "query", "type": "choices", "value": {"choices": ["left"]}}]
        reply = await connection.call("POST", f"/api/tasks/{next(self._tasks)}/annotations/", {"result": result, "lead_time": 3.2})
        return reply.status == 201


def program() -> str | None:
    beside = Path(sys.prefix).with_name(f"{Path(sys.prefix).name}-label-studio") / "bin" / "label-studio"
    return os.environ.get("LABEL_STUDIO") or shutil.which("label-studio") or (str(beside) if beside.exists() else None)


@contextlib.contextmanager
def label_studio(folder: Path, n_tasks: int, text: str) -> Iterator[LabelStudio | str]:
    """The server, running, with so many tasks; or why there is none."""
    command = program()
    if command is None:
        yield "label-studio is not installed (make bench installs it)"
        return
    port = free_port()
    environment = {
        **os.environ, "LABEL_STUDIO_BASE_DATA_DIR": str(folder), "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false",
    }  # fmt: skip
    arguments = [
        command, "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1", "--username", "bench@example.org",
        "--password", "not-a-secret-1", "--user-token", _TOKEN,
    ]  # fmt: skip
    with (folder / "label-studio.log").open("w") as log:
        process = subprocess.Popen(arguments, env=environment, stdout=log, stderr=log)
    try:
        _wait(port)
        project = _call(port, "POST", "/api/projects", {"title": "bench", "label_config": _CONFIG})["id"]
        _call(port, "POST", f"/api/projects/{project}/import", [{"query": "which?", "left": text, "right": text}] * n_tasks)
        tasks = _call(port, "GET", f"/api/tasks?project={project}&page_size={n_tasks}")["tasks"]
        yield LabelStudio(port, [task["id"] for task in tasks])
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(port: int, patience: float = 180.0) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            _call(port, "GET", "/api/projects")
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until:
                raise
            time.sleep(1)
        else:
            return


def _call(port: int, method: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", None if body is None else json.dumps(body).encode(), method=method,
        headers={"Authorization": f"Token {_TOKEN}", "Content-Type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())
