"""One request to an OpenAI-compatible server, which ends within its time whatever the server does. The home of httpx.

httpx's own time-outs are for one read: a server that sends a byte now and then never meets them. Here every wait on the network,
also for the headers, gets only what is left of the request's whole time. The lookup of the server's name alone cannot be cut short.
Another thread can end the waits at once, but for that lookup and for a connection that is still being made.
"""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from podium.assessors.llm_answers import Completion, read_completion
from podium.assessors.llm_secret import Secret
from podium.assessors.llm_url import checked_url
from podium.assessors.llm_waiting import retry_after_seconds
from podium.errors import MissingDependency

try:
    import httpcore
    import httpx
except ImportError:
    raise MissingDependency("httpx", "llm", "ask a language model") from None

__all__ = ["ChatClient", "Fault", "checked_url"]

_PASSING = {408, 425, 429}  # of the 4xx, those that may go by themselves; so may all 5xx
_SHOWN = 300  # characters of a server's complaint that an error repeats
_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11")  # at DEBUG they print the server's headers


@dataclass(frozen=True)
class Fault:
    """Why a request gave no reply, whether it may go by itself, how long the server wants to be left alone, and its own words."""

    reason: str
    is_passing: bool = True
    retry_after: float | None = None
    status: int | None = None
    words: str = ""


class ChatClient:
    """Sends chats to one server, at a URL that was checked; for any number of threads.

    Redirects are not followed: they could take the key elsewhere. Proxies and passwords of the environment are not used.
    """

    def __init__(self, base_url: str, key: Secret, *, timeout: float, max_bytes: int, threads: int, clock: Callable[[], float]) -> None:
        self.base_url = base_url
        self._key, self._timeout, self._max_bytes, self._clock = key, timeout, max_bytes, clock
        self._network = _Network(clock)
        context = httpx.create_ssl_context(trust_env=False) if base_url.startswith("https:") else None  # slow to make
        pool = httpcore.ConnectionPool(ssl_context=context, max_connections=threads, network_backend=self._network)
        self._client = httpx.Client(transport=_Transport(pool), timeout=timeout, trust_env=False, follow_redirects=False)
        self._log_filter = _Scrubbing(key)
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._log_filter)

    @property
    def has_key(self) -> bool:
        return bool(self._key)

    def close(self) -> None:
        self._client.close()
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self._log_filter)

    def scrub(self, text: str) -> str:
        """A text without the key."""
        return self._key.scrub(text)

    def abort(self, stop: threading.Event) -> None:
        """End all requests that were sent with this ``stop``, now and later, as if the connection had failed."""
        self._network.abort(stop)

    def post(self, request: Mapping[str, Any], stop: threading.Event) -> Completion | Fault:
        """Send one request, once. What goes wrong is returned and not raised: an exception of httpx holds the request, key and all."""
        content, began = json.dumps(request).encode(), self._clock()
        self._network.begin(began + self._timeout, stop)
        try:
            response, body = self._exchange(content)
        except (httpcore.TimeoutException, httpx.TimeoutException):
            return Fault(f"the reply was not there within {self._timeout:g} seconds")
        except (httpx.InvalidURL, UnicodeError) as error:  # a name that cannot be looked up
            return Fault(self._key.scrub(f"the server's name cannot be used ({error})"), is_passing=False)
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError, OSError) as error:
            return Fault(self._key.scrub(f"the connection failed ({type(error).__name__}: {error})"))
        if body is None:
            return Fault(f"the reply has more than {self._max_bytes} bytes")
        return self._read(response, body, asked=str(request["model"]), sent=len(content), seconds=self._clock() - began)

    def _exchange(self, content: bytes) -> tuple[httpx.Response, bytes | None]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key.reveal()}"
        with self._client.stream("POST", f"{self.base_url}/chat/completions", content=content, headers=headers) as response:
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > self._max_bytes:
                    return response, None
            return response, bytes(body)

    def _read(self, response: httpx.Response, body: bytes, *, asked: str, sent: int, seconds: float) -> Completion | Fault:
        if not response.is_success:
            return self._refusal(response, body)
        kind = self._key.scrub(response.headers.get("Content-Type", "json"))
        if "json" not in kind.lower():
            return Fault(f"the reply is of type {kind[:60]!r}, not JSON")
        try:
            reply = read_completion(body, asked=asked, sent=sent, seconds=seconds)
        except ValueError as error:
            return Fault(f"the reply {error}")
        scrub = self._key.scrub
        return replace(reply, text=scrub(reply.text), finish=scrub(reply.finish), model=scrub(reply.model)[:_SHOWN])

    def _refusal(self, response: httpx.Response, body: bytes) -> Fault:
        status = response.status_code
        words = " ".join(self._key.scrub(body.decode("utf-8", "replace")).split())[:_SHOWN]
        reason = f"the server answered {status} {self._key.scrub(response.reason_phrase)[:60]}".rstrip()
        if response.is_redirect:
            return Fault(f"{reason}: a redirect, which is not followed with a key; set base_url to where it leads", False, status=status)
        wait = retry_after_seconds(response.headers.get("Retry-After"), datetime.now(UTC))
        return Fault(reason, status in _PASSING or status >= 500, wait, status, words)


