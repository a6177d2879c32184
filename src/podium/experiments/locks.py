"""Locks: who may train a trial or write a run. The system lifts a lock even if the process that holds it is killed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from podium.errors import FileError, MissingDependency
from podium.experiments.facts import CACHE

__all__ = ["LOCKS", "locked", "make_folder", "run_lock", "run_locks"]

LOCKS = "locks"  # the folder of lock files, in the cache


def run_locks(folder: Path) -> Path:
    """Where the lock of a run's folder is kept: with those of the cache beside it."""
    return folder.resolve().parent / CACHE / LOCKS


@contextlib.contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """While the block runs, no other process that asks for this writes to the run's folder, or reads it."""
    with locked(make_folder(run_locks(folder)) / f"run-{folder.resolve().name}", is_patient=True):
        yield


def make_folder(folder: Path) -> Path:
    """The folder, made if it is not there, and one that can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, None, f"cannot be made: {(error.strerror or str(error)).lower()}; choose another place") from None
    if not os.access(folder, os.W_OK):
        raise FileError(folder, None, "cannot be written to; choose another place")
    return folder


@contextlib.contextmanager
def locked(path: Path, *, is_patient: bool) -> Iterator[bool]:
    """Whether the lock is ours while the block runs; false, at once, if another process has it and we are not patient."""
    lock_class, timeout = _filelock()
    lock = lock_class(path)
    try:
        lock.acquire(blocking=is_patient)
    except timeout:
        yield False
        return
    except OSError as error:
        raise FileError(path, None, f"cannot be locked: {(error.strerror or str(error)).lower()}") from None
    try:
        yield True
    finally:
        lock.release()


def _filelock() -> tuple[Any, type[Exception]]:
    try:
        from filelock import FileLock, Timeout
    except ImportError:
        raise MissingDependency("filelock", "experiments", "run experiments") from None
    return FileLock, Timeout
