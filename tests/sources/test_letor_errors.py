"""Bad LETOR files: each is refused with its place, the field seen and what was expected."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard
from tests.sources.letor_strategies import cut_small

from podium import DataError, FileError, read_letor

LABEL = "first field must be the label, a finite number such as 2 or 0.5"
QID = "second field must be 'qid:<id>'"
FEATURE = "feature must be '<number>:<value>'"
NUMBER = "feature number must be a whole number from 1 on"
ASCEND = "feature numbers must ascend within a line"
LIMIT = "feature number must be at most 16384 (features are stored densely; pass max_features= if it is meant)"
VALUE = "feature value must be a finite number or NULL"
RETURN = "carriage return in the middle of a line"

BAD_LINES = [
    (b"quid:3 1:1", LABEL, "quid:3"),
    (b"qid:3 1:1", LABEL, "qid:3"),
    (b"x qid:3 1:1", LABEL, "x"),
    (b"nan qid:3 1:1", LABEL, "nan"),
    (b"inf qid:3 1:1", LABEL, "inf"),
    (b"-Infinity qid:3 1:1", LABEL, "-Infinity"),
    (b"1e400 qid:3 1:1", LABEL, "1e400"),
    (b"-1e400#c", QID, ""),
    (b"1_000 qid:3 1:1", LABEL, "1_000"),
    (b"0x10 qid:3 1:1", LABEL, "0x10"),
    (b"1,5 qid:3 1:1", LABEL, "1,5"),
    (b"NULL qid:3 1:1", LABEL, "NULL"),
    (b"1e qid:3 1:1", LABEL, "1e"),
    (b"1e+ qid:3 1:1", LABEL, "1e+"),
    (b". qid:3 1:1", LABEL, "."),
    (b"- qid:3 1:1", LABEL, "-"),
    (b"+-1 qid:3 1:1", LABEL, "+-1"),
    (b"1.2.3 qid:3 1:1", LABEL, "1.2.3"),
    (b"1: qid:3 1:1", LABEL, "1:"),
    (b"1\x00 qid:3 1:1", LABEL, "1\x00"),
    (b"\xef\xbb\xbf1 qid:3 1:1", LABEL, "\ufeff1"),
    (b"\x0c", LABEL, "\x0c"),
    (b"1", QID, ""),
    (b"1 # a", QID, ""),
    (b"1 1:1", QID, "1:1"),
    (b"1 quid:3 1:1", QID, "quid:3"),
    (b"1 QID:3 1:1", QID, "QID:3"),
    (b"1 qid:", QID, "qid:"),
    (b"1 qid: 3 1:1", QID, "qid:"),
    (b"1 qid:#3 1:1", QID, "qid:"),
    (b"1 qid 1:1", QID, "qid"),
    (b"1 qid:3 1", FEATURE, "1"),
    (b"1 qid:3 1:1 word", FEATURE, "word"),
    (b"1 qid:3 1 :1", FEATURE, "1"),
    (b"1 qid:3 :1", FEATURE, ":1"),
    (b"1 qid:3 0:1", NUMBER, "0:1"),
    (b"1 qid:3 000:1", NUMBER, "000:1"),
    (b"1 qid:3 -1:1", NUMBER, "-1:1"),
    (b"1 qid:3 +1:1", NUMBER, "+1:1"),
    (b"1 qid:3 1.5:1", NUMBER, "1.5:1"),
    (b"1 qid:3 a:1", NUMBER, "a:1"),
    (b"1 qid:3 qid:3", NUMBER, "qid:3"),
    (b"1 qid:3 2:1 1:1", ASCEND, "1:1"),
    (b"1 qid:3 1:1 2:1 2:3", ASCEND, "2:3"),
    (b"1 qid:3 16385:1", LIMIT, "16385:1"),
    (b"1 qid:3 1:1 99999999999:1", LIMIT, "99999999999:1"),
    (b"1 qid:3 18446744073709551617:1", LIMIT, "18446744073709551617:1"),
    (b"1 qid:3 1:", VALUE, "1:"),
    (b"1 qid:3 1:#", VALUE, "1:"),
    (b"1 qid:3 1:x", VALUE, "1:x"),
    (b"1 qid:3 1:NaN", VALUE, "1:NaN"),
    (b"1 qid:3 1:inf", VALUE, "1:inf"),
    (b"1 qid:3 1:-inf", VALUE, "1:-inf"),
    (b"1 qid:3 1:null", VALUE, "1:null"),
    (b"1 qid:3 1:NUL", VALUE, "1:NUL"),
    (b"1 qid:3 1:NULLS", VALUE, "1:NULLS"),
    (b"1 qid:3 1:-NULL", VALUE, "1:-NULL"),
    (b"1 qid:3 1:0.5x", VALUE, "1:0.5x"),
    (b"1 qid:3 1:0.5:2", VALUE, "1:0.5:2"),
    (b"1 qid:3 1:0.123456789.", VALUE, "1:0.123456789."),
    (b"1 qid:3 1:-", VALUE, "1:-"),
    (b"1 qid:3 1:1 2:0.5\x002", VALUE, "2:0.5\x002"),
    (b"1 qid:3 1:1e400", VALUE, "1:1e400"),
    (b"1 qid:3 1:1e39", VALUE, "1:1e39"),
    (b"1 qid:3 1:3.41e38", VALUE, "1:3.41e38"),
    (b"1 qid:3 1:-3.4028236e38", VALUE, "1:-3.4028236e38"),
    (b"1 qid:3 1:-3.4028235677973366e38", VALUE, "1:-3.4028235677973366e38"),
    (b"1 qid:3 1:340282356779733661637539395458142568448 # half way to the next", VALUE, "1:340282356779733661637539395458142568448"),
    (b"1 qid:3 1:1\r2:2", RETURN, ""),
    (b"1 qid:3 1:1\r\r", RETURN, ""),
    (b"1 qid:3\r1:1", RETURN, ""),
    (b"1 qid:3 1:1 \r# c", RETURN, ""),
    (b"1 qid:\xff 1:1", "query id must be UTF-8 text", "\\xff"),
    (b"1 qid:3 1:1 #\xff\xfe", "comment must be UTF-8 text", "\\xff\\xfe"),
    (b"1 qid:3 1:1 #docid = a caf\xe9", "comment must be UTF-8 text", "caf\\xe9"),
    (b"1 qid:3 1:1 #docid = a \xc3 \xa9", "comment must be UTF-8 text", "\\xc3"),
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("line", "problem", "field"), BAD_LINES, ids=[repr(line)[2:-1] for line, _, _ in BAD_LINES])
def test_a_bad_line_is_named_with_its_field_and_what_was_expected(
    tmp_path: Path, line: bytes, problem: str, field: str, end: bytes
) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(b"2 qid:1 1:0.5 2:0.25 #docid = a" + end + end + line + end + b"1 qid:1 1:0.5" + end)
    with pytest.raises(FileError) as caught:
        read_letor(path)
    assert (caught.value.path, caught.value.line, caught.value.problem) == (str(path), 3, problem)
    if problem != RETURN:  # where the return stands, there is no field to show
        assert caught.value.field in ([field, field.partition(":")[2]] if problem == VALUE else [field])
    assert str(caught.value) == f"{path}:3: {problem}, got {caught.value.field!r}"


@pytest.mark.parametrize("blanks", [b" ", b"  ", b"\t"])
@pytest.mark.parametrize("field", [b"2:NaN", b"2:", b"2:1e39", b"2:0.5x"])
def test_a_bad_value_is_shown_with_its_feature_number_however_the_line_is_spaced(tmp_path: Path, field: bytes, blanks: bytes) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(b"1 qid:3 1:1" + blanks + field + b" 3:1\n")
    with pytest.raises(FileError) as caught:
        read_letor(path)
    assert caught.value.field == field.decode()


@pytest.mark.parametrize("line", [b"1\rqid:3 1:1", b"1 \rqid:3 1:1", b"\r1 qid:3 1:1", b" \r1 qid:3 1:1", b"\r"])
def test_a_stray_return_before_the_features_is_not_told_as_something_else(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(b"2 qid:1 1:0.5\n" + line + b"\r\n1 qid:1 1:0.5\n")
    with pytest.raises(FileError, match=r"train.txt:2: carriage return"):
        read_letor(path)


def test_a_file_with_old_line_ends_of_returns_only_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mac.txt"
    path.write_bytes(b"1 qid:1 1:1\r2 qid:1 1:2\r")
    with pytest.raises(FileError, match=r"mac.txt:1: carriage return"):
        read_letor(path)


def test_a_long_field_is_shown_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    for line in (b"1 qid:1 1:" + b"x" * 5000, b"y" * 5000, b"1 qid:1 1:" + b"9" * 390):
        path.write_bytes(line)
        with pytest.raises(FileError) as caught:
            read_letor(path)
        assert caught.value.field is not None
        assert line.endswith(caught.value.field[-20:-1].encode())
        assert len(caught.value.field) < 80
        assert caught.value.field.endswith("…")


# ---- where the line is, deep in the file ----


@pytest.mark.parametrize("bad", [b"1 qid:3 1:x", b"1 qid:3 1:1e39", b"1 qid:\xff", b"1 qid:3 1:1 # \xff", b"1 3"])
@pytest.mark.parametrize(("block", "piece", "threads"), [(8 << 20, 256 << 10, 1), (8 << 20, 1000, 2), (500, 100, 3), (64, 1, 1)])
@pytest.mark.parametrize("line", [1, 7, 2500, 5001])
def test_the_line_number_counts_every_line(tmp_path: Path, line: int, block: int, piece: int, threads: int, bad: bytes) -> None:
    lines = [(b"2 qid:%d 1:0.5 2:%d.25 # %d n" % (n // 9, n, n), b"", b"# \xff", b"1 qid:1 1:2\r")[n * 7 % 4] for n in range(6000)]
    lines[line - 1] = bad
    path = tmp_path / "train.txt"
    path.write_bytes(b"\n".join(lines))
    with cut_small(block, piece, threads), pytest.raises(FileError) as caught:
        read_letor(path)
    assert caught.value.line == line


def test_the_first_of_two_bad_lines_is_told_when_two_threads_find_them(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_bytes(b"1 qid:1 1:1\n" * 300 + b"1 qid:1 1:x\n" + b"1 qid:1 1:1\n" * 600 + b"1 qid:1 5:y\n")
    with cut_small(piece=1000, threads=4), pytest.raises(FileError) as caught:
        read_letor(path)
    assert caught.value.line == 301


def test_lines_of_a_second_file_are_counted_from_its_beginning(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("1 qid:1 1:1\n" * 100)
    bad.write_text("1 qid:1 1:1\n\n1 qid:2 oops:1\n")
    with pytest.raises(FileError) as caught:
        read_letor(good, bad)
    assert (caught.value.path, caught.value.line, caught.value.field) == (str(bad), 3, "oops:1")


# ---- files that are not what they should be ----


@pytest.mark.parametrize("content", [b"", b"\n \n\r\n", b"# nothing\n#\xff", b"#"])
def test_a_file_without_rows_is_refused_also_as_the_second(tmp_path: Path, content: bytes) -> None:
    good, path = tmp_path / "good.txt", tmp_path / "empty.txt"
    good.write_text("1 qid:1 1:1\n")
    path.write_bytes(content)
    for paths in ((path,), (good, path)):
        with pytest.raises(FileError, match=r"empty.txt: has no rows; expected lines such as '2 qid:1") as caught:
            read_letor(*paths)
        assert (caught.value.line, caught.value.field) == (None, None)


@pytest.mark.parametrize("seed", range(5))
def test_binary_garbage_is_refused(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(np.random.default_rng(seed).bytes(50_000))
    with pytest.raises(FileError, match=r"model.bin:1: first field must be the label"):
        read_letor(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for name in ("none.txt", "none.txt.gz", "none.xz", "none.zst"):
        with pytest.raises(FileError, match=f"{name}: there is no such file"):
            read_letor(tmp_path / name)
    for suffix in ("", ".gz", ".xz", ".zst"):
        (tmp_path / f"folder{suffix}").mkdir()
        with pytest.raises(FileError, match=f"folder{suffix}: cannot be opened: is a directory"):
            read_letor(tmp_path / f"folder{suffix}")


def test_a_file_error_is_a_data_error_and_a_value_error() -> None:
    assert issubclass(FileError, DataError)
    assert issubclass(FileError, ValueError)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


@pytest.mark.parametrize("kept", [0.002, 0.5, 0.99, -1])
@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_compressed_file_that_is_cut_off_is_refused(tmp_path: Path, suffix: str, kept: float) -> None:
    random = np.random.default_rng(0)
    whole = COMPRESS[suffix](b"".join(b"1 qid:%d 1:%.6f\n" % (n // 10, random.random()) for n in range(20_000)))
    path = tmp_path / f"train.txt{suffix}"
    path.write_bytes(whole[: int(kept * len(whole))] if kept > 0 else whole[:-1])
    with pytest.raises(FileError, match=f"is cut off or damaged as {suffix} data") as caught:
        read_letor(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_plain_text_and_damaged_data_under_a_compressed_name_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"train.txt{suffix}"
    whole = bytearray(COMPRESS[suffix](b"1 qid:1 1:1\n" * 10))
    whole[len(whole) // 2] ^= 0xFF
    for content in (b"1 qid:1 1:1\n" * 10, bytes(whole)):
        path.write_bytes(content)
        with pytest.raises(FileError, match=f"is cut off or damaged as {suffix} data"):
            read_letor(path)
