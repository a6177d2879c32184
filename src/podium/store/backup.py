"""A copy of a store that is consistent, whoever writes to it meanwhile. The copy of an SQLite store is a store; of PostgreSQL, a dump."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from sqlalchemy import URL

from podium.errors import DataError, FileError
from podium.store.database import postgresql_url, read_only_options, sqlite_path
from podium.store.tables import VERSION_TABLE

__all__ = ["backup"]

_IS_THERE = "is there already and is not replaced; name a new file"


def backup(place: str | os.PathLike[str], target: str | os.PathLike[str], *, is_replacing: bool = False) -> Path:
    """Copy a store, as it is at one moment, to a new file that only its owner may read; return the path of the file.

    Whoever writes to the store goes on, and everything that was acknowledged before the call is in the copy. The copy appears under its
    name when it is whole, or not at all. A file that is there already is kept unless ``is_replacing``. A store in PostgreSQL is written
    by the program ``pg_dump``, in the format that ``pg_restore`` reads. A symbolic link stays, and the file that it names is written.
    """
    target = Path(target)
    _check_target(place, target, is_replacing)
    with _new_file(Path(os.path.realpath(target)), is_replacing) as new:
        if "://" in str(place):
            _dump_postgresql(str(place), new)
        else:
            _copy_sqlite(sqlite_path(place), new)
    return target


# Where it goes.


def _check_target(place: str | os.PathLike[str], target: Path, is_replacing: bool) -> None:
    if target.is_dir():
        raise FileError(target, None, "is a folder; name a file in it, such as backup.db")
    if not target.parent.is_dir():
        raise FileError(target, None, "cannot be made: its folder does not exist")
    if target.exists() and not is_replacing:
        raise FileError(target, None, _IS_THERE)
    if target.exists() and not target.is_file():
        raise FileError(target, None, "is no file that could be replaced; name a new file")
    if "://" not in str(place) and Path(place).exists() and target.exists() and target.samefile(place):
        raise FileError(target, None, "is the store itself; name another file")
    if Path(f"{target.resolve()}-wal").exists():  # SQLite would take it for changes to the new file
        raise FileError(target, None, "is a store in use, or one that was not closed; name a new file")


@contextlib.contextmanager
def _new_file(target: Path, is_replacing: bool) -> Iterator[Path]:
    """A file beside the target, which gets its name when it is whole and on the disk."""
    try:
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # with the bits 0600
        os.close(number)
        try:
            yield Path(name)
            _to_disk(name)
            _rename(name, target, is_replacing)
            _to_disk(target.parent)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(target, None, f"cannot be written: {(error.strerror or str(error)).lower()}") from None


def _rename(name: str, target: Path, is_replacing: bool) -> None:
    try:
        if not is_replacing:
            os.link(name, target)  # unlike a rename, it never takes the place of a file that has come meanwhile
            return
    except FileExistsError:
        raise FileError(target, None, _IS_THERE) from None
    except OSError:  # a disk that has no links
        if target.exists():
            raise FileError(target, None, _IS_THERE) from None
    os.replace(name, target)  # noqa: PTH105


def _to_disk(path: str | Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


# How it is copied.


def _copy_sqlite(path: Path, new: Path) -> None:
    """SQLite's online backup, in one step: readers of a write-ahead log see one moment, and keep nobody from writing."""
    if not path.exists():
        raise FileError(path, None, "is not there; name the file of a store")
    try:
        with (
            contextlib.closing(_connect(path, read_only_options(path) or {"mode": "rw"})) as source,
            contextlib.closing(_connect(new, {"mode": "rw"})) as copy,
        ):
            copy.execute("PRAGMA journal_mode = OFF")  # a copy that fails is thrown away
            copy.execute("PRAGMA synchronous = OFF")
            source.backup(copy, pages=-1)
        with contextlib.closing(_connect(new, {"mode": "ro", "immutable": "1"})) as copy:
            _check_copy(copy, path)
    except sqlite3.Error as error:
        raise FileError(path, None, f"cannot be copied; the database says: {error}") from None


def _connect(path: Path, options: Mapping[str, str]) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{urlencode(options)}"  # unlike a path, it makes no file that is not there
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30.0)


def _check_copy(copy: sqlite3.Connection, path: Path) -> None:
    problems = [str(row[0]) for row in copy.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
    if problems:
        raise FileError(path, None, f"is damaged, and was not copied; the database says: {'; '.join(problems)}")
    if copy.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [VERSION_TABLE]).fetchone() is None:
        raise FileError(path, None, "is not a store, and was not copied")


def _dump_postgresql(place: str, new: Path) -> None:
    url = postgresql_url(place)
    program = shutil.which("pg_dump")
    shown = _shown(url)
    if program is None:
        raise DataError(f"pg_dump is needed to copy a store in PostgreSQL, and is not on the PATH; run: pg_dump -Fc -d '{shown}' -f FILE")
    if "sslpassword" in url.query:  # there is no other way to hand it to pg_dump than by an argument, which all users of a machine can see
        raise DataError(f"a URL with sslpassword cannot be handed to pg_dump safely; run: pg_dump -Fc -d '{shown}' -f FILE")
    password = url.password or url.query.get("password")
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    command = [program, "--format=custom", "--no-password", f"--dbname={shown}", f"--file={new}"]
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise FileError(shown, None, f"was not copied; pg_dump says: {said.replace(str(password), '***') if password else said}")


def _shown(url: URL) -> str:
    """The URL without its passwords, as PostgreSQL's own programs read it."""
    query = {name: value for name, value in url.query.items() if name not in ("password", "sslpassword")}
    return URL.create("postgresql", url.username, None, url.host, url.port, url.database, query).render_as_string()
