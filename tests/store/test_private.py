"""A store in a file holds what others on the machine must not read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from podium.store import open_store


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_a_new_file_and_those_beside_it_are_for_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with open_store(tmp_path / "labels.db"):
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"labels.db": 0o600, "labels.db-wal": 0o600, "labels.db-shm": 0o600}


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_a_file_that_is_there_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    open_store(path).close()
    path.chmod(0o640)
    open_store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
