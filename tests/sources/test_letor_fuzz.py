"""Agreement with the plain parser: however the text is cut, and on ten thousand damaged files, which are read alike or refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.sources.letor_strategies import Refused, assert_agrees, cut_small, plain_letor

from podium import Dataset, FileError, read_letor
from podium.ragged import check_offsets

Random = np.random.Generator

SEEDS = [
    b"2 qid:10 1:0.5 2:0.25 3:1 #docid = GX1 inc = 1 prob = 0.08\n0 qid:10 1:0 2:0.125 3:-2.5 #docid = GX2 inc = 1\n1 qid:1 1:3 # G3\n",
    b"1 qid:a 1:1\n\n# said in passing\n0 qid:b 3:1e-3\r\n2 qid:a\t2:NULL  4:16777217.00000001\n",
    b"0.5 qid:Z\xc3\xbcrich 1:0.123456789 5:12345678.9 # 1A a note\r\n-1 qid:Z\xc3\xbcrich 2:1e30 # 2B\n",
    b"3 qid:1\n1 qid:2 1:+1 2:.5 3:5. 4:-0 # x\n3 qid:1 # y z = 1",
]
ODD_BYTES = [b"\x00", b"\xff", b"#", b":", b"\r", b"\n", b" ", b"\t", b".", b"-", b"+", b"e", b"9", b"=", b"\xc3", b"\xe9", b"\x0b"]
ODD_TOKENS = [
    b"NULL", b"nan", b"inf", b"1e39", b"1e400", b"3.4028235677973366e38", b"1e-46", b"qid:", b"qid:7", b"0:1", b"-1:2", b"99999999999:1",
    b"20000:1", b"7:7", b"#docid =", b"#", b"1:1", b"0.1" * 2, b"123456789012345678901234567890", b"\r\n", b"docid = 5", b"\xef\xbb\xbf",
]  # fmt: skip


def flip(text: bytes, random: Random) -> bytes:
    at = random.integers(len(text))
    return text[:at] + bytes([text[at] ^ 1 << random.integers(8)]) + text[at + 1 :]


def insert_odd_byte(text: bytes, random: Random) -> bytes:
    at = random.integers(len(text) + 1)
    return text[:at] + ODD_BYTES[random.integers(len(ODD_BYTES))] + text[at:]


def delete(text: bytes, random: Random) -> bytes:
    at = random.integers(len(text))
    return text[:at] + text[at + random.integers(1, 6) :]


def repeat(text: bytes, random: Random) -> bytes:
    at, size = random.integers(len(text)), random.integers(1, 12)
    return text[: at + size] + text[at:]


def truncate(text: bytes, random: Random) -> bytes:
    return text[: random.integers(len(text) + 1)]


def shuffle_digits(text: bytes, random: Random) -> bytes:
    return re.sub(rb"[0-9]", lambda _: b"%d" % random.integers(10), text, count=int(random.integers(1, 8)))


def _swapped(parts: list[bytes], random: Random) -> list[bytes]:
    a, b = random.integers(len(parts), size=2)
    parts[a], parts[b] = parts[b], parts[a]
    return parts


def swap_fields(text: bytes, random: Random) -> bytes:
    return b" ".join(_swapped(text.split(b" "), random))


def splice_lines(text: bytes, random: Random) -> bytes:
    parts = text.split(b"\n")
    return b"\n".join(_swapped([*parts, parts[random.integers(len(parts))]], random))


def put_odd_token(text: bytes, random: Random) -> bytes:
    parts = text.split(b" ")
    parts[random.integers(len(parts))] = ODD_TOKENS[random.integers(len(ODD_TOKENS))]
    return b" ".join(parts)


def insert_token(text: bytes, random: Random) -> bytes:
    parts = text.split(b" ")
    parts.insert(int(random.integers(len(parts) + 1)), ODD_TOKENS[random.integers(len(ODD_TOKENS))])
    return b" ".join(parts)


MUTATIONS: list[Callable[[bytes, Random], bytes]] = [
    flip, insert_odd_byte, delete, repeat, truncate, shuffle_digits, swap_fields, splice_lines, put_odd_token, insert_token,
]  # fmt: skip


def mutated(random: Random) -> bytes:
    text = SEEDS[random.integers(len(SEEDS))]
    for _ in range(random.integers(1, 4)):
        text = MUTATIONS[random.integers(len(MUTATIONS))](text or b"1", random)
    return text


def check_invariants(data: Dataset) -> None:
    assert data.features.dtype == np.float32
    assert data.features.shape == (data.n_rows, data.n_features)
    assert data.labels.shape == (data.n_rows,)
    check_offsets(data.offsets, data.n_rows)
    assert (data.sizes > 0).all()
    assert np.isfinite(data.labels).all()
    assert not np.isinf(data.features).any()
    assert len(set(data.query_ids.tolist())) == data.n_queries
    assert "" not in data.query_ids.tolist()
    assert len(data.document_ids.tolist()) == data.n_rows


def check_file(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    expected = plain_letor(content)
    if isinstance(expected, Refused):
        with pytest.raises(FileError) as caught:
            read_letor(path)
        assert str(caught.value).startswith(f"{path}:")
        assert caught.value.line in (expected.lines or [None])
        return "error"
    data = read_letor(path)
    check_invariants(data)
    assert_agrees(data, expected)
    return "dataset"


@pytest.mark.parametrize(
    ("block", "piece", "threads", "files"), [(8 << 20, 256 << 10, 1, 6000), (64, 256 << 10, 1, 2000), (256, 30, 2, 2000)]
)
def test_damaged_files_are_read_as_the_plain_parser_reads_them(tmp_path: Path, block: int, piece: int, threads: int, files: int) -> None:
    random, seen = np.random.default_rng(block), Counter[str]()
    with cut_small(block, piece, threads):
        for _ in range(files):
            content = mutated(random)
            try:
                seen[check_file(tmp_path / "damaged.txt", content)] += 1
            except BaseException as error:
                error.add_note(f"the file was {content!r}")
                raise
    assert seen["error"] > files // 4
    assert seen["dataset"] > files // 4


def test_every_file_the_mutations_start_from_is_good(tmp_path: Path) -> None:
    for content in SEEDS:
        assert check_file(tmp_path / "good.txt", content) == "dataset"


# ---- the same result however the text is cut ----


@pytest.fixture(scope="module")
def motley() -> bytes:
    """A few hundred lines with everything in them: gaps, growth, scattered queries, comments, empty lines, numbers hard to round."""
    random, lines = np.random.default_rng(3), []
    for n in range(400):
        width = 3 + n // 60
        numbers = np.flatnonzero(random.random(width) < 0.8) + 1
        values = [random.choice(["NULL", "0", "-1.5", "0.123456789012", f"{random.random():.6f}", "16777217.00000000001"]) for _ in numbers]
        features = " ".join(f"{number}:{value}" for number, value in zip(numbers, values, strict=True))
        comment = random.choice(["", f" #docid = d{n} inc = 1", f" # d{n}", f" #ü{n} ünd so"])
        lines.append(f"{random.integers(0, 5)} qid:{n // 9 if n % 50 else 'rare'} {features}{comment}")
        lines.extend(["", "# in between", " \t"][: random.integers(0, 4)] if n % 7 == 0 else [])
    return "".join(line + random.choice(["\n", "\r\n"]) for line in lines).encode()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("block", [64, 100, 257, 1024, 5000, 8 << 20])
def test_blocks_pieces_and_threads_do_not_show(tmp_path: Path, motley: bytes, block: int, threads: int) -> None:
    path, plain = tmp_path / "motley.txt", plain_letor(motley)
    path.write_bytes(motley)
    for piece in (1, 40, 300, 3000):
        with cut_small(block, piece, threads):
            assert_agrees(read_letor(path), plain)
