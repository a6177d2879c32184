"""Names of measures: ``ndcg@10[gain=linear,blank=skip]`` to a value and back.

The options of a measure are the keyword arguments of its function; choices and defaults are read from there and stated nowhere else.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.errors import DataError, UnknownName
from podium.measures.ranking import Ranking
from podium.ragged import Floats

__all__ = ["Entry", "Measure", "options_of", "parse_measure"]

_PATTERN = re.compile(r"\s*(?P<name>[^@\[\]\s]+)\s*(?:@(?P<cutoff>[^\[\]]*))?(?:\[(?P<options>[^\[\]]*)\])?\s*")


@dataclass(frozen=True)
class Entry:
    """One row of the table of measures."""

    function: Callable[..., Floats]
    meaning: str
    source: str
    aliases: tuple[str, ...] = ()
    larger_is_better: bool = True
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    uses_cutoff_only: bool = True  # whether, with a cutoff, the first ranks are all that is looked at


@dataclass(frozen=True)
class Measure:
    """A measure with its conventions fixed: call it, or print its name."""

    name: str
    entry: Entry = field(repr=False, compare=False)
    cutoff: int | None = None
    options: tuple[tuple[str, Any], ...] = ()  # those that differ from the defaults, in the order of the signature

    def __call__(self, scores: Any, labels: Any, offsets: Any) -> Floats:
        return self.of(Ranking(scores, labels, offsets))

    def of(self, ranking: Ranking) -> Floats:
        """The value of each query of a ranking."""
        if "cutoff" not in options_of(self.entry.function):
            return self.entry.function(ranking, **dict(self.options))
        return self.entry.function(ranking, cutoff=self.cutoff, **dict(self.options))

    @property
    def depth(self) -> int | None:
        """How many ranks are looked at; None for all."""
        return self.cutoff if self.entry.uses_cutoff_only else None

    def __str__(self) -> str:
        options = dict(self.options)
        words = []
        for preset, values in self.entry.presets.items():
            if values and all(options.get(key) == value for key, value in values.items()) and self._is_fullest(preset):
                words.append(preset)
                options = {key: value for key, value in options.items() if key not in values}
        words += [f"{key}={_digits(value)}" for key, value in options.items()]
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{cutoff}[{','.join(words)}]" if words else f"{self.name}{cutoff}"

    def _is_fullest(self, preset: str) -> bool:
        """Whether no other preset says all of this one and more, and fits too."""
        options, values = dict(self.options), self.entry.presets[preset]
        return not any(
            len(other) > len(values) and values.items() <= other.items() and other.items() <= options.items()
            for other in self.entry.presets.values()
        )

    def convention(self) -> str:
        """Every choice that this measure makes, so that a report can say what its numbers mean."""
        options = {**{key: option.default for key, option in options_of(self.entry.function).items()}, **dict(self.options)}
        options.pop("cutoff", None)
        return "; ".join([self.entry.meaning, *(_phrase(key, value) for key, value in options.items()), "equal scores in input order"])


_PHRASES = {
    ("gain", "exponential"): "gain 2^y - 1",
    ("gain", "linear"): "gain y",
    ("discount", "log2"): "discount 1/log2(1 + r)",
    ("discount", "letor"): "discount 1 for ranks 1 and 2, then 1/log2(r)",
    ("short", "count"): "a query with fewer documents than the cutoff counts like any other",
    ("short", "zero"): "a query with fewer documents than the cutoff counts 0",
    ("blank", "zero"): "a query with nothing to measure counts 0",
    ("blank", "one"): "a query with nothing to measure counts 1",
    ("blank", "skip"): "a query with nothing to measure is left out",
    ("max", None): "the largest label of the query is the top of the scale",
    ("k", None): "labels taken as top-k labels",
    ("ties", "b"): "corrected for ties (tau-b)",
    ("ties", "a"): "not corrected for ties (tau-a)",
}


def _phrase(key: str, value: Any) -> str:
    """A choice in words; what has no words of its own is said as it is written."""
    if key == "above":
        return f"relevant is a label above {_digits(value)}"
    return _PHRASES.get((key, value), f"{key} = {_digits(value)}")


def _digits(value: Any) -> str:
    """A number with all its digits and no more: 2, 0.5."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True)
