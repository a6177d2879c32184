"""What a run took, what was chosen in it, and everything needed to run it again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from podium.experiments.undecided import undecided
from podium.reports.experiments.cells import Cell, Section, Table
from podium.reports.experiments.findings import Findings
from podium.reports.experiments.sentences import ending

__all__ = ["cost", "rerun", "settings", "toml_text"]


def cost(found: Findings) -> Section | None:
    """Time and memory of each arm; of trials that were taken from the cache, what they took when they were made."""
    costs = found.run.costs
    if not len(costs["seconds"]):
        return None
    names = costs["algorithm"].astype(str)
    seconds, peaks = (np.asarray(costs[name], dtype=np.float64) for name in ("seconds", "peak_bytes"))
    rows = []
    for arm in found.values.arms:
        own, peak = seconds[names == arm], peaks[names == arm]
        if len(own):
            told = (
                f"{len(own):,}",
                f"{own.sum():,.1f}",
                f"{np.median(own):.2f}",
                f"{peak.max() / 2**20:,.0f}" if (peak > 0).any() else "–",
            )
            rows.append((Cell(arm), *map(Cell, told)))
    head = ("ranker", "trials", "seconds, all", "seconds a trial, median", "peak MiB")
    lead = (
        "Of every trial, chosen or not; times depend on how many ran at once and how many cores each had. "
        "What came from the cache counts with what it took when it was made."
    )
    return Section("cost", "Time and memory", lead, tables=(Table("cost", "Time and memory by ranker", head, tuple(rows)),))


def settings(found: Findings) -> Section | None:
    """What the grids chose on validation queries, for each fold; nothing if no ranker had a grid."""
    trials = found.run.trials
    is_chosen = np.asarray(trials["is_chosen"], dtype=bool)
    arms, points, folds = (trials[name][is_chosen].astype(str) for name in ("algorithm", "point", "fold"))
    chosen = trials["setting"][is_chosen].astype(str)
    if not any(chosen):
        return None
    rows = []
    for arm in found.values.arms:
        for point in found.values.points:
            cells = []
            for fold in found.values.fold_names:
                own = dict.fromkeys(chosen[(arms == arm) & (points == point) & (folds == fold)])
                cells.append(Cell("; ".join(setting or "no grid" for setting in own) or "–", kind="words"))
            rows.append((Cell(arm), *([Cell(point)] if point else []), *cells))
    head = ("ranker", *(["at"] if found.values.points != ("",) else []), *found.values.fold_names)
    lead = "Chosen on validation queries only. Of several seeds, each different choice once."
    if told := undecided(trials):
        lead = f"{lead} {ending(told[:1].upper() + told[1:])}"
    return Section("settings", "Settings chosen", lead, tables=(Table("settings", "Settings by fold", head, tuple(rows)),), is_folded=True)


def rerun(found: Findings, sums: Mapping[str, str]) -> Section:
    """Command, versions, code, data and the config as it was given."""
    facts = found.run.facts
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    told = [
        ("Command", str(facts["command"])),
        ("Versions", versions),
        ("Code", str(facts["code"])),
        ("Commit", str(facts["commit"]) or "not in a repository"),
        ("Seeds", ", ".join(map(str, facts["seeds"]))),
    ]
    texts = [
        ("Config", str(facts["config_text"])),
        ("Config, resolved", toml_text(facts["config"])),
        ("Data, SHA-256", _digests(facts)),
    ]
    texts.append(("SHA256SUMS", "\n".join(f"{digest}  {name}" for name, digest in sums.items())))
    shown = tuple((name, text) for name, text in texts if text)
    return Section("rerun", "To run it again", facts=tuple((name, text) for name, text in told if text), texts=shown)


def toml_text(config: Mapping[str, Any]) -> str:
    """A resolved config as TOML that :func:`podium.experiments.config.config_from_text` reads; what is empty is left out.

    >>> print(toml_text({"name": "t", "title": "A \\"B\\"", "seeds": [0, 1], "data": {"folder": "MQ2008", "synthetic": None}}), end="")
    title = "A \\"B\\""
    seeds = [0, 1]
    data = { folder = "MQ2008" }
    """
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in config.items() if key != "name" and _is_told(key, value))


def _is_told(key: str, value: Any) -> bool:
    return key == "grid" or value not in (None, "", [], {})  # an empty grid says that there is none


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(entry)}" for key, entry in value.items() if _is_told(key, entry)) + " }"
    if isinstance(value, list):
        is_long = any(isinstance(entry, (Mapping, list)) for entry in value)
        return "[\n  " + ",\n  ".join(map(_value, value)) + ",\n]" if is_long else f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # texts, numbers and truths are written alike


def _digests(facts: Mapping[str, Any]) -> str:
    return "\n".join(f"{digest}  {fold}/{part}" for fold, parts in facts["data"].items() for part, digest in parts.items())
