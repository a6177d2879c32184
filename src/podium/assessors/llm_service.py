"""Replies of one model: from the cache or from the server, with retries, within the limits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from podium.assessors.cache import ReplyCache, request_key
from podium.assessors.limits import Meter
from podium.assessors.llm_answers import Completion
from podium.assessors.llm_client import ChatClient, Fault
from podium.assessors.llm_waiting import backoff_seconds
from podium.errors import PodiumError

__all__ = ["ChatService", "RequestFailed"]

_LONGEST_WAIT = 60.0  # seconds before a retry, whatever a server asks for


class RequestFailed(PodiumError):
    """A server gave no reply, as often as it was asked; or refused in a way that asking again does not mend."""


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
    sleep: Callable[[float], object]

    def close(self) -> None:
        self.client.close()
        if self.cache is not None:
            self.cache.close()

    def complete(self, messages: list[dict[str, str]], attempt: int, stop: threading.Event) -> tuple[Completion, int]:
        """A reply, and how many requests were sent for it: none if it was in the cache."""
        name = request_key(self.model, messages, self.parameters, attempt)
        known = None if self.cache is None else self.cache.get(name)
        if known is not None:
            return known, 0
        reply, requests = self._fetch({"model": self.model, "messages": messages, **self.parameters}, name, stop)
        if self.cache is not None:
            self.cache.put(name, reply)
        return reply, requests

    def _fetch(self, request: dict[str, Any], name: str, stop: threading.Event) -> tuple[Completion, int]:
        """A reply from the server, after as many retries as it takes and is allowed; none is sent after ``stop``."""
        requests = 0
        while not stop.is_set():
            self.meter.begin()
            requests += 1
            outcome = self.client.post(request)
            if isinstance(outcome, Completion):
                self.meter.end(outcome.tokens_in, outcome.tokens_out)
                return outcome, requests
            if not outcome.is_passing or requests > self.max_retries:
                raise RequestFailed(self._complaint(outcome, requests))
            self.sleep(self._wait(outcome, requests, name))
        raise CancelledError

    def _wait(self, fault: Fault, retry: int, name: str) -> float:
        if fault.retry_after is not None:
            return min(fault.retry_after, _LONGEST_WAIT)
        return backoff_seconds(retry, seed=f"{self.seed}/{name}", longest=_LONGEST_WAIT)

    def _complaint(self, fault: Fault, requests: int) -> str:
        times = "1 request" if requests == 1 else f"{requests} requests"
        hint = "" if fault.status not in (401, 403) or self.client.has_key else "; no key was sent: is its environment variable set?"
        kept = (
            "answers so far are in the cache" if self.cache is not None else "there is no cache: only answers that were recorded are kept"
        )
        return f"{self.model} at {self.client.base_url} failed after {times}: {fault.reason}{hint} ({kept}; a rerun goes on from there)"
