"""Processes, sockets and signals: the application run by uvicorn, in this process or in several."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import logging
import multiprocessing
import multiprocessing.connection
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from podium.errors import DataError
from podium.projects.office import Office, open_office
from podium.server.app import make_app
from podium.server.rates import Limits

__all__ = ["Serving", "application", "bind", "check_public_url", "end_by_signals", "home_of", "is_loopback", "serve", "url_of"]

ENVIRONMENT = "PODIUM_SERVING"  # how workers are told; a store's URL may hold a password, which a command line would show to everyone
_HOST = re.compile(r"[A-Za-z0-9.:_-]+")
_GRACE = 10  # seconds that answers have to finish when the server ends


@dataclass(frozen=True)
class Serving:
    """What every process of a server must know."""

    place: str
    public_url: str = ""
    hosts: Sequence[str] = ()
    max_upload: int = 100_000_000
    logs_access: bool = False
    model_urls: Sequence[str] = ()


def application() -> FastAPI:
    """The application of a worker, as the environment says. What uvicorn calls in every process."""
    serving = Serving(**json.loads(os.environ.pop(ENVIRONMENT)))  # the settings of a model may name a variable: not this one
    set_up_logs(serving)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return _app(open_office(serving.place, public_url=serving.public_url, model_urls=serving.model_urls), serving)


_THREADS = 8  # that answer at once: they share one interpreter, and more only get in each other's way


def _app(office: Office, serving: Serving) -> FastAPI:
    @contextlib.asynccontextmanager
    async def closing(_app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = _THREADS
        yield
        await run_in_threadpool(office.close)

    limits = Limits(upload=serving.max_upload)
    return make_app(office, public_url=serving.public_url, limits=limits, allow_hosts=serving.hosts, lifespan=closing)


def _end_with_parent() -> None:
    """A worker whose supervisor was killed ends too; it would keep the port."""
    if (parent := multiprocessing.parent_process()) is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def end_by_signals() -> None:
    """Let Ctrl-C and SIGTERM end the process without complaint, whenever they come. Uvicorn raises them again once it has ended."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: sys.exit(0))


def bind(host: str, port: int) -> socket.socket:
    """A socket that is open for connections, which wait until the server answers."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise DataError(f"{host!r} is not an address of this machine ({error.strerror})") from None
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(2048)
    except OSError as error:
        opened.close()
        raise DataError(f"cannot listen at {host}, port {port}: {(error.strerror or str(error)).lower()}; choose another --port") from None
    opened.set_inheritable(True)
    return opened


def home_of(host: str, opened: socket.socket) -> str:
    """The address by which a browser on this machine reaches the server."""
    return url_of(host, opened.getsockname()[1])


def url_of(host: str, port: int) -> str:
    """The address of a server that listens at a host and a port.

    >>> url_of("0.0.0.0", 8070), url_of("::1", 8070)
    ('http://127.0.0.1:8070', 'http://[::1]:8070')
    """
    name = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("labels.example")
    (True, True, False, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_public_url(url: str) -> str:
    """The address without a slash at its end.

    >>> check_public_url("https://labels.example/")
    'https://labels.example'
    >>> check_public_url("labels.example")
    Traceback (most recent call last):
    podium.errors.DataError: a public URL is written as https://labels.example, without a path, got 'labels.example'
    """
    try:
        parts = urlsplit(url)
        is_right = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.path.strip("/") or parts.query or parts.fragment)
        )
        is_right = is_right and parts.username is None and parts.port != 0 and _HOST.fullmatch(parts.hostname or "") is not None
    except ValueError:
        is_right = False
    if not is_right:
        raise DataError(f"a public URL is written as https://labels.example, without a path, got {url!r}")
    return url.rstrip("/")


def set_up_logs(serving: Serving) -> None:
    """Problems, and every request if wanted, on standard error. Uvicorn's own list of requests would show links with their secrets."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if serving.logs_access:
        logging.getLogger("podium.access").setLevel(logging.INFO)


def serve(serving: Serving, opened: socket.socket, *, workers: int = 1, office: Office | None = None) -> None:
    """Answer until a signal ends it; answers that are being made are finished first."""
    options: dict[str, Any] = {
        "log_config": None, "access_log": False, "server_header": False, "ws": "none",
        "timeout_keep_alive": 75, "timeout_graceful_shutdown": _GRACE,
    }  # fmt: skip
    set_up_logs(serving)
    if workers == 1:
        assert office is not None, "one process serves the office that is open"
        uvicorn.Server(uvicorn.Config(_app(office, serving), **options)).run(sockets=[opened])
        return
    from uvicorn.supervisors import Multiprocess

    os.environ[ENVIRONMENT] = json.dumps(asdict(serving))
    config = uvicorn.Config("podium.server.running:application", factory=True, workers=workers, **options)
    Multiprocess(config, sockets=[opened]).run()
