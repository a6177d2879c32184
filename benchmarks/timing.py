"""What every part shares: contenders, clocks, tables, targets.

A clock measures one call. What a contender builds beforehand (its own objects from our arrays) is left out, and its note says so;
what it returns is thrown away after the clock has stopped. The garbage collector rests meanwhile, as in :mod:`timeit`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import podium

__all__ = [
    "Call", "Contender", "Report", "Table", "Target", "Time", "Timing", "as_time", "best_of_each", "by_threads", "is_installed",
    "median_of_each", "processor_seconds", "progress", "quiet", "ratio", "share_of_others", "times",
]  # fmt: skip

Call = Callable[[], object]

_START = time.perf_counter()


class Time(float):
    """Seconds, printed in the unit that suits them."""

    def __str__(self) -> str:
        unit, size = next(((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3)) if self >= size), ("µs", 1e-6))
        return f"{self / size:.3g} {unit}"


@dataclass(frozen=True)
class Contender:
    """One way to do the work. ``prepare`` takes the case and returns the call that is timed."""

    name: str
    prepare: Callable[[Any], Call]
    note: str = ""
    peer: str = ""  # the module that must be installed; none for our own code and Python's
    repeats: int = 5
    is_warmed: bool = True  # whether a first run is discarded: compilation, caches


@dataclass(frozen=True)
class Timing:
    """What a contender took, run by run; if it could not run, why."""

    name: str
    note: str = ""
    seconds: tuple[float, ...] = ()
    absent: str = ""

    @property
    def best(self) -> float | None:
        return min(self.seconds, default=None)

    @property
    def median(self) -> float | None:
        return statistics.median(self.seconds) if self.seconds else None


@dataclass(frozen=True)
class Target:
    """A number that was promised, and what was measured."""

    claim: str
    measured: float | None
    bound: float
    direction: Literal["at least", "at most"]
    unit: str = "x"

    @property
    def verdict(self) -> Literal["pass", "FAIL", "not measured"]:
        if self.measured is None:
            return "not measured"
        is_met = self.measured >= self.bound if self.direction == "at least" else self.measured <= self.bound
        return "pass" if is_met else "FAIL"


@dataclass(frozen=True)
class Table:
    """Rows of cells; numbers are kept as they are and rounded when printed."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def __str__(self) -> str:
        cells = [self.columns, *(tuple(_shown(cell) for cell in row) for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.columns))]
        is_text = [all(isinstance(row[column], str) for row in self.rows) for column in range(len(self.columns))]
        lines = [
            "  ".join(
                cell.ljust(width) if left else cell.rjust(width) for cell, width, left in zip(row, widths, is_text, strict=True)
            ).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, *(f"  {line}" for line in [lines[0], "-" * len(max(lines, key=len)), *lines[1:]])])


@dataclass(frozen=True)
class Report:
    """What a part found. ``agreements`` are targets too, but a miss there means the times compare different work."""

    title: str
    facts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    agreements: list[Target] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        return all(agreement.verdict != "FAIL" for agreement in self.agreements)

    def __str__(self) -> str:
        tables = [
            _table_of_targets("Values agree: largest difference", self.agreements),
            *self.tables,
            _table_of_targets("Targets", self.targets),
        ]
        head = "\n".join([self.title, "=" * len(self.title), *self.facts])
        return "\n\n".join([head, *(str(table) for table in tables if table.rows)])

    def as_json(self) -> dict[str, Any]:
        verdicts = {
            name: [asdict(target) | {"verdict": target.verdict} for target in getattr(self, name)] for name in ("agreements", "targets")
        }
        return asdict(self) | verdicts


def _table_of_targets(title: str, targets: Sequence[Target]) -> Table:
    rows = [(each.claim, each.measured, each.unit, f"{each.direction} {each.bound:g}", each.verdict) for each in targets]
    return Table(title, ("what", "measured", "unit", "target", "verdict"), rows)


def _shown(cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, Time) or not isinstance(cell, float):
        return str(cell)
    if cell == 0:
        return "0"
    if 0.01 <= abs(cell) < 1e6:
        return f"{cell:,.{max(0, 3 - len(str(int(abs(cell)))))}f}"
    return f"{cell:.1e}"


def as_time(seconds: float | None) -> Time | None:
    """A cell of a table that holds a time."""
    return None if seconds is None else Time(seconds)


