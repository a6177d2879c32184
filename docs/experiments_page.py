"""The keys of an experiment's file, from the dataclasses that hold them (podium.experiments.facts): a part of docs/build.py."""

from __future__ import annotations

import dataclasses
import inspect
import re

from podium.experiments import facts

__all__ = ["keys_tables"]

SECTIONS = {
    "": facts.Config, "[data]": facts.DataSpec, "[data.synthetic]": facts.Synthetic, "[truth]": facts.TruthSpec,
    "[[rankers]]": facts.RankerSpec, "[[rankers.printed]]": facts.Printed,
    "[curve]": facts.Axis, "[labelling]": facts.Labelling, "[[claims]]": facts.Claim,
}  # fmt: skip
TABLES = ("data", "synthetic", "truth", "rankers", "printed", "curve", "labelling", "claims")  # keys that are sections of their own
KINDS = {"str": "text", "int": "whole number", "float": "number"}
SAID = {  # of fields that have no comment beside them, as their names say enough where they are declared
    "title": "what the report is called",
    "about": "a sentence or two below it",
    "measures": "what is measured on test queries, [by name](measures.md#names)",
    "seeds": "everything is done once for each; a seed draws orders, training queries and the oracle's errors",
    "[data].folder": "with `FoldN/{train,vali,test}.txt`, below the folder of `--data`; or give `[data.synthetic]`",
    "[data.synthetic].queries": "of all folds together",
    "[data.synthetic].documents": "of each query",
    "[data.synthetic].features": "how many a document has",
    "[data.synthetic].noise": "of the order at the top of the list",
    "[data.synthetic].noise_growth": "how the noise grows down the list",
    "[data.synthetic].interaction": "share of products of features in what a document is worth",
    "[data.synthetic].seed": "the same seed makes the same collection",
    "[data.synthetic].folds": "the queries are cut into so many parts, turned as LETOR turns them",
    "[truth].test": "likewise",
    "[[rankers]].name": "of the line in tables and charts",
    "[[rankers]].algorithm": "one of [these](algorithms.md)",
    "[[rankers.printed]].figures": "its values, by measure",
    "[curve].over": "the axis: one of AXES",
    "[labelling].k": "how many of the best are wanted, in order",
    "[[claims]].paper": "which one says so",
    "[[claims]].than": "the other ranker's name",
    "[[claims]].measure": "by which measure",
    "[[claims]].remark": "one sentence, where it is known why ours differs",
}


def _plain(text: str) -> str:
    """Docstring text as Markdown.

    >>> _plain("arguments of :func:`podium.synthetic`, and ``k``")
    'arguments of `podium.synthetic`, and `k`'
    """
    return re.sub(r":\w+:`([^`]+)`", r"`\1`", " ".join(text.split())).replace("``", "`")


def _kind(annotation: str) -> str:
    """What a value looks like in TOML.

    >>> _kind("int"), _kind("tuple[str, ...]"), _kind("str | Mapping[str, list[Any]] | None"), _kind("float | None")
    ('whole number', 'list of texts', 'text or table', 'number')
    """
    if annotation.startswith("tuple["):
        inner = annotation.removeprefix("tuple[").split(",")[0]
        return f"list of {KINDS[inner]}s" if inner in KINDS else "list"
    return " or ".join("table" if one.startswith("Mapping") else KINDS[one] for one in annotation.split(" | ") if one != "None")


def _default(one: dataclasses.Field[object]) -> str:
    if one.default is dataclasses.MISSING:
        return "required" if one.default_factory is dataclasses.MISSING else ""
    value = one.default
    if value is None or value in ("", ()):
        return ""
    return f"`{list(value) if isinstance(value, tuple) else value}`"


def _meaning(section: str, name: str, kind: type) -> str:
    """The comment beside a field, or what is said above; names of lists become what is in them."""
    beside = re.search(rf"^    {name}: .*?  # (.+)$", inspect.getsource(kind), flags=re.MULTILINE)
    said = beside[1] if beside else SAID[f"{section}.{name}" if section else name]
    listed = re.sub(r"\b(?:TRUTHS|AXES)\b", lambda found: ", ".join(f"`{one}`" for one in getattr(facts, found[0])), said)
    return listed.replace("|", "\\|")


def _table(section: str, kind: type) -> str:
    lead = _plain(re.sub(r"^\[+[\w.]+\]+: ", "", inspect.getdoc(kind) or ""))
    shown = [one for one in dataclasses.fields(kind) if (section or one.name != "name") and one.name not in TABLES]
    rows = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    rows += [f"| `{one.name}` | {_kind(str(one.type))} | {_default(one)} | {_meaning(section, one.name, kind)} |" for one in shown]
    title = f"### `{section}`" if section else "### At the top of the file"
    return f"{title}\n\n{lead[0].upper()}{lead[1:]}\n\n" + "\n".join(rows)


def keys_tables() -> str:
    return "\n\n".join(_table(section, kind) for section, kind in SECTIONS.items())
