"""Query-grouped arrays: flat rows and offsets, and kernels that run over them on every core.

Query ``q`` owns the rows ``offsets[q]:offsets[q + 1]`` of every flat array. A kernel is a compiled function
``run(first, last, offsets, ...)`` that serves the queries ``first:last`` and writes only what belongs to them; so any cut into
spans, on any number of threads, gives the same bits. Threads come from a pool of our own and not from Numba's: it can be entered
from several threads at once, survives a fork, and small work never reaches it.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import sigutils
from numba.core.ccallback import CFunc
from numpy.typing import ArrayLike, NDArray

from podium.errors import DataError

__all__ = [
    "Floats", "Ints", "check_offsets", "fused_kernel", "in_parallel", "is_compiled_before", "kernel", "offsets_of", "over_queries",
    "pointer", "set_threads", "spans", "summing_kernel", "threads",
]  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_GRAIN = 100_000  # rows below which waking a second thread costs more than it saves
_wanted: int | None = None
_pool: ThreadPoolExecutor | None = None


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on first use, without the interpreter lock, and keep the machine code on disk."""
    return _compiled(function)


def fused_kernel(function: Callable[..., Any]) -> Any:
    """The same, where a product and a sum may be rounded once instead of twice: faster, and never less exact."""
    return _compiled(function, "contract")


def summing_kernel(function: Callable[..., Any]) -> Any:
    """The same, where sums may also be taken in another order, as vectors need it; NaN and infinity still mean what they mean."""
    return _compiled(function, "contract", "reassoc", "nsz")


def _compiled(function: Callable[..., Any], *liberties: str) -> Any:
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=set(liberties))(function)
    _stamp(compiled)
    return compiled


def pointer(function: Callable[..., Any], signature: Any) -> Any:
    """Compile ``function`` now, as something that kernels take for an argument: they are compiled once for all such functions."""
    normalised = sigutils.normalize_signature(signature)  # type: ignore[no-untyped-call]
    compiled = CFunc(function, normalised, locals={}, options={"error_model": "numpy", "fastmath": {"contract"}})
    compiled.enable_caching()
    _stamp(compiled)
    compiled.compile()
    return compiled


def _stamp(compiled: Any) -> None:
    """Numba takes its cached code for current while the kernel's own file is unchanged; kernels call kernels of other files."""
    kept = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if kept is not None and hasattr(kept, "_source_stamp"):
        kept._source_stamp = _source_stamp()


def is_compiled_before(compiled: Any) -> bool:
    """Whether machine code of a kernel's file was kept by an earlier run; if not, the first work waits for the compiler."""
    folder = getattr(getattr(compiled, "_cache", None), "cache_path", None)
    return folder is not None and any(Path(folder).glob("*.nbi"))


@functools.cache
def _source_stamp() -> tuple[float, int]:
    """When any file of the package was last changed, and the size of all: what cached machine code is good for."""
    facts = [path.stat() for path in Path(__file__).parent.rglob("*.py")]
    return max(fact.st_mtime for fact in facts), sum(fact.st_size for fact in facts)


def threads() -> int:
    """How many threads kernels run on: what :func:`set_threads` said, else ``PODIUM_THREADS``, else every core we may use."""
    if _wanted is not None:
        return _wanted
    asked = os.environ.get("PODIUM_THREADS", "")
    if asked:
        if not asked.isdecimal() or int(asked) < 1:
            raise DataError(f"PODIUM_THREADS must be a whole number from 1 on, got {asked!r}")
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_threads(number: int | None) -> None:
    """Run kernels on ``number`` threads from now on; ``None`` goes back to the default. Results do not depend on it."""
    if number is not None and (not isinstance(number, int) or number < 1):
        raise DataError(f"the number of threads must be a whole number from 1 on, got {number}")
    global _wanted
    _wanted = number
    _forget_pool()


def _forget_pool() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):  # the threads of a pool do not survive a fork; the child makes its own
    os.register_at_fork(after_in_child=_forget_pool)


def in_parallel(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run the jobs, the first in this thread and the others in the pool; their results in order."""
    global _pool
    if len(jobs) == 1 or threads() == 1 or _is_working():
        return [job() for job in jobs]
    if _pool is None:
        _pool = ThreadPoolExecutor(threads(), thread_name_prefix="podium")
    others = [_pool.submit(_work, job) for job in jobs[1:]]
    return [_work(jobs[0]), *(other.result() for other in others)]


_this_thread = threading.local()


def _is_working() -> bool:
    """Whether this thread is doing a job of the pool; what it starts runs in line, or workers would wait for each other."""
    return getattr(_this_thread, "is_working", False)


def _work(job: Callable[[], Any]) -> Any:
    _this_thread.is_working = True
    try:
        return job()
    finally:
        _this_thread.is_working = False


def spans(offsets: Ints, grain: int = _GRAIN) -> list[tuple[int, int]]:
    """Cut the queries into spans of about equal rows, one a thread; a single one where the work is small."""
    n_queries, rows = len(offsets) - 1, int(offsets[-1])
    pieces = min(n_queries, rows // grain + 1)
    if pieces > 1:  # asked last: looking up the number of threads costs more than a small query
        pieces = 1 if _is_working() else min(pieces, threads())
    if pieces < 2:
        return [(0, n_queries)]
    targets = np.arange(1, pieces) * (rows / pieces)
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), n_queries]
    return [(first, last) for first, last in itertools.pairwise(cuts) if last > first]


def over_queries(run: Callable[..., Any], offsets: Ints, *arguments: Any, grain: int = _GRAIN) -> None:
    """Call ``run(first, last, offsets, *arguments)`` until every query has been served."""
    pieces = spans(offsets, grain)
    if len(pieces) == 1:
        run(0, len(offsets) - 1, offsets, *arguments)
        return
    in_parallel([lambda a=first, b=last: run(a, b, offsets, *arguments) for first, last in pieces])  # type: ignore[misc]


def check_offsets(offsets: ArrayLike, rows: int) -> Ints:
    """The offsets as int64, or an error that says what is wrong with them.

    >>> check_offsets([0, 2, 5], rows=5)
    array([0, 2, 5])
    >>> check_offsets([0, 2, 4], rows=5)
    Traceback (most recent call last):
    podium.errors.DataError: offsets must end at the number of rows, 5, got 4
    """
    checked = np.ascontiguousarray(offsets)
    if checked.dtype != np.int64:
        if not np.issubdtype(checked.dtype, np.integer):
            raise DataError(f"offsets must be whole numbers, got dtype {checked.dtype}")
        checked = checked.astype(np.int64)
    if checked.ndim != 1 or len(checked) < 1:
        raise DataError(f"offsets must be a line of one number more than queries, got shape {checked.shape}")
    if checked[0] != 0:
        raise DataError(f"offsets must begin at 0, got {checked[0]}")
    if checked[-1] != rows:
        raise DataError(f"offsets must end at the number of rows, {rows}, got {checked[-1]}")
    if len(checked) > 1 and (checked[1:] < checked[:-1]).any():
        raise DataError(f"offsets must not descend; they do after query {int(np.argmax(np.diff(checked) < 0))}")
    return checked


def offsets_of(sizes: Iterable[int] | Ints) -> Ints:
    """Offsets from the number of rows of each query.

    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    counted = np.asarray(list(sizes) if not isinstance(sizes, np.ndarray) else sizes, dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counted)])
