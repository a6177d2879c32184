"""Configs: an experiment read from TOML, and every mistake in it said in one line, before anything is loaded or trained."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from podium.errors import DataError, FileError, PodiumError, UnknownName
from podium.experiments.checking import checked
from podium.experiments.facts import Config
from podium.sources.streams import read_text

__all__ = ["config_from_dict", "config_from_text", "config_to_dict", "read_config"]

_LARGEST = 2**63 - 1  # a TOML integer has 64 bits, and so have those of a table
_WORDS = {int: "a whole number", float: "a number", str: "a text"}


def read_config(path: str | os.PathLike[str]) -> Config:
    """The experiment of a TOML file, named as the file is."""
    path = Path(path)
    return config_from_text(read_text(path), path.stem, path)


def config_from_text(text: str, name: str, place: object = None) -> Config:
    """The experiment of a TOML text. ``place`` is named in errors; by default it is the file that the name stands for."""
    return _from_text(text.removeprefix("\ufeff"), name, f"{name}.toml" if place is None else place)  # some editors put a mark there


def config_from_dict(values: Mapping[str, Any], place: object = "config") -> Config:
    """The experiment of plain values, checked: the inverse of :func:`config_to_dict`. ``place`` is named in errors."""
    try:
        return checked(_made(Config, values, ""))
    except PodiumError as error:
        raise FileError(place, None, str(error)) from None


def config_to_dict(config: Config) -> dict[str, Any]:
    """All of an experiment, defaults filled in, as values that JSON knows."""
    found: dict[str, Any] = _plain(config)
    for ranker in found["rankers"]:
        ranker["grid"] = ranker["grid"] or ""
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _from_text(text: str, name: str, place: object) -> Config:
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets within brackets without end, too
        raise FileError(place, None, f"is not valid TOML: {error}") from None
    if "name" in values:
        raise FileError(place, None, "name: an experiment is named after its file; leave the key out", got=str(values["name"]))
    return config_from_dict({"truth": {}, **values, "name": name}, place)


# ---- values into facts, by the types that the facts state ----


def _made(kind: Any, table: Any, place: str) -> Any:
    """A dataclass from a table; unknown and missing keys are errors that name the known ones."""
    if not isinstance(table, Mapping):
        raise DataError(f"{place} must be a table, got {table!r}")
    known, hints = {field.name: field for field in fields(kind)}, get_type_hints(kind)
    at = f"{place}." if place else ""
    named = [key for key in known if kind is not Config or key != "name"]
    for key in table:
        if key not in known:
            raise DataError(f"{at}{key}: {UnknownName('key', str(key), named)}")
    for key, field in known.items():
        if key not in table and field.default is MISSING and field.default_factory is MISSING:
            raise DataError(f"{at}{key} is missing; {place or 'a config'} has the keys {', '.join(named)}")
    return kind(**{key: _value(hints[key], value, f"{at}{key}") for key, value in table.items()})


def _value(hint: Any, value: Any, place: str) -> Any:
    """A value as the type says; lists become tuples, whole numbers become floats where those are due."""
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise DataError(f"{place} must be a number below 2^63 in size, got {value!r}")
    if hint is Any:
        return value
    if origin in (Union, UnionType):
        return _one_of(inner, value, place)
    if is_dataclass(hint):
        return _made(hint, value, place)
    if origin is tuple or origin is list:
        entries = [_value(inner[0], entry, f"{place}[{number}]") for number, entry in enumerate(_list(value, place), start=1)]
        return tuple(entries) if origin is tuple else entries
    if origin is not None:  # Mapping[str, …]
        if not isinstance(value, Mapping):
            raise DataError(f"{place} must be a table, got {value!r}")
        return {str(key): _value(inner[1], entry, f"{place}.{key}") for key, entry in value.items()}
    return _plain_value(hint, value, place)


def _plain_value(kind: Any, value: Any, place: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    is_number = not isinstance(value, float) or math.isfinite(value)
    if isinstance(value, kind) and not isinstance(value, bool) and is_number:
        return value
    raise DataError(f"{place} must be {_WORDS[kind]}, got {value!r}")


def _one_of(hints: Sequence[Any], value: Any, place: str) -> Any:
    """As the first of the types that takes the value."""
    if value is None and type(None) in hints:
        return None
    known = [hint for hint in hints if hint is not type(None)]
    for hint in known[:-1]:
        if isinstance(value, get_origin(hint) or hint) and not isinstance(value, bool):
            return _value(hint, value, place)
    try:
        return _value(known[-1], value, place)
    except DataError:
        if len(known) == 1 or isinstance(value, Mapping):
            raise
        words = " or ".join(dict.fromkeys(_WORDS.get(hint, "a table") for hint in known))
        raise DataError(f"{place} must be {words}, got {value!r}") from None


def _list(value: Any, place: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise DataError(f"{place} must be a list, got {value!r}")
    return value
