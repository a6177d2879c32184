"""Documentation that is executed: every example runs, generated parts are current, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_pages_and_examples() -> None:
    assert {
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "data.md",
        "measures.md",
        "commands.md",
        "speed.md",
        "losses.md",
        "learning.md",
        "letor.md",
        "labelling.md",
        "people.md",
        "server.md",
        "studies.md",
    } <= {page.name for page in PAGES}
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    test = doctest.DocTestParser().get_doctest(re.sub(r"^```.*$", "", text, flags=re.MULTILINE), {}, page.name, str(page), 0)
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert outcome.failed == 0, "".join(said)
    assert (outcome.attempted > 0) == (">>> " in text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_generated_parts_are_current() -> None:
    for path, text in load(ROOT / "docs" / "build.py").pages().items():
        assert path.read_text() == text, f"{path.name} is not current; run: make docs"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    load(path).main()
    assert capsys.readouterr().out


def test_the_readme_has_its_two_commands_and_they_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in ("demo", "test"):
        assert f"make {command}" in (ROOT / "README.md").read_text()
        assert f"\n{command}:" in makefile
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("exec make test")
