"""Sources: files in, datasets out, and back. FORMATS is the table; a file's ending says which row of it applies."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from podium.dataset import Dataset
from podium.errors import DataError, UnknownName
from podium.sources import letor, letor_writing, mapped, tables
from podium.sources.streams import Progress, bare_suffix

__all__ = ["FORMATS", "Format", "format_of", "open_dataset", "save_dataset"]

Reader = Callable[[list[Path], Progress | None], Dataset]


@dataclass(frozen=True)
class Format:
    """One way to keep a dataset."""

    suffixes: tuple[str, ...]
    meaning: str
    read: Reader
    write: Callable[[Dataset, Path], None]


def _only(paths: list[Path]) -> Path:
    if len(paths) != 1:
        raise DataError(f"several files can be read as one only in LETOR form, got {', '.join(map(str, paths))}")
    return paths[0]


FORMATS: dict[str, Format] = {
    "letor": Format(
        (".txt", ".letor", ".svm", ".svmlight", ".libsvm", ".dat", ""),
        "LETOR / SVMlight text, also .gz .xz .zst",
        lambda paths, progress: letor.read_letor(*paths, progress=progress),
        letor_writing.write_letor,
    ),
    "podium": Format(
        (".podium",),
        "a folder of memory-mapped arrays; opens at once, any size",
        lambda paths, _: mapped.read_mapped(_only(paths)),
        mapped.write_mapped,
    ),
    "arrow": Format(
        (".parquet", ".feather", ".arrow"),
        "Parquet or Feather table (needs pyarrow)",
        lambda paths, _: tables.read_arrow_file(_only(paths)),
        tables.write_arrow_file,
    ),
}


def format_of(path: str | os.PathLike[str]) -> str:
    """The name of the format that a path's ending stands for.

    >>> format_of("Fold1/train.txt.gz"), format_of("big.podium"), format_of("table.parquet")
    ('letor', 'podium', 'arrow')
    """
    suffix = bare_suffix(path)
    for name, form in FORMATS.items():
        if suffix in form.suffixes:
            return name
    raise UnknownName("ending", suffix, [ending for form in FORMATS.values() for ending in form.suffixes if ending])


def open_dataset(path: str | os.PathLike[str], *more: str | os.PathLike[str], progress: Progress | None = None) -> Dataset:
    """Open a dataset in any of FORMATS, told by its ending; several LETOR files are read as one."""
    return FORMATS[format_of(path)].read([Path(path), *map(Path, more)], progress)


def save_dataset(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a dataset in the format that the ending stands for; what appears is whole."""
    FORMATS[format_of(path)].write(data, Path(path))
