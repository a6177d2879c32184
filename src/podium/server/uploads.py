"""Files that are sent: kept in a folder of their own, read as what is to be judged, and gone again. Nothing is unpacked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from podium.errors import DataError
from podium.pool import Pool
from podium.server.problems import Problem, TooLarge
from podium.server.rates import Limits
from podium.sources.pools import POOL_FORMATS, pool_format_of, read_pools
from podium.sources.streams import COMPRESSIONS

__all__ = ["UPLOAD_SCHEMA", "checked_path", "read_upload"]

_DEEPEST = 8
_LONGEST_NAME = 200
_MOST_FIELDS = 1000
_FIELDS = ("files", "run", "topics", "depth", "queries", "format")
_WHOLE = ("beir", "cranfield")  # forms that are a folder

_BINARY = {"type": "string", "format": "binary"}
UPLOAD_SCHEMA: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "additionalProperties": False,
                    "properties": {
                        "files": {"type": "array", "items": _BINARY, "minItems": 1, "description": "Names may hold / for folders."},
                        "run": {"anyOf": [_BINARY, {"const": "bm25"}], "description": "A TREC run that chooses documents, or bm25."},
                        "topics": {**_BINARY, "description": "Queries, if the collection has none of its own."},
                        "depth": {"type": "integer", "minimum": 1, "maximum": 1_000_000, "description": "Only so many documents a query."},
                        "queries": {"type": "string", "description": "Only these queries: ids with commas between."},
                        "format": {"enum": sorted(POOL_FORMATS), "description": "If it cannot be told from the files."},
                    },
                }
            }
        },
    }
}


@dataclass(frozen=True)
class _Sent:
    """What came, under the names by which it is to be kept."""

    files: Sequence[tuple[Path, IO[bytes]]]
    run: str | IO[bytes] | None
    topics: IO[bytes] | None
    depth: int | None
    queries: list[str] | None
    format: str | None


def checked_path(name: str) -> Path:
    """The name of a file within the folder that is sent; never a way out of it.

    >>> checked_path("cranfield/cran.qry").as_posix()
    'cranfield/cran.qry'
    >>> checked_path("../etc/passwd")
    Traceback (most recent call last):
    podium.errors.DataError: a file must have a plain name such as pools.jsonl or folder/pools.jsonl, got '../etc/passwd'
    """
    parts = name.split("/")
    is_plain = all(part not in ("", ".", "..") and part.isprintable() and not set(part) & set('\\:*?"<>|') for part in parts)
    is_plain &= all(len(part.encode("utf-8", "replace")) <= _LONGEST_NAME for part in parts) and len(parts) <= _DEEPEST
    if not is_plain:
        raise DataError(f"a file must have a plain name such as pools.jsonl or folder/pools.jsonl, got {name[:80]!r}")
    if Path(parts[-1]).suffix.lower() in (*COMPRESSIONS, ".zip", ".tar", ".tgz", ".bz2", ".7z"):
        raise DataError(f"{name[:80]!r} is compressed; unpack it first")
    return Path(*parts)


async def read_upload(request: Request, limits: Limits) -> list[Pool]:
    """The pools that the files of a request hold."""
    try:
        form = await request.form(max_files=limits.files + 2, max_fields=_MOST_FIELDS, max_part_size=limits.body)
    except Problem:
        raise
    except HTTPException as error:  # too many parts, or none that can be read
        raise (TooLarge if "Too many" in str(error.detail) else Problem)(str(error.detail)) from None
    try:
        return await run_in_threadpool(_read, _sent(form))
    finally:
        await form.close()


def _sent(form: FormData) -> _Sent:
    if unknown := sorted(set(form) - set(_FIELDS)):
        raise DataError(f"unknown field {unknown[0][:60]!r}; choose from {', '.join(_FIELDS)}")
    uploads = form.getlist("files")
    if not uploads or not all(isinstance(each, UploadFile) and each.filename for each in uploads):
        raise DataError("files must be one or several files, each with its name")
    files = [(checked_path(each.filename or ""), each.file) for each in uploads if isinstance(each, UploadFile)]
    if len({str(path).casefold() for path, _ in files}) < len(files):
        raise DataError("two of the files have the same name")
    queries = [part.strip() for text in form.getlist("queries") if isinstance(text, str) for part in text.split(",") if part.strip()]
    return _Sent(
        files,
        _file_or_text(form, "run"),
        _file(form, "topics"),
        _depth(_text(form, "depth")),
        queries or None,
        _text(form, "format") or None,
    )


def _text(form: FormData, name: str) -> str:
    value = form.get(name) or ""
    if not isinstance(value, str):
        raise DataError(f"{name} must be text, got a file")
    return value.strip()


def _file(form: FormData, name: str) -> IO[bytes] | None:
    value = form.get(name)
    if isinstance(value, UploadFile):
        return value.file if value.filename else None  # an empty field of a form
    if value:
        raise DataError(f"{name} must be a file, got text")
    return None


def _file_or_text(form: FormData, name: str) -> str | IO[bytes] | None:
    value = form.get(name)
    if isinstance(value, str) and value.strip() not in ("", "bm25"):
        raise DataError(f"{name} must be a file or the word bm25, got {value[:60]!r}")
    return value.strip() or None if isinstance(value, str) else _file(form, name)


def _depth(text: str) -> int | None:
    if text and not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1_000_000 and len(text) <= 7):
        raise DataError(f"depth must be a whole number of 1 or more, got {text[:20]!r}")
    return int(text) if text else None


def _read(sent: _Sent) -> list[Pool]:
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        root = Path(folder).resolve()
        (root / "files").mkdir()
        for path, file in sent.files:
            _keep(root / "files" / path, file)
        try:
            return _read_kept(root, sent)
        except DataError as error:  # the folder is nobody's business
            raise DataError(str(error).replace(f"{root}/files/", "").replace(f"{root}/", "").replace(str(root), "the files")) from None


def _keep(path: Path, file: IO[bytes]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as target:
            shutil.copyfileobj(file, target)
    except (FileExistsError, NotADirectoryError):
        raise DataError(f"{path.name!r} is the name of a file and of a folder") from None


def _read_kept(root: Path, sent: _Sent) -> list[Pool]:
    beside: dict[str, Any] = {"depth": sent.depth, "queries": sent.queries, "run": sent.run, "topics": None}
    for name in ("run", "topics"):
        if (file := getattr(sent, name)) is not None and not isinstance(file, str):
            _keep(root / name, file)
            beside[name] = root / name
    paths, form = _places(root / "files", sent.format)
    if form == "trec" or len(paths) == 1:  # others are read one by one
        return read_pools(paths, format=form, **beside)
    queries = beside.pop("queries")
    pools = [pool for path in paths for pool in read_pools(path, format=form, **beside)]
    if queries is not None and (unknown := set(queries) - {pool.query_id for pool in pools}):
        raise DataError(f"there is no query {min(unknown)!r} in these files")
    return [pool for pool in pools if queries is None or pool.query_id in queries]


def _places(folder: Path, form: str | None) -> tuple[list[Path], str | None]:
    """What is to be read: a folder that is a collection, or the files, one by one."""
    for place in (folder, *sorted(folder.iterdir())):
        if place.is_dir() and (any(POOL_FORMATS[name].recognises(place) for name in _WHOLE) if form is None else form in _WHOLE):
            return [place], form
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return files, form or pool_format_of(files[0]) if len(files) > 1 else form
