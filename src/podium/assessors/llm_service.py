"""Replies of one model: from the cache or from the server, with retries, within the limits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from podium.assessors.cache import ReplyCache, request_key
from podium.assessors.limits import Meter
from podium.assessors.llm_answers import Completion
from podium.assessors.llm_client import ChatClient, Fault
from podium.assessors.llm_waiting import backoff_seconds, come_back, pause
from podium.errors import PodiumError

__all__ = ["ChatService", "RequestFailed"]

_LONGEST_WAIT = 60.0  # seconds before a retry, if the server does not say how long
_LONGEST_ASKED = 300.0  # seconds that a server may ask for; a run that stands still for longer had better end and say so


class RequestFailed(PodiumError):
    """A server gave no reply, as often as it was asked; or refused in a way that asking again does not mend.

    ``reason`` is what the last request met, without the words of the server.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        self.reason = reason
        super().__init__(message)


@dataclass(frozen=True)
class ChatService:
    """A model behind a server, its cache and its meter; for any number of threads."""

    model: str
    parameters: Mapping[str, Any]
    client: ChatClient
    meter: Meter
    cache: ReplyCache | None
    max_retries: int
    seed: int
    sleep: Callable[[float], object] | None

    def close(self) -> None:
        self.client.close()
        if self.cache is not None:
            self.cache.close()

    def recall(self, messages: list[dict[str, str]], attempt: int) -> Completion | None:
        """The reply in the cache; None if there is none."""
        return None if self.cache is None else self.cache.get(request_key(self.model, messages, self.parameters, attempt))

    def complete(self, messages: list[dict[str, str]], attempt: int, stop: threading.Event) -> tuple[Completion, int]:
        """A new reply from the server, which takes its place in the cache, and how many requests were sent for it."""
        name = request_key(self.model, messages, self.parameters, attempt)
        reply, requests = self._fetch({"model": self.model, "messages": messages, **self.parameters}, name, stop)
        if self.cache is not None:
            self.cache.put(name, reply)
        return reply, requests

    def _fetch(self, request: dict[str, Any], name: str, stop: threading.Event) -> tuple[Completion, int]:
        """A reply from the server, after as many retries as it takes and is allowed; none is sent after ``stop``."""
        requests = 0
        while not stop.is_set():
            self.meter.begin(stop)
            requests += 1
            outcome = self.client.post(request, stop)
            if isinstance(outcome, Completion):
                self.meter.end(outcome.tokens_in, outcome.tokens_out)
                return outcome, requests
            if not outcome.is_passing or requests > self.max_retries or (outcome.retry_after or 0.0) > _LONGEST_ASKED:
                raise RequestFailed(self._complaint(outcome, requests), outcome.reason)
            pause(self._wait(outcome, requests, name), stop, self.sleep)
        raise CancelledError

    def _wait(self, fault: Fault, retry: int, name: str) -> float:
        if fault.retry_after is not None:
            return fault.retry_after
        return backoff_seconds(retry, seed=f"{self.seed}/{name}", longest=_LONGEST_WAIT)

    def _complaint(self, fault: Fault, requests: int) -> str:
        why = f"{fault.reason}: {fault.words}" if fault.words else fault.reason
        times = "1 request" if requests == 1 else f"{requests} requests"
        later = fault.retry_after or 0.0
        when = f"; it asks to come back {come_back(later, datetime.now(UTC))}" if later > _LONGEST_ASKED else ""
        hint = "" if fault.status not in (401, 403) or self.client.has_key else "; no key was sent: is its environment variable set?"
        kept = (
            "answers so far are in the cache" if self.cache is not None else "there is no cache: only answers that were recorded are kept"
        )
        return f"{self.model} at {self.client.base_url} failed after {times}: {why}{when}{hint} ({kept}; a rerun goes on from there)"
