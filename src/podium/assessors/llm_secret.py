"""The key of a service: held so that it is never shown, and taken out of all that a server sends back."""

from __future__ import annotations

import html
import os
import re
from typing import NoReturn

from podium.errors import DataError

__all__ = ["Secret", "read_key"]

_SHORTEST = 8  # local servers want a stand-in such as EMPTY or none: no secret, and scrubbing a word that short would garble replies


class Secret:
    r"""A key that no ``repr``, ``str``, format or pickle shows.

    >>> key = Secret("sk-0123456789")
    >>> key
    Secret(***)
    >>> key.scrub("401: sk-0123456789 is unknown here")
    '401: *** is unknown here'
    >>> key.scrub(r'SK-0123456789, sk%2D0123456789, \u0073k-0123456789')
    '***, ***, ***'
    """

    __slots__ = ("_spelt", "_value")

    def __init__(self, value: str) -> None:
        self._value = value.strip()
        if not (self._value.isascii() and self._value.isprintable() and " " not in self._value):
            raise DataError("a key must be one word of printable ASCII characters; the one given is not (it is not shown here)")
        self._spelt = re.compile("".join(map(_spellings, self._value)), flags=re.IGNORECASE)

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> NoReturn:
        raise DataError("a key is not written to a file or sent to another process; make the model anew there")

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> str:
        """The key itself, for the header of a request and nothing else."""
        return self._value

    def scrub(self, text: str) -> str:
        """A server's text without the key, in whatever case or escapes, and in letters that can be written as UTF-8.

        To be called before a text is cut: half a key is not found.
        """
        clean = text.encode("utf-8", "replace").decode()
        return self._spelt.sub("***", clean) if len(self._value) >= _SHORTEST else clean


def _spellings(character: str) -> str:
    """A pattern for one letter of a key as URLs, JSON, Python and HTML may write it; runs have an end, or a text could take for ever."""
    code = ord(character)
    return (
        rf"(?:\\{{0,4}}{re.escape(character)}|%(?:25){{0,4}}{code:02x}|\\{{1,4}}(?:u00|x){code:02x}"
        rf"|&#0{{0,4}}{code};|&#x0{{0,4}}{code:x};|{re.escape(html.escape(character))})"
    )


def read_key(variable: str | None) -> Secret:
    """The key in an environment variable; an empty one, which is not sent, if the variable is not set or none is named."""
    return Secret(os.environ.get(variable, "") if variable else "")
