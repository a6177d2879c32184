"""What Podium raises, and nothing else does.

::

    PodiumError                 every error a user can cause; the command line prints it as one line and exits with 2
    ├── DataError               values that do not fit together: shapes, ranges, missing ids (also a ValueError)
    │   └── FileError           the same, found in a file: carries path, line and field
    ├── UnknownName             a name that is not in its table; the message lists the known ones (also a ValueError)
    └── MissingDependency       an optional library is needed; the message says how to install it (also an ImportError)
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["DataError", "FileError", "MissingDependency", "PodiumError", "UnknownName"]


class PodiumError(Exception):
    """The base of everything that Podium raises on purpose."""


class DataError(PodiumError, ValueError):
    """Values that do not fit together."""


class FileError(DataError):
    """A file that cannot be read as what it is said to be.

    >>> print(FileError("train.txt", 17, "second field must be 'qid:<id>'", got="quid:3"))
    train.txt:17: second field must be 'qid:<id>', got 'quid:3'
    """

    def __init__(self, path: object, line: int | None, problem: str, got: str | None = None) -> None:
        self.path, self.line, self.problem, self.field = str(path), line, problem, got
        super().__init__(self.path, line, problem, got)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.problem}" if self.field is None else f"{place}: {self.problem}, got {self.field!r}"


class UnknownName(PodiumError, ValueError):
    """A name that is not in its table.

    >>> print(UnknownName("measure", "ndgc", ["ndcg", "map"]))
    unknown measure 'ndgc'; did you mean 'ndcg'? choose from map, ndcg
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        from difflib import get_close_matches

        close = get_close_matches(self.name, self.known, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        choices = f"{hint}choose from {', '.join(self.known)}" if self.known else "it has none"
        return f"unknown {self.kind} {self.name!r}; {choices}"


class MissingDependency(PodiumError, ImportError):
    """An optional library is needed and not installed.

    >>> print(MissingDependency("pyarrow", "arrow", "read Parquet files"))
    pyarrow is needed to read Parquet files; install it with: pip install 'podium[arrow]'
    """

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        self.library, self.extra, self.purpose = library, extra, purpose
        super().__init__(library, extra, purpose)

    def __str__(self) -> str:
        return f"{self.library} is needed to {self.purpose}; install it with: pip install 'podium[{self.extra}]'"
