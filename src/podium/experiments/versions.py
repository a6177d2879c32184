"""With what a run was computed: versions of libraries, a digest of the code that computes, and the commit of the checkout."""

from __future__ import annotations

import functools
import hashlib
import platform
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from podium.version import __version__

__all__ = ["code_digest", "commit", "computing_versions", "versions"]

_PACKAGE = Path(__file__).parents[1]
_COMPUTING = (  # modules and packages whose code decides what a trial gives; their docstrings count too: a digest too many trains once more
    "algorithms.py", "assessors", "blas.py", "dataset.py", "elementary.py", "labelling", "losses", "measures", "ragged.py", "scaling.py",
    "scorers", "search.py", "sorting.py", "sources/synthetic.py", "strings.py", "training", "truth.py", "version.py",
    "experiments/choosing.py", "experiments/curves.py", "experiments/spending.py", "experiments/trials.py", "experiments/truths.py",
)  # fmt: skip
_LIBRARIES = ("numpy", "scipy", "numba")  # that compute


def computing_versions() -> dict[str, str]:
    """Of the libraries on which results depend."""
    return {name: metadata.version(name) for name in _LIBRARIES}


def versions() -> dict[str, str]:
    """Of all that a run was made with."""
    return {
        "podium": __version__,
        "python": platform.python_version(),
        **computing_versions(),
        "pyarrow": metadata.version("pyarrow"),
    }


def _sources(package: Path) -> Iterator[Path]:
    for name in _COMPUTING:
        yield from sorted((package / name).rglob("*.py")) if (package / name).is_dir() else [package / name]


@functools.cache
def code_digest(package: Path = _PACKAGE) -> str:
    """SHA-256, in hex, of the source files that compute, with their names."""
    found = hashlib.sha256()
    for path in _sources(package):
        content = path.read_bytes()
        found.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()


def commit(package: Path = _PACKAGE) -> str:
    """The commit of the checkout that the package is run from, with ``+`` where its files differ; empty if it is not from one."""
    if _git(package, "ls-files", "--error-unmatch", "version.py") is None:  # installed, perhaps within a checkout of something else
        return ""
    head, changes = _git(package, "rev-parse", "HEAD"), _git(package, "status", "--porcelain", "--", ".")
    return "" if head is None else head + ("+" if changes else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *arguments], cwd=folder, capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
