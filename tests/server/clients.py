"""A browser's or a program's way to talk to the application in this process: httpx over ASGI, without waiting in the tests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import httpx

__all__ = ["HOME", "Client", "Loop"]

HOME = "http://127.0.0.1"


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Client:
    """One who asks. With a token it is a program; otherwise a browser, which keeps cookies and says where its requests come from."""

    def __init__(self, app: Any, loop: Loop, token: str = "", **headers: str) -> None:
        self._loop = loop
        usual = {"authorization": f"Bearer {token}"} if token else {"sec-fetch-site": "same-origin", "origin": HOME}
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        self._client = httpx.AsyncClient(transport=transport, base_url=HOME, headers=usual | headers)

    @property
    def cookies(self) -> httpx.Cookies:
        return self._client.cookies

    def ask(self, method: str, path: str, **values: Any) -> httpx.Response:
        answer: httpx.Response = self._loop.run(self._client.request(method, path, **values))
        return answer

    def get(self, path: str, **values: Any) -> httpx.Response:
        return self.ask("GET", path, **values)

    def post(self, path: str, json: Any = None, **values: Any) -> httpx.Response:
        return self.ask("POST", path, json=json, **values) if json is not None else self.ask("POST", path, **values)

    def close(self) -> None:
        self._loop.run(self._client.aclose())