class _Scrubbing(logging.Filter):
    """Takes the key out of what the libraries log: a server may send it back in a header."""

    def __init__(self, key: Secret) -> None:
        super().__init__()
        self._key = key

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._key.scrub(record.getMessage()), None
        return True


class _Network(httpcore.NetworkBackend):
    """The network, with a deadline and a stop for each thread: a request is sent and read by one thread, start to end."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._own = clock, threading.local()
        self._backend = httpcore.SyncBackend()
        self._lock = threading.Lock()
        self._waiting: dict[socket.socket, threading.Event] = {}  # connections that a thread waits on, and what its request stops with
        self._aborted: weakref.WeakSet[threading.Event] = weakref.WeakSet()

    def begin(self, deadline: float, stop: threading.Event) -> None:
        """The calling thread's next request ends by this moment, or when this ``stop`` is aborted."""
        self._own.deadline, self._own.stop = deadline, stop

    def abort(self, stop: threading.Event) -> None:
        with self._lock:
            self._aborted.add(stop)
            for connection in [each for each, its_stop in self._waiting.items() if its_stop is stop]:
                with contextlib.suppress(OSError):  # the other side was quicker
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)  # TLS's own would pull the state from under the reading thread

    @contextlib.contextmanager
    def waiting(self, connection: socket.socket) -> Iterator[float]:
        """The seconds left for a wait on this connection, which an abort ends."""
        with self._lock:
            self._check()
            self._waiting[connection] = self._own.stop
        try:
            yield self.left()
        finally:
            with self._lock:
                del self._waiting[connection]

    def left(self) -> float:
        seconds: float = self._own.deadline - self._clock()
        if seconds <= 0:
            raise httpcore.ReadTimeout("the whole time of the request is over")
        return seconds

    def _check(self) -> None:
        if self._own.stop in self._aborted:
            raise httpcore.ReadError("the request was given up")

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._backend.connect_tcp(host, port, self.left(), local_address, socket_options), self)


class _Stream(httpcore.NetworkStream):
    """A connection whose every wait ends at its thread's deadline, or when its thread's request is aborted."""

    def __init__(self, stream: httpcore.NetworkStream, network: _Network) -> None:
        self._stream, self._network = stream, network
        self._socket: socket.socket = stream.get_extra_info("socket")

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with self._network.waiting(self._socket) as seconds:
            return self._stream.read(max_bytes, seconds)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with self._network.waiting(self._socket) as seconds:
            self._stream.write(buffer, seconds)

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> httpcore.NetworkStream:
        # a second handle on the connection: TLS takes the first away
        with contextlib.closing(self._socket.dup()) as handle, self._network.waiting(handle) as seconds:
            return _Stream(self._stream.start_tls(ssl_context, server_hostname, seconds), self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()


class _Transport(httpx.BaseTransport):
    """httpx over a pool of ours: httpx makes its own without a way to say what network it uses."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        sent = httpcore.Request(request.method, target, headers=request.headers.raw, content=request.stream, extensions=request.extensions)
        got = self._pool.handle_request(sent)
        return httpx.Response(got.status, headers=got.headers, stream=_Body(got.stream), extensions=got.extensions)

    def close(self) -> None:
        self._pool.close()
