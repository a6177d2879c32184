"""A LETOR file to read: made with a seed, as large as asked for, in the shape of MQ2007."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["N_FEATURES", "cut_head", "write_sample"]

N_FEATURES = 46
_DECIMALS = 6


def write_sample(path: Path, size: int, *, seed: int = 0) -> None:
    """Write whole queries of 400 to 600 documents until the file has ``size`` bytes: every feature on every line, three in ten 0."""
    rng = np.random.default_rng(seed)
    query = 0
    with path.open("wb") as file:
        while file.tell() < size:
            query += 1
            file.write(_lines(rng, query).tobytes())


def cut_head(source: Path, target: Path, size: int) -> None:
    """Copy the whole lines among the first ``size`` bytes."""
    with source.open("rb") as file:
        head = file.read(size)
    target.write_bytes(head[: head.rfind(b"\n") + 1])


def _lines(rng: np.random.Generator, query: int) -> Any:
    """The lines of a query as a table of bytes: a pattern repeated, then its digits overwritten column by column."""
    rows = int(rng.integers(400, 601))
    pattern = _pattern(query)
    lines = np.tile(np.frombuffer(pattern, np.uint8), (rows, 1))
    values = rng.integers(0, 10**_DECIMALS, (rows, N_FEATURES), endpoint=True)
    values[rng.random(values.shape) < 0.3] = 0
    starts = np.array([pattern.index(b" %d:" % number) + len(b" %d:" % number) for number in range(1, N_FEATURES + 1)])
    _put_digits(lines, starts, values // 10**_DECIMALS, 1)
    _put_digits(lines, starts + 2, values, _DECIMALS)
    _put_digits(lines, np.array([0]), rng.choice(3, (rows, 1), p=[0.7, 0.2, 0.1]), 1)
    document = pattern.index(b"GX")
    for begin, digits in ((2, 3), (6, 2), (9, 7)):
        _put_digits(lines, np.array([document + begin]), rng.integers(0, 10**digits, (rows, 1)), digits)
    _put_digits(lines, np.array([len(pattern) - 1 - _DECIMALS]), rng.integers(0, 10**_DECIMALS, (rows, 1)), _DECIMALS)
    return lines


def _pattern(query: int) -> bytes:
    features = " ".join(f"{number}:0.{'0' * _DECIMALS}" for number in range(1, N_FEATURES + 1))
    return f"0 qid:{query} {features} #docid = GX000-00-0000000 inc = 1 prob = 0.{'0' * _DECIMALS}\n".encode()


def _put_digits(lines: Any, starts: Any, numbers: Any, digits: int) -> None:
    """Write the last ``digits`` digits of each number at its start; ``numbers`` has a column for each start."""
    for place in range(digits - 1, -1, -1):
        numbers, digit = np.divmod(numbers, 10)
        lines[:, starts + place] = digit + ord("0")
