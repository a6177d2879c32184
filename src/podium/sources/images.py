"""Images as ``data:`` URLs: read from a file below a folder or from such a URL, and told by their first bytes."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

from podium.errors import DataError
from podium.pool import MOST_IMAGE_BYTES

__all__ = ["image_type", "image_url", "read_image"]

_SIGNATURES = {  # the first bytes; the "WEBP" and the brand of AVIF stand after a length, which is any four bytes
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
    "image/avif": re.compile(rb"....ftyp(?:avif|avis)", re.DOTALL),
    "image/svg+xml": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.{0,2000}?-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]", re.DOTALL
    ),
}
_LOOKED_AT = 4096  # bytes; an SVG may begin with remarks


def image_type(data: bytes) -> str:
    r"""The media type of an image by its first bytes.

    >>> image_type(b"GIF89a\x01\x00\x01\x00")
    'image/gif'
    """
    for name, signature in _SIGNATURES.items():
        if signature.match(data[:_LOOKED_AT]):
            return name
    known = ", ".join(name.removeprefix("image/").removesuffix("+xml") for name in _SIGNATURES)
    raise DataError(f"must be one of {known}; its first bytes are of none of them: {data[:8]!r}")


def image_url(data: bytes) -> str:
    """An image as a ``data:`` URL, which needs nobody else to be shown."""
    if len(data) > MOST_IMAGE_BYTES:
        raise DataError(f"must have at most {MOST_IMAGE_BYTES >> 20} MB; make it smaller")
    return f"data:{image_type(data)};base64,{base64.b64encode(data).decode()}"


def read_image(said: str, folder: Path) -> str:
    """The image that is said: a ``data:`` URL, or the path of a file below the folder. Nothing is fetched, nothing else is read.

    The result is a ``data:`` URL whose media type is that of the first bytes, whatever the name or the URL says.
    """
    if said[:5].lower() == "data:":
        return image_url(_decoded(said))
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", said):
        raise DataError("must be a file or a data: URL; images from elsewhere are not fetched (a link can be shown: kind link)")
    return image_url(_file_below(folder, said))


def _decoded(url: str) -> bytes:
    head, comma, data = url.partition(",")
    if not comma:
        raise DataError("must be a whole data: URL, as data:image/png;base64,…")
    if len(data) > 3 * MOST_IMAGE_BYTES:  # each byte may be written as %XX
        raise DataError(f"must have at most {MOST_IMAGE_BYTES >> 20} MB; make it smaller")
    plain = unquote_to_bytes(data)
    if not head.lower().endswith(";base64"):
        return plain
    try:
        return base64.b64decode(b"".join(plain.split()), validate=True)
    except binascii.Error:
        raise DataError("must be whole base64 in its data: URL") from None


def _file_below(folder: Path, said: str) -> bytes:
    """The bytes of a file, which must lie in the folder or in one below it, links followed."""
    home = folder.resolve()
    try:
        path = (home / said).resolve()
        is_file = path.is_file()  # a pipe or a device could be read for ever
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        raise DataError("cannot be the name of a file") from None
    if "\\" in said or Path(said).is_absolute() or ".." in Path(said).parts or not path.is_relative_to(home):
        raise DataError("must be a path below the folder of this file, without '..', and not an absolute one")
    if not is_file:
        raise DataError("there is no such file; its path begins at the folder of this one")
    try:
        with path.open("rb") as file:
            return file.read(MOST_IMAGE_BYTES + 1)
    except OSError as error:
        raise DataError(f"cannot be read: {(error.strerror or str(error)).lower()}") from None
