"""Names of people: they stand in logs, headers and pages, and tell assessors apart. What looks the same to a reader is the same name."""

from __future__ import annotations

import unicodedata

from podium.errors import DataError

__all__ = ["LONGEST_NAME", "checked_name", "name_key"]

LONGEST_NAME = 80

_UNSAFE = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, ends of lines and paragraphs
_BIDI = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}  # they turn what stands around them

_RESERVED = ("all", "shared")  # as is what has a colon, see podium.projects.exports
_UNSEEN = {  # Unicode's Default_Ignorable_Code_Point beyond the format characters, and the empty pattern of Braille
    0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2065, 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
    *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000),
}  # fmt: skip


def checked_name(name: object) -> str:
    """The name as it is kept: without spaces around it, otherwise as written.

    >>> checked_name(" Ann Lee ")
    'Ann Lee'
    """
    if not isinstance(name, str):
        raise DataError(f"a name must be text, got {name!r}")
    name = name.strip()
    if not name_key(name):
        raise DataError("a name must have letters, got nothing that can be seen")
    if len(name) > LONGEST_NAME:
        raise DataError(f"a name must have at most {LONGEST_NAME} characters, got {len(name)}")
    if any(unicodedata.category(letter) in _UNSAFE or letter in _BIDI for letter in name):
        raise DataError(f"a name must not hold characters that control the text, got {name!a}")
    if name_key(name) in _RESERVED or ":" in name_key(name):
        raise DataError(f"a name must not hold ':' or be one of {', '.join(_RESERVED)}, by which exports choose labels, got {name!r}")
    return name


def name_key(name: str) -> str:
    """By this names are compared: neither case, nor how a letter is written, nor what cannot be seen makes another name.

    That is Unicode's caseless matching by NFKC (The Unicode Standard, section 3.13, D146), without what is not shown, and with one
    space for several.

    >>> name_key("ANN") == name_key("ann\\u200b"), name_key("Zoe\\u0308") == name_key("zoë"), name_key("Ａnn") == name_key("ann")
    (True, True, True)
    """
    seen = "".join(letter for letter in name if unicodedata.category(letter) != "Cf" and ord(letter) not in _UNSEEN)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(folded.split())
