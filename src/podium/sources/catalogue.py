"""Known collections: the fold layout ``FoldN/{train,vali,test}.txt``, and checksums by which published files are recognised."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from podium.dataset import Dataset
from podium.errors import FileError
from podium.sources.letor import read_letor
from podium.sources.streams import COMPRESSIONS, open_bytes

__all__ = ["PARTS", "Fold", "collections_below", "has_folds", "known_as", "known_titles", "part_files", "read_folds"]

PARTS = ("train", "vali", "test")
_NAMES = {"train": ("train", "trainingset"), "vali": ("vali", "validationset"), "test": ("test", "testset")}  # LETOR 4.0's and 2.0's

# The first 16 hex digits of SHA-256 of files as published; the parts S1..S5 are the test files of the five folds.
_KNOWN = {
    "9b98c14e9536f2a1": "LETOR 4.0 MQ2008, Fold1, train",
    "c68c52feb1ecae7f": "LETOR 4.0 MQ2008, S5 (test of Fold1, validation of Fold2)",
    "96528d299fc07c54": "LETOR 4.0 MQ2008, Fold2, train",
    "cbd42504549a2388": "LETOR 4.0 MQ2008, S1 (test of Fold2, validation of Fold3)",
    "3886fb46484c2f55": "LETOR 4.0 MQ2008, Fold3, train",
    "055ac792cb8f7d5a": "LETOR 4.0 MQ2008, S2 (test of Fold3, validation of Fold4)",
    "46bf4d68615328ec": "LETOR 4.0 MQ2008, Fold4, train",
    "a03fe2b6e76479de": "LETOR 4.0 MQ2008, S3 (test of Fold4, validation of Fold5)",
    "d672fe2403743def": "LETOR 4.0 MQ2008, Fold5, train",
    "a239850bc6fe960a": "LETOR 4.0 MQ2008, S4 (test of Fold5, validation of Fold1)",
    "dad852b587132695": "LETOR 2.0 OHSUMED, Fold1, train",
    "4c7b8aba3f2a3245": "LETOR 2.0 OHSUMED, S5 (test of Fold1, validation of Fold2)",
    "b087fd9012c01e46": "LETOR 2.0 OHSUMED, Fold2, train",
    "cab705b59065b9ad": "LETOR 2.0 OHSUMED, S1 (test of Fold2, validation of Fold3)",
    "f2640a20f887a20a": "LETOR 2.0 OHSUMED, Fold3, train",
    "828d01d29449734a": "LETOR 2.0 OHSUMED, S2 (test of Fold3, validation of Fold4)",
    "ee2864f713c2e411": "LETOR 2.0 OHSUMED, Fold4, train",
    "836e622de07a6201": "LETOR 2.0 OHSUMED, S3 (test of Fold4, validation of Fold5)",
    "ba13ffa7534021af": "LETOR 2.0 OHSUMED, Fold5, train",
    "12ffd7a154aa06ca": "LETOR 2.0 OHSUMED, S4 (test of Fold5, validation of Fold1)",
}


@dataclass(frozen=True)
class Fold:
    """Where the three parts of one fold are; each is read when it is asked for."""

    name: str
    paths: dict[str, Path]

    def train(self) -> Dataset:
        return read_letor(self.paths["train"])

    def vali(self) -> Dataset:
        return read_letor(self.paths["vali"])

    def test(self) -> Dataset:
        return read_letor(self.paths["test"])


def _part(folder: Path, part: str) -> Path | None:
    """The file of a part by any of its names, compressed or not."""
    candidates = (folder / f"{name}.txt{ending}" for name in _NAMES[part] for ending in ("", *COMPRESSIONS))
    return next((path for path in candidates if path.is_file()), None)


def _numbered(folder: Path) -> list[Path]:
    """The folders Fold1, Fold2, … in order; LETOR 2.0 has them in a folder ``Data``."""
    for home in (folder, folder / "Data"):
        below = home.iterdir() if home.is_dir() else ()
        numbered = [(int(match[1]), path) for path in below if path.is_dir() and (match := re.fullmatch(r"Fold(\d+)", path.name))]
        if numbered:
            return [path for _, path in sorted(numbered)]
    return []


def has_folds(folder: str | os.PathLike[str]) -> bool:
    """Whether there is a folder Fold1, Fold2, …; its parts are not looked at."""
    return bool(_numbered(Path(folder)))


def part_files(folder: str | os.PathLike[str]) -> dict[str, dict[str, Path | None]]:
    """The file of every part of every fold, None where it is missing."""
    return {path.name: {part: _part(path, part) for part in PARTS} for path in _numbered(Path(folder))}


def collections_below(folder: str | os.PathLike[str]) -> list[str]:
    """The folders below that have a part of a fold at least, as paths from ``folder``; not hidden ones, nor those in a collection."""
    found = []
    for home, names, _ in os.walk(folder):
        open_ones = sorted(name for name in names if not name.startswith(".") and os.access(Path(home, name), os.R_OK | os.X_OK))
        here = [name for name in open_ones if any(path for parts in part_files(Path(home, name)).values() for path in parts.values())]
        found += [Path(home, name).relative_to(folder).as_posix() for name in here]
        names[:] = [name for name in open_ones if name not in here]
    return sorted(found)


def read_folds(folder: str | os.PathLike[str]) -> list[Fold]:
    """The folds in a folder laid out as LETOR's are, in the order of their numbers; parts may be compressed.

    LETOR 2.0's names trainingset.txt, validationset.txt and testset.txt are known too.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(folder, None, "there is no such folder")
    numbered = _numbered(folder)
    if not numbered:
        raise FileError(folder, None, "has no folders Fold1, Fold2, …; expected FoldN/{train,vali,test}.txt")
    return [Fold(path.name, {part: _needed(path, part) for part in PARTS}) for path in numbered]


def _needed(folder: Path, part: str) -> Path:
    path = _part(folder, part)
    if path is None:
        raise FileError(folder, None, f"has no {part}.txt (nor {part}.txt.gz); a fold has train.txt, vali.txt and test.txt")
    return path


def known_as(path: str | os.PathLike[str]) -> str | None:
    """What a file is, if it is one of the published files whose checksum we know."""
    digest = hashlib.sha256()
    with open_bytes(path) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return _KNOWN.get(digest.hexdigest()[:16])


def known_titles() -> frozenset[str]:
    """The collections whose published files we know by their checksums, such as LETOR 4.0 MQ2008."""
    return frozenset(said.split(",")[0] for said in _KNOWN.values())
