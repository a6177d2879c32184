"""Base URLs of models: what is refused, and what is below what."""

from __future__ import annotations

import threading
import time

import pytest

from podium.assessors.llm_client import ChatClient, Fault
from podium.assessors.llm_secret import Secret
from podium.assessors.llm_url import checked_url, is_below, is_loopback
from podium.errors import DataError

WRONG = [
    "http://a..b/v1", "http://.a/v1", f"http://{'a' * 64}.b/v1", f"http://{'.'.join(['a' * 60] * 5)}/v1", "http://xn--a/v1", "http://-a/v1",
    "http://a b/v1", "http://a\\b/v1", "http://1.2.3.4.5/v1", "http://1.2.3.999/v1", "http://[::1/v1", "http://[x]/v1",
    "http://m\u00fcller/v1",
    "http://a%2eb/v1", "http://h/v1/../x", "http://h/v1/%2e%2E/x", "http://h/./v1", "http://h/v1\\x", "http://h/v1%2f..",
    "http://h:0/", "//h/v1",
    "http://h:99999/v1", "http:///v1", "h/v1", "",
]  # fmt: skip


@pytest.mark.parametrize("url", WRONG)
def test_a_url_that_could_be_read_in_two_ways_is_refused(url: str) -> None:
    with pytest.raises(DataError, match="base_url must be as"):
        checked_url(url)


@pytest.mark.parametrize(
    "url", ["http://h", "https://a-b.c_d.example:8443/v1/x.y/~z", "http://[::1]:80/v1", "http://10.0.0.1", "http://xn--mller-kva/v1"]
)
def test_a_url_that_says_where_a_server_is_is_taken(url: str) -> None:
    assert checked_url(f"{url}/") == url


@pytest.mark.parametrize(("url", "prefix", "is_it"), [
    ("http://h/v1", "http://h/v1", True),
    ("http://H:80/v1/a", "http://h/v1/", True),
    ("http://h/v1", "http://h", True),
    ("http://h/", "http://h/v1", False),
    ("http://h/v11", "http://h/v1", False),
    ("https://h/v1", "http://h/v1", False),
    ("http://h:81/v1", "http://h/v1", False),
    ("http://h.x/v1", "http://h/v1", False),
    ("http://x.h/v1", "http://h/v1", False),
    ("http://h/V1", "http://h/v1", False),
])  # fmt: skip
def test_scheme_host_port_and_path_say_whether_a_url_is_below_another(url: str, prefix: str, is_it: bool) -> None:
    assert is_below(url, prefix) is is_it


@pytest.mark.parametrize(("url", "is_it"), [
    ("http://127.0.0.1:9", True), ("http://127.8.8.8", True), ("http://localhost", True), ("http://[::1]", True),
    ("http://0x7f000001", False), ("http://localhost.example", False), ("http://10.0.0.1", False), ("http://0.0.0.0", False),
])  # fmt: skip
def test_only_this_machine_itself_is_loopback(url: str, is_it: bool) -> None:
    assert is_loopback(checked_url(url)) is is_it


@pytest.mark.parametrize("host", ["a..b", "a" * 300, "xn--a", "1.2.3.999"])
def test_a_name_that_slips_through_is_a_fault_and_no_crash(host: str) -> None:
    client = ChatClient(f"http://{host}/v1", Secret("k" * 20), timeout=5.0, max_bytes=1000, threads=1, clock=time.monotonic)
    try:
        outcome = client.post({"model": "m"}, threading.Event())
    finally:
        client.close()
    assert isinstance(outcome, Fault)
    assert "\n" not in outcome.reason
