"""The keys of an experiment's file, of the dataclasses that hold them (podium.experiments.facts): a part of docs/build.py."""

from __future__ import annotations

import dataclasses
import inspect
import re

from podium.experiments import facts

__all__ = ["keys_tables"]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


SECTIONS = {
    "": facts.Config, "[data]": facts.DataSpec, "[data.synthetic]": facts.Synthetic, "[truth]": facts.TruthSpec,
    "[[rankers]]": facts.RankerSpec, "[[rankers.printed]]": facts.Printed,
    "[curve]": facts.Axis, "[labelling]": facts.Labelling, "[[claims]]": facts.Claim,
}  # fmt: skip
TABLES = ("data", "synthetic", "truth", "rankers", "printed", "curve", "labelling", "claims")  # keys that are sections of their own
KINDS = {"str": "text", "int": "whole number", "float": "number"}
MEANINGS = {  # of every key, for those who write TOML
    "title": "what the report is called",
    "about": "a sentence or two below it",
    "measures": "what is measured on test queries, [by name](measures.md#names)",
    "choose": "the measure on validation queries by which settings are chosen",
    "baseline": "name of a ranker; others are compared with it",
    "seeds": "everything is done once for each; a seed draws orders, training queries and the oracle's errors",
    "paper": "the number of the paper whose table or figure this is, such as `004`; leave out if it is of none",
    "says": "what the paper says of a figure that it prints no numbers of: a sentence; goes with `paper`",
    "notes": "sentences for the report: where data or settings are not the paper's",
    "[data].folder": "with `FoldN/{train,vali,test}.txt`, below the folder of `--data`; or give `[data.synthetic]`",
    "[data].in_place_of": "the paper's collection, where ours is another: the paper's figures are then of other data",
    "[data].only_in": "keep only documents that this other folder has too (paper 001: MQ2007-list cut to MQ2007)",
    "[data].best": "keep only this many of the best documents of each query, by the labels given; 0: all (paper 003: 100)",
    "[data.synthetic].queries": "of all folds together",
    "[data.synthetic].documents": "of each query",
    "[data.synthetic].features": "how many a document has",
    "[data.synthetic].noise": "of the order at the top of the list",
    "[data.synthetic].noise_growth": "how the noise grows down the list",
    "[data.synthetic].interaction": "share of products of features in what a document is worth",
    "[data.synthetic].seed": "the same seed makes the same collection",
    "[data.synthetic].folds": "the queries are cut into so many parts, turned as LETOR turns them",
    "[truth].train": f"one of {_listed(facts.TRUTHS)}",
    "[truth].test": "likewise",
    "[truth].k": "of top-k truths; a curve over k varies it for the training queries only",
    "[[rankers]].name": "of the line in tables and charts",
    "[[rankers]].algorithm": "one of [these](algorithms.md)",
    "[[rankers]].scorer": "may be left out: each algorithm makes one kind",
    "[[rankers]].settings": "values that stay the same, by [setting](learning.md#settings)",
    "[[rankers]].grid": 'values to choose from: a preset\'s name, or lists by setting; `""` for none',
    "[[rankers.printed]].paper": "the paper's number, such as `004`",
    "[[rankers.printed]].where": "in it, such as `Table 4`",
    "[[rankers.printed]].figures": "its values, by measure",
    "[[rankers.printed]].remark": "one sentence, where it is known why ours differs",
    "[curve].over": f"the axis: one of {_listed(facts.AXES)}",
    "[curve].points": 'rising numbers; `"full"` may end a curve over k, `"all"` one over queries',
    "[labelling].strategies": "[labelling strategies](labelling.md#which-strategy) that ask about pairs",
    "[labelling].accuracies": "share of pairs that the oracle gets right, on average; 1: it never errs",
    "[labelling].k": "how many of the best are wanted, in order",
    "[[claims]].paper": "the number of the paper that says so, such as `004`",
    "[[claims]].better": "the ranker said to be better",
    "[[claims]].than": "the other ranker",
    "[[claims]].measure": "by which measure",
    "[[claims]].percent": "by how many per cent of the other's mean; leave out if the paper prints none",
    "[[claims]].on": "the data of the paper, where it is not ours",
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


def _table(section: str, kind: type) -> str:
    lead = _plain(re.sub(r"^\[+[\w.]+\]+: ", "", inspect.getdoc(kind) or ""))
    shown = [one for one in dataclasses.fields(kind) if (section or one.name != "name") and one.name not in TABLES]
    rows = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{one.name}` | {_kind(str(one.type))} | {_default(one)} | {MEANINGS[f'{section}.{one.name}'.lstrip('.')]} |" for one in shown
    ]
    title = f"### `{section}`" if section else "### At the top of the file"
    return f"{title}\n\n{lead[0].upper()}{lead[1:]}\n\n" + "\n".join(rows)


def keys_tables() -> str:
    """A table for every section.

    >>> keys_tables().count("\\n| `") == len(MEANINGS)  # no meaning of a key that is gone
    True
    """
    return "\n\n".join(_table(section, kind) for section, kind in SECTIONS.items())
