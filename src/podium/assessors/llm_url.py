"""Where a language model is: base URLs, strictly read, so that nobody who reads them later can take them for another place."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, unquote, urlsplit

from podium.errors import DataError

__all__ = ["checked_url", "is_below", "is_loopback"]

_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_LONGEST_HOST = 253
_PORTS = {"http": 80, "https": 443}


def checked_url(base_url: str) -> str:
    """A base URL without its last slash; refused if it is not http(s) or says more than where the server is.

    >>> checked_url("http://127.0.0.1:8080/v1/")
    'http://127.0.0.1:8080/v1'
    """
    try:
        parts = urlsplit(base_url)
        is_whole = parts.scheme in _PORTS and _is_host(parts.hostname or "") and (parts.port is None or parts.port > 0)
    except ValueError:
        is_whole = False
    if "@" in base_url.split("?")[0]:  # not shown: a password may stand before it
        raise DataError("base_url must not carry a user or a password; put the key into an environment variable")
    if not is_whole or not base_url.isprintable() or " " in base_url or not _is_plain(parts.path):
        raise DataError(f"base_url must be as https://api.openai.com/v1 or http://127.0.0.1:8080/v1, got {base_url!r}")
    if parts.query or parts.fragment:
        raise DataError("base_url must not carry a query or a fragment; put further settings into parameters")
    return base_url.rstrip("/")


def is_below(url: str, prefix: str) -> bool:
    """Whether a checked URL is at a place, or below it: the same scheme, host and port, and a path that begins with its path.

    >>> is_below("https://h/v1/a", "https://H:443/v1/"), is_below("https://h/v12", "https://h/v1")
    (True, False)
    """
    one, other = urlsplit(url), urlsplit(prefix)
    own, wanted = _segments(one), _segments(other)
    return _origin(one) == _origin(other) and own[: len(wanted)] == wanted


def is_loopback(url: str) -> bool:
    """Whether a checked URL is of this machine itself.

    >>> is_loopback("http://[::1]:8080/v1"), is_loopback("http://127.0.0.1.example/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(parts: SplitResult) -> tuple[str, str | None, int]:
    return parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme]


def _segments(parts: SplitResult) -> list[str]:
    return [segment for segment in parts.path.split("/") if segment]


def _is_host(host: str) -> bool:
    """A name that can be looked up, or an address; names of other scripts are written as DNS has them, in ASCII."""
    labels = host.split(".")
    if ":" in host or labels[-1].isdigit():
        ipaddress.ip_address(host)  # a ValueError if it is none
        return True
    for label in labels:
        label.encode("ascii").decode("idna")  # a UnicodeError, which is a ValueError, if it begins with xn-- and cannot be read
    return len(host) <= _LONGEST_HOST and all(_LABEL.fullmatch(label) for label in labels)


def _is_plain(path: str) -> bool:
    """Without steps up, in whatever way they are written: a path must not lead out of what it begins with."""
    return "\\" not in path and not any(unquote(segment) in (".", "..") or "/" in unquote(segment) for segment in path.split("/"))
