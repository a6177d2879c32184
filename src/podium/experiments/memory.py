"""The peak of this process's memory, counted from a moment on where the system can (Linux), else from its start."""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["forget_peak", "peak_bytes"]

_RESET = "5"  # what the kernel takes for: let the peak be what is used now (man 5 proc, clear_refs)


def forget_peak() -> None:
    """Count the peak from now on, if the system lets us."""
    try:
        Path("/proc/self/clear_refs").write_text(_RESET)
    except OSError:  # another system, or a container that forbids it
        return


def peak_bytes() -> int:
    """The most memory that was in use; -1 where nobody knows."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), flags=re.MULTILINE)
    except OSError:
        found = None
    return int(found[1]) * 1024 if found else _peak_since_start()


def _peak_since_start() -> int:
    if sys.platform == "win32":
        return -1
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
