"""trec_eval's preference format: ``qid ujg ujsubg docno rel_level``, both ways.

As trec_eval reads it (``get_prefs.c``): within a judgment sub-group (``ujsubg``), a document of a larger level is preferred to each of a
smaller one; equal levels say nothing; the levels' values mean nothing else, except that 0 says "not relevant". A judgment group
(``ujg``) is one person at one time: its sub-groups must not contradict each other, and preferences are transitive across them.
Different groups may disagree. Levels are not negative.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from podium.errors import DataError, FileError
from podium.sources.lines import finite_number, one_word, plain_number, text_lines
from podium.sources.streams import atomic_file

__all__ = ["Preferences", "read_preferences", "write_preferences"]


@dataclass(frozen=True)
class Preferences:
    """The level of each document, by query, judgment group and sub-group."""

    levels: dict[str, dict[str, dict[str, dict[str, float]]]]


def read_preferences(path: str | os.PathLike[str]) -> Preferences:
    """Read preferences: five fields a line. That sub-groups agree about "not relevant" is checked; that they agree in order is not."""
    levels: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    irrelevant: dict[tuple[str, str, str], bool] = {}
    for line, text in text_lines(path):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 5:
            raise FileError(
                path, line, f"a preference has 5 fields (qid ujg ujsubg docno rel_level), this one has {len(fields)}", got=text.strip()[:60]
            )
        query, group, subgroup, document, said = fields
        level = finite_number(path, line, "rel_level, the fifth field,", said)
        if level < 0:
            raise FileError(path, line, "rel_level, the fifth field, must not be negative", got=said)
        if irrelevant.setdefault((query, group, document), level == 0) != (level == 0):
            raise FileError(
                path, line, f"document is not relevant (0) in one sub-group and relevant in another of group {group!r}", got=document
            )
        found = levels.setdefault(query, {}).setdefault(group, {}).setdefault(subgroup, {})
        if document in found:
            raise FileError(path, line, f"document occurs twice in sub-group {subgroup!r} of query {query!r}", got=document)
        found[document] = level
    if not levels:
        raise FileError(path, None, "has no preferences; expected lines such as 'query1 anna 1 documentA 3'")
    return Preferences(levels)


def write_preferences(preferences: Preferences, path: str | os.PathLike[str]) -> None:
    """Write preferences; the file appears whole or not at all."""
    with atomic_file(path) as file:
        for query, groups in preferences.levels.items():
            for group, subgroups in groups.items():
                for subgroup, levels in subgroups.items():
                    head = " ".join((one_word("query id", query), one_word("group", group), one_word("sub-group", subgroup)))
                    file.write("".join(f"{head} {_document(*pair)}\n" for pair in levels.items()).encode())


def _document(document: str, level: float) -> str:
    if not 0 <= level < float("inf"):
        raise DataError(f"level of document {document!r} must be a finite number from 0 on, got {level}")
    return f"{one_word('document id', document)} {plain_number(level)}"
