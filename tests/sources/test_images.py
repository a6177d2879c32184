"""Images as data: URLs."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from podium import DataError
from podium.pool import MOST_IMAGE_BYTES, Document
from podium.sources.images import image_type, image_url, read_image

# The first bytes as the formats' own specifications have them.
FIRST_BYTES = {
    "image/png": [b"\x89PNG\r\n\x1a\n"],
    "image/jpeg": [b"\xff\xd8\xff\xe0\x00\x10JFIF", b"\xff\xd8\xff\xe1"],
    "image/gif": [b"GIF87a", b"GIF89a"],
    "image/webp": [b"RIFF\x0a\x00\n\x00WEBPVP8 "],
    "image/avif": [b"\x00\x00\x00\x20ftypavif", b"\x00\x00\x00\x0aftypavis"],
    "image/svg+xml": [
        b"<svg xmlns='http://www.w3.org/2000/svg'>",
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- made by hand -->\n<!DOCTYPE svg>\n<svg>",
    ],
}
CASES = [(kind, data) for kind, each in FIRST_BYTES.items() for data in each]


@pytest.mark.parametrize(("kind", "data"), CASES)
def test_an_image_is_told_by_its_first_bytes_and_is_a_document(kind: str, data: bytes) -> None:
    assert image_type(data + b" and more") == kind
    url = image_url(data)
    assert url == f"data:{kind};base64,{base64.b64encode(data).decode()}"
    assert Document("a", kind="image", url=url).url == url


@pytest.mark.parametrize(
    "data", [b"", b"BM", b"<html><svg>", b"<?xml version='1.0'?><html>", b"RIFF\x00\x00\x00\x00WAVE", b"%PDF-1.7", b" GIF89a"]
)
def test_what_is_no_image_is_refused(data: bytes) -> None:
    with pytest.raises(DataError, match="its first bytes are of none of them"):
        image_type(data)


def test_an_svg_in_a_url_may_be_written_in_percents(tmp_path: Path) -> None:
    assert read_image("data:image/svg+xml;utf8,%3Csvg%3E%3C/svg%3E", tmp_path) == image_url(b"<svg></svg>")


@pytest.mark.parametrize(("said", "problem"), [
    ("data:image/png", "must be a whole data: URL"),
    ("data:image/png;base64,%%%", "must be whole base64"),
    ("data:image/png;base64,iVBORw0KGgo", "must be whole base64"),  # the sign for what is missing at the end is missing
    ("data:text/html,<script>alert(1)</script>", "its first bytes are of none of them"),
    ("file:///etc/passwd", "images from elsewhere are not fetched"),
    ("a\0b.png", "cannot be the name of a file"),
    ("x" * 5000, "cannot be the name of a file"),
    ("", "there is no such file"),
])  # fmt: skip
def test_an_image_that_cannot_be_had_is_refused(tmp_path: Path, said: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_image(said, tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    with pytest.raises(DataError, match="there is no such file"):
        read_image("a.png", tmp_path)


def test_the_largest_image_is_taken_and_one_byte_more_is_not(tmp_path: Path) -> None:
    largest = b"GIF89a".ljust(MOST_IMAGE_BYTES, b"x")
    (tmp_path / "a.gif").write_bytes(largest)
    url = read_image("a.gif", tmp_path)
    assert Document("a", kind="image", url=url).url == image_url(largest)
    (tmp_path / "a.gif").write_bytes(largest + b"x")
    with pytest.raises(DataError, match="must have at most 5 MB"):
        read_image("a.gif", tmp_path)
    with pytest.raises(DataError, match="must hold at most 5 MB"):
        Document("a", kind="image", url=url + "AAAA")
    with pytest.raises(DataError, match="must have at most 5 MB"):
        read_image("data:image/gif," + "x" * (3 * MOST_IMAGE_BYTES + 1), tmp_path)
