"""Secrets that open doors: how they are made, told apart, hashed and kept. The text is shown once; the database has its hash only."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert

from podium.errors import DataError
from podium.projects.facts import KINDS_OF_SECRET, Secret
from podium.store.leases import as_text
from podium.store.project_tables import SECRETS

__all__ = ["SECRET_COLUMNS", "checked_span", "hash_of", "hide_secrets", "is_good", "issue", "kind_of", "new_secret", "secret_from"]

_KINDS = {kind[0]: kind for kind in KINDS_OF_SECRET}
_SHAPE = re.compile(rf"pdm_([{''.join(_KINDS)}])_[A-Za-z0-9_-]{{43}}")  # 43 letters of base 64 are 32 bytes
_ALMOST = re.compile(r"pdm_([A-Za-z]_)?[A-Za-z0-9_-]+")
_LONGEST_DAYS = 3650.0

# Everything but the hash, in the order of the fields.
SECRET_COLUMNS = tuple(SECRETS.c[each.name] for each in fields(Secret))


def new_secret(kind: str) -> str:
    """A secret that cannot be guessed: 256 random bits after a prefix by which it is known, in logs and to scanners."""
    assert kind in KINDS_OF_SECRET, kind
    return f"pdm_{kind[0]}_{secrets.token_urlsafe(32)}"


def kind_of(text: object) -> str | None:
    """Of which kind a secret would be, by its shape; none if it can be none of ours.

    >>> kind_of("pdm_s_" + "x" * 43), kind_of("pdm_s_short")
    ('session', None)
    """
    shape = _SHAPE.fullmatch(text) if isinstance(text, str) else None
    return None if shape is None else _KINDS[shape[1]]


def hash_of(text: str) -> str:
    """What is stored. There is no salt, and it is a fast hash, as nobody can try 2**256 secrets."""
    return hashlib.sha256(text.encode()).hexdigest()


def hide_secrets(text: str) -> str:
    """The text without what looks like a secret.

    >>> hide_secrets("/join/pdm_i_ab-C_9?x=1")
    '/join/pdm_i_***?x=1'
    """
    return _ALMOST.sub(lambda found: f"pdm_{found[1] or ''}***", text)


def is_good(secret: Secret, now: datetime) -> bool:
    """Neither revoked nor expired nor used up."""
    is_expired = secret.expires_at is not None and secret.expires_at <= as_text(now)
    return secret.revoked_at is None and not is_expired and secret.uses_left != 0


def checked_span(what: str, value: object, unit: timedelta) -> timedelta:
    """So many days or minutes, if it is a time that a secret may last.

    >>> checked_span("days", 0.5, timedelta(days=1))
    datetime.timedelta(seconds=43200)
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 < value <= _LONGEST_DAYS / (unit / timedelta(days=1)):  # type: ignore[operator]
        raise DataError(f"{what} must be a number above 0, and no more than ten years, got {value!r}")
    return float(value) * unit  # type: ignore[arg-type]


def issue(connection: Connection, kind: str, now: datetime, *, lasts: timedelta | None, **facts: Any) -> tuple[str, Secret]:
    """Make a secret and keep its hash: its text, and what is known of it. ``facts`` are columns of the table."""
    text, expires = new_secret(kind), None if lasts is None else as_text(now + lasts)
    row = {"hash": hash_of(text), "kind": kind, "note": "", "created_at": as_text(now), "expires_at": expires, **facts}
    return text, secret_from(connection.execute(insert(SECRETS).values(row).returning(*SECRET_COLUMNS)).one())


def secret_from(row: Sequence[Any]) -> Secret:
    """The facts of a row that begins with :data:`SECRET_COLUMNS`."""
    return Secret(*row[: len(SECRET_COLUMNS)])
