"""Bytes from and to files."""

from __future__ import annotations

import errno
import gzip
import os
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.letor_strategies import cut_small

from podium import FileError, MissingDependency
from podium.sources import blocks as blocks_module
from podium.sources.blocks import blocks
from podium.sources.streams import COMPRESSIONS, atomic_file, bare_suffix, open_bytes, read_text

SUFFIXES = ["", *COMPRESSIONS]


def put(path: Path, content: bytes) -> Path:
    with atomic_file(path) as file:
        file.write(content)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("train.txt", ".txt"),
        ("Fold1/train.TXT.gz", ".txt"),
        ("run.parquet", ".parquet"),
        ("a.b.xz", ".b"),
        ("a.ZST", ""),
        ("run", ""),
        (".gz", ""),
        ("a.gz.txt", ".txt"),
        ("v1.2/run", ""),
    ],
)
def test_the_bare_suffix_is_the_ending_without_compression(name: str, suffix: str) -> None:
    assert bare_suffix(name) == suffix
    assert bare_suffix(Path(name)) == suffix


# ---- reading ----


@given(content=st.text("ab\n\r", max_size=300).map(str.encode), block=st.sampled_from([1, 2, 7, 64, 4096, 8 << 20]))
def test_blocks_are_the_whole_file_in_whole_lines(folder: Path, content: bytes, block: int) -> None:
    path = folder / "lines.txt"
    path.write_bytes(content)
    with cut_small(block):
        parts = [(buffer[:end].tobytes(), len(buffer) - end) for buffer, end in blocks(path)]
    assert b"".join(part for part, _ in parts) == (content if content.endswith(b"\n") or not content else content + b"\n")
    assert all(part.endswith(b"\n") for part, _ in parts)
    assert all(room >= 8 for _, room in parts), "the parser looks at eight bytes behind the end"


@pytest.mark.parametrize("length", [3, 60, 64, 65, 5000, 100_000])
def test_a_line_longer_than_a_block_is_still_one_line(tmp_path: Path, length: int) -> None:
    content = b"a\n" + b"b" * length + b"\n" + b"c\n" * 100
    path = put(tmp_path / "lines.txt", content)
    with cut_small(64):
        assert b"".join(buffer[:end].tobytes() for buffer, end in blocks(path)) == content


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "zeros.bin", bytes(3 << 20))
    monkeypatch.setattr(blocks_module, "_LONGEST_LINE", 1 << 20)
    with cut_small(1000), pytest.raises(FileError, match=r"zeros.bin: has a line of more than 1 MB; is it a text file?"):
        list(blocks(path))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_progress_never_goes_back_and_ends_at_the_total(tmp_path: Path, suffix: str) -> None:
    random = np.random.default_rng(0)
    path = put(tmp_path / f"lines.txt{suffix}", b"".join(b"%d\n" % n for n in random.integers(0, 10**9, 100_000)))
    calls: list[tuple[int, int]] = []
    with cut_small(100_000):
        blocks_seen = sum(1 for _ in blocks(path, lambda done, total: calls.append((done, total))))
    total = path.stat().st_size
    assert {whole for _, whole in calls} == {total}
    assert calls == sorted(calls)
    assert calls[-1] == (total, total)
    assert len(calls) == blocks_seen > 5
    if suffix in ("", ".gz", ".xz"):
        assert len({done for done, _ in calls}) > 3, "it moves in between"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_was_written_is_read_by_blocks_text_and_bytes(tmp_path: Path, suffix: str) -> None:
    content = "Zürich\n北京".encode()
    path = put(tmp_path / f"text.txt{suffix}", content)
    assert read_text(path) == "Zürich\n北京"
    with open_bytes(path) as stream:
        assert stream.read() == content
    assert b"".join(buffer[:end].tobytes() for buffer, end in blocks(path)) == content + b"\n"


def test_several_compressed_parts_in_one_file_are_all_read(tmp_path: Path) -> None:
    for suffix in COMPRESSIONS:
        path = tmp_path / f"parts.txt{suffix}"
        one, two = put(tmp_path / f"one{suffix}", b"one\n").read_bytes(), put(tmp_path / f"two{suffix}", b"two\n").read_bytes()
        path.write_bytes(one + two)
        assert read_text(path) == "one\ntwo\n"
        assert [buffer[:end].tobytes() for buffer, end in blocks(path)] == [b"one\ntwo\n"]


def test_text_that_is_not_utf8_is_named_by_line_and_byte(tmp_path: Path) -> None:
    path = put(tmp_path / "latin.txt", b"one\ntwo\ncaf\xe9\n")
    with pytest.raises(FileError, match=r"latin.txt:3: must be UTF-8 text, got byte 0xe9"):
        read_text(path)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_damage_is_named_as_what_the_file_should_have_been(tmp_path: Path, suffix: str) -> None:
    path = put(tmp_path / f"text.txt{suffix}", np.random.default_rng(0).bytes(10_000))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(FileError, match=f"text.txt{suffix}: is cut off or damaged as {suffix} data"):
        read_text(path)


