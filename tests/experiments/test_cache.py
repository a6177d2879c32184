"""The cache: a key says all that an outcome depends on, entries are whole or not there, and one process at a time trains a trial."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.experiments.test_trials import CONFIG

import podium
from podium.errors import FileError
from podium.experiments import cache as cache_module
from podium.experiments.cache import Cache, key_of
from podium.experiments.trials import Outcome, Trial, lay_out
from podium.experiments.versions import code_digest, commit

TRIAL = lay_out(CONFIG, ["Fold1"])[0]
OUTCOME = Outcome(validation=0.1 + 0.2, model='{"w": "é"}\n'.encode(), iterations=7, seconds=0.25, peak_bytes=1 << 40)
KEY = "ab" * 32


def key(trial: Trial = TRIAL, train: str = "t", vali: str = "v", measure: str = "map") -> str:
    return key_of(trial, train=train, vali=vali, measure=measure)


def test_a_key_differs_with_everything_that_an_outcome_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {
        key(),
        key(train="u"),
        key(vali="w"),
        key(train="v", vali="t"),
        key(measure="ndcg@5"),
        key(replace(TRIAL, seed=1)),
        key(replace(TRIAL, settings={**TRIAL.settings, "l2": 0.5})),
        key(replace(TRIAL, arm=replace(TRIAL.arm, ranker=replace(TRIAL.arm.ranker, algorithm="top-k-listnet")))),
    }
    monkeypatch.setattr(cache_module, "computing_versions", lambda: {"numpy": "1"})
    keys.add(key())
    monkeypatch.setattr(cache_module, "code_digest", lambda: "other code")
    keys.add(key())
    assert len(keys) == 10


def test_a_key_does_not_depend_on_names_on_the_fold_or_on_how_settings_are_said() -> None:
    renamed = replace(TRIAL, fold="Fold9", arm=replace(TRIAL.arm, name="other"), point="3", varied=())
    assert key(renamed) == key()
    assert key(replace(TRIAL, settings=dict(reversed(TRIAL.settings.items())))) == key()
    assert key(replace(TRIAL, settings={**TRIAL.settings, "tol": 1e-6, "l2": 0})) == key(
        replace(TRIAL, settings={**TRIAL.settings, "tol": 1e-6})
    )


def test_the_code_that_computes_counts_and_no_other(tmp_path: Path) -> None:
    package = Path(podium.__file__).parent
    copy = tmp_path / "podium"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "server", "static"))
    assert code_digest(copy) == code_digest()
    code_digest.cache_clear()
    (copy / "reports" / "text.py").write_text("# changed")
    (copy / "experiments" / "files.py").write_text("# changed")
    assert code_digest(copy) == code_digest()
    for name in ("losses/listwise.py", "truth.py", "training/smooth.py", "experiments/curves.py", "sources/synthetic.py"):
        before = code_digest(copy)
        code_digest.cache_clear()
        (copy / name).write_text((copy / name).read_text() + "\n# changed")
        assert code_digest(copy) != before, name
    code_digest.cache_clear()


def test_a_package_outside_a_checkout_has_no_commit(tmp_path: Path) -> None:
    (tmp_path / "version.py").touch()
    assert commit(tmp_path) == ""


@pytest.mark.parametrize("outcome", [OUTCOME, replace(OUTCOME, peak_bytes=-1)])
def test_what_is_kept_is_found(tmp_path: Path, outcome: Outcome) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.find(KEY) is None
    cache.keep(KEY, outcome)
    assert cache.find(KEY) == outcome
    assert cache.find("cd" * 32) is None


def test_no_validation_value_is_kept_as_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep(KEY, replace(OUTCOME, validation=math.nan))
    found = cache.find(KEY)
    assert found is not None
    assert math.isnan(found.validation)
    assert found.model == OUTCOME.model


def damages(data: bytes) -> list[bytes]:
    flipped = [data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :] for place in range(0, len(data), 7)]
    return [b"", data[:-1], data[: len(data) // 2], data + b" ", b"\0" * len(data), *flipped]


def test_a_damaged_entry_is_thrown_away(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep(KEY, OUTCOME)
    path = cache.path(KEY)
    whole = path.read_bytes()
    assert len(damages(whole)) > 30
    for data in damages(whole):
        path.write_bytes(data)
        assert cache.find(KEY) is None
        assert not path.exists()


@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_makes_way_for_an_entry(tmp_path: Path, put: Callable[[Path], None]) -> None:
    cache = Cache(tmp_path)
    cache.path(KEY).parent.mkdir()
    put(cache.path(KEY))
    assert cache.find(KEY) is None
    assert not cache.path(KEY).exists()
    cache.keep(KEY, OUTCOME)
    assert cache.find(KEY) == OUTCOME


def test_a_folder_with_files_in_the_place_of_an_entry_is_left_and_said_in_a_line(tmp_path: Path) -> None:
    inside = Cache(tmp_path).path(KEY) / "mine.txt"
    inside.parent.mkdir(parents=True)
    inside.touch()
    with pytest.raises(FileError, match=rf"{KEY}\.json: is in the place of a kept trial and is no file \(directory not empty\); remove it"):
        Cache(tmp_path).find(KEY)
    assert inside.exists()


def entry_of(**changes: object) -> bytes:
    """An entry with the right checksum, some of its fields changed (None: left out)."""
    fields = {"format": 1, "key": KEY, "validation": 0.5, "model": "{}", "iterations": 7, "seconds": 0.25, "peak_bytes": 1}
    return with_sum(json.dumps({name: value for name, value in {**fields, **changes}.items() if value is not ...}).encode())


def with_sum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def test_an_entry_of_other_fields_is_none_though_its_checksum_fits(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep(KEY, OUTCOME)

    def found(data: bytes) -> Outcome | None:
        cache.path(KEY).write_bytes(data)
        return cache.find(KEY)

    assert found(entry_of()) == Outcome(0.5, b"{}", 7, 0.25, 1)
    for data in (
        *(entry_of(**{name: ...}) for name in ("format", "key", "validation", "model", "iterations", "seconds", "peak_bytes")),
        *(entry_of(**{name: "x"}) for name in ("format", "key", "validation", "iterations", "seconds", "peak_bytes")),
        entry_of(model=None),
        entry_of(judgments=3),
        *map(with_sum, (b"", b"[]", b"null", b"{", b"\xff", b'{"format": 1}')),
    ):
        assert found(data) is None, data
        assert not cache.path(KEY).exists()


def test_a_place_where_nothing_can_be_written_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file")
    with pytest.raises(FileError, match="cannot be made: not a directory; choose another place"):
        cache.keep(KEY, OUTCOME)
    with pytest.raises(FileError, match="cannot be made: not a directory"), cache.locked(KEY, is_patient=True):
        pass
    (tmp_path / "locks" / KEY[:3]).mkdir(parents=True)
    with pytest.raises(FileError, match="cannot be locked"), Cache(tmp_path).locked(KEY, is_patient=True):
        pass


def test_an_entry_under_another_name_is_not_taken_for_it(tmp_path: Path) -> None:
    cache, other = Cache(tmp_path), "ab" + "cd" * 31
    cache.keep(KEY, OUTCOME)
    shutil.copy(cache.path(KEY), cache.path(other))
    assert cache.find(other) is None
    assert cache.find(KEY) == OUTCOME


def test_a_trial_that_another_holds_is_not_ours_until_it_is_let_go(tmp_path: Path) -> None:
    one, other = Cache(tmp_path), Cache(tmp_path)
    with one.locked(KEY, is_patient=False) as is_ours:
        assert is_ours
        with other.locked(KEY, is_patient=False) as is_ours_too:
            assert not is_ours_too
        with other.locked("cd" * 32, is_patient=False) as is_another_free:
            assert is_another_free
    with other.locked(KEY, is_patient=True) as is_ours_now:
        assert is_ours_now
