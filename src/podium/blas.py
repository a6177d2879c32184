"""One thread for tiny matrices: more only wait for each other."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


_limited: list[Any] = []  # a limit for each use that is running, the outermost of which holds
_limiting = threading.Lock()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Several may run at once; the last to end lifts the limit."""
    with _limiting:
        _limited.append(_libraries().limit(limits=1, user_api="blas") if not _limited else None)
    try:
        yield
    finally:
        with _limiting:
            if len(_limited) == 1:
                _limited[0].restore_original_limits()
                _limited.clear()
            else:
                _limited.pop()