def test_without_zstandard_a_zst_file_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "run.zst").touch()
    with pytest.raises(MissingDependency, match=r"zstandard is needed to open run.zst; install it with: pip install 'podium\[zstd\]'"):
        read_text(tmp_path / "run.zst")
    with pytest.raises(MissingDependency), atomic_file(tmp_path / "new.zst"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["run.zst"]


# ---- writing ----


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data.txt{suffix}"

    def interrupted(error: type[BaseException]) -> None:
        with atomic_file(path) as file:
            file.write(b"half" * 100_000)
            raise error

    with pytest.raises(RuntimeError):
        interrupted(RuntimeError)
    assert list(tmp_path.iterdir()) == []
    put(path, b"old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(KeyboardInterrupt)
    assert read_text(path) == "old"
    put(path, b"new")
    assert read_text(path) == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    new, path = tmp_path / "new.txt", put(tmp_path / "data.txt", b"old")
    with atomic_file(path) as file, atomic_file(new) as other:
        for each in (file, other):
            each.write(b"new")
            each.flush()
        assert path.read_bytes() == b"old"
        assert not new.exists()
    assert path.read_bytes() == new.read_bytes() == b"new"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_data_gives_the_same_bytes_whatever_the_name_and_the_time(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = put(tmp_path / f"one{suffix}", b"data" * 1000)
    monkeypatch.setattr("time.time", lambda: 1e9)
    two = put(tmp_path / f"two{suffix}", b"data" * 1000)
    assert one.read_bytes() == two.read_bytes()
    if suffix:
        assert len(one.read_bytes()) < 1000
    if suffix == ".gz":
        assert gzip.decompress(one.read_bytes()) == b"data" * 1000


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, suffix: str) -> None:
    with (
        pytest.raises(FileError, match=f"data.txt{suffix}: cannot be written: no such file or directory"),
        atomic_file(tmp_path / "gone" / f"data.txt{suffix}"),
    ):
        pass


def test_a_folder_in_the_place_of_the_file_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data.txt").mkdir()
    with pytest.raises(FileError, match=r"data.txt: cannot be written: is a directory"), atomic_file(tmp_path / "data.txt") as file:
        file.write(b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["data.txt"]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_a_disk_that_takes_no_more_is_an_error_of_the_file_and_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    noise = np.random.default_rng(0).bytes(1 << 20)  # it cannot be compressed below the limit
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        with pytest.raises(FileError, match=f"data{suffix}: cannot be written: file too large"):
            put(tmp_path / f"data{suffix}", noise)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_in_the_end_is_an_error_of_the_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"data\.txt: cannot be written: no space left on device"):
        put(tmp_path / "data.txt", b"data")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [FileNotFoundError(errno.ENOENT, "No such file", "other.txt"), BrokenPipeError(errno.EPIPE, "Broken pipe")]
)
def test_what_went_wrong_elsewhere_while_a_file_was_written_is_no_error_of_the_file(tmp_path: Path, error: OSError) -> None:
    with pytest.raises(type(error)), atomic_file(tmp_path / "data.txt"):
        raise error
    assert list(tmp_path.iterdir()) == []


# ---- what is not a plain file ----


def through_fifo(path: Path, write: Callable[[], object]) -> bytes:
    """What a reader of the FIFO gets while it is written; the reader also ends if the FIFO was replaced and nobody ever wrote to it."""
    got = bytearray()
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # with it open, the writer does not wait, and neither do we
    try:
        write()
        while part := os.read(reader, 1 << 16):
            got += part
    finally:
        os.close(reader)
    return bytes(got)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_fifo_gets_the_bytes_and_stays_a_fifo(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"pipe.txt{suffix}"
    os.mkfifo(path)
    got = through_fifo(path, lambda: put(path, b"some lines\n" * 10))
    assert path.is_fifo()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert got == put(tmp_path / f"plain{suffix}", b"some lines\n" * 10).read_bytes()


def test_a_link_to_a_fifo_is_one_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    assert through_fifo(tmp_path / "pipe", lambda: put(tmp_path / "link", b"data")) == b"data"
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "pipe").is_fifo()


def test_a_symbolic_link_stays_and_the_file_that_it_names_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link, second = put(tmp_path / "far" / "target.txt", b"old"), tmp_path / "link.txt", tmp_path / "second.txt"
    link.symlink_to("far/target.txt")
    second.symlink_to(link)
    with atomic_file(second) as file:
        file.write(b"new" * 100_000)
        file.flush()
        assert target.read_bytes() == b"old"
    for path in (link, second):
        put(path, path.name.encode())
        assert path.is_symlink()
        assert target.read_bytes() == path.name.encode()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "link.txt", "second.txt", "target.txt"]


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("new.txt")
    put(tmp_path / "link", b"data")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new.txt").read_bytes() == b"data"
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(FileError, match="round: cannot be written: too many levels of symbolic links"):
        put(tmp_path / "round", b"data")


@pytest.mark.parametrize("is_linked", [False, True])
def test_an_open_file_by_its_number_is_written_on_and_not_replaced(tmp_path: Path, is_linked: bool) -> None:
    with (tmp_path / "log.txt").open("wb") as log:
        log.write(b"before\n")
        log.flush()
        name = Path(f"/dev/fd/{log.fileno()}")
        if is_linked:
            (tmp_path / "link").symlink_to(name)
        put(tmp_path / "link" if is_linked else name, b"report\n")
        log.write(b"after\n")
    assert (tmp_path / "log.txt").read_bytes() == b"before\nreport\nafter\n"


def test_a_pipe_of_the_shell_is_written() -> None:
    reader, writer = os.pipe()
    put(Path(f"/dev/fd/{writer}"), b"report")
    os.close(writer)
    assert os.read(reader, 100) == b"report"
    assert os.read(reader, 100) == b""
    os.close(reader)


def test_what_is_neither_a_file_nor_a_pipe_is_refused_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as place:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        place.bind("socket")
        with pytest.raises(FileError, match="socket: cannot be written: it is neither a file nor a pipe"):
            put(tmp_path / "socket", b"data")
        assert (tmp_path / "socket").is_socket()


def test_a_reader_that_has_gone_is_no_error_of_the_file() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        put(Path(f"/dev/fd/{writer}"), b"report")
    os.close(writer)