class Option:
    """An option of a measure, as its function's signature says."""

    kind: Any
    default: Any
    is_required: bool

    def spelling(self) -> str:
        """What may stand behind the equals sign, the default first."""
        if typing.get_origin(self.kind) is typing.Literal:
            return "|".join([self.default, *(choice for choice in typing.get_args(self.kind) if choice != self.default)])
        return f"{self.default:g}" if isinstance(self.default, float) else "<number>"

    def read(self, text: str) -> Any:
        """The value that a text stands for; raises ValueError with what was expected."""
        if typing.get_origin(self.kind) is typing.Literal:
            choices = typing.get_args(self.kind)
            if text not in choices:
                raise ValueError(f"one of {', '.join(choices)}")
            return text
        kinds = typing.get_args(self.kind) if isinstance(self.kind, types.UnionType) else (self.kind,)
        if int in kinds:
            if not _is_count(text):
                raise ValueError("a whole number from 1 on")
            return int(text)
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError("a number")
        return number


def _is_count(text: str) -> bool:
    """Whether a text is a whole number from 1 on that fits a machine word with room to spare."""
    return text.isdecimal() and len(text) < 18 and int(text) >= 1


_known_options: dict[Callable[..., Floats], dict[str, Option]] = {}


def options_of(function: Callable[..., Floats]) -> dict[str, Option]:
    """The keyword arguments of a measure's function."""
    if function not in _known_options:
        hints = typing.get_type_hints(function)
        _known_options[function] = {
            name: Option(hints[name], parameter.default, parameter.default is inspect.Parameter.empty)
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
    return _known_options[function]


def parse_measure(text: str, table: Mapping[str, Entry]) -> Measure:
    """The measure that a name stands for; an error says what is wrong with it and what would be right."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise DataError(f"measure {text!r} must look like ndcg@10 or ndcg@10[gain=linear,blank=skip]")
    name = _canonical(match["name"], table)
    entry = table[name]
    known = options_of(entry.function)
    cutoff = _read_cutoff(text, name, match["cutoff"], known)
    values: dict[str, Any] = {}
    for word in filter(None, (part.strip() for part in (match["options"] or "").split(","))):
        if word in entry.presets:
            values.update(entry.presets[word])
            continue
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals or key not in known or key == "cutoff":
            raise UnknownName(f"option of {name}", key, [*entry.presets, *(f"{option}=" for option in known if option != "cutoff")])
        try:
            values[key] = known[key].read(value)
        except ValueError as expected:
            raise DataError(f"measure {text!r}: {key} must be {expected}, got {value!r}") from None
    differing = tuple((key, values[key]) for key, option in known.items() if key in values and values[key] != option.default)
    return Measure(name, entry, cutoff, differing)


def _canonical(name: str, table: Mapping[str, Entry]) -> str:
    wanted = name.lower().replace("κ", "k").replace("_", "-").replace("τ", "tau")
    for known, entry in table.items():
        if wanted == known or wanted in entry.aliases:
            return known
    raise UnknownName("measure", name, table)


def _read_cutoff(text: str, name: str, cutoff: str | None, known: Mapping[str, Option]) -> int | None:
    if "cutoff" not in known:
        if cutoff is not None:
            raise DataError(f"measure {text!r}: {name} takes no cutoff")
        return None
    if cutoff is None:
        if known["cutoff"].is_required:
            raise DataError(f"measure {text!r}: {name} needs a cutoff, such as {name}@10")
        return None
    if not _is_count(cutoff.strip()):
        raise DataError(f"measure {text!r}: the cutoff must be a whole number from 1 on, got {cutoff!r}")
    return int(cutoff)