def ratio(one: float | None, other: float | None) -> float | None:
    """``one / other``, where both were measured."""
    return None if one is None or not other else one / other


def progress(message: str) -> None:
    """Say on stderr what is going on, so that stdout holds the report alone."""
    print(f"[{time.perf_counter() - _START:6.1f} s] {message}", file=sys.stderr, flush=True)


def is_installed(module: str) -> bool:
    return not module or importlib.util.find_spec(module) is not None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the collector, and without the warnings of other libraries (XGBoost's, that its text loader will go)."""
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        gc.enable()


def times(call: Call, repeats: int = 1) -> tuple[float, ...]:
    """Seconds of each of several calls."""
    taken = []
    with quiet():
        for _ in range(repeats):
            start = time.perf_counter()
            result = call()
            taken.append(time.perf_counter() - start)
            del result
    return tuple(taken)


def _ready(contender: Contender, case: Any) -> Call | str:
    """The call to time, warmed if it should be; or why there is none. Our own failures are errors, a peer's are a row in the table."""
    if not is_installed(contender.peer):
        return "not installed"
    progress(f"preparing {contender.name}")
    try:
        with quiet():
            call = contender.prepare(case)
            if contender.is_warmed:
                call()
    except Exception as error:
        if not contender.peer:
            raise
        return f"failed: {type(error).__name__}: {error}".splitlines()[0]
    gc.collect()
    return call


def best_of_each(contenders: Sequence[Contender], case: Any) -> list[Timing]:
    """Time them in turns, so that a busy moment of the machine does not hit one alone.

    In each turn a warmed contender runs twice and the second run counts: the caches hold its own data, not its predecessor's.
    """
    calls = [_ready(contender, case) for contender in contenders]
    taken: list[tuple[float, ...]] = [() for _ in contenders]
    for turn in range(max(contender.repeats for contender in contenders)):
        for number, (contender, call) in enumerate(zip(contenders, calls, strict=True)):
            if not isinstance(call, str) and turn < contender.repeats:
                taken[number] += times(call, 2 if contender.is_warmed else 1)[-1:]
                progress(f"{contender.name}: {Time(taken[number][-1])}")
    return [_timing(*each) for each in zip(contenders, calls, taken, strict=True)]


def median_of_each(contenders: Sequence[Contender], case: Any, *, seconds: float = 1.0, most: int = 2000) -> list[Timing]:
    """For calls of a millisecond: each repeated on its own for about ``seconds``, at least 3 and at most ``most`` times."""
    timings = []
    for contender in contenders:
        call = _ready(contender, case)
        taken: tuple[float, ...] = ()
        if not isinstance(call, str):
            repeats = int(min(most, max(3, seconds / times(call)[0])))
            taken = times(call, repeats)
        timings.append(_timing(contender, call, taken))
    return timings


def _timing(contender: Contender, call: Call | str, taken: tuple[float, ...]) -> Timing:
    return Timing(contender.name, contender.note, taken, call if isinstance(call, str) else "")


def by_threads(call: Call, *, counts: Sequence[int] = (1, 2), repeats: int = 5) -> dict[int, float]:
    """Best seconds of our own call on each number of threads, in turns; every turn warms the new threads first."""
    best = dict.fromkeys(counts, float("inf"))
    try:
        for _ in range(repeats):
            for count in counts:
                podium.set_threads(count)
                call()
                best[count] = min(best[count], *times(call, 2))
    finally:
        podium.set_threads(None)
    return best


def processor_seconds() -> tuple[float, float, float] | None:
    """Seconds since the start of the machine: all cores together, those of them that were busy, and those of this process."""
    status = Path("/proc/stat")
    if not status.exists():
        return None
    ticks = [int(field) / os.sysconf("SC_CLK_TCK") for field in status.read_text().splitlines()[0].split()[1:9]]
    return sum(ticks), sum(ticks) - ticks[3] - ticks[4], time.process_time()


def share_of_others(before: tuple[float, float, float] | None, after: tuple[float, float, float] | None, who: str) -> str:
    """How busy other programs were between two moments; ``who`` says whom that hits."""
    if before is None or after is None:
        return "How busy other programs were is not known; ratios are meant for a machine of one's own."
    whole, busy, own = (b - a for a, b in zip(before, after, strict=True))
    share = max(0.0, busy - own) / whole
    return f"Other programs took {share:.0%} of all cores while this ran; from a few percent on, {who}."
