"""The cache of trials: outcomes by content. The name of an entry is a digest of all that its outcome depends on.

An entry appears whole or not at all, and says what its bytes must add up to: a damaged one is thrown away and trained again. Processes that
share a cache share the work: whoever trains holds a lock, which the system lifts even if the process is killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from podium import algorithms
from podium.errors import FileError
from podium.experiments.locks import LOCKS, locked, make_folder
from podium.experiments.trials import Outcome, Trial
from podium.experiments.versions import code_digest, computing_versions
from podium.sources.streams import atomic_file

__all__ = ["Cache", "key_of"]

_FORMAT = 1
_KINDS: dict[str, Any] = {
    "validation": float | None,
    "model": str,
    "iterations": int,
    "seconds": float,
    "peak_bytes": int,
}  # of an entry, in JSON
_LOCK_DIGITS = 3  # of the key: at most 4,096 lock files, and a chance of one in so many that two trials wait for each other needlessly


def key_of(trial: Trial, *, train: str, vali: str, measure: str) -> str:
    """The name of a trial's entry. ``train`` and ``vali`` are digests of its lesson, ``measure`` is the one that chooses."""
    algorithm = trial.arm.ranker.algorithm
    facts = {
        "format": _FORMAT,
        "train": train,
        "vali": vali,
        "algorithm": algorithm,
        "settings": algorithms.resolve(algorithm, trial.settings),
        "seed": trial.seed,
        "measure": measure,
        "code": code_digest(),
        "libraries": computing_versions(),
    }
    return hashlib.sha256(_canonical(facts)).hexdigest()


def _canonical(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


@final
@dataclass(frozen=True)
class Cache:
    """A folder of entries, one file each."""

    folder: Path

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def find(self, key: str) -> Outcome | None:
        """The outcome kept under a key; None if there is none that is whole."""
        path = self.path(key)
        try:
            mode = path.stat().st_mode
            outcome = _read_entry(path.read_bytes(), key) if stat.S_ISREG(mode) else None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FileError(path, None, f"cannot be read: {error.strerror or error}") from None
        if not stat.S_ISREG(mode):
            _make_way(path, mode)
        elif outcome is None:
            with contextlib.suppress(OSError):  # it counts for nothing, also where it cannot be removed
                path.unlink()
        return outcome

    def keep(self, key: str, outcome: Outcome) -> None:
        path = self.path(key)
        make_folder(path.parent)
        with atomic_file(path) as file:
            file.write(_entry(outcome, key))

    @contextlib.contextmanager
    def locked(self, key: str, *, is_patient: bool) -> Iterator[bool]:
        """Whether this trial is ours to train while the block runs; false, at once, if another process has it and we are not patient."""
        with locked(make_folder(self.folder / LOCKS) / key[:_LOCK_DIGITS], is_patient=is_patient) as is_ours:
            yield is_ours


def _make_way(path: Path, mode: int) -> None:
    """Remove what is no file, such as an empty folder or a pipe, from the place of an entry. A folder with files in it is not ours."""
    try:
        path.rmdir() if stat.S_ISDIR(mode) else path.unlink()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(path, None, f"is in the place of a kept trial and is no file ({reason}); remove it") from None


def _entry(outcome: Outcome, key: str) -> bytes:
    """A line with the checksum of the rest, and the rest: JSON."""
    validation = None if math.isnan(outcome.validation) else outcome.validation
    body = _canonical({"format": _FORMAT, "key": key, **asdict(outcome), "validation": validation, "model": outcome.model.decode()})
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _read_entry(data: bytes, key: str) -> Outcome | None:
    checksum, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        return None
    try:
        facts = json.loads(body)
    except ValueError:  # whole, but nothing that we wrote
        return None
    if not isinstance(facts, dict) or facts.pop("format", None) != _FORMAT or facts.pop("key", None) != key:
        return None
    if set(facts) != set(_KINDS) or not all(isinstance(facts[name], kind) for name, kind in _KINDS.items()):
        return None
    validation = float("nan") if facts["validation"] is None else facts["validation"]
    return Outcome(**{**facts, "validation": validation, "model": facts["model"].encode()})
