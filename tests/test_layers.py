"""The drawing in ARCHITECTURE.md, checked against every import in the code."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from podium.experiments import versions

SOURCE = Path(__file__).parents[1] / "src" / "podium"
DRAWING = Path(__file__).parents[1] / "ARCHITECTURE.md"
HOMES = {  # the one place where a library may be imported
    "alembic": {"store"},
    "fastapi": {"server"},
    "jinja2": {"server"},
    "nh3": {"server"},
    "pydantic": {"server"},
    "starlette": {"server"},
    "uvicorn": {"server.running"},
    "httpcore": {"assessors.llm_client"},
    "httpx": {"assessors.llm_client"},
    "psycopg": {"store"},
    "sqlalchemy": {"store", "projects"},
    "click": {"cli"},
    "pandas": {"sources.tables"},
    "polars": {"sources.tables"},
    "pyarrow": {"sources.tables", "experiments.files"},
    "filelock": {"experiments.locks"},
    "joblib": {"search", "experiments.running"},
    "matplotlib": {"reports.figures"},
    "scipy": {"results", "training.smooth", "labelling.agreement", "theory"},
    "sklearn": {"estimator"},
    "threadpoolctl": {"blas"},
    "zstandard": {"sources.streams"},
}

HARMLESS = {  # a trial imports them, and they change no outcome: errors, words, files, how memory is read
    "errors", "pool", "sources.markup", "sources.recorded", "sources.streams", "experiments.facts", "experiments.memory",
}  # fmt: skip

UNSAID = {  # taken though not in __all__; their modules count in the digest of the code, so they wait for its next change
    ("losses.listwise", "soften"), ("scorers.cps", "Ranks"), ("scorers.linear", "LINE"), ("scorers.models", "check_names"),
}  # fmt: skip


@cache
def layers() -> list[list[str]]:
    """The rows of the drawing, lowest first: the block of the section 'Layers', a row a line."""
    block = re.search(r"## Layers.*?```\n(.*?)```", DRAWING.read_text(), flags=re.DOTALL)
    assert block is not None, "ARCHITECTURE.md has no block of layers"
    return [line.split("#")[0].split() for line in block[1].splitlines() if line.strip()]


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name below the package; the root is ''."""
    names = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


@cache
def imports(path: Path) -> set[str]:
    """Every name that a module imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            is_modules_only = node.module == "podium" and names <= {f"podium.{name}" for name in modules()}
            found |= names if is_modules_only else {*names, node.module or ""}  # `from podium import truth` asks the root for nothing
    return found


MODULES = modules()
INNER = sorted(name for name in MODULES if name not in ("", "__main__"))


def row_of(name: str) -> int:
    top = name.split(".")[0]
    rows = [number for number, row in enumerate(layers()) if top in row]
    assert len(rows) == 1, f"{top} must stand in exactly one row of the drawing, it stands in {len(rows)}"
    return rows[0]


def test_there_are_modules_and_every_name_in_the_drawing_is_one() -> None:
    assert len(INNER) > 20
    drawn = [name for row in layers() for name in row]
    assert sorted(drawn) == sorted({name.split(".")[0] for name in INNER})


@pytest.mark.parametrize("name", INNER)
def test_a_module_imports_only_rows_below_its_own(name: str) -> None:
    top = name.split(".")[0]
    for imported in imports(MODULES[name]):
        assert imported != "podium", f"{name} imports the package root"
        if not imported.startswith("podium."):
            continue
        target = imported.removeprefix("podium.").split(".")[0]
        if target in MODULES and target != top:
            assert row_of(target) < row_of(top), f"{name} imports {imported}, which is not below it"


@pytest.mark.parametrize(("library", "homes"), HOMES.items())
def test_an_outside_library_is_imported_in_its_home_only(library: str, homes: set[str]) -> None:
    importing = {name for name in INNER if any(used.split(".")[0] == library for used in imports(MODULES[name]))}
    assert importing, f"nothing imports {library}: is it still needed?"
    assert {name if name in homes else name.split(".")[0] for name in importing} <= homes


@cache
def offered(name: str) -> set[str] | None:
    """What a module says that others may import: its ``__all__``; None if it says nothing."""
    for node in ast.parse(MODULES[name].read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return set(ast.literal_eval(node.value)) if isinstance(node.value, ast.List) else None
    return None


def test_names_that_modules_take_from_others_are_in_their_all() -> None:
    taken = set()
    for name in INNER:
        for node in ast.walk(ast.parse(MODULES[name].read_text())):
            home = (node.module or "").removeprefix("podium.") if isinstance(node, ast.ImportFrom) else ""
            if isinstance(node, ast.ImportFrom) and home in INNER:
                taken |= {(home, alias.name) for alias in node.names if f"{home}.{alias.name}" not in MODULES}
    assert len(taken) > 500
    assert {(home, name) for home, name in taken if (known := offered(home)) is not None and name not in known} == UNSAID


def reached(begin: set[str]) -> set[str]:
    """The modules, and all that they import, directly or through others; packages by what is in their __init__."""
    found: set[str] = set()
    left = set(begin)
    while left:
        found |= left
        named = {used.removeprefix("podium.") for name in left for used in imports(MODULES[name]) if used.startswith("podium.")}
        left = (named & set(INNER)) - found
    return found


def test_all_code_that_a_trial_runs_counts_in_the_digest_of_the_code_or_is_known_to_be_harmless() -> None:
    """Otherwise a change of it would leave outcomes in the cache that it no longer gives."""
    counted = {name for name, path in MODULES.items() if path in set(versions._sources(SOURCE))}
    assert {"experiments.trials", "experiments.choosing"} <= counted
    packages = {name for name in INNER if MODULES[name].name == "__init__.py"}
    assert reached(counted) - counted - {name for name in packages if not imports(MODULES[name])} == HARMLESS
