"""The package's face: what it offers, how fast it loads, and that compiled code is kept."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import podium

OPTIONAL = ["pandas", "polars", "pyarrow", "zstandard", "matplotlib", "sklearn", "torch", "scipy", "numba", "click", "hypothesis",
            "sqlalchemy", "alembic", "httpx", "psycopg"]  # fmt: skip


def python(code: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **environment})
    return done.stdout


def test_every_name_on_the_face_is_there_and_nothing_else_is_promised() -> None:
    assert podium.__all__ == sorted(podium.__all__)
    assert set(podium._HOMES) | {"__version__"} == set(podium.__all__)
    for name in podium.__all__:
        assert getattr(podium, name) is not None
    assert set(podium.__all__) <= set(dir(podium))


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(podium, "nothing")


def test_importing_podium_loads_nothing_heavy() -> None:
    loaded = json.loads(python("import sys, json, podium; print(json.dumps(sorted(sys.modules)))"))
    assert "podium" in loaded
    assert not {name.split(".")[0] for name in loaded} & {*OPTIONAL, "numpy"}


def test_reading_and_measuring_load_nothing_optional(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    code = f"""import sys, json, podium
data = podium.read_letor({str(path)!r})
podium.measures.evaluate(["ndcg@10", "map"], data.features[:, 0], data.labels, data.offsets)
print(json.dumps(sorted(sys.modules)))"""
    loaded = {name.split(".")[0] for name in json.loads(python(code))}
    assert not loaded & {"pandas", "polars", "pyarrow", "zstandard", "matplotlib", "sklearn", "torch", "click"}


def test_labelling_with_a_store_loads_neither_the_compiler_nor_a_client(tmp_path: Path) -> None:
    code = f"""import sys, json, podium
pool = podium.Pool("7", "wing flutter", (podium.Document("a"), podium.Document("b")))
with podium.store.open_store({str(tmp_path / "labels.db")!r}) as store:
    podium.assessors.label(store.desk(store.add(pool, k=1)), podium.assessors.Oracle(dict(a=1.0, b=2.0)))
    assert store.result(1).top == ("b",)
print(json.dumps(sorted(sys.modules)))"""
    loaded = {name.split(".")[0] for name in json.loads(python(code))}
    assert not loaded & {"numba", "scipy", "sklearn", "pandas", "httpx", "psycopg", "click"}


def test_code_compiled_before_any_file_changed_is_compiled_again(tmp_path: Path) -> None:
    """A kernel is made of kernels of other files; Numba by itself looks at one file only."""
    package = tmp_path / "podium"
    shutil.copytree(Path(podium.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = "import numpy as np; from podium.sources.letor_kernels import count_newlines as count; print(count(np.zeros(8, np.uint8), 0, 8))"
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DEBUG_CACHE": "1", "PYTHONPATH": str(tmp_path)}
    assert "saved to" in python(code, **cache)
    assert "saved to" not in python(code, **cache)
    changed = package / "sources" / "decimals.py"
    changed.write_text(changed.read_text() + "# changed\n")
    assert "saved to" in python(code, **cache)


def test_a_second_run_of_a_command_compiles_nothing(tmp_path: Path) -> None:
    """Numba says when it saves machine code to its cache, which it does whenever it has compiled."""
    path = tmp_path / "data.txt"
    path.write_text("".join(f"{row % 3} qid:{row // 10} 1:0.{row} 2:{row} #docid = d{row}\n" for row in range(100)))
    target, page = tmp_path / "data.podium", tmp_path / "page.html"
    commands = [
        ["describe", str(path)],
        ["convert", str(path), str(target), "--normalise", "minmax", "--top-k", "2"],
        ["evaluate", str(target), "--feature", "1", "--feature", "2", "-m", "ndcg@10", "-m", "map", "-m", "err", "--report", str(page)],
        ["train", str(target), "-a", "hom-og", "-s", "scaling=minmax", "--out", str(tmp_path / "model.json")],
        ["rank", str(tmp_path / "model.json"), str(target), "--out", str(tmp_path / "scores.txt")],
    ]
    code = f"from podium.cli import main; codes = [main(arguments) for arguments in {commands!r}]; assert set(codes) == {{0}}, codes"
    python(code)  # compiles what no test has compiled yet; the tests have one cache
    asked = "from podium.ragged import is_compiled_before; from podium.sorting import keep_top; print(is_compiled_before(keep_top))"
    assert python(asked).strip() == "True"
    assert python(asked, NUMBA_CACHE_DIR=str(tmp_path / "other")).strip() == "False"
    second = python(code, NUMBA_DEBUG_CACHE="1")
    assert "data loaded from" in second
    assert "saved to" not in second
