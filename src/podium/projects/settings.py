"""Settings of a project as JSON can hold them, checked at the door: they come from a browser, an API or a file."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from podium.errors import DataError, UnknownName
from podium.projects.facts import ProjectSettings, StudyPlan
from podium.store.rows import checked_text

__all__ = ["LONGEST_INSTRUCTIONS", "checked_line", "checked_object", "settings_from", "settings_to"]

LONGEST_INSTRUCTIONS = 100_000  # characters
_MOST_GRADES = 20
_LONGEST_GRADE = 100
_NOT_IN_A_NAME = ("Cc", "Cs", "Zl", "Zp")  # Unicode's categories: control characters, halves of characters, breaks of lines

_KINDS: dict[str, tuple[type, str]] = {
    "tool": (str, "text"), "k": (int, "a whole number"), "strategy": (str, "text"), "options": (Mapping, "an object"),
    "seed": (int, "a whole number"), "ties": (bool, "true or false"), "both_bad": (bool, "true or false"),
    "ties_are_transitive": (bool, "true or false"), "overlap": (int, "a whole number"), "overlap_by": (str, "text"),
    "grades": (list, "a list of names, worst first"), "instructions": (str, "text"), "gold_every": (int, "a whole number"),
    "study": (Mapping, "an object or null"),
}  # fmt: skip


def checked_line(what: str, name: object, *, longest: int) -> str:
    r"""A name that people can read in a list: stripped, not empty, one line.

    >>> checked_line("name of a project", "  Wings ", longest=120)
    'Wings'
    >>> checked_line("name of a project", "two\nlines", longest=120)
    Traceback (most recent call last):
    podium.errors.DataError: name of a project must have 1 to 120 characters, none of them a control character, got 'two\nlines'
    """
    text = name.strip() if isinstance(name, str) else ""
    if not 1 <= len(text) <= longest or any(unicodedata.category(letter) in _NOT_IN_A_NAME for letter in text):
        seen = repr(name[:60]) if isinstance(name, str) else repr(name)
        raise DataError(f"{what} must have 1 to {longest} characters, none of them a control character, got {seen}")
    return text


def checked_object(what: str, values: object) -> dict[str, Any]:
    """A copy of the values, if they are an object that JSON can hold."""
    if not isinstance(values, Mapping):
        raise DataError(f"{what} must be an object, got {values!r}")
    try:
        copy: dict[str, Any] = json.loads(json.dumps(dict(values), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"{what} must be values that JSON can hold ({error})") from None
    return copy


def settings_to(settings: ProjectSettings) -> dict[str, Any]:
    """The settings as JSON can hold them.

    >>> settings_to(ProjectSettings(study=StudyPlan(5, 5, 2)))["study"]
    {'assessors': 5, 'folds': 5, 'rounds': 2}
    """
    values = {field.name: getattr(settings, field.name) for field in fields(ProjectSettings)}
    study = None if settings.study is None else asdict(settings.study)
    grades = list(settings.grades) if isinstance(settings.grades, tuple) else settings.grades
    return {**values, "grades": grades, "study": study}


def settings_from(values: object) -> ProjectSettings:
    """The settings that :func:`settings_to` wrote; what is left out is as if nobody had said anything.

    >>> settings_from({"k": 5, "grades": ["no", "yes"]}).grades
    ('no', 'yes')
    >>> settings_from({"overlaps": 5})
    Traceback (most recent call last):
    podium.errors.UnknownName: unknown setting 'overlaps'; did you mean 'overlap'? choose from both_bad, gold_every, grades, instructions, \
k, options, overlap, overlap_by, seed, strategy, study, ties, ties_are_transitive, tool
    """
    if not isinstance(values, Mapping):
        raise DataError(f"settings must be an object with some of the fields {', '.join(_KINDS)}, got {values!r}")
    said = {str(name): value for name, value in values.items()}
    for name, value in said.items():
        _check_kind(name, value)
    if "grades" in said:
        said["grades"] = _checked_grades(said["grades"])
    if "options" in said:
        said["options"] = checked_object("setting 'options'", said["options"])
    if "instructions" in said:
        checked_text("setting 'instructions'", said["instructions"], longest=LONGEST_INSTRUCTIONS)
    if said.get("study") is not None:
        said["study"] = _checked_study(said["study"])
    return ProjectSettings(**said)


def _check_kind(name: str, value: object) -> None:
    if name not in _KINDS:
        raise UnknownName("setting", name, _KINDS)
    kind, called = _KINDS[name]
    if name == "study" and value is None:
        return
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise DataError(f"setting {name!r} must be {called}, got {value!r}")


def _checked_grades(grades: list[Any]) -> tuple[str, ...]:
    if not 2 <= len(grades) <= _MOST_GRADES:
        raise DataError(f"setting 'grades' must be 2 to {_MOST_GRADES} names, worst first, got {len(grades)}")
    names = tuple(checked_line("a grade", grade, longest=_LONGEST_GRADE) for grade in grades)
    if len({name.casefold() for name in names}) < len(names):
        raise DataError(f"setting 'grades' must be different names, worst first, got {', '.join(names)}")
    return names


def _checked_study(values: Mapping[Any, Any]) -> StudyPlan:
    names = [field.name for field in fields(StudyPlan)]
    for name in values:
        if name not in names:
            raise UnknownName("field of a study", str(name), names)
    for name in names:
        value = values.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000:
            raise DataError(f"{name} of a study must be a whole number from 1 to 1000, got {value!r}")
    return StudyPlan(**values)
