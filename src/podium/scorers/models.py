"""Models as files: readable JSON that says what was trained, on which settings, with which outcome. Loading executes nothing.

The last field is a checksum of all bytes before it: a file that was changed or cut is refused, whatever the change.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from podium.errors import DataError, FileError
from podium.ragged import Floats, Ints, check_offsets
from podium.scorers import SCORERS, Scorer, kind_of
from podium.sources.streams import atomic_file
from podium.version import __version__

__all__ = ["Model", "model_from_bytes", "model_to_bytes", "read_model", "write_model"]

_FORMAT = "podium-model"
_VERSION = 1
_LARGEST = 256 * 2**20  # bytes; a linear model of a million features has 60 MB
_FIELDS: dict[str, type] = {
    "format": str, "version": int, "podium": str, "algorithm": str, "settings": dict, "seed": int, "features": int, "names": list,
    "kind": str, "scorer": dict, "training": dict, "checksum": str,
}  # fmt: skip
_MARK = b',\n  "checksum": "'


@final
@dataclass(frozen=True, eq=False)
class Model:
    """A scorer, and how it came to be."""

    scorer: Scorer
    algorithm: str
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    feature_names: tuple[str, ...] = ()  # empty if the data had none
    training: dict[str, Any] = field(default_factory=dict)

    def scores(self, features: Any, offsets: Ints, names: tuple[str, ...] | None = None) -> Floats:
        """One score a row, larger is better; ``names`` of features, where both have them, must be those of training."""
        check_names(self.feature_names or None, names)
        offsets = check_offsets(offsets, len(features))
        width = features.shape[1]
        if width != self.scorer.n_features:
            raise DataError(f"the model was trained on {self.scorer.n_features} features, these rows have {width}")
        found = self.scorer.scores(features, offsets)
        if np.isnan(found).any():
            row = int(np.argmax(np.isnan(found)))
            if not np.isnan(features[row]).any():
                raise DataError(f"the score of row {row} is beyond the largest double: its features are too large for this model")
            raise DataError(f"row {row} has missing features (NaN); fill them first: Dataset.fill_missing(), podium convert --fill-missing")
        return found


def check_names(known: tuple[str, ...] | None, given: tuple[str, ...] | None) -> None:
    """Refuse features that are named otherwise than in training, or come in another order."""
    if known is None or given is None or known == given or len(known) != len(given):
        return
    place = next(place for place, (one, other) in enumerate(zip(known, given, strict=True)) if one != other)
    order = "; they are the same in another order: select them in that of training" if sorted(known) == sorted(given) else ""
    raise DataError(f"feature {place + 1} was {known[place]!r} in training, here it is {given[place]!r}{order}")


def model_to_bytes(model: Model) -> bytes:
    """The file of a model; equal models give equal bytes."""
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "podium": __version__,
        "algorithm": model.algorithm,
        "settings": model.settings,
        "seed": model.seed,
        "features": model.scorer.n_features,
        "names": list(model.feature_names),
        "kind": kind_of(model.scorer),
        "scorer": model.scorer.as_plain(),
        "training": model.training,
    }
    body = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False).encode().removesuffix(b"\n}")
    return body + _MARK + hashlib.sha256(body).hexdigest().encode() + b'"\n}\n'


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise FileError(path, None, "is not a file")
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(64)
            if head[:1] in (b"\x80", b"c", b"("):
                raise FileError(path, None, "is a pickle, not a Podium model; pickles can run code and are never loaded")
            if not head.startswith(b'{\n  "format": "' + _FORMAT.encode()):
                raise FileError(path, None, "is not a Podium model: those are JSON files that begin with their format")
            if size > _LARGEST:
                raise FileError(path, None, f"is too large for a model: {size:,} bytes, at most {_LARGEST:,}")
            return head + file.read()
    except OSError as error:
        raise FileError(path, None, f"cannot be read: {error.strerror or error}") from None
    except FileError:
        raise
    except ValueError as error:  # a name that no file can have
        raise FileError(path, None, f"cannot be read: {error}") from None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    return number if np.isfinite(number) else _no_constant(text)


def model_from_bytes(data: bytes, path: str | os.PathLike[str] = "model") -> Model:
    """The model of a file's bytes; a :class:`FileError` says what is wrong with them."""
    body, mark, tail = data.rpartition(_MARK)
    if not mark:
        raise FileError(path, None, "has no checksum at its end; it was cut, or is not a Podium model")
    if tail != hashlib.sha256(body).hexdigest().encode() + b'"\n}\n':
        raise FileError(path, None, "was changed after it was saved: its checksum does not fit; save the model again")
    try:
        content = json.loads(data, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise FileError(path, None, f"is not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise FileError(path, None, "is not a Podium model: expected an object with fields")
    _check_fields(content, path)
    try:
        scorer = SCORERS[content["kind"]][1](content["scorer"])
    except DataError as error:
        raise FileError(path, None, f"scorer: {error}") from None
    for what, count in (("weights", scorer.n_features), ("names", len(content["names"]) or scorer.n_features)):
        if count != content["features"]:
            raise FileError(path, None, f"says {content['features']} features, but has {count} {what}")
    return Model(scorer, content["algorithm"], content["settings"], content["seed"], tuple(content["names"]), content["training"])


def _check_fields(content: dict[str, Any], path: str | os.PathLike[str]) -> None:
    missing, unknown = [name for name in _FIELDS if name not in content], sorted(set(content) - set(_FIELDS))
    if missing or unknown:
        raise FileError(path, None, f"lacks the field {missing[0]!r}" if missing else f"has an unknown field {unknown[0]!r}")
    for name, kind in _FIELDS.items():
        if not isinstance(content[name], kind) or isinstance(content[name], bool):
            raise FileError(path, None, f"field {name!r} must be {kind.__name__}", got=str(content[name])[:40])
    if content["format"] != _FORMAT:
        raise FileError(path, None, f"is not a Podium model: its format must be {_FORMAT!r}", got=content["format"][:40])
    if not all(isinstance(name, str) for name in content["names"]):
        raise FileError(path, None, "field 'names' must be a list of texts")
    if content["version"] != _VERSION:
        raise FileError(path, None, f"has version {content['version']}; this release reads version {_VERSION}: update Podium")
    if content["kind"] not in SCORERS:
        raise FileError(path, None, f"is a model of an unknown kind; this release knows {', '.join(SCORERS)}", got=content["kind"][:40])


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model file; executes nothing, and refuses what is not whole."""
    return model_from_bytes(_read(Path(path)), path)


def write_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model file; it appears whole or not at all."""
    with atomic_file(path) as file:
        file.write(model_to_bytes(model))
