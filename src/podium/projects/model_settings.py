"""The settings of a language model that judges in a project, as an admin gives them: checked at the door, kept as JSON.

No key is among them: they name an environment variable of the server, and only one that is meant for this, so that a page of the server
cannot send its other secrets anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from podium.errors import DataError, UnknownName

__all__ = ["ModelSettings", "checked_settings"]

_VARIABLE = re.compile(r"OPENAI_API_KEY|PODIUM_[A-Z0-9_]+")
_LONGEST = {"base_url": 2000, "model": 200, "key_variable": 100, "prompt": 100_000, "order": 20}
_WHOLE = {"concurrency": (1, 64), "max_requests": (1, 10**9), "max_tokens": (1, 10**12)}  # from, to
_NUMBERS = {"temperature": (0.0, 10.0), "timeout": (1.0, 600.0), "max_cost": (0.0, 1e9), "price_in": (0.0, 1e9), "price_out": (0.0, 1e9)}
_POSITIVE = ("rate",)
_MAY_BE_NONE = {"temperature", "max_requests", "max_tokens", "max_cost", "rate"}


@dataclass(frozen=True)
class ModelSettings:
    """How a model is asked. An empty ``key_variable`` sends no key, an empty ``prompt`` is Podium's own; prices are for a million tokens.

    >>> ModelSettings.of({"base_url": "http://127.0.0.1:8080/v1", "model": "qwen", "key_variable": "PATH"})
    Traceback (most recent call last):
    podium.errors.DataError: key_variable must be OPENAI_API_KEY or begin with PODIUM_, as PODIUM_MODEL_KEY, got 'PATH'; ...
    """

    base_url: str
    model: str
    key_variable: str = ""
    prompt: str = ""
    order: str = "random"
    temperature: float | None = 0.0
    timeout: float = 60.0
    concurrency: int = 8
    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0
    rate: float | None = None  # requests a minute, at most

    @classmethod
    def of(cls, values: object) -> ModelSettings:
        """The settings that JSON says; what is null or empty, and need not be said, is not said. Every problem is a DataError."""
        if not isinstance(values, Mapping):
            raise DataError(f"the settings of a model must be an object, got {type(values).__name__}")
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise UnknownName("setting of a model", str(name), known)
        said: dict[str, Any] = {
            name: value for name, value in values.items() if value not in ("", None) or (name == "temperature" and value is None)
        }
        for name in ("base_url", "model"):
            if name not in said:
                raise DataError(f"the settings of a model need {name}, got {', '.join(map(str, said)) or 'nothing'}")
        return cls(**said)

    def __post_init__(self) -> None:
        for name, longest in _LONGEST.items():
            _check_text(name, getattr(self, name), longest)
        for name in (*_WHOLE, *_NUMBERS, *_POSITIVE):
            if (value := getattr(self, name)) is not None or name not in _MAY_BE_NONE:
                _check_number(name, value)
        if self.key_variable and not _VARIABLE.fullmatch(self.key_variable):
            raise DataError(
                f"key_variable must be OPENAI_API_KEY or begin with PODIUM_, as PODIUM_MODEL_KEY, got {self.key_variable!r}; "
                "other variables of the server are not sent to anyone"
            )
        self._check_as_a_model()

    def _check_as_a_model(self) -> None:
        """What the assessor itself wants of them."""
        from podium.assessors.limits import Limits
        from podium.assessors.llm import ORDERS
        from podium.assessors.llm_url import checked_url
        from podium.assessors.making import prompt_of

        checked_url(self.base_url)
        if not self.model.strip() or not self.model.isprintable():
            raise DataError(f"model must be the name of a model at that server, got {self.model!r}")
        if self.order not in ORDERS:
            raise UnknownName("order", self.order, ORDERS)
        Limits(max_cost=self.max_cost, price_in=self.price_in, price_out=self.price_out)
        if self.prompt:
            prompt_of("prompt", self.prompt)

    def values(self) -> dict[str, Any]:
        """As JSON can hold them; :meth:`of` reads them back."""
        return asdict(self)


def checked_settings(values: object) -> dict[str, Any]:
    """The settings of a model as they are kept: all of them, checked."""
    return ModelSettings.of(values).values()


def _check_text(name: str, value: object, longest: int) -> None:
    if not isinstance(value, str) or "\0" in value:
        raise DataError(f"{name} must be text, got {_shown(value)}")
    if len(value) > longest:
        raise DataError(f"{name} must have at most {longest} characters, got {len(value)}")


def _check_number(name: str, value: object) -> None:
    is_whole, is_number = isinstance(value, int), isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in _POSITIVE:
        is_good, wanted = is_number and 0 < value <= 1e9, "a number above 0"  # type: ignore[operator]
    else:
        least, most = _WHOLE.get(name) or _NUMBERS[name]
        is_good = is_number and (is_whole or name in _NUMBERS) and least <= value <= most  # type: ignore[operator]
        wanted = f"a {'whole ' if name in _WHOLE else ''}number from {least:g} to {most:g}"
    if not is_good:
        raise DataError(f"{name} must be {wanted}, got {_shown(value)}")


def _shown(value: object) -> str:
    try:
        return repr(str(value)[:60])
    except ValueError:  # Python does not write numbers of more than some thousand digits
        return "a number that is far too large"
