"""A small real server that speaks the protocol of chat completions on this machine, knows the right answers, and fails as it is told.

Documents carry a hidden number, ``worth=17``; the better of two has the higher one, and two below 10 are both bad.
"""

from __future__ import annotations

import json
import queue
import random
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from podium.pool import Document, Pool

KEY = "sk-test/0123456789+abcdef"


def pool_of(*worths: int) -> Pool:
    """Documents d0, d1, ... of these worths."""
    return Pool("q", "wing flutter", tuple(Document(f"d{n}", f"Title {n}", f"text worth={worth} end") for n, worth in enumerate(worths)))


def shown(user: str, name: str) -> str:
    """What stands between the marked lines of a document; fails if they do not carry one mark."""
    (block,) = re.findall(
        rf"^--- {name} begins, mark (\w+) ---\n(.*?)\n--- {name} ends, mark \1 ---$", user, flags=re.DOTALL | re.MULTILINE
    )
    return str(block[1])


def right_answer(request: dict[str, Any]) -> str:
    """What a perfect model replies."""
    user = request["messages"][-1]["content"]
    allowed = [json.loads(line)["answer"] for line in re.findall(r'^\{"answer": "[^"]*"\}', user, flags=re.MULTILINE)]
    if "A" not in allowed:
        return json.dumps({"answer": allowed[_worth(shown(user, "the document")) // 20]})
    a, b = (_worth(shown(user, f"document {side}")) for side in "AB")
    said = "bad" if max(a, b) < 10 and "bad" in allowed else "tie" if a == b else "A" if a > b else "B"
    return json.dumps({"answer": said})


def _worth(text: str) -> int:
    (worth,) = re.findall(r"worth=(\d+)", text)
    return int(worth)


def completion(text: str | None, finish: str = "stop", **extra: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return {"model": "oracle-2026", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage, **extra}


class Handler(BaseHTTPRequestHandler):
    """One request: read, counted, and answered as the plan says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each reply waits 40 ms for an acknowledgment of its headers
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        owner = self.server.owner
        fault = owner.enter(self.path, dict(self.headers), json.loads(body))
        FAULTS[fault](self, right_answer(json.loads(body)))

    def send(self, body: bytes | dict[str, Any], status: int = 200, kind: str = "application/json", **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def send_slowly(self, data: bytes) -> None:
        for n in range(len(data)):
            self.wfile.write(data[n : n + 1])
            if self.server.owner.released.wait(0.02):
                return

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Listener(ThreadingHTTPServer):
    owner: FaultyServer
    request_queue_size = 64

    def shutdown_request(self, request: Any) -> None:
        self.close_request(request)  # without a polite end first, so that a reset is one

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients that hang up are what is tested


def _silence(handler: Handler, right: str) -> None:
    handler.server.owner.released.wait(30)
    handler.close_connection = True


def _mute(handler: Handler, right: str) -> None:
    """Silent until the client hangs up; a client that does not is let go after a while, and gets an answer."""
    handler.server.owner.muted.release()
    handler.connection.settimeout(10)
    try:
        has_hung_up = handler.connection.recv(1) == b""
    except ConnectionError:
        has_hung_up = True
    except TimeoutError:
        has_hung_up = False
    handler.server.owner.hung_up.put(has_hung_up)
    if not has_hung_up:
        handler.send(completion(right))
    handler.close_connection = True


def _reset(handler: Handler, right: str) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


def _half(handler: Handler, right: str) -> None:
    data = json.dumps(completion(right)).encode()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data[:40]))
    handler.close_connection = True


def _drip(handler: Handler, right: str) -> None:
    data = json.dumps(completion(right)).encode()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data))
    handler.send_slowly(data)


def _drip_headers(handler: Handler, right: str) -> None:
    data = json.dumps(completion(right)).encode()
    handler.send_slowly(b"HTTP/1.1 200 OK\r\nX-Padding: %b\r\n" % (b"a" * 200))
    handler.wfile.write(b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data))


def _echo(handler: Handler, status: int) -> None:
    key = handler.headers["Authorization"]
    body = (
        completion('{"answer": "A"} ' + key, model=key)
        if status == 200
        else {"error": {"message": f"unknown key {key}", "padding": "x" * 500}}
    )
    handler.send(body, status, WWW_Authenticate=key)


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


def _send_key(handler: Handler, form: str, status: int = 200) -> None:
    """Send the key back in a form that is not quite its own."""
    if form == "upper case in the type":
        handler.send(b"{}", status, kind=f"text/{KEY.upper()}")
    elif form == "cut in the type":
        handler.send(b"{}", status, kind="text/" + "x" * 44 + KEY)
    elif form == "escaped in the body":
        handler.send(f'{{"error": "{_escaped(KEY)}"}}'.encode(), status)
    else:
        handler.send(completion(f'{{"answer": "{"x" * 30 if form == "cut in the answer" else ""}{_escaped(KEY)}"}}'), status)


def _prose(handler: Handler, right: str) -> None:
    handler.send(completion(f"Let me see.\n```json\n{right}\n```\nThat is my view."))


def _no_usage(handler: Handler, right: str) -> None:
    reply = completion(right)
    del reply["usage"], reply["model"]
    handler.send(reply)


FAULTS: dict[str, Callable[[Handler, str], None]] = {
    "ok": lambda handler, right: handler.send(completion(right)),
    "429": lambda handler, right: handler.send(b"{}", 429),
    "429 in 7 s": lambda handler, right: handler.send(b"{}", 429, Retry_After="7"),
    "429 in 300 s": lambda handler, right: handler.send(b"{}", 429, Retry_After="300"),
    "429 in 301 s": lambda handler, right: handler.send(b"{}", 429, Retry_After="301"),
    "429 in a day": lambda handler, right: handler.send(b"{}", 429, Retry_After="86400"),
    "429 long ago": lambda handler, right: handler.send(b"{}", 429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    "500": lambda handler, right: handler.send(b"oops", 500, kind="text/plain"),
    "502": lambda handler, right: handler.send(b"<html>bad gateway", 502, kind="text/html"),
    "503": lambda handler, right: handler.send(b"{}", 503),
    "504": lambda handler, right: handler.send(b"{}", 504),
    "400": lambda handler, right: handler.send({"error": "no such parameter"}, 400),
    "403": lambda handler, right: handler.send({"error": "not yours"}, 403),
    "404": lambda handler, right: handler.send({"error": "no such model"}, 404),
    "redirect": lambda handler, right: handler.send(b"", 307, Location=f"http://localhost:{handler.server.server_port}/elsewhere"),
    "silence": _silence,
    "mute": _mute,
    "reset": _reset,
    "half": _half,
    "drip": _drip,
    "drip headers": _drip_headers,
    "garbage": lambda handler, right: handler.send(b"\x00\xff\xfe{{{"),
    "truncated": lambda handler, right: handler.send(json.dumps(completion(right)).encode()[:-9]),
    "deep": lambda handler, right: handler.send(b"[" * 100_000),
    "html": lambda handler, right: handler.send(json.dumps(completion(right)).encode(), kind="text/html"),
    "huge": lambda handler, right: handler.send(completion(right + " " * (1 << 20))),
    "schema": lambda handler, right: handler.send({"reply": right}),
    "no choices": lambda handler, right: handler.send({"choices": []}),
    "two choices": lambda handler, right: handler.send({"choices": completion(right)["choices"] * 2}),
    "parts": lambda handler, right: handler.send(completion([right])),  # type: ignore[arg-type]
    "null": lambda handler, right: handler.send(completion(None)),
    "cut": lambda handler, right: handler.send(completion(right, finish="length")),
    "refusal": lambda handler, right: handler.send(completion(None, finish="stop") | _refused(right)),
    "unsure": lambda handler, right: handler.send(completion("Both have their merits.")),
    "both": lambda handler, right: handler.send(completion('{"answer": "A"} or {"answer": "B"}')),
    "always A": lambda handler, right: handler.send(completion('{"answer": "A"}')),
    "always bad": lambda handler, right: handler.send(completion('{"answer": "bad"}')),
    "prose": _prose,
    "no usage": _no_usage,
    "key in upper case in the type": lambda handler, right: _send_key(handler, "upper case in the type"),
    "key cut in the type": lambda handler, right: _send_key(handler, "cut in the type"),
    "key escaped in the body": lambda handler, right: _send_key(handler, "escaped in the body", 401),
    "key escaped in the answer": lambda handler, right: _send_key(handler, "escaped in the answer"),
    "key cut in the answer": lambda handler, right: _send_key(handler, "cut in the answer"),
    "401 echo": lambda handler, right: _echo(handler, 401),
    "500 echo": lambda handler, right: _echo(handler, 500),
    "200 echo": lambda handler, right: _echo(handler, 200),
}


def _refused(right: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"content": right, "refusal": "I would rather not."}, "finish_reason": "stop"}]}


def mix(seed: int, faults: Iterable[str], share: float) -> Iterator[str]:
    """For ever: one of the faults with probability ``share``, else all is well."""
    chance, names = random.Random(seed), list(faults)
    while True:
        yield chance.choice(names) if chance.random() < share else "ok"


class FaultyServer:
    """Serves while it is open; each request takes the next entry of the plan, and all is well when that is at its end."""

    def __init__(self, plan: Iterable[str] = ()) -> None:
        self._plan, self._lock = iter(plan), threading.Lock()
        self.released = threading.Event()
        self.muted = threading.Semaphore(0)  # one for each request that met silence
        self.hung_up: queue.Queue[bool] = queue.Queue()  # of each of those, whether the client gave it up
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answered: list[str] = []  # the user's messages that got a right answer

    def enter(self, path: str, headers: dict[str, str], request: dict[str, Any]) -> str:
        with self._lock:
            fault = next(self._plan, "ok")
            self.paths.append(path)
            self.headers.append(headers)
            self.requests.append(request)
            if fault in ("ok", "prose"):
                self.answered.append(request["messages"][-1]["content"])
            return fault

    @property
    def count(self) -> int:
        with self._lock:
            return len(self.requests)

    @property
    def asked(self) -> list[str]:
        return [request["messages"][-1]["content"] for request in self.requests]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_port}/v1"

    def __enter__(self) -> Self:
        self._listener = Listener(("127.0.0.1", 0), Handler)
        self._listener.owner = self
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.released.set()
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()
