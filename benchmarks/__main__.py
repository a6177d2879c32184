"""``python -m benchmarks [PART ...] [--quick] [--out FILE]``: run the parts named, or all; print tables, and write them as JSON."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import boost, label, learn, measure, parse, serve, store, svm
from benchmarks.timing import Report, progress
from podium.ragged import threads

PARTS: dict[str, Callable[[bool], Report]] = {
    "parse": parse.run, "measure": measure.run, "learn": learn.run, "svm": svm.run, "boost": boost.run,
    "label": label.run, "store": store.run, "serve": serve.run,
}  # fmt: skip
LIBRARIES = [
    "podium", "numpy", "numba", "scikit-learn", "xgboost", "ranx", "pytrec-eval-terrier", "ir-measures", "torch", "jax", "rax",
    "lightgbm", "dlib-bin",
]  # fmt: skip


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads used": threads(),
        "load before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor() or "unknown")


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _describe(facts: dict[str, Any]) -> str:
    *simple, (_, libraries) = facts.items()
    return "\n".join(["; ".join(f"{name} {value}" for name, value in part) for part in (simple, libraries.items())])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it. The result is 1 if a value differed from a peer's where it must not, 0 otherwise, targets met or not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Podium against other libraries, as ratios.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which parts to run: {', '.join(PARTS)} (all if none is named)")
    parser.add_argument("--quick", action="store_true", help="small data, about a minute: to see that it runs, not for numbers")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the same as JSON")
    asked = parser.parse_args(arguments)
    unknown = [part for part in asked.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; choose from {', '.join(PARTS)}")
    facts = machine()
    print(_describe(facts))
    if asked.quick:
        print("A quick run on small data: targets are meant for the full one.")
    reports = [_timed(part, asked.quick) for part in asked.parts or PARTS]
    if asked.out:
        found = {"machine": facts, "quick": asked.quick, "parts": [report.as_json() for report in reports]}
        asked.out.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if all(report.agrees for report in reports) else 1


def _timed(part: str, quick: bool) -> Report:
    start = time.perf_counter()
    report = PARTS[part](quick)
    progress(f"{part} took {time.perf_counter() - start:.0f} s")
    print(f"\n{report}", flush=True)
    return report


if __name__ == "__main__":
    sys.exit(main())
