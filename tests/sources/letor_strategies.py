"""What the LETOR tests share: random datasets and numbers, settings that cut the text small, and a slow plain parser to agree with."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

import hypothesis.strategies as st
import numpy as np
import pytest

from podium.dataset import Dataset
from podium.ragged import offsets_of, set_threads
from podium.strings import Strings

# ---- random datasets ----

LARGEST = float(np.finfo(np.float32).max)
VALUES = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=True),
    st.sampled_from(
        [0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 1e-30, -1e30, LARGEST, -LARGEST, 1e-5, 9.99999e8, 1e9, 0.1, 16777217, math.nan]
    ),
    st.integers(-1000, 1000).map(lambda n: n / 100),
)
LABELS = st.one_of(
    st.integers(-5, 10).map(float), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.1, -2.5, 1e300, 5e-324])
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
WORDS = TEXTS.filter(lambda text: text.split() == [text])
QUERY_IDS = WORDS.filter(lambda word: "#" not in word)
NOTES = st.one_of(
    st.just(""),
    st.lists(WORDS, max_size=3).map(" ".join),
    st.integers(0, 9).map(lambda n: f"inc = {n} prob = 0.{n}"),
    WORDS.map("= {}".format),
)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """1 to 5 queries of 1 to 4 documents with 0 to 30 features; ids and notes all, some or none."""
    query_ids = draw(st.lists(QUERY_IDS, min_size=1, max_size=5, unique=True))
    sizes = draw(st.lists(st.integers(1, 4), min_size=len(query_ids), max_size=len(query_ids)))
    rows, width = sum(sizes), draw(st.integers(0, 30))
    per_row = lambda values: draw(st.lists(values, min_size=rows, max_size=rows))
    pool = np.array(draw(st.lists(VALUES, min_size=1, max_size=12)), dtype=np.float32)
    features = np.random.default_rng(draw(st.integers(0, 2**32))).choice(pool, size=(rows, width))
    ids = notes = None
    if draw(st.booleans()):
        ids = per_row(st.one_of(WORDS, st.just("")))
        ids[-1] = ids[-1] or "last"  # a source without a single id has no column of ids
        notes = [note if document else "" for document, note in zip(ids, per_row(NOTES), strict=True)] if draw(st.booleans()) else None
    return Dataset(
        features, np.array(per_row(LABELS)), offsets_of(sizes), Strings.of(query_ids),
        None if ids is None else Strings.of(ids), None if notes is None else Strings.of(notes),
    )  # fmt: skip


# ---- random numbers, as text ----


@st.composite
def decimal_texts(draw: st.DrawFn) -> str:
    """A finite decimal of 1 to 25 digits: signs, leading zeros, ``.5``, ``5.``, exponents."""
    digits = draw(st.text("0123456789", min_size=1, max_size=25))
    point = draw(st.one_of(st.none(), st.integers(0, len(digits))))
    text = digits if point is None else f"{digits[:point]}.{digits[point:]}"
    exponent = draw(
        st.one_of(st.just(""), st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 60)))
    )
    return draw(st.sampled_from(["", "-", "+"])) + draw(st.sampled_from(["", "0", "000"])) + text + exponent


@st.composite
def midpoint_texts(draw: st.DrawFn) -> str:
    """A decimal at, or a hair beside, the middle of two neighbouring float32, where rounding turns."""
    low = np.uint32(draw(st.integers(0, 0x7F7FFFFE))).view(np.float32)
    middle = Decimal((float(low) + float(np.nextafter(low, np.float32(np.inf)))) / 2)
    beside = middle * (1 + Decimal(draw(st.sampled_from([-1, 0, 1]))).scaleb(-draw(st.integers(7, 24))))
    text = draw(st.sampled_from([f"{beside:.{draw(st.integers(6, 24))}e}", f"{middle:e}", f"{middle:f}"[:300]]))
    return draw(st.sampled_from(["", "-"])) + text


def float32(text: str) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(float(text))


# ---- the text cut small, so that little files meet every edge ----


@contextlib.contextmanager
def cut_small(block: int = 8 << 20, piece: int = 256 << 10, threads: int | None = None) -> Iterator[None]:
    """Read blocks of ``block`` bytes, parsed in pieces of about ``piece`` bytes by so many threads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.sources.blocks._BLOCK", block)
        patch.setattr("podium.sources.letor._PIECE", piece)
        set_threads(threads)
        try:
            yield
        finally:
            set_threads(None)


# ---- the slow plain parser ----

_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FEATURE = re.compile(rb"([0-9]+):(.*)", re.DOTALL)


@dataclass
class Refused:
    """The plain parser's answer to a bad file: all its bad lines, none if it only lacks rows."""

    lines: list[int]


@dataclass
class Plain:
    """Rows in the order of the file."""

    labels: list[float] = field(default_factory=list)
    query_ids: list[str] = field(default_factory=list)
    features: list[dict[int, np.float32]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def plain_letor(content: bytes, limit: int = 16_384) -> Plain | Refused:
    """What the docstring of ``podium.sources.letor`` says, line by line and field by field."""
    rows, bad = Plain(), []
    lines = content.split(b"\n")
    for number, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
        try:
            _plain_line(rows, line, limit)
        except ValueError:  # also what decoding raises
            bad.append(number)
    return rows if rows.labels and not bad else Refused(bad)


def _plain_line(rows: Plain, line: bytes, limit: int) -> None:
    body, hash_sign, comment = line.partition(b"#")
    if not hash_sign:
        body = body.removesuffix(b"\r")
    if b"\r" in body:
        raise ValueError
    fields = [part for part in re.split(rb"[ \t]+", body) if part]
    if not fields:
        return
    label = _plain_number(fields[0])
    if len(fields) < 2 or not fields[1].startswith(b"qid:") or fields[1] == b"qid:" or math.isinf(label):
        raise ValueError
    query_id, document, note = fields[1][4:].decode(), *_plain_comment(comment)
    features = _plain_features(fields[2:], limit)
    for column, value in zip(
        (rows.labels, rows.query_ids, rows.features, rows.documents, rows.notes), (label, query_id, features, document, note), strict=True
    ):
        column.append(value)


def _plain_number(text: bytes) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError
    return float(text)


def _plain_features(fields: list[bytes], limit: int) -> dict[int, np.float32]:
    features: dict[int, np.float32] = {}
    for each in fields:
        found = _FEATURE.fullmatch(each)
        number = int(found[1]) if found else 0
        if not found or number > limit or number <= max(features, default=0):
            raise ValueError
        with np.errstate(over="ignore"):
            value = np.float32(math.nan if found[2] == b"NULL" else _plain_number(found[2]))
        if np.isinf(value):
            raise ValueError
        features[number] = value
    return features


def _plain_comment(comment: bytes) -> tuple[str, str]:
    comment = comment.lstrip(b" \t")
    if told := re.match(rb"docid[ \t]*=[ \t]*", comment):
        comment = comment[told.end() :]
    word = re.match(rb"[^ \t\r]*", comment)[0]  # type: ignore[index]
    return word.decode(), comment[len(word) :].lstrip(b" \t").rstrip(b" \t\r").decode()


def assert_agrees(data: Dataset, plain: Plain | Refused) -> None:
    """Everything the reader says against everything the plain parser says, bit for bit."""
    assert isinstance(plain, Plain)
    groups: dict[str, list[int]] = {}
    for row, query_id in enumerate(plain.query_ids):
        groups.setdefault(query_id, []).append(row)
    order = [row for rows in groups.values() for row in rows]
    expected = np.zeros((len(order), max((max(row, default=0) for row in plain.features), default=0)), np.float32)
    for at, row in enumerate(order):
        for number, value in plain.features[row].items():
            expected[at, number - 1] = value
    assert data.query_ids.tolist() == list(groups)
    assert data.offsets.tolist() == offsets_of([len(rows) for rows in groups.values()]).tolist()
    assert data.labels.tobytes() == np.array([plain.labels[row] for row in order]).tobytes()
    assert data.features.shape == expected.shape
    missing = np.isnan(expected)
    assert np.array_equal(np.isnan(data.features), missing)
    assert np.where(missing, np.float32(0), data.features).tobytes() == np.where(missing, np.float32(0), expected).tobytes()
    if any(plain.documents) or any(plain.notes):
        assert data.document_ids.tolist() == [plain.documents[row] for row in order]
        assert (data.notes.tolist() if data.notes is not None else [""] * len(order)) == [plain.notes[row] for row in order]
    else:
        assert data.given_ids is None
        assert data.notes is None
        assert data.document_ids.tolist() == [str(n) for rows in groups.values() for n in range(1, len(rows) + 1)]
    assert (None if data.input_rows is None else data.input_rows.tolist()) == (None if order == sorted(order) else order)
